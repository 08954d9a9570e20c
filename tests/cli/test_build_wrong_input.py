"""Bad input to `claimdb build`: exit code 2, one message, nothing built."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.builder.pipeline.made_runs import SQLS, question_file, row, rows, zoo
from tests.cli.conftest import Call

Change = Callable[[Path], object]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder in which the command is called: ten questions on a database of forty pets."""
    zoo(tmp_path / "dbs")
    question_file(tmp_path / "q.jsonl", rows(10))
    return tmp_path


def write(name: str, content: bytes) -> Change:
    return lambda home: (home / name).write_bytes(content)


def parquet(home: Path) -> None:
    pq.write_table(pa.table({"db_id": ["zoo"], "question": [1], "SQL": ["s"]}), home / "q.jsonl")


LINE = json.dumps(row(SQLS[0])).encode() + b"\n"
BAD_FILES: dict[str, tuple[str, Change, str]] = {
    "bad line": (
        "q.jsonl",
        write("q.jsonl", LINE * 3 + b'{"db_id"\n'),
        "q.jsonl, line 4: not JSON",
    ),
    "cut short": ("q.jsonl", write("q.jsonl", LINE + LINE[:30]), "line 2: not JSON"),
    "not UTF-8": ("q.jsonl", write("q.jsonl", LINE + b'{"a": "\xe4"}\n'), "line 2: byte 8 is not"),
    "missing column": (
        "q.jsonl",
        write("q.jsonl", b'{"db_id": "zoo"}\n'),
        "line 1: has no question",
    ),
    "slash": ("q.jsonl", write("q.jsonl", LINE.replace(b"zoo", b"a/zoo")), "'a/zoo' cannot be the"),
    "huge id": (
        "q.jsonl",
        write("q.jsonl", b'{"bird_id": 1' + b"0" * 5000 + b"}\n"),
        "4,300 digits",
    ),
    "empty": ("q.jsonl", write("q.jsonl", b""), "q.jsonl is no question file"),
    "list cut": (
        "q.json",
        write("q.json", b"[" + LINE + b"," + LINE[:9]),
        "q.json, row 2: not JSON",
    ),
    "ids twice": (
        "q.jsonl",
        lambda home: question_file(home / "q.jsonl", [row("s", bird_id=1)] * 2),
        "line 2: id 1 stands in an earlier row",
    ),
    "CSV": ("q.csv", write("q.csv", b'db_id,question,SQL\nzoo,"q\nr",s,t\n'), "line 2: 4 cells"),
    "Parquet": ("q.jsonl", parquet, "q.jsonl, row 1: question must be text, got 1"),
    "absent": ("none.jsonl", write("q.jsonl", LINE), "none.jsonl: no such file"),
}


@pytest.mark.parametrize(("name", "change", "said"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_question_file_builds_nothing(
    claimdb_command: Call, home: Path, name: str, change: Change, said: str
) -> None:
    change(home)
    code, out, err = claimdb_command(
        "build", "--questions", name, "--out", "run", "--until", "select"
    )
    assert (code, out) == (2, "")
    assert err.startswith("claimdb: ")
    assert said in err
    assert "Traceback" not in err
    assert not (home / "run" / "funnel.json").exists()
    assert not list((home / "run").glob("stages/*"))


def test_a_folder_of_questions_is_said_to_be_one(claimdb_command: Call, home: Path) -> None:
    _, _, err = claimdb_command("build", "--questions", "dbs", "--out", "run")
    assert "dbs is a folder; give the files in it" in err


def test_a_pipe_of_questions_is_refused_at_once(claimdb_command: Call, home: Path) -> None:
    os.mkfifo(home / "pipe")
    code, out, err = claimdb_command("build", "--questions", "pipe", "--out", "run")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "pipe is no regular file" in err
    assert not (home / "run").exists()


Q = ("--questions", "q.jsonl")
GIVE = "give --questions and --databases, or --sample instead"
BAD_ARGUMENTS: dict[str, tuple[tuple[object, ...], str]] = {
    "unknown stage": (
        (*Q, "--until", "claims"),
        "no stage 'claims'; the stages are ingest, select,",
    ),
    "unknown mark": ((*Q, "--drop", "tie,ties"), "no mark 'ties'; they are current_time, random,"),
    "no mark": ((*Q, "--drop", ""), "no mark ''"),
    "two executors": ((*Q, "--workers", 1, "--executor", "dask://a:1"), "--executor, not both"),
    "no workers": ((*Q, "--workers", 0), "the number of workers is 0; it must be at least 1"),
    "other executor": ((*Q, "--executor", "ray://a:1"), "no executor 'ray://a:1'"),
    "no questions": ((), GIVE),
    "sample and questions": ((*Q, "--sample"), GIVE),
    "sample and databases": (("--sample", "--databases", "dbs"), GIVE),
    "files behind two options": (
        ("--questions", "q.jsonl", "b.jsonl", "--questions", "c.jsonl"),
        "give all files behind one --questions: their order counts",
    ),
    "waived and not there": (
        (*Q, "--databases", "dbs", "--waive", "farm"),
        "--waive farm: no question is on a database of that name",
    ),
    "unknown policy": ((*Q, "--select", "all"), "'all' is not one of 'strict', 'paper'"),
    "no databases": (Q, "1 database is missing (no --databases given): zoo;"),
    "no such folder": ((*Q, "--databases", "none"), "none is not a folder; --databases names one"),
    "missing": ((*Q, "--databases", "."), "1 database is missing in .: zoo;"),
}


@pytest.mark.parametrize(("arguments", "said"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS)
def test_bad_arguments_are_one_message_and_exit_code_2(
    claimdb_command: Call, home: Path, arguments: tuple[object, ...], said: str
) -> None:
    code, out, err = claimdb_command("build", *arguments, "--out", "run")
    assert (code, out) == (2, "")
    assert said in " ".join(err.replace("│", " ").split())
    assert "Traceback" not in err
    of_databases = any(word in said for word in ("missing", "folder", "waive"))
    assert [path.name.split("-")[0] for path in home.glob("run/stages/*")] == (
        ["ingest"] if of_databases else []
    )


@pytest.mark.parametrize("out", ["a file", "other files", "other format"])
def test_a_folder_that_is_no_run(claimdb_command: Call, home: Path, out: str) -> None:
    if out == "a file":
        (home / out).touch()
    else:
        (home / out).mkdir()
        (home / out / ("x" if out == "other files" else "run.json")).write_text('{"format": 2}')
    code, stdout, err = claimdb_command("build", *Q, "--databases", "dbs", "--out", out)
    assert (code, stdout, len(err.splitlines())) == (2, "", 1)
    assert out in err
