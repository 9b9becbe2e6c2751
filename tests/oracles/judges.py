"""Slow, obvious loops for merging labels and for agreement: the yardstick for the fast code.

Votes are dictionaries {document: {judge: label}}. Nothing of the package is imported.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence

Votes = dict[str, dict[str, int]]
Distribution = dict[int, float]


# Votes


def majority(labels: Sequence[int], tie: int) -> int:
    """Binary labels; `tie` is the label of a tie."""
    relevant, other = labels.count(1), labels.count(0)
    return tie if relevant == other else int(relevant > other)


def plurality(labels: Sequence[int]) -> int:
    """The most frequent label, the lowest of several."""
    most = max(labels.count(label) for label in labels)
    return min(label for label in labels if labels.count(label) == most)


def median(labels: Sequence[int]) -> int:
    """The lower of the two middle labels."""
    return sorted(labels)[(len(labels) - 1) // 2]


def shares(labels: Sequence[int], grades: Sequence[int]) -> Distribution:
    return {g: labels.count(g) / len(labels) for g in grades}


def sharpened(share: float, k: float) -> float:
    return 1 / (1 + math.exp(-k * (share - 0.5)))


# Dawid and Skene


def clip(p: float) -> float:
    return min(max(p, 1e-6), 1 - 1e-6)


def hard_start(votes: Votes, grades: Sequence[int]) -> dict[str, Distribution]:
    """The winner gets all; a binary tie is shared."""
    start = {}
    for document, given in votes.items():
        labels = list(given.values())
        winner = plurality(labels)
        start[document] = {g: float(g == winner) for g in grades}
        if len(grades) == 2 and labels.count(grades[0]) == labels.count(grades[1]):
            start[document] = dict.fromkeys(grades, 0.5)
    return start


def share_start(votes: Votes, grades: Sequence[int]) -> dict[str, Distribution]:
    return {d: shares(list(given.values()), grades) for d, given in votes.items()}


def expectation(votes, grades, prior, confusion):
    """Posterior of every document, and the log likelihood of all votes."""
    posterior, evidence = {}, 0.0
    for document, given in votes.items():
        joint = {}
        for true in grades:
            joint[true] = math.log(prior[true])
            for judge, label in given.items():
                joint[true] += math.log(confusion[judge][true][label])
        top = max(joint.values())
        total = sum(math.exp(v - top) for v in joint.values())
        posterior[document] = {g: clip(math.exp(joint[g] - top) / total) for g in grades}
        evidence += top + math.log(total)
    return posterior, evidence


def maximisation(votes, grades, posterior):
    """Priors and confusion matrices, with classes in the order of their expected labels; classes
    with at most a hundredth of the votes keep their places."""
    counts = {}
    for judge in sorted({a for given in votes.values() for a in given}):
        counts[judge] = {true: dict.fromkeys(grades, 0.0) for true in grades}
        for document, given in votes.items():
            if judge in given:
                for true in grades:
                    counts[judge][true][given[judge]] += posterior[document][true]
    expected, mass = {}, {}
    for true in grades:
        total = mass[true] = sum(sum(counts[a][true].values()) for a in counts)
        labels = sum(place * counts[a][true][g] for a in counts for place, g in enumerate(grades))
        expected[true] = round(labels / total, 9)
    used = [g for g in grades if mass[g] > 0.01 * sum(mass.values())]
    order = {g: g for g in grades}
    order |= dict(zip(used, sorted(used, key=lambda g: expected[g]), strict=True))
    prior = {g: clip(sum(p[order[g]] for p in posterior.values()) / len(posterior)) for g in grades}
    confusion = {}
    for judge, mine in counts.items():
        confusion[judge] = {}
        for true in grades:
            count = mine[order[true]]
            total = sum(count.values())
            confusion[judge][true] = {g: clip(count[g] / total) for g in grades}
    return prior, confusion


def neutral_start(votes: Votes, grades: Sequence[int]) -> dict[str, Distribution]:
    other = 0.1 / (len(grades) - 1)
    one = {t: {g: 0.9 if g == t else other for g in grades} for t in grades}
    confusion = {a: one for given in votes.values() for a in given}
    return expectation(votes, grades, {g: 1 / len(grades) for g in grades}, confusion)[0]


def dawid_skene(votes: Votes, grades: Sequence[int], start, tol=1e-3, most=1000):
    """Posterior, confusion matrices, rounds and log likelihood."""
    posterior = {d: {g: clip(v) for g, v in p.items()} for d, p in start(votes, grades).items()}
    rounds, change = 0, math.inf
    while change >= tol and rounds < most:
        rounds += 1
        prior, confusion = maximisation(votes, grades, posterior)
        before = posterior
        posterior, evidence = expectation(votes, grades, prior, confusion)
        change = max(abs(posterior[d][g] - before[d][g]) for d in votes for g in grades)
    whole = {d: {g: v / sum(p.values()) for g, v in p.items()} for d, p in posterior.items()}
    return whole, confusion, rounds, evidence


# Agreement


def common_labels(votes: Votes, one: str, other: str) -> list[tuple[int, int]]:
    return [(v[one], v[other]) for v in votes.values() if one in v and other in v]


def cohen(pairs: Sequence[tuple[int, int]]) -> float:
    number = len(pairs)
    observed = sum(a == b for a, b in pairs) / number
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(first[g] * second[g] for g in first) / number**2
    return (observed - expected) / (1 - expected) if expected < 1 else math.nan


def equal_pairs(rows: Sequence[Sequence[int]]) -> float:
    pairs = [pair for row in rows for pair in itertools.combinations(row, 2)]
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else math.nan


def fleiss(rows: Sequence[Sequence[int]]) -> float:
    rows = [row for row in rows if len(row) >= 2]
    if not rows:
        return math.nan
    observed = sum(equal_pairs([row]) for row in rows) / len(rows)
    every = [label for row in rows for label in row]
    expected = sum((n / len(every)) ** 2 for n in Counter(every).values())
    return (observed - expected) / (1 - expected) if expected < 1 else math.nan


def alpha(rows: Sequence[Sequence[int]], level: str) -> float:
    """Krippendorff: disagreement within documents over that among all pairable labels."""
    rows = [row for row in rows if len(row) >= 2]
    every = [label for row in rows for label in row]
    often = Counter(every)

    def distance(a: int, b: int) -> float:
        if a == b:
            return 0.0
        if level == "nominal":
            return 1.0
        low, high = min(a, b), max(a, b)
        between = sum(n for label, n in often.items() if low <= label <= high)
        return (between - (often[low] + often[high]) / 2) ** 2

    within = sum(
        distance(a, b) / (len(row) - 1) for row in rows for a, b in itertools.permutations(row, 2)
    )
    among = sum(distance(a, b) for a, b in itertools.permutations(every, 2))
    return (
        1 - (within / len(every)) / (among / (len(every) * (len(every) - 1))) if among else math.nan
    )


def dawid_skene_with_gold(votes: Votes, grades: Sequence[int], start, known, tol=1e-3, most=1000):
    """Posterior and rounds where the labels of some documents are known: plain loops, no pinning
    of classes, which the known labels do."""
    posterior = {d: {g: clip(v) for g, v in p.items()} for d, p in start(votes, grades).items()}
    said = [(k, grade, x) for d, grade in known.items() for k, x in votes[d].items()]

    def seen(judge, true, label=None):
        return sum(k == judge and g == true and label in (None, x) for k, g, x in said)

    often = Counter(known.values())
    for d, v in votes.items():  # start from how judges err on the known documents
        chance = {}
        for g in grades:
            chance[g] = (often[g] + 1) / (len(known) + len(grades))
            for k, x in v.items():
                chance[g] *= (seen(k, g, x) + 1) / (seen(k, g) + len(grades))
        posterior[d] = {g: clip(p / sum(chance.values())) for g, p in chance.items()}
    for d, grade in known.items():
        posterior[d] = {g: clip(float(g == grade)) for g in grades}
    rounds, change = 0, math.inf
    while change >= tol and rounds < most:
        rounds += 1
        total = {g: sum(posterior[d][g] for d in votes) for g in grades}
        prior = {g: clip(total[g] / sum(total.values())) for g in grades}
        judges = sorted({k for v in votes.values() for k in v})
        confusion = {}
        for k in judges:
            for g in grades:
                mass = sum(posterior[d][g] for d, v in votes.items() if k in v)
                for label in grades:
                    hits = sum(posterior[d][g] for d, v in votes.items() if v.get(k) == label)
                    confusion[k, g, label] = clip(hits / mass)
        change = 0.0
        for d, v in votes.items():
            if d in known:
                continue
            logs = {
                g: math.log(prior[g]) + sum(math.log(confusion[k, g, x]) for k, x in v.items())
                for g in grades
            }
            top = max(logs.values())
            whole = sum(math.exp(x - top) for x in logs.values())
            now = {g: clip(math.exp(x - top) / whole) for g, x in logs.items()}
            change = max(change, *(abs(now[g] - posterior[d][g]) for g in grades))
            posterior[d] = now
    whole = {d: {g: v / sum(p.values()) for g, v in p.items()} for d, p in posterior.items()}
    return whole, rounds
