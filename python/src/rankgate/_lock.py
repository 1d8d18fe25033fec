"""A lock between processes that ends with whoever holds it."""

import sys
from pathlib import Path
from typing import IO


class Lock:
    """A lock on a file."""

    def __init__(self, path: Path):
        self._path = path
        self._file: IO[bytes] | None = None

    def take(self) -> bool:
        """Takes it, unless another process holds it."""
        file = open(self._path, "ab")
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            return False
        self._file = file
        return True

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
