"""Runs code in a Python of its own: what imports do, what the command prints, who dies when."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def child_env(home: Path, **more: str) -> dict[str, str]:
    """An environment with caches below `home`, no Hub, and sockets blocked except loopback."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    offline = {
        "HF_HOME": str(home / "hf"),
        "HF_HUB_OFFLINE": "1",
        "HF_EVALUATE_OFFLINE": "1",
        "CLAIMDB_CACHE_DIR": str(home / "claimdb"),
    }
    return env | offline | more


def run_python(
    code: str, cwd: Path, env: Mapping[str, str], timeout_s: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run a program text in a folder and return what it printed and its exit code."""
    return _run(["-c", code], cwd, env, timeout_s)


def answer_of(code: str, cwd: Path, env: Mapping[str, str]) -> Any:
    """Run a program text whose last line prints JSON; return that value or fail with stderr."""
    done = run_python(code, cwd, env)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.strip().split("\n")[-1])


def run_claimdb(
    *arguments: str, cwd: Path, env: Mapping[str, str], timeout_s: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run the `claimdb` command in a folder and return what it printed and its exit code."""
    return _run(["-m", "claimdb_cli", *arguments], cwd, env, timeout_s)


def _run(
    arguments: list[str], cwd: Path, env: Mapping[str, str], timeout_s: float
) -> subprocess.CompletedProcess[str]:
    # -P keeps the folder off the import path, as for a script that lies elsewhere.
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=cwd,
        env=dict(env),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
