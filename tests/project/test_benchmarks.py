"""The benchmarks run, compare what they measure, and write what they found."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.truth.boards import BINS, DEFAULT, Compared, Distance, against, compare, estimates
from benchmarks.truth.gold import BUDGETS, LabelPath, figures
from benchmarks.truth.gold_page import append, cells_of, covered, half, read, share, tables
from benchmarks.truth.plain_mean import ap_of_mean_votes, ndcg_of_mean_grades
from benchmarks.truth.public import Panel, dl21
from benchmarks.truth.reliability import pooled

import hungjury as hj
from builders.paths import ROOT
from hungjury.data.alignment import align
from hungjury.leaderboard.correction import COVERED, MEASURED_AT
from hungjury.leaderboard.draws import Estimate


@pytest.fixture(autouse=True)
def _from_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def _prints(name: str, text: str, **more: Any) -> Any:
    """A contender that prints a text."""
    from benchmarks.suite import Contender

    return Contender(name, [sys.executable, "-c", f"print({text!r})"], **more)


def _suite(*contenders: Any, **more: Any) -> Any:
    from benchmarks.suite import Suite

    return Suite("toy", "A toy.", contenders[0].name, lambda _setting: contenders, **more)


def _run(
    suite: Any, folder: Path, repeats: int = 1, whole: bool = False
) -> tuple[bool, str, dict[str, Any]]:
    from benchmarks import run
    from benchmarks.suite import Setting

    good = run._run(suite, Setting(folder), repeats, [], folder, whole)
    name = "toy-whole" if whole else "toy"
    page = (folder / f"{name}.md").read_text(encoding="utf-8")
    return good, page, json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.long
def test_quick_evaluate(tmp_path: Path) -> None:
    pytest.importorskip("pytrec_eval")
    command = [sys.executable, "-m", "benchmarks.run", "--suite", "evaluate", "--quick"]
    command += ["--repeats", "1", "--only", "1 core", "--only", "pytrec_eval"]
    command += ["--folder", str(tmp_path / "made"), "--results", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "evaluate-quick.md").read_text(encoding="utf-8")
    found = json.loads((tmp_path / "evaluate-quick.json").read_text(encoding="utf-8"))
    mine, other = found["contenders"]
    assert [mine["name"], other["name"]] == ["hungjury (1 core)", "pytrec_eval"]
    assert other["values"] == pytest.approx({k: mine["values"][k] for k in other["values"]})
    assert mine["seconds"][0] > 0
    assert mine["peak_mb"][0] > 10
    ratio = other["seconds"][0] / mine["seconds"][0]
    row = next(line for line in page.splitlines() if line.startswith("| pytrec_eval |"))
    assert float(row.split("|")[4]) == pytest.approx(ratio, rel=0.01)
    assert "at least 8 times faster than pytrec_eval" in done.stdout
    assert str(ROOT) not in page + json.dumps(found)
    assert str(tmp_path) not in page + json.dumps(found)


def test_other_values_are_noticed(tmp_path: Path) -> None:
    mine = _prints("mine", '{"values": {"AP": 0.30, "RBP": 0.2}}')
    peer = _prints("peer", '{"values": {"AP": 0.31}}')
    good, page, _ = _run(_suite(mine, peer), tmp_path)
    assert not good
    assert "VALUES DIFFER by 0.0100" in page
    good, page, _ = _run(_suite(mine, peer, tolerance=0.02), tmp_path)
    assert good
    assert "DIFFER" not in page


def test_failures_and_absent_packages(tmp_path: Path) -> None:
    from benchmarks.suite import Contender

    broken = Contender("broken", [sys.executable, "-c", "raise SystemExit('no such luck')"])
    absent = _prints("absent", "", package="no_such_package_at_all")
    good, page, found = _run(_suite(_prints("mine", "1"), broken, absent), tmp_path, 2)
    assert not good
    assert "exit 1: no such luck" in page
    assert "no_such_package_at_all is not installed" in page
    assert [len(one["seconds"]) for one in found["contenders"]] == [2, 0, 0]
    good, _, _ = _run(_suite(_prints("mine", "1"), absent), tmp_path)
    assert good


def test_seconds_of_a_part(tmp_path: Path) -> None:
    """A contender may tell the time of the part that is meant; `most` limits its repetitions."""
    told = _prints("told", '{"seconds": 12.5}', most=1)
    _, page, found = _run(_suite(_prints("mine", "1"), told), tmp_path, 3)
    assert found["contenders"][1]["seconds"] == [12.5]
    assert "12.50-12.50 (1)" in page


def test_seconds_of_whole_processes(tmp_path: Path) -> None:
    told = _prints("told", '{"seconds": 1000}')
    _, page, found = _run(_suite(told), tmp_path, whole=True)
    assert 0 < found["contenders"][0]["seconds"][0] < 1000
    assert "whole processes" in page


def test_goals() -> None:
    from benchmarks.suite import Faster, Measured, Memory, Within

    def measured(name: str, seconds: list[float], peak: float) -> Measured:
        return Measured(_prints(name, ""), seconds, seconds, [peak])

    results = {
        "mine": measured("mine", [9.0, 1.0, 2.0], 250),
        "peer": measured("peer", [16.0], 900),
    }
    for goal, said, met in (
        (Faster("mine", "peer", 8), "8.0 times", True),
        (Faster("mine", "peer", 8.5), "8.0 times", False),
        (Within("peer", "mine", 8), "8.00 times", True),
        (Within("peer", "mine", 7), "8.00 times", False),
        (Memory("mine", 300), "250 MB", True),
        (Memory("mine", 250), "250 MB", False),
    ):
        verdict = goal.judge(results)
        assert verdict is not None
        assert (verdict.measured, verdict.met) == (said, met)
        assert goal.judge({}) is None


def test_growth_tells_linear_from_quadratic() -> None:
    from benchmarks.suite import Contender, Measured
    from benchmarks.suites.growth import AXES, STEPS, Linear, tables

    for power, met in ((1, True), (2, False)):
        results = {}
        for step in STEPS:
            one = Contender(f"{AXES[0].name} x {step}", [], lines=1000 * step)
            results[one.name] = Measured(one, [9.0], [0.2 + 0.1 * step**power], [50.0])
        verdict = Linear(AXES[0]).judge(results)
        assert verdict is not None
        assert verdict.met == met
    assert len(tables(results)[0].rows) == len(STEPS)


def test_collections_are_made_once_and_alike(tmp_path: Path) -> None:
    from benchmarks.generated import Shape, collection

    shape = Shape(runs=2, topics=3, depth=20, judged=8, relevant=2)
    first = collection(shape, tmp_path / "a")
    texts = [Path(p).read_bytes() for p in (first.qrels, *first.runs)]
    assert texts[0].count(b"\n") == 24
    assert sum(t.count(b"\n") for t in texts[1:]) == first.lines == 120
    made = Path(first.qrels).stat().st_mtime_ns
    assert Path(collection(shape, tmp_path / "a").qrels).stat().st_mtime_ns == made
    again = collection(shape, tmp_path / "b")
    assert [Path(p).read_bytes() for p in (again.qrels, *again.runs)] == texts


def test_goals_speak_of_contenders_that_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks import generated
    from benchmarks.run import all_suites
    from benchmarks.suite import Setting

    monkeypatch.setattr(generated, "_kept", lambda home, *_: home)  # nothing is made
    known = all_suites()
    assert {"evaluate", "single", "growth", "startup"} <= known.keys()
    for suite in known.values():
        names = {one.name for one in suite.contenders(Setting(tmp_path))}
        spoken = {vars(g)[k] for g in suite.goals for k in ("mine", "other") if k in vars(g)}
        assert spoken | {suite.base} <= names


# Leaderboards of LLM judges against people's labels: the benchmark `benchmarks.truth`, reduced.


@pytest.fixture(scope="module")
def public(shared_data):
    return dl21(shared_data)


@pytest.mark.long
@pytest.mark.parametrize("measure", ["nDCG@10", "RBP(p=0.8, rel=2)"])
def test_chances_are_right_as_often_as_they_say(public, measure):
    panels = [p for p in public.panels(3, seed=5) if len(p.judges) == 5]
    found = [
        one
        for k, panel in enumerate(panels)
        for one in compare(public, panel, measure, [DEFAULT], 300, k)
        if one.board in ("all", "5 random", "2 random")
    ]
    whole = pooled(found)
    assert whole.holds
    assert pooled([c for c in found if c.board == "all"]).sure > 0.08  # and it says something


@pytest.mark.long
def test_stray_labels_do_not_turn_a_board_upside_down(public):
    """Codes beyond the scale were once learned as a grade, and the order of grades with them."""
    everybody = Panel("one family", tuple(range(len(public.judgments.judges))))
    found = compare(public, everybody, "nDCG@10", [DEFAULT], 200, 0)
    assert found[0].distance.tau_ap > 0.7


@pytest.mark.long
def test_a_board_of_few_systems_is_a_part_of_the_whole_one(public):
    panel = Panel("one family", (0, 5, 9))
    given = public.of(panel)
    (whole,) = estimates(given, public.alignment, "nDCG@10", [DEFAULT], 1000, 0)
    best = np.argsort(-whole.mean)[[0, 20]]
    names = [public.runs.systems[s] for s in best]
    runs = {s: {t: dict(public.runs.ranked(s, t)) for t in public.gold.topics} for s in names}
    two = hj.leaderboard(given, runs, "nDCG@10", target="topics", outlook=False, seed=3)
    share = (whole.draws[:, best[0]] > whole.draws[:, best[1]]).mean()
    assert two.systems == names
    assert two.beats[0, 1] == pytest.approx(share, abs=0.06)


def made_up(mean, draws):
    mean = np.array(mean)
    return Estimate("panel", mean, mean[:, None], draws, draws, None)


def test_pairs_are_counted_by_the_chance_they_got():
    rng = np.random.default_rng(0)
    mean = np.array([0.0, 0.5, 3.0])
    draws = mean + rng.normal(size=(2000, 3))
    truth = np.array([0.2, 0.1, 0.9])
    pairs, right, apart, wrong = against(made_up(mean, draws), truth, np.arange(3))
    expected, good = [0] * (len(BINS) - 1), [0] * (len(BINS) - 1)
    for a in range(3):
        for b in range(a + 1, 3):
            chance = np.mean(draws[:, b] > draws[:, a])  # b has the larger mean
            k = max(i for i in range(len(BINS) - 1) if chance >= BINS[i])
            expected[k] += 1
            good[k] += truth[b] > truth[a]
    assert pairs.tolist() == expected
    assert right.tolist() == good
    assert (apart, wrong) == (1, 0)
    _, _, apart, wrong = against(made_up(mean, draws), -truth, np.arange(3))
    assert (apart, wrong) == (1, 1)


def test_pooling_adds_up_pairs():
    panels = [Panel("mixed", (k,)) for k in range(4)]
    rng = np.random.default_rng(1)
    found = []
    for panel in panels:
        pairs = rng.integers(5, 50, 5)
        one = {"collection": "c", "measure": "m", "panel": panel, "way": "w", "board": "all"}
        found.append(Compared(**one, pairs=pairs, right=pairs - 1, apart=10, wrong=1))
    whole = pooled(found)
    assert whole.right == pytest.approx(1 - 4 / sum(c.pairs for c in found))
    assert whole.wrong == pytest.approx(0.1)
    assert (whole.low <= whole.right).all()
    assert (whole.right <= whole.high).all()
    assert not whole.holds  # one in ten told apart is wrong
    assert pooled([replace(c, wrong=0) for c in found]).share.sum() == pytest.approx(1)


def test_mean_grades_of_sure_judges_give_the_measure_itself():
    made = hj.simulate(systems=3, topics=4, documents=60, grades=4)
    sure = hj.read_judgments({name: made.gold.to_dict() for name in "ab"})
    aligned = align(made.runs, sure.pool)
    truth = hj.evaluate(made.gold, made.runs, ["nDCG@10", "AP(rel=2)"]).mean()
    assert ndcg_of_mean_grades(sure, aligned) == pytest.approx(truth[0])
    assert ap_of_mean_votes(sure, aligned) == pytest.approx(truth[1])


def test_distances_leave_the_level_out():
    truth = np.array([0.1, 0.4, 0.5, 0.9])
    far = Distance.of(truth + 0.2, truth)
    assert far.level == pytest.approx(0.2)
    assert far.error == pytest.approx(0, abs=1e-12)
    assert Distance.of(2 * truth, truth).fitted == pytest.approx(0, abs=1e-12)
    assert Distance.of(2 * truth, truth).error == pytest.approx(truth.std(ddof=1))


# Tables of redrawn plans: what counts as reached.


def rows(pairs, collection="dl", measure="DCG@10", budget=200):
    names = ("systems", "bias", "rmse", "tau_ap", "panel_tau_ap", "wrong", "sure", "width",
             "foreseen", "ever_bounds", "close_bounds", "any_board")  # fmt: skip
    base = {"collection": collection, "measure": measure, "budget": budget}
    rest = dict.fromkeys(names, 0.5)
    return [
        {**base, "estimate": way, "panel": k, "redraw": 0, "pairs": p, **rest}
        for way in ("direct", "board")
        for k, p in enumerate(pairs)
    ]


def test_a_file_grows_and_is_read_back(tmp_path):
    path = tmp_path / "gold.csv"
    append(path, rows([0.9, 0.91]))
    append(path, rows([0.95]))
    assert [row["pairs"] for row in read(path) if row["estimate"] == "board"] == [
        "0.9", "0.91", "0.95",
    ]  # fmt: skip
    text = tables(read(path))
    assert "(3 to 3 redraws of every cell" in text
    assert "| `DCG@10` | 0.920 ± 0.030 |" in text
    assert "| dl, `DCG@10` | 0.500 | 0.500 | 0.500 | 0.500 | 0.50 (0.50) | 100.00 % |" in text


def test_coverage_is_the_smaller_share_of_the_collections():
    both = [*rows([0.9, 1.0, 0.8]), *rows([0.7], "other")]
    cells = cells_of([{k: str(v) for k, v in row.items()} for row in both])
    assert covered(cells) == {"DCG@10": (0.7,)}
    assert half(cells["dl", "DCG@10", 200, "board"]["pairs"]) == pytest.approx(0.196 / np.sqrt(3))
    assert share(np.array([1.0, 2.0]), np.array([4.0, 2.0])) == 0.5
    assert share(np.zeros(2), np.zeros(2)) == 0


def test_the_record_of_intervals_is_what_the_page_shows():
    page = (ROOT / "docs" / "how-to" / "spend-labels.md").read_text(encoding="utf-8")
    table = page.split("<!-- gold: begin -->")[1].split("Error of a difference")[0]
    found = {}
    for line in table.splitlines():
        name, *cells = (text.strip().strip("`") for text in line.strip("|").split("|"))
        shares = [float(text.split()[0]) for text in cells if "±" in text]
        if shares:
            each = np.array(shares).reshape(2, len(MEASURED_AT))
            found[name] = tuple(each.min(axis=0))
    assert list(found) == list(COVERED)
    for name, shares in COVERED.items():
        assert shares == pytest.approx(found[name], abs=0.0051), name


def test_coverage_by_a_loop():
    rng = np.random.default_rng(0)
    truth, mean = rng.normal(size=5), rng.normal(size=5)
    root = rng.normal(size=(5, 5))
    covariance = root @ root.T / 5
    found = figures(mean, covariance, truth, 1.0)
    inside = [abs(mean[s] - truth[s]) < 1.96 * covariance[s, s] ** 0.5 for s in range(5)]
    pairs, wrong, sure = [], 0, 0
    for a in range(5):
        for b in range(a + 1, 5):
            sd = (covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]) ** 0.5
            gap, real = mean[a] - mean[b], truth[a] - truth[b]
            pairs.append(abs(gap - real) < 1.96 * sd)
            sure += abs(gap) > 2.326 * sd
            wrong += abs(gap) > 2.326 * sd and gap * real < 0
    assert found["systems"] == np.mean(inside)
    assert found["pairs"] == np.mean(pairs)
    assert (found["wrong"], found["sure"]) == (wrong, sure)


def test_a_pair_called_wrong_stays_wrong():
    path = LabelPath(np.array([0.0, 1.0]))
    rng = np.random.default_rng(1)
    noise = 0.01 * rng.normal(size=(300, 2))
    first = path.look(np.array([1.0, 0.0]), noise + [1, 0], BUDGETS[0])
    last = path.look(np.array([0.0, 1.0]), noise + [0, 1], BUDGETS[-1])
    for found in (first, last):
        assert [found[f"ever_{name}"] for name in ("naive", "bounds", "board")] == [1, 1, 1]
        assert found["any_board"] == 1
    fresh = LabelPath(np.array([0.0, 1.0])).look(np.array([0.0, 1.0]), noise + [0, 1], BUDGETS[-1])
    assert fresh["any_board"] == 0


def test_pages_show_the_tables_of_their_suites(tmp_path: Path) -> None:
    from benchmarks.report import put_into_page, rows_as_markdown
    from benchmarks.run import DOCS, RESULTS, all_suites
    from benchmarks.suite import Table

    shown = [suite for suite in all_suites().values() if suite.page]
    assert shown
    for suite in shown:
        assert suite.page is not None
        page = (DOCS / suite.page).read_text(encoding="utf-8")
        _, _, rest = page.partition(f"<!-- {suite.name}: begin -->")
        table, _, _ = rest.partition(f"<!-- {suite.name}: end -->")
        assert table.strip() in (RESULTS / f"{suite.name}.md").read_text(encoding="utf-8")
        assert table.count("\n| ") > 3
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- toy: begin -->\nold\n<!-- toy: end -->\nafter\n", "utf-8")
    put_into_page(page, "toy", rows_as_markdown(Table("", ["a|b", "c"], [["1", "2"]])))
    marks = "<!-- toy: begin -->\n\n| a\\|b | c |\n| --- | --- |\n| 1 | 2 |\n\n<!-- toy: end -->"
    assert page.read_text("utf-8") == f"before\n{marks}\nafter\n"
    with pytest.raises(ValueError, match="no marks"):
        put_into_page(page, "other", "")
