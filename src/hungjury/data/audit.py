"""The audit: what was read, and what is unusual about it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hungjury import native
from hungjury.base.arrays import Floats, Int32s, Ints
from hungjury.base.errors import HungjuryError, Note, Surface, few, in_python, percent, plural
from hungjury.base.parameters import MOST_LABELS, check_count
from hungjury.base.records import Record
from hungjury.base.results import Result, Table
from hungjury.data.alignment import Alignment, align
from hungjury.data.labels import judgments_by, qrels_by
from hungjury.data.pool import Pool
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.reading.options import LabelPolicy, QrelsLike, ReadingOptions, RunsLike, assigned
from hungjury.data.reading.sources import Stop, raise_error
from hungjury.data.runs import Progress, RunFiles, Runs, as_runs, read_store
from hungjury.stats.agreement import krippendorff_alpha, pair_agreement

if TYPE_CHECKING:
    from typing_extensions import Unpack


MOST_LISTED = 40  # judges, unless they are asked for
EXAMPLES = 10  # lines named for errors of one kind


class Listing:
    """The errors that an audit found; those of one kind in one file are reported together."""

    def __init__(self) -> None:
        # Of each kind: the first error, and the lines of all.
        self._kinds: dict[tuple[str | None, ...], tuple[HungjuryError, list[int | None]]] = {}

    def __call__(self, error: HungjuryError) -> None:
        nothing = error.code in ("no-labels", "no-rows")
        if nothing and any(error.file in (None, file) for file, *_ in self._kinds):
            return  # explained by earlier errors
        alike = error.line is not None and error.code != type(error).code
        key = (error.file, error.code, "" if alike else error.message)
        _, lines = self._kinds.setdefault(key, (error, []))
        if not alike or lines[-1:] != [error.line]:  # not several rows of one line
            lines.append(error.line)

    def __len__(self) -> int:
        """Count the lines, rows and files in error."""
        return sum(len(lines) for _, lines in self._kinds.values())

    @property
    def errors(self) -> tuple[HungjuryError, ...]:
        return tuple(_told(*kind) for kind in self._kinds.values())


def _told(first: HungjuryError, lines: list[int | None]) -> HungjuryError:
    """Return an error that says where the others of its kind are."""
    some = [str(line) for line in lines if line is not None][:EXAMPLES]
    if len(lines) == 1 or not some:
        return first
    more = f" and {len(lines) - len(some):,} more" if len(lines) > len(some) else ""
    listed = f"{plural(len(lines), 'such line')}: {', '.join(some)}{more}"
    return first.saying(f"{first.message} ({listed})")


class Audit(Record, Result):
    """The audit of a collection: what was read, what is unusual, and what cannot be used.

    Read `errors` first: with any of them the files cannot be used as they are. Notes are findings
    that may be intended, such as ties or topics without a list.

    Attributes
    ----------
    facts
        Sentences that count what was read.
    notes
        Everything unusual.
    errors
        What stops an evaluation, each with its file, line and remedy.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(topics=5, systems=3, seed=1)
    >>> report = hj.audit(sim.gold, sim.runs)
    >>> report.facts[0], report.exit_code
    ('labels: 263 documents judged for 5 topics', 0)
    """

    facts: list[str]
    notes: tuple[Note, ...]
    errors: tuple[HungjuryError, ...] = ()

    @property
    def exit_code(self) -> int:
        """0: nothing found, 1: something is unusual, 2: the files cannot be used."""
        return 2 if self.errors else 1 if self.notes else 0

    def to_text(self) -> str:
        """Write the facts, then everything unusual."""
        return self.render()

    def render(self, surface: Surface = in_python) -> str:
        """Return the text, with remedies as a surface writes them."""
        odd = ["unusual:", *(f"  ! {note}" for note in self.notes)]
        stops = [f"  ! {error.render(surface)}".replace("\n", "\n    ") for error in self.errors]
        found = [*(odd if self.notes else []), *(["unusable:", *stops] if stops else [])]
        return "\n".join([*self.facts, *(found or ["nothing unusual found"])])

    def table(self) -> Table:
        """Return a row for every note and error."""
        rows = [["unusual", note.kind, str(note)] for note in self.notes]
        rows += [["unusable", error.code, str(error)] for error in self.errors]
        return Table(["", "kind", "what"], rows)

    def _parts(self) -> list[str | Table]:
        return [*self.facts, self.table() if self.exit_code else "Nothing unusual found."]

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as sentences, and all fields of every note and error."""
        return {
            "facts": self.facts,
            "notes": [note.to_dict() for note in self.notes],
            "errors": [error.to_dict() for error in self.errors],
            "exit_code": self.exit_code,
        }


def audit(
    labels: QrelsLike | Judgments,
    runs: RunsLike | None = None,
    progress: Progress | None = None,
    *,
    judgments: bool = False,
    at_least: int = 0,
    **reading: Unpack[ReadingOptions],
) -> Audit:
    """Check labels and runs before anything is computed.

    Other functions stop at the first error and note what is unusual; the audit lists everything at
    once, with remedies. Use it on files of unknown origin, or as a gate before an experiment.

    Parameters
    ----------
    labels : Qrels, Judgments or source
        Labels, or anything `read_qrels` takes.
    runs : Runs or source, optional
        Runs, or anything `read_runs` takes.
    progress : callable, optional
        Called as ``progress(done, total, what)``.
    judgments : bool
        The source has labels of several judges, as `read_judgments` takes it.
    at_least : int
        List only judges with so many labels. Default: all, of very many those with the most labels.
    **reading
        Options of `read_judgments` and `read_runs`.

    Returns
    -------
    Audit
        What was read and everything unusual about it; it prints as text. Errors that would stop
        other functions are listed too: the audit continues without the lines or the file in error.

    Examples
    --------
    >>> import hungjury as hj
    >>> report = hj.audit({"1": {"a": 1, "b": 0}}, {"1": {"a": 0.5, "b": 0.5}})
    >>> report.exit_code, [note.kind for note in report.notes]
    (1, ['ties'])

    The files can be used (2 would mean that they cannot), but two documents have equal scores:
    their order depends on `ties`.
    """
    check_count("at_least", at_least, 0, MOST_LABELS)
    return examined(labels, runs, progress, judgments=judgments, at_least=at_least, **reading)[0]


def examined(
    labels: QrelsLike | Judgments, runs: RunsLike | None = None,
    progress: Progress | None = None, *, judgments: bool, at_least: int = 0,
    **reading: Unpack[ReadingOptions],
) -> tuple[Audit, Qrels | Judgments | None, Alignment | None]:  # fmt: skip
    """Return the audit, and the labels and runs as far as they can be read."""
    of_labels, of_runs, _ = assigned(reading, labels, runs)
    errors = Listing()
    found: Qrels | Judgments | None = None
    aligned: Alignment | None = None
    facts: list[str] = []
    notes: list[Note] = []
    if isinstance(labels, (Qrels, Judgments)):
        found = labels
    else:
        policy = LabelPolicy.of(of_labels)
        read: Any = judgments_by if judgments else qrels_by
        try:
            found = read(labels, policy, errors)
        except HungjuryError as error:
            errors(error)
    if found is not None:
        if isinstance(found, Judgments):
            facts += _judgment_facts(found, at_least)
        else:
            facts += _label_facts(found)
        notes += found.notes
    if runs is not None:
        try:
            good, bad = readable_runs(as_runs(runs, **of_runs), errors)
            if found is not None and good is not None:
                aligned = _aligned(good, found.pool, progress, errors, bad)
                facts += _run_facts(aligned)
                notes += aligned.notes
        except HungjuryError as error:
            errors(error)
    return Audit(facts, tuple(notes), errors.errors), found, aligned


def readable_runs(runs: Runs | RunFiles, errors: Listing) -> tuple[Runs | RunFiles | None, bool]:
    """Return the runs without files that cannot be read (None: no run is left), and whether any
    file or line cannot. These are listed."""
    if isinstance(runs, Runs):
        return runs, False
    before, good = len(errors), []
    for source in runs.sources:
        try:
            read_store(source, runs.policy, stop=errors)
        except HungjuryError as error:
            errors(error)
        else:
            good.append(source)
    return replace(runs, sources=good) if good else None, len(errors) > before


def _aligned(
    runs: Runs | RunFiles, pool: Pool, progress: Progress | None, errors: Listing, bad: bool
) -> Alignment:
    """Align runs without their bad lines; if two files have the same tag, systems are named by
    file."""
    stop: Stop = (lambda error: None) if bad else raise_error  # which are listed already
    try:
        return align(runs, pool, progress=progress, stop=stop)
    except HungjuryError as error:
        if error.code != "same-name" or isinstance(runs, Runs) or runs.policy.names == "stem":
            raise
        errors(error)
        policy = runs.policy.but(names="stem")
        return align(replace(runs, policy=policy), pool, stop=stop)


def _label_facts(qrels: Qrels) -> list[str]:
    below = 0 if qrels.labels is None else int((qrels.labels < 0).sum())
    judged = plural(len(qrels) - below, "document")
    facts = [f"labels: {judged} judged for {plural(len(qrels.topics), 'topic')}"]
    if below:
        facts.append(f"labels below 0: {plural(below, 'document')} pooled, but not judged")
    if qrels.labels is None:
        if qrels.p is None:
            return [*facts, f"probabilities of the grades 0 to {qrels.max_grade}"]
        mean = f", {qrels.p.mean():.3f} on average" if len(qrels.p) else ""
        return [*facts, f"probabilities of relevance{mean}"]
    grades, counts = np.unique(qrels.labels, return_counts=True)
    shares = ", ".join(
        f"{g}: {n:,} ({100 * n / len(qrels):.1f} %)" for g, n in zip(grades, counts, strict=True)
    )
    return [*facts, f"grades {qrels.grades[0]} to {qrels.max_grade}; {shares}"]


def _judgment_facts(judgments: Judgments, at_least: int) -> list[str]:
    per_document = np.bincount(judgments.document, minlength=len(judgments.pool))
    times, documents = np.unique(per_document, return_counts=True)
    histogram = ", ".join(
        f"{t}: {n:,}" for t, n in sorted(zip(times.tolist(), documents.tolist(), strict=True))
    )
    if judgments.soft:
        scale = "probabilities"
    else:
        scale = f"grades {judgments.grades[0]} to {judgments.max_grade}"
    return [
        f"labels: {len(judgments):,} by {plural(len(judgments.judges), 'judge')} "
        f"({few(judgments.judges)}), {scale}",
        f"{plural(len(judgments.pool), 'document')} judged for "
        f"{plural(len(judgments.topics), 'topic')}, {per_document.mean():.1f} labels per document",
        f"documents by number of labels: {histogram}",
        *(_soft_lines if judgments.soft else _graded_lines)(judgments, at_least),
    ]


def _graded_lines(judgments: Judgments, at_least: int) -> list[str]:
    """Say how far judges agree, and count the labels of each by grade."""
    values, _ = native.distinct(judgments.label)
    place = np.searchsorted(values, judgments.label)

    def counts(key: Int32s, keys: int) -> Ints:
        cell = key.astype(np.int64) * len(values) + place
        return np.bincount(cell, minlength=keys * len(values)).reshape(keys, -1)

    by_judge = counts(judgments.judge, len(judgments.judges))
    used = [
        ", ".join(f"{v:g}: {n:,}" for v, n in zip(values, row, strict=True) if n)
        for row in by_judge
    ]
    votes = counts(judgments.document, len(judgments.pool))[:, values >= 0]
    return [_agreement(votes.astype(float)), *_by_judge(judgments, used, at_least)]


def _agreement(counts: Floats) -> str:
    """Say how often two labels of a document agree. counts: labels as [document, grade]."""
    equal, alpha = pair_agreement(counts), krippendorff_alpha(counts)
    if np.isnan(equal):
        return "agreement: no document has two labels"
    shown = "undefined" if np.isnan(alpha) else f"{alpha:.3f}"
    return (
        f"agreement: {percent(equal)} of pairs of labels are equal; Krippendorff's alpha (nominal) "
        f"{shown}"
    )


def _soft_lines(judgments: Judgments, at_least: int) -> list[str]:
    """Return the mean label of each judge."""
    total = np.bincount(judgments.judge, judgments.label, len(judgments.judges))
    number = native.count_keys(judgments.judge, len(judgments.judges))
    return _by_judge(
        judgments,
        [f"mean {t / n:.3f}" if n else "" for t, n in zip(total, number.tolist(), strict=True)],
        at_least,
    )


def _by_judge(judgments: Judgments, used: list[str], at_least: int) -> list[str]:
    """Say how many labels each judge gave, how much of the pool they cover, and what they are.

    Of many judges, or those with at least so many labels, the one with the most comes first.
    """
    names = judgments.judges
    number = native.count_keys(judgments.judge, len(names))
    shown = np.arange(len(names))
    if at_least or len(names) > MOST_LISTED:
        shown = np.argsort(-number, kind="stable")
        shown = shown[number[shown] >= at_least][: None if at_least else MOST_LISTED]
    width = max((len(names[j]) for j in shown), default=0)
    lines = [
        f"  {names[j]:<{width}}  {plural(int(number[j]), 'label')} "
        f"({percent(number[j] / len(judgments.pool))} of documents)  {used[j]}"
        for j in shown.tolist()
    ]
    left = len(names) - len(shown)
    if left:
        most = int(np.delete(number, shown).max())
        lines.append(f"  and {plural(left, 'judge')} with {plural(most, 'label')} or fewer")
    return lines


def _run_facts(aligned: Alignment) -> list[str]:
    present = aligned.length[aligned.length >= 0]
    lists = f"{plural(len(present), 'list')} on judged topics"
    shortest, longest = int(present.min()), int(present.max())
    least = "" if shortest == longest else f"{shortest:,} to "
    return [
        f"runs: {plural(len(aligned.systems), 'system')} ({few(aligned.systems)}), {lists}, "
        f"{least}{plural(longest, 'document')} long",
        *_top_coverage(aligned),
        f"settings: ties {aligned.policy.ties}, scores in {aligned.policy.score_precision} "
        "precision",
    ]


def _top_coverage(aligned: Alignment) -> list[str]:
    """Say how much of the first ranks is labelled, over all systems and for the worst."""
    out = []
    for depth in (10, 100):
        ends = np.concatenate([[0], np.cumsum(aligned.rank <= depth)])
        labelled = (ends[aligned.stop] - ends[aligned.start]).reshape(aligned.shape).sum(axis=1)
        ranks = aligned.length.clip(0, depth).reshape(aligned.shape).sum(axis=1)
        share = labelled / np.maximum(ranks, 1)
        worst = int(share.argmin())
        all_systems = percent(labelled.sum() / max(ranks.sum(), 1))
        out.append(f"{all_systems} of the top {depth} ({aligned.systems[worst]} "
                   f"{percent(share[worst])})")  # fmt: skip
        if aligned.longest <= depth:
            break
    return [f"labelled documents of all systems, and of the least covered: {'; '.join(out)}"]
