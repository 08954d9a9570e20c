"""A transfer that is cut, killed or answered by a web page goes on from where it was."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from claimdb_loader import zip_member
from claimdb_loader.databases import open_database
from claimdb_metric.errors import (
    UnavailableError,
)
from tests.hub import LocalHub
from tests.loader.database_transfer.published import (
    MEMBER,
    NAME,
    REPO,
    ZIP,
    forget,
    left,
    n_before_the_second_block,
    publish,
)


def test_a_cut_transfer_goes_on_in_the_next_call(
    hub: LocalHub, cache_dir: Path, big_zip: Path, big: bytes, naps: list[float]
) -> None:
    hub.add_repo(REPO, {"train_databases.zip": big_zip})
    n_good = n_before_the_second_block(hub)
    forget(hub, cache_dir)
    hub.fault(ZIP, method="GET", times=n_good)
    hub.fault(ZIP, method="GET", times=None, cut_after_bytes=1000)
    with pytest.raises(UnavailableError, match=r"could not reach http://127\.0\.0\.1.*own, put it"):
        open_database(NAME)
    (part,) = cache_dir.rglob("*.part")
    assert part.stat().st_size == zip_member.COPY_BYTES
    hub.clear_faults()
    before = hub.bytes_sent(ZIP)
    assert open_database(NAME).path.read_bytes() == big
    rest = big_zip.stat().st_size - zip_member.COPY_BYTES
    assert rest - 1000 < hub.bytes_sent(ZIP) - before < rest + 1000
    assert left(cache_dir) == [f"{NAME}.sqlite"]


@pytest.mark.slow
def test_a_killed_process_leaves_a_part_that_is_used(
    hub: LocalHub, cache_dir: Path, big_zip: Path, big: bytes
) -> None:
    hub.add_repo(REPO, {"train_databases.zip": big_zip})
    n_good = n_before_the_second_block(hub)
    forget(hub, cache_dir)
    hub.fault(ZIP, method="GET", times=n_good)
    hub.fault(ZIP, method="GET", times=None, delay_s=60)
    script = f"import claimdb; claimdb.open_database({NAME!r})"
    child = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not any(p.stat().st_size >= zip_member.COPY_BYTES for p in cache_dir.rglob("*.part")):
        assert child.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert [Path(name).suffix for name in left(cache_dir)] == [".part"]
    hub.clear_faults()
    before = hub.bytes_sent(ZIP)
    assert open_database(NAME).path.read_bytes() == big
    assert hub.bytes_sent(ZIP) - before < big_zip.stat().st_size - zip_member.COPY_BYTES + 1000
    assert left(cache_dir) == [f"{NAME}.sqlite"]


def test_what_killed_processes_left_is_cleared_away(
    hub: LocalHub, tmp_path: Path, cache_dir: Path, small: bytes
) -> None:
    publish(hub, tmp_path, {MEMBER: small})
    path = open_database(NAME).path
    path.unlink()
    path.with_name(f"{path.name}.new").write_bytes(b"half")
    path.with_name(f"{path.name}.0badc0de-12.part").write_bytes(b"of another revision")
    assert open_database(NAME).path.read_bytes() == small
    assert left(cache_dir) == [f"{NAME}.sqlite"]


def test_a_web_page_in_the_middle_is_not_taken_for_data(
    hub: LocalHub, cache_dir: Path, big_zip: Path, big: bytes
) -> None:
    hub.add_repo(REPO, {"train_databases.zip": big_zip})
    n_good = n_before_the_second_block(hub)
    forget(hub, cache_dir)
    hub.fault(ZIP, method="GET", times=n_good)
    hub.fault(ZIP, method="GET", html=True)
    with pytest.raises(UnavailableError, match=r"sent HTML, 78 bytes instead of 8,388,608 bytes"):
        open_database(NAME)
    assert open_database(NAME).path.read_bytes() == big
