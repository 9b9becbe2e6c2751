"""The predicted relevance model: what one group of people or LLMs would say, given what another
said, and what becomes of systems when they are scored by it (PRM)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from hungjury.base.errors import Argument, InputError
from hungjury.base.parameters import integer, measure_names, param
from hungjury.base.results import Cell, Table
from hungjury.judges.disagreement import PRM, SCORE_DRAWS
from hungjury.judges.families import family_names
from hungjury.judges.prm import prm
from hungjury.measures.evaluate import evaluate
from hungjury.stats.correlation import kendall, tau_ap
from hungjury.studies.data import GOLD, StudyData
from hungjury.studies.jobs import Job
from hungjury.studies.recipe import Recipe, Report, Studied

PARAMETERS = ("level", "p", "low", "high", "pairs")


class PredictedRelevance(Recipe, called="prm"):
    """P(relevant to one group | label of another), and systems scored by it."""

    paper: ClassVar[str] = "Demeester, Aly, Hiemstra, Nguyen and Develder 2015"
    needs: ClassVar[tuple[str, ...]] = ("systems", "gold", "judges")
    rel: int = param(1, kind=integer, low=1, doc="lowest grade that means relevant")
    families: str = param(
        "", kind=str, doc="families of judges, as in leaderboard; default: each judge alone"
    )
    measures: tuple[str, ...] = param(
        ("AP", "nDCG@10", "P@10"), kind=measure_names, doc="measures with a PRM version"
    )
    draws: int = param(SCORE_DRAWS, kind=integer, low=1, doc="draws of p for systems' intervals")

    def check(self, data: StudyData) -> None:
        super().check(data)
        if data.judgments.soft or data.gold.soft:
            raise InputError(
                "the study prm needs grades, but some labels are probabilities",
                code="needs-grades",
                remedy=("choose judges who give grades with", Argument("only", "PATTERN")),
            )

    def jobs(self, data: StudyData) -> list[Job]:
        judges = data.judgments.judges
        members: dict[str, list[str]] = {}
        for judge, family in zip(judges, family_names(judges, self.families or None), strict=True):
            members.setdefault(family, []).append(judge)
        more = {"rel": self.rel, "measures": list(self.measures), "draws": self.draws}
        return [Job(name, group_job, {"judges": who, **more}) for name, who in members.items()]

    def report(self, studied: Sequence[Studied]) -> Report:
        where = ("collection",) if len(studied) > 1 else ()
        parameters: list[list[Cell]] = []
        counts: list[list[Cell]] = []
        systems: list[list[Cell]] = []
        for one in studied:
            at: list[Cell] = [one.name] * len(where)
            for group, found in one.results.items():
                for direction in found["models"]:
                    who = [*at, *(group if name is None else name for name in direction["pair"])]
                    parameters += [[*who, *(row[n] for n in PARAMETERS)]
                                   for row in direction["rows"]]  # fmt: skip
                    counts.append([*who, *direction["relevant"]])
                systems += [[*at, group, *row] for row in found["systems"]]
        pair = (*where, "label of", "relevant to")
        return Report(
            {
                "parameters": Table(
                    (*pair, *PARAMETERS), parameters, digits=3,
                    caption="P(relevant) by level, with 95 % intervals over topics",
                ),
                "relevant-documents": Table(
                    (*pair, "binary", "expected", "ratio"), counts, digits=3,
                    caption="Relevant labels, and how many the others would find relevant",
                ),
                "systems": Table(
                    (*where, "users", "measure", "tau", "tau_ap", "widest interval"), systems,
                    digits=3,
                    caption="Systems by gold labels: measures with P(relevant to users | label) "
                    "against the same measures with binary labels",
                ),
            },
            remarks=[f"Grade {self.rel} and above is relevant, and pairs are labels of one "
                     "document. Intervals are those of p and, for systems, what they mean for a "
                     "system's mean; the widest of any system is shown."],
        )  # fmt: skip


def group_job(
    data: StudyData, seed: int, judges: list[str], rel: int, measures: list[str], draws: int
) -> dict[str, Any]:
    """A job: a group of judges and gold, each as the users of the other's labels.

    Names of groups are None for the judges, "gold" for gold.
    """
    labels = {GOLD: data.gold, **{judge: data.labels(judge) for judge in judges}}
    votes = {
        name: {t: {d: v for d, v in each.items() if v >= 0} for t, each in one.to_dict().items()}
        for name, one in labels.items()
    }
    top = max(one.max_grade for one in labels.values())

    def fit(assessors: str | list[str], users: str | list[str]) -> PRM:
        return prm(votes, rel, seed=seed, users=users, assessors=assessors, grades=range(top + 1))

    forth, back = fit(GOLD, judges), fit(judges, GOLD)
    scored = forth.score(data.gold, data.loaded_runs, measures, draws, seed)
    plain = evaluate(data.gold.at_least(rel).threshold(), data.loaded_runs, measures)
    order = [plain.systems.index(name) for name in scored.systems]
    means = plain.mean()[:, order]
    return {
        "models": [_model(forth, (GOLD, None)), _model(back, (None, GOLD))],
        "systems": [
            [
                name,
                float(kendall(mean, before)),
                float(tau_ap(mean, before)),
                float((high - low).max()),
            ]
            for name, before, mean, low, high in zip(
                measures, means, scored.mean, scored.low, scored.high, strict=True
            )
        ],
    }


def _model(model: PRM, pair: tuple[str | None, str | None]) -> dict[str, Any]:
    binary, expected = model.relevant_counts()
    ratio = expected / binary if binary else float("nan")
    return {"pair": list(pair), "rows": model.rows(), "relevant": [binary, expected, ratio]}
