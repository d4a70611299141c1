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
    from agent_saga.approvals.registry.model import Party

_PASSKEY: Final = frozenset({"scheme", "public", "credential", "algorithm", "counter", "attestation", "verify"})
"""Members that the approval page may hand over; whether a key is attested is found out here, not believed."""
_CHALLENGE: Final = 32
"""Fresh bytes that a device signs when it makes a key."""


@dataclass(frozen=True, slots=True)
class Held:
    """What is enrolled. verifier: a software key's ``vkey``. ssh_public: a .pub file. passkey: a file of the page.

    attestation: what ``ssh-keygen -O write-attestation`` wrote. roots: certificates in PEM that are trusted.
    """

    means: Means
    verifier: str = ""
    ssh_public: str = ""
    passkey: str = ""
    attestation: str = ""
    roots: str = ""

    def members(self, person: str, party: "Party | None") -> dict[str, Any]:
        """The members of the key that its kind tells. Raises BadParameter, SigningFault, KeyFault."""
        kinds = [self.verifier, self.ssh_public, self.passkey, self.means.module, self.means.fido]
        if sum(map(bool, kinds)) != 1:
            raise typer.BadParameter("say what is enrolled: one of --vkey, --ssh-public, --pkcs11, --fido, --passkey")
        if self.roots and not self.means.fido:
            raise typer.BadParameter("--trust-root: goes with --fido, whose attestation is verified on the spot")
        if self.attestation and not self.ssh_public:
            raise typer.BadParameter("--attestation: goes with --ssh-public; a FIDO2 key gives its own")
        if self.verifier:
            return _software(self.verifier)
        if self.ssh_public:
            return self._ssh()
        if self.passkey:
            return _of_page(read_json(self.passkey, "a passkey"))
        return self._token() if self.means.module else self._security_key(person, party)

    def _ssh(self) -> dict[str, Any]:
        from agent_saga.approvals.signing.openssh import read_public
        from agent_saga.trace.base64url import unpadded

        found: dict[str, Any] = dict(read_public(read_text(self.ssh_public)))
        if self.attestation:
            if found["scheme"] != "sshsig-sk":
                raise typer.BadParameter("--attestation: nothing can attest a plain ssh key")
            found["attestation"] = {"ssh": unpadded(read_bytes(self.attestation))}
            told("the attestation is kept, and was not verified: signatures of this key have strength C")
        return found

    def _token(self) -> dict[str, Any]:
        from agent_saga.trace.base64url import unpadded

        self.means.check()
        return {"scheme": "pkcs11", "public": unpadded(self.means.pkcs11().public())}

    def _security_key(self, person: str, party: "Party | None") -> dict[str, Any]:
        challenge = os.urandom(_CHALLENGE)
        roots = read_bytes(self.roots) if self.roots else b""
        with waiting("waiting for the security key: touch it when it blinks"):
            found = self.means.security_key(party).enroll(person, challenge)
        return attested(found, challenge, roots)


def attested(found: Mapping[str, Any], challenge: bytes, roots: bytes) -> dict[str, Any]:
    """The members of a FIDO2 key, and whether its attestation holds under these roots. Raises SigningFault."""
    from agent_saga.approvals.signing.attesting import verify_attestation

    if not roots:
        told("the attestation is kept, and was not verified (--trust-root): signatures of this key have strength C")
        return dict(found)
    by = verify_attestation(found["attestation"], challenge, found["public"], roots)
    told(f"attested by {by}")
    return dict(found) | {"attested": True}


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
