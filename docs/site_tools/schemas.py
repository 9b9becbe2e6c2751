"""JSON schemas of results, learned from what commands print on simulated collections.

    .venv/bin/python docs/site_tools/schemas.py

writes docs/schemas/COMMAND.json. Keys that all samples have are required, others are not allowed.
A test validates the results of other collections.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Objects whose keys are names of systems, topics, measures or judges; DEEP: those in them too.
DEEP = {"mean", "topics", "beaten"}
BY_NAME = DEEP | {
    "weights", "anova", "near_constant", "bias", "labels_per_document", "slices", "left_out",
    "shares", "libraries",
}  # fmt: skip
PANEL = ["--judges", "judges/*", "--runs", "runs/*"]
QUICK = [*PANEL, "--draws", "100"]
FILES = ["gold.qrels", "runs/*"]
PAIR = ["--baseline", "system1", "--candidate", "system2"]
SAMPLES: dict[str, list[list[str]]] = {
    "agreement": [
        ["--judges", "judges/*"],
        PANEL,
        ["--judges", "judges/*", "--gold", "gold.qrels"],
    ],
    "audit": [FILES, ["gold.qrels", "runs/*", "other.run"]],
    "aware": [[*PANEL, "--rel", "1"], PANEL],
    "compare": [
        [*FILES, "-m", "AP"],
        [*FILES, "-m", "AP", "-m", "P@5", "--baseline", "system1"],
        [*FILES, "-m", "AP", "--baseline", "system1", "--margin", "0.02"],
        [*FILES, "-m", "AP", "--test", "tukey"],
    ],
    "compare-rankers": [
        ["fold", "--folds", "3", "--trees", "5", "--leaves", "4", "--sizes", "2", "--nav-rel", "2"]
    ],
    "diff": [["board.json", "other.json"], ["gate.json", "gate.json"]],
    "doctor": [FILES, ["judges/*"]],
    "evaluate": [
        [*FILES, "-m", "AP"],
        [*FILES, "-q", "-m", "AP", "-m", "nDCG@10"],
        [*FILES, "-m", "AP", "--std"],
    ],
    "gate": [
        ["--qrels", "gold.qrels", "--runs", "runs/*", *PAIR],
        [*QUICK, *PAIR],
        [*QUICK, *PAIR, "--gold", "gold.qrels", "--margin", "0.01"],
    ],
    "leaderboard": [
        QUICK,
        [*QUICK, "--gold", "gold.qrels"],
        [*QUICK, "--gold", "some.qrels"],
        [*QUICK, "--gold", "labels.db", "--looks", "20,60"],
        [*QUICK, "-m", "RR@10", "--gold", "some.qrels", "--plan", "deep.csv"],
        [*QUICK, "--kin", "system1", "--families", "judge[12]", "--merge", "em-ordinal"],
        [*QUICK, "--target", "topics", "--panel-error", "0", "--together", "--order", "wins"],
        ["--qrels", "gold.qrels", "--runs", "runs/*", "--draws", "100"],
        [*QUICK, "-m", "nDCG@10", "-m", "P@5", "--slices", "topics.csv"],
    ],
    "measures": [[]],
    "merge": [["--judges", "judges/*", "--rel", "1", "--gold", "gold.qrels"]],
    "prm": [["--judges", "judges/*", "--rel", "1", "--draws", "20"]],
}


def collection(folder: Path, seed: int, **size: int) -> None:
    """Write the files that the samples read."""
    import hungjury as hj

    sim = hj.simulate(seed=seed, **{"topics": 8, "systems": 4, "grades": 3, **size})
    sim.write(folder)
    rows = [line for line in (folder / "gold.qrels").read_text().splitlines() if line]
    (folder / "some.qrels").write_text("\n".join(rows[::5]) + "\n")
    (folder / "other.run").write_text("99 Q0 x 1 1.0 other\n")
    groups = [f"{t},{'odd' if i % 2 else 'even'}" for i, t in enumerate(sim.judgments.topics)]
    (folder / "topics.csv").write_text("topic,group\n" + "\n".join(groups) + "\nnone,gone\n")
    plan = hj.plan(sim.judgments, sim.runs, "nDCG@10", 60, seed=seed)
    plan.write(folder / "plan.csv")
    deep = hj.plan(sim.judgments, sim.runs, "RR@10", 60, seed=seed, design="depth")
    deep.write(folder / "deep.csv")
    gold = sim.gold.to_dict()
    pairs = zip(plan.topics, plan.documents, strict=True)
    lines = [f"{t},{d},anna,{gold[t].get(d, 0)}" for t, d in pairs]
    (folder / "labels.csv").write_text("topic,document,judge,label\n" + "\n".join(lines) + "\n")
    command("label", "plan.csv", "-o", "labels.db", "--import", "labels.csv", "--quiet")
    (folder / "fold").mkdir()
    for part in ("train", "vali", "test"):
        (folder / "fold" / f"{part}.txt").write_text(_to_learn_from(part))
    for name, words in {"board": QUICK, "other": [*QUICK, "--without", "judge5"]}.items():
        (folder / f"{name}.json").write_text(command("leaderboard", *words, *AS_JSON))
    (folder / "gate.json").write_text(command("gate", *SAMPLES["gate"][0], *AS_JSON))


def _to_learn_from(part: str) -> str:
    """Return queries with documents in the format of LETOR, some with one relevant document."""
    lines = []
    for query in range(12):
        for place in range(8):
            a, b = (7 * place + query) % 5, (3 * place + 2 * query) % 7
            grade = int(a > 2) + int(a > 3)
            lines.append(f"{grade} qid:{part}{query} 1:{a} 2:{b} #docid = d{query}-{place}\n")
    return "".join(lines)


AS_JSON = ["--format", "json", "--quiet"]


def command(*words: str) -> str:
    """Return what a command prints."""
    from hungjury.cli.main import hungjury

    shown, before = StringIO(), sys.argv
    sys.argv = ["hungjury", *words]
    try:
        with redirect_stdout(shown), redirect_stderr(StringIO()):
            hungjury.main(list(words), standalone_mode=False)
    except SystemExit as left:
        if left.code == 2:
            raise
    finally:
        sys.argv = before
    return shown.getvalue()


def results(name: str) -> list[Any]:
    """Return the JSON of all samples of a command, in the current folder."""
    flags = AS_JSON[:2] if name == "measures" else AS_JSON
    return [json.loads(command(name, *words, *flags)) for words in SAMPLES[name]]


def schema(values: list[Any], key: str = "", by_name: bool = False) -> dict[str, Any]:
    """Return a schema that all values fit."""
    kinds = {_kind(value) for value in values}
    if kinds >= {"integer", "number"}:
        kinds.remove("integer")
    if "number" in kinds:
        kinds.add("null")  # undefined, or infinite
    found: dict[str, Any] = {"type": sorted(kinds)[0] if len(kinds) == 1 else sorted(kinds)}
    if "array" in kinds:
        items = [item for value in values if isinstance(value, list) for item in value]
        found["items"] = schema(items, key) if items else {}
    if "object" in kinds:
        objects = [value for value in values if isinstance(value, dict)]
        if by_name or key in BY_NAME:
            inner = [one for value in objects for one in value.values()]
            deep = by_name or key in DEEP
            found["additionalProperties"] = schema(inner, "", deep) if inner else {}
        else:
            names = dict.fromkeys(name for value in objects for name in value)
            found["properties"] = {
                name: schema([value[name] for value in objects if name in value], name)
                for name in names
            }
            found["required"] = [n for n in names if all(n in value for value in objects)]
            found["additionalProperties"] = False
    return found


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    names = {int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names[type(value)]


def main() -> None:
    """Write all schemas."""
    found: dict[str, list[Any]] = {name: [] for name in SAMPLES}
    sizes: list[dict[str, int]] = [{}, {"grades": 2}, {"topics": 5, "systems": 3}]
    here = os.getcwd()
    for seed, size in enumerate(sizes, 1):
        with tempfile.TemporaryDirectory() as place:
            os.chdir(place)
            collection(Path(place), seed, **size)
            for name in SAMPLES:
                found[name] += results(name)
            os.chdir(here)
    FOLDER.mkdir(exist_ok=True)
    for name, values in found.items():
        content = {"$schema": DIALECT, "title": f"hungjury {name} --format json", **schema(values)}
        (FOLDER / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
