"""hungjury's measures inside the real ir_measures and PyTerrier; labels from ir_datasets."""

import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import hungjury as hj
from hungjury.base.errors import HungjuryError, InputError
from hungjury.cli.main import hungjury as command
from hungjury.data.texts import DOCUMENTS, QUERIES, Text, find_texts
from hungjury.measures.catalogue import CATALOGUE
from hungjury.measures.ecosystem import TAKEN, register, to_ir_measures

im = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
ir_datasets = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed")

NEEDED = {"Residual": "Residual(RBP)",
    "P": "P@5", "F1": "F1@5", "Success": "Success@3", "IPrec": "IPrec@0.2",
    "GAP": "GAP(g=[0.4, 0.6])", "xGAP": "xGAP(g=[0.4, 0.6])@7", "eGAP": "eGAP(g=[0.4, 0.6])",
    "E": "E(AP, draws=20)", "eRP": "eRP(prob=[0, 0.5, 1])@5",
    "eRRBP": "eRRBP(prob=[0, 0.5, 1])", "eRDCG": "eRDCG(prob=[0, 0.5, 1])",
    "eRAP": "eRAP(prob=[0.1, 0.5, 1])",
}  # fmt: skip
ALL = [NEEDED.get(cls.name, cls.name) for cls in CATALOGUE]


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=3, topics=6, documents=60, depth=20, grades=3)


@pytest.fixture(scope="module")
def qrels(made):
    return made.gold.to_dict()


@pytest.fixture(scope="module")
def run(made):
    """A run that has no list for one topic."""
    lists = made.runs.to_dict()[made.runs.systems[0]]
    return {topic: lists[topic] for topic in list(lists)[1:]}


@pytest.mark.parametrize("name", ALL)
def test_every_measure_scores_as_it_does_at_home(made, qrels, run, name):
    expected = hj.evaluate(made.gold, {"run": run}, name)
    one = to_ir_measures(name)
    found = {row.query_id: row.value for row in im.iter_calc([one], qrels, run)}
    assert found == dict(zip(expected.topics, expected.values[0, 0].tolist(), strict=True))
    assert im.calc_aggregate([one], qrels, run)[one] == pytest.approx(expected.mean()[0, 0])


def test_names_in_text():
    register()
    assert im.parse_measure("MP(rec=True)@10") == to_ir_measures("MP(rec=True)@10")
    assert str(to_ir_measures("xGAP(g=[0.4, 0.6])@7")) == "xGAP(g=[0.4, 0.6])@7"
    assert str(to_ir_measures("E(AP@5)")) == "E(AP@5)"
    assert str(im.parse_measure("GAP")) == "GAP", "not complete yet, but it can be shown"
    # A name of theirs stays theirs: their ERR is computed by another program, with other defaults.
    assert im.parse_measure("ERR@20") is not to_ir_measures("ERR@20")
    assert im.parse_measure("ERR@20") != to_ir_measures("ERR@20")
    assert str(to_ir_measures("ERR@20")) == "hj_ERR@20"
    assert im.parse_measure("hj_ERR@20") == to_ir_measures("ERR@20")


def test_lists_as_their_parser_allows_them(qrels, run):
    register()
    one = im.parse_measure("xGAP(g='0.4,0.6')@7")
    assert one == to_ir_measures("xGAP(g=[0.4, 0.6])@7")
    found = im.calc_aggregate([one], qrels, run)[one]
    assert found == im.calc_aggregate([to_ir_measures("xGAP(g=[0.4, 0.6])@7")], qrels, run)[one]
    assert im.parse_measure("eRAP(prob='0.1,0.5,1')") == to_ir_measures("eRAP(prob=[0.1, 0.5, 1])")
    with pytest.raises(HungjuryError, match="a number"):
        im.calc_aggregate([im.parse_measure("xGAP(g='0.4;0.6')")], qrels, run)


THEIRS = [
    im.AP, im.AP(rel=2) @ 5, im.Bpref(rel=2), im.Judged @ 5, im.NumQ, im.NumRel,
    im.NumRel(rel=2), im.NumRet, im.NumRet(rel=2), im.P(rel=2) @ 5, im.R @ 10, im.RBP(rel=1),
    im.RBP(rel=2, p=0.5), im.RR(rel=2), im.RR @ 3, im.Rprec, im.SetF, im.SetF(beta=0.5), im.SetP,
    im.SetR(rel=2), im.Success @ 2, im.infAP, im.nDCG, im.nDCG @ 10, im.nDCG(dcg="exp-log2") @ 10,
    im.SetP(relative=True), im.SetAP, im.SetAP(rel=2), im.Accuracy,
    im.Compat, im.Compat(p=0.8), im.Compat(normalize=False), im.nDCG(gains={1: 3, 2: 9}),
    im.MRR, im.nDCG(judged_only=False) @ 3,
]  # fmt: skip


@pytest.mark.parametrize("theirs", THEIRS, ids=str)
def test_their_measure_objects_score_as_they_do_there(qrels, run, theirs):
    try:
        expected = {row.query_id: row.value for row in im.iter_calc([theirs], qrels, run)}
    except ValueError as error:
        pytest.skip(f"not computed by ir_measures here: {error}")
    scores = hj.evaluate(qrels, {"run": run}, theirs)
    found = dict(zip(scores.topics, scores.values[0, 0].tolist(), strict=True))
    assert len(run) < len(found)
    for topic in run:
        assert found[topic] == pytest.approx(expected[topic], abs=6e-6), "gdeval rounds"


def test_their_measure_objects_wherever_a_measure_is(made):
    assert hj.measure(im.nDCG @ 10) == hj.measure("nDCG@10")
    assert hj.measure(to_ir_measures("ERR@20")) == hj.measure("ERR@20")
    assert hj.m.E(of=im.AP @ 5) == hj.measure("E(AP@5)")
    scores = hj.evaluate(made.gold, made.runs, [im.AP, "P@5", im.nDCG @ 10])
    assert list(map(str, scores.measures)) == ["AP", "P@5", "nDCG@10"]
    assert hj.agreement(made.judgments, made.runs, im.AP(rel=1)).rankings.measure == "AP"
    assert hj.aware(made.judgments, made.runs, im.AP, "uni")
    assert hj.leaderboard(made.judgments, made.runs, im.P @ 5, draws=100).measure == "P@5"
    assert hj.score_list(im.AP, [1, 0]) == 1.0
    axioms = hj.theory.check_axioms(im.P @ 2, 2)
    assert str(axioms) == str(hj.theory.check_axioms("P@2", 2))


@pytest.mark.parametrize(
    ("theirs", "says"),
    [
        (im.ERR @ 20, 'name "ERR" for ours'),
        (im.RBP(p=0.5), "give it rel"),
        (im.AP(judged_only=True), "judged_only"),
        (im.IPrec @ 0.1, "defined differently"),  # theirs rounds as trec_eval 9 does
        (im.SDCG(max_rel=4, min_rel=1) @ 5, "min_rel"),
        (im.nDCG(nonsense=1), "nonsense"),
    ],
    ids=["ERR", "RBP", "condensed", "IPrec", "min_rel", "nonsense"],
)
def test_objects_of_theirs_that_mean_something_else_are_refused(theirs, says):
    with pytest.raises(HungjuryError) as caught:
        hj.measure(theirs)
    assert says in str(caught.value)


def test_what_is_after_at():
    ours = register().borrowed
    found = {name: ours[name].AT_PARAM for name in ("IPrec", "AP", "Bpref")}
    assert found == {"IPrec": "recall", "AP": "cutoff", "Bpref": "cutoff"}


def test_summaries_of_no_values():
    ours = register().borrowed
    assert ours["NumQ"].aggregator().result() == 0
    assert np.isnan(ours["AP"].aggregator().result())


def test_registering_twice_changes_nothing():
    assert register() is register()
    assert [p.NAME for p in im.DefaultPipeline.providers].count("hungjury") == 1
    assert not [name for name in im.measures.registry if name.startswith(TAKEN * 2)]


def test_our_measures_beside_theirs(qrels, run):
    theirs, ours = (
        [im.AP, im.nDCG @ 10, im.P @ 5],
        [to_ir_measures(n) for n in ("AP", "nDCG@10", "P@5")],
    )
    found = im.calc_aggregate([*theirs, *ours, to_ir_measures("MP")], qrels, run)
    assert len(found) == 7
    for their, our in zip(theirs, ours, strict=True):
        assert found[our] == pytest.approx(found[their], abs=1e-12)


@pytest.mark.parametrize("form", ["frame", "tuples"])
def test_labels_and_runs_in_all_forms(qrels, run, form):
    expected = im.calc_aggregate([to_ir_measures("Q")], qrels, run)
    labels = [im.Qrel(t, d, v) for t, rows in qrels.items() for d, v in rows.items()]
    lists = [im.ScoredDoc(t, d, v) for t, rows in run.items() for d, v in rows.items()]
    if form == "frame":
        labels, lists = pd.DataFrame(labels), pd.DataFrame(lists)
    assert im.calc_aggregate([to_ir_measures("Q")], labels, lists) == expected


def test_probabilities_as_labels(run):
    soft = {t: dict.fromkeys(rows, 0.25) for t, rows in run.items()}
    (value,) = im.calc_aggregate([to_ir_measures("eRAP")], soft, run).values()
    assert value == pytest.approx(hj.evaluate(soft, {"run": run}, "eRAP").mean()[0, 0])
    with pytest.raises(HungjuryError, match="these labels are probabilities"):
        im.calc_aggregate([to_ir_measures("Q")], soft, run)


def test_what_cannot_be_scored_is_told(qrels, run):
    two = [im.Qrel("1", "d", 1, "a"), im.Qrel("1", "d", 0, "b")]
    with pytest.raises(InputError, match="labelled both 1 and 0"):
        im.calc_aggregate([to_ir_measures("Q")], two, run)
    with pytest.raises(HungjuryError, match="p is 7"):
        im.calc_aggregate([im.parse_measure("gRBP(p=7)")], qrels, run)
    with pytest.raises(AssertionError, match="unsupported params"):
        im.calc_aggregate([im.parse_measure("gRBP(nonsense=7)")], qrels, run)
    assert im.calc_aggregate([to_ir_measures("Q")], qrels, {}) == {to_ir_measures("Q"): 0.0}


@pytest.mark.long
def test_in_an_experiment_of_pyterrier(made, qrels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pt = pytest.importorskip("pyterrier", reason="PyTerrier is not installed")
    runs = made.runs.to_dict()
    frames = [
        pd.DataFrame(
            [(t, d, v) for t, rows in lists.items() for d, v in rows.items()],
            columns=["qid", "docno", "score"],
        )
        for lists in runs.values()
    ]
    for frame in frames:
        frame["rank"] = frame.groupby("qid").cumcount()
    topics = pd.DataFrame({"qid": list(qrels), "query": "anything"})
    labels = pd.DataFrame(
        [(t, d, v) for t, rows in qrels.items() for d, v in rows.items()],
        columns=["qid", "docno", "label"],
    )
    names = ["xGAP(g=[0.4, 0.6])@7", "MP(rec=True)", "ERR@20"]
    wanted = ["map", *map(hj.to_ir_measures, names)]
    found = pt.Experiment(frames, topics, labels, wanted, names=list(runs))
    assert not pt.java.started(), "frames need no Java"
    expected = hj.evaluate(made.gold, runs, ["AP", *names]).mean()
    for column, values in zip(
        ["map", *map(str, map(hj.to_ir_measures, names))], expected, strict=True
    ):
        np.testing.assert_allclose(found[column], values, atol=1e-12)


# ir_datasets


@pytest.fixture(scope="module")
def dataset(made, tmp_path_factory):
    """A dataset of our own in the real registry: nothing is fetched."""
    folder = tmp_path_factory.mktemp("dataset")
    made.write(folder)

    class Ranking(ir_datasets.formats.BaseScoredDocs):
        def scoreddocs_iter(self):
            for topic, rows in made.runs.to_dict()[made.runs.systems[0]].items():
                for document, score in rows.items():
                    yield ir_datasets.formats.GenericScoredDoc(topic, document, score)

    labels = ir_datasets.create_dataset(qrels_trec=str(folder / "gold.qrels"))
    whole = ir_datasets.Dataset(*labels._constituents, Ranking())
    names = ["hungjury-test/whole", "hungjury-test/empty"]
    ir_datasets.registry.register(names[0], whole)
    ir_datasets.registry.register(names[1], ir_datasets.Dataset())
    yield folder
    for name in names:
        del ir_datasets.registry._registered[name]


def test_labels_by_the_id_of_a_dataset(made, dataset):
    found = hj.read_qrels("ir_datasets:hungjury-test/whole")
    assert found.to_dict() == made.gold.to_dict()


def test_a_ranking_by_the_id_of_a_dataset(made, dataset):
    name = "ir_datasets:hungjury-test/whole"
    expected = hj.evaluate(made.gold, made.runs, "AP").mean()[0, 0]
    scores = hj.evaluate(name, name, "AP")
    assert scores.systems == ["hungjury-test/whole"]
    assert scores.mean()[0, 0] == pytest.approx(expected, abs=1e-12)
    assert hj.read_runs(name).systems == scores.systems
    arguments = ["evaluate", name, str(dataset / "runs" / "system1.run"), "-m", "AP"]
    done = CliRunner().invoke(command, [*arguments, "--format", "csv"], catch_exceptions=False)
    assert float(done.stdout.split(",")[-1]) == pytest.approx(expected, abs=1e-12)


def test_datasets_that_are_not_there(dataset):
    with pytest.raises(InputError, match="has no dataset 'hungjury-test/nothing'"):
        hj.read_qrels("ir_datasets:hungjury-test/nothing")
    with pytest.raises(InputError, match="the dataset has no qrels"):
        hj.read_qrels("ir_datasets:hungjury-test/empty")
    with pytest.raises(InputError, match="the dataset has no scoreddocs"):
        hj.read_runs("ir_datasets:hungjury-test/empty")


def test_texts_by_the_id_of_a_dataset(dataset, tmp_path, monkeypatch):
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    (tmp_path / "docs.tsv").write_text("d1\tone text\nd2\ttwo <b>texts</b>\n")
    (tmp_path / "queries.tsv").write_text("1\twho is he\n2\twhat is it\n")
    texts = ir_datasets.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"), queries_tsv=str(tmp_path / "queries.tsv")
    )
    ir_datasets.registry.register("hungjury-test/texts", texts)
    try:
        name = "ir_datasets:hungjury-test/texts"
        found = find_texts([name], ["d2", "d3"], DOCUMENTS)
        assert found.get("d2") == Text("", "two <b>texts</b>")
        assert found.missing == {"d3"}
        assert find_texts([name], ["2"], QUERIES).get("2") == Text("what is it", "")
        with pytest.raises(InputError, match="wanted are 'x'"):
            find_texts([name], ["x"], QUERIES)
    finally:
        del ir_datasets.registry._registered["hungjury-test/texts"]
    with pytest.raises(InputError, match="the dataset has no docs"):
        find_texts(["ir_datasets:hungjury-test/empty"], ["d"], DOCUMENTS)


def test_a_folder_in_the_form_of_beir(tmp_path):
    folder = tmp_path / "set"
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "who?"}\n')
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "A", "text": "me"}\n')
    labels = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n"
    (folder / "qrels" / "test.tsv").write_text(labels)
    assert hj.read_qrels(folder).to_dict() == {"q1": {"d1": 1, "d2": 0}}
    assert find_texts([str(folder)], ["q1"], QUERIES).get("q1") == Text("who?", "")
    assert find_texts([str(folder)], ["d1"], DOCUMENTS).get("d1") == Text("A", "me")
    (folder / "qrels" / "dev.tsv").write_text(labels)
    with pytest.raises(InputError, match=r"several sets of labels: dev\.tsv, test\.tsv") as error:
        hj.read_qrels(folder)
    assert str(folder / "qrels" / "test.tsv") in error.value.remedy
    with pytest.raises(InputError, match="got a directory"):
        hj.read_runs(folder)
