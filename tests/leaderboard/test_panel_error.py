"""Panel error: what a panel gets wrong about systems; strata of documents."""

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.data.alignment import align
from hungjury.judges.families import family_names, propose_families
from hungjury.judges.panel import Panel
from hungjury.judges.votes import vote_shares
from hungjury.leaderboard.label_model import RankStrata
from hungjury.leaderboard.panel_error import (
    BELOW_SHARE,
    BELOW_VARIANCE,
    FACTOR,
    PanelError,
    _sampled_error,
    credit_below,
    documents_error,
    drawn_grades,
    exposure_kernel,
    normal_draws,
    people_given_votes,
    range_of,
    reachable,
    sizes_for,
)
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import measure
from oracles import leaderboard as naive


def board(made, runs=None, measure="nDCG@10", **options):
    given = {"draws": 400, "outlook": False, "target": "topics"} | options
    return hj.leaderboard(made.judgments, runs or made.runs, measure, **given)


def test_the_kernel_is_the_loop(simulate):
    for seed in range(5):
        collection = simulate(seed)
        qrels = hj.read_qrels(collection.qrels_text())
        runs = hj.read_runs(collection.run_texts())
        found = exposure_kernel(align(runs, qrels.pool))
        pooled = {t: set(d) for t, d in collection.labels.items()}
        lists = {
            s: {
                t: [d if d in pooled[t] else None for d, _ in runs.ranked(s, t)]
                for t in pooled
                if t in collection.runs[s]
            }
            for s in runs.systems
        }
        expected = naive.exposure_kernel(lists, runs.systems)
        assert found == pytest.approx(np.array(expected))


def test_twins_share_their_error_and_strangers_do_not():
    qrels = hj.read_qrels({"q": {"a": 1, "b": 0, "c": 1}})
    runs = {
        "one": {"q": {"a": 2.0, "b": 1.0}},
        "twin": {"q": {"a": 9.0, "b": 3.0}},
        "stranger": {"q": {"c": 1.0, "elsewhere": 0.5}},
        "nothing": {"q": {"elsewhere": 1.0}},
    }
    kernel = exposure_kernel(align(hj.read_runs(runs), qrels.pool))
    assert kernel[:3, :3] == pytest.approx(np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]]))
    assert (kernel[3] == 0).all()
    _, _, drawn, _ = layer_of(kernel).draw(200, np.random.default_rng(0))
    assert (drawn[:, 0] == drawn[:, 1]).all()
    assert (drawn[:, 3] == 0).all()


def layer_of(kernel, documents=None, kin=None, tau=0.035, below=None):
    kernel = np.asarray(kernel, dtype=float)
    nothing = np.zeros_like(kernel)
    kin = np.zeros(len(kernel), dtype=bool) if kin is None else np.array(kin)
    return PanelError(
        1.0, kernel, nothing if documents is None else np.array(documents),
        nothing[0] if below is None else np.array(below), tau, (tau,) * 4, kin,
    )  # fmt: skip


def test_draws_have_the_covariance_that_is_told():
    kernel = np.array([[1, 0.6, 0], [0.6, 1, 0], [0, 0, 1]])
    about = np.array([[4.0, 1, 0], [1, 2, 0], [0, 0, 1]]) * 1e-4
    layer = layer_of(kernel, about, kin=[True, False, True], below=[0.1, 0.2, 0])
    documents, below, systems, kin = layer.draw(40_000, np.random.default_rng(1))
    both = 0.035 * systems + kin
    assert below[:, 1] == pytest.approx(2 * below[:, 0])
    assert (below[:, 0] > -0.1).all()
    assert (below[:, 2] == 0).all()
    share = below[:, 0] / 0.1 + BELOW_SHARE
    assert share.mean() == pytest.approx(np.exp(-0.7 + 0.7**2 / 2), rel=0.02)
    assert np.log(share).mean() == pytest.approx(-0.7, rel=0.02)
    assert np.log(share).std() == pytest.approx(0.7, rel=0.02)
    assert below[:, 0].var() == pytest.approx(0.01 * BELOW_VARIANCE, rel=0.05)
    assert np.cov(documents, rowvar=False) == pytest.approx(FACTOR * about, abs=2e-5)
    assert np.cov(both, rowvar=False) == pytest.approx(FACTOR * layer.systems, abs=6e-5)
    assert pytest.approx(np.exp(2 * 0.4**2)) == FACTOR
    shared = 0.02**2
    assert layer.systems[0] == pytest.approx([0.035**2 + 2 * shared, 0.6 * 0.035**2, shared])


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.06, 0.12])
def test_the_chance_of_beating_is_the_integral_over_sizes(gap):
    kernel = np.array([[1, 0.4], [0.4, 1]])
    _, _, drawn, _ = layer_of(kernel).draw(40_000, np.random.default_rng(2))
    drawn = 0.035 * drawn + [gap, 0]
    share = (drawn[:, 0] > drawn[:, 1]).mean()
    assert share == pytest.approx(naive.chance_of_beating(gap, 0.035, 0.4), abs=0.007)


@pytest.mark.parametrize("grades", [2, 3, 4, 6])
@pytest.mark.parametrize("judges", [1, 2, 3, 4, 5, 7])
def test_what_people_say_is_the_table(grades, judges):
    rng = np.random.default_rng(judges)
    votes = {f"j{k}": {"q": {f"d{d}": int(rng.integers(grades)) for d in range(30)}}
             for k in range(judges)}  # fmt: skip
    del votes["j0"]["q"]["d3"]  # one vote fewer
    for labels in votes.values():  # the ends of the tables
        labels["q"] |= {"d4": 0, "d5": grades - 1}
    given = hj.read_judgments(votes, grades=range(grades))
    found = people_given_votes(Panel.of(given))
    assert found.sum(axis=1) == pytest.approx(1)
    assert (found >= 0).all()
    for place, name in enumerate(given.pool.documents):
        mine = [labels["q"][name] for labels in votes.values() if name in labels["q"]]
        expected = naive.person_at_least(mine, grades - 1)
        at_least = [found[place, k:].sum() for k in range(1, grades)]
        assert at_least == pytest.approx(expected), (name, mine)


@pytest.mark.parametrize("name", ["P(rel=2)@5", "nDCG@5", "DCG@5", "RR(rel=2)", "ERR@5", "AP"])
@pytest.mark.parametrize("judges", [1, 3])
def test_errors_about_documents_are_the_loop(name, judges):
    made = hj.simulate(systems=3, topics=2, documents=10, depth=7, grades=4, seed=judges)
    given = made.judgments.only(np.arange(judges))
    if judges > 1 and name != "P(rel=2)@5":  # weights depend on drawn labels
        given = hj.read_judgments({f"j{k}": given.qrels_of("judge1").to_dict() for k in range(2)})
    panel, chosen = Panel.of(given), measure(name)
    aligned = align(made.runs, given.pool)
    found = documents_error(panel, aligned, chosen)
    chances = people_given_votes(panel)
    labels = np.array(panel.grades)[np.argmax(vote_shares(panel), axis=1)]
    scorer = Scorer(chosen, aligned, 3)
    expected = naive.documents_error(
        lambda given: scorer.filled(np.array([given], dtype=np.int16))[0].mean(axis=1).tolist(),
        labels.tolist(), chances.tolist(),
    )  # fmt: skip
    assert found == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize("name", ["AP", "R@140", "nDCG", "Bpref"])
def test_credit_below_rank_100_is_what_cut_lists_lose(name):
    made = hj.simulate(systems=4, topics=4, documents=160, depth=140, grades=4, seed=3)
    panel = Panel.of(made.judgments.only(np.array([0])))  # one judge: labels are not drawn
    found = credit_below(panel, align(made.runs, panel.pool), measure(name))
    runs = made.runs.to_dict()
    cut = {
        s: {t: dict(sorted(d.items(), key=lambda pair: -pair[1])[:100]) for t, d in lists.items()}
        for s, lists in runs.items()
    }
    labels = made.judgments.qrels_of("judge1")
    whole, near = (hj.evaluate(labels, lists, name).mean()[0] for lists in (runs, cut))
    assert found == pytest.approx(np.asarray(whole) - np.asarray(near))
    assert (found > 0).any()


def test_what_was_measured_has_no_depth_part():
    made = hj.simulate(systems=3, topics=3, documents=160, depth=140, seed=3)
    panel = Panel.of(made.judgments)
    aligned = align(made.runs, panel.pool)
    assert not credit_below(panel, aligned, measure("P@100")).any()
    assert not credit_below(panel, aligned, measure("nDCG@10")).any()
    assert not credit_below(panel, aligned.upto(100), measure("AP")).any()


def test_depth_counts_for_about_half_in_ranks_and_a_note_says_so():
    """`long` finds all below rank 100; `short` stops there, and is better before."""
    relevant = {f"d{i}": int(i % 2 == 0 or i >= 100) for i in range(160)}
    judgments = {f"j{k}": {f"q{t}": relevant for t in range(12)} for k in range(3)}
    good = sorted((d for d in relevant if int(d[1:]) < 100), key=lambda d: -relevant[d])
    poor, rest = good[10:] + good[:10], [f"d{i}" for i in range(100, 160)]
    lists = {"short": good, "long": poor + rest}
    runs = {s: {f"q{t}": {d: 1.0 / (1 + r) for r, d in enumerate(docs)} for t in range(12)}
            for s, docs in lists.items()}  # fmt: skip
    found = hj.leaderboard(judgments, runs, "AP", target="topics", draws=2000,
                           outlook=False, contrary="keep")  # fmt: skip
    (note,) = (n for n in found.notes if n.kind == "below-100")
    assert note.count == 1
    assert "counts for about half" in str(note)
    cut = {"long": {t: dict(list(d.items())[:100]) for t, d in runs["long"].items()}}
    deep = [
        hj.evaluate(judgments["j0"], r, "AP").mean()[0][0] for r in ({"long": runs["long"]}, cut)
    ]
    mean = dict(zip(found.systems, found.samples.mean(axis=0), strict=True))
    shown = dict(zip(found.systems, found.mean, strict=True))
    taken_off = (1 - np.exp(-0.7 + 0.7**2 / 2)) * (deep[0] - deep[1])
    assert shown["long"] - mean["long"] == pytest.approx(taken_off, abs=0.01)
    assert shown["short"] - mean["short"] == pytest.approx(0, abs=0.005)
    assert found.systems[0] == max(mean, key=mean.get)


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        ("nDCG@3", lambda n: 1 / np.log2(1 + n) if n <= 3 else 0.0),
        ("nDCG", lambda n: 1 / np.log2(1 + n)),
        ("nCG@3", lambda n: float(n <= 3)),
    ],
)
def test_the_unit_of_normalised_measures_is_what_the_best_order_expects(name, weight):
    labels = {f"q{t}": {f"d{i}": 1 for i in range(4)} for t in range(100)}
    pool = hj.read_qrels(labels).pool
    scorer = Scorer(measure(name), align(hj.read_runs({"a": labels}), pool), 2)
    posterior = np.random.default_rng(1).dirichlet([0.4, 0.6, 1], len(pool))
    topics = [posterior[pool.slice(t)].tolist() for t in range(100)]
    expected = naive.best_expected(topics, weight)
    assert expected < 0.97
    assert reachable(scorer, posterior) == pytest.approx(expected, rel=0.02)
    assert reachable(scorer, None) == 1
    certain = np.eye(3)[np.arange(len(pool)) % 3]
    assert reachable(scorer, certain) == pytest.approx(1)
    assert reachable(Scorer(measure("P@5"), scorer.alignment, 2), posterior) == 1


def test_grades_are_drawn_by_their_chances_and_the_lowest_without():
    chances = np.array([[0.2, 0.3, 0.5], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    drawn = drawn_grades(chances, (0, 1, 2), 4000, np.random.default_rng(0))
    assert [(drawn[:, 0] == g).mean() for g in range(3)] == pytest.approx([0.2, 0.3, 0.5], abs=0.03)
    assert (drawn[:, 1] == 0).all()
    assert (drawn[:, 2] == 1).all()


def test_errors_of_measures_without_a_kernel_are_those_of_drawn_labels():
    made = hj.simulate(systems=3, topics=30, documents=30, depth=10, grades=4, seed=2)
    panel = Panel.of(made.judgments.only(np.array([0])))
    aligned = align(made.runs, panel.pool)
    known = documents_error(panel, aligned, measure("P(rel=2)@5"))
    sampled = _sampled_error(
        Scorer(measure("P(rel=2)@5"), aligned, 3), people_given_votes(panel), panel.grades,
        np.random.default_rng(0),
    )  # fmt: skip
    assert np.diag(sampled) == pytest.approx(np.diag(known), rel=0.2)


@pytest.mark.parametrize(
    ("name", "tau", "kappa"),
    [
        ("nDCG@10", 0.03, 1.2), ("AP", 0.03, 1.2), ("RBP(p=0.8)", 0.03, 1.2), ("P@20", 0.03, 1.2),
        ("nDCG@100", 0.035, 1.6), ("R@100", 0.035, 1.6), ("nDCG", 0.035, 1.6),
        ("P@100", 0.035, 1.6), ("RR", 0.03, 1.5), ("ERR@20", 0.03, 1.5), ("Success@5", 0.03, 1.5),
    ],
)  # fmt: skip
def test_sizes_follow_the_measure(name, tau, kappa):
    taus, kappas = sizes_for(measure(name), 1000, 3)
    assert (taus[1], kappas[1]) == (tau, kappa)


@pytest.mark.parametrize(
    ("name", "tau", "kappa"),
    [
        ("nDCG@10", (0.035, 0.03, 0.022, 0.018), (1.2, 1.2, 1.2, 1.2)),
        ("RR", (0.035, 0.03, 0.022, 0.018), (1.8, 1.5, 1.2, 1.2)),
        ("nDCG@100", (0.035, 0.035, 0.03, 0.03), (1.6, 1.6, 1.6, 1.6)),
    ],
)
def test_sizes_follow_the_families(name, tau, kappa):
    """One judge, one family, two, and more."""
    assert sizes_for(measure(name), 1000, 3) == (tau, kappa)


def test_singular_covariances_are_drawn():
    drawn = normal_draws(np.ones((3, 3)), 100, np.random.default_rng(3))
    assert (drawn == drawn[:, :1]).all()
    assert (normal_draws(np.zeros((2, 2)), 5, np.random.default_rng(3)) == 0).all()


def test_the_unit_is_the_range_or_the_mean_ideal_score():
    qrels = hj.read_qrels({"q": {"a": 2, "b": 0, "c": 1, "d": 0}, "r": {"a": 1, "b": 0}})

    def unit(name):
        return range_of(measure(name), qrels.pool, qrels.labels, 2)

    assert unit("nDCG@10") == unit("GMAP") == 1
    ideal = hj.score_list("DCG@2", [2, 1]) + hj.score_list("DCG@2", [1, 0])
    assert unit("DCG@2") == pytest.approx(ideal / 2)
    assert unit("NumRelRet") == 2 + 1  # added up over topics
    assert unit("ESL") == pytest.approx((2 + 1) / 2)  # the worst order: best is 0 everywhere


def test_people_may_rank_otherwise(made):
    sure, doubting = (board(made, panel_error=size) for size in (0, 0.035))
    assert sure.shares.keys() == {"labels", "judges"}
    assert doubting.shares.keys() == {"labels", "panel"}
    assert doubting.mean == pytest.approx(sure.mean)
    assert doubting.p_best.max() < sure.p_best.max()
    assert doubting.beats[0, -1] < sure.beats[0, -1]
    more = board(made, panel_error=0.2)
    assert more.beats[0, -1] < doubting.beats[0, -1]


def test_the_error_is_absolute_so_two_systems_are_not_always_told_apart(made):
    """A layer relative to how far apart systems are would tell any two apart."""
    whole = board(made)
    close = whole.systems[:2]
    runs = {s: {t: dict(made.runs.ranked(s, t)) for t in made.runs.topics} for s in close}
    two = board(made, runs)
    assert two.beats[0, 1] == pytest.approx(whole.beats[0, 1], abs=0.08)


def test_judges_own_noise_is_left_to_the_layer(made):
    """EM's draws hold errors that topics share; with the layer only label noise is added."""
    found = board(made, merge="em-neu")
    assert found.shares.keys() == {"labels", "panel"}
    both = hj.leaderboard(
        made.judgments, made.runs, "nDCG@10", draws=200, outlook=False, target="population"
    )
    assert both.shares.keys() == {"topics", "labels", "panel"}
    assert sum(both.shares.values()) == pytest.approx(1)


def test_intervals_are_those_of_the_panel(made):
    """Panel error widens no interval: nothing about the level of people is known."""
    small, large = (board(made, panel_error=size) for size in (0.01, 0.3))
    assert (small.low == large.low).all()
    assert (small.high == large.high).all()
    row = small.to_dict()["systems"][0]
    assert {"mean", "low", "high"} < row.keys()
    assert row["scale"] == "panel"
    assert "on the panel's scale" in str(small)
    assert small.scale == "panel"


def test_every_board_says_what_is_assumed(made):
    assert "judges of one LLM are off by 0.03 of the measure's range" in str(board(made))
    assert "the panel's own view" in str(board(made, panel_error=0))


@pytest.mark.parametrize("systems", [1, 2])
def test_few_systems(made, systems):
    runs = {
        s: {t: dict(made.runs.ranked(s, t)) for t in made.runs.topics}
        for s in made.runs.systems[:systems]
    }
    found = board(made, runs)
    assert len(found.systems) == systems
    assert found.p_best.sum() == pytest.approx(1)
    assert str(found)
    assert found.to_json()


@pytest.mark.long
def test_a_thousand_systems():
    rng = np.random.default_rng(4)
    labels = {f"j{j}": {"q": {f"d{d}": int(rng.integers(3)) for d in range(40)}} for j in range(3)}
    runs = {f"s{s}": {"q": {f"d{d}": float(rng.random()) for d in range(40)}} for s in range(1000)}
    found = hj.leaderboard(labels, runs, "nDCG@10", draws=100, target="topics", outlook=False)
    assert found.beats.shape == (1000, 1000)
    assert found.p_best.sum() == pytest.approx(1)


def test_copies_of_a_system_are_never_told_apart(made):
    runs = {
        name: {t: dict(made.runs.ranked("system1", t)) for t in made.runs.topics}
        for name in ("a", "b", "c")
    }
    found = board(made, runs)
    assert found.beats == pytest.approx(np.full((3, 3), 0.5))
    assert not found.apart.any()


@pytest.mark.parametrize("size", [-0.1, 1.5, float("nan"), "much"])
def test_sizes_that_are_refused(made, size):
    with pytest.raises(HungjuryError, match="panel_error"):
        board(made, panel_error=size)


def test_the_smallest_comes_first_where_smaller_is_better(made):
    found = board(made, measure="ESL")
    assert (np.diff(found.mean) >= 0).all()
    assert found.beats[0, -1] > 0.5
    assert found.p_best[0] > found.p_best[-1]


def test_families_and_kin_change_what_is_assumed(made):
    names = made.judgments.judges
    for families, tau in (
        (None, 0.03),
        ({names[0]: "a", names[1]: "b"}, 0.018),  # and one that nobody declared
        (dict(zip(names, "aab", strict=True)), 0.022),
        (dict.fromkeys(names, "a"), 0.03),
    ):
        found = board(made, families=families)
        assert found.assumed.tau == tau
        assert f"{tau:g} of the measure's range" in str(found)
    assert hj.leaderboard(
        made.judgments.only(np.array([0])), made.runs, "nDCG@10", draws=100
    ).assumed.tau == 0.035  # fmt: skip
    usual = board(made)
    first = usual.systems[0]
    kin = board(made, kin=f"^{first}$")
    assert kin.kin == [first]
    assert kin.p_best[kin.systems.index(first)] < usual.p_best[0]
    assert f"{first} †" in str(kin)
    assert "over-rated by 0.015 ± 0.02" in str(kin)
    note = next(n for n in board(made, kin="nothing like it").notes if n.kind == "no-kin")
    assert "nothing like it" in str(note)
    by_gold = board(made, kin=[first], gold=made.gold)
    middle, low, high = by_gold.kin_overrated
    assert low <= middle <= high
    assert "the panel over-rates kin by" in str(by_gold)
    # In each draw: least squares of the panel's excess on gold's scores and on being kin.
    said = dict(zip(usual.systems, usual.mean, strict=True))
    excess, is_kin = [said[s] for s in by_gold.systems], [s == first for s in by_gold.systems]
    gaps = []
    for truth in by_gold.samples:
        sides = np.column_stack([np.ones(len(truth)), truth, is_kin])
        gaps.append(np.linalg.lstsq(sides, excess - truth, rcond=None)[0][2])
    assert middle == pytest.approx(np.median(gaps))
    assert (low, high) == pytest.approx(tuple(np.quantile(gaps, [0.025, 0.975])))


def test_kin_from_a_file(made, tmp_path):
    path = tmp_path / "kin.txt"
    path.write_text("system2\nsystem3\n")
    assert sorted(board(made, kin=path).kin) == ["system2", "system3"]
    with pytest.raises(HungjuryError, match="invalid regular expression for kin"):
        board(made, kin="(")


def test_every_board_ends_with_a_step(made):
    for options in ({}, {"panel_error": 0}, {"gold": made.gold}, {"panel_error": 0.01}):
        assert str(board(made, **options)).splitlines()[-1].startswith("Next: "), options
    found = board(made)
    assert [step.pairs or 0 for step in found.steps] == sorted(
        (step.pairs or 0 for step in found.steps), reverse=True
    )


def test_families_are_proposed_where_names_share_stems():
    assert propose_families(["gpt_a", "gpt_b", "llama-a", "llama-b"]) == (r"[^\W_]+", 2)
    pattern, number = propose_families(["x_gpt-1", "x_gpt-2", "x_qwen-1", "x_qwen-2"])
    assert number == 2
    assert set(family_names(["x_gpt-1", "x_qwen-2"], pattern)) == {"x_gpt", "x_qwen"}
    assert propose_families(["judge1", "judge2"]) is None
    assert propose_families(["gpt_a", "gpt_b", "llama_a"]) is None
    assert propose_families([]) is None


@pytest.mark.parametrize("times", [1e-9, 1e-4, 1e6])
def test_draws_have_no_unit(times):
    """A covariance in other units gives the same draws in those units."""
    root = np.random.default_rng(1).normal(size=(4, 3))
    one, other = (
        normal_draws(size**2 * root @ root.T, 20, np.random.default_rng(2)) for size in (1.0, times)
    )
    assert other == pytest.approx(times * one, rel=1e-6)


# Strata of documents: heights, ridge regression and topic effects against slow definitions.


class Noise:
    """Stands in for a generator, so that what is drawn is known."""

    def __init__(self, values):
        self.values = np.array(values)

    def standard_normal(self, size):
        assert size == len(self.values)
        return self.values


def made_up(seed, sizes, longest):
    """Grades by topic, and lists of some of the documents, of which some are very short."""
    rng = np.random.default_rng(seed)
    grades = {
        f"t{t}": {f"d{i}": int(rng.random() < 0.2 + 0.25 * (t % 3)) * 2 for i in range(size)}
        for t, size in enumerate(sizes)
    }
    runs = {}
    for s, most in enumerate(longest):
        runs[f"s{s}"] = {}
        for topic, documents in grades.items():
            taste = {d: g + rng.normal() * (1 + s) for d, g in documents.items()}
            first = sorted(taste, key=taste.get, reverse=True)[:most]
            runs[f"s{s}"][topic] = {d: float(len(first) - i) for i, d in enumerate(first)}
    return hj.read_qrels(grades), hj.read_runs(runs), runs


def expected_strata(gold, runs, known, noise):
    """By the definition: penalised least squares on centred heights, weights drawn around it."""
    pairs = [
        (topic, document)
        for topic in gold.topics
        for document in gold.pool.documents[gold.pool.slice(gold.topics.index(topic))]
    ]
    kept = [pair for pair, there in zip(pairs, known, strict=True) if there]
    height = np.zeros((len(kept), len(runs)))
    for s, lists in enumerate(runs.values()):
        orders = {topic: sorted(of, key=of.get, reverse=True) for topic, of in lists.items()}
        for i, (topic, document) in enumerate(kept):
            if document in (order := orders[topic]):
                height[i, s] = naive.height(order.index(document) + 1, len(order))
    grades = gold.labels[known].astype(float)
    effect = np.array(naive.topic_effects([t for t, _ in kept], grades.tolist()))
    rest = grades - effect
    rest -= rest.mean()
    centred = height - height.mean(axis=0)
    # A ridge of 1 is one more observation of 0 for each system.
    design = np.vstack([centred, np.eye(len(runs))])
    weights = np.linalg.lstsq(design, np.append(rest, np.zeros(len(runs))), rcond=None)[0]
    penalised = ((rest - centred @ weights) ** 2).sum() + (weights**2).sum()
    root = np.linalg.cholesky(np.linalg.inv(centred.T @ centred + np.eye(len(runs))))
    drawn = weights + np.sqrt(penalised / len(rest)) * root @ noise
    promise = height @ drawn + effect
    number = min(max(len(kept) // 50, 1), 20)
    ends = [np.quantile(promise, i / number) for i in range(1, number)]
    return [sum(bool(value > end) for end in ends) for value in promise]


@pytest.mark.parametrize(
    ("seed", "sizes", "longest"),
    [
        (1, (150, 120, 130), (130, 110, 4)),  # lists beyond rank 100, and of four documents
        (2, (40, 60), (3, 2, 3, 1)),  # so little that the ridge decides
        (3, (300, 250, 300, 300), (200, 20)),  # more than 20 times 50 documents
    ],
)
def test_strata_are_those_of_the_definition(seed, sizes, longest):
    gold, runs, lists = made_up(seed, sizes, longest)
    rng = np.random.default_rng(seed)
    for share in (1.0, 0.7):
        known = rng.random(len(gold.pool)) < share
        noise = rng.normal(size=len(longest))
        found = RankStrata(align(runs, gold.pool), known).of(gold.labels[known], Noise(noise))
        assert found.tolist() == expected_strata(gold, lists, known, noise)


def test_few_documents_are_one_stratum():
    gold, runs, _ = made_up(4, (50, 49), (10, 10))
    known = np.ones(99, dtype=bool)
    strata = RankStrata(align(runs, gold.pool), known)
    assert set(strata.of(gold.labels, np.random.default_rng(0)).tolist()) == {0}


def test_equal_grades_leave_nothing_to_fit():
    gold, runs, _ = made_up(5, (60, 60), (30, 30))
    known = np.ones(120, dtype=bool)
    found = RankStrata(align(runs, gold.pool), known).of(np.ones(120), Noise([3.0, -3.0]))
    assert set(found.tolist()) == {0}


def test_topics_that_differ_by_chance_have_no_effect_of_their_own():
    """Equal means have no effect; a mean of 1 beside one of 0.05 has."""
    assert set(naive.topic_effects([0] * 20 + [1] * 20, [0, 1] * 20)) == {0.0}
    gold = hj.read_qrels({t: {f"d{i}": i % 2 for i in range(20)} for t in ("a", "b")})
    runs = hj.read_runs({"s": {t: {"d0": 1.0} for t in ("a", "b")}})
    strata = RankStrata(align(runs, gold.pool), np.ones(40, dtype=bool))
    assert strata._topic_effects(gold.labels - 0.5) == pytest.approx(np.zeros(40))
    uneven = np.array([1.0] * 20 + [0.0] * 18 + [1.0, 0.0])
    expected = naive.topic_effects([0] * 20 + [1] * 20, uneven.tolist())
    assert strata._topic_effects(uneven - uneven.mean()) == pytest.approx(expected)
    assert max(expected) > 0.4
