"""How `claimdb check` shows verdicts: one with its proof, many as a table, all as JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import typer

from claimdb_cli.output import print_text_table, printable_line
from claimdb_metric.labels import LABELS
from claimdb_metric.score_tables import TextTable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from claimdb_harness.own_data.claim_lists import OwnClaim
    from claimdb_harness.runs.traces import Call, Stop, Trace

NO_VERDICT: Final = "NO VERDICT"
EXIT_CODES: Final[Mapping[str, int]] = dict(zip(LABELS, (0, 1, 3), strict=True))
EXIT_NO_VERDICT: Final = 2
MAX_PROOF_LINES: Final = 20
"""Of the rows of one query; the last line, which counts them, is among these."""

_WORST_FIRST: Final = (EXIT_NO_VERDICT, *(EXIT_CODES[LABELS[place]] for place in (1, 2, 0)))
_STYLES: Final = dict(
    zip((*LABELS, NO_VERDICT), ("green", "red", "yellow", "magenta"), strict=True)
)
_STOPS: Final[Mapping[Stop, str]] = {
    "verdict": "the model gave no verdict that is one",
    "turns": "the model ran out of turns: --max-turns allows more",
    "tokens": "the model ran out of tokens: --max-tokens allows more",
    "seconds": "the model ran out of time: --max-seconds allows more",
    "gave_up": "the model ended without a verdict",
    "error": "the provider failed",
}
_SQL_WORD: Final = re.compile(r"""(?:'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|\S)+""")
"""A run of what no line break may stand in: quoted texts and names are kept whole."""


@dataclass(frozen=True)
class Checked:
    """A claim with what became of it.

    Args:
        claim: the claim.
        trace: what the model did.
        proof: the calls that support the verdict.
    """

    claim: OwnClaim
    trace: Trace
    proof: tuple[Call, ...]

    @property
    def verdict(self) -> str:
        """The verdict's name, NO VERDICT where there is none."""
        return self.trace.verdict or NO_VERDICT

    @property
    def failure(self) -> str | None:
        """Why there is no verdict; None where there is one."""
        if self.trace.verdict is not None:
            return None
        reason = _STOPS[self.trace.stop]
        said = self.trace.error or self.trace.said
        return printable_line(f"{reason} ({said})" if said else reason)

    def to_dict(self) -> dict[str, Any]:
        """Return it for --json."""
        return {
            "claim": self.claim.claim,
            "extra_info": self.claim.extra_info,
            "verdict": self.trace.verdict,
            "justification": self.trace.justification,
            "proof": [{"sql": call.sql, "output": call.output} for call in self.proof],
            "outcome": self.trace.outcome,
            "stop": self.trace.stop,
            "error": self.failure,
            "n_sql": self.trace.n_sql,
            "tokens": self.trace.tokens.total,
            "seconds": self.trace.seconds,
        }


def exit_code(results: Sequence[Checked]) -> int:
    """Return the exit code of the worst verdict: none, contradicted, not enough info, entailed."""
    codes = {EXIT_CODES.get(result.verdict, EXIT_NO_VERDICT) for result in results}
    return next(code for code in _WORST_FIRST if code in codes)


def print_verdict(result: Checked, model: str) -> None:
    """Print one verdict, why, the queries that support it with their rows, and what it took."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    indent = len(result.verdict) + 2
    # 20 columns of text are the least that can be read; a pipe is never folded.
    width = max(console.width - indent, 20) if console.is_terminal else None

    def show(label: str, lines: Sequence[Text], style: str = "dim") -> None:
        for number, line in enumerate(lines):
            head = (label if number == 0 else "").ljust(indent)
            console.print(Text.assemble((head, style), line))

    show(result.verdict, _folded(console, result.claim.claim, width), _style(result.verdict))
    if result.trace.justification:
        show("why", _folded(console, result.trace.justification, width))
    for call in result.proof:
        show("proof", [Text(line, style="cyan") for line in sql_lines(call.sql, width)])
        show("", [Text(line) for line in _row_lines(call.output)])
    if not result.proof and result.failure is None:
        show("proof", [Text("none: no query that returned rows of the data")])
    show("cost", [Text(printable_line(_cost([result], model)), style="dim")])


def print_verdicts(results: Sequence[Checked], model: str) -> None:
    """Print many verdicts as a table, then how many there are of each and what they took."""
    rows = [
        (
            result.verdict,
            printable_line(result.claim.claim),
            printable_line(result.failure or result.trace.justification),
        )
        for result in results
    ]
    found = Counter(result.verdict for result in results)
    counts = ", ".join(f"{found[name]:,} {name.lower()}" for name in _STYLES if found[name])
    n_claims = f"{len(results):,} claim{'s' * (len(results) != 1)}"
    print_text_table(TextTable(n_claims, ("verdict", "claim", "why"), tuple(rows), frozenset()))
    typer.echo(f"\n{counts}; {printable_line(_cost(results, model))}")


def sql_lines(sql: str, width: int | None) -> list[str]:
    """Return a query in lines that are no wider, where it can be broken without a change.

    Its own line breaks stay. Lines with comments are not broken, nor inside of quotes.

    Args:
        width: in characters; None breaks no line.

    >>> sql_lines("SELECT count(*) FROM account WHERE city = 'Brno   north'", 30)
    ['SELECT count(*) FROM account', "WHERE city = 'Brno   north'"]
    """
    lines = [printable_line(line).rstrip() for line in sql.strip().split("\n")]
    if width is None or "--" in sql or "/*" in sql:
        return lines
    broken: list[str] = []
    for line in lines:
        broken += [line] if len(line) <= width else _broken(line, width)
    return broken


def _broken(line: str, width: int) -> list[str]:
    start = " " * (len(line) - len(line.lstrip()))
    made: list[str] = []
    for word in _SQL_WORD.findall(line):
        if made and len(made[-1]) + 1 + len(word) <= width:
            made[-1] += f" {word}"
        else:
            made.append(start + word)
    return made


def _row_lines(output: str) -> list[str]:
    """The answer as the model read it, without its middle where it is long."""
    lines = [printable_line(line) for line in output.rstrip("\n").split("\n")]
    if len(lines) <= MAX_PROOF_LINES:
        return lines
    n_left_out = len(lines) - MAX_PROOF_LINES + 1
    return [*lines[: MAX_PROOF_LINES - 2], f"… {n_left_out:,} more lines", lines[-1]]


def _folded(console: Console, text: str, width: int | None) -> list[Text]:
    from rich.text import Text

    # Text, not str: in a str, rich takes [brackets] for markup.
    line = Text(printable_line(text))
    return [line] if width is None else list(line.wrap(console, width))


def _style(verdict: str) -> str:
    return f"bold {_STYLES[verdict]}"


def _cost(results: Sequence[Checked], model: str) -> str:
    n_sql = sum(result.trace.n_sql for result in results)
    tokens = sum(result.trace.tokens.total for result in results)
    seconds = sum(result.trace.seconds for result in results)
    queries = f"{n_sql:,} quer{'y' if n_sql == 1 else 'ies'}"
    return f"{queries}, {tokens:,} tokens, {seconds:,.1f} s, model {model}"
