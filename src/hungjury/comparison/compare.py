"""compare: which systems differ, by how much, and could it be chance over topics?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hungjury.base.arrays import Bools, Floats
from hungjury.base.choices import Multiplicity, SignificanceTest
from hungjury.base.errors import (
    Argument,
    InputError,
    MeasureError,
    Note,
    check_known,
    few,
    noted,
    percent,
    plural,
)
from hungjury.comparison.paired import TESTS, Compared, Comparison, Testing, out_of_reach, paired
from hungjury.measures.scores import Scores
from hungjury.stats.multiple import two_way_anova


def common_values(scores: Scores, fewest: int = 2) -> tuple[list[Floats], tuple[Note, ...]]:
    """By measure: [system, topic] values of the topics that count for all systems, and notes on
    topics left out.

    Values of counts are multiplied by the number of topics: means over topics are then sums.
    """
    values, notes = [], []
    counted = scores.counted()
    for m, measure in enumerate(scores.measures):
        use = counted[m].all(axis=0)
        kept = scores.values[m][:, use]
        _check_topics(scores, m, use, fewest)
        dropped = int((counted[m].any(axis=0) & ~use).sum())
        if dropped:
            text = (f"{measure} is compared on the {use.sum()} topics that all systems have, "
                    f"{dropped} left out")  # fmt: skip
            notes.append(Note("compared-topics", dropped, text, about="result"))
        uncertain = scores.variance is not None and np.nansum(scores.variance[m]) > 0
        if uncertain and m not in scores.draws:
            text = (f"the labels behind {measure} are uncertain, which tests over topics ignore; "
                    "evaluate E(X) with distribution=True to include it")  # fmt: skip
            notes.append(Note("uncertain-labels", 1, text, about="result"))
        values.append(kept * kept.shape[1] if scores.averages[m] == "sum" else kept)
    return values, tuple(notes)


def _check_topics(scores: Scores, m: int, use: Bools, needed: int) -> None:
    """Enough topics, with a value for every system."""
    measure, number = scores.measures[m], int(use.sum())
    if number < needed:
        fewest = scores.counted()[m].sum(axis=1)
        least = scores.systems[int(np.argmin(fewest))]
        raise InputError(
            f"{measure} has {plural(number, 'topic')} in common; at least {needed} are needed",
            code="few-topics",
            remedy="score more topics" if fewest.max() < 2
            else ("score with", Argument("topics", "judged"), "and", Argument("undefined", "zero"),
                  f", or leave out '{least}'"),
        )  # fmt: skip
    odd = use & ~np.isfinite(scores.values[m]).all(axis=0)
    if odd.any():
        names = few([scores.topics[t] for t in np.flatnonzero(odd)])
        raise InputError(
            f"{measure} has no value on {plural(int(odd.sum()), 'topic')}: {names}",
            code="undefined-values",
            remedy=("score with", Argument("undefined", "drop"), "to leave such topics out, or "
                    "with", Argument("undefined", "zero"), "to count them"),
        )  # fmt: skip


def compare(
    scores: Scores,
    baseline: str | Sequence[str] | None = None,
    test: SignificanceTest = "t",
    correction: Multiplicity | None = None,
    *,
    alpha: float = 0.05,
    margin: float | None = None,
    samples: int = 10000,
    seed: int = 0,
) -> Comparison:
    """Test every system against baselines, or all pairs of systems, on each measure.

    Parameters
    ----------
    scores : Scores
        The result of `evaluate`.
    baseline : str or list of str, optional
        The systems to compare every other one with. Default: all pairs.
    test : {"t", "wilcoxon", "randomisation", "bootstrap", "tukey", "randomised-tukey"}
        Student's t, Wilcoxon's signed ranks, Fisher's randomisation (exact where `samples` covers
        all sign patterns), or Sakai's studentised bootstrap. All are paired by topic and two-sided.
        Tukey's HSD, after an analysis of variance with systems and topics, and its randomised form
        test all pairs of systems at once, also where only those with a baseline are shown.
    correction : {"holm", "bonferroni", "bh", "none"}, optional
        Family-wise error (Holm, Bonferroni) or false discovery rate (Benjamini and Hochberg). The
        family is all comparisons on one measure. Default: Holm's; none with Tukey's tests, whose
        p-values already hold for all pairs.
    alpha : float
        Corrected p-values below it are significant; each interval has level 1 - alpha. The
        corrected intervals exclude 0 where the corrected p-values are significant.
    margin : float, optional
        Also test whether systems are equivalent: whether their difference is within -margin to
        margin. These are two one-sided t-tests, regardless of `test`, corrected as a separate
        family. "Not significant" alone does not show that systems are equally good.
    samples : int
        Resamples of randomisation and bootstrap.
    seed : int
        Random seed.

    Returns
    -------
    Comparison
        Differences, intervals, p-values, wins and losses, effect sizes.

    Notes
    -----
    Topics left out for one system are left out for all, with a note. Counts are compared by their
    sums. Geometric means and undefined values are refused.

    For expectations of uncertain labels (``evaluate(soft, runs, "E(nDCG@10)", distribution=True)``)
    rows also have the `chance` that the system is better on these topics, from labels that were
    drawn for all systems together.

    Reciprocal rank is far from normal: with few topics, tests reject too often, the bootstrap least
    so. A note then says how often.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=3, topics=10)
    >>> found = hj.compare(hj.evaluate(made.gold, made.runs, "AP"), baseline="system1")
    >>> len(found.rows)
    2
    """
    given = [baseline] if isinstance(baseline, str) else baseline or []
    baselines = list(dict.fromkeys(given))
    _check(scores, baselines, test, correction, margin)
    usual: Multiplicity = "none" if TESTS[test].together else "holm"
    asked = {"samples": samples, "seed": seed} if TESTS[test].draws else {}
    how = Testing(test, correction or usual, alpha, margin, **asked)
    values, notes = common_values(scores)
    kept = [v.shape[1] for v in values]
    means = np.array([v.mean(axis=1) for v in values])
    smaller = scores.signs < 0
    order = np.argsort(-scores.signs[0] * means[0], kind="stable").tolist()
    one, other = _pairs(order, [scores.systems.index(name) for name in baselines])
    rows: list[Compared] = []
    for m, measure in enumerate(scores.measures):
        found = paired(values[m], (one, other), how)
        if smaller[m]:
            found |= {"wins": found["losses"], "losses": found["wins"]}
        found |= {"mean": means[m][one], "versus_mean": means[m][other]}
        if m in scores.draws:
            found["chance"] = scores.wins(m)[one, other]
        columns = [column.tolist() for column in found.values()]
        for i, j, *numbers in zip(one, other, *columns, strict=True):
            rows.append(Compared(measure=measure, system=scores.systems[i],
                                 versus=scores.systems[j], topics=kept[m],
                                 **dict(zip(found, numbers, strict=True))))  # fmt: skip
    ranks = [m for m in scores.measures if m.startswith("RR")]
    if ranks and test in ("t", "randomisation") and min(kept) < 50:
        notes += (_rejects_too_often(ranks[0], test, min(kept)),)
    beyond = out_of_reach(how, len(one), min(kept))
    notes += noted("out-of-reach", len(one) if beyond else 0, beyond, about="result")
    by_measure = list(zip(scores.measures, values, scores.averages, smaller, strict=True))
    return Comparison(
        **vars(how),
        measures=scores.measures,
        systems=[scores.systems[s] for s in order],
        mean=means[:, order],
        rows=rows,
        baselines=baselines,
        counts=frozenset(m for m, _, average, _ in by_measure if average == "sum"),
        smaller=frozenset(m for m, _, _, less in by_measure if less),
        family=len(one),
        scores=scores,
        anova={m: two_way_anova(v) for m, v, *_ in by_measure if test == "tukey"},
        settings=scores.settings,
        notes=scores.notes + notes,
    )


# Rejected at 0.05, by number of topics, of true null hypotheses about RR made from systems of TREC
# DL 2021: `python -m benchmarks.truth.few_topics`. With 50 topics it is 0.059, 0.064 and 0.040.
_FALSE_RATES = {
    "t": {10: 0.159, 25: 0.082},
    "randomisation": {10: 0.220, 25: 0.097},
    "bootstrap": {10: 0.118, 25: 0.045},
}


def _rejects_too_often(measure: str, test: str, topics: int) -> Note:
    at = max((n for n in _FALSE_RATES[test] if n <= topics), default=min(_FALSE_RATES[test]))
    text = (
        f"{measure} is far from normal: with {at} topics, this test rejected "
        f"{percent(_FALSE_RATES[test][at])} of true null hypotheses at 0.05 on TREC data, the "
        f"bootstrap {percent(_FALSE_RATES['bootstrap'][at])}; use test bootstrap, or more topics"
    )
    return Note("reciprocal-rank", topics, text, about="result")


def _check(
    scores: Scores,
    baselines: list[str],
    test: SignificanceTest,
    correction: Multiplicity | None,
    margin: float | None,
) -> None:
    """Raise an error for scores that cannot be compared."""
    if correction not in (None, "none") and TESTS[test].together:
        said = f"p-values of {TESTS[test].name} already hold for all pairs of systems"
        raise InputError(said, code="corrected-twice", remedy=("leave out", Argument("correction")))
    if len(scores.systems) < 2:
        said = f"{plural(len(scores.systems), 'system')} to compare"
        raise InputError(said, code="one-system", remedy="score the runs of at least two systems")
    if margin is not None and not 0 < margin < math.inf:
        said = f"margin must be a positive number, got {margin!r}"
        remedy = "give the largest difference that does not matter"
        raise InputError(said, code="bad-margin", remedy=remedy)
    for baseline in baselines:
        check_known("system", baseline, scores.systems)
    if len(baselines) == len(scores.systems):
        remedy = "leave the baseline out to compare all pairs"
        raise InputError("every system is a baseline", code="only-baselines", remedy=remedy)
    for measure, average in zip(scores.measures, scores.averages, strict=True):
        if average == "gmean":
            said = f"{measure} is a geometric mean: systems differ by a factor, not by a difference"
            remedy = "compare the measure it is a mean of, such as AP for GMAP"
            raise MeasureError(said, code="geometric-mean", argument="measure", remedy=remedy)


def _pairs(order: list[int], baselines: list[int]) -> tuple[list[int], list[int]]:
    """Pairs of systems to compare: all others with each baseline, or all pairs, the better system
    first."""
    if baselines:
        others = [s for s in order if s not in baselines]
        return others * len(baselines), [b for b in baselines for _ in others]
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    return [a for a, _ in pairs], [b for _, b in pairs]
