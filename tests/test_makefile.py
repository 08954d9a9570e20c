"""The Makefile never removes an environment that it did not make."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import REPO_ROOT


@pytest.mark.parametrize("target", ["demo", "test", "clean"])
def test_an_exported_venv_is_left_alone(tmp_path: Path, target: str) -> None:
    steps = subprocess.run(
        ["make", "--dry-run", "--always-make", target],
        cwd=REPO_ROOT,
        env=os.environ | {"VENV": str(tmp_path / "mine")},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert str(tmp_path) not in steps
    assert ("rm -rf" in steps) == (target == "clean")
