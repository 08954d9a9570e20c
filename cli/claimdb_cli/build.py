"""`claimdb build`: from questions, SQL and databases to answered questions, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from claimdb_cli.output import AsJson, print_json, print_table, printable_line

if TYPE_CHECKING:
    from claimdb_builder.pipeline.build import Built
    from claimdb_builder.pipeline.run_stage import Progress

HELP = "Make answered questions, from which claims are written, of questions, SQL and databases."


Out = Annotated[Path, typer.Option(metavar="RUN", help="Folder of the run.", show_default=False)]
Questions = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE...",
        help="Question files (JSONL, JSON, CSV, Parquet), all behind one --questions; BIRD's dev "
        "before its train.",
        show_default=False,
    ),
]
MoreQuestions = Annotated[
    list[Path] | None, typer.Argument(metavar="[FILE]...", hidden=True, show_default=False)
]
Databases = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="DIR",
        help="Folder with NAME/NAME.sqlite or NAME.sqlite; may be given several times.",
        show_default=False,
    ),
]
Sample = Annotated[
    bool, typer.Option("--sample", help="Take the embedded questions and databases.")
]
Select = Annotated[
    Literal["strict", "paper"],
    typer.Option(help="Which questions are taken: our policy, or the published filter."),
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="STAGE",
        help="Last stage: ingest, select, deterministic, execute, answers.",
        show_default="answers",
    ),
]
Workers = Annotated[
    int | None, typer.Option(help="Processes on this machine.", show_default="one a core")
]
ExecutorUrl = Annotated[
    str | None,
    typer.Option(metavar="dask://HOST:PORT", help="A Dask scheduler instead.", show_default=False),
]
Drop = Annotated[
    str | None,
    typer.Option(
        metavar="MARKS",
        help="Marks for which questions are dropped, between commas; all, none.",
        show_default="all; none with --select paper",
    ),
]
SchemaText = Annotated[
    Literal["full", "paper"],
    typer.Option(help="Schema text: real names, types and keys, or BIRD's names only."),
]
AllowMissing = Annotated[
    bool, typer.Option("--allow-missing-dbs", help="Leave out questions without a database.")
]
Waive = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Database that may lose more than 20 % of the questions that the policy takes.",
        show_default=False,
    ),
]


def build(
    out: Out,
    questions: Questions = None,
    more_questions: MoreQuestions = None,
    databases: Databases = None,
    sample: Sample = False,
    select: Select = "strict",
    until: Until = None,
    workers: Workers = None,
    executor: ExecutorUrl = None,
    drop: Drop = None,
    schema: SchemaText = "full",
    allow_missing_dbs: AllowMissing = False,
    waive: Waive = None,
    as_json: AsJson = False,
) -> None:
    """Build what is not there yet, and print what each stage kept and dropped."""
    from claimdb_builder.pipeline import build as builds
    from claimdb_builder.pipeline.executors import open_executor
    from claimdb_builder.pipeline.stage import Settings
    from claimdb_builder.stages.marks import chosen_marks

    if workers is not None and executor is not None:
        raise typer.BadParameter("give --workers or --executor, not both")
    files = [*(questions or ()), *(more_questions or ())]
    if sample == bool(files) or (sample and databases):
        raise typer.BadParameter("give --questions and --databases, or --sample instead")
    if more_questions and len(questions or ()) > 1:
        raise typer.BadParameter("give all files behind one --questions: their order counts")
    roots = databases or []
    if sample:
        files, roots = _sample()
    wanted = builds.Build(
        questions=tuple(files),
        out=out,
        databases=tuple(roots),
        settings=Settings(select, chosen_marks(drop), schema),
        until=until,
        allow_missing=allow_missing_dbs,
        waived=tuple(waive or ()),
        progress=_progress_bar,
    )
    with open_executor(workers, executor) as chosen:
        built = builds.build(wanted, chosen)
    if as_json:
        kept = {stage: str(path) for stage, path in built.files.items()}
        print_json(built.funnel | {"files": kept, "done": built.done, "notes": built.notes})
        return
    _report(built, out)


def _sample() -> tuple[list[Path], list[Path]]:
    """The embedded question file, and the folders with its databases."""
    from claimdb_loader import sample_files

    paths = map(sample_files.unpacked, sample_files.DATABASES)
    return [sample_files.questions_path()], [path.parent.parent for path in paths]


@contextmanager
def _progress_bar(stage: str, n_records: int | None) -> Iterator[Progress]:
    """Show a bar on a terminal, nothing in a pipe."""
    from tqdm import tqdm

    with tqdm(desc=stage, total=n_records, unit=" questions", disable=None, leave=False) as bar:
        yield bar.update


def _report(built: Built, out: Path) -> None:
    from claimdb_builder.pipeline.funnel import through_all_stages

    for note in built.notes:
        typer.echo(f"note: {printable_line(note)}", err=True)
    stages = built.funnel["stages"]
    last = stages[-1]
    print_table(
        f"{out}: {last['kept']:,} of {stages[0]['in']:,} questions after stage {last['stage']}",
        ["stage", "in", "kept", "dropped", "why"],
        [_row([counts["stage"]], counts) for counts in stages],
    )
    typer.echo()
    by_database = built.funnel["databases"].items()
    print_table(
        f"{len(by_database):,} database{'s' * (len(by_database) != 1)}",
        ["database", "in", "kept", "dropped", "why"],
        [
            _row([name], through_all_stages(stages_of_one, last["stage"]))
            for name, stages_of_one in by_database
        ],
    )
    typer.echo(f"\n{built.files[last['stage']]}")


def _row(start: list[Any], counts: dict[str, Any]) -> list[Any]:
    dropped = counts["dropped"]
    why = ", ".join(f"{reason} {n:,}" for reason, n in dropped.items())
    return [*start, counts["in"], counts["kept"], sum(dropped.values()), why]
