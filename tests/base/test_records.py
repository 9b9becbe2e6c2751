"""Records behave like the frozen dataclasses they replace, whose methods are compiled per class."""

import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import ClassVar

import pytest

import hungjury as hj
from hungjury.base.records import Record


class Point(Record):
    kind: ClassVar[str] = "point"
    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list, compare=False)
    seen: str = field(default="", repr=False)

    @cached_property
    def total(self) -> int:
        return self.x + self.y


class Named(Point, kw_only=True):
    name: str


class Alone(Record, eq=False):
    x: int


class Positive(Record):
    x: int

    def __post_init__(self):
        if self.x <= 0:
            raise ValueError("positive")


@dataclass(frozen=True)
class Compiled:
    kind: ClassVar[str] = "point"
    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list, compare=False)
    seen: str = field(default="", repr=False)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((1,), {}),
        ((1, 2), {}),
        ((1, 2, ["a"]), {"seen": "s"}),
        ((), {"y": 3, "x": 1}),
        ((1,), {"tags": ["b"]}),
    ],
)
def test_a_record_is_made_and_shown_like_a_dataclass(given, named):
    ours, theirs = Point(*given, **named), Compiled(*given, **named)
    assert asdict(ours) == asdict(theirs)
    assert repr(ours) == repr(theirs).replace("Compiled", "Point")
    assert asdict(replace(ours, y=9)) == asdict(replace(theirs, y=9))
    assert [f.name for f in fields(ours)] == [f.name for f in fields(theirs)]


@pytest.mark.parametrize(
    ("given", "named"),
    [((), {}), ((), {"y": 1}), ((1, 2, [], "", 5), {}), ((1,), {"x": 1}), ((1,), {"z": 1}),
     ((1,), {"kind": "k"})],
)  # fmt: skip
def test_wrong_arguments_are_refused(given, named):
    for kind in (Point, Compiled):
        with pytest.raises(TypeError):
            kind(*given, **named)


def test_records_do_not_change():
    one = Point(1)
    for act in (lambda: setattr(one, "x", 2), lambda: delattr(one, "x")):
        with pytest.raises(FrozenInstanceError):
            act()
    assert one.x == 1
    assert one.total == 1  # kept, as in a frozen dataclass


def test_equal_fields_make_equal_records():
    assert Point(1, 2) == Point(1, 2, ["not compared"])
    assert hash(Point(1, 2)) == hash(Point(1, 2, ["not compared"]))
    assert Point(1, 2) != Point(1, 3)
    assert Point(1) != Compiled(1)
    assert Named(1, name="a") != Point(1)


def test_a_record_without_equality_equals_itself_alone():
    one = Alone(1)
    assert one == one
    assert one != Alone(1)
    assert len({one, Alone(1)}) == 2


def test_every_record_has_defaults_of_its_own():
    first, second = Point(1), Point(1)
    first.tags.append("a")
    assert second.tags == []


def test_fields_are_inherited_and_may_need_their_name():
    assert Named(1, 2, name="a").name == "a"
    with pytest.raises(TypeError):
        Named(1, 2, [], "", "a")
    with pytest.raises(TypeError, match="name"):
        Named(1)


def test_fields_are_checked_after_they_are_set():
    assert Positive(1).x == 1
    with pytest.raises(ValueError, match="positive"):
        replace(Positive(1), x=-1)


def test_signatures_are_shown():
    ours, theirs = inspect.signature(Point), inspect.signature(Compiled)
    assert list(ours.parameters) == list(theirs.parameters)
    required = {n for n, p in ours.parameters.items() if p.default is p.empty}
    assert required == {"x"}
    assert ours.parameters["y"].default == 0
    assert ours.parameters["y"].annotation is int
    assert ours.parameters["tags"].default is ...  # made anew each time
    assert inspect.signature(Named).parameters["name"].kind is inspect.Parameter.KEYWORD_ONLY


def test_records_can_be_pickled():
    one = Point(1, 2, ["a"])
    assert pickle.loads(pickle.dumps(one)) == one


def test_signatures_show_fields_by_name_last():
    """A subclass may add fields by name only, or turn one of its parent's into such a field."""
    shown = inspect.signature(hj.Merged).parameters
    kinds = [one.kind for one in shown.values()]
    assert kinds == sorted(kinds)
    assert set(shown) == {f.name for f in fields(hj.Merged)}
