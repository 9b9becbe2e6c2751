"""λ-MART and nMCG-MART side by side, over folds and data sets (TH 5.6.2, Table 5.5)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hungjury.base.arrays import Floats, Ints
from hungjury.base.choices import Objective
from hungjury.base.errors import InputError, Note, plural
from hungjury.base.options import takes
from hungjury.base.records import Record
from hungjury.base.results import Cell, Marked, Plot, Result, Table, text_page
from hungjury.base.text import columns
from hungjury.data.runs import Progress
from hungjury.ltr.letor import Fold, FoldsLike, read_fold
from hungjury.ltr.objective import LAMBDARANK, NDCG, NMCG, Goal, class_shares
from hungjury.ltr.options import FEATURES, GOAL, split_options
from hungjury.ltr.train import boost, parameters_with, user_notes
from hungjury.stats.paired import randomisation_test, t_interval
from hungjury.studies.papers import published
from hungjury.users.model import user_model

ALGORITHMS = {
    LAMBDARANK: "λ-MART", NMCG: "nMCG-MART", NDCG: "nDCG, same loops", "xgap": "xGAP-MART",
    "egap": "eGAP-MART",
}  # fmt: skip
ALL = "all"
PRINTED = ("100", "500", ALL)  # sizes in Table 5.5
LEVELS = ((0.01, "**"), (0.05, "*"))


class RankerComparison(Record, Result, eq=False):
    """Test scores of rankers by objective, measure and number of trees.

    The first objective is the baseline. `means` are the figures of the table, `rows` adds the
    difference from the baseline with its 95 % interval over test queries, and `p` is the p-value of
    a paired randomisation test (* below 0.05, ** below 0.01, not corrected for the number of
    comparisons). `curves` has the mean after every tree.
    """

    objectives: tuple[Objective, ...]
    measures: tuple[str, ...]
    sizes: tuple[str, ...]  # numbers of trees, and "all": the number best on validation data
    values: Floats  # [objective, measure, size, query]: the test queries of all folds
    fold_of: Ints  # [query]
    trees: Ints  # [objective, fold]: how many "all" are
    p: Floats  # [objective, measure, size]: randomisation test against the first objective
    curves: Floats  # [objective, measure, tree]: after each tree, mean over the folds' test data
    shares: Floats  # [fold]: of navigational queries among those trained on
    without: tuple[str, ...] = ()  # [objective]: features it was trained without
    size: tuple[int, int] = (0, 0)  # of the data: queries and features
    notes: tuple[Note, ...] = ()

    @property
    def algorithms(self) -> list[str]:
        """Names of the objectives in tables."""
        left_out = self.without or ("",) * len(self.objectives)
        return [
            ALGORITHMS[one] + (f", without {numbers}" if numbers else "")
            for one, numbers in zip(self.objectives, left_out, strict=True)
        ]

    @property
    def folds(self) -> int:
        return len(self.shares)

    def means(self) -> Floats:
        """Return [objective, measure, size]: the mean over folds of means over test queries."""
        each = [self.values[..., self.fold_of == f].mean(axis=-1) for f in range(self.folds)]
        return np.asarray(np.mean(each, axis=0))

    def rows(self) -> list[dict[str, Any]]:
        """One for each algorithm, measure and size; the difference from the first algorithm with
        its 95 % interval over test queries."""
        means = self.means()
        low, high = map(np.asarray, t_interval(self.values - self.values[:1]))
        return [
            {
                "algorithm": algorithm,
                "measure": measure,
                "trees": size,
                "mean": float(means[o, m, s]),
                "difference": float(means[o, m, s] - means[0, m, s]),
                "low": float(low[o, m, s]),
                "high": float(high[o, m, s]),
                "p": float(self.p[o, m, s]),
            }
            for o, algorithm in enumerate(self.algorithms)
            for m, measure in enumerate(self.measures)
            for s, size in enumerate(self.sizes)
        ]

    def to_text(self, digits: int = 4) -> str:
        """A table like the thesis' 5.5, then how many trees "all" are."""
        lines: list[str] = []
        shown = [[_shown(cell, digits) for cell in row] for row in self.table().rows]
        for measure in self.measures:
            rows = [row[1:] for row in shown if row[0] == measure]
            lines += [columns([[measure, *(f"{size}  " for size in self.sizes)], *rows]), ""]
        return "\n".join([*lines, *self.remarks()])

    def remarks(self) -> list[str]:
        """Describe the test, how many trees "all" are, and which queries were navigational."""
        lines = [
            f"{len(self.fold_of):,} test queries, {self.folds} fold{'s' * (self.folds > 1)}; "
            f"* p < 0.05, ** p < 0.01 against {self.algorithms[0]}, paired "
            "randomisation test"
        ]
        for algorithm, trees in zip(self.algorithms, self.trees.tolist(), strict=True):
            chosen = ", ".join(map(str, trees))
            lines.append(f'trees in "all", by fold: {algorithm} {chosen}')
        shown = ", ".join(f"{share:.1%}" for share in self.shares)
        return [*lines, f"navigational queries trained on, by fold: {shown}"]

    def table(self) -> Table:
        """A row for each measure and algorithm, a column for each size, marks as in the thesis;
        below them what the thesis prints about this data set, if it does."""
        means = self.means()
        rows: list[list[Cell]] = []
        for m, measure in enumerate(self.measures):
            for o, algorithm in enumerate(self.algorithms):
                pairs = zip(means[o, m], self.p[o, m], strict=True)
                cells = (Marked(float(mean), _mark(p)) for mean, p in pairs)
                rows.append([measure, algorithm, *cells])
            rows += [[measure, *row] for row in self._printed(measure)]
        return Table(["measure", "algorithm", *self.sizes], rows)

    def _printed(self, measure: str) -> list[list[Cell]]:
        """The rows of the thesis' Table 5.5 on a measure of this data set."""
        known = published.numbers("ranking data")
        mine = next((name for name, size in known.items() if size == self.size), None)
        rows: list[list[Cell]] = []
        for name, family, algorithm, *cells in published.rows_of("thesis 5.5"):
            if name == mine and measure.startswith(family) and measure.endswith("@10"):
                at = dict(zip(PRINTED, cells, strict=True))
                found = (at.get(size, "-") for size in self.sizes)
                rows.append([f"{algorithm}, printed", *map(_as_printed, found)])
        return rows


def _as_printed(cell: str) -> Cell:
    number = cell.rstrip("*")
    return None if number == "-" else Marked(float(number), cell[len(number) :])


def _shown(cell: Cell, digits: int) -> str:
    if isinstance(cell, Marked):
        return f"{cell.value:.{digits}f}{cell.mark:<2}"
    return "-  " if cell is None else str(cell)


def _mark(p: float) -> str:
    return next((mark for level, mark in LEVELS if p < level), "")


@takes(GOAL | FEATURES, "lightgbm_parameters")
def compare_rankers(
    folds: FoldsLike,
    *,
    sizes: Sequence[int] = (100, 500),
    objectives: Sequence[Objective] = (LAMBDARANK, NMCG),
    without: str | Sequence[int] | None = None,
    samples: int = 10_000,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> RankerComparison:
    """Train each objective on every fold and score it on the fold's test queries.

    Use it to see whether training for users (nMCG-MART) pays on your data, and what it costs in
    nDCG. Each ranker is scored by nDCG and by nMCG: expect each to win by the measure it was
    trained for. The test treats queries as a sample; folds that share training data make its
    p-values somewhat optimistic.

    Parameters
    ----------
    folds : list
        Folders with train, vali and test files, or (train, validation, test) data as `make_folds`
        gives them.
    sizes : sequence of int
        Also score with only this many trees; sizes beyond the number of trees are left out, with a
        note. ``"all"`` is the number of trees that is best on the validation data.
    objectives : sequence of str
        Objectives of `hungjury.train_ranker`; the first is the baseline.
    without : str or list of int, optional
        Train each objective also without these features, to see what they are worth: those learnt
        from users, say.
    samples : int
        Random signs of the paired randomisation test.
    seed : int
        Random seed of LightGBM and of the test.
    progress : callable, optional
        Called as ``progress(done, total, what)``.
    {options}
    **lightgbm_parameters
        Anything LightGBM takes.

    Returns
    -------
    RankerComparison
        nDCG@cutoff (gains 2^grade - 1) and nMCG@cutoff by objective and size. Queries without a
        relevant document count as 0.

    Examples
    --------
    Two objectives on three folds of random data, with 2 and with all trees:

    >>> import numpy as np
    >>> import hungjury as hj
    >>> rng = np.random.default_rng(0)
    >>> data = hj.ltr.ranking_data(rng.random((90, 3)), rng.integers(0, 4, 90), [10] * 9)
    >>> found = hj.ltr.compare_rankers(
    ...     hj.ltr.make_folds(data, 3), nav_rel=2, sizes=[2], num_iterations=4, min_data_in_leaf=5
    ... )
    >>> found.objectives, found.sizes, found.means().shape
    (('lambdarank', 'nmcg'), ('2', 'all'), (2, 2, 2))
    """
    wanted, features, parameters = split_options(options)
    wanted["user"] = user_model(wanted["user"])
    goals = [Goal.of(name, **wanted) for name in objectives]
    if len(set(objectives)) < len(goals) or not goals:
        said = f"invalid objectives {objectives}"
        remedy = "name each objective once"
        raise InputError(said, code="repeated-objective", argument="objectives", remedy=remedy)
    measured = [Goal.of(name, **wanted) for name in (NDCG, NMCG)]
    parts = [_using(fold, **features) for fold in _folds(folds)]
    less = [] if without is None else [_using(fold, drop=without) for fold in parts]
    left_out = without if isinstance(without, str) else ",".join(map(str, without or ()))
    variants = [(goal, each) for goal in goals for each in (parts, less) if each]
    settings = parameters_with({"seed": seed, **parameters}, False, objectives)
    all_trainings = len(variants) * len(parts)
    tried = [
        [
            _trained(goal, fold, measured, settings, sizes, _share(progress, done, all_trainings))
            for done, fold in enumerate(each, v * len(parts))
        ]
        for v, (goal, each) in enumerate(variants)
    ]
    values = np.stack([np.concatenate([v for v, _, _ in row], axis=-1) for row in tried])
    curves = np.array([np.mean([c for _, _, c in row], axis=0) for row in tried])
    tested = [len(fold[2].queries) for fold in parts]
    trees = curves.shape[-1]
    beyond = tuple(str(size) for size in sizes if size > trees)
    text = f"rankers have {plural(trees, 'tree')}; left out sizes"
    too_large = Note("size", len(beyond), text, subjects=beyond, about="result")
    about_users = {str(n): n for fold in parts for n in user_notes(measured[1], fold[0])}
    return RankerComparison(
        objectives=tuple(goal.name for goal, _ in variants),
        without=tuple(left_out if each is less else "" for _, each in variants),
        size=(sum(len(part.queries) for part in parts[0]), parts[0][0].features.shape[1]),
        measures=tuple(str(goal) for goal in measured),
        sizes=(*(str(size) for size in sizes if size <= trees), ALL),
        values=values,
        fold_of=np.repeat(np.arange(len(parts)), tested),
        trees=np.array([[best for _, best, _ in row] for row in tried]),
        p=np.asarray(randomisation_test(values - values[:1], samples, seed)),
        curves=curves,
        shares=np.array(
            [class_shares(f[0].labels, f[0].offsets, wanted["nav_rel"]).mean() for f in parts]
        ),
        notes=(
            *(note for fold in parts for data in fold for note in data.notes),
            *about_users.values(),  # folds mostly have the same ones
            *[too_large] * bool(beyond),
        ),
    )


def _folds(given: FoldsLike) -> list[Fold]:
    if isinstance(given, (str, os.PathLike)):
        given = [given]
    found = [read_fold(one) if isinstance(one, (str, os.PathLike)) else one for one in given]
    if not found:
        raise InputError(
            "no folds were given", code="no-folds", argument="folds", remedy="give at least one"
        )
    return found


def _using(fold: Fold, **chosen: Any) -> Fold:
    """The fold with only some features."""
    train, valid, test = (part.using(**chosen) for part in fold)
    return train, valid, test


def _share(progress: Progress | None, done: int, trainings: int) -> Progress | None:
    """Report the progress of one training as a part of all."""
    if progress is None:
        return None

    def step(tree: int, trees: int, what: str) -> None:
        progress(done * trees + tree, trainings * trees, f"{what} {done + 1} of {trainings}")

    return step


def _trained(
    goal: Goal,
    fold: Fold,
    measured: list[Goal],
    settings: dict[str, Any],
    sizes: Sequence[int],
    progress: Progress | None,
) -> tuple[Floats, int, Floats]:
    """Train one ranker on one fold.

    Return the values on its test queries, [measure, size, query], the best number of trees, and the
    mean after every tree, [measure, tree].
    """
    train, valid, test = fold
    seen = [("valid", valid), ("test", test)]
    booster, history = boost(goal, train, seen, measured, settings, progress)
    best = int(np.argmax(history[f"valid {goal}"])) + 1
    curves = np.array([history[f"test {m}"] for m in measured])
    kept = [size for size in sizes if size <= curves.shape[1]]
    looked = [m.queries(test.labels, test.offsets) for m in measured]
    values = np.empty((len(measured), len(kept) + 1, len(test.queries)))
    for s, trees in enumerate([*kept, best]):
        scores = np.asarray(booster.predict(test.features, num_iteration=trees), dtype=float)
        values[:, s] = [queries.values(scores) for queries in looked]
    return values, best, curves


CAPTION = "Rankers on several data sets by number of trees; * p < 0.05, ** p < 0.01 against {}"


class DataSetComparison(Record, Result, eq=False):
    """The comparison on each data set, by name."""

    found: Mapping[str, RankerComparison]

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(note for one in self.found.values() for note in one.notes)

    def table(self) -> Table:
        """Measures and algorithms below each other, sizes of all data sets side by side."""
        tables = {name: one.table() for name, one in self.found.items()}
        rows: dict[tuple[Cell, ...], list[Cell]] = {
            tuple(row[:2]): list(row[:2]) for one in tables.values() for row in one.rows
        }
        for one in tables.values():
            mine = {tuple(row[:2]): row[2:] for row in one.rows}
            for key, row in rows.items():
                row += mine.get(key, [None] * (len(one.columns) - 2))
        heads = [f"{name} {size}" for name, one in tables.items() for size in one.columns[2:]]
        caption = CAPTION.format(next(iter(self.found.values())).algorithms[0])
        return Table(["measure", "algorithm", *heads], list(rows.values()), caption=caption)

    def rows(self) -> list[dict[str, Any]]:
        """One for each data set, algorithm, measure and size."""
        return [{"data": name, **row} for name, one in self.found.items() for row in one.rows()]

    def plot(self) -> Plot:
        """Draw learning curves on the test data: a row of panels for each data set."""
        return self._drawn("users.draw_comparisons")

    def to_text(self) -> str:
        """Write the table, then what was tested on each data set."""
        each = [f"{name}: {line}" for name, one in self.found.items() for line in one.remarks()]
        return text_page(self.table(), *each)


def compare_data_sets(sets: Mapping[str, FoldsLike], **how: Any) -> DataSetComparison:
    """Compare rankers on several data sets.

    The same comparison as `compare_rankers` on each of them, in one table.

    Parameters
    ----------
    sets : mapping
        By name: the folds of a data set, as `compare_rankers` takes them.
    **how
        The other arguments of `compare_rankers`, the same for all.

    Returns
    -------
    DataSetComparison
        The comparison on each data set, and a table of all of them.
    """
    if not sets:
        said = "no data sets were given"
        remedy = "give the folds of at least one, by name"
        raise InputError(said, code="no-data-sets", argument="sets", remedy=remedy)
    return DataSetComparison({name: compare_rankers(folds, **how) for name, folds in sets.items()})
