"""Whole boards, gates and plans of small collections, number by number."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hungjury as hj
from builders.whole import Stored, board, differences, mark, small, told
from hungjury.base.errors import HungjuryError
from hungjury.base.text import finite
from hungjury.data.alignment import align
from hungjury.judges.panel import Panel
from hungjury.leaderboard import board as boards
from hungjury.leaderboard import draws, evidence, label_model, panel_error
from hungjury.leaderboard.gold import gold_labels
from hungjury.leaderboard.leaderboard import Boards, read_slices
from hungjury.leaderboard.options import BOARD, PLAN
from hungjury.leaderboard.panel_error import sizes_for
from hungjury.leaderboard.plan import plan_weights
from hungjury.measures.catalogue import measure_list

STORED = Stored(Path(__file__).parent / "expected" / "whole.json")


@pytest.fixture(autouse=True)
def alike(monkeypatch):
    """Eigenvectors with one sign, which libraries choose differently; few sets of labels."""
    monkeypatch.setattr(evidence, "WORK", 0)
    found = np.linalg.eigh

    def signed(matrix):
        value, vector = found(matrix)
        at = np.abs(vector).round(6).argmax(axis=0)
        return value, vector * np.sign(np.take_along_axis(vector, at[None], axis=0))

    monkeypatch.setattr(np.linalg, "eigh", signed)


def same(name, content):
    STORED.same(name, content)


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "RR", "P@5", "ERR"])
def test_measures(measure):
    same(f"measure {measure}", told(board(measure, top=3 if measure in ("nDCG@5", "ERR") else 1)))


@pytest.mark.parametrize("measure", ["GMAP", "NumRelRet", "ESL", "Bpref", "Judged@5"])
def test_measures_that_are_not_means_of_kernels(measure):
    same(f"measure {measure}", told(board(measure, panel_error=0.02)))


@pytest.mark.parametrize("merge", ["mv", "em-mv", "aware", "prm(users='ann')"])
def test_merges(merge):
    same(f"merge {merge}", told(board("nDCG@5", merge=merge)))


@pytest.mark.parametrize("merge", ["binmv", "mv", "em-mv", "aware(sgl_tau_msd)"])
def test_the_panels_own_view(merge):
    options = {"panel_error": 0, "replicates": 20, "scope": "all", "prior": "flat"}
    same(f"own {merge}", told(board("P@5", merge=merge, **options)))


@pytest.mark.parametrize(
    "options",
    [
        {"target": "topics", "kin": ["s1"]},
        {"together": True, "level": 0.8, "families": {"ann": "x", "bob": "x", "cat_1": "y"}},
        {"order": "wins", "outlook": False, "rel": 2, "top": 3},
        {"order": 0.1, "families": "^[a-z]+", "panel_error": 0.001},
        {"target": "topics", "panel_error": 0},
    ],
    ids=str,
)
def test_options(options):
    same(f"options {options}", told(board("nDCG@5", **options)))


def chosen(rows):
    """Gold labels of some documents, as {topic: {document: label}}."""
    truth, out = small()[2].to_dict(), {}
    for topic, document in rows:
        if document in truth[topic]:
            out.setdefault(topic, {})[document] = truth[topic][document]
    return out


def planned(design, budget=40, labelled=30, measure="nDCG@5"):
    made = hj.plan(*small()[:2], measure, budget, design=design, seed=2)
    pairs = list(zip(made.topics, made.documents, strict=True))
    skipped = pairs[: labelled // 3] + pairs[labelled // 3 + 1 : labelled]
    return {"gold": chosen(pairs if design == "topics" else skipped), "plan": made}


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "GMAP"])
def test_gold_by_a_plan(measure):
    same(f"gold {measure}", told(board(measure, **planned("influence"), kin=["s2"])))


@pytest.mark.parametrize("design", ["uniform", "topics", "depth"])
def test_gold_by_other_plans(design):
    measure = "RR" if design == "depth" else "P@5"
    same(f"gold {design}", told(board(measure, **planned(design), target="topics")))


@pytest.mark.parametrize("design", ["random", None])
def test_gold_without_a_plan(design):
    gold = chosen((f"t{d % 4}", f"d{d // 4}") for d in range(56))
    options = {"gold_design": design, "estimate": "direct", "looks": [30, 56, 80] * bool(design)}
    same(f"gold {design}", told(board("nDCG@5", gold=gold, **options)))


def test_gold_of_the_whole_pool():
    same("gold whole", told(board("nDCG@5", gold=small()[2], kin=["s0", "s3"])))


@pytest.mark.parametrize("design", ["influence", "uniform", "topics", "depth"])
def test_plans(design):
    made = hj.plan(*small()[:2], ["nDCG@5", "AP"], 30, design=design, seed=1)
    more = hj.plan(*small()[:2], "RR", 60, design=design, seed=1, have=chosen([("t1", "d3")]))
    content = {"text": made.to_text(), "rows": made.table().to_dicts()}
    names = ("measures", "design", "budget", "seed", "pool", "pool_topics", "next_priority",
             "labels_at_hand", "reused", "expected")  # fmt: skip
    heads = [{name: getattr(one, name) for name in names} for one in (made, more)]
    arrays = [mark(one) for one in (made.frame, more.weight, more.priority, more.probability)]
    same(f"plan {design}", [content, heads, arrays])


def test_judges_compared_with_gold():
    given = planned("influence")
    found = hj.agreement_with_gold(small()[0], given["gold"], plan=given["plan"], seed=1)
    top = hj.agreement_with_gold(small(3)[0], small(3)[2], rel=2, level=0.8, at_least=1)
    same("agreement", [found.to_dict(), found.to_text(), top.to_dict(), top.to_text()])


@pytest.mark.parametrize("kind", ["judges", "gold", "qrels", "probabilities", "scores"])
def test_gates(kind):
    judgments, runs, truth = small()
    given = {"labels": judgments, "runs": runs, "draws": 200}
    if kind == "gold":
        given |= {**planned("influence"), "margin": 0.05}
    elif kind == "scores":
        given |= {"labels": hj.evaluate(truth, runs, "AP"), "runs": None, "margin": 0.4}
    elif kind != "judges":
        labels = truth if kind == "qrels" else hj.merge(judgments, "binmv")
        given = {"labels": labels, "runs": runs, "margin": 0.1, "level": 0.9}
    if kind == "probabilities":
        given["draws"] = 200
    found = hj.gate(baseline="s3", candidate=["s0", "s1"], **given)
    same(f"gate {kind}", [found.to_dict(), found.to_text(), found.table().to_dicts()])


def scores_by_judges():
    rows = [
        {"system": s, "topic": t, "judge": j, "score": (2 * i + 3 * t + k * (t % 3)) % 5}
        for i, s in enumerate(("a-1", "a-2", "b-1", "b-2", "c-1"))
        for t in range(5)
        for k, j in enumerate("xyz")
    ]
    return hj.read_scores(rows, scale=(0, 4))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"target": "topics", "families": 2, "level": 0.8},
        {"seed_pattern": "-[0-9]$", "families": 3},
        {"target": "topics", "seed_pattern": "-[0-9]$", "panel_error": 0.1, "order": "median"},
    ],
    ids=str,
)
def test_boards_of_scores_by_judges(options):
    found = hj.leaderboard_of_scores(scores_by_judges(), draws=200, **options)
    same(f"scores {options}", [found.to_dict(), found.to_text(), mark(found.samples)])


@pytest.mark.parametrize("measure", ["AP", "GMAP", "NumRelRet", "ESL", "E(AP)"])
def test_boards_of_scores(measure):
    labels = hj.merge(small()[0], "binmv") if measure == "E(AP)" else small()[2]
    given = hj.evaluate(labels, small()[1], measure, distribution=measure == "E(AP)")
    target = "topics" if measure == "E(AP)" else "population"
    found = hj.leaderboard_of_scores(given, draws=200, target=target)
    same(f"scores {measure}", [found.to_dict(), found.to_text(), mark(found.samples)])


@pytest.mark.parametrize(
    "options",
    [
        {"kin": ["s1"]},
        {"weights": {"one": 1, "two": 3}, "target": "topics"},
        {"seed_pattern": "[12]$", "panel_error": 0},
    ],
    ids=str,
)
def test_boards_over_collections(options):
    both = {name: small(1, seed)[:2] for seed, name in enumerate(("one", "two"))}
    found = hj.leaderboards(both, "nDCG@5", draws=200, **options)
    same(f"several {options}", [found.to_dict(), found.to_text(), mark(found.samples)])


def refused():
    """Calls that are refused, and what is said about them, by name."""
    judgments, runs, truth = small()
    scores, plans = hj.evaluate(truth, runs, "AP"), planned("topics")
    made, soft = planned("influence"), hj.merge(judgments, "binmv")
    one = {"t0": small()[2].to_dict()["t0"]}
    both = dict.fromkeys(("one", "two"), (judgments, runs))
    some = hj.read_runs({"s0": {"t0": {"d1": 1.0}}, "z": {"t0": {"d1": 1.0}}})
    rows = [("t0", "d1"), ("t1", "d2")]
    return {
        "two measures": lambda: board(["AP", "RR"]),
        "expected measure": lambda: board("E(AP)"),
        "no gold": lambda: board("AP", looks=[10]),
        "one topic": lambda: hj.leaderboard(judgments.select(["t0"]), runs, "AP"),
        "few draws": lambda: board("AP", draws=99),
        "error above 1": lambda: board("AP", panel_error=1.01),
        "bad level": lambda: board("AP", level=1),
        "bad seed": lambda: board("AP", seed=-1),
        "bad order": lambda: board("AP", order="nothing"),
        "supervised": lambda: board("AP", merge="aware(supervised)"),
        "soft and gold": lambda: hj.leaderboard(hj.merge(small(3)[0], "binmv"), runs, "AP",
                                                gold=truth),
        "soft and merge": lambda: hj.leaderboard(soft, runs, "AP", "mv"),
        "plan without labels": lambda: board("AP", gold=chosen(rows), gold_design="plan"),
        "plan and design": lambda: board("AP", **made, gold_design="random"),
        "other gold": lambda: board("AP", gold={"t9": {"d1": 1}}),
        "soft gold": lambda: board("AP", gold={"t0": {"d1": 0.5}}),
        "few whole topics": lambda: board("AP", gold=one, gold_design="topics"),
        "topics and a plan": lambda: board("AP", gold=made["gold"],
                                           plan=[made["plan"], plans["plan"]]),
        "late look": lambda: board("AP", **made, looks=[5, 10]),
        "budget above pool": lambda: hj.plan(judgments, runs, "AP", 1000),
        "budget 0": lambda: hj.plan(judgments, runs, "AP", 0),
        "budget reached": lambda: hj.plan(judgments, runs, "AP", 2, have=chosen(rows)),
        "no topic fits": lambda: hj.plan(judgments, runs, "AP", 5, design="topics"),
        "gate without baseline": lambda: hj.gate(truth, runs, "", "s0"),
        "gate without candidates": lambda: hj.gate(truth, runs, "s0", []),
        "gate of one": lambda: hj.gate(truth, runs, "s0", ["s1", "s0"]),
        "gate with an infinite margin": lambda: hj.gate(truth, runs, "s0", "s1", margin=np.inf),
        "gate of others": lambda: hj.gate(truth, runs, "s0", "s9"),
        "gate without runs": lambda: hj.gate(truth, None, "s0", "s1"),
        "gate with runs": lambda: hj.gate(scores, runs, "s0", "s1"),
        "gate with gold of qrels": lambda: hj.gate(truth, runs, "s0", "s1", gold=truth),
        "gate with a margin": lambda: hj.gate(judgments, runs, "s0", "s1", margin=0.1),
        "gate of nothing": lambda: hj.gate(truth, {"s0": {"t0": {"d1": 1.0}},
                                                   "z": {"t0": {"y": 1.0}}}, "s0", "z"),
        "certain scores": lambda: hj.leaderboard_of_scores(scores, target="topics"),
        "bad pattern": lambda: hj.leaderboard_of_scores(scores, seed_pattern="("),
        "no repeats": lambda: hj.leaderboard_of_scores(scores, seed_pattern="x"),
        "whole names": lambda: hj.leaderboard_of_scores(scores, seed_pattern="s0"),
        "one collection": lambda: hj.leaderboards({"one": both["one"]}, "AP"),
        "column": lambda: hj.leaderboards(both | {"wins": both["one"]}, "AP"),
        "some gold": lambda: hj.leaderboards(both, "AP", gold={"one": truth}),
        "missing systems": lambda: hj.leaderboards({"a": both["one"], "b": (judgments, some)}, "AP",
                                                   draws=100),
        "bad weights": lambda: hj.leaderboards(both, "AP", weights={"one": 1, "two": -1}),
        "soft judges": lambda: hj.agreement_with_gold({"a": {"1": {"d": 0.5}}}, truth),
        "at least": lambda: hj.agreement_with_gold(judgments, truth, at_least=-1),
    }  # fmt: skip


def test_all_that_is_refused():
    said = {}
    for name, call in refused().items():
        with pytest.raises((HungjuryError, TypeError)) as caught:
            call()
        error = caught.value
        said[name] = [str(error), getattr(error, "code", ""), getattr(error, "argument", "")]
    same("refused", said)


def raw(name):
    """Labels of people, some odd."""
    truth = small()[2].to_dict()
    ann = {t: dict(list(labels.items())[:9]) for t, labels in truth.items()}
    graded = small(3)[2].to_dict()
    return {
        "one person": ann,
        "people": hj.read_judgments(
            {"p": ann, "q": {"t0": ann["t1"], "t9": {"d1": 1}}, "r": {"t0": ann["t2"]}}
        ),
        "below 0": {
            t: {d: v - (d == "d2") for d, v in labels.items()} for t, labels in ann.items()
        },
        "no 0": {t: {d: max(v, 1) for d, v in labels.items()} for t, labels in graded.items()},
        "all the same": {t: dict.fromkeys(labels, 1) for t, labels in ann.items()},
        "a judge": small()[0].qrels_of("ann").to_dict(),
        "outside": ann | {"t0": ann["t0"] | {"nowhere": 1}},
    }[name]


@pytest.mark.parametrize(
    "name", ["one person", "people", "below 0", "no 0", "all the same", "a judge", "outside"]
)
def test_samples_of_gold_labels(name):
    judgments = small(3 if name == "no 0" else 1)[0]
    plans = [hj.plan(*small()[:2], "AP", n, seed=s) for n, s in ((30, 1), (50, 2))]
    depth = hj.plan(*small()[:2], "RR", 50, design="depth")
    designs = [(None, None, ()), (1, "random", ()), (None, None, plans)]
    designs += [(None, "plan", [depth]), (None, None, [plans[0], depth])]
    told = []
    for rel, design, given in designs:
        weights = [plan_weights_of(one) for one in given]
        found = gold_labels(raw(name), judgments, rel, design, given, weights)
        arrays = (found.documents, found.shares, found.raters, found.probability, found.skipped,
                  found.at_least, found.mean, found.weights, found.disagreement)  # fmt: skip
        weight = None if found.weight is None else mark(found.weight)
        told.append([[mark(one) for one in arrays], weight, found.design, found.depth, found.notes])
    same(f"sample {name}", told)


def plan_weights_of(made):
    judgments, runs, _ = small()
    measures = measure_list(made.measures)
    return plan_weights(Panel.of(judgments), align(runs, judgments.pool), measures, made.design)


def test_declared_options():
    same("options", {
        name: [one.default, one.kind, one.metavar, one.recorded, one.flag, one.low, one.high,
               one.open_high, one.choices]
        for name, one in (BOARD | PLAN).items()
    })  # fmt: skip
    assert BOARD["looks"].parse("100,200") == [100, 200]
    with pytest.raises(ValueError, match="'1,x': write integers as 100,200,500"):
        BOARD["looks"].parse("1,x")
    assert board("P@5", level=0.9, order="0.25").settings.to_dict()["order"] == 0.25
    same("settings", board("P@5", rel=1, families="^[a-z]+").settings)


def test_several_measures_and_groups(tmp_path):
    path = tmp_path / "groups.csv"
    rows = ["t0,a", "t1,a", "t2,b", "t3,b", "t2,b", "t9,none", "t4,one"]
    path.write_text("\n".join(["topic,kind", *rows]) + "\n")
    slices = read_slices(str(path))
    judgments, runs, _ = small()

    def rank(measure, topics):
        given = judgments if topics is None else judgments.select(topics)
        return hj.leaderboard(given, runs, measure, draws=100)

    found = Boards.of(["nDCG@5", "P@5"], slices, rank)
    alone = Boards.of(["P@5"], {}, rank)
    told = [slices, found.to_dict(), found.to_text(), found.table().to_dicts(), alone.to_text()]
    together = replace(found.board, settings=replace(found.board.settings, together=True))
    told += [alone.to_dict()["multiplicity"], replace(found, board=together).multiplicity]
    same("groups", told)
    assert found.notes == found.board.notes


@pytest.mark.parametrize("text", ["a,b,c\n1,2,3\n", "topic,x,y\nt1,2,3\n", "topic\nt1\n"])
def test_tables_without_groups(text, tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text(text)
    with pytest.raises(HungjuryError) as caught:
        read_slices(str(path))
    same(f"no groups {text!r}", str(caught.value).replace(str(path), "FILE"))


def test_what_would_help(monkeypatch):
    steps = {"own view": board("P@5", panel_error=0), "given": soft_board()}
    steps["one system"] = hj.leaderboard(small()[0], {"s": {"t0": {"d1": 1.0}}}, "AP", draws=100)
    steps["families"] = renamed("P@5", panel_error=None)
    steps["declared"] = board("P@5", families={"ann": "x", "bob": "y", "cat_1": "z"})
    steps["gold"] = board("P@5", **planned("influence", measure="P@5"))
    steps["apart"] = board("P@5", panel_error=1e-9, level=0.5, target="topics")
    told = {name: [one.steps, one.pairs_apart] for name, one in steps.items()}
    monkeypatch.setattr(evidence, "MOST_COMPARED", 3)
    told["many systems"] = board("P@5").steps
    told["no outlook"] = board("P@5", outlook=False).steps
    same("steps", told)


def soft_board(**options):
    judgments, runs, _ = small()
    return hj.leaderboard(hj.merge(judgments, "binmv"), runs, "AP", draws=200, **options)


def renamed(measure, **options):
    judgments, runs, _ = small()
    names = dict(zip(judgments.judges, ["gpt-a", "gpt-b", "llama-a", "llama-b"], strict=True))
    given = {name: judgments.qrels_of(j).to_dict() for j, name in names.items()}
    return hj.leaderboard(given, runs, measure, draws=200, level=0.6, grades=range(2), **options)


@pytest.mark.parametrize("options", [{}, {"target": "topics"}, {"panel_error": 0.05}], ids=str)
def test_probabilities_of_one_source(options):
    same(f"given {options}", told(soft_board(**options)))


def test_texts():
    found, other = board("nDCG@5", kin=["s1"]), board("ESL", together=True, panel_error=0)
    looked = board("P@5", **planned("influence", measure="P@5"), looks=[20, 30, 60])
    plans = hj.plan(*small()[:2], "AP", 12, have=chosen([("t1", "d3"), ("t2", "d4")]))
    gates = hj.gate(small()[2], small()[1], "s0", ["s1", "s2"])
    same("texts", {
        **{f"{name} {i}": getattr(one, name)()
           for i, one in enumerate((found, other, looked, plans, gates))
           for name in ("to_markdown", "to_latex", "to_html")},
        "names": [repr(found), repr(looked), repr(plans)],
        "rules": [found.rule, other.rule, looked.rule],
        "rows": [one.letters for one in found.rows()],
        "found": [found.groups, found.as_given, soft_board().as_given, looked.correction.to_dict()],
        "digits": [found.to_text(1), found.to_markdown(2), found.to_latex(1), found.to_html(5)],
        "gates": [gates.passed, [one.passed for one in gates], gates.notes],
    })  # fmt: skip


def test_pages_say_what_they_were_given(monkeypatch, tmp_path):
    given = []
    monkeypatch.setattr(
        boards, "in_report", lambda name: lambda *a, **k: given.append((name, k)) or ""
    )
    found = board("P@5")
    found.write_page(tmp_path / "page.html", queries="q", documents="d", title="t", author="a", x=1)
    words = {"queries": "q", "documents": "d", "title": "t", "author": "a", "dataset": "", "x": 1}
    assert given == [("page.page", words)]
    assert (tmp_path / "page.html").read_text() == ""


def test_blocks_of_draws_give_the_same_board(monkeypatch):
    whole = finite(told(board("P@5", panel_error=0)))
    monkeypatch.setattr(draws, "NUMBERS_AT_ONCE", 1)
    parts = finite(told(board("P@5", panel_error=0)))
    assert list(differences(parts, whole, "blocks")) == []


def test_common_systems_and_notes_of_collections():
    judgments, runs, _ = small()
    fewer = {s: lists for s, lists in runs.to_dict().items() if s != "s3"}
    both = {"one": (judgments, runs), "two": (small(1, 1)[0], fewer)}
    found = hj.leaderboards(both, "P@5", common=True, draws=200, level=0.9, order=0.3)
    same("common", [found.to_dict(), found.to_text(), found.about, found.collection_means()])


def test_plans_are_read_back_or_refused(tmp_path):
    path = tmp_path / "plan.csv"
    made = hj.plan(*small()[:2], ["nDCG@5", "AP"], 20, seed=1, have=chosen([("t1", "d3")]))
    made.write(path)
    found = hj.Plan.read(path)
    assert found.to_csv() == made.to_csv() == path.read_text()
    assert (found.seed, found.budget, found.design, found.pool_topics) == (1, 20, "influence", 6)
    text, said = path.read_text(), {}
    lines = text.splitlines(keepends=True)
    cells = lines[-1].split(",")
    for name, changed in {
        "empty": "",
        "other": "x\n" + text,
        "columns": text.replace("probability,order", "order,probability"),
        "no seed": text.replace("# seed: 1\n", ""),
        "seed": text.replace("# seed: 1\n", "# seed: 2\n"),
        "design": text.replace("# design: influence", "# design: other"),
        "order": text.replace(lines[-1], ",".join([*cells[:3], "99", *cells[4:]])),
        "weight": text.replace(lines[-1], ",".join([*cells[:4], "0", *cells[5:]])),
        "priority": text.replace(lines[-1], ",".join([*cells[:5], "0", *cells[6:]])),
    }.items():
        path.write_text(changed)
        with pytest.raises(HungjuryError) as caught:
            hj.Plan.read(path)
        said[name] = str(caught.value).replace(str(path), "FILE")
    same("plans refused", said)


def soft_judges(*names):
    """Judges who give probabilities."""
    given = small()[0]
    return {
        name: {
            topic: {d: 0.2 + 0.55 * v + 0.02 * (len(d + topic) % 3) for d, v in labels.items()}
            for topic, labels in given.qrels_of(name).to_dict().items()
        }
        for name in names
    }


@pytest.mark.parametrize("merge", ["soft", "aware", "em-mv", "one judge"])
def test_gold_beside_other_panels(merge):
    judgments, runs, _ = small()
    given, options = judgments, {"merge": merge, "gold_design": "random"}
    gold = chosen((f"t{d % 5}", f"d{d // 5}") for d in range(60))
    if merge in ("soft", "one judge"):
        del options["merge"]
        given = soft_judges("ann", "bob") if merge == "soft" else {"ann": judgments.qrels_of("ann")}
    found = hj.leaderboard(given, runs, "P@5", draws=200, gold=gold, **options)
    same(f"gold beside {merge}", told(found))


@pytest.mark.parametrize("which", ["reversed", "few", "many", "constant", "alone"])
def test_gold_that_the_panel_does_not_match(which):
    judgments, runs, truth = small()
    gold = chosen((f"t{d % 6}", f"d{d // 6}") for d in range(66 if which == "many" else 24))
    if which == "reversed":
        gold = {t: {d: 1 - v for d, v in labels.items()} for t, labels in gold.items()}
    given = {j: judgments.qrels_of(j).to_dict() for j in judgments.judges}
    if which == "constant":
        given["cat_2"] = {t: dict.fromkeys(labels, 0) for t, labels in given["ann"].items()}
        runs = hj.read_runs(runs.to_dict() | {"empty": {"t99": {"d1": 1.0}}})
        gold = None
    if which == "alone":
        given = {"ann": given["ann"], "bob": {"t0": given["bob"]["t0"]}}
        given["turned"] = {
            t: {d: 1 - v for d, v in one.items()} for t, one in truth.to_dict().items()
        }
    design = None if gold is None else "random"
    measure = "P@5" if which == "many" else "nDCG@5"
    options = {"gold": gold, "gold_design": design, "grades": range(2), "level": 0.6}
    same(f"unlike {which}", told(hj.leaderboard(given, runs, measure, draws=200, **options)))


@pytest.mark.parametrize("name", ["strata", "depth", "twins", "shown"])
def test_sizes_that_small_collections_do_not_reach(name, monkeypatch):
    judgments, runs, _ = small()
    options = {"merge": "em-mv"} if name == "strata" else {}
    monkeypatch.setattr(label_model, "DOCUMENTS_EACH", 15)
    monkeypatch.setattr(label_model, "FEW", 10)
    monkeypatch.setattr(panel_error, "MEASURED_DEPTH", 4)
    if name == "shown":
        monkeypatch.setattr(evidence, "WORK", 20_000)
        options = {"panel_error": 0, "target": "topics"}
    elif name == "twins":
        lists = runs.to_dict()
        runs, options = lists | {"twin": lists["s0"]}, {"gold": planned("uniform")["gold"]}
    seen = []
    count = (lambda *told: seen.append(told)) if name == "strata" else None
    measure = "AP" if name == "depth" else "P@5"
    found = hj.leaderboard(
        judgments, runs, measure, draws=200, level=0.6, **options, progress=count
    )
    drawn = [one for one in seen if one[2] == "drawing labels"]
    same(f"size {name}", [told(found), drawn, found.evidence.label_sets(True)[1][:, 0]])


def test_judges_with_little_in_common_with_gold():
    judgments, _, truth = small()
    some = chosen((f"t{d % 3}", f"d{d // 3}") for d in range(12))
    given = {j: judgments.qrels_of(j).to_dict() for j in judgments.judges}
    given["late"] = {"t5": {"d1": 1, "d2": 0}}
    found = hj.agreement_with_gold(given, some)
    alone = hj.agreement_with_gold({"ann": given["ann"]}, some, rel=1)
    short = hj.agreement_with_gold(given, {"t0": {"d0": truth.to_dict()["t0"]["d0"]}})
    same("little gold", [one for each in (found, alone, short) for one in (each, each.to_text())])


def test_sizes_that_were_measured():
    judgments, runs, _ = small()
    names = [name for name in vars(panel_error) if name.isupper() and name != "LINEAR"]
    ranks = [(name, longest) for name in ("P@5", "RR", "ERR", "AP", "Bpref") for longest in (9, 99)]
    told = {name: getattr(panel_error, name) for name in names}
    told |= {str(one): sizes_for(hj.measure(one[0]), one[1], 1) for one in ranks}
    told["one judge"] = hj.leaderboard(
        {"ann": judgments.qrels_of("ann")}, runs, "RR", draws=200, level=0.6
    )
    made = [hj.plan(judgments, runs, name, 20) for name in ("GMAP", "NumRelRet", "ESL")]
    same("measured", told | {"expected": [one.expected for one in made]})
