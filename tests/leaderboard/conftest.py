"""Collections that tests of leaderboards share."""

import pytest

import hungjury as hj
from builders.gold import simulated


@pytest.fixture(scope="session")
def made():
    """Three grades, three poor judges."""
    return simulated()


@pytest.fixture(scope="session")
def little():
    """Three grades, for what holds in collections of any size."""
    return hj.simulate(systems=3, topics=3, documents=20, depth=12, grades=3, seed=4)


@pytest.fixture(scope="session")
def binary():
    """Two grades, the usual judges."""
    return hj.simulate(systems=4, topics=12, documents=60, depth=20, seed=3)
