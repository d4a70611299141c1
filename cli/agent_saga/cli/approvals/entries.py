"""An entry for the key registry out of what a person holds: key file, ssh public key, token, FIDO2 key, passkey."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import typer

from agent_saga.cli.approvals.given import read_bytes, read_json, read_text, told
from agent_saga.cli.approvals.signers import Means, waiting

if TYPE_CHECKING:
    from agent_saga.approvals.registry.model import Party, Registry

_PASSKEY: Final = frozenset({"scheme", "public", "credential", "algorithm", "counter", "attestation", "verify"})
"""Members that the approval page may hand over; whether a key is attested is found out here, never believed."""
_CHALLENGE: Final = 32
"""Fresh bytes that a device signs when it makes a key."""


@dataclass(frozen=True, slots=True)
class Held:
    """What is enrolled. verifier: a software key's ``vkey``. ssh_public: a .pub file. passkey: a file of the page.

    attestation, challenge: what ``ssh-keygen -O write-attestation`` wrote and ``-O challenge`` was given. roots:
    certificates in PEM that are trusted.
    """

    means: Means
    verifier: str = ""
    ssh_public: str = ""
    passkey: str = ""
    attestation: str = ""
    challenge: str = ""
    roots: str = ""

    def members(self, person: str, party: "Party | None") -> dict[str, Any]:
        """The members of the key that its kind tells. Raises BadParameter, SigningFault, KeyFault."""
        kinds = [self.verifier, self.ssh_public, self.passkey, self.means.module, self.means.fido]
        if sum(map(bool, kinds)) != 1:
            raise typer.BadParameter("say what is enrolled: one of --vkey, --ssh-public, --pkcs11, --fido, --passkey")
        if self.roots and not (self.means.fido or self.passkey or self.attestation):
            raise typer.BadParameter("--trust-root: goes with --fido, --passkey or --attestation, which it verifies")
        if self.attestation and not self.ssh_public:
            raise typer.BadParameter("--attestation: goes with --ssh-public; a FIDO2 key gives its own")
        if bool(self.challenge) > bool(self.attestation):
            raise typer.BadParameter("--challenge: goes with --attestation, the file that ssh-keygen wrote for it")
        if self.verifier:
            return _software(self.verifier)
        if self.ssh_public:
            return self._ssh()
        if self.passkey:
            return attested(_of_page(read_json(self.passkey, "a passkey")), None, self._roots())
        return self._token() if self.means.module else self._security_key(person, party)

    def _ssh(self) -> dict[str, Any]:
        from agent_saga.approvals.signing.openssh import read_public
        from agent_saga.trace.base64url import unpadded

        found: dict[str, Any] = dict(read_public(read_text(self.ssh_public)))
        if not self.attestation:
            return found
        if found["scheme"] != "sshsig-sk":
            raise typer.BadParameter("--attestation: nothing can attest a plain ssh key")
        kept = {"ssh": unpadded(read_bytes(self.attestation))}
        if self.challenge:
            kept["challenge"] = unpadded(read_bytes(self.challenge))
        return attested(found | {"attestation": kept}, None, self._roots())

    def _token(self) -> dict[str, Any]:
        from agent_saga.trace.base64url import unpadded

        self.means.check()
        return {"scheme": "pkcs11", "public": unpadded(self.means.pkcs11().public())}

    def _security_key(self, person: str, party: "Party | None") -> dict[str, Any]:
        challenge, roots = os.urandom(_CHALLENGE), self._roots()
        with waiting("waiting for the security key: touch it when it blinks"):
            found = self.means.security_key(party).enroll(person, challenge)
        return attested(found, challenge, roots)

    def _roots(self) -> bytes:
        return read_bytes(self.roots) if self.roots else b""


def attested(found: Mapping[str, Any], challenge: bytes | None, roots: bytes) -> dict[str, Any]:
    """The members of a key that a device made, and whether its attestation holds under these roots.

    challenge: the bytes that the device was asked with just now; None where the page asked. Raises SigningFault.
    """
    from agent_saga.approvals.errors import SigningFault
    from agent_saga.approvals.signing.attesting import verify_attestation

    if not roots:
        told("the attestation is kept, and was not verified (--trust-root): signatures of this key have strength C")
        return dict(found)
    kept = found.get("attestation")
    if not isinstance(kept, Mapping):
        raise SigningFault("no attestation was kept of this key: nothing says in what device it lives")
    by = verify_attestation(kept, challenge, str(found.get("public")), roots, found.get("application", ""))
    told(f"attested by {by}")
    return dict(found) | {"attested": True}


def attestations(registry: "Registry", roots: bytes) -> tuple[list[str], list[str]]:
    """What these roots show of the keys: those said to be attested that are not, and those that are and it is not said.

    Raises SigningFault where the extra ``hardware`` is missing, BadParameter.
    """
    from cryptography.x509 import load_pem_x509_certificates

    from agent_saga.approvals.errors import SigningFault
    from agent_saga.approvals.signing.attesting import verify_attestation
    from agent_saga.approvals.signing.extra import load

    load("fido2.attestation")
    try:
        load_pem_x509_certificates(roots)
    except ValueError as fault:
        raise typer.BadParameter("--trust-root: expected certificates in PEM") from fault
    unproven, unsaid = [], []
    for key in registry.keys:
        kept = key.attestation if isinstance(key.attestation, Mapping) else {}
        try:
            by = verify_attestation(kept, None, key.public, roots, key.application)
        except SigningFault as fault:
            unproven += [f"key {key.id} is said to be attested, and is not by these roots: {fault}"] * key.attested
        else:
            unsaid += [] if key.attested else [f"key {key.id} is attested by {by}, and its entry does not say so"]
    return unproven, unsaid


def _software(verifier: str) -> dict[str, Any]:
    from agent_saga.proofs.vkeys import parse_vkey
    from agent_saga.trace.base64url import unpadded

    return {"scheme": "ed25519", "public": unpadded(parse_vkey(verifier).raw)}


def _of_page(found: dict[str, Any]) -> dict[str, Any]:
    entry = found.get("key", found)
    if not isinstance(entry, dict) or entry.get("scheme") != "webauthn":
        raise typer.BadParameter("--passkey: expected the JSON object that the approval page shows, of scheme webauthn")
    return {name: value for name, value in entry.items() if name in _PASSKEY}


def window(begin: str, days: int) -> dict[str, str]:
    """Between which instants the key signs. begin: an instant. Raises BadParameter."""
    try:
        end = datetime.fromisoformat(begin).astimezone(UTC) + timedelta(days=days)
    except OverflowError as fault:
        raise typer.BadParameter(f"--days {days}: no key lives as long") from fault
    return {"not_before": begin, "not_after": end.isoformat(timespec="microseconds").replace("+00:00", "Z")}


def placed(registry: dict[str, Any], key: dict[str, Any], roles: list[str]) -> dict[str, Any]:
    """The next version of a registry, with this key, and its person in these roles as well. Raises RegistryFault."""
    from agent_saga.approvals.registry import parse_registry

    people = [dict(one) for one in registry.get("people", [])]
    person = next((one for one in people if one["id"] == key["person"]), None)
    if person is None:
        person = {"id": key["person"]}
        people.append(person)
    if roles:
        person["roles"] = [*dict.fromkeys([*person.get("roles", []), *roles])]
    made = registry | {"version": registry["version"] + 1, "people": people, "keys": [*registry.get("keys", []), key]}
    parse_registry(made)
    return made
