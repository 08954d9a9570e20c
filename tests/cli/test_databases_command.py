"""`claimdb databases`, called as its users call it."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
import termios
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from claimdb_loader.cache_folder import database_folder
from tests.children import child_env, run_claimdb
from tests.cli.conftest import Call
from tests.hub import LocalHub
from tests.loader.made_databases import MEGABYTE, database_bytes, make_database, make_zip

REPO = "michaeltheologitis/claimdb"
pytestmark = pytest.mark.usefixtures("cache_dir")


@pytest.fixture
def call(claimdb_command: Call) -> Call:
    """Exit code, stdout and stderr of one `claimdb databases …`, here in this process."""
    return partial(claimdb_command, "databases")


@pytest.fixture
def good(call: Call) -> Callable[..., str]:
    """The output of a call that goes well and says nothing else."""

    def run(*arguments: str | Path) -> str:
        code, out, err = call(*arguments)
        assert (code, err) == (0, "")
        return out

    return run


def piped(*arguments: str, **environment: str) -> tuple[int, str, str]:
    """The same from a process of its own, whose output goes into pipes."""
    done = subprocess.run(
        [sys.executable, "-m", "claimdb_cli", "databases", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def read_terminal(fd: int) -> str:
    """All that was written to a terminal whose other end is closed."""
    seen = b""
    with contextlib.suppress(OSError):  # how a terminal says that it has ended
        while block := os.read(fd, 4096):
            seen += block
    os.close(fd)
    return seen.decode()


def publish(hub: LocalHub, tmp_path: Path, names: Sequence[str]) -> None:
    members = {f"x/{name}/{name}.sqlite": database_bytes() for name in names}
    made = make_zip(tmp_path / "train.zip", members).read_bytes()
    claims = "".join(
        json.dumps({"claim_id": n, "bird_id": n, "db_name": name, "claim": "c", "extra_info": ""})
        + "\n"
        for n, name in enumerate([*names, names[0]])
    )
    hub.add_repo(REPO, {"train_databases.zip": made, "test-private.jsonl": claims.encode()})


def test_list(tmp_path: Path, good: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    make_database(tmp_path / "copy" / "mine.sqlite")
    listed = json.loads(good("list", "--json", "--data-dir", tmp_path / "copy"))
    by_name = {entry["db_name"]: entry for entry in listed}
    assert len(by_name) == len(listed) == 84
    assert by_name["mine"] == {
        "db_name": "mine",
        "place": "local copy",
        "split": None,
        "n_tables": None,
        "n_rows": None,
    }
    assert by_name["superhero"]["place"] == "hub"
    monkeypatch.setenv("CLAIMDB_DATA_DIR", str(tmp_path / "copy"))
    table = good("list")
    assert "84 databases, 4 on this machine" in table
    assert all(name in table for name in by_name)


@pytest.mark.slow
def test_fetch_by_name_then_path_and_verify(
    hub: LocalHub, tmp_path: Path, good: Callable[..., str]
) -> None:
    publish(hub, tmp_path, ["beer_factory", "books"])
    folder = database_folder(REPO, None)
    expected = [folder / name / f"{name}.sqlite" for name in ("books", "beer_factory")]
    printed = "".join(f"{path}\n" for path in expected)
    assert piped("fetch", "books", "beer_factory") == (0, printed, "")
    assert all(path.is_file() for path in expected)
    hub.fault(".", status=503, times=None)
    assert good("path", "books") == f"{expected[0]}\n"
    verdicts = json.loads(good("verify", "--json"))
    assert [(v["db_name"], v["fault"]) for v in verdicts if v["db_name"][0] == "b"] == [
        ("beer_factory", None),
        ("books", None),
    ]
    assert "5 databases verified" in good("verify")


def test_fetch_by_split(hub: LocalHub, tmp_path: Path, call: Call) -> None:
    publish(hub, tmp_path, ["beer_factory", "books"])
    code, out, _ = call("fetch", "--split", "test_private")
    assert (code, [Path(line).stem for line in out.split()]) == (0, ["beer_factory", "books"])
    code, out, err = call("fetch", "--split", "test_pubic")
    assert (code, out) == (2, "")
    assert "there is no split 'test_pubic'" in err


def test_fetch_all(hub: LocalHub, good: Callable[..., str]) -> None:
    flat = {f"databases/{name}/{name}.sqlite": database_bytes() for name in ("a", "b")}
    hub.add_repo("you/flat", flat)
    everything = good("fetch", "--all", "--repo-id", "you/flat").split()
    assert [Path(line).stem for line in everything] == ["a", "b"]
    assert (
        good("path", "b", "--repo-id", "you/flat", "--revision", "main").split() == everything[1:]
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["fetch"],
        ["fetch", "superhero", "--all"],
        ["fetch", "--split", "train", "--all"],
        ["path"],
        ["fetch", "movie_4"],
        ["verify", "movie_4"],
        ["path", "../etc"],
        ["list", "--data-dir", "/no/where"],
        ["list", "--repo-id", "no/where"],
    ],
)
def test_bad_input_is_exit_code_2(hub: LocalHub, call: Call, arguments: list[str]) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    if "movie_4" in arguments:
        assert err.startswith("claimdb: no database 'movie_4'; did you mean movies_4")
        assert err.count("\n") == 1


def test_a_fault_is_exit_code_1(tmp_path: Path, call: Call) -> None:
    path = make_database(tmp_path / "heroes.sqlite", 2000)
    make_database(tmp_path / "whole.sqlite")
    path.write_bytes(path.read_bytes()[:20_000])
    names = ("heroes", "superhero", "whole")
    code, out, err = call("verify", *names, "--json", "--data-dir", tmp_path)
    states = {verdict["db_name"]: verdict["state"] for verdict in json.loads(out)}
    assert states == {"heroes": "faulty", "superhero": "missing", "whole": "whole; no hash known"}
    assert (code, err) == (1, "")
    _, for_people, _ = call("verify", "heroes", "whole", "--data-dir", tmp_path)
    assert for_people.startswith("2 databases verified")
    assert f"\nheroes: {path} is cut short: 20,000 of " in for_people
    assert for_people.count("\nwhole: ") == 0


def test_no_network_is_exit_code_2(hub: LocalHub) -> None:
    code, out, err = piped("path", "superhero", HF_HUB_OFFLINE="1")
    assert (code, out) == (2, "")
    assert err.startswith("claimdb: could not reach")
    assert "put it at DIR/superhero/superhero.sqlite" in err


def test_a_terminal_sees_the_bytes_go_by(hub: LocalHub, tmp_path: Path) -> None:
    content = database_bytes(3, blob_bytes=10 * MEGABYTE)
    made = make_zip(tmp_path / "a.zip", {"books.sqlite": content})
    hub.add_repo(REPO, {"train_databases.zip": made})
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))
    done = subprocess.run(
        [sys.executable, "-m", "claimdb_cli", "databases", "fetch", "books"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
    )
    os.close(theirs)
    seen = read_terminal(ours)
    assert done.stdout.decode() == f"{database_folder(REPO, None)}/books/books.sqlite\n"
    assert "books: 100%" in seen
    assert "10.5M/10.5M" in seen
    assert "B/s" in seen


def test_fetch_checks_every_name_before_it_fetches(tmp_path: Path) -> None:
    done = run_claimdb(
        "databases", "fetch", "ferry_lines", "superhero2", cwd=tmp_path, env=child_env(tmp_path)
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "did you mean superhero" in done.stderr


def test_a_name_with_brackets_is_no_style(tmp_path: Path) -> None:
    make_database(tmp_path / "dbs" / "sales[old].sqlite")
    done = run_claimdb(
        "databases", "list", "--data-dir", "dbs", cwd=tmp_path, env=child_env(tmp_path)
    )
    assert "sales[old]" in done.stdout
