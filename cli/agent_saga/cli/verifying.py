"""``agent-saga verify``: what a file proves under a pin. Which kind of evidence it is, its own first bytes tell."""

import json
import sys
from dataclasses import replace
from typing import Annotated

import typer

from agent_saga.cli.answers import Answer, Asked, Undecided
from agent_saga.cli.certificates import Retrial
from agent_saga.cli.evidence import CERTIFICATE, KINDS, recognise
from agent_saga.cli.terminal import say, visible

NO, UNDECIDED, NOTHING = 1, 3, 4


def verify(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A bundle, certificate, checkpoint or proof; - is stdin.")
    ] = "",
    pin: Annotated[
        str, typer.Option("--pin", metavar="PIN", help="Whom you trust: a file made before you looked. Needed.")
    ] = "",
    checkpoint: Annotated[
        list[str] | None,
        typer.Option("--checkpoint", metavar="FILE", help="A checkpoint that you kept: the log must continue it."),
    ] = None,
    consistency: Annotated[
        str, typer.Option("--consistency", metavar="FILE", help="The proof that it does: agent-saga log consistency.")
    ] = "",
    line: Annotated[
        str, typer.Option("--line", metavar="FILE", help="The line that a tlog-proof is about, its exact bytes.")
    ] = "",
    saga: Annotated[str, typer.Option("--saga", metavar="ID", help="Refuse a bundle of any other saga.")] = "",
    lines_out: Annotated[
        str, typer.Option("--lines-out", metavar="FILE", help="Write the lines of a proven bundle to this new file.")
    ] = "",
    disclosures_out: Annotated[
        str, typer.Option("--disclosures-out", metavar="FILE", help="Write what opened its values to this new file.")
    ] = "",
    trace: Annotated[
        str, typer.Option("--trace", metavar="TRACE", help="Judge this trace again as the certificate says it was.")
    ] = "",
    accept_profile: Annotated[
        list[str] | None,
        typer.Option("--accept-profile", metavar="custom", help="Accept a certificate made with choices of its own."),
    ] = None,
    disclosures: Annotated[
        list[str] | None,
        typer.Option("--disclosures", metavar="FILE", help="With --trace: disclosures that open concealed values."),
    ] = None,
    baseline: Annotated[
        str, typer.Option("--baseline", metavar="FILE", help="With --trace: the baseline that it was judged with.")
    ] = "",
    mapping: Annotated[
        str, typer.Option("--mapping", metavar="FILE", help="With --trace: the mapping that it was judged with.")
    ] = "",
    registry: Annotated[
        str, typer.Option("--registry", metavar="FILE", help="With --trace: the key registry that it was judged by.")
    ] = "",
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", metavar="FILE", help="With --trace: the policy that it was judged by; repeatable."),
    ] = None,
    waivers: Annotated[
        str, typer.Option("--waivers", metavar="FILE", help="With --trace: the waivers that it was judged with.")
    ] = "",
    form: Annotated[str, typer.Option("--format", "-f", metavar="text|json", help="How to say it.")] = "text",
    html: Annotated[
        bool, typer.Option("--html", help="Open the HTML verifier in the browser instead, for who installs nothing.")
    ] = False,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="With --html: write a copy to this new file.")
    ] = "",
) -> int:
    """Say what a file proves, what it does not, and on whose word it rests. Reads only these files."""
    from agent_saga.proofs.errors import Refuted

    if html:
        return _page(output, bool(file or pin))
    _require_given(file, pin, output)
    if form not in ("text", "json"):
        raise typer.BadParameter(f"--format {form}: expected text or json")
    data = read_evidence(file)
    if not data:
        _tell(form, f"{file}: is empty", {"result": "nothing", "message": "the file is empty"}, "nothing")
        return NOTHING
    try:
        kind = recognise(data, file)
        opened, accepted = tuple(disclosures or ()), tuple(accept_profile or ())
        retrial = Retrial(trace, accepted, opened, baseline, mapping, registry, tuple(policy or ()), waivers)
        if retrial and kind.name != CERTIFICATE:
            raise typer.BadParameter(f"{file}: is a {kind.name}; --trace and what goes with it are for certificates")
        asked = replace(_asked(pin, checkpoint or [], consistency, line, saga), retrial=retrial)
        answer = kind.run(data, asked)
    except Refuted as fault:
        told = {"result": "refuted", "reason": fault.reason, "message": str(fault)}
        _tell(form, f"{fault.reason}: {fault}", told, "refuted")
        return NO
    except Undecided as fault:
        _tell(form, str(fault), {"result": "undecided", "message": str(fault)}, "undecided")
        return UNDECIDED
    _keep(answer, lines_out, disclosures_out)
    say("".join(row + "\n" for row in answer.words) if form == "text" else json.dumps(answer.record, indent=2) + "\n")
    return answer.code


def _page(output: str, more: bool) -> int:
    from agent_saga.cli.page import hand_out

    if more:
        raise typer.BadParameter("--html: give the file and the pin to the page, not here")
    return hand_out(output)


def _require_given(file: str, pin: str, output: str) -> None:
    """Without a pin nothing can be proven, and nothing is assumed. Raises BadParameter."""
    if output:
        raise typer.BadParameter("--output: goes with --html")
    if not file:
        raise typer.BadParameter("no FILE: name a bundle, a checkpoint or a proof")
    if not pin:
        raise typer.BadParameter("no --pin: without knowing whom to trust nothing can be verified")


def _asked(pin: str, checkpoints: list[str], consistency: str, line: str, saga: str) -> Asked:
    from agent_saga.proofs.continuing import parse_continuation
    from agent_saga.proofs.pins import parse_pins

    try:
        text = read_evidence(pin).decode()
    except UnicodeDecodeError as fault:
        raise typer.BadParameter(f"{pin}: is no pin file: not UTF-8") from fault
    return Asked(
        pins=parse_pins(text),
        checkpoints=[read_evidence(path) for path in checkpoints],
        continuation=parse_continuation(read_evidence(consistency)) if consistency else None,
        line=read_evidence(line).removesuffix(b"\n") if line else None,
        saga=saga,
    )


def read_evidence(path: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``, up to one more than the largest bundle may have."""
    from agent_saga.proofs.bundles.reading import MAX_BUNDLE

    try:
        if path == "-":
            return sys.stdin.buffer.read(MAX_BUNDLE + 1)
        with open(path, "rb") as stream:
            return stream.read(MAX_BUNDLE + 1)
    except (OSError, ValueError) as fault:
        raise typer.BadParameter(f"{path}: cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault


def _tell(form: str, text: str, told: dict[str, str], label: str) -> None:
    if form == "json":
        say(json.dumps(told, indent=2) + "\n")
    else:
        say(visible(f"{label + ':':<12}{text}") + "\n")


def _keep(answer: Answer, lines: str, disclosures: str) -> None:
    """Write what was proven to new files, for ``certify``."""
    from agent_saga.trace.store.moving import new_file

    if (lines or disclosures) and not answer.lines:
        raise typer.BadParameter(
            "--lines-out, --disclosures-out: nothing here shows lines; only a bundle of a saga does"
        )
    if lines:
        with new_file(lines) as out:
            out.writelines(line + b"\n" for line in answer.lines)
    if disclosures:
        with new_file(disclosures, private=True) as out:
            out.writelines(text.encode("ascii") + b"\n" for text in answer.disclosures)


__all__ = ["KINDS", "read_evidence", "verify"]
