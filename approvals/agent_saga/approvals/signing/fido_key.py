"""FIDO2 security keys over CTAP2, from the command line. Needs the extra ``hardware``.

What is signed is shaped as in a browser: client data whose challenge is the digest, under the relying party and the
first origin of the registry. So one verifier serves both.

Source: CTAP 2.1, 6.2; W3C Web Authentication Level 3, 7.2; docs/spec/approval-v1.md, "webauthn".
"""

from typing import Any

from agent_saga.approvals.errors import SigningFault
from agent_saga.approvals.registry.model import Key, Party
from agent_saga.approvals.signing.extra import load
from agent_saga.approvals.spelling import from_base64url
from agent_saga.trace.base64url import unpadded


class FidoSigner:
    """Signs with a device that fido2 opened. interaction: asks for PIN and touch (``fido2.client.UserInteraction``)."""

    def __init__(self, device: Any, party: Party, interaction: Any) -> None:
        self._device, self._party, self._interaction = device, party, interaction

    def enroll(self, person: str, challenge: bytes) -> dict[str, Any]:
        """Make a key on the device; the registry's members of it. challenge: 32 fresh bytes. Raises SigningFault."""
        webauthn = load("fido2.webauthn")
        options = webauthn.PublicKeyCredentialCreationOptions(
            rp=webauthn.PublicKeyCredentialRpEntity(id=self._party.id, name=self._party.id),
            user=webauthn.PublicKeyCredentialUserEntity(id=person.encode(), name=person, display_name=person),
            challenge=challenge,
            pub_key_cred_params=[webauthn.PublicKeyCredentialParameters(type="public-key", alg=-8)],
            attestation="direct",
            authenticator_selection=webauthn.AuthenticatorSelectionCriteria(user_verification="required"),
        )
        made = self._asked(lambda client: client.make_credential(options)).response
        data = made.attestation_object.auth_data.credential_data
        if data is None or data.public_key.get(3) != -8:
            raise SigningFault("the security key made no Ed25519 key: it supports none, or CTAP2 was turned off")
        kept = {"object": unpadded(bytes(made.attestation_object)), "client": unpadded(bytes(made.client_data))}
        return {
            "scheme": "webauthn",
            "public": unpadded(data.public_key[-2]),
            "credential": unpadded(data.credential_id),
            "counter": made.attestation_object.auth_data.counter,
            "attestation": kept,
        }

    def members(self, key: Key, challenge: bytes, line: bytes) -> dict[str, Any]:
        """Sign client data over the digest. Raises SigningFault: no such key, no touch, wrong PIN, no device."""
        if key.scheme != "webauthn":
            raise SigningFault(f"key {key.id} is enrolled as {key.scheme}: a FIDO2 key does not sign for it")
        webauthn = load("fido2.webauthn")
        id = from_base64url(key.credential, "the credential id")
        options = webauthn.PublicKeyCredentialRequestOptions(
            challenge=challenge,
            rp_id=self._party.id,
            allow_credentials=[webauthn.PublicKeyCredentialDescriptor(type="public-key", id=id)],
            user_verification="required",
        )
        found = self._asked(lambda client: client.get_assertion(options)).get_response(0).response
        return {
            "credential": key.credential,
            "authenticator_data": unpadded(bytes(found.authenticator_data)),
            "client_data": unpadded(bytes(found.client_data)),
            "signature": unpadded(bytes(found.signature)),
        }

    def _asked(self, ask: Any) -> Any:
        client = load("fido2.client")
        collector = client.DefaultClientDataCollector(self._party.origins[0])
        try:
            return ask(client.Fido2Client(self._device, collector, self._interaction, extensions=[]))
        except (client.ClientError, load("fido2.ctap").CtapError, OSError, ValueError) as fault:
            raise SigningFault(f"the security key did not answer: {fault}") from fault
