"""`hungjury evaluate -q --format trec` line by line against pytrec_eval, on real collections."""

import gzip

import pytest
from click.testing import CliRunner

from builders.paths import SHARED
from hungjury.cli.main import hungjury as command
from hungjury.measures.catalogue import measure_list, trec_name

pytrec_eval = pytest.importorskip("pytrec_eval")

DATA = SHARED
COUNTS = {"num_q", "num_ret", "num_rel", "num_rel_ret"}
# Without iprec_at_recall and 11pt_avg: pytrec_eval has trec_eval 9 inside, which rounds recall
# levels in another way than trec_eval 10.
NAMES = [
    "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    "P", "recall", "infAP", "ndcg", "ndcg_cut", "map_cut", "success", "set_P", "set_recall",
    "set_F",
]  # fmt: skip


def columns(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as stream:
        return [line.split() for line in stream]


def labels(path):
    out = {}
    for topic, _, document, grade in columns(path):
        out.setdefault(topic, {})[document] = int(grade)
    return out


def expected_lines(qrels, path):
    run, tag = {}, ""
    for topic, _, document, _, score, tag in columns(path):  # noqa: B007
        run.setdefault(topic, {})[document] = float(score)
    found = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES)).evaluate(run)
    printed = [trec_name(m) for name in NAMES for m in measure_list(name)]

    def line(name, topic, value):
        return f"{name:<22}\t{topic}\t{value:.0f}" if name in COUNTS else (
            f"{name:<22}\t{topic}\t{value:.4f}")  # fmt: skip

    for topic in sorted(found):
        for name in printed:
            if name not in ("num_q", "gm_map"):  # averages over topics only
                yield line(name, topic, found[topic][name])
    yield f"{'runid':<22}\tall\t{tag}"
    for name in printed:
        each = [values[name] for values in found.values()]
        yield line(name, "all", pytrec_eval.compute_aggregated_measure(name, each))


@pytest.mark.parametrize(
    ("collection", "qrels"), [("dl21", "qrels.nist.txt"), ("trec8", "qrels.txt.gz")]
)
def test_every_line_is_that_of_trec_eval(collection, qrels):
    folder = DATA / collection
    if not folder.exists():
        pytest.skip(f"../shared/data/{collection} is not here")
    files = sorted((folder / "runs").iterdir())
    truth = labels(folder / qrels)
    chosen = [argument for name in NAMES for argument in ("-m", name)]
    for path in (files[0], files[len(files) // 2], files[-1]):
        arguments = ["evaluate", str(folder / qrels), str(path), "-q", "--format", "trec", *chosen]
        done = CliRunner().invoke(command, arguments, catch_exceptions=False)
        assert done.exit_code == 0
        assert done.stdout.splitlines() == list(expected_lines(truth, path)), path.name
