"""A build that is killed, stopped or out of space, and the same command again."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from claimdb_loader import sample_files
from tests.builder.pipeline.commands import command, ended
from tests.builder.pipeline.made_runs import (
    SLOW_SQL,
    WRONG_SQLS,
    files_of,
    folder_of,
    question_file,
    row,
    rows,
    zoo,
)
from tests.sandbox.long_queries import ENDLESS
from tests.sandbox.processes import needs_proc

pytestmark = [needs_proc, pytest.mark.slow]

STAGES = ("ingest", "select", "deterministic", "execute", "answers")
ARGUMENTS = ("build", "--questions", "questions.jsonl", "--databases", "dbs", "--out")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 200 questions on four databases, and the files of a build that nobody ended."""
    folder = tmp_path_factory.mktemp("resumes")
    (folder / "dbs").mkdir()
    zoo(folder / "dbs")
    sample = []
    for name in sample_files.DATABASES:
        (folder / "dbs" / name).symlink_to(sample_files.unpacked(name).parent)
    for one in sample_files.questions():
        sample.append(row(one["gold_sql"], one["db_name"]))
    slow = [row(SLOW_SQL.format(steps=20_000 + n)) for n in range(50)]
    wrong = [row(sql) for sql in WRONG_SQLS.values()]
    given = [*rows(60), *sample, *slow, *wrong, *rows(41)]
    question_file(folder / "questions.jsonl", given)
    code, _, err = ended(folder, *ARGUMENTS, "whole", "--workers", 2)
    assert (code, err) == (0, "")
    return folder


def assert_as_if_nothing_had_been(home: Path, run: str) -> None:
    # One worker: each takes 1 s of CPU to start, and the bytes are those of two.
    code, _, err = ended(home, *ARGUMENTS, run, "--workers", 1)
    assert (code, err) == (0, "")
    assert files_of(home / run) == files_of(home / "whole")


def is_in(run: Path, stage: str) -> bool:
    return any((run / "stages").glob(f"{stage}-*/part.jsonl"))


def test_killed_in_each_stage_it_goes_on_to_the_same_bytes(home: Path) -> None:
    chance = random.Random(1)
    run, found = "killed", 0
    for stage in STAGES:
        with command(home, *ARGUMENTS, run, "--workers", chance.choice([1, 2, 3])) as running:
            running.wait_for(partial(is_in, home / run, stage))
            time.sleep(chance.random() * 0.3)
            found += running.poll() is None
            running.kill()
            running.wait()
            assert running.leaves_nobody()
    assert found >= 3, "the build ended before it could be killed"
    assert_as_if_nothing_had_been(home, run)


def test_killed_at_any_moment_it_goes_on_to_the_same_bytes(home: Path) -> None:
    chance = random.Random(3)
    run = "killed-at-any-moment"
    for _ in range(3):
        with command(home, *ARGUMENTS, run, "--workers", 2) as running:
            running.wait_for(lambda: (home / run / ".lock").exists())
            time.sleep(chance.random() * 1.2)
            running.kill()
            running.wait()
            assert running.leaves_nobody()
    assert_as_if_nothing_had_been(home, run)


def endless(folder: Path) -> Path:
    zoo(folder / "dbs")
    sql = ENDLESS.replace("count(*)", "count(*) + (SELECT count(*) FROM pet)")
    question_file(folder / "questions.jsonl", [row(sql)] * 16)
    return folder


@pytest.mark.parametrize("whom", ["group", "main"])
def test_ctrl_c_in_a_long_query_ends_all_at_once(tmp_path: Path, whom: str) -> None:
    with command(endless(tmp_path), *ARGUMENTS, "run", "--workers", 2) as running:
        running.wait_for(lambda: len(running.sandboxes()) > 1)
        time.sleep(0.3)
        running.ctrl_c() if whom == "group" else running.send_signal(signal.SIGINT)
        code, out, err, seconds = running.ending()
        assert (code, out) == (130, "")
        assert len(err.splitlines()) <= 1
        assert seconds < 5
        assert running.leaves_nobody(2)


def test_ctrl_c_at_any_moment_loses_nothing(home: Path) -> None:
    chance = random.Random(9)
    said = set[str]()
    for number in range(2):
        with command(home, *ARGUMENTS, "stopped", "--workers", 2) as running:
            running.wait_for(lambda: len(running.sandboxes()) > 1)
            time.sleep(chance.random() * 0.3)
            running.ctrl_c() if number % 2 else running.send_signal(signal.SIGINT)
            code, out, err, seconds = running.ending()
            assert (code, out) == (130, "")
            said.add(err)
            assert seconds < 5
            assert running.leaves_nobody(2)
    assert_as_if_nothing_had_been(home, "stopped")
    assert said == {""}


def test_ctrl_c_while_workers_start_says_nothing(tmp_path: Path) -> None:
    zoo(tmp_path / "dbs")
    question_file(tmp_path / "questions.jsonl", rows(300))
    said = set[str]()
    for number in range(3):
        with command(tmp_path, *ARGUMENTS, f"run-{number}", "--workers", 2) as running:
            running.wait_for(running.workers)
            time.sleep(0.06 * number)
            running.ctrl_c()
            code, _, err, _ = running.ending()
            assert code == 130
            said.add(err)
    assert said == {""}


def test_a_worker_that_is_killed_is_named_and_the_next_run_completes(home: Path) -> None:
    with command(home, *ARGUMENTS, "worker", "--workers", 2) as running:
        running.wait_for(lambda: is_in(home / "worker", "deterministic") and running.workers())
        os.kill(running.workers()[0], signal.SIGKILL)
        code, out, err, _ = running.ending()
        assert (code, out) == (2, "")
        assert err.startswith("claimdb: a worker process ended")
        assert len(err.splitlines()) == 1
        assert running.leaves_nobody(2)
    assert_as_if_nothing_had_been(home, "worker")


# SIGXFSZ is ignored by Python, so that a write beyond the limit is EFBIG.
WITH_LIMIT = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
from claimdb_cli.main import run
run()
"""


@pytest.mark.parametrize("share", [0.2, 0.95])
def test_a_full_disk_is_a_clear_error_and_the_next_run_completes(home: Path, share: float) -> None:
    largest = max(path.stat().st_size for path in (home / "whole" / "stages").rglob("kept.jsonl"))
    run = f"full-{share}"
    start = [sys.executable, "-P", "-c", WITH_LIMIT, str(int(share * largest))]
    with command(home, *ARGUMENTS, run, start=start) as running:
        code, out, err, _ = running.ending()
    assert (code, out) == (2, "")
    assert err.startswith("claimdb: "), err
    assert len(err.splitlines()) == 1
    assert any(said in err for said in ("no space left for", "File too large"))
    for stage in (home / run / "stages").glob("*"):
        finished = {path.name for path in stage.glob("[!.]*")}
        assert finished in ({"part.jsonl"}, {"kept.jsonl", "dropped.jsonl", "stage.json"})
    assert_as_if_nothing_had_been(home, run)


def test_two_builds_in_one_folder_do_not_meet(tmp_path: Path) -> None:
    endless(tmp_path)
    with command(tmp_path, *ARGUMENTS, "run") as running:
        running.wait_for(running.sandboxes)
        code, out, err = ended(tmp_path, *ARGUMENTS, "run")
        assert (code, out) == (2, "")
        assert err == "claimdb: another build is running in run; wait for it, or name another\n"
        assert running.poll() is None
        assert folder_of(tmp_path / "run", "deterministic").exists()
        running.kill()
        running.wait()
        assert running.leaves_nobody()
    code, _, err = ended(tmp_path, *ARGUMENTS, "run", "--until", "select")
    assert (code, err) == (0, "")
