"""Labels that are probabilities, and a run."""

import io

import hungjury as hj

SOFT = {"1": {"a": 0.5, "b": 0.0, "c": 1.0}, "2": {"a": 0.25}}
GRADES = {"1": {"a": [0.2, 0.3, 0.5], "b": [1.0, 0.0, 0.0]}, "2": {"a": [0.5, 0.5, 0.0]}}
HARD = {"1": {"a": 2, "b": 0, "c": -1}, "2": {"a": 1}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}


def table(chances, header="topic,document"):
    size = len(next(iter(next(iter(chances.values())).values())))
    lines = [header + "".join(f",p{k}" for k in range(size))]
    lines += [f"{t},{d},{','.join(map(repr, p))}" for t, q in chances.items() for d, p in q.items()]
    return "\n".join(lines) + "\n"


def graded(chances=GRADES):
    return hj.read_qrels(io.StringIO(table(chances)))


def frame(chances=GRADES):
    """The columns of a table with the probability of every grade."""
    rows = [(t, d, *p) for t, pool in chances.items() for d, p in pool.items()]
    columns = list(zip(*rows, strict=True))
    return {
        name: list(column)
        for name, column in zip(["qid", "docno", "p0", "p1", "p2"], columns, strict=True)
    }
