"""Tables of redrawn plans: what counts as reached."""

import numpy as np
import pytest
from benchmarks.truth.gold import BUDGETS, LabelPath, figures
from benchmarks.truth.gold_page import Asked, append, asked, cells_of, estimate_of, read, tables


def rows(pairs, measure="DCG@10", estimate="direct", budget=200):
    base = {"collection": "dl", "measure": measure, "budget": budget, "estimate": estimate}
    names = ("systems", "bias", "rmse", "tau_ap", "panel_tau_ap", "wrong", "sure", "width",
             "foreseen", "ever_bounds", "close_bounds", "any_board")  # fmt: skip
    rest = dict.fromkeys(names, 0.5)
    return [{**base, "panel": k, "redraw": 0, "pairs": p, **rest} for k, p in enumerate(pairs)]


def test_a_file_grows_and_is_read_back(tmp_path):
    path = tmp_path / "gold.csv"
    append(path, rows([0.9, 0.91]))
    append(path, rows([0.95]))
    assert [row["pairs"] for row in read(path)] == ["0.9", "0.91", "0.95"]
    text = tables(read(path))
    assert "at least 3 redraws" in text
    assert "| pairs covered | direct | 0.93 to 0.97 |" in text


def test_a_figure_is_reached_by_its_interval():
    one = Asked("pairs", "direct", (), (), "pairs", 0.93, 0.97)
    assert one.reached(0.92, 0.011)
    assert not one.reached(0.92, 0.009)
    assert not one.reached(0.99, 0.01)
    assert [Asked("", "", (), (), "", low=0.9).bounds, Asked("", "", (), (), "", high=0.1).bounds] \
        == ["≥ 0.9", "≤ 0.1"]  # fmt: skip


def test_cells_hold_every_redraw():
    cells = cells_of([{k: str(v) for k, v in row.items()} for row in rows([0.9, 1.0, 0.8])])
    key = ("dl", "DCG@10", 200, "direct")
    mean, half = estimate_of(cells, key, "pairs")
    assert mean == pytest.approx(0.9)
    assert half == pytest.approx(1.96 * 0.1 / np.sqrt(3))
    assert any(found[1] == key and found[0].figure == "pairs" for found in asked(cells))


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
