"""What the tests of the `evaluate` module share: a few rows, and a Python without network."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from claimdb_metric import score

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "metrics" / "claimdb_metric"
PREDICTIONS = ["ENTAILED", "CONTRADICTED", None, "NOT ENOUGH INFO", "no label", 1]
REFERENCES = [0, "ENTAILED", 1, 2, "NOT ENOUGH INFO", 1]
EXPECTED = score(PREDICTIONS, REFERENCES).to_dict()

NOT_INSTALLED = """
import sys

class Missing:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "claimdb_metric":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing)
import evaluate
"""
"""The start of a program: as where the package is not installed, and `evaluate` is."""


def run_child(
    program: str,
    home: Path,
    *arguments: str,
    package: bool = False,
    hub_env: Mapping[str, str] | None = None,
) -> str:
    """Return what a Python program prints, run from the checkout without network, or with a hub."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    env |= {"HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
    env = dict(hub_env or env)
    env["PYTHONPATH"] = str(FOLDER.parent) if package else ""
    child = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout
