"""Every error that the sandbox raises on purpose; what SQL does wrong is a Result, not an error.

SandboxError
├── BadLimitsError (ValueError)      a limit is out of range
├── UnusableDatabaseError            a path is no SQLite database that can be read, or not allowed
├── ChangedDatabaseError             a database is not what it was at the start
├── WorkerStartError                 the process that runs the SQL could not be started
└── ClosedError                      an executor was used after its end

Messages may name paths of this machine: they are for whoever runs the program, not for a model.
"""

from __future__ import annotations


class SandboxError(Exception):
    """The root: `except SandboxError` catches all that the sandbox raises on purpose."""


class BadLimitsError(SandboxError, ValueError):
    """A limit is out of range."""


class UnusableDatabaseError(SandboxError):
    """A path is no SQLite database that can be read, or lies outside of the allowed folder."""


class ChangedDatabaseError(SandboxError):
    """A database is not what it was when its fingerprint was taken."""


class WorkerStartError(SandboxError):
    """The process that runs the SQL could not be started."""


class ClosedError(SandboxError):
    """An executor was used after it was closed, or in another process than the one it is for."""
