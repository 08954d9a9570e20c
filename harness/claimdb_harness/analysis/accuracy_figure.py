"""The figure of accuracy against SQL calls: a point for each run, with a name that is readable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from claimdb_harness.analysis.run_analysis import RunAnalysis
from claimdb_metric.labels import LABELS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POINT: Final = "#4477aa"
_BAR: Final = "#bbccdd"
_TEXT: Final = "#333333"
_MAX_NAME: Final = 34
_INCHES: Final = (6.4, 4.6)
_OFFSETS: Final = tuple(
    (side * across, up)
    for up in (0, 7, -7, 14, -14, 21, -21, 28, -28)
    for across in (5, 12)
    for side in (1, -1)
)
"""Where a name may stand beside its point, in points of 1/72 inch, the best place first."""


_FAR: Final = 14
"""From so many points up or down on, a line leads from a name to its point."""

_OUTSIDE: Final = 10
"""How much worse it is that a name leaves the figure than that it covers something."""


def draw_accuracy(runs: Sequence[RunAnalysis], figure: Figure) -> None:
    """Draw accuracy, with its 95 % interval, against the mean number of SQL calls per claim."""
    figure.set_size_inches(*_INCHES)
    axes: Any = figure.add_subplot()
    scored = [run for run in runs if run.score is not None and run.calls.mean is not None]
    points = [(run.calls.mean or 0.0, run.score.accuracy) for run in scored if run.score]
    for run, (x, y) in zip(scored, points, strict=True):
        interval = run.score.intervals["accuracy"] if run.score else None
        low, high = interval or (y, y)
        axes.plot([x, x], [low, high], color=_BAR, linewidth=1.5, zorder=1)
    axes.scatter(*zip(*points, strict=True), s=22, color=_POINT, zorder=3)
    axes.set_xlim(left=0, right=max(x for x, _ in points) * 1.12 + 0.5)
    axes.axhline(1 / len(LABELS), color="#999999", linewidth=0.8, linestyle=":", zorder=0)
    axes.set_xlabel("mean SQL calls per claim")
    axes.set_ylabel("accuracy")
    axes.grid(True, color="#eeeeee", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors=_TEXT)
    axes.spines[["top", "right"]].set_visible(False)
    _write_names(axes, figure, [shown_name(run) for run in scored], points)


def shown_name(run: RunAnalysis) -> str:
    """Return a run's name without what cannot be drawn, and no longer than a panel is wide."""
    name = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in run.name)
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 1]}…"


def _write_names(
    axes: Any, figure: Figure, names: Sequence[str], points: Sequence[tuple[float, float]]
) -> None:
    """Write each name beside its point, where it covers neither a point nor another name."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.transforms import Bbox

    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    pixels = axes.transData.transform(points)
    taken = [Bbox.from_bounds(x - 3, y - 3, 6, 6) for x, y in pixels]
    for name, point in zip(names, points, strict=True):
        label = axes.annotate(
            name,
            point,
            xytext=(0, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
            color=_TEXT,
            parse_math=False,
            arrowprops={"arrowstyle": "-", "color": "#bbbbbb", "linewidth": 0.5, "shrinkB": 2},
        )
        boxes = {offset: _box(label, offset, renderer) for offset in _OFFSETS}
        offset = min(_OFFSETS, key=lambda offset: _overlap(boxes[offset], taken, axes.bbox))
        taken.append(_box(label, offset, renderer))
        label.arrow_patch.set_visible(abs(offset[1]) >= _FAR)


def _box(label: Any, offset: tuple[int, int], renderer: Any) -> Any:
    from matplotlib.text import Text

    label.set_horizontalalignment("left" if offset[0] > 0 else "right")
    label.set_position(offset)
    label.update_positions(renderer)
    # Of the text alone: an annotation's own extent holds its line, too.
    return Text.get_window_extent(label, renderer).padded(3)


def _overlap(box: Any, taken: Sequence[Any], inside: Any) -> float:
    """How much a name covers of what is there, and how much of it stands outside."""
    from matplotlib.transforms import Bbox

    covered = 0.0
    for other in taken:
        both = Bbox.intersection(box, other)
        covered += both.width * both.height if both else 0.0
    seen = Bbox.intersection(box, inside)
    visible = seen.width * seen.height if seen else 0.0
    return float(covered + _OUTSIDE * (box.width * box.height - visible))
