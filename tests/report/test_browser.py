"""The report in a real browser: Debian's chromium, without a screen."""

import re
from itertools import pairwise

import pytest

from builders.boards import HOSTILE, hostile, large, ordinary
from builders.browsers import Visit, assert_soon
from hungjury.report.board import shown


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    board = ordinary()
    boards = {
        "ordinary": board,
        "hostile": hostile(),
        "one": ordinary(systems=1, gold=False),
        "large": large(board, 129, 27),
    }
    for name, one in boards.items():
        one.write_page(folder / f"{name}.html")
    return {name: (one, folder / f"{name}.html") for name, one in boards.items()}


class Report(Visit):
    """A report that was opened."""

    def __init__(self, browser, path, fragment="", **options):
        super().__init__(browser, path.as_uri() + fragment, **options)
        if options.get("java_script_enabled", True):
            self.page.wait_for_selector("html[data-ready]")

    def column(self, table, number):
        """The texts of a column, shown rows only."""
        rows = f"#{table} tbody tr:not([hidden])"
        return self.page.eval_on_selector_all(
            rows, f"rows => rows.map(row => row.cells[{number}].textContent.trim())"
        )

    def matrix(self, kind):
        """A heat map, scrolled to and in focus."""
        found = self.page.locator(f"svg.matrix.{kind}")
        found.scroll_into_view_if_needed()
        found.focus()
        self.rest()
        return found

    def head(self, table, text):
        return self.page.locator(f"#{table} thead button", has_text=text)


@pytest.fixture
def visit(browser, pages):
    opened = []

    def open_page(name, fragment="", **options):
        one = Report(browser, pages[name][1], fragment, **options)
        opened.append(one)
        return one

    yield open_page
    for one in opened:
        one.close()


@pytest.mark.parametrize("name", ["ordinary", "hostile", "one", "large"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_load_in_silence_and_fit(visit, pages, name, width, scheme):
    one = visit(name, viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert one.said == []
    assert [url for url in one.asked if not url.startswith("data:")] == [pages[name][1].as_uri()]
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    dark = one.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (max(map(int, dark[4:-1].split(","))) < 60) == (scheme == "dark")


def test_the_line_below_a_row_goes_through_its_name_on_a_telephone(visit):
    one = visit("ordinary", viewport={"width": 360, "height": 800})
    below = "one => [getComputedStyle(one).position, getComputedStyle(one).boxShadow]"
    position, shadow = one.page.eval_on_selector("#systems tbody th.name", below)
    assert position == "sticky"  # which hides the border that cells of a table share
    assert "inset" in shadow


def test_a_telephone_shows_who_is_best_and_whole_names_of_judges(visit):
    one = visit("ordinary", viewport={"width": 390, "height": 800})
    head = one.page.locator("#systems thead th", has_text="P(best)").bounding_box()
    assert head["x"] + head["width"] <= 390
    one.page.eval_on_selector("#panel tbody .id", "e => { e.textContent = 'qwen3-235b-thinking'; }")
    cut = "all => all.filter(e => e.scrollWidth > e.clientWidth).length"
    assert one.page.eval_on_selector_all("#panel tbody .id", cut) == 0
    ends = one.page.eval_on_selector_all(
        "#systems .axis text",
        "all => all.map(e => e.getBoundingClientRect()).filter(r => r.width)"
        ".map(r => [r.left, r.right])",
    )
    assert all(right + 2 < left for (_, right), (left, _) in pairwise(ends))


def test_hostile_ids_are_seen_and_do_not_run(visit):
    one = visit("hostile")
    assert one.page.evaluate("window.hurt") is None
    assert one.page.locator("script").count() == 3  # data, provenance and our own
    assert one.page.locator("img, iframe, object").count() == 0
    assert one.column("systems", 1) == [shown(name) for name in HOSTILE]
    high = one.page.eval_on_selector_all(
        "#systems tbody tr", "rows => rows.map(row => row.getBoundingClientRect().height)"
    )
    assert max(high) < 1.8 * min(high), "an id stretches its row"


def test_hostile_ids_do_not_run_when_pointed_at(visit):
    one = visit("hostile")
    for matrix in ("pairs", "kappas"):
        at = one.matrix(matrix).bounding_box()
        one.page.mouse.move(at["x"] + at["width"] * 0.9, at["y"] + at["height"] * 0.2)
        assert_soon(one.page.locator("#tip").is_visible, True)
        assert one.page.locator("#tip script, #tip img").count() == 0
    assert one.page.evaluate("window.hurt") is None
    assert one.said == []


def test_every_column_sorts_both_ways(visit):
    one = visit("hostile")
    for table in ("systems", "panel", "against-gold", "bias-table"):
        for column, button in enumerate(one.page.locator(f"#{table} thead button").all()):
            head = f"#{table} thead th:nth-child({column + 1})"
            seen = []
            for _ in range(2):
                button.click()
                seen.append(one.page.get_attribute(head, "aria-sort"))
                values = one.page.eval_on_selector_all(
                    f"#{table} tbody tr",
                    f"rows => rows.map(row => row.cells[{column}].dataset.v).filter(v => v)",
                )
                order = sorted(map(float, values), reverse=seen[-1] == "descending")
                assert list(map(float, values)) == order
            assert sorted(seen) == ["ascending", "descending"]
            assert one.page.locator(f"#{table} [aria-sort]").count() == 1


def test_sorting_keeps_rows_whole_and_can_be_undone(visit, pages):
    board = pages["large"][0]
    one = visit("large")
    one.head("systems", "Mean").click()
    one.head("systems", "Mean").click()
    assert one.column("systems", 1) == board.systems[::-1]
    assert one.column("systems", 2) == [f"{v:.3f}" for v in board.mean[::-1]]
    one.head("systems", "№").first.click()
    assert one.column("systems", 1) == board.systems


def test_sorting_by_the_keyboard(visit, pages):
    one = visit("ordinary")
    one.head("systems", "Mean").focus()
    one.page.keyboard.press("Enter")
    one.page.keyboard.press("Space")
    assert one.column("systems", 1) == pages["ordinary"][0].systems[::-1]


def test_filtering(visit):
    one = visit("large")
    box = one.page.get_by_label("Filter systems")
    box.fill("NAME-12")
    shown_names = one.column("systems", 1)
    assert shown_names
    assert all("name-12" in name for name in shown_names)
    assert one.page.locator("form output").inner_text() == f"{len(shown_names)} of 129 shown"
    box.press("Enter")  # submits nothing
    assert one.column("systems", 1) == shown_names
    box.fill("no such system")
    assert one.column("systems", 1) == []
    box.fill("")
    assert len(one.column("systems", 1)) == 129


def test_choosing_a_system_holds_the_others_against_it(visit, pages):
    board = pages["hostile"][0]
    one = visit("hostile")
    one.page.locator(".pick").nth(2).click()
    assert one.page.locator('[aria-pressed="true"]').all_inner_texts() == [board.systems[2]]
    found = one.column("systems", 8)
    assert found.pop(2) == "–"
    for s, text in zip([0, 1, *range(3, len(board.systems))], found, strict=True):
        assert ("≈" in text) == (not board.apart[2, s])
        told = float(text.strip("≈ <>%"))
        assert told == pytest.approx(100 * board.beats[2, s], abs=1)
    assert {board.beats[2, s] > 0.5 for s in (0, 8)} == {False, True}, "too easy"


def test_the_heat_map_tells_what_is_under_the_pointer(visit, pages):
    board = pages["hostile"][0]
    one = visit("hostile")
    at, size = one.matrix("pairs").bounding_box(), len(board.systems)
    cell = at["width"] / size
    top = at["height"] - size * cell
    for row, column in ((0, 3), (3, 1)):
        one.page.mouse.move(at["x"] + (column + 0.5) * cell, at["y"] + top + (row + 0.5) * cell)
        about = f"P(№ {row + 1} beats № {column + 1}) = "
        tip = one.page.locator("#tip", has_text=about)
        tip.wait_for()
        told = tip.inner_text()
        chance = re.match(r"[<>]?(\d+) %", told.removeprefix(about))[1]
        assert float(chance) == pytest.approx(100 * board.beats[row, column], abs=1)
        assert board.systems[row] in told
        assert board.systems[column] in told
        apart = "can be told apart" if board.apart[row, column] else "cannot be told apart"
        assert apart in told
    one.page.mouse.move(at["x"] + 0.5 * cell, at["y"] + top + 0.5 * cell)
    assert_soon(one.page.locator("#tip").is_hidden, True)


def test_the_heat_map_by_the_keyboard(visit):
    one = visit("ordinary")
    one.matrix("pairs")
    one.page.keyboard.press("ArrowRight")
    assert "P(№ 1 beats № 3)" in one.page.locator("#tip").inner_text()
    one.page.keyboard.press("ArrowDown")
    assert "P(№ 2 beats № 3)" in one.page.locator("#tip").inner_text()
    one.page.keyboard.press("Escape")
    assert one.page.locator("#tip").is_hidden()


def test_without_scripts_everything_is_there(visit, pages):
    one = visit("ordinary", java_script_enabled=False)
    assert one.page.locator("#systems tbody tr").count() == len(pages["ordinary"][0].systems)
    assert one.page.locator("form.filter").is_hidden()


def test_on_paper_all_is_visible_and_light(visit):
    one = visit("large", color_scheme="dark", viewport={"width": 720, "height": 1000})
    one.page.emulate_media(media="print", color_scheme="dark")
    assert one.page.locator("nav").is_hidden()
    wide = one.page.eval_on_selector_all(
        ".scroll", "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.ariaLabel)"
    )
    assert wide == [], "cut off on paper"
    paper = one.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
