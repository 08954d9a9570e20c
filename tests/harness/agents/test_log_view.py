"""A run's log in a browser: `inspect view bundle` on loopback shows verdicts and scores."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.labelled_claims import from_split
from tests.children import child_env, run_claimdb

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("chromedriver") is None,
        reason="needs a browser: Debian's chromium and chromium-driver",
    ),
]

ARGUMENTS = (
    "--headless",
    "--no-sandbox",  # as root there is none
    "--disable-gpu",
    "--no-first-run",
    # It would ask hosts of Google's.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--window-size=1500,1100",
)
PATIENCE_S = 60


class Browser:
    """Chromium, driven over the WebDriver protocol (https://www.w3.org/TR/webdriver2/)."""

    def __init__(self, driver_url: str, profile: Path) -> None:
        options = {"args": [*ARGUMENTS, f"--user-data-dir={profile}"]}
        wanted = {"alwaysMatch": {"goog:chromeOptions": options}}
        self._session = f"{driver_url}/session"
        made = self._call("POST", "", {"capabilities": wanted})
        self._session += f"/{made['sessionId']}"

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._session}{path}", data, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)["value"]

    def open(self, url: str) -> None:
        """Load a page anew; of two that differ in what follows the #, too."""
        self._call("POST", "/url", {"url": "about:blank"})
        self._call("POST", "/url", {"url": url})

    def text_with(self, *parts: str) -> str:
        """The visible text of the page, as soon as all parts are in it."""
        script = {"script": "return document.body.innerText", "args": []}
        deadline = time.monotonic() + PATIENCE_S
        while True:
            text = str(self._call("POST", "/execute/sync", script))
            missing = [part for part in parts if part not in text]
            if not missing:
                return text
            assert time.monotonic() < deadline, f"{missing} in {text[:3000]}"
            time.sleep(0.1)

    def click(self, text: str) -> None:
        """Click on what says this."""
        named = f"//*[starts-with(normalize-space(text()), '{text}')]"
        found = self._call("POST", "/element", {"using": "xpath", "value": named})
        (reference,) = found.values()
        self._call("POST", f"/element/{reference}/click", {})

    def close(self) -> None:
        self._call("DELETE", "")


@contextmanager
def driver() -> Iterator[str]:
    """The address of a driver that starts browsers."""
    with subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout
            started = (re.search(r"successfully on port (\d+)", line) for line in process.stdout)
            yield f"http://127.0.0.1:{next(filter(None, started))[1]}"
        finally:
            process.kill()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with driver() as url:
        browser = Browser(url, tmp_path_factory.mktemp("profile"))
        yield browser
        browser.close()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder's files."""
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


SCRIPT = {
    "default": [{"sql": "SELECT 40 + 2 AS answer"}, {"verdict": "ENTAILED", "why": "It is 42."}],
    "claims": {"2": [{"text": "I cannot tell."}]},
}


@dataclass(frozen=True)
class Page:
    """The viewer of a run of three claims."""

    url: str
    log: str

    def of_sample(self, claim_id: int, tab: str) -> str:
        return f"{self.url}/#/logs/{self.log}/samples/sample/{claim_id}/1/{tab}"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    home = tmp_path_factory.mktemp("run")
    env = child_env(home)
    (home / "script.json").write_text(json.dumps(SCRIPT))
    model = ("--model", "claimdb-scripted/demo", "-M", "script=script.json")
    claims = ("--split", "sample", "--limit", "3", "--max-turns", "3", "--out", "run")
    done = run_claimdb("run", *model, *claims, cwd=home, env=env)
    assert done.returncode == 0, done.stderr
    bundle = ("view", "bundle", "--log-dir", "run/logs", "--output-dir", "bundle")
    command = [sys.executable, "-P", "-m", "inspect_ai", *bundle]
    subprocess.run(command, cwd=home, env=env, check=True, capture_output=True, timeout=120)
    (log,) = (home / "bundle" / "logs").glob("*.eval")
    with served(home / "bundle") as url:
        yield Page(url, log.name)


@pytest.fixture(scope="module")
def claims() -> list[str]:
    return [str(claim) for claim in from_split("sample").column("claim")[:3]]


def test_verdicts_stand_beside_the_claims(browser: Browser, page: Page, claims: list[str]) -> None:
    browser.open(page.url)
    text = browser.text_with("claimdb/verify", "claimdb-scripted/demo", *claims)
    answers = re.findall("^(ENTAILED|CONTRADICTED|NOT ENOUGH INFO|no verdict)$", text, re.M)
    # Target and answer of each claim.
    assert answers == ["CONTRADICTED", "ENTAILED", "ENTAILED", "no verdict"] + ["ENTAILED"] * 2


@pytest.mark.parametrize(
    ("claim_id", "shown"),
    [
        (1, ("It is 42.", "stop:\nverdict", "forced:\nfalse", "sql_calls:\n1")),
        (2, ("I cannot tell.", "stop:\nturns", "forced:\nfalse", "sql_calls:\n0")),
    ],
)
def test_the_score_of_a_claim(
    browser: Browser, page: Page, claims: list[str], claim_id: int, shown: tuple[str, ...]
) -> None:
    browser.open(page.of_sample(claim_id, "scoring"))
    browser.text_with(claims[claim_id - 1], *shown)


def test_a_claims_queries_and_what_they_returned(browser: Browser, page: Page) -> None:
    browser.open(page.of_sample(1, "messages"))
    browser.text_with('sql: "SELECT 40 + 2 AS answer"', "answer\n42\n", "submit_verdict")


def test_all_numbers_of_the_score(browser: Browser, page: Page) -> None:
    browser.open(page.url)
    browser.text_with("All scoring")
    browser.click("All scoring")
    browser.text_with("accuracy_by_question_low", "macro_f1", "not_enough_info_recall")
