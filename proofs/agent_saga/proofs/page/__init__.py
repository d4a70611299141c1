"""The HTML verifier: one file that checks bundles, checkpoints and proofs in a browser, for who installs nothing.

``verify.html`` is what is handed out; it needs no network, no other file and no key of ours. It is assembled from the
modules in ``src/``, which are there to be read, by ``make docs-generate``. It checks what
:mod:`agent_saga.proofs.bundles.verifying` checks, in the same order and for the same reasons; the vectors in
``fixtures/vectors`` hold the two together.

Source: docs/guide/html-verifier.md.
"""

from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Final

NAME: Final = "verify.html"


def location() -> Path:
    """Where the HTML verifier is installed."""
    return Path(str(files(__name__) / NAME))


def page() -> bytes:
    """The bytes of the HTML verifier."""
    return location().read_bytes()


def digest(data: bytes) -> str:
    """Its SHA-256 as ``sha256sum`` prints it: compare it with the one that was published with the release."""
    return sha256(data).hexdigest()
