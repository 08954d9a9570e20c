"""The options by which `run` and `check` name a model, and the door to the room that asks it."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer

from claimdb_metric.errors import DataError

PANEL = "The model"
EXIT_INTERRUPTED = 130


def said(help: str, panel: str, metavar: str | None = None, **more: Any) -> Any:
    """Return an option without a default of its own: on --resume, what is not said stays."""
    more.setdefault("show_default", False)
    return typer.Option(help=help, rich_help_panel=panel, metavar=metavar, **more)


Model = Annotated[
    str | None,
    said("As Inspect names it; claimdb-scripted/demo costs nothing.", PANEL, "PROVIDER/MODEL"),
]
BaseUrl = Annotated[str | None, said("Of the model's server.", PANEL, "URL")]
ModelArgs = Annotated[
    list[str] | None,
    typer.Option(
        "--model-arg",
        "-M",
        metavar="NAME=VALUE",
        help="For the provider; may be given again. Not recorded.",
        show_default=False,
        rich_help_panel=PANEL,
    ),
]
Temperature = Annotated[float | None, said("Of the sampling.", PANEL, min=0)]


def agents_room(name: str) -> Any:
    """Return a module of the room that asks models.

    Raises:
        DataError: the packages that it needs are not installed.
    """
    try:
        return import_module(f"claimdb_harness.agents.{name}")
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] in ("inspect_ai", "openai"):
            raise DataError(f"this needs {error.name}: pip install 'claimdb[agents]'") from None
        raise


def model_arguments(given: Sequence[str] | None) -> dict[str, Any]:
    """Return NAME=VALUE pairs by name; a value that is JSON is taken as such.

    Raises:
        DataError: there is no "=" in one.

    >>> model_arguments(["device=cpu", "threads=2"])
    {'device': 'cpu', 'threads': 2}
    """
    pairs = [pair.partition("=") for pair in given or ()]
    wrong = [name for name, equals, _ in pairs if not (equals and name)]
    if wrong:
        raise DataError(f"--model-arg {wrong[0]} is not NAME=VALUE")
    return {name: _value(text) for name, _, text in pairs}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


@contextmanager
def interrupted(hint: str) -> Iterator[None]:
    """Say what to do after a Ctrl-C, and end with exit code 130; a second one ends at once.

    Not as Python ends: it would wait for threads of Inspect's, which after a second Ctrl-C during
    its own ending wait for ever. What is done is on the disk already.
    """
    try:
        yield
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        typer.echo(f"claimdb: interrupted; {hint}", err=True)
        sys.stdout.flush()
        os._exit(EXIT_INTERRUPTED)


def display() -> str:
    """Return how Inspect shows progress: a table on a terminal, nothing in a pipe."""
    return "rich" if sys.stdout.isatty() and sys.stderr.isatty() else "none"
