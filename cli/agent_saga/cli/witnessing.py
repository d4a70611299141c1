"""The commands of ``agent-saga log`` for those who look at a log: auditors, witnesses, monitors."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent_saga.cli.keeping import Output, Store, answered, app, save, tell
from agent_saga.cli.keys import Form, Key, Passphrase, opened_key
from agent_saga.cli.terminal import note, say

if TYPE_CHECKING:
    from agent_saga.proofs.checkpoints import Checkpoint, Pin
    from agent_saga.proofs.pins import Pins

PinFile = Annotated[str, typer.Option("--pin", metavar="PIN", help="Whom you trust: a file made before you looked.")]

UNDECIDED = 3

SPLIT = "that the log shows the same to everybody: compare checkpoints with others, or pin a witness"


@app.command("verify")
def verify(
    store: Store,
    pin: PinFile,
    checkpoint: Annotated[
        str, typer.Option("--checkpoint", metavar="FILE", help="One that you kept: the log must continue it.")
    ] = "",
    form: Form = "text",
) -> int:
    """Check a whole log: hash every line again, and hold tiles, index and every checkpoint against what comes out."""
    from agent_saga.cli.standing import standing
    from agent_saga.proofs.log.auditing import audit_log

    def work() -> int:
        pinned = _pins(pin).log
        found = audit_log(store, pinned, _kept(checkpoint, pinned), standing)
        size, root = found.checkpoint.size, found.checkpoint.root.hex()
        record: dict[str, Any] = {"result": "verified", "origin": found.checkpoint.origin, "size": size, "root": root}
        record |= {"checkpoints": found.checkpoints, "sagas": found.sagas, "uncovered": found.uncovered}
        record |= {"indexed": found.indexed, "not_shown": SPLIT}
        rows: list[tuple[str, object]] = [
            ("verified", f"{found.checkpoint.origin}, {size} lines"),
            ("root", root),
            ("checkpoints", f"{found.checkpoints}, each signed as pinned and continuing the one before"),
            ("index", f"{found.sagas} sagas, made again from the lines" if found.indexed else "none"),
            ("uncovered", f"{found.uncovered} lines after the latest checkpoint"),
            ("not shown", SPLIT),
        ]
        tell(form, rows, record)
        return 0

    return answered(form, work)


def _pins(path: str) -> "Pins":
    """A pin file. Raises BadParameter, KeyFault."""
    from agent_saga.cli.verifying import read_evidence
    from agent_saga.proofs.pins import parse_pins

    try:
        return parse_pins(read_evidence(path).decode())
    except UnicodeDecodeError as fault:
        raise typer.BadParameter(f"{path}: is no pin file: not UTF-8") from fault


def _kept(path: str, pin: "Pin") -> "Checkpoint | None":
    from agent_saga.cli.verifying import read_evidence
    from agent_saga.proofs.checkpoints import open_checkpoint

    return open_checkpoint(read_evidence(path), pin)[0] if path else None


@app.command("witness")
def witness(
    file: Annotated[str, typer.Argument(metavar="CHECKPOINT", help="The checkpoint to cosign; - is standard input.")],
    pin: PinFile,
    key: Key,
    state: Annotated[str, typer.Option("--state", metavar="FILE", help="What this witness saw before; keep it safe.")],
    consistency: Annotated[
        str, typer.Option("--consistency", metavar="FILE", help="The proof from the checkpoint that was seen last.")
    ] = "",
    output: Output = "-",
    passphrase_file: Passphrase = "",
) -> int:
    """Cosign a checkpoint, if the log took nothing back that this witness saw before. Needs no lines."""
    from agent_saga.cli.verifying import read_evidence
    from agent_saga.proofs.continuing import parse_continuation
    from agent_saga.proofs.errors import Refuted
    from agent_saga.proofs.log.witnessing import cosign_checkpoint

    def work() -> int:
        pinned = _pins(pin).log
        signing = opened_key(key, "witness", passphrase_file)
        proof = parse_continuation(read_evidence(consistency)) if consistency else None
        try:
            seen, signed = cosign_checkpoint(read_evidence(file), pinned, signing, state, proof, at=int(time.time()))
        except Refuted as fault:
            if fault.reason != "wrong-sizes" or proof is not None:
                raise
            note(f"agent-saga: undecided: {fault}: give --consistency FILE (`agent-saga log consistency` makes it)")
            return UNDECIDED
        save(output, str(signed).encode())
        note(f"cosigned {seen.origin} at {seen.size} lines as {signing.name}")
        return 0

    return answered("text", work)


@app.command("monitor")
def monitor(
    store: Store,
    pin: PinFile,
    key: Key,
    state: Annotated[
        str, typer.Option("--state", metavar="FILE", help="What this monitor saw before; the log must continue it.")
    ] = "",
    output: Output = "-",
    passphrase_file: Passphrase = "",
) -> int:
    """Read all lines, make root and saga index again, and cosign the latest checkpoint: its index is then audited.

    Concealed values stay concealed. Everything that log verify checks is checked.
    """
    from agent_saga.cli.standing import standing
    from agent_saga.proofs.log.witnessing import monitor_log

    def work() -> int:
        pinned = _pins(pin).log
        signing = opened_key(key, "monitor", passphrase_file)
        audited, signed = monitor_log(store, pinned, signing, state, at=int(time.time()), standing=standing)
        save(output, str(signed).encode())
        note(f"audited {pinned.origin}: {audited.checkpoint.size} lines, {audited.sagas} sagas, as {signing.name}")
        return 0

    return answered("text", work)


@app.command("attach")
def attach(
    store: Store,
    file: Annotated[str, typer.Argument(metavar="CHECKPOINT", help="A checkpoint of this log that others cosigned.")],
    pin: PinFile,
    form: Form = "text",
) -> int:
    """Take in the signatures of pinned witnesses and monitors, so that bundles of that checkpoint carry them."""
    from agent_saga.cli.verifying import read_evidence
    from agent_saga.proofs.log.attaching import attach as attached

    def work() -> int:
        size, new = attached(store, read_evidence(file), _pins(pin))
        tell(form, [("checkpoint", f"{size} lines"), ("new", f"{new} signatures")], {"size": size, "new": new})
        return 0

    return answered(form, work)


@app.command("pin")
def pin(store: Store) -> int:
    """Print a pin file of what the store says of itself, for its operator to publish.

    Whoever is to trust the log must not take it from here: it proves nothing until it was compared by another way.
    """
    from agent_saga.proofs.log.opened import pin_of
    from agent_saga.proofs.log.writing import opening
    from agent_saga.proofs.pins import Pins, format_pins

    def work() -> int:
        opened = opening(store)
        if opened is None:
            raise typer.BadParameter(f"{store}: has no log.opened; write the pin from `agent-saga keys show`")
        header, _, rest = format_pins(Pins(pin_of(opened))).partition("\n")
        say(f"{header}\n# Taken from the store itself. Before you trust it, compare it with one that reached you\n")
        say(f"# by another way: the operator's web site, a contract, a telephone call.\n{rest}")
        return 0

    return answered("text", work)


__all__ = ["app"]
