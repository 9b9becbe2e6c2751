"""Two systems on one topic, in a real browser: choosing, addresses, what is shown."""

import json
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest

import hungjury as hj
from builders.boards import HOSTILE, hostile, large, ordinary, with_unjudged
from builders.browsers import Visit, assert_soon
from hungjury.report.board import shown


def texts(board, folder):
    """Files with a text for every document and topic, each of which tries to run a script."""
    pool = board.evidence.alignment.pool
    names = [n for n in pool.documents if not set("\t\r\n\x00") & set(n) and n.isprintable()]
    corpus, queries = folder / "corpus.tsv", folder / "queries.tsv"
    corpus.write_text("".join(f"{n}\t{HOSTILE[1]}\tabout {HOSTILE[2]}\n" for n in names), "utf-8")
    queries.write_text("".join(f"{t}\tasks {HOSTILE[0]}\n" for t in board.topics[:6]), "utf-8")
    return {"queries": queries, "documents": corpus}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    board = ordinary()
    boards = {
        "ordinary": (board, {}),
        "hostile": (hostile(), None),
        "large": (large(board, 75, 27), {}),
    }
    for name, (one, files) in boards.items():
        files = texts(one, folder) if files is None else files
        one.write_page(folder / f"{name}.html", **files)
    return {name: (one, folder / f"{name}.html") for name, (one, _) in boards.items()}


class Pair(Visit):
    """The lists of two systems."""

    def __init__(self, browser, path, fragment="", **options):
        super().__init__(browser, path.as_uri() + fragment, **options)
        self.ready()

    def ready(self):
        self.page.wait_for_selector("html[data-ready]")

    def choose(self, what, name):
        """Choose by the visible text of an option."""
        box = self.page.locator(f"#pair-{what}")
        options = box.locator("option").all_inner_texts()
        (place,) = (i for i, text in enumerate(options) if name in text.split("  "))
        box.select_option(index=place)

    def chosen(self):
        """What the boxes say: both systems and the topic."""
        told = [
            self.page.locator(f"#pair-{what} option:checked").inner_text().split("  ")
            for what in ("a", "b", "topic")
        ]
        return told[0][1], told[1][1], told[2][0]

    def address(self):
        found = parse_qs(self.page.evaluate("location.hash").lstrip("#"))
        return tuple(found[key][0] for key in ("a", "b", "topic"))

    def documents(self, side):
        found = f"#pair-list-{side} > li"
        ids = "rows => rows.map(row => row.querySelector('p .id')?.textContent ?? null)"
        return self.page.eval_on_selector_all(found, ids)

    def texts(self, side, selector):
        return self.page.locator(f"#pair-list-{side} {selector}").all_inner_texts()


@pytest.fixture
def visit(browser, pages):
    opened = []

    def open_page(name, fragment="", **options):
        opened.append(Pair(browser, pages[name][1], fragment, **options))
        return opened[-1]

    yield open_page
    for one in opened:
        one.close()


def lists_of(board, system, topic):
    """The documents of a list, None where nobody judged one."""
    found = board.evidence
    s, t = board.systems.index(system), board.topics.index(topic)
    names = found.alignment.pool.documents
    return [None if d == -1 else shown(names[d]) for d in found.lists[s, t].tolist() if d != -2]


def fragment(a, b, topic):
    return "#" + urlencode({"a": a, "b": b, "topic": topic})


def test_choosing_changes_the_lists_and_the_address(visit, pages):
    board = pages["ordinary"][0]
    one = visit("ordinary")
    a = one.chosen()[0]
    assert a == board.systems[0]
    one.choose("b", board.systems[3])
    one.choose("topic", board.topics[5])
    assert_soon(lambda: one.documents("a"), lists_of(board, a, board.topics[5]))
    assert one.chosen() == (a, board.systems[3], board.topics[5])
    assert one.address() == one.chosen()
    assert one.documents("b") == lists_of(board, board.systems[3], board.topics[5])
    assert one.documents("a") != one.documents("b"), "too easy"
    one.choose("a", board.systems[3])  # the same as B: they change places
    assert_soon(lambda: one.chosen()[:2], (board.systems[3], a))
    assert one.said == []


def test_two_choices_at_once_are_both_kept(visit, pages):
    board = pages["ordinary"][0]
    one = visit("ordinary", fragment(*board.systems[:2], board.topics[3]))
    one.page.evaluate(
        "chosen => { for (const [what, value] of chosen) {"
        "  const box = document.getElementById(`pair-${what}`);"
        "  box.value = value; box.dispatchEvent(new Event('change')); } }",
        [["b", "3"], ["topic", "5"]],
    )
    wanted = (board.systems[0], board.systems[3], board.topics[5])
    assert_soon(one.address, wanted)
    assert one.chosen() == wanted
    assert one.documents("b") == lists_of(board, board.systems[3], board.topics[5])


def test_a_link_a_reload_and_the_back_button(visit, pages):
    board = pages["ordinary"][0]
    wanted = (board.systems[2], board.systems[1], board.topics[3])
    one = visit("ordinary", fragment(*wanted))
    assert one.chosen() == wanted
    assert one.page.locator("#pair").is_visible()
    top = one.page.eval_on_selector("#pair", "e => e.getBoundingClientRect().top")
    assert -5 < top < 400, "the lists were not scrolled to"
    one.choose("topic", board.topics[7])
    one.choose("b", board.systems[0])
    last = (wanted[0], board.systems[0], board.topics[7])
    assert_soon(one.chosen, last)
    one.page.reload()
    one.ready()
    assert one.chosen() == last
    one.page.go_back()
    assert_soon(one.chosen, (wanted[0], wanted[1], board.topics[7]))
    one.page.go_back()
    assert_soon(one.chosen, wanted)
    assert one.documents("a") == lists_of(board, wanted[0], wanted[2])
    one.page.go_forward()
    assert_soon(lambda: one.chosen()[2], board.topics[7])
    one.page.evaluate("location.hash = '#ranking'")  # another link of the page
    one.rest()
    assert one.chosen()[2] == board.topics[7]
    assert one.said == []


def test_a_link_to_another_report_says_so(visit, pages):
    board = pages["ordinary"][0]
    one = visit("ordinary", fragment("nobody", board.systems[1], board.topics[3]))
    assert one.page.locator("#pair-lost").is_visible()
    assert one.chosen()[0] == board.systems[0]
    one.page.evaluate(
        "where => { location.hash = where }", fragment(*board.systems[:2], board.topics[3])
    )
    one.page.locator("#pair-lost").wait_for(state="hidden")
    assert one.chosen() == (*board.systems[:2], board.topics[3])


def test_what_is_shown_of_documents_is_what_was_said(visit, pages):
    board = pages["ordinary"][0]
    found = board.evidence
    a, b, topic = board.systems[0], board.systems[2], board.topics[4]
    one = visit("ordinary", fragment(a, b, topic))
    s, t = 0, 4
    known = [d for d in found.lists[s, t].tolist() if d >= 0]
    said = found.panel.judgments.matrix()[:, known]
    rows = one.page.eval_on_selector_all(
        "#pair-list-a .votes", "all => all.map(one => [...one.children].map(c => c.textContent))"
    )
    assert rows == [["·" if v < 0 else str(v) for v in column] for column in said.T.tolist()]
    facts = one.texts("a", ".facts-line")
    ranks = [n for n, d in enumerate(found.lists[s, t].tolist()) if d >= 0]
    for d, n, text in zip(known, ranks, facts, strict=True):
        p, gold = found.probability[d, 0], found.gold[d]
        assert f"P(relevant) {round(100 * p)} %" in text or abs(100 * p % 1 - 0.5) < 1e-6
        assert f"gold {gold:g}" in text
        assert f"adds {found.contributions[s, t, n]:.2f}"[:-1] in text
    one.page.locator("#pair-list-a summary").first.click()
    labels = "li:first-child .labels li"
    assert_soon(lambda: len(one.texts("a", labels)), len(found.panel.judgments.judges) + 1)
    assert one.texts("a", labels)[0].split() == ["gold", f"{found.gold[known[0]]:g}"]
    told = one.page.locator("#pair-summary").inner_text()
    assert f"{board.cells[0, 4]:.3f} for A, {board.cells[2, 4]:.3f} for B" in told


def test_documents_that_no_judge_labelled_have_ids_and_texts(browser, tmp_path):
    board, _ = with_unjudged()
    corpus = tmp_path / "corpus.tsv"
    corpus.write_text("x\tabout x\na\tabout a\n")
    path = tmp_path / "page.html"
    board.write_page(path, documents=corpus)
    one = Pair(browser, path, fragment("first", "second", "t1"))
    told = [" ".join(text.split()) for text in one.texts("a", "li.unjudged")]
    assert told[0] == "2 x rank 1 of B; no judge labelled it about x"
    assert told[1] == f"3 {HOSTILE[0]} not in B’s first 10; no judge labelled it"
    assert not one.page.evaluate("window.hurt")
    one.page.locator("#pair-list-a li.unjudged").first.hover()
    assert_soon(one.page.locator("#pair-list-b li.same").count, 1)
    one.close()


def deciding(board, a, b, t):
    """Slowly: documents by what they add to A minus what they add to B, until half is reached."""
    found, adds = board.evidence, {}
    for s, sign in ((a, 1), (b, -1)):
        for d, added in zip(
            found.lists[s, t].tolist(), found.contributions[s, t].tolist(), strict=True
        ):
            if d >= 0:
                adds[d] = adds.get(d, 0.0) + sign * added
    order = sorted(adds, key=lambda d: -abs(adds[d]))
    half, marked = sum(map(abs, adds.values())) / 2, {}
    for d in order:
        if half <= 1e-6:
            break
        marked[found.alignment.pool.documents[d]] = adds[d]
        half -= abs(adds[d])
    return marked


def test_documents_that_decide_are_marked(visit, pages):
    board = pages["ordinary"][0]
    for t in (0, 3, 8):
        one = visit("ordinary", fragment(board.systems[0], board.systems[3], board.topics[t]))
        expected = deciding(board, 0, 3, t)
        rows = one.page.eval_on_selector_all(
            "li.decides", "all => all.map(r => [r.querySelector('p .id').textContent, "
            "r.querySelector('.mark').textContent])"
        )  # fmt: skip
        assert {name for name, _ in rows} == set(expected)
        for name, told in rows:
            size, side = told.removeprefix("decides: ").split(" for ")
            assert float(size) == pytest.approx(abs(expected[name]), abs=0.002)
            assert side == ("A" if expected[name] > 0 else "B")
        assert 0 < len(expected) < 12, "too easy"


def test_topics_are_sorted_by_the_difference_and_bars_can_be_clicked(visit, pages):
    board = pages["ordinary"][0]
    one = visit("ordinary", fragment(*board.systems[:2], board.topics[0]))
    options = one.page.locator("#pair-topic option").all_inner_texts()
    by = board.cells[0] - board.cells[1]
    order = np.argsort(-by, kind="stable")
    assert [text.split("  ")[0] for text in options] == [board.topics[t] for t in order]
    box = one.page.locator("#pair-bars").bounding_box()
    one.page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    assert_soon(lambda: one.chosen()[2], board.topics[order[-1]])
    one.page.locator("#pair-topic").focus()
    one.page.keyboard.press("ArrowUp")
    assert_soon(lambda: one.chosen()[2], board.topics[order[-2]])
    assert one.address() == one.chosen()


def test_a_cell_of_the_heat_map_leads_to_the_lists(visit, pages):
    board = pages["ordinary"][0]
    one = visit("ordinary")
    one.page.locator("svg.matrix.pairs").focus()
    one.page.keyboard.press("ArrowRight")
    one.page.keyboard.press("Enter")
    assert_soon(lambda: one.chosen()[:2], (board.systems[0], board.systems[2]))


def test_hostile_texts_and_ids_are_text(visit, pages):
    board = pages["hostile"][0]
    one = visit("hostile")
    for t in range(5):
        one.page.locator("#pair-topic").select_option(value=str(t))
        s = [shown(name) for name in board.systems].index(one.chosen()[0])
        found = board.evidence
        names = [found.alignment.pool.documents[d] for d in found.lists[s, t].tolist() if d >= 0]
        assert [n for n in one.documents("a") if n] == [shown(n) for n in names]
        assert one.page.locator("#pair-query").inner_text() == f"asks {HOSTILE[0]}"
        for summary in one.page.locator("#pair-list-a summary").all():
            summary.click()
    assert HOSTILE[1] in one.texts("a", ".text summary")[0]
    assert one.page.evaluate("window.hurt") is None
    assert one.page.locator("script").count() == 3
    assert one.page.locator("img, iframe, object").count() == 0
    assert one.said == []
    assert [url for url in one.asked if not url.startswith("data:")] == [
        pages["hostile"][1].as_uri()
    ]


# Ordinary and hostile names in both schemes, and every size; 640 x 400 is a usual screen at 200 %,
# 320 x 256 at 400 %.
@pytest.mark.parametrize(
    ("name", "size", "scheme"),
    [
        ("ordinary", (1280, 800), "dark"),
        ("ordinary", (640, 400), "light"),
        ("ordinary", (320, 256), "dark"),
        ("hostile", (1280, 800), "light"),
        ("hostile", (390, 800), "dark"),
        ("large", (390, 800), "light"),
    ],
)
def test_axe_finds_nothing_and_nothing_is_cut_off(visit, name, size, scheme):
    width, height = size
    one = visit(name, viewport={"width": width, "height": height}, color_scheme=scheme)
    for summary in one.page.locator("#pair-list-a summary").all()[:4]:
        summary.click()
    assert one.axe() == []
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    cut = one.page.eval_on_selector_all(
        "section:has(#pair) *",
        "all => all.filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
        ".map(e => e.outerHTML)",
    )
    assert cut == []


def test_every_control_is_reached_by_tab_and_shows_it(visit):
    assert visit("ordinary").tabbed() == ([], [])


def test_texts_from_right_to_left_are_set_so(browser, tmp_path):
    board = ordinary(gold=False)
    sides = {}
    for name, ids in (
        ("queries", board.topics),
        ("documents", board.evidence.alignment.pool.documents),
    ):
        rows = [{"_id": one, "text": "מה השעה?" if i % 2 else "What?"} for i, one in enumerate(ids)]
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))
        sides |= {row["text"]: "rtl" if "מ" in row["text"] else "ltr" for row in rows}
    texts = {name: str(tmp_path / name) for name in ("queries", "documents")}
    board.write_page(tmp_path / "page.html", **texts)
    one = Pair(browser, tmp_path / "page.html")
    found = one.page.eval_on_selector_all(
        "#pair-query, .ranks .text summary",
        "all => all.map(e => [e.textContent, getComputedStyle(e).direction])",
    )
    assert len(found) > 10
    assert dict(found) == sides
    one.close()


def test_long_names_are_shortened_for_the_eye_only(visit, pages):
    board = pages["large"][0]
    one = visit("large")
    row = one.page.locator("#systems tbody tr").first.locator("th .id")
    assert row.text_content() == board.systems[0]
    assert row.get_attribute("title") == board.systems[0]
    seen = one.page.eval_on_selector(
        "#systems tbody th .id > span", "e => e.getBoundingClientRect().width"
    )
    assert seen <= 1
    assert one.page.get_by_role("button", name=board.systems[0], exact=True).count() == 1


def test_on_paper_both_lists_stand_side_by_side(visit):
    one = visit("ordinary", viewport={"width": 720, "height": 1000})
    one.page.emulate_media(media="print")
    left, right = (one.page.locator(f"#pair-list-{k}").bounding_box() for k in "ab")
    assert left["y"] == pytest.approx(right["y"], abs=2)
    assert right["x"] > left["x"] + left["width"] - 1
    assert one.page.locator("form.choose").is_hidden()


def test_without_scripts_there_is_no_empty_section(visit, pages, browser):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(pages["ordinary"][1].as_uri())
    assert page.locator("#pair").is_hidden()
    assert page.locator('nav a[href="#pair"]').is_hidden()
    page.context.close()


def test_the_page_of_dl21_is_small_and_works(browser, shared_data, tmp_path):
    data = shared_data / "dl21"
    board = hj.leaderboard(
        str(data / "judges-llama/*"), str(data / "runs/*"), "AP(rel=2)", draws=100, outlook=False,
        duplicates="first", grades=range(4), outside="clip",
    )  # fmt: skip
    assert (len(board.systems), len(board.topics), len(board.judges)) == (63, 53, 27)
    path = tmp_path / "dl21.html"
    board.write_page(path)
    assert path.stat().st_size < 1_000_000
    one = Pair(browser, path, fragment(board.systems[3], board.systems[10], board.topics[9]))
    assert one.documents("a") == lists_of(board, board.systems[3], board.topics[9])
    assert len(one.documents("b")) == 20
    assert one.said == []
    one.close()
