"""Leaderboards for tests of the report: ordinary, hostile, large."""

import base64
import json
import re
import zlib
from dataclasses import replace

import numpy as np

import hungjury as hj
from hungjury.base.errors import Note
from hungjury.data.pool import Pool
from hungjury.leaderboard.board import standing
from hungjury.stats.agreement import JudgePairs

HOSTILE = [
    "<script>window.hurt = 1</script>",
    "</script><script>window.hurt = 2</script>",
    "\"><img src=x onerror='window.hurt = 3'>",
    "'; window.hurt = 4; //",
    "<!--<script>",
    "&lt;b&gt; &amp; {{ 7 * 7 }} {% raw %}",
    "long-" * 100,
    "مرحبا بالعالم",
    "\u202egnp.exe",
    "Z̸̡̛͇͚a̵̧l̴g̷o̶" * 8,
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "a\x00b\x1b[31m\udc80",
]


def ordinary(systems=4, gold=True, topics=12, **options):
    made = hj.simulate(systems=systems, topics=topics, documents=60, depth=20)
    return hj.leaderboard(
        made.judgments, made.runs, "nDCG@10", draws=100, gold=made.gold if gold else None, **options
    )


def hostile():
    """Ids of all kinds: of systems, judges, topics, and in notes."""
    board = ordinary(systems=len(HOSTILE))
    rename = dict(zip(board.systems, HOSTILE, strict=True))
    judges = [f"{name}/" for name in HOSTILE[: len(board.judges)]]
    found, topics = board.agreement, HOSTILE[: len(board.topics)]
    made = replace(
        board,
        systems=HOSTILE,
        topics=topics,
        evidence=hostile_evidence(board.evidence, topics, judges),
        agreement=replace(found, panel=judged_by(found.panel, judges)),
        notes=tuple(Note("odd", 1, f"a note on {name}") for name in HOSTILE)
        + tuple(Note("ties", 1, f"a tie in {name}") for name in HOSTILE),
    )
    rows = [replace(r, name=f"{r.name} {HOSTILE[0]}") for r in board.gold.rows]
    bias = {rename[s]: three for s, three in board.gold.bias.items()}
    named = [replace(j, name=name) for j, name in zip(board.judges, judges, strict=True)]
    return computed(made, gold=replace(board.gold, rows=rows, bias=bias), judges=named)


def judged_by(panel, judges):
    """A panel whose judges have other names."""
    return replace(panel, judgments=replace(panel.judgments, judges=judges))


def computed(board, **values):
    """A board for which these were computed already."""
    vars(board).update(values)
    return board


def hostile_evidence(evidence, topics, judges):
    pool = evidence.alignment.pool
    documents = [f"{HOSTILE[d % len(HOSTILE)]} {d}" for d in range(len(pool))]
    renamed = Pool(topics, documents, pool.offsets)
    return replace(
        evidence,
        drawn=replace(evidence.drawn, alignment=replace(evidence.alignment, pool=renamed)),
        panel=replace(
            evidence.panel,
            judgments=replace(evidence.panel.judgments, pool=renamed, judges=judges),
        ),
    )


def with_unjudged():
    """A board whose systems return documents that no judge labelled, one of them hostile."""
    judges = {name: {"t1": {"a": 1, "b": 0}, "t2": {"a": 0, "c": 1}} for name in ("ann", "bob")}
    runs = {
        "first": {"t1": {"a": 3, "x": 2, HOSTILE[0]: 1}, "t2": {"c": 3, "y": 2}},
        "second": {"t1": {"x": 3, "b": 2, "a": 1}, "t2": {"y": 3, "x": 2, "a": 1}},
    }
    return hj.leaderboard(judges, runs, "nDCG@10", draws=100), runs


def unpacked(text):
    """The data of a page: its header, with columns as arrays."""
    block = re.search(r'id="data">(.*?)</script>', text, re.S).group(1)
    assert re.fullmatch("[A-Za-z0-9+/=]*", block)
    content = zlib.decompress(base64.b64decode(block))
    at = 4 + int.from_bytes(content[:4], "little")
    head = json.loads(content[4:at])
    for name, (kind, size) in head.pop("columns").items():
        head[name] = np.frombuffer(content, f"<{kind}", size, at)
        at += head[name].nbytes
    assert at == len(content)
    return head


def large(board, systems, judges, seed=0):
    """A board blown up, with made-up draws: what is large is the page."""
    rng = np.random.default_rng(seed)
    mean = np.sort(rng.normal(0.5, 0.1, systems))[::-1]
    samples = mean + rng.normal(0, 0.03, (100, systems))
    where = standing(mean, samples, together=True)
    names = [f"a-system-with-quite-a-long-name-{s}" for s in range(systems)]
    labellers = [f"judge-{k}" for k in range(judges)]
    kappa = rng.uniform(-0.1, 1, (judges, judges))
    kappa = (kappa + kappa.T) / 2
    found = board.agreement
    made = replace(
        board,
        systems=names,
        mean=mean,
        cells=np.tile(mean[:, None], len(board.topics)),
        samples=samples,
        low=mean - 0.06,
        high=mean + 0.06,
        p_best=where.p_best,
        rank_low=where.rank_low,
        rank_high=where.rank_high,
        beats=where.beats,
        apart=where.apart,
        agreement=replace(
            found,
            panel=judged_by(found.panel, labellers),
            pairs=JudgePairs(np.full(kappa.shape, 900), kappa, kappa, kappa),
            labels=np.full(judges, 1000),
            label_rates=np.full((judges, 2), 0.5),
        ),
        evidence=replace(board.evidence, order=np.arange(systems) % len(board.systems)),
    )
    gold = replace(board.gold, bias=dict.fromkeys(names, (0.1, -0.1, 0.3)))
    rows = [replace(board.judges[0], name=name) for name in labellers]
    return computed(made, gold=gold, judges=rows, steps=board.steps)
