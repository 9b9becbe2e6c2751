"""What boards, comparisons, agreements and users say in words, compared whole with files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace as Made
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from builders.expected import assert_expected
from builders.made_boards import made_board, made_correction, made_gold, made_outlook, of
from hungjury.base.results import Table
from hungjury.leaderboard.correction import Covered
from hungjury.report import board as words
from hungjury.report import comparison, judge_plots

EXPECTED = Path(__file__).parent / "expected"
BASE = made_board().settings


def told(board: Any, digits: int = 3) -> str:
    """Everything that is said of a board."""
    parts = [words.board_text(board, digits)]
    if len(board.systems) == 3:
        parts += ["", words.rounded_board(board, board.settings.level, digits).to_text()]
    said = words.lead(board, digits)
    parts += ["", *(json.dumps(one, ensure_ascii=False) for one in said.values())]
    for name, sentences in zip(("may", "may not"), words.conclusions(board, digits), strict=True):
        parts += [name, *(json.dumps(one, ensure_ascii=False) for one in sentences)]
    return "\n".join(parts)


def leading(*chances: float) -> Any:
    return made_board(len(chances), p_best=np.array(chances))


def favour() -> Any:
    return Made(family="gpt", system="s1", size=0.05, p=0.02)


def scores_board(number: int, parts: int) -> Any:
    """A board over collections."""
    board = made_board(number)
    counts = [{"wins": s, "mean_rank": 1.25 + s, "borda": 2.5 * s} for s in range(number)]
    each = {f"c{k}": made_board(number, systems=board.systems[::-1]) for k in range(parts)}
    return Made(**vars(board) | {"level": 0.9, "parts": each,
                "table": lambda: Made(to_dicts=lambda: counts)})  # fmt: skip


BOARDS: dict[str, Callable[[], Any]] = {
    "plain": made_board,
    "on these topics, other numbers": lambda: made_board(
        target="topics",
        settings=of(BASE, rel=2, judges=4, families=2, level=0.9),
        steps=[Made(text="declare families", pairs=9), Made(text="families too", pairs=None)],
        labels_per_document={n: n for n in range(12)},
        pairs_apart=1200,
    ),
    "probabilities of one source": lambda: made_board(
        as_given=True,
        assumed=None,
        settings=of(BASE, labels=Made(grades=None), families=0),
        steps=[],
        labels_per_document=dict.fromkeys(range(13), 10),
        outlook=made_outlook(),
    ),
    "a panel taken as people": lambda: made_board(apart=1, assumed=None),
    "one family": lambda: made_board(
        assumed=Made(families=1, tau=0.1, overrated=0.03, undeclared=4),
        steps=[Made(text="label", pairs=None)],
        labels_per_document={2: 5},
    ),
    "one judge": lambda: made_board(
        settings=of(BASE, judges=1, families=1),
        favours=[favour()],
        assumed=Made(families=1, tau=0.1, overrated=0.03, undeclared=4),
    ),
    "kin": lambda: made_board(kin=["s1", "s2"], kin_overrated=(0.0123, -0.01, 0.04)),
    "one kin": lambda: made_board(
        kin=["s3"], assumed=Made(families=2, tau=0.1, overrated=0.25, undeclared=12345)
    ),
    "one system": lambda: made_board(1, 1, p_best=np.array([1.0])),
    "one system, gold": lambda: made_board(1, 1, scale="people", correction=made_correction()),
    "two systems": lambda: made_board(
        2, 1, low=np.array([0.6, 0.6]), high=np.array([0.6, 0.6]), mean=np.array([0.6, 0.6])
    ),
    "two apart": lambda: made_board(2, 1),
    "two near": lambda: made_board(2, 2, p_best=np.array([0.5, 0.5])),
    "three systems": lambda: made_board(3, 2),
    "six apart": lambda: made_board(6, 1),
    "seven nearly apart": lambda: made_board(7, 2, outlook=made_outlook()),
    "nine": lambda: made_board(9, 3, step=0.05),
    "nine in a group": lambda: made_board(9, 9, step=0.05, p_best=np.full(9, 1 / 9)),
    "a sure leader": lambda: made_board(9, 3, p_best=np.array([0.95] + [0.05 / 8] * 8)),
    "nearly sure": lambda: made_board(9, 3, p_best=np.array([0.949] + [0.05 / 8] * 8)),
    "sure in the view of a panel": lambda: made_board(
        3, 2, p_best=np.array([0.96, 0.04, 0.0]), assumed=None, outlook=made_outlook(floor=None)
    ),
    "close to two of three": lambda: made_board(4, 3),
    "some with gaps": lambda: made_board(
        8,
        3,
        group_places=[[0, 1, 2], [3], [4], [5], [6], [7]],
        told=~np.eye(8, dtype=bool) & (np.arange(64).reshape(8, 8) % 5 > 0),
    ),
    "not apart from one": lambda: made_board(apart=2, p_best=np.array([0.6, 0.4, 0.0, 0.0])),
    "equal first places": lambda: made_board(mean=np.array([0.7, 0.7, 0.7, 0.1])),
    "equal to one": lambda: made_board(mean=np.array([0.7, 0.7, 0.6, 0.1])),
    "outlook": lambda: made_board(outlook=made_outlook()),
    "outlook of people": lambda: made_board(
        scale="people",
        outlook=made_outlook(floor=None, judges=[(3, 0.0612)]),
        correction=made_correction(),
    ),
    "exact": lambda: made_board(
        scale="people",
        steps=[],
        correction=made_correction(
            estimate="exact",
            slope=None,
            panel_error=None,
            effective_judges=None,
            expected=[],
            looks=(),
            level=(-0.02, -0.1, 0.1),
        ),
    ),
    "model": lambda: made_board(
        scale="people",
        correction=made_correction(
            estimate="model",
            level=(0.0001, -0.1, 0.1),
            expected=[(100, 0.05)],
            looks=(),
            panel_error=None,
        ),
    ),
    "covered": lambda: made_board(
        scale="people",
        correction=made_correction(covered=Covered("nDCG@10", 1000, 0.96)),
    ),
    "weakly covered": lambda: made_board(
        scale="people",
        correction=made_correction(covered=Covered("nDCG@10", 1000, 0.5)),
    ),
    "direct": lambda: made_board(
        scale="people", correction=made_correction(estimate="direct", level_known=False)
    ),
    "poor": lambda: made_board(
        correction=made_correction(poor=True, concludes=False, slope=None), outlook=made_outlook()
    ),
    "poor but concludes": lambda: made_board(correction=made_correction(poor=True)),
    "gold": lambda: made_board(gold=made_gold()),
    "gold of 30": lambda: made_board(gold=made_gold(30, overall=(0.1, float("-inf"), 0.3))),
    "gold of 33": lambda: made_board(gold=made_gold(33, overall=None, relevant=None)),
    "all causes": lambda: made_board(shares=dict.fromkeys(words.CAUSES, 1 / 6)),
    "names": lambda: made_board(systems=["", "a\nb", "c", "\x1b"]),
}


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_in_words(name: str) -> None:
    board = BOARDS[name]()
    text = told(board)
    assert_expected(EXPECTED / "board.txt", name, text)
    assert "0.06000" not in text
    assert "0.70000" in told(board, 5) or board.mean[0] != 0.7


@pytest.mark.parametrize("chance", [0.0, 0.2, 0.21, 0.4, 0.6, 0.61, 0.8, 0.81, 1.0])
def test_the_record_of_leaders(chance: float) -> None:
    board = made_board(2, p_best=np.array([chance, 1 - chance]))
    assert_expected(EXPECTED / "board.txt", f"record {chance}", words.best_record(board))


@pytest.mark.parametrize(("systems", "parts"), [(3, 0), (3, 1), (3, 2), (4, 6), (2, 7)])
def test_a_board_over_collections(systems: int, parts: int) -> None:
    table = words.rounded_score_board(scores_board(systems, parts), 2)
    text = f"{table.to_text()}\n{table.to_latex()}"
    assert_expected(EXPECTED / "board.txt", f"{systems} systems on {parts} collections", text)


# Comparisons


def scored(measures: list[str], systems: int = 3, topics: int = 8, **how: Any) -> Any:
    """Scores of systems that differ from topic to topic; the first topic has nothing relevant."""
    qrels = {str(t): {f"d{i}": int((t * i) % 3 == 1) for i in range(6)} for t in range(topics)}
    runs = {
        f"s{s}": {
            str(t): {f"d{i}": float((i * (s + 1) + t * s) % 6 + i / 10) for i in range(6 - s % 3)}
            for t in range(s == 1, topics)
        }
        for s in range(systems)
    }
    return hj.evaluate(qrels, runs, measures, **how)


def soft() -> Any:
    rng = np.random.default_rng(1)
    labels = {str(t): {f"d{i}": round(float(rng.uniform()), 2) for i in range(5)} for t in range(4)}
    runs = {
        s: {t: {d: float((k * i) % 5) for i, d in enumerate(labels[t])} for t in labels}
        for k, s in enumerate(("a", "b", "c"), 1)
    }
    return hj.evaluate(labels, runs, ["E(P@2, draws=50)"], distribution=True)


FOUND: dict[str, Callable[[], Any]] = {
    "pairs": lambda: hj.compare(scored(["AP", "NumRelRet"]), test="t"),
    "pairs, none corrected": lambda: hj.compare(
        scored(["P@3", "AP"]), test="t", correction="none", alpha=0.4
    ),
    "six systems": lambda: hj.compare(scored(["AP"], 6), test="t", alpha=0.3),
    "seven systems": lambda: hj.compare(scored(["AP"], 7), test="t", correction="bonferroni"),
    "twenty-six": lambda: hj.compare(scored(["AP"], 26), test="t", correction="none", alpha=0.3),
    "twenty-seven": lambda: hj.compare(scored(["AP"], 27), test="t", correction="none", alpha=0.3),
    "one baseline": lambda: hj.compare(scored(["AP", "NumRelRet"]), "s0", "t", alpha=0.3),
    "a baseline that wins": lambda: hj.compare(
        scored(["P@3", "AP"], 4), "s2", "t", "none", alpha=0.5
    ),
    "two baselines": lambda: hj.compare(scored(["AP"], 4), ["s3", "s0"], "t", alpha=0.5),
    "six baselines": lambda: hj.compare(scored(["AP"], 7), [f"s{i}" for i in range(6)], "t"),
    "equivalent": lambda: hj.compare(scored(["AP"]), "s1", "t", margin=0.5, alpha=0.2),
    "equivalent, none corrected": lambda: hj.compare(
        scored(["AP"]), None, "t", "none", margin=0.01
    ),
    "randomised": lambda: hj.compare(scored(["AP"]), test="randomisation", samples=1000, seed=3),
    "tukey": lambda: replace(
        hj.compare(scored(["AP"]), test="t"),
        test="tukey",
        anova={
            "AP": [
                Made(source="system", f=2.345, df=2, p=0.00005, omega2=0.125),
                Made(source="topic", f=0.5, df=7, p=0.25, omega2=0.0),
                Made(source="error", f=None, df=14, p=None, omega2=None),
            ]
        },
    ),
    "selected": lambda: hj.compare(scored(["AP"], 5), test="t").select(["s0", "s1"], None),
    "by labels": lambda: hj.compare(soft(), test="t"),
    "by labels, baseline": lambda: hj.compare(soft(), "a", "t", margin=0.1),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_comparison_in_words(name: str) -> None:
    found = FOUND[name]()
    parts = [
        comparison.comparison_text(found, 4),
        comparison.comparison_latex(found, 3),
        comparison.comparison_table(found, 2).to_markdown(),
    ]
    for marks in (None, "letters", "dagger", "none"):
        try:
            table = comparison.compact_table(found, 3, marks, "Systems of a test.")
            parts.append(f"{marks}\n{table.to_text()}")
        except hj.HungjuryError as error:
            parts.append(f"{marks}\n{error}")
    parts.append(table.to_latex())
    assert_expected(EXPECTED / "comparison.txt", name, "\n\n".join(parts))


def test_letters_of_many_systems() -> None:
    assert words.letters([0, 1, 2, 4, 5, 9], 2, "-", ",") == "a-c,e,f,j"
    assert words.letters([], 2, "-", ",") == ""


@pytest.mark.parametrize("topics", ["judged", "retrieved"])
def test_scores_by_topic(topics: Any) -> None:
    measures = ["AP", "NumRelRet", "gm_map", "num_q", "RR"]
    scores = (
        scored(measures, topics=11, undefined="nan") if topics == "judged" else scored(measures[:2])
    )
    shown = [hj.measure(name) for name in measures][: len(scores.measures)]
    parts = [comparison.topic_table(scores)]
    if topics == "retrieved":
        parts += [
            comparison.trec_lines(scores, shown, per_topic, summary)
            for per_topic in (False, True) for summary in (False, True)
        ]  # fmt: skip
    assert_expected(EXPECTED / "comparison.txt", f"topics {topics}", "\n\n".join(parts))


# Judges


def agreed(judges: int, rankings: Any = None, **changes: Any) -> Any:
    names = [f"j{k}" for k in range(judges)]
    rows = [[name, k] for k, name in enumerate(names)]
    known = {
        "judges": names,
        "panel": Made(pool=Pooled(["t1", "t2"]), binary=False),
        "grades": [0, 1, 2],
        "labels": np.arange(judges) * 100,
        "agreement": 0.5,
        "fleiss": None,
        "alpha_nominal": 0.25,
        "alpha_ordinal": 0.125,
        "warnings": [],
        "at_least": 0,
        "rankings": rankings,
        "table": lambda: Table(["judge", "labels"], rows),
    }
    return Made(**known | changes)


class Pooled:
    def __init__(self, topics: list[str]) -> None:
        self.topics = topics

    def __len__(self) -> int:
        return 1234


def ranked(tau: Any) -> Any:
    return Made(systems=["a", "b", "c"], measure="AP", tau=np.array(tau), tau_ap=np.array(tau) / 4,
                favours=[favour()])  # fmt: skip


AGREED: dict[str, Callable[[], Any]] = {
    "two judges": lambda: agreed(2, warnings=["w1", "w2"]),
    "forty judges": lambda: agreed(40),
    "forty-one judges": lambda: agreed(41),
    "forty-two judges": lambda: agreed(42),
    "forty-one with labels": lambda: agreed(41, at_least=5),
    "with rankings": lambda: agreed(3, ranked([[1, 0.5, np.nan], [0.25, 1, 0.75], [0, 0, 1]])),
    "with unknown rankings": lambda: agreed(2, ranked([[1, np.nan], [0.5, 1]])),
}


@pytest.mark.parametrize("name", AGREED)
def test_agreement_in_words(name: str) -> None:
    text = judge_plots.agreement_text(AGREED[name]())
    assert_expected(EXPECTED / "agreement.txt", name, text)
