"""Users who make a few moves: how far they are from the long run (thesis, remark in 5.3.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.tables import Cell, Table
from hungjury.data.alignment import align
from hungjury.studies.claims import RESAMPLES, Claim, Quantity, Resampling
from hungjury.studies.data import StudyData
from hungjury.studies.papers.label_sets import ClaimData, LabelSet
from hungjury.users.chain import MODELS, user_walk

STEPS = 10  # "for n = 10 we already have a reasonable approximation"
NEAR = 0.05  # total variation distance


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


def steps_claims(found: ClaimData) -> list[Claim]:
    """The remark, for every model."""
    claims = []
    for model, (far, *_) in found.found.result("steps").items():
        mean = float(far.mean())
        distance = Quantity(mean, mean + Resampling(RESAMPLES).units(far, "lists"))
        text = f"After {STEPS} moves users of {model} are near the long run"
        measured = f"{NEAR:g} - total variation distance"
        claims.append(found.claim("lists", text, measured, NEAR - distance))
    return claims
