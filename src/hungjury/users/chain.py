"""Markov chains over ranks: stationary distributions, and the eight user models of TH 5.3.3.

State i of a matrix is rank i + 1; messages name ranks.

The pull alpha(i, j) between two ranks is symmetric, so the stationary distribution of a chain that
moves from i to j with probability alpha(i, j) / sum_k alpha(i, k) is proportional to the sums of
pulls; the functions here give these sums, and no linear system is solved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from hungjury.base.arrays import Array, ArrayLike, Bools, Floats, Int32s, Ints
from hungjury.base.errors import InputError, MeasureError, check_choice, few, plural
from hungjury.base.parameters import MOST_STEPS, check_count, check_share
from hungjury.base.records import Record

TOLERANCE = 1e-6  # of sums that should be 1: probabilities are often written with few decimals


def transition_matrix(given: object) -> Floats:
    """Check a matrix of transition probabilities and normalise its rows to sum to exactly 1."""
    try:
        matrix = np.array(given, dtype=float)
    except (TypeError, ValueError):
        matrix = np.empty(())
    if not matrix.ndim:
        remedy = "give one row of probabilities per rank, all rows of the same length"
        raise _refused("is not a table of numbers", "not-numbers", remedy)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        remedy = "give a square matrix; row i has the probabilities of moving from rank i"
        shape = " x ".join(map(str, matrix.shape))
        raise _refused(f"has the shape {shape}", "wrong-shape", remedy)
    bad = np.flatnonzero(~(np.isfinite(matrix) & (matrix >= 0)).all(axis=1))
    if len(bad):
        said = f"has negative or infinite entries in the row of {ranks(bad)}"
        raise _refused(said, "invalid-probabilities", "give probabilities")
    total = matrix.sum(axis=1)
    bad = np.flatnonzero(np.abs(total - 1) > TOLERANCE)
    if len(bad):
        said = f"is not stochastic: the row of {ranks(bad)} does not sum to 1"
        first = f"(that of rank {bad[0] + 1} sums to {total[bad[0]]:.6g})"
        raise _refused(f"{said} {first}", "not-stochastic", "divide every row by its sum")
    return np.asarray(matrix / total[:, None])


def _refused(said: str, code: str, remedy: str) -> MeasureError:
    return MeasureError(f"the transition matrix {said}", code=code, remedy=remedy)


def ranks(states: Ints) -> str:
    """'rank 3', 'ranks 3, 5 and 9 more'."""
    noun = "rank" if len(states) == 1 else "ranks"
    return f"{noun} {few([str(s + 1) for s in states])}"


def closed_groups(matrix: Floats) -> list[Ints]:
    """Return the closed communicating classes: groups of recurrent states."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    linked = matrix > 0
    number, group = connected_components(csr_array(linked), directed=True, connection="strong")
    leaves = (linked & (group[:, None] != group[None, :])).any(axis=1)
    groups = [np.flatnonzero(group == g) for g in range(number)]
    closed = [states for states in groups if not leaves[states].any()]
    return sorted(closed, key=lambda states: int(states[0]))


def stationary_distribution(matrix: Floats) -> Floats:
    """Compute the distribution pi with pi P = pi of an irreducible chain.

    States are eliminated one by one without subtractions (Grassmann, Taksar and Heyman 1985):
    small probabilities keep their digits.
    """
    closed = closed_groups(matrix)
    if len(closed[0]) < len(matrix):
        rest = np.setdiff1d(np.arange(len(matrix)), closed[0])
        said = f"is not irreducible: from {ranks(closed[0])} the user never reaches {ranks(rest)}"
        remedy = "make every rank reachable from every other, or remove ranks from the matrix"
        raise _refused(said, "not-irreducible", remedy)
    work = matrix.copy()
    for last in range(len(work) - 1, 0, -1):
        work[:last, last] /= work[last, :last].sum()
        work[:last, :last] += np.outer(work[:last, last], work[last, :last])
    pi = np.ones(len(work))
    for state in range(1, len(work)):
        pi[state] = pi[:state] @ work[:state, state]
    return np.asarray(pi / pi.sum())


def long_run_distribution(moves: Ints) -> Floats | None:
    """Return the stationary distribution over recurrent ranks, or None if there are none.

    A rank that users never leave ends paths and does not trap them: it is removed, and the chain
    is that of the moves between the others. If these form several closed groups,
    each group is weighted by its departures.
    """
    kept = np.arange(len(moves))
    while len(kept):
        inside = moves[np.ix_(kept, kept)]
        left = inside.sum(axis=1) > 0
        if left.all():
            break
        kept = kept[left]
    if not len(kept):
        return None
    pi = np.zeros(len(moves))
    for group in closed_groups(inside.astype(float)):
        part = inside[np.ix_(group, group)].astype(float)
        pi[kept[group]] = part.sum() * stationary_distribution(
            part / part.sum(axis=1, keepdims=True)
        )
    return np.asarray(pi / pi.sum())


MODELS = ("constant", *("_".join(m) for m in product(("GL", "LO"), ("AD", "OR"), ("ID", "LID"))))
ROOM = 1 << 21  # pairs of places worked on at once, about 16 MB


@lru_cache(maxsize=16)
def pulls(kind: str, most: int) -> Floats:
    """Return the pull over distances 0 to `most`: TH (5.7); LID: 1 / log10(distance + 2)."""
    distance = np.arange(most + 1, dtype=float)
    table = 1 / (distance + 1) if kind == "ID" else 1 / np.log10(distance + 2)
    table[0] = 0
    table.setflags(write=False)
    return table


def pull_sums(model: str, hits: Bools, ranks: Int32s, length: Array) -> Floats:
    """Return [..., list, place]: the stationary distribution at relevant places, up to a factor.

    hits: [..., list, place] relevant; ranks: of the places; length: [..., list] documents in the
    list. Values at other places are meaningless.
    """
    if model == "constant":
        return np.ones(hits.shape)
    connected, space, kind = model.split("_")
    if space == "AD":
        sums = _all_documents(connected, kind, hits, ranks, length)
        alone = np.asarray(length)[..., None] == 1
    else:
        between = _pairs if connected == "GL" else _neighbours
        sums = between(kind, hits, ranks)
        alone = hits.sum(axis=-1, keepdims=True) == 1
    return np.asarray(sums + alone)  # one state: nothing pulls, and the user stays there


def _all_documents(connected: str, kind: str, hits: Bools, ranks: Int32s, length: object) -> Floats:
    above = np.where(hits, ranks, 1) - 1
    below = np.maximum(np.asarray(length)[..., None] - 1 - above, 0)
    if connected == "LO":  # all neighbours pull alike: count them
        return np.asarray((above > 0).astype(float) + (below > 0))
    most = int(np.maximum(above, below).max(initial=0))
    reach = np.cumsum(pulls(kind, most))  # at m: the sum over distances 1 to m
    return np.asarray(reach[above] + reach[below])


def _neighbours(kind: str, hits: Bools, ranks: Int32s) -> Floats:
    """Add up the pulls of the relevant documents just above and just below."""
    none = int(ranks.max(initial=0)) + 1
    seen = np.maximum.accumulate(np.where(hits, ranks, 0), axis=-1)
    ahead = np.minimum.accumulate(np.where(hits, ranks, none)[..., ::-1], axis=-1)[..., ::-1]
    edge = np.zeros((*hits.shape[:-1], 1), dtype=seen.dtype)
    before = np.concatenate([edge, seen[..., :-1]], axis=-1)
    after = np.concatenate([ahead[..., 1:], edge + none], axis=-1)
    table = pulls(kind, none)
    up = np.where(before > 0, table[np.abs(ranks - before)], 0.0)
    down = np.where(after < none, table[np.abs(after - ranks)], 0.0)
    return np.asarray(up + down)


def _pairs(kind: str, hits: Bools, ranks: Int32s) -> Floats:
    """Add up the pulls of all other relevant documents, in blocks of bounded size.

    The pulls between a list's places are looked up once for all copies (replicates, judges).
    """
    places = hits.shape[-1]
    place_ranks = ranks.reshape(-1, places)
    lists = len(place_ranks)
    wanted = np.moveaxis(hits.reshape(-1, lists, places), 0, 2).astype(float)
    sums = np.empty_like(wanted)  # [list, place, copy]
    table = pulls(kind, int(ranks.max(initial=1)))
    rows = min(places, max(1, ROOM // max(places, 1)))
    some = max(1, ROOM // max(rows * places, 1))
    for first in range(0, lists, some):
        block = slice(first, first + some)
        for row in range(0, places, rows):
            here = place_ranks[block, row : row + rows]
            pull = table[np.abs(here[:, :, None] - place_ranks[block, None, :])]
            sums[block, row : row + rows] = pull @ wanted[block]
    return np.moveaxis(sums, 2, 0).reshape(hits.shape)


class Walk(Record, eq=False):
    """A user's walk over ranks as a Markov chain: where it is after some steps, and in the end.

    `transitions` are probabilities [from, to] between `ranks`, which for a user model are the
    ranks of the relevant documents: the walk over all documents, watched there. The user
    starts at the first of them unless a start distribution is given.

    Examples
    --------
    >>> import hungjury as hj
    >>> walk = hj.users.user_walk("GL_AD_ID", [1, 2, 5], 10)
    >>> walk.period, walk.mixing_time(0.01)
    (1, 3)
    """

    ranks: tuple[int, ...]
    transitions: Floats

    @cached_property
    def stationary(self) -> Floats:
        """The distribution that the walk keeps, its limit if it is aperiodic."""
        return stationary_distribution(self.transitions)

    @cached_property
    def period(self) -> int:
        """The greatest common divisor of the lengths of all ways from a rank back to itself. If it
        is not 1, the walk does not converge (Theorem 6 needs aperiodicity)."""
        level = {0: 0}
        waiting, found = [0], 0
        for here in waiting:  # grows while it is read: breadth first
            for there in np.flatnonzero(self.transitions[here]).tolist():
                if there not in level:
                    level[there] = level[here] + 1
                    waiting.append(there)
                found = math.gcd(found, level[here] + 1 - level[there])
        return found

    def after(self, steps: int, start: ArrayLike | None = None) -> Floats:
        """Compute λPⁿ, the distribution over `ranks` after so many steps from `start`."""
        check_count("steps", steps, 0, MOST_STEPS)
        try:
            first = np.eye(len(self.ranks))[0] if start is None else np.asarray(start)
        except ValueError:  # rows of several lengths
            first = np.empty(0)
        numbers = first.dtype.kind in "biuf" and first.shape == (len(self.ranks),)
        if not numbers or not ((first >= 0) & (first <= 1)).all():
            said = f"start is not a distribution over {plural(len(self.ranks), 'rank')}"
            remedy = "give the share of each of `ranks`"
            raise InputError(said, code="not-shares", argument="start", remedy=remedy)
        return np.asarray(first @ np.linalg.matrix_power(self.transitions, steps))

    def distance(self, steps: int, start: ArrayLike | None = None) -> float:
        """Compute the total variation distance from the stationary distribution after n steps."""
        return float(np.abs(self.after(steps, start) - self.stationary).sum() / 2)

    def mean_precision(self, steps: int | None = None, start: ArrayLike | None = None) -> float:
        """Compute the mean precision at the document reached after n steps; without a number of
        steps, in the long run, which is Markov precision."""
        share = self.stationary if steps is None else self.after(steps, start)
        return float(share @ (np.arange(1, len(self.ranks) + 1) / np.array(self.ranks)))

    def mixing_time(self, within: float = 0.05) -> int | None:
        """Find after how many steps the walk is this close to its stationary distribution, in total
        variation, wherever it starts; None if it is periodic and never is."""
        check_share("within", within)
        if self.period != 1:
            return None

        def far(power: Floats) -> bool:
            return bool(np.abs(power - self.stationary).sum(axis=1).max() / 2 > within)

        if not far(np.eye(len(self.ranks))):
            return 0
        powers, power = [], self.transitions  # of 1, 2, 4, ... steps, while it is far
        while far(power):
            powers.append(power)
            power = power @ power
        steps, reached = 0, np.eye(len(self.ranks))  # the most steps after which it is still far
        for exponent, power in reversed([*enumerate(powers)]):
            ahead = reached @ power
            if far(ahead):
                steps, reached = steps + 2**exponent, ahead
        return steps + 1


def user_walk(model: str, relevant: Sequence[int], length: int) -> Walk:
    """Return the walk of a user between the relevant documents of a list.

    Parameters
    ----------
    model : str
        One of the thesis' models, such as "GL_AD_ID".
    relevant : sequence of int
        Ranks of the relevant documents.
    length : int
        Documents in the list.

    Returns
    -------
    Walk
        The chain, watched at these ranks (TH 5.6).

    Examples
    --------
    In the local model on relevant documents only, every other step is at an odd place:

    >>> import hungjury as hj
    >>> walk = hj.users.user_walk("LO_OR_ID", [1, 2, 5], 10)
    >>> walk.period, round(walk.mean_precision(10), 3), round(walk.mean_precision(), 3)
    (2, 0.867, 0.933)
    """
    check_choice("model", model, MODELS)
    ranks = tuple(sorted(check_count("a rank", rank, 1, length) for rank in set(relevant)))
    if not ranks:
        raise MeasureError(
            "no relevant documents", code="nothing-relevant", remedy="give at least one rank"
        )
    connected, space, kind = ("GL", "AD", "") if model == "constant" else model.split("_")
    states = np.arange(1, length + 1) if space == "AD" else np.array(ranks)
    if len(states) == 1:
        return Walk(ranks, np.ones((1, 1)))
    gap = np.abs(states[:, None] - states)
    pull = pulls(kind, length)[gap] if kind else (gap > 0).astype(float)
    if connected == "LO":
        place = np.arange(len(states))
        pull = np.where(np.abs(place[:, None] - place) == 1, pull, 0.0)
    matrix = pull / pull.sum(axis=1, keepdims=True)
    return Walk(ranks, _watched(matrix, np.array(ranks) - 1) if space == "AD" else matrix)


def _watched(matrix: Floats, states: Ints) -> Floats:
    """The transitions of a chain between some states, whatever others it visits on the way."""
    others = np.setdiff1d(np.arange(len(matrix)), states)
    among = np.eye(len(others)) - matrix[np.ix_(others, others)]
    back = np.linalg.solve(among, matrix[np.ix_(others, states)])
    return np.asarray(matrix[np.ix_(states, states)] + matrix[np.ix_(states, others)] @ back)


@lru_cache(maxsize=1 << 14)
def _after_steps(model: str, ranks: tuple[int, ...], length: int, steps: int) -> Floats:
    return user_walk(model, ranks, length).after(steps)


def finite_visits(model: str, hits: Bools, ranks: Int32s, length: Array, steps: int) -> Floats:
    """Return [..., list, place]: P(the user is at a relevant place after so many steps), who starts
    at the first. Arguments as in `pull_sums`."""
    out = np.zeros(hits.shape)
    where = np.broadcast_to(ranks, hits.shape)
    documents = np.broadcast_to(length, hits.shape[:-1])
    for one in np.ndindex(hits.shape[:-1]):
        mine = np.flatnonzero(hits[one])
        if len(mine):
            relevant = tuple(where[one][mine].tolist())
            out[one][mine] = _after_steps(model, relevant, int(documents[one]), steps)
    return out
