"""The metric's Space: its page, served from a flat folder, and its front matter."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from claimdb_loader.hub import UPSTREAM_REPO
from tests.children import child_env
from tests.metrics.module_runs import (
    EXPECTED,
    FOLDER,
    NOT_INSTALLED,
    PREDICTIONS,
    REFERENCES,
    ROOT,
)

START_WITHIN_S = 60
COLORS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
SERVE = NOT_INSTALLED + "import runpy\nrunpy.run_path('app.py', run_name='__main__')\n"
BLANKS: list[list[object]] = [["", "", ""], [None, None, None]]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page, run as a Space does: flat, the package not installed."""
    pytest.importorskip("gradio_client", reason="the page needs gradio, of the `dev` extra")
    home = tmp_path_factory.mktemp("home")
    space = tmp_path_factory.mktemp("space")
    for source in FOLDER.glob("*.py"):
        shutil.copy(source, space)
    # Not the switches that keep the libraries off the network: the page needs none of them.
    switches = {"HF_HUB_OFFLINE": "0", "HF_EVALUATE_OFFLINE": "0", "PYTHONUNBUFFERED": "1"}
    env = child_env(home, **switches, GRADIO_TEMP_DIR=str(home / "gradio"))
    log = home / "log"
    with log.open("wb") as out:
        child = subprocess.Popen(
            [sys.executable, "-c", SERVE], cwd=space, env=env, stdout=out, stderr=out
        )
    try:
        yield address_in(log, child)
    finally:
        child.kill()
        child.wait()


def address_in(log: Path, child: subprocess.Popen[bytes]) -> str:
    """Return the address that the server prints once it answers; it finds a free port itself."""
    deadline = time.monotonic() + START_WITHIN_S
    while time.monotonic() < deadline and child.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+", log.read_text())
        if found:
            return found[0]
        time.sleep(0.1)
    pytest.fail(f"the page did not start within {START_WITHIN_S} s:\n{log.read_text()}")


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[Any]:
    from gradio_client import Client

    client = Client(url, verbose=False, analytics_enabled=False)
    yield client
    client.close()


def scored(client: Any, headers: list[str], rows: Sequence[Sequence[object]]) -> dict[str, Any]:
    *_, result = client.predict({"headers": headers, "data": rows}, api_name="/score")
    assert isinstance(result, dict)
    return result


@pytest.mark.slow
def test_the_page_is_served_and_loads_nothing_from_elsewhere(url: str) -> None:
    with urlopen(url, timeout=START_WITHIN_S) as answer:
        page = answer.read().decode()
    assert answer.status == 200
    assert 'content="ClaimDB metric"' in page
    assert '"analytics_enabled":false' in page
    # Scripts, styles and fonts come from the server itself.
    assert not re.search(r'(src|href)="(https?:)?//', page)
    assert "https://claimdb.github.io" in page
    assert "https://arxiv.org/abs/2601.14698" in page


@pytest.mark.slow
def test_the_rows_that_a_visitor_finds_are_scored(client: Any) -> None:
    headline, confusion, signature, result = client.predict(api_name="/score")
    assert headline["data"][0][:3] == ["accuracy", "0.429", "0.143 to 0.857"]
    assert confusion["headers"][1:] == ["ENTAILED", "CONTRADICTED", "NOT ENOUGH INFO", "invalid"]
    assert confusion["data"] == [
        ["ENTAILED", 1, 0, 1, 0],
        ["CONTRADICTED", 1, 1, 0, 0],
        ["NOT ENOUGH INFO", 0, 1, 1, 1],
    ]
    assert signature == result["signature"]
    assert (result["n"], result["n_invalid"]) == (7, 1)
    assert result["nei_recall_out_of_schema"] == 1.0


@pytest.mark.slow
def test_a_table_gives_what_the_metric_gives(client: Any) -> None:
    """Labels stand as names, numbers or digits; blank rows do not count, a blank answer does."""
    pairs = list(zip(PREDICTIONS, REFERENCES, strict=True))
    as_given: list[list[object]] = [[*pair, ""] for pair in pairs]
    assert scored(client, ["prediction", "reference", "category"], as_given + BLANKS) == EXPECTED
    as_text = [["" if cell is None else f" {cell}" for cell in pair[::-1]] for pair in pairs]
    assert scored(client, ["reference", "prediction"], as_text) == EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("headers", "rows", "message"),
    [
        (["prediction", "reference"], [["ENTAILED", "-1"]], "labels are hidden"),
        (["prediction", "reference"], BLANKS, "nothing to score"),
        (["prediction", "label"], [["ENTAILED", "ENTAILED"]], "columns prediction and reference"),
    ],
)
def test_what_cannot_be_scored_is_said(
    client: Any, headers: list[str], rows: Sequence[Sequence[object]], message: str
) -> None:
    from gradio_client.exceptions import AppError

    with pytest.raises(AppError, match=message):
        scored(client, headers, [row[: len(headers)] for row in rows])


def test_the_front_matter_is_that_of_a_space() -> None:
    from huggingface_hub import SpaceCard

    card = SpaceCard.load(FOLDER / "README.md").data
    assert card.sdk == "gradio"
    assert f"gradio=={card.sdk_version}" in (ROOT / "constraints.txt").read_text().split("\n")
    assert (FOLDER / card.app_file).is_file()
    assert {card.colorFrom, card.colorTo} <= COLORS
    assert len(card.short_description) <= 60
    assert {"evaluate", "metric"} <= set(card.tags)
    assert card.datasets == [UPSTREAM_REPO]
    assert card.license == "apache-2.0"


def test_the_space_installs_what_the_package_needs() -> None:
    from packaging.requirements import Requirement

    lines = (FOLDER / "requirements.txt").read_text("utf-8").splitlines()
    assert [Requirement(line).name for line in lines] == ["datasets", "evaluate", "numpy", "scipy"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(lines) <= set(project["dependencies"])
