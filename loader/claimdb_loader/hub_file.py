"""A file in a Hub repository, of which only the bytes that are asked for are transferred."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from huggingface_hub import HfFileSystem

from claimdb_loader import hub
from claimdb_metric.errors import UnavailableError


class HubFile:
    """A file open for reading by ranges; each read gives all that was asked for, or an error.

    Args:
        snapshot: the commit of the repository.
        name: the file's path in the repository.

    Raises:
        UnavailableError: the network or the Hub failed, or something else answered for it.
    """

    def __init__(self, snapshot: hub.Snapshot, name: str) -> None:
        self._name = f"{name} of {snapshot.repo_id}"
        try:
            # A file system of its own: a changed token or endpoint is never an old one's.
            files = HfFileSystem(skip_instance_cache=True)
            # "none": fsspec would read 5 MB ahead of every small read of a zip's directory.
            self._file: Any = files.open(
                f"datasets/{snapshot.repo_id}@{snapshot.sha}/{name}", "rb", cache_type="none"
            )
        except hub.ANSWER_ERRORS as error:
            raise hub.hub_error(error, self._name) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move to a position; nothing is transferred."""
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        """Return the position."""
        return int(self._file.tell())

    def read(self, n_bytes: int = -1, /) -> bytes:
        """Return the next bytes, fewer only at the end of the file."""
        left = int(self._file.size) - self.tell()
        wanted = left if n_bytes < 0 else min(n_bytes, left)
        if wanted <= 0:
            return b""
        block = hub.patiently(lambda: bytes(self._file.read(wanted)), self._name)
        if len(block) != wanted:
            is_html = block.lstrip()[:1] == b"<"
            raise UnavailableError(
                f"{hub.endpoint()} sent {'HTML, ' if is_html else ''}{len(block):,} bytes "
                f"instead of {wanted:,} bytes of {self._name}: something between you and the Hub "
                "answers in its place, such as a network that wants you to sign in"
            )
        return block
