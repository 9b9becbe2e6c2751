"""Markov precision against the measures of direct comparison (thesis, section 5.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, ClassVar

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import InputError
from hungjury.base.parameters import integer, measure_names, param, shares
from hungjury.base.results import Cell, Marked, Table
from hungjury.data.alignment import align
from hungjury.measures.catalogue import measure
from hungjury.measures.evaluate import score_list
from hungjury.studies.claims import RESAMPLES, Claim, Quantity, Resampling, beside_print, in_cases
from hungjury.studies.data import Facts, StudyData
from hungjury.studies.jobs import Job
from hungjury.studies.measure_comparison import complete_runs
from hungjury.studies.papers import published
from hungjury.studies.papers.label_sets import LabelRecipe, LabelSet, PrintedNumbers
from hungjury.studies.recipe import Drawing, Lines, Matrix, Report, Shown, Studied
from hungjury.users.chain import MODELS, user_walk

COMPARED = ("AP", "P@10", "Rprec", "Bpref", "RBP(p=0.8)")
HIGH, VERY_HIGH = 0.9, 0.97  # of tau, in the text
WALKS = tuple(model for model in MODELS if model != "constant")
WITH_RECALL = "@Rec(T)"
KEPT = (0.9, 0.7, 0.5, 0.3, 0.1)
STEPS = 10  # "for n = 10 we already have a reasonable approximation"
NEAR = 0.05  # total variation distance
KINDS = tuple(dict.fromkeys(model.rpartition("_")[0] for model in WALKS))


class Markov(LabelRecipe, called="markov"):
    """Compare rankings of systems by Markov precision and by other measures."""

    paper: ClassVar[str] = "Ferrante et al. 2014; thesis, Tables 5.1 to 5.4, Figures 5.5 and 5.6"
    needs: ClassVar[tuple[str, ...]] = ("systems", "gold")
    published: ClassVar[Mapping[str, Any]] = {"digits": 4}
    published_reading: ClassVar[Mapping[str, Any]] = {"score_precision": "single"}
    compared: tuple[str, ...] = param(
        COMPARED, kind=measure_names, doc="measures to compare with; Table 5.2 uses the first"
    )
    rel: int = param(1, kind=integer, low=1, doc="lowest relevant grade")
    digits: int | None = param(
        None, kind=integer, low=1, high=12,
        doc="decimals to which means are rounded before tau, and tau is cut; default: all",
    )  # fmt: skip
    lists: int = param(60, kind=integer, low=2, doc="random lists on which finite users walk")
    rates: tuple[float, ...] = param(KEPT, kind=shares, doc="shares of the pool that are kept")

    def check(self, data: StudyData) -> None:
        super().check(data)
        for whose in self.labels:
            complete = _complete(data, whose)
            if len(complete) < 2:
                raise InputError(
                    f"{len(complete)} of {len(data.sources.runs)} runs retrieve on every topic, "
                    "and it takes two to compare their order",
                    code="too-few-systems",
                    remedy="leave out topics that few runs have",
                )

    def measures(self, data: StudyData, whose: str) -> dict[str, str]:
        found = {name: str(self.relevant_from(measure(name), self.rel)) for name in self.compared}
        for model in WALKS:
            walk = measure("MP").but(model=model, rel=self.rel)
            found[f"MP {model}"] = str(walk)
            found[f"MP {model}{WITH_RECALL}"] = str(walk.but(rec=True))
        return found

    def label_jobs(self, data: StudyData, whose: str) -> list[Job]:
        systems = _complete(data, whose)
        part = {"labels": whose, "rel": self.rel, "systems": systems, "lists": self.lists}
        pools = self.pool_jobs(data, whose, digits=self.digits, systems=systems)
        return [*pools, Job(f"steps/{whose}", steps_job, part)]

    def report(self, studied: Sequence[Studied]) -> Report:
        sets = self.label_sets(studied)
        features = {one.title: one.facts(self.rel) for one in sets}
        names = {one: published.recognised("thesis 5.1", features[one.title]) for one in sets}
        known = {one: name for one, name in names.items() if name}
        printed = {
            name: _claims("correlation", "tau", printed_tau(name).tau)
            for name in published.numbers("thesis 5.1")
        }
        claims = in_cases({one.title: markov_claims(one) + steps_claims(one) for one in sets})
        rows = [[title, *_features(facts)] for title, facts in features.items()]
        return Report(
            {
                "table-5.1": Table(
                    ["labels", *FEATURES], rows, digits=2, caption="Table 5.1: main features"
                ),
                **self._correlations(sets),
                "table-5.4": _timed_table(),
                **published_tables(known, features),
                "figure-5.5": self._rates(
                    sets, "level", "mean score", "5.5: performance over all topics and runs"
                ),
                "figure-5.6": self._rates(
                    sets, "tau", "Kendall's τ", "5.6: Kendall's tau with the whole pool"
                ),
                "finite-users": steps_table(sets),
            },
            [
                *(
                    f"{one.title}: {len(_complete(one.data, one.whose))} of "
                    f"{len(one.data.sources.runs)} runs retrieve on every one of the "
                    f"{len(one.labels.topics)} topics; only these are used, "
                    f"as in the paper. Stars: above {HIGH} *, above {VERY_HIGH} **."
                    for one in sets
                ),
                *(_remark(one, name) for one, name in known.items()),
            ],
            beside_print(claims, printed, "thesis"),
        )

    def _correlations(self, sets: Sequence[LabelSet]) -> Shown:
        """Table 5.2, and Table 5.3, also as a picture."""
        place, others = sets[0].place, list(self.compared)
        walks = [label for label in place if label not in others]
        columns = [place[other] for other in others]
        tau = {one.title: np.asarray(one.result("correlation")["tau"])[:, columns] for one in sets}
        first: list[list[Cell]] = [
            [title, *(_starred(t, i == 0) for i, t in enumerate(values[place[others[0]]]))]
            for title, values in tau.items()
        ]
        rows: list[list[Cell]] = [
            [label, *(_starred(t) for values in tau.values() for t in values[place[label]])]
            for label in walks
        ]
        panels = [
            Matrix(title, walks, others, values[[place[label] for label in walks]])
            for title, values in tau.items()
        ]
        title = f"Table 5.2: Kendall's tau of {others[0]} with the others"
        more = "Table 5.3: Kendall's tau of Markov precision with the others"
        numbers = Table(["", *self.headings(sets, others)], rows, caption=more)
        return {
            "table-5.2": Table(["", *others], first, caption=title),
            "table-5.3": Drawing(more, "draw_matrices", (panels, len(panels)), numbers),
        }

    def _rates(self, sets: Sequence[LabelSet], what: str, ylabel: str, title: str) -> Drawing:
        """A figure at pool reduction rates: a panel for each kind of walk, with both distances, and
        the measures compared in all."""
        mean = {one.title: one.pool_lines(what) for one in sets}
        lines: dict[tuple[str, ...], Floats] = {
            (one.title, label): mean[one.title][i] for one in sets for label, i in one.place.items()
        }
        panels = []
        for labels, kind in product(mean, KINDS):
            series = {name: lines[labels, name] for name in self.compared}
            for label in models(start=kind) + models(start=kind, recall=True):
                series[label.replace(f"{kind}_", "")] = lines[labels, label]
            panels.append(Lines(f"{labels}, MP {kind}", series))
        title = f"Figure {title} at pool reduction rates"
        return self.over_rates(title, lines, ("labels", "measure"), ylabel, len(KINDS), panels)


def _complete(data: StudyData, whose: str) -> list[str]:
    """The runs that retrieve something on every topic."""
    return complete_runs(data.labels(whose), data.loaded_runs).names


def _starred(tau: float, itself: bool = False) -> Marked:
    stars = "" if itself else "**" if tau > VERY_HIGH else "*" if tau > HIGH else ""
    return Marked(float(tau), stars)


def _timed_table() -> Table:
    """Table 5.4: the same lists in discrete and in continuous time, and as printed."""
    rows: list[list[Cell]] = []
    for run, (*rates, disc, cont) in published.numbers("thesis 5.4").items():
        labels = list(map(int, run))
        discrete = score_list("MP(model=GL_AD_ID)", labels)
        continuous = score_list(measure("MP").but(rates=rates), labels)
        rows.append([run, *rates, discrete, continuous, disc, cont])
    header = ["run", *(f"mu {rank}" for rank in range(1, 11)), "discrete", "continuous",
              "discrete, published", "continuous, published"]  # fmt: skip
    title = "Markov precision GL_AD_ID in discrete and continuous time, rates as printed"
    return Table(header, rows, caption=title)


# What the thesis calls the measures of Tables 5.2 and 5.3, here with its parameters.
PRINTED_AS = {"AP": "AP", "P@10": "P@10", "Rprec": "Rprec", "bpref": "Bpref", "RBP": "RBP(p=0.8)"}
FEATURES = ("topics", "runs", "min relevant", "mean relevant", "max relevant")  # of Table 5.1


def _features(facts: Facts) -> list[Cell]:
    """A row of Table 5.1."""
    return [getattr(facts, name) for name in published.FACTS["thesis 5.1"]]


def published_tables(
    known: Mapping[LabelSet, str], features: Mapping[str, Facts]
) -> dict[str, Table]:
    """Tables 5.1 to 5.3 with the printed numbers, and their misprints, for labels that are the
    thesis'; nothing where there are none."""
    facts: list[list[Cell]] = [
        [name, feature, "", value, printed, "", None]
        for one, name in known.items()
        for feature, value, printed in zip(
            FEATURES, _features(features[one.title]), published.numbers("thesis 5.1")[name],
            strict=True,
        )
    ]  # fmt: skip
    taus: list[list[Cell]] = [
        [name, row, column, one.correlation(row, PRINTED_AS[column]), cell.value, cell.misprint,
         cell.recovered]
        for one, name in known.items()
        for (row, column), cell in published.thesis_tau(name).items()
    ]  # fmt: skip
    tables: dict[str, Table] = {}
    for number, title, digits, rows in (
        ("5.1", "main features", 2, facts),
        ("5.2", "Kendall's tau of AP with the others", 4, [r for r in taus if r[1] == "AP"]),
        ("5.3", "Kendall's tau of Markov precision with the others", 4,
         [r for r in taus if r[1] != "AP"]),
    ):  # fmt: skip
        title = f"thesis, p. {published.PAGES[number]}: {title}"
        heads, more = ("collection", "", "with"), ("misprint", "recovered")
        tables |= published.beside(f"table-{number}", heads, rows, title, digits, more)
    wrong = [row for row in published.rows_of("thesis misprints") if row[1] in known.values()]
    header = ["table", "collection", "row", "columns", "wrong", "evidence"]
    title = "Misprints in the thesis' tables"
    return tables | ({"misprints": Table(header, wrong, caption=title)} if known else {})


def _remark(one: LabelSet, name: str) -> str:
    """Say which collection of the thesis it is, how many numbers of Tables 5.2 and 5.3 are those
    printed, in rows that are not misprinted, and what the misprinted ones should be."""
    text = (
        f"{one.title} is {name} of the thesis, by its numbers of topics, runs and relevant "
        f"documents (Table 5.1, p. {published.PAGES['5.1']}). Tables with 'published' contain the "
        "printed numbers. Figures 5.5 and 5.6 are printed without numbers."
    )
    printed = published.thesis_tau(name)
    wrong = sorted({row for (row, _), cell in printed.items() if cell.misprint})
    pairs = [(row, column) for row, column in printed if row != column]  # AP with itself
    found = {pair: one.correlation(pair[0], PRINTED_AS[pair[1]]) for pair in pairs}
    taus = {pair: tau for pair, tau in found.items() if not np.isnan(tau)}
    right = {key: tau for key, tau in taus.items() if key[0] not in wrong}
    others = [
        f"{row} with {column} is {tau:.4f} and printed {printed[row, column].value:.4f}"
        for (row, column), tau in right.items()
        if f"{tau:.4f}" != f"{printed[row, column].value:.4f}"
    ]
    if not right:
        return text
    text += (
        f" Of the {len(right)} numbers in rows of Tables 5.2 and 5.3 that are not misprinted, "
        f"{len(right) - len(others)} are the same to the fourth digit"
    )
    text += "; ".join(["", *others]) + "."
    for row in wrong:
        reads = ", ".join(f"{name} {tau:.4f}" for (mine, name), tau in taus.items() if mine == row)
        text += f" The misprinted row {row} reads {reads}."
    return text


def markov_claims(found: LabelSet) -> list[Claim]:
    """All claims that the study's measures and rates allow."""
    if not set(COMPARED) <= set(found.place):
        return []
    claims = _claims("correlation", "tau", found.tau)
    if {0.5, 0.3, 0.1} <= set(found.rates):
        claims += _claims("scores", "kept", partial(found.robust, what="kept"))
        claims += _claims("robustness", "robust", found.robust)
    return claims


def models(*, recall: bool = False, start: str = "", end: str = "") -> list[str]:
    """Labels of the models whose name begins and ends so."""
    suffix = WITH_RECALL if recall else ""
    return [f"MP {one}{suffix}" for one in WALKS if one.startswith(start) and one.endswith(end)]


def printed_tau(collection: str) -> PrintedNumbers:
    """Tables 5.2 and 5.3 of a collection of the thesis, misprints corrected or left out."""
    cells = {
        (row, PRINTED_AS[column]): cell.recovered if cell.misprint else cell.value
        for (row, column), cell in published.thesis_tau(collection).items()
    }
    return PrintedNumbers({key: value for key, value in cells.items() if value is not None})


def _claims(part: str, name: str, value: Callable[..., Quantity]) -> list[Claim]:
    """The claims of a part on values by measures, which are called so."""

    def of_models(recall: bool) -> Callable[..., list[Quantity]]:
        return lambda where, start="", end="": [
            value(one, where) for one in models(recall=recall, start=start, end=end)
        ]

    names = {name: value, "models": of_models(recall=False), "recalled": of_models(recall=True)}
    return published.claims(f"markov: {part}", **names)


def steps_job(
    data: StudyData, seed: int, labels: str, rel: int, systems: Sequence[str], lists: int
) -> dict[str, Floats]:
    """A job: users after 10 moves between relevant documents, on random lists with at least two of
    them. By model, [number, list]: total variation distance from the long run, precision then and
    in the long run, and mixing time (NaN for walks that never mix)."""
    qrels = data.labels(labels)
    assert qrels.labels is not None
    aligned = align(data.loaded_runs, qrels.pool)
    hits, topics = qrels.labels[aligned.document] >= rel, np.arange(len(qrels.topics))
    cells = [aligned.systems.index(system) * len(topics) + topics for system in systems]
    found: dict[str, list[list[float]]] = {model: [] for model in MODELS}
    for cell in np.random.default_rng(seed).permutation(np.concatenate(cells)):
        part = slice(aligned.start[cell], aligned.stop[cell])
        ranks = aligned.rank[part][hits[part]].tolist()
        if len(ranks) < 2 or len(found[MODELS[0]]) == lists:
            continue
        for model, rows in found.items():
            walk = user_walk(model, ranks, int(aligned.length[cell]))
            mixed = walk.mixing_time(NEAR)
            precision = walk.mean_precision(STEPS), walk.mean_precision()
            rows.append([walk.distance(STEPS), *precision, np.nan if mixed is None else mixed])
    return {model: np.array(rows).T for model, rows in found.items()}


def steps_table(sets: Sequence[LabelSet]) -> Table:
    """A row for each set of labels and model."""
    rows: list[list[Cell]] = []
    for one in sets:
        for model, (far, then, ever, mixed) in one.result("steps").items():
            never = np.isnan(mixed)
            median = None if never.all() else float(np.median(mixed[~never]))
            numbers = far.mean(), far.max(), np.mean(np.abs(then - ever) / ever)
            rows.append([one.title, model, *map(float, numbers), median, float(never.mean())])
    header = ("labels", "model", "distance", "largest", "precision off by", "mixing time", "never")
    title = (
        f"Users after {STEPS} moves between relevant documents, from the first one: total "
        "variation distance from the long run (mean and largest over lists), relative error of the "
        f"mean precision, median number of moves until the distance is {NEAR:g} from any start, "
        "and the share of lists where it never is"
    )
    return Table(header, rows, digits=3, caption=title)


def steps_claims(found: LabelSet) -> list[Claim]:
    """The remark, for every model."""
    claims = []
    for model, (far, *_) in found.result("steps").items():
        mean = float(far.mean())
        distance = Quantity(mean, mean + Resampling(RESAMPLES).units(far, "lists"), "lists")
        text = f"After {STEPS} moves users of {model} are near the long run"
        claims.append(Claim(text, f"{NEAR:g} - total variation distance", NEAR - distance))
    return claims
