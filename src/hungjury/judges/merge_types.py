"""The types of merges: their bases, their catalogue, and their result."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hungjury.base.arrays import Bools, Floats, Int16s, Ints
from hungjury.base.choices import MergePicture, Scope
from hungjury.base.errors import MeasureError, Note, noted, plural
from hungjury.base.named import Catalogue, Named
from hungjury.base.parameters import MOST_DRAWS, check_count
from hungjury.base.records import Record
from hungjury.base.results import Plot, Table, html_page, in_report
from hungjury.data.qrels import Qrels
from hungjury.judges.panel import NOT_JUDGED, JudgeSettings, Panel

if TYPE_CHECKING:
    from hungjury.judges.weights import Weights


class MergeSettings(JudgeSettings, kw_only=True):
    """How the labels of several judges were merged."""

    merge: str
    scope: Scope = "topic"
    seed: int | None = None  # None where a generator was given

    @staticmethod
    def of(
        merge: str, panel: Panel, scope: Scope, seed: int | np.random.Generator
    ) -> MergeSettings:
        known = seed if isinstance(seed, int) else None
        settings = panel.judgments.settings
        return settings.extend(MergeSettings, merge=merge, rel=panel.rel, scope=scope, seed=known)


SHOWN = 10  # documents in a notebook
_ROUNDING = 1e-9  # a probability of 0.5 stays a tie, whatever order its sums were taken in


class Fit(Record, eq=False):
    """The model that EM fitted to each group of documents: every topic, or all topics as one.

    A unit is a judge within a group; a crowd has few of all possible ones.
    """

    prior: Floats  # [group, grade]
    rounds: Ints  # [group]
    log_likelihood: Floats  # [group]
    converged: Bools  # [group]
    unit_group: Ints  # [unit]
    unit_judge: Ints  # [unit]
    unit_confusion: Floats  # [unit, true grade, label]

    @property
    def notes(self) -> tuple[Note, ...]:
        """Say what was not finished."""
        count, rounds = int((~self.converged).sum()), int(self.rounds.max(initial=0))
        groups = f"{count} of {len(self.converged)} topics" if len(self.converged) > 1 else "EM"
        text = (
            f"{groups} did not converge in {rounds} rounds: probabilities are those of the last "
            f"round; give it more, as in em-mv(rounds={10 * rounds}), or use em-ordinal or mv, "
            "which have less to learn"
        )
        return noted("not-converged", count, text, about="result")

    def select(self, groups: Bools) -> Fit:
        """Keep only some groups."""
        units = groups[self.unit_group]
        by_group: tuple[Any, ...] = (self.prior, self.rounds, self.log_likelihood, self.converged)
        number = (np.cumsum(groups) - 1)[self.unit_group]
        by_unit: tuple[Any, ...] = (number, self.unit_judge, self.unit_confusion)
        return Fit(*(one[groups] for one in by_group), *(one[units] for one in by_unit))


class Verdict(Record, eq=False):
    """Labels (positions in the grades), or probabilities of the grades, for every document."""

    choice: Ints | None = None  # [document]
    posterior: Floats | None = None  # [document, grade]
    fit: Fit | None = None
    notes: tuple[Note, ...] = ()


class Merge(Named):
    """Base of all ways to combine several judges: merges of labels, and AWARE."""

    gives: ClassVar[str] = "labels"  # "labels", "probabilities", or "weights" on measures
    drawn_from: ClassVar[str] = "judges"  # resampled; or the "posterior", or a "model" of both
    weights: Weights | None = None  # of a merge that gives weights

    def for_one_judge(self) -> Merge:
        """Return the merge to use instead if there is a single judge."""
        return self

    def for_labels(self) -> LabelMerge | None:
        """Return the merge that gives the same labels without random draws.

        None if it gives no labels, or those of another merge in the catalogue.
        """
        return None


class LabelMerge(Merge, ABC):
    """Base of merges of labels."""

    scored_in_expectation: ClassVar[bool] = False  # else by its most probable labels
    takes_weights: ClassVar[bool] = False  # can votes be weighted by AWARE's weights?
    takes_gold: ClassVar[bool] = False  # does it learn from gold labels of some documents?
    needs_users: ClassVar[bool] = False  # judges alone are not enough
    depends_on: ClassVar[frozenset[str]] = frozenset({"scope", "seed"})  # which of the two

    def __init_subclass__(cls, *, called: str = "") -> None:
        """Reset what follows from the parent's decision in a class that decides differently: how
        it is drawn, weighted, or replaced by another merge."""
        super().__init_subclass__(called=called)
        if "decide" in vars(cls) and cls.__base__.decide is not LabelMerge.decide:  # type: ignore[union-attr]
            for name in (
                "takes_weights",
                "takes_gold",
                "needs_users",
                "depends_on",
                "for_one_judge",
                "for_labels",
                "in_doubt",
                "learner",
                "redraw",
            ):
                if name not in vars(cls):
                    setattr(cls, name, getattr(LabelMerge, name))
            if "drawn_from" not in vars(cls):
                cls.drawn_from = "posterior" if cls.gives == "probabilities" else "judges"

    def for_labels(self) -> LabelMerge | None:
        return self

    def merge(
        self, panel: Panel, scope: Scope = "topic", seed: int | np.random.Generator = 0
    ) -> Merged:
        """Merge the votes of a panel; `Panel.merged` keeps the result for the next who asks."""
        panel.some_votes()
        verdict = self.decide(panel, scope, np.random.default_rng(seed))
        return Merged.of(self, panel, verdict, MergeSettings.of(str(self), panel, scope, seed))

    @abstractmethod
    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        """Decide on every document of the panel's pool."""

    def in_doubt(self, panel: Panel, posterior: Floats) -> Floats:
        """Return the posterior [document, grade], less certain where few judges labelled."""
        return posterior

    def learner(self, panel: Panel) -> Callable[[np.random.Generator], Floats] | None:
        """Return a function that draws the posterior [document, grade], where the merge learned it
        from a sample; None where it follows from the votes."""
        return None

    def redraw(self, panel: Panel, rng: np.random.Generator) -> Ints:
        """Draw labels [document] that another panel of the same kind might have given."""
        said = f"{self} gives labels without probabilities, so nothing can be drawn"
        remedy = "draw labels from em-mv, binmv or mv"
        raise MeasureError(said, code="no-probabilities", remedy=remedy)


class SoftMerge(LabelMerge):
    """Base of merges to probabilities that depend on the votes for each document alone."""

    depends_on: ClassVar[frozenset[str]] = frozenset()
    gives: ClassVar[str] = "probabilities"
    drawn_from: ClassVar[str] = "posterior"
    scored_in_expectation: ClassVar[bool] = True


class _Merges(Catalogue[Merge]):
    def parse(self, text: str) -> Merge:
        """Parse a name; `not`, a tie rule, is read as a word, not as an operator."""
        return super().parse(re.sub(r"=\s*not\s*(?=[,)])", '="not"', text))


MERGES = _Merges(
    "merge",
    Merge,
    {
        "did you mean mv?": "majority majority-vote majorityvote vote",
        "did you mean em-mv or em-neu? both are EM": "dawid-skene dawidskene ds em",
        "did you mean binmv, the mean vote?": "mean average mean-vote soft",
        "`hungjury agreement` reports it": "krippendorff krippendorff-alpha kappa",
    },
)


class Merged(Qrels, eq=False, kw_only=True):
    """Labels that judges were merged into: qrels that know the panel they come from.

    They can be used wherever qrels can. Majority votes give `labels` (grades), the other methods
    probabilities: `p` of relevance where labels are binary, else `grade_p` of every grade.

    Attributes
    ----------
    method : Merge
        The merge.
    panel : Panel
        The votes that were merged.
    fit : Fit or None
        The model of judges that EM fitted.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=2, topics=3)
    >>> merged = hj.merge(made.judgments, "mv")
    >>> hj.evaluate(merged, made.runs, "P@5").mean().shape
    (1, 2)
    """

    method: LabelMerge
    panel: Panel
    fit: Fit | None
    settings: MergeSettings

    @staticmethod
    def of(method: LabelMerge, panel: Panel, verdict: Verdict, settings: MergeSettings) -> Merged:
        """Make qrels from a decision."""
        labels = p = grade_p = None
        grades = panel.grades
        if verdict.posterior is None:
            assert verdict.choice is not None
            labels = _labels(verdict.choice, panel)
        elif panel.binary:
            p = np.where(panel.judged, verdict.posterior[:, 1], 0.0)
        else:
            grade_p = by_grade(verdict.posterior, panel.judged, grades)
            grades = tuple(range(grades[-1] + 1))
        return Merged(
            pool=panel.pool,
            labels=labels,
            grades=grades,
            p=p,
            grade_p=grade_p,
            settings=settings,
            notes=panel.notes + verdict.notes + (() if verdict.fit is None else verdict.fit.notes),
            method=method,
            panel=panel,
            fit=verdict.fit,
        )

    def __repr__(self) -> str:
        return f"Merged({self.method}, {super().__repr__()[6:-1]})"

    def table(self) -> Table:
        """Return a row per document: the merged label, and the label of every judge."""
        names: list[str] = ["label"]
        columns: list[Any] = [self.labels]
        if self.p is not None:
            names, columns = ["probability"], [self.p]
        elif self.grade_p is not None:
            names, columns = [f"p{g}" for g in self.grades], list(self.grade_p.T)
        panel = self.panel
        votes = np.full((len(panel.judges), len(self.pool)), None, dtype=object)
        votes[panel.judge, panel.document] = np.array(panel.grades, dtype=object)[panel.choice]
        topics = np.repeat(self.topics, np.diff(self.pool.offsets))
        data = [topics, self.pool.documents, *columns, *votes]
        rows = list(zip(*(c.tolist() if isinstance(c, np.ndarray) else c for c in data),
                        strict=True))  # fmt: skip
        return Table(["topic", "document", *names, *panel.judges], rows)

    def plot(self, what: MergePicture = "judges") -> Plot:
        """Draw how often each judge gave the merged label, a higher or a lower one."""
        return Plot(in_report("judge_plots.draw_merged")(self))

    def _repr_html_(self) -> str:
        size = f"{plural(len(self), 'document')} of {plural(len(self.topics), 'topic')}"
        head = f"{size}, {plural(len(self.panel.judges), 'judge')} merged by {self.method}"
        return html_page(head, *self.table().head(SHOWN))

    @property
    def posterior(self) -> Floats | None:
        """Probabilities of the grades [document, grade]; None for a majority vote."""
        return self.grade_p if self.p is None else np.stack([1 - self.p, self.p], axis=1)

    @property
    def rounds(self) -> Ints | None:
        """Rounds of EM until it stopped, one number per topic, or one for scope="all"."""
        return None if self.fit is None else self.fit.rounds

    @property
    def log_likelihood(self) -> Floats | None:
        """Log-likelihood of the labels under EM's model, per topic, or one for scope="all"."""
        return None if self.fit is None else self.fit.log_likelihood

    @property
    def confusion(self) -> Floats | None:
        """P(label | true grade) of each judge, NaN for one who judged nothing there.

        [judge, true grade, label] for scope="all", else [topic, judge, true grade, label].
        """
        fit = self.fit
        if fit is None:
            return None
        shape = (len(fit.rounds), len(self.panel.judges), *fit.unit_confusion.shape[1:])
        out = np.full(shape, np.nan)
        out[fit.unit_group, fit.unit_judge] = fit.unit_confusion
        return out[0] if self.settings.scope == "all" else out

    def sample(self, rng: np.random.Generator | int, n: int = 1, completed: bool = False) -> Int16s:
        """Draw labels from the posterior, or those of a majority vote by resampling judges.

        Parameters
        ----------
        rng : numpy.random.Generator or int
            Random generator or seed.
        n : int
            Number of draws.
        completed : bool
            Fill in missing votes; without it, agreement of few judges is taken as certainty.

        Returns
        -------
        ndarray
            [n, document], -1 for documents without a vote.
        """
        check_count("n", n, 1, MOST_DRAWS)
        return self.sampler(rng, completed)(n)

    def sampler(
        self, rng: np.random.Generator | int, completed: bool = False
    ) -> Callable[[int], Int16s]:
        """Return a function of `n` that draws like `sample` and can be called repeatedly."""
        rng = np.random.default_rng(rng)
        learned = None if self.posterior is None else self.method.learner(self.panel)
        if self.posterior is not None and learned is None:
            source = self.completed() if completed else self
            unjudged = np.flatnonzero(~self.panel.judged)

            def draw(n: int) -> Int16s:
                drawn = source.draw(rng, n)
                drawn[:, unjudged] = NOT_JUDGED
                return drawn

            return draw

        def redraw(n: int) -> Int16s:
            out = np.empty((n, len(self.pool)), dtype=np.int16)
            for row in out:
                if learned is None:
                    choice = self.method.redraw(self.panel, rng)
                else:
                    upto = np.cumsum(learned(rng), axis=1)[:, :-1]
                    choice = (rng.random((len(upto), 1)) >= upto).sum(axis=1)
                row[:] = _labels(choice, self.panel)
            return out

        return redraw

    def completed(self) -> Qrels:
        """Return qrels with probabilities that are less certain where few judges labelled."""
        posterior = self.posterior
        assert posterior is not None
        grades = list(self.panel.grades)
        given = posterior if self.p is not None else posterior[:, grades]
        doubt = self.method.in_doubt(self.panel, given)
        if doubt is given:
            return self
        if self.p is not None:
            return self.plain(p=doubt[:, 1])
        whole = posterior.copy()
        judged = np.flatnonzero(self.panel.judged)
        whole[judged[:, None], grades] = doubt[judged]
        return self.plain(grade_p=whole)

    @property
    def hard_labels(self) -> Int16s:
        """The most probable labels [document]; ties go to the lower grade."""
        if self.labels is not None:
            return self.labels
        assert self.posterior is not None
        best = likeliest(self.posterior).astype(np.int16)
        return np.where(self.panel.judged, best, NOT_JUDGED)

    def hard(self) -> Qrels:
        """Return the most probable labels as plain qrels; ties go to the lower grade."""
        return self.plain(labels=self.hard_labels, p=None, grade_p=None)

    def select(self, topics: Iterable[str]) -> Merged:
        """Keep only some topics; their labels stay as they were merged."""
        left = super().select(topics)
        kept = set(left.topics)
        chosen = np.array([t in kept for t in self.topics])
        fit = self.fit
        if fit is not None and self.settings.scope == "topic":
            fit = fit.select(chosen)
        panel = self.panel.select(np.repeat(chosen, np.diff(self.pool.offsets)))
        changed = {f.name: getattr(left, f.name) for f in fields(Qrels)}
        return replace(self, **changed | {"pool": panel.pool}, panel=panel, fit=fit)


def by_grade(posterior: Floats, judged: Bools, grades: tuple[int, ...]) -> Floats:
    """Return a column for every grade, starting at 0, even for those missing from the scale.

    Documents without a vote are not relevant.
    """
    out = np.zeros((len(posterior), grades[-1] + 1))
    out[:, list(grades)] = posterior
    out[~judged] = np.eye(grades[-1] + 1)[0]
    return out


def likeliest(posterior: Floats) -> Ints:
    """Return the most probable grade of each document; ties go to the lower grade."""
    top = posterior.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(posterior >= top - _ROUNDING, axis=1))


def _labels(choice: Ints, panel: Panel) -> Int16s:
    return np.where(panel.judged, np.array(panel.grades, dtype=np.int16)[choice], NOT_JUDGED)
