"""Reaching the verdict again: the trace is judged with the certificate's own choices, and every field compared.

Source: docs/spec/certificate-v1.md, "Deriving the verdict again".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from agent_saga.certify.baseline import Baseline
from agent_saga.certify.certificate.making import Uncertifiable, statement, subject
from agent_saga.certify.certificate.opening import Certificate
from agent_saga.certify.certificate.predicate import EARLIER, WAIVERS
from agent_saga.certify.certificate.resuming import is_resumed
from agent_saga.certify.judging.covering import Wanted
from agent_saga.certify.policing.telling import first_use_of
from agent_saga.certify.policing.trust import Files, PolicyTrust, read_policy_trust
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.rules import rule_set_digest
from agent_saga.certify.run import Options, certify
from agent_saga.certify.standing.trust import Trust, read_trust, was_first_use
from agent_saga.certify.version import tool_version
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.pins import Pins
from agent_saga.proofs.statement import FileSubject, LogSubject, Subject
from agent_saga.trace.errors import AgentSagaError


class NotComparable(AgentSagaError):
    """The verdict cannot be reached again with what was given; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a verifier hands over besides the certificate. disclosures: files. trace: a path."""

    trace: str
    disclosures: tuple[str, ...] = ()
    baseline: Baseline | None = None
    mapping: Mapping[str, object] | None = None
    jobs: int = 1
    registry: str = ""
    """File of the key registry, where the log does not hold it."""
    policies: tuple[str, ...] = ()
    waivers: str = ""
    """Files of the policies that it was judged by, as they came into force, and of their waivers."""


def rederive(certificate: Certificate, given: Given, pins: Pins) -> Report:
    """Judge the trace as the certificate says it was judged; returns the new report when both come to the same.

    Raises NotComparable, SourceError, and Refuted: ``wrong-subject`` (another trace), ``other-verdict``,
    ``other-field``.
    """
    found = certificate.statement.predicate
    _check_comparable(found, given)
    trust = read_trust(given.registry, found["registry"] or "", was_first_use(found["assumptions"]))
    policy = _policy(found, given, trust)
    report = certify([given.trace], _options(found, given, pins, trust, policy))
    try:
        again = statement(report, found["now"])
    except Uncertifiable as fault:
        raise Refuted("other-verdict", f"certified is {found['verdict']!r}: {fault}") from fault
    _check_same_subject(certificate.statement.subject, report)
    for name, said, is_so in _differences(found, _as_resumed(again.predicate, found)):
        told = f"{name}: certified is {said!r:.200}; the trace comes to {is_so!r:.200}"
        raise Refuted("other-verdict", told) if name == "verdict" else Refuted("other-field", told)
    return report


def _as_resumed(again: Mapping[str, Any], found: Mapping[str, Any]) -> Mapping[str, Any]:
    """What all lines come to, in the words of a certificate that goes on from an earlier one.

    It bears no digest of all bytes, and one sentence more about what was not read again.
    """
    if "since" not in found["input"]:
        return again
    known = {name: found["input"][name] for name in ("sha256", "since")}
    told = [*again["assumptions"], *(one for one in found["assumptions"] if is_resumed(one))]
    return {**again, "input": {**again["input"], **known}, "assumptions": told}


def _check_comparable(found: Mapping[str, Any], given: Given) -> None:
    by = (found["tool"]["version"], found["rules"]["digest"])
    if by != (tool_version(), rule_set_digest()):
        raise NotComparable(
            f"it was made by release {by[0]} with the rule set {by[1][:16]}...; this is {tool_version()} with "
            f"{rule_set_digest()[:16]}...: derive it again with that release"
        )
    sha256 = given.baseline.sha256 if given.baseline else ""
    if found["choices"]["baseline_sha256"] != sha256:
        raise NotComparable(
            f"judged with the baseline {found['choices']['baseline_sha256'] or 'none'}: give --baseline"
        )


def _policy(found: Mapping[str, Any], given: Given, trust: Trust) -> PolicyTrust:
    """The policy and waivers that the certificate names. Raises NotComparable where others, or none, are given."""
    read = read_policy_trust(Files(given.policies, "", given.waivers), trust)
    policies = (*found.get(EARLIER, ()), *([found["policy"]] if found["policy"] else ()))
    named = {"policy": (" and ".join(policies), " and ".join(one.digest for one in read.all))}
    named["waivers"] = (found["choices"].get(WAIVERS, ""), read.waivers.digest if read.waivers else "")
    for what, (said, is_so) in named.items():
        if said != is_so:
            raise NotComparable(
                f"judged with the {what} {said or 'none'}, and given is {is_so or 'none'}: give --{what}"
            )
    return replace(read, first_use=first_use_of(found["assumptions"]))


def _options(found: Mapping[str, Any], given: Given, pins: Pins, trust: Trust, policy: PolicyTrust) -> Options:
    made, pinned = found["choices"], found["checkpoint"]
    notes = () if pinned == "none" else (*pinned["earlier"], pinned["note"])
    wanted_notes = () if found["input"]["format"].startswith("agent-saga bundle") else notes
    choices = Choices(
        fail_on=made["fail_on"],
        inconclusive=made["inconclusive"],
        open=made["open"],
        require_chain=made["require_chain"],
        selected=tuple(made["selected"]),
        ignored=tuple(made["ignored"]),
        expected_root=made["expected_root"],
        expected_size=made["expected_size"],
        baseline_sha256=made["baseline_sha256"],
        baseline="given" if made["baseline_sha256"] else "",
        waivers="given" if made.get(WAIVERS) else "",
        controls=tuple(found.get("controls", {})),
    )
    wanted = Wanted(pins, tuple(note.encode() for note in wanted_notes), made["expected_root"], made["expected_size"])
    return Options(
        choices=choices,
        mapping=given.mapping,
        disclosures=given.disclosures,
        jobs=given.jobs,
        baseline=given.baseline,
        wanted=wanted,
        trust=trust,
        policy=policy,
    )


def _check_same_subject(said: Subject, report: Report) -> None:
    is_so = subject(report.inputs[0])
    same = (
        said == is_so
        if isinstance(said, LogSubject)
        else isinstance(is_so, FileSubject) and is_so.sha256 == said.sha256
    )
    if not same:
        raise Refuted("wrong-subject", f"it is about {said}; given is {is_so}")


def _differences(said: Any, is_so: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two predicates differ, as ``counts/error`` and both values; the verdict first."""
    if isinstance(said, Mapping) and isinstance(is_so, Mapping):
        for name in sorted(said.keys() | is_so.keys(), key=lambda name: (name != "verdict", name)):
            yield from _differences(said.get(name), is_so.get(name), f"{place}/{name}" if place else name)
    elif isinstance(said, list) and isinstance(is_so, list):
        for at, (one, other) in enumerate(zip_longest(said, is_so)):
            yield from _differences(one, other, f"{place}/{at}")
    elif said != is_so or type(said) is not type(is_so):
        yield place, said, is_so
