"""Labels in texts, maps that are functions, and repeated labels of one judge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hungjury as hj
from builders.reading import refused
from hungjury.data.reading.values import Extraction
from oracles.repeats import majority_label, mean_label, variance_of_repeats

ANSWERS = {"a": "Score: 3", "b": "2 - relevant", "c": "**3**", "d": "Sorry", "e": "1 or 2? 2"}


@pytest.mark.parametrize(
    ("how", "text", "label"),
    [
        ("number", "Score: 3", "3"),
        ("number", "2 - relevant", "2"),
        ("number", "**3**", "3"),
        ("number", "3. The passage answers it.", "3"),
        ("number", "-1", "-1"),
        ("number", "relevance=0.25", "0.25"),
        ("number", "3 of 3", "3"),
        ("number", "3/5", None),
        ("number", "on the scale 0-3 it is 2", None),
        ("number", "GPT4 says v2", None),
        ("number", "1,000", None),
        ("number", "3.5.1", None),
        ("number", "", None),
        ("last-number", "on the scale 0-3 it is 2.", "2"),
        ("last-number", "none", None),
        ("json:O", '{"M": 2, "T": 1, "O": 2}', "2"),
        ("json:O", 'Here: ```json\n{"O": 0}\n```', "0"),
        ("json:final.score", '{"final": {"score": 1.5}}', "1.5"),
        ("json:O", '{"O": true}', "1"),
        ("json:O", '{"O": "yes"}', "yes"),
        ("json:O", '{"M": 2}', None),
        ("json:O", '{"O": 1, "O": 2}', None),
        ("json:O", "2", None),
        (r"grade\s*=\s*(\d)", "x grade = 2 y 3", "2"),
        ("yes|no", "I say yes", "yes"),
        ("yes|no", "perhaps", None),
    ],
)
def test_extraction(how, text, label):
    assert Extraction(how)(text) == label


# What numbers and JSON are made of, and what looks like it, finds more than letters of any script.
@given(st.text('0129.+-eE,/ \n{}[]":O\\x_é١２½²−∞', max_size=40))
def test_any_text_gives_a_number_or_none(text):
    for how in ("number", "last-number", "json:O"):
        found = Extraction(how)(text)
        assert found is None or how == "json:O" or np.isfinite(float(found))


def test_labels_are_extracted_where_the_user_says_so():
    error = refused(lambda: hj.read_qrels({"1": ANSWERS}), "unreadable-label")
    for text in ANSWERS.values():
        assert f"'{text}' (1)" in error.message
    assert "sorry:GRADE" in error.remedy
    found = hj.read_qrels({"1": ANSWERS}, extract="number", missing="drop")
    assert found.to_dict() == {"1": {"a": 3, "b": 2, "c": 3}}
    assert found.settings.extract == "number"
    dropped = next(note for note in found.notes if note.kind == "missing")
    assert dropped.count == 2
    assert "'Sorry' (1), '1 or 2? 2' (1)" in dropped.text
    last = hj.read_qrels({"1": ANSWERS}, extract="last-number", map="sorry:missing")
    assert last.to_dict() == {"1": {"a": 3, "b": 2, "c": 3, "e": 2}}


def test_the_remedy_is_ready_to_use():
    texts = {"1": {"a": "Score: 3", "b": "**0**"}}
    error = refused(lambda: hj.read_qrels(texts), "unreadable-label")
    assert error.remedy.startswith('extract="number" takes the number in each text')
    words = {"1": {"a": "Yes", "b": "no"}}
    assert (
        'map="yes:GRADE,no:GRADE"'
        in refused(lambda: hj.read_qrels(words), "unreadable-label").remedy
    )


def test_numbers_stay_as_they_are():
    mixed = {"1": {"a": 2, "b": '{"O": 1}', "c": "0"}}
    assert hj.read_qrels(mixed, extract="json:O").to_dict() == {"1": {"a": 2, "b": 1, "c": 0}}


@pytest.mark.parametrize("how", ["(", "", "json:"])
def test_extract_that_cannot_be_used(how):
    refused(lambda: hj.read_qrels({"1": {"a": "x"}}, extract=how), "invalid-extract")


def test_a_map_may_be_a_function():
    def grade(label):
        return None if label == "Sorry" else 5 if label == 2 else int(label[-1])

    given = {"1": {"a": "is 3", "b": "Sorry", "c": 2, "d": "is 3"}}
    found = hj.read_qrels(given, map=grade)
    assert found.to_dict() == {"1": {"a": 3, "c": 5, "d": 3}}
    assert found.settings.map == "grade()"
    assert {note.kind: note.count for note in found.notes} == {"relabelled": 3, "mapped-missing": 1}
    error = refused(lambda: hj.read_qrels(given, map=lambda label: int(label)), "map-failed")
    assert "'is 3'" in error.message
    refused(lambda: hj.read_qrels(given, map=lambda label: "x"), "map-failed")


def rows(rng, most, topics=3, documents=6):
    """Labels of two judges, of which one repeats itself up to four times."""
    return [
        {"qid": str(t), "doc": f"d{d}", "judge": judge, "label": int(rng.integers(0, most + 1))}
        for t in range(topics)
        for d in range(documents)
        for judge, times in (("often", int(rng.integers(1, 5))), ("once", 1))
        for _ in range(times)
    ]


def groups(given):
    found = {}
    for row in given:
        found.setdefault((row["judge"], row["qid"], row["doc"]), []).append(row["label"])
    return found


@pytest.mark.parametrize(
    ("how", "most", "one"), [("mean", 1, mean_label), ("majority", 3, majority_label)]
)
def test_repeated_labels(how, most, one):
    given = rows(np.random.default_rng(3), most)
    panel = hj.read_judgments(given, repeats=how)
    read = {
        (judge, topic, document): label
        for judge in panel.judges
        for topic, by_document in panel.qrels_of(judge).to_dict().items()
        for document, label in by_document.items()
    }
    assert read == pytest.approx({key: one(labels) for key, labels in groups(given).items()})
    note = next(note for note in panel.notes if note.kind == "repeats")
    mine = [labels for (judge, *_), labels in groups(given).items() if judge == "often"]
    variance, differ, documents = variance_of_repeats(mine)
    shown = f"often {variance:.3f} ({100 * differ:.0f} % of {documents} documents differ)"
    assert shown in note.text
    assert "once" not in note.text


def test_repeats_are_an_error_unless_named():
    given = [{"qid": 1, "doc": "a", "judge": "g", "label": label} for label in (0, 1, 1)]
    error = refused(lambda: hj.read_judgments(given), "conflicting-labels")
    assert 'repeats="mean"' in error.remedy
    last = hj.read_judgments(given, repeats="mean", duplicates="first")
    assert last.qrels_of("g").to_dict() == {"1": {"a": 0}}


def test_the_mean_of_grades_is_not_a_label():
    given = [{"qid": 1, "doc": "a", "judge": "g", "label": label} for label in (0, 3, 3)]
    refused(lambda: hj.read_judgments(given, repeats="mean"), "fractional-mean")
    assert hj.read_judgments(given, repeats="majority").qrels_of("g").to_dict() == {"1": {"a": 3}}


def test_repeats_that_agree_stay_grades_and_the_first_that_differ_are_named():
    given = [
        {"qid": 1, "doc": d, "judge": "g", "label": label}
        for d, label in zip("aabc", (3, 3, 0, 1), strict=True)
    ]
    panel = hj.read_judgments(given, repeats="mean")
    assert panel.grades == (0, 1, 2, 3)
    assert panel.qrels_of("g").to_dict() == {"1": {"a": 3, "b": 0, "c": 1}}
    given += [{"qid": 1, "doc": "b", "judge": "g", "label": 1}]
    error = refused(lambda: hj.read_judgments(given, repeats="mean"), "fractional-mean")
    assert error.line == 3
    halves = [{"qid": 1, "doc": d, "judge": "g", "label": label} for d in "ab" for label in (0, 1)]
    assert hj.read_judgments(halves, repeats="mean").qrels_of("g").to_dict() == {
        "1": {"a": 0.5, "b": 0.5}
    }
