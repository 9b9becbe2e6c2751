"""Helpers for plots: figures without a display, atomic files, text alternatives, heat maps."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from hungjury.base.arrays import Floats
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
_KEPT = "\u200b"  # before a label that matplotlib would leave out of a legend


def new_figure(width: float, height: float) -> Figure:
    """Make an empty figure, without a window or global state."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "report", "drawing a plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def new_picture(width: float, height: float) -> tuple[Figure, Axes]:
    """Make a figure with one plain pair of axes."""
    figure, (axes,) = new_panels(width, height, [1.0])
    return figure, axes


def new_panels(width: float, height: float, widths: Sequence[float]) -> tuple[Figure, list[Axes]]:
    """Return a figure with plain axes side by side, of these relative widths and with one scale."""
    return new_grid(width, height, len(widths), len(widths), widths)


def new_grid(
    width: float, height: float, number: int, across: int, widths: Sequence[float] | None = None
) -> tuple[Figure, list[Axes]]:
    """Return a figure with `number` plain axes, `across` of them side by side, all on one scale."""
    figure = new_figure(width, height)
    grid = figure.subplots(-(-number // across), across, sharey=True, squeeze=False,
                           width_ratios=widths).ravel()  # fmt: skip
    for empty in grid[number:]:
        empty.remove()
    return figure, plain(grid[:number])


def new_rows(names: Sequence[str]) -> tuple[Figure, Axes]:
    """Return a figure with a line per name, the first on top; too many names are left out."""
    figure, axes = new_picture(6.4, min(max(0.22 * len(names), 1.2), 14.0) + 0.8)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    shown = list(map(shortened, names)) if len(names) <= MOST_ROWS else []
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


def plain(axes: Iterable[Axes]) -> list[Axes]:
    """Give axes a light grid, and no frame on top and on the right."""
    for one in axes:
        one.grid(alpha=0.3)
        for side in ("top", "right"):
            one.spines[side].set_visible(False)
    return list(axes)


def shortened(name: str) -> str:
    """Leave out the middle of a long name, such as that of a measure with a file's path."""
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST // 2]}\N{HORIZONTAL ELLIPSIS}{name[-(LONGEST // 2 - 1) :]}"


def room_for(names: Iterable[str]) -> float:
    """Return the inches that the longest of some names needs beside an axis."""
    return 0.4 + 0.065 * max(len(shortened(name)) for name in names)


def in_legend(name: str) -> str:
    """Mark a name for a legend, where matplotlib leaves out labels that begin with _."""
    return _KEPT + name if name.startswith("_") else name


def save_picture(figure: Figure, path: str) -> None:
    """Write a plot; the file's ending is the format."""
    write_whole(path, picture_bytes(figure, check_ending(path)[1:]))


def check_ending(path: str, also: str = "") -> str:
    """Return the ending of a plot's file, its format; `also` is named beside the others."""
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
    """Return a plot as 'svg', 'png' or 'pdf'; the same figure gives the same bytes."""
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
