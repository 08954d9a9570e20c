"""The blocks of the README, and whether what was printed is what it shows."""

from __future__ import annotations

import doctest
import re
from dataclasses import dataclass

from tests.conftest import REPO_ROOT

README = (REPO_ROOT / "README.md").read_text("utf-8")


@dataclass(frozen=True)
class Command:
    """A line after `$ ` and the output shown under it."""

    line: str
    output: str


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.S | re.M)


def commands() -> list[Command]:
    parts = [part for block in blocks("console") for part in re.split(r"^\$ ", block, flags=re.M)]
    lines = [part.partition("\n") for part in parts if part]
    return [Command(line, output) for line, _, output in lines]


def without_trailing_space(text: str) -> str:
    return re.sub(r" +$", "", text, flags=re.M)


def assert_shown(printed: str, shown: str) -> None:
    """`...` in the README stands for anything."""
    checker = doctest.OutputChecker()
    printed, shown = without_trailing_space(printed), without_trailing_space(shown)
    assert checker.check_output(shown, printed, doctest.ELLIPSIS), printed
