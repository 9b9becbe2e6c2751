"""Recipes for random relevance, graded AP and Markov precision: layout, numbers, needs."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

import hungjury as hj
from hungjury.base.errors import HungjuryError, InputError
from hungjury.stats.correlation import tau_ap_cross
from hungjury.studies.claims import RESAMPLES, Resampling, too_narrow
from hungjury.studies.data import Sources
from hungjury.studies.engines import Engine
from hungjury.studies.jobs import integer_seed
from hungjury.studies.measure_comparison import PoolScores
from hungjury.studies.papers.graded_ap import GradedAPRecipe
from hungjury.studies.papers.random_relevance import COMMON, OWN
from hungjury.studies.recipe import Study, run_study

pytestmark = pytest.mark.long  # whole studies, run once for all tests

ALONE = Engine("local", 1)
SMALL = "repetitions=2, rates=[0.5, 0.1]"
LEAST_POWER = "ERR is one of the least discriminative"
BINARY_ONLY = ("random-relevance", "graded-ap")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Grades 0 to 3, five judges."""
    where = tmp_path_factory.mktemp("graded")
    hj.simulate(systems=12, topics=6, documents=70, depth=25, grades=4, seed=2).write(where)
    return where


@pytest.fixture(scope="module")
def gold(folder: Path) -> Any:
    return hj.read_qrels(folder / "gold.qrels", grades=range(4))


@pytest.fixture(scope="module")
def runs(folder: Path) -> Any:
    return hj.read_runs(str(folder / "runs" / "*"))


def sources(folder: Path, **others: Any) -> Sources:
    return Sources.in_folder(folder, **{"grades": range(4), **others})


def table(study: Study, name: str) -> Any:
    return study.report.tables[name]


def tau(scores: Any) -> float:
    return float(kendalltau(*scores.mean()).statistic)


# random relevance


@pytest.fixture(scope="module")
def random_relevance(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    name = f'random-relevance({SMALL}, samples=40, labels=["gold", "mv"])'
    return run_study(name, sources(folder), tmp_path_factory.mktemp("out"), 3, ALONE)


def test_depth_of_lists_and_unjudged_documents(
    random_relevance: Study, gold: Any, runs: Any
) -> None:
    """Lists are up to 25 deep: the depths 100 and more are one."""
    rows = {(r["labels"], r["depth"], r["unjudged"]): r for r in table(random_relevance, "depth")}
    assert {key[1] for key in rows} == {20, 25}
    assert {key[2] for key in rows} == {0.05, 0.0, 0.01, 0.03}
    for depth, unjudged in itertools.product((20, 25), (0.05, 0.01)):
        given = f"prob=[0.05, 0.2, 0.6, 0.95], unjudged={unjudged}"
        pair = hj.evaluate(gold, runs, [f"eRAP({given})", "GAP(g=[0.2, 0.4, 0.4])"], depth=depth)
        found = rows["gold", depth, unjudged]
        assert found["medium"] == pytest.approx(tau(pair), abs=1e-12)


def test_correlations_in_three_cases(random_relevance: Study, gold: Any, runs: Any) -> None:
    names = list(random_relevance.report.tables)
    assert names == [
        "sensitivity",
        "sensitivity-numbers",
        *(f"figure-1-{c}-{w}" for c in ("hard", "medium", "lenient") for w in ("gold", "mv")),
        "figure-2",
        "figure-3",
        "depth",
    ]
    found = table(random_relevance, "figure-1-hard-gold")
    assert list(found.columns) == ["", *COMMON, *OWN]
    rows = {row[""]: row for row in found}
    # The paper's hard case for three relevant grades: option 1 and option 2.
    ndcg, second = "nDCG(base=10, gains={1: 5, 2: 10, 3: 15})", "eRAP(prob=[0.05, 0.1, 0.5, 0.95])"
    pair = hj.evaluate(gold, runs, [ndcg, second])
    assert rows["nDCG"]["eRAP-2"] == pytest.approx(tau(pair), abs=1e-12)
    first = ["eRAP(prob=[0, 0.1, 0.5, 1])", "GAP(g=[0.1, 0.4, 0.5])"]
    pair = hj.evaluate(gold, runs, first)
    assert rows["GAP"]["eRAP-1"] == pytest.approx(tau(pair), abs=1e-12)
    common = hj.evaluate(gold, runs, [ndcg, "ERR", "gRBP", "Bpref", "infAP"]).mean()
    tau_aps = tau_ap_cross(common, common)
    assert not np.allclose(tau_aps, tau_aps.T), "the order of the two has to matter"
    for i, j in itertools.combinations(range(5), 2):
        assert rows[COMMON[j]][COMMON[i]] == pytest.approx(tau_aps[j, i], abs=1e-12)


def test_power_is_that_of_the_building_block(random_relevance: Study, folder: Path) -> None:
    labels = hj.merge(hj.read_judgments(str(folder / "judges" / "*"), grades=range(4)), "mv")
    runs = hj.read_runs(str(folder / "runs" / "*"))
    one = "eRRBP(prob=[0.05, 0.4, 0.8, 0.95])"
    seed = integer_seed(3, "power/mv/0")
    pool = PoolScores(labels, runs, [one, "ERR"], seed)
    rows = {tuple(row[:3]): row[3:] for row in table(random_relevance, "figure-3").rows}
    assert len(rows) == 2 * 3 * 10
    for place, scores in ((0, pool.whole), (2, pool.sample(0.1))):
        power = hj.studies.discriminative_power(scores, samples=40, seed=seed).power
        assert rows["mv", "lenient", "eRRBP-2"][place] == power[0]
        assert rows["mv", "hard", "ERR"][place] == power[1]


def test_claims_of_random_relevance(random_relevance: Study, gold: Any, runs: Any) -> None:
    """One by one: correlations on resampled topics, and other choices for option 2."""
    claims = {(one.text, one.case): one for one in random_relevance.report.claims}
    claim = claims["tau of eRAP-2 with nDCG grows from hard to lenient", "gold"]
    ndcg = "nDCG(base=10, gains={1: 5, 2: 10, 3: 15})"
    middle = {"hard": "0.1, 0.5", "medium": "0.2, 0.6", "lenient": "0.4, 0.8"}

    def smallest_step(more: str = "", share: Any = 1 / 6) -> float:
        values = []
        for case in middle.values():
            pair = hj.evaluate(gold, runs, [ndcg, f"eRAP(prob=[0.05, {case}, 0.95]{more})"])
            means = pair.values @ np.broadcast_to(share, 6)
            values.append(float(kendalltau(*means).statistic))
        return min(values[1] - values[0], values[2] - values[1])

    assert claim.quantity.value == pytest.approx(smallest_step(), abs=1e-12)
    # Least of steps whose draws are centred, each tau around its own value.
    shares = Resampling(RESAMPLES, integer_seed(3, "correlation/gold")).topics(6)
    drawn_taus = []
    for case in middle.values():
        pair = hj.evaluate(gold, runs, [ndcg, f"eRAP(prob=[0.05, {case}, 0.95])"])
        each = np.array([kendalltau(*(pair.values @ share)).statistic for share in shares])
        drawn_taus.append(tau(pair) + (each - each.mean()) * too_narrow(6))
    hard, medium, lenient = drawn_taus
    expected = np.minimum(medium - hard, lenient - medium)
    np.testing.assert_allclose(claim.quantity.draws, expected, atol=1e-5)
    numbers = {(row["claim"], row["case"], row["choice"]): row["estimate"]
               for row in table(random_relevance, "sensitivity-numbers")}  # fmt: skip
    swept = numbers[claim.text, "gold", "0.05, unjudged 0"]
    assert swept == pytest.approx(smallest_step(", unjudged=0"), abs=1e-12)
    choices = list(table(random_relevance, "sensitivity").columns)[2:-1]
    assert choices == [f"0.05, unjudged {p}" for p in ("0.05", "0", "0.01", "0.03")] + [
        "0.01, unjudged 0.01", "0.1, unjudged 0.1",
    ]  # fmt: skip


def test_power_varies_with_topics(tmp_path: Path) -> None:
    """Power on resampled topics: its spread is the interval's, its level is not used."""
    hj.simulate(systems=4, topics=8, documents=40, depth=20, grades=4, seed=2).write(tmp_path)
    name = "random-relevance(repetitions=2, samples=30, topic_samples=3)"
    study = run_study(name, sources(tmp_path), tmp_path / "out", 0, ALONE)
    (claim,) = [c for c in study.report.claims if c.text == LEAST_POWER]
    rows = {tuple(row[1:3]): row[3] for row in table(study, "figure-3").rows}
    common = {m: v for (_, m), v in rows.items() if m in COMMON and m != "ERR"}
    others = [*common.values(), *(v for (_, m), v in rows.items() if m in OWN)]
    expected = np.median(others) - rows["hard", "ERR"]
    assert claim.quantity.value == pytest.approx(expected, abs=1e-12)
    low, high = claim.quantity.interval()
    assert high - low > 0.05
    # Other choices for option 2 have power of their own.
    gold = hj.read_qrels(tmp_path / "gold.qrels", grades=range(4))
    runs = hj.read_runs(str(tmp_path / "runs" / "*"))
    middle, seed = ("0.1, 0.5", "0.2, 0.6", "0.4, 0.8"), integer_seed(0, "power/gold/0")
    text = "Power of eRAP-2 grows from hard to lenient"
    numbers = {row["choice"]: row["estimate"] for row in table(study, "sensitivity-numbers")
               if row["claim"] == text}  # fmt: skip
    assert len(numbers) == 6
    for choice, wrong, unjudged in (("0.05, unjudged 0", 0.05, 0), ("0.1, unjudged 0.1", 0.1, 0.1)):
        names = [f"eRAP(prob=[{wrong}, {m}, {1 - wrong}], unjudged={unjudged})" for m in middle]
        scores = hj.evaluate(gold, runs, names)
        power = hj.studies.discriminative_power(scores, samples=30, seed=seed).power
        assert numbers[choice] == pytest.approx(np.diff(power).min(), abs=1e-12)


def test_claims_are_those_about_as_many_grades(tmp_path: Path) -> None:
    """The paper says one thing about T14, with three grades, and another about T21, with four."""
    said = {}
    for grades in (3, 4):
        home = tmp_path / str(grades)
        hj.simulate(systems=4, topics=5, documents=40, depth=20, grades=grades).write(home)
        name = "random-relevance(repetitions=1, rates=[0.5], samples=10, topic_samples=3)"
        data = sources(home, grades=range(grades))
        study = run_study(name, data, tmp_path / f"out{grades}", engine=ALONE)
        said[grades] = {claim.text: claim.quantity.value for claim in study.report.claims}
    assert len(said[3]) == len(said[4])
    assert set(said[4]) - set(said[3]) == {
        "With four grades these are below 0.8",
        "tau of GAP and eRAP with ERR is below 0.35",
        "eRAP-2 departs from GAP: below 0.65 with four grades",
        "tau of eRAP-1 with infAP is 0.83 or more",
        "tau of eRAP-2 with infAP is from 0.53 to 0.63",
        "tau of ERR with gRBP and eRRBP is around 0.6",
        "tau of nDCG with gRBP and eRRBP is around or below 0.45",
    }
    gold = hj.read_qrels(tmp_path / "3" / "gold.qrels", grades=range(3))
    runs = hj.read_runs(str(tmp_path / "3" / "runs" / "*"))
    lowest = 1.0
    for g1 in (0.2, 0.5, 0.7):
        pair = [f"eRAP(prob=[0.05, {g1}, 0.95])", f"GAP(g=[{g1}, {1 - g1}])"]
        means = hj.evaluate(gold, runs, pair).mean()
        lowest = min(lowest, float(kendalltau(*means).statistic), tau_ap_cross(means, means)[0, 1])
    near = "eRAP-2 is near GAP: tau and tau_ap above 0.8 with three grades"
    assert said[3][near] == pytest.approx(lowest - 0.8, abs=1e-12)


def test_figures_of_random_relevance(random_relevance: Study) -> None:
    first, second, third = (f.draw() for f in random_relevance.report.figures.values())
    titles = [axes.get_title(loc="left") for axes in first.axes]
    assert titles[:2] == ["gold, hard", "mv, hard"]
    for figure in (second, third):
        assert len(figure.axes) == 6
        assert [len(axes.lines) for axes in figure.axes] == [10] * 6
        assert figure.axes[5].get_title(loc="left") == "mv, lenient"


def test_other_scales_need_other_cases(tmp_path: Path) -> None:
    hj.simulate(systems=3, topics=3, documents=40, depth=9, grades=5).write(tmp_path)
    data = sources(tmp_path, grades=range(5))
    with pytest.raises(InputError, match="no hard case for 4 relevant grades"):
        run_study("random-relevance", data, tmp_path / "out", engine=ALONE)
    given = ", ".join(f"{c}=[0.1, 0.2, 0.3, 0.4]" for c in ("hard", "medium", "lenient"))
    name = f"random-relevance({given}, {SMALL}, samples=5, dark=[0])"
    study = run_study(name, data, tmp_path / "out", engine=ALONE)
    hard, lenient = (table(study, f"figure-1-{c}-gold") for c in ("hard", "lenient"))
    assert hard.rows == lenient.rows
    assert next(r for r in hard if r[""] == "eRAP-1")["eRAP-2"] == 1  # option 2 became option 1


# graded AP


@pytest.fixture(scope="module")
def graded_ap(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    name = f'graded-ap({SMALL}, labels=["gold", "judge1"])'
    return run_study(name, sources(folder), tmp_path_factory.mktemp("out"), 3, ALONE)


def test_a_block_for_each_law_of_thresholds(graded_ap: Study, gold: Any, runs: Any) -> None:
    found = table(graded_ap, "table-3")
    assert len(found) == 3 * 21  # as many blocks as in the paper's Table 3
    assert [r["g"] for r in found][::3][:3] == ["(0.0, 0.0, 1.0)", "(0.0, 0.2, 0.8)",
                                               "(0.0, 0.4, 0.6)"]  # fmt: skip
    assert list(found.columns)[:4] == ["g", "", "gold GAP", "gold AP"]
    assert len(found.columns) == 2 + 2 * 5
    (row,) = (r for r in found if r["g"] == "(0.2, 0.2, 0.6)" and r[""] == "xGAP")
    systems = hj.studies.run_quartiles(hj.evaluate(gold, runs, ["AP"])).names
    assert len(systems) == 9
    names = ["xGAP(g=[0.2, 0.2, 0.6])", "AP"]
    for place, grade in enumerate((None, 2, 3)):
        topics = "judged" if grade is None else hj.studies.few_highly_relevant(gold, grade).names
        value = row["gold AP"].values[place]
        if not topics:
            assert np.isnan(value)
        else:
            scores = hj.evaluate(gold, runs, names, topics).select(systems)
            assert value == pytest.approx(tau(scores), abs=1e-12)
    assert 0 < row["gold AP"].values[0] < 1
    heading = found.to_csv().splitlines()[0].split(",")
    assert heading[2:5] == [f"gold GAP {t}" for t in ("all topics", "few of grade 2",
                                                      "few of grade 3")]  # fmt: skip
    assert len(heading) == 2 + 2 * 5 * 3
    last = found.rows[-1]
    assert all(cell.values[0] == 1 for cell in (last[2], last[3])), "g = (1, 0, 0) is AP"


def test_robustness_is_that_of_the_building_block(graded_ap: Study, gold: Any, runs: Any) -> None:
    systems = hj.studies.run_quartiles(hj.evaluate(gold, runs, ["AP"])).names
    each = [
        hj.studies.robustness(gold, runs, ["eGAP(g=[0.2, 0.2, 0.6])"], (0.5, 0.1), 1,
                      integer_seed(3, f"pools/gold/all topics/{n}"), systems).tau[0, :, 0]
        for n in range(2)
    ]  # fmt: skip
    rows = {tuple(row[:3]): row[3:] for row in table(graded_ap, "figure-2").rows}
    np.testing.assert_allclose(rows["gold", "all topics", "eGAP"], [1, *np.mean(each, axis=0)])
    figure = graded_ap.report.figures["figure-2"].draw()
    assert len(figure.axes) == 2  # no panel for sets without a topic


def test_main_features(graded_ap: Study, gold: Any) -> None:
    first = next(iter(table(graded_ap, "table-1")))
    relevant = [sum(g > 0 for g in d.values()) for d in gold.to_dict().values()]
    assert (first["topics"], first["runs"], first["above 1Q"]) == (6, 12, 9)
    assert first["max relevant"] == max(relevant)
    assert first["mean relevant"] == pytest.approx(np.mean(relevant))


def test_laws_with_a_sum_of_one() -> None:
    assert GradedAPRecipe().grid(2) == [(n / 10, (10 - n) / 10) for n in range(11)]
    every = [g for g in itertools.product(range(6), repeat=3) if sum(g) == 5]
    np.testing.assert_allclose(GradedAPRecipe().grid(3), np.array(every) / 5)


# markov


def test_levels_on_smaller_pools(folder: Path, gold: Any, runs: Any, tmp_path: Path) -> None:
    study = run_study(
        f'markov({SMALL}, labels=["gold", "mv"], rel=2)', sources(folder), tmp_path, 3, ALONE
    )
    assert [row[0] for row in table(study, "table-5.2").rows] == ["gold", "mv"]
    assert "mv Rprec" in table(study, "table-5.3").columns
    one = "MP(model=LO_OR_LID, rec=True, rel=2)"
    whole = float(hj.evaluate(gold, runs, [one]).mean().mean())
    samples = [
        hj.evaluate(
            hj.studies.downsample(gold, 0.1, integer_seed(3, f"pools/gold/{n}")), runs, [one]
        ).mean().mean()
        for n in range(2)
    ]  # fmt: skip
    rows = {tuple(row[:2]): row[2:] for row in table(study, "figure-5.5").rows}
    assert len(rows) == 2 * 21
    found = rows["gold", "MP LO_OR_LID@Rec(T)"]
    np.testing.assert_allclose([found[0], found[2]], [whole, np.mean(samples)])
    assert [len(f.draw().axes) for f in study.report.figures.values()] == [3, 8, 8]


# needs


@pytest.mark.parametrize("name", [*BINARY_ONLY, "markov"])
def test_no_gold(name: str, folder: Path, tmp_path: Path) -> None:
    runs_alone = Sources.of(str(folder / "runs" / "*"))
    with pytest.raises(InputError, match="but no gold labels were given"):
        run_study(name, runs_alone, tmp_path / "out")
    judged = Sources.of(str(folder / "runs" / "*"), str(folder / "judges" / "*"))
    wanted = f'{name}(labels=["mv"])'
    with pytest.raises(InputError, match="but no judges were given"):
        run_study(wanted, runs_alone, tmp_path / "out")
    with pytest.raises(HungjuryError, match="no judge 'nobody'"):
        run_study(f'{name}(labels=["nobody"])', judged, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", BINARY_ONLY)
def test_one_judge_or_binary_labels(name: str, tmp_path: Path) -> None:
    hj.simulate(systems=3, topics=3, documents=30, depth=9, accuracies=[0.9]).write(tmp_path)
    data = Sources.in_folder(tmp_path, judge_column="iteration")
    with pytest.raises(InputError, match="at least two relevant grades, but these are binary"):
        run_study(name, data, tmp_path / "out")
    with pytest.raises(InputError, match="at least two judges, but there is only one"):
        run_study(f'{name}(labels=["mv"])', data, tmp_path / "out")
    (judge,) = hj.read_judgments(str(tmp_path / "judges" / "*"), judge_column="iteration").judges
    with pytest.raises(InputError, match="but their labels are binary"):
        run_study(f'{name}(labels=["{judge}"])', data, tmp_path / "out")
    assert not (tmp_path / "out").exists()
