"""One-time use: an approval is burnt by the intent that names it, and serves no other effect anywhere in the log.

A retry of the same effect under the same idempotency key is the same use.

Source: docs/spec/approval-v1.md, "One use".
"""

from collections.abc import Iterable

from msgspec import Struct

from agent_saga.approvals.errors import NotApproved


class Use(Struct, frozen=True):
    """The effect that an approval was used for. key: its idempotency key."""

    saga: str
    effect: str
    key: str


class Burned:
    """What was used for what, by the leaf of the approval.recorded line and by the digest that was signed."""

    def __init__(self) -> None:
        self._uses: dict[str, Use] = {}

    def use(self, use: Use, approvals: Iterable[tuple[str, bytes]]) -> None:
        """Take in one effect.intended. approvals: leaf, and signed digest of 32 bytes, of each approval that it names.

        Raises NotApproved (``used-twice``) and then burns none of them for this use.
        """
        names = [name for leaf, digest in approvals for name in (f"leaf {leaf}", f"digest {digest.hex()}")]
        for name in names:
            other = self._uses.get(name, use)
            if other != use:
                raise NotApproved(
                    "used-twice", f"{name} was used for effect {other.effect} of saga {other.saga} before"
                )
        if len(set(names)) < len(names):
            raise NotApproved("used-twice", f"effect {use.effect} names one approval twice")
        for name in names:
            self._uses[name] = use
