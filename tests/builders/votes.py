"""Made-up votes, as dictionaries and as judgments."""

import random

from hungjury.data.labels import read_judgments

RUNS = {
    f"s{s}": {
        f"t{t}": {f"d{d}": float((d * (s + 3) + t) % 7) + d / 100 for d in range(8)}
        for t in range(3)
    }
    for s in range(4)
}


def made_up(seed, top=1, topics=3, documents=8, judges=5, missing=0.3, negative=False):
    """{topic: {document: {judge: label}}}, every document with at least one label."""
    chance = random.Random(seed)
    names = [f"a{i}" for i in range(judges)]
    votes = {}
    for t in range(topics):
        for d in range(documents):
            who = [a for a in names if chance.random() > missing] or [chance.choice(names)]
            given = {a: chance.randint(-1 if negative else 0, top) for a in who}
            votes.setdefault(f"t{t}", {})[f"d{d}"] = given
    return votes


def judgments(votes, top, names=()):
    """The same as Judgments."""
    by_judge = {name: {} for name in names}
    for topic, documents in votes.items():
        for document, labels in documents.items():
            for judge, label in labels.items():
                mine = by_judge.setdefault(judge, {}).setdefault(topic, {})
                mine[document] = label
    return read_judgments(by_judge, grades=range(-2, top + 1))


def in_order(merged, votes):
    """(position in the pool, labels) of every document."""
    for topic, documents in votes.items():
        for document, labels in documents.items():
            yield merged.pool.find(topic, document), list(labels.values())


def panel_of(labels):
    """Judgments from {judge: labels in document order}."""
    return read_judgments(
        {a: {"t": {f"d{i}": int(v) for i, v in enumerate(vs)}} for a, vs in labels.items()},
        grades=range(3),
    )
