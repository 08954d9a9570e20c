"""A build on a database of BIRD's real size stays within its memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.children import child_env
from tests.conftest import REPO_ROOT

SCRIPT = """
import json, sys
from pathlib import Path
from benchmarks.builder import large
print(json.dumps(large(Path(sys.argv[1]), n_rows=5_000_000, n_questions=150)))
"""


@pytest.mark.slow
def test_five_million_rows_in_less_than_a_gigabyte(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        env=child_env(tmp_path),
        cwd=REPO_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["large_rows"] == 5_000_000
    assert found["large_answers"] > 50
    assert 100 < found["large_mb"] < 1_000
