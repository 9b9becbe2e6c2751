"""Random judges: their laws, and that a seed says all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hungjury.base.errors import InputError, MeasureError
from hungjury.judges import judge_scores as random_judges
from hungjury.judges.judge_scores import (
    CLASSES,
    class_probabilities,
    draw_random_labels,
    random_scores,
)

DOCUMENTS = 40


def shares(labels: Any) -> Any:
    """A score: one system, one topic, the share of relevant documents; undefined without any."""
    share = (labels > 0).mean(axis=1)
    return np.where(share > 0, share, np.nan)[:, None, None]


def labels_themselves(labels: Any) -> Any:
    return labels.astype(float)[:, :, None]


@pytest.mark.parametrize(
    ("name", "grades", "law"),
    [
        ("und", 2, [0.95, 0.05]),
        ("uni", 2, [0.5, 0.5]),
        ("ovr", 2, [0.05, 0.95]),
        ("und", 4, [0.95, 0.05 / 3, 0.05 / 3, 0.05 / 3]),
        ("uni", 4, [0.25] * 4),
        ("ovr", 4, [0.05, 0.95 / 3, 0.95 / 3, 0.95 / 3]),
    ],
)
def test_laws_of_the_classes(name: str, grades: int, law: list[float]) -> None:
    assert class_probabilities(name, grades) == pytest.approx(law)
    size = 400_000
    values = [0, 1, 3, 7][:grades]
    (labels,) = draw_random_labels(
        class_probabilities(name, grades), values, size, [np.random.SeedSequence(5)]
    )
    found = [np.mean(labels == value) for value in values]
    # Five standard deviations; thresholds of 8 bits would make 0.05 into 0.047, nine of them.
    error = 5 * np.sqrt(np.array(law) * (1 - np.array(law)) / size)
    assert (np.abs(np.array(found) - law) < error).all()


def test_documents_and_replicates_are_independent() -> None:
    (scores,) = random_scores([labels_themselves], DOCUMENTS, replicates=500, seed=3)
    for labels in scores[:, :, :, 0]:
        by_document = np.corrcoef(labels.T) - np.eye(DOCUMENTS)
        assert np.abs(by_document).max() < 6 / np.sqrt(500)
        assert len(np.unique(labels, axis=0)) > 250
    assert np.corrcoef(scores[:, :, :, 0].reshape(3, -1))[0, 1] == pytest.approx(0, abs=0.03)


def test_shapes_and_undefined_scores() -> None:
    one, two = random_scores([shares, labels_themselves], 10, replicates=30)
    assert one.shape == (len(CLASSES), 30, 1, 1)
    assert two.shape == (len(CLASSES), 30, 10, 1)
    assert not np.isnan(one).any()
    assert (one[0] == 0).any()  # ten documents, none of them relevant
    assert one[2].mean() == pytest.approx(0.95, abs=0.05)


def test_a_replicate_depends_on_its_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def scores(replicates: int = 25, seed: int = 7) -> Any:
        return random_scores([labels_themselves], DOCUMENTS, (0, 1, 2), replicates, seed)[0]

    whole = scores()
    assert np.array_equal(scores(), whole)
    assert np.array_equal(scores(replicates=10), whole[:, :10])
    assert not np.array_equal(scores(seed=8), whole)
    monkeypatch.setattr(random_judges, "LABELS_AT_ONCE", 3 * DOCUMENTS)
    for threads in ("1", "2"):
        monkeypatch.setenv("HUNGJURY_THREADS", threads)
        assert np.array_equal(scores(), whole)


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_judges, "LABELS_AT_ONCE", 4 * DOCUMENTS)
    seen: list[tuple[int, int]] = []
    random_scores(
        [shares], DOCUMENTS, replicates=10, progress=lambda n, of, _: seen.append((n, of))
    )
    assert seen == [(n, 30) for n in (4, 8, 10, 14, 18, 20, 24, 28, 30)]


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(InputError, match="replicates must be an integer from 1"):
        random_scores([shares], DOCUMENTS, replicates=0)
    for grades in ([0], [-1, 0, 1], [0, 300]):
        with pytest.raises(MeasureError, match="grades"):
            random_scores([shares], DOCUMENTS, grades)
