"""What counts tokens: a real tokenizer where one is on this machine, else a stated estimate."""

from __future__ import annotations

import hashlib
import importlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

from claimdb_builder.stats.token_estimate import RULE, estimated_tokens
from claimdb_metric.errors import DataError, UnavailableError

METHODS: Final = "auto, none, estimate, tiktoken:ENCODING or tokenizers:FILE"
AUTO_ENCODING: Final = "o200k_base"
DEFAULT_SEED: Final = 12345
DEFAULT_SAMPLE_ROWS: Final = 20_000
MAX_PIECE_CHARS: Final = 10_000
"""A longer text is cut into pieces of so many: a tokenizer may need quadratic time for a long one.
Each cut adds one token at most."""

_ENCODING_URL: Final = (
    f"https://openaipublic.blob.core.windows.net/encodings/{AUTO_ENCODING}.tiktoken"
)


@dataclass(frozen=True)
class TokenCounter:
    """A way to count the tokens of a text.

    Attributes:
        name: the method as the user may ask for it.
        rule: what one token is, in words.
        is_estimate: whether no tokenizer was used.
        count_piece: the tokens of a text of at most MAX_PIECE_CHARS.
    """

    name: str
    rule: str
    is_estimate: bool
    count_piece: Callable[[str], int]

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        if len(text) <= MAX_PIECE_CHARS:
            return self.count_piece(text)
        starts = range(0, len(text), MAX_PIECE_CHARS)
        return sum(self.count_piece(text[start : start + MAX_PIECE_CHARS]) for start in starts)


@dataclass(frozen=True)
class TokenCounting:
    """How the tokens of tables are counted.

    Args:
        counter: counts the tokens of one line.
        sample_rows: a table of more rows is judged by so many of them, at least 2.
        seed: of the draw of these rows.
    """

    counter: TokenCounter
    sample_rows: int = DEFAULT_SAMPLE_ROWS
    seed: int = DEFAULT_SEED


def token_counter(method: str) -> TokenCounter | None:
    """Return the counter of that name, None for "none".

    Args:
        method: "auto" takes tiktoken's o200k_base if it is on this machine already, else the
            estimate; "estimate"; "tiktoken:ENCODING", fetched if need be; "tokenizers:FILE", a
            tokenizer.json; "none".

    Raises:
        DataError: there is no such method, library or file.
        UnavailableError: the encoding is not on this machine and could not be fetched.

    >>> token_counter("estimate").count("3 owls")
    2
    """
    kind, _, name = method.partition(":")
    if method == "none":
        return None
    if method == "auto":
        return _cached_encoding() or _ESTIMATE
    if method == "estimate":
        return _ESTIMATE
    if kind == "tiktoken" and name:
        return _tiktoken(name)
    if kind == "tokenizers" and name:
        return _tokenizers(name)
    raise DataError(f"tokens {method!r} cannot be counted; give {METHODS}")


_ESTIMATE: Final = TokenCounter("estimate", RULE, True, estimated_tokens)


def _cached_encoding() -> TokenCounter | None:
    """The encoding if tiktoken has it in its cache: nobody expects to go to the network here."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder is None:
        folder = str(Path(tempfile.gettempdir()) / "data-gym-cache")
    key = hashlib.sha1(_ENCODING_URL.encode(), usedforsecurity=False).hexdigest()
    if not folder or not (Path(folder) / key).is_file():
        return None
    try:
        return _tiktoken(AUTO_ENCODING)
    except (DataError, UnavailableError):
        return None


def _tiktoken(name: str) -> TokenCounter:
    tiktoken = _library("tiktoken")
    known = ", ".join(tiktoken.list_encoding_names())
    if name not in tiktoken.list_encoding_names():
        raise DataError(f"tiktoken has no encoding {name!r}; it has {known}")
    try:
        encoding = tiktoken.get_encoding(name)
    except (OSError, ValueError) as error:
        raise UnavailableError(
            f"the encoding {name} of tiktoken is not on this machine and could not be fetched "
            f"({type(error).__name__}): fetch it once where there is a network and copy tiktoken's "
            "cache (TIKTOKEN_CACHE_DIR), or count with `estimate`"
        ) from error
    # Ordinary: a database may hold "<|endoftext|>", which is text like any other there.
    return TokenCounter(
        f"tiktoken:{name}",
        f"a token of {name}",
        False,
        lambda text: len(encoding.encode_ordinary(text)),
    )


def _tokenizers(file: str) -> TokenCounter:
    tokenizers = _library("tokenizers")
    if not Path(file).is_file():
        raise DataError(f"tokenizers: there is no file {file}; give the path of a tokenizer.json")
    try:
        tokenizer = tokenizers.Tokenizer.from_file(file)
    except Exception as error:  # the library raises no narrower class
        raise DataError(f"{file} is no tokenizer.json ({error})") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return TokenCounter(
        f"tokenizers:{Path(file).name}",
        f"a token of {Path(file).name}",
        False,
        lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids),
    )


def _library(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise DataError(
            f"{name} is not installed: `pip install {name}`, or count with `estimate`"
        ) from None
