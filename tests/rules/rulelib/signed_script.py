"""More verbs for scripts: people are asked, sign and decide; the log opens with a registry and revokes keys.

``req.name=value`` sets a member of what is signed, ``act.minor=100`` the amount in the action, ``with=KEY`` signs with
another key than the one named, ``counter=7`` is what a security key has counted to.
"""

from __future__ import annotations

from typing import Any

from .lines import Line, chain, leaf
from .script import Script
from .shop import TOOLS, money
from .signing import REGISTRY, REGISTRY_DIGEST, digest, nonce, proof

LOG = "shop.example/audit"
FROM, TO = "2026-01-05T09:00:00.000000Z", "2026-01-05T09:10:00.000000Z"
_KNOBS = ("with", "counter", "of")


class SignedScript(Script):
    """A script in which people sign."""

    def put(self, kind: str, **members: Any) -> None:
        """Write a line; what is meant for the signature stays out of it."""
        for name in _KNOBS:
            self.sets.pop(name, None)
        super().put(kind, **members)

    def opened(self) -> None:
        """log.opened."""
        self.saga = "log"
        self.put("log.opened", origin=LOG, vkey="shop.example/audit+00000000+AQ", keys=REGISTRY)

    def begin(self) -> None:
        """saga.started under the registry."""
        self.sets.setdefault("keys", REGISTRY_DIGEST)
        self.start()

    def propose(self, step: str, tool: str) -> None:
        """step.proposed by the agent of the registry."""
        self.sets.setdefault("by", "agent:buyer")
        self.step(step, tool)

    def request(self, step: str) -> None:
        """approval.requested for the action as it was proposed."""
        rule = {"rule": "wires", "quorum": 1, "roles": ["treasury"], "strength": "D"}
        self.put("approval.requested", step=step, action=self.action(step), **rule, not_after=TO)

    def sign(self, step: str, key_id: str, decision: str = "approve") -> None:
        """approval.recorded with the signature of a key's person."""
        person = "p-" + key_id.partition("-")[0]
        about, action = self.content(step), self.action(step)
        value = {"v": 1, "decision": decision, "action": action, "content": about, "person": person}
        value |= {"proposer": "buyer", "key_id": key_id, "nonce": nonce(self.seed, step, key_id, len(self.lines))}
        value |= {"issued_at": FROM, "not_after": TO, "prev": self.leaf("approval.requested", step=step)}
        made = proof("approval", value | self.signed(), **self.knobs())
        self.put("approval.recorded", step=step, action=action, decision=decision, person=person, proof=made)

    def replay(self) -> None:
        """The latest approval once more, on a line of its own."""
        last = next(line for line in reversed(self.lines) if line["type"] == "approval.recorded")
        names = ("step", "action", "decision", "person", "proof")
        self.put("approval.recorded", **{name: last[name] for name in names})

    def use(self, effect: str, tool: str) -> None:
        """effect.intended and its success, on all approvals of the step; ``of=`` names the step of another's."""
        step = self.sets.setdefault("step", effect.replace("e", "s"))
        of = self.sets.get("of", step)
        leaves = [self.leaf_at(n) for n, one in enumerate(self.lines) if self.mine(one, "approval.recorded", step=of)]
        saga = self.saga
        self.sets.setdefault("approvals", leaves or None)
        self.sets.setdefault("action", self.action(step))
        self.go(effect, tool)
        self.saga, self.sets = saga, {}
        self.ok(effect)

    def settle(self, target: str, verdict: str, key_id: str) -> None:
        """person.decided with a signature."""
        person = "p-" + key_id.partition("-")[0]
        reason = {"note": "seen"}
        value = {"v": 1, "log": LOG, "start": self.leaf("saga.started"), "saga": self.name(self.saga)}
        value |= {"target": target, "verdict": verdict, "reason": reason, "prev": self.leaf("saga.paused")}
        value |= {"person": person, "key_id": key_id, "nonce": nonce(self.seed, target, len(self.lines))}
        value |= {"issued_at": FROM, "not_after": TO}
        made = proof("decision", value | self.signed(), **self.knobs())
        self.put("person.decided", target=target, verdict=verdict, reason=reason, person=person, proof=made)

    def revoke(self, key_id: str, *signers: str) -> None:
        """keys.revoked, signed by these keys."""
        since = self.sets.get("compromised_since")
        signed = self.changed("revoke", key_id, signers, compromised_since=since)
        self.put("keys.revoked", key_id=key_id, proof=signed, compromised_since=None)

    def adopt(self, policy: str, *signers: str) -> None:
        """policy.adopted, signed by these keys."""
        self.put("policy.adopted", policy=policy, proof=self.changed("adopt", policy, signers))

    def changed(self, change: str, subject: str, signers: tuple[str, ...], **more: str | None) -> dict[str, Any]:
        """The proof of a change of what is in force, which goes on in the saga of the log."""
        self.saga = "log"
        log = [n for n, line in enumerate(self.lines) if line["saga"] == "log"]
        value = {"v": 1, "log": LOG, "change": change, "subject": subject, "registry": REGISTRY_DIGEST}
        value |= {name: said for name, said in more.items() if said}
        value |= {"prev": self.leaf_at(log[-1]), "issued_at": FROM, "not_after": TO}
        seed = [self.seed, subject] if change == "adopt" else [self.seed]
        each = [{"person": f"p-{one[:3]}", "key_id": one, "nonce": nonce(*seed, one)} for one in signers]
        return {"signatures": [proof("registry", value | who) for who in each]}

    def content(self, step: str) -> dict[str, Any]:
        """The action of a step in full, as it was proposed."""
        line = next(one for one in self.lines if self.mine(one, "step.proposed", step=step))
        args, spec = dict(line["args"]), TOOLS[line["tool"]]
        if "act.minor" in self.sets:
            args["amount"] = money(self.sets["act.minor"])
        about = {"log": LOG, "start": self.leaf("saga.started"), "saga": line["saga"], "step": step}
        about |= {"tool": {"name": line["tool"], "version": spec["version"], "schema": None}, "args": args}
        about |= {"semantics": spec["semantics"], "policy": self.policy(), "keys": REGISTRY_DIGEST}
        return about | {"key": f"key-of-{step.replace('s', 'e')}"}

    def policy(self) -> str | None:
        """The policy that the saga's first line names."""
        started = (line for line in self.lines if self.mine(line, "saga.started"))
        return next((line.get("policy") for line in started), None)

    def action(self, step: str) -> str:
        """The digest of that action."""
        return digest("action", self.content(step)).hex()

    def signed(self) -> dict[str, Any]:
        """Members that the script sets in what is signed."""
        return {name[4:]: value for name, value in self.sets.items() if name.startswith("req.")}

    def knobs(self) -> dict[str, Any]:
        """How it is signed."""
        counter = {"counter": self.sets["counter"]} if "counter" in self.sets else {}
        return counter | {"by": self.sets.get("with", "")}

    def mine(self, line: Line, kind: str, **members: str) -> bool:
        """Whether a line is one of this saga with these members."""
        same = all(line.get(name) == value for name, value in members.items())
        return line["saga"] == self.name(self.saga) and line["type"] == kind and same

    def leaf(self, kind: str, **members: str) -> str:
        """The leaf of the latest such line of this saga."""
        places = [n for n, line in enumerate(self.lines) if self.mine(line, kind, **members)]
        return self.leaf_at(places[-1])

    def leaf_at(self, place: int) -> str:
        """The leaf of a line."""
        return leaf(chain(self.lines)[place])
