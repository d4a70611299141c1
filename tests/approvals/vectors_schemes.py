"""Signatures that must be refused: everything that a scheme checks, set wrong once."""

from __future__ import annotations

import copy
from typing import Any

import people
from people import request
from sshsigs import PLAIN, SK
from vectors_good import Named, approval, by

CHROME = b'{"type":"webauthn.get","challenge":"%s","origin":"https://approve.example","crossOrigin":false%s}'


def passkey(**knobs: Any) -> dict[str, Any]:
    return by("ana-passkey", **knobs)


def altered(found: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """A proof with members changed after signing; None takes one away."""
    whole = copy.deepcopy(found) | changed
    return {name: value for name, value in whole.items() if value is not None}


def signature_of(found: dict[str, Any], at: int = 20) -> str:
    """Its signature with one character changed."""
    text: str = found["signature"]
    return text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]


def client(challenge: str, tail: str = "") -> bytes:
    return CHROME % (challenge.encode(), tail.encode())


def webauthn() -> Named:
    from agent_saga.approvals.digests import APPROVAL, digest
    from agent_saga.trace.base64url import unpadded

    due = unpadded(digest(APPROVAL, request("ana-passkey")))
    cases: dict[str, tuple[str, dict[str, Any]]] = {
        "no-touch": ("UP is not set.", passkey(flags=0x04)),
        "bad-signature": ("One bit of the signature differs.", altered(passkey(), signature=signature_of(passkey()))),
        "by-another-key": ("Signed by somebody else's key.", passkey(by="mallory")),
        "other-challenge": ("Signed for another digest.", passkey(signed=b"x" * 32)),
        "other-origin": ("Signed on another site.", passkey(client={"origin": "https://approve.example.evil"})),
        "origin-with-slash": ("Origins are compared exactly.", passkey(client={"origin": "https://approve.example/"})),
        "http-origin": ("Signed on the same host without TLS.", passkey(client={"origin": "http://approve.example"})),
        "no-origin": ("No origin at all.", passkey(client={"origin": None})),
        "cross-origin": ("Signed in a frame of another site.", passkey(client={"crossOrigin": True})),
        "cross-origin-word": ("crossOrigin is no boolean.", passkey(client={"crossOrigin": "false"})),
        "top-origin": ("A top origin is named.", passkey(client={"topOrigin": "https://evil.example"})),
        "registration": ("A registration in the place of an assertion.", passkey(client={"type": "webauthn.create"})),
        "payment": ("A payment assertion.", passkey(client={"type": "payment.get"})),
        "other-rp": ("Signed for another relying party.", passkey(rp="evil.example")),
        "backup-without-eligibility": ("BS without BE.", passkey(flags=0x15)),
        "attested-data": ("AT is set in an assertion.", passkey(flags=0x45, rest=b"x" * 20)),
        "attested-data-flag-alone": ("AT is set, and nothing follows.", passkey(flags=0x45)),
        "attested-data-and-extension": ("AT and ED are set.", passkey(flags=0xC5, rest=b"\xa0")),
        "extension-flag-alone": ("ED is set, and nothing follows.", passkey(flags=0x85)),
        "extension-unflagged": ("Something follows, and ED is not set.", passkey(rest=b"\xa0")),
        "extension-tail": ("A byte after the extensions.", passkey(flags=0x85, rest=b"\xa0\x00")),
        "extension-cut": ("Extensions that end in the middle.", passkey(flags=0x85, rest=b"\xa1\x61a")),
        "extension-no-map": ("Extensions that are no map.", passkey(flags=0x85, rest=b"\x80")),
        "extension-indefinite": ("A map of indefinite length.", passkey(flags=0x85, rest=b"\xbf\xff")),
        "extension-deep": (
            "Extensions nested without end.",
            passkey(flags=0x85, rest=b"\xa1\x61a" + b"\x81" * 40 + b"\0"),
        ),
        "short-data": ("Authenticator data that is cut off.", altered(passkey(), authenticator_data="AAAA")),
        "duplicate-origin": (
            "An origin that stands twice: readers differ on which counts.",
            passkey(client=client(due, ',"origin":"https://evil.example"')),
        ),
        "duplicate-origin-before": (
            "The same, the right one last.",
            passkey(client=b'{"origin":"https://evil.example",' + client(due)[1:]),
        ),
        "duplicate-escaped": (
            "The same, the second name escaped.",
            passkey(client=client(due, ',"\\u006frigin":"https://evil.example"')),
        ),
        "byte-order-mark": ("Client data that begins with one.", passkey(client=b"\xef\xbb\xbf" + client(due))),
        "no-json": ("Client data that is none.", passkey(client=b"{")),
        "no-object": ("Client data that is an array.", passkey(client=b"[]")),
        "too-long": ("Client data without end.", passkey(client=client(due, ',"x":"%s"' % ("y" * 4096)))),
        "other-passkey": ("Another credential id.", altered(passkey(), credential="AAAA")),
        "unknown-member": ("A member that the scheme has not.", altered(passkey(), user_handle="AAAA")),
        "missing-member": ("A member is missing.", altered(passkey(), client_data=None)),
        "padded": ("base64url with padding.", altered(passkey(), signature=passkey()["signature"] + "==")),
        "trailing-bytes": ("A byte after the signature.", passkey(tail=b"\0")),
        "other-scheme": ("Said to be a software signature.", altered(passkey(), scheme="ed25519")),
    }
    for name, (text, found) in cases.items():
        yield f"bad-webauthn-{name}", approval(text, found)
    yield "bad-es256-trailing-bytes", approval("A byte after the DER.", by("ana-es256", tail=b"\0"))
    yield "bad-es256-by-another-key", approval("Another P-256 key.", by("ana-es256", by="mallory"))
    both = by("ana-es256", eddsa=True)
    yield "bad-es256-other-algorithm", approval("An EdDSA signature under a key enrolled with ES256.", both)


def ssh() -> Named:
    cases: dict[str, tuple[str, dict[str, Any]]] = {
        "no-touch": ("UP is not set: ssh-keygen -Y verify says Good.", by("ben-sk", flags=0x00)),
        "no-touch-with-pin": ("UV without UP.", by("ben-sk", flags=0x04)),
        "no-pin": ("A key that signs with a PIN only, without one.", by("cyd-strict", flags=0x01)),
        "flags": ("Flags of attested data, which ssh cannot carry.", by("ben-sk", flags=0x41)),
        "backup-flags": ("BS without BE.", by("ben-sk", flags=0x11)),
        "other-application": ("Signed for another application.", by("ben-sk", application="ssh:other")),
        "other-namespace": ("A signature over a file.", by("ben-sk", namespace=b"file")),
        "namespace-prefix": ("Our namespace, and more.", by("ben-sk", namespace=b"approval@agent-saga.evil")),
        "other-hash": ("SHA-1.", by("ben-sk", hash_name="sha1")),
        "reserved": ("Something in the reserved string.", by("ben-sk", reserved=b"x")),
        "version": ("SSHSIG version 2.", by("ben-sk", version=2)),
        "by-another-key": ("Signed by somebody else's key.", by("ben-sk", by="mallory")),
        "plain-for-sk": ("A plain key in the place of a security key.", by("ben-sk", application="")),
        "sk-for-plain": ("A security key in the place of a plain one.", by("cyd-ssh", application="ssh:")),
        "inner-algorithm": ("Key of one kind, signature of another.", by("ben-sk", inner=PLAIN)),
        "plain-inner-algorithm": ("The same of a plain key.", by("cyd-ssh", inner=SK)),
        "trailing-bytes": ("A byte after the blob.", by("ben-sk", tail=b"\0")),
        "inner-trailing-bytes": ("A byte after the inner signature.", by("ben-sk", inner_tail=b"\0")),
        "plain-trailing-bytes": ("The same of a plain key.", by("cyd-ssh", inner_tail=b"\0")),
        "cut": ("A blob that ends in the middle.", altered(by("cyd-ssh"), signature=by("cyd-ssh")["signature"][:80])),
        "no-magic": ("No SSHSIG.", altered(by("cyd-ssh"), signature="AAAA" + by("cyd-ssh")["signature"][4:])),
        "bad-signature": (
            "The blob altered at its end.",
            altered(by("ben-sk"), signature=signature_of(by("ben-sk"), 250)),
        ),
    }
    for name, (text, found) in cases.items():
        yield f"bad-ssh-{name}", approval(text, found)


def raw() -> Named:
    hsm, soft = by("ben-hsm"), by("ana-software")
    yield "bad-raw-signature", approval("One bit differs.", altered(hsm, signature=signature_of(hsm)))
    yield "bad-raw-by-another-key", approval("Signed by somebody else.", by("ana-software", by="mallory"))
    yield "bad-raw-short", approval("63 bytes.", altered(soft, signature=soft["signature"][:84]))
    spare = soft["signature"][:-1] + chr(ord(soft["signature"][-1]) + 1)
    yield "bad-raw-spelling", approval("Spare bits that are not zero.", altered(soft, signature=spare))
    as_decision = people.proof(people.decision("ana-software"), "decision")
    mixed = altered(soft, signature=as_decision["signature"])
    yield "bad-raw-other-domain", approval("The signature of a decision.", mixed)
