"""Building blocks of studies of many judges: an experiment on tuples of judges, in parts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hungjury.parameters import integer
from hungjury.studies.data import StudyData
from hungjury.studies.experiment import Part
from hungjury.studies.gold import NEARLY_SURE, Doubt
from hungjury.studies.runner import Job
from hungjury.studies.tuples import TupleExperiment, TupleStudy

__all__ = ["experiment", "gathered", "sizes_of_tuples", "tuple_jobs"]


@lru_cache(maxsize=2)
def experiment(data: StudyData, seed: int = 0, **how: Any) -> TupleExperiment:
    """Made once in a process, which then does many of its parts. The seed changes what the parts
    find, but not which there are. doubts: as pairs of numbers, which jobs can be sent."""
    doubts = [Doubt(*one) for one in how.pop("doubts", ())] or [NEARLY_SURE]
    return TupleExperiment(
        data.judgments, data.runs, gold=data.gold, seed=seed, doubts=doubts, **how
    )


def tuple_jobs(data: StudyData, name: str = "", **how: Any) -> list[Job]:
    """A job for every part; name: goes before their keys. They share a seed: all of them look at
    the same tuples. Data that the experiment cannot use is refused here, before any job is done."""
    parts = experiment(data, **how).parts()
    return [
        Job(name + _key(part), run_part, {"part": part, **how}, draws="tuples") for part in parts
    ]


def run_part(data: StudyData, seed: int, part: Part, **how: Any) -> dict[str, Any]:
    """A job: a part of the experiment."""
    return experiment(data, seed, **how).run(part)


def gathered(data: StudyData, results: Mapping[str, Any], name: str = "", **how: Any) -> TupleStudy:
    """All parts together."""
    whole_one = experiment(data, **how)
    return whole_one.gather({part: results[name + _key(part)] for part in whole_one.parts()})


def _key(part: Part) -> str:
    return "/".join(map(str, part))


def sizes_of_tuples(value: object) -> tuple[int, ...]:
    """A list of sizes, for parameters."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise ValueError("a list of integers")
    return tuple(sorted({integer(one) for one in value}))
