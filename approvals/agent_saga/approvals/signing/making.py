"""A request for one person to sign, and the proof that their signature makes of it.

Tools of ours sign only digests that they computed themselves, from a value that they read strictly and whose concealed
parts they opened; and what was signed is verified before it is handed on.

Source: docs/spec/approval-v1.md, "The request" and "Proofs".
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal, Protocol

from agent_saga.approvals.concealing import open_all
from agent_saga.approvals.digests import digest_written, message
from agent_saga.approvals.display import reading
from agent_saga.approvals.errors import SigningFault
from agent_saga.approvals.limits import IRREVERSIBLE_SECONDS, NONCE_BYTES
from agent_saga.approvals.proofs import verified
from agent_saga.approvals.registry.model import Key, Registry
from agent_saga.approvals.requests import ByPerson, Content, Request, as_written, parse_request
from agent_saga.approvals.windows import shifted
from agent_saga.trace.base64url import unpadded


class Signer(Protocol):
    """A device or file that signs for one enrolled key."""

    def members(self, key: Key, challenge: bytes, line: bytes) -> dict[str, Any]:
        """The scheme's own members of a proof. challenge: the digest. line: the message line of its domain.

        Raises SigningFault.
        """
        ...


def answer(
    content: Content,
    key: Key,
    decision: Literal["approve", "deny", "break_glass"],
    *,
    proposer: str,
    prev: str,
    now: str,
    not_after: str,
    random: Callable[[int], bytes],
    reason: Any = None,
) -> Request:
    """The request that this key's person would sign. proposer: the agent's id. prev: leaf of approval.requested.

    now, not_after: instants; of an irreversible step the request ends after fifteen minutes at the latest. random:
    ``os.urandom`` outside of tests. Raises NotApproved (``bad-request``).
    """
    if content.semantics == "irreversible":
        not_after = min(not_after, shifted(now, IRREVERSIBLE_SECONDS))
    nonce = unpadded(random(NONCE_BYTES))
    request = Request(
        1, decision, content.action(), content, key.person, proposer, key.id, nonce, now, not_after, prev, reason
    )
    return parse_request(as_written(request))


def sign(value: Any, registry: Registry, signer: Signer, disclosures: Iterable[str] = ()) -> dict[str, Any]:
    """Sign a request, decision or change, and return its proof. value: as parsed from its bytes.

    Raises NotApproved (``bad-request``, ``withheld``, ``unknown-key``, or what is wrong with the signature made), and
    SigningFault when none can be made.
    """
    read = reading(value)
    open_all(value, disclosures)
    return proof_of(value, read.about, read.written, read.domain, registry, signer)


def proof_of(
    value: Any, about: ByPerson, written: bytes, domain: bytes, registry: Registry, signer: Signer
) -> dict[str, Any]:
    """Sign what was read strictly, and verify at once. written: its canonical JSON. domain: what it is signed as.

    Raises as :func:`sign`.
    """
    key = registry.key.get(about.key_id)
    if key is None or key.person != about.person:
        raise SigningFault(f"the registry has no key {about.key_id} of {about.person}: nothing was signed")
    found = digest_written(domain, written)
    own = signer.members(key, found, message(domain, found))
    proof = {"scheme": key.scheme, "key_id": key.id, "request": value} | own
    verified(proof, registry, about, written, domain)
    return proof
