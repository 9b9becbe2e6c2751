"""Effects of labels on systems, as one array."""

import numpy as np

from hungjury.leaderboard.effects import effects_in_parts


def effects(scorer, labels, grades, documents):
    """[system, document, grade]: the effects of all documents."""
    out = np.zeros((len(scorer.alignment.systems), len(documents), len(grades)))
    for mine, part in effects_in_parts(scorer, labels, grades, documents):
        out[:, mine] = part.table()
    return out
