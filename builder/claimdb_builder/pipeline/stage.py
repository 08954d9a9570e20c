"""The contract of a stage: a function from records to what is kept and what is dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from claimdb_builder.pipeline.records import Dropped, Question
from claimdb_builder.stages.marks import MARKS
from claimdb_metric.errors import DataError

Policy: TypeAlias = Literal["paper", "strict"]
SchemaStyle: TypeAlias = Literal["full", "paper"]

BATCH_SIZE: Final = 64
"""Records that a stage gets at once: fixed, so that the number of workers changes no byte."""

SLOW_BATCH_SIZE: Final = 8
"""Where a record may take minutes: a killed build loses the batches that are under way."""


@dataclass(frozen=True)
class Settings:
    """What a user chooses; each stage names those that its output depends on.

    Args:
        select: the policy by which questions are taken.
        drop: the marks (`marks.MARKS`) for which a question is dropped; None: as the policy has it.
        schema_style: `full`: real names, types and keys, with aliases; `paper`: the aliases only.

    Raises:
        DataError: one of them is none of these.
    """

    select: Policy = "strict"
    drop: tuple[str, ...] | None = None
    schema_style: SchemaStyle = "full"

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("select", self.select, get_args(Policy)),
            ("schema_style", self.schema_style, get_args(SchemaStyle)),
            *(("drop", mark, tuple(MARKS)) for mark in self.drop or ()),
        ):
            if value not in allowed:
                raise DataError(f"no {name} {value!r}; there is {', '.join(allowed)}")


@dataclass(frozen=True)
class DatabasePaths:
    """Where a database is, as workers see it.

    Args:
        path: the SQLite file.
        descriptions: the folder with descriptions of its columns, None where there is none.
        sha256: of the file and its descriptions, so that a worker's memory is of no older state.
    """

    path: Path
    descriptions: Path | None
    sha256: str


@dataclass(frozen=True)
class Context:
    """What a stage may know beside its records.

    Args:
        settings: the user's.
        databases: where each database of the batch is; a missing one is not there.
    """

    settings: Settings = field(default_factory=Settings)
    databases: Mapping[str, DatabasePaths] = field(default_factory=dict)


Outcome: TypeAlias = tuple[list[Any], list[Dropped]]
"""What is kept and what is dropped, each in the order of the input."""

StageFunction: TypeAlias = Callable[[Sequence[Any], Context], Outcome]


@dataclass(frozen=True)
class Stage:
    """One stage of a build.

    Args:
        name: as in `--until`, and of its folder.
        version: to be raised when the same input gives other output; a test compares.
        takes: the type of its input, None for the first stage, which reads files.
        function: from records to (kept, dropped); at module level, since workers import it.
        reasons: its reason codes, with what each says.
        choices: those of them that are the policy's choice; the others are losses.
        settings: names of the fields of `Settings` that its output depends on.
        reads_databases: whether it reads the questions' databases.
        batch_size: how many records it gets at once.
        libraries: packages whose version its output depends on; `sqlite` is SQLite itself.
    """

    name: str
    version: int
    takes: type[Question] | None
    function: StageFunction
    reasons: Mapping[str, str] = field(default_factory=dict)
    choices: frozenset[str] = frozenset()
    settings: tuple[str, ...] = ()
    reads_databases: bool = False
    batch_size: int = BATCH_SIZE
    libraries: tuple[str, ...] = ()
