"""Pages with an entry and an exit: single clicks count, and so do logs without any move."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.click_logs import RANKS, make_log, write_parquet
from hungjury.cli.main import hungjury as command
from hungjury.users.clicks import calibrate
from hungjury.users.model import Dynamic, UserClass, UserModel, user_model
from oracles import users as naive_users

pytest.importorskip("ibis", reason="counting clicks needs ibis (extra 'clicks')")


def with_outside(walks: Any, ranks: int) -> list[list[Fraction]]:
    """The chain over the ranks and one state outside, which paths come from and go to."""
    table = [[Fraction(0)] * (ranks + 1) for _ in range(ranks + 1)]
    for walk in walks:
        states = [0, *(record["rank"] for record in walk), 0]
        for here, there in itertools.pairwise(states):
            table[here][there] += 1
    return [[v / (sum(row) or 1) for v in row] for row in table]


def stationary_by_steps(chain: list[list[Fraction]], steps: int = 4000) -> np.ndarray:
    """The distribution over ranks after many lazy steps (half of the time nothing happens)."""
    matrix = np.array([[float(v) for v in row] for row in chain])
    visited = matrix.sum(axis=1) > 0
    matrix[~visited, 0] = 1.0
    state = np.zeros(len(matrix))
    state[0] = 1.0
    for _ in range(steps):
        state = (state + state @ matrix) / 2
    return state[1:] / state[1:].sum()


@pytest.mark.parametrize("seed", range(3))
def test_visits_are_stationary(seed: int, tmp_path: Path) -> None:
    records = make_log(seed)
    walks = naive_users.paths(records, RANKS)
    one = calibrate(write_parquet(records, tmp_path / "log.parquet"), ranks=RANKS)["all"]
    assert one.stationary == pytest.approx(
        stationary_by_steps(with_outside(walks, RANKS)), abs=1e-9
    )
    visits = naive_users.visits(walks, RANKS)
    assert one.stationary == pytest.approx([v / sum(visits) for v in visits])
    # The chain watched on the ranks has the same stationary distribution.
    matrix = np.array(one.transitions)
    assert matrix.sum(axis=1) == pytest.approx(np.ones(RANKS))
    assert np.array(one.stationary) @ matrix == pytest.approx(one.stationary)


def test_transitions_return_through_an_entry() -> None:
    rows = [[1], [1, 2], [2]]
    log = [{"session": str(s), "rank": rank} for s, path in enumerate(rows) for rank in path]
    import polars

    one = calibrate(polars.DataFrame(log), ranks=3)["all"]
    assert one.stationary == pytest.approx([0.5, 0.5, 0])
    # Rank 1 is left once to rank 2 and once to the outside; two of three entries are at rank 1.
    assert (one.transitions or ())[0] == pytest.approx([(2 / 3) / 2, (1 + 1 / 3) / 2, 0])
    assert (one.transitions or ())[2] == (0, 0, 1)
    assert one.never_left == (3,)


@pytest.mark.parametrize("path", [[1], [1, 2]])
def test_logs_where_everybody_does_the_same(path: list[int]) -> None:
    import polars

    log = [{"session": s, "rank": rank} for s in range(20) for rank in path]
    one = calibrate(polars.DataFrame(log), ranks=4)["all"]
    wanted = [path.count(rank) / len(path) for rank in (1, 2, 3, 4)]
    assert one.stationary == pytest.approx(wanted)
    assert one.backward == (None if len(path) == 1 else 0)
    with pytest.raises(hj.HungjuryError, match='pages="all"'):
        calibrate(polars.DataFrame(log), ranks=4, pages="moves")


def test_real_users_look_at_rank_1_most(shared_data: Path) -> None:
    log = shared_data / "clicks-yandex" / "trainSample.gz"
    one, moves = (calibrate(log, pages=p)["all"] for p in ("all", "moves"))
    assert one.stationary[0] == pytest.approx(0.195, abs=0.001)
    assert moves.stationary[0] == pytest.approx(0.058, abs=0.001)


def rising() -> UserModel:
    users = UserClass("all", (0.1, 0.2, 0.3, 0.4), Dynamic(-0.3, 0.05, 0.3))
    return UserModel((users,))


def test_a_dynamic_that_rises_is_reported() -> None:
    model = rising()
    assert model["all"].dynamic.rises(4) == (2, 3, 4)
    assert [n.kind for n in model.notes()] == ["rising-dynamic"]
    assert not user_model("published-shape").notes()
    measure = hj.m.nMCG(user=model, cutoff=4)
    scores = hj.evaluate({"1": {"a": 1}}, {"s": {"1": {"x": 3, "a": 2}}}, measure)
    assert "rising-dynamic" in [n.kind for n in scores.notes]
    assert scores.values[0, 0, 0] > 1


def test_a_class_without_topics_is_reported() -> None:
    scores = hj.evaluate({"1": {"a": 1, "b": 1}}, {"s": {"1": {"a": 2}}}, "nMCG@10")
    notes = [n for n in scores.notes if n.kind == "empty-class"]
    assert len(notes) == 1
    assert "with nav_rel=1 no topic has the class 'navigational'" in str(notes[0])


def test_a_note_on_users_is_given_once() -> None:
    """Whatever the number of measures that use them; another nav_rel is another note."""
    measures = ["nMCG@10", "nMCG@5", "MP(model=published-shape)", "nMCG(nav_rel=2)@10"]
    labels = {"1": {"a": 1, "b": 1, "c": 2, "d": 2}}
    scores = hj.evaluate(labels, {"s": {"1": {"a": 2}}}, measures)
    words = [str(n).split(" no topic")[0] for n in scores.notes if n.kind == "empty-class"]
    assert words == ["with nav_rel=1", "with nav_rel=2"]


def test_holding_times_by_query(tmp_path: Path) -> None:
    records = make_log(5, odd=False)
    path = write_parquet(records, tmp_path / "log.parquet")
    model = calibrate(path, ranks=RANKS, rates_by="query")
    walks = naive_users.paths(records, RANKS)
    for query, rates in model.query_rates:
        spent = naive_users.holding_times([w for w in walks if w[0]["query"] == query], RANKS)
        for rate, times in zip(rates, spent, strict=True):
            assert rate == pytest.approx(naive_users.rate(times))
    assert [q for q, _ in model.query_rates] == ["q0", "q1", "q2", "q3"]
    model.save(tmp_path / "users.json")
    assert UserModel.load(tmp_path / "users.json").query_rates == model.query_rates
    call = ["clicks", str(path), "--ranks", str(RANKS)]
    said = "holding times by query in the user model: 4"
    assert said in CliRunner().invoke(command, [*call, "--rates-by", "query"]).stdout
    assert said not in CliRunner().invoke(command, call).stdout


def test_markov_precision_uses_the_rates_of_a_query() -> None:
    users = UserClass("all", (0.5, 0.3, 0.2), Dynamic(0.5, 0, 0), rates=(1.0, 1.0, 1.0))
    model = UserModel((users,), query_rates=(("2", (4.0, None, 0.5)),))
    qrels = {t: {"a": 1, "c": 1} for t in "12"}
    runs = {"s": {t: {"a": 3, "b": 2, "c": 1} for t in "12"}}
    found = hj.evaluate(qrels, runs, hj.m.MP(model=model, rates="model"))
    values = {t: float(found.values[0, 0, i]) for i, t in enumerate(found.topics)}

    def by_hand(rates: tuple[float, float]) -> float:
        weights = [0.5 / rates[0], 0.2 / rates[1]]
        return (weights[0] * 1 + weights[1] * 2 / 3) / sum(weights)

    assert values["1"] == pytest.approx(by_hand((1.0, 1.0)))
    assert values["2"] == pytest.approx(by_hand((4.0, 0.5)))


def test_bad_choices() -> None:
    import polars

    log = polars.DataFrame([{"session": 1, "rank": 1}])
    with pytest.raises(hj.HungjuryError, match="pages"):
        calibrate(log, pages="some")  # type: ignore[arg-type]
    with pytest.raises(hj.HungjuryError, match="query and time"):
        calibrate(log, rates_by="query")


@pytest.mark.parametrize(("pages", "noted"), [(1, True), (99, True), (100, False)])
def test_a_model_of_few_pages_is_reported(pages: int, noted: bool, tmp_path: Path) -> None:
    """Where it is made, and in scores by it after it was saved."""
    log, saved = tmp_path / "log.csv", tmp_path / "users.json"
    log.write_text("session,rank\n" + "".join(f"{i},1\n" for i in range(pages)))
    result = CliRunner().invoke(command, ["clicks", str(log), "-o", str(saved)])
    assert result.exit_code == 0, result.output
    number = "1 page" if pages == 1 else f"{pages} pages"
    assert (f"comes from only {number} with clicks: do not trust it" in result.stderr) == noted
    for name in (f'nMCG(user="{saved}")@5', f'MP(model="{saved}")'):
        scores = hj.evaluate({"t": {"a": 1}}, {"t": {"a": 1.0}}, name)
        assert ("few-pages" in [note.kind for note in scores.notes]) == noted
