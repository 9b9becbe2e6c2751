"""Claims of the studies markov and graded-ap: every quantity by loops over the study's own tables,
and intervals by loops over resampled topics and pools."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from scipy import stats

import hungjury as hj
from hungjury.studies.claims import RESAMPLES, Claim, Resampling, too_narrow
from hungjury.studies.data import Sources
from hungjury.studies.engines import Engine
from hungjury.studies.jobs import integer_seed
from hungjury.studies.recipe import Study, run_study

ALONE = Engine("local", 1)
TOPICS, POOLS, SEED = 8, 2, 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Grades 0 to 3; five topics have one document of grade 2, and three one of grade 3."""
    where = tmp_path_factory.mktemp("graded")
    made = hj.simulate(systems=13, topics=TOPICS, documents=150, depth=60, grades=4, seed=9)
    made.write(where)
    seen: dict[tuple[str, str], int] = {}
    lines = []
    for line in (where / "gold.qrels").read_text().splitlines():
        topic, iteration, document, label = line.split()
        if topic in made.gold.topics[: {"2": 5, "3": 3}.get(label, 0)]:
            seen[topic, label] = seen.get((topic, label), 0) + 1
            label = label if seen[topic, label] == 1 else "1"
        lines.append(f"{topic} {iteration} {document} {label}")
    (where / "gold.qrels").write_text("\n".join(lines) + "\n")
    return where


@pytest.fixture(scope="module")
def gold(folder: Path) -> Any:
    return hj.read_qrels(folder / "gold.qrels", grades=range(4))


@pytest.fixture(scope="module")
def runs(folder: Path) -> Any:
    return hj.read_runs(str(folder / "runs" / "*"))


def run(name: str, folder: Path, where: Path, **options: Any) -> Study:
    data = Sources.in_folder(folder, **({"grades": range(4)} | options))
    return run_study(name, data, where, SEED, ALONE)


def cells(study: Study, name: str, keys: int) -> dict[tuple[str, ...], dict[str, float]]:
    """{the first cells of a row: {column: number}}"""
    table = study.report.tables[name]
    columns = list(table.columns)[keys:]
    return {
        tuple(row[:keys]): dict(
            zip(columns, (getattr(v, "value", v) for v in row[keys:]), strict=True)
        )
        for row in table.rows
    }


def of(study: Study, text: str, case: str, start: str = "") -> Claim:
    (found,) = [
        one for one in study.report.claims
        if (one.text, one.case) == (text, case) and one.measured.startswith(start)
    ]  # fmt: skip
    return found


def tau_of(one: Any, other: Any) -> Any:
    """tau-b of means [..., system]: pairs in the same order less those in the other, over those
    that are not tied. Without what rounding adds to equal means."""
    signs = [
        np.sign(np.round(means[..., :, None] - means[..., None, :], 12)) for means in (one, other)
    ]
    untied = [(sign**2).sum(axis=(-2, -1)) for sign in signs]
    return (signs[0] * signs[1]).sum(axis=(-2, -1)) / np.sqrt(untied[0] * untied[1])


def on_topics(values: Any, shares: Any) -> Any:
    """Means [..., draw, system] of values [..., system, topic] on resampled topics."""
    return np.swapaxes(values @ shares.T, -2, -1)


def test_tau_is_scipy_s() -> None:
    one, other = np.random.default_rng(0).integers(0, 4, (2, 9)) / 3
    assert tau_of(one, other) == pytest.approx(stats.kendalltau(one, other).statistic)


# few units


@pytest.mark.parametrize("number", [2, 3, 6, 53])
def test_intervals_of_few_units_are_student_s(number: int) -> None:
    """A bootstrap of a mean, widened, has the width of Student's interval."""
    values = np.random.default_rng(0).normal(size=number)
    bootstrap = values.std() / np.sqrt(number) * stats.norm.ppf(0.975)
    student = values.std(ddof=1) / np.sqrt(number) * stats.t.ppf(0.975, number - 1)
    assert bootstrap * too_narrow(number) == pytest.approx(student, rel=1e-6)


def test_one_unit_says_nothing_about_others() -> None:
    assert too_narrow(1) == float("inf")


# markov


@pytest.fixture(scope="module")
def markov(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    return run(f"markov(repetitions={POOLS})", folder, tmp_path_factory.mktemp("markov"))


GLOBAL = ("GL_AD_ID", "GL_AD_LID", "GL_OR_ID", "GL_OR_LID")
LOCAL = ("LO_AD_ID", "LO_AD_LID", "LO_OR_ID", "LO_OR_LID")


def test_every_claim_about_markov_precision(markov: Study) -> None:
    """Estimates from Tables 5.2 and 5.3 and the numbers of Figures 5.5 and 5.6."""
    first = cells(markov, "table-5.2", 1)["gold",]
    third = {key[0]: row for key, row in cells(markov, "table-5.3", 1).items()}
    level = {key[1]: row for key, row in cells(markov, "figure-5.5", 2).items()}
    robust = {key[1]: row for key, row in cells(markov, "figure-5.6", 2).items()}
    others = ("AP", "P@10", "Rprec", "Bpref", "RBP(p=0.8)")
    plain = [f"MP {model}" for model in (*GLOBAL, *LOCAL)]
    recalled = [f"{name}@Rec(T)" for name in plain]

    def average(names: list[str], other: str) -> float:
        return mean(third[name][other] for name in names)

    def gain(other: str) -> float:
        return average(recalled, other) - average(plain, other)

    def kept(name: str) -> float:
        return level[name]["10%"] / level[name]["100%"]

    def held(rate: str, models: tuple[str, ...], suffix: str = "") -> float:
        return mean(robust[f"MP {model}{suffix}"][rate] for model in models)

    walks = mean(map(kept, plain))
    rest = [name for name in robust if name != "Bpref"]
    at_10 = held("10%", GLOBAL, "@Rec(T)")
    expected = [
        min(first["Rprec"], first["Bpref"]) - 0.9,
        min(first["Rprec"], first["Bpref"]) - max(first["P@10"], first["RBP(p=0.8)"]),
        0.9 - mean(third[name][other] for name in plain for other in others),
        min(third[name][other] for name in plain for other in ("AP", "P@10", "Rprec")) - 0.7,
        average(plain, "P@10") - max(average(plain, "Rprec"), average(plain, "AP")),
        average(plain, "Bpref") - average(plain, "RBP(p=0.8)"),
        gain("AP"),
        min(third["MP GL_AD_LID@Rec(T)"]["AP"], third["MP LO_AD_ID@Rec(T)"]["AP"]) - 0.97,
        min(gain("Rprec"), gain("Bpref")),
        -gain("RBP(p=0.8)"),
        0.1 - abs(walks - (kept("AP") + kept("Rprec")) / 2),
        min(walks, kept("AP"), kept("Rprec")) - max(kept("P@10"), kept("RBP(p=0.8)")),
        0.1 - abs(kept("Bpref") - 1),
        robust["Bpref"]["10%"] - max(robust[name]["10%"] for name in rest),
        held("50%", GLOBAL) - robust["AP"]["50%"] + 0.05,
        held("10%", GLOBAL) - robust["AP"]["10%"] + 0.05,
        at_10 - held("10%", GLOBAL),
        at_10 - robust["AP"]["10%"],
        at_10 - robust["Bpref"]["10%"] + 0.05,
        held("30%", GLOBAL[2:]) - held("30%", GLOBAL[:2]),
        held("30%", GLOBAL[1::2]) - held("30%", GLOBAL[::2]),
        0.05 - abs(held("30%", LOCAL[:2]) - held("30%", GLOBAL[:2])),
        held("30%", GLOBAL[2:]) - held("30%", LOCAL[2:]),
        *(0.05 - row["distance"] for row in markov.report.tables["finite-users"]),
    ]
    found = markov.report.claims
    assert [one.case for one in found] == ["gold"] * len(expected)
    for one, value in zip(found, expected, strict=True):
        assert one.quantity.value == pytest.approx(value, abs=1e-9), one.text
    # Another claim would mostly give another number.
    assert len({round(value, 9) for value in expected}) > 20


def test_claims_about_correlations_have_the_thesis_own_numbers(markov: Study) -> None:
    """By hand from Tables 5.2 and 5.3; misprints are left out, or read as they were meant."""
    claim = of(markov, "tau of AP with Rprec and bpref is high, above 0.9", "gold")
    assert {name: round(value, 4) for name, value in claim.printed.items()} == {
        "TREC 7": 0.0261, "TREC 8": 0.0219, "TREC 10": -0.027, "TREC 14": -0.0606,
    }  # fmt: skip
    lost = of(markov, "Recall takes MP away from RBP", "gold")
    assert lost.printed == {}  # every collection has a misprint there
    assert of(markov, "Bpref is the most robust", "gold").printed == {}


def test_finite_users_are_those_of_the_lists(markov: Study, gold: Any, runs: Any) -> None:
    rows = {row["model"]: row for row in markov.report.tables["finite-users"]}
    assert rows["LO_OR_ID"]["never"] == 1
    assert rows["LO_OR_ID"]["mixing time"] is None
    assert rows["constant"]["distance"] < 1e-6
    claim = of(markov, "After 10 moves users of LO_AD_ID are near the long run", "gold")
    low, high = claim.quantity.interval()
    assert low < 0.05 - rows["LO_AD_ID"]["distance"] < high


def test_correlations_vary_with_topics(markov: Study, gold: Any, runs: Any) -> None:
    claim = of(markov, "AP is nearer to Rprec and bpref than to P@10 and RBP", "gold")
    shares = Resampling(RESAMPLES, integer_seed(SEED, "correlation/gold")).topics(TOPICS)
    drawn = {}
    for other in ("Rprec", "Bpref", "P@10", "RBP(p=0.8)"):
        pair = hj.evaluate(gold, runs, ["AP", other]).values
        whole = tau_of(*pair.mean(axis=2))
        each = tau_of(*on_topics(pair, shares))
        drawn[other] = whole + (each - each.mean()) * too_narrow(TOPICS)
    expected = np.minimum(drawn["Rprec"], drawn["Bpref"]) - np.maximum(
        drawn["P@10"], drawn["RBP(p=0.8)"]
    )
    np.testing.assert_allclose(claim.quantity.draws, expected, atol=1e-5)
    assert (claim.quantity.over, np.ptp(expected) > 0.1) == ("topics", True)


def on_pools(gold: Any, runs: Any, name: str, rate: float) -> tuple[Any, Any, Any, Any]:
    """tau with the whole pool and the share of the score kept, [pool], and on resampled topics,
    [draw, pool]."""
    shares = np.vstack([np.full(TOPICS, 1 / TOPICS), Resampling(RESAMPLES).topics(TOPICS)])
    whole = on_topics(hj.evaluate(gold, runs, [name]).values[0], shares)
    tau, kept = [], []
    for n in range(POOLS):
        smaller = hj.studies.downsample(gold, rate, integer_seed(SEED, f"pools/gold/{n}"))
        part = on_topics(hj.evaluate(smaller, runs, [name]).values[0], shares)
        tau.append(tau_of(part, whole))
        kept.append(part.mean(axis=1) / whole.mean(axis=1))
    both = np.array(tau).T, np.array(kept).T
    return both[0][0], both[0][1:], both[1][0], both[1][1:]


def moved(values: Any, drawn: Any) -> Any:
    """Draws of a mean over pools: other pools, and other topics."""
    pools = Resampling(RESAMPLES).units(values, "pools")
    topics = drawn.mean(axis=1)
    return values.mean() + pools + (topics - topics.mean()) * too_narrow(TOPICS)


def test_robustness_varies_with_topics_and_pools(markov: Study, gold: Any, runs: Any) -> None:
    claim = of(markov, "Local models are less robust than global ones for OR", "gold")
    drawn = []
    for model in ("GL_OR_ID", "GL_OR_LID", "LO_OR_ID", "LO_OR_LID"):
        tau, resampled, _, _ = on_pools(gold, runs, f"MP(model={model})", 0.3)
        drawn.append(moved(tau, resampled))
    expected = (drawn[0] + drawn[1] - drawn[2] - drawn[3]) / 2
    np.testing.assert_allclose(claim.quantity.draws, expected, atol=1e-5)
    assert (claim.quantity.over, np.ptp(expected) > 0.01) == ("topics, pools", True)


def test_scores_vary_with_topics_and_pools(markov: Study, gold: Any, runs: Any) -> None:
    claim = of(markov, "That of bpref stays", "gold")
    _, _, kept, resampled = on_pools(gold, runs, "Bpref", 0.1)
    expected = 0.1 - np.abs(moved(kept, resampled) - 1)
    np.testing.assert_allclose(claim.quantity.draws, expected, atol=1e-5)
    assert np.ptp(expected) > 0.01


def test_other_measures_and_rates_have_other_claims_or_none(
    study_folder: Path, tmp_path: Path
) -> None:
    name = 'markov(repetitions=1, rates=[0.5, 0.1], compared=["AP", "RR"])'
    found = run(name, study_folder, tmp_path / "a", grades=range(2)).report.claims
    assert {one.quantity.over for one in found} == {"lists"}
    name = "markov(repetitions=1, rates=[0.5, 0.1])"
    found = run(name, study_folder, tmp_path / "b", grades=range(2)).report.claims
    assert {one.quantity.over for one in found} == {"topics", "lists"}


# graded-ap


@pytest.fixture(scope="module")
def graded(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    return run(f"graded-ap(repetitions={POOLS})", folder, tmp_path_factory.mktemp("graded"))


def test_every_claim_about_graded_average_precision(graded: Study) -> None:
    """Estimates from Table 3 and the numbers of Figure 2."""
    third = cells(graded, "table-3", 2)
    robust = {key[1:]: row for key, row in cells(graded, "figure-2", 3).items()}
    sets = ("all topics", "few of grade 2", "few of grade 3")
    ndcg, family = "nDCG(base=10)", ("GAP", "xGAP", "eGAP")

    def tau(name: str, g: str, other: str = "AP", topics: str = "all topics") -> float:
        return float(third[f"({g})", name][other].values[sets.index(topics)])  # type: ignore[attr-defined]

    def smaller_step(other: str) -> float:
        return min(
            tau(name, "0.4, 0.2, 0.4", other) - tau(name, "0.2, 0.2, 0.6", other)
            for name in family[1:]
        )

    low = "0.2, 0.2, 0.6"
    expected = [
        ("all topics", smaller_step("AP")),
        ("all topics", smaller_step("GAP")),
        ("all topics", tau("GAP", low) - tau("GAP", "0.0, 0.2, 0.8")),
        ("all topics", tau("GAP", low) - 0.8),
        ("all topics", tau("GAP", low) - max(tau("xGAP", low), tau("eGAP", low))),
        *(("all topics", tau(name, "0.8, 0.0, 0.2", ndcg) - tau(name, "0.2, 0.0, 0.8", ndcg))
          for name in family),
    ]  # fmt: skip
    for topics in sets[1:]:
        falls = [tau(name, low) - tau(name, low, "AP", topics) for name in family]
        near = [tau(name, low, ndcg, topics) for name in family]
        expected += [
            (topics, min(falls[1:])),
            (topics, min(falls[1:]) - falls[0]),
            (topics, near[0] - max(near[1:])),
        ]
    all_of = {
        name: robust["all topics", name] for name in (*family, "AP", ndcg, "RBP(p=0.8)", "Bpref")
    }
    best = max(all_of[name]["10%"] for name in (*family, "AP", "RBP(p=0.8)"))
    gap, extended = all_of["GAP"]["10%"], [all_of[name]["10%"] for name in family[1:]]
    expected += [
        ("all topics", min(all_of[ndcg]["10%"], all_of["Bpref"]["10%"]) - best),
        ("all topics", gap - max(extended)),
        ("all topics", 0.05 - abs(gap - all_of["AP"]["10%"])),
    ]
    for topics in sets[1:]:
        for rate in ("30%", "10%", "5%"):
            each = [robust[topics, name][rate] for name in family]
            expected.append((topics, min(each[1:]) - each[0]))
    found = graded.report.claims
    assert [one.case for one in found] == [f"gold, {topics}" for topics, _ in expected]
    assert all(value for _, value in expected), "a claim about nothing tests nothing"
    for one, (_, value) in zip(found, expected, strict=True):
        assert one.quantity.value == pytest.approx(value, abs=1e-9), one.text


def test_few_topics_have_wide_intervals(graded: Study, gold: Any, runs: Any) -> None:
    """A bootstrap of these topics, widened; all topics are drawn by themselves."""
    few = hj.studies.few_highly_relevant(gold, 2).names
    assert len(few) == 5
    systems = hj.studies.run_quartiles(hj.evaluate(gold, runs, ["AP"])).names
    low = "0.2, 0.2, 0.6"

    def drawn(name: str, topics: str, chosen: Any) -> Any:
        pair = hj.evaluate(gold, runs, [f"{name}(g=[{low}])", "AP"], chosen).select(systems).values
        seed = integer_seed(SEED, f"correlation/gold/{topics}")
        shares = Resampling(RESAMPLES, seed).topics(pair.shape[2])
        whole = tau_of(*pair.mean(axis=2))
        each = tau_of(*on_topics(pair, shares))
        return whole + (each - each.mean()) * too_narrow(pair.shape[2])

    falls = [
        drawn(name, "all topics", "judged") - drawn(name, "few of grade 2", few)
        for name in ("xGAP", "eGAP")
    ]
    claim = of(graded, "There xGAP and eGAP depart from AP", "gold, few of grade 2")
    np.testing.assert_allclose(claim.quantity.draws, np.minimum(*falls), atol=1e-5)


def test_power_is_the_share_of_pairs_told_apart(graded: Study, gold: Any, runs: Any) -> None:
    """By the building block, whose numbers are those of loops (test_power)."""
    rows = cells(graded, "power", 3)
    assert [key[1] for key in rows] == [
        name for name in ("all topics", "few of grade 2", "few of grade 3") for _ in range(7)
    ]
    assert len({row["bootstrap"] for row in rows.values()}) > 5
    systems = hj.studies.run_quartiles(hj.evaluate(gold, runs, ["AP"])).names
    low = "0.2, 0.2, 0.6"
    few = hj.studies.few_highly_relevant(gold, 2).names
    for topics, chosen, names in (
        ("all topics", "judged", ["GAP", "AP"]),
        ("few of grade 2", few, ["eGAP"]),
    ):
        measures = [f"{name}(g=[{low}])" if "GAP" in name else name for name in names]
        scores = hj.evaluate(gold, runs, measures, chosen).select(systems)
        seed = integer_seed(SEED, f"power/gold/{topics}")
        for method in ("bootstrap", "tukey"):
            found = hj.studies.discriminative_power(scores, method, 0.05, seed=seed)
            for m, name in enumerate(names):
                row = rows["gold", topics, f"{name} ({low})" if "GAP" in name else name]
                assert row[method] == found.power[m]
                assert row[f"{method}: difference needed"] == found.needed[m]


def test_two_relevant_grades_have_the_claims_of_figure_1(folder: Path, tmp_path: Path) -> None:
    three = folder / "gold.qrels"
    two = tmp_path / "two.qrels"
    two.write_text("\n".join(
        line[:-1] + "2" if line.endswith(" 3") else line for line in three.read_text().splitlines()
    ))  # fmt: skip
    study = run("graded-ap(repetitions=2)", folder, tmp_path / "out", gold=two, grades=range(3))
    texts = [one.text for one in study.report.claims]
    assert texts.count("xGAP and eGAP are more robust than GAP on small pools") == 2
    assert "GAP follows AP" not in texts
    claim = of(study, "A little weight on g1 brings GAP near to AP", "gold, all topics")
    assert claim.measured == "(0.1, 0.9) - (0.0, 1.0)"


def test_other_thresholds_leave_claims_out(folder: Path, tmp_path: Path) -> None:
    study = run("graded-ap(repetitions=2, step=0.5, rates=[0.5])", folder, tmp_path)
    assert study.report.claims == []
