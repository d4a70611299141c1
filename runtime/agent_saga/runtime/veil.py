"""The veil over one saga's lines: what must not stand in clear is replaced by a salted digest and kept aside.

What is kept aside goes into the store's disclosures, durable before the line. After a crash another process opens the
values again; once a disclosure is erased, what needs it waits for a person.

Source: docs/adr/0007-the-runtime-conceals-what-a-line-may-not-show.md.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from agent_saga.runtime.kernel.hiding import PAYLOADS, memorable, places, pointed, replaced, shown
from agent_saga.trace.conceal import Disclosures, conceal
from agent_saga.trace.store import Disclosure
from agent_saga.trace.writer import salt_of

_COVERED: Final = frozenset(PAYLOADS)


class Veil:
    """Covers the members of lines before they are written, and remembers what opens them."""

    def __init__(self, saga: str, random: Callable[[int], bytes], texts: Iterable[str] = ()) -> None:
        """random: returns that many random bytes. texts: the disclosures kept with the saga's lines."""
        self.disclosures = Disclosures()
        self._saga, self._random = saga, random
        self._fresh: list[Disclosure] = []
        for text in texts:
            self.disclosures.add(saga, text)

    def cover(self, members: dict[str, Any], pointers: Collection[str], known: Collection[str]) -> dict[str, Any]:
        """The members as they may stand on a line.

        pointers: JSON Pointers into the members to what is concealed in any case. known: texts concealed before.
        """
        if pointers:
            known = {*known, *memorable(pointed(members, pointers))}
        elif shown(members, known):
            return members
        covered = members.copy()
        for name, value in members.items():
            if name in _COVERED:
                covered[name] = self._member(f"/{name}", value, pointers, known)
        return covered

    def fresh(self) -> list[Disclosure]:
        """What opens the values covered since this was last asked; append it together with their lines."""
        if not self._fresh:
            return []
        found, self._fresh = self._fresh, []
        return found

    def _member(self, path: str, value: Any, pointers: Collection[str], known: Collection[str]) -> Any:
        """A member: of an inverse call and of the candidates of a choice only the arguments are payload."""
        if path == "/options":
            return [one | {"args": self._whole(f"{path}/{n}/args", one["args"], pointers, known)}
                    for n, one in enumerate(value)]  # fmt: skip
        if path == "/undo":
            if not isinstance(value, dict):
                return value  # the id of an undo
            return value | {"args": self._whole("/undo/args", value["args"], pointers, known)}
        return self._whole(path, value, pointers, known)

    def _whole(self, path: str, value: Any, pointers: Collection[str], known: Collection[str]) -> Any:
        if not (pointers and any(one.startswith(path) for one in pointers)) and shown(value, known):
            return value
        return replaced(path, value, places(path, value, pointers, known), self._concealed)

    def _concealed(self, value: Any) -> dict[str, str]:
        placeholder, text = conceal(value, salt_of(self._random(16)))
        self.disclosures.add(self._saga, text)
        self._fresh.append(Disclosure(self._saga, text))
        return placeholder
