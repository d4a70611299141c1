"""RFC 3161 time stamps over checkpoints: a time-stamping authority saw this checkpoint no later than its clock says.

What is stamped is the checkpoint's text (origin, size, root), so witnesses may add their signatures afterwards. The
response is kept as it came, in DER, in a file beside the checkpoint. This needs the extra ``tsa``.

Source: RFC 3161; docs/spec/certificate-v1.md, "Time stamps".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from cryptography.x509 import Certificate, load_pem_x509_certificates

from agent_saga.proofs.checkpoints import Checkpoint
from agent_saga.proofs.errors import KeyFault, LogFault, Refuted
from agent_saga.trace.errors import AgentSagaError

MAX_RESPONSE: Final = 1 << 20
"""Bytes of a response: a token with a chain of certificates has some thousands."""
SUFFIX: Final = ".tsr"
_SHA256: Final = "2.16.840.1.101.3.4.2.1"


class NeedsExtra(AgentSagaError):
    """An optional package is not installed; the message names the extra that brings it."""


@dataclass(frozen=True, slots=True)
class Stamped:
    """A time stamp that was verified. at: by the authority's clock. serial: its number there. policy: its OID."""

    at: datetime
    serial: int
    policy: str


def _client() -> ModuleType:
    try:
        return import_module("rfc3161_client")
    except ImportError as fault:
        raise NeedsExtra("time stamps need the extra tsa: pip install 'agent-saga-toolkit[tsa]'") from fault


def make_request(checkpoint: Checkpoint) -> bytes:
    """The request (DER) to hand to an authority. The same each time: it holds no nonce, for an earlier response serves.

    Raises NeedsExtra.
    """
    client = _client()
    builder = client.TimestampRequestBuilder().data(checkpoint.text().encode())
    request = builder.hash_algorithm(client.HashAlgorithm.SHA256).nonce(nonce=False).cert_request(cert_request=True)
    return bytes(request.build().as_bytes())


def read_roots(pem: bytes) -> list[Certificate]:
    """The certificates of an authority to trust, out of PEM. Raises KeyFault."""
    try:
        return load_pem_x509_certificates(pem)
    except ValueError as fault:
        raise KeyFault(f"no certificate of a time-stamping authority in PEM: {fault}") from fault


def check_response(
    response: bytes, checkpoint: Checkpoint, roots: Sequence[Certificate], signers: Sequence[Certificate] = ()
) -> Stamped:
    """Check a response (DER) against the roots that the verifier trusts.

    signers: the authority's own certificates where the response does not carry them. Raises NeedsExtra, KeyFault (no
    root), and Refuted (``bad-timestamp``; ``other-timestamp`` for one that is over something else).
    """
    client = _client()
    if not roots:
        raise KeyFault("no root of a time-stamping authority is given: nothing can be verified against nothing")
    if len(response) > MAX_RESPONSE:
        raise Refuted("bad-timestamp", f"a response of {len(response)} bytes: expected at most {MAX_RESPONSE}")
    found = _decoded(client, response)
    info = found.tst_info
    imprint = info.message_imprint
    due = sha256(checkpoint.text().encode()).digest()
    if imprint.hash_algorithm.dotted_string != _SHA256 or imprint.message != due:
        raise Refuted("other-timestamp", f"a time stamp over something else than the checkpoint of {checkpoint.origin}")
    _check_chain(client, found, checkpoint.text().encode(), roots, signers)
    return Stamped(info.gen_time.astimezone(UTC), info.serial_number, info.policy.dotted_string)


def _decoded(client: ModuleType, response: bytes) -> Any:
    try:
        found = client.decode_timestamp_response(response)
        if found.status != 0 or found.as_bytes() != response:
            raise ValueError(f"status {found.status} {found.status_string!r:.120}, expected granted")
        _ = found.tst_info, found.signed_data
    except (ValueError, TypeError) as fault:
        raise Refuted("bad-timestamp", f"no granted response of a time-stamping authority: {fault}") from fault
    return found


def _check_chain(
    client: ModuleType, found: Any, text: bytes, roots: Sequence[Certificate], signers: Sequence[Certificate]
) -> None:
    builder = client.VerifierBuilder(roots=list(roots), intermediates=list(signers[1:]))
    if signers:
        builder = builder.tsa_certificate(signers[0])
    try:
        builder.build().verify_message(found, text)
    except (client.VerificationError, ValueError) as fault:
        raise Refuted("bad-timestamp", f"the time stamp does not verify under these roots: {fault}") from fault


def attach_response(
    response: bytes, checkpoint: Checkpoint, beside: Path, roots: Sequence[Certificate]
) -> tuple[Path, Stamped]:
    """Keep a response that was checked beside the file of its checkpoint, as ``NAME.tsr``; returns where and what.

    Raises what :func:`check_response` raises, and LogFault when another response stands there or it cannot be written.
    """
    stamped = check_response(response, checkpoint, roots)
    place = beside.with_name(beside.name + SUFFIX)
    try:
        if place.exists() and place.read_bytes() == response:
            return place, stamped
        with open(place, "xb") as stream:
            stream.write(response)
    except FileExistsError as fault:
        raise LogFault(f"{place}: holds another time stamp already; nothing is written over") from fault
    except OSError as fault:
        raise LogFault(f"{place}: the time stamp cannot be kept: {fault.strerror}") from fault
    return place, stamped
