"""Files of one JSON object that users write by hand: known sizes, domains."""

from __future__ import annotations

from pathlib import Path

from claimdb_loader.strict_json import StrictJson
from claimdb_metric.errors import DataError


def read_object(path: str) -> dict[str, object]:
    """Return the JSON object that a file holds.

    Raises:
        DataError: the file cannot be read, or holds something else; it names file and character.

    >>> read_object("/no/such.json")
    Traceback (most recent call last):
    claimdb_metric.errors.DataError: /no/such.json cannot be read: No such file or directory
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not UTF-8 at byte {error.start + 1}; save it as UTF-8"
        ) from error
    value, fault = StrictJson().whole(text)
    if fault is not None:
        raise DataError(f"{path}: {fault}; mend it")
    if not isinstance(value, dict):
        raise DataError(f"{path} is to hold one JSON object, not {type(value).__name__}")
    return value
