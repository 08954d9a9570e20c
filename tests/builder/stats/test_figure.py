"""The figure: the same bytes for the same numbers, in any environment, for any names."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from claimdb_builder.stats.claim_counts import ClaimCounts
from claimdb_builder.stats.database_stats import DatabaseStats, TableStats
from claimdb_builder.stats.figure import check_figure, figure_bytes, write_figure
from claimdb_builder.stats.report import StatsReport
from claimdb_metric.errors import DataError

pytest.importorskip("matplotlib")


def sized(db_name: str, n_rows: int) -> DatabaseStats:
    return DatabaseStats(db_name, (TableStats("t", n_rows),))


def many(n: int) -> StatsReport:
    return StatsReport(tuple(sized(f"db_{i}", 7**i % 10**9) for i in range(n)))


SMALL = StatsReport((sized("zoo", 1200), sized("park", 3)), ClaimCounts("mine", {"zoo": 5}))


def comments(svg: bytes) -> list[str]:
    """What texts say: matplotlib draws letters as paths, and notes each text in a comment."""
    return re.findall(r"<!-- (.*?) -->", svg.decode())


def test_what_it_says() -> None:
    said = comments(figure_bytes(SMALL, ".svg"))
    assert {"zoo", "park", "1,200 · 1 table · 5 claims", "3 · 1 table · 0 claims"} <= set(said)
    assert "2 databases, 1,203 rows, 5 claims of mine" in said
    assert "rows (log scale)" in said


def test_the_largest_stands_on_top() -> None:
    said = comments(figure_bytes(StatsReport((sized("a", 5), sized("b", 9))), ".svg"))
    # From below, and so the smallest first.
    assert said.index("a") < said.index("b")


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_the_same_numbers_give_the_same_bytes(suffix: str) -> None:
    import matplotlib

    first = figure_bytes(SMALL, suffix)
    with matplotlib.rc_context({"font.size": 20, "svg.hashsalt": "other", "axes.facecolor": "red"}):
        assert figure_bytes(SMALL, suffix) == first
        assert matplotlib.rcParams["font.size"] == 20
    assert figure_bytes(many(2), suffix) != first
    assert b"dc:date" not in first


ODD = {
    "no row": [sized("empty", 0)],
    "one row": [sized("one", 1)],
    "no formula": [sized("a$b_$c", 5)],
    "a script that the font lacks": [sized("動物園", 5)],
    "a very long name": [sized("x" * 300, 5)],
    "what commands a terminal": [sized("a\x1b[2J\nb", 5)],
    "more than a file can hold": [sized("all", 10**15)],
}


@pytest.mark.parametrize("case", ODD)
def test_odd_databases(case: str) -> None:
    assert figure_bytes(StatsReport(tuple(ODD[case])), ".png").startswith(b"\x89PNG")


def height(svg: bytes) -> float:
    found = re.search(rb'height="([\d.]+)pt"', svg)
    assert found is not None
    return float(found[1])


def test_each_database_has_a_line_of_its_own() -> None:
    svg = figure_bytes(many(80), ".svg")
    assert {f"db_{i}" for i in range(80)} <= set(comments(svg))
    assert height(svg) / 80 > 10 > 8  # points of a line, and of its letters


def test_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "sizes.SVG"
    path.write_text("old")
    write_figure(SMALL, str(path))
    assert path.read_bytes() == figure_bytes(SMALL, ".svg")
    assert list(tmp_path.iterdir()) == [path]


WRONG = {
    "sizes.gif": "is drawn as SVG or PNG",
    "sizes": "is drawn as SVG or PNG",
    "gone/sizes.svg": "there is no folder gone",
    "folder.png": "is a folder",
}


@pytest.mark.parametrize("path", WRONG)
def test_where_none_can_be_drawn(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(DataError, match=WRONG[path]):
        check_figure(path)


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(DataError, match=r"pip install 'claimdb\[figures\]'"):
        write_figure(SMALL, str(tmp_path / "sizes.svg"))


def test_pyplot_is_left_alone() -> None:
    before = "matplotlib.pyplot" in sys.modules
    figure_bytes(SMALL, ".svg")
    assert ("matplotlib.pyplot" in sys.modules) == before
