"""Plans: influence against a loop, probabilities against simulation, what they promise."""

import hashlib
import itertools
import math

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.effects import effects
from hungjury.base.errors import HungjuryError
from hungjury.cli.main import hungjury as command
from hungjury.data.alignment import align
from hungjury.judges.merge import merge
from hungjury.judges.panel import Panel
from hungjury.leaderboard.panel_error import (
    PRIOR_TAU,
    expected_contrasts,
    exposure_kernel,
    wide_kernel,
)
from hungjury.leaderboard.plan import (
    DRAWS,
    UNKNOWN,
    doubt,
    expected_differences,
    influence,
    plan_weights,
)
from hungjury.leaderboard.plan_file import in_order, permanent_numbers
from hungjury.measures.batch import Scorer
from hungjury.stats.resampling import expected_inclusion, inclusion, normal_reach

MEASURES = ["nDCG@5", "RBP(p=0.8)", "AP", "P@5", "Bpref", "GMAP", "ERR@5", "RR"]


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=4, topics=3, documents=30, depth=12, grades=3, seed=5)


@pytest.fixture(scope="module")
def aligned(made):
    return align(made.runs, made.judgments.pool)


def means_of(measure, labels, pool, runs):
    """Mean of every system by evaluating labels from scratch, logs for a geometric mean."""
    qrels = {}
    for t, topic in enumerate(pool.topics):
        part = pool.slice(t)
        qrels[topic] = dict(zip(pool.documents[part], labels[part].tolist(), strict=True))
    scores = hj.evaluate(hj.read_qrels(qrels, grades=range(3)), runs, measure)
    values = scores.values[0]
    if measure == "GMAP":
        values = np.log(np.maximum(values, 1e-5))
    return values.mean(axis=1)


@pytest.mark.parametrize("measure", MEASURES)
def test_effects_are_differences_of_scores(measure, made, aligned):
    pool = made.judgments.pool
    drawn = merge(made.judgments, "binmv").sample(3, 2)
    documents = np.array([0, 5, 17, len(pool) - 1])
    found = effects(Scorer(measure, aligned, 2), drawn, (0, 1, 2), documents)
    for i, d in enumerate(documents):
        for g in (0, 1, 2):
            expected = np.zeros(4)
            for labels in drawn:
                changed, lowest = labels.copy(), labels.copy()
                changed[d], lowest[d] = g, 0
                expected += means_of(measure, changed, pool, made.runs)
                expected -= means_of(measure, lowest, pool, made.runs)
            np.testing.assert_allclose(found[:, i, g], expected / 2, atol=1e-12)


def test_documents_below_the_cutoff_share_one_effect(made, aligned):
    """A document that no list shows in its first ranks matters through the ideal list alone."""
    pool = made.judgments.pool
    drawn = np.ones((1, len(pool)), dtype=np.int16)  # all alike, so that the stand-in is exact
    everything = np.arange(len(pool))
    found = effects(Scorer("nDCG@2", aligned, 2), drawn, (0, 2), everything)
    top = set(aligned.document[aligned.rank <= 2].tolist())
    below = [d for d in everything if d not in top]
    assert below
    for d in below[:6]:
        changed, lowest = drawn[0].copy(), drawn[0].copy()
        changed[d], lowest[d] = 2, 0
        expected = means_of("nDCG@2", changed, pool, made.runs)
        expected -= means_of("nDCG@2", lowest, pool, made.runs)
        np.testing.assert_allclose(found[:, d, 1], expected, atol=1e-12)


def test_influence_is_the_root_mean_square_over_pairs(made, aligned):
    merged = merge(made.judgments, "binmv")
    measure = hj.measure("nDCG@5")
    found = influence(measure, aligned, merged)
    drawn = merged.sample(np.random.default_rng(0), DRAWS)
    everything = np.arange(len(made.judgments.pool))
    effect = effects(Scorer(measure, aligned, 2), drawn, (0, 2), everything)[:, :, 1]
    spread = []
    for d in everything:
        pairs = itertools.combinations(effect[:, d], 2)
        spread.append(math.sqrt(np.mean([(a - b) ** 2 for a, b in pairs])))
    expected = np.array(spread) + 0.05 * np.mean(spread)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_heavy_documents_come_first():
    """P(u / 10 < v) = 0.95 for uniform u and v."""
    rng = np.random.default_rng(0)
    first = [np.argmin((1 - rng.random(2)) / [1.0, 10.0]) for _ in range(4000)]
    assert np.mean(first) == pytest.approx(0.95, abs=0.015)


def test_priority_sampling_is_unbiased():
    """Totals by inverse probabilities, over many samples, for every stop."""
    rng = np.random.default_rng(1)
    weight, values = rng.gamma(0.5, size=40) + 0.02, rng.normal(size=40)
    totals = {5: [], 15: [], 40: []}
    for _ in range(6000):
        ratio = (1 - rng.random(40)) / weight
        order = np.argsort(ratio)
        for n, found in totals.items():
            threshold = ratio[order[n]] if n < 40 else np.inf
            chosen = order[:n]
            found.append((values[chosen] / inclusion(weight, threshold)[chosen]).sum())
    for found in totals.values():
        error = np.std(found) / math.sqrt(len(found))
        assert abs(np.mean(found) - values.sum()) < 4 * error + 1e-9


@pytest.mark.parametrize("size", [1, 3, 9, 10])
def test_expected_probabilities_add_up(size):
    weight = np.array([10.0, 5, 1, 1, 1, 0.5, 0.5, 0.2, 0.1, 0.01])
    found = expected_inclusion(weight, size)
    assert found.sum() == pytest.approx(size)
    assert found.max() <= 1
    free = found < 1
    if free.any():
        np.testing.assert_allclose(np.diff(found[free] / weight[free]), 0, atol=1e-12)


def test_plans_are_nested_and_reproducible(made):
    small = hj.plan(made.judgments, made.runs, "nDCG@5", 10, seed=3)
    large = hj.plan(made.judgments, made.runs, "nDCG@5", 25, seed=3)
    assert large.documents[:10] == small.documents
    np.testing.assert_array_equal(large.probability_after(10)[:10], small.probability)
    again = hj.plan(made.judgments, made.runs, "nDCG@5", 10, seed=3)
    assert again.to_csv() == small.to_csv()
    other = hj.plan(made.judgments, made.runs, "nDCG@5", 10, seed=4)
    assert other.documents != small.documents
    assert small.order.tolist() == list(range(1, 11))


def test_all_of_the_pool_is_certain(made):
    pool = len(made.judgments.pool)
    for design in ("influence", "uniform", "topics"):
        found = hj.plan(made.judgments, made.runs, "AP", pool, design=design)
        assert found.probability.tolist() == [1.0] * pool


def test_whole_topics(made):
    sizes = np.diff(made.judgments.pool.offsets)
    found = hj.plan(made.judgments, made.runs, "AP", int(sizes.max()) + 1, design="topics")
    first = found.topics[0]
    assert found.topics.count(first) == sizes[made.judgments.pool.topics.index(first)]
    np.testing.assert_allclose(found.probability, found.whole_topics(len(found)) / 3)
    assert found.whole_topics(3) == 0
    size = found.topics.count(first)
    whole = hj.plan(made.judgments, made.runs, "AP", len(made.judgments.pool), design="topics")
    covered = [whole.whole_topics(n) for n in (0, 1, size - 1, size, size + 1, len(whole))]
    assert covered == [0, 0, 0, 1, 1, 3]
    with pytest.raises(HungjuryError, match="no whole topic fits"):
        hj.plan(made.judgments, made.runs, "AP", 2, design="topics")


def test_several_measures_average_their_influence(made, aligned):
    merged = merge(made.judgments, "binmv", scope="all")
    both = hj.plan(made.judgments, made.runs, ["AP", "P@5"], len(merged.pool))
    parts = [influence(hj.measure(m), aligned, merged) for m in ("AP", "P@5")]
    expected = sum(one / one.mean() for one in parts) / 2
    assert sorted(both.weight) == pytest.approx(sorted(expected))
    assert both.measures == ["AP", "P@5"]


def test_a_file_is_read_back(made, tmp_path):
    plan = hj.plan(made.judgments, made.runs, ["nDCG@5", "AP(rel=2)"], 12, seed=9)
    path = tmp_path / "plan.csv"
    plan.write(path)
    text = path.read_text()
    for line in (
        "# measure: nDCG@5; AP(rel=2)",
        "# seed: 9",
        "# budget: 12",
        "# design: influence",
    ):
        assert line in text
    read = hj.Plan.read(path)
    assert read.to_csv() == text
    np.testing.assert_array_equal(read.probability, plan.probability)
    assert read.votes == plan.votes
    shuffled = text.splitlines(keepends=True)
    head = next(i for i, line in enumerate(shuffled) if line.startswith("topic,"))
    rows = shuffled[head + 1 :][::-1]
    path.write_text("".join(shuffled[: head + 1] + rows))
    assert hj.Plan.read(path).to_csv() == text


@pytest.mark.parametrize("design", ["uniform", "topics"])
def test_files_of_other_designs_are_read_back(made, tmp_path, design):
    """All documents of a topic have the same priority."""
    plan = hj.plan(made.judgments, made.runs, "AP", len(made.judgments.pool) - 1, design=design)
    plan.write(tmp_path / "plan.csv")
    read = hj.Plan.read(tmp_path / "plan.csv")
    assert read.to_csv() == plan.to_csv()
    np.testing.assert_array_equal(read.probability_after(20), plan.probability_after(20))


def test_votes_are_what_judges_said(made):
    plan = hj.plan(made.judgments, made.runs, "nDCG@5", 7)
    for judge, labels in plan.votes.items():
        said = made.judgments.qrels_of(judge).to_dict()
        for topic, document, label in zip(plan.topics, plan.documents, labels, strict=True):
            assert said[topic].get(document) == label


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "P@5"])
def test_more_labels_tell_smaller_differences_apart(made, measure):
    plan = hj.plan(made.judgments, made.runs, measure, 20)
    assert plan.expected[0][0] == 20
    more = hj.plan(made.judgments, made.runs, measure, 50)
    assert more.expected[0][1] < plan.expected[0][1]
    sizes = [size for _, size in plan.expected]
    assert sizes == sorted(sizes, reverse=True)
    assert 0 < sizes[-1] <= sizes[0] < 1
    assert "Smallest detectable difference" in str(plan)
    assert hj.plan(made.judgments, made.runs, measure, 60, design="topics").expected == []


def test_doubt_is_what_other_judges_leave_open():
    """Judges who copy a common grade and guess with a known probability: the mixture's share."""
    rng = np.random.default_rng(0)
    usual = np.array([0.5, 0.3, 0.2])
    for guess in (0.2, 0.6):
        common = rng.choice(3, 1500, p=usual)
        labels = {
            f"j{k}": {"1": {
                f"d{d}": int(rng.choice(3, p=usual)) if rng.random() < guess else int(common[d])
                for d in range(1500)
            }}
            for k in range(4)
        }  # fmt: skip
        panel = Panel.of(hj.read_judgments(labels, grades=range(3)))
        table = np.array([[labels[f"j{k}"]["1"][f"d{d}"] for d in range(1500)] for k in range(4)])
        votes = np.bincount(table.ravel(), minlength=3) / table.size
        best, most = None, -np.inf
        for share in np.linspace(0.01, 0.99, 99):
            score = 0.0
            for k in range(4):
                rest = np.delete(table, k, axis=0)
                told = (rest == table[k]).mean(axis=0)
                score += np.log((1 - share) * told + share * votes[table[k]]).sum()
            if score > most:
                best, most = share, score
        assert doubt(panel) == pytest.approx(1 - (1 - best) ** 2, abs=0.02)
    alone = Panel.of(hj.read_judgments({"j0": labels["j0"]}, grades=range(3)))
    assert doubt(alone) == UNKNOWN


def test_frame(made):
    pytest.importorskip("pandas")
    plan = hj.plan(made.judgments, made.runs, "nDCG@5", 7)
    frame = plan.to_frame()
    assert list(frame.columns[:4]) == ["topic", "document", "probability", "order"]
    assert len(frame) == 7


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.replace("# hungjury plan\n", ""), "not a plan"),
        (lambda t: t.replace("topic,document", "topic,doc"), "columns are not"),
        (lambda t: t.replace("# seed: 0\n", ""), "damaged"),
        (lambda t: t[: t.rindex(",judge:")], "damaged|columns"),
        (lambda t: t.replace(",1,", ",0,", 1).replace(",2,", ",0,", 1), "damaged"),
    ],
)
def test_a_damaged_file_is_refused(made, tmp_path, change, message):
    path = tmp_path / "plan.csv"
    path.write_text(change(hj.plan(made.judgments, made.runs, "nDCG@5", 7).to_csv()))
    if message.startswith("damaged|"):
        path.write_text(path.read_text().replace("order", "place"))
    with pytest.raises(HungjuryError, match=message):
        hj.Plan.read(path)


def test_a_probability_of_zero_is_refused(made, tmp_path):
    plan = hj.plan(made.judgments, made.runs, "nDCG@5", 7)
    path = tmp_path / "plan.csv"
    lines = plan.to_csv().splitlines()
    cells = lines[-1].split(",")
    cells[4] = "0"
    path.write_text("\n".join([*lines[:-1], ",".join(cells)]) + "\n")
    with pytest.raises(HungjuryError, match="probability would be 0"):
        hj.Plan.read(path)


@pytest.mark.parametrize("budget", [0, -3, 2.5, True, 10**6])
def test_bad_budgets(made, budget):
    with pytest.raises(HungjuryError, match="budget"):
        hj.plan(made.judgments, made.runs, "nDCG@5", budget)


def test_random_numbers_are_permanent(made):
    """A hash of seed, topic and document: the same whatever else is in the pool."""
    names = [("1", "a"), ("1", "b"), ("11", "b"), ("1", "1b")]
    found = permanent_numbers(7, names)
    for i, name in enumerate(names):
        text = f"{len(name[0])}:{name[0]}{name[1]}".encode()
        hashed = hashlib.blake2b(text, digest_size=8, key=(7).to_bytes(8, "little")).digest()
        assert int(found[i]) == int.from_bytes(hashed, "little")
        assert permanent_numbers(7, [name])[0] == found[i]
    assert len(set(found.tolist())) == 4
    assert (permanent_numbers(8, names) != found).all()
    many = permanent_numbers(0, [("t", str(d)) for d in range(4000)]) / 2.0**64
    assert abs(many.mean() - 0.5) < 0.02
    assert np.abs(np.sort(many) - np.linspace(0, 1, 4000)).max() < 0.03


def systems_of(made):
    return {s: {t: dict(made.runs.ranked(s, t)) for t in made.runs.topics}
            for s in made.runs.systems}  # fmt: skip


def test_a_plan_does_not_depend_on_the_order_of_judges_and_runs(made):
    plan = hj.plan(made.judgments, made.runs, "nDCG@5", 5)
    runs = hj.read_runs(dict(reversed(systems_of(made).items())))
    labels = {j: made.judgments.qrels_of(j).to_dict() for j in reversed(made.judgments.judges)}
    judges = hj.read_judgments(labels, grades=range(3))
    assert hj.plan(judges, runs, "nDCG@5", 5).documents == plan.documents


def test_most_documents_stay_when_systems_are_added(made):
    """Coordinated samples: the same numbers, only the weights have changed."""
    fewer = {s: lists for s, lists in systems_of(made).items() if s != "system2"}
    before = hj.plan(made.judgments, fewer, "nDCG@5", 30)
    after = hj.plan(made.judgments, made.runs, "nDCG@5", 30)
    drawn = [set(zip(p.topics, p.documents, strict=True)) for p in (before, after)]
    assert len(drawn[0] & drawn[1]) > 20
    other = hj.plan(made.judgments, made.runs, "nDCG@5", 30, seed=1)
    assert len(drawn[0] & set(zip(other.topics, other.documents, strict=True))) < 20


def test_labels_at_hand_are_not_bought_again(made, tmp_path):
    whole = hj.plan(made.judgments, made.runs, "nDCG@5", 40)
    truth = made.gold.to_dict()
    have = {}
    for topic, document in list(zip(whole.topics, whole.documents, strict=True))[:15]:
        have.setdefault(topic, {})[document] = truth[topic][document]
    more = hj.plan(made.judgments, made.runs, "nDCG@5", 40, have=have)
    assert more.documents == whole.documents[15:]
    assert more.reused.documents == whole.documents[:15]
    np.testing.assert_array_equal(more.probability, whole.probability[15:])
    assert in_order(more).documents == whole.documents
    assert "15 of 15 labels at hand are reused" in more.to_text()
    more.write(tmp_path / "more.csv")
    read = hj.Plan.read(tmp_path / "more.csv")
    assert read.to_csv() == more.to_csv()
    assert in_order(read).documents == whole.documents
    assert len((tmp_path / "more.csv").read_text().partition("topic,")[2].splitlines()) == 26
    with pytest.raises(HungjuryError, match="15 labels at hand reach the budget of 15"):
        hj.plan(made.judgments, made.runs, "nDCG@5", 15, have=have)
    # A label that the plan would not draw counts towards the budget, and is not in the plan.
    last = max(made.gold.to_dict()["1"], key=lambda d: d not in whole.documents)
    assert last not in whole.documents
    other = hj.plan(made.judgments, made.runs, "nDCG@5", 40, have={"1": {last: 0}})
    assert other.documents == whole.documents[:39]
    assert (other.labels_at_hand, len(other.reused)) == (1, 0)


def test_a_depth_plan_goes_rank_by_rank(made, aligned):
    smallest = np.full(len(made.judgments.pool), np.inf)
    for d, rank in zip(aligned.document, aligned.rank, strict=True):
        smallest[d] = min(smallest[d], rank)
    plan = hj.plan(made.judgments, made.runs, "RR", 20, design="depth")
    rank = [smallest[made.judgments.pool.find(t, d)]
            for t, d in zip(plan.topics, plan.documents, strict=True)]  # fmt: skip
    assert rank == sorted(rank)
    assert plan.weight.tolist() == rank
    reached = rank[-1]
    assert (plan.probability[np.array(rank) < reached] == 1).all()
    # At the last rank: the next number, of those that are uniform on (0, 1].
    assert plan.probability[-1] == pytest.approx(min(1, plan.next_priority - (reached - 1)))
    assert plan.expected == []


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("# budget: 7", "# budget: 8"),
        lambda t: t.replace("\n1,", "\n2,", 1),
        lambda t: "\n".join([*t.splitlines()[:-1], ""]),
        lambda t: t.replace("# next priority: 0", "# next priority: 1"),
    ],
)
def test_an_edited_plan_is_refused(made, tmp_path, change):
    path = tmp_path / "plan.csv"
    text = hj.plan(made.judgments, made.runs, "nDCG@5", 7).to_csv()
    path.write_text(change(text))
    assert path.read_text() != text
    with pytest.raises(HungjuryError, match="changed after it was written") as caught:
        hj.Plan.read(path)
    assert caught.value.code == "edited-plan"


def test_judges_labels_may_be_hidden_from_people(made, tmp_path):
    plan = hj.plan(made.judgments, made.runs, "nDCG@5", 7)
    lines = plan.to_csv().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("topic,"))
    cut = [",".join(line.split(",")[:6]) for line in lines[head:]]
    (tmp_path / "plan.csv").write_text("\n".join([*lines[:head], *cut]) + "\n")
    assert hj.Plan.read(tmp_path / "plan.csv").documents == plan.documents


def test_command(made, tmp_path):
    made.write(tmp_path)
    args = ["plan", "--judges", f"{tmp_path}/judges/*", "--runs", f"{tmp_path}/runs/*",
            "-m", "nDCG@5", "--budget", "6", "-o", str(tmp_path / "plan.csv")]  # fmt: skip
    done = CliRunner().invoke(command, args, catch_exceptions=False)
    assert done.exit_code == 0
    assert "Label 6 documents" in done.stderr
    assert len(hj.Plan.read(tmp_path / "plan.csv")) == 6


@pytest.mark.parametrize("budget", [20, 60])
@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "Bpref"])
def test_what_labels_leave_open_adds_up_over_documents(made, aligned, measure, budget):
    """Document by document: the variance of its grade's effect on each difference, by
    1 / probability - 1."""
    one, merged = hj.measure(measure), merge(made.judgments, "binmv")
    weight = plan_weights(Panel.of(made.judgments), aligned, [one], "influence")
    found = dict(expected_differences(one, aligned, merged, weight, budget))
    scorer = Scorer(one, aligned, 2)
    drawn = np.maximum(merged.sample(np.random.default_rng(0), 2), 0)
    everything = np.arange(len(weight))
    effect = effects(scorer, drawn[: 2 if scorer.native else 1], (0, 1, 2), everything)
    unknown = doubt(merged.panel)
    chances = (1 - unknown) * merged.posterior + unknown * merged.posterior.mean(axis=0)
    probability = expected_inclusion(weight, budget)
    assert budget == 20 or (probability == 1).any()
    systems = len(aligned.systems)
    left = np.zeros((systems, systems))
    for d in everything:
        around = effect[:, d] - effect[:, d].mean(axis=0)
        covariance = np.diag(chances[d]) - np.outer(chances[d], chances[d])
        left += (1 / probability[d] - 1) * around @ covariance @ around.T
    left = expected_contrasts(left, wide_kernel(exposure_kernel(aligned)), PRIOR_TAU)
    gaps = [
        math.sqrt(left[a, a] + left[b, b] - 2 * left[a, b])
        for a, b in itertools.combinations(range(systems), 2)
    ]
    assert found[budget] == pytest.approx(normal_reach(0.95) * np.median(gaps), rel=1e-6)


def test_topics_stay_uncertain_however_many_documents_are_labelled(made, aligned):
    """On a population, a difference varies over topics as two systems' scores do."""
    one, merged = hj.measure("nDCG@5"), merge(made.judgments, "binmv")
    weight = plan_weights(Panel.of(made.judgments), aligned, [one], "influence")
    everything = len(weight)
    here = dict(expected_differences(one, aligned, merged, weight, everything))
    beyond = dict(expected_differences(one, aligned, merged, weight, everything, "population"))
    assert all(beyond[number] > here[number] for number in here)
    assert here[everything] == pytest.approx(0, abs=1e-6)
    cells = hj.evaluate(merged.hard(), made.runs, one).values[0]
    gaps = [np.std(a - b, ddof=1) / math.sqrt(len(a)) for a, b in itertools.combinations(cells, 2)]
    assert beyond[everything] == pytest.approx(normal_reach(0.95) * np.median(gaps), rel=1e-5)


def test_a_budget_of_one_label(made):
    assert len(hj.plan(made.judgments, made.runs, "nDCG@5", 1)) == 1


@pytest.mark.parametrize("odd", ["# 5", "a\u2028b", "a\x85b", "a\x0cb", "a\x1cb", "a\rb", '"q",'])
def test_odd_names_are_read_back(odd, tmp_path):
    """What ends a line in some places, or begins a comment, may be part of a name."""
    labels = {"t": {"d": 1, odd: 0}, odd: {"d": 0, odd: 1}}
    runs = {"s1": labels, "s2": {odd: {odd: 2.0}}}
    plan = hj.plan({"a": labels, "b": labels}, runs, "P@1", 4)
    assert {odd} < set(plan.topics)
    plan.write(tmp_path / "plan.csv")
    read = hj.Plan.read(tmp_path / "plan.csv")
    assert (read.topics, read.documents) == (plan.topics, plan.documents)
    assert read.to_csv() == plan.to_csv()


def test_a_byte_order_mark_is_no_part_of_a_plan(made, tmp_path):
    plan = hj.plan(made.judgments, made.runs, "AP", 5)
    windows = plan.to_csv().replace("\n", "\r\n").encode("utf-8-sig")
    (tmp_path / "plan.csv").write_bytes(windows)
    assert hj.Plan.read(tmp_path / "plan.csv").to_csv() == plan.to_csv()


# Differences that a plan is expected to tell apart, against the sum over documents.


def chances_of_being_drawn(weight, number):
    """min(1, c weight) with the c that makes them add up, by bisection."""
    low, high = 0.0, number / min(weight)
    for _ in range(200):
        c = (low + high) / 2
        if sum(min(1.0, c * w) for w in weight) < number:
            low = c
        else:
            high = c
    return [min(1.0, high * w) for w in weight]


@pytest.fixture(scope="module")
def binary():
    return hj.simulate(systems=4, topics=4, documents=70, depth=20, seed=9)


def test_the_sum_over_documents(binary):
    """P@5 adds 1 / 5 / topics for each relevant document in the first five ranks. A document is
    relevant by the share of votes, of which a part is left to the mean share of all."""
    pool, systems, topics = binary.judgments.pool, binary.runs.systems, binary.judgments.topics
    votes = {a: binary.judgments.qrels_of(a).to_dict() for a in binary.judgments.judges}
    rows, share = [], []
    for d, document in enumerate(pool.documents):
        topic = topics[pool.topic_of[d]]
        first = [[name for name, _ in binary.runs.ranked(system, topic)][:5] for system in systems]
        rows.append([(document in five) / 5 / len(topics) for five in first])
        labels = [given[topic][document] for given in votes.values() if document in given[topic]]
        share.append(sum(labels) / len(labels))
    usual = sum(share) / len(share)
    unknown = doubt(Panel.of(binary.judgments))
    weight = np.random.default_rng(0).gamma(2, size=len(pool)) + 0.1
    aligned = align(binary.runs, pool)
    merged = merge(binary.judgments, "binmv", None, "all")
    found = expected_differences(hj.measure("P@5"), aligned, merged, weight, 60)
    assert [number for number, _ in found] == [n for n in (60, 100, 200) if n <= len(pool)]
    for number, difference in found:
        covariance = np.zeros((4, 4))
        drawn = chances_of_being_drawn(weight.tolist(), number)
        for effect, votes_for, pi in zip(rows, share, drawn, strict=True):
            p = (1 - unknown) * votes_for + unknown * usual
            off = [e - sum(effect) / 4 for e in effect]
            covariance += np.outer(off, off) * p * (1 - p) * (1 - pi) / pi
        left = expected_contrasts(covariance, wide_kernel(exposure_kernel(aligned)), 0.06)
        pairs = [
            math.sqrt(left[a, a] + left[b, b] - 2 * left[a, b])
            for a in range(4)
            for b in range(a + 1, 4)
        ]
        assert difference == pytest.approx(normal_reach(0.95) * np.median(pairs), rel=1e-6)


def test_doubt_is_most_likely_by_one_judge_given_the_others(binary):
    votes = [binary.judgments.qrels_of(a).to_dict() for a in binary.judgments.judges]
    labels = [label for given in votes for rows in given.values() for label in rows.values()]
    usual = {label: labels.count(label) / len(labels) for label in set(labels)}
    pairs = []  # share of the other judges who say the same, share of all labels
    for k, given in enumerate(votes):
        for topic, rows in given.items():
            for document, label in rows.items():
                others = [v[topic][document] for i, v in enumerate(votes) if i != k]
                pairs.append((others.count(label) / len(others), usual[label]))

    def likelihood(share):
        return sum(math.log((1 - share) * told + share * chance) for told, chance in pairs)

    best = max((step / 1000 for step in range(1, 1000)), key=likelihood)
    assert doubt(Panel.of(binary.judgments)) == pytest.approx(1 - (1 - best) ** 2, abs=0.002)


def test_one_system_has_no_differences(binary):
    runs = hj.read_runs({"alone": binary.runs.to_dict()[binary.runs.systems[0]]})
    aligned = align(runs, binary.judgments.pool)
    merged = merge(binary.judgments, "binmv", None, "all")
    weight = np.ones(len(binary.judgments.pool))
    assert expected_differences(hj.measure("P@5"), aligned, merged, weight, 60) == []
