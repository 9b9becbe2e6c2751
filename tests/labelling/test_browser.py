"""The labelling page in a real browser: Debian's chromium, without a screen."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import hungjury as hj
from builders.browsers import Visit, assert_soon
from builders.label_server import HOSTILE, Server, make_panel, make_plan

pytest.importorskip("starlette", reason="pip install 'hungjury[label]'")
pytest.importorskip("uvicorn", reason="pip install 'hungjury[label]'")
CUT = "net::ERR_CONNECTION"  # what a browser says of a server that was killed


class Person(Visit):
    """Somebody at the page."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        super().__init__(browser, address, **options)
        self.page.wait_for_selector("#task:not([hidden]), #finished:not([hidden])")

    def document(self) -> str:
        return str(self.page.locator("#document").inner_text())

    def pair(self) -> tuple[str, str]:
        return str(self.page.locator("#topic").inner_text()), self.document()

    def press(self, key: str) -> tuple[str, str]:
        """Press a key that answers, wait for the next document, and say what was answered."""
        before = self.pair()
        self.page.keyboard.press(key)
        self.page.wait_for_function(
            "old => document.getElementById('document').textContent !== old "
            "|| !document.getElementById('finished').hidden",
            arg=before[1],
        )
        return before

    def status(self) -> str:
        return str(self.page.locator("#status").inner_text())

    def wait_for_status(self, text: str) -> None:
        self.page.locator("#status", has_text=text).wait_for()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_plan(tmp_path)
    return tmp_path


def stored(folder: Path) -> dict[tuple[str, str], int]:
    labels = hj.read_qrels(str(folder / "labels.db")).to_dict()
    return {(t, d): g for t, rows in labels.items() for d, g in rows.items()}


def test_twenty_documents_by_keyboard_with_undo_skip_and_a_reload(
    browser: Any, folder: Path
) -> None:
    with Server(folder) as server:
        anna = Person(browser, server.addresses["anna"])
        pressed = {anna.press(str(i % 4)): i % 4 for i in range(10)}
        assert anna.status() == "Labelled 1 · related"
        anna.press("u")  # the tenth, again
        assert anna.page.locator("#grades [aria-pressed=true]").inner_text().startswith("1")
        pressed[anna.press("3")] = 3
        anna.page.keyboard.press("s")
        skipped = anna.press("2")
        assert anna.status() == "Skipped · The text is broken or incomplete"
        anna.page.keyboard.press("n")
        anna.page.keyboard.type("with 3 digits, U and S")
        anna.page.keyboard.press("Escape")
        noted = anna.press("2")
        pressed[noted] = 2
        here = anna.pair()
        anna.page.reload()
        anna.page.wait_for_selector("#task:not([hidden])")
        assert anna.pair() == here
        pressed |= {anna.press(str(i % 4)): i % 4 for i in range(9)}
        assert len(pressed) == 20
        assert skipped not in pressed
        assert "20 of 60 labelled" in anna.page.locator("#count").inner_text()
        # Documents of a topic came together, and the batch is the plan's first.
        assert [t for t, _ in pressed] == ["q2"] * 20
        assert [d for _, d in pressed] == [
            f"d{i}" for i in range(0, 42, 2) if f"d{i}" != skipped[1]
        ]
        assert stored(folder) == pressed
        assert anna.said == []
        assert anna.failed == []
        assert {url.split("/")[2] for url in anna.asked} == {f"127.0.0.1:{server.port}"}
        anna.close()
        server.stop()
    rows = sqlite3.connect(folder / "labels.db").execute(
        "select document, grade, reason, note, seconds from answers join items using (item) "
        "where not undone"
    )
    answers = {document: rest for document, *rest in rows}
    assert answers[skipped[1]][:2] == [None, "The text is broken or incomplete"]
    assert answers[noted[1]][:3] == [2, "", "with 3 digits, U and S"]
    assert all(0 < rest[-1] < 60 for rest in answers.values())


def test_a_killed_server_loses_nothing_that_was_seen_to_be_stored(
    browser: Any, folder: Path
) -> None:
    with Server(folder) as server:
        anna = Person(browser, server.addresses["anna"])
        pressed = {anna.press("1"): 1 for _ in range(7)}
        server.kill()  # kill -9
        assert stored(folder) == pressed
        here = anna.pair()
        anna.page.keyboard.press("2")
        anna.page.wait_for_selector("#trouble:not([hidden])")
        assert "label 2 will be stored" in anna.page.locator("#trouble").inner_text()
        anna.page.keyboard.press("3")  # belongs to no document: the label before is on its way
        with Server(folder, "--port", str(server.port)) as again:
            anna.page.wait_for_function(
                "old => document.getElementById('document').textContent !== old", arg=here[1]
            )
            pressed[here] = 2
            assert anna.page.locator("#trouble").is_hidden()
            assert stored(folder) == pressed
            pressed[anna.press("0")] = 0
            assert stored(folder) == pressed
            again.stop()
        assert [text for text in anna.said if CUT not in text] == []
        anna.close()


def test_two_people_at_once(browser: Any, folder: Path) -> None:
    with Server(folder, "--share", "0.2", names=("anna", "ben")) as server:
        people = {name: Person(browser, where) for name, where in server.addresses.items()}
        pressed: dict[str, dict[tuple[str, str], int]] = {"anna": {}, "ben": {}}
        for i in range(100):
            for name, one in people.items():
                if one.page.locator("#finished").is_hidden():
                    grade = (i + (name == "ben")) % 4
                    before = one.press(str(grade))
                    assert before not in pressed[name], "shown twice to one person"
                    pressed[name][before] = grade
        both = pressed["anna"].keys() & pressed["ben"].keys()
        assert len(both) == 12  # a fifth of 60
        assert len(pressed["anna"].keys() | pressed["ben"].keys()) == 60
        ends = [one.page.locator("#finished h1").inner_text() for one in people.values()]
        assert set(ends) <= {"All done. Thank you!", "Nothing left for you"}
        assert "All done. Thank you!" in ends  # the last one knows at once
        for one in people.values():
            assert one.said == one.failed == []
            one.close()
        server.stop()
    rows = sqlite3.connect(folder / "labels.db").execute(
        "select judge, topic, document, label from labels"
    )
    found: dict[str, dict[tuple[str, str], int]] = {"anna": {}, "ben": {}}
    for person, topic, document, label in rows:
        found[person][topic, document] = label
    assert found == pressed


def test_texts_and_names_that_hold_scripts_are_shown_and_do_not_run(
    browser: Any, folder: Path
) -> None:
    name = f"Ann {HOSTILE}"
    with Server(folder, "--grades", f"0 no {HOSTILE}, 1 yes", names=(name,)) as server:
        one = Person(browser, server.addresses[name])
        assert one.page.locator("#person").inner_text() == name
        assert one.page.locator("#query").inner_text() == f"causes of storms {HOSTILE}"
        assert HOSTILE in one.page.locator("#title").inner_text()
        assert f"{HOSTILE}<img src=x onerror=" in one.page.locator("#text").inner_text()
        assert HOSTILE in one.page.locator("#grades").inner_text()
        for key in "0101":
            one.press(key)
        assert one.page.locator("script").count() == 1
        assert one.page.locator("img, iframe, object").count() == 0
        assert one.page.evaluate("window.hurt") is None
        assert one.said == []
        one.close()


def test_the_content_policy_stops_what_slips_through(browser: Any, folder: Path) -> None:
    with Server(folder) as server:
        one = Person(browser, server.addresses["anna"])
        one.page.evaluate(
            "const s = document.createElement('script'); s.textContent = 'window.hurt = 3';"
            "document.body.append(s)"
        )
        assert one.page.evaluate("window.hurt") is None
        refused = "fetch('http://localhost:1/x').then(() => 'sent', () => 'refused')"
        assert one.page.evaluate(refused) == "refused"
        assert any("Content Security Policy" in text for text in one.said)
        one.close()


def test_words_of_the_query_are_marked(browser: Any, folder: Path) -> None:
    with Server(folder) as server:
        one = Person(browser, server.addresses["anna"])
        marks = one.page.locator("#text mark").all_inner_texts()
        assert marks[0] == "Storms"
        assert "and" not in marks
        one.close()


def test_axe_finds_nothing(browser: Any, folder: Path) -> None:
    """In both schemes; 640 x 400 is a usual screen at 200 %, 320 x 256 at 400 %."""
    views = {(1280, 800): "light", (390, 800): "dark", (640, 400): "dark", (320, 256): "light"}
    with Server(folder) as server:
        for (width, height), scheme in views.items():
            view = {"width": width, "height": height}
            one = Person(browser, server.addresses["anna"], viewport=view, color_scheme=scheme)
            assert one.page.evaluate("document.documentElement.scrollWidth") <= width
            seen = one.page.eval_on_selector("#task", "e => e.clientHeight")
            assert seen > 0.5 * height  # the text has most of the screen
            one.press("1")
            assert one.axe() == []
            for key, dialog in (("s", "#skip-dialog"), ("?", "#help-dialog")):
                one.page.keyboard.press(key)
                one.page.wait_for_selector(f"{dialog}[open]")
                assert height == 800 or one.axe() == []
                one.page.keyboard.press("Escape")
            one.page.keyboard.press("n")
            assert height == 800 or one.axe() == []
            assert one.said == one.failed == []
            one.close()


def test_every_control_is_reached_by_tab_and_shows_it(browser: Any, folder: Path) -> None:
    with Server(folder) as server:
        one = Person(browser, server.addresses["anna"])
        one.press("1")
        assert one.tabbed() == ([], [])
        one.close()


def test_results_appear_at_the_end_of_a_batch(browser: Any, tmp_path: Path) -> None:
    make_panel(tmp_path, budget=12)
    files = ("--judges", "demo/judges/*", "--runs", "demo/runs/*", "-m", "nDCG@10")
    with Server(tmp_path, "--grades", "0 no, 1 yes", *files) as server:
        one = Person(browser, server.addresses["anna"])
        for number in range(12):
            one.press(str(number % 2))
        one.page.locator("#open-results").click()
        row = one.page.locator("#results tbody tr").first
        row.wait_for(timeout=120_000)
        told = one.page.locator("#results").inner_text()
        assert "Corrected by 12 labels of people." in told
        assert "Pairs that can be told apart are settled" in told
        one.page.set_viewport_size({"width": 390, "height": 800})
        assert one.axe() == []
        assert one.page.evaluate("document.documentElement.scrollWidth") <= 390
        assert one.said == one.failed == []
        one.close()


def test_everything_can_be_done_with_the_pointer(browser: Any, folder: Path) -> None:
    with Server(folder) as server:
        one = Person(browser, server.addresses["anna"], has_touch=True)
        first = one.pair()
        one.page.locator("#grades button").nth(2).click()
        one.wait_for_status("Labelled 2 · relevant")
        assert stored(folder) == {first: 2}
        one.page.locator("#skip").click()
        one.page.locator("#reason").fill("too long for me")
        one.page.locator("#other-reason button").click()
        one.wait_for_status("Skipped · too long for me")
        one.page.locator("#undo").click()
        one.wait_for_status("Went back to your last answer")
        assert one.pair()[1] == "d2"
        one.close()


def test_conflicts_are_adjudicated_with_the_labels_in_sight(browser: Any, tmp_path: Path) -> None:
    make_plan(tmp_path, 4)
    with Server(tmp_path, "--share", "1", names=("anna", "ben", "carl")) as server:
        for name, keys in (("anna", "0123"), ("ben", "0120")):
            one = Person(browser, server.addresses[name])
            for key in keys:
                one.press(key)
            one.close()
        carl = Person(browser, server.addresses["carl"])
        assert carl.page.locator("#finished").is_visible()
        assert carl.page.locator("#conflicts").inner_text() == "Decide 1 conflict"
        carl.page.locator("#open-results").click()
        shown = carl.page.locator("#results").inner_text()
        assert shown.startswith("People agree on 3 of 4 documents that several labelled")
        carl.page.keyboard.press("Escape")
        carl.page.keyboard.press("c")
        carl.wait_for_status("Decide which label counts")
        said = carl.page.locator("#said li").all_inner_texts()
        assert said == ["anna: 3 perfectly relevant", "ben: 0 not relevant"]
        assert carl.axe() == []
        decided = carl.press("2")
        assert carl.page.locator("#finished h1").inner_text() == "No conflicts left"
        carl.page.keyboard.press("c")
        carl.page.locator("#conflicts").wait_for(state="hidden")
        carl.close()
    assert stored(tmp_path)[decided] == 2


RUBRIC = "5: correct and complete\n\n1: wrong, or not an answer to the question"


def make_answers(folder: Path) -> hj.Answers:
    """Answers of three systems that two judges scored, a plan for them, and what they rest on."""
    rows = [
        {"system": f"model {s}", "topic": f"q{t}", "judge": j, "score": 1 + (s + t) % 5,
         "text": f"הסערה נמשכת {t} ימים" if t % 2 else f"Storms last {t} days {HOSTILE}"}
        for s in range(3) for t in range(8) for j in "xy"
    ]  # fmt: skip
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    asked = [json.dumps({"_id": f"q{t}", "question": f"How long do {t} storms last?"})
             for t in range(8)]  # fmt: skip
    (folder / "questions.jsonl").write_text("\n".join(asked))
    passages = [json.dumps({"topic": f"q{t}", "contexts": [f"Passage on {t} storms.", HOSTILE]})
                for t in range(8)]  # fmt: skip
    (folder / "passages.jsonl").write_text("\n".join(passages))
    (folder / "rubric.txt").write_text(RUBRIC)
    answers = hj.read_answers(str(folder / "answers.jsonl"), scale="1-5")
    hj.plan(answers.judgments, answers.runs, "Mean@1", 10).write(str(folder / "plan.csv"))
    return answers


def test_answers_from_a_table_to_the_leaderboard(browser: Any, tmp_path: Path) -> None:
    answers = make_answers(tmp_path)
    files = ("--answers", "answers.jsonl", "--scale", "1-5", "--queries", "questions.jsonl",
             "--context", "passages.jsonl", "--rubric", "rubric.txt")  # fmt: skip
    with Server(tmp_path, *files, texts=False) as server:
        one = Person(browser, server.addresses["anna"], viewport={"width": 900, "height": 900})
        page, read = one.page, set()
        assert page.locator("#grades button").all_inner_texts() == list("12345")
        for number in range(10):
            topic = page.locator("#topic").inner_text()[1:]
            assert page.locator("#query").inner_text() == f"How long do {topic} storms last?"
            assert page.locator(".kicker").all_inner_texts() == [f"Question q{topic}", "Answer"]
            text = page.locator("#text")
            assert text.inner_text().endswith((f"{topic} ימים", f"{topic} days {HOSTILE}"))
            rtl = text.evaluate("element => getComputedStyle(element).direction") == "rtl"
            assert rtl == bool(int(topic) % 2)
            assert page.locator("#rubric .text").inner_text() == RUBRIC
            context = page.locator("#context .text")
            if number == 0:
                assert not context.is_visible()
                page.keyboard.press("p")  # it stays open
                assert one.axe() == []
            assert context.inner_text() == f"Passage on {topic} storms.\n\n{HOSTILE}"
            assert "model" not in page.content()  # people do not see whose answer it is
            read.add((f"q{topic}", 1 + number % 5))
            page.keyboard.press(str(1 + number % 5))
            page.locator("#count", has_text=f"{number + 1} of 10 labelled").wait_for()
        page.locator("#finished").wait_for()
        assert page.evaluate("window.hurt") is None
        assert one.said == one.failed == []
        one.close()
    labels = stored(tmp_path)
    assert {(topic, grade) for (topic, _), grade in labels.items()} == read
    assert {document for _, document in labels} <= set(answers.texts)
    gold = str(tmp_path / "labels.db")
    board = hj.leaderboard(answers.judgments, answers.runs, "Mean@1", gold=gold, draws=100)
    assert board.correction.labels == 10


def test_without_texts_there_are_ids_and_a_link(browser: Any, folder: Path) -> None:
    links = {"https://x.example/{document}?<b>": "a", "javascript:{document}": "code", "": None}
    for template, element in links.items():
        with Server(folder, *(["--link", template] if template else []), texts=False) as server:
            one = Person(browser, server.addresses["anna"])
            assert one.page.locator("#query").inner_text() == "q2"
            assert one.page.locator("#title").inner_text() == "d0"
            assert one.page.locator("#link").is_visible() == bool(template)
            assert one.page.locator("#link a").count() == (element == "a")
            if element:
                shown = one.page.locator(f"#link {element}")
                assert shown.inner_text() == template.replace("{document}", "d0")
            if element == "a":
                assert shown.get_attribute("rel") == "noopener noreferrer"
                assert one.axe() == []
            assert one.said == []
            one.close()


def test_a_very_long_text_scrolls_and_the_grades_stay(browser: Any, folder: Path) -> None:
    rows = [json.dumps({"_id": f"d{i}", "text": "word " * 50_000}) for i in range(60)]
    (folder / "corpus.jsonl").write_text("\n".join(rows))
    with Server(folder) as server:
        one = Person(browser, server.addresses["anna"], viewport={"width": 390, "height": 700})
        high, seen = one.page.eval_on_selector("#task", "e => [e.scrollHeight, e.clientHeight]")
        assert high > 20 * seen
        assert one.page.locator("#grades button").last.is_visible()
        one.page.keyboard.press("End")
        one.page.wait_for_function("() => document.getElementById('task').scrollTop > 1000")
        one.press("1")
        assert_soon(lambda: one.page.eval_on_selector("#task", "e => e.scrollTop"), 0)
        one.close()
