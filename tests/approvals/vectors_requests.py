"""Signatures that hold and do not count: another action, another time, another person, used before."""

from __future__ import annotations

import copy
from typing import Any

import people
from people import content, decision, proof, request, wanted
from vectors_good import USE, Named, approval, by
from vectors_good import decision as decided
from vectors_schemes import altered


def other_actions() -> Named:
    """What was approved is not what is about to be done. First of all: 10 euros approved, 99,999.99 wired."""
    large = content()["args"] | {"amount": {"minor": 9_999_999, "currency": "EUR"}}
    due = {
        "amount": {"args": large},
        "saga": {"saga": "Sh6vM3qR1u8dPj7y0ZnC9k"},
        "step": {"step": "s2"},
        "tool": {"tool": content()["tool"] | {"name": "bank.transfer"}},
        "tool-version": {"tool": content()["tool"] | {"version": "3"}},
        "tool-schema": {"tool": content()["tool"] | {"schema": None}},
        "policy": {"policy": "0" * 64},
        "registry": {"keys": "0" * 64},
        "log": {"log": "log.example/other"},
        "first-line": {"start": "0" * 64},
        "semantics": {"semantics": "compensable"},
        "key": {"key": "another-key"},
        "target": {"target": "production"},
    }
    for name, changed in due.items():
        text = f"Approved for one {name}, about to be done for another."
        yield f"bad-other-{name}", approval(text, by("ben-sk"), call=content(**changed))
    asked = wanted(action="0" * 64)
    yield "bad-other-action-asked", approval("The line asks about another action.", by("ben-sk"), wanted=asked)
    again = wanted(prev="0" * 64)
    yield "bad-other-request-line", approval("An answer to an earlier asking.", by("ben-sk"), wanted=again)
    step = approval("The line asks about another step.", by("ben-sk"), wanted=wanted(step="s2"))
    yield "bad-other-step-asked", step
    yes = approval("true and 1 are not one value.", proof(request("ben-sk", content(args={"n": 1}))))
    yes["call"], yes["wanted"] = content(args={"n": True}), wanted(action=yes["proofs"][0]["request"]["action"])
    yield "bad-other-type", yes


def times() -> Named:
    window = {"issued_at": "2026-11-30T07:00:00.000000Z", "not_after": "2026-11-30T07:15:00.000000Z"}
    late = "2026-11-30T07:15:00.000001Z"
    yield "bad-expired", approval("One microsecond after its end.", by("ben-sk"), at=late)
    early = proof(request("ben-sk", issued_at="2026-11-30T07:02:00.000001Z", not_after=window["not_after"]))
    yield "bad-not-yet", approval("Signed more than two minutes ahead of the clock.", early)
    closed = wanted(not_after="2026-11-30T06:59:59.000000Z")
    yield "bad-request-closed", approval("After the request was closed.", by("ben-sk"), wanted=closed)
    long = proof(request("ben-sk", not_after="2026-11-30T07:15:00.000001Z"))
    yield "bad-window-too-long", approval("Open for more than fifteen minutes, irreversible.", long)
    for name, changed in (
        ("key-ended", {"not_after": "2026-11-30T06:00:00.000000Z"}),
        ("key-not-begun", {"not_before": "2026-11-30T08:00:00.000000Z"}),
    ):
        registry = people.registry()
        registry["keys"] = [one | changed if one["id"] == "ben-sk" else one for one in registry["keys"]]
        yield f"bad-{name}", approval("Outside of the window of the key.", by("ben-sk"), registry=registry)


def persons() -> Named:
    yield "bad-self-approval", approval("By the owner of the agent that proposed it.", by("dan-software"))
    yield "bad-role", approval("By somebody without the role.", by("fay-software"))
    yield (
        "bad-break-glass-role",
        approval(
            "Broken by somebody without that role.", proof(request("ben-sk", decision="break_glass", reason="quick"))
        ),
    )
    yield (
        "bad-break-glass-reason",
        approval("Broken without a reason.", proof(request("eve-hsm", decision="break_glass"))),
    )
    yield "bad-weak", approval("Strength D where C is asked for.", by("cyd-ssh"), wanted=wanted(strength="C"))
    no_pin = by("ben-sk", flags=0x01)
    yield "bad-no-pin", approval("No PIN where B is asked for.", no_pin, wanted=wanted(strength="B"))
    passkey = by("ana-passkey", flags=0x01)
    yield "bad-no-pin-passkey", approval("No PIN where A is asked for.", passkey, wanted=wanted(strength="A"))
    copied = by("ana-passkey", flags=0x1D)
    yield "bad-copied", approval("A copied passkey where A is asked for.", copied, wanted=wanted(strength="A"))
    other = wanted(proposer="other-agent")
    yield "bad-proposer", approval("Signed as proposed by another agent.", by("ben-sk"), wanted=other)
    stranger = proof(request("ben-sk", proposer="other-agent"))
    yield "bad-unknown-agent", approval("No agent of the registry.", stranger, wanted=other)
    gone = people.registry()
    gone["keys"] = [one for one in gone["keys"] if one["id"] != "ben-sk"]
    yield "bad-unknown-key", approval("No key of the registry.", by("ben-sk"), registry=gone)
    claimed = proof(request("ben-sk", person="p-cyd"))
    yield "bad-person", approval("Signed in the name of somebody else.", claimed)
    renamed = altered(by("ben-hsm"), key_id="ben-sk", scheme="sshsig-sk")
    yield "bad-key-id", approval("The proof names another key than the request.", renamed)


def again() -> Named:
    use = USE | {"effect": "e2"}
    yield "bad-used-twice", approval("One approval, two effects.", by("ben-sk"), uses=[USE, use])
    other = USE | {"key": "another-key"}
    yield "bad-used-with-new-key", approval("A retry under another key.", by("ben-sk"), uses=[USE, other])
    twice = approval("Recorded on two lines, named twice by one effect.", by("ben-sk"), by("ben-sk"), uses=[USE])
    yield "bad-named-twice", twice
    second = proof(request("ben-sk", nonce=people.nonce("second")), counter=6)
    yield "bad-counter-back", approval("The counter went from 7 to 6.", by("ben-sk"), second)
    same = proof(request("ben-sk", nonce=people.nonce("second")))
    yield "bad-counter-same", approval("The counter stood still.", by("ben-sk"), same)
    zero = proof(request("ana-passkey", nonce=people.nonce("second")), counter=0)
    yield "bad-counter-lost", approval("A counter, then none.", by("ana-passkey"), zero)
    registry = people.registry()
    registry["keys"] = [one | {"counter": 7} if one["id"] == "ben-sk" else one for one in registry["keys"]]
    yield "bad-counter-enrolled", approval("Not above the counter at enrolment.", by("ben-sk"), registry=registry)


def forms() -> Named:
    """Requests that are no requests of version 1, each signed as it stands."""
    deep: Any = 1
    for _ in range(64):
        deep = [deep]
    cases: dict[str, dict[str, Any]] = {
        "unknown-member": request("ben-sk") | {"note": "x"},
        "missing-member": {name: value for name, value in request("ben-sk").items() if name != "nonce"},
        "version": request("ben-sk", v=2),
        "decision": request("ben-sk", decision="Approve"),
        "nonce": request("ben-sk", nonce="AAAA"),
        "nonce-spelling": request("ben-sk", nonce="A" * 21 + "B"),
        "instant": request("ben-sk", issued_at="2026-11-30T07:00:00Z"),
        "day": request("ben-sk", not_after="2026-02-30T07:00:00.000000Z"),
        "digest": request("ben-sk", prev=people.LEAF.upper()),
        "empty-reason": request("ben-sk", reason=""),
        "reason-number": request("ben-sk", reason=5),
        "reason-long": request("ben-sk", reason="x" * 4097),
        "null-reason": request("ben-sk", reason=None),
        "float": request("ben-sk", content(args={"n": 1.5})),
        "large-number": request("ben-sk", content(args={"n": 2**53})),
        "depth": request("ben-sk", content(args={"n": deep})),
        "concealed-form": request("ben-sk", content(args={"...": "x"})),
        "unknown-content": request("ben-sk", content() | {"note": "x"}),
        "null-target": request("ben-sk", content(target=None)),
        "too-long": request("ben-sk", content(args={"n": "x" * 131_072})),
    }
    for name, value in cases.items():
        found = proof({**value, "person": "p-ben"})
        if name == "missing-member":
            del found["request"]["person"]
            found["request"]["person"] = "p-ben"
        yield f"bad-request-{name}", approval("No request of version 1, signed as it stands.", found)
    wrong = proof(request("ben-sk", action="0" * 64))
    yield "bad-request-action", approval("An action that is not the digest of its content.", wrong)
    none = altered(by("ben-sk"), request=None)
    yield "bad-request-none", approval("No request at all.", none)
    changed = copy.deepcopy(by("ben-sk"))
    changed["request"]["prev"] = "0" * 64
    yield "bad-request-altered", approval("Altered after signing.", changed)


def decisions() -> Named:
    good = proof(decision("ben-sk"), "decision")
    for name, changed in (
        ("saga", {"saga": "Sh6vM3qR1u8dPj7y0ZnC9k"}),
        ("pause", {"prev": "0" * 64}),
        ("target", {"waiting": ["e2"]}),
        ("role", {"roles": ["registrar-in-chief"]}),
        ("strength", {"strength": "A"}),
        ("agent", {"agent": "other-agent"}),
    ):
        yield f"bad-decision-{name}", decided(f"Another {name} than the line's.", good, **changed)
    own = proof(decision("dan-software"), "decision")
    yield "bad-decision-own", decided("By the owner of the agent.", own, strength="D")
    late = decided("After its end.", good) | {"at": "2026-11-30T09:00:00.000001Z"}
    yield "bad-decision-late", late
    verdict = proof(decision("ben-sk", verdict="fine"), "decision")
    yield "bad-decision-verdict", decided("No verdict of the format.", verdict)
    mixed = altered(good, signature=proof(decision("ben-sk"), "approval")["signature"])
    yield "bad-decision-domain", decided("Signed under the domain of approvals.", mixed)
