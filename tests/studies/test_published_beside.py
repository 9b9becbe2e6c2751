"""Collections of the papers: recognised by their facts, with printed beside measured numbers."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.data.alignment import align
from hungjury.studies.data import (
    Facts,
    Sources,
    collection_facts,
    judged_depths,
    read_collections,
    study_data,
)
from hungjury.studies.engines import Engine
from hungjury.studies.papers import graded_claims as graded_beside
from hungjury.studies.papers import relevance_claims as relevance_beside
from hungjury.studies.published import panels, recognised
from hungjury.studies.published.measures import relevance_recognised
from hungjury.studies.study import Study, run_study

ALONE = Engine("local", 1)
TREC_8 = Facts(50, 129, 129, 1000, 100, 73, 2, 6, 94.56, 347)
NEAR = 0.001  # measured and printed

# facts


def test_facts_by_loops() -> None:
    made = hj.simulate(systems=5, topics=4, documents=60, depth=12, grades=3, seed=4)
    gold = made.gold
    lists = align(made.runs, gold.pool)
    found = collection_facts(gold, lists, rel=2)
    judged = {t: set() for t in gold.topics}
    relevant = dict.fromkeys(gold.topics, 0)
    for topic, documents in gold.to_dict().items():
        for document, grade in documents.items():
            judged[topic].add(document)
            relevant[topic] += grade >= 2
    depths = []
    for system in lists.systems:
        depth = lists.longest
        for topic, documents in made.runs.to_dict()[system].items():
            ranked = sorted(documents, key=lambda d, s=documents: (-s[d], d))
            gaps = [i for i, d in enumerate(ranked) if d not in judged[topic]]
            depth = min(depth, gaps[0] if gaps else lists.longest)
        depths.append(depth)
    assert judged_depths(lists).tolist() == depths
    assert (found.topics, found.runs, found.complete) == (4, 5, 5)
    assert (found.least, found.most) == (min(relevant.values()), max(relevant.values()))
    assert found.mean == pytest.approx(np.mean(list(relevant.values())))


def test_pool_depth_of_a_pool_that_is_known() -> None:
    """Pooled to rank 4: three runs; not pooled: two; judged to its end: a short one."""
    documents = [f"d{i}" for i in range(40)]
    orders = {
        "a": documents[:8], "b": documents[8:16], "c": documents[16:24], "late": documents[32:],
        "lucky": [*documents[:2], *documents[24:30]], "short": documents[:3],
    }  # fmt: skip
    runs = {
        name: {"1": {d: float(-i) for i, d in enumerate(order)}} for name, order in orders.items()
    }
    pool = {d for name in "abc" for d in orders[name][:4]}
    qrels = hj.read_qrels({"1": {d: int(d in documents[:3]) for d in pool}})
    lists = align(hj.read_runs(runs), qrels.pool)
    depths = dict(zip(lists.systems, judged_depths(lists).tolist(), strict=True))
    assert depths == {"a": 4, "b": 4, "c": 4, "late": 0, "lucky": 2, "short": 8}
    found = collection_facts(qrels, lists)
    assert (found.length, found.depth, found.pooled, found.most) == (8, 4, 4, 3)


# recognised


def test_a_collection_is_recognised_by_its_facts() -> None:
    assert recognised(TREC_8) == "TREC 8"
    for other in (
        {"topics": 49}, {"complete": 128}, {"least": 7}, {"mean": 94.58}, {"most": 346},
    ):  # fmt: skip
        assert recognised(Facts(**{**vars(TREC_8), **other})) is None


def test_other_collections_have_no_published_numbers(tmp_path: Path) -> None:
    hj.simulate(systems=4, topics=3, documents=40, depth=9).write(tmp_path / "demo")
    sources = Sources.in_folder(tmp_path / "demo")
    study = run_study("markov(repetitions=1, rates=[0.5])", sources, tmp_path, engine=ALONE)
    names = [one.name for one in study.report.tables]
    assert names == ["table-5.1", "table-5.2", "table-5.3", "table-5.4", "figure-5.5", "figure-5.6"]


def test_a_collection_of_the_graded_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulated collection that is taken for TREC 10: printed numbers stand beside its own."""
    hj.simulate(systems=6, topics=4, documents=60, depth=20, grades=3, seed=3).write(tmp_path / "d")
    recipe = "graded-ap(repetitions=1, rates=[0.5])"
    sources = Sources.in_folder(tmp_path / "d", grades=range(3))
    plain = run_study(recipe, sources, tmp_path, engine=ALONE)
    assert [one.name for one in plain.report.tables] == ["table-1", "table-2", "figure-1"]
    monkeypatch.setattr(graded_beside, "graded_recognised", lambda facts: "TREC 10")
    study = run_study(recipe, sources, tmp_path, engine=ALONE)
    rows = table(study, "table-2-published")
    assert len(rows) == 11 * 3 * 5 * 2
    mine = {(r["g"], r[""]): r for r in table(study, "table-2")}
    for row in rows:
        head = {"bpref": "Bpref", "RBP": "RBP(p=0.8)", "nDCG": "nDCG(base=10)"}
        cell = mine[row["g"], row[""]][head.get(row["with"], row["with"])]
        value = cell.values[0 if row["topics"] == "all topics" else 1]
        if row["value"] is None:
            assert value != value
        else:
            assert row["value"] == value
            assert row["difference"] == pytest.approx(value - row["published"], abs=1e-12)
    g = next(r for r in rows if (r["g"], r[""], r["with"]) == ("(0.1, 0.9)", "xGAP", "AP"))
    assert (g["topics"], g["published"]) == ("all topics", 0.73)


def test_a_collection_of_the_paper_on_random_relevance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A simulated collection that is taken for T21: printed numbers stand beside its own."""
    hj.simulate(systems=6, topics=4, documents=60, depth=20, grades=4, seed=3).write(tmp_path / "d")
    recipe = "random-relevance(repetitions=1, rates=[0.5], samples=40, topic_samples=3)"
    sources = Sources.in_folder(tmp_path / "d", grades=range(4))
    plain = run_study(recipe, sources, tmp_path, engine=ALONE)
    assert "figure-3-published" not in [one.name for one in plain.report.tables]
    monkeypatch.setattr(relevance_beside, "relevance_recognised", lambda facts: "T21")
    study = run_study(recipe, sources, tmp_path, engine=ALONE)
    rows = {(r["measure"], r["case"], r[""]): r for r in table(study, "figure-3-published")}
    assert len(rows) == 13
    power = {(r["case"], r["measure"]): r["100%"] for r in table(study, "figure-3")}
    assert rows["eRAP-2", "medium", ""]["value"] == power["medium", "eRAP-2"]
    assert rows["eRAP-2", "medium", ""]["published"] == pytest.approx(0.6724)
    assert rows["ERR", "", ""]["value"] == power["hard", "ERR"]
    for name, which, chosen in (("GAP", "least", min), ("eRAP", "largest", max)):
        every = [value for (_, one), value in power.items() if one.startswith(name)]
        row = rows[name, "all", which]
        assert row["value"] == chosen(every)
        assert row["difference"] == pytest.approx(row["value"] - row["published"])
    assert len(set(power.values())) > 5


def test_random_relevance_s_collections_by_their_numbers() -> None:
    there = {"complete": 27, "depth": 20, "pooled": 20, "least": 1, "mean": 2.0, "most": 9}
    t21 = Facts(topics=50, runs=27, grades=4, length=10_000, **there)
    assert relevance_recognised(t21) == "T21"
    for other in ({"topics": 49}, {"runs": 28}, {"grades": 3}, {"length": 1000}):
        assert relevance_recognised(Facts(**{**vars(t21), **other})) is None


@pytest.mark.long
def test_judges_and_systems_of_the_papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulated judges that are taken for those of TREC 2012."""
    for name, seed in (("one", 1), ("other", 2)):
        made = hj.simulate(systems=4 + seed, topics=3, documents=40, depth=15, seed=seed)
        made.write(tmp_path / name)
    sources = read_collections([str(tmp_path / "one"), str(tmp_path / "other")])
    judges = len(study_data(sources[0]).judgments.judges)
    crowd = "crowd(tuples=2, resamples=20)"
    aware = "aware(sizes=[2, 3], tuples=2, replicates=2, resamples=20)"
    plain = run_study(crowd, sources, tmp_path, engine=ALONE)
    assert not [one.name for one in plain.report.tables if "published" in one.name]
    monkeypatch.setattr(panels, "SYSTEMS", {"T08": (judges, 3, 5), "T13": (judges, 3, 6)})
    study = run_study(crowd, sources, tmp_path, engine=ALONE)
    first, second = (table(study, f"table-{n}-published") for n in (1, 2))
    assert len(first) == 18 * 2
    row = next(r for r in first if (r["systems"], r["gold"], r["measure"], r[""])
               == ("T13", "RGS", "eRAP", "tau_ap"))  # fmt: skip
    assert row["published"] == 0.6056
    mine = [r for r in table(study, "table-1") if r["systems"] == "other" and r["gold"] == "RGS"]
    assert row["value"] == next(r for r in mine if "eRAP" in r["measure"])["mean tau_ap"]
    sizes = {r["M"] for r in second}
    assert len(second) == 42 * len(sizes)
    row = next(
        r for r in second if tuple(list(r.values())[:5]) == ("T08", "RGS", "QBINMV", "eRRBP", 3)
    )
    assert row["published"] == 0.6279
    assert row["difference"] == pytest.approx(row["value"] - row["published"], abs=1e-12)
    study = run_study(aware, sources, tmp_path, engine=ALONE)
    for number, sources_of_variance in (("4.1", 9), ("4.4", 11)):
        rows = table(study, f"table-{number}-published")
        assert len({r["Source"] for r in rows}) == sources_of_variance
        found = {r["Source"]: r for r in table(study, f"table-{number}")}
        for r in rows:
            assert r["value"] == found[r["Source"]][r[""]]
    assert sum("of the papers, by its numbers of judges" in r for r in study.report.remarks) == 2


@pytest.fixture(scope="module")
def trec8(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = shared_data / "trec8"
    if not folder.exists():
        pytest.skip(f"no TREC 8 at {folder}")
    out = tmp_path_factory.mktemp("trec8")
    sources = Sources.in_folder(folder)
    return run_study("markov(repetitions=1, rates=[0.1])", sources, out, engine=ALONE)


def table(study: Study, name: str) -> list[dict[str, Any]]:
    return list(next(one.table for one in study.report.tables if one.name == name))


@pytest.mark.long
def test_trec_8_beside_the_thesis(trec8: Study) -> None:
    assert any("gold is TREC 8 of the thesis" in remark for remark in trec8.report.remarks)
    assert [row["difference"] for row in table(trec8, "table-5.1-published")] == [0.0] * 5
    second, third = (table(trec8, f"table-{n}-published") for n in ("5.2", "5.3"))
    assert (len(second), len(third)) == (5, 80)
    for row in second + third:
        assert row["difference"] == pytest.approx(row["value"] - row["published"], abs=1e-12)
        if not row["misprint"]:
            assert abs(row["difference"]) < NEAR, row
    wrong = [row for row in third if row["misprint"]]
    assert {row[""] for row in wrong} == {"MP LO_OR_ID@Rec(T)"}
    assert all(abs(row["difference"]) > NEAR for row in wrong)


@pytest.mark.long
def test_the_misprinted_row_is_shifted(trec8: Study) -> None:
    rows = [r for r in table(trec8, "table-5.3-published") if r[""] == "MP LO_OR_ID@Rec(T)"]
    for row, following in pairwise(rows):
        assert row["value"] == pytest.approx(following["published"], abs=NEAR)
    (listed,) = table(trec8, "misprints")
    assert listed["row"] == "LO_OR_ID@Rec(T)"
