"""Makers of security keys: their certificates, and a device in software whose keys a maker attests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from ctap_device import SoftwareKey
from fido2 import cbor

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def certificate(name: str, by: tuple[str, Any] | None = None, *, authority: bool = False) -> tuple[Any, Any]:
    """A certificate and its key. by: name and key of who issues it; itself by default."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _name(name)
    issuer, signer = (_name(by[0]), by[1]) if by else (subject, key)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(BEGIN).not_valid_after(BEGIN + timedelta(days=36500))
    builder = builder.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
    return builder.sign(signer, hashes.SHA256()), key


def _name(name: str) -> x509.Name:
    words = ((NameOID.COUNTRY_NAME, "XX"), (NameOID.ORGANIZATION_NAME, "Maker"), (NameOID.COMMON_NAME, name))
    unit = x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "Authenticator Attestation")
    return x509.Name([*(x509.NameAttribute(oid, text) for oid, text in words), unit])


class Attested(SoftwareKey):
    """A device whose keys its maker attests (packed, with x5c)."""

    def __init__(self, chain: list[Any], key: Any) -> None:
        super().__init__(b"seed")
        self._chain, self._maker = chain, key

    def _make(self, given: dict[int, Any]) -> bytes:
        answer = cbor.decode(super()._make(given)[1:])
        signature = self._maker.sign(answer[2] + given[1], ec.ECDSA(hashes.SHA256()))
        chain = [one.public_bytes(Encoding.DER) for one in self._chain]
        return b"\0" + cbor.encode(answer | {3: {"alg": -7, "sig": signature, "x5c": chain}})


def pem(*certificates: Any) -> bytes:
    return b"".join(one.public_bytes(Encoding.PEM) for one in certificates)
