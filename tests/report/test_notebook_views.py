"""What results look like in a notebook: tables, pictures and frames."""

from __future__ import annotations

import csv
import io
import statistics
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.base.results import Table

SIM = hj.simulate(systems=4, topics=8, grades=3, seed=2)
RUNS = dict(reversed(SIM.runs.to_dict().items()))
SCORES = hj.evaluate(SIM.gold, RUNS, ["nDCG@10", "AP"])
BOARD = hj.leaderboard(SIM.judgments, SIM.runs, "nDCG@10", draws=100, outlook=False)
AGREEMENT = hj.agreement(SIM.judgments, SIM.runs, "nDCG@10")
GOLD = hj.agreement_with_gold(SIM.judgments, SIM.gold, rel=1)
VOTES = hj.merge(SIM.judgments, "mv")
RESULTS: dict[str, Any] = {
    "scores": SCORES,
    "leaderboard": BOARD,
    "comparison": hj.compare(SCORES),
    "comparison with a baseline": hj.compare(SCORES, baseline="system2"),
    "votes": VOTES,
    "probabilities": hj.merge(SIM.judgments, "em-neu", rel=1),
    "probabilities of grades": hj.merge(SIM.judgments, "em-neu"),
    "agreement": AGREEMENT,
    "plan": hj.plan(SIM.judgments, SIM.runs, "nDCG@10", budget=20),
    "prm": hj.prm(SIM.judgments),
    "approaches": hj.studies.compare_approaches(SIM.judgments, SIM.runs, "AP", SIM.gold, 1, 5),
    "power": hj.studies.discriminative_power(SCORES, samples=50),
    "correlation": hj.studies.correlate_measures(SCORES),
    "robustness": hj.studies.robustness(
        SIM.gold, SIM.runs, ["AP", "nDCG@10"], rates=[0.5], repetitions=2
    ),
    "topics": hj.studies.few_highly_relevant(SIM.gold),
    "agreement with gold": GOLD,
    "audit": hj.audit(SIM.gold, {"s": {"other": {"d": 1.0}, "1": {"d": 1.0}}}),
    "axioms": hj.theory.check_axioms("P@2", 3),
    "axiom table": hj.theory.axiom_table(2, 2, 2),
    "lists": hj.theory.compare_lists((0, 1, 2), (1, 1, 2)),
    "sets of a ratio scale": hj.theory.compare_lists((0, 2), (1, 2), "set", scale="ratio"),
    "users": hj.users.user_model("published-shape"),
}


class Page(HTMLParser):
    """The tables of a page, and its tags in balance."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS.keys())
def test_a_result_is_a_table_in_a_notebook(result: Any) -> None:
    rows = Page(result._repr_html_()).rows
    assert len(rows) > 1
    assert len(rows[0]) > 1


def test_a_merge_shows_the_first_documents_with_every_judges_label() -> None:
    header, *rows = Page(VOTES._repr_html_()).rows
    assert header == ["topic", "document", "label", *SIM.judgments.judges]
    assert len(rows) == 10
    assert f"{len(VOTES) - 10:,} more rows" in VOTES._repr_html_()
    given = {j: SIM.judgments.qrels_of(j).to_dict() for j in SIM.judgments.judges}
    for topic, document, label, *votes in rows:
        assert label == str(VOTES.to_dict()[topic][document])
        for judge, vote in zip(SIM.judgments.judges, votes, strict=True):
            known = given[judge].get(topic, {}).get(document)
            assert vote == ("-" if known is None else str(known))


def test_ids_are_text_in_html() -> None:
    scores = hj.evaluate({"1": {"a": 1}}, {"<b>x</b>": {"1": {"a": 1.0}}}, "AP")
    assert "<b>x" not in scores._repr_html_()
    assert Page(scores._repr_html_()).rows[1] == ["<b>x</b>", "1.0000"]


def means_by_loop(measure: str) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for system, topics in SCORES.to_dict().items():
        values[system] = [found[measure] for found in topics.values()]
    return {system: statistics.fmean(found) for system, found in values.items()}


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_means_are_system_by_measure_best_first(backend: str) -> None:
    frame = SCORES.means(backend)
    by_loop = means_by_loop("nDCG@10")
    best = sorted(by_loop, key=lambda s: -by_loop[s])
    systems = list(frame.index) if backend == "pandas" else frame["system"].to_list()
    assert systems == best
    assert list(frame["nDCG@10"]) == pytest.approx([by_loop[s] for s in best])
    assert list(frame["AP"]) == pytest.approx([means_by_loop("AP")[s] for s in best])


def test_every_table_is_best_first() -> None:
    best = list(SCORES.means().index)
    assert best != SCORES.systems  # or this test shows nothing
    rows = list(csv.DictReader(io.StringIO(SCORES.to_csv())))
    assert [row["system"] for row in rows] == best
    cells = list(csv.DictReader(io.StringIO(SCORES.to_csv(per_topic=True, summary=True))))
    assert list(dict.fromkeys(row["system"] for row in cells)) == best
    assert [row["system"] for row in cells if row["topic"] == "all"][::2] == best
    assert list(dict.fromkeys(SCORES.to_frame()["system"])) == best
    assert hj.compare(SCORES).systems == best


@pytest.mark.parametrize("name", RESULTS)
def test_tables_of_systems_are_best_first_in_csv_too(name: str) -> None:
    """Wherever systems have a mean, the best comes first."""
    result = RESULTS[name]
    if not hasattr(result, "to_csv"):
        pytest.skip("no CSV")
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    means = next((n for n in ("nDCG@10", "mean") if rows and n in rows[0]), None)
    if means is None or "system" not in rows[0] or not rows[0][means]:
        pytest.skip("no table of systems")
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(row.get("measure", ""), []).append(float(row[means]))
    compared = [values for values in groups.values() if len(set(values)) > 1]
    assert compared
    for values in compared:
        assert values == sorted(values, reverse=True)


def test_shares_of_votes_are_held_beside_gold_by_loop() -> None:
    votes: dict[tuple[str, str], list[int]] = {}
    for judge in SIM.judgments.judges:
        for topic, labels in SIM.judgments.qrels_of(judge).to_dict().items():
            for document, label in labels.items():
                votes.setdefault((topic, document), []).append(int(label >= 1))
    gold = SIM.gold.to_dict()
    bins: dict[int, list[tuple[float, int]]] = {}
    for (topic, document), said in votes.items():
        share = sum(said) / len(said)
        label = gold[topic].get(document)
        if label is not None:
            bins.setdefault(min(int(10 * share + 1e-9), 9), []).append((share, int(label >= 1)))
    assert [round(10 * one.low) for one in GOLD.reliability] == sorted(bins)
    for one in GOLD.reliability:
        mine = bins[round(10 * one.low)]
        assert one.documents == len(mine)
        assert one.stated == pytest.approx(statistics.fmean(share for share, _ in mine))
        relevant = statistics.fmean(hit for _, hit in mine)
        assert one.relevant == pytest.approx(relevant)
        # Wilson's interval holds the shares whose distance is within 1.96 standard errors.
        for end in (one.relevant_low, one.relevant_high):
            error = (end * (1 - end) / len(mine)) ** 0.5
            assert abs(end - relevant) == pytest.approx(1.959964 * error, abs=1e-6)


def test_where_smaller_is_better_the_smallest_comes_first() -> None:
    labels = {"1": {"a": 1, "b": 0, "c": 0}}
    runs = {
        "late": {"1": {"b": 3.0, "c": 2.0, "a": 1.0}},
        "early": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}},
    }
    scores = hj.evaluate(labels, runs, "ESL")
    assert scores.means()["ESL"].to_dict() == {"early": 0.0, "late": 2.0}
    assert list(scores.means().index) == ["early", "late"]
    assert "\\textbf{0" in scores.to_latex()
    assert scores.select(systems=["late", "early"]).best_first() == [1, 0]


PLOTS: dict[str, Any] = {
    "scores": lambda: SCORES.plot("AP"),
    "intervals": BOARD.plot,
    "pairs": lambda: BOARD.plot("pairs"),
    "differences": RESULTS["comparison with a baseline"].plot,
    "all differences": RESULTS["comparison"].plot,
    "kappa": AGREEMENT.plot,
    "rankings": lambda: AGREEMENT.plot("rankings"),
    "kappa with gold": GOLD.plot,
    "reliability": lambda: GOLD.plot("reliability"),
    "users": lambda: hj.users.user_model("published-shape").plot(),
}


@pytest.mark.parametrize("draw", PLOTS.values(), ids=PLOTS.keys())
def test_a_plot_is_a_picture_in_a_notebook(draw: Any) -> None:
    pytest.importorskip("matplotlib")
    plot = draw()
    assert len(plot.words) > 5, "nothing for those who do not see it"
    assert plot._repr_png_().startswith(b"\x89PNG")


def test_a_plot_is_a_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = BOARD.plot()
    plot.save(tmp_path / "plot.svg")
    assert "<svg" in (tmp_path / "plot.svg").read_text()


def test_intervals_are_drawn_where_they_are() -> None:
    pytest.importorskip("matplotlib")
    (axes,) = BOARD.plot().figure.axes
    (lines,) = axes.collections
    drawn = [segment[:, 0].tolist() for segment in lines.get_segments()]
    assert np.allclose(drawn, np.stack([BOARD.low, BOARD.high], axis=1))
    assert [text.get_text() for text in axes.get_yticklabels()] == BOARD.systems


def test_differences_are_drawn_where_they_are() -> None:
    pytest.importorskip("matplotlib")
    found = RESULTS["comparison with a baseline"]
    (axes,) = found.plot("AP").figure.axes
    rows = [row for row in found.rows if row.measure == "AP"]
    (lines,) = axes.collections
    drawn = [segment[:, 0].tolist() for segment in lines.get_segments()]
    assert np.allclose(drawn, [[row.low, row.high] for row in rows])


def test_unknown_pictures_are_refused() -> None:
    pytest.importorskip("matplotlib")
    for call in (
        lambda: SCORES.plot("P@1"),
        lambda: BOARD.plot("pie"),  # type: ignore[arg-type]
        lambda: RESULTS["comparison"].plot("P@1"),
        lambda: hj.agreement(SIM.judgments).plot("rankings"),
    ):
        with pytest.raises(HungjuryError):
            call()


def test_the_head_of_a_table() -> None:
    table = Table(["x"], [[1], [2], [3]])
    assert table.head(3) == [table]
    first, rest = table.head(2)
    assert isinstance(first, Table)
    assert first.to_csv() == "x\n1\n2\n"
    assert rest == "1 more rows"


def test_results_are_shown_in_few_words() -> None:
    qrels = hj.read_qrels({"1": {"a": 1}})
    runs = hj.read_runs({"bm25": {"1": {"a": 1.0}}})
    judgments = hj.read_judgments({"ann": {"1": {"a": 1}}, "bob": {"1": {"a": 0}}})
    assert repr(qrels) == "Qrels(1 topic, 1 document, grades 0-1)"
    assert repr(runs) == "Runs(1 system, 1 topic)"
    assert repr(judgments) == "Judgments(2 judges, 1 topic, 1 document, 2 labels)"
    assert repr(hj.evaluate(qrels, runs, "AP")) == "Scores(1 measure, 1 system, 1 topic)"
