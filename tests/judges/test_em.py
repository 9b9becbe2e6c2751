"""EM against a loop, planted judges and crowd-kit; its laws; what a person would say instead."""

import sys
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from builders.votes import judgments, made_up
from hungjury import native
from hungjury.base.errors import MeasureError
from hungjury.data.labels import read_judgments
from hungjury.judges import em
from hungjury.judges.em import FromVotes, disagrees_with_votes
from hungjury.judges.merge import merge
from oracles import judges as naive

STARTS = {
    "em-mv": naive.hard_start,
    "em-mv(start=shares)": naive.share_start,
    "em-neu": naive.neutral_start,
}


def planted(seed, confusion, prior, documents, seen=1.0, topics=1):
    """Judgments drawn from known confusion matrices [judge, true, label], and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(prior), documents * topics, p=prior)
    source = {}
    for a, matrix in enumerate(confusion):
        above = np.cumsum(matrix, axis=1)[truth, :-1] < rng.random((len(truth), 1))
        labels, mine = above.sum(axis=1).tolist(), {}
        for i in np.flatnonzero(rng.random(len(truth)) < seen).tolist():
            mine.setdefault(f"t{i // documents}", {})[f"d{i % documents}"] = labels[i]
        source[f"a{a}"] = mine
    given_ = read_judgments(source, grades=range(len(prior)))
    place = {
        given_.pool.find(f"t{i // documents}", f"d{i % documents}"): t for i, t in enumerate(truth)
    }
    return given_, np.array([place[i] for i in range(len(given_.pool))])


@examples(16)
@given(st.integers(0, 10**6), st.sampled_from(sorted(STARTS)), st.integers(1, 6))
def test_topic_by_topic_em_is_the_loop(seed, method, top):
    votes = made_up(seed, top=top, documents=7, judges=4)
    limit = f"{method[:-1]}, rounds=60)" if method.endswith(")") else f"{method}(rounds=60)"
    merged = merge(judgments(votes, top), limit)
    names = merged.panel.judges
    for t, (topic, documents) in enumerate(votes.items()):
        grades = range(top + 1)
        posterior, confusion, rounds, evidence = naive.dawid_skene(
            documents, grades, STARTS[method], most=60
        )
        mine = merged.posterior[merged.pool.slice(t)]
        # Two grades that all documents share alike are a saddle, which rounding decides.
        apart = [abs(mine[:, a] - mine[:, b]).max() for a in grades for b in grades if a < b]
        loop = np.array([list(one.values()) for one in posterior.values()])
        apart += [abs(loop[:, a] - loop[:, b]).max() for a in grades for b in grades if a < b]
        assume(min(apart) > 1e-3)
        assert merged.rounds[t] == rounds
        assert merged.log_likelihood[t] == pytest.approx(evidence, abs=1e-8)
        for document, distribution in posterior.items():
            row = merged.posterior[merged.pool.find(topic, document)]
            assert row == pytest.approx(list(distribution.values()), abs=1e-8)
        for judge, matrix in confusion.items():
            mine = merged.confusion[t, names.index(judge)]
            loop = [[matrix[true][label] for label in grades] for true in grades]
            assert mine == pytest.approx(np.array(loop), abs=1e-8)


@examples(10)
@given(st.integers(0, 10**6), st.sampled_from(sorted(STARTS)))
def test_em_over_all_topics_is_the_loop_over_one_big_topic(seed, method):
    votes = made_up(seed, documents=7, judges=4)
    merged = merge(judgments(votes, 1), method, scope="all")
    together = {f"{t} {d}": g for t, documents in votes.items() for d, g in documents.items()}
    posterior, confusion, rounds, _ = naive.dawid_skene(together, (0, 1), STARTS[method])
    assert merged.rounds.tolist() == [rounds]
    for name, distribution in posterior.items():
        assert merged.p[merged.pool.find(*name.split())] == pytest.approx(distribution[1], abs=1e-8)
    assert merged.confusion.shape == (4, 2, 2)
    mine = merged.confusion[merged.panel.judges.index("a0")]
    assert mine[1, 0] == pytest.approx(confusion["a0"][1][0], abs=1e-8)


def test_votes_that_do_not_fit_are_refused():
    """Indices from elsewhere must not reach memory."""
    rows = {"document": [0, 1], "judge": [0, 0], "choice": [0, 1], "group": [0, 1]}
    kinds = {"document": np.int32, "judge": np.int32, "choice": np.int64, "group": np.int64}

    def fit(judges=1, **wrong):
        arrays = {name: np.array((rows | wrong)[name], kinds[name]) for name in rows}
        return native.dawid_skene(*arrays.values(), judges, 2, np.full(4, 0.5), 1e-3, 5)

    assert fit()[3].tolist() == [1, 1]
    for wrong in (
        {"document": [0, 2]}, {"document": [-1, 1]}, {"judge": [0, 1]}, {"judge": [-1, 0]},
        {"choice": [0, 2]}, {"choice": [0, -1]}, {"group": [1, 0]}, {"group": [0, 1, 2]},
        {"judge": [0]}, {"choice": [0]}, {"judges": -1}, {"judges": 2**31},
    ):  # fmt: skip
        with pytest.raises(IndexError):
            fit(**wrong)


def test_a_topic_alone_is_as_among_others():
    votes = made_up(11, top=2, topics=6, documents=12)
    names = [f"a{i}" for i in range(5)]  # one order of judges, so one order of documents
    for method in STARTS:
        whole = merge(judgments(votes, 2, names), method)
        assert len(set(whole.rounds.tolist())) > 1  # topics do leave at different times
        for t, topic in enumerate(whole.topics):
            alone = merge(judgments({topic: votes[topic]}, 2, names), method)
            part = whole.select([topic])
            assert part.rounds.tolist() == alone.rounds.tolist() == [whole.rounds[t]]
            assert part.posterior == pytest.approx(alone.posterior, abs=1e-12)
            assert part.log_likelihood == pytest.approx(alone.log_likelihood, abs=1e-9)


@examples(10)
@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_the_order_of_judges_and_documents_is_nothing(seed, chance):
    votes = made_up(seed, top=2)
    names = [f"a{i}" for i in range(5)]
    one = merge(judgments(votes, 2, names), "em-mv")
    chance.shuffle(names)
    shuffled = {
        t: {d: documents[d] for d in chance.sample(list(documents), len(documents))}
        for t, documents in votes.items()
    }
    other = merge(judgments(shuffled, 2, names), "em-mv")
    for topic, documents in votes.items():
        for document in documents:
            i, j = one.pool.find(topic, document), other.pool.find(topic, document)
            assert one.posterior[i] == pytest.approx(other.posterior[j], abs=1e-9)
            assert one.hard().labels[i] == other.hard().labels[j]


@pytest.mark.parametrize("method", sorted(STARTS))
def test_a_unanimous_panel_is_believed(method):
    votes = {"t": {f"d{i}": dict.fromkeys("abc", i % 3) for i in range(12)}}
    merged = merge(judgments(votes, 2), method)
    assert merged.soft
    assert merged.hard().labels.tolist() == [i % 3 for i in range(12)]
    assert merged.posterior.max(axis=1) == pytest.approx(1, abs=1e-5)
    assert merged.posterior.sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_no_round_lowers_the_likelihood():
    given_ = judgments(made_up(5, top=2, documents=30), 2)
    history = [
        merge(given_, f"em-neu(rounds={n})", scope="all").log_likelihood[0] for n in range(1, 30)
    ]
    assert (np.diff(history) > -1e-6).all()
    assert history[-1] > history[0] + 0.1


@pytest.mark.parametrize("method", sorted(STARTS))
@pytest.mark.parametrize("size", [2, 3])
def test_planted_confusion_matrices_are_found(method, size):
    rng = np.random.default_rng(3)
    skill = np.linspace(0.6, 0.95, 6)
    confusion = np.array([s * np.eye(size) + (1 - s) * rng.dirichlet(np.ones(size)) for s in skill])
    prior = np.linspace(1, 2, size) / np.linspace(1, 2, size).sum()
    given_, truth = planted(7, confusion, prior, 1500, seen=0.9)
    merged = merge(given_, method)
    assert merged.confusion[0] == pytest.approx(confusion, abs=0.07)
    assert merged.fit.prior[0] == pytest.approx(prior, abs=0.05)
    right = (merged.hard().labels == truth).mean()
    assert right > 0.9
    # P(true grade) means what it says: its mean is the share of right labels.
    assert merged.posterior.max(axis=1).mean() == pytest.approx(right, abs=0.03)


def test_em_sees_through_a_bad_majority():
    good, spam = [[0.95, 0.05], [0.05, 0.95]], [[0.5, 0.5], [0.5, 0.5]]
    given_, truth = planted(1, np.array([good, good, spam, spam, spam]), [0.5, 0.5], 800)
    by_vote = (merge(given_, "mv").labels == truth).mean()
    by_em = (merge(given_, "em-mv").hard().labels == truth).mean()
    assert by_vote < 0.9
    assert by_em > 0.93


def test_one_confusion_matrix_for_all_topics_needs_fewer_documents():
    skill = np.array([0.9, 0.85, 0.6, 0.55, 0.55])[:, None, None]
    confusion = skill * np.eye(2) + (1 - skill) * (1 - np.eye(2))
    given_, truth = planted(2, confusion, [0.6, 0.4], 10, topics=60)
    per_topic = (merge(given_, "em-mv").hard().labels == truth).mean()
    overall = (merge(given_, "em-mv", scope="all").hard().labels == truth).mean()
    assert overall > per_topic


def test_a_tie_that_stays_a_tie_is_not_relevant():
    votes = {"t": {"x": {"a": 1, "b": 0}, "y": {"a": 0, "b": 1}}}
    merged = merge(judgments(votes, 1), "em-mv")
    assert merged.p == pytest.approx([0.5, 0.5])
    assert merged.hard().labels.tolist() == [0, 0]
    # Rounding in the last place decides nothing.
    nearly = replace(merged, p=np.array([0.5 + 1e-15] * 2))
    assert nearly.hard().labels.tolist() == [0, 0]


def test_stopping_too_early_is_told():
    given_ = judgments(made_up(5, documents=30), 1)
    merged = merge(given_, "em-mv(rounds=1)")
    assert merged.rounds.tolist() == [1, 1, 1]
    assert "did not converge in 1 rounds" in str(merged.notes[-1])
    assert merge(given_, "em-mv", scope="all").notes == ()


def test_a_topic_without_a_single_vote():
    source = {"a": {"1": {"x": 1, "y": 0}, "2": {"x": -1}}, "b": {"1": {"x": 1}, "2": {"x": -1}}}
    merged = merge(read_judgments(source, grades=range(-1, 2)), "em-mv")
    assert merged.rounds[1] == 0
    assert np.isnan(merged.confusion[1]).all()
    assert merged.to_dict()["2"] == {"x": 0}


# crowd-kit


@pytest.fixture(scope="module")
def aggregation():
    """Aggregators of crowd-kit, without the language toolkit that those of texts import."""
    words = ModuleType("nltk.translate.gleu_score")
    words.sentence_gleu = None
    with pytest.MonkeyPatch.context() as patch:
        for name in ("nltk", "nltk.translate"):
            patch.setitem(sys.modules, name, ModuleType(name))
        patch.setitem(sys.modules, words.__name__, words)
        yield pytest.importorskip("crowdkit.aggregation", reason="crowd-kit is not installed")


@pytest.mark.filterwarnings("ignore::DeprecationWarning:crowdkit")
@pytest.mark.parametrize("size", [2, 3])
def test_crowd_kit_agrees_at_convergence(aggregation, size):
    skill = np.linspace(0.8, 0.92, 5)[:, None, None]
    confusion = skill * np.eye(size) + (1 - skill) / size
    given_, _ = planted(1, confusion, np.full(size, 1 / size), 150, seen=0.8)
    ours = merge(given_, "em-mv(start=shares, tol=1e-4)", scope="all")
    assert ours.fit.converged.all()
    # Their own rule stops early: as many rounds are asked for as we took.
    theirs = aggregation.DawidSkene(n_iter=int(ours.rounds[0]), tol=-1e9)
    wrapped = merge(given_, theirs, scope="all")
    assert wrapped.posterior == pytest.approx(ours.posterior, abs=1e-3)
    assert (wrapped.grade_p is None) == (size == 2)
    assert wrapped.settings.merge == "crowd-kit DawidSkene"
    assert wrapped.sample(0, 2).shape == (2, len(given_.pool))
    errors = theirs.errors_.loc["a0"].loc[range(size), range(size)].to_numpy().T
    assert ours.confusion[0] == pytest.approx(errors, abs=1e-3)


@pytest.mark.filterwarnings("ignore::DeprecationWarning:crowdkit")
def test_crowd_kit_majority_is_the_vote(aggregation):
    given_ = judgments(made_up(8, top=2, missing=0), 2)
    shares = merge(given_, aggregation.MajorityVote())
    assert shares.posterior == pytest.approx(merge(given_, "binmv").posterior)
    assert shares.hard().labels.tolist() == merge(given_, "mv").labels.tolist()


class Lowest:
    """An aggregator with labels only: the lowest label of each task."""

    def fit_predict(self, frame):
        return frame.groupby("task")["label"].min()


class Forgetful:
    def fit_predict_proba(self, frame):
        import pandas as pd

        return pd.DataFrame({0: [1.0]}, index=frame["task"].iloc[:1])


def test_anything_called_like_crowd_kit():
    pytest.importorskip("pandas")
    given_ = judgments(made_up(8, top=2), 2)
    for scope in ("topic", "all"):
        merged = merge(given_, Lowest(), scope=scope)
        low = [min(given_.label[given_.document == i]) for i in range(len(given_.pool))]
        assert merged.labels.tolist() == low
        assert merged.posterior is None
    with pytest.raises(MeasureError, match="nothing can be drawn"):
        merged.sample(0)
    with pytest.raises(MeasureError, match="gave no label to document"):
        merge(given_, Forgetful())


def test_without_pandas_the_install_line_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"hungjury\[crowd\]"):
        merge(judgments(made_up(8), 1), Lowest())


# Real data


@pytest.mark.parametrize("rel", [1, None])
def test_many_workers(shared_data, rel):
    given_ = read_judgments(
        shared_data / "crowd-rf10" / "s4_Relevance.label.csv",
        duplicates="first",
        grades=range(3),
        outside="missing",
    )
    merged = merge(given_, "em-mv(rounds=60)", rel=rel, scope="all")
    truth = read_truth(shared_data / "crowd-rf10" / "s4_Relevance.truth.csv")
    place = {d: i for i, d in enumerate(merged.pool.documents)}
    known = [(place[d], g if rel is None else int(g >= rel)) for d, g in truth if d in place]
    where, gold = np.array([(i, g) for i, g in known if g != 3]).T
    by_em = (merged.hard().labels[where] == gold).mean()
    by_vote = (merge(given_, "mv", rel=rel).labels[where] == gold).mean()
    assert by_em > by_vote


def test_five_grades(shared_data):
    given_ = read_judgments(shared_data / "crowd-web5" / "label.csv")
    truth = read_truth(shared_data / "crowd-web5" / "truth.csv")
    merged = {m: merge(given_, m, scope="all") for m in ("mv", "em-mv", "em-mv(start=shares)")}
    place = {d: i for i, d in enumerate(given_.pool.documents)}
    where, gold = np.array([(place[d], g) for d, g in truth if d in place]).T
    right = {m: float((one.hard().labels[where] == gold).mean()) for m, one in merged.items()}
    assert right["em-mv"] > 0.8 > right["mv"] > 0.7
    assert right["em-mv(start=shares)"] > 0.8


def read_truth(path):
    lines = path.read_text().split()[1:]
    return [(item, int(label)) for item, label in (line.split(",") for line in lines)]


class Upside(FromVotes):
    """EM that starts with all grades exchanged."""

    def first(self, panel):
        return super().first(panel)[:, ::-1]


@pytest.mark.parametrize("scope", ["topic", "all"])
def test_classes_keep_the_order_of_their_labels(scope):
    made = hj.simulate(systems=2, topics=4, documents=80, grades=3, accuracies=(0.8, 0.7, 0.7))
    usual = hj.merge(made.judgments, "em-mv", scope=scope)
    turned = hj.merge(made.judgments, Upside(), scope=scope)
    assert turned.posterior == pytest.approx(usual.posterior, abs=0.01)


def test_a_posterior_against_the_votes_is_noticed():
    made = hj.simulate(systems=2, topics=4, documents=80, accuracies=(0.8, 0.7, 0.7))
    merged = hj.merge(made.judgments, "em-mv", scope="all")
    assert not disagrees_with_votes(merged.panel, merged.posterior)
    assert disagrees_with_votes(merged.panel, merged.posterior[:, ::-1])


# Gold labels of some documents, and ordered grades


@examples(10)
@given(st.integers(0, 10**6), st.sampled_from(["em-mv", "em-neu"]))
def test_em_with_gold_labels_is_the_loop(seed, method):
    """For 15 rounds: where grades are alike, rounding errors double with every round."""
    votes = made_up(seed, top=2, documents=8, judges=4)
    rng = np.random.default_rng(seed)
    gold = {t: {d: int(rng.integers(3)) for d in list(docs)[::2]} for t, docs in votes.items()}
    merged = merge(judgments(votes, 2), f"{method}(rounds=15)", gold=hj.read_qrels(gold))
    for t, (topic, documents) in enumerate(votes.items()):
        start = STARTS[method]
        loop, rounds = naive.dawid_skene_with_gold(documents, range(3), start, gold[topic], most=15)
        assert merged.rounds[t] == rounds
        for document, distribution in loop.items():
            row = merged.posterior[merged.pool.find(topic, document)]
            assert row == pytest.approx(list(distribution.values()), abs=1e-7)


def test_gold_labels_help_where_most_judges_share_an_error():
    """Two judges of three swap the grades; known labels tell."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 200)
    right = np.where(rng.random((3, 200)) < 0.9, truth, 1 - truth)
    right[1:] = 1 - right[1:]
    votes = {f"j{k}": {"t": {f"d{i}": int(v) for i, v in enumerate(row)}}
             for k, row in enumerate(right)}  # fmt: skip
    gold = {"t": {f"d{i}": int(truth[i]) for i in range(20)}}
    given_ = read_judgments(votes)
    true = truth[[int(d[1:]) for d in given_.pool.documents]]
    new = np.array([int(d[1:]) >= 20 for d in given_.pool.documents])
    for method in ("em-mv", "em-neu", "em-ordinal"):
        labels = merge(given_, method, gold=hj.read_qrels(gold)).hard().labels
        assert (labels == true)[new].mean() > 0.85
    assert (merge(given_, "em-mv").hard().labels == true).mean() < 0.3


def ordinal_crowd(seed, workers=60, documents=300):
    rng = np.random.default_rng(seed)
    truth, votes = rng.integers(0, 4, documents), {}
    for k in range(workers):
        bias, spread = rng.normal(0, 0.5), rng.uniform(0.5, 1.3)
        mine = {}
        for i in rng.choice(documents, 25, replace=False):
            said = np.rint(truth[i] + bias + spread * rng.normal())
            mine[f"d{i}"] = int(np.clip(said, 0, 3))
        votes[f"w{k}"] = {"t": mine}
    gold = {"t": {f"d{i}": int(v) for i, v in enumerate(truth)}}
    return read_judgments(votes, grades=range(4)), hj.read_qrels(gold)


def test_ordered_grades_need_fewer_labels_of_each_judge():
    given_, gold = ordinal_crowd(1)
    compared = hj.compare_merges(
        given_, gold, scope="all", methods=["em-ordinal", "em-mv"], draws=20
    )
    found = {one.merge: one for one in compared.merges}
    assert found["em-ordinal"].accuracy > found["em-mv"].accuracy + 0.03
    assert found["em-ordinal"].log_loss < found["em-mv"].log_loss


def test_the_numbers_of_a_judge_are_those_that_fit_best():
    """Newton's method against a search: no other spread and favourites are more likely."""
    from scipy.optimize import minimize

    rng = np.random.default_rng(3)
    counts = rng.random((2, 4, 4)) * 50 + 50 * np.eye(4)
    shape = np.tile(em.typical(4), (2, 1))
    for _ in range(10):
        fitted = em.ordered(counts, shape)

    def cost(values, mine):
        logs = np.zeros((4, 4))
        for true in range(4):
            for label in range(4):
                favour = values[label] if label else 0.0
                logs[label, true] = favour - values[0] * (label - true) ** 2
            logs[:, true] -= np.log(sum(np.exp(v) for v in logs[:, true]))
        ridge = em.RIDGE / 2 * ((values[0] - 0.5) ** 2 + (values[1:] ** 2).sum())
        return ridge - (mine * logs).sum()

    for u in range(2):
        best = minimize(cost, [0.5, 0.0, 0.0, 0.0], args=(counts[u],), tol=1e-10)
        assert shape[u] == pytest.approx(best.x, abs=1e-4)
        assert fitted[u].sum(axis=0) == pytest.approx(np.ones(4))


def test_constant_judges_do_not_mislead_the_model_of_ordered_grades():
    given_, gold = ordinal_crowd(1)
    votes = {j: given_.qrels_of(j).to_dict() for j in given_.judges}
    votes |= {f"always{k}": {"t": {f"d{i}": 1 for i in range(300)}} for k in range(6)}
    crowd = read_judgments(votes, grades=range(4))
    methods = ["em-ordinal", "mv"]
    found = hj.compare_merges(crowd, gold, scope="all", methods=methods, draws=20).merges
    ours, most_votes = sorted(found, key=lambda one: methods.index(one.merge))
    assert ours.accuracy > most_votes.accuracy + 0.1


def test_a_group_of_ordered_grades_does_not_depend_on_others():
    given_, _ = ordinal_crowd(5, 20, 40)
    rows = given_.qrels_of("w0")
    assert len(rows)
    votes = {j: given_.qrels_of(j).to_dict() for j in given_.judges}
    both = {j: {**v, "u": {f"x{d}": 3 - g for d, g in v["t"].items()}} for j, v in votes.items()}
    alone = merge(given_, "em-ordinal(rounds=50)")
    among = merge(read_judgments(both, grades=range(4)), "em-ordinal(rounds=50)").select(["t"])
    # Sums over both groups round otherwise, by 2e-9 after 50 rounds with numpy 1.24.
    assert among.posterior == pytest.approx(alone.posterior, abs=1e-7)
    assert among.rounds[0] == alone.rounds[0]


def test_what_a_person_would_say_of_the_label_of_a_judge():
    """By hand: of two documents labelled 1 by the LLM a person accepts one, of one labelled 0 none;
    one observation of the mean person (1/3) is added to each level."""
    votes = {
        "llm": {"1": {"a": 1, "b": 1, "c": 0, "d": 1, "e": 0}},
        "person": {"1": {"a": 1, "b": 0, "c": 0}},
    }
    merged = merge(votes, "prm(users=person)")
    p = merged.to_dict()["1"]
    assert (p["a"], p["b"], p["c"]) == (1, 0, 0)  # the person's own
    assert p["d"] == pytest.approx((1 + 1 / 3) / 3)
    assert p["e"] == pytest.approx((0 + 1 / 3) / 2)
    gold = hj.read_qrels(votes.pop("person"))
    assert merge(votes, "prm", gold=gold).to_dict()["1"] == pytest.approx(p)
    with pytest.raises(MeasureError, match="users and other judges both labelled"):
        merge(votes, "prm")
    with pytest.raises(MeasureError, match="does not learn from gold"):
        merge(votes, "binmv", gold=gold)


def test_boards_take_what_a_person_would_say():
    made = hj.simulate(systems=3, topics=8, seed=1)
    board = hj.leaderboard(made.judgments, made.runs, "P@5", "prm(users=judge1)", draws=100)
    assert len(board.systems) == 3


def test_the_uncertainty_of_p_reaches_the_scores():
    made = hj.simulate(systems=4, topics=12, grades=3, accuracies=(0.8, 0.7), seed=3)
    qrels = made.judgments.qrels_of("judge1")
    model = hj.prm(made.judgments, draws=300)
    found = model.score(qrels, made.runs, ["AP", "nDCG@5"], draws=25)
    plain = hj.evaluate(qrels, made.runs, [model.version(m, 2) for m in ("AP", "nDCG@5")])
    np.testing.assert_allclose(found.mean, plain.mean())
    drawn = model.draw(4000, 1)
    for i, level in enumerate(model.levels):
        ends = np.quantile(drawn[:, i], [0.025, 0.975])
        assert ends == pytest.approx([model.low[level], model.high[level]], abs=2e-3)
    few = [hj.evaluate(qrels, made.runs, hj.measure("AP").with_probabilities(row)).mean()[0]
           for row in model.draw(25, 0).tolist()]  # fmt: skip
    np.testing.assert_allclose(found.low[0], np.quantile(few, 0.025, axis=0))
    np.testing.assert_allclose(found.high[0], np.quantile(few, 0.975, axis=0))
    assert (found.high - found.low > 0).all()
    assert len(found.table().rows) == 8
