"""Somebody else's code verifies our envelopes: securesystemslib, which knows nothing of us."""

from __future__ import annotations

import json

import pytest
from certificate_samples import CERTIFIER, KEY, OTHER, TYPE, raw, statement

from agent_saga.proofs.dsse import PAYLOAD_TYPE, keyid, seal
from agent_saga.proofs.keys import key_from_seed
from agent_saga.proofs.statement import PREDICATE_TYPE, STATEMENT_TYPE, format_statement, parse_statement

pytest.importorskip("securesystemslib", reason="install the extra dev: pip install 'agent-saga-toolkit[dev]'")

from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from certificate_samples import canonical  # isort: skip

OURS = key_from_seed(CERTIFIER, "certificate", bytes([5]) * 32)


def their_key(key: object) -> SSlibKey:
    return SSlibKey(keyid(OURS.vkey), "ed25519", "ed25519", {"public": raw(key).hex()})  # type: ignore[arg-type]


def envelope() -> Envelope:
    payload = format_statement(parse_statement(canonical(statement())))
    return Envelope.from_dict(json.loads(seal(payload, OURS.vkey, OURS)))


def test_another_library_verifies_our_envelope_and_reads_our_statement() -> None:
    ours = envelope()
    assert list(ours.verify([their_key(KEY)], 1)) == [keyid(OURS.vkey)]
    assert (ours.payload_type, TYPE) == (PAYLOAD_TYPE, PAYLOAD_TYPE)
    said = json.loads(ours.payload)
    assert (said["_type"], said["predicateType"]) == (STATEMENT_TYPE, PREDICATE_TYPE)


def test_it_refuses_another_key_and_another_payload() -> None:
    with pytest.raises(VerificationError):
        envelope().verify([their_key(OTHER)], 1)
    changed = envelope()
    changed.payload += b" "
    with pytest.raises(VerificationError):
        changed.verify([their_key(KEY)], 1)
