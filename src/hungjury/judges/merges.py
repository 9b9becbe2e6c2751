"""The base of merges, and their result: qrels with the settings they were made with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.base.choices import Orientation, Scope
from hungjury.base.errors import MeasureError
from hungjury.base.named import Catalogue, Named
from hungjury.base.notes import Note
from hungjury.base.records import LabelSettings, Record, ScoreSettings
from hungjury.base.tables import Table, html_page
from hungjury.data.qrels import Qrels
from hungjury.judges.panel import NOT_JUDGED, Panel

if TYPE_CHECKING:
    from hungjury.judges.weights import Weights

__all__ = [
    "MERGES",
    "AwareSettings",
    "Fit",
    "JudgeSettings",
    "Merge",
    "MergeSettings",
    "Merged",
    "Verdict",
]


class JudgeSettings(LabelSettings, kw_only=True):
    """How the labels of several judges were analysed."""

    rel: int | None = None  # lowest relevant grade, where labels were taken as binary


class MergeSettings(JudgeSettings, kw_only=True):
    """How the labels of several judges were merged."""

    merge: str
    scope: Scope = "topic"
    seed: int | None = None  # None where a generator was given


class AwareSettings(ScoreSettings, kw_only=True):
    """How the scores under several judges were combined."""

    weights: str
    orientation: Orientation = "dissimilarity"
    rel: int | None = None
    replicates: int | None = None  # random judges of each class, where the weights need them
    seed: int | None = None


SHOWN = 10  # documents in a notebook
_ROUNDING = 1e-9  # a probability of 0.5 stays a tie, whatever order its sums were taken in


class Fit(Record, eq=False):
    """What EM learned in each group of documents: every topic, or all topics as one group.

    A unit is a judge within a group; only those with judgments there are kept.
    """

    prior: NDArray[np.float64]  # [group, grade]
    rounds: NDArray[np.int64]  # [group]
    log_likelihood: NDArray[np.float64]  # [group]
    converged: NDArray[np.bool_]  # [group]
    unit_group: NDArray[np.int64]  # [unit]
    unit_judge: NDArray[np.int64]  # [unit]
    unit_confusion: NDArray[np.float64]  # [unit, true grade, label]

    def select(self, groups: NDArray[np.bool_]) -> Fit:
        units = groups[self.unit_group]
        return Fit(
            prior=self.prior[groups],
            rounds=self.rounds[groups],
            log_likelihood=self.log_likelihood[groups],
            converged=self.converged[groups],
            unit_group=(np.cumsum(groups) - 1)[self.unit_group[units]],
            unit_judge=self.unit_judge[units],
            unit_confusion=self.unit_confusion[units],
        )


class Verdict(Record, eq=False):
    """The result of a merge: labels (positions in the grades) or a posterior for every document."""

    choice: NDArray[np.int64] | None = None  # [document]
    posterior: NDArray[np.float64] | None = None  # [document, grade]
    fit: Fit | None = None


class Merge(Named):
    """Base of all ways to combine several judges."""

    gives: ClassVar[str] = "labels"  # "labels", "probabilities", or "weights" on measures
    drawn_from: ClassVar[str] = "judges"  # resampled; or the "posterior", or a "model" of both
    scored_in_expectation: ClassVar[bool] = False  # else by its most probable labels
    takes_weights: ClassVar[bool] = False  # can votes be weighted by AWARE's weights?
    weights: Weights | None = None  # of a merge that gives weights

    def __init_subclass__(cls) -> None:
        """A class that decides differently from its parent does not inherit what follows from the
        parent's decision: how it is drawn, weighted, or replaced by another merge."""
        super().__init_subclass__()
        if "decide" in vars(cls) and cls.__base__.decide is not Merge.decide:  # type: ignore[union-attr]
            for name in ("takes_weights", "for_one_judge", "for_labels", "in_doubt", "redraw"):
                if name not in vars(cls):
                    setattr(cls, name, getattr(Merge, name))
            if "drawn_from" not in vars(cls):
                cls.drawn_from = "posterior" if cls.gives == "probabilities" else "judges"

    def for_one_judge(self) -> Merge:
        """The merge to use instead if there is a single judge."""
        return self

    def for_labels(self) -> Merge | None:
        """The merge that gives its labels without random draws; None if these are the labels of
        another merge in the catalogue, or if it gives no labels."""
        return None if self.gives == "weights" else self

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        raise NotImplementedError

    def in_doubt(self, panel: Panel, posterior: NDArray[np.float64]) -> NDArray[np.float64]:
        """[document, grade]: the posterior, made less certain where few judges labelled."""
        return posterior

    def redraw(self, panel: Panel, rng: np.random.Generator) -> NDArray[np.int64]:
        """[document]: labels that another panel of the same kind might have given."""
        raise MeasureError(
            f"{self} gives labels without probabilities, so nothing can be drawn",
            code="no-probabilities",
            remedy="draw labels from em-mv, binmv or mv",
        )


class _Merges(Catalogue[Merge]):
    def parse(self, text: str) -> Merge:
        """Parse a name; `not`, a tie rule, is read as a word, not as an operator."""
        return super().parse(re.sub(r"=\s*not\s*(?=[,)])", '="not"', text))


MERGES = _Merges(
    "merge",
    {
        **dict.fromkeys(("majority", "majority-vote", "majorityvote", "vote"), "did you mean mv?"),
        **dict.fromkeys(
            ("dawid-skene", "dawidskene", "ds", "em"),
            "did you mean em-mv or em-neu? both fit the model of Dawid and Skene",
        ),
        **dict.fromkeys(
            ("mean", "average", "mean-vote", "soft"), "did you mean binmv, the mean vote?"
        ),
        **dict.fromkeys(
            ("krippendorff", "krippendorff-alpha", "kappa"),
            "this measures agreement, it does not merge; `hungjury agreement` reports it",
        ),
    },
)


class Merged(Qrels, eq=False, kw_only=True):
    """Merged labels: grades from majority votes, probabilities from the other methods.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=2, topics=3)
    >>> merged = hj.merge(made.judgments, "mv")
    >>> hj.evaluate(merged, made.runs, "P@5").mean().shape
    (1, 2)
    """

    method: Merge
    panel: Panel
    fit: Fit | None
    settings: MergeSettings

    @staticmethod
    def of(method: Merge, panel: Panel, verdict: Verdict, settings: MergeSettings) -> Merged:
        labels = p = grade_p = None
        grades = panel.grades
        if verdict.posterior is None:
            assert verdict.choice is not None
            labels = _labels(verdict.choice, panel)
        elif panel.binary:
            p = np.where(panel.judged, verdict.posterior[:, 1], 0.0)
        else:
            # A column for every grade, starting at 0, even for those missing from the scale.
            grade_p = np.zeros((len(panel.pool), grades[-1] + 1))
            grade_p[:, list(grades)] = verdict.posterior
            grade_p[~panel.judged] = np.eye(grades[-1] + 1)[0]
            grades = tuple(range(grades[-1] + 1))
        return Merged(
            pool=panel.pool,
            labels=labels,
            grades=grades,
            p=p,
            grade_p=grade_p,
            settings=settings,
            notes=panel.notes + _unfinished(verdict.fit),
            method=method,
            panel=panel,
            fit=verdict.fit,
        )

    def __repr__(self) -> str:
        return f"Merged({self.method}, {super().__repr__()[6:-1]})"

    def table(self) -> Table:
        """A row per document: the merged label, and the label of every judge."""
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

    def _repr_html_(self) -> str:
        size = f"{len(self):,} documents of {len(self.topics):,} topics"
        head = f"{size}, {len(self.panel.judges)} judges merged by {self.method}"
        return html_page(head, *self.table().head(SHOWN))

    @property
    def posterior(self) -> NDArray[np.float64] | None:
        """[document, grade]; None for a vote."""
        return self.grade_p if self.p is None else np.stack([1 - self.p, self.p], axis=1)

    @property
    def rounds(self) -> NDArray[np.int64] | None:
        """Rounds of EM until it stopped, one number per topic, or one for scope="all"."""
        return None if self.fit is None else self.fit.rounds

    @property
    def log_likelihood(self) -> NDArray[np.float64] | None:
        """Log-likelihood of the labels under EM's model, per topic, or one for scope="all"."""
        return None if self.fit is None else self.fit.log_likelihood

    @property
    def confusion(self) -> NDArray[np.float64] | None:
        """P(label | true grade) of each judge, NaN for one who judged nothing there.

        [judge, true grade, label] for scope="all", [topic, judge, true grade, label] else.
        """
        fit = self.fit
        if fit is None:
            return None
        shape = (len(fit.rounds), len(self.panel.judges), *fit.unit_confusion.shape[1:])
        out = np.full(shape, np.nan)
        out[fit.unit_group, fit.unit_judge] = fit.unit_confusion
        return out[0] if self.settings.scope == "all" else out

    def sample(
        self, rng: np.random.Generator | int, n: int = 1, completed: bool = False
    ) -> NDArray[np.int16]:
        """[n, document]: label sets drawn from the posterior; of a vote by resampling judges.

        completed: fill in missing votes, so that agreement of few judges is not taken as certainty.
        """
        if n < 1:
            raise MeasureError(
                f"{n} draws requested",
                code="out-of-range",
                argument="n",
                remedy="n must be at least 1",
            )
        return self.sampler(rng, completed)(n)

    def sampler(
        self, rng: np.random.Generator | int, completed: bool = False
    ) -> Callable[[int], NDArray[np.int16]]:
        """A function that draws like `sample` and can be called repeatedly."""
        rng = np.random.default_rng(rng)
        if self.posterior is not None:
            source = self._in_doubt(self.posterior) if completed else self
            return lambda n: np.where(self.panel.judged, source.draw(rng, n), NOT_JUDGED)

        def redraw(n: int) -> NDArray[np.int16]:
            out = np.empty((n, len(self.pool)), dtype=np.int16)
            for i in range(n):
                out[i] = _labels(self.method.redraw(self.panel, rng), self.panel)
            return out

        return redraw

    def _in_doubt(self, posterior: NDArray[np.float64]) -> Qrels:
        """The qrels, with probabilities made less certain where few judges labelled."""
        grades = list(self.panel.grades)
        given = posterior if self.p is not None else posterior[:, grades]
        doubt = self.method.in_doubt(self.panel, given)
        if doubt is given:
            return self
        if self.p is not None:
            return replace(self.plain(), p=doubt[:, 1])
        whole = posterior.copy()
        judged = np.flatnonzero(self.panel.judged)
        whole[judged[:, None], grades] = doubt[judged]
        return replace(self.plain(), grade_p=whole)

    def hard(self) -> Qrels:
        """The most probable labels as plain qrels; binary: relevant if the probability is > 0.5."""
        if self.posterior is None:
            return self.plain()
        best = likeliest(self.posterior).astype(np.int16)
        labels = np.where(self.panel.judged, best, NOT_JUDGED)
        return replace(self.plain(), labels=labels, p=None, grade_p=None)

    def plain(self) -> Qrels:
        """The qrels alone."""
        return Qrels(**{f.name: getattr(self, f.name) for f in fields(Qrels)})

    def at_least(self, rel: int) -> Qrels:
        return self.plain().at_least(rel)

    def threshold(self, at: float = 0.5) -> Qrels:
        return self.plain().threshold(at)

    def select(self, topics: Iterable[str]) -> Merged:
        """Only some topics; their labels stay as they were merged."""
        wanted = set(topics)
        chosen = np.array([t in wanted for t in self.topics])
        fit = self.fit
        if fit is not None and self.settings.scope == "topic":
            fit = fit.select(chosen)
        panel = self.panel.select(np.repeat(chosen, np.diff(self.pool.offsets)))
        left = self.plain().select(wanted)
        parts = {f.name: getattr(left, f.name) for f in fields(Qrels)}
        return Merged(**parts | {"pool": panel.pool}, method=self.method, panel=panel, fit=fit)


def likeliest(posterior: NDArray[np.float64]) -> NDArray[np.int64]:
    """[document]: the grade of the largest probability; ties go to the lower grade."""
    top = posterior.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(posterior >= top - _ROUNDING, axis=1))


def _labels(choice: NDArray[np.int64], panel: Panel) -> NDArray[np.int16]:
    return np.where(panel.judged, np.array(panel.grades, dtype=np.int16)[choice], NOT_JUDGED)


def _unfinished(fit: Fit | None) -> tuple[Note, ...]:
    if fit is None or fit.converged.all():
        return ()
    count = int((~fit.converged).sum())
    groups = f"{count} of {len(fit.converged)} topics" if len(fit.converged) > 1 else "EM"
    text = f"{groups} did not converge in {int(fit.rounds.max())} rounds"
    return (Note("not-converged", count, text, about="result"),)
