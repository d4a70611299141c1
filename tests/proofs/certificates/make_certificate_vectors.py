"""Writes fixtures/vectors/certificates: good and hostile certificates, each with its pin and what to expect."""

from __future__ import annotations

import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from certificate_samples import (
    BARE_PIN,
    CERTIFIER,
    FILE,
    FILE_SUBJECT,
    KEY,
    LOG_SUBJECT,
    NONE,
    OTHER,
    PIN,
    ROOT,
    SEEDS,
    TYPE,
    canonical,
    enveloped,
    note,
    predicate,
    sealed,
    signature,
    statement,
)

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "vectors" / "certificates"
KEYS = f"Test-only Ed25519 keys, seeds 32 times the byte: {SEEDS}."
GOOD = sealed(statement())
PAYLOAD = canonical(statement())
CUSTOM = {"profile": "custom", "choices__fail_on": "warning"}
LOOSE = {"profile": "custom", "choices__ignored": ["AS201"], "choices__inconclusive": "pass"}
WAIVER = {"by": "--ignore AS201", "code": "AS201", "fingerprint": FILE}
ONE_ERROR = NONE | {"error": 1}


def ok(verdict: str = "certified", profile: str = "default") -> dict[str, Any]:
    return {"ok": True, "verdict": verdict, "profile": profile}


def good() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Name, description, certificate, what else stands in the vector."""
    yield "log", "A log of 34 lines under its checkpoint.", GOOD, {}
    plain = predicate(checkpoint="none")
    yield "file", "A file, with no checkpoint.", sealed(statement(plain, FILE_SUBJECT)), {}
    bad = predicate(verdict="not certified", headline="not certified", counts=ONE_ERROR, findings={"AS201": ONE_ERROR})
    yield "not-certified", "A verdict that says no is a certificate too.", sealed(statement(bad)), {}
    custom = sealed(statement(predicate(**LOOSE, waivers=[WAIVER], exceptions={"signed": 0, "suppressed": 1})))
    yield "custom-accepted", "Choices of its own, which the verifier accepts.", custom, {"accept": ["custom"]}
    earlier = predicate(checkpoint__earlier=[note(7, bytes(32))])
    yield (
        "earlier-checkpoint",
        "The log was held against an earlier checkpoint as well.",
        sealed(statement(earlier)),
        {},
    )
    hint = {"keyid": "", "sig": signature(PAYLOAD)["sig"]}
    yield "keyid-empty", "The keyid is a hint: without it the pinned key verifies.", enveloped(PAYLOAD, hint), {}
    lying = {"keyid": "somebody.example/else+00000000", "sig": signature(PAYLOAD)["sig"]}
    yield "keyid-of-another", "The keyid is a hint: another name does not matter.", enveloped(PAYLOAD, lying), {}
    two = f"{BARE_PIN}certificate {_vkey(OTHER)}\ncertificate {_vkey(KEY, CERTIFIER)}\n"
    yield "second-pinned-key", "Two certificate keys are pinned; the second one signed.", GOOD, {"pin": two}


def _vkey(key: Any, name: str = "other.example/certify") -> str:
    from certificate_samples import vkey

    return vkey(name, key)


def envelopes() -> Iterator[tuple[str, str, str | bytes, str]]:
    """Name, description, certificate, reason: what is wrong with the envelope."""
    both = enveloped(PAYLOAD, signature(PAYLOAD), signature(PAYLOAD, OTHER, name="other.example/certify"))
    yield "two-signatures", "A second signature beside the right one.", both, "not-one-signature"
    yield "no-signature", "No signature at all.", enveloped(PAYLOAD), "not-one-signature"
    twice = enveloped(PAYLOAD, signature(PAYLOAD), signature(PAYLOAD))
    yield "one-signature-twice", "The right signature, twice.", twice, "not-one-signature"
    yield "another-key", "Signed by a key that is not pinned.", sealed(statement(), OTHER), "bad-signature"
    named = enveloped(PAYLOAD, signature(PAYLOAD, OTHER, name=CERTIFIER))
    yield "another-key-same-name", "Signed by another key under the pinned name.", named, "bad-signature"
    logged = sealed(statement(), _log())
    yield "signed-by-the-log", "Signed by the log's key, which serves another purpose.", logged, "bad-signature"
    bare = {"keyid": "", "sig": b64encode(KEY.sign(PAYLOAD)).decode()}
    yield (
        "signed-without-type",
        "The signature is over the payload alone, not over the PAE.",
        enveloped(PAYLOAD, bare),
        ("bad-signature"),
    )
    short = {"keyid": "", "sig": signature(PAYLOAD)["sig"][:-8]}
    yield "short-signature", "A signature of 58 bytes.", enveloped(PAYLOAD, short), "bad-signature"
    kind = "application/json"
    other = enveloped(PAYLOAD, signature(PAYLOAD, kind=kind), kind=kind)
    yield "type-changed", "Another payload type, signed as such: DSSE type confusion.", other, "wrong-payload-type"
    swapped = enveloped(PAYLOAD, signature(PAYLOAD), kind=kind)
    yield "type-swapped", "Another payload type under the signature for the right one.", swapped, "wrong-payload-type"
    cased = TYPE.replace("vnd", "VND")
    yield (
        "type-in-capitals",
        "The payload type in capitals.",
        enveloped(PAYLOAD, signature(PAYLOAD), kind=cased),
        ("wrong-payload-type"),
    )
    yield "payload-changed", "A byte of the payload was changed.", _changed(), "bad-signature"
    confused = _confused()
    yield (
        "length-moved",
        "Type and payload are cut at another place: the PAE has lengths.",
        confused,
        "wrong-payload-type",
    )
    payload = b64encode(PAYLOAD).decode()
    urlsafe = GOOD.replace(signature(PAYLOAD)["sig"], _urlsafe(signature(PAYLOAD)["sig"]))
    yield "base64-urlsafe", "The signature in base64url.", urlsafe, "bad-base64"
    yield "base64-unpadded", "The signature without padding.", GOOD.replace('=="}]', '"}]'), "bad-base64"
    yield "base64-spare-bits", "Spare bits of the signature's base64 are set.", _spare(), "bad-base64"
    yield (
        "base64-line-feed",
        "A line feed within the payload's base64.",
        GOOD.replace(payload, payload[:76] + "\\n" + payload[76:]),
        ("bad-base64"),
    )
    yield "white-space", "A space after a colon.", GOOD.replace('":"', '": "', 1), "bad-spelling"
    yield "no-line-feed", "No line feed at the end.", GOOD.rstrip("\n"), "bad-spelling"
    yield "two-line-feeds", "Two line feeds at the end.", GOOD + "\n", "bad-spelling"
    doubled = GOOD.replace('{"payload":', '{"payload":"e30=","payload":', 1)
    yield "payload-twice", "The payload stands twice.", doubled, "bad-spelling"
    found = json.loads(GOOD)
    reordered = json.dumps(dict(reversed(found.items())), separators=(",", ":")) + "\n"
    yield "members-reordered", "The members in another order.", reordered, "bad-spelling"
    unknown = canonical(found | {"zeal": 1}).decode() + "\n"
    yield "unknown-member", "A member that an envelope does not have.", unknown, "bad-envelope"
    del found["signatures"]
    yield "no-signatures", "The member signatures is missing.", canonical(found).decode() + "\n", "bad-envelope"
    yield "not-json", "No JSON.", '{"payloadType":', "bad-envelope"
    yield (
        "not-utf-8",
        "A byte that is no UTF-8.",
        GOOD.encode().replace(CERTIFIER.encode(), b"acme\xff"),
        "bad-envelope",
    )


def _log() -> Any:
    from certificate_samples import LOG

    return LOG


def _changed() -> str:
    return enveloped(PAYLOAD.replace(b'"judged":3', b'"judged":4'), signature(PAYLOAD))


def _confused() -> str:
    """What a signer signed as one type and payload, read as another pair whose bytes run together."""
    moved = PAYLOAD[1:]
    return enveloped(moved, signature(PAYLOAD), kind=TYPE + " " + PAYLOAD[:1].decode())


def _urlsafe(text: str) -> str:
    changed = text.replace("+", "-").replace("/", "_")
    assert changed != text
    return changed


def _spare() -> str:
    sig = signature(PAYLOAD)["sig"]
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    bent = sig[:-3] + alphabet[alphabet.index(sig[-3]) + 1] + "=="
    assert b64decode(bent) == b64decode(sig)
    return GOOD.replace(sig, bent)


def statements() -> Iterator[tuple[str, str, str, str]]:
    """What is wrong with the statement, rightly signed."""

    def signed(payload: bytes) -> str:
        return enveloped(payload, signature(payload))

    yield (
        "statement-v0",
        "An in-toto statement of another version.",
        sealed(statement(_type="https://in-toto.io/Statement/v0.1")),
        "wrong-type",
    )
    yield (
        "slsa-predicate",
        "The predicate of another project.",
        sealed(statement(predicateType="https://slsa.dev/provenance/v1")),
        "wrong-predicate-type",
    )
    yield (
        "later-predicate",
        "A predicate of version 2.",
        sealed(statement(predicateType="urn:agent-saga:certificate:v2")),
        "wrong-predicate-type",
    )
    yield "two-subjects", "Two subjects.", sealed(statement() | {"subject": [LOG_SUBJECT, FILE_SUBJECT]}), "bad-subject"
    yield "no-subject", "No subject.", sealed(statement() | {"subject": []}), "bad-subject"
    both = LOG_SUBJECT | {"digest": {"rfc9162-sha256": ROOT.hex(), "sha256": FILE}}
    yield "two-digests", "A subject with two digests.", sealed(statement(subject=both)), "bad-subject"
    weak = {"name": "orders.jsonl", "digest": {"sha1": "0" * 40}}
    yield (
        "weaker-digest",
        "A subject named by another digest: algorithm downgrade.",
        sealed(statement(subject=weak)),
        ("bad-subject"),
    )
    sizeless = {"name": LOG_SUBJECT["name"], "digest": LOG_SUBJECT["digest"]}
    yield "log-without-size", "A log without its size.", sealed(statement(subject=sizeless)), "bad-subject"
    more = statement() | {"more": 1}
    yield "statement-member", "A member that a statement does not have.", sealed(more), "bad-statement"
    yield "statement-array", "The payload is an array.", signed(b"[]"), "bad-statement"
    yield "statement-not-json", "The payload is no JSON.", signed(b"{"), "bad-statement"
    yield (
        "statement-nan",
        "A number that JSON does not have.",
        signed(PAYLOAD.replace(b":34,", b":NaN,", 1)),
        ("bad-statement"),
    )
    yield (
        "statement-spaced",
        "The payload has a space: another spelling.",
        signed(PAYLOAD.replace(b":", b": ", 1)),
        ("bad-spelling"),
    )
    yield (
        "verdict-twice",
        "The verdict stands twice, a kinder one last.",
        signed(PAYLOAD.replace(b'"verdict":', b'"verdict":"not certified","verdict":')),
        "bad-spelling",
    )


def predicates() -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """What is wrong with the predicate, rightly signed."""
    yield "custom", "Choices of its own, which nobody accepted.", predicate(**CUSTOM), "custom-profile"
    yield (
        "hidden-custom",
        "Choices of its own under the default profile.",
        predicate(choices__fail_on="warning"),
        ("contradicts-itself"),
    )
    yield (
        "hidden-ignore",
        "A rule was left out under the default profile.",
        predicate(choices__ignored=["AS201"]),
        ("contradicts-itself"),
    )
    yield (
        "errors-certified",
        "Certified with an error.",
        predicate(counts=ONE_ERROR, findings={"AS201": ONE_ERROR}),
        ("contradicts-itself"),
    )
    undecided = NONE | {"inconclusive": 2}
    yield (
        "undecided-certified",
        "Certified with open questions.",
        predicate(counts=undecided, findings={"AS602": undecided}),
        "contradicts-itself",
    )
    yield "nothing-certified", "Certified, and no saga was judged.", predicate(sagas__judged=0), "contradicts-itself"
    yield (
        "counts-do-not-add-up",
        "The counts are not those of the rules.",
        predicate(findings={"AS201": ONE_ERROR}),
        ("contradicts-itself"),
    )
    yield (
        "waiver-not-counted",
        "A waiver that the exceptions do not count.",
        predicate(waivers=[WAIVER]),
        ("contradicts-itself"),
    )
    yield "unknown-predicate-member", "A member that the schema does not know.", predicate(clean=True), "bad-predicate"
    yield "unknown-verdict", "A verdict that does not exist.", predicate(verdict="excellent"), "bad-predicate"
    yield "negative-count", "A count below zero.", predicate(sagas__judged=-1), "bad-predicate"
    yield "count-as-text", "A count as a text.", predicate(sagas__judged="3"), "bad-predicate"
    yield "time-without-zone", "A time that is none.", predicate(now="yesterday"), "bad-predicate"
    yield (
        "moved-root",
        "The checkpoint judged has another root than the subject.",
        predicate(checkpoint__root=FILE, checkpoint__note=note(34, bytes.fromhex(FILE))),
        "wrong-subject",
    )
    yield (
        "moved-size",
        "The checkpoint judged has another size than the subject.",
        predicate(checkpoint__size=33, checkpoint__note=note(33)),
        "wrong-subject",
    )
    yield (
        "log-without-checkpoint",
        "A log for a subject, and no checkpoint.",
        predicate(checkpoint="none"),
        ("wrong-subject"),
    )
    yield (
        "lines-disagree",
        "A log for a subject, and lines that do not stand under it.",
        predicate(checkpoint__agrees=False),
        "wrong-subject",
    )
    yield (
        "note-of-another-size",
        "The signed note says another size.",
        predicate(checkpoint__note=note(35)),
        ("wrong-checkpoint"),
    )
    yield (
        "note-by-another-key",
        "The note is signed by another key than the log's.",
        predicate(checkpoint__note=note(key=OTHER)),
        "unsigned",
    )
    yield (
        "note-of-another-log",
        "The note is of another log.",
        predicate(checkpoint__note=note(origin="log.example/other")),
        "wrong-origin",
    )
    yield (
        "earlier-unsigned",
        "An earlier checkpoint that the log did not sign.",
        predicate(checkpoint__earlier=[note(7, bytes(32), OTHER)]),
        "unsigned",
    )


def vectors() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every vector by its name."""
    for name, what, text, more in good():
        said = json.loads(b64decode(json.loads(text)["payload"]))["predicate"]
        yield f"good-{name}", _vector(what, text, more | {"expect": ok(said["verdict"], said["profile"])})
    moved = sealed(statement(predicate(checkpoint="none"), FILE_SUBJECT | {"digest": {"sha256": "0" * 64}}))
    rest = [
        *envelopes(),
        *statements(),
        ("moved-file", "The subject is another file than the one judged.", moved, "wrong-subject"),
        *((name, what, sealed(statement(said)), reason) for name, what, said, reason in predicates()),
    ]
    for name, what, text, reason in rest:
        yield f"bad-{name}", _vector(what, text, {"expect": {"reason": reason}})
    yield (
        "bad-no-pinned-key",
        _vector("No certificate key is pinned.", GOOD, {"pin": BARE_PIN, "expect": {"reason": "bad-key"}}),
    )


def _vector(what: str, text: str | bytes, more: dict[str, Any]) -> dict[str, Any]:
    body = {"certificate": text} if isinstance(text, str) else {"base64": b64encode(text).decode()}
    return {"description": what, "kind": "certificate", "keys": KEYS, "pin": PIN, **body, **more}


SHOWN = {"shop.certificate.json": GOOD, "shop.pin": PIN}
"""What docs/guide/certificates.md verifies, in fixtures/certificates."""


def _stale() -> list[str]:
    folder = FOLDER.parents[1] / "certificates"
    return [
        name
        for name, text in SHOWN.items()
        if not (folder / name).is_file() or (folder / name).read_text("utf-8") != text
    ]


def main(arguments: list[str]) -> int:
    """Writes the files, or says with --check which differ."""
    wanted = {f"{name}.json": json.dumps(found, indent=1) + "\n" for name, found in vectors()}
    if arguments == ["--check"]:
        there = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*")}
        for name in sorted({n for n in wanted if there.get(n) != wanted[n]} | (there.keys() - wanted.keys())):
            print(f"fixtures/vectors/certificates/{name} is not what its maker makes", file=sys.stderr)
        for name in _stale():
            print(f"fixtures/certificates/{name} is not what its maker makes", file=sys.stderr)
        return int(there != wanted or bool(_stale()))
    shown = FOLDER.parents[1] / "certificates"
    for folder in (FOLDER, shown):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in SHOWN.items():
        (shown / name).write_text(text, "utf-8")
    for old in FOLDER.glob("*"):
        old.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
