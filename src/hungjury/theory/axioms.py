"""Replacement and Swap, the two properties that make a score a measure of utility.

Replacement: a better document at one rank must not make the score worse. Swap: a better document
that changes places with a worse one above it must not either. Together they say that a measure
agrees with the partial order of lists (thesis, section 3.4, Theorem 1).

What holds for a rich pool may fail for a poor one (the Q-measure does), so all pools with up to
`length` documents of each grade are tried unless one is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING
from importlib.resources import files
from typing import Any, Literal

import numpy as np

from hungjury.base.errors import (
    Argument,
    HungjuryError,
    InputError,
    MeasureError,
    check_choice,
    plural,
)
from hungjury.base.parameters import MOST_GRADE, MOST_RANKS, MOST_SAMPLES, check_count
from hungjury.base.records import Record
from hungjury.base.results import Result, Table
from hungjury.measures.catalogue import CATALOGUE, Measure
from hungjury.measures.catalogue.user_models import MP, nMCG
from hungjury.theory.list_pairs import (
    ListScorer,
    MeasureLike,
    all_pairs,
    all_pools,
    is_small,
    plentiful_pool,
    random_pairs,
)
from hungjury.theory.ordering import interval_scale
from hungjury.users.model import UserModel, user_model

MOST_SHOWN = 12  # documents of the longest list that is printed

# Documents of pools, times samples, of the longest random check: about a minute.
MOST_DRAWN = 2_000_000_000

AXIOMS = ("replacement", "swap")


class Counterexample(Record):
    """A pair of lists whose score gets worse where the axiom forbids it."""

    axiom: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    value_before: float
    value_after: float
    pool: tuple[int, ...]  # documents of each grade

    def __str__(self) -> str:
        if len(self.before) <= MOST_SHOWN:
            first, second = str(self.before), str(self.after)
        else:
            first = f"a list of {len(self.before)} documents"
            second = "with " + " and ".join(
                f"{after} for {before} at rank {rank}"
                for rank, (before, after) in enumerate(zip(self.before, self.after, strict=True), 1)
                if before != after
            )
        low, high = _told_apart(self.value_before, self.value_after)
        return (
            f"{first} scores {low}, {second} scores {high} "
            f"(documents of each grade in the pool: {self.pool})"
        )


def _told_apart(one: float, other: float) -> tuple[str, str]:
    """Both numbers with four digits, or as many as it takes to see that they differ."""
    for digits in range(4, 17):
        texts = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts


class AxiomReport(Record, Result):
    """The result of a check; an axiom without counterexample is None."""

    measure: str
    length: int
    grades: int
    method: str  # "exhaustive" or "random"
    pools: int  # that were checked
    pairs: int  # compared: both values defined
    replacement: Counterexample | None
    swap: Counterexample | None
    proof: str = ""  # where both axioms are proved for all lists

    def verdict(self, axiom: str) -> str:
        """The counterexample, where the axiom is proved, or that it is not refuted."""
        check_choice("axiom", axiom, ("replacement", "swap"))
        found = getattr(self, axiom)
        if found is not None:
            return str(found)
        if self.proof:
            return f"proved ({self.proof})"
        return "not refuted: no counterexample among these lists"

    @property
    def refuted(self) -> bool:
        """True if an axiom has a counterexample."""
        return self.replacement is not None or self.swap is not None

    def _head(self) -> str:
        return (
            f"{self.measure}, lists of {self.length} with {self.grades} grades: "
            f"{plural(self.pairs, 'pair')} over {plural(self.pools, 'pool')}, {self.method}"
        )

    def table(self) -> Table:
        """Return a row for each axiom."""
        return Table(["axiom", "found"], [[axiom, self.verdict(axiom)] for axiom in AXIOMS])

    def _parts(self) -> list[str | Table]:
        return [self._head(), self.table()]

    def to_text(self) -> str:
        """Write what was checked, then a line for each axiom."""
        return "\n".join([self._head(), *(f"  {axiom}: {self.verdict(axiom)}" for axiom in AXIOMS)])


def check_axioms(
    measure: MeasureLike,
    length: int,
    grades: int = 2,
    *,
    pool: Sequence[int] | None = None,
    samples: int = 20_000,
    seed: int = 0,
) -> AxiomReport:
    """Look for lists on which a measure violates Replacement or Swap.

    A counterexample proves that the measure can reward a worse result. Without one, the measure is
    proved (`proof` says where) or only not refuted by the lists that were tried.

    Parameters
    ----------
    measure : str, Measure or callable
        A measure, or a function from a tuple of grades to a number.
    length : int
        Length of the lists.
    grades : int
        Number of grades, 0 included.
    pool : sequence of int, optional
        Labels of all judged documents, for both lists of every pair. Default: every pool with up to
        `length` documents of each grade.
    samples : int
        Random pairs per axiom, where there are too many to check all.
    seed : int
        Random seed.

    Returns
    -------
    AxiomReport
        A counterexample to each axiom, or none.

    Notes
    -----
    Small cases are checked completely; in larger ones finding no counterexample is not a proof.
    Pairs with an undefined value are not compared. Ferrante, Ferro and Maistro (2015).

    Examples
    --------
    >>> import hungjury as hj
    >>> report = hj.theory.check_axioms("AP", 3)
    >>> report.replacement is None and report.swap is None
    True
    """
    check_count("length", length, 1, MOST_RANKS)
    check_count("grades", grades, 2, MOST_GRADE + 1)
    check_count("samples", samples, 1, MOST_SAMPLES)
    scorer = ListScorer(measure)
    scorer.check(grades - 1)
    given = None if pool is None else _pool_counts(pool, length, grades)
    if scorer.measure is None and given is None:
        given = plentiful_pool(length, grades)  # a user's function does not see the pool
    if is_small(length, grades, given is None):
        pools_tried = all_pools(length, grades) if given is None else [given]
        method, search = "exhaustive", all_pairs(scorer, length, grades, pools_tried)
    else:
        documents = length * grades if given is None else sum(given)
        if documents * samples > MOST_DRAWN:  # it would take hours: each sample shuffles the pool
            raise InputError(
                f"lists of {length:,} with {grades:,} grades come from pools of up to "
                f"{documents:,} documents, too many for {samples:,} samples",
                code="too-much-work",
                argument="length",
                remedy=("lower", Argument("length"), "or", Argument("grades")),
            )
        rng = np.random.default_rng(seed)
        method, search = "random", random_pairs(scorer, length, grades, given, samples, rng)
    found: dict[str, Counterexample | None] = dict.fromkeys(AXIOMS)
    pools: set[tuple[int, ...]] = set()
    compared = 0
    for pairs in search:
        pools.add(pairs.pool)
        compared += pairs.compared()
        falling = pairs.falling(scorer.smaller_is_better)
        if found[pairs.axiom] is None and len(falling):
            found[pairs.axiom] = Counterexample(pairs.axiom, *pairs.at(falling[0]), pairs.pool)
        if None not in found.values():
            break
    return AxiomReport(
        measure=scorer.name,
        length=length,
        grades=grades,
        method=method,
        pools=len(pools),
        pairs=compared,
        **found,
        proof="" if scorer.measure is None else scorer.measure.proof,
    )


def _pool_counts(pool: Sequence[int], length: int, grades: int) -> tuple[int, ...]:
    labels = [check_count("a label of the pool", label, 0, MOST_GRADE) for label in pool]
    if len(labels) < length:
        said = f"the pool has {len(labels)} documents, the lists have {length}"
        remedy = "give the labels of all judged documents, or use a shorter length"
        raise InputError(said, code="pool-too-small", argument="pool", remedy=remedy)
    if max(labels) >= grades:
        raise InputError(
            f"the pool has a label {max(labels)}, but with {grades} grades the largest is "
            f"{grades - 1}",
            code="outside-grades",
            remedy=("use", Argument("grades", max(labels) + 1)),
        )
    return tuple(labels.count(grade) for grade in range(grades))


BINARY_LENGTH = 8  # binary lists up to this length are all checked
CUTOFF = 10  # of nMCG with given users
SCALE_LENGTH = 6  # of the lists on which steps are compared


class AxiomVerdict(Record):
    """The verdict on one axiom for one measure."""

    status: Literal["proved", "not refuted", "fails"]
    proof: str = ""  # where, if proved
    measure: str = ""  # the parameters that break it
    counterexample: Counterexample | None = None

    def __str__(self) -> str:
        found = self.counterexample
        if found is None:
            return self.status
        return (
            f"fails (`{self.measure}`): {found.before} {found.value_before:.4f} → {found.after} "
            f"{found.value_after:.4f}, pool {found.pool}"
        )


class AxiomRow(Record):
    """One measure: what was found with all parameters tried, or why nothing could be checked."""

    measure: str
    tried: tuple[str, ...] = ()  # measures, one for each choice of parameters
    reports: tuple[AxiomReport, ...] = ()
    proof: str = ""
    problem: str = ""
    scale: str = ""  # on binary ranked lists, see `interval_scale`

    def verdict(self, axiom: str) -> AxiomVerdict:
        """The verdict on "replacement" or "swap"."""
        for report in self.reports:
            found = getattr(report, axiom)
            if found is not None:
                return AxiomVerdict("fails", measure=report.measure, counterexample=found)
        return AxiomVerdict("proved", self.proof) if self.proof else AxiomVerdict("not refuted")


class AxiomTable(list[AxiomRow], Result):
    """A row per measure."""

    def table(self) -> Table:
        """Measures, and what is known about each axiom."""
        return Table(
            ["measure", *AXIOMS, "scale"],
            [[one.measure, *(one.problem or str(one.verdict(axiom)) for axiom in AXIOMS), one.scale]
             for one in self],
        )  # fmt: skip


def axiom_table(
    length: int = 5,
    grades: int = 3,
    binary_length: int = BINARY_LENGTH,
    user: str | UserModel | None = None,
) -> AxiomTable:
    """Search every measure of the catalogue for exceptions to Replacement and Swap.

    A row says "proved", "not refuted" (no exception among the lists that were checked, which is not
    a proof) or "fails" with the first exception found.

    Parameters
    ----------
    length, grades : int
        Lists of this length with this many grades are all checked, with default parameters.
    binary_length : int
        Binary lists of every length up to this one are all checked, with several parameters.
    user : str or UserModel, optional
        Also check nMCG and MP with these users, such as those calibrated on a click log.

    Returns
    -------
    AxiomTable
        A list with a row per measure, with default parameters where it has them.

    Examples
    --------
    >>> import hungjury as hj
    >>> [row.measure for row in hj.theory.axiom_table(length=2, binary_length=2)][:3]
    ['P@1', 'R', 'F1@1']
    """
    check_count("length", length, 1, MOST_RANKS)
    check_count("grades", grades, 2, MOST_GRADE + 1)
    check_count("binary_length", binary_length, 1, MOST_RANKS)
    rows = [_row(cls, length, grades, binary_length) for cls in CATALOGUE]
    if user is not None:
        users = user_model(user)
        for one in (nMCG(user=users, cutoff=min(users.ranks, CUTOFF)), MP(model=users)):
            reports = [check_axioms(one, n, 2) for n in range(2, binary_length + 1)]
            rows.append(_found(one, one, reports, binary_length))
    return AxiomTable(rows)


def _row(cls: type[Measure], length: int, grades: int, binary_length: int) -> AxiomRow:
    name = cls.name
    try:
        first = example_measure(cls, length, grades)
        name = str(first)
        reports = [check_axioms(first, length, grades)]
        binary = _examples(cls, binary_length)
        for one in binary:
            reports += [check_axioms(one, n, 2) for n in range(2, binary_length + 1)]
    except HungjuryError as problem:
        return AxiomRow(name, problem=problem.message)
    return _found(first, binary[0], reports, binary_length)


def _found(
    shown: Measure, binary: Measure, reports: Sequence[AxiomReport], binary_length: int
) -> AxiomRow:
    tried = tuple(dict.fromkeys(report.measure for report in reports))
    scale = interval_scale(binary, min(binary_length, SCALE_LENGTH)).scale
    return AxiomRow(str(shown), tried, tuple(reports), shown.proof, scale=scale)


def _examples(cls: type[Measure], length: int) -> list[Measure]:
    """The measure with its defaults, and with one parameter after the other changed."""
    base = example_measure(cls, length, grades=2)
    changes = list(cls.variants())
    for declared in cls.params():
        name, bounds = declared.name, declared.bounds
        default = getattr(base, name)
        if isinstance(default, bool):
            changes.append({name: not default})
        elif isinstance(default, float) and "low" in bounds and "high" in bounds:
            low, high = bounds["low"], bounds["high"]
            changes += [{name: low + share * (high - low)} for share in (0.1, 0.5, 0.9)]
        changes += [{name: word} for word in declared.choices]
    found = [base]
    for change in changes:
        try:
            found.append(base.but(**change))
        except HungjuryError:  # parameters that exclude each other
            continue
    return list(dict.fromkeys(found))


def example_measure(cls: type[Measure], length: int, grades: int) -> Measure:
    """A measure of this class; parameters without default are chosen to matter in short lists."""
    required: dict[str, Any] = {
        "cutoff": (length + 1) // 2,
        "recall": 0.5,
        "g": [1 / (grades - 1)] * (grades - 1),  # all thresholds alike
        "of": "AP",
    }
    # Without it, expected measures of certain labels are those they come from.
    graded = {"prob": [grade / (grades - 1) for grade in range(grades)]}
    values = {f.name: graded[f.name] for f in cls.params() if f.name in graded}
    for name in (f.name for f in cls.params() if f.default is MISSING):
        if name not in required:
            said = f"{cls.name} needs {name}"
            remedy = "check it alone, with check_axioms"
            raise MeasureError(said, code="missing-parameter", argument=name, remedy=remedy)
        values[name] = required[name]
    return cls(**values)


def axiom_markdown(
    length: int = 5,
    grades: int = 3,
    binary_length: int = BINARY_LENGTH,
    user: str | UserModel | None = None,
) -> str:
    """The table as a page of the documentation."""
    rows = axiom_table(length, grades, binary_length, user)
    page = files("hungjury.theory").joinpath("axioms.md").read_text(encoding="utf-8")
    lines = page.format(binary_length=binary_length, length=length, top=grades - 1).splitlines()
    for row in (row for row in rows if row.reports):
        cells = [f"`{row.measure}`", *(str(row.verdict(axiom)) for axiom in AXIOMS)]
        cells += [", ".join(f"`{name}`" for name in row.tried), row.scale]
        lines.append(f"| {' | '.join(cells)} |")
    proofs = dict.fromkeys((row.measure, row.proof) for row in rows if row.proof)
    lines += ["", "Proofs:", "", *(f"- `{measure}`: {where}" for measure, where in proofs)]
    unchecked = [row for row in rows if not row.reports]
    if unchecked:
        lines += ["", "Not checked:", ""]
        lines += [f"- `{row.measure}`: {row.problem}" for row in unchecked]
    return "\n".join(lines) + "\n"
