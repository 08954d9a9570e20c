"""SQL that is still running when a test wants to end it."""

from __future__ import annotations

from typing import Final

from claimdb_sandbox import Limits

PATIENT: Final = Limits(time_limit_s=300, grace_s=60)
"""No limit ends a query while a test waits: what ends it is what the test is about."""

ENDLESS: Final = (
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
)
"""SQLite asks every 1,000 steps whether it shall go on."""

STUCK: Final = "SELECT " + ", ".join(
    f"instr(hex(zeroblob(490000)), hex(zeroblob(240000)) || '{n}')" for n in range(1, 41)
)
"""Minutes in C code without one step: nothing but the end of the process ends it."""
