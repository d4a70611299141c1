"""Opening a certificate: from bytes and a pin to what its signer says. It reads no file and no clock.

Source: docs/spec/certificate-v1.md, "Verification", in this order; the first refusal wins.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent_saga.certify.certificate.reading import check_predicate
from agent_saga.certify.controls.results import Answer
from agent_saga.certify.report import Verdict
from agent_saga.proofs.checkpoints import open_checkpoint
from agent_saga.proofs.dsse import open_envelope
from agent_saga.proofs.errors import KeyFault, Refuted
from agent_saga.proofs.pins import Pins
from agent_saga.proofs.statement import LogSubject, Statement, parse_statement
from agent_saga.proofs.vkeys import VerifierKey
from agent_saga.trace.printing import visible


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate whose signature was verified. by: the pinned key that signed it."""

    statement: Statement
    by: VerifierKey

    @property
    def verdict(self) -> Verdict:
        """What the signer says of the evidence."""
        return Verdict(self.statement.predicate["verdict"])


def open_certificate(data: bytes, pins: Pins, accepted: Sequence[str] = ()) -> Certificate:
    """What a pinned key certifies in these bytes.

    accepted: profiles that are accepted besides ``default``. Raises KeyFault when no certificate key is pinned, and
    Refuted (docs/spec/certificate-v1.md, "Reasons").
    """
    if not pins.certificates:
        raise KeyFault("the pin names no certificate key: add a line `certificate VKEY` for whom you trust to certify")
    payload, key = open_envelope(data, pins.certificates)
    statement = parse_statement(payload)
    check_predicate(statement)
    _check_checkpoint(statement, pins)
    profile = statement.predicate["profile"]
    if profile != "default" and profile not in accepted:
        raise Refuted("custom-profile", f"it was made with the profile {profile}: give --accept-profile {profile}")
    return Certificate(statement, key)


def _check_checkpoint(statement: Statement, pins: Pins) -> None:
    """The checkpoint that it names is the pinned log's, and says what it is said to say. Raises Refuted."""
    found = statement.predicate["checkpoint"]
    if found == "none":
        return
    checkpoint, _ = open_checkpoint(found["note"].encode("utf-8", "replace"), pins.log)
    for note in found["earlier"]:
        open_checkpoint(note.encode("utf-8", "replace"), pins.log)
    said = (found["origin"], found["size"], found["root"])
    if said != (checkpoint.origin, checkpoint.size, checkpoint.root.hex()):
        raise Refuted(
            "wrong-checkpoint", f"it names {said[1]} lines of {said[0]}: the signed checkpoint says otherwise"
        )


def words(certificate: Certificate, *, rederived: bool) -> list[str]:
    """What is certified, by whom and on what, and what is not: one statement a line."""
    found = certificate.statement.predicate
    rows = [
        ("certificate", f"{found['headline'].upper()}, profile {found['profile']}"),
        ("about", visible(str(certificate.statement.subject))),
        ("signed by", str(certificate.by)),
        ("judged", f"{found['sagas']['judged']} sagas, {found['input']['lines']} lines, at {found['now']}"),
        ("findings", ", ".join(f"{count} {kind}" for kind, count in found["counts"].items() if count) or "none"),
        ("rules", f"{found['tool']['name']} {found['tool']['version']}, rule set {found['rules']['digest']}"),
    ]
    rows += [("not judged", f"{code}: {why}") for code, why in found["rules"]["not_assessable"].items()]
    rows += [("controls", f"{name}: {_counted(answers)}") for name, answers in found.get("controls", {}).items()]
    rows += [("assumes", text) for text in found["assumptions"]]
    if rederived:
        rows.append(("rederived", "the trace that you gave was judged again and comes to the same"))
    else:
        rows.append(("not proven", "that the verdict follows from the trace: give --trace FILE to judge it again"))
    if not isinstance(certificate.statement.subject, LogSubject):
        rows.append(("not proven", "that the file is the whole log: the certificate names no log as its subject"))
    return [f"{label + ':':<13}{visible(text)}" for label, text in rows]


def _counted(answers: Mapping[str, str]) -> str:
    """How many controls got which answer."""
    counts = Counter(answers.values())
    return ", ".join(f"{counts[answer]} {answer}" for answer in Answer)
