"""What the header of a SQLite store's database says that it is.

Source: sqlite.org/fileformat2.html, section 1.3.
"""

from typing import Final

MAGIC: Final = b"SQLite format 3\0"
"""The first bytes of every database."""
STORE: Final = int.from_bytes(b"ASga")
"""``PRAGMA application_id`` of a store of traces."""
ID: Final = slice(68, 72)
"""Where it stands in the header, most significant byte first."""
