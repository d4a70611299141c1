"""What the sagas of one input have in common: facts that are kept once, not once a saga.

The catalogue of saga.started and the list of allowed tools are written anew by each saga, and mostly with the same
words. One copy serves all, which keeps ten thousand open sagas small.
"""

from typing import Any, Final

from agent_saga.certify.standing.authority import Authority
from agent_saga.trace.events import ToolSpec
from agent_saga.trace.values import dumps

_KEPT: Final = 256
"""Catalogues, and lists of tools, that are kept: bounds memory on hostile input."""


class Common:
    """Kept once for all sagas of one input.

    met: what sagas hold beyond their line types that a rule may need to meet a case (:attr:`Rule.needs`).
    covered: lines of the log that the pinned checkpoint covers; None when none is pinned. origin: the pinned log's,
    "" without one. authority: who may approve.

    The others are carried for those who judge, and nothing of a history looks into them. uses: approvals that were used
    (:class:`agent_saga.certify.approving.uses.Uses`). police: the user's policy
    (:class:`agent_saga.certify.policing.police.Police`). policing: what it found
    (:class:`agent_saga.certify.policing.gathered.Policing`).
    """

    def __init__(self, authority: Authority, uses: Any, police: Any, policing: Any) -> None:
        self.met: set[str] = set()
        self.covered: int | None = None
        self.origin = ""
        self.authority = authority
        self.uses = uses
        self.police, self.policing = police, policing
        self._catalogues: dict[bytes, dict[str, ToolSpec]] = {}
        self._allowed: dict[tuple[str, ...], tuple[str, ...]] = {}

    def catalogue(self, tools: dict[str, ToolSpec]) -> dict[str, ToolSpec]:
        """This catalogue, as the first saga that wrote it so holds it."""
        written = dumps(tools)
        known = self._catalogues.get(written)
        if known is None:
            if len(self._catalogues) >= _KEPT:
                self._catalogues.clear()
            known = self._catalogues[written] = tools
        return known

    def allowed(self, tools: tuple[str, ...]) -> tuple[str, ...]:
        """This list of tools, as the first step that wrote it so holds it."""
        known = self._allowed.get(tools)
        if known is None:
            if len(self._allowed) >= _KEPT:
                self._allowed.clear()
            known = self._allowed[tools] = tools
        return known
