"""The doctor tells files by their content, lists all problems at once, and says what to do next."""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hungjury as hj
from builders.commands import hungjury, run

TOPICS, DOCUMENTS = [str(t) for t in range(101, 105)], [f"d{i}" for i in range(8)]
JUDGES, SYSTEMS = ("gpt", "llama", "mistral"), ("bm25", "dense")
CHANCE = random.Random(5)
TRUTH = {(t, d): CHANCE.choice([0, 0, 1, 2, 3]) for t in TOPICS for d in DOCUMENTS}
VOTES = [
    (j, t, d, max(0, min(3, v + CHANCE.choice([0, 0, 0, 1, -1]))))
    for j in JUDGES
    for (t, d), v in TRUTH.items()
]


def ranked(topic: str, system: str) -> list[str]:
    chance = random.Random(topic + system)
    return sorted(DOCUMENTS, key=lambda d: -TRUTH[topic, d] - 3 * chance.random())


def lines(records: Any) -> str:
    return "".join(json.dumps(one) + "\n" for one in records)


def votes(label: Callable[[int, str], object], times: int = 1) -> str:
    rows = [f"{j},{t},{d},{label(v + 7 * i, j)}\n" for j, t, d, v in VOTES for i in range(times)]
    return "judge,topic,document,label\n" + "".join(rows)


def qrels(truth: dict[tuple[str, str], int] = TRUTH) -> str:
    return "".join(f"{t} 0 {d} {v}\n" for (t, d), v in truth.items())


RUNS = {
    f"{s}.run": "".join(
        f"{t} Q0 {d} {i + 1} {20 - i} {s}\n" for t in TOPICS for i, d in enumerate(ranked(t, s))
    )
    for s in SYSTEMS
}
LISTS = {f"{s}.json": json.dumps({t: ranked(t, s) for t in TOPICS}) for s in SYSTEMS}
RECORDS = {f"{s}.jsonl": lines({"qid": t, "docs": ranked(t, s)} for t in TOPICS) for s in SYSTEMS}
SCORED = {
    f"{s}.json": json.dumps({t: {d: 1 / (i + 2) for i, d in enumerate(ranked(t, s))}
                             for t in TOPICS}) for s in SYSTEMS
}  # fmt: skip
TABLE = "system,qid,docno,rank\n" + "".join(
    f"{s},{t},{d},{i + 1}\n" for s in SYSTEMS for t in TOPICS for i, d in enumerate(ranked(t, s))
)
PROMPTFOO = [{"provider": {"id": j}, "vars": {"query_id": t, "docid": d},
              "response": {"output": f"Score: {v}"}} for j, t, d, v in VOTES]  # fmt: skip
INSPECT = [{"id": f"{t}-{d}", "metadata": {"qid": t, "docid": d},
            "scores": {j: {"value": v} for j in JUDGES}}
           for (t, d), v in TRUTH.items()]  # fmt: skip
TASKS = [
    {"data": {"query_id": t, "doc_id": d}, "annotations": [
        {"completed_by": k, "result": [{"type": "rating", "value": {"rating": v}}]}
        for k in (1, 2)]} for (t, d), v in TRUTH.items()
]  # fmt: skip
RATINGS = [
    {"query": t, "ratings": [{"docId": d, "rating": f"{TRUTH[t, d]}.000"} for d in DOCUMENTS]}
    for t in TOPICS
]
UMBRELA = [{"model": j, "qid": t, "docid": d, "judgment": v, "result_status": int(i % 40 > 0)}
           for i, (j, t, d, v) in enumerate(VOTES)]  # fmt: skip
CONTEXTS = [
    {"query": {"id": t}, "judge": j, "contexts": [
        {"doc_id": d, "grade": v} for k, u, d, v in VOTES if (k, u) == (j, t)]}
    for j in JUDGES for t in TOPICS
]  # fmt: skip
RAGAS = [
    {"user_input": t, "retrieved_context_ids": DOCUMENTS,
     "relevance": [TRUTH[t, d] for d in DOCUMENTS]} for t in TOPICS
]  # fmt: skip
CROWD = "item,worker,label\n" + "".join(f"{t}{d},{j},{v}\n" for j, t, d, v in VOTES)
PEOPLE = "item,truth\n" + "".join(f"{t}{d},{v}\n" for (t, d), v in TRUTH.items() if d < "d5")
SAID = ["Score: {}", "**{}**", "{} - on topic"]
TREC_EVAL = {s: "".join(f"map\t{t}\t0.{i}{k}\n" for i, t in enumerate([*TOPICS, "all"]))
             for k, s in enumerate("abc")}  # fmt: skip
SEVERAL = "labels of several judges"
# Files of a set, the kind of the first of them, and the options that its commands need.
SETS: dict[str, tuple[dict[str, Any], str, str]] = {
    "promptfoo": ({"a.json": json.dumps({"results": {"results": PROMPTFOO}}), **RUNS}, SEVERAL,
                  "--layout promptfoo --extract number"),
    "inspect": ({"a.json": json.dumps({"samples": INSPECT}), **RUNS}, SEVERAL, "--layout inspect"),
    "labelstudio": ({"a.json": json.dumps(TASKS), **RUNS}, SEVERAL, "--layout labelstudio"),
    "opensearch": ({"a.json": json.dumps({"name": "n", "judgmentRatings": RATINGS}), **RUNS},
                   "labels", "--layout opensearch"),
    "umbrela": ({"a.jsonl": lines(UMBRELA), **RUNS}, SEVERAL, "--layout umbrela --missing drop"),
    "ragas": ({"a.jsonl": lines(RAGAS), **RECORDS}, "labels", ""),
    "paths": ({"a.jsonl": lines(CONTEXTS), **LISTS}, SEVERAL, "--columns topic=query.id"),
    "likert": ({"a.csv": votes(lambda v, _: v + 1), "runs.csv": TABLE}, SEVERAL, "--grades 1-4"),
    "words": ({"a.csv": votes(lambda v, _: "yes" if v else "no"), **RUNS}, SEVERAL,
              "--map yes:GRADE,no:GRADE"),
    "texts": ({"a.csv": votes(lambda v, j: SAID[len(j) % 3].format(v)), **RUNS}, SEVERAL,
              "--extract number"),
    "excel": ({"a.xlsx": pd.DataFrame(VOTES, columns=["worker", "qid", "docno", "label"]),
               **RUNS}, SEVERAL, ""),
    "parquet": ({"a.parquet": pd.DataFrame(VOTES[:60], columns=["x", "qid", "docno", "label"]),
                 **SCORED}, "labels", ""),
    "beir": ({"a.tsv": "query-id\tcorpus-id\tscore\n" + qrels().replace(" 0 ", "\t", 60)
              .replace(" ", "\t"), **RUNS}, "labels", ""),
    "crowd": ({"a.csv": CROWD, "b.csv": PEOPLE}, SEVERAL, ""),
    "iteration": ({"a.qrels": "".join(f"{t} {j} {d} {v}\n" for j, t, d, v in VOTES), **RUNS},
                  SEVERAL, "--judge-column iteration"),
    "repeats": ({"a.csv": votes(lambda v, _: v % 4, 3), **RUNS}, SEVERAL, "--repeats majority"),
    "wide": ({"a.csv": "qid,docno,x,y\n" + "".join(f"{t},{d},{v},{v}\n"
                                                    for (t, d), v in TRUTH.items()), **RUNS},
             SEVERAL, "--wide"),
    "codes": ({"a.csv": votes(lambda v, _: v) + "gpt,101,d99,999\n", **RUNS}, SEVERAL,
              "--outside missing"),
    "gaps": ({"a.csv": votes(lambda v, _: v) + "gpt,101,d99,N/A\nllama,101,d99,\n", **RUNS},
             SEVERAL, "--missing drop"),
    "scales": ({"a.csv": votes(lambda v, j: v / (4 if j == "gpt" else 1)), **RUNS}, SEVERAL,
               "--scaling"),
    "probabilities": ({"a.csv": votes(lambda v, _: v / 4), **RUNS}, SEVERAL, ""),
    "twice": ({"a.qrels": qrels() + qrels({("101", "d0"): 5 - TRUTH["101", "d0"]}), **RUNS},
              "labels", "--duplicates first"),
    "one tag": ({"a.qrels": qrels(), "x.run": RUNS["bm25.run"], "y.run": RUNS["bm25.run"]},
                "labels", "--names stem"),
    "files": ({"gpt.qrels": qrels(), "llama.qrels": qrels({k: v ^ 1 for k, v in TRUTH.items()}),
               "gold.txt": qrels({k: v for k, v in TRUTH.items() if k[1] < "d5"}), **RUNS},
              "labels", ""),
    "scores": ({f"{s}.txt": text for s, text in TREC_EVAL.items()}, "scores", ""),
    "gaps in scores": ({"a.csv": "system,topic,f1\n" + "".join(
        f"{s},{t},0.{len(s + t)}{i}\n" for i, s in enumerate("abc") for t in TOPICS[i > 1:])},
        "scores", "--missing-scores drop"),
    "scores of judges": ({"a.csv": "model,question,judge,score\n" + "".join(
        f"{s},{t},{j},{1 + (len(j) + i + int(t)) % 5}\n" for i, s in enumerate("abc")
        for t in TOPICS for j in JUDGES)}, "scores", "--scale 1-5"),
}  # fmt: skip


def written(folder: Path, name: str) -> list[str]:
    files, *_ = SETS[name]
    for path, content in files.items():
        if isinstance(content, str):
            (folder / path).write_text(content)
        elif path.endswith("xlsx"):
            content.to_excel(folder / path, index=False)
        else:
            content.to_parquet(folder / path, index=False)
    return list(files)


@pytest.mark.parametrize("name", SETS)
def test_every_command_it_proposes_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = hj.doctor(written(tmp_path, name))
    _, kind, options = SETS[name]
    assert found.files[0].kind == kind
    assert found.commands
    assert all(options in line for line in found.commands)
    for line in found.commands:
        run(*shlex.split(line.replace("yes:GRADE,no:GRADE", "yes:1,no:0"))[1:])
    assert any("--gold" in line for line in found.commands) == (name in ("crowd", "files"))


OTHERS = {
    "docs.jsonl": ('{"_id": "d1", "text": "one"}\n{"_id": "d2", "text": "two"}\n', "texts"),
    "train.letor": ("".join(f"{v} qid:{t} 1:0.5 2:{v}\n" for (t, _), v in TRUTH.items()),
                    "ranking data"),
    "clicks.csv": ("session,query,rank,time\n1,q,2,10\n", "click log"),
    "commented.qrels": ("# labels\n" + qrels(), "labels"),
    "empty.txt": ("", "unknown"),
    "prose.txt": ("Dear all,\nthese are my notes.\nNothing more to say.\n", "unknown"),
    "other.csv": ("frage,schluessel,note\n1,a,2\n", "unknown"),
}  # fmt: skip


def test_files_are_told_by_their_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, (text, _) in OTHERS.items():
        Path(name).write_text(text)
    Path("noise.bin").write_bytes(bytes(range(256)) * 9)
    found = hj.doctor([*OTHERS, "noise.bin", "not there", "nothing*"])
    kinds = {one.path: one.kind for one in found.files}
    assert kinds == {name: kind for name, (_, kind) in OTHERS.items()} | dict.fromkeys(
        ["noise.bin", "not there", "nothing*"], "unknown"
    )
    codes = [error.code for error in found.errors]  # all at once
    assert codes == [
        "empty-file", "unknown-file", "unknown-columns", "binary-file", "no-file", "no-file",
    ]  # fmt: skip
    assert found.exit_code == 2
    assert json.loads(found.to_json())["commands"] == list(found.commands)


def test_runs_alone(tmp_path: Path) -> None:
    path = tmp_path / "bad.run"
    path.write_text(RUNS["bm25.run"].replace(" 17 ", " x "))
    found = hj.doctor(path)
    assert [error.code for error in found.errors] == ["not-a-number"]
    assert found.commands == ()


def test_a_folder_and_the_command(tmp_path: Path) -> None:
    hj.simulate(topics=4, systems=3, documents=20, depth=10, seed=1).write(tmp_path / "demo")
    done = hungjury("doctor", "demo", cwd=tmp_path)
    assert "hungjury leaderboard --judges 'demo/judges/*" in done.stdout
    assert "--gold demo/gold.qrels" in done.stdout
    written(tmp_path, "likert")
    done = hungjury("doctor", "a.csv", "runs.csv", cwd=tmp_path)
    assert done.returncode == 1
    assert "next:\n  hungjury leaderboard --judges a.csv --runs runs.csv" in done.stdout
    assert "labels are 1, 2, 3, 4" in done.stdout
    written(tmp_path, "words")
    done = hungjury("doctor", "a.csv", "bm25.run", "dense.run", cwd=tmp_path)
    assert "next, with your own words for those in capitals:" in done.stdout
