"""How verdicts are shown: one, many, for programs; what they exit with."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence

import pytest

from claimdb_cli.output import print_json
from claimdb_cli.verdicts import Checked, exit_code, print_verdict, print_verdicts, sql_lines
from claimdb_harness.own_data.claim_lists import OwnClaim
from claimdb_harness.runs.traces import Call, Stop, Tokens, Trace
from claimdb_metric.labels import LABELS

ENTAILED, CONTRADICTED, NEI = LABELS
SQL = "SELECT count(*) AS n\nFROM account\nWHERE city = 'Brno'"
CALL = Call("execute_sql", SQL, "ok", "n\n12\n(1 row)", n_rows=1)
MODEL = "openai/gpt-5"


def checked(
    verdict: str | None,
    claim: str = "There are 12 dormant accounts in Brno.",
    why: str = "The query counts 12.",
    calls: tuple[Call, ...] = (CALL,),
    stop: Stop = "verdict",
    error: str | None = None,
    said: str | None = None,
) -> Checked:
    outcome = "answered" if verdict else ("not_run" if error else "no_verdict")
    trace = Trace(
        0,
        outcome,  # type: ignore[arg-type]
        verdict,
        why if verdict else "",
        stop,
        said=said,
        calls=calls,
        tokens=Tokens(2000, 100, 34),
        seconds=4.21,
        error=error,
    )
    return Checked(OwnClaim(claim, "dormant: no move in a year"), trace, calls)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch, result: Checked, columns: int) -> str:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    print_verdict(result, MODEL)
    return terminal.getvalue()


def test_one_verdict_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    print_verdict(checked(ENTAILED), MODEL)
    assert capsys.readouterr().out.split("\n") == [
        "ENTAILED  There are 12 dormant accounts in Brno.",
        "why       The query counts 12.",
        "proof     SELECT count(*) AS n",
        "          FROM account",
        "          WHERE city = 'Brno'",
        "          n",
        "          12",
        "          (1 row)",
        "cost      1 query, 2,134 tokens, 4.2 s, model openai/gpt-5",
        "",
    ]


def test_a_pipe_gets_no_colours_and_no_folds(capsys: pytest.CaptureFixture[str]) -> None:
    claim, why = "claim " * 60, "why " * 60
    print_verdict(checked(CONTRADICTED, claim, why, calls=()), MODEL)
    lines = capsys.readouterr().out.split("\n")
    assert lines[0].rstrip() == f"CONTRADICTED  {claim}".rstrip()
    assert lines[1].rstrip() == f"why           {why}".rstrip()
    assert "\x1b" not in "".join(lines)


def test_two_queries_are_two_proofs(capsys: pytest.CaptureFixture[str]) -> None:
    print_verdict(checked(ENTAILED, calls=(CALL, CALL)), MODEL)
    out = capsys.readouterr().out
    assert out.count("proof     SELECT") == 2
    assert "2 queries" in out


def test_without_a_proof_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    print_verdict(checked(NEI, calls=()), MODEL)
    assert "\nproof            none: no query that returned rows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("verdict", "colour"), [(ENTAILED, "32"), (CONTRADICTED, "31"), (NEI, "33"), (None, "35")]
)
def test_a_terminal_gets_colours(
    monkeypatch: pytest.MonkeyPatch, verdict: str | None, colour: str
) -> None:
    out = shown_on_a_terminal(monkeypatch, checked(verdict, stop="turns"), 80)
    assert out.startswith(f"\x1b[1;{colour}m{verdict or 'NO VERDICT'}  \x1b[0m")


def test_markup_and_commands_in_texts_are_only_text(monkeypatch: pytest.MonkeyPatch) -> None:
    call = Call("execute_sql", "SELECT '[red]x[/red]'", "ok", "c\n[bold]\x1b[2J\n(1 row)")
    result = checked(ENTAILED, "A [red]b[/red] :smile: \x1b[2J.", "[/x]", (call,))
    out = shown_on_a_terminal(monkeypatch, result, 80)
    for text in ("A [red]b[/red] :smile: \ufffd[2J.", "[/x]", "'[red]x[/red]'", "[bold]\ufffd[2J"):
        assert text in out
    assert "\x1b[2J" not in out


def test_a_terminal_folds_beside_the_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    sql = "SELECT count(*) FROM account WHERE city = 'Brno   and more' AND dormant"
    call = Call("execute_sql", sql, "ok", "n\n12\n(1 row)")
    result = checked(ENTAILED, why="one two three four five six seven eight nine", calls=(call,))
    lines = [
        line.rstrip() for line in _plain(shown_on_a_terminal(monkeypatch, result, 40)).split("\n")
    ]
    assert lines[2:8] == [
        "why       one two three four five six",
        "          seven eight nine",
        "proof     SELECT count(*) FROM account",
        "          WHERE city = 'Brno   and more'",
        "          AND dormant",
        "          n",
    ]


def _plain(text: str) -> str:
    from rich.text import Text

    return Text.from_ansi(text).plain


def test_a_long_answer_is_cut_in_its_middle(capsys: pytest.CaptureFixture[str]) -> None:
    output = "\n".join(["n", *map(str, range(100)), "(100 rows)"])
    print_verdict(checked(ENTAILED, calls=(Call("execute_sql", "SELECT 1", "ok", output),)), MODEL)
    lines = [line.strip() for line in capsys.readouterr().out.split("\n")][3:-2]
    assert lines == ["n", *map(str, range(17)), "… 83 more lines", "(100 rows)"]


@pytest.mark.parametrize(
    ("sql", "width", "lines"),
    [
        ("SELECT a, b FROM t", 11, ["SELECT a, b", "FROM t"]),
        ("SELECT a\n  , b FROM t\n", 8, ["SELECT a", "  , b", "  FROM t"]),
        ("SELECT 'a  b c d' x", 8, ["SELECT", "'a  b c d'", "x"]),
        ('SELECT "a  b", [c  d], `e  f`', 8, ["SELECT", '"a  b",', "[c  d],", "`e  f`"]),
        ("SELECT 'it''s  so' x", 8, ["SELECT", "'it''s  so'", "x"]),
        ("SELECT a -- first b\nFROM t", 8, ["SELECT a -- first b", "FROM t"]),
        ("SELECT /* a b */ c", 8, ["SELECT /* a b */ c"]),
        ("SELECT a, b FROM t", None, ["SELECT a, b FROM t"]),
        ("SELECT\ta\x1b", 40, ["SELECT\ufffda\ufffd"]),
    ],
)
def test_a_query_is_broken_only_where_it_may(sql: str, width: int | None, lines: list[str]) -> None:
    assert sql_lines(sql, width) == lines


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (checked(ENTAILED), None),
        (checked(None, stop="turns"), "the model ran out of turns: --max-turns allows more"),
        (checked(None, stop="tokens"), "the model ran out of tokens: --max-tokens allows more"),
        (checked(None, stop="seconds"), "the model ran out of time: --max-seconds allows more"),
        (checked(None, stop="gave_up", said="Hm\n?"), "the model ended without a verdict (Hm ?)"),
        (checked(None, said="yes"), "the model gave no verdict that is one (yes)"),
        (checked(None, stop="error", error="429"), "the provider failed (429)"),
    ],
)
def test_why_there_is_no_verdict(result: Checked, reason: str | None) -> None:
    assert result.failure == reason


def test_one_without_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    print_verdict(checked(None, stop="turns", calls=()), MODEL)
    lines = capsys.readouterr().out.split("\n")
    assert lines[0].startswith("NO VERDICT  There are 12")
    assert [line.split(" ")[0] for line in lines[1:]] == ["cost", ""]


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([ENTAILED], 0),
        ([CONTRADICTED], 1),
        ([NEI], 3),
        ([None], 2),
        ([ENTAILED, NEI], 3),
        ([NEI, CONTRADICTED, ENTAILED], 1),
        ([CONTRADICTED, None, NEI], 2),
        ([ENTAILED, ENTAILED], 0),
    ],
)
def test_the_worst_verdict_is_the_exit_code(verdicts: Sequence[str | None], code: int) -> None:
    assert exit_code([checked(verdict) for verdict in verdicts]) == code


def test_many_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    results = [
        checked(ENTAILED, "A."),
        checked(ENTAILED, "B\n[b]."),
        checked(None, "C.", stop="turns", calls=()),
    ]
    print_verdicts(results, MODEL)
    title, header, _, *rows, empty, counts, end = capsys.readouterr().out.split("\n")
    assert (title, header.split(), empty, end) == ("3 claims", ["verdict", "claim", "why"], "", "")
    assert rows == [
        "ENTAILED    A.      The query counts 12.",
        "ENTAILED    B [b].  The query counts 12.",
        "NO VERDICT  C.      the model ran out of turns: --max-turns allows more",
    ]
    assert counts == (
        "2 entailed, 1 no verdict; 2 queries, 6,402 tokens, 12.6 s, model openai/gpt-5"
    )


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_json([checked(ENTAILED).to_dict(), checked(None, stop="error", error="429").to_dict()])
    answered, failed = json.loads(capsys.readouterr().out)
    assert answered == {
        "claim": "There are 12 dormant accounts in Brno.",
        "extra_info": "dormant: no move in a year",
        "verdict": "ENTAILED",
        "justification": "The query counts 12.",
        "proof": [{"sql": SQL, "output": "n\n12\n(1 row)"}],
        "outcome": "answered",
        "stop": "verdict",
        "error": None,
        "n_sql": 1,
        "tokens": 2134,
        "seconds": 4.21,
    }
    assert (failed["verdict"], failed["outcome"], failed["stop"]) == (None, "not_run", "error")
    assert failed["error"] == "the provider failed (429)"
