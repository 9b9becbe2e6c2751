"""hungjury's measures inside ir_measures, and so inside PyTerrier's experiments.

    pt.Experiment(systems, topics, qrels, ["map", hj.to_ir_measures("MP(model=GL_OR_ID)@100")])

The first call makes all of them known to ir_measures, which can then read their names from text.
Names that ir_measures uses itself are theirs: ours are then called hj_ERR and so on, since defaults
and definitions differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from hungjury.base.errors import InputError, MissingExtra
from hungjury.data.labels import read_qrels
from hungjury.data.qrels import Qrels
from hungjury.measures.catalogue import CATALOGUE, Measure, MeasureLike, measure
from hungjury.measures.distribution import summarised
from hungjury.measures.evaluate import evaluate

if TYPE_CHECKING:
    import ir_measures

NAME = "hungjury"
TAKEN = "hj_"  # before names that ir_measures uses itself


def to_ir_measures(name: MeasureLike) -> ir_measures.Measure:
    """Give one of hungjury's measures to ir_measures, and so to PyTerrier.

    Parameters
    ----------
    name : str or Measure
        The measure, such as ``"xGAP(g=[0.4, 0.6])@20"``.

    Returns
    -------
    ir_measures.Measure
        The same measure, which ir_measures computes with hungjury: same values, same policies.

    Notes
    -----
    From the first call on, ir_measures also reads hungjury's names from text. A name that both
    have keeps the meaning it has in ir_measures; hungjury's is then written ``hj_ERR`` and so on,
    since defaults differ.

    Examples
    --------
    >>> import hungjury as hj
    >>> import ir_measures
    >>> ours = hj.to_ir_measures("AP")
    >>> qrels, run = {"q1": {"d1": 1, "d2": 1}}, {"q1": {"d1": 2.0, "d3": 1.0}}
    >>> ir_measures.calc_aggregate([ours], qrels, run)[ours]
    0.5
    """
    chosen = measure(name)
    given = {f.name: getattr(chosen, f.name) for f in chosen.params()}
    changed = {f.name: given[f.name] for f in chosen.params() if given[f.name] != f.default}
    made: ir_measures.Measure = register().borrowed[chosen.name](**changed)
    return made


def register() -> Any:
    """Make all measures known to ir_measures by name; return their provider."""
    try:
        package: Any = import_module("ir_measures")
    except ImportError:
        raise MissingExtra("ir_measures", "ecosystem", "measures inside ir_measures") from None
    if NAME not in package.providers.registry:
        provider = _provider_class(package)()
        theirs = set(package.measures.registry)
        provider.borrowed = {
            cls.name: _measure_class(package, cls, TAKEN * (cls.name in theirs) + cls.name)()
            for cls in CATALOGUE
        }
        for one in provider.borrowed.values():
            package.measures.register(one, name=one.NAME)
        package.providers.register(provider)
        package.DefaultPipeline.providers.append(provider)
    return package.providers.registry[NAME]


def _measure_class(package: Any, cls: type[Measure], label: str) -> Any:
    """Return a class of ir_measures for one of ours, with the same parameters."""

    class Borrowed(package.measures.Measure):  # type: ignore[misc]
        __name__ = label
        NAME = label
        SHORT_DESC = (cls.__doc__ or "").partition("\n")[0]
        AT_PARAM = cls.at or "cutoff"
        SUPPORTED_PARAMS = {  # noqa: RUF012
            f.name: package.measures.ParamInfo(
                required=f.required, desc=f.doc, **({} if f.required else {"default": f.default})
            )
            for f in cls.params()
        }

        def ours(self) -> Measure:
            """Return the measure in our own form."""
            return cls(**self.params)

        def __repr__(self) -> str:
            try:
                return label + str(self.ours()).removeprefix(cls.name)
            except (TypeError, ValueError):  # a parameter is missing, or will be refused
                return f"{label}{self.params or ''}"

        def aggregator(self) -> Any:
            return _Summary(self.ours().average)

    return Borrowed


class _Summary:
    """The summary over topics, as `Scores.mean` computes it."""

    def __init__(self, average: str) -> None:
        self.average = average
        self.values: list[float] = []

    def add(self, value: float) -> None:
        self.values.append(value)

    def result(self) -> float:
        values = np.array(self.values)
        return float(summarised(values, values == values, self.average))


def _provider_class(package: Any) -> Any:

    class Evaluator(package.providers.Evaluator):  # type: ignore[misc]
        def __init__(self, measures: Iterable[Any], qrels: Qrels) -> None:
            super().__init__(list(measures), set(qrels.topics))
            self.labels = qrels

        def _iter_calc(self, run: object) -> Iterator[Any]:
            lists = package.util.RunConverter(run).as_dict_of_dict()
            if not lists:  # ir_measures says what a run without results scores
                return
            mine = {one.ours(): one for one in self.measures}
            scores = evaluate(self.labels, {"run": lists}, list(mine))
            for m, one in enumerate(mine.values()):
                for topic, value in zip(scores.topics, scores.values[m, 0], strict=True):
                    yield package.Metric(topic, one, float(value))

    class Provider(package.providers.Provider):  # type: ignore[misc]
        """All measures of hungjury, as `evaluate` scores them."""

        NAME = "hungjury"

        def supports(self, measure: Any) -> bool:
            measure.validate_params()
            return hasattr(measure, "ours")

        def _evaluator(self, measures: Iterable[Any], qrels: object) -> Any:
            return Evaluator(measures, _qrels(package.util.QrelsConverter(qrels)))

    return Provider


def _qrels(given: Any) -> Qrels:
    """Read the labels that ir_measures passes on; a document labelled twice does not vanish."""
    found: dict[str, dict[str, float]] = {}
    for row in given.as_namedtuple_iter():
        labels = found.setdefault(row.query_id, {})
        if labels.setdefault(row.doc_id, row.relevance) != row.relevance:
            raise InputError(
                f"document '{row.doc_id}' of topic '{row.query_id}' is labelled both "
                f"{labels[row.doc_id]} and {row.relevance}",
                code="conflicting-labels",
                remedy="merge the judges first, for example with hungjury.merge",
            )
    return read_qrels(found)
