"""``agent-saga prove``: cut one saga out of a log, with what proves it to somebody who has nothing but a pin."""

from typing import Annotated

import typer

from agent_saga.cli.terminal import note, visible
from agent_saga.cli.trace import byte_output

_Many = list[str] | None


def prove(
    saga: Annotated[str, typer.Argument(metavar="SAGA", help="The id of the saga.")],
    store: Annotated[str, typer.Option("--store", metavar="STORE", help="The store that has the log.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="A new file; - is stdout.")] = "-",
    reveal: Annotated[
        _Many,
        typer.Option("--reveal", metavar="PATH", help="Open a concealed value: SEQ:/POINTER, SEQ, or all; repeatable."),
    ] = None,
    conceal: Annotated[
        _Many,
        typer.Option("--conceal", metavar="PATH", help="Open all concealed values but this one; repeatable."),
    ] = None,
    lines: Annotated[
        _Many,
        typer.Option("--lines", metavar="A..B", help="A part: only these lines, and line 0; repeatable."),
    ] = None,
    absent: Annotated[bool, typer.Option("--absent", help="Prove that the log has no line of this saga.")] = False,
    tlog_proof: Annotated[
        str, typer.Option("--tlog-proof", metavar="FILE", help="Also prove the last line shown to any C2SP tool.")
    ] = "",
) -> int:
    """Write the bundle of one saga, as of the latest checkpoint of its log. Nothing concealed is opened by default."""
    if absent and (reveal or conceal or lines or tlog_proof):
        raise typer.BadParameter("--absent shows no line: it goes with no other choice")
    from agent_saga.proofs.errors import LogFault

    try:
        _write(saga, store, output, tlog_proof, _Choices(reveal or [], conceal or [], lines or [], absent))
    except LogFault as fault:
        note(f"agent-saga: error: {visible(str(fault))}")
        return 1
    return 0


class _Choices:
    """What was asked for."""

    def __init__(self, reveal: list[str], conceal: list[str], lines: list[str], absent: bool) -> None:
        self.reveal, self.conceal, self.lines, self.absent = reveal, conceal, lines, absent


def _write(saga: str, store: str, output: str, tlog_proof: str, asked: _Choices) -> None:
    from agent_saga.proofs.bundles.making import make_bundle, make_tlog_proof
    from agent_saga.proofs.bundles.reading import parse_bundle
    from agent_saga.proofs.log import Log
    from agent_saga.trace.store.kept import read_kept

    kept = read_kept(store, saga) if asked.reveal or asked.conceal else None
    if kept and kept.erased:
        note(f"values of this saga that were erased and stay concealed: {len(kept.erased)}")
    with Log.open(store) as log:
        data = make_bundle(
            log,
            saga,
            reveal=asked.reveal,
            conceal=asked.conceal,
            lines=asked.lines,
            absent=asked.absent,
            disclosures=kept.texts if kept else (),
        )
        bundle = parse_bundle(data)
        proof = make_tlog_proof(log, bundle.anchors[-1][1]) if tlog_proof else b""
    _save(output, data)
    if tlog_proof:
        _save(tlog_proof, proof)
    told = f"{bundle.claim}: saga {saga}, lines: {len(bundle.lines)}, values opened: {len(bundle.disclosures)}"
    note(f"{visible(told)}, {len(data)} bytes")


def _save(path: str, data: bytes) -> None:
    from agent_saga.trace.store.moving import new_file

    with byte_output() if path == "-" else new_file(path) as out:
        out.write(data)
