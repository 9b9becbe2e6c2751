"""Read labels: one per document (`Qrels`), or one per document and judge (`Judgments`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hungjury import native
from hungjury.base.arrays import Floats, Int32s
from hungjury.base.errors import Argument, InputError
from hungjury.base.files import is_open_file
from hungjury.base.options import takes
from hungjury.base.provenance import read_from
from hungjury.data.label_policies import DUPLICATES, relabel, without_duplicates
from hungjury.data.pool import Pool, natural_order, stable_order
from hungjury.data.qrels import Judgments, Qrels, empty_topics
from hungjury.data.reading import label_rows
from hungjury.data.reading.columns import InputTable
from hungjury.data.reading.formats import grade_columns, table_format
from hungjury.data.reading.label_rows import Judges, LabelReader, Part, Rows, label_parts
from hungjury.data.reading.lines import unknown_header
from hungjury.data.reading.options import (
    JUDGES,
    LABELS,
    JudgeOptions,
    JudgmentsLike,
    LabelOptions,
    LabelPolicy,
    LabelSettings,
    LabelsLike,
    QrelsLike,
    VotesLike,
    refuse_options,
)
from hungjury.data.reading.sources import Source, Stop, raise_error
from hungjury.data.scales import check_declared, check_judges, check_steps, note_unusual, scale_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes(LABELS)
def read_qrels(source: LabelsLike, **options: Unpack[LabelOptions]) -> Qrels:
    """Read one label per document.

    Use it for the labels of one judge, or for labels that were merged already. Labels of several
    judges in one file would conflict: read them with `read_judgments`, and merge them.

    Parameters
    ----------
    source : path, pattern, list of these, frame or dict
        TREC qrels, a table, a frame, ``{topic: {document: label}}``, a list of dictionaries or of
        named tuples such as ir_measures' ``Qrel``, or a dataset such as
        ``ir_datasets:msmarco-passage/trec-dl-2019``.
    {options}

    Returns
    -------
    Qrels
        Grades or, where the input contains fractions, probabilities of relevance. `notes` tells
        what was changed or left out, `settings` how the labels were read.

    Notes
    -----
    Negative grades mean pooled but not judged, as in trec_eval: measures take such documents as
    unjudged. A table with columns ``p0``, ``p1``, ... gives the probability of every grade.

    The largest grade counts: nDCG and other graded measures depend on it. By default it is the
    largest label of the input; declare `grades` where the highest grade may not occur.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.read_qrels({"1": {"a": "yes", "b": "no"}}, map={"yes": 1, "no": 0}).to_dict()
    {'1': {'a': 1, 'b': 0}}

    A document with two labels is an error, unless you say which of them counts:

    >>> import io
    >>> twice = "1 0 a 0\\n1 0 a 2\\n"
    >>> hj.read_qrels(io.StringIO(twice), duplicates="max").to_dict()
    {'1': {'a': 2}}
    """
    return qrels_by(source, LabelPolicy.of(options, LABELS))


@takes(JUDGES)
def read_judgments(source: VotesLike, **options: Unpack[JudgeOptions]) -> Judgments:
    """Read the labels of several judges.

    The result is what `leaderboard`, `merge`, `aware`, `prm` and `agreement` work on. These accept
    the source itself too; read it first to use it more than once, or to look at its notes.

    Parameters
    ----------
    source : path, pattern, list of these, frame or dict
        One file or folder per judge, named after it; a table or frame with a column for the judge;
        ``{judge: source}``, each source a path, a frame, `Qrels` or ``{topic: {document: label}}``.
    {options}

    Returns
    -------
    Judgments
        One row per document and judge; not every judge has to label every document. Judges are in
        natural order: 2 before 10.

    Notes
    -----
    Where the scale is not declared, labels that do not belong to it (negative ones, or a few above
    all others) and judges on different scales are errors: averaging them would give numbers that
    look right. Declare `grades`, choose judges with `only`, or use `scaling` on open scales.

    Examples
    --------
    >>> import hungjury as hj
    >>> panel = hj.read_judgments({"ann": {"1": {"a": 2, "b": 0}}, "bob": {"1": {"a": 1}}})
    >>> panel.judges, len(panel)
    (['ann', 'bob'], 3)

    Three labels: bob has not judged document b. Judges may be chosen by pattern:

    >>> hj.read_judgments({"ann": {"1": {"a": 2}}, "gpt": {"1": {"a": 1}}}, only="gpt*").judges
    ['gpt']
    """
    return judgments_by(source, LabelPolicy.of(options))


def as_qrels(source: QrelsLike, **options: Unpack[LabelOptions]) -> Qrels:
    """Return qrels, given or read from a source."""
    if isinstance(source, Qrels):
        refuse_options(options, "the qrels")
        return source
    return read_qrels(source, **options)


def as_judgments(source: JudgmentsLike, **options: Unpack[JudgeOptions]) -> Judgments:
    """Return judgments, given or read from a source."""
    if isinstance(source, Judgments):
        refuse_options(options, "the judgments")
        return source
    return read_judgments(source, **options)


def as_gold(source: QrelsLike | Judgments, **options: Unpack[LabelOptions]) -> Qrels | Judgments:
    """Return gold labels, given or read: of one person; or of several, by files, by a column or by
    ``{person: labels}``."""
    if isinstance(source, (Qrels, Judgments)):
        refuse_options(options, "the gold labels")
        return source
    policy = LabelPolicy.of(options, LABELS)
    first, *more = label_parts(source, policy)
    if more or (isinstance(source, Mapping) and not _by_topic(source)):
        return judgments_by(source, policy)
    once: Any = first if is_open_file(source) else source  # which can be read once only
    try:
        return qrels_by(once, policy)
    except InputError as error:
        if error.code != label_rows.SEVERAL:
            raise
    return judgments_by(once, policy)


def as_labels(
    source: QrelsLike | JudgmentsLike, **options: Unpack[JudgeOptions]
) -> Qrels | Judgments:
    """Return the labels of one source or of several judges, given or read, by what they are."""
    if isinstance(source, (Qrels, Judgments)):
        refuse_options(options, "the labels")
        return source
    return labels_by(source, LabelPolicy.of(options))


def _by_topic(labels: Mapping[Any, Any]) -> bool:
    """Tell labels by topic and document, of one judge, from those by judge."""
    return all(isinstance(one, Mapping) for one in labels.values()) and not any(
        isinstance(label, Mapping) for one in labels.values() for label in one.values()
    )


def labels_by(source: object, policy: LabelPolicy) -> Qrels | Judgments:
    """Read labels by a policy; those of several judges are recognised.

    By a judge column, by ``{judge: labels}``, and where several files disagree on documents.
    """
    if policy.wide or policy.judge_column or policy.only or policy.without:
        return judgments_by(source, policy)
    if isinstance(source, Mapping):
        return qrels_by(source, policy) if _by_topic(source) else judgments_by(source, policy)
    if is_open_file(source):  # can be read once only
        return qrels_by(source, policy)
    first, *more = label_parts(source, policy, several=True)
    table = LabelReader(policy).looked_at(first)
    if table is not None and table.find("judge") is not None:
        return judgments_by(source, policy)
    if not more or not _conflicts(found := judgments_by(source, policy)):
        return qrels_by(source, policy)
    return found


def _conflicts(judgments: Judgments) -> bool:
    """Tell whether judges, each a file, give other labels to the same documents: to more of them
    than a few duplicates."""
    low, high = np.full((2, len(judgments.pool)), np.nan)
    np.fmin.at(low, judgments.document, judgments.label)
    np.fmax.at(high, judgments.document, judgments.label)
    return bool((high > low).mean() > DUPLICATES)


def qrels_by(source: object, policy: LabelPolicy, stop: Stop = raise_error) -> Qrels:
    """Read qrels by a policy; `stop` is called with every error."""
    parts = label_parts(source, policy)
    reader = LabelReader(policy, stop)
    if len(parts) == 1 and (table := _grade_table(parts[0], reader)) is not None:
        return _from_grade_columns(table, reader)
    found = _resolve(reader.read(parts, "one"))
    label = found.label[stable_order(found.document)]
    read = Qrels(
        pool=found.pool,
        labels=None if found.soft else label.astype(np.int16),
        grades=found.grades,
        p=label if found.soft else None,
        settings=found.settings,
        notes=found.notes + empty_topics(found.pool, label),
    )
    read_from(read, [part.path for part in parts if isinstance(part, Source)])
    return read


def judgments_by(source: object, policy: LabelPolicy, stop: Stop = raise_error) -> Judgments:
    """Read labels of several judges by a policy; `stop` is called with every error."""
    by_name = isinstance(source, Mapping)
    if isinstance(source, Mapping):
        source = {k: v.to_dict() if isinstance(v, Qrels) else v for k, v in source.items()}
    parts = label_parts(source, policy, several=True)
    reader = LabelReader(policy, stop)
    judges = _judges(parts, reader, by_name)
    if judges == "file":
        names = list(dict.fromkeys(part.stem for part in parts))
        label_rows.check_patterns(names, policy)
        kept = set(label_rows.chosen(names, policy))
        parts = [part for part in parts if part.stem in kept]
    read = _resolve(reader.read(parts, judges))
    read_from(read, [part.path for part in parts if isinstance(part, Source)])
    return read


def _judges(parts: list[Part], reader: LabelReader, by_name: bool) -> Judges:
    """Find out where the judges are named."""
    policy = reader.policy
    if policy.wide:
        return "wide"
    if policy.judge_column == "iteration":
        return "iteration"
    if by_name:
        return "file"
    first, alone = parts[0], len(parts) == 1
    if isinstance(first, InputTable):
        return "column"
    table = reader.looked_at(first)
    if table is not None:
        if alone and table.find("label") is None:
            table.need("judge")  # says what is missing
        if table.find("judge") is not None:
            return "column"
    elif alone and (wrong := unknown_header(first, label_rows.ROLES["column"])) is not None:
        raise wrong
    files = [part for part in parts if isinstance(part, Source)]
    if len(files) > 1 and len({file.group or file.name for file in files}) == 1:
        folder = os.path.dirname(first.name)
        said = "only one directory, and a directory is one judge"
        remedy = f"name its files, if each is a judge: '{folder}/*'"
        raise Source(folder).error(said, "one-judge", remedy)
    _check_names(files)
    return "file"


def _check_names(files: list[Source]) -> None:
    """Refuse two files with the same name, which would be read as one judge."""
    seen: dict[str, Source] = {}
    for file in files:
        before = seen.setdefault(file.stem, file)
        if before is not file and not (file.group and file.group == before.group):
            raise InputError(
                f"two files are called '{file.stem}' ({before.name} and {file.name}), but "
                "judges are named after their files",
                code="same-name",
                remedy="give each judge's file its own name, and each file once",
            )


def _grade_table(part: Part, reader: LabelReader) -> InputTable | None:
    """Return the table of a part that has the probability of every grade, else None."""
    if isinstance(part, Source):
        kind = table_format(part, reader.policy.columns)
        if kind is None or (kind != "parquet" and b"p0" not in part.head()):
            return None
        part = reader.table(part, kind)
    return part if grade_columns(part) else None


def _from_grade_columns(table: InputTable, reader: LabelReader) -> Qrels:
    """Read qrels from a table with the probability of each grade in columns p0, p1, ..."""
    if reader.policy.scaling is not None:
        said = "the table already has a probability for every grade"
        raise table.error(said, "scaled-probabilities", ("leave out", Argument("scaling")))
    names = grade_columns(table)
    topic, document = table.need("topic"), table.need("document")

    def read(some: InputTable) -> tuple[list[str], list[str], Floats]:
        p = np.stack([some.numbers(name, f"probability {name}") for name in names], axis=1)
        return some.texts(topic), some.texts(document), p

    table = table.readable(reader.stop, read)
    topics, documents, p = read(table)
    good: dict[tuple[str, str], int] = {}
    for i, (t, d) in enumerate(zip(topics, documents, strict=True)):
        if (p[i] < 0).any() or abs(p[i].sum() - 1) > 1e-6:
            said = f"the probabilities of the grades are {p[i].tolist()}"
            remedy = "they must be non-negative and sum to 1"
            reader.stop(table.error(said, "not-a-distribution", remedy, table.line(i)))
        elif good.setdefault((t, d), i) != i:
            said = f"document '{d}' of topic '{t}' appears twice"
            remedy = "keep one row per document and topic"
            reader.stop(table.error(said, "duplicate-document", remedy, table.line(i)))
    if not good:
        raise label_rows.no_label(table.name)
    ids = zip(*good, strict=True)
    labels = dict(zip(("topic", "document", "label"), (*ids, [*good.values()]), strict=True))
    rows = reader.read([InputTable(table.name, labels)], "one")
    pool, position = _pool(rows)
    taken = rows.label[stable_order(position[rows.pair])].astype(np.int64)
    grades = tuple(range(len(names)))
    return Qrels(pool, None, grades, grade_p=p[taken], settings=LabelSettings(grades=grades))


def _resolve(rows: Rows) -> Judgments:
    """Reduce rows to one label per document and judge."""
    policy = rows.policy
    rows = check_declared(relabel(rows))
    if not len(rows):
        raise InputError(
            "no label is left", code="no-labels", remedy="check the declared grades and the input"
        )
    if policy.grades is None:
        if policy.scaling is None:
            check_steps(rows)
        if rows.by_judges:
            rows = check_judges(rows)
        if policy.scaling is None:
            note_unusual(rows)
    if policy.scaling is None:
        grades, soft, rows = scale_of(rows)
        rows = without_duplicates(rows)
        if policy.repeats == "mean" and not soft:
            soft = bool((rows.label != np.floor(rows.label)).any())
            grades = (0, 1) if soft else grades
    else:  # an open scale: labels are counted once before they are compared with each other
        from hungjury.data.open_scales import scale_rows

        rows, grades, soft = scale_rows(without_duplicates(rows)), (0, 1), True
    pool, position = _pool(rows)
    several = _alike_topics(pool)
    text = "topics that differ only in leading zeros are read as different topics"
    rows.note("alike-topics", len(several), text, subjects=tuple(several))
    return Judgments(
        pool=pool,
        judges=rows.judges,
        document=position[rows.pair],
        judge=rows.judge,
        label=rows.label,
        grades=grades,
        soft=soft,
        settings=policy.used(grades),
        notes=tuple(rows.notes),
    )


def _alike_topics(pool: Pool) -> list[str]:
    """Return topics that differ only in zeros at the beginning, such as "1 and 001"."""
    alike: dict[str, list[str]] = {}
    for topic in pool.topics:
        if topic.isdecimal():
            alike.setdefault(topic.lstrip("0"), []).append(topic)
    return [" and ".join(names) for names in alike.values() if len(names) > 1]


def _pool(rows: Rows) -> tuple[Pool, Int32s]:
    """Return the pool of all labelled pairs, and the position of every pair in it.

    The documents of judges are in natural order: draws do not depend on the order of files.
    """
    names = rows.table.topics
    order = natural_order(names)
    pairs, position, counts = native.place_pairs(order, rows.pair_topic, rows.pair)
    if rows.by_judges:
        every = rows.table.documents
        by_name = natural_order(every[pair] for pair in pairs.tolist())
        topic = np.repeat(np.arange(len(counts)), counts)
        pairs = pairs[by_name[np.argsort(topic[by_name], kind="stable")]]
        position[pairs] = np.arange(len(pairs), dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum(counts[counts > 0])]).astype(np.int64)
    kept = order[counts > 0]
    topics = [names[t] for t in kept.tolist()]
    found = native.Pool.of_table(rows.table, kept, pairs, offsets)
    return Pool(topics, found, offsets), position
