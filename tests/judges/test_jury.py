"""Who votes: families, near-copies, judges who contradict the rest, documents that few judged."""

import math
from dataclasses import replace

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.data.alignment import align
from hungjury.judges import families
from hungjury.judges.families import (
    correlation_with_rest,
    correlation_with_systems,
    family_names,
    favours,
    seat_jury,
)
from hungjury.judges.panel import Panel
from hungjury.judges.votes import BinomialVote, vote_shares
from oracles import leaderboard as naive

NAMES = ["gpt_a", "gpt_b", "qwen_a", "human"]


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=4, topics=12, documents=80, grades=4, accuracies=(0.8, 0.7, 0.6))


def reversed_judge(made, seed=0):
    """Labels of the gold turned around, with some noise."""
    rng = np.random.default_rng(seed)
    top = made.gold.max_grade
    return {
        t: {
            d: int(rng.integers(top + 1)) if rng.random() < 0.3 else top - g
            for d, g in docs.items()
        }
        for t, docs in made.gold.to_dict().items()
    }


def with_more(made, **more):
    labels = {a: made.judgments.qrels_of(a).to_dict() for a in made.judgments.judges}
    return hj.read_judgments(labels | more)


def loop_correlation(judgments, who):
    """With the mean vote of judges of other families, each family one vote."""
    matrix = judgments.matrix()
    family = judgments.families
    sizes = {f: family.count(f) for f in family}
    xs, ms = [], []
    for d in range(matrix.shape[1]):
        votes = weight = 0.0
        for k in range(len(family)):
            if family[k] != family[who] and matrix[k, d] >= 0:
                votes += matrix[k, d] / sizes[family[k]]
                weight += 1 / sizes[family[k]]
        if weight and matrix[who, d] >= 0:
            xs.append(matrix[who, d])
            ms.append(votes / weight)
    return np.corrcoef(xs, ms)[0, 1]


def test_the_correlation_is_the_loop(made):
    given = with_more(made, turned=reversed_judge(made))
    seated = seat_jury(given, {"judge1": "x", "judge2": "x"}, contrary="keep").judgments
    found, error = correlation_with_rest(seated)
    for k in range(4):
        assert found[k] == pytest.approx(loop_correlation(seated, k))
    assert (error > 0).all()


def test_the_standard_error_is_that_of_the_jackknife(made):
    seated = seat_jury(made.judgments).judgments
    error = correlation_with_rest(seated)[1]
    without = []
    for topic in made.gold.topics:
        labels = {
            a: {t: docs for t, docs in seated.qrels_of(a).to_dict().items() if t != topic}
            for a in seated.judges
        }
        without.append(correlation_with_rest(hj.read_judgments(labels))[0])
    without = np.array(without)
    n = len(without)
    expected = np.sqrt((n - 1) / n * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    assert error == pytest.approx(expected)


def test_a_reversed_judge_is_named_and_does_not_vote(made):
    given = with_more(made, turned=reversed_judge(made))
    board = hj.leaderboard(given, made.runs, "nDCG@10", draws=100, outlook=False)
    assert [n.subjects for n in board.notes if n.kind == "contrary-judge"] == [("turned",)]
    row = next(row for row in board.judges if row.name == "turned")
    assert row.weight == 0
    assert row.kappa < 0
    without = hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=100, outlook=False)
    assert (board.mean == without.mean).all()
    kept = hj.leaderboard(given, made.runs, "nDCG@10", draws=100, outlook=False, contrary="keep")
    assert any(n.kind == "contrary-judge" for n in kept.notes)
    assert kept.settings.judges == 4
    assert board.settings.judges == 3


def test_two_reversed_judges_of_six_are_both_found():
    six = hj.simulate(systems=2, topics=12, documents=80, grades=4, accuracies=(0.8,) * 4)
    given = with_more(six, turned=reversed_judge(six), again=reversed_judge(six, 1))
    assert set(seat_jury(given).contrary) == {"turned", "again"}


def test_camps_of_similar_size_are_left_as_they_are(made):
    turned = {f"turned{k}": reversed_judge(made, k) for k in range(3)}
    jury = seat_jury(with_more(made, **turned))
    assert jury.contrary == ()
    assert len(jury.judgments.judges) == 6
    assert [note.kind for note in jury.notes] == ["split-jury"]


def test_two_judges_cannot_contradict_the_rest(made):
    labels = {"one": made.gold.to_dict(), "turned": reversed_judge(made)}
    assert seat_jury(hj.read_judgments(labels)).contrary == ()


def test_poor_judges_are_not_contrary():
    """A guessing judge is above the line about half of the time, and below it by chance only."""
    found = 0
    for seed in range(20):
        made = hj.simulate(systems=2, topics=10, documents=60, accuracies=(0.8, 0.8, 0.5),
                           seed=seed)  # fmt: skip
        found += bool(seat_jury(made.judgments).contrary)
    assert found <= 2


@pytest.mark.parametrize(
    ("families", "expected"),
    [
        (None, NAMES),
        ("^[^_]+", ["gpt", "gpt", "qwen", "human"]),
        ("(gpt|qwen)_", ["gpt", "gpt", "qwen", "human"]),
        ({"gpt_a": "x", "human": "x"}, ["x", "gpt_b", "qwen_a", "x"]),
    ],
)
def test_families_by_pattern_and_mapping(families, expected):
    assert family_names(NAMES, families) == expected


def test_families_by_file(tmp_path):
    path = tmp_path / "families.tsv"
    path.write_text("# judge family\ngpt_a\tgpt\ngpt_b gpt\n")
    assert family_names(NAMES, path) == ["gpt", "gpt", "qwen_a", "human"]
    path.write_text("gpt_a\n")
    with pytest.raises(HungjuryError, match=r"families.tsv:1: expected a name and its family"):
        family_names(NAMES, path)


@pytest.mark.parametrize(
    ("families", "message"),
    [
        ("(", "invalid regular expression"),
        ("zzz", "no name matches"),
        ({"x": "y"}, "not there: x"),
    ],
)
def test_families_that_are_refused(families, message):
    with pytest.raises(HungjuryError, match=message):
        family_names(NAMES, families)


@pytest.mark.parametrize("merge", ["binmv", "mv", "em-neu", "aware"])
def test_a_family_has_one_vote(made, merge):
    """Twins in one family leave what a single one of them gives."""
    first = made.judgments.qrels_of("judge1").to_dict()
    given = with_more(made, twin=first, triplet=first)
    board = hj.leaderboard(given, made.runs, "nDCG@10", merge, draws=100, outlook=False,
                           replicates=20)  # fmt: skip
    assert board.settings.families == 3
    if merge == "binmv":
        alone = hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=100, outlook=False)
        assert board.mean == pytest.approx(alone.mean, abs=1e-9)
        weights = {row.name: row.weight for row in board.judges}
        assert weights["judge2"] == pytest.approx(1 / 3)
        assert weights["twin"] == pytest.approx(1 / 9)


def test_weights_are_shares_of_the_vote():
    given = hj.read_judgments(
        {"a": {"q": {"1": 1, "2": 0}}, "b": {"q": {"1": 0}}, "c": {"q": {"1": 1, "3": 1}}}
    )
    panel = Panel.of(given)
    assert panel.vote_share() == pytest.approx([(1 / 3 + 1) / 3, 1 / 9, (1 / 3 + 1) / 3])
    assert panel.labels_per_document() == {1: 2, 3: 1}


def test_documents_that_few_judged_are_not_taken_as_agreed():
    """Missing votes are what the others say beside the label that is there."""
    labels = {
        "a": {"1": 1, "2": 1, "3": 0, "4": 1},
        "b": {"1": 1, "2": 0, "3": 0},
        "c": {"1": 1, "2": 1, "3": 0},
    }
    given = hj.read_judgments({name: {"q": docs} for name, docs in labels.items()})
    panel = Panel.of(given)
    shares = vote_shares(panel)
    found = BinomialVote().in_doubt(panel, shares)
    assert found[:3] == pytest.approx(shares[:3])
    # Ordered pairs beside a 1: six in document 1, in document 2 two times 1 and two times 0.
    beside = 8 / 10
    assert found[3, 1] == pytest.approx((1 + 2 * beside) / 3)
    assert hj.merge(given, "binmv").p[3] == 1  # the merge itself is the vote
    assert (hj.merge(given, "binmv").sample(0, 100)[:, 3] == 1).all()
    drawn = hj.merge(given, "binmv").sample(0, 4000, completed=True)
    assert drawn[:, 3].mean() == pytest.approx(found[3, 1], abs=0.03)


def test_complete_panels_keep_their_shares(made):
    panel = Panel.of(made.judgments)
    shares = vote_shares(panel)
    assert BinomialVote().in_doubt(panel, shares) is shares


def test_a_note_tells_that_most_documents_have_one_judge(made):
    half = made.judgments.qrels_of("judge2").to_dict()
    part = {t: dict(list(docs.items())[:3]) for t, docs in half.items()}
    given = {"judge1": made.judgments.qrels_of("judge1").to_dict(), "part": part, "third": part}
    board = hj.leaderboard(given, made.runs, "AP", draws=100, outlook=False)
    assert any(note.kind == "one-label" for note in board.notes)
    assert "Labels per document: 1 █" in str(board)
    assert board.to_dict()["labels_per_document"]["3"] == 36


def test_simulated_judges_who_code_or_reverse(tmp_path):
    made = hj.simulate(systems=3, topics=6, documents=60, odd=("reversed", "coder"), reach=0.5)
    assert "reversed" in seat_jury(made.judgments).contrary
    assert len(made.judgments.qrels_of("coder")) < len(made.gold)
    made.write(tmp_path)
    lines = (tmp_path / "judges" / "coder.qrels").read_text().splitlines()
    assert len(lines) == len(made.gold)
    assert {line.split()[3] for line in lines} == {"0", "1", "999"}
    with pytest.raises(HungjuryError, match="999"):
        hj.read_judgments(str(tmp_path / "judges" / "*"))


def test_systems_of_different_reach_find_different_shares():
    made = hj.simulate(systems=4, topics=20, documents=100, depth=100, reach=0.4)
    found = sorted(sum(len(made.runs.ranked(s, t)) for t in made.runs.topics) / 2000
                   for s in made.runs.systems)  # fmt: skip
    assert found == pytest.approx([0.4, 0.6, 0.8, 1.0], abs=0.05)
    with pytest.raises(HungjuryError, match="reach"):
        hj.simulate(reach=0)


def test_published_weights_do_not_prefer_the_worst_judge_of_a_simulation():
    """Where systems find different shares of the documents, random judges rank by that."""
    weights = np.zeros(5)
    for seed in range(3):
        made = hj.simulate(reach=0.3, seed=seed)
        weights += hj.aware(made.judgments, made.runs, "AP", "sgl_tau_msd", replicates=20).weights \
            .mean(axis=1) / 3  # fmt: skip
    assert weights[-1] < 0.2 < weights[:2].mean()


def test_the_headline_counts_families(made):
    given = {"draws": 100, "outlook": False, "families": {"judge1": "x", "judge2": "x"}}
    board = hj.leaderboard(made.judgments, made.runs, "AP", **given)
    assert "3 judges with 2 votes merged by binmv, grades 0-3" in str(board)


def small_panel(documents, others=3):
    """Judges who agree, and one who says the opposite about so many documents of three topics."""
    labels = {
        f"j{k}": {t: {f"d{i}": i % 2 for i in range(20)} for t in "xyz"} for k in range(others)
    }
    pairs = [(t, i) for i in range(20) for t in "xyz"][:documents]
    turned = {t: {f"d{i}": 1 - i % 2 for u, i in pairs if u == t} for t in "xyz"}
    return hj.read_judgments(labels | {"turned": turned}, grades=range(2))


@pytest.mark.parametrize(("documents", "expected"), [(19, ()), (20, ("turned",))])
def test_nobody_is_contrary_on_fewer_than_20_documents(documents, expected):
    given = small_panel(documents)
    assert seat_jury(given).contrary == expected
    assert np.isnan(correlation_with_rest(given)[0][-1]) == (documents < 20)


def test_two_families_cannot_contradict_the_rest_and_three_can():
    families = {"j0": "same", "j1": "same", "j2": "same"}
    given = small_panel(40)
    assert seat_jury(given, families).contrary == ()
    assert seat_jury(given, families).notes == ()
    assert seat_jury(given, {"j0": "same", "j1": "same"}).contrary == ("turned",)


def test_a_judge_of_one_topic_has_the_error_of_a_correlation():
    """Without a second topic there is no jackknife: (1 - r squared) / sqrt(n - 3)."""
    rng = np.random.default_rng(0)
    labels = {f"j{k}": {"t": {f"d{i}": int(rng.integers(3)) for i in range(40)}} for k in range(3)}
    given = hj.read_judgments(labels, grades=range(3))
    found, error = correlation_with_rest(given)
    for k in range(3):
        r = loop_correlation(given, k)
        assert found[k] == pytest.approx(r)
        assert error[k] == pytest.approx((1 - r * r) / np.sqrt(37))


def test_half_of_the_families_is_a_split():
    """Two of four families against the others: none is left out; two of five are."""
    base = {t: {f"d{i}": i % 2 for i in range(20)} for t in "xyz"}
    turned = {t: {d: 1 - v for d, v in documents.items()} for t, documents in base.items()}
    four = {"a": base, "b": base, "c": turned, "d": turned}
    split = seat_jury(hj.read_judgments(four, grades=range(2)))
    assert split.contrary == ()
    assert [note.kind for note in split.notes] == ["split-jury"]
    five = seat_jury(hj.read_judgments(four | {"e": base}, grades=range(2)))
    assert set(five.contrary) == {"c", "d"}
    assert [note.kind for note in five.notes] == ["contrary-judge"]


def test_a_judge_without_a_correlation_hides_nobody():
    """The constant judge's correlation is unknown; the reversed judge is found all the same."""
    base = {t: {f"d{i}": i % 2 for i in range(20)} for t in "xyz"}
    turned = {t: {d: 1 - v for d, v in documents.items()} for t, documents in base.items()}
    constant = {t: dict.fromkeys(documents, 0) for t, documents in base.items()}
    given = {"constant": constant, "good1": base, "good2": base, "good3": base, "turned": turned}
    found = seat_jury(hj.read_judgments(given, grades=range(2)))
    assert found.contrary == ("turned",)


def test_the_jackknife_is_over_the_topics_that_a_judge_judged(made):
    """Judge 1 labels seven of twelve topics: the others neither count nor add a zero."""
    labels = {a: made.judgments.qrels_of(a).to_dict() for a in made.judgments.judges}
    first = made.judgments.judges[0]
    labels[first] = dict(list(labels[first].items())[:7])
    found, error = correlation_with_rest(hj.read_judgments(labels, grades=range(4)))
    without = []
    for topic in labels[first]:
        left = {a: {t: d for t, d in given.items() if t != topic} for a, given in labels.items()}
        given = hj.read_judgments(left, grades=range(4))
        without.append(loop_correlation(given, given.judges.index(first)))
    middle = sum(without) / 7
    expected = np.sqrt(6 / 7 * sum((r - middle) ** 2 for r in without))
    assert error[0] == pytest.approx(expected)
    assert not np.isnan(found).any()


def test_copies_are_a_family_named_after_the_first(made):
    copies = [["judge1", "judge3"]]
    for given, expected in (
        (None, ("judge1", "judge2", "judge1")),
        ({"judge1": "x", "judge2": "y"}, ("x", "y", "x")),
    ):
        assert tuple(seat_jury(made.judgments, given, copies).judgments.families) == expected


# Judges beside the systems, and families that favour a system.


def with_reversed(made, judges):
    """Judgments in which some judges are reversed."""
    given = made.judgments
    mine = np.isin(given.judge, judges)
    return replace(given, label=np.where(mine, given.grades[-1] - given.label, given.label))


@pytest.mark.parametrize("at_once", [families.LABELS_AT_ONCE, 70])
def test_the_correlation_with_the_systems_is_the_loop(at_once, monkeypatch):
    monkeypatch.setattr(families, "LABELS_AT_ONCE", at_once)
    made = hj.simulate(systems=4, topics=5, documents=30, depth=15, grades=3, seed=2)
    panel, aligned = Panel.of(made.judgments), align(made.runs, made.judgments.pool)
    found, error = correlation_with_systems(panel, aligned)
    labels = panel.matrix()
    for judge, row in enumerate(labels):
        tops = naive.within_topics(
            {
                (topic, document): sum(
                    1 / math.log2(2 + place)
                    for system in made.runs.systems
                    for place, (name, _) in enumerate(made.runs.ranked(system, topic))
                    if name == document
                )
                for t, topic in enumerate(panel.pool.topics)
                for document in panel.pool.documents[panel.pool.slice(t)]
            },
            {
                (panel.pool.topics[panel.pool.topic_of[d]], panel.pool.documents[d]): int(label)
                for d, label in enumerate(row)
                if label >= 0
            },
        )
        assert found[judge] == pytest.approx(tops)
        assert error[judge] > 0


@pytest.mark.parametrize("judges", [[0], [0, 1], [0, 1, 2]])
def test_reversed_judges_do_not_pass_in_silence(judges):
    made = hj.simulate(systems=5, topics=12, accuracies=(0.9, 0.85, 0.8), seed=1)
    given = with_reversed(made, judges)
    names = {given.judges[k] for k in judges}
    if len(judges) == 3:
        with pytest.raises(HungjuryError, match="all judges contradict the systems") as caught:
            hj.leaderboard(given, made.runs, "nDCG@10", draws=100)
        assert caught.value.code == "contrary-judges"
    else:
        board = hj.leaderboard(given, made.runs, "nDCG@10", draws=100)
        (note,) = (n for n in board.notes if n.kind == "contrary-judge")
        assert set(note.subjects) == names
        assert board.settings.judges == 3 - len(judges)
        assert board.systems[0] == hj.leaderboard(
            made.judgments, made.runs, "nDCG@10", draws=100
        ).systems[0]  # fmt: skip
    by_gold = hj.leaderboard(given, made.runs, "nDCG@10", draws=100, gold=made.gold)
    assert by_gold.settings.judges == 3
    assert any("read in reverse" in str(note) for note in by_gold.notes)


def test_a_single_reversed_judge_is_an_error_and_ranks_without_order_are_not_asked():
    made = hj.simulate(systems=4, topics=10, accuracies=(0.9,), seed=3)
    with pytest.raises(HungjuryError, match="the labels of judge1 contradict the systems"):
        hj.leaderboard(with_reversed(made, [0]), made.runs, "nDCG@10", draws=100)
    kept = hj.leaderboard(
        with_reversed(made, [0]), made.runs, "nDCG@10", draws=100, contrary="keep"
    )
    assert "voting all the same" in str(next(n for n in kept.notes if n.kind == "contrary-judge"))
    answers = {f"s{s}": {f"t{t}": {f"a{s}": 1.0} for t in range(8)} for s in range(4)}
    labels = {"one": {f"t{t}": {f"a{s}": (s + t) % 2 for s in range(4)} for t in range(8)}}
    given = hj.read_judgments(labels)
    found, _ = correlation_with_systems(Panel.of(given), align(hj.read_runs(answers), given.pool))
    assert np.isnan(found).all()


def test_a_family_that_favours_a_system_is_named():
    rng = np.random.default_rng(0)
    quality = np.linspace(0.2, 0.8, 12)
    families = ["a", "a", "b", "c"]
    scores = quality * np.array([[1.0], [0.9], [1.1], [1.0]]) + rng.normal(0, 0.004, (4, 12))
    scores[2, 4] += 0.1
    names = [f"s{s}" for s in range(12)]
    found = favours(scores, families, names, np.arange(12) == 4)
    assert (found[0].family, found[0].system) == ("b", "s4")
    assert found[0].p == pytest.approx(1 / 12)
    assert 0.04 < found[0].size < 0.1
    group = {one.family: one for one in found if one.system == "kin"}
    assert group["b"].size == pytest.approx(found[0].size)
    assert group["b"].p < 0.15 < group["a"].p
    assert favours(scores, ["a"] * 4, names) == ()
    # A judge who labelled nothing is left out, also if nobody else is of the family.
    more = np.vstack([np.full(12, np.nan), scores])
    assert favours(more, ["a", *families], names, np.arange(12) == 4) == found
    assert favours(more, ["d", *families], names, np.arange(12) == 4) == found
    assert favours(more[:3], ["b", "a", "a"], names) == ()
    # Leniency and a stretch of the scale are nobody's favour.
    lenient = quality + np.array([[0.0], [0.1], [0.2], [0.3]])
    assert max(abs(one.size) for one in favours(lenient, families, names)) < 1e-9
