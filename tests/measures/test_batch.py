"""Many label vectors at once give what each of them gives alone."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from builders.measures import CLASSES, measures
from hungjury.base.errors import InputError, MeasureError
from hungjury.data.alignment import Alignment, align
from hungjury.data.judged import Judged, judge_lists
from hungjury.data.qrels import MISSING
from hungjury.measures import batch
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import CATALOGUE, Measure, measure
from hungjury.measures.catalogue.average_precision import AP
from hungjury.measures.catalogue.gain import DCG

Simulate = Callable[..., Any]
TOP = 4
NATIVE = [
    "AP", "AP@5", "AP(rel=3)", "GMAP", "ERR", "ERR@3", "ERR(max_grade=6)@20", "P@3", "R", "R@4",
    "RR", "RR@2", "RR(rel=2)", "Success@3", "CG@4", "Mean@3", "nCG", "DCG", "DCG(base=2)@7",
    "nDCG", "nDCG@5",
    'nDCG(dcg="exp-log2")@3', "nDCG(gains={1: 0.3, 3: 0, 4: 11})", "RBP", "RBP(p=0.5, rel=2)@3",
    "RBP(p=0)", "gRBP", "nDCG(gains={0: 0.5, 1: 2})@4", "CG(gains={0: 1})", "eRAP", "eRAP(rel=2)@5",
    "F1@3", "Rprec", "Rprec(rel=2)", "Bpref", "Bpref(rel=3)", "infAP", "Q", "Q(beta=2, rel=2)@5",
    "Q(gains={0: 0.5, 2: 3, 3: 1})", "Q(beta=0)", "IPrec@0.3", 'IPrec(levels="trec")@0.5',
    "IPrec11",
    "GAP(g=[0.1, 0.2, 0.3, 0.4])", "GAP(g=[0, 0.5, 0, 0.5])@5", "xGAP(g=[0.1, 0.2, 0.3, 0.4])",
    "xGAP(g=[0, 0.5, 0.5, 0])@4", "eGAP(g=[0.1, 0.2, 0.3, 0.4])@6", "MP", "MP(rec=True)@5",
    "MP(model=LO_OR_ID)", "MP(model=LO_OR_LID, rel=2, rec=True)@7",
    "MP(model=GL_OR_ID)", "MP(model=GL_OR_LID, rel=2, rec=True)@7", "MP(rates=[3, 2, 1])@3",
    "MP(model=published-shape, nav_rel=3, rec=True)", "MP(model=LO_AD_LID, rel=2)",
    "MP(model=constant)", "MP(model=[[0.5, 0.5], [0.2, 0.8]])",
    "nMCG@5",
]  # fmt: skip


@functools.lru_cache(32)
def aligned(simulate: Simulate, seed: int, ties: str = "trec") -> Alignment:
    made = simulate(seed, topics=5, systems=4)
    qrels = hj.read_qrels(made.qrels_text())
    return align(hj.read_runs(made.run_texts(), ties=ties), qrels.pool)


def vectors(alignment: Alignment, seed: int, n: int, least: int = -1) -> Any:
    """Label vectors of all kinds: dense, sparse, nothing relevant, not judged, missing."""
    rng = np.random.default_rng(seed)
    shape = (n, len(alignment.pool))
    labels = rng.integers(least, TOP + 1, shape).astype(np.int16)
    labels[rng.random(shape) < rng.random((n, 1))] = 0
    if least < 0:
        labels[rng.random(shape) < 0.1] = MISSING
    labels[0] = 0
    return labels


def all_at_once(name: Any, alignment: Alignment, labels: Any) -> Any:
    """Score by the measure itself, which gives for stacked labels what it gives for each."""
    m = measure(name)
    out = np.empty((len(labels), len(alignment.length)))
    for cells, judged in judge_lists(alignment, labels, TOP, needs_nonrelevant=m.needs_nonrelevant):
        out[:, cells] = m(judged)
    return out.reshape(len(labels), *alignment.shape)


def one_by_one(name: Any, alignment: Alignment, labels: Any) -> Any:
    m = measure(name)
    out = np.empty((len(labels), len(alignment.length)))
    for i, vector in enumerate(labels):
        for cells, judged in judge_lists(
            alignment, vector, TOP, needs_nonrelevant=m.needs_nonrelevant
        ):
            out[i, cells] = m(judged)
    return out.reshape(len(labels), *alignment.shape)


def bits(values: Any) -> bytes:
    return bytes(np.nan_to_num(values, nan=-1.0).tobytes())


def same(a: Any, b: Any) -> bool:
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-12, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("name", NATIVE)
def test_kernels_give_what_the_measure_gives(simulate: Simulate, name: str) -> None:
    for seed in range(2):
        alignment = aligned(simulate, seed)
        assert Scorer(name, alignment, TOP).native
        labels = vectors(alignment, seed, 37)  # no multiple of what a kernel takes at once
        values = Scorer(name, alignment, TOP)(labels)
        assert same(values, all_at_once(name, alignment, labels))
        assert np.isnan(values).any() or name == "Mean@3"  # which is always defined
        assert (values > 0).any()


def test_every_kernel_is_tested() -> None:
    """What has none goes through the measure itself, and is compared in the test below."""
    named = {measure(name).name for name in NATIVE}
    none = (Measure.kernel, Measure.sums)
    assert named == {cls.name for cls in CATALOGUE if (cls.kernel, cls.sums) != none}


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.name)
@examples(4)
@given(data=st.data(), seed=st.integers(0, 20))
def test_every_measure_of_the_catalogue(
    simulate: Simulate, cls: Any, data: st.DataObject, seed: int
) -> None:
    alignment = aligned(simulate, seed)
    m = data.draw(measures(cls))
    labels = vectors(alignment, seed, 3)
    assert same(Scorer(m, alignment, TOP)(labels), one_by_one(m, alignment, labels))


@pytest.mark.parametrize("name", ["P@3", "R@4", "nDCG@5", "RBP", "DCG(base=2)@7", "AP", "RR@3"])
def test_means_over_orders_inside_ties(simulate: Simulate, name: str) -> None:
    for seed in range(2):
        alignment = aligned(simulate, seed, "expected")
        labels = vectors(alignment, seed, 9)
        values = Scorer(name, alignment, TOP)(labels)
        assert same(values, one_by_one(name, alignment, labels))


def test_a_measure_without_such_a_mean_says_so(simulate: Simulate) -> None:
    alignment = aligned(simulate, 0, "expected")
    with pytest.raises(MeasureError, match="averaged over all orders"):
        Scorer("ERR", alignment, TOP)(vectors(alignment, 0, 3))


class DoubleAP(AP):
    def score(self, judged: Judged) -> Any:
        return 2 * super().score(judged)


class Halved(DCG):
    def discount(self, ranks: Any) -> Any:
        return 0.5**ranks


class Everywhere(AP):
    def defined(self, judged: Judged) -> Any:
        return np.ones(judged.counts.shape[:-1], dtype=bool)


def test_a_users_measure_scores_itself(simulate: Simulate) -> None:
    alignment = aligned(simulate, 1)
    labels = vectors(alignment, 1, 20)
    for mine, is_native in ((DoubleAP(), False), (Halved(), True), (Everywhere(), False)):
        assert Scorer(mine, alignment, TOP).native == is_native
        assert same(Scorer(mine, alignment, TOP)(labels), one_by_one(mine, alignment, labels))


@pytest.mark.parametrize("name", ["AP", "nDCG@5", "ERR", "RR", "Bpref"])
def test_blocks_and_threads_change_nothing(
    simulate: Simulate, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alignment = aligned(simulate, 2)
    labels = vectors(alignment, 2, 50)
    whole = Scorer(name, alignment, TOP)(labels)
    for size in ("VECTORS_AT_ONCE", "VALUES_AT_ONCE", "PLACES_AT_ONCE", "DOCUMENTS_AT_ONCE"):
        monkeypatch.setattr(batch, size, 7)
    for threads in ("1", "3"):
        monkeypatch.setenv("HUNGJURY_THREADS", threads)
        again = Scorer(name, alignment, TOP)(labels)
        # Outside kernels, sums over wider blocks may be taken in another order.
        assert same(whole, again) if name == "Bpref" else bits(whole) == bits(again)


@pytest.mark.parametrize("name", ["nDCG@5", "Bpref"])
def test_threads_change_not_a_bit(
    simulate: Simulate, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alignment = aligned(simulate, 2)
    labels = vectors(alignment, 2, 50)
    seen = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("HUNGJURY_THREADS", threads)
        seen.add(bits(Scorer(name, alignment, TOP)(labels)))
    assert len(seen) == 1


@pytest.mark.parametrize("name", ["AP", "nDCG@5", "Bpref"])
def test_small_and_large_integers(simulate: Simulate, name: str) -> None:
    alignment = aligned(simulate, 3)
    labels = vectors(alignment, 3, 20, least=0)
    values = Scorer(name, alignment, TOP)(labels)
    for dtype in (np.uint8, np.int64):
        again = Scorer(name, alignment, TOP)(labels.astype(dtype))
        assert np.array_equal(values, again, equal_nan=True)
    upside_down = np.asfortranarray(labels)
    assert np.array_equal(values, Scorer(name, alignment, TOP)(upside_down), equal_nan=True)


@pytest.mark.parametrize("name", ["AP", "nDCG", "ERR", "RBP(p=0.95)", "RR", "MP(model=GL_OR_LID)"])
def test_lists_that_look_alike_score_exactly_alike(name: str) -> None:
    """Rank correlations count ties, so equal scores must be equal to the last bit."""
    rng = np.random.default_rng(0)
    size = 60
    order = {s: rng.permutation(size) for s in ("a", "b")}
    runs = {
        s: {"q": {f"d{d:02}": float(size - r) for r, d in enumerate(o)}} for s, o in order.items()
    }
    qrels = hj.read_qrels({"q": {f"d{d:02}": d % 2 for d in range(size)}})
    alignment = align(hj.read_runs(runs), qrels.pool)
    pattern = rng.random((40, size)) < 0.4
    seen = set()
    for s in order:  # the same labels by rank, of other documents
        labels = np.zeros((40, size), dtype=np.uint8)
        labels[:, order[s]] = pattern
        values = Scorer(name, alignment, 1)(labels)[:, alignment.systems.index(s), 0]
        seen.add(bits(values))
    assert len(seen) == 1


@pytest.mark.parametrize("likely", [0.1, 0.9])
@pytest.mark.parametrize("name", ["AP", "MP(model=GL_OR_ID)", "MP(model=GL_OR_LID)"])
def test_scored_together_or_alone_is_the_same_to_the_last_bit(
    simulate: Simulate, name: str, likely: float
) -> None:
    """Where most documents have one label in all vectors, and where it differs."""
    alignment, rng = aligned(simulate, 0), np.random.default_rng(0)
    documents = len(alignment.pool)
    chance = np.where(rng.random(documents) < 0.8, rng.random(documents) < likely, 0.5)
    labels = (rng.random((20, documents)) < chance).astype(np.int16)
    scorer = Scorer(name, alignment, TOP)
    together = scorer(labels)
    assert scorer.native
    assert bits(together) == bits(np.concatenate([scorer(one[None]) for one in labels]))
    assert same(together, one_by_one(name, alignment, labels))


def test_no_vectors(simulate: Simulate) -> None:
    alignment = aligned(simulate, 0)
    none = np.zeros((0, len(alignment.pool)), dtype=np.int16)
    for name in ("AP", "Bpref"):
        assert Scorer(name, alignment, TOP)(none).shape == (0, *alignment.shape)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda labels: labels[:, 1:], "shape"),
        (lambda labels: labels[0], "shape"),
        (lambda labels: labels.astype(float), "float64"),
        (lambda labels: np.where(labels == 0, TOP + 1, labels), "largest grade"),
    ],
)
def test_labels_that_do_not_fit(simulate: Simulate, spoil: Any, message: str) -> None:
    alignment = aligned(simulate, 0)
    with pytest.raises(InputError, match=message):
        Scorer("AP", alignment, TOP)(spoil(vectors(alignment, 0, 3)))


def test_a_measure_that_does_not_fit_the_grades(simulate: Simulate) -> None:
    with pytest.raises(MeasureError, match="rel=2"):
        Scorer("AP(rel=2)", aligned(simulate, 0), 1)
