"""Every error that ClaimDB raises on purpose.

ClaimDBError
├── DataError (ValueError)           something given is wrong
│   ├── ClaimFileError               rows of a claims file; up to 20 problems with file and line
│   ├── PredictionFileError          rows of a predictions file; likewise
│   ├── DatabaseFileError            a file is not the SQLite database it should be
│   ├── UnknownDatabaseError         no database of that name; lists the nearest names
│   └── HiddenLabelsError            a hidden label was used as a reference
└── UnavailableError (OSError)       data that is not here and could not be fetched

Each message says what is wrong, where, and what to do.
The tree stands in the metric package because that is the ground floor of the house.
"""

from __future__ import annotations


class ClaimDBError(Exception):
    """The root: `except ClaimDBError` catches all that ClaimDB raises on purpose."""


class DataError(ClaimDBError, ValueError):
    """Something given to ClaimDB (a file, a row, an argument) is wrong."""


class ClaimFileError(DataError):
    """Rows of a claims file are wrong; the message lists file, line and reason of each."""


class PredictionFileError(DataError):
    """Rows of a predictions file are wrong; the message lists file, line and reason of each."""


class DatabaseFileError(DataError):
    """A file is not the SQLite database that it should be."""


class UnknownDatabaseError(DataError):
    """No database has that name."""


class HiddenLabelsError(DataError):
    """A hidden label was given where a known one is needed."""


class UnavailableError(ClaimDBError, OSError):
    """Data is not on this machine and could not be fetched."""
