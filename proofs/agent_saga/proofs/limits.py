"""Every bound of logs, notes and bundles, with its reason. Verifiers refuse what is larger before they work on it."""

from typing import Final

MAX_SIZE: Final = 2**53 - 1
"""Leaves of a tree: what every JSON implementation and our own line format read exactly."""

MAX_PATH: Final = 53
"""Hashes of an inclusion path: the height of the largest tree."""

MAX_CONSISTENCY: Final = 2 * MAX_PATH
"""Hashes of a consistency proof: a path in each of two trees."""

MAX_NOTE: Final = 65_536
"""Bytes of a signed note: a checkpoint of some 200 bytes and hundreds of signatures."""

MAX_SIGNATURES: Final = 64
"""Signatures that are looked at on one note; the C2SP text wants at least 16."""

MAX_NAME: Final = 256
"""Characters of an origin or key name."""

TILE_HEIGHT: Final = 8
TILE_WIDTH: Final = 1 << TILE_HEIGHT
"""Hashes of a full tile (C2SP tlog-tiles)."""
