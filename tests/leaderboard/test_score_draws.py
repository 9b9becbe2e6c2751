"""Draws of scores in summaries, and the causes of uncertainty found in them."""

import statistics

import numpy as np
import pytest

from hungjury.leaderboard.draws import ScoreDraws, Summing, mean_draws
from oracles import leaderboard as naive


def test_parts_are_the_loop():
    rng = np.random.default_rng(3)
    draws = rng.normal(size=(50, 2, 6)) + rng.normal(size=(50, 2, 1))
    kept = ScoreDraws.of(draws)
    _, parts = mean_draws(draws.mean(axis=0), kept, "topics", np.random.SeedSequence(0))
    for s in range(2):
        noise, _ = naive.parts(draws[:, s].tolist())
        assert parts.labels[s, s] == pytest.approx(noise)
    one = draws[:, :1]
    alone = mean_draws(one.mean(axis=0), ScoreDraws.of(one), "topics", np.random.SeedSequence(0))
    assert alone[1].shared[0, 0] == pytest.approx(naive.parts(draws[:, 0].tolist())[1])


@pytest.mark.parametrize("sizes", [(50,), (1, 49), (16, 16, 18)])
def test_summaries_of_blocks_are_those_of_all_draws(sizes):
    """Whatever the blocks, and with numbers far from 0."""
    rng = np.random.default_rng(7)
    draws = 1000 + rng.normal(size=(50, 3, 4))
    draws[:, 1, 2] = 0.3  # the same in all draws
    summing = Summing(50, 3, 4)
    for block in np.split(draws, np.cumsum(sizes)[:-1]):
        summing.add(block.copy())
    found = summing.finish()
    for s in range(3):
        assert found.means[:, s] == pytest.approx([sum(d[s]) / 4 for d in draws])
        for t in range(4):
            cell = draws[:, s, t].tolist()
            assert found.cells[s, t] == pytest.approx(statistics.fmean(cell))
            assert found.spread[s, t] == pytest.approx(statistics.pstdev(cell), abs=1e-12)
        for r in range(3):
            products = sum(
                (d[s, t] - found.cells[s, t]) * (d[r, t] - found.cells[r, t])
                for d in draws
                for t in range(4)
            )
            assert found.products[s, r] == pytest.approx(products, rel=1e-9)
    assert found.spread[1, 2] == 0


@pytest.mark.parametrize("shared", [0.0, 0.5])
def test_parts_find_what_topics_share(shared):
    rng = np.random.default_rng(4)
    draws = 0.2 * rng.normal(size=(4000, 3, 10)) + shared * rng.normal(size=(4000, 1, 1))
    cells = rng.normal(size=(3, 10))
    means, parts = mean_draws(
        cells, ScoreDraws.of(draws + cells), "population", np.random.SeedSequence(5)
    )
    assert np.diag(parts.labels) == pytest.approx([0.04 / 10] * 3, rel=0.1)
    assert np.diag(parts.shared) == pytest.approx([shared**2] * 3, abs=0.02)
    between = cells.var(axis=1, ddof=1) / 10
    # Student's t with 9 degrees of freedom has the variance 9 / 7.
    assert means.var(axis=0) == pytest.approx(between * 9 / 7 + 0.004 + shared**2, rel=0.1)
    assert means.mean(axis=0) == pytest.approx(cells.mean(axis=1), abs=0.05)


def test_draws_for_these_topics_lie_around_the_estimate():
    rng = np.random.default_rng(6)
    draws = rng.normal(size=(100, 2, 7))
    cells = rng.normal(size=(2, 7))  # a vote's own scores are no mean of draws
    means, parts = mean_draws(cells, ScoreDraws.of(draws), "topics", np.random.SeedSequence(0))
    drawn = draws.mean(axis=2)
    assert means - means.mean(axis=0) == pytest.approx(drawn - drawn.mean(axis=0))
    assert means.mean(axis=0) == pytest.approx(cells.mean(axis=1))
    assert set(parts.shares()) == {"labels", "judges"}
