"""What of its parent's world a worker has: a PATH, three pipes, and the database."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from claimdb_sandbox import Executor, Limits
from tests.children import child_env, run_python
from tests.sandbox.parents import START, parent
from tests.sandbox.processes import needs_proc

MIB = 2**20
SECRETS = {
    "OPENAI_API_KEY": "sk-secret",
    "HF_TOKEN": "hf_secret",
    "AWS_SECRET_ACCESS_KEY": "aws-secret",
    "HTTPS_PROXY": "http://user:secret@proxy",
    "HOME": "/home/secret",
}
KEPT = {"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}

COUNT = """
import sys
from claimdb_sandbox import Executor
with Executor(sys.argv[1]) as sandbox:
    print(sandbox.run("SELECT count(*) FROM heroes").rows)
"""


def worker_of(sandbox: Executor) -> Path:
    """What the system tells of a worker that has read the database."""
    assert sandbox.run("SELECT count(*) FROM heroes").rows == ((2000,),)
    return Path(f"/proc/{sandbox.worker_pid}")


@needs_proc
def test_no_secret_is_in_its_environment(
    sandbox: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LD_PRELOAD", "")
    environment = (worker_of(sandbox) / "environ").read_bytes().decode().split("\0")
    assert {entry.partition("=")[0] for entry in environment if entry} <= KEPT | {"LC_CTYPE"}
    assert not any("secret" in entry for entry in environment)


@needs_proc
def test_no_secret_is_in_its_memory(database: Path) -> None:
    """It is no fork: what its parent has read is not there to be found."""
    code = """
secret = "-".join(["a", "secret", "of", "its", "parent"])
sandbox = Executor(path, PATIENT)
sandbox.run("SELECT 1")
say(sandbox.worker_pid)
time.sleep(600)
"""
    with parent(code, database, START) as program:
        worker = program.pid_line()
        assert b"a-secret-of-its-parent" in memory_of(program.pid)
        assert b"a-secret-of-its-parent" not in memory_of(worker)


def memory_of(pid: int) -> bytes:
    """Return all that a process could write to: heap, stacks, data."""
    areas = re.findall(r"^(\w+)-(\w+) rw", Path(f"/proc/{pid}/maps").read_text(), re.M)
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        parts = []
        for start, end in areas:
            memory.seek(int(start, 16))
            parts.append(memory.read(int(end, 16) - int(start, 16)))
    return b"".join(parts)


@needs_proc
def test_it_does_not_lie_in_a_folder_of_the_user(sandbox: Executor) -> None:
    assert (worker_of(sandbox) / "cwd").readlink() == Path("/")


@needs_proc
def test_it_inherits_no_open_file(sandbox: Executor, tmp_path: Path) -> None:
    with (tmp_path / "private").open("w") as private, Path(os.devnull).open() as nothing:
        for file in (private, nothing):
            os.set_inheritable(file.fileno(), True)
        links = sorted((worker_of(sandbox) / "fd").iterdir(), key=lambda link: int(link.name))
        targets = [str(link.readlink()) for link in links]
    assert [target.partition(":")[0] for target in targets[:2]] == ["pipe", "pipe"]
    assert targets[2:] == [os.devnull, str(sandbox.path)]


@needs_proc
def test_the_system_limits_what_it_takes(database: Path) -> None:
    limits = Limits(time_limit_s=3, grace_s=2, max_heap_bytes=64 * MIB)
    with Executor(database, limits) as sandbox:
        text = (worker_of(sandbox) / "limits").read_text()
    in_force = {
        name: (soft, hard)
        for name, soft, hard in re.findall(r"^(Max [a-z ]+?) {2,}(\w+) +(\w+)", text, re.M)
    }
    assert in_force["Max file size"] == ("0", "0")
    assert in_force["Max core file size"] == ("0", "0")
    assert in_force["Max open files"] == ("64", "64")
    assert in_force["Max address space"] == (str((64 + 512 + 4 * 1) * MIB),) * 2
    assert 5 < int(in_force["Max cpu time"][0]) < 15


@pytest.mark.parametrize("ways", ["-c", "script", "stdin"])
def test_a_program_needs_no_main_guard(tmp_path: Path, database: Path, ways: str) -> None:
    """The worker is no copy of the program, and so does not run it again."""
    script = tmp_path / "script.py"
    script.write_text(COUNT)
    arguments = {"-c": ["-c", COUNT], "script": [str(script)], "stdin": ["-"]}[ways]
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments, str(database)],
        input=COUNT if ways == "stdin" else "",
        env=child_env(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "((2000,),)\n", "")


ELSEWHERE = {
    "a thread": "thread = threading.Thread(target=ask); thread.start(); thread.join()",
    "a daemonic process": """
process = multiprocessing.get_context("fork").Process(target=ask, daemon=True)
process.start()
process.join()
""",
    "a process without standard streams": "for fd in (0, 2): os.close(fd)\nask()",
}


@pytest.mark.parametrize("place", ELSEWHERE.values(), ids=ELSEWHERE)
def test_queries_run_from_anywhere(database: Path, place: str) -> None:
    code = f"""
import multiprocessing
def ask():
    with Executor(path) as sandbox:
        say(sandbox.run(COUNT).rows)
{place}
"""
    with parent(code, database, START) as program:
        assert program.line() == "((2000,),)"
        assert program.ending() == (0, "")


@pytest.mark.parametrize("where", ["current folder", "PYTHONPATH"])
def test_nothing_of_the_user_is_imported(tmp_path: Path, database: Path, where: str) -> None:
    """No module that lies in front of one of Python or of the sandbox, and no sitecustomize."""
    folder = tmp_path / "folder"
    (folder / "claimdb_sandbox").mkdir(parents=True)
    for name in ("json", "sqlite3", "sitecustomize", "usercustomize", "claimdb_sandbox/__init__"):
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'a').write('x')")
    env = child_env(tmp_path, DATABASE=str(database), FOLDER=str(folder), WHERE=where)
    done = run_python(
        """
import os
from claimdb_sandbox import Executor
if os.environ["WHERE"] == "PYTHONPATH":
    os.environ["PYTHONPATH"] = os.environ["FOLDER"]
os.environ["PYTHONSTARTUP"] = os.environ["PYTHONUSERBASE"] = os.environ["FOLDER"]
os.chdir(os.environ["FOLDER"])
with Executor(os.environ["DATABASE"]) as sandbox:
    print(sandbox.run("SELECT count(*) FROM heroes").rows)
""",
        tmp_path,
        env,
    )
    assert (done.stdout, done.returncode) == ("((2000,),)\n", 0), done.stderr
    assert not (tmp_path / "imported").exists()
