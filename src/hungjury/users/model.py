"""UserModel: how users move over a result page, per query class, saved as a small file."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, fields
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, InputError, MeasureError
from hungjury.base.files import read_json, write_whole
from hungjury.base.notes import Note, plural
from hungjury.base.parameters import MOST_RANKS_OF_A_PAGE
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result, in_report
from hungjury.base.tables import Table

__all__ = [
    "PUBLISHED_SHAPE",
    "Dynamic",
    "LogReport",
    "Numbers",
    "UserClass",
    "UserModel",
    "fit_dynamic",
    "read_class",
    "read_numbers",
    "read_rates",
    "user_model",
]

ROUNDING = 1e-12


class Dynamic(Record):
    """delta(i) = alpha / i + beta i + gamma, not below 0, with the quality of its fit.

    r2 (the share of variance explained) and rmse are None where the curve was
    given and not fitted; r2 is None too where the distribution is uniform.
    """

    alpha: float
    beta: float
    gamma: float
    r2: float | None = None
    rmse: float | None = None

    def values(self, ranks: int) -> Floats:
        """delta at the ranks 1 to `ranks`."""
        return curve(np.array([self.alpha, self.beta, self.gamma]), ranks)

    def rises(self, ranks: int) -> tuple[int, ...]:
        """The ranks up to `ranks` where the curve is above its value at the rank before."""
        values = self.values(ranks)
        return tuple(int(i) + 2 for i in np.flatnonzero(np.diff(values) > ROUNDING))


def curve(coefficients: Floats, ranks: int) -> Floats:
    return np.maximum(_terms(ranks) @ coefficients, 0.0)


def _terms(ranks: int) -> Floats:
    i = np.arange(1, ranks + 1, dtype=float)
    return np.stack([1 / i, i, np.ones(ranks)], axis=1)


def fit_dynamic(pi: Floats) -> Dynamic:
    """Fit a user dynamic to a stationary distribution by least squares.

    Parameters
    ----------
    pi : ndarray
        The distribution over ranks; ranks without visits are 0.

    Returns
    -------
    Dynamic
        α, β and γ of δ(i) = α/i + βi + γ.

    Examples
    --------
    >>> import numpy as np
    >>> import hungjury as hj
    >>> round(hj.users.fit_dynamic(np.array([0.5, 0.25, 0.125, 0.125])).r2, 3)
    0.989
    """
    coefficients: Floats = np.linalg.lstsq(_terms(len(pi)), pi, rcond=None)[0].astype(float)
    missed = pi - curve(coefficients, len(pi))
    varies = float(((pi - pi.mean()) ** 2).sum())
    alpha, beta, gamma = (float(c) for c in coefficients)
    return Dynamic(
        alpha,
        beta,
        gamma,
        r2=1 - float((missed**2).sum()) / varies if varies > 1e-18 else None,
        rmse=float(np.sqrt((missed**2).mean())),
    )


Counts = tuple[int, ...]
Numbers = tuple[float, ...]


class UserClass(Record):
    """The users of one class of queries; index i of every tuple is rank i + 1.

    Fields counted from a log are None for models made in another way.
    """

    name: str  # "navigational", "informational", or "all"
    stationary: Numbers  # stationary distribution
    dynamic: Dynamic  # the curve fitted to it
    visits: Counts | None = None  # clicks
    moves: tuple[Counts, ...] | None = None  # [from, to]; a repeated click is a move i -> i
    transitions: tuple[Numbers, ...] | None = None  # 1 on the diagonal for ranks never left
    never_left: Counts | None = None  # ranks without departures
    pages: int | None = None  # result pages with at least one click: paths
    backward: float | None = None  # share of the moves
    held: Counts | None = None  # visits with a known end
    rates: tuple[float | None, ...] | None = None  # of the exponential holding time, per second


def read_class(given: Mapping[str, Any], ranks: int) -> UserClass:
    """A class as JSON holds it; ValueError says what is wrong with it."""
    known = {f.name for f in fields(UserClass)}
    unknown = sorted(set(given) - known)
    if unknown:
        raise ValueError(f"unknown entry {unknown[0]!r}")
    if not 1 <= ranks <= MOST_RANKS_OF_A_PAGE:
        raise ValueError(f"it has {ranks} ranks")
    values = {key: _frozen(value) for key, value in given.items()}
    values["dynamic"] = Dynamic(**given["dynamic"])
    whose = f"of class {values['name']!r}"
    _check_numbers(list(asdict(values["dynamic"]).values()), 5, f"the dynamic {whose}", holes=True)
    for name in ("stationary", "visits", "held"):
        if values.get(name) is not None:
            _check_numbers(values[name], ranks, f"the entry {name} {whose}")
    for name in ("moves", "transitions"):
        rows = values.get(name)
        if rows is not None and (not isinstance(rows, tuple) or len(rows) != ranks):
            raise ValueError(f"the entry {name} {whose} does not have {ranks} rows")
        for row in rows or ():
            _check_numbers(row, ranks, f"a row of {name} {whose}")
    values["stationary"] = pi = read_numbers(given["stationary"])
    if min(pi) < 0 or abs(sum(pi) - 1) > 1e-6:
        raise ValueError(f"the distribution {whose} does not sum to 1")
    if values.get("rates") is not None:
        values["rates"] = read_rates(given["rates"], ranks, f"class {values['name']!r}")
    if any(not 1 <= rank <= ranks for rank in values.get("never_left") or ()):
        raise ValueError(f"the entry never_left {whose} names a rank that is not on the page")
    return UserClass(**values)


def read_rates(given: Sequence[Any], ranks: int, whose: str) -> tuple[float | None, ...]:
    """A rate per rank, None where it is unknown."""
    rates = tuple(None if r is None else float(r) for r in given)
    if len(rates) != ranks or not all(r is None or 0 < r < np.inf for r in rates):
        raise ValueError(f"the rates of {whose} are not {ranks} positive numbers")
    return rates


def _check_numbers(values: object, count: int, what: str, holes: bool = False) -> None:
    """`count` finite numbers; `holes`: None is allowed in place of one."""
    if not isinstance(values, (list, tuple)) or len(values) != count:
        raise ValueError(f"{what} does not have {count} numbers")
    for value in values:
        if holes and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            raise ValueError(f"{what} holds {value!r}")


def _frozen(value: object) -> Any:
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value


def read_numbers(values: Sequence[Any]) -> Numbers:
    """Finite numbers."""
    numbers = tuple(float(v) for v in values)
    if not all(map(isfinite, numbers)):
        raise ValueError("it holds a number that is not finite")
    return numbers


FORMAT, VERSION = "hungjury user model", 1
NAVIGATIONAL, INFORMATIONAL, ALL = "navigational", "informational", "all"
SHOWN = 20  # ranks in a notebook
FEW_PAGES = 100  # with fewer, shares of visits are off by some 0.05 by chance alone
PUBLISHED_SHAPE = "published-shape"


class LogReport(Record):
    """What a log contained. Everything unusual is counted; nothing is corrected silently."""

    records: int = 0  # clicks read
    counted: int = 0  # clicks used in the model
    off_page: int = 0  # clicks outside the ranks of the page
    without_session: int = 0
    without_time: int = 0  # clicks without a time, in a log that has times
    unlabelled: int = 0  # clicks on pages of unjudged queries
    repeated: int = 0  # moves from a rank to itself
    backward: int = 0  # moves to a smaller rank
    out_of_order: int = 0  # clicks recorded after a later click of the session
    ends_early: int = 0  # visits that end before they begin; their holding time is not used
    sessions: int = 0  # sessions with a counted click
    pages_without_clicks: int = 0  # if the log has them
    counted_pages: str = "all"  # or "moves": only moves between clicks
    unreadable: int = 0  # records that cannot be read


class UserModel(Record, Result):
    """Users of one class ("all"), or of the classes "navigational" and "informational"."""

    classes: tuple[UserClass, ...]
    nav_rel: int = 1
    query_rates: tuple[tuple[str, tuple[float | None, ...]], ...] = ()  # holding times by query
    by_relevant: tuple[
        tuple[str, Numbers], ...
    ] = ()  # distributions by number of relevant documents
    about: str = ""
    log: LogReport | None = field(default=None, compare=False)
    source: str | None = field(default=None, compare=False)  # file or shipped name

    @property
    def ranks(self) -> int:
        """Ranks of a page."""
        return len(self.classes[0].stationary)

    @cached_property
    def name(self) -> str:
        """Its source, or a name made from its content."""
        if self.source is not None:
            return self.source
        content = json.dumps([asdict(c) for c in self.classes], sort_keys=True).encode()
        return f"calibrated-{hashlib.sha256(content).hexdigest()[:8]}"

    def __str__(self) -> str:
        return f'"{self.name}"'  # as written inside a measure's name

    def table(self) -> Table:
        """A row per rank: for each class where users are, and the dynamic fitted to it."""
        names = [f"{c.name}: {what}" for c in self.classes for what in ("stationary", "dynamic")]
        columns = [v for c in self.classes for v in (c.stationary, c.dynamic.values(self.ranks))]
        rows = zip(range(1, self.ranks + 1), *(map(float, v) for v in columns), strict=True)
        return Table(["rank", *names], [list(row) for row in rows])

    def _parts(self) -> list[str | Table]:
        return [f"User model {self}", *self.table().head(SHOWN), *map(str, self.notes())]

    def to_text(self) -> str:
        """Write facts of each class, then where its users are, rank by rank."""
        return str(in_report("users.user_text")(self))

    def plot(self) -> Plot:
        """Draw the stationary distributions, and each with its dynamic and DCG's discount."""
        return self._drawn("users.draw_users")

    def __getitem__(self, name: str) -> UserClass:
        for one in self.classes:
            if one.name == name:
                return one
        raise MeasureError(
            f"the user model {self} has no class '{name}'",
            code="unknown-class",
            remedy=f"choose from {', '.join(c.name for c in self.classes)}",
        )

    def class_of(self, alike: NDArray[Any]) -> NDArray[np.intp]:
        """Index into `classes` of queries with that many documents of at least grade `nav_rel`."""
        names = [c.name for c in self.classes]
        if len(names) == 1:
            return np.zeros(np.shape(alike), dtype=np.intp)
        return np.where(
            np.asarray(alike) == 1, names.index(NAVIGATIONAL), names.index(INFORMATIONAL)
        )

    def stationary(self) -> Floats:
        """[class, rank]: the stationary distributions."""
        return np.array([c.stationary for c in self.classes])

    def discounts(self, ranks: int) -> Floats:
        """[class, rank]: the dynamics at the ranks 1 to `ranks`; no further than calibrated."""
        if ranks > self.ranks:
            raise MeasureError(
                f"the user model {self} covers {self.ranks} ranks, but {ranks} are needed",
                code="too-few-ranks",
                argument="ranks",
                remedy=(f"use {self.ranks} ranks, or calibrate with", Argument("ranks", ranks)),
            )
        return np.stack([c.dynamic.values(ranks) for c in self.classes])

    def notes(self, ranks: int | None = None) -> tuple[Note, ...]:
        """Notes on using the model on the first `ranks` ranks."""
        depth = min(ranks or self.ranks, self.ranks)
        found = list(self.page_notes())
        for one in self.classes:
            up = one.dynamic.rises(depth)
            if up:
                text = (
                    f"the dynamic of the class '{one.name}' of {self} does not decrease, so nMCG "
                    "can exceed 1 and prefer worse rankings; it rises at"
                )
                where = tuple(f"rank {rank}" for rank in up)
                found.append(Note("rising-dynamic", len(up), text, subjects=where, about="result"))
        return tuple(found)

    def page_notes(self) -> tuple[Note, ...]:
        """A note for each class that comes from few pages of a log."""
        return tuple(
            Note(
                "few-pages",
                one.pages,
                f"the class '{one.name}' of {self} comes from only {plural(one.pages, 'page')} "
                "with clicks: do not trust it",
                about="result",
            )
            for one in self.classes
            if one.pages is not None and one.pages < FEW_PAGES
        )

    def class_notes(self, alike: NDArray[Any], nav_rel: int) -> tuple[Note, ...]:
        """A note for each class without a query; `alike` as in `class_of`, counted from the grade
        `nav_rel`."""
        present = set(np.unique(self.class_of(alike)).tolist())
        absent = [c.name for i, c in enumerate(self.classes) if i not in present]
        text = (
            f"with nav_rel={nav_rel} no topic has the class '{{}}': all are scored with the other "
            "class of users"
        )
        return tuple(Note("empty-class", 1, text.format(name), about="result") for name in absent)

    def rates(self) -> Floats:
        """[class, rank]: holding-time rates, NaN where unknown."""
        missing = [c.name for c in self.classes if c.rates is None]
        if missing:
            raise MeasureError(
                f"the user model {self} has no holding times for the class '{missing[0]}'",
                code="no-holding-time",
                remedy="calibrate on a log with times, or give them: MP(rates=[0.2, 0.1])",
            )
        given = [[np.nan if r is None else r for r in c.rates or ()] for c in self.classes]
        return np.array(given, dtype=float)

    def rates_by_topic(self, topics: Sequence[str], which: NDArray[np.intp]) -> Floats:
        """[topic, rank]: a query's own rates where the log has them, else those of its class.

        which: [topic] index of the class.
        """
        known = dict(self.query_rates)
        table = self.rates()[which]
        for row, topic in enumerate(topics):
            for rank, rate in enumerate(known.get(topic, ())):
                if rate is not None:
                    table[row, rank] = rate
        return np.asarray(table)

    def content(self) -> dict[str, Any]:
        """All fields, in a form that JSON can hold."""
        content: dict[str, Any] = {"format": FORMAT, "version": VERSION, "about": self.about}
        content |= {"nav_rel": self.nav_rel, "ranks": self.ranks}
        content["classes"] = [_without_none(asdict(c)) for c in self.classes]
        if self.query_rates:
            content["query_rates"] = [[query, list(rates)] for query, rates in self.query_rates]
        content["by_relevant"] = [[name, list(pi)] for name, pi in self.by_relevant]
        content["log"] = None if self.log is None else asdict(self.log)
        return content

    def to_json(self) -> str:
        """All fields as JSON, in the format of `load`."""
        return json.dumps(self.content(), indent=1, allow_nan=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write as JSON, atomically."""
        write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> UserModel:
        """Read what `save` wrote."""
        text = os.fspath(path)
        content = read_json(text, "a user model", "make it with `hungjury clicks -o`")
        return cls.from_content(content, file=text, source=text)

    @classmethod
    def from_content(cls, content: object, *, file: str, source: str) -> UserModel:
        """What `content` gave, read from a file; `source` becomes the model's name."""
        try:
            return _from_content(content, source)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(
                f"not a user model: {_reason(error)}",
                code="invalid-file",
                file=file,
                remedy="save one with `UserModel.save` or `hungjury clicks`",
            ) from None


def _without_none(record: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in record.items() if v is not None}


def _reason(error: Exception) -> str:
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)


def _from_content(content: Any, source: str) -> UserModel:
    if content["format"] != FORMAT or content["version"] != VERSION:
        raise ValueError(f"its format is {content['format']!r}, version {content['version']!r}")
    classes = tuple(read_class(one, int(content["ranks"])) for one in content["classes"])
    names = tuple(c.name for c in classes)
    if names not in ((ALL,), (NAVIGATIONAL, INFORMATIONAL)):
        raise ValueError(f"its classes are {', '.join(names) or 'missing'}")
    log = content.get("log")
    return UserModel(
        classes,
        nav_rel=int(content["nav_rel"]),
        query_rates=tuple(
            (str(query), read_rates(rates, int(content["ranks"]), f"query {query!r}"))
            for query, rates in content.get("query_rates", ())
        ),
        by_relevant=tuple((str(n), read_numbers(pi)) for n, pi in content.get("by_relevant", ())),
        about=str(content.get("about", "")),
        log=None if log is None else LogReport(**log),
        source=source,
    )


def user_model(given: str | os.PathLike[str] | UserModel) -> UserModel:
    """Get a user model.

    Parameters
    ----------
    given : str, path or UserModel
        A model, the built-in ``"published-shape"``, or the file of a saved model.

    Returns
    -------
    UserModel
        The model.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.users.user_model("published-shape").ranks
    10
    """
    if isinstance(given, UserModel):
        return given
    return published_shape() if given == PUBLISHED_SHAPE else UserModel.load(given)


def published_shape() -> UserModel:
    """Two smooth users with the shape that Maistro (2018, 5.5.1) describes.

    Returns
    -------
    UserModel
        Navigational and informational users over ten ranks; not a fit of any log.

    Notes
    -----
    The thesis shows its curves as figures, without coefficients. These are round numbers that do
    what its text says: navigational users spike at rank 1 and stay close to DCG's discount at the
    top; informational users spread almost evenly; below rank 4 both give more than DCG. Each curve
    sums to 1 over ten ranks.

    Examples
    --------
    >>> import hungjury as hj
    >>> [one.name for one in hj.users.published_shape().classes]
    ['navigational', 'informational']
    """
    return UserModel(
        (_smooth(NAVIGATIONAL, 0.15), _smooth(INFORMATIONAL, 0.03)),
        about="two curves with the published shape; chosen by hand, not fitted to a log",
        source=PUBLISHED_SHAPE,
    )


def _smooth(name: str, alpha: float, ranks: int = 10) -> UserClass:
    level = (1 - alpha * sum(1 / i for i in range(1, ranks + 1))) / ranks
    dynamic = Dynamic(alpha, 0.0, level)
    return UserClass(name, tuple(dynamic.values(ranks).tolist()), dynamic)
