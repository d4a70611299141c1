"""``agent-saga verify`` of a certificate: what a pinned key certifies, and whether the trace comes to the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from agent_saga.cli.answers import Answer, Asked, Undecided, decided

if TYPE_CHECKING:
    from agent_saga.certify.certificate.opening import Certificate


@dataclass(frozen=True, slots=True)
class Retrial:
    """What the command line gives to judge a certificate by. trace: "" for none. accepted: profiles but ``default``."""

    trace: str = ""
    accepted: tuple[str, ...] = ()
    disclosures: tuple[str, ...] = ()
    baseline: str = ""
    mapping: str = ""
    registry: str = ""
    policies: tuple[str, ...] = ()
    waivers: str = ""

    def check(self) -> None:
        """Raises BadParameter for what would be passed over in silence."""
        if set(self.accepted) - {"custom"}:
            raise typer.BadParameter(f"--accept-profile {', '.join(self.accepted)}: the only other profile is custom")
        beside = (self.disclosures, self.baseline, self.mapping, self.registry, self.policies, self.waivers)
        if not self.trace and any(beside):
            told = "--disclosures, --baseline, --mapping, --registry, --policy and --waivers go with --trace"
            raise typer.BadParameter(told)

    def __bool__(self) -> bool:
        return self != Retrial()


def verify_certificate(data: bytes, asked: Asked) -> Answer:
    """What the certificate says, once its signature holds; its exit code is that of the verdict.

    Raises Refuted, Undecided, KeyFault, SourceError.
    """
    from agent_saga.certify.certificate.opening import open_certificate, words

    retrial = asked.retrial if isinstance(asked.retrial, Retrial) else Retrial()
    retrial.check()
    certificate = open_certificate(data, asked.pins, retrial.accepted)
    _check_continues(certificate, asked)
    if retrial.trace:
        _rederive(certificate, retrial, asked)
    told = words(certificate, rederived=bool(retrial.trace))
    return Answer(told, _record(certificate, rederived=bool(retrial.trace)), code=_code(certificate))


def _code(certificate: "Certificate") -> int:
    """So that a certificate of a bad verdict never passes for a good one in a script."""
    from agent_saga.certify.report import Exit, Verdict

    codes = {Verdict.CERTIFIED: Exit.CERTIFIED, Verdict.INCONCLUSIVE: Exit.INCONCLUSIVE}
    return int(codes.get(certificate.verdict, Exit.NOT_CERTIFIED))


def _check_continues(certificate: "Certificate", asked: Asked) -> None:
    """Hold the certificate's checkpoint against the one that the auditor kept."""
    from agent_saga.proofs.bundles.verifying import check_earlier
    from agent_saga.proofs.checkpoints import open_checkpoint

    if not asked.checkpoints:
        return
    pinned = certificate.statement.predicate["checkpoint"]
    if pinned == "none":
        raise Undecided("the certificate names no checkpoint: it cannot be told whether it continues the one you hold")
    checkpoint, _ = open_checkpoint(pinned["note"].encode(), asked.pins.log)
    decided(asked, lambda earlier: check_earlier(checkpoint, asked.pins, earlier))


def _rederive(certificate: "Certificate", retrial: Retrial, asked: Asked) -> None:
    from agent_saga.certify.baseline import read_baseline
    from agent_saga.certify.certificate.rederiving import Given, NotComparable, rederive

    baseline = read_baseline(retrial.baseline) if retrial.baseline else None
    given = Given(
        retrial.trace,
        retrial.disclosures,
        baseline,
        _mapping(retrial.mapping),
        registry=retrial.registry,
        policies=retrial.policies,
        waivers=retrial.waivers,
    )
    try:
        rederive(certificate, given, asked.pins)
    except NotComparable as fault:
        raise Undecided(str(fault)) from fault


def _mapping(path: str) -> Mapping[str, object] | None:
    from agent_saga.cli.judging import read_mapping

    return read_mapping(path)


def _record(certificate: "Certificate", *, rederived: bool) -> dict[str, Any]:
    statement = certificate.statement
    return {
        "result": "verified",
        "kind": "certificate",
        "signed_by": str(certificate.by),
        "subject": statement.subject.descriptor(),
        "predicate": dict(statement.predicate),
        "rederived": rederived,
    }
