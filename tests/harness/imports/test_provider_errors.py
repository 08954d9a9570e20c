"""Whose fault an error was, as other programs tell it."""

from __future__ import annotations

import pytest

from claimdb_harness.imports.provider_errors import is_provider_error, stop_of


@pytest.mark.parametrize(
    "error",
    [
        "Error code: 429 - {'error': {'message': 'Rate limit reached'}}",
        "status_code: 503, model_name: qwen3:8b, body: None",
        'API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}',
        "unexpected status 500 Internal Server Error",
        "exceeded retry limit, last status: 429",
        "HTTP/1.1 502 Bad Gateway",
        '{"error": {"code": 401}}',
        "429",
        "503 Service Unavailable",
        "Connection error.",
        "ConnectionResetError: [Errno 104]",
        "litellm.RateLimitError: …",
        "APITimeoutError",
        "httpx.ReadTimeout",
        "Request timed out.",
        "stream disconnected before completion",
        "rate_limit",
        "billing_error",
        "Invalid API key · Fix external API key",
    ],
)
def test_the_provider_s(error: str) -> None:
    assert is_provider_error(error)


@pytest.mark.parametrize(
    "error",
    [
        "Max turns (20) exceeded",
        "error_max_turns",
        "The next tool call(s) would exceed the tool_calls_limit of 20 (tool_calls=21).",
        "Exceeded maximum retries (20) for output validation",
        "Tool 'zoo_execute_sql' exceeded max retries count of 10",
        "JSON Extraction Error.",
        "Error code: 400 - {'error': {'code': 'context_length_exceeded'}}",
        "SQLITE_BUSY: database is locked",
        "there are 503 rows",
        "query timed out",
        "error code 5030",
    ],
)
def test_the_agent_s_own(error: str) -> None:
    assert not is_provider_error(error)


@pytest.mark.parametrize(
    ("error", "stop"),
    [
        ("Max turns (20) exceeded", "turns"),
        ("error_max_turns", "turns"),
        ("would exceed the tool_calls_limit of 20", "turns"),
        ("exceeded the total_tokens_limit of 100", "tokens"),
        ("Error code: 400 - context_length_exceeded", "tokens"),
        ("JSON Extraction Error.", "gave_up"),
        (None, "gave_up"),
    ],
)
def test_which_limit_was_reached(error: str | None, stop: str) -> None:
    assert stop_of(error) == stop
