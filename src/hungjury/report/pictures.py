"""Helpers for plots: figures without a display, atomic files, text alternatives, heat maps."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hungjury.base.errors import InputError, MissingExtra, either
from hungjury.base.files import write_whole
from hungjury.base.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.colorbar import Colorbar
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

__all__ = [
    "LINE",
    "MOST_NUMBERS",
    "bare",
    "check_ending",
    "colour_bar",
    "colour_map",
    "darkest",
    "in_legend",
    "masked",
    "name_ticks",
    "new_grid",
    "new_panels",
    "new_picture",
    "new_rows",
    "numbers_in_cells",
    "picture_bytes",
    "room_for",
    "save_picture",
    "shortened",
]

LINE = "#2166ac"  # the main colour
MOST_ROWS = 80  # names of more lines cannot be read
LONGEST = 40  # letters of a name beside a plot: longer ones would leave no room for the plot
ENDINGS = (".svg", ".png", ".pdf")
_KEPT = "\u200b"  # before a label that matplotlib would leave out of a legend


def new_picture(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure with one plain pair of axes."""
    figure, (axes,) = new_panels(width, height, [1.0])
    return figure, axes


def new_panels(width: float, height: float, widths: Sequence[float]) -> tuple[Figure, list[Axes]]:
    """A figure with plain axes side by side, of these relative widths and with one scale."""
    figure = _empty(width, height)
    row = figure.subplots(1, len(widths), sharey=True, squeeze=False, width_ratios=widths)[0]
    return figure, _plain(row)


def new_grid(width: float, height: float, number: int, across: int) -> tuple[Figure, list[Axes]]:
    """A figure with `number` plain axes, `across` of them side by side, all on one scale."""
    figure = _empty(width, height)
    grid = figure.subplots(-(-number // across), across, sharey=True, squeeze=False).ravel()
    for empty in grid[number:]:
        empty.remove()
    return figure, _plain(grid[:number])


def new_rows(names: Sequence[str]) -> tuple[Figure, Axes]:
    """A figure with a line per name, the first on top; too many names are left out."""
    figure, axes = new_picture(6.4, min(max(0.22 * len(names), 1.2), 14.0) + 0.8)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    shown = list(map(shortened, names)) if len(names) <= MOST_ROWS else []
    axes.set_yticks(range(len(shown)), shown, fontsize=8 if len(names) <= 30 else 6)
    return figure, axes


def _empty(width: float, height: float) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "report", "drawing a plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def _plain(axes: Iterable[Axes]) -> list[Axes]:
    for one in axes:
        one.grid(alpha=0.3)
        for side in ("top", "right"):
            one.spines[side].set_visible(False)
    return list(axes)


def shortened(name: str) -> str:
    """A name without its middle where it is long, as a measure with the path of a file is."""
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST // 2]}\N{HORIZONTAL ELLIPSIS}{name[-(LONGEST // 2 - 1) :]}"


def room_for(names: Iterable[str]) -> float:
    """The inches that the longest of some names needs beside an axis."""
    return 0.4 + 0.065 * max(len(shortened(name)) for name in names)


def in_legend(name: str) -> str:
    """A name as the label of a line; matplotlib's legends leave out labels that begin with _."""
    return _KEPT + name if name.startswith("_") else name


def save_picture(figure: Figure, path: str) -> None:
    """Write a plot; the file's ending is the format."""
    write_whole(path, picture_bytes(figure, check_ending(path)[1:]))


def check_ending(path: str, also: str = "") -> str:
    """The ending of a plot's file, which is its format; `also` is named beside the others."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(
            f"unknown plot format '{ending}'",
            code="plot-format",
            file=path,
            remedy=f"use a file name that ends in {either([*ENDINGS, *filter(None, [also])])}",
        )
    return ending


def picture_bytes(figure: Figure, form: str) -> bytes:
    """A plot as 'svg', 'png' or 'pdf'; the same figure gives the same bytes."""
    from matplotlib import rc_context

    drawn = io.BytesIO()
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    _show_plainly(figure)
    with rc_context({"svg.hashsalt": "hungjury"}):
        figure.savefig(drawn, format=form, dpi=150, metadata=undated)
    return drawn.getvalue()


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


def darkest(values: NDArray[np.float64]) -> float:
    """A round number below nearly all values; far below chance, all is equally dark."""
    known = values[~np.isnan(values)]
    return max(float(np.floor(known.min(initial=0.9) * 10) / 10), -0.5)


def name_ticks(axes: Axes, axis: str, names: list[str]) -> None:
    ticks, labels = (
        (axes.set_xticks, axes.set_xticklabels)
        if axis == "x"
        else (axes.set_yticks, axes.set_yticklabels)
    )
    if len(names) > MOST_NAMES:
        ticks([])
        return
    ticks(np.arange(len(names)))
    size = 8 if len(names) <= 15 else 6.5
    labels(list(map(shortened, names)), fontsize=size, rotation=90 if axis == "x" else 0)


def numbers_in_cells(axes: Axes, values: NDArray[np.float64], low: float) -> None:
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            dark = (value - low) / (1 - low) < 0.6
            axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7,
                      color="white" if dark else "black")  # fmt: skip


def bare(axes: Axes) -> None:
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def colour_bar(figure: Figure, image: ScalarMappable, axes: Axes | list[Axes]) -> Colorbar:
    bar = figure.colorbar(image, ax=axes, shrink=0.5, pad=0.03)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=7, length=2)
    return bar


def masked(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A masked array, which plots leave blank where a value is not known."""
    return np.ma.masked_invalid(values)


def colour_map(name: str) -> Colormap:
    """A colour map that shows unknown values in light grey."""
    from matplotlib import colormaps

    return colormaps[name].with_extremes(bad="0.93")
