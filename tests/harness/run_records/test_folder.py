"""The folder of a run: what is in it stays, what is torn is cut off, what is damaged is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.runs.folder import RunFolder, claims_bytes, write_run
from claimdb_harness.runs.runs import read_run
from claimdb_harness.runs.traces import to_line
from claimdb_metric.errors import DataError
from tests.children import child_env, run_python
from tests.harness.analysis.made_runs import C, E, claims_of
from tests.harness.run_records.made import answered, append, begun, not_run, settings_of, unanswered


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A run of three claims, two of them done."""
    made = begun(tmp_path / "run")
    append(made, answered(1), unanswered(2))
    return made


def refusal(call: Any, *arguments: Any) -> str:
    with pytest.raises(DataError) as caught:
        call(*arguments)
    return str(caught.value)


def test_what_was_asked_comes_back(folder: RunFolder) -> None:
    assert folder.settings() == settings_of(claims_of(3))
    assert folder.claims().columns == claims_of(3)
    assert folder.claims().name == "mine"
    run = read_run(folder.path)
    assert (run.n_asked, run.pending, [trace.claim_id for trace in run.done]) == (3, [3], [1, 2])


def test_the_last_line_of_a_claim_counts(folder: RunFolder) -> None:
    append(folder, not_run(3), answered(3, C), answered(1, C))
    assert {k: trace.verdict for k, trace in folder.traces().items()} == {1: C, 2: None, 3: C}
    assert [trace.claim_id for trace in read_run(folder.path).done] == [1, 2, 3]


def test_the_same_may_go_on_and_nothing_else(folder: RunFolder) -> None:
    claims = claims_of(3)
    folder.check_same(settings_of(claims, versions={"claimdb": "9.9"}))
    other = settings_of(claims, prompt="taxonomy", task="closed_book", limit="1-3")
    said = refusal(folder.check_same, other)
    assert "task was 'verify' and is 'closed_book'; limit was None and is '1-3'; prompt was" in said
    assert "give another --out" in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("run.json", "a run already: go on with --resume, or give"),
        ("mine.txt", "other files: give"),
    ],
)
def test_a_folder_that_holds_something(tmp_path: Path, name: str, said: str) -> None:
    path = tmp_path / "run"
    path.mkdir()
    (path / name).write_text("mine")
    folder, claims = RunFolder(path), claims_of(3)
    assert said in refusal(folder.begin, settings_of(claims), claims_bytes(claims))
    assert said in refusal(write_run, path, settings_of(claims), claims, [answered(1)])
    assert [one.name for one in path.iterdir()] == [name]
    assert (path / name).read_text() == "mine"


def test_an_empty_folder_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    assert begun(tmp_path / "run").exists


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(NotADirectoryError):
        begun(tmp_path / "run")


def test_a_torn_last_line(folder: RunFolder) -> None:
    path = folder.path / "traces.jsonl"
    whole = path.read_bytes()
    line = to_line(answered(3)).encode()
    for end in (1, len(line) // 2, len(line)):
        path.write_bytes(whole + line[:end])
        assert sorted(folder.traces()) == [1, 2]
        append(folder, answered(3, C))
        assert path.read_bytes() == whole + to_line(answered(3, C)).encode() + b"\n"


def test_nothing_but_a_torn_line(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    (folder.path / "traces.jsonl").write_bytes(b'{"claim_id":')
    assert folder.traces() == {}
    append(folder, answered(1))
    assert sorted(folder.traces()) == [1]


DAMAGED = [b"", b"{", b"5", b"null", b'"a"', b"[1]", b"[[1]]", b"\xff", b"[" * 100_000, b'{"a":1}']


@pytest.mark.parametrize("line", DAMAGED, ids=lambda line: repr(line[:8]))
def test_a_damaged_line_is_refused_with_its_number(folder: RunFolder, line: bytes) -> None:
    path = folder.path / "traces.jsonl"
    first, second = path.read_bytes().split(b"\n")[:2]
    path.write_bytes(first + b"\n" + line + b"\n" + second + b"\n")
    said = refusal(folder.traces)
    assert said.startswith(f"{path}, line 2: ")
    assert "remove the line" in said


@pytest.mark.parametrize("text", DAMAGED, ids=lambda text: repr(text[:8]))
def test_damaged_settings(folder: RunFolder, text: bytes) -> None:
    (folder.path / "run.json").write_bytes(text)
    assert refusal(read_run, folder.path).startswith(f"{folder.path / 'run.json'}: ")


def test_settings_of_another_format(folder: RunFolder) -> None:
    path = folder.path / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 2}))
    assert "a run of format 2; this ClaimDB reads 1" in refusal(folder.settings)


def test_claims_that_somebody_changed(folder: RunFolder) -> None:
    path = folder.path / "claims.jsonl"
    path.write_bytes(path.read_bytes().replace(E.encode(), C.encode(), 1))
    assert refusal(read_run, folder.path) == f"{path} is not as the run wrote it"


@pytest.mark.parametrize("name", ["claims.jsonl", "traces.jsonl"])
def test_a_file_that_is_gone(folder: RunFolder, name: str) -> None:
    (folder.path / name).unlink()
    with pytest.raises(FileNotFoundError, match=name):
        read_run(folder.path)


def test_no_run(tmp_path: Path) -> None:
    assert refusal(read_run, tmp_path) == f"{tmp_path} is no folder of a run: no run.json"
    assert refusal(read_run, tmp_path / "no") == f"no such run: {tmp_path / 'no'}"


APPEND = """
import sys
from pathlib import Path
from claimdb_harness.runs.folder import RunFolder
from tests.harness.run_records.made import answered

with RunFolder(Path("run")).appending() as writer:
    for claim_id in range(1, 10**9):
        writer.add(answered(claim_id, justification="x" * 5000))
        print(claim_id, flush=True)
"""


def appender(cwd: Path) -> subprocess.Popen[str]:
    """A process that appends traces for ever, and prints the number of each that is written."""
    root = str(Path(__file__).parents[3])
    env = child_env(cwd, PYTHONPATH=os.pathsep.join([root, os.environ["PYTHONPATH"]]))
    arguments = [sys.executable, "-P", "-c", APPEND]
    return subprocess.Popen(arguments, cwd=cwd, env=env, stdout=subprocess.PIPE, text=True)


def test_a_second_writer_is_refused_and_a_killed_one_loses_nothing(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    with appender(tmp_path) as child:
        assert child.stdout is not None
        written = [child.stdout.readline() for _ in range(20)]
        said = refusal(append, folder, answered(1))
        child.send_signal(signal.SIGKILL)
        written += child.stdout.readlines()
    assert said == f"another process works on {folder.path}: wait for its end"
    ids = [int(line) for line in written if line.endswith("\n")]
    assert len(ids) >= 20
    # The one that was under way may be there, too.
    assert sorted(folder.traces()) in (ids, [*ids, len(ids) + 1])
    append(folder, answered(10**9))
    assert 10**9 in folder.traces()


FULL = """
import json, resource, signal
from pathlib import Path
from claimdb_harness.runs.folder import RunFolder
from tests.harness.run_records.made import answered

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
folder = RunFolder(Path("run"))
with folder.appending() as writer:
    writer.add(answered(1))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        writer.add(answered(2, justification="x" * 5000))
        failed = None
    except OSError as error:
        failed = error.strerror
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    writer.add(answered(3))
print(json.dumps([failed, sorted(folder.traces())]))
"""


def test_a_disk_that_was_full_for_a_while(tmp_path: Path) -> None:
    begun(tmp_path / "run")
    root = str(Path(__file__).parents[3])
    env = child_env(tmp_path, PYTHONPATH=os.pathsep.join([root, os.environ["PYTHONPATH"]]))
    done = run_python(FULL, tmp_path, env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["File too large", [1, 3]]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match="run"):
        begun(tmp_path / "run")
    tmp_path.chmod(0o700)


def test_a_folder_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        begun(tmp_path / "file" / "run")
