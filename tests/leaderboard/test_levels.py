"""The level of a leaderboard is that of all its intervals, and every interval shown names it."""

import re
from pathlib import Path

import numpy as np
import pytest

import hungjury as hj
from hungjury.stats.resampling import normal_reach

SOURCE = Path(hj.__file__).parent


@pytest.fixture(scope="module")
def boards():
    """The same board at three levels, with gold labels of some documents and of some topics."""
    made = hj.simulate(systems=5, topics=10, documents=100, seed=1)
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 60)
    labels, gold = made.gold.to_dict(), {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        gold.setdefault(topic, {})[document] = labels[topic][document]
    whole = {topic: labels[topic] for topic in list(labels)[:6]}
    found = {}
    for level in (0.5, 0.9, 0.95):
        options = {"draws": 400, "level": level}
        found[level] = (
            hj.leaderboard(made.judgments, made.runs, "nDCG@10", gold=gold, plan=plan, **options),
            hj.leaderboard(
                made.judgments, made.runs, "nDCG@10", gold=whole, gold_design="topics", **options
            ),
            hj.leaderboard(made.judgments, made.runs, "nDCG@10", **options),
        )
    return found


def width(three):
    return three[2] - three[1]


def everything(planned, topics, panel):
    """The widths of all intervals, by name."""
    found = planned.correction
    gaps = planned.rank_high - planned.rank_low
    return {
        "board with gold": (planned.high - planned.low).mean(),
        "board without gold": (panel.high - panel.low).mean(),
        "ranks": gaps.sum() + 1,
        "level": width(found.level),
        "slope": width(found.slope),
        "correlation": width(found.correlation),
        "agreement": width(found.agreement),
        "panel error": width(found.panel_error),
        "bias": width(topics.gold.overall),
        "bias of a system": width(topics.gold.bias["system1"]),
        "expected": found.expected[0][1],
        "outlook": panel.outlook.difference,
        "outlook, topics": panel.outlook.topics[0][1],
        "outlook, floor": panel.outlook.floor,
    }


def test_all_intervals_shrink_with_the_level(boards):
    half, most, usual = (everything(*boards[level]) for level in (0.5, 0.9, 0.95))
    for name, value in half.items():
        assert value < most[name] or name == "ranks", name
        assert value < usual[name], name
        assert most[name] <= usual[name], name


def test_intervals_that_are_normal_shrink_as_the_normal(boards):
    half, usual = everything(*boards[0.5]), everything(*boards[0.95])
    shrunk = normal_reach(0.5) / normal_reach(0.95)
    assert half["expected"] == pytest.approx(shrunk * usual["expected"])
    for name in ("outlook", "outlook, topics", "outlook, floor"):  # of a mixture of normals
        assert 0.7 * shrunk * usual[name] < half[name] < shrunk * usual[name], name
    low, high = (np.arctanh(boards[0.5][0].correction.agreement[k]) for k in (1, 2))
    wide_low, wide_high = (np.arctanh(boards[0.95][0].correction.agreement[k]) for k in (1, 2))
    assert high - low == pytest.approx(shrunk * (wide_high - wide_low))


def test_middles_stay(boards):
    one, other = (boards[level][0] for level in (0.5, 0.95))
    assert one.mean == pytest.approx(other.mean)
    for name in ("level", "slope", "correlation", "agreement", "panel_error"):
        assert getattr(one.correction, name)[0] == getattr(other.correction, name)[0]


def test_more_pairs_are_told_apart_at_a_lower_level(boards):
    for half, usual in zip(boards[0.5], boards[0.95], strict=True):
        assert (half.apart >= usual.apart).all()


def test_judges_compared_with_gold():
    made = hj.simulate(systems=2, topics=8, documents=40, depth=20, seed=1)
    half, usual = (
        hj.agreement_with_gold(made.judgments, made.gold, rel=1, level=level)
        for level in (0.5, 0.95)
    )
    assert (half.kappa_high - half.kappa_low < usual.kappa_high - usual.kappa_low).all()
    for one, other in zip(half.reliability, usual.reliability, strict=True):
        assert one.relevant_high - one.relevant_low < other.relevant_high - other.relevant_low
    assert "50 % interval" in half.to_text()
    assert half.to_dict()["level"] == 0.5


def test_a_gate(boards):
    made = hj.simulate(seed=1)
    half, usual = (
        hj.gate(made.gold, made.runs, "system8", "system1", level=level)[0] for level in (0.5, 0.95)
    )
    assert half.high - half.low < usual.high - usual.low
    assert "50 % interval" in str(half)
    assert "95 % interval" in str(usual)


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_every_interval_that_is_shown_names_its_level(boards, level):
    named = f"{100 * level:g} %"
    for board in boards[level]:
        # What was measured for 95 % intervals is said at every level.
        lines = board.to_text().splitlines()
        text = "\n".join(line for line in lines if "public collections" not in line)
        assert "95 %" not in text.replace("(95 %", "")
        # Numbers of the form "0.123 to 0.456" in the sentences below the table.
        spans = re.findall(r"([^(;]*?) [+-]?\d\.\d+ to [+-]?\d\.\d+", text)
        shown = [one for one in spans if "public collections" not in one]
        assert [one for one in shown if not one.endswith(f"{named} interval")] == []
        content = board.to_dict()
        assert content["settings"]["level"] == level
        if board.correction is not None:
            assert content["correction"]["interval_level"] == level
            assert content["gold"]["level"] == level
    planned, topics, _ = boards[level]
    assert len(re.findall(f"{named} interval", planned.to_text())) >= 6
    assert f"({named} interval" in topics.to_text().splitlines()[-3]


def test_no_quantile_is_spelled_out():
    quantile = re.compile(r"\b(0\.975|0\.025|1\.96|1\.9599\d*|97\.5|2\.5 %)(?!\d)")
    seen = 0
    for room in ("leaderboard", "comparison", "report"):
        for file in (SOURCE / room).rglob("*"):
            if file.suffix not in (".py", ".html"):
                continue
            for line in file.read_text(encoding="utf-8").splitlines():
                if not line.startswith("PEOPLE ="):  # the error of one person's labels
                    assert not quantile.search(line), (file.name, line)
                seen += 1
    assert seen > 5000
