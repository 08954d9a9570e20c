# A single-file module cannot carry py.typed: mypy takes the types of `claimdb` from here.
from typing import Any, Final

import datasets

from claimdb_loader.attach import attach_databases as attach_databases
from claimdb_loader.databases import Database as Database
from claimdb_loader.databases import open_database as open_database
from claimdb_loader.registration import register as register
from claimdb_loader.registration import unregister as unregister
from claimdb_metric.errors import ClaimDBError as ClaimDBError
from claimdb_metric.errors import ClaimFileError as ClaimFileError
from claimdb_metric.errors import DatabaseFileError as DatabaseFileError
from claimdb_metric.errors import DataError as DataError
from claimdb_metric.errors import HiddenLabelsError as HiddenLabelsError
from claimdb_metric.errors import UnavailableError as UnavailableError
from claimdb_metric.errors import UnknownDatabaseError as UnknownDatabaseError
from claimdb_metric.labels import CATEGORIES as CATEGORIES
from claimdb_metric.labels import LABELS as LABELS
from claimdb_metric.labels import label_name as label_name
from claimdb_metric.pairs import compare as compare
from claimdb_metric.scoring import score as score

__version__: Final[str]

class RejectedRowsError(ClaimFileError): ...

class ClaimDBConfig(datasets.BuilderConfig):
    source_repo: str
    revision: str | None
    exclude_known_issues: bool
    train_excludes: str | None

class ClaimDB(datasets.ArrowBasedBuilder):
    def __init__(
        self,
        cache_dir: str | None = None,
        dataset_name: str | None = None,
        config_name: str | None = None,
        hash: str | None = None,
        *,
        data_dir: str | None = None,
        data_files: Any = None,
        repo_id: str | None = None,
        **kwargs: Any,
    ) -> None: ...
