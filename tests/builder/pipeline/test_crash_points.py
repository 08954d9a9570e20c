"""A build that ends before or after any of its steps on the disk, and the same build again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builder.pipeline.made_runs import question_file, rows
from tests.children import answer_of, child_env
from tests.sandbox.processes import needs_proc

# Forks of a program without threads: each ends itself at one step, as kill -9 would.
PROGRAM = """
import json, os, shutil
from pathlib import Path
from tests.builder.pipeline.made_runs import built, files_of

STEPS = [(os, "fsync"), (os, "truncate"), (Path, "replace"), (Path, "unlink"), (Path, "mkdir")]

def until_step(last):
    n_done = 0
    def end_or_count():
        nonlocal n_done
        if n_done == last:
            os._exit(9)
        n_done += 1
    def counted(step):
        def call(*args, **kwargs):
            end_or_count()
            result = step(*args, **kwargs)
            end_or_count()
            return result
        return call
    for owner, name in STEPS:
        setattr(owner, name, counted(getattr(owner, name)))

def in_fork(run, last):
    pid = os.fork()
    if pid == 0:
        until_step(last)
        built(run, Path("q.jsonl"), until="select")
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

built(Path("whole"), Path("q.jsonl"), until="select")
whole = files_of(Path("whole"))
wrong, last = [], 0
while True:
    run = Path(f"run-{last}")
    ended = in_fork(run, last) == 0
    if not ended and last % 3 == 0:
        in_fork(run, last // 2)  # killed again as it goes on
    if in_fork(run, 10**6) != 0 or files_of(run) != whole:
        wrong.append(last)
    shutil.rmtree(run)
    if ended:
        break
    last += 1
print(json.dumps([last, wrong]))
"""


@needs_proc
@pytest.mark.slow
def test_a_build_killed_at_any_step_on_the_disk_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    question_file(tmp_path / "q.jsonl", rows(100))
    root = str(Path(__file__).parents[3])
    env = child_env(tmp_path)
    n_steps, wrong = answer_of(
        PROGRAM, tmp_path, env | {"PYTHONPATH": f"{env.get('PYTHONPATH', '')}:{root}"}
    )
    assert n_steps > 40
    assert wrong == []
