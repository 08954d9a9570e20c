"""The pipeline: its stages, in their order."""

from __future__ import annotations

from typing import Final

from claimdb_builder.pipeline.stage import Stage
from claimdb_builder.stages.answers import ANSWERS
from claimdb_builder.stages.deterministic import DETERMINISTIC
from claimdb_builder.stages.execute import EXECUTE
from claimdb_builder.stages.ingest import INGEST
from claimdb_builder.stages.select import SELECT
from claimdb_metric.errors import DataError

STAGES: Final[tuple[Stage, ...]] = (INGEST, SELECT, DETERMINISTIC, EXECUTE, ANSWERS)
NAMES: Final = tuple(stage.name for stage in STAGES)


def stages_until(name: str | None) -> tuple[Stage, ...]:
    """Return the stages up to one, all of them without a name.

    Raises:
        DataError: no stage has that name.

    >>> [stage.name for stage in stages_until("select")]
    ['ingest', 'select']
    """
    if name is None:
        return STAGES
    if name not in NAMES:
        raise DataError(f"no stage {name!r}; the stages are {', '.join(NAMES)}")
    return STAGES[: NAMES.index(name) + 1]
