"""Agreement of judges about rankings of systems; as text, JSON and pictures."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from builders.votes import RUNS, judgments, made_up, panel_of
from hungjury.base.errors import InputError, MeasureError, MissingExtra, UnknownName
from hungjury.data.judgments import read_judgments
from hungjury.data.runs import read_runs
from hungjury.judges.agreement import agreement
from hungjury.measures.evaluate import evaluate
from oracles import stats as naive_stats

# Rankings of systems


@pytest.mark.parametrize("measure", ["AP", "P@3", "nDCG@5", "Bpref"])
def test_rankings_are_those_of_each_judge_alone(measure):
    given_ = judgments(made_up(21, top=2), 2)
    runs = read_runs(RUNS)
    rankings = agreement(given_, runs, measure).rankings
    assert rankings.measure == measure
    for i, name in enumerate(given_.judges):
        means = evaluate(given_.qrels_of(name), runs, measure).mean()[0]
        assert rankings.scores[i] == pytest.approx(means, abs=1e-12)
    for i, one in enumerate(rankings.scores.tolist()):
        for j, other in enumerate(rankings.scores.tolist()):
            assert rankings.tau[i, j] == pytest.approx(
                naive_stats.kendall(one, other), abs=1e-12, nan_ok=True
            )
            assert rankings.tau_ap[i, j] == pytest.approx(naive_stats.tau_ap(one, other), abs=1e-12)
    assert np.nanmean(np.delete(rankings.tau[0], 0)) == pytest.approx(rankings.with_others()[0][0])


def test_a_judge_is_averaged_over_the_topics_she_judged():
    source = {
        "a": {"t0": {"d0": 1, "d1": 0}, "t1": {"d2": 1, "d3": 0}},
        "b": {"t0": {"d0": 1, "d1": 0}},
    }
    scores = agreement(source, RUNS).rankings.scores
    alone = agreement({"a": {"t0": source["a"]["t0"]}, "b": source["b"]}, RUNS).rankings.scores
    assert scores[1] == pytest.approx(alone[1])
    assert scores[0] != pytest.approx(alone[0])
    # Every list has 8 documents; those of a topic she did not judge are not hers.
    assert agreement(source, RUNS, "NumRet").rankings.scores.tolist() == [[8] * 4, [8] * 4]


def test_ranks_share_ties():
    rankings = agreement(judgments(made_up(21), 1), RUNS).rankings
    scores = np.array([[0.5, 0.2, 0.5, 0.9], [np.nan] * 4])
    ranks = replace(rankings, scores=scores).ranks()
    assert ranks[0].tolist() == [2.5, 4, 2.5, 1]
    assert np.isnan(ranks[1]).all()


def test_rel_and_the_measure():
    given_ = judgments(made_up(21, top=2), 2)
    binary, graded = agreement(given_, RUNS, "AP", rel=2), agreement(given_, RUNS, "AP(rel=2)")
    assert binary.rankings.scores == pytest.approx(graded.rankings.scores)
    with pytest.raises(MeasureError, match="rel=2"):
        agreement(given_, RUNS, "AP(rel=2)", rel=2)
    with pytest.raises(MeasureError, match="rel must be"):
        agreement(given_, rel=3)


# Output, and what is refused


def test_text_and_json():
    found = agreement(judgments(made_up(21, top=2), 2), RUNS, "P@3")
    text = found.to_text()
    assert text.startswith("5 judges, 3 topics, 24 documents,")
    assert "4 systems ranked by P@3: mean tau_b" in text
    assert str(found) == text
    header = next(line.split() for line in text.splitlines() if line.startswith("judge "))
    assert header[-4:] == ["agreement", "kappa", "tau_b", "tau_ap"]
    data = json.loads(found.to_json())
    assert data["krippendorff_alpha_nominal"] == found.alpha_nominal
    assert data["rankings"]["systems"] == ["s0", "s1", "s2", "s3"]
    assert np.array(data["pairs"]["common"]).tolist() == found.pairs.common.tolist()
    assert "Agreement(5 judges" in repr(found)


def test_only_the_busiest_of_many_judges_are_listed():
    rng = np.random.default_rng(2)
    labels = {f"j{i:02}": rng.integers(0, 3, 30 + i) for i in range(50)}
    text = agreement(panel_of(labels)).to_text()
    assert "j49" in text
    assert "\nj09" not in text
    assert "and 10 judges with fewer labels" in text


def test_pairs_without_a_common_document_are_told():
    def told(panel):
        return [w for w in agreement(panel).warnings if "in common" in w]

    one = {"a": {"t": {"x": 1, "y": 0}}, "b": {"t": {"z": 1}}, "c": {"t": {"x": 1, "z": 0}}}
    (line,) = told(one)
    assert line.startswith("1 pair of judges (of 3) has no document in common")
    (line,) = told({**one, "d": {"t": {"w": 1}}})
    assert line.startswith("4 pairs of judges (of 6) have no document in common")


def test_bad_input():
    with pytest.raises(InputError, match="at least two judges"):
        agreement({"a": {"t": {"x": 1, "y": 0}}})
    with pytest.raises(MeasureError, match="probabilities"):
        agreement({"a": {"t": {"x": 0.5}}, "b": {"t": {"x": 1}}})
    found = agreement(judgments(made_up(1), 1))
    with pytest.raises(UnknownName, match="no judge 'nobody'"):
        found.confusion("a0", "nobody")
    with pytest.raises(InputError, match="at least two systems"):
        agreement(judgments(made_up(1), 1), {"s": RUNS["s0"]})
    with pytest.raises(UnknownName, match="did you mean"):
        agreement(judgments(made_up(1), 1), RUNS, "APP")


def test_hundreds_of_workers(shared_data):
    given_ = read_judgments(shared_data / "crowd-web5" / "label.csv")
    found = agreement(given_)
    assert found.pairs.common.shape == (177, 177)
    assert 0 < found.alpha_nominal < found.alpha_ordinal < 1
    assert "and 137 judges with fewer labels" in found.to_text()


def test_common_is_what_both_judged():
    votes = made_up(3, negative=True, top=2)
    given_ = judgments(votes, 2)
    panel = agreement(given_).panel
    grid = given_.matrix() >= 0
    assert (panel.pairs().common == grid.astype(int) @ grid.T.astype(int)).all()


# Pictures


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    from hungjury.report.agreement_plots import agreement_heatmap, ranking_plot

    found = agreement(judgments(made_up(21, top=2), 2), RUNS)
    for what in ("kappa", "agreement", "tau", "tau_ap"):
        figure = agreement_heatmap(found, what)
        shown = [t.get_text() for t in figure.axes[0].get_xticklabels()]
        assert shown == [found.judges[i] for i in found.order()]
    figure.savefig(tmp_path / "tau_ap.png")
    figure = ranking_plot(found)
    assert sorted(t.get_text() for t in figure.axes[0].get_yticklabels()) == list(RUNS)
    figure.savefig(tmp_path / "ranks.svg")
    without = agreement(judgments(made_up(21, top=2), 2))
    agreement_heatmap(without)
    for draw in (ranking_plot, lambda a: agreement_heatmap(a, "tau")):
        with pytest.raises(InputError, match="with runs"):
            draw(without)
    with pytest.raises(InputError, match="kappa"):
        agreement_heatmap(found, "colour")


def test_pictures_without_matplotlib_name_the_install_line(monkeypatch):
    from hungjury.report.agreement_plots import agreement_heatmap

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"hungjury\[report\]"):
        agreement_heatmap(agreement(judgments(made_up(1), 1)))
