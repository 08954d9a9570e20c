"""What another program's error message says: whose fault it was, and which limit was reached."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from claimdb_harness.runs.traces import Stop

_STATUS: Final = re.compile(
    r"(?:(?:status|code|error|http(?:/[\d.]+)?)[^0-9a-z]{1,6}|^\s*)(?:40[1238]|429|5\d\d)\b",
    re.IGNORECASE,
)
"""`Error code: 429 - …` (OpenAI), `status_code: 503, …` (Pydantic AI), `API Error: 529 …` (Claude
Code), `last status: 429` (Codex), `429 Too Many Requests`. 400, 404, 413 and 422 are not among
them: a question that is too long for a model is the agent's own doing."""

_WORDS: Final = re.compile(
    r"""
    rate.?limit | too\ many\ requests | overloaded | insufficient.?quota | usage\ limit\ reached
    | connection\ ?(?:error|reset|refused|aborted|closed|lost)
    | (?:connect|connection|read)\ ?timeout | request\ timed\ out
    | api\ ?(?:connection|timeout)\ ?error | server\ disconnected
    | stream\ (?:error|disconnected) | internal.?server.?error | service.?unavailable
    | server_error | bad\ gateway | gateway\ time-?out
    | authentication_failed | billing_error | invalid\ api\ key
    """,
    re.VERBOSE | re.IGNORECASE,
)

_LIMITS: Final[Mapping[str, Stop]] = {
    r"max[ _]?turns|tool_calls_limit|request_limit": "turns",
    r"tokens_limit|context[ _](?:length|window)": "tokens",
}
"""What the Agents SDK, Pydantic AI, Claude Code and providers say where a limit was reached."""


def is_provider_error(error: str) -> bool:
    """Return whether an error says that the model could not be reached, or was not let answer.

    >>> [is_provider_error(text) for text in ("Error code: 429 - {}", "Connection error.")]
    [True, True]
    >>> is_provider_error("Max turns (20) exceeded"), is_provider_error("no row 429")
    (False, False)
    """
    return bool(_STATUS.search(error) or _WORDS.search(error))


def stop_of(error: str | None) -> Stop:
    """Return why an agent without a verdict stopped, from its error; gave_up where none says.

    >>> stop_of("Max turns (20) exceeded"), stop_of(None)
    ('turns', 'gave_up')
    """
    for pattern, stop in _LIMITS.items():
        if re.search(pattern, error or "", re.IGNORECASE):
            return stop
    return "gave_up"
