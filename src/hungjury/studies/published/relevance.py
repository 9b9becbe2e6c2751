"""Numbers that the paper on random relevance prints: discriminative power on the whole pools of
Figure 3, as section 4.2 gives it in words; Figures 1 to 3 themselves have no numbers.

Ferrante, Ferro and Pontarollo 2018; digits as they are printed.
"""

from __future__ import annotations

from hungjury.studies.facts import Facts

__all__ = ["COLLECTIONS", "POWER", "relevance_recognised"]

# Topics, runs, grades and length of lists.
COLLECTIONS = {"T14": (50, 58, 3, 1_000), "T21": (50, 27, 4, 10_000)}

# Measure, case, which of several values; per cent of the pairs on T14 and on T21.
POWER = """
    nDCG   -       -       75.44 66.10
    bpref  -       -       68.18 54.13
    infAP  -       -       75.38 57.26
    ERR    -       -       41.38 46.15
    gRBP   -       -       50.57 51.00
    eRRBP  all     least   44.00 43.00
    eRRBP  all     largest 55.00 53.00
    GAP    all     least   72.00 58.00
    GAP    all     largest 75.00 60.00
    eRAP   all     least   63.00 42.00
    eRAP   all     largest 79.00 74.00
    eRAP-2 medium  -       77.92 67.24
    eRAP-2 lenient -       79.19 74.07
"""


def relevance_recognised(facts: Facts) -> str | None:
    """The collection of the paper that has these numbers."""
    mine = (facts.topics, facts.runs, facts.grades, facts.length)
    return next((name for name, numbers in COLLECTIONS.items() if numbers == mine), None)
