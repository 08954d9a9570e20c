"""The figure of a stats report: every database by its rows, on a log scale."""

from __future__ import annotations

import io
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from claimdb_builder.stats.database_stats import DatabaseStats
from claimdb_builder.stats.report import StatsReport
from claimdb_loader.storage import replace_atomically
from claimdb_metric.errors import DataError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES: Final = (".svg", ".png")
_BAR: Final = "#4477aa"
_TEXT: Final = "#333333"
_GRID: Final = "#dddddd"
_WIDTH_INCHES: Final = 8.0
_INCHES_PER_BAR: Final = 0.21
_LEFT_END: Final = 0.8
"""Of the axis, so that one row is a bar and none is not."""

_INCHES_PER_CHAR: Final = 0.068
"""Of the 8 points of names; the text at a bar has 7."""

_MAX_NAME: Final = 40


def check_figure(path: str) -> None:
    """Raise DataError if no figure can be drawn there, before the long work.

    >>> check_figure("sizes.gif")
    Traceback (most recent call last):
    claimdb_metric.errors.DataError: sizes.gif: a figure is drawn as SVG or PNG; name it *.svg or \
*.png
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise DataError(f"{path}: a figure is drawn as SVG or PNG; name it *.svg or *.png")
    if not target.absolute().parent.is_dir():
        raise DataError(f"{path}: there is no folder {target.parent}; make it first")
    if target.is_dir():
        raise DataError(f"{path} is a folder; name a file in it")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise DataError(
            "a figure needs matplotlib, which is not installed: `pip install 'claimdb[figures]'`"
        ) from None


def write_figure(report: StatsReport, path: str) -> None:
    """Write the figure of a report; the same numbers give the same bytes.

    Args:
        path: ends in .svg or .png; a file that was there is replaced in one step.

    Raises:
        DataError: no figure can be drawn there, or matplotlib is missing.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_figure(StatsReport((DatabaseStats("zoo", ()),)), f"{folder}/sizes.svg")
    ...     [path.name for path in Path(folder).iterdir()]
    ['sizes.svg']
    """
    check_figure(path)
    suffix = Path(path).suffix.lower()
    replace_atomically(Path(os.path.realpath(path)), figure_bytes(report, suffix))


def figure_bytes(report: StatsReport, suffix: str) -> bytes:
    """Return the figure of a report as the content of a file.

    Args:
        suffix: ".svg" or ".png".

    >>> zoo = DatabaseStats("zoo", ())
    >>> figure_bytes(StatsReport((zoo,)), ".png")[1:4]
    b'PNG'
    """
    import matplotlib

    out = io.BytesIO()
    # rc_context puts the caller's settings back; nobody's matplotlibrc changes the bytes.
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams["svg.hashsalt"] = "claimdb"
        # A script that the font lacks is drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        metadata = {"Date": None} if suffix == ".svg" else None
        _drawn(report).savefig(out, format=suffix[1:], dpi=150, metadata=metadata)
    return out.getvalue()


def _drawn(report: StatsReport) -> Figure:
    from matplotlib.figure import Figure

    # The largest on top: bars are drawn from below.
    databases = sorted(report.databases, key=lambda found: (found.n_rows, found.db_name))
    places = range(len(databases))
    height = 1.1 + _INCHES_PER_BAR * max(len(databases), 3)
    figure = Figure(figsize=(_WIDTH_INCHES, height), layout="constrained")
    axes = figure.add_subplot()
    sizes = [max(found.n_rows, _LEFT_END) for found in databases]
    axes.barh(places, sizes, height=0.72, color=_BAR, zorder=2)
    names = [_short(found.db_name) for found in databases]
    # A name may hold "$", which is no formula.
    axes.set_yticks(places, names, fontsize=8, color=_TEXT, parse_math=False)
    axes.set_ylim(-0.7, len(databases) - 0.3)
    axes.set_xscale("log")
    labels = [_label(report, found) for found in databases]
    axes.set_xlim(_LEFT_END, max(*sizes, 1.1) ** _stretch(names, labels))
    for place, size, label in zip(places, sizes, labels, strict=True):
        axes.annotate(
            label,
            (size, place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
            color=_TEXT,
            # Lines of the grid end at the text.
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
    _style(axes, max(sizes))
    axes.set_title(_title(report), fontsize=10, color=_TEXT, loc="left", parse_math=False)
    return figure


def _stretch(names: list[str], labels: list[str]) -> float:
    """By which power the axis goes on behind the longest bar, so that its text has room."""
    axis_inches = _WIDTH_INCHES - 0.3 - max(map(len, names)) * _INCHES_PER_CHAR
    text_inches = 0.2 + max(map(len, labels)) * _INCHES_PER_CHAR * 7 / 8
    return axis_inches / max(axis_inches - text_inches, 1)


def _style(axes: Any, longest: float) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    # Ticks only where there are bars, not in the room for text.
    powers = [10**power for power in range(len(str(int(longest))))]
    axes.xaxis.set_major_locator(FixedLocator(powers))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.grid(True, color=_GRID, linewidth=0.6, zorder=0)
    axes.set_xlabel("rows (log scale)", fontsize=8, color=_TEXT)
    axes.tick_params(axis="x", labelsize=8, colors=_TEXT)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_GRID)


def _title(report: StatsReport) -> str:
    totals = report.totals
    title = f"{_counted(len(report.databases), 'database')}, {_counted(int(totals.n_rows), 'row')}"
    if report.claims is None:
        return title
    n_here = sum(report.n_claims(found.db_name) or 0 for found in report.databases)
    return f"{title}, {_counted(n_here, 'claim')} of {_short(report.claims.name)}"


def _label(report: StatsReport, found: DatabaseStats) -> str:
    parts = [f"{found.n_rows:,}", _counted(found.n_tables, "table")]
    n_claims = report.n_claims(found.db_name)
    if n_claims is not None:
        parts.append(_counted(n_claims, "claim"))
    return " · ".join(parts)


def _short(name: str) -> str:
    printable = "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name
    )
    return printable if len(printable) <= _MAX_NAME else f"{printable[: _MAX_NAME - 1]}…"


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'s' * (n != 1)}"
