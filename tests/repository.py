"""The files of this repository as a clone would have them, committed or not."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.conftest import REPO_ROOT


def tracked_files() -> list[Path]:
    """Return the paths below the root that git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=REPO_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = filter(None, listed.stdout.split("\n"))
    return [Path(name) for name in names if (REPO_ROOT / name).is_file()]


def copy_tracked_files(target: Path) -> Path:
    """Copy them to a folder, which is then like a fresh clone; return it."""
    for path in tracked_files():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes((REPO_ROOT / path).read_bytes())
        (target / path).chmod((REPO_ROOT / path).stat().st_mode)
    return target
