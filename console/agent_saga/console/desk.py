"""What waits in the store, who may read it, and how a signed answer goes to the engine.

Everything is read anew for each question: what was true when a page was loaded is not believed when it is sent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from agent_saga.approvals.display import show
from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.limits import NONCE_BYTES
from agent_saga.approvals.proofs import verify_approval
from agent_saga.approvals.registry import Key, Registry
from agent_saga.approvals.requests import Request, as_written
from agent_saga.approvals.schemes import webauthn
from agent_saga.approvals.schemes.evidence import Evidence
from agent_saga.approvals.windows import check_window
from agent_saga.console.errors import Refused
from agent_saga.runtime import Engine
from agent_saga.runtime.approving import Pending, open_request, pending
from agent_saga.runtime.approving.standing import Standing
from agent_saga.runtime.times import instant
from agent_saga.trace.base64url import unpadded
from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.store import Store

Word = Literal["approve", "deny"]
ASSERTION: Final = ("credential", "authenticator_data", "client_data", "signature")
"""The members of a passkey's answer, as forms and proofs name them."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The registry in force with its digest, None where there is none, and the ids of keys that no longer sign."""

    registry: Registry
    digest: str | None
    revoked: frozenset[str] = frozenset()

    def passkey(self, credential: str, at: str) -> Key:
        """The enrolled passkey of this credential id, if it may sign at this instant. Raises NotApproved."""
        for key in self.registry.keys:
            if key.scheme == "webauthn" and key.credential == credential:
                self.check(key, at)
                return key
        raise NotApproved("unknown-key", "this passkey is not in the registry: enrol it first")

    def check(self, key: Key, at: str) -> None:
        """Raises NotApproved for a key that is not in force (``unknown-key``, ``revoked``, ``outside-window``)."""
        if self.registry.key.get(key.id) != key:
            raise NotApproved("unknown-key", f"key {key.id} is no longer in the registry")
        if key.id in self.revoked:
            raise NotApproved("revoked", f"key {key.id} was revoked")
        check_window(key.not_before, key.not_after, at, "outside-window", f"key {key.id}")


class Desk:
    """Store, engine and registry, as the routes need them. clock: now, with a zone. random: from a secret source."""

    def __init__(
        self,
        store: Store,
        engine: Engine,
        registry: Any,
        clock: Callable[[], datetime],
        random: Callable[[int], bytes],
    ) -> None:
        """registry: as parsed from its file; in force unless the log's own lines tell of one. Raises RegistryFault."""
        self._store, self._engine, self._standing = store, engine, Standing(store, registry)
        self._clock, self._random = clock, random

    def now(self) -> str:
        """The instant."""
        return instant(self._clock())

    async def keys(self) -> Keys:
        """What is in force now."""
        authority = await self._standing.now()
        return Keys(authority.registry(authority.keys), authority.keys, authority.revoked)

    async def waiting(self) -> list[Pending]:
        """Every request that waits, the oldest saga first."""
        lines = await self._store.read(LOG_SAGA)
        for row in await self._store.sagas(open_only=True):
            if row.id != LOG_SAGA:
                lines += await self._store.read(row.id)
        return pending(lines)

    async def find(self, leaf: str) -> Pending:
        """The request that this line began. Raises Refused when it no longer waits."""
        found = next((one for one in await self.waiting() if one.leaf == leaf), None)
        if found is None:
            raise Refused(404, "gone", "this request no longer waits: it was answered, it ended, or there was none")
        return found

    async def text(self, request: Request) -> list[str]:
        """The whole request as lines, every concealed value opened. Raises NotApproved (``withheld``)."""
        return show(as_written(request), await self._store.disclosures(request.content.saga))

    def draft(self, waiting: Pending, key: Key, decision: Word, reason: str) -> Request:
        """What this key's person would sign. Raises NotApproved."""
        nonce = unpadded(self._random(NONCE_BYTES))
        return open_request(waiting, key.person, key.id, decision, nonce, self.now(), reason)

    async def answer(self, request: Request, key: Key, assertion: Mapping[str, str]) -> None:
        """Hand a signature over the request to the engine, which judges it. Raises NotApproved, and what it raises.

        The request is built again from the store, so what was drafted for another state of the saga is refused.
        """
        waiting = await self.find(request.prev)
        again = open_request(
            waiting, key.person, key.id, request.decision, request.nonce, request.issued_at, request.reason or ""
        )
        if again != request:
            raise NotApproved("wrong-request", "what waits has changed since it was shown: read it again")
        proof = {"scheme": key.scheme, "key_id": key.id, "request": as_written(request), **assertion}
        signed = verify_approval(proof, (await self.keys()).registry)
        self._require_person(signed.evidence)
        await self._engine.approve(request.content.saga, proof)

    async def sign_in(self, assertion: Mapping[str, str], challenge: bytes) -> Key:
        """The key whose holder answered this challenge. Raises NotApproved."""
        keys = await self.keys()
        key = keys.passkey(assertion["credential"], self.now())
        proof = webauthn.WebAuthnProof(**{name: assertion[name] for name in ASSERTION})
        self._require_person(webauthn.check(proof, key.passkey, challenge, keys.registry.party))
        return key

    @staticmethod
    def _require_person(evidence: Evidence) -> None:
        """This page always asks for PIN or biometry, whatever the registry asks of a key."""
        if not evidence.verified:
            raise NotApproved("no-verification", "the passkey answered without PIN or biometry")


def assertion_of(form: Mapping[str, Any]) -> dict[str, str]:
    """The members of a passkey's answer in a form. Raises Refused (``no-passkey``)."""
    found = {name: form.get(name, "") for name in ASSERTION}
    if not all(found.values()):
        raise Refused(400, "no-passkey", "no passkey answered: this page needs JavaScript and a passkey")
    return found
