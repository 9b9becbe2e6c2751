"""Click logs of every kind against the loops of oracles/users.py, and what is odd in them."""

from __future__ import annotations

import gzip
import io
import itertools
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.click_logs import (
    RANKS,
    assert_class,
    assert_report,
    make_log,
    write_csv,
    write_parquet,
)
from hungjury import calibrate
from hungjury.base.errors import HungjuryError, InputError
from hungjury.cli.main import hungjury as command
from hungjury.users.chain import long_run_distribution
from hungjury.users.model import Dynamic, UserClass, UserModel, user_model
from oracles import users as naive_users

ibis = pytest.importorskip("ibis", reason="counting clicks needs ibis (extra 'clicks')")


# Tables


@pytest.mark.parametrize("seed", range(2))
def test_a_table_equals_the_loops(seed, tmp_path):
    records = make_log(seed)
    model = calibrate(write_parquet(records, tmp_path / "log.parquet"), ranks=RANKS, pages="moves")
    assert_class(model["all"], naive_users.paths(records, RANKS))
    assert_report(model, records)


def test_the_same_log_in_every_dress(tmp_path):
    import polars

    records = make_log(7)
    expected = calibrate(write_parquet(records, tmp_path / "log.parquet"), ranks=RANKS)
    plain = write_csv(records, tmp_path / "log.csv")
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    tabs = tmp_path / "log.tsv"
    tabs.write_text(plain.read_text().replace(",", "\t"))
    folder = tmp_path / "parts"
    folder.mkdir()
    for name, some in (("a", records[:150]), ("b", records[150:])):
        write_csv(some, folder / f"{name}.csv")
    (folder / "_SUCCESS").touch()
    frame = polars.DataFrame(records, infer_schema_length=None)
    dresses: list[Any] = [
        packed,
        tabs,
        folder,
        str(folder / "*.csv"),
        io.StringIO(plain.read_text()),
    ]
    dresses += [frame, pandas.DataFrame(records), ibis.memtable(frame.to_arrow())]
    for log in dresses:
        model = calibrate(log, ranks=RANKS)
        assert model == expected
        assert model.log == expected.log


def test_a_log_without_times_and_queries_goes_by_record_order(tmp_path):
    records = [{k: r[k] for k in ("session", "rank")} for r in make_log(2)]
    model = calibrate(write_csv(records, tmp_path / "log.csv"), ranks=RANKS, pages="moves")
    assert_class(model["all"], naive_users.paths(records, RANKS))
    assert_report(model, records)
    assert model["all"].rates is None


def test_classes_by_labels(tmp_path):
    records = make_log(4, sessions=200)
    labels = {"q0": {"a": 1, "b": 0}, "q1": {"a": 1, "b": 2}, "q2": {"a": 0, "b": 2}}
    path = write_parquet(records, tmp_path / "log.parquet")
    walks = naive_users.paths(records, RANKS)
    for nav_rel, navigational in ((1, {"q0", "q2"}), (2, {"q1", "q2"})):
        model = calibrate(path, labels, nav_rel, ranks=RANKS, pages="moves")
        mine = [w for w in walks if w[0]["query"] in navigational]
        others = [w for w in walks if w[0]["query"] in set(labels) - navigational]
        assert_class(model["navigational"], mine)
        assert_class(model["informational"], others)
        assert model.log is not None
        assert model.log.unlabelled == sum(len(w) for w in walks if w[0]["query"] not in labels)
        assert model.nav_rel == nav_rel
        ones = naive_users.long_run_distribution(naive_users.moves(mine, RANKS))
        assert dict(model.by_relevant)["1"] == pytest.approx([float(v) for v in ones or ()])


def test_queries_by_how_many_documents_are_relevant():
    """From none to four, and five or more together; each group clicks at a rank of its own."""
    number = [0, 1, 2, 4, 5, 7]
    log = pandas.DataFrame({"session": range(6), "query": [f"q{n}" for n in number],
                            "rank": [1, 2, 3, 4, 5, 5]})  # fmt: skip
    labels = {f"q{n}": {f"d{d}": int(d < n) for d in range(8)} for n in number}
    model = calibrate(log, labels, ranks=5)
    assert [name for name, _ in model.by_relevant] == ["0", "1", "2", "4", "5 or more"]
    for (_, law), rank in zip(model.by_relevant, range(5), strict=True):
        assert law == pytest.approx(np.eye(5)[rank])


def test_holding_times_of_frequent_queries_only(tmp_path):
    records = make_log(5)
    sessions = {q: len({r["session"] for r in records if r["query"] == q and r["session"]})
                for q in ("q0", "q1", "q2", "q3")}  # fmt: skip
    least = sorted(sessions.values())[2]
    model = calibrate(write_csv(records, tmp_path / "log.csv"), ranks=RANKS, min_sessions=least)
    walks = [w for w in naive_users.paths(records, RANKS) if sessions[w[0]["query"]] >= least]
    spent = naive_users.holding_times(walks, RANKS)
    assert list(model["all"].held or ()) == [len(times) for times in spent]
    assert_report(model, records)


def test_two_sessions_are_enough_for_min_sessions_2(tmp_path):
    rows = ["session,query,rank,time", "1,once,1,0", "1,once,2,3", "2,twice,3,0", "2,twice,1,4",
            "3,twice,3,0", "3,twice,1,4"]  # fmt: skip
    path = tmp_path / "log.csv"
    path.write_text("\n".join(rows) + "\n")
    for least, held in ((2, (0, 0, 2)), (3, (0, 0, 0))):
        assert calibrate(path, ranks=3, min_sessions=least)["all"].held == held


def test_clicks_without_a_query_belong_to_no_frequent_one():
    log = pandas.DataFrame({"session": [1, 1], "query": [None, None], "rank": [1, 2],
                            "time": [0.0, 3.0]}).astype({"query": "string"})  # fmt: skip
    for least, held in ((1, (1, 0, 0)), (2, (0, 0, 0))):
        assert calibrate(log, ranks=3, min_sessions=least)["all"].held == held


def test_a_rate_needs_two_visits_with_a_known_end(tmp_path):
    """μ = (K - 1) / K over the mean of K >= 2 times; from one time alone nothing is known."""
    rows = [  # query, rank, time, until
        ("often", 1, 0, 4), ("often", 1, 10, 16),  # 4 and 6 seconds: 1/2 over their mean 5
        ("often", 2, 0, 3),  # one time
        ("often", 3, 0, 2), ("often", 3, 0, None),  # two visits, one with a known end
        ("often", 4, 5, 5), ("often", 4, 7, 7),  # no time at all
        ("often", 5, 0, 1), ("often", 5, 0, 2), ("often", 5, 0, 6),  # 2/3 over the mean 3
        ("once", 2, 0, 9),
    ]  # fmt: skip
    names = ("query", "rank", "time", "until")
    records = [{"session": s, **dict(zip(names, row, strict=True))} for s, row in enumerate(rows)]
    model = calibrate(
        write_parquet(records, tmp_path / "log.parquet"), ranks=RANKS, rates_by="query"
    )
    assert model["all"].held == (2, 2, 1, 2, 3, 0)
    of_all = (1 / 10, 1 / 12, None, None, 2 / 9, None)
    assert model["all"].rates == pytest.approx(of_all)
    assert len(model.query_rates) == 1, "a query without a rate is left out"
    ((query, rates),) = model.query_rates
    assert query == "often"
    assert rates == pytest.approx((1 / 10, None, None, None, 2 / 9, None))


def test_times_of_any_kind(tmp_path):
    rows = [("2020-01-01 00:00:00.250", 1), ("2020-01-01 00:00:10.750", 2),
            ("2020-01-01 00:00:30", 1), ("2020-01-01 00:00:31", 1)]  # fmt: skip
    records = [{"sid": 1, "position": rank, "timestamp": time} for time, rank in rows]
    as_text = calibrate(write_csv(records, tmp_path / "log.csv"))
    import polars

    frame = polars.DataFrame(records).with_columns(polars.col("timestamp").str.to_datetime())
    as_dates = calibrate(frame)
    expected = naive_users.rate([10.5, 1.0])
    for model in (as_text, as_dates):
        assert model["all"].held == (2, 1, *[0] * 8)
        assert (model["all"].rates or ())[0] == pytest.approx(expected)


# What cannot be counted


def told(text: str, words: str, tmp_path: Path, **options: Any) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(HungjuryError, match=words) as caught:
        calibrate(path, **options)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("session,query,rank,time\n", "contains no clicks"),
        ("session,query,rank,time\n1,q,1,-3\n1,q,2,5\n", "1 of 2 clicks have a negative time"),
        ("session,query,rank,time\n1,q,11,3\n1,q,x,5\n", "no click in the log can be counted"),
        ("who,query,rank\n1,q,1\n", "no column for the session"),
        ("session,query\n1,q\n", "no column for the rank"),
        ("5,q,1,3\n5,q,2,9\n", "no column for the session; the columns are 5, q, 1, 3\n"),
        ("session,rank\n1,1\n1,2,3,4\n", "cannot be counted: .* Line: 3.* Columns: 2"),
        ("session,rank,session\n1,1,1\n", "name appears twice"),
        ("<sessiontrack><session>", "not well-formed XML"),
    ],
)
def test_bad_logs_are_told(text, words, tmp_path):
    told(text, words, tmp_path)


def test_bad_arguments_are_told(tmp_path):
    text = "session,query,rank,time\n1,q,1,3\n1,q,1,5\n"
    told(text, "class 'informational' has 0 pages with clicks", tmp_path, qrels={"q": {"d": 1}})
    told(text, "invalid value 'abacus' for engine", tmp_path, engine="abacus")
    with pytest.raises(InputError, match="no such file"):
        calibrate(tmp_path / "nothing")
    write_parquet(make_log(1), tmp_path / "other.parquet")
    with pytest.raises(InputError, match="different kinds: csv, parquet"):
        calibrate([tmp_path / "log.csv", tmp_path / "other.parquet"])


def test_without_ibis_the_install_line_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ibis", None)
    with pytest.raises(ImportError, match=r"needs the package ibis(.|\n)*hungjury\[clicks\]"):
        calibrate(pandas.DataFrame({"session": [1], "rank": [1]}))


def test_broken_values_in_a_table_are_counted(tmp_path):
    rows = ["session,query,rank,time", "1,q,1,1", "1,q,one,2", "1,q,2,later", "1,q,2,4",
            "1,q,1,nan", "1,q,1,9", ",q,1,9"]  # fmt: skip
    path = tmp_path / "log.csv"
    path.write_text("\n".join(rows) + "\n")
    log = calibrate(path).log
    assert log is not None
    assert (log.records, log.counted, log.off_page) == (7, 3, 1)
    assert (log.without_time, log.without_session) == (2, 1)


# Laws of chains that fall apart


@pytest.mark.parametrize("seed", range(60))
def test_long_run_law_of_sparse_counts(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 6))
    moves = rng.integers(1, 5, (size, size)) * (rng.random((size, size)) < 0.3)
    expected = naive_users.long_run_distribution(moves.tolist())
    law = long_run_distribution(moves)
    assert (law is None) == (expected is None)
    if law is not None and expected is not None:
        assert law == pytest.approx([float(v) for v in expected], abs=1e-12)


# Pages with an entry and an exit: single clicks count, and so do logs without any move.


def with_outside(walks: Any, ranks: int) -> list[list[Fraction]]:
    """The chain over the ranks and one state outside, which paths come from and go to."""
    table = [[Fraction(0)] * (ranks + 1) for _ in range(ranks + 1)]
    for walk in walks:
        states = [0, *(record["rank"] for record in walk), 0]
        for here, there in itertools.pairwise(states):
            table[here][there] += 1
    return [[v / (sum(row) or 1) for v in row] for row in table]


def stationary_by_steps(chain: list[list[Fraction]], steps: int = 1000) -> np.ndarray:
    """The distribution over ranks after many lazy steps (half of the time nothing happens)."""
    matrix = np.array([[float(v) for v in row] for row in chain])
    visited = matrix.sum(axis=1) > 0
    matrix[~visited, 0] = 1.0
    state = np.zeros(len(matrix))
    state[0] = 1.0
    for _ in range(steps):
        state = (state + state @ matrix) / 2
    return state[1:] / state[1:].sum()


@pytest.mark.parametrize("seed", range(2))
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
