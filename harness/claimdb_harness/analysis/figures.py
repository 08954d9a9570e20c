"""Figures of runs, as papers have them: the same numbers give the same bytes."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from claimdb_harness.analysis.accuracy_figure import draw_accuracy, shown_name
from claimdb_harness.analysis.call_counts import MOST_SHOWN
from claimdb_harness.analysis.run_analysis import RunAnalysis
from claimdb_loader.storage import replace_atomically
from claimdb_metric.errors import DataError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES: Final = (".svg", ".png")
BLUE: Final = "#4477aa"
RED: Final = "#cc6677"
TEXT: Final = "#333333"
_MOST_COLUMNS: Final = 4
_PANEL_INCHES: Final = 2.6
_ANSWERS: Final = ("E", "C", "NEI", "none")
_GOLDS: Final = _ANSWERS[:3]
_ROOM: Final = 1.2
"""Above the highest bar, in which the mean is written."""

_DARK: Final = 0.6
"""Above this share the number in a cell is white."""


def check_figures(folder: str) -> None:
    """Raise DataError if no figures can be drawn in a folder, before the long work."""
    if Path(folder).exists() and not Path(folder).is_dir():
        raise DataError(f"{folder} is a file; --figures takes a folder")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise DataError(
            "figures need matplotlib, which is not installed: `pip install 'claimdb[figures]'`"
        ) from None


def write_figures(runs: Sequence[RunAnalysis], folder: str) -> list[Path]:
    """Write the figures of runs as SVG and PNG; return the files.

    A run whose labels are hidden is in `calls` only.

    Args:
        runs: in the order of the panels.
        folder: made where it is not there; files of these names are replaced.

    Raises:
        DataError: no figures can be drawn there, or matplotlib is missing.
        OSError: the folder cannot be written to.
    """
    check_figures(folder)
    Path(folder).mkdir(parents=True, exist_ok=True)
    scored = [run for run in runs if run.score is not None]
    shown_in = {
        "confusion": scored,
        "calls": [run for run in runs if run.knows_calls],
        "accuracy_by_calls": [run for run in scored if run.knows_calls],
    }
    written = []
    for name, draw in DRAWINGS.items():
        shown = shown_in[name]
        for suffix in SUFFIXES if shown else ():
            path = Path(folder, name + suffix)
            replace_atomically(path, figure_bytes(shown, draw, suffix))
            written.append(path)
    return written


def figure_bytes(
    runs: Sequence[RunAnalysis],
    draw: Callable[[Sequence[RunAnalysis], Figure], None],
    suffix: str,
) -> bytes:
    """Return a figure as the content of a file.

    Args:
        runs: what is drawn.
        draw: draws them into an empty figure.
        suffix: ".svg" or ".png".
    """
    import matplotlib

    out = io.BytesIO()
    # rc_context puts the caller's settings back; nobody's matplotlibrc changes the bytes.
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams |= {"svg.hashsalt": "claimdb", "font.size": 8, "text.color": TEXT}
        # A script that the font lacks is drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        draw(runs, figure)
        metadata = {"Date": None} if suffix == ".svg" else None
        figure.savefig(out, format=suffix[1:], dpi=150, metadata=metadata)
    return out.getvalue()


def draw_confusions(runs: Sequence[RunAnalysis], figure: Figure) -> None:
    """Draw labels against answers; each row is a share of all claims of its label."""
    for run, axes in _panels(runs, figure, height=0.88):
        counts = run.score.confusion if run.score else ()
        shares = [[n / max(sum(row), 1) for n in row] for row in counts]
        axes.imshow(shares, vmin=0, vmax=1, cmap="Blues", aspect="auto")
        for y, row in enumerate(shares):
            for x, share in enumerate(row):
                color = "white" if share > _DARK else TEXT
                axes.text(x, y, f"{share:.2f}", ha="center", va="center", color=color, fontsize=8.5)
        axes.set_xticks(range(len(_ANSWERS)), _ANSWERS)
        axes.set_yticks(range(len(_GOLDS)), _GOLDS)
        axes.tick_params(which="both", length=0, colors=TEXT)
        axes.set_xticks([0.5, 1.5, 2.5], minor=True)
        axes.set_yticks([0.5, 1.5], minor=True)
        axes.grid(True, which="minor", color="white", linewidth=2)
        for spine in axes.spines.values():
            spine.set_visible(False)
    figure.supxlabel("verdict", fontsize=9)
    figure.supylabel("label", fontsize=9)


def draw_calls(runs: Sequence[RunAnalysis], figure: Figure) -> None:
    """Draw claims by their SQL calls, those without a verdict in a colour of their own."""
    places = range(MOST_SHOWN + 2)
    for run, axes in _panels(runs, figure, height=0.78):
        none = run.calls.histogram_no_verdict
        some = [n - n_none for n, n_none in zip(run.calls.histogram, none, strict=True)]
        axes.bar(places, some, width=0.85, color=BLUE, label="verdict", zorder=2)
        axes.bar(places, none, width=0.85, bottom=some, color=RED, label="no verdict", zorder=2)
        axes.set_xticks([0, 5, 10, 15, MOST_SHOWN + 1], ["0", "5", "10", "15", f">{MOST_SHOWN}"])
        axes.set_xlim(-0.8, MOST_SHOWN + 1.8)
        axes.set_ylim(0, max(*run.calls.histogram, 1) * _ROOM)
        axes.tick_params(labelsize=7, colors=TEXT)
        axes.yaxis.grid(True, color="#dddddd", linewidth=0.6, zorder=0)
        axes.spines[["top", "right"]].set_visible(False)
        if run.calls.mean is not None:
            mean = min(run.calls.mean, MOST_SHOWN + 1)
            axes.axvline(mean, color=TEXT, linewidth=0.9, linestyle="--", zorder=3)
            _at_mean(axes, mean, f"mean {run.calls.mean:.1f}")
    figure.supxlabel("SQL calls of a claim", fontsize=9)
    figure.supylabel("claims", fontsize=9)
    if any(sum(run.calls.histogram_no_verdict) for run in runs):
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=2, frameon=False)


def _at_mean(axes: Any, mean: float, text: str) -> None:
    is_left = mean > MOST_SHOWN / 2
    axes.annotate(
        text,
        (mean, 0.97),
        xycoords=("data", "axes fraction"),
        xytext=(-3 if is_left else 3, 0),
        textcoords="offset points",
        ha="right" if is_left else "left",
        va="top",
        fontsize=7,
        # Lines of the grid end at the text.
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )


def _panels(
    runs: Sequence[RunAnalysis], figure: Figure, height: float
) -> list[tuple[RunAnalysis, Any]]:
    n_columns = min(len(runs), _MOST_COLUMNS)
    n_rows = math.ceil(len(runs) / n_columns)
    width = max(n_columns * _PANEL_INCHES, 3.4)
    figure.set_size_inches(width, n_rows * _PANEL_INCHES * height + 0.5)
    grid = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for axes in grid[len(runs) :]:
        axes.remove()
    panels = list(zip(runs, grid, strict=False))
    for run, axes in panels:
        axes.set_title(shown_name(run), fontsize=8.5, color=TEXT, parse_math=False)
    return panels


DRAWINGS: Final = {
    "confusion": draw_confusions,
    "calls": draw_calls,
    "accuracy_by_calls": draw_accuracy,
}
