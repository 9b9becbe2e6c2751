"""Leaderboards of scores alone and over several collections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from builders.commands import hungjury
from hungjury.base.errors import InputError, percent
from hungjury.leaderboard.panel_error import TAU

SIMS = {f"c{seed}": hj.simulate(topics=8, systems=4, seed=seed) for seed in (1, 2, 3)}
BOTH = {name: (sim.judgments, sim.runs) for name, sim in SIMS.items()}
BOARD = hj.leaderboards(BOTH, "nDCG@10", draws=400)


def judge_rows(judges: int = 3, topics: int = 30, seed: int = 0) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    return [
        {"system": f"s{s}", "topic": str(t), "judge": f"j{j}",
         "score": float(np.clip(3 - s / 2 + rng.normal(0, 0.3), 1, 5))}
        for s in range(3) for t in range(topics) for j in range(judges)
    ]  # fmt: skip


def test_means_are_those_of_the_scores() -> None:
    scores = hj.evaluate(SIMS["c1"].gold, SIMS["c1"].runs, ["AP", "nDCG@10"])
    board = hj.leaderboard_of_scores(scores, "nDCG@10", draws=200)
    means = dict(zip(scores.systems, scores.mean()[1], strict=True))
    assert np.allclose(board.mean, [means[name] for name in board.systems])
    assert (board.mean[:-1] >= board.mean[1:]).all()
    assert (board.low <= board.mean).all()
    assert (board.mean <= board.high).all()
    # Nobody's error is added: ranks rest on the same draws as intervals.
    assert np.allclose(np.quantile(board.samples, 0.025, axis=0), board.low, atol=1e-3)


def test_intervals_cover_the_mean_of_a_population() -> None:
    """95 % intervals of one system's mean, over topics whose mean is known."""
    hits, rng = 0, np.random.default_rng(1)
    for seed in range(100):
        values = rng.normal(0.5, 0.1, (2, 12))
        table = {
            f"s{s}": {str(t): {"X": v} for t, v in enumerate(row)} for s, row in enumerate(values)
        }
        board = hj.leaderboard_of_scores(table, draws=300, seed=seed)
        at = board.systems.index("s0")
        hits += bool(board.low[at] <= 0.5 <= board.high[at])
    assert 0.90 <= hits / 100 <= 0.99


def test_smaller_is_better_where_it_is_said() -> None:
    table = {
        "fast": {"1": {"lag": 1.0}, "2": {"lag": 2.0}},
        "slow": {"1": {"lag": 8.0}, "2": {"lag": 9.0}},
    }
    scores = hj.read_scores(table, smaller="lag")
    assert hj.leaderboard_of_scores(scores, draws=200).systems == ["fast", "slow"]


def test_judges_add_the_error_that_they_share() -> None:
    scores = hj.read_scores(judge_rows(), scale="1-5")
    plain = hj.leaderboard_of_scores(scores, draws=4000, panel_error=0)
    usual = hj.leaderboard_of_scores(scores, draws=4000)
    several = hj.leaderboard_of_scores(scores, draws=4000, families=3)
    spread = [np.var(b.samples[:, 0] - b.samples[:, 1]) for b in (plain, usual, several)]
    assert spread[0] < spread[2] < spread[1]
    # Two systems, each with tau² of the scale's range times the mean square of the factor.
    expected = 2 * (TAU[1] * 4) ** 2 * np.exp(2 * 0.4**2)
    assert spread[1] - spread[0] == pytest.approx(expected, rel=0.15)


def test_on_these_topics_the_judges_own_noise_is_left() -> None:
    """The variance of a mean over judges and topics, by loops; one judge skips a topic."""
    rows = judge_rows(topics=5)[1:]
    scores = hj.read_scores(rows, scale="1-5")
    found = hj.leaderboard_of_scores(scores, draws=20_000, panel_error=0, target="topics")
    for place, system in enumerate(found.systems):
        variance = 0.0
        for topic in map(str, range(5)):
            given = [r["score"] for r in rows if (r["system"], r["topic"]) == (system, topic)]
            middle = sum(given) / len(given)
            squares = sum((score - middle) ** 2 for score in given)
            variance += squares / (len(given) - 1) / len(given) / 5**2
        assert np.var(found.samples[:, place]) == pytest.approx(variance, rel=0.05)


def test_certain_scores_on_these_topics_are_refused() -> None:
    with pytest.raises(InputError, match="no distribution on these topics"):
        hj.leaderboard_of_scores({"a": {"1": {"X": 1.0}}}, target="topics")
    with pytest.raises(InputError, match="1 topic in common; at least 2"):
        hj.leaderboard_of_scores({"a": {"1": {"X": 1.0}}, "b": {"1": {"X": 0.0}}})


def test_the_overall_mean_is_that_of_the_collections() -> None:
    for s, name in enumerate(BOARD.systems):
        means = [part.mean[part.systems.index(name)] for part in BOARD.parts.values()]
        assert BOARD.mean[s] == pytest.approx(sum(means) / 3)
    weighted = hj.leaderboards(BOTH, "nDCG@10", draws=200, weights={"c1": 1, "c2": 0, "c3": 0})
    assert np.allclose(sorted(weighted.mean), sorted(weighted.parts["c1"].mean))


def test_more_collections_are_surer_but_share_errors() -> None:
    """The variance of a difference lies between that of independent and of equal errors."""
    one, other = BOARD.systems[:2]

    def variance(board: Any) -> float:
        i, j = board.systems.index(one), board.systems.index(other)
        return float(np.var(board.samples[:, i] - board.samples[:, j]))

    parts = [variance(part) for part in BOARD.parts.values()]
    assert sum(parts) / 9 * 0.9 < variance(BOARD) < max(parts)


def test_rows_have_wins_ranks_and_every_collection() -> None:
    (first, *_) = BOARD.table().to_dicts()
    assert {"wins", "mean_rank", "borda", "c1", "c1 groups", "c3"} <= first.keys()
    assert sum(row["borda"] for row in BOARD.table().to_dicts()) == 3 * 6
    assert set(BOARD.decisive) == set(BOTH)


def test_systems_with_the_same_mean_share_points_and_ranks() -> None:
    judges, runs = {"j1": {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}}, {}
    for system, first in (("x", "ab"), ("y", "ab"), ("z", "bb")):
        lists = zip(("1", "2"), first, strict=True)
        runs[system] = {t: {d: 1.0 + (d == top) for d in "ab"} for t, top in lists}
    board = hj.leaderboards({"one": (judges, runs), "two": (judges, runs)}, "P@1", draws=100)
    found = {row["system"]: (row["borda"], row["mean_rank"]) for row in board.table().to_dicts()}
    assert found == {"x": (3, 1.5), "y": (3, 1.5), "z": (0, 3)}  # 1 + 1/2 in each collection


def test_systems_that_are_missing_somewhere() -> None:
    lists = SIMS["c2"].runs.to_dict()
    less = {"c1": BOTH["c1"], "c2": (SIMS["c2"].judgments, {k: lists[k] for k in list(lists)[1:]})}
    with pytest.raises(InputError, match="systems are missing: system1 on c2"):
        hj.leaderboards(less, "P@5", draws=200)
    board = hj.leaderboards(less, "P@5", draws=200, common=True)
    assert len(board.systems) == 3
    assert board.notes[0].kind == "missing-systems"


def test_gold_of_some_collections_only() -> None:
    with pytest.raises(InputError, match="2 collections without gold labels: c2, c3"):
        hj.leaderboards(BOTH, "P@5", gold={"c1": SIMS["c1"].gold})
    with pytest.raises(InputError, match="at least two"):
        hj.leaderboards({"c1": BOTH["c1"]}, "P@5")


def test_on_the_command_line(tmp_path: Path) -> None:
    words = []
    for name, sim in SIMS.items():
        sim.write(tmp_path / name)
        words += ["--collection", f"{name}={tmp_path / name}"]
    done = hungjury("leaderboard", *words, "-m", "nDCG@10", "--draws", "400", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["collections"] == list(SIMS)
    assert [row["system"] for row in found["systems"]] == BOARD.systems
    wrong = hungjury("leaderboard", "--collection", "x", "-m", "AP")
    assert wrong.returncode == 2
    assert "NAME=FOLDER" in wrong.stderr


def test_scores_and_answers_on_the_command_line(tmp_path: Path) -> None:
    rows = judge_rows()
    lines = ["system,topic,judge,score", *(",".join(map(str, row.values())) for row in rows)]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
    for flag in ("--scores", "--answers"):
        done = hungjury("leaderboard", flag, str(tmp_path / "scores.csv"), "--scale", "1-5",
                        "--draws", "200", "--format", "json")  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert [row["system"] for row in json.loads(done.stdout)["systems"]] == ["s0", "s1", "s2"]
    none = hungjury("leaderboard", "-m", "AP")
    assert none.returncode == 2
    assert "--judges and --runs, --collection, --answers or --scores" in none.stderr


def test_geometric_means_and_counts_are_those_of_the_scores() -> None:
    scores = hj.evaluate(SIMS["c1"].gold, SIMS["c1"].runs, ["GMAP", "NumRelRet"])
    for name, means in zip(scores.measures, scores.mean(), strict=True):
        board = hj.leaderboard_of_scores(scores, name, draws=200)
        assert sorted(board.mean) == pytest.approx(sorted(means))
        assert (board.low <= board.mean).all()


# Repeats of one system


def seeds_table(
    rng: np.random.Generator, systems: int, repeats: int, topics: int, of_seeds: float, both: float
) -> dict[str, dict[str, dict[str, float]]]:
    """Systems of mean 0.5; topics, seeds and seeds on single topics vary independently."""
    hard = rng.normal(0, 0.1, topics)
    return {
        f"s{s}-seed{r}": {
            str(t): {"X": float(0.5 + hard[t] + shift + own)}
            for t, own in enumerate(rng.normal(0, both, topics))
        }
        for s in range(systems)
        for r, shift in enumerate(rng.normal(0, of_seeds, repeats))
    }


@pytest.mark.long
@pytest.mark.parametrize(("of_seeds", "both"), [(0.05, 0.02), (0.0, 0.1), (0.03, 0.1)])
def test_differences_of_systems_with_seeds_are_covered(of_seeds: float, both: float) -> None:
    """Two equal systems are told apart as rarely as the level says; without the pattern, the best
    seed of each would be compared."""
    rng, wrong, rounds = np.random.default_rng(4), 0, 200
    for seed in range(rounds):
        table = seeds_table(rng, 4, 3, 20, of_seeds, both)
        board = hj.leaderboard_of_scores(table, draws=400, seed=seed, seed_pattern="-seed[0-9]+$")
        wrong += int(board.apart[board.systems.index("s0"), board.systems.index("s1")])
    assert 0.01 <= wrong / rounds <= 0.085


def test_repeats_are_one_system() -> None:
    rng = np.random.default_rng(1)
    table = seeds_table(rng, 3, 4, 12, 0.05, 0.01)
    board = hj.leaderboard_of_scores(table, draws=4000, seed_pattern="-seed[0-9]+$")
    assert sorted(board.systems) == ["s0", "s1", "s2"]
    assert "12 runs of 3 systems" in board.about
    alone = {name: lists for name, lists in table.items() if name.endswith("seed0")}
    one = hj.leaderboard_of_scores(alone, draws=4000)
    several, single = (np.var(b.samples[:, 0] - b.samples[:, 1]) for b in (board, one))
    assert several > single  # one seed alone hides how much seeds differ
    for pattern, words in [
        ("x", "does not tell repeats"),
        (".*", "does not tell repeats"),
        ("(", "regular"),
    ]:
        with pytest.raises(InputError, match=words):
            hj.leaderboard_of_scores(table, seed_pattern=pattern)


def test_repeats_over_collections_and_on_the_command_line(tmp_path: Path) -> None:
    twins = {}
    for name, (labels, runs) in BOTH.items():
        lists = runs.to_dict()
        both = {f"{s}-{r}": lists[s] for s in lists for r in "xy"}
        twins[name] = labels, both
    board = hj.leaderboards(twins, "nDCG@10", draws=400, seed_pattern="-[xy]$")
    assert board.systems == BOARD.systems
    assert np.allclose(board.mean, BOARD.mean, atol=0.01)
    assert board.parts["c1"].systems[0] in BOARD.systems
    SIMS["c1"].write(tmp_path)
    for file in (tmp_path / "runs").iterdir():
        text = file.read_text()
        file.write_text(text.replace(file.stem, f"{file.stem}-seed1"))
        (tmp_path / "runs" / f"{file.stem}b.txt").write_text(
            text.replace(file.stem, f"{file.stem}-seed2")
        )
    done = hungjury("leaderboard", "--judges", f"{tmp_path}/judges/*", "--runs",
                    f"{tmp_path}/runs/*", "--seed-pattern", "-seed[0-9]$", "--format", "json",
                    "--draws", "200")  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = [row["system"] for row in json.loads(done.stdout)["systems"]]
    assert sorted(names) == sorted(BOARD.systems)


def test_weights_of_judges() -> None:
    rows = judge_rows(topics=12)
    rng = np.random.default_rng(3)
    rows += [{**row, "judge": "guesser", "score": float(rng.uniform(1, 5))}
             for row in rows if row["judge"] == "j0"]  # fmt: skip
    scores = hj.read_scores(rows, scale=(1, 5))
    found = hj.aware_of_scores(scores, "sgl_tau_msd", replicates=100)
    guess = found.judges.index("guesser")
    assert found.weights[guess, 0] == found.weights[:, 0].min()
    loop = sum(found.weights[k, 4] * scores.values[k, 1, 4] for k in range(4))
    assert found.values[0, 1, 4] == pytest.approx(loop)
    uniform = hj.aware_of_scores(scores)
    assert np.allclose(uniform.values[0], scores.values.mean(axis=0))
    told = hj.aware_of_scores(scores, "supervised(gap=fro)", gold="j0")
    assert told.judges == ["j1", "j2", "guesser"]
    assert told.weights[:, 0].argmin() == 2
    board = hj.leaderboard_of_scores(scores, weights="sgl_tau_msd", draws=200)
    aware = hj.aware_of_scores(scores, "sgl_tau_msd").mean()[0]
    assert sorted(board.mean) == pytest.approx(sorted(aware))


def test_random_judges_of_scores_are_those_of_answers() -> None:
    """Weights of judges who gave scores are those of the same judges who labelled answers."""
    rng = np.random.default_rng(5)
    rows = [{"system": s, "topic": str(t), "judge": j,
             "score": int(np.clip(round(2 + (s == "a") + rng.normal(0, 1 + (j == "z"))), 0, 4))}
            for s in "abc" for t in range(10) for j in "xyz"]  # fmt: skip
    answers = hj.read_answers(rows, scale="0-4")
    one = hj.aware(answers.judgments, answers.runs, "Mean@1", "sgl_tau_md", replicates=500)
    other = hj.aware_of_scores(hj.read_scores(rows, scale="0-4"), "sgl_tau_md", replicates=500)
    assert np.allclose(one.weights, other.weights, atol=0.03)


def test_agreement_on_the_order_of_systems(tmp_path: Path) -> None:
    rows = judge_rows()
    lines = ["system,topic,judge,score", *(",".join(map(str, row.values())) for row in rows)]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
    words = ["--scores", str(tmp_path / "scores.csv"), "--scale", "1-5"]
    picture = str(tmp_path / "tau.svg")
    done = hungjury("agreement", *words, "--format", "csv", "--plot", picture)
    assert done.returncode == 0, done.stderr
    assert "j0,j1,1.0,1.0" in done.stdout
    assert Path(picture).exists()
    done = hungjury("aware", *words, "--weights", "sgl_tau_md", "--replicates", "50")
    assert done.returncode == 0, done.stderr
    assert "mean weight" in done.stdout
    done = hungjury("evaluate", *words, "--plot", str(tmp_path / "bump.svg"), "--picture", "bump")
    assert done.returncode == 0, done.stderr
    for command, more in (("agreement", ["--judges", "x"]), ("aware", ["--rel", "2"])):
        wrong = hungjury(command, *words, *more)
        assert wrong.returncode == 2
        assert "--scores takes the place" in wrong.stderr


def test_texts_of_many_collections_have_the_overall_columns() -> None:
    many = {f"m{i}": BOTH[f"c{1 + i % 3}"] for i in range(7)}
    board = hj.leaderboards(many, "nDCG@10", draws=100)
    header = next(line for line in str(board).splitlines() if line.startswith("system "))
    assert header.split()[-4:] == ["wins", "mean", "rank", "Borda"]
    assert "m3 groups" in board.to_csv()


def test_texts_of_few_collections_have_the_mean_chance_and_groups_on_each() -> None:
    text = str(BOARD)
    header = next(line for line in text.splitlines() if line.startswith("system "))
    assert header.split()[-3:] == ["c1", "c2", "c3"]
    for name, part in BOARD.parts.items():
        first = part.rows()[0]
        assert f"{first.mean:.3f} {percent(first.p_best)} {first.letters}" in text
        row = next(r for r in BOARD.table().to_dicts() if r["system"] == first.system)
        assert row[f"{name} p_best"] == first.p_best
        assert row[f"{name} groups"] == first.letters


@pytest.mark.parametrize("name", ["mean", "system", "borda"])
def test_names_of_columns_are_no_names_of_collections(name: str) -> None:
    with pytest.raises(InputError, match=f"has the name of a collection: {name}"):
        hj.leaderboards({"c1": BOTH["c1"], name: BOTH["c2"]}, "nDCG@10", draws=100)


def test_notes_of_one_collection_name_it() -> None:
    made = hj.simulate(topics=8, systems=3, seed=1)
    odd = hj.simulate(topics=8, systems=3, seed=1, odd=["reversed"])
    board = hj.leaderboards(
        {"fine": (made.judgments, made.runs), "odd": (odd.judgments, odd.runs)},
        "nDCG@10",
        draws=100,
    )
    alone, same = (
        {str(note) for note in hj.leaderboard(*one, "nDCG@10").notes if note.about != "files"}
        for one in ((odd.judgments, odd.runs), (made.judgments, made.runs))
    )
    told = {str(note) for note in board.notes}
    assert alone - same
    assert {f"odd: {text}" for text in alone - same} <= told
    assert alone & same <= told
