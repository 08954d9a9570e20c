"""The options of `claimdb run` beside those of the model; none has a default of its own.

On --resume, what is not said stays as the run was asked; the defaults shown are a new run's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from claimdb_cli.model_options import PANEL, said

CLAIMS = "The claims"
HOW = "How it is asked"
BUDGET = "The budget of each claim"
RUN = "The run"

Command = Annotated[str | None, said("An agent's command line instead; {mcp_config} in it.", PANEL)]
Seed = Annotated[int | None, said("Of the sampling, where heeded.", PANEL)]
ReasoningEffort = Annotated[str | None, said("Such as low or high.", PANEL)]
MaxConnections = Annotated[int | None, said("Calls at a time.", PANEL, min=1, max=10_000)]
MaxRetries = Annotated[int, said("Of a call that fails.", PANEL, min=0, max=100, show_default=True)]

Split = Annotated[str | None, said("train, test_* or sample.", CLAIMS, show_default="test_public")]
References = Annotated[str | None, said("Claims of your own instead.", CLAIMS, "FILE")]
Limit = Annotated[str | None, said("The first N, or the Ath to Bth.", CLAIMS, "N|A-B")]

Task = Annotated[
    str | None, said("verify, closed_book or schema_only.", HOW, show_default="verify")
]
Prompt = Annotated[
    str | None, said("minimal, taxonomy, schema-first, a file.", HOW, show_default="minimal")
]
Protocol = Annotated[str | None, said("tools, json or constrained.", HOW, show_default="tools")]
Final = Annotated[
    str | None,
    said("forced: the last turn offers only the verdict; none.", HOW, show_default="forced"),
]

MaxTurns = Annotated[int | None, said("Calls of the model.", BUDGET, show_default="20")]
MaxSqlCalls = Annotated[int | None, said("Queries, failed ones too.", BUDGET, show_default="40")]
MaxTokens = Annotated[int | None, said("Read and written.", BUDGET, show_default="200,000")]
MaxSeconds = Annotated[int | None, said("Of model and queries.", BUDGET, show_default="900")]
MaxOutputBytes = Annotated[int | None, said("Of a query's answer.", BUDGET, show_default="16,000")]

Out = Annotated[Path | None, said("Folder of the run.", RUN, "DIR", show_default="runs/…")]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on with the run in --out; what is done stays.",
        rich_help_panel=RUN,
    ),
]
