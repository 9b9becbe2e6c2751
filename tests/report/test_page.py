"""The report's page: its words and figures, ids as text, its size, nothing from outside."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

import hungjury as hj
from builders.boards import HOSTILE, computed, hostile, large, ordinary, unpacked, with_unjudged
from builders.paths import DOCS
from hungjury.leaderboard.board import Assumed
from hungjury.leaderboard.leaderboard import Boards
from hungjury.report.board import BEST_RECORD, conclusions, lead, shown
from hungjury.report.page import MOST_SYSTEMS, MOST_TOPICS, _template, page
from hungjury.report.page_data import (
    _smallest,
    border,
    chart,
    common_prefix,
    runs_by_bin,
    scale,
    shown_ends,
)

VOID = {"meta", "link", "input", "br", "img", "hr"}
WORDS = "hungjury leaderboard --judges 'a b/*' -m nDCG@10"


class Reader(HTMLParser):
    """Elements as (tag, attributes, text inside), and whether all that opens is closed."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.found, self.wrong = [], [], []
        self.feed(text)
        self.wrong += [tag for tag, *_ in self.open]

    def handle_starttag(self, tag, attributes):
        one = [tag, dict(attributes), ""]
        self.found.append(one)
        if tag not in VOID:
            self.open.append(one)

    def handle_startendtag(self, tag, attributes):
        self.found.append([tag, dict(attributes), ""])

    def handle_endtag(self, tag):
        if not self.open or self.open.pop()[0] != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        for one in self.open:
            one[2] += data

    def all(self, tag, **wanted):
        return [
            one
            for one in self.found
            if one[0] == tag and all(one[1].get(k.rstrip("_")) == v for k, v in wanted.items())
        ]


@pytest.fixture(scope="module")
def board():
    return ordinary()


@pytest.fixture(scope="module")
def read(board):
    return Reader(
        page(board, {"command": ["hungjury", "leaderboard", "--judges", "a b/*", "-m", "nDCG@10"]})
    )


@pytest.fixture(scope="module")
def hostile_text():
    return page(hostile(), {"command": ["hungjury", *HOSTILE]})


def test_sections_stand_in_order_and_close(read):
    assert read.wrong == []
    ids = [one[1]["id"] for one in read.all("h2") if "id" in one[1]]
    wanted = ["ranking", "groups", "pairs", "pair", "judges", "uncertainty", "gold", "audit"]
    assert [i for i in ids if i != "warnings"] == wanted
    links = [one[1]["href"] for one in read.all("a")]
    assert links == [f"#{i}" for i in wanted]


def test_ids_are_there_once(read):
    ids = [one[1]["id"] for one in read.found if "id" in one[1]]
    assert len(ids) == len(set(ids))


def test_every_system_and_judge_has_a_row(board, read):
    heads = [one[2] for one in read.all("th", scope="row")]
    assert heads[: len(board.systems)] == board.systems
    for judge in board.judges:
        assert judge.name in heads
    for system, mean in zip(board.systems, board.mean, strict=True):
        row = next(one[2] for one in read.all("tr") if system in one[2])
        assert f"{mean:.3f}" in row


def test_tables_have_captions_and_heads(read):
    for table in read.all("table"):
        assert table[2].strip()
    assert len(read.all("table")) == len(read.all("caption"))
    assert {one[1].get("scope") for one in read.all("th")} == {"col", "row"}
    sorted_by = [one[1]["aria-sort"] for one in read.all("th") if "aria-sort" in one[1]]
    assert set(sorted_by) <= {"ascending", "descending"}
    assert sorted_by


def test_the_page_says_how_to_make_it_again(read):
    assert [one[2] for one in read.all("pre")] == [WORDS]
    audit = read.all("section")[-1][2]
    for value in (hj.__version__, np.__version__, "seed", "draws", "ties"):
        assert value in audit


def test_without_a_command_the_call_is_shown():
    sim = hj.simulate(topics=4, systems=2, seed=1)
    made = hj.leaderboard(sim.judgments, sim.runs, "P@5", draws=100)
    (call,) = (one[2] for one in Reader(page(made)).all("pre"))
    assert call.startswith("hj.leaderboard(Judgments(")
    assert call.endswith("'P@5', draws=100)")


def test_head_inputs_and_history_are_on_the_page(board):
    origin = {
        "command": ["hungjury", "leaderboard"],
        "inputs": [
            {"path": "runs/<a>.run", "size": 1234, "sha256": "0" * 64, "ir_metadata": "team: </i>"}
        ],
        "made": {"time": "2026-01-05T09:00:00+00:00"},
    }
    last = dict.fromkeys(board.systems, (0.1, 0.2, 0.3))
    moments = [
        ("2026-01-01 09:00", {board.systems[0]: (0.0, 0.1, 0.2)}),
        ("2026-01-05 09:00", last),
    ]
    text = page(board, origin, title="Week <12>", author="Us", dataset="web", history=moments)
    read = Reader(text)
    assert read.wrong == []
    assert "<title>Week &lt;12&gt;</title>" in text
    assert 'web · Us · <time datetime="2026-01-05">2026-01-05</time>' in text
    assert "runs/&lt;a&gt;.run" in text
    assert "1,234" in text
    assert "team: &lt;/i&gt;" in text
    assert text.count('<svg class="line"') == 1  # the other systems have one moment only
    assert 'aria-label="2026-01-01 09:00: 0.100; 2026-01-05 09:00: 0.200"' in text
    inside = re.search('id="provenance">(.*?)</script>', text).group(1)
    assert json.loads(inside)["provenance"] == origin


def test_other_measures_and_groups_of_topics_are_beside():
    sim = hj.simulate(topics=8, systems=3, seed=1)
    topics = sim.judgments.topics

    def rank(measure, some):
        labels = sim.judgments if some is None else sim.judgments.select(some)
        return hj.leaderboard(labels, sim.runs, measure, draws=200)

    groups = {"<odd>": topics[::2], "even": topics[1::2], "gone": ["99"], "one": topics[:1]}
    found = Boards.of(["nDCG@10", "P@5"], groups, rank)
    assert [board.measure for board in found.measures] == ["P@5"]
    assert found.slices["even"].topics == topics[1::2]
    assert set(found.left_out) == {"gone", "one"}
    assert found.multiplicity.startswith("2 groups of topics, 6 comparisons")
    assert "about 0.3 of these" in found.multiplicity
    alone = rank("nDCG@10", topics[1::2])
    assert found.to_dict()["slices"]["even"] == alone.to_dict()
    text = page(found.board, beside=found)
    assert Reader(text).wrong == []
    assert found.multiplicity in text
    assert "&lt;odd&gt;: 4 topics" in text


def test_many_groups_are_folded(board):
    text = page(large(board, 60, 2))
    assert "more groups</summary>" in text
    assert text.count('<table class="groups">') == 2


def test_notes_on_judges_come_first_and_on_files_last(board):
    from hungjury.base.errors import Note

    notes = (Note("judges", 1, "a lazy judge", about="judges"), Note("ties", 2, "2 lists tie"))
    read = Reader(page(replace(board, notes=notes)))
    sections = [one[2] for one in read.all("section")]
    assert "a lazy judge" in sections[0]
    assert "a lazy judge" not in sections[-1]
    assert "2 lists tie" not in sections[0]
    assert "2 lists tie" in sections[-1]


def test_data_for_the_script_are_the_boards(board):
    data = unpacked(page(board))
    upper = np.triu_indices(len(board.systems), 1)
    assert data["systems"] == board.systems
    np.testing.assert_allclose(data["beats"] / 1000, board.beats[upper], atol=1e-3)
    assert data["apart"].tolist() == board.apart[upper].astype(int).tolist()
    order = board.agreement.order()
    assert data["panel"] == [board.agreement.judges[k] for k in order]
    kappa = board.agreement.pairs.kappa[np.ix_(order, order)]
    among = np.triu_indices(len(order), 1)
    assert data["kappa"].tolist() == np.rint(1000 * kappa[among]).tolist()


@pytest.mark.parametrize(
    ("low", "high", "kind"),
    [(0, 255, "uint8"), (0, 256, "uint16"), (-1, 127, "int8"), (-1, 128, "int16"),
     (0, 65535, "uint16"), (-1, 40000, "int32"), (3, 7, "uint8")],
)  # fmt: skip
def test_numbers_for_the_script_are_small_and_fit(low, high, kind):
    found = _smallest(np.array([low, high]))
    assert (found.dtype, found.tolist()) == (kind, [low, high])


def test_the_text_counts_pairs_of_systems(board):
    apart = int(np.triu(board.apart, 1).sum())
    assert f"{apart} of 6 pairs of systems can be told apart: P(one" in board.to_text()


def test_lists_for_the_script_are_the_evidence(board):
    data, found = unpacked(page(board)), board.evidence
    shape = (len(board.systems), len(board.topics), data["depth"])
    assert data["lists"] == shape[0]
    pool = found.alignment.pool
    for (s, t, n), place in np.ndenumerate(data["ranked"].reshape(shape)):
        known = found.lists[s, t, n]
        if known < 0:
            assert place == known + 2
            continue
        at = data["ends"][t] + place - 2
        assert data["documents"][at] == pool.documents[known]
        chances = data["chances"].reshape(found.probability.shape[1], -1)[:, at]
        np.testing.assert_allclose(chances / 100, found.probability[known], atol=0.005)
        assert data["gold"][at] == round(100 * found.gold[known])
        mine = found.panel.judgments.document == known
        said = dict(
            zip(found.panel.judgments.judge[mine], found.panel.judgments.label[mine], strict=True)
        )
        labels = data["labels"].reshape(len(data["judges"]), -1)[:, at].tolist()
        assert labels == [said.get(k, data["none"]) for k in range(len(labels))]
    added = data["added"].reshape(shape) * data["unit"]
    np.testing.assert_allclose(added, found.contributions, atol=data["unit"])
    np.testing.assert_allclose(data["scores"].reshape(shape[:2]), board.cells, atol=1e-6)


def test_texts_are_in_the_page_by_id(board, tmp_path):
    names = board.evidence.alignment.pool.documents
    (tmp_path / "corpus.tsv").write_text(
        "".join(f"{name}\t{HOSTILE[1]}\t{'x' * 2000}\n" for name in names[1:])
    )
    (tmp_path / "queries.tsv").write_text("".join(f"{t}\tquery {t}\n" for t in board.topics))
    text = page(board, None, tmp_path / "queries.tsv", [tmp_path / "corpus.tsv"])
    data = unpacked(text)
    assert data["queries"] == {t: [f"query {t}", ""] for t in board.topics}
    assert set(data["texts"]) == set(data["documents"]) - {names[0]}
    title, body = next(iter(data["texts"].values()))
    assert title == HOSTILE[1]
    assert body == "x" * 1500 + " […]"
    assert len(Reader(text).all("script")) == 3
    assert unpacked(page(board))["texts"] is None


def test_certain_is_not_the_same_as_nearly_certain(board):
    beats = board.beats.copy()
    beats[0, 1], beats[0, 2] = 0.99999, 1.0
    assert unpacked(page(replace(board, beats=beats)))["beats"][:2].tolist() == [999, 1000]


def test_hostile_ids_are_text(hostile_text):
    read = Reader(hostile_text)
    assert read.wrong == []
    assert len(read.all("script")) == 3
    assert read.all("img") == []
    assert "window.hurt" not in "".join(one[2] for one in read.all("script") if not one[1])
    known = {one[2] for one in read.all("bdi")}
    for name in HOSTILE:
        assert shown(name) in known
    for one in read.found:
        assert not [k for k in one[1] if k.startswith("on")]
    assert unpacked(hostile_text)["systems"] == [shown(name) for name in HOSTILE]


def test_invisible_characters_are_shown():
    assert shown("a\x00b") == r"a\x00b"
    assert shown("\u202egnp") == r"\u202egnp"
    assert shown("\udc80") == r"\udc80"
    assert shown("") == "(no name)"
    for name in ("plain", "مرحبا", "👩‍👩‍👧‍👦", "é", "e\u0301"):
        assert shown(name) == name


def test_nothing_comes_from_outside(hostile_text):
    read = Reader(hostile_text)
    style = read.all("style")[0][2]
    assert "url(" not in style
    assert "@import" not in style
    for one in read.found:
        for key in ("src", "href", "action", "data"):
            where = one[1].get(key)
            assert where is None or where == "data:," or where.startswith("#"), one[:2]
    (policy,) = read.all("meta", **{"http-equiv": "Content-Security-Policy"})
    assert "default-src 'none'" in policy[1]["content"]


def test_the_content_policy_names_our_script(read):
    import base64
    import hashlib

    (script,) = (one for one in read.all("script") if not one[1])
    digest = base64.b64encode(hashlib.sha256(script[2].encode()).digest()).decode()
    (policy,) = read.all("meta", **{"http-equiv": "Content-Security-Policy"})
    assert f"script-src 'sha256-{digest}'" in policy[1]["content"]


@pytest.mark.parametrize(
    ("systems", "judges", "most"),
    [
        (129, 27, 1_000_000),
        pytest.param(1000, 200, 5_000_000, marks=pytest.mark.long),
        pytest.param(1200, 5, 5e6, marks=pytest.mark.long),
    ],
)
def test_large_pages_stay_small_enough_to_mail(board, systems, judges, most):
    text = page(large(board, systems, judges))
    assert len(text.encode()) < most
    read = Reader(text)
    rows = [one for one in read.all("th", scope="row") if "a-system" in one[2]]
    assert len(rows) >= min(systems, MOST_SYSTEMS)
    left = f">{systems - MOST_SYSTEMS} more systems (see <code>--format csv"
    assert (left in text) == (systems > MOST_SYSTEMS)
    assert unpacked(text)["lists"] == min(systems, 1000)


def test_hostile_and_long_pages_stay_below_a_megabyte(board):
    big = large(board, 129, 27)
    names = [f"{s}-" + "x" * 500 for s in range(129)]
    bias = dict.fromkeys(names, (0.1, -0.1, 0.3))
    renamed = replace(big, systems=names)
    vars(renamed)["gold"] = replace(big.gold, bias=bias)  # computed when it is asked for
    text = page(renamed)
    assert len(text.encode()) < 1_000_000


def test_one_system_and_no_gold():
    read = Reader(page(ordinary(systems=1, gold=False, topics=4)))
    assert read.wrong == []
    ids = [one[1].get("id") for one in read.all("h2")]
    assert "ranking" in ids
    assert not {"pairs", "groups", "gold"} & set(ids)
    assert "nothing to compare" in read.all("h1")[0][2]


@pytest.mark.parametrize(
    "options",
    [{"target": "topics"}, {"merge": "aware"}, {"merge": "mv"}, {"outlook": False}],
    ids=str,
)
def test_every_kind_of_leaderboard_has_a_page(options):
    assert Reader(page(ordinary(systems=3, topics=5, **options))).wrong == []


def test_one_judge_one_gold_topic():
    made = hj.simulate(systems=3, topics=6, documents=40, depth=15, accuracies=(0.9,))
    first = made.gold.topics[0]
    where = made.gold.pool.slice(0)
    names = made.gold.pool.documents
    gold = {first: {names[d]: int(made.gold.labels[d]) for d in range(where.start, where.stop)}}
    board = hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=100, gold=gold)
    text = page(board)
    assert Reader(text).wrong == []
    assert "not known" in text
    assert "inf" not in re.sub(r"<script.*?</script>|[a-z]*inf[a-z]+|[a-z]+inf", "", text)


def test_the_same_board_gives_the_same_page(board, tmp_path):
    board.write_page(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page(board)


def test_topics_with_most_doubt_come_first(board, read):
    table = next(one[2] for one in read.all("table") if "Left open" in one[2])
    most = [board.topics[t] for t in np.argsort(-board.unsure, kind="stable")[:MOST_TOPICS]]
    heads = re.findall(r"^\s*(\d+)0\.\d{3}", table, re.M)
    assert heads == most


def test_without_jinja_the_install_line_is_shown(board, monkeypatch):
    import sys

    _template.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(hj.HungjuryError, match=r"hungjury\[report\]"):
        page(board)


@pytest.mark.parametrize("most", [100, 2])
def test_ids_of_documents_that_no_judge_labelled(monkeypatch, most):
    monkeypatch.setattr("hungjury.report.page_data.MOST_UNJUDGED", most)
    board, runs = with_unjudged()
    data = unpacked(page(board))
    at, ids = iter(data["unjudgedAt"].tolist()), set()
    places = data["ranked"].reshape(len(board.systems), len(board.topics), data["depth"])
    for s, system in enumerate(board.systems):
        for t, topic in enumerate(board.topics):
            wanted = sorted(runs[system][topic], key=runs[system][topic].get, reverse=True)
            for n, place in enumerate(places[s, t].tolist()):
                if place != 1:
                    continue
                which = next(at)
                if which:
                    assert data["unjudged"][which - 1] == shown(wanted[n])
                    ids.add(wanted[n])
    assert next(at, None) is None
    assert len(ids) == len(data["unjudged"]) == min(most, 3)


# Words and figures of the report: headline, conclusions, axes, shortened names.


# ---- words


def said(sentences):
    return " ".join("".join(p if isinstance(p, str) else p[0] for p in s) for s in sentences)


def with_first(board, p_best, near):
    """A board whose first system cannot be told apart from the `near` next ones."""
    apart = board.apart.copy()
    apart[0], apart[:, 0] = True, True
    apart[0, : near + 1], apart[: near + 1, 0] = False, False
    rest = np.full(len(board.systems) - 1, (1 - p_best) / (len(board.systems) - 1))
    return replace(board, apart=apart, p_best=np.concatenate([[p_best], rest]))


@pytest.mark.parametrize(
    ("p_best", "near", "words"),
    [
        (0.99, 0, "is better than every other system"),
        (0.96, 2, "is very likely the best of 4"),
        (0.6, 1, "cannot be told apart from {1}"),
        (0.6, 2, "cannot be told apart from 2 other systems"),
        (0.4, 3, "cannot be told apart from any other system"),
    ],
)
def test_the_headline_says_how_sure(board, p_best, near, words):
    board = with_first(board, p_best, near)
    found = lead(board, 3)
    assert words.replace("{1}", board.systems[1]) in said([found["head"]])
    assert f"{board.mean[0]:.3f}" in said([found["below"]])
    assert f"{p_best:.0%}".replace("%", " %") in said([found["below"]])


def test_equal_means_share_the_first_place(board):
    mean = board.mean.copy()
    mean[1] = mean[0]
    assert "1 other system share" in said([lead(replace(board, mean=mean), 3)["head"]])


@pytest.mark.parametrize(
    ("scale", "error", "view"),
    [("panel", 0.0, True), ("panel", 0.035, False), ("gold", 0.0, False), ("gold", 0.1, False)],
)
def test_a_panel_without_an_error_is_only_its_own_view(board, scale, error, view):
    assumed = Assumed(error, 1, 0.015, None) if error else None
    board = computed(replace(with_first(board, 0.99, 0), scale=scale), assumed=assumed)
    may, _ = conclusions(board, 3)
    assert ("in the view of this panel" in said([lead(board, 3)["head"]])) is view
    assert ("in the view of this panel" in said(may)) is view
    assert "is better than every other system" in said(may)


def test_conclusions_fit_the_target_and_the_warnings(board):
    may, may_not = conclusions(with_first(board, 0.6, 2), 3)
    assert "topics like these" in said(may)
    assert f"{board.systems[0]} is better than {board.systems[3]}." in said(may)
    assert "one of the 2 systems close" in said(may_not)
    assert "topics unlike these" in said(may_not)
    assumed = Assumed(0.035, 1, 0.015, None)
    panel = computed(replace(board, target="topics", scale="panel"), assumed=assumed)
    _, may_not = conclusions(panel, 3)
    assert "other topics" in said(may_not)
    assert "on the panel’s scale" in said(may_not)
    assert "0.035 of the measure's range" in said(may_not)
    _, may_not = conclusions(replace(board, scale="gold"), 3)
    assert "panel" not in said(may_not)


# ---- figures


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (0.21, 0.87), (-0.03, 0.04), (0.5, 0.5), (0, 0), (120, 4000)]
)
def test_axes_hold_their_values_and_have_round_ticks(low, high):
    axis = scale(low, high)
    assert axis.low <= low <= high <= axis.high
    assert 2 <= len(axis.ticks) <= 7
    assert len({axis.text(tick) for tick in axis.ticks}) == len(axis.ticks)
    for tick in axis.ticks:
        assert float(axis.text(tick).replace("−", "-")) == pytest.approx(tick)
    assert axis.at(axis.low) == 0
    assert axis.at(axis.high + 1) == 100


def test_a_hopeless_system_does_not_squeeze_the_others():
    low = np.array([0.7, 0.71, 0.72, 0.73, 0.75, 0.1])
    high = np.full(6, 0.8)
    assert shown_ends(low, high, 0.6) == (0.7, 0.8)
    assert shown_ends(low[:-1], high[:-1], 0.1) == (0.7, 0.8)
    assert shown_ends(np.array([0.3]), high[:1], 0.0) == (0.3, 0.8)
    assert shown_ends(np.array([0.1, 0.3, 0.5, 0.7]), high[:4], 0.6) == (0.1, 0.8)
    # Where smaller is better, the hopeless are at the other end.
    low, high = np.array([1.0, 1.1, 1.2, 1.3, 2.0]), np.array([2.0, 2.1, 2.2, 2.3, 50.0])
    assert shown_ends(low, high, -20.0) == (1.0, 2.3)
    axis = scale(1.0, 2.3)
    assert axis.cut(2.0, 25.0, 50.0) == ("▸", True)
    assert axis.cut(1.0, 1.5, 2.3) == ("", False)
    assert axis.cut(0.5, 1.5, 2.3) == ("◂", False)


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        (["run-of-my-group-bm25", "run-of-my-group-t5"], "run-of-my-group-"),
        (["run-of-my-group-a-bm25", "run-of-my-group-b-t5"], "run-of-my-group-"),
        (["a-b-1", "a-b-2"], ""),  # short enough
        (["my-long-system", "my-long-systems"], "my-long-"),
        (["run-of-my-group-", "run-of-my-group-t5"], ""),  # nothing would be left
        (["run-of-my-group-bm25"], ""),
        ([], ""),
    ],
)
def test_names_are_shortened_to_what_differs(names, prefix):
    assert common_prefix(names) == prefix


def test_runs_cover_the_cells_of_their_bin():
    bins = np.random.default_rng(0).integers(-1, 3, (9, 9))
    drawn = np.full((9, 9), -1)
    for k, path in enumerate(runs_by_bin(bins, 3)):
        for x, y, length in re.findall(r"M(\d+) (\d+)\.5h(\d+)", path):
            drawn[int(y), int(x) : int(x) + int(length)] = k
    np.testing.assert_array_equal(drawn, bins)


def test_the_border_runs_where_inside_meets_outside():
    inside = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=bool)
    assert sorted(re.findall("M[^M]+", border(inside))) == sorted(
        ["M2 0v1", "M2 1v1", "M2 2v1", "M0 2h1", "M1 2h1", "M2 2h1"]
    )


def test_a_chart_writes_no_number_over_another():
    drawn = chart([(2, 0.3), (20, 0.2), (21, 0.19), (22, 0.18), (40, 0.1)], 21, 3, 3)
    told = [p["x"] for p in drawn["points"] if p["labelled"]]
    assert all(b - a >= 38 for a, b in pairwise(told))
    assert [p["labelled"] for p in drawn["points"] if p["kind"] == "now"] == [True]
    assert [p["kind"] for p in drawn["points"]] == ["measured"] * 2 + ["now"] + ["guessed"] * 2
    heights = [p["y"] for p in drawn["points"]]
    assert heights == sorted(heights)


def test_the_record_of_leaders_is_what_the_page_shows():
    page = (DOCS / "leaderboard.md").read_text(encoding="utf-8")
    table = page.split("### Ranks and leaders")[1].split("### ")[0]
    rows = {line.split("|")[1].strip(): line.split("|")[2:7] for line in table.splitlines()
            if line.startswith("| ")}  # fmt: skip
    for place, (upper, share, boards) in enumerate(BEST_RECORD):
        mine = rows["all" if upper < 0.7 else "5 random"][place]
        assert mine.strip() == f"{share:.2f} of {boards}"
