"""Approvals and decisions that hold: every scheme, every strength, quorum, denial, break-glass, retry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import people

Named = Iterator[tuple[str, dict[str, Any]]]

USE = {"saga": "k3JxQ0m7y2aTt5v9WcZ1eA", "effect": "e1", "key": "5d0f4e6c9a1b4f7e8c2d3a4b5c6d7e8f"}
CONCEALED = {"...": "LaN8PbKEc3gkV_hkpYY6DM0BvOjMwHnXAfxrqYI5p_0"}


def approval(description: str, *proofs: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A vector of kind approval. more: members to change, such as wanted, at, registry, uses, call."""
    return {
        "description": description,
        "kind": "approval",
        "registry": people.registry(),
        "wanted": people.wanted(),
        "call": people.content(),
        "at": people.NOW,
        "proofs": list(proofs),
    } | more


def decision(description: str, proof: dict[str, Any], **wanted: Any) -> dict[str, Any]:
    """A vector of kind decision."""
    about = {name: people.content()[name] for name in ("log", "start", "saga")}
    due = about | {"waiting": ["e1"], "prev": people.PAUSED, "roles": ["treasury"]}
    due |= {"strength": "C", "agent": "checkout-agent"}
    return {
        "description": description,
        "kind": "decision",
        "registry": people.registry(),
        "wanted": due | wanted,
        "at": people.NOW,
        "proofs": [proof],
    }


def by(key_id: str, **knobs: Any) -> dict[str, Any]:
    """The proof of an approval of the wire by this key."""
    return people.proof(people.request(key_id), **knobs)


def named() -> Named:
    for key_id, what in (
        ("ana-passkey", "an attested passkey with a PIN: strength A"),
        ("ana-es256", "a passkey with ES256, which the registry allows: strength C, nothing attests it"),
        ("ben-sk", "an attested security key over ssh with a PIN: strength B"),
        ("cyd-strict", "a security key over ssh that is enrolled to sign with a PIN only"),
        ("ben-hsm", "a PKCS#11 token: strength C"),
        ("cyd-ssh", "a plain ssh key: strength D"),
        ("ana-software", "a software key: strength D"),
    ):
        yield f"good-{key_id}", approval(f"One of two approvals, by {what}.", by(key_id))
    yield "good-touch-without-pin", approval("A touch alone: strength C.", by("ben-sk", flags=0x01))
    yield "good-sk-sha256", approval("An SSHSIG that hashes with SHA-256.", by("ben-sk", hash_name="sha256"))
    extensions = {"flags": 0x85, "rest": b"\xa1\x6bcredProtect\x02"}
    yield "good-extensions", approval("Authenticator data with an extension.", by("ana-passkey", **extensions))
    more = {"client": {"other_keys_can_be_added_here": "see the specification"}}
    yield "good-client-data-grown", approval("A browser adds a member of its own.", by("ana-passkey", **more))
    yield "good-backed-up", approval("A passkey that was copied to other devices.", by("ana-passkey", flags=0x1D))
    yield "good-quorum", approval("Two persons: enough.", by("ana-passkey"), by("ben-sk"))
    yield (
        "good-one-person-twice",
        approval("One person with two keys, where two are asked for.", by("ana-passkey"), by("ana-software")),
    )
    no = people.proof(people.request("ben-sk", decision="deny", reason="wrong account"))
    yield "good-denied", approval("One approves, one denies: the action has ended.", by("ana-passkey"), no)
    both = (by("ana-passkey"), by("ana-software"), by("cyd-ssh"), no)
    yield "good-denied-after-quorum", approval("A denial after the quorum, before the effect.", *both)
    end = "2026-11-30T07:15:00.000000Z"
    yield "good-at-its-end", approval("At its last microsecond.", by("ben-sk"), at=end)
    ahead = people.request("ben-sk", issued_at="2026-11-30T07:02:00.000000Z")
    yield "good-clock-ahead", approval("Signed by a clock two minutes ahead.", people.proof(ahead))
    sealed = people.proof(people.request("ben-sk", decision="deny", reason=CONCEALED))
    yield "good-denied-concealed", approval("A denial whose reason is concealed.", sealed)
    slow = people.proof(people.request("ben-sk", decision="deny", not_after=people.LATER))
    yield "good-denied-long", approval("A denial may stay open for long, and needs no reason.", slow)
    breaks = people.request("eve-hsm", decision="break_glass", reason="the bank closes in five minutes")
    yield "good-break-glass", approval("The glass is broken, with a reason.", people.proof(breaks))
    yield "good-retry", approval("Used twice by one effect: a retry.", by("ben-sk"), uses=[USE, USE])
    hidden = people.content(args={"to": CONCEALED, "amount": {"minor": 1000, "currency": "EUR"}})
    sees = approval("The account is concealed on the line; its DIGEST is what is signed.", call=hidden)
    sees["proofs"] = [people.proof(people.request("ben-sk", hidden))]
    sees["wanted"] = people.wanted(action=sees["proofs"][0]["request"]["action"])
    yield "good-concealed", sees
    words = people.content(args={"né": "Zürich €", "\ue000": 1, "😀": 2, "control": "\x07\x7f\u202e"})
    odd = people.request("ben-sk", words)
    text = "Names that UTF-16 and UTF-8 put in another order, and characters that JSON escapes."
    yield "good-not-ascii", approval(text, people.proof(odd), wanted=people.wanted(action=odd["action"]), call=words)
    for key_id in ("ana-passkey", "ben-sk", "ben-hsm"):
        signed = people.proof(people.decision(key_id), "decision")
        yield f"good-decision-{key_id}", decision("A person decides that the call landed.", signed)
