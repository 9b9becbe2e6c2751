"""Labels of judges on open scales of their own."""

import numpy as np


def made_up(seed, low=0.01):
    """A panel of three in units of their own; some documents are missing, some labels equal."""
    rng = np.random.default_rng(seed)
    return {
        f"j{j}": {
            str(t): {
                f"d{d}": float(10**j * max(low, round(rng.lognormal(), 1)))
                for d in rng.choice(9, rng.integers(3, 9), replace=False)
            }
            for t in range(3)
        }
        for j in range(3)
    }


def rows(panel):
    return [
        (who, topic, document, label)
        for who, topics in panel.items()
        for topic, documents in topics.items()
        for document, label in documents.items()
    ]


def probabilities(judgments):
    names = judgments.pool.documents
    topic = np.repeat(judgments.topics, np.diff(judgments.pool.offsets))
    return {
        (judgments.judges[a], str(topic[d]), names[d]): float(p)
        for a, d, p in zip(judgments.judge, judgments.document, judgments.label, strict=True)
    }
