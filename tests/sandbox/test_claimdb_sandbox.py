"""The package itself: its public names, what its import costs, and that it stands alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import claimdb_sandbox
from tests.conftest import REPO_ROOT

ONLY_THE_SANDBOX = """
import json, sys
sys.path.append(sys.argv[1])
import claimdb_sandbox
light = sorted(name for name in sys.modules if name.startswith("claimdb"))
rooms = [getattr(claimdb_sandbox, name) for name in claimdb_sandbox.__all__]
ours = {name.split(".")[0] for name in sys.modules if name.startswith("claimdb")}
print(json.dumps([light, len(rooms), sorted(ours)]))
"""


@pytest.mark.parametrize("name", claimdb_sandbox.__all__)
def test_every_public_name_is_there_and_no_module_of_the_same_name(name: str) -> None:
    for _ in range(2):  # a module, once imported, would hide what is made on demand
        assert not isinstance(getattr(claimdb_sandbox, name), ModuleType)


def test_another_name_is_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        claimdb_sandbox.Nonsense  # noqa: B018


def test_it_needs_nothing_but_python(tmp_path: Path) -> None:
    program = [sys.executable, "-I", "-S", "-c", ONLY_THE_SANDBOX, str(REPO_ROOT / "sandbox")]
    done = subprocess.run(program, cwd=tmp_path, env={}, capture_output=True, check=True)
    light, n_names, ours = json.loads(done.stdout)
    assert light == ["claimdb_sandbox"]
    assert n_names == len(claimdb_sandbox.__all__)
    assert ours == ["claimdb_sandbox"]
    assert list(tmp_path.iterdir()) == []
