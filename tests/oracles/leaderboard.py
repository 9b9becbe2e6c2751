"""Slow loops for leaderboards, written from their definitions."""

import itertools
import math


def posterior_of_grades(votes, grades, judges, usual, pseudo_labels=1.0, honest=1.0):
    """P(grade | all votes) of every document by summing over all assignments of grades.

    votes: per document {judge: label}. Parameters are integrated out: counts of grades are
    Dirichlet-multinomial with pseudo-counts `usual`, labels of a judge given a grade likewise.
    """
    total = 0.0
    sums = [[0.0] * grades for _ in votes]
    for truth in itertools.product(range(grades), repeat=len(votes)):
        weight = math.exp(log_joint(votes, truth, grades, judges, usual, pseudo_labels, honest))
        total += weight
        for d, g in enumerate(truth):
            sums[d][g] += weight
    return [[value / total for value in row] for row in sums]


def log_joint(votes, truth, grades, judges, usual, pseudo_labels, honest):
    counts = [0] * grades
    for g in truth:
        counts[g] += 1
    out = dirichlet_multinomial(counts, usual)
    for judge in range(judges):
        for g in range(grades):
            said = [0] * grades
            for d, given in enumerate(votes):
                if truth[d] == g and judge in given:
                    said[given[judge]] += 1
            prior = [pseudo_labels + (honest if label == g else 0) for label in range(grades)]
            out += dirichlet_multinomial(said, prior)
    return out


def dirichlet_multinomial(counts, prior):
    """Log probability of a sequence with these counts."""
    out = math.lgamma(sum(prior)) - math.lgamma(sum(prior) + sum(counts))
    for n, a in zip(counts, prior, strict=True):
        out += math.lgamma(a + n) - math.lgamma(a)
    return out


def standing(draws):
    """p_best, beats and the ranks of every draw, pair by pair."""
    systems = len(draws[0])
    best = [0.0] * systems
    beats = [[0.0] * systems for _ in range(systems)]
    first = [[] for _ in range(systems)]
    last = [[] for _ in range(systems)]
    for row in draws:
        top = [s for s in range(systems) if row[s] == max(row)]
        for s in top:
            best[s] += 1 / len(top) / len(draws)
        for a in range(systems):
            above = sum(row[b] > row[a] for b in range(systems))
            equal = sum(row[b] == row[a] for b in range(systems))
            first[a].append(above + 1)
            last[a].append(above + equal)
            for b in range(systems):
                win = 1.0 if row[a] > row[b] else 0.5 if row[a] == row[b] else 0.0
                beats[a][b] += win / len(draws)
    return best, beats, first, last


def smallest_with_share(values, share):
    """The smallest value that at least `share` of the values do not exceed."""
    ordered = sorted(values)
    for i, value in enumerate(ordered):
        if (i + 1) / len(ordered) >= share - 1e-12:
            return value
    return ordered[-1]


def parts(draws):
    """Variance of the topic mean of one system: noise of single topics, and what they share.

    draws: [draw][topic].
    """
    topics = len(draws[0])
    centre = [sum(row[t] for row in draws) / len(draws) for t in range(topics)]
    off = [[row[t] - centre[t] for t in range(topics)] for row in draws]
    means = [sum(row) / topics for row in off]
    total = sum(m * m for m in means) / (len(draws) - 1)
    within = 0.0
    for row, mean in zip(off, means, strict=True):
        within += sum((v - mean) ** 2 for v in row) / (topics - 1)
    noise = within / (len(draws) - 1) / topics
    return noise, max(total - noise, 0.0)


def exposure_kernel(lists, systems):
    """Cosines of {(topic, document): sum of rank discounts over the first ten ranks}.

    lists: {system: {topic: [document or None where it is outside the pool, best first]}}.
    """
    shown = {}
    for system in systems:
        shown[system] = {}
        for topic, documents in lists[system].items():
            for rank, document in enumerate(documents[:10], start=1):
                if document is not None:
                    key = (topic, document)
                    shown[system][key] = shown[system].get(key, 0.0) + 1 / math.log2(1 + rank)

    def dot(a, b):
        return sum(value * shown[b].get(key, 0.0) for key, value in shown[a].items())

    return [[dot(a, b) / math.sqrt(dot(a, a) * dot(b, b)) for b in systems] for a in systems]


ONE_VOTE = {1: (0.17, 0.49, 0.69, 0.81), 2: (0.05, 0.21, 0.40, 0.57), 3: (0.02, 0.05, 0.13, 0.23)}
VOTES = {
    1: (0.05, 0.17, 0.36, 0.62, 0.77, 0.88, 0.91),
    2: (0.03, 0.06, 0.12, 0.30, 0.48, 0.64, 0.71),
    3: (0.02, 0.02, 0.03, 0.06, 0.14, 0.26, 0.36),
}
YES_VOTES = {1: (0.11, 0.45), 3: (0.08, 0.22, 0.32, 0.56), 5: (0.06, 0.13, 0.25, 0.34, 0.41, 0.58)}


def between(knots, share):
    """Linear between knots that are equally far apart from 0 to 1."""
    place = share * (len(knots) - 1)
    low = min(int(place), len(knots) - 2)
    return knots[low] + (place - low) * (knots[low + 1] - knots[low])


def person_at_least(votes, top):
    """P(a person gives at least each grade above the lowest), from votes on a scale up to top."""
    share = sum(votes) / len(votes) / top
    if top == 1:
        table = YES_VOTES[1 if len(votes) == 1 else 3 if len(votes) < 5 else 5]
        return [between(table, share)]
    table = ONE_VOTE if len(votes) == 1 else VOTES
    at_least = [1.0] + [between(table[k], share) for k in (1, 2, 3)]
    return [between(at_least, grade / top) for grade in range(1, top + 1)]


def within_topics(shown, labels):
    """Correlation of labels with what is shown, both by (topic, document), within topics."""
    sums = [0.0, 0.0, 0.0]
    for topic in {t for t, _ in labels}:
        keys = [key for key in labels if key[0] == topic]
        x = [labels[key] for key in keys]
        m = [shown[key] for key in keys]
        mean_x, mean_m = sum(x) / len(x), sum(m) / len(m)
        for a, b in zip(x, m, strict=True):
            sums[0] += (a - mean_x) ** 2
            sums[1] += (b - mean_m) ** 2
            sums[2] += (a - mean_x) * (b - mean_m)
    return sums[2] / math.sqrt(sums[0] * sums[1])


def documents_error(score, labels, chances):
    """Covariance of means if people change one document at a time.

    score: labels -> mean of each system. chances: of each grade, for each document.
    """
    systems = len(score(labels))
    total = [[0.0] * systems for _ in range(systems)]
    for d, mine in enumerate(chances):
        means = [score(labels[:d] + [g] + labels[d + 1 :]) for g in range(len(mine))]
        expected = [sum(p * m[s] for p, m in zip(mine, means, strict=True)) for s in range(systems)]
        for a in range(systems):
            for b in range(systems):
                total[a][b] += sum(
                    p * (m[a] - expected[a]) * (m[b] - expected[b])
                    for p, m in zip(mine, means, strict=True)
                )
    return total


def best_expected(topics, weight):
    """Mean over topics of what the order by mean grades expects: E(its sum / the ideal sum) over
    all labels.

    topics: chances of grades for every document of each topic; weight: of a rank.
    """

    def summed(gains):
        return sum(weight(n) * g for n, g in enumerate(gains, start=1))

    total = 0.0
    for documents in topics:
        order = sorted(documents, key=lambda row: -sum(g * p for g, p in enumerate(row)))
        for labels in itertools.product(range(len(order[0])), repeat=len(order)):
            chance = math.prod(row[g] for row, g in zip(order, labels, strict=True))
            if any(labels):
                total += chance * summed(labels) / summed(sorted(labels, reverse=True))
    return total / len(topics)


def chance_of_beating(gap, tau, kernel, steps=2000):
    """P(A beats B) for a difference of panel means, with tau log-normal (sd of its log 0.4)."""
    total = 0.0
    for i in range(steps):
        z = -6 + 12 * (i + 0.5) / steps
        weight = math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * 12 / steps
        sd = tau * math.exp(0.4 * z) * math.sqrt(2 - 2 * kernel)
        total += weight * 0.5 * math.erfc(-gap / sd / math.sqrt(2))
    return total


def told_apart(mean, draws, level, stretch=1.0):
    """Pairs whose means differ by more than `level` of the largest standardised differences.

    In every draw the largest difference over all pairs, each in units of its standard deviation
    and measured from its mean, is noted; the quantile of these is what a pair has to exceed.
    """
    systems, number = len(mean), len(draws)
    deviation = {}
    for a, b in itertools.combinations(range(systems), 2):
        differences = [row[a] - row[b] for row in draws]
        middle = sum(differences) / number
        sd = math.sqrt(sum((d - middle) ** 2 for d in differences) / (number - 1))
        deviation[a, b] = sd, [abs(d - middle) for d in differences]
    largest = sorted(
        max(off[i] / sd for sd, off in deviation.values() if sd > 1e-9) for i in range(number)
    )
    place = level * (number - 1)
    below = int(place)
    above = min(below + 1, number - 1)
    needed = largest[below] + (place - below) * (largest[above] - largest[below])
    apart = [[False] * systems for _ in range(systems)]
    for (a, b), (sd, _) in deviation.items():
        apart[a][b] = apart[b][a] = abs(mean[a] - mean[b]) > max(stretch * needed * sd, 1e-9)
    return apart


def topic_effects(topics, grades):
    """How far a document's topic is from the mean grade, shrunk by what chance may add.

    The variance between topics is that of their means less what `var / size` explains of it.
    """
    size = len(grades)
    middle = sum(grades) / size
    variance = sum((g - middle) ** 2 for g in grades) / size
    names = sorted(set(topics))
    mean, chance = {}, {}
    for t in names:
        mine = [g - middle for g, u in zip(grades, topics, strict=True) if u == t]
        mean[t], chance[t] = sum(mine) / len(mine), variance / len(mine)
    between = max(sum(mean[t] ** 2 - chance[t] for t in names) / len(names), 0.0)
    return [mean[t] * between / (between + chance[t] + 1e-12) for t in topics]


def height(rank, length):
    """The log of how far a rank lies above the list's end; ranks below 100 count as absent."""
    return math.log((min(length, 100) + 1) / rank) if rank <= 100 else 0.0
