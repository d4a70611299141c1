"""Whether a file that is open is still the one that stands at its path.

A file that was moved, removed or replaced takes every write and syncs it; only whoever opens the path finds nothing of
it. So what was written is acknowledged only while the path names the file, and no call is made for an intent that
nobody will find.

Source: docs/spec/store-v1.md, "Durability".
"""

import os

from agent_saga.trace.store.errors import Damaged


class Standing:
    """One file, as it stands when this is made. Raises OSError where there is none."""

    def __init__(self, path: str) -> None:
        self._path, self._place = path, os.path.abspath(path)
        self._file = self._now()

    def check(self) -> None:
        """Raise Damaged when the path names another file by now, or none."""
        try:
            found = self._now()
        except OSError:
            found = None
        if found != self._file:
            what = "moved or removed" if found is None else "replaced by another file"
            told = f"was {what} while it was open: nothing was acknowledged"
            raise Damaged(f"{self._path}: {told}; look for the file that stood there")

    def _now(self) -> tuple[int, int] | None:
        found = os.stat(self._place)
        return found.st_dev, found.st_ino
