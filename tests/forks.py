"""For tests that fork on purpose."""

from __future__ import annotations

import pytest

forks = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
"""Python 3.12 and newer warn of a fork beside threads; pytest's own threads are enough for it."""
