"""Calls of bindings with arguments that do not fit together, made in a process of their own.

Run as a program with names of calls, this prints a line of JSON for each: what came of it. Every
binding that takes several arrays is called with each of them one entry shorter and one entry
longer, and with codes just outside their range.
"""

import contextlib
import copy
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hungjury.native import _core

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Binding:
    """A call that works, and what may be changed about it without a refusal."""

    call: Callable[..., Any]
    arguments: Arguments
    codes: dict[str, int] = field(default_factory=dict)  # the number of things they count
    offsets: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()  # changes after which the arguments still fit together


def floats(*values: float) -> Any:
    return np.array(values, dtype=np.float64)


def ints(*values: int) -> Any:
    return np.array(values, dtype=np.int32)


def longs(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


def shorts(*values: int) -> Any:
    return np.array(values, dtype=np.int16)


def table(*shape: int) -> Any:
    return np.linspace(0, 1, int(np.prod(shape))).reshape(shape)


def labels_of_two_topics() -> _core.LabelTable:
    found = _core.LabelTable()
    found.feed(b"1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    found.finish()
    return found


def state_of_a_run() -> tuple[Any, ...]:
    store = _core.RunStore()
    store.feed(b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 c 1 1 t\n")
    store.finish()
    return store.__getstate__()


def plain_table(places: list[int]) -> None:
    made = _core.PlainTable(_core.LabelTable(), ",", 4, places, "")
    made.feed(b"topic,judge,document,label\n1,x,a,1\n")


def set_state(**parts: Any) -> None:
    _core.RunStore.__new__(_core.RunStore).__setstate__(tuple(parts.values()))


QUERIES = {
    "scores": floats(3, 2, 1),
    "gains": floats(1, 0, 1),
    "offsets": longs(0, 2, 3),
    "discounts": table(2, 4),
    "over_ideal": floats(1, 1),
    "first": 0,
    "last": 2,
}
VOTES = {"document": ints(0, 1, 2), "judge": ints(0, 1, 1)}
NARROW = ("discounts 1 shorter", "discounts 1 longer")  # other numbers of ranks

BINDINGS = {
    "LabelTable.add": Binding(
        lambda **given: _core.LabelTable().add(**given),
        {
            "topics": ["1", "1", "2"],
            "iterations": ["x", "y", "x"],
            "documents": ["a", "b", "c"],
            "labels": floats(1, 0, 1),
            "lines": longs(1, 2, 3),
        },
    ),
    "RunStore.add": Binding(
        lambda **given: _core.RunStore().add(**given),
        {
            "topics": ["1", "1", "2"],
            "documents": ["a", "b", "c"],
            "scores": floats(3, 2, 1),
            "lines": longs(1, 2, 3),
        },
    ),
    "RunStore.__setstate__": Binding(
        set_state,
        dict(
            zip(
                ("topics", "documents", "sizes", "scores", "ranks", "tag", "second_tag"),
                state_of_a_run(),
                strict=True,
            )
        ),
        codes={"sizes": 3},
    ),
    "PlainTable": Binding(plain_table, {"places": [0, 1, 2, 3]}),
    "Pool": Binding(
        _core.Pool,
        {"topics": ["1", "2"], "documents": ["a", "b", "c"], "offsets": [0, 2, 3]},
        offsets=("offsets",),
    ),
    "Pool.of_table": Binding(
        lambda **given: _core.Pool.of_table(labels_of_two_topics(), **given),
        {"topics": longs(1, 0), "pairs": longs(2, 0, 1), "offsets": longs(0, 1, 3)},
        codes={"topics": 2, "pairs": 3},
        offsets=("offsets",),
    ),
    "place_pairs": Binding(
        _core.place_pairs,
        {"order": longs(1, 0), "topic_of": ints(0, 0, 1), "rows": ints(2, 1, 0, 2)},
        codes={"order": 2, "topic_of": 2, "rows": 3},
        accepted=("order longer", "topic_of longer", "rows shorter", "rows longer"),
    ),
    "precision_sums": Binding(
        _core.precision_sums,
        {
            "ranks": np.arange(1, 7, dtype=np.int32).reshape(2, 3),
            "p": table(2, 3),
            "lengths": ints(3, 6),
            "unjudged": 0.0,
        },
    ),
    "relevance_moments": Binding(
        _core.relevance_moments,
        {
            "precisions": True,
            "p": floats(0.5, 0.2, 0.1),
            "offsets": longs(0, 2, 3),
            "start": longs(0, 2),
            "stop": longs(2, 3),
            "rank": ints(1, 3, 1),
            "document": ints(0, 1, 2),
            "weight": floats(1, 0.5, 1),
            "weights": floats(1, 0.5, 0.3),
            "ranks": longs(3, 1),
            "others": longs(1, 0),
            "beyond": longs(0, 0),
            "outside": 0.1,
            "factor": table(2, 5),
            "square": table(2, 5),
        },
        codes={"document": 3},
        offsets=("offsets",),
        accepted=("weights longer",),
    ),
    "ideal_shares": Binding(
        _core.ideal_shares,
        {
            "chances": table(3, 3),
            "offsets": longs(0, 2, 3),
            "gains": floats(0, 1, 2),
            "discounts": floats(1, 0.5),
        },
        offsets=("offsets",),
        accepted=("discounts shorter", "discounts longer", "offsets longer"),
    ),
    "score_lists": Binding(
        _core.score_lists,
        {
            "kernel": "gains",
            "labels": np.array([[0, 1, 2], [2, 1, 0]], dtype=np.uint8),
            "worth": floats(0, 1, 3, 0),
            "counted": floats(0, 1, 1, 0),
            "levels": table(1, 1, 2),
            "offsets": longs(0, 1, 3),
            "first": 1,
            "start": np.array([[0, 0], [2, 2]]),
            "stop": np.array([[0, 2], [2, 3]]),
            "document": ints(0, 1, 1),
            "weight": floats(1, 0.5, 1),
        },
        codes={"document": 2},
        offsets=("offsets",),
        # With one vector, the two levels are those of the two lists.
        accepted=("labels 0 shorter", "levels 0 shorter", "levels 1 shorter", "levels 1 longer"),
    ),
    "walk_lists": Binding(
        _core.walk_lists,
        {
            "kernel": "cascade",
            "worth": table(2, 3),
            "end": longs(0, 2, 3),
            "document": ints(0, 1, 2),
            "weight": floats(1, 0.5, 1),
        },
        codes={"document": 3},
        offsets=("end",),
        accepted=("worth 0 shorter", "worth 0 longer", "worth 1 longer", "end longer"),
    ),
    "grade_counts": Binding(
        _core.grade_counts,
        {
            "labels": np.array([[0, 1, 2], [2, 1, 0]], dtype=np.uint8),
            "offsets": longs(0, 2, 3),
            "grades": 3,
        },
        # The topics may be a part of those that the labels are about.
        accepted=(
            "labels 0 shorter",
            "labels 0 longer",
            "labels 1 longer",
            "offsets shorter",
            "offsets longer",
        ),
    ),
    "pair_sums": Binding(
        _core.pair_sums,
        {"left": table(2, 3, 4), "right": table(2, 2, 4), "by_rank": True},
        accepted=tuple(
            f"{side} 1 {change}" for side in ("left", "right") for change in ("shorter", "longer")
        ),
    ),
    "squared_distances": Binding(
        _core.squared_distances,
        {"left": table(2, 3), "right": table(4, 3)},
        accepted=tuple(
            f"{side} 0 {change}" for side in ("left", "right") for change in ("shorter", "longer")
        ),
    ),
    "largest_gaps": Binding(
        _core.largest_gaps,
        {"values": table(3, 5), "units": np.ones((3, 3))},
        accepted=("values 1 shorter", "values 1 longer"),
    ),
    "row_products": Binding(
        _core.row_products,
        {
            "row": ints(0, 1, 1),
            "column": ints(0, 0, 2),
            "value": floats(1, 2, 3),
            "weight": table(3, 1),
            "rows": 2,
            "first": 0,
            "last": 2,
        },
        codes={"row": 2, "column": 3},
        accepted=("weight 0 longer", "weight 1 longer"),
    ),
    "draw_grades": Binding(
        _core.draw_grades,
        {
            "begin": longs(0, 2, 3),
            "said": ints(0, 3, 2),
            "stratum": ints(0, 1),
            "prior": np.log(np.full((2, 2), 0.5)),
            "evidence": np.log(np.full((4, 2), 0.5)),
            "uniforms": floats(0.3, 0.7),
            "drawn": np.zeros(2, dtype=np.int8),
            "chances": np.zeros(4),
            "in_stratum": np.zeros(4, dtype=np.int64),
            "with_vote": np.zeros(8, dtype=np.int64),
        },
        codes={"said": 4, "stratum": 2},
        offsets=("begin",),
    ),
    "dawid_skene": Binding(
        _core.dawid_skene,
        {
            **VOTES,
            "choice": shorts(0, 1, 1),
            "group": longs(0, 0, 1),
            "judges": 2,
            "grades": 2,
            "posterior": np.full(6, 0.5),
            "tolerance": 1e-3,
            "rounds": 5,
        },
        codes={"document": 3, "judge": 2, "choice": 2},
    ),
    "grade_places": Binding(
        _core.grade_places,
        {"label": floats(0, 1, 2), "grades": longs(0, 1, 2)},
        accepted=("label shorter", "label longer", "grades shorter", "grades longer"),
    ),
    "count_keys": Binding(
        _core.count_keys,
        {"key": ints(0, 1, 1), "keys": 2},
        codes={"key": 2},
        accepted=("key shorter", "key longer"),
    ),
    "sum_by_key": Binding(
        _core.sum_by_key,
        {"key": ints(0, 1, 1), "other": ints(0, 1, 2), "value": floats(1, 2, 3), "keys": 2},
        codes={"key": 2, "other": 3},
        accepted=("value longer",),
    ),
    "largest_labels": Binding(
        _core.largest_labels,
        {"judge": ints(0, 1, 1), "label": floats(1, 2, 3), "judges": 2},
        codes={"judge": 2},
    ),
    "votes_repeat": Binding(
        _core.votes_repeat,
        {**VOTES, "documents": 3, "judges": 2},
        codes={"document": 3, "judge": 2},
    ),
    "moments_with_rest": Binding(
        _core.moments_with_rest,
        {
            **VOTES,
            "label": floats(1, 0, 1),
            "rel": 0.0,
            "weight": floats(1, 1),
            "family": ints(0, 1),
            "topic": ints(0, 0, 1),
            "topics": 2,
        },
        codes={"document": 3, "judge": 2, "family": 2, "topic": 2},
        accepted=("topic longer",),
    ),
    "count_votes": Binding(
        _core.count_votes,
        {
            **VOTES,
            "choice": shorts(1, 1, 1),
            "share": floats(0.5, 1, 1),
            "weight": floats(1, 1),
            "documents": 3,
            "grades": 2,
        },
        codes={"document": 3, "judge": 2, "choice": 2},
        accepted=("weight longer",),
    ),
    "judge_pairs": Binding(
        _core.judge_pairs,
        {**VOTES, "choice": shorts(0, 1, 1), "documents": 3, "judges": 2, "grades": 2},
        codes={"document": 3, "judge": 2, "choice": 2},
    ),
    "lambdas": Binding(
        _core.lambdas,
        {
            **QUERIES,
            "gradient": np.zeros(3, dtype=np.float32),
            "hessian": np.zeros(3, dtype=np.float32),
        },
        offsets=("offsets",),
        accepted=NARROW,
    ),
    "ranking_values": Binding(
        _core.ranking_values,
        {**QUERIES, "values": np.zeros(2)},
        offsets=("offsets",),
        accepted=NARROW,
    ),
}
# They take one array or text, of any size.
ALONE = {
    "ActionLog",
    "BadLine",
    "FeatureTable",
    "RunStream",
    "distinct",
    "kernel_sums",
    "narrow_list_ids",
    "shares_larger",
    "untied_pairs",
    "warn_of_leaks",
}


def changes(binding: Binding) -> Iterator[tuple[str, Arguments]]:
    """Every change by its name, and the arguments after it."""
    for name, value in binding.arguments.items():
        for change, changed in resized(value):
            yield f"{name} {change}", {**binding.arguments, name: changed}
    for name, count in binding.codes.items():
        for code in (-1, count):
            for place in (0, -1):
                changed = binding.arguments[name].copy()
                changed[place] = code
                yield f"{name}[{place}] = {code}", {**binding.arguments, name: changed}
    for name in binding.offsets:
        value = binding.arguments[name]
        first, middle, last = value
        for wrong in ([1, middle, last], [-1, middle, last], [first, last + 1, last],
                      [first, middle, last + 1], [first, middle, last - 1]):  # fmt: skip
            changed = np.asarray(wrong) if isinstance(value, np.ndarray) else wrong
            yield f"{name} = {wrong}", {**binding.arguments, name: changed}


def resized(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        yield "shorter", value[:-1]
        yield "longer", value + value[-1:]
    if isinstance(value, np.ndarray):
        for axis, size in enumerate(value.shape):
            where = f"{axis} " if value.ndim > 1 else ""
            yield f"{where}shorter", value.take(range(size - 1), axis)
            yield f"{where}longer", value.take([*range(size), size - 1], axis)


def outcome(call: Callable[..., Any], arguments: Arguments) -> str:
    try:
        call(**copy.deepcopy(arguments))
    except (IndexError, ValueError) as error:
        return f"refused: {error}"
    return "accepted"


def a_stream(pool: _core.Pool) -> _core.RunStream:
    return _core.RunStream(pool, "trec", False, 0, 0, False)


def a_stream_appended_to_itself() -> None:
    stream = a_stream(_core.Pool(["1"], ["a"], [0, 1]))
    stream.append(stream)


def a_stream_of_another_pool() -> None:
    small, large = _core.Pool(["1"], ["a"], [0, 1]), _core.Pool(["1", "2"], ["a", "b"], [0, 1, 2])
    a_stream(large).append(a_stream(small))


def a_log_that_meets_itself() -> None:
    log = _core.ActionLog(0)
    log.meet(log)


def a_state_with_too_few_parts() -> None:
    set_state(topics=[], documents=[])


def a_pool_without_offsets() -> None:
    _core.Pool([], [], [])


def tables_too_large_to_count() -> None:
    _core.shares_larger(np.empty((2**32, 0)))


def distances_too_many_to_count() -> None:
    _core.squared_distances(np.empty((2**32, 0)), np.empty((2**32, 0)))


def judges_too_many_to_count() -> None:
    _core.judge_pairs(ints(), ints(), shorts(), 1, 2**32, 2)


def no_grades() -> None:
    _core.draw_grades(
        longs(0), ints(), ints(), np.zeros((1, 0)), np.zeros((1, 0)), floats(),
        np.zeros(0, dtype=np.int8), floats(), longs(), longs(),
    )  # fmt: skip


def rank_0() -> None:
    _core.precision_sums(np.zeros((1, 1), dtype=np.int32), np.ones((1, 1)), ints(1), 0.0)


def grades_far_apart() -> None:
    _core.grade_places(floats(0), longs(-(2**63), 2**63 - 1))


def grades_that_labels_cannot_equal() -> None:
    _core.grade_places(floats(2.0**53 + 4), longs(2**53 + 1, 2**53 + 3))


def a_topic_that_begins_far_outside() -> None:
    labels = np.zeros((1, 2), dtype=np.uint8)
    none = np.zeros((0, 2), dtype=np.int64)
    _core.score_lists(
        "gains", labels, floats(1, 0), floats(), table(1, 0, 1), longs(0, 1, 2), 2**63 - 1, none,
        none, ints(), floats(),
    )  # fmt: skip


def rows_after_a_pool_took_the_ids() -> None:
    labels = labels_of_two_topics()
    _core.Pool.of_table(labels, longs(0), longs(0, 1), longs(0, 2))
    labels.add(["1"], ["x"], ["a"], floats(1), longs(1))
    assert (labels.rows, labels.topics, labels.documents) == (4, ["1"], ["a"])
    _core.Pool.of_table(labels, longs(0), longs(1), longs(0, 1))


def rows_taken_back_twice() -> None:
    labels = _core.LabelTable()
    first = _core.PlainTable(labels, ",", 3, [-1, 0, 1, 2], "1")
    first.feed(b"judge,document,label\nx,a,1\ny,b,0\n")
    second = _core.PlainTable(labels, ",", 3, [-1, 0, 1, 2], "1")
    first.undo()
    second.undo()
    assert (labels.rows, labels.iterations) == (0, [])
    labels.add([], [], [], floats(1), longs(1))


def a_bad_topic_twice() -> None:
    store = _core.RunStore()
    for _ in range(2):
        with contextlib.suppress(_core.BadLine):
            store.add(["\udcff"], ["a"], floats(1), longs(1))
    assert store.ranked("\udcff", "trec", False) == (["a"], [1.0])
    store.add([], [], floats(1), longs(1))


# Other calls that have to end with an error.
ODD = {
    call.__name__.replace("_", " "): call
    for call in (
        a_stream_appended_to_itself,
        a_stream_of_another_pool,
        a_log_that_meets_itself,
        a_state_with_too_few_parts,
        a_pool_without_offsets,
        tables_too_large_to_count,
        distances_too_many_to_count,
        judges_too_many_to_count,
        no_grades,
        rank_0,
        grades_far_apart,
        grades_that_labels_cannot_equal,
        a_topic_that_begins_far_outside,
        rows_after_a_pool_took_the_ids,
        rows_taken_back_twice,
        a_bad_topic_twice,
    )
}


def outcomes(name: str) -> dict[str, str]:
    """What came of a call: by the name of each change, or of the odd call itself."""
    if name in ODD:
        return {name: outcome(ODD[name], {})}
    binding = BINDINGS[name]
    return {change: outcome(binding.call, given) for change, given in changes(binding)}


if __name__ == "__main__":
    for called in sys.argv[1:]:
        print(json.dumps(outcomes(called)), flush=True)
