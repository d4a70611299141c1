"""Reading a predicate strictly: its form, by the published schema, and that it does not contradict itself.

Source: docs/spec/certificate-v1.md, "Predicate".
"""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from agent_saga.certify.certificate import schema
from agent_saga.certify.certificate.predicate import EARLIER, KINDS, WAIVERS, profile
from agent_saga.certify.report import Verdict
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.statement import FileSubject, LogSubject, Statement


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema()))


def check_predicate(statement: Statement) -> None:
    """Raises Refuted: ``bad-predicate``, ``contradicts-itself``, ``wrong-subject``."""
    found = statement.predicate
    fault = next(iter(_validator().iter_errors(found)), None)
    if fault is not None:
        place = "/".join(map(str, fault.absolute_path)) or "the predicate"
        raise Refuted("bad-predicate", f"{place}: {fault.message[:200]}")
    for why in _contradictions(dict(found)):
        raise Refuted("contradicts-itself", why)
    _check_subject(statement)


def _contradictions(found: dict[str, Any]) -> Iterator[str]:
    """What a predicate may not say, whoever signed it; the first is enough."""
    due = profile(found["choices"])
    if found["profile"] != due:
        yield f"the profile is said to be {found['profile']}, the choices make it {due}"
    sums = {kind: sum(one[kind] for one in found["findings"].values()) for kind in KINDS}
    if sums != found["counts"]:
        yield f"the counts are {found['counts']}, those of the rules add up to {sums}"
    if found["exceptions"]["suppressed"] != len(found["waivers"]):
        yield f"{found['exceptions']['suppressed']} exceptions are counted, {len(found['waivers'])} waivers are listed"
    if ("since" in found["input"]) is not (found["input"]["sha256"] is None):
        yield "lines that were certified before have no digest, and all others have one"
    if found["input"].get("since", 0) > found["input"]["lines"]:
        yield f"{found['input']['since']} lines were certified before, of {found['input']['lines']}"
    if ("policy_waivers" in found) is not (WAIVERS in found["choices"]) or (
        WAIVERS in found["choices"] and not found["policy"]
    ):
        yield "waivers are those of a policy: its digest, theirs, and what they let pass stand together"
    if found["policy"] in (None, *found.get(EARLIER, ())) and EARLIER in found:
        yield "policies that were in force before stand beside the one that came after them"
    if _passed(found) and any(code.startswith("AS1") and one["error"] for code, one in found["findings"].items()):
        yield "a control passed, and the log that it rests on is not sound"
    if found["verdict"] == Verdict.CERTIFIED:
        yield from _kinder(found)


def _passed(found: dict[str, Any]) -> bool:
    return any("PASS" in answers.values() for answers in found.get("controls", {}).values())


def _kinder(found: dict[str, Any]) -> Iterator[str]:
    """Reasons why nothing can be certified with these counts and choices."""
    made, counts = found["choices"], found["counts"]
    if not found["sagas"]["judged"]:
        yield "certified, and no saga was judged"
    failing = {"error": KINDS[:1], "warning": KINDS[:2], "note": KINDS[:3]}[made["fail_on"]]
    if any(counts[kind] for kind in failing):
        yield f"certified, with {counts} where {made['fail_on']} refuses"
    if counts["inconclusive"] and made["inconclusive"] != "pass":
        yield f"certified, with {counts['inconclusive']} questions left open"
    if found["profile"] == "default" and found["waivers"]:
        yield "findings were waived under the default profile"


def _check_subject(statement: Statement) -> None:
    """The subject is what was judged: the log of the checkpoint, or the file."""
    subject, found = statement.subject, statement.predicate
    pinned = found["checkpoint"]
    if isinstance(subject, LogSubject):
        said = (subject.origin, subject.size, subject.root)
        if pinned == "none" or said != (pinned["origin"], pinned["size"], pinned["root"]) or not pinned["agrees"]:
            raise Refuted("wrong-subject", f"it is about {subject}, which is not the checkpoint that was judged")
    elif isinstance(subject, FileSubject) and subject.sha256 != found["input"]["sha256"]:
        raise Refuted(
            "wrong-subject", f"it is about {subject}; judged was a file of the SHA-256 {found['input']['sha256']}"
        )
