"""What a figure of matplotlib shows, as text: every artist with its places, colours and sizes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.ticker import FixedLocator, MaxNLocator

MOST = 12  # numbers that are listed
TICKS = ("labelsize", "length", "left", "bottom", "labelleft", "gridOn", "grid_alpha",
         "grid_color", "grid_linewidth")  # fmt: skip


def described(figure: Any) -> str:
    """Return a line for the figure, each of its axes, and everything in them."""
    lines = [f"figure {shown(figure.get_size_inches())}"]
    lines += [f"  below {words(text)}" for text in figure.texts]
    lines += [f"  {line}" for legend in figure.legends for line in legends(legend)]
    for axes in figure.axes:
        lines += ["axes", *(f"  {line}" for line in of_axes(axes))]
    return "\n".join(lines)


def shown(values: Any) -> str:
    """Write numbers with four digits."""
    if isinstance(values, str) or values is None or isinstance(values, bool):
        return str(values)
    if isinstance(values, dict):
        return " ".join(f"{k}={shown(v)}" for k, v in values.items())
    if np.ma.is_masked(values):
        values = np.ma.filled(values.astype(float), np.nan)
    if np.size(values) > MOST and np.asarray(values).dtype.kind in "fi":
        known = np.nan_to_num(np.asarray(values, dtype=float).ravel())
        sums = known.sum(), known @ np.cos(np.arange(len(known)))
        return f"[{np.shape(values)} numbers: {' '.join(map(shown, sums))}]"
    if np.ndim(values):
        return "[" + " ".join(map(shown, values)) + "]"
    return f"{float(values):.4g}" if isinstance(values, (int, float, np.number)) else str(values)


def few(texts: list[str]) -> str:
    """Write a list of texts; the middle of a long one as a number."""
    if len(texts) <= MOST:
        return str(texts)
    return f"{texts[:2]} {zlib.crc32(repr(texts).encode())} {texts[-1:]} {len(texts)}"


def colours(values: Any) -> str:
    each = [values] if isinstance(values, str) else np.reshape(values, (-1, 4))
    return " ".join(to_hex(one, keep_alpha=True) for one in each)


def words(text: Any) -> str:
    """A text, where it is and how it is set."""
    how = {
        "at": text.get_position(), "size": text.get_fontsize(), "colour": colours(text.get_color()),
        "ha": text.get_ha(), "va": text.get_va(), "rotation": text.get_rotation(),
    }  # fmt: skip
    if hasattr(text, "xy"):
        how |= {"beside": text.xy, "coords": text.anncoords, "clip": text.get_annotation_clip()}
    return f"{text.get_text()!r} {shown(how)}"


def legends(legend: Any) -> Iterator[str]:
    box = legend.get_bbox_to_anchor()._bbox
    title = legend.get_title()
    yield (
        f"legend {[text.get_text() for text in legend.get_texts()]} size "
        f"{shown([text.get_fontsize() for text in legend.get_texts()[:1]])} frame "
        f"{legend.get_frame_on()} title {title.get_text()!r} columns {legend._ncols} at "
        f"{legend._loc} {getattr(legend, '_outside_loc', None)} "
        f"{shown(box.p0) if legend._bbox_to_anchor is not None else ''}"
    )


def of_axes(axes: Any) -> Iterator[str]:
    if axes.get_label() == "<colorbar>":
        info = getattr(axes, "_colorbar_info", {})
        yield f"colour bar {shown({k: info.get(k) for k in ('shrink', 'pad', 'location')})}"
        yield f"outline {axes._colorbar.outline.get_visible()}"
    else:
        grid = axes.get_gridspec()
        yield f"grid {grid.nrows} {grid.ncols} {shown(grid.get_width_ratios())}"
    for side in ("left", "center", "right"):
        title = {"left": axes._left_title, "center": axes.title, "right": axes._right_title}[side]
        if title.get_text():
            yield f"title {side} {title.get_text()!r} size {shown(title.get_fontsize())}"
    visible = [side for side, spine in axes.spines.items() if spine.get_visible()]
    yield f"spines {visible} on {axes.axison} aspect {shown(axes.get_aspect())}"
    yield f"below {axes.get_axisbelow()}"
    for name, axis, ends in (
        ("x", axes.xaxis, axes.get_xlim()),
        ("y", axes.yaxis, axes.get_ylim()),
    ):
        label = axis.label
        yield f"{name} {shown(ends)} {axis.get_scale()} {label.get_text()!r} {label.get_fontsize()}"
        params = axis.get_tick_params()
        yield f"  ticks {shown({k: params[k] for k in TICKS if k in params})}"
        locator = axis.get_major_locator()
        if isinstance(locator, FixedLocator):
            labels = axis.get_ticklabels()
            yield f"  at {shown(locator.locs)} {few([text.get_text() for text in labels])}"
            yield f"  {shown([(text.get_fontsize(), text.get_rotation()) for text in labels[:1]])}"
        elif type(locator) is MaxNLocator:
            yield f"  at {[shown(locator.tick_values(*two)) for two in ((0.6, 8.4), (1, 40))]}"
        if axis.get_scale() == "log":
            formats = axis.get_major_formatter(), axis.get_minor_formatter()
            yield f"  writes {[one(1000.0, 0) for one in formats]}"
    lines = [of_line(line) for line in axes.lines]
    yield from lines if len(lines) <= MOST else [few(lines)]
    for patch in axes.patches:
        box = patch.get_path().get_extents(patch.get_patch_transform())
        how = colours(patch.get_facecolor()), shown(patch.get_linewidth()), patch.get_label()
        yield f"patch {shown(box.get_points())} {how}"
    for group in axes.collections:
        places = [path.vertices for path in group.get_paths()]
        yield (
            f"{type(group).__name__} {shown(places)} {colours(group.get_facecolor())} "
            f"{colours(group.get_edgecolor())} {shown(group.get_linewidth())}"
        )
    for image in axes.images:
        colour = image.get_cmap()
        how = shown(image.get_clim()), colour.name, colours(colour.get_bad())
        yield f"image {shown(image.get_array())} {how}"
    if len(axes.texts) <= MOST:
        yield from (f"text {words(text)}" for text in axes.texts)
    else:
        yield f"texts {few([words(text) for text in axes.texts])}"
    if axes.get_legend() is not None:
        yield from legends(axes.get_legend())


def of_line(line: Any) -> str:
    dashes = line._unscaled_dash_pattern
    return (
        f"line {line.get_label()!r} {shown(line.get_xydata().T)} {line.get_color()} "
        f"{shown(line.get_linestyle())} {shown(dashes[1])} {shown(line.get_linewidth())} marker "
        f"{line.get_marker()} {shown(line.get_markersize())} {shown(line.get_markeredgewidth())} "
        f"{line.get_fillstyle()} alpha {shown(line.get_alpha())} order {shown(line.zorder)} clip "
        f"{line.get_clip_on()}"
    )
