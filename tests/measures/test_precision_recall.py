"""Curves of precision and recall, as data and as pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

import hungjury as hj
from builders.commands import run
from hungjury.report.board_plots import draw_precision_recall


def test_the_curve_as_data_and_as_picture(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "one.run").write_text("1 Q0 a 1 3.0 one\n1 Q0 b 2 2.0 one\n")
    call = ["curve", str(tmp_path / "qrels"), str(tmp_path / "one.run")]
    assert run(*call).splitlines()[0].startswith("system,IPrec@0,IPrec@0.1")
    pytest.importorskip("matplotlib")
    run(*call, "-o", str(tmp_path / "c.svg"))
    assert "</svg>" in (tmp_path / "c.svg").read_text()


def test_recall_is_at_least_the_level() -> None:
    """With 7 relevant documents recall 0.2 takes 2 of them (2/7 = 0.29); trec_eval rounds 1.4 to
    1, where recall is 0.14. At 0.3 of 10 it takes 3, whatever the last bit of 0.3 * 10 is."""
    labels = [1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    pool = [1] * 7 + [0] * 8
    assert hj.score_list("IPrec@0.2", labels, pool=pool) == 0.5
    assert hj.score_list("IPrec(levels='trec')@0.2", labels, pool=pool) == 1.0
    ten = [1] * 3 + [0] * 7
    assert hj.score_list("IPrec@0.3", ten, pool=[1] * 10 + [0] * 7) == 1.0
    exact, rounded = (hj.score_list(f"IPrec11{levels}", labels, pool=pool)
                      for levels in ("", "(levels='trec')"))  # fmt: skip
    assert exact == pytest.approx((1 + 1 + 0.5) / 11)
    assert rounded == pytest.approx((1 + 1 + 1 + 0.5) / 11)


def test_every_named_curve_looks_different() -> None:
    made = hj.simulate(systems=14, topics=2, documents=60, depth=20)
    curve = hj.evaluate(made.gold, made.runs, "iprec_at_recall").curve()
    (axes,) = draw_precision_recall(curve).axes
    named = [line for line in axes.lines if not str(line.get_label()).startswith("_")]
    assert len(named) == 12
    assert len({(line.get_color(), line.get_linestyle()) for line in named}) == 12


def test_a_curve_holds_the_mean_precision_of_every_level() -> None:
    made = hj.simulate(systems=3, topics=4, documents=60, depth=20)
    scores = hj.evaluate(made.gold, made.runs, ["AP", "iprec_at_recall"])
    curve = scores.curve()
    assert curve.recall == [i / 10 for i in range(11)]
    for s, system in enumerate(scores.systems):
        for level, precision in zip(curve.recall, curve.precision[s], strict=True):
            m = scores.measures.index(f'IPrec(levels="trec")@{level:g}')
            assert precision == scores.mean()[m, scores.systems.index(system)]
    with pytest.raises(hj.HungjuryError, match=r"IPrec\(rel=2\)"):
        scores.curve(rel=2)


def test_the_saw_tooth_curve_goes_rank_by_rank(tmp_path: Path) -> None:
    """Precision rises with every relevant document and falls with every other one."""
    labels, ranked = {"a": 1, "b": 0, "c": 2, "d": 1}, ["a", "x", "c", "b", "y", "d"]
    (tmp_path / "qrels").write_text("".join(f"7 0 {d} {g}\n" for d, g in labels.items()))
    (tmp_path / "run").write_text(
        "".join(f"7 Q0 {d} 0 {10 - n} bm25\n" for n, d in enumerate(ranked))
    )
    for rel in (1, 2):
        call = ["curve", str(tmp_path / "qrels"), str(tmp_path / "run"), "--rel", str(rel),
                "--by", "rank", "--depth", "8", "--topic", "7"]  # fmt: skip
        lines = run(*call).splitlines()
        assert lines[0] == "system,rank,recall,precision"
        relevant = sum(grade >= rel for grade in labels.values())
        for n, line in enumerate(lines[1:], 1):
            hits = sum(labels.get(d, 0) >= rel for d in ranked[:n])
            name, rank, recall, precision = line.split(",")
            assert (name, int(rank)) == ("bm25", n)
            assert float(recall) == pytest.approx(hits / relevant)
            assert float(precision) == pytest.approx(hits / n)
        assert len(lines) == 1 + len(ranked), "the curve ends with the list, not with --depth"
    picture = tmp_path / "curve.svg"
    run(*call, "-o", str(picture))
    assert picture.read_text().startswith("<?xml")


def test_a_curve_by_rank_needs_both_measures_at_the_same_ranks() -> None:
    made = hj.simulate(systems=2, topics=2, documents=30, depth=10)
    with pytest.raises(hj.HungjuryError, match="same ranks"):
        hj.evaluate(made.gold, made.runs, ["P@1", "R@1", "P@2"]).curve(by="rank")
    with pytest.raises(hj.HungjuryError, match="not include R@"):
        hj.evaluate(made.gold, made.runs, ["P@1"]).curve(by="rank")
