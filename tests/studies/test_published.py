"""Numbers that the papers print, and collections of the papers with printed beside measured."""

from __future__ import annotations

import ast
import csv
import io
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from hungjury.cli.main import hungjury
from hungjury.data.alignment import align
from hungjury.studies.data import (
    Facts,
    Sources,
    collection_facts,
    judged_depths,
    read_collections,
    study_data,
)
from hungjury.studies.engines import Engine
from hungjury.studies.papers import published
from hungjury.studies.papers import random_relevance as relevance_beside
from hungjury.studies.papers.crowd import printed_claims
from hungjury.studies.recipe import Study, run_study

COLLECTIONS = ("TREC 7", "TREC 8", "TREC 10", "TREC 14")


@pytest.fixture(scope="module")
def thesis(shared_data: Path) -> list[str]:
    path = shared_data.parent / "papers" / "user-signals-and-stochastic-models-thesis.txt"
    if not path.exists():
        pytest.skip(f"no text of the thesis at {path}")
    return path.read_text().splitlines()


def rows_below(lines: list[str], caption: str, number: int) -> list[list[str]]:
    """The cells of the lines after a caption."""
    place = next(i for i, line in enumerate(lines) if line.startswith(caption))
    return [line.split("\t") for line in lines[place : place + number] if "\t" in line]


# claims


LINES = {"claim", "quantity", "formula", "case", "if", "for"}
MADE_OF = (ast.Call, ast.Name, ast.Load, ast.Constant, ast.BinOp, ast.Add, ast.Sub)


def test_claims_have_words_and_a_formula_of_sums_and_calls() -> None:
    for name, text in published._parts("claims.txt").items():
        for paragraph in re.split("\n\n+", text.strip()):
            said = dict(line.split(": ", 1) for line in paragraph.split("\n"))
            assert {"claim", "quantity", "formula"} <= set(said) <= LINES, (name, paragraph)
            formula = ast.parse(said["formula"], mode="eval").body
            assert all(isinstance(part, MADE_OF) for part in ast.walk(formula)), said["formula"]


# as in print


def test_tables_5_1_and_5_2_are_the_thesis_s(thesis: list[str]) -> None:
    for name, *cells in rows_below(thesis, "Table 5.1 Main", 8)[1:]:
        assert published.numbers("thesis 5.1")[name] == tuple(map(float, cells))
    for name, *cells in rows_below(thesis, "Table 5.2 Kendall", 8)[1:]:
        mine = published.thesis_tau(name)
        for column, cell in zip(published.COLUMNS, cells, strict=True):
            found = mine["AP", column]
            assert float(cell.rstrip("*")) == found.value
            assert cell.endswith("*") == bool(found.marks)


def test_table_5_3_is_the_thesis_s(thesis: list[str]) -> None:
    seen = 0
    pair: tuple[str, str] = ("", "")
    rows: list[str] = []
    tables = {name: published.thesis_tau(name) for name in COLLECTIONS}
    for name, *cells in rows_below(thesis, "Table 5.3 Kendall", 46):
        if not name:
            found = re.findall(r"TREC \d+", "\t".join(cells))
            pair, rows = (found[0], found[1]) if found else pair, []
            continue
        model = f"MP {name.removeprefix('MP ')}"
        if model in rows:
            model = model.replace("_ID", "_LID")
        rows.append(model)
        for column, cell in enumerate(cells):
            printed = tables[pair[column // 5]][model, published.COLUMNS[column % 5]]
            assert f"{printed.value:.4f}{printed.marks}" == cell
            seen += 1
    assert seen == 2 * 16 * 10


def test_table_5_4_and_the_pages_are_the_thesis_s(thesis: list[str]) -> None:
    for name, *cells in rows_below(thesis, "Table 5.4 Estimated", 8)[1:]:
        assert published.numbers("thesis 5.4")[re.sub("[(),]", "", name)] == tuple(
            map(float, cells)
        )
    listed = thesis[thesis.index("# List of tables") :]
    for number, page in published.PAGES.items():
        line = next(row for row in listed if row.startswith(f"{number}\t"))
        assert line.endswith(f"\t{page}")


def test_tables_of_graded_average_precision_are_the_paper_s(shared_data: Path) -> None:
    path = shared_data.parent / "papers" / "extended-graded-average-precision.txt"
    if not path.exists():
        pytest.skip(f"no text of the paper at {path}")
    lines = path.read_text().splitlines()
    features = {name: values for name, *values in rows_below(lines, "Table 1. Main", 16)}
    assert features["Feature"] == list(published.numbers("graded 1"))
    for i, facts in enumerate(published.numbers("graded 1").values()):
        names = ("# Topics (few highly rel/key)", "# Runs (above 1Q in terms of MAP)",
                 "Relevance Degrees", "Minimum # Relevant", "Average # Relevant",
                 "Maximum # Relevant")  # fmt: skip
        assert facts == tuple(float(features[n][i].partition(" ")[0]) for n in names)
    seen = 0
    tables = {name: published.graded_tau(name) for name in ("TREC 10", "TREC 14", "TREC 21")}
    for caption, number, collections in (
        ("Table 2. Kendall", 50, ("TREC 10", "TREC 14")), ("Table 3. Kendall", 100, ("TREC 21",)),
    ):  # fmt: skip
        g: tuple[float, ...] = ()
        for name, *cells in rows_below(lines, caption, number):
            if name.startswith(("(0", "(1")):
                g = tuple(map(float, name.strip("()").split(",")))
            elif name.endswith("GAP"):
                for column, cell in enumerate(cells):
                    mine = tables[collections[column // 5]]
                    other = ("GAP", "AP", "nDCG", "RBP", "bpref")[column % 5]
                    assert mine[g, name, other] == tuple(map(float, cell.split("/")))
                    seen += 1
    assert seen == 5 * (2 * 11 * 3 + 21 * 3)


def test_tables_of_crowd_judges_are_the_paper_s(shared_data: Path) -> None:
    path = shared_data.parent / "papers" / "stochastic-relevance-for-crowdsourcing.txt"
    if not path.exists():
        pytest.skip(f"no text of the paper at {path}")
    lines = path.read_text().splitlines()
    mine = {tuple(row[:3]): row[3:] for row in published.rows_of("crowd 1")}
    seen = 0
    for gold, measure, *cells in (r for r in rows_below(lines, "Table 1.", 14) if r[0]):
        for systems, both in (("T08", cells[:2]), ("T13", cells[2:])):
            numbers = [n for cell in both for n in cell.split(r" \pm ")]
            assert mine[systems, gold, measure] == numbers
            seen += 1
    assert seen == len(mine) == 18
    printed = [r for r in rows_below(lines, "Table 2.", 51) if len(r) == 9 and r[1]]
    stored = published.rows_of("crowd 2")
    assert len(stored) == len(printed) == 42
    for theirs, (_, _, merge, measure, *values) in zip(printed, stored, strict=True):
        assert theirs[1:] == [f"{merge} {measure}", *values]
    assert [row[1] for row in stored] == (["DGS"] * 5 + ["RGS"] * 2) * 6


def test_tables_4_1_to_4_4_are_the_thesis_s(thesis: list[str]) -> None:
    listed = thesis[thesis.index("# List of tables") :]
    for number in ("4.1", "4.2", "4.3", "4.4"):
        mine = published.rows_of(f"thesis {number}")
        theirs = [
            row for row in rows_below(thesis, f"Table {number} ANOVA", 16) if row[0][:1] == "<"
        ]
        assert len(mine) == len(theirs)
        for (source, *cells), (name, *printed) in zip(mine, theirs, strict=True):
            assert source.rstrip("s") == name[3:-4].rstrip("s")
            plain = [cell.replace(",", "").replace(" ", "") or "-" for cell in printed]
            assert cells == plain[: len(cells)]
            assert set(plain[len(cells) :]) <= {"-"}
        sums = {source: float(cells[0]) for source, *cells in mine}
        assert sum(sums.values()) - sums["Total"] == pytest.approx(sums["Total"], abs=6e-4)
        line = next(row for row in listed if row.startswith(f"{number}\t"))
        assert line.endswith(f"\t{published.PAGES[number]}")


def test_power_is_that_of_the_paper_on_random_relevance(shared_data: Path) -> None:
    """Section 4.2: name (DP = 75.44% on T14 and DP = 66.10% on T21)."""
    path = shared_data.parent / "papers" / "random-relevance-measures.txt"
    if not path.exists():
        pytest.skip(f"no text of the paper at {path}")
    (text,) = [line for line in path.read_text().splitlines() if "DP = 75.44%" in line]
    number = r"([\d.]+)%(?:–([\d.]+)%)?"
    said = re.findall(rf"(\w+)(?: case)? \(DP = {number} on T14 and DP = {number} on T21\)", text)
    printed = {}
    for name, *numbers in said:
        key = ("eRAP-2", name) if name in ("medium", "lenient") else (name, "")
        low_14, high_14, low_21, high_21 = numbers
        ends = [("least", low_14, low_21), ("largest", high_14, high_21)] if high_14 else []
        for which, *both in ends or [("", low_14, low_21)]:
            case = "all" if which else key[1]
            printed[key[0], case, which] = tuple(map(float, both))
    mine = {}
    for *words, first, second in published.rows_of("relevance power"):
        name, case, which = ("" if word == "-" else word for word in words)
        mine[name, case, which] = (float(first), float(second))
    assert mine == printed
    assert len(mine) == 13
    section = path.read_text()
    assert "50 topics" in section
    for name, runs, documents in (("T14", 58, "1,000"), ("T21", 27, "10,000")):
        assert f"{runs} runs were submitted, retrieving {documents} documents" in section
        topics, numbers, _, length = published.numbers("relevance collections")[name]
        assert (topics, numbers, f"{length:,.0f}") == (50, runs, documents)


# misprints


def test_cells_that_repeat_their_neighbours_are_listed() -> None:
    """Exactly equal neighbours, in rows that are printed once."""
    listed = {
        (where, f"MP {model}") for _, where, model, *_ in published.rows_of("thesis misprints")
    }
    found = set()
    for collection in COLLECTIONS:
        cells = published.thesis_tau(collection)
        for model in dict.fromkeys(row for row, _ in cells):
            values = [cells[model, column].value for column in published.COLUMNS]
            if any(a == b for a, b in pairwise(values)):
                found.add((collection, model))
    # TREC 7's LO_AD models have 0.7706 with P@10 and with Rprec, as likely as 0.77 and 0.77 are.
    possible = {("TREC 7", "MP LO_AD_ID"), ("TREC 7", "MP LO_AD_LID")}
    assert found - possible == listed - {("TREC 10", "MP GL_OR_ID@Rec(T)")}


def test_the_evidence_for_misprints() -> None:
    seven, ten, fourteen = (published.thesis_tau(name) for name in ("TREC 7", "TREC 10", "TREC 14"))
    row = "MP GL_OR_ID@Rec(T)"
    assert [ten[row, c].value for c in published.COLUMNS] == [
        seven[row, c].value for c in published.COLUMNS
    ]

    def others(cells: Any, inside: str, but: set[str]) -> list[float]:
        rows = {r for r, _ in cells if re.search(inside, r)} - but
        return [cells[r, "RBP"].value for r in rows]

    for cells, inside, but, low, high, wrong in (
        (seven, r"_OR_L?ID$", {"MP GL_OR_ID"}, 0.785, 0.845, 0.7689),
        (ten, "Rec", {"MP GL_AD_ID@Rec(T)", row}, 0.715, 0.765, 0.8771),
        (fourteen, "Rec", {"MP GL_AD_LID@Rec(T)"}, 0.705, 0.745, 0.8397),
    ):
        values = others(cells, inside, but)
        assert low < min(values) <= max(values) < high
        assert not low < wrong < high


# Collections of the papers: recognised by their facts, with printed beside measured numbers.


ALONE = Engine("local", 1)
TREC_8 = Facts(50, 129, 129, 1000, 100, 73, 2, 6, 94.56, 347)
NEAR = 0.001  # measured and printed

# facts


def test_facts_by_loops() -> None:
    made = hj.simulate(systems=5, topics=4, documents=60, depth=12, grades=3, seed=4)
    gold = made.gold
    lists = align(made.runs, gold.pool)
    found = collection_facts(gold, lists, rel=2)
    judged = {t: set() for t in gold.topics}
    relevant = dict.fromkeys(gold.topics, 0)
    for topic, documents in gold.to_dict().items():
        for document, grade in documents.items():
            judged[topic].add(document)
            relevant[topic] += grade >= 2
    depths = []
    for system in lists.systems:
        depth = lists.longest
        for topic, documents in made.runs.to_dict()[system].items():
            ranked = sorted(documents, key=lambda d, s=documents: (-s[d], d))
            gaps = [i for i, d in enumerate(ranked) if d not in judged[topic]]
            depth = min(depth, gaps[0] if gaps else lists.longest)
        depths.append(depth)
    assert judged_depths(lists).tolist() == depths
    assert (found.topics, found.runs, found.complete) == (4, 5, 5)
    assert (found.least, found.most) == (min(relevant.values()), max(relevant.values()))
    assert found.mean == pytest.approx(np.mean(list(relevant.values())))


def test_pool_depth_of_a_pool_that_is_known() -> None:
    """Pooled to rank 4: three runs; not pooled: two; judged to its end: a short one."""
    documents = [f"d{i}" for i in range(40)]
    orders = {
        "a": documents[:8], "b": documents[8:16], "c": documents[16:24], "late": documents[32:],
        "lucky": [*documents[:2], *documents[24:30]], "short": documents[:3],
    }  # fmt: skip
    runs = {
        name: {"1": {d: float(-i) for i, d in enumerate(order)}} for name, order in orders.items()
    }
    pool = {d for name in "abc" for d in orders[name][:4]}
    qrels = hj.read_qrels({"1": {d: int(d in documents[:3]) for d in pool}})
    lists = align(hj.read_runs(runs), qrels.pool)
    depths = dict(zip(lists.systems, judged_depths(lists).tolist(), strict=True))
    assert depths == {"a": 4, "b": 4, "c": 4, "late": 0, "lucky": 2, "short": 8}
    found = collection_facts(qrels, lists)
    assert (found.length, found.depth, found.pooled, found.most) == (8, 4, 4, 3)


# recognised


def test_a_collection_is_recognised_by_its_facts() -> None:
    assert published.recognised("thesis 5.1", TREC_8) == "TREC 8"
    for other in (
        {"topics": 49}, {"complete": 128}, {"least": 7}, {"mean": 94.58}, {"most": 346},
    ):  # fmt: skip
        assert published.recognised("thesis 5.1", Facts(**{**vars(TREC_8), **other})) is None


def test_other_collections_have_no_published_numbers(tmp_path: Path) -> None:
    hj.simulate(systems=4, topics=3, documents=40, depth=9).write(tmp_path / "demo")
    sources = Sources.in_folder(tmp_path / "demo")
    study = run_study("markov(repetitions=1, rates=[0.5])", sources, tmp_path, engine=ALONE)
    names = list(study.report.tables)
    assert names == ["table-5.1", "table-5.2", "table-5.3", "table-5.4", "figure-5.5", "figure-5.6",
                     "finite-users"]  # fmt: skip


def test_claims_of_the_crowd_paper_on_its_own_numbers() -> None:
    """By hand from Tables 1 and 2."""
    t08 = {(one.case, one.text): one.quantity.value for one in printed_claims("T08")}
    nearer = "Random measures against RGS are nearer to gold than measures against DGS"
    gains = [t08[name, nearer] for name in ("AP", "DCG", "RBP")]
    assert gains == pytest.approx([0.0098, 0.0778, 0.0018])
    few = (0.6422 + 0.6374 + 0.7109 + 0.6811 - 0.6211 - 0.6138 - 0.7065 - 0.6661) / 4
    assert t08["RBP", "With eRRBP, BINMV improves over MV for few judges"] == pytest.approx(few)
    many = "MV is the best merge of labels or measures of many judges"
    assert t08["AP", many] == pytest.approx((0.7979 + 0.8103 - 0.7522 - 0.7443) / 2)


def test_a_collection_of_the_graded_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulated collection that is taken for TREC 10: printed numbers beside its own."""
    hj.simulate(systems=6, topics=4, documents=60, depth=20, grades=3, seed=3).write(tmp_path / "d")
    recipe = "graded-ap(repetitions=1, rates=[0.5])"
    sources = Sources.in_folder(tmp_path / "d", grades=range(3))
    plain = run_study(recipe, sources, tmp_path, engine=ALONE)
    assert list(plain.report.tables) == ["table-1", "table-2", "figure-1", "power"]
    monkeypatch.setattr(published, "recognised", lambda table, facts: "TREC 10")
    study = run_study(recipe, sources, tmp_path, engine=ALONE)
    rows = table(study, "table-2-published")
    assert len(rows) == 11 * 3 * 5 * 2
    mine = {(r["g"], r[""]): r for r in table(study, "table-2")}
    for row in rows:
        head = {"bpref": "Bpref", "RBP": "RBP(p=0.8)", "nDCG": "nDCG(base=10)"}
        cell = mine[row["g"], row[""]][head.get(row["with"], row["with"])]
        value = cell.values[0 if row["topics"] == "all topics" else 1]
        if row["value"] is None:
            assert value != value
        else:
            assert row["value"] == value
            assert row["difference"] == pytest.approx(value - row["published"], abs=1e-12)
    g = next(r for r in rows if (r["g"], r[""], r["with"]) == ("(0.1, 0.9)", "xGAP", "AP"))
    assert (g["topics"], g["published"]) == ("all topics", 0.73)


@pytest.mark.long
def test_a_collection_of_the_paper_on_random_relevance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A simulated collection that is taken for T21: printed numbers beside its own."""
    hj.simulate(systems=6, topics=4, documents=60, depth=20, grades=4, seed=3).write(tmp_path / "d")
    recipe = "random-relevance(repetitions=1, rates=[0.5], samples=40, topic_samples=3)"
    sources = Sources.in_folder(tmp_path / "d", grades=range(4))
    plain = run_study(recipe, sources, tmp_path, engine=ALONE)
    assert "figure-3-published" not in plain.report.tables
    monkeypatch.setattr(published, "recognised", lambda table, facts: "T21")
    study = run_study(recipe, sources, tmp_path, engine=ALONE)
    rows = {(r["measure"], r["case"], r[""]): r for r in table(study, "figure-3-published")}
    assert len(rows) == 13
    power = {(r["case"], r["measure"]): r["100%"] for r in table(study, "figure-3")}
    assert rows["eRAP-2", "medium", ""]["value"] == power["medium", "eRAP-2"]
    assert rows["eRAP-2", "medium", ""]["published"] == pytest.approx(0.6724)
    assert rows["ERR", "", ""]["value"] == power["hard", "ERR"]
    for name, which, chosen in (("GAP", "least", min), ("eRAP", "largest", max)):
        every = [value for (_, one), value in power.items() if one.startswith(name)]
        row = rows[name, "all", which]
        assert row["value"] == chosen(every)
        assert row["difference"] == pytest.approx(row["value"] - row["published"])
    assert len(set(power.values())) > 5


def test_random_relevance_s_collections_by_their_numbers() -> None:
    there = {"complete": 27, "depth": 20, "pooled": 20, "least": 1, "mean": 2.0, "most": 9}
    t21 = Facts(topics=50, runs=27, grades=4, length=10_000, **there)
    assert published.recognised("relevance collections", t21) == "T21"
    for other in ({"topics": 49}, {"runs": 28}, {"grades": 3}, {"length": 1000}):
        assert (
            published.recognised("relevance collections", Facts(**{**vars(t21), **other})) is None
        )


def test_claims_about_power_on_the_printed_numbers() -> None:
    """eRAP-2, medium, beside nDCG; claims that need a number which is not printed have none."""
    expected = {"T14": 0.7792 - 0.7544, "T21": 0.6724 - 0.6610}
    for name, claims in relevance_beside.printed_claims().items():
        found = {one.text: one.quantity.value for one in claims
                 if not np.isnan(one.quantity.value)}  # fmt: skip
        assert found == {
            "eRAP-2 has more power than nDCG, bpref and infAP": pytest.approx(expected.pop(name))
        }
    assert not expected


@pytest.mark.long
def test_judges_and_systems_of_the_papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulated judges that are taken for those of TREC 2012."""
    for name, seed in (("one", 1), ("other", 2)):
        made = hj.simulate(systems=4 + seed, topics=3, documents=40, depth=15, seed=seed)
        made.write(tmp_path / name)
    sources = read_collections([str(tmp_path / "one"), str(tmp_path / "other")])
    judges = len(study_data(sources[0]).judgments.judges)
    crowd = "crowd(tuples=2, resamples=20)"
    aware = "aware(sizes=[2, 3], tuples=2, replicates=2, resamples=20)"
    plain = run_study(crowd, sources, tmp_path, engine=ALONE)
    assert not [name for name in plain.report.tables if "published" in name]
    systems = {"T08": (judges, 3, 5), "T13": (judges, 3, 6)}
    monkeypatch.setattr(published, "numbers", lambda table: systems)
    study = run_study(crowd, sources, tmp_path, engine=ALONE)
    first, second = (table(study, f"table-{n}-published") for n in (1, 2))
    assert len(first) == 18 * 2
    row = next(r for r in first if (r["systems"], r["gold"], r["measure"], r[""])
               == ("T13", "RGS", "eRAP", "tau_ap"))  # fmt: skip
    assert row["published"] == 0.6056
    mine = [r for r in table(study, "table-1") if r["systems"] == "other" and r["gold"] == "RGS"]
    assert row["value"] == next(r for r in mine if "eRAP" in r["measure"])["mean tau_ap"]
    sizes = {r["M"] for r in second}
    assert len(second) == 42 * len(sizes)
    row = next(
        r for r in second if tuple(list(r.values())[:5]) == ("T08", "RGS", "QBINMV", "eRRBP", 3)
    )
    assert row["published"] == 0.6279
    assert row["difference"] == pytest.approx(row["value"] - row["published"], abs=1e-12)
    study = run_study(aware, sources, tmp_path, engine=ALONE)
    for number, sources_of_variance in (("4.1", 9), ("4.4", 11)):
        rows = table(study, f"table-{number}-published")
        assert len({r["Source"] for r in rows}) == sources_of_variance
        found = {r["Source"]: r for r in table(study, f"table-{number}")}
        for r in rows:
            assert r["value"] == found[r["Source"]][r[""]]
    assert sum("of the papers, by its numbers of judges" in r for r in study.report.remarks) == 2


@pytest.fixture(scope="module")
def trec8(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = shared_data / "trec8"
    if not folder.exists():
        pytest.skip(f"no TREC 8 at {folder}")
    out = tmp_path_factory.mktemp("trec8")
    sources = Sources.in_folder(folder)
    return run_study("markov(repetitions=1, rates=[0.1], lists=3)", sources, out, engine=ALONE)


def table(study: Study, name: str) -> list[dict[str, Any]]:
    return list(study.report.tables[name])


@pytest.mark.long
def test_trec_8_beside_the_thesis(trec8: Study) -> None:
    assert any("gold is TREC 8 of the thesis" in remark for remark in trec8.report.remarks)
    assert [row["difference"] for row in table(trec8, "table-5.1-published")] == [0.0] * 5
    second, third = (table(trec8, f"table-{n}-published") for n in ("5.2", "5.3"))
    assert (len(second), len(third)) == (5, 80)
    for row in second + third:
        assert row["difference"] == pytest.approx(row["value"] - row["published"], abs=1e-12)
        if not row["misprint"]:
            assert abs(row["difference"]) < NEAR, row
    wrong = [row for row in third if row["misprint"]]
    assert {row[""] for row in wrong} == {"MP LO_OR_ID@Rec(T)"}
    assert all(abs(row["difference"]) > NEAR for row in wrong)


@pytest.mark.first
@pytest.mark.long
@pytest.mark.usefixtures("svg_only")
def test_trec_8_as_published_is_the_thesis_to_the_digit(shared_data: Path, tmp_path: Path) -> None:
    """Scores in single precision, means to 4 decimals, tau cut to 4 decimals."""
    folder = shared_data / "trec8"
    if not folder.exists():
        pytest.skip(f"no TREC 8 at {folder}")
    command = ["study", "markov", "--data", str(folder), "--as-published", "-o", str(tmp_path),
               "--rates", "0.1", "--repetitions", "1", "--lists", "3", "--jobs", "1",
               "--quiet"]  # fmt: skip
    found = CliRunner().invoke(hungjury, command)
    assert found.exit_code == 0, found.output
    rows = []
    (page,) = (tmp_path / "markov").glob("*/index.html")
    for number in ("5.2", "5.3"):
        text = page.with_name(f"table-{number}-published.csv").read_text()
        rows += list(csv.DictReader(io.StringIO(text)))
    others = {(r[""], r["with"]): r["value"] for r in rows
              if not r["misprint"] and float(r["value"]) != float(r["published"])}  # fmt: skip
    assert others == {("MP GL_AD_ID@Rec(T)", "RBP"): "0.7937"}
    row = {r["with"]: r for r in rows if r[""] == "MP LO_OR_ID@Rec(T)"}
    values = [float(row[name]["value"]) for name in published.COLUMNS]
    assert values == [0.9195, 0.8714, 0.8987, 0.9127, 0.8619]
    assert [row[name]["recovered"] for name in published.COLUMNS] == [
        "",
        "0.8714",
        "0.8987",
        "0.9127",
        "",
    ]
    page = page.read_text()
    assert "Of the 79 numbers" in page
    assert "78 are the same to the fourth digit" in page


@pytest.mark.long
def test_the_misprinted_row_is_shifted(trec8: Study) -> None:
    rows = [r for r in table(trec8, "table-5.3-published") if r[""] == "MP LO_OR_ID@Rec(T)"]
    for row, following in pairwise(rows):
        assert row["value"] == pytest.approx(following["published"], abs=NEAR)
    (listed,) = table(trec8, "misprints")
    assert listed["row"] == "LO_OR_ID@Rec(T)"
