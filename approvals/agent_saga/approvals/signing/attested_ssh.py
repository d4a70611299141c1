"""What ``ssh-keygen -O write-attestation`` keeps of a new security key, as WebAuthn's attestation object.

The file holds the maker's certificate, the signature and the authenticator data (``ssh-sk-attest-v01``); the bytes of
``-O challenge`` stand beside it, since the device signed their SHA-256 in place of a browser's client data.

Source: OpenSSH PROTOCOL.u2f, the part on attestation information; ssh-keygen(1), FIDO AUTHENTICATOR; W3C Web
Authentication Level 3, 8.2 (packed); docs/spec/approval-v1.md, "The registry".
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from agent_saga.approvals.errors import SigningFault
from agent_saga.approvals.schemes.sshsig import Reader
from agent_saga.approvals.schemes.webauthn import EDDSA, ES256
from agent_saga.approvals.signing.extra import load
from agent_saga.approvals.spelling import from_base64url

_FORM: Final = b"ssh-sk-attest-v01"


def made_over_ssh(kept: Mapping[str, Any], application: str) -> tuple[Any, bytes]:
    """The attestation object and the digest that the device signed with it (32 bytes).

    kept: members ``ssh``, the file, and ``challenge``, base64url. application: of the key, such as ``ssh:``. Raises
    SigningFault, NotApproved and what the decoders raise at bytes that are none.
    """
    if not kept.get("challenge"):
        raise SigningFault(
            "the challenge was not kept: without what ssh-keygen -O challenge was given nothing is verified"
        )
    digest = hashlib.sha256(from_base64url(str(kept["challenge"]), "the challenge")).digest()
    certificate, signature, told = _parts(from_base64url(str(kept.get("ssh")), "the attestation"))
    fido = load("fido2.webauthn")
    data = fido.AuthenticatorData(told)
    if data.rp_id_hash != hashlib.sha256(application.encode()).digest():
        raise SigningFault(f"the attestation is about a key of another application than {application!r}")
    statement = {"alg": _algorithm(certificate), "sig": signature, "x5c": [certificate]}
    return fido.AttestationObject.create("packed", data, statement), digest


def _parts(blob: bytes) -> tuple[bytes, bytes, bytes]:
    """Certificate in DER; signature; authenticator data, which the file holds as a byte string of CBOR."""
    reader = Reader(blob, "the attestation")
    if (form := reader.string()) != _FORM:
        raise SigningFault(f"the attestation is of the form {form[:40]!r}: expected {_FORM.decode()} (OpenSSH 8.8)")
    certificate, signature, held = reader.string(), reader.string(), reader.string()
    reader.number()  # flags and text that are reserved: nothing is defined for them, and nothing is read from them
    reader.string()
    reader.end()
    if not certificate:
        raise SigningFault("the device gave no maker's certificate: nothing says that the key lives in hardware")
    cbor = load("fido2.cbor")
    told = cbor.decode(held)
    if not isinstance(told, bytes) or cbor.encode(told) != held:
        raise SigningFault("the attestation's authenticator data is not one byte string of CBOR")
    return certificate, signature, told


def _algorithm(certificate: bytes) -> int:
    """With what its maker's key signed, which the file does not say: ES256, as makers do, unless the key is Ed25519."""
    key = x509.load_der_x509_certificate(certificate).public_key()
    return EDDSA if isinstance(key, Ed25519PublicKey) else ES256
