"""What a person answers in a store: a request or a decision made ready to sign, and the signed one recorded there."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import typer

from agent_saga.cli.approvals.consent import signed
from agent_saga.cli.approvals.given import (
    Disclosures,
    KeyOption,
    Reason,
    RegistryOption,
    SagaArgument,
    StepArgument,
    StoreArgument,
    now,
)
from agent_saga.cli.approvals.recording import record
from agent_saga.cli.approvals.signers import Means
from agent_saga.cli.approvals.stores import Waiting, disclosures_of, look

if TYPE_CHECKING:
    from agent_saga.approvals.registry import Key, Registry

Answer = Literal["approve", "deny", "break_glass"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command that answers in a store was given. fingerprint: for which nobody is asked; "" asks."""

    store: StoreArgument
    saga: SagaArgument = ""
    step: StepArgument = ""
    key: KeyOption = ""
    registry: RegistryOption = ""
    disclosures: Disclosures = None
    reason: Reason = ""
    fingerprint: str = ""

    def judged_by(self, found: Waiting, asked_under: str | None = None) -> "tuple[Registry, Key]":
        """The registry that judges the answer, and the key that gives it. Raises BadParameter, NotApproved."""
        from agent_saga.approvals.errors import NotApproved

        registry, revoked = found.registry(self.registry, asked_under)
        if self.key in revoked:
            raise NotApproved("revoked", f"key {self.key} was revoked")
        if self.key not in registry.key:
            raise NotApproved(
                "unknown-key",
                f"version {registry.version} of the registry, which judges this, holds no key {self.key[:64]!r}",
            )
        return registry, registry.key[self.key]

    def look(self) -> Waiting:
        """What waits in the store. Raises BadParameter."""
        if not self.key:
            raise typer.BadParameter("--key KEY: name the key that signs, by its id in the registry")
        return look(self.store)


def request_value(asked: Asked, decision: Answer) -> "tuple[dict[str, Any], Registry, list[str]]":
    """The request that this key's person would sign, the registry, and what opens its values."""
    from agent_saga.approvals.requests import as_written
    from agent_saga.runtime.approving import open_request

    found = asked.look()
    one = found.request(asked.saga, asked.step)
    registry, key = asked.judged_by(found, one.content.keys)
    request = open_request(one, key.person, key.id, decision, fresh(), now(), asked.reason)
    return as_written(request), registry, disclosures_of(asked.store, one.saga, asked.disclosures)


def decision_value(asked: Asked, target: str, verdict: Any) -> "tuple[dict[str, Any], Registry, list[str]]":
    """The decision that this key's person would sign, the registry, and what opens its values."""
    from agent_saga.approvals.requests import as_written
    from agent_saga.runtime.approving import open_decision

    found = asked.look()
    registry, key = asked.judged_by(found)
    paused = found.pause(asked.saga)
    decision = open_decision(paused, target, verdict, key.person, key.id, fresh(), now(), asked.reason)
    return as_written(decision), registry, disclosures_of(asked.store, asked.saga, asked.disclosures)


def answer(asked: Asked, means: Means, decision: Answer) -> int:
    """Sign a request of a store and record the answer there."""
    return recorded(asked, means, lambda: request_value(asked, decision))


def recorded(asked: Asked, means: Means, make: "Callable[[], tuple[dict[str, Any], Registry, list[str]]]") -> int:
    """Sign what ``make`` makes and record it in the store; the exit code."""
    means.check()
    value, registry, disclosures = make()
    proof = signed(value, registry, means, disclosures, asked.fingerprint)
    return record(asked.store, proof, asked.registry)


def fresh() -> str:
    """128 random bits, fresh for each approver, in base64url."""
    from agent_saga.approvals.limits import NONCE_BYTES
    from agent_saga.trace.base64url import unpadded

    return unpadded(os.urandom(NONCE_BYTES))
