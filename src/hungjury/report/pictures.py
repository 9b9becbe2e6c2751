"""Helpers for plots: figures without a display, atomic files, text alternatives, heat maps."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import PlotWidth
from hungjury.base.errors import InputError, MissingExtra, either
from hungjury.base.files import write_whole
from hungjury.base.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colorbar import Colorbar
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

LINE = "#2166ac"  # the main colour
MOST_ROWS = 80  # names of more lines cannot be read
LONGEST = 40  # letters of a name beside a plot: longer ones would leave no room for the plot
ENDINGS = (".svg", ".png", ".pdf")
WIDTHS = {"column": 3.35, "page": 7.0}  # inches, of two-column papers
LARGEST_TYPE = 8  # points, in a column
# Safe for colour-blind readers (after Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c564b",
           "#999999")  # fmt: skip
MARKERS = "os^Dv<>PX*hpd"  # their number and that of colours have no common factor
_KEPT = "\u200b"  # before a label that matplotlib would leave out of a legend


def new_picture(width: float, height: float) -> tuple[Figure, Axes]:
    """Make a figure with one plain pair of axes."""
    figure, (axes,) = new_grid(width, height, 1, 1)
    return figure, axes


def new_grid(
    width: float, height: float, number: int, across: int,
    widths: Sequence[float] | None = None, shared: bool = True,
) -> tuple[Figure, list[Axes]]:  # fmt: skip
    """Make a figure, without a window or global state, with `number` plain axes, `across` of them
    side by side: a light grid, no frame on top and on the right.

    widths: relative ones of the columns. shared: all are on one scale.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "report", "drawing a plot") from None
    except ValueError as error:  # MPLBACKEND names no backend
        raise _unusable(error) from None
    figure = Figure(figsize=(width, height), layout="constrained")
    grid = figure.subplots(-(-number // across), across, sharey=shared, squeeze=False,
                           width_ratios=widths).ravel()  # fmt: skip
    for empty in grid[number:]:
        empty.remove()
    for axes in grid[:number]:
        axes.grid(alpha=0.3)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    return figure, list(grid[:number])


def new_rows(names: Sequence[str]) -> tuple[Figure, Axes]:
    """Return a figure with a line per name, the first on top; too many names are left out."""
    figure, axes = new_picture(6.4, min(max(0.22 * len(names), 1.2), 14.0) + 0.8)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    shown = list(map(shortened, names)) if len(names) <= MOST_ROWS else []
    if not shown:
        axes.set_ylabel(f"{len(names)} rows, names left out", fontsize=7)
    axes.set_yticks(range(len(shown)), shown, fontsize=8 if len(names) <= 30 else 6)
    return figure, axes


def draw_intervals(
    axes: Axes, middle: Floats, low: Floats, high: Floats,
    colours: str | Sequence[str] = LINE, dots: str | Sequence[str] = "black",
) -> None:  # fmt: skip
    """Draw a line and a dot in each row, from the top; infinite lines are not drawn."""
    places = np.arange(len(middle))
    known = np.isfinite(low) & np.isfinite(high)
    axes.hlines(places, np.where(known, low, np.nan), np.where(known, high, np.nan),
                colors=colours, linewidth=2)  # fmt: skip
    for place, colour in enumerate([dots] * len(middle) if isinstance(dots, str) else dots):
        axes.plot(middle[place], place, "o", color=colour, markersize=4)


def shortened(name: str) -> str:
    """Leave out the middle of a long name, such as that of a measure with a file's path; what
    cannot be drawn is escaped."""
    name = visible(name)
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST // 2]}\N{HORIZONTAL ELLIPSIS}{name[-(LONGEST // 2 - 1) :]}"


def room_for(names: Iterable[str]) -> float:
    """Return the inches that the longest of some names needs beside an axis."""
    return 0.4 + 0.065 * max(len(shortened(name)) for name in names)


def line_styles(number: int) -> list[dict[str, Any]]:
    """Distinct styles of lines, also in greyscale: each has its own colour and marker; dashes when
    the colours repeat."""
    dashes = ("-", "--", ":")
    return [
        {
            "color": COLOURS[i % len(COLOURS)],
            "marker": MARKERS[i % len(MARKERS)],
            "linestyle": dashes[i // len(COLOURS) % len(dashes)],
            "linewidth": 1.5,
            "markersize": 4.5,
        }
        for i in range(number)
    ]


def in_legend(name: str) -> str:
    """Mark a name for a legend, where matplotlib leaves out labels that begin with _."""
    return _KEPT + name if name.startswith("_") else name


def fit(figure: Figure, width: PlotWidth | None) -> None:
    """Make a plot as wide as a column or a page of a paper; type in a column has at most 8 points.

    Heat maps keep their shape; other plots keep their height.
    """
    from matplotlib.text import Text

    if width is None:
        return
    wide, high = figure.get_size_inches()
    square = any(axes.images for axes in figure.axes)
    figure.set_size_inches(WIDTHS[width], high * (WIDTHS[width] / wide if square else 1))
    for text in figure.findobj(Text) if width == "column" else ():
        text.set_fontsize(min(text.get_fontsize(), LARGEST_TYPE))


def save_picture(figure: Figure, path: str, width: PlotWidth | None = None) -> None:
    """Write a plot; the file's ending is the format."""
    fit(figure, width)
    write_whole(path, picture_bytes(figure, check_ending(path)[1:]))


def check_ending(path: str, also: str = "") -> str:
    """Return the ending of a plot's file, its format; `also` is named beside the others."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        said = f"unknown plot format '{ending}'"
        remedy = f"use a file name that ends in {either([*ENDINGS, *filter(None, [also])])}"
        raise InputError(said, code="plot-format", file=path, remedy=remedy)
    return ending


def picture_bytes(figure: Figure, form: str) -> bytes:
    """Return a plot as 'svg', 'png' or 'pdf'; the same figure gives the same bytes."""
    from matplotlib import rc_context

    drawn = io.BytesIO()
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    _show_plainly(figure)
    # Type 42 embeds fonts as TrueType, which journals ask for.
    with rc_context({"svg.hashsalt": "hungjury", "pdf.fonttype": 42}):
        try:
            figure.savefig(drawn, format=form, dpi=150, metadata=undated)
        except RuntimeError as error:  # LaTeX is missing or fails, with text.usetex
            raise _unusable(error) from None
    return drawn.getvalue()


def _unusable(error: Exception) -> InputError:
    """Return the error of a matplotlib whose settings cannot draw anything."""
    said = str(error).strip().partition("\n")[0]
    return InputError(
        f"matplotlib cannot draw with its present settings: {said:.200}",
        code="unusable-matplotlib",
        remedy="unset MPLBACKEND, and text.usetex in your matplotlibrc",
    )


def _show_plainly(figure: Figure) -> None:
    """Escape names: dollar signs must not start a formula; control characters are made visible.
    Legends leave room for the plot."""
    from matplotlib.legend import Legend
    from matplotlib.text import Text

    for legend in figure.findobj(Legend):
        for text in legend.get_texts():
            text.set_text(shortened(text.get_text()))
    for text in figure.findobj(Text):
        name = text.get_text()
        if "$" in name and not name.startswith("$\\mathdefault"):  # matplotlib's own numbers
            text.set_parse_math(False)
        text.set_text(visible(name).removeprefix(_KEPT))


MOST_NAMES = 80  # more names on an axis cannot be read
MOST_NUMBERS = 12  # numbers in more rows cannot be read


def square_map(
    values: Floats, names: list[str], title: str, low: float | None = None,
    cell: float = 0.24, numbered: int = MOST_NUMBERS,
) -> Figure:  # fmt: skip
    """Draw a matrix whose rows and columns have the same names.

    low: the darkest value; by default a round number below nearly all. cell: the size of a cell in
    inches. numbered: the most rows whose cells show their numbers.
    """
    side = min(max(cell * len(names), 2.6), 14.0) + 1.6
    figure, axes = new_picture(side + 0.6, side)
    low = darkest(values) if low is None else low
    image = heat_map(axes, values, names, names, low, len(names) <= numbered)
    axes.set_title(title, fontsize=10, loc="left")
    colour_bar(figure, image, axes)
    return figure


def heat_map(
    axes: Axes, values: Floats, rows: list[str], columns: list[str],
    low: float, numbered: bool, high: float = 1.0, colours: str = "viridis",
    aspect: Literal["equal", "auto"] = "equal",
) -> AxesImage:  # fmt: skip
    """Draw a matrix in colours from `low` to `high`; cells that are not known stay grey."""
    from matplotlib import colormaps

    axes.grid(False)
    image = axes.imshow(
        np.ma.masked_invalid(values), cmap=colormaps[colours].with_extremes(bad="0.93"),
        vmin=low, vmax=high, aspect=aspect,
    )  # fmt: skip
    _name_ticks(axes.xaxis, columns, 90)
    _name_ticks(axes.yaxis, rows, 0)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    for (i, j), value in np.ndenumerate(values) if numbered else ():
        if not np.isnan(value):
            dark = (value - low) / (1 - low) < 0.6
            axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7,
                      color="white" if dark else "black")  # fmt: skip
    return image


def _name_ticks(axis: Axis, names: list[str], rotation: int) -> None:
    if len(names) > MOST_NAMES:
        axis.set_ticks([])
        axis.set_label_text(f"{len(names)} names left out", fontsize=7)
        return
    size = 8 if len(names) <= 15 else 6.5
    axis.set_ticks(np.arange(len(names)), list(map(shortened, names)), fontsize=size,
                   rotation=rotation)  # fmt: skip


def darkest(values: Floats) -> float:
    """Return a round number below nearly all values; far below chance, all is equally dark."""
    known = values[~np.isnan(values)]
    return max(float(np.floor(known.min(initial=0.9) * 10) / 10), -0.5)


def colour_bar(figure: Figure, image: AxesImage, axes: Axes | list[Axes]) -> Colorbar:
    """Add a bar that shows which value has which colour."""
    bar = figure.colorbar(image, ax=axes, shrink=0.5, pad=0.03)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=7, length=2)
    return bar


# Plots in a terminal

SHADES = " ░▒▓█"
HEIGHT = 16  # lines of a plot whose rows have no names
DENSE = 200  # points along a line, more than a terminal has characters


def terminal_text(figure: Figure, width: int = 80) -> str:
    """Draw a plot with characters: dots, lines, bars and shades."""
    figure.draw_without_rendering()  # limits and ticks are known only then
    plots = [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]
    return "\n\n".join(_text_axes(axes, width) for axes in plots)


def _text_axes(axes: Axes, width: int) -> str:
    from matplotlib.ticker import FixedLocator

    low, high = sorted(axes.get_ylim())
    written = zip(axes.get_yticks(), axes.get_yticklabels(), strict=False)
    ticks = [(y, text.get_text()) for y, text in written if low <= y <= high]
    named = bool(ticks) and isinstance(axes.yaxis.get_major_locator(), FixedLocator)
    height = len(ticks) if named else HEIGHT
    beside = max((len(text) for _, text in ticks), default=0) + 1
    cells = np.full((height, width - beside), " ")
    to_axes = axes.transAxes.inverted()

    def put(points: Any, sign: str, transform: Any = axes.transData) -> None:
        share = to_axes.transform(transform.transform(np.asarray(points, dtype=float))).round(9)
        share = share[((share >= 0) & (share <= 1)).all(axis=1)]
        at = np.minimum((share * cells.shape[::-1]).astype(int), np.array(cells.shape[::-1]) - 1)
        cells[height - 1 - at[:, 1], at[:, 0]] = sign

    for image in axes.images:
        values: Any = image.get_array()
        shades = np.ma.filled(image.norm(values), 0.0)
        for (i, j), share in np.ndenumerate(shades):
            sign = SHADES[min(int(share * len(SHADES)), len(SHADES) - 1)]
            put([(j + x, i) for x in np.linspace(-0.49, 0.49, DENSE)], sign)
    for patch in axes.patches:
        (x0, y0), (x1, y1) = patch.get_path().get_extents(patch.get_patch_transform()).get_points()
        put([(x, y) for x in np.linspace(x0, x1, DENSE) for y in np.linspace(y0, y1, 20)], "█")
    for collection in axes.collections:
        for segment in getattr(collection, "get_segments", list)():  # bands have none
            if len(segment):  # an interval without ends is empty
                put(np.linspace(segment[0], segment[-1], DENSE), "─")
    for line in axes.lines:
        points: Any = line.get_xydata()
        if line.get_linestyle() != "None":
            for one, other in pairwise(points):
                put(np.linspace(one, other, DENSE), "·", line.get_transform())
        if line.get_marker() not in ("None", "", None):
            put(points, "●", line.get_transform())
    names = {height - 1 - min(int(to_axes.transform(axes.transData.transform((0, y)))[1] * height),
                              height - 1): text for y, text in ticks}  # fmt: skip
    rows = [f"{names.get(i, ''):>{beside - 1}} {''.join(row)}".rstrip()
            for i, row in enumerate(cells)]  # fmt: skip
    title = axes.get_title("left") or axes.get_title()
    return "\n".join([*filter(None, [title]), *rows, _text_ticks(axes, beside, width),
                      *filter(None, [axes.get_xlabel()])])  # fmt: skip


def _text_ticks(axes: Axes, beside: int, width: int) -> str:
    """Write the numbers or names below a plot that have room."""
    line = [" "] * width
    for x, tick in zip(axes.get_xticks(), axes.get_xticklabels(), strict=False):
        share = axes.transAxes.inverted().transform(axes.transData.transform((x, 0)))[0]
        text = tick.get_text()
        start = min(beside + int(share * (width - beside)), width - len(text))
        room = slice(max(start - 1, 0), start + len(text) + 1)
        if 0 <= share <= 1 and start >= 0 and not "".join(line[room]).strip():
            line[start : start + len(text)] = text
    return "".join(line).rstrip()
