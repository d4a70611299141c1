"""Attestation of a FIDO2 key, verified at enrolment against the trust roots that somebody chose.

Only this shows that a key lives in a device of some maker: an Ed25519 key alone proves no hardware. A statement that
the key signs about itself proves nothing, and is refused. Needs the extra ``hardware``.

Source: W3C Web Authentication Level 3, 7.1 and 8; docs/spec/approval-v1.md, "The registry".
"""

import hashlib
import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from agent_saga.approvals.errors import SigningFault
from agent_saga.approvals.schemes.webauthn import ES256
from agent_saga.approvals.signing.attested_ssh import made_over_ssh
from agent_saga.approvals.signing.extra import load
from agent_saga.approvals.spelling import from_base64url
from agent_saga.trace.base64url import unpadded

_MOST = 65_536


def verify_attestation(
    kept: Mapping[str, Any], challenge: bytes | None, public: str, roots: bytes, application: str = ""
) -> str:
    """Verify what a device said of a key when it made it; returns the subject of its certificate.

    kept: members ``object`` and ``client`` of a browser or of CTAP2, or ``ssh`` and ``challenge`` of ssh-keygen,
    base64url. challenge: the fresh bytes that were asked with; None for an attestation that was kept, of which only the
    key that it names still matters. public: the key that is enrolled, base64url. roots: certificates in PEM.
    application: of a security key over ssh. Raises SigningFault.
    """
    try:
        made, client = made_over_ssh(kept, application) if application else _made(kept, challenge)
        if unpadded(_raw(made.auth_data.credential_data.public_key)) != public:
            raise SigningFault("the attestation is about another key than the one that is enrolled")
        return _trusted(made, client, x509.load_pem_x509_certificates(roots))
    except SigningFault:
        raise
    except Exception as fault:  # the decoders have an error of their own for every way in which bytes can be wrong
        raise SigningFault(f"the attestation cannot be read: {fault}") from fault


def _made(kept: Mapping[str, Any], challenge: bytes | None) -> tuple[Any, bytes]:
    """The attestation object, and the digest of the client data. Raises as its caller expects."""
    client = from_base64url(str(kept.get("client")), "the client data", most=_MOST)
    made = load("fido2.webauthn").AttestationObject(
        from_base64url(str(kept.get("object")), "the attestation", most=_MOST)
    )
    told = json.loads(client)
    if told.get("type") != "webauthn.create":
        raise SigningFault("the attestation was not given when a key was made")
    if challenge is not None and told.get("challenge") != unpadded(challenge):
        raise SigningFault("the attestation answers another challenge than the one that was asked with")
    return made, hashlib.sha256(client).digest()


def _raw(key: Mapping[int, Any]) -> bytes:
    """The public key as a registry holds it: of a P-256 key the uncompressed point (RFC 9053, 7; SEC 1)."""
    return b"\x04" + key[-2] + key[-3] if key[3] == ES256 else bytes(key[-2])


def _trusted(made: Any, client: bytes, roots: list[x509.Certificate]) -> str:
    fido = load("fido2.attestation")
    try:
        result = fido.Attestation.for_type(made.fmt)().verify(made.att_stmt, made.auth_data, client)
    except (fido.InvalidSignature, fido.InvalidData, fido.UnsupportedType) as fault:
        raise SigningFault(f"the attestation ({made.fmt}) does not hold: {type(fault).__name__}") from fault
    path = [x509.load_der_x509_certificate(one) for one in result.trust_path or ()]
    if not path:
        raise SigningFault("the key attests itself: no maker's certificate says that it lives in hardware")
    for issued, issuer in pairwise(path):
        _check_issued(issued, issuer)
    _check_rooted(path[-1], roots)
    return path[0].subject.rfc4514_string()


def _check_issued(issued: x509.Certificate, issuer: x509.Certificate) -> None:
    """The signature of one certificate under another that may issue. Raises SigningFault."""
    try:
        issued.verify_directly_issued_by(issuer)
        authority = issuer.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except Exception as fault:  # cryptography has an error of its own for every way in which this can fail
        raise SigningFault(f"the certificate {issued.subject.rfc4514_string()} is not by its issuer") from fault
    if not authority:
        raise SigningFault(f"{issuer.subject.rfc4514_string()} is no authority, and issued a certificate")


def _check_rooted(last: x509.Certificate, roots: list[x509.Certificate]) -> None:
    if any(last.public_bytes(Encoding.DER) == root.public_bytes(Encoding.DER) for root in roots):
        return
    for root in roots:
        if root.subject == last.issuer:
            _check_issued(last, root)
            return
    raise SigningFault(f"no trust root issued the certificate of {last.issuer.rfc4514_string()}")
