"""Figures: the same bytes for the same numbers, in any environment, for any names."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from claimdb_harness.analysis.figures import DRAWINGS, check_figures, figure_bytes, write_figures
from claimdb_harness.analysis.prices import packaged_prices
from claimdb_harness.analysis.run_analysis import RunAnalysis, analyze_runs
from claimdb_harness.runs.traces import Trace
from claimdb_metric.errors import DataError
from tests.harness.analysis.made_runs import NEI, QUERY, C, E, claims_of, made_run

pytest.importorskip("matplotlib")

PRICES = packaged_prices()
TRACES = [
    Trace(1, "answered", E, calls=(QUERY,) * 3),
    Trace(2, "answered", C, calls=(QUERY,) * 30),
    Trace(3, "no_verdict"),
    Trace(4, "answered", NEI),
]
LABELS_OF = [E, E, E, NEI]


def runs_of(folder: Path, *names: str, label: list[str] = LABELS_OF) -> list[RunAnalysis]:
    claims = claims_of(4, label=label)
    paths = [str(made_run(folder / str(i), TRACES, claims, name)) for i, name in enumerate(names)]
    return analyze_runs(paths, PRICES)


@pytest.fixture
def runs(tmp_path: Path) -> list[RunAnalysis]:
    return runs_of(tmp_path / "runs", "gpt-5-mini", "my $b_$ model")


def comments(svg: bytes) -> list[str]:
    """What texts say: matplotlib draws letters as paths, and notes each text in a comment."""
    return re.findall(r"<!-- (.*?) -->", svg.decode())


def test_what_is_written(runs: list[RunAnalysis], tmp_path: Path) -> None:
    folder = tmp_path / "made" / "figures"
    written = write_figures(runs, str(folder))
    assert [path.name for path in written] == [
        *("confusion.svg", "confusion.png", "calls.svg", "calls.png"),
        *("accuracy_by_calls.svg", "accuracy_by_calls.png"),
    ]
    assert sorted(written) == sorted(folder.iterdir())
    for path in written:
        assert path.read_bytes().startswith(b"\x89PNG" if path.suffix == ".png" else b"<?xml")


def test_what_confusions_say(runs: list[RunAnalysis]) -> None:
    said = comments(figure_bytes(runs[:1], DRAWINGS["confusion"], ".svg"))
    # Of three claims ENTAILED one has no verdict: shares are of all claims, not of valid verdicts.
    cells = [text for text in said if re.fullmatch(r"\d\.\d\d", text)]
    assert cells == ["0.33", "0.33", "0.00", "0.33", *["0.00"] * 4, *["0.00"] * 2, "1.00", "0.00"]
    assert {"gpt-5-mini", "label", "verdict", "none"} <= set(said)


def test_what_calls_say(runs: list[RunAnalysis]) -> None:
    said = comments(figure_bytes(runs, DRAWINGS["calls"], ".svg"))
    assert {"gpt-5-mini", "my $b_$ model", "mean 8.2", "&gt;20", "no verdict"} <= {
        text.replace(">20", "&gt;20") for text in said
    }


def test_what_accuracy_says(runs: list[RunAnalysis]) -> None:
    said = comments(figure_bytes(runs, DRAWINGS["accuracy_by_calls"], ".svg"))
    assert {"gpt-5-mini", "my $b_$ model", "mean SQL calls per claim", "accuracy"} <= set(said)


@pytest.mark.parametrize("suffix", [".svg", ".png"])
@pytest.mark.parametrize("name", DRAWINGS)
def test_the_same_numbers_give_the_same_bytes(
    runs: list[RunAnalysis], name: str, suffix: str
) -> None:
    import matplotlib

    first = figure_bytes(runs, DRAWINGS[name], suffix)
    with matplotlib.rc_context({"font.size": 20, "svg.hashsalt": "other", "axes.facecolor": "red"}):
        assert figure_bytes(runs, DRAWINGS[name], suffix) == first
        assert matplotlib.rcParams["font.size"] == 20
    assert figure_bytes(runs[:1], DRAWINGS[name], suffix) != first
    assert b"dc:date" not in first


ODD = ["x" * 300, "動物園", "a\x1b[2J\nb", "", "$"]


@pytest.mark.parametrize("name", DRAWINGS)
def test_odd_names_and_many_runs(tmp_path: Path, name: str) -> None:
    runs = runs_of(tmp_path, *ODD)
    assert figure_bytes(runs, DRAWINGS[name], ".png").startswith(b"\x89PNG")


def test_hidden_labels_leave_the_calls(tmp_path: Path) -> None:
    hidden = runs_of(tmp_path / "hidden", "a", label=["HIDDEN"] * 4)
    written = write_figures(hidden, str(tmp_path / "figures"))
    assert [path.name for path in written] == ["calls.svg", "calls.png"]


def test_a_run_of_which_nothing_is_done(tmp_path: Path) -> None:
    path = made_run(tmp_path / "run", [], claims_of(2))
    written = write_figures(analyze_runs([str(path)], PRICES), str(tmp_path / "figures"))
    assert [path.name for path in written] == ["calls.svg", "calls.png"]


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="file is a file; --figures takes a folder"):
        check_figures(str(tmp_path / "file"))


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(DataError, match=r"pip install 'claimdb\[figures\]'"):
        write_figures([], str(tmp_path / "figures"))
    assert not (tmp_path / "figures").exists()


def test_pyplot_is_left_alone(runs: list[RunAnalysis]) -> None:
    before = "matplotlib.pyplot" in sys.modules
    figure_bytes(runs, DRAWINGS["accuracy_by_calls"], ".png")
    assert ("matplotlib.pyplot" in sys.modules) == before
