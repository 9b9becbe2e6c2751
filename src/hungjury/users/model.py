"""User models: how users move over a result page, by class of queries, saved as a small file."""

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

from hungjury.base.arrays import Array, Floats, Indices
from hungjury.base.errors import Argument, InputError, MeasureError, Note, noted, plural
from hungjury.base.files import read_json, write_whole
from hungjury.base.parameters import (
    LARGEST,
    MOST_RANKS_OF_A_CURVE,
    MOST_RANKS_OF_A_PAGE,
    check_count,
)
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result, Table, in_report
from hungjury.users.chain import TOLERANCE

FORMAT, VERSION = "hungjury user model", 1
NAVIGATIONAL, INFORMATIONAL, ALL = "navigational", "informational", "all"
SHOWN = 20  # ranks in a notebook
FEW_PAGES = 100  # with fewer, shares of visits are off by some 0.05 by chance alone
PUBLISHED_SHAPE = "published-shape"


ROUNDING = 1e-12
Counts = tuple[int, ...]
Numbers = tuple[float, ...]
Rates = tuple[float | None, ...]  # None where they are unknown


class Dynamic(Record):
    """A user dynamic δ(i) = α/i + βi + γ, not below 0: how much users look at rank i.

    Attributes
    ----------
    alpha, beta, gamma : float
        The coefficients. A large α means that attention is on the first rank; γ is the part that
        all ranks have alike.
    r2 : float or None
        Share of variance explained by the fit. None where the curve was given and not fitted, or
        the distribution is uniform.
    rmse : float or None
        Root mean squared error of the fit. None where the curve was given.
    """

    alpha: float
    beta: float
    gamma: float
    r2: float | None = None
    rmse: float | None = None

    def values(self, ranks: int) -> Floats:
        """Compute δ at ranks 1 to `ranks`."""
        values = _terms(ranks) @ np.array([self.alpha, self.beta, self.gamma])
        return np.asarray(np.maximum(values, 0.0))

    def rises(self, ranks: int) -> tuple[int, ...]:
        """Return the ranks up to `ranks` where δ is above its value at the rank before."""
        values = self.values(ranks)
        return tuple(int(i) + 2 for i in np.flatnonzero(np.diff(values) > ROUNDING))


def _terms(ranks: int) -> Floats:
    check_count("ranks", ranks, 0, MOST_RANKS_OF_A_CURVE)
    i = np.arange(1, ranks + 1, dtype=float)
    return np.stack([1 / i, i, np.ones(ranks)], axis=1)


def fit_dynamic(pi: Floats) -> Dynamic:
    """Fit a user dynamic to a stationary distribution by least squares.

    A smooth curve with three coefficients instead of one number per rank: use it where a
    distribution counted from a log is to weight ranks in a measure. Look at `r2` before using it.

    Parameters
    ----------
    pi : ndarray
        The distribution over ranks; ranks without visits are 0.

    Returns
    -------
    Dynamic
        α, β and γ of δ(i) = α/i + βi + γ, with the quality of the fit.

    Examples
    --------
    The curve explains 98.9 % of the variance between ranks:

    >>> import numpy as np
    >>> import hungjury as hj
    >>> round(hj.users.fit_dynamic(np.array([0.5, 0.25, 0.125, 0.125])).r2, 3)
    0.989
    """
    pi = np.asarray(pi)
    numbers = pi.dtype.kind in "biuf" and pi.ndim == 1 and len(pi) > 0
    if not numbers or not ((pi >= 0) & (pi <= LARGEST)).all():
        said, remedy = "pi is not a distribution over ranks", "give a share for each rank, in a row"
        raise InputError(said, code="not-shares", argument="pi", remedy=remedy)
    alpha, beta, gamma = np.linalg.lstsq(_terms(len(pi)), pi, rcond=None)[0].astype(float).tolist()
    missed = pi - Dynamic(alpha, beta, gamma).values(len(pi))
    varies = float(((pi - pi.mean()) ** 2).sum())
    r2 = 1 - float((missed**2).sum()) / varies if varies > 1e-18 else None
    return Dynamic(alpha, beta, gamma, r2, rmse=float(np.sqrt((missed**2).mean())))


class UserClass(Record):
    """The users of one class of queries; index i of every tuple is rank i + 1.

    `stationary` says where users are in the long run (it sums to 1), and `dynamic` is the smooth
    curve fitted to it. Fields counted from a log are None for models made in another way.
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
    rates: Rates | None = None  # of the exponential holding time, per second


class LogReport(Record):
    """Counts of what a log contained: everything unusual is counted, nothing corrected silently."""

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
    relevant_shown: bool = False  # classes by the relevant documents on the page, not in the labels


class UserModel(Record, Result):
    """How users move over a result page, by class of queries.

    There is one class ("all"), or a "navigational" one (queries with exactly one document of at
    least grade `nav_rel`) and an "informational" one. Models are estimated from click logs
    (`hungjury.calibrate`), kept in small JSON files (`save`, `load`), and used by the measures nMCG
    and MP and by `train_ranker`.

    Attributes
    ----------
    classes : tuple of UserClass
        Distribution, dynamic, moves and holding times of each class.
    nav_rel : int
        The grade that decides on the class of a query.
    query_rates : tuple
        Rates of holding times by query, if they were asked for.
    by_relevant : tuple
        Stationary distributions by number of relevant documents of the query.
    log : LogReport or None
        What the log contained, where the model comes from one.

    Examples
    --------
    In the built-in model 21 % of the visits of navigational users are at rank 1:

    >>> import hungjury as hj
    >>> users = hj.users.user_model("published-shape")
    >>> round(users["navigational"].stationary[0], 2)
    0.21
    """

    classes: tuple[UserClass, ...]
    nav_rel: int = 1
    query_rates: tuple[tuple[str, Rates], ...] = ()
    by_relevant: tuple[tuple[str, Numbers], ...] = ()
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

    @property
    def written(self) -> str:
        """The model as it is written in a measure's name."""
        return f'"{self.name}"'

    def table(self) -> Table:
        """Return a row per rank: for each class where users are, and the dynamic fitted to it."""
        names = [f"{c.name}: {what}" for c in self.classes for what in ("stationary", "dynamic")]
        columns = [v for c in self.classes for v in (c.stationary, c.dynamic.values(self.ranks))]
        rows = zip(range(1, self.ranks + 1), *(map(float, v) for v in columns), strict=True)
        return Table(["rank", *names], [list(row) for row in rows])

    def _parts(self) -> list[str | Table]:
        return [f"User model {self.written}", *self.table().head(SHOWN), *map(str, self.notes())]

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
        said = f"the user model {self.written} has no class '{name}'"
        remedy = f"choose from {', '.join(c.name for c in self.classes)}"
        raise MeasureError(said, code="unknown-class", remedy=remedy)

    def class_of(self, alike: Array) -> Indices:
        """Return the index of the class of queries; `alike`: their documents of grade `nav_rel`."""
        names = [c.name for c in self.classes]
        if len(names) == 1:
            return np.zeros(np.shape(alike), dtype=np.intp)
        return np.where(
            np.asarray(alike) == 1, names.index(NAVIGATIONAL), names.index(INFORMATIONAL)
        )

    def stationary(self) -> Floats:
        """Return the stationary distributions, [class, rank]."""
        return np.array([c.stationary for c in self.classes])

    def discounts(self, ranks: int) -> Floats:
        """Return the dynamics at ranks 1 to `ranks`, [class, rank]; no further than calibrated."""
        if ranks > self.ranks:
            raise MeasureError(
                f"the user model {self.written} covers {self.ranks} ranks, but {ranks} are needed",
                code="too-few-ranks",
                argument="ranks",
                remedy=(f"use {self.ranks} ranks, or calibrate with", Argument("ranks", ranks)),
            )
        return np.stack([c.dynamic.values(ranks) for c in self.classes])

    def notes(self, ranks: int | None = None) -> tuple[Note, ...]:
        """Return notes on using the model on the first `ranks` ranks."""
        depth = min(max(ranks or self.ranks, 1), self.ranks)
        found = self.page_notes()
        for one in self.classes:
            where = tuple(f"rank {rank}" for rank in one.dynamic.rises(depth))
            text = (
                f"the dynamic of the class '{one.name}' of {self.written} does not decrease, "
                "so nMCG can exceed 1 and prefer worse rankings; it rises at"
            )
            found += noted("rising-dynamic", len(where), text, subjects=where, about="result")
        return found

    def page_notes(self) -> tuple[Note, ...]:
        """Return a note for each class that comes from few pages of a log."""
        few = [(c.name, c.pages) for c in self.classes if c.pages is not None]
        text = "the class '{}' of {} comes from only {} with clicks: do not trust it"
        return tuple(
            Note("few-pages", n, text.format(name, self.written, plural(n, "page")), about="result")
            for name, n in few
            if n < FEW_PAGES
        )

    def class_notes(self, alike: Array, nav_rel: int) -> tuple[Note, ...]:
        """Return a note for each class without a query; `alike` as in `class_of`."""
        present = set(np.unique(self.class_of(alike)).tolist())
        absent = [c.name for i, c in enumerate(self.classes) if i not in present]
        text = (
            f"with nav_rel={nav_rel} no topic has the class '{{}}': all are scored with the other "
            "class of users"
        )
        return tuple(Note("empty-class", 1, text.format(name), about="result") for name in absent)

    def rates(self) -> Floats:
        """Return the holding-time rates, [class, rank]; NaN where unknown."""
        missing = [c.name for c in self.classes if c.rates is None]
        if missing:
            raise MeasureError(
                f"the user model {self.written} has no holding times for the class '{missing[0]}'",
                code="no-holding-time",
                remedy="calibrate on a log with times, or give them: MP(rates=[0.2, 0.1])",
            )
        return np.array([c.rates for c in self.classes], dtype=float)

    def rates_by_topic(self, topics: Sequence[str], which: Indices) -> Floats:
        """Return each query's own rates where the log has them, else those of its class.

        which: [topic] index of the class. The result is [topic, rank].
        """
        known = dict(self.query_rates)
        table = self.rates()[which]
        for row, topic in enumerate(topics):
            for rank, rate in enumerate(known.get(topic, ())):
                if rate is not None:
                    table[row, rank] = rate
        return np.asarray(table)

    def content(self) -> dict[str, Any]:
        """Return all fields in a form that JSON can represent."""
        content: dict[str, Any] = {"format": FORMAT, "version": VERSION, "about": self.about}
        content |= {"nav_rel": self.nav_rel, "ranks": self.ranks}
        content["classes"] = [
            {key: value for key, value in asdict(c).items() if value is not None}
            for c in self.classes
        ]
        if self.query_rates:
            content["query_rates"] = [[query, list(rates)] for query, rates in self.query_rates]
        content["by_relevant"] = [[name, list(pi)] for name, pi in self.by_relevant]
        content["log"] = None if self.log is None else asdict(self.log)
        return content

    def to_json(self) -> str:
        """Return all fields as JSON, in the format of `load`."""
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
        """Read what `content` returned, from a file; `source` becomes the model's name."""
        try:
            return _from_content(content, source)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            missing = isinstance(error, KeyError)
            reason = f"{error.args[0]} is missing" if missing else str(error)
            said = f"not a user model: {reason}"
            remedy = "save one with `UserModel.save` or `hungjury clicks`"
            raise InputError(said, code="invalid-file", file=file, remedy=remedy) from None


def _from_content(content: Any, source: str) -> UserModel:
    if content["format"] != FORMAT or content["version"] != VERSION:
        raise ValueError(f"its format is {content['format']!r}, version {content['version']!r}")
    ranks, log = int(content["ranks"]), content.get("log")
    if not 1 <= ranks <= MOST_RANKS_OF_A_PAGE:
        raise ValueError(f"it has {ranks} ranks")
    classes = tuple(read_class(one, ranks) for one in content["classes"])
    names = tuple(c.name for c in classes)
    if names not in ((ALL,), (NAVIGATIONAL, INFORMATIONAL)):
        raise ValueError(f"its classes are {', '.join(names) or 'missing'}")
    return UserModel(
        classes,
        nav_rel=int(content["nav_rel"]),
        query_rates=tuple(
            (str(query), read_rates(rates, ranks, f"query {query!r}"))
            for query, rates in content.get("query_rates", ())
        ),
        by_relevant=tuple(
            (str(name), read_numbers(pi, ranks, "an entry of by_relevant"))
            for name, pi in content.get("by_relevant", ())
        ),
        about=str(content.get("about", "")),
        log=None if log is None else LogReport(**log),
        source=source,
    )


def read_class(given: Mapping[str, Any], ranks: int) -> UserClass:
    """Read a class from its JSON; a ValueError says what is wrong with it."""
    unknown = sorted(set(given) - {f.name for f in fields(UserClass)})
    if unknown:
        raise ValueError(f"unknown entry {unknown[0]!r}")
    whose = f"of class {given['name']!r}"
    values = {key: _frozen(value) for key, value in given.items()}
    values["dynamic"] = Dynamic(**given["dynamic"])
    found = [value for value in asdict(values["dynamic"]).values() if value is not None]
    read_numbers(found, len(found), f"the dynamic {whose}")
    for name in ("stationary", "visits", "held"):
        if values.get(name) is not None:
            read_numbers(values[name], ranks, f"the entry {name} {whose}")
    for name in ("moves", "transitions"):
        rows = values.get(name)
        if rows is not None and (not isinstance(rows, tuple) or len(rows) != ranks):
            raise ValueError(f"the entry {name} {whose} does not have {ranks} rows")
        for row in rows or ():
            read_numbers(row, ranks, f"a row of {name} {whose}")
    values["stationary"] = pi = tuple(map(float, given["stationary"]))
    if min(pi) < 0 or abs(sum(pi) - 1) > TOLERANCE:
        raise ValueError(f"the distribution {whose} does not sum to 1")
    if values.get("rates") is not None:
        values["rates"] = read_rates(given["rates"], ranks, f"class {given['name']!r}")
    if any(not 1 <= rank <= ranks for rank in values.get("never_left") or ()):
        raise ValueError(f"the entry never_left {whose} names a rank that is not on the page")
    return UserClass(**values)


def read_rates(given: Sequence[Any], ranks: int, whose: str) -> Rates:
    """Check that there is a positive rate for every rank, or None."""
    rates = tuple(None if r is None else float(r) for r in given)
    if len(rates) != ranks or not all(r is None or 0 < r < np.inf for r in rates):
        raise ValueError(f"the rates of {whose} are not {ranks} positive numbers")
    return rates


def read_numbers(values: object, count: int, what: str) -> Numbers:
    """Check that these are `count` finite numbers."""
    if not isinstance(values, (list, tuple)) or len(values) != count:
        raise ValueError(f"{what} does not have {count} numbers")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            raise ValueError(f"{what} contains {value!r}")
    return tuple(map(float, values))


def _frozen(value: object) -> Any:
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value


def user_model(given: str | os.PathLike[str] | UserModel) -> UserModel:
    """Return a user model by name or from its file.

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
    """Return two smooth classes of users with the shape that Maistro (2018, 5.5.1) describes.

    Use it to try measures and rankers for users without a click log. For results that are to
    describe your own users, calibrate a model on your own log.

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
