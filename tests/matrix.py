"""Runs the loading tests under one version of `datasets`; `make test-matrix` calls it for each.

Installs into a virtual environment of its own, once. What `import claimdb` wraps, and how a builder
is called, differ between versions 3, 4 and 5; huggingface_hub follows.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

REPO_ROOT = Path(__file__).parents[1]
TESTS = ("tests",)
AGENTS = ("tests/harness/agents", "tests/cli/test_run.py")
"""Tests that import Inspect, which is an extra and not installed here."""

PLUGINS = ("pytest", "pytest-xdist", "hypothesis")
FOLLOW_DATASETS = ("datasets", "dill", "fsspec", "hf-xet", "huggingface_hub", "multiprocess")
"""What each version of `datasets` bounds; everything else is pinned by constraints.txt."""


def install(venv: Path, version: str) -> None:
    """Make the environment unless an earlier run has."""
    stamp = venv / ".installed"
    files = (REPO_ROOT / "pyproject.toml", REPO_ROOT / "constraints.txt")
    wanted = " ".join([version, *(str(path.stat().st_mtime_ns) for path in files)])
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    pins = (REPO_ROOT / "constraints.txt").read_text().split("\n")
    constraints = venv / "constraints.txt"
    kept = [pin for pin in pins if pin.split("==")[0] not in FOLLOW_DATASETS]
    constraints.write_text("\n".join(kept))
    pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    pip += ["--disable-pip-version-check", "--constraint", str(constraints)]
    subprocess.run(
        [*pip, f"datasets=={version}", *PLUGINS, "--editable", str(REPO_ROOT)], check=True
    )
    stamp.write_text(wanted)


def main() -> int:
    """Install, test, print one row, return pytest's exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", required=True, metavar="VERSION")
    parser.add_argument("--venv", required=True, type=Path)
    options = parser.parse_args()
    install(options.venv, options.datasets)
    command = [
        str(options.venv / "bin" / "python"),
        "-m",
        "pytest",
        "-q",
        "-m",
        "matrix",
        "-n",
        "2",
    ]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", *(f"--ignore={path}" for path in AGENTS), *TESTS],
        cwd=REPO_ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    summary = done.stdout.strip().split("\n")[-1]
    sys.stdout.write(f"datasets {options.datasets:<6} {summary}\n")
    if done.returncode:
        sys.stdout.write(done.stdout + done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
