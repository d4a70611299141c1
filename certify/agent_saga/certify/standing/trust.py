"""Whose registry counts: the auditor's own file, a digest that the log's registry must have, or whatever the log says.

Source: docs/rules.md, "Approvals".
"""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from agent_saga.trace.errors import SourceError

UNPINNED: Final = "no registry is pinned: signatures of people were not judged (--registry, --registry-digest)"
CLOCK: Final = "the times of approvals and decisions are asserted by the operator's clock"


@dataclass(frozen=True, slots=True)
class Trust:
    """What the user trusts. registry: the bytes of a registry file. digest: 64 hex digits, of that file where given.

    first_use: the registry in log.opened is taken as it is.
    """

    registry: bytes = b""
    digest: str = ""
    first_use: bool = False

    def __bool__(self) -> bool:
        return bool(self.registry or self.digest or self.first_use)


NOBODY: Final = Trust()
_FIRST_USE: Final = "(--trust-on-first-use)"


def told(trust: Trust, first: str) -> tuple[str, ...]:
    """What a reader of the verdict must accept about people's signatures. first: digest of the log's first registry."""
    if trust.digest:
        said = f"people's signatures were judged under the pinned key registry {trust.digest[:16]}..."
    elif trust.first_use:
        said = (
            f"the key registry {first[:16] or 'none'} was taken from the log itself {_FIRST_USE}: nobody else names it"
        )
    else:
        return (UNPINNED,)
    return (said, CLOCK)


def was_first_use(assumptions: Iterable[str]) -> bool:
    """Whether these sentences say that the registry was taken from the log itself."""
    return any(_FIRST_USE in one for one in assumptions)


def read_trust(path: str, digest: str, first_use: bool) -> Trust:
    """What the user's choices come to. path: of a registry file, "" for none. digest: 64 hex digits, "" for none.

    Raises SourceError for a file that cannot be read, and RegistryFault for one that is no registry, or another one
    than the digest names.
    """
    if not path:
        return Trust(digest=digest, first_use=first_use)
    from agent_saga.approvals.errors import RegistryFault
    from agent_saga.approvals.limits import MAX_REGISTRY
    from agent_saga.approvals.registry import read_registry

    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:  # or a pipe would be waited for
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise SourceError(f"{path}: is no file")
            data = stream.read(2 * MAX_REGISTRY)
    except (OSError, ValueError) as fault:
        raise SourceError(f"{path}: cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault
    try:
        _, found = read_registry(data)
    except RegistryFault as fault:
        raise RegistryFault(f"{path}: {fault}") from fault
    if digest and digest != found:
        raise RegistryFault(f"{path}: is the registry {found}, and --registry-digest names {digest}")
    return Trust(data, found)
