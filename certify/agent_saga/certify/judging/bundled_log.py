"""What was in force while a saga ran, by the log's own lines that its bundle shows.

A bundle of a whole saga shows every line that could have changed who may sign or which policy holds. They are all of
them exactly if they lead to what the index line says is in force: each change that counts names the one before. The
saga's own lines are numbered from 1, so they can be placed only where nothing changed between its first line and its
last; otherwise the question stays open.

Source: docs/spec/bundle-v1.md; docs/adr/0009-the-logs-own-lines-are-judged-first.md.
"""

from typing import TYPE_CHECKING

from agent_saga.certify.standing.authority import Authority
from agent_saga.proofs.bundles.model import Proven
from agent_saga.trace.codec import decode, leaf_hash
from agent_saga.trace.events import LogIndexed, LogOpened

if TYPE_CHECKING:
    from agent_saga.approvals.registry.history import History

_CHANGES = frozenset({"keys.enrolled", "keys.revoked", "policy.adopted"})


def in_force(authority: Authority, proven: Proven) -> None:
    """Tell the authority what was in force, where the bundle shows all of it and nothing changed in between."""
    if proven.span is None or 0 not in proven.own:
        return
    lines = [(index, leaf_hash(line), decode(line)[0]) for index, line in sorted(proven.own.items())]
    (_, leaf, opened), *others = lines
    first, last = proven.span
    if not isinstance(opened, LogOpened) or any(e.type in _CHANGES and first < at < last for at, _, e in others):
        return
    from agent_saga.approvals.registry.history import History

    history = History(opened, leaf)
    begun = history.last.digest
    history.extend(others)
    indexed = others[-1][2] if others else None
    if isinstance(indexed, LogIndexed) and _leads_to(history, indexed):
        authority.know(history, begun, first)


def _leads_to(history: "History", indexed: LogIndexed) -> bool:
    state = history.last
    keys = (state.digest, state.keys_index) == (indexed.keys.digest, indexed.keys.index)
    policy = (indexed.policy.digest, indexed.policy.index) if indexed.policy else (None, 0)
    return keys and (state.policy, state.policy_index if state.policy else 0) == policy
