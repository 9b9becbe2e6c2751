"""LightGBM's text form of a model, checked before LightGBM reads it.

LightGBM trusts its input: an array that is too short is read beyond its end, and a tree whose nodes
form a cycle is traversed forever.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hungjury.limits import MOST_FEATURES, MOST_LEAVES, MOST_TREES
from hungjury.numbers import decimal_of, integer_of

__all__ = ["check_model"]

_TREE = re.compile(r"^Tree=(\d+)\n(.*?)(?=^Tree=\d+\n|^end of trees)", re.M | re.S)


def check_model(text: str) -> int:
    """Check a model and return its number of trees; a ValueError says what is wrong with it."""
    head, end, _ = text.partition("\nTree=")
    if not end or "\nend of trees" not in text:
        raise ValueError("the model is not complete")
    features = _bounded(_entries(head), "max_feature_idx", MOST_FEATURES - 1) + 1
    trees = list(_TREE.finditer(text))
    if len(trees) > MOST_TREES or [tree[1] for tree in trees] != [
        str(i) for i in range(len(trees))
    ]:
        raise ValueError("its trees are not numbered from 0")
    sizes = _entries(head).get("tree_sizes", "").split()
    if [integer_of(size) for size in sizes] != list(_sizes(text, trees)):
        raise ValueError("its trees do not have the sizes that are stated")
    for tree in trees:
        _check_tree(_entries(tree[2]), features, f"tree {tree[1]}")
    return len(trees)


def _sizes(text: str, trees: list[re.Match[str]]) -> Iterator[int]:
    """Bytes of each tree, with the empty lines that follow it."""
    ends = [tree.start() for tree in trees[1:]] + [text.index("end of trees")] if trees else []
    for tree, end in zip(trees, ends, strict=True):
        yield len(text[tree.start() : end].encode())


def _entries(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.split("\n") if "=" in line)


def _bounded(entries: dict[str, str], name: str, most: int) -> int:
    value = integer_of(entries.get(name, ""))
    if value is None or not 0 <= value <= most:
        raise ValueError(f"{name} is {entries.get(name)!r}")
    return value


def _check_tree(entries: dict[str, str], features: int, name: str) -> None:
    leaves = _bounded(entries, "num_leaves", MOST_LEAVES)
    nodes = leaves - 1
    if leaves < 1 or _bounded(entries, "num_cat", nodes if nodes > 0 else 0) < 0:
        raise ValueError(f"{name} has no leaf")
    if len(_numbers(entries, "leaf_value", name)) != leaves:
        raise ValueError(f"leaf_value of {name} does not have {leaves} entries")
    if nodes == 0:
        return
    for column in ("threshold", "decision_type", "split_gain"):
        if len(_numbers(entries, column, name)) != nodes:
            raise ValueError(f"{column} of {name} does not have {nodes} entries")
    if not all(0 <= f < features for f in _integers(entries, "split_feature", nodes, name)):
        raise ValueError(f"{name} splits a feature that the model does not have")
    seen: set[int] = set()
    for side in ("left_child", "right_child"):
        for node, child in enumerate(_integers(entries, side, nodes, name)):
            # Children come after their node; what is below 0 is a leaf, counted from -1 down.
            if not (node < child < nodes or -leaves <= child < 0) or child in seen:
                raise ValueError(f"{name} is not a tree")
            seen.add(child)


def _integers(entries: dict[str, str], column: str, count: int, name: str) -> list[int]:
    found = [integer_of(text) for text in entries.get(column, "").split()]
    given = [value for value in found if value is not None]
    if len(given) != count or len(found) != count:
        raise ValueError(f"{column} of {name} does not have {count} integers")
    return given


def _numbers(entries: dict[str, str], column: str, name: str) -> list[float]:
    found = [decimal_of(text) for text in entries.get(column, "").split()]
    given = [value for value in found if value is not None]
    if len(given) < len(found):
        raise ValueError(f"{column} of {name} holds something other than numbers")
    return given
