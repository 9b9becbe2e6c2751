"""Judges, merges and the panel compared with gold labels: every figure against a loop."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.cli.main import hungjury as command
from hungjury.judges.panel import Panel
from hungjury.leaderboard.board import judge_rows
from hungjury.leaderboard.correction import agreement_of_grades
from hungjury.leaderboard.gold import gold_labels
from hungjury.leaderboard.gold_agreement import agreement_with_gold
from hungjury.leaderboard.label_model import dependence
from hungjury.report.board import sentences
from oracles import judges as naive_judges
from oracles import stats as naive_stats


@pytest.fixture(scope="module")
def some_gold(made):
    """Gold for exactly half of one topic, less than half of one, all of three, none of one."""
    gold = made.gold.to_dict()
    topics = sorted(gold, key=lambda t: len(gold[t]) % 2)  # pools of even size first
    half = len(gold[topics[0]]) // 2
    assert 2 * half == len(gold[topics[0]])
    less = (len(gold[topics[1]]) - 1) // 2
    shares = {topics[0]: half, topics[1]: less} | dict.fromkeys(topics[2:5])
    return {t: dict(list(gold[t].items())[: shares[t]]) for t in gold if t in shares}


def scored_topics(made, some_gold):
    """Those with half of their pool and more, written as the definition."""
    pool = made.gold.to_dict()
    return [t for t, documents in some_gold.items() if len(documents) >= len(pool[t]) / 2]


@pytest.fixture(scope="module")
def board(made, some_gold):
    return hj.leaderboard(
        made.judgments, made.runs, "nDCG@5", draws=100, gold=some_gold, outlook=False
    )


def labelled_in(gold, labels, topics):
    """The labels of the documents that have a gold label."""
    return {t: {d: g for d, g in labels[t].items() if d in gold[t]} for t in topics}


def votes_of(made):
    return {a: made.judgments.qrels_of(a).to_dict() for a in made.judgments.judges}


def test_labels_are_compared_on_documents_that_have_both(board, made, some_gold):
    for row in board.gold.rows[:3]:
        given = votes_of(made)[row.name]
        pairs = [
            (given[t][d], g)
            for t, documents in some_gold.items()
            for d, g in documents.items()
            if d in given[t]
        ]
        assert row.kind == "judge"
        assert row.documents == len(pairs)
        assert row.agreement == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))
        assert row.kappa == pytest.approx(naive_judges.cohen(pairs))


def test_labels_are_compared_as_binary_from_rel_on(made, some_gold):
    found = hj.leaderboard(
        made.judgments, made.runs, "P(rel=1)@5", rel=2, draws=100, gold=some_gold
    )
    for row in found.gold.rows[:3]:
        given = votes_of(made)[row.name]
        pairs = [
            (int(given[t][d] >= 2), int(g >= 2))
            for t, documents in some_gold.items()
            for d, g in documents.items()
        ]
        assert row.agreement == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))
        assert row.kappa == pytest.approx(naive_judges.cohen(pairs))
    share = sum(g >= 2 for documents in some_gold.values() for g in documents.values())
    assert found.gold.relevant[1] == pytest.approx(share / found.gold.rows[0].documents)


def test_gold_of_other_documents_is_refused(made):
    with pytest.raises(HungjuryError, match="no judged document has a gold label"):
        hj.leaderboard(made.judgments, made.runs, "P@5", draws=100, gold={"1": {"nowhere": 1}})


def test_systems_are_compared_on_topics_with_half_of_their_pool_in_gold(board, made, some_gold):
    topics = scored_topics(made, some_gold)
    assert len(topics) == 4
    assert board.gold.topics == topics
    truth = hj.evaluate(some_gold, made.runs, ["nDCG@5"], topics=topics).mean()[0]
    for row in board.gold.rows[:3]:
        mine = labelled_in(some_gold, votes_of(made)[row.name], topics)
        means = hj.evaluate(mine, made.runs, ["nDCG@5"], topics=topics).mean()[0]
        assert row.tau_ap == pytest.approx(naive_stats.tau_ap(means.tolist(), truth.tolist()))


def test_bias_has_students_interval(made, some_gold):
    topics = scored_topics(made, some_gold)
    assert len(topics) == 4
    truth = hj.evaluate(some_gold, made.runs, ["nDCG@5"], topics=topics)
    board = hj.leaderboard(
        made.judgments, made.runs, "nDCG@5", "mv", draws=100, gold=some_gold, outlook=False
    )
    # The panel's own labels of the documents that have a gold label.
    voted = labelled_in(some_gold, hj.merge(made.judgments, "mv").to_dict(), topics)
    panel = hj.evaluate(voted, made.runs, ["nDCG@5"], topics=topics)
    rows = []
    for s, system in enumerate(truth.systems):
        off = panel.values[0, s] - truth.values[0, s]
        rows.append(off)
        half = stats.t.ppf(0.975, 3) * math.sqrt(off.var(ddof=1) / 4)
        expected = (off.mean(), off.mean() - half, off.mean() + half)
        assert board.gold.bias[system] == pytest.approx(expected)
    mean = np.mean(rows, axis=0)
    half = stats.t.ppf(0.975, 3) * math.sqrt(mean.var(ddof=1) / 4)
    assert board.gold.overall == pytest.approx(
        (mean.mean(), mean.mean() - half, mean.mean() + half)
    )


@pytest.fixture(scope="module")
def small():
    return hj.simulate(systems=3, topics=5, documents=20, depth=12, grades=3, seed=4)


@pytest.mark.parametrize("merge", ["binmv", "mv", "em-neu", "aware"])
@pytest.mark.parametrize("measure", ["nDCG@10", "AP"])
def test_a_panel_that_says_what_people_say_has_no_bias(small, merge, measure):
    """Also where people labelled a part of the pool: the rest counts for neither."""
    gold, chance = small.gold.to_dict(), np.random.default_rng(2)
    some = {t: {d: g for d, g in of.items() if chance.random() < 0.7} for t, of in gold.items()}
    panel = dict.fromkeys("abc", gold) if merge == "mv" else {"a": gold}
    found = hj.leaderboard(
        hj.read_judgments(panel), small.runs, measure, merge, draws=100, gold=some
    ).gold
    assert len(found.topics) > 3
    assert found.overall == pytest.approx((0, 0, 0), abs=1e-9)
    assert all(row.tau_ap == pytest.approx(1) for row in found.rows)


def test_a_panel_that_sees_too_much_has_a_bias(made):
    """About the same from a part of the documents as from all of them."""
    gold, chance = made.gold.to_dict(), np.random.default_rng(2)
    lenient = {
        t: {d: int(min(g + (chance.random() < 0.3), 2)) for d, g in of.items()}
        for t, of in gold.items()
    }
    some = {t: {d: g for d, g in of.items() if chance.random() < 0.8} for t, of in gold.items()}
    whole, part = (
        hj.leaderboard({"a": lenient}, made.runs, "P@10", draws=100, gold=one, grades=range(3)).gold
        for one in (gold, some)
    )
    assert whole.overall[0] > 0.1
    assert part.overall[0] == pytest.approx(0.8 * whole.overall[0], rel=0.2)


def test_one_topic_has_no_interval(made):
    gold = made.gold.to_dict()
    first = next(iter(gold))
    found = hj.leaderboard(
        made.judgments, made.runs, "nDCG@5", draws=100, gold={first: gold[first]}
    )
    assert found.gold.topics == [first]
    for _, low, high in found.gold.bias.values():
        assert (low, high) == (-math.inf, math.inf)


@pytest.mark.parametrize(("number", "known"), [(2, False), (3, True)])
def test_a_correlation_needs_three_systems(little, number, known):
    runs = dict(list(little.runs.to_dict().items())[:number])
    found = hj.leaderboard(little.judgments, runs, "nDCG@5", draws=100, gold=little.gold)
    assert all((row.tau_ap is not None) == known for row in found.gold.rows)


def test_shares_called_relevant(board, made, some_gold):
    votes = votes_of(made)
    panel = people = number = 0
    for t, documents in some_gold.items():
        for d, grade in documents.items():
            labels = [given[t][d] for given in votes.values()]
            number += 1
            people += grade > 0
            # The likeliest grade of the mean over judges, ties to the lower one.
            panel += naive_judges.plurality(labels) > 0
    assert board.gold.relevant == pytest.approx((panel / number, people / number))


# What is said about judges


def found_pairs(agreement, common, judges=("a", "b", "c")):
    pairs = SimpleNamespace(agreement=np.array(agreement), common=np.array(common))
    return SimpleNamespace(judges=list(judges), pairs=pairs)


def labels_of(accuracy, prior=(0.5, 0.5)):
    """A label model in which every judge is right so often."""
    one = [[accuracy, 1 - accuracy], [1 - accuracy, accuracy]]
    return SimpleNamespace(posterior=np.array([prior] * 10), confusion=np.array([one] * 3))


def told(excess, common, accuracy=0.8):
    """Notes where a and b agree by `excess` more than independent judges would."""
    expected = accuracy**2 + (1 - accuracy) ** 2
    agreement = np.full((3, 3), expected)
    agreement[0, 1] = agreement[1, 0] = expected + excess
    found = found_pairs(agreement, np.full((3, 3), common))
    return dependence(found, ["a", "b", "c"], labels_of(accuracy))


def test_dependence_begins_at_five_standard_errors():
    error = math.sqrt(0.68 * 0.32 / 400)
    assert told(5.05 * error, 400) != ()
    assert told(4.95 * error, 400) == ()


def test_dependence_begins_at_three_points():
    many = 1_000_000  # five standard errors are less than 0.03
    assert told(0.0305, many) != ()
    assert told(0.0295, many) == ()


def test_dependence_needs_50_common_documents():
    assert told(0.32, 50, accuracy=0.8) == ()  # five standard errors are 0.33
    assert told(0.1, 50, accuracy=0.999) != ()
    assert told(0.1, 49, accuracy=0.999) == ()


def test_dependence_says_who_and_by_how_much():
    (note,) = told(0.2, 1000)
    assert note.kind == "dependent-judges"
    assert note.count == 1
    assert note.about == "judges"
    said = str(note)
    assert "1 of 3 pairs of judges" in said
    assert "most of all a and b: on 88 % of documents, where 68 % would be expected" in said


def test_vote_shares_are_the_loop():
    """A judge's mean share in the votes on a document; families share one vote."""
    votes = {
        "a": {"t": {"x": 1, "y": 0, "z": 1}},
        "b": {"t": {"x": 0, "y": 1}},
        "c": {"t": {"x": 1, "w": 0}},
    }
    given = hj.read_judgments(votes)
    assert Panel.of(given).vote_share() == pytest.approx(
        np.array([1 / 3 + 1 / 2 + 1, 1 / 3 + 1 / 2, 1 / 3 + 1]) / 4
    )


def test_a_judge_who_does_not_vote_has_no_weight(made):
    voting = Panel.of(made.judgments).only([0, 2])
    jury = SimpleNamespace(judgments=voting.judgments, panel=voting)
    rows = judge_rows(hj.agreement(made.judgments), jury, None, None)
    assert [row.weight for row in rows] == pytest.approx([0.5, 0, 0.5])


def test_rows_about_judges(made):
    found = hj.agreement(made.judgments)
    jury = SimpleNamespace(judgments=made.judgments, panel=Panel.of(made.judgments))
    right = np.array([0.9, 0.7, 0.5])
    size = 3
    confusion = np.array([np.eye(size) * r + (1 - r) / 2 * (1 - np.eye(size)) for r in right])
    labels = SimpleNamespace(posterior=np.array([[0.6, 0.3, 0.1]] * 5), confusion=confusion)
    by_model = judge_rows(found, jury, labels, None)
    by_votes = judge_rows(found, jury, None, None)
    weights = np.array([[0.5, 0.7], [0.3, 0.2], [0.2, 0.1]])
    by_weight = judge_rows(found, jury, None, weights)
    for k, name in enumerate(made.judgments.judges):
        given = [v for docs in votes_of(made)[name].values() for v in docs.values()]
        row = by_votes[k]
        assert row.name == row.family == name
        assert row.labels == len(given)
        assert row.covered == pytest.approx(len(given) / len(made.judgments.pool))
        assert row.relevant == pytest.approx(sum(v > 0 for v in given) / len(given))
        assert row.kappa == pytest.approx(found.pairs.with_others()[1][k])
        assert row.accuracy is None
        assert row.weight == pytest.approx(1 / 3)
        assert by_model[k].accuracy == pytest.approx(right[k])
        assert by_model[k].weight is None
        assert by_weight[k].weight == pytest.approx(weights[k].mean())


# Judges against gold labels: every figure against a loop.


@pytest.fixture(scope="module")
def with_lazy():
    return hj.simulate(systems=4, topics=6, documents=40, depth=20, grades=3, odd=("lazy",), seed=1)


@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.parametrize("rel", [None, 2])
def test_figures_are_the_loop(with_lazy, planned, rel):
    plan = hj.plan(with_lazy.judgments, with_lazy.runs, "nDCG@10", 60)
    truth, judgments = with_lazy.gold.to_dict(), with_lazy.judgments
    gold = {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        gold.setdefault(topic, {})[document] = truth[topic][document]
    found = agreement_with_gold(with_lazy.judgments, gold, rel, plan if planned else None)
    chance = dict(zip(zip(plan.topics, plan.documents, strict=True), plan.probability, strict=True))
    for j, judge in enumerate(with_lazy.judgments.judges):
        said = with_lazy.judgments.qrels_of(judge).to_dict()
        rows = []
        for topic, labels in gold.items():
            for document, label in labels.items():
                other = said.get(topic, {}).get(document)
                if other is not None and other >= 0:
                    one = 1 / chance[topic, document] if planned else 1.0
                    both = (other, label) if rel is None else (int(other >= rel), int(label >= rel))
                    rows.append((*both, one))
        total = sum(w for *_, w in rows)
        agree = sum(w for a, b, w in rows if a == b) / total
        by_chance = sum(
            sum(w for a, _, w in rows if a == g) * sum(w for _, b, w in rows if b == g)
            for g in range(3)
        ) / total**2  # fmt: skip
        assert found.documents[j] == len(rows)
        assert found.agreement[j] == pytest.approx(agree)
        assert found.kappa[j] == pytest.approx((agree - by_chance) / (1 - by_chance))
        assert found.kappa_low[j] <= found.kappa[j] <= found.kappa_high[j]
        yes = [(a, w) for a, b, w in rows if b >= 1]
        assert found.sensitivity[j] == pytest.approx(
            sum(w for a, w in yes if a >= 1) / sum(w for _, w in yes)
        )
        no = [(a, w) for a, b, w in rows if b < 1]
        assert found.specificity[j] == pytest.approx(
            sum(w for a, w in no if a < 1) / sum(w for _, w in no)
        )
        assert found.bias[j] == pytest.approx(sum((a - b) * w for a, b, w in rows) / total)
    least, votes = rel or 1, [j.to_dict() for j in map(judgments.qrels_of, judgments.judges)]
    stated = {}  # the share of judges who say relevant, by bin
    for topic, labels in gold.items():
        for document in labels:
            said = [v[topic][document] >= least for v in votes if v[topic].get(document, -1) >= 0]
            weight = 1 / chance[topic, document] if planned else 1.0
            share = sum(said) / len(said)
            stated.setdefault(min(math.floor(10 * share), 9), []).append((share, weight))
    assert [one.documents for one in found.reliability] == [len(stated[k]) for k in sorted(stated)]
    for one, k in zip(found.reliability, sorted(stated), strict=True):
        mean = sum(s * w for s, w in stated[k]) / sum(w for _, w in stated[k])
        assert one.stated == pytest.approx(mean)
    assert np.diag(found.correlation) == pytest.approx(np.ones(len(found.judges)))
    assert 1 <= found.effective <= len(found.judges)


def test_pairs_without_common_documents_are_counted(with_lazy):
    found = agreement_with_gold(with_lazy.judgments, with_lazy.gold, 1)
    correlation, judges = found.correlation.copy(), len(found.judges)
    pairs = judges * (judges - 1) // 2
    assert f"by the {pairs} of {pairs} pairs with" in found.to_text()
    correlation[0, 1] = correlation[1, 0] = np.nan
    text = replace(found, correlation=correlation).to_text()
    assert f"by the {pairs - 1} of {pairs} pairs with" in text


def test_probabilities_are_refused(with_lazy):
    soft = {"a": {"1": {"d": 0.3}}, "b": {"1": {"d": 0.6}}}
    with pytest.raises(HungjuryError, match="probabilities"):
        agreement_with_gold(soft, {"1": {"d": 1}})


def test_the_command(with_lazy, tmp_path):
    with_lazy.write(tmp_path)
    args = ["agreement", "--judges", f"{tmp_path}/judges/*", "--gold", f"{tmp_path}/gold.qrels",
            "--grades", "0-2"]  # fmt: skip
    done = CliRunner().invoke(command, [*args, "--plot", f"{tmp_path}/errors.svg",
                                        "--picture", "errors"],
                              catch_exceptions=False)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "independent ones" in done.stdout
    assert (tmp_path / "errors.svg").exists()
    done = CliRunner().invoke(command, [*args, "--format", "csv"], catch_exceptions=False)
    assert done.stdout.startswith("judge,documents,agreement,kappa")


# A panel compared with gold labels: agreement of grades, what is poor, whole topics.


def panel(share=0.6, judges=4, documents=30, seed=1):
    """Votes with gaps, and gold labels that they follow more or less."""
    rng = np.random.default_rng(seed)
    gold = {f"d{i:02}": int(g) for i, g in enumerate(rng.integers(0, 3, documents))}
    votes = {
        f"j{k}": {"t": {d: int(np.clip(g + rng.integers(-1, 2), 0, 2)) for d, g in gold.items()
                        if k == 0 or rng.random() < share}}
        for k in range(judges)
    }  # fmt: skip
    return votes, {"t": gold}


@pytest.mark.filterwarnings("error")
def test_agreement_is_the_correlation_of_mean_votes_and_gold():
    votes, gold = panel()
    judgments = hj.read_judgments(votes, grades=range(3))
    said, told = [], []
    for document, grade in gold["t"].items():
        given = [of["t"][document] for of in votes.values() if document in of["t"]]
        said.append(sum(given) / len(given))
        told.append(grade)
    found = agreement_of_grades(gold_labels(gold, judgments), Panel.of(judgments), 0.95)
    r = np.corrcoef(said, told)[0, 1]
    half = 1.959964 / np.sqrt(len(told) - 3)  # Fisher's transform
    expected = r, np.tanh(np.arctanh(r) - half), np.tanh(np.arctanh(r) + half)
    assert found == pytest.approx(expected)


@pytest.mark.filterwarnings("error")
def test_a_panel_that_says_what_gold_says():
    _, gold = panel()
    judgments = hj.read_judgments({"a": gold, "b": gold}, grades=range(3))
    found = agreement_of_grades(gold_labels(gold, judgments), Panel.of(judgments), 0.95)
    assert found == pytest.approx((1, 1, 1))
    assert max(found) <= 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [3, 4])
def test_three_labels_say_nothing_about_agreement(number):
    votes, gold = panel()
    judgments = hj.read_judgments(votes, grades=range(3))
    labels = dict(enumerate_grades(gold, number))
    found = agreement_of_grades(gold_labels({"t": labels}, judgments), Panel.of(judgments), 0.95)
    assert (found == (0, -1, 1)) == (number < 4)


def enumerate_grades(gold, number):
    """The first documents whose grades are 0, 2, 1, 0, ... in turn."""
    left = list(gold["t"].items())
    for i in range(number):
        wanted = (0, 2, 1)[i % 3]
        place = next(p for p, (_, grade) in enumerate(left) if grade == wanted)
        yield left.pop(place)


def board_of(binary, measure="P@5", **given):
    return hj.leaderboard(
        binary.judgments, binary.runs, measure, draws=100, target="topics", outlook=False, **given
    )


@pytest.fixture(scope="module")
def exact(binary):
    """The correction by gold labels of the whole pool."""
    return board_of(binary, gold=binary.gold).correction


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("agreement", "labels", "poor"),
    [
        ((0.20, 0.10, 0.30), 20, False),
        ((0.19, 0.10, 0.30), 20, True),
        ((0.19, 0.10, 0.30), 19, False),  # few labels do not say
        ((0.50, 0.00, 0.80), 20, False),
        ((-0.5, -0.8, 0.19), 19, True),
        ((-0.5, -0.8, -0.1), 20, True),
    ],
)
def test_agreement_below_a_fifth_is_poor(exact, agreement, labels, poor):
    found = replace(exact, agreement=agreement, labels=labels)
    assert found.poor is poor
    assert found.concludes  # gold labels of the whole pool need no panel
    for estimate, concludes in (("direct", True), ("combined", not poor), ("model", not poor)):
        assert replace(found, estimate=estimate).concludes is concludes


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (0.0312, "level is 0.031 above people's (95 % interval +0.011 to +0.051)"),
        (-0.0312, "level is 0.031 below people's (95 % interval -0.051 to -0.011)"),
        (-0.0004, "level is the same as people's (95 % interval -0.020 to +0.020)"),
        (0.0, "level is the same as people's (95 % interval -0.020 to +0.020)"),
    ],
)
def test_a_level_that_rounds_to_zero_is_on_neither_side(exact, level, said):
    found = replace(exact, level=(level, level - 0.02, level + 0.02))
    assert f"The panel's {said}." in sentences(found, 3)


@pytest.mark.filterwarnings("error")
def test_labels_of_whole_topics_shift_the_panels_means(binary):
    """The panel's mean, plus what gold labels add to it on the topics that have them."""
    truth = binary.gold.to_dict()
    some = binary.gold.topics[:4]
    found = board_of(binary, gold={t: truth[t] for t in some}, gold_design="topics")
    by_panel = board_of(binary, panel_error=0)
    scores = hj.evaluate(binary.gold, binary.runs, "P@5")
    for mean, system in zip(found.mean, found.systems, strict=True):
        said = by_panel.cells[by_panel.systems.index(system)]
        row = scores.values[0][scores.systems.index(system)]
        at = [by_panel.topics.index(t) for t in some]
        gold = [row[scores.topics.index(t)] for t in some]
        assert mean == pytest.approx(said.mean() + np.mean(gold) - said[at].mean())


@pytest.mark.filterwarnings("error")
def test_an_estimate_that_does_not_exist(binary):
    with pytest.raises(HungjuryError, match="estimate"):
        board_of(binary, gold=binary.gold, estimate="panel")


@pytest.mark.filterwarnings("error")
def test_grades_are_those_of_labels_and_gold():
    votes, gold = panel()
    judgments = hj.read_judgments(votes, grades=range(3))
    assert gold_labels(gold, judgments).grades == (0, 1, 2)
    with pytest.raises(HungjuryError, match="gold labels are 0-4, but the judges' are 0-2"):
        gold_labels({"t": dict.fromkeys(gold["t"], 4)}, judgments)
    assert gold_labels(gold, judgments, rel=2).grades == (0, 1)


@pytest.mark.filterwarnings("error")
def test_other_numbers_of_labels_are_round():
    """Now, 50 and 100 more, then 100, 200, 500 and 1000, as far as there are documents."""
    binary = hj.simulate(systems=3, topics=20, documents=60, depth=50, seed=4)
    rng = np.random.default_rng(1)
    gold = {t: {d: g for d, g in of.items() if rng.random() < 0.1} for t, of in
            binary.gold.to_dict().items()}  # fmt: skip
    found = board_of(binary, gold=gold, gold_design="random").correction
    now, pool = found.labels, len(binary.judgments.pool)
    assert pool > 500
    wanted = {now, now + 50, now + 100, *(n for n in (100, 200, 500, 1000) if n > now)}
    assert [n for n, _ in found.expected] == sorted(n for n in wanted if n <= pool)
