"""The log's own lines, written and signed: registries, revocations and policies, right or wrong."""

from __future__ import annotations

import json
from typing import Any

import people
from people import nonce, person_of, proof

from agent_saga.approvals.registry import registry_digest
from agent_saga.trace.codec import leaf_hash

LOG = "log.example/shop"


class Lines:
    """The log's own lines, growing. prev: leaf of the last line that changed anything, as the writer believes."""

    def __init__(self, first: dict[str, Any]) -> None:
        self.lines: list[tuple[int, str]] = []
        self.registry, self._chain = first, "0" * 64
        opened = {
            "origin": LOG,
            "vkey": "log.example/shop+00000000+" + "A" * 44,
            "keys": first,
            "policy": people.POLICY,
        }
        self.prev = self.add("log.opened", opened)

    def add(self, type: str, members: dict[str, Any], at: str = people.NOW) -> str:
        """Append one line at every tenth index; returns its leaf."""
        seq = len(self.lines)
        head = {"v": 1, "saga": "log", "seq": seq, "prev": self._chain, "at": at, "type": type, "by": "runtime"}
        text = json.dumps(head | members | {"salt": nonce(f"salt {seq}")}, separators=(",", ":"), ensure_ascii=False)
        self.lines.append((10 * seq, text))
        self._chain = leaf_hash(text.encode())
        return self._chain

    def signed(
        self, change: str, subject: str, /, *key_ids: str, since: str | None = None, **wrong: Any
    ) -> dict[str, Any]:
        """The proof of a change. wrong: members of what is signed, to change."""
        found = []
        for key_id in key_ids:
            value = {"v": 1, "log": LOG, "change": change, "subject": subject}
            value |= {"registry": registry_digest(self.registry), "prev": self.prev, "person": person_of(key_id)}
            value |= {"key_id": key_id, "nonce": nonce(f"{change} {key_id} {len(self.lines)}")}
            value |= {"issued_at": people.NOW, "not_after": people.LATER}
            value |= ({"compromised_since": since} if since else {}) | wrong
            found.append(proof(value, "change"))
        return {"signatures": found}

    def enroll(self, new: dict[str, Any], *key_ids: str, holds: bool = True, **wrong: Any) -> None:
        leaf = self.add(
            "keys.enrolled", {"registry": new, "proof": self.signed("enroll", registry_digest(new), *key_ids, **wrong)}
        )
        if holds:
            self.prev, self.registry = leaf, new

    def revoke(self, id: str, *key_ids: str, since: str | None = None, holds: bool = True, **wrong: Any) -> None:
        members: dict[str, Any] = {"key_id": id, "proof": self.signed("revoke", id, *key_ids, since=since, **wrong)}
        leaf = self.add("keys.revoked", members | ({"compromised_since": since} if since else {}))
        self.prev = leaf if holds else self.prev

    def adopt(self, policy: str, *key_ids: str, holds: bool = True, **wrong: Any) -> None:
        leaf = self.add("policy.adopted", {"policy": policy, "proof": self.signed("adopt", policy, *key_ids, **wrong)})
        self.prev = leaf if holds else self.prev

    def vector(self, description: str, *uses: dict[str, Any]) -> dict[str, Any]:
        return {"description": description, "kind": "log", "lines": self.lines} | ({"uses": list(uses)} if uses else {})
