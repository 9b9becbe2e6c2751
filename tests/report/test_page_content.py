"""What the report's page is made from: its content and its data, compared whole with files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace as Made
from typing import Any

import numpy as np
import pytest

from builders.expected import assert_expected
from builders.made_boards import made_board, made_correction, made_gold, made_outlook
from hungjury import __version__
from hungjury.base.errors import Note
from hungjury.base.records import Record
from hungjury.base.results import Table
from hungjury.report import page, page_data, study_page
from hungjury.report.board import letters

EXPECTED = Path(__file__).parent / "expected" / "page.txt"
nan = float("nan")


def plain(value: Any) -> Any:
    """Values of JSON, numbers with five digits."""
    if isinstance(value, (Record, Made)):
        return plain(vars(value))
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items() if not callable(one)}
    if isinstance(value, np.ndarray):
        return [str(value.dtype), plain(value.tolist())]
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.5g}")
    return int(value) if isinstance(value, np.integer) else value


def lines(value: dict[str, Any]) -> str:
    """A line for every entry; long texts and lists of rows have lines of their own."""
    out = []
    for key, one in plain(value).items():
        if isinstance(one, list) and one and isinstance(one[0], (list, dict)):
            out += [f"{key}:", *(f"  {json.dumps(row, ensure_ascii=False)}" for row in one)]
        elif isinstance(one, dict):
            out += [
                f"{key}:",
                *(f"  {k}: {json.dumps(v, ensure_ascii=False)}" for k, v in one.items()),
            ]
        else:
            out.append(f"{key}: {json.dumps(one, ensure_ascii=False)}")
    return "\n".join(out)


def agreed(judges: int, grades: int = 3, **changes: Any) -> Any:
    values = np.cos(np.arange(judges * judges).reshape(judges, judges) * 3.0)
    values = (values + values.T) / 2
    if judges > 1:
        values[0, 1] = values[1, 0] = nan
        values[-1, 0] = values[0, -1] = -0.001
    known = {
        "judges": [f"judge-number-{k}" for k in range(judges)],
        "agreement": 0.75,
        "fleiss": 0.5,
        "alpha_nominal": nan,
        "alpha_ordinal": 0.25,
        "grades": list(range(grades)),
        "labels": np.arange(judges) * 7 % 10,
        "order": lambda: [*range(1, judges), 0],
        "pairs": Made(
            kappa=values,
            agreement=np.abs(values),
            common=np.arange(judges**2).reshape(judges, judges),
        ),
    }
    return Made(**known | changes)


ORIGIN = {
    "command": ["hungjury", "leaderboard", "a b"],
    "made": {"time": "2026-01-02T03:04:05"},
    "inputs": [{"path": "x\ny", "sha256": "0"}, {"path": "z", "ir_metadata": "tag: 1"}],
    "libraries": {"numpy": "2"},
    "<": "</script>",
}

BOARDS: dict[str, Callable[[], Any]] = {
    "plain": made_board,
    "everything": lambda: made_board(
        9,
        3,
        outlook=made_outlook(),
        gold=made_gold(),
        agreement=agreed(3),
        favours=[],
        correction=made_correction(),
        judges=[],
        notes=tuple(Note("a", 1, f"n{i}") for i in range(102)),
    ),
    "measured all, nothing expected": lambda: made_board(
        3,
        1,
        outlook=made_outlook(
            measured=4, topics=[(3, 0.05)], judges=[(1, 0.06), (3, 0.0612), (6, 0.0591)]
        ),
        correction=made_correction(expected=[(5, 0.1)]),
        gold=made_gold(bias={}),
        notes=tuple(Note("a", 1, f"n{i}") for i in range(100)),
    ),
    "smaller is better, one far away": lambda: made_board(
        6,
        6,
        mean=np.array([0.1, 0.11, 0.12, 0.13, 0.14, 0.9]),
        low=np.array([0.05, 0.06, 0.07, 0.08, 0.09, 0.85]),
        high=np.array([0.15, 0.16, 0.17, 0.18, 0.19, 0.95]),
        p_best=np.full(6, 0.1),
    ),
    "one system": lambda: made_board(1, 1),
    "sixteen unsure topics": lambda: made_board(
        2,
        2,
        topics=[f"t{i}" for i in range(17)],
        unsure=np.r_[0.0, np.arange(16) % 5 + 0.5],
        cells=np.arange(34).reshape(2, 17) / 40,
    ),
}


@pytest.mark.parametrize("name", BOARDS)
def test_the_content_of_a_page(name: str) -> None:
    board = BOARDS[name]()
    found = page.content(board, ORIGIN if name == "plain" else {}, [f"-{s}" for s in board.systems])
    found.pop("board")
    versions = dict(found["origin"].pop("versions"))
    assert list(versions) == ["hungjury", "numpy", "Python", "seed", "draws"]
    assert (versions["seed"], versions["draws"]) == (7, 100)
    assert_expected(EXPECTED, name, lines(found))


@pytest.mark.parametrize("name", ["plain", "everything"])
def test_a_whole_page(name: str) -> None:
    """Without what is taken from files: style, script, data, versions."""
    board, history = BOARDS[name](), [("2026-01", {"s0": (0.1, 0.2, 0.3)})] * 2
    beside = Made(board=board, measures=[made_board(9)], slices={"g": made_board(2)},
                  left_out={"h": "too few"}, multiplicity="Each by itself.")  # fmt: skip
    more: Any = {"title": "T", "author": "A", "dataset": "D", "history": history, "beside": beside}
    text = page.page(board, {}, **more if name == "everything" else {})
    text = re.sub('(<style>|<script>|id="data">).*?</', r"\1...</", text, flags=re.S)
    text = text.replace(f"hungjury {__version__}", "hungjury ...")
    text = re.sub("sha256-[^']*'", "sha256'", text)
    text = re.sub("(<dt>(?:hungjury|numpy|Python)</dt><dd>).*?<", r"\1...<", text)
    assert_expected(EXPECTED.parent / f"page-{name}.txt", name, text)


def test_what_is_left_out_of_a_page() -> None:
    board = made_board(1001, 2, step=0.0005)
    systems = board.systems
    found = page._ranking(board, systems)
    assert (len(found["rows"]), found["left"]) == (1000, 1)
    gold = made_gold(bias=dict.fromkeys(systems[:252], (0.1, 0.0, 0.2)))
    bias = page._bias(board, gold)
    assert (len(bias["rows"]), bias["left"]) == (250, 2)
    beside = Made(board=board, measures=[made_board(1001)])
    rows = page._by_measure(beside)
    assert (len(rows), rows[1]["name"], len(rows[1]["cells"])) == (250, "s1", 2)
    pairs = page_data.pairs_map(made_board(151, 2, step=0.001))
    assert (pairs["size"], pairs["left"], pairs["step"], pairs["type"]) == (150, 1, 10, 1.6)


@pytest.mark.parametrize("size", [2, 14, 15, 30, 31, 40, 41, 70, 71])
def test_a_map_of_pairs(size: int) -> None:
    beats = (np.arange(size * size).reshape(size, size) * 37 % 101) / 100
    found = page_data.pairs_map(made_board(size, 2, step=0.001, beats=beats))
    strokes, cells = found.pop("paths"), found.pop("numbers")
    found["names"], found["border"] = found["names"][-1], found["border"][:60]
    found["paths"] = strokes if size < 5 else [len(path) for path in strokes]
    found["numbers"] = cells if size < 5 else len(cells)
    assert_expected(EXPECTED, f"pairs of {size}", lines(found))


@pytest.mark.parametrize(("judges", "grades"), [(1, 3), (2, 2), (4, 3), (61, 3)])
def test_a_map_of_judges(judges: int, grades: int) -> None:
    found = page_data.judges_map(agreed(judges, grades))
    if judges > 9:
        found["matrix"] = {"names": found["matrix"]["names"], "size": found["matrix"]["size"]}
    assert_expected(EXPECTED, f"judges {judges}", lines(found))


@pytest.mark.parametrize(
    ("low", "high", "most"),
    [
        (0.1, 0.9, 5),
        (0.12, 0.13, 5),
        (0.5, 0.5, 5),
        (0, 0, 5),
        (-3, 12, 5),
        (0, 1, 3),
        (0.2, 0.21, 9),
        (-0.3, -0.1, 5),
        (0, 4, 5),
        (0, 10, 5),
        (0, 20, 5),
        (0, 8.2, 5),
        (2.0, 2.0, 5),
    ],
)
def test_an_axis(low: float, high: float, most: int) -> None:
    axis = page_data.scale(low, high, most)
    at = [axis.at(x) for x in (low - 1, low, (low + high) / 2 + 0.01, high, high + 1)]
    below, above = low - 9, high + 9
    threes = [(below, low, high), (low, high, above), (low, low, high), (below, below, high)]
    cuts = [axis.cut(*three) for three in [*threes, (low, above, above)]]
    text = lines({"axis": axis, "texts": list(map(axis.text, axis.ticks)), "at": at, "cuts": cuts})
    assert_expected(EXPECTED, f"axis {low} {high} {most}", text)


def test_ends_of_axes() -> None:
    low = np.array([0.5, 0.52, 0.54, 0.56, 0.58])
    found = []
    for worst in (0.45, 0.4, 0.38, 0.35, 0.1, -3.0):
        mine = np.append(low, worst)
        found.append(page_data.shown_ends(mine, mine + 0.1, 0.1))
        found.append(page_data.shown_ends(mine, mine + 0.1, -0.1))
        found.append(page_data.shown_ends(-mine - 0.1, -mine, -0.1))
    assert_expected(EXPECTED, "ends", "\n".join(map(str, plain(found))))


def test_what_names_have_in_common() -> None:
    for names, same in [
        ([], ""), (["team-run-of-a"], ""), (["team-run-a", "team-run-b"], "team-run-"),
        (["tea-run", "tea-ruo"], ""), (["abcdefg-x", "abcdefg-y"], "abcdefg-"),
        (["abcdef-x", "abcdef-y"], ""), (["abcdefgh-", "abcdefgh-a"], ""),
        (["one", "two"], ""), (["abcdefgh-x-1", "abcdefgh-y-1"], "abcdefgh-"),
        (["abcdefg_1", "abcdefg_2", "abcdefg_12"], "abcdefg_"),
    ]:  # fmt: skip
        assert page_data.common_prefix(names) == same


@pytest.mark.parametrize(
    ("curve", "now", "measured"),
    [
        ([(1, 0.4), (2, 0.3), (3, 0.25), (4, 0.2), (100, 0.05)], 3, 3),
        ([(5, 0.0), (10, 0.0)], 5, 0),
        ([(7, 0.5)], 7, 1),
        ([(1, 0.4), (90, 0.2), (100, 0.1)], 1, 1),
        ([(1, 0.4), (2, 0.3), (4, 0.1)], 4, 3),
    ],
)
def test_a_chart(curve: Any, now: int, measured: int) -> None:
    found = page_data.chart(curve, now, measured, 3)
    assert_expected(EXPECTED, f"chart {now} {measured}", lines(found))


def test_lines_over_time() -> None:
    moments = [
        ("2026-01", {"s0": (0.1, 0.2, 0.3), "s1": (0.2, 0.3, 0.4), "gone": (0, 1, 2)}),
        ("2026-02", {"s0": (0.2, 0.25, 0.35)}),
        ("2026-03", {"s0": (0.3, 0.35, 0.45), "s1": (0.1, 0.15, 0.5), "new": (0, 1, 2)}),
    ]
    found = page_data.history_lines(moments, ["s1", "new", "s0", "s2"])
    assert_expected(EXPECTED, "history", lines(found))
    assert page_data.history_lines(moments[:1], ["s0"]) == {"rows": []}
    many = {f"s{i}": (0.1, 0.2, 0.3) for i in range(17)}
    found = page_data.history_lines([("a", many), ("b", many)], list(many))
    assert (len(found["rows"]), found["left"]) == (15, 2)


# What the script shows on demand


def evidence(soft: bool, **changes: Any) -> Any:
    """Two topics with three and two judged documents; lists of three ranks."""
    documents = ["doc-a", "doc-b", "doc-c", "doc-d", "doc-e"]
    pool = Made(topics=["t1", "t2"], documents=documents, offsets=np.array([0, 3, 5]),
                __len__=lambda: 5)  # fmt: skip
    label = np.array([0.25, 1.0, 0.004, 0.5]) if soft else np.array([2, 0, 1, 2])
    given = type("Given", (), {})()
    vars(given).update(
        soft=soft,
        grades=[0, 1, 2],
        judges=["ann", "bob"],
        pool=[None] * 5,
        label=label,
        document=np.array([0, 1, 2, 4]),
        judge=np.array([0, 1, 0, 1]),
    )
    lists = np.array(
        [[[0, 1, -1], [3, -2, -2]], [[1, -1, 0], [-1, 3, -1]], [[2, -2, -2], [4, 3, -2]]]
    )
    others = Made(hash=np.array([9, 4, 9, 7]), id=lambda k: f"other{k}")
    known = {
        "alignment": Made(pool=pool, others=others),
        "depth": 3,
        "lists": lists.astype(np.int32),
        "unjudged": np.array([[-1, 0], [1, 2], [3, -1]], dtype=np.int32),
        "panel": Made(judgments=given),
        "contributions": np.array(
            [[[0.5, 0.1, 0], [0.2, 0, 0]], [[-0.25, 0, 0.3], [0, 0.1, 0]], [[0.1, 0, 0], [0, 0, 0]]]
        ),
        "gold": np.array([1.0, nan, 0.5, 0, 2]),
        "probability": np.array([[0.1, 0.904]] * 5),
        "measure": Made(threshold=3, average="mean", smaller_is_better=False),
    }
    return Made(**known | changes)


@pytest.mark.parametrize("soft", [False, True])
def test_the_data_of_a_page(soft: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    gmean = Made(threshold=1, average="gmean", smaller_is_better=True)
    more = {"measure": gmean, "gold": None, "contributions": np.zeros((3, 2, 3))} if soft else {}
    beats = np.array([[0, 0.9996, 1.0], [0, 0, 0.0004], [0, 0, 0]])
    board = made_board(3, 2, topics=["t1", "t2"], beats=beats, evidence=evidence(soft, **more),
                       agreement=agreed(4), cells=np.arange(6).reshape(3, 2) / 8)  # fmt: skip
    found = page_data.script_data(board, ["long-name-a", "long-name-b", "long-name-c"], (), ())
    assert_expected(EXPECTED, f"data, soft {soft}", lines(found))
    monkeypatch.setattr(page_data, "MOST_SYSTEMS", 2)
    monkeypatch.setattr(page_data, "MOST_UNJUDGED", 1)
    board.agreement = None
    few = page_data.script_data(board, ["a", "b", "c"], (), ())
    assert (few["systems"], few["lists"], few["unjudged"]) == (["a", "b"], 2, ["other0"])
    assert few["unjudgedAt"].tolist() == [1, 0, 1]
    assert "panel" not in few
    monkeypatch.setattr(page_data, "MOST_SYSTEMS", 1000)
    monkeypatch.setattr(page_data, "MOST_PLACES", 12)
    assert page_data.script_data(board, ["a", "b", "c"], (), ())["lists"] == 2
    one = made_board(1, 1, evidence=evidence(soft), topics=["t1", "t2"], cells=np.zeros((3, 2)))
    assert set(page_data.script_data(one, ["a"], (), ())) == {"systems", "prefix", "beats", "apart"}


def test_limits_of_the_data() -> None:
    assert page_data.MOST_PLACES == 600_000
    assert page_data.MOST_UNJUDGED == 30_000
    assert (page_data.STEPS, page_data.NOT_KNOWN, page_data.LEVEL) == (1000, -32768, 9)
    assert page_data._short("a" * 1500) == "a" * 1500
    assert page_data._short("a" * 1499 + "  b") == "a" * 1499 + " […]"


@pytest.mark.parametrize(
    ("low", "high", "kind"),
    [
        (0, 255, "uint8"),
        (-1, 127, "int8"),
        (-128, 0, "int8"),
        (-1, 128, "int16"),
        (0, 256, "uint16"),
        (0, 65535, "uint16"),
        (-129, 5, "int16"),
        (0, 65536, "int32"),
        (-1, 40000, "int32"),
    ],
)
def test_the_smallest_integers_that_fit(low: int, high: int, kind: str) -> None:
    assert page_data._smallest(np.array([low, high])).dtype == kind
    assert page_data._smallest(np.array([], int)).dtype == "uint8"


def test_letters_of_groups() -> None:
    for numbers, text in (([], ""), ([0, 1, 2], "abc"), ([0, 1, 2, 3], "a–d"), ([1, 3, 4], "bde")):
        assert letters(numbers) == text
    assert [page._number(x) for x in (-0.12345, 2.0)] == ["−0.123", "2.000"]
    assert page._number(0.5, "+") == "+0.500"


def test_steps_between_groups() -> None:
    told = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]], bool)
    assert page._steps(made_board(4, told=told)) == [0, 2]
    assert page._steps(made_board(4, 1)) == [0, 1, 2, 3]
    assert page._steps(made_board(4, 3)) == [0, 3]


# The page of a study


def study(folder: Path, claims: bool) -> Any:
    def tables() -> dict[str, Any]:
        named = {"claims": Table(["claim"], [["c"]], caption="Claims")} if claims else {}
        long = (
            "Table 2: what 'it' shows, in words that are many more than any file's name could have"
        )
        return named | {
            "table-2.1a": Table(["a", "b"], [["x <", 0.5]], caption=long),
            "table-3": Table(["a"], [[1]], caption="no colon"),
            "other": Table(["a"], [["=1"]], caption="Table 4: o"),
        }

    class Report:
        def __init__(self) -> None:
            drawn = Made(set_layout_engine=lambda engine: None)
            self.figures = {"figure-1": Made(title="Figure 1: f <g>", draw=lambda: drawn)}
            self.remarks, self.claims = ["r & s"], ["c"] * claims

        @property
        def all_tables(self) -> dict[str, Any]:
            return tables()

    sources = [
        Made(name=name, runs=["a"] * (2 + k), judges=[], gold="x/gold.qrels" if k else None,
             labels=Note("a", 1, "t"), lists=Note("b", 2, "u"), digest=f"d{k}")
        for k, name in enumerate(["web", "news"][: 1 + claims])
    ]  # fmt: skip

    class Recipe:
        """First & line.

        More.
        """

        name, paper, rate = "markov", "A paper <1>.", 0.5

        def params(self) -> list[Any]:
            return [Made(name="rate")]

        def __str__(self) -> str:
            return "markov(rate=0.5)"

    return Made(report=Report(), recipe=Recipe(), folder=folder / "out", sources=sources, seed=3,
                notes=[Note("a", 1, "n <")])  # fmt: skip


@pytest.mark.parametrize("claims", [False, True])
def test_the_files_of_a_study(
    claims: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_page, "picture_bytes", lambda figure, form: form.encode())
    monkeypatch.setattr(study_page, "summary", lambda claims: f"{len(claims)} <claims>")
    made = study(tmp_path, claims)
    for _ in range(2):  # the folder may be there
        paths = study_page.write_study(made, csv_safe=claims)
    parts = [f"{path.name}: {path.read_text()}" for path in paths]
    assert study_page._stem("table-1", f"Table 1: {'a' * 30} {'b' * 30}") == f"table-1-{'a' * 30}"
    text = (
        "\n".join(parts).replace("\n" + page.part("study.css"), "").replace(__version__, "VERSION")
    )
    assert_expected(EXPECTED, f"study {claims}", text)
