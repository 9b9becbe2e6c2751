"""Options: how commands declare them, and those that mean the same in every command."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeAlias, cast, get_args

import click
from click.core import ParameterSource

from hungjury.base.choices import MissingScores, PlotWidth, RepeatedScores, Undefined
from hungjury.base.errors import check_installed
from hungjury.base.options import Option, words_of
from hungjury.base.parameters import MOST_GRADE, MOST_LABELS, MOST_RANKS, MOST_SEED, MOST_SYSTEMS
from hungjury.base.text import decimal_of
from hungjury.cli.failing import flag
from hungjury.cli.output import Output, Plots
from hungjury.cli.reading import DEFAULT, InputFiles, Reading, ScoreTables
from hungjury.data.reading.options import BESIDE, GOLD, JUDGES, LABELS

Decorator: TypeAlias = Callable[[Any], Any]  # declares options of a command


class Number(click.FloatRange):
    """A finite decimal number in a range."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, str) and decimal_of(value) is None:
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return super().convert(value, param, ctx)


def count(most: int, least: int = 1) -> click.IntRange:
    """An integer in a range."""
    return click.IntRange(least, most)


def listed(kind: click.ParamType[Any], what: str) -> Callable[[str], list[Any]]:
    """Values with commas between them; `what` names them, for errors."""

    def values(text: str) -> list[Any]:
        try:
            return [kind.convert(part.strip(), None, None) for part in text.split(",")]
        except click.BadParameter:
            raise click.BadParameter(f"{text!r} is not a list of {what}") from None

    return values


grade = count(MOST_GRADE)
share = Number(0, 1)
inner_share = Number(0, 1, min_open=True, max_open=True)


def option(
    usage: str, help: str, kind: Any = str, default: Any = None, *, name: str = "", **how: Any
) -> Decorator:
    """Declare an option as its users see it: ``option("-o, --output FILE", "Write to a file.")``.

    Parameters
    ----------
    usage : str
        Its names, and the word for its value; three dots if it is repeatable, as it also is if
        its default is a list.
    help : str
        What it is for.
    kind : type
        `bool` for a flag; a literal type for one of its words, of which the first is the default
        unless it may be None; or a type of click's.
    default : object, optional
        Its value where it is not given, which the help shows.
    name : str
        The argument of the command; by default, the long name.
    **how
        Further arguments of `click.option`.
    """
    *names, last = usage.removesuffix(" ...").split(", ")
    long, _, metavar = last.partition(" ")
    how["multiple"] = usage.endswith(" ...") or isinstance(default, (list, tuple))
    if words := words_of(kind):
        if default is None and not how["multiple"] and type(None) not in get_args(kind):
            default = words[0]
        kind = click.Choice(words)
    if default is not None:
        how |= {"default": default, "show_default": default not in ("", ())}
    how |= {"is_flag": True} if kind is bool else {"type": kind, "metavar": metavar or None}
    return click.option(*names, long, *([name] if name else []), help=help, **how)


def declared(one: Option, typed: str = "") -> Decorator:
    """Make the option of a command from that of functions; `typed`: its name there, if another."""
    usage, kind, default = flag(typed or one.name), one.parse, one.default
    if one.choices:
        kind = click.Choice(one.choices)
    elif default is False:
        kind, default = bool, None
    elif one.high is not None:
        limits = Number(one.low, one.high, max_open=one.open_high)
        kind = count(int(one.high), int(one.low)) if isinstance(default, int) else limits
    else:
        usage += f" {one.metavar}"
    return option(usage, one.help, kind, default, name=one.name if typed else "")


def all_of(*options: Decorator) -> Decorator:
    """Declare several options."""

    def decorate(command: Any) -> Any:
        for one in reversed(options):
            command = one(command)
        return command

    return decorate


def bundle(name: str, make: Callable[..., Any], *options: Decorator) -> Decorator:
    """Declare options that a command gets as one argument, which `make` makes of their values."""
    declare = all_of(*options)
    names = [one.name for one in declare(lambda: None).__click_params__]

    def decorate(command: Any) -> Any:
        @wraps(command)
        def gathered(**given: Any) -> Any:
            made = make(**{one: given.pop(one) for one in names})
            return command(**{name: made}, **given)

        return declare(gathered)

    return decorate


def new_file(path: str) -> str:
    """Check the name of an output file before any work is done."""
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise click.BadParameter(f"no folder {folder!r}; create it first")
    if os.path.isdir(path):
        raise click.BadParameter(f"{path!r} is a folder; give a file name")
    return path


def second_file(path: str) -> str:
    """Check the name of a second output file; stdout is taken by the result."""
    if path == "-":
        raise click.BadParameter("the result goes to stdout; give a file name")
    return new_file(path)


def picture(path: str, also: str = "") -> str:
    """Check the name of a plot file; `also` is an ending that the caller writes itself."""
    from hungjury.report.pictures import check_ending

    check_ending(path, also)
    check_installed("matplotlib", "report", "drawing a plot")
    return new_file(path)


def page(path: str) -> str:
    """Check the name of a report: a file, unless it is something like /dev/null, is a page."""
    check_installed("jinja2", "report", "a report")
    second_file(path)
    special = os.path.exists(path) and not os.path.isfile(path)
    if not special and not path.lower().endswith((".html", ".htm")):
        raise click.BadParameter(f"{path!r}: a report is a page; give a name that ends in .html")
    return path


def picture_or_csv(path: str) -> str:
    """Check the name of a file for a plot, or its data; "-" is data on stdout."""
    if path == "-" or path.lower().endswith(".csv"):
        return new_file(path)
    return picture(path, also=".csv")


def picture_or_terminal(path: str) -> str:
    """Check the name of a plot file; "-" is a plot of characters on stdout."""
    return path if path == "-" else picture(path, also="-, for the terminal")


# The types of written files.
OUTPUTS = {new_file, second_file, page, picture, picture_or_csv, picture_or_terminal}


def plain_value(text: str) -> Any:
    """A number, a list or a boolean as in Python, or true and false; anything else is text."""
    try:
        return ast.literal_eval(text.capitalize() if text in ("true", "false") else text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def word(text: str) -> str:
    """Text for one column of a file."""
    if len(text.split()) != 1:
        raise click.BadParameter(f"{text!r} contains blanks, which separate columns")
    return text


# Results

quiet = option("--quiet", "Do not print notes and progress to stderr.", bool)
output = option("-o, --output FILE", "Write to this file instead of stdout.", new_file)
csv_safe = option(
    "--csv-safe", "In CSV, escape texts that spreadsheets would take for formulas.", bool
)


def formats(*formats: str, more: str = "", **how: Any) -> Decorator:
    """The format of a result; the first one is the default."""
    kind = click.Choice(formats)
    return option("--format", f"Output format{more}.", kind, formats[0], name="form", **how)


ENDINGS = {".csv": "csv", ".json": "json", ".tex": "latex", ".md": "markdown", ".html": "html"}


def _by_name(context: click.Context, one: click.Parameter, form: str) -> str:
    """Take the format from the name of the file, where no format was asked for."""
    named = ENDINGS.get(os.path.splitext(context.params.get("output") or "")[1].lower(), "")
    if context.get_parameter_source("form") is not ParameterSource.DEFAULT or not named:
        return form
    if named not in cast(click.Choice[str], one.type).choices:
        raise click.UsageError(f"cannot write {named}; choose another name for -o, or --format")
    return named


def results(*forms: str, more: str = "") -> Decorator:
    """The options of a result, which a command gets as `out`; the first format is the default."""
    safe = [csv_safe] if "csv" in forms else []
    form = formats(*forms, more=f", or the ending of --output tells it{more}", callback=_by_name)
    return bundle("out", Output, form, *safe, output, quiet)


def plot(what: str) -> Decorator:
    """The file of a plot."""
    return option("--plot FILE", f"{what} (.svg, .png, .pdf).", picture)


def plots(pictures: object) -> Decorator:
    """The options of plots, which a command gets as `plots`.

    Parameters
    ----------
    pictures : literal type
        What `plot(what=...)` of the result can draw; the first one is the default.
    """
    also = "Also draw a plot (.svg, .png, .pdf; - for the terminal)."
    wide = "Make the plot as wide as a column or a page of a paper."
    return bundle(
        "plots", Plots,
        option("--plot FILE", also, picture_or_terminal),
        option("--picture", "What --plot draws.", pictures),
        option("--plot-width", wide, PlotWidth | None),
    )  # fmt: skip


# Measures, merges, labels

at_least = option(
    "--at-least N",
    "List only judges with at least N labels, those with the most first.",
    count(MOST_LABELS, 0),
    0,
)
rel = option("--rel", "Make labels binary; grades from this one up are relevant.", grade)
plan = option(
    "--plan FILE ...",
    "The plan that chose these documents, by `hungjury plan`; repeatable.",
)
best = option(
    "--best N",
    f"Compare only the best N systems by the judges' votes; needed for more than {MOST_SYSTEMS:,}.",
    count(MOST_SYSTEMS, least=2),
)


def gold(what: str) -> Decorator:
    """Gold labels, a file for each person."""
    return option("--gold QRELS ...", what)


def seed(what: str = "Random seed.") -> Decorator:
    """A random seed."""
    return option("--seed", what, count(MOST_SEED, 0), 0)


def _measures(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    from hungjury.measures.catalogue import CATALOGUE

    return [cls.name for cls in CATALOGUE if cls.name.lower().startswith(incomplete.lower())]


def measure(what: str, **how: Any) -> Decorator:
    """One measure by name."""
    return option("-m, --measure NAME", what, shell_complete=_measures, **how)


def measures(what: str, *default: str) -> Decorator:
    """Measures by name; repeatable."""
    return measure(what, name="measures", default=default)


class _MergeOption(click.Option):
    """An option whose help lists the merges, loaded lazily because numpy is slow to import."""

    @property
    def help(self) -> str:
        from hungjury.judges.merge import merge_names

        names = merge_names(of_labels=self.name == "method")
        return f"{', '.join(names[:-1])} or {names[-1]}; parameters as in 'qbinmv(k=10)'."

    @help.setter
    def help(self, _text: str | None) -> None:
        """Made from the catalogue."""


def merge(name: str, default: str) -> Decorator:
    """A way to combine judges, by name; `--method` is one that gives labels."""
    return option(f"{name} NAME", "", default=default, cls=_MergeOption)


# Files


def judges(
    what: str = "Labels of several judges: one file each, or a table with a judge column.",
    **how: Any,
) -> Decorator:
    """Files of several judges."""
    return option("--judges FILES ...", what, **how)


def runs(what: str = "Runs; repeatable, or a quoted glob.") -> Decorator:
    """Files of runs."""
    return option("--runs FILES ...", what)


def reading(*groups: Mapping[str, Option]) -> Decorator:
    """The reading options of some groups, which a command gets as `reading`."""
    options = {name: one for group in groups for name, one in group.items()}
    return bundle("reading", Reading.of, *(declared(one) for one in options.values()))


labels_and_runs = reading(LABELS, BESIDE)
judges_and_runs = reading(JUDGES, BESIDE)
judges_gold_and_runs = reading(JUDGES, GOLD, BESIDE)
inputs = bundle(
    "inputs",
    InputFiles.of,
    click.argument("files", nargs=-1, metavar="QRELS RUN..."),
    option("--qrels FILE", "Labels, instead of the first argument."),
    runs(),
)


def _check_texts(
    _context: click.Context, option: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """Check that files of texts exist, before any work is done."""
    from hungjury.data.texts import DOCUMENTS, QUERIES, check_texts

    check_texts(value, QUERIES if option.name == "queries" else DOCUMENTS)
    return value


texts = all_of(
    option(
        "--queries FILES ...",
        "Texts of the queries by id: JSON lines, TSV, a BEIR folder or ir_datasets:ID.",
        callback=_check_texts,
    ),
    option(
        "--documents FILES ...",
        "Texts of the documents by id: as --queries, such as BEIR's corpus.jsonl.",
        callback=_check_texts,
    ),
)

_ANSWERS = option(
    "--answers FILES ...",
    "Answers that judges scored, instead of judges and runs: a table of system, topic, judge and "
    "score; needs --scale.",
)
_OF_ANSWERS: list[Decorator] = [
    option(
        "--score-columns ROLE=NAME",
        "Columns of --scores or --answers, such as system=model,topic=question.",
    ),
    option("--scale LOW-HIGH", "Lowest and highest possible value in --scores or --answers."),
]
_SCORES: list[Decorator] = [
    option(
        "--scores FILES ...",
        "Scores per topic of any tool, instead of labels and runs.",
    ),
    *_OF_ANSWERS,
    option(
        "--missing-scores",
        "Topics on which --scores has no value of some system.",
        MissingScores,
    ),
    option(
        "--repeated-scores",
        "Several values in --scores of one system on one topic.",
        RepeatedScores,
    ),
    option(
        "--smaller MEASURE ...",
        "A measure in --scores that is better when smaller; repeatable.",
    ),
]
# Tables that take the place of labels and runs, which a command gets as `tables`.
scores = bundle("tables", ScoreTables, *_SCORES)
answers = bundle("tables", ScoreTables, _ANSWERS, *_OF_ANSWERS)
scores_or_answers = bundle("tables", ScoreTables, _ANSWERS, *_SCORES)

# What is scored, which `score_files` takes.
scoring = all_of(
    inputs,
    scores,
    measures(
        'Measure such as nDCG@10 or "AP(rel=2)", or a trec_eval name; repeatable. '
        f"Default: {', '.join(DEFAULT[:-1])} and {DEFAULT[-1]}."
    ),
    option("-c, --complete", "Same as --topics judged.", bool),
    option("-M, --depth", "Use only the first ranks.", count(MOST_RANKS)),
    option("-l, --rel", "Lowest relevant grade, for all measures.", grade),
    option("-J, --judged-only", "Remove unjudged documents from lists.", bool),
    option("--topics WHICH", "judged (default), retrieved, or topic ids such as 301,302."),
    option("--undefined", "Value where nothing is relevant.", Undefined),
)
