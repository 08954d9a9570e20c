"""Ways to count tokens, and what is said where one cannot be had."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.stats import token_counters
from claimdb_builder.stats.token_counters import MAX_PIECE_CHARS, token_counter
from claimdb_builder.stats.token_estimate import RULE, estimated_tokens
from claimdb_metric.errors import DataError, UnavailableError

TOKENS = {
    "": 0,
    "1": 1,
    "1234567": 3,
    "2021-03-05,": 7,
    "12.50": 3,
    "owl": 1,
    "owl heron": 2,
    "internationalisation": 4,
    " internationalisation": 3,
    "über Größe": 2,
    "Проверка": 2,
    "日本語": 2,
    ",,,,,": 2,
    "a_b": 3,
    "\n": 1,
    "\n   \n": 1,
    "a\x00b": 3,
    "3 owls, 2 herons\n": 7,
}


@pytest.mark.parametrize("text", TOKENS)
def test_the_estimate(text: str) -> None:
    assert estimated_tokens(text) == TOKENS[text]


def test_no_character_is_left_out() -> None:
    for start in range(0, 0x3000, 64):
        text = "".join(map(chr, range(start, start + 64)))
        assert sum(map(estimated_tokens, text)) == 64


def test_the_estimate_says_that_it_is_one() -> None:
    counter = token_counter("estimate")
    assert counter is not None
    assert (counter.name, counter.is_estimate, counter.rule) == ("estimate", True, RULE)


def test_none_counts_nothing() -> None:
    assert token_counter("none") is None


def test_a_long_text_is_cut() -> None:
    counter = token_counter("estimate")
    assert counter is not None
    assert counter.count("1" * 3 * MAX_PIECE_CHARS) == 3 * -(-MAX_PIECE_CHARS // 3)


@pytest.fixture
def bytes_encoding(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A real encoding of tiktoken that needs no network: one token a byte."""
    tiktoken = pytest.importorskip("tiktoken")
    encoding = tiktoken.Encoding(
        "bytes",
        pat_str=r"[\s\S]",
        mergeable_ranks={bytes([i]): i for i in range(256)},
        special_tokens={"<|endoftext|>": 256},
    )
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: encoding)
    return encoding


@pytest.mark.usefixtures("bytes_encoding")
def test_an_encoding_by_name() -> None:
    counter = token_counter("tiktoken:o200k_base")
    assert counter is not None
    assert (counter.name, counter.is_estimate) == ("tiktoken:o200k_base", False)
    assert counter.count("Zoë <|endoftext|>") == 4 + 1 + 13


@pytest.mark.usefixtures("bytes_encoding")
def test_auto_takes_an_encoding_that_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert getattr(token_counter("auto"), "name", None) == "estimate"
    (tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790").write_bytes(b"")
    assert getattr(token_counter("auto"), "name", None) == "tiktoken:o200k_base"


def test_auto_does_without_a_broken_encoding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790").write_bytes(b"broken")
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert getattr(token_counter("auto"), "name", None) == "estimate"


def test_the_name_of_the_cached_file_is_tiktokens_own(monkeypatch: pytest.MonkeyPatch) -> None:
    public = pytest.importorskip("tiktoken_ext.openai_public")
    urls: list[str] = []

    def note(url: str, **_: object) -> dict[bytes, int]:
        urls.append(url)
        return {}

    monkeypatch.setattr(public, "load_tiktoken_bpe", note)
    public.o200k_base()
    assert urls == [token_counters._ENCODING_URL]


def test_an_encoding_that_cannot_be_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))

    def fetch(name: str) -> None:
        raise ConnectionError("no network")

    monkeypatch.setattr(tiktoken, "get_encoding", fetch)
    with pytest.raises(UnavailableError, match="p50k_base of tiktoken is not on this machine"):
        token_counter("tiktoken:p50k_base")


def test_an_encoding_that_there_is_not() -> None:
    pytest.importorskip("tiktoken")
    with pytest.raises(DataError, match=r"no encoding 'o200k'; it has .*o200k_base"):
        token_counter("tiktoken:o200k")


@pytest.mark.parametrize("library", ["tiktoken", "tokenizers"])
def test_a_library_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(DataError, match=f"{library} is not installed: `pip install {library}`"):
        token_counter(f"{library}:x")


@pytest.mark.parametrize("method", ["", "AUTO", "tiktoken", "tiktoken:", "words", "tokenizers:"])
def test_no_such_method(method: str) -> None:
    with pytest.raises(DataError, match="give auto, none, estimate, tiktoken:ENCODING or"):
        token_counter(method)


def test_a_tokenizer_file(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    words = tokenizers.models.WordLevel({"owl": 0, "?": 1}, unk_token="?")
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.enable_truncation(2)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    counter = token_counter(f"tokenizers:{tmp_path / 'tokenizer.json'}")
    assert counter is not None
    assert counter.count("owl owl heron, owl") == 5
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(DataError, match=r"other\.json is no tokenizer\.json"):
        token_counter(f"tokenizers:{tmp_path / 'other.json'}")
    with pytest.raises(DataError, match=r"there is no file gone\.json"):
        token_counter("tokenizers:gone.json")
