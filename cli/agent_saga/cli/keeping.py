"""``agent-saga log``: keep the log of a store. Looking at one stands in :mod:`agent_saga.cli.witnessing`."""

import json
import os
import re
import time
from collections.abc import Callable
from typing import Annotated, Any, Final

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.keys import Form, Key, Passphrase, opened_key
from agent_saga.cli.log import LOG
from agent_saga.cli.terminal import say, visible
from agent_saga.cli.trace import byte_output

app = typer.Typer(
    help="Keep the log of a store: sign checkpoints of it, check it whole, prove that it only grew.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

NO: Final = 1
_FORMATS: Final = ("text", "json")
_NOBODY: Final = (
    "this log holds no key registry, and none can be added to it: no approval, decision or change of policy can ever "
    "be verified in it; where people are to approve, begin another one with --registry FILE"
)
_FIXED: Final = (
    "this registry says of nobody that they may change it (changes): in this log no key can ever be added, and no "
    "policy adopted"
)
_DIGEST = re.compile(r"[0-9a-f]{64}").fullmatch

Store = Annotated[str, typer.Argument(metavar="STORE", help="A store, or a trace file, with its log beside it.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="A new file; - is stdout.")]


@app.callback()
def _group() -> None: ...


def answered(form: str, work: Callable[[], int]) -> int:
    """Run a command: what refutes or breaks a log is the answer no, in one line."""
    from agent_saga.proofs.errors import LogFault, Refuted
    from agent_saga.proofs.log import NoLog

    require_known("format", form, _FORMATS)
    try:
        return work()
    except Refuted as fault:
        told = {"result": "refuted", "reason": fault.reason, "message": str(fault)}
        tell(form, [("refuted", f"{fault.reason}: {fault}")], told)
        return NO
    except NoLog:
        raise
    except LogFault as fault:
        LOG.error("log", str(fault))
        return NO


def tell(form: str, rows: list[tuple[str, object]], record: dict[str, Any]) -> None:
    """Say something to people or to programs."""
    if form == "json":
        say(json.dumps(record, indent=2) + "\n")
    else:
        say("".join(visible(f"{name + ':':<13}{value}") + "\n" for name, value in rows))


@app.command("open")
def open_(
    store: Store,
    origin: Annotated[str, typer.Option("--origin", metavar="ORIGIN", help="The log's name, as in log.example/acme.")],
    key: Key,
    registry: Annotated[
        str, typer.Option("--registry", metavar="FILE", help="The first key registry. [none: nobody can ever approve]")
    ] = "",
    policy: Annotated[str, typer.Option("--policy", metavar="DIGEST", help="Digest of the policy in force.")] = "",
    passphrase_file: Passphrase = "",
    form: Form = "text",
) -> int:
    """Begin a log: log.opened becomes the first line of an empty store, which is made if it is not there.

    Only a log that was opened with a key registry can ever hold approvals that count: none can be added later.
    """
    from agent_saga.proofs.log import open_log

    def work() -> int:
        if policy and not _DIGEST(policy):
            raise typer.BadParameter(f"--policy {policy[:80]!r}: expected 64 lower-case hex digits")
        registered, digest, lacks = _registry(registry) if registry else (None, "", _NOBODY)
        signing = opened_key(key, "log", passphrase_file)
        if registered is not None:
            _check_keys(registered, str(signing.vkey))
        made = {"now": time.time(), "random": os.urandom}
        open_log(store, signing, origin=origin, registry=registered, policy=policy, **made)  # type: ignore[arg-type]
        if lacks:
            LOG.warning("registry", lacks)
        record = {"origin": origin, "vkey": str(signing.vkey), "store": store, "registry": digest or None}
        rows = [("opened", origin), ("key", signing.vkey), ("store", store), ("registry", digest or "none")]
        tell(form, rows, record)
        return 0

    return answered(form, work)


def _registry(path: str) -> tuple[dict[str, Any], str, str]:
    """A registry file, read strictly, its digest, and what it can never do, "" for nothing.

    What a log begins with stays for good: what is no registry would make it one of nobody. Raises RegistryFault.
    """
    from agent_saga.cli.approvals.given import registry_of
    from agent_saga.cli.approvals.recording import registry_value

    value = registry_value(path)
    known, digest = registry_of(path)
    return value, digest, "" if known.changes else _FIXED


def _check_keys(registry: dict[str, Any], vkey: str) -> None:
    """Raises RegistryFault where a person's key is the one that signs the log."""
    from agent_saga.approvals.registry import parse_registry
    from agent_saga.approvals.registry.history import check_log_key

    check_log_key(parse_registry(registry), vkey)


@app.command("checkpoint")
def checkpoint(
    store: Store,
    key: Key,
    origin: Annotated[
        str, typer.Option("--origin", metavar="ORIGIN", help="Of a store without log.opened. [the key's name]")
    ] = "",
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Make tiles and index again from all lines.")] = False,
    passphrase_file: Passphrase = "",
    form: Form = "text",
) -> int:
    """Sign the log as it stands: its size and the root over all of its lines. Signs nothing when nothing is new.

    In a log that was opened the saga index becomes the last line, so that whole sagas can be proven. A store that has
    no log.opened gets no index: only parts of sagas can be proven from it.
    """
    from agent_saga.cli.standing import standing
    from agent_saga.proofs.log import write_checkpoint

    def work() -> int:
        signing = opened_key(key, "log", passphrase_file)
        made = {"now": time.time(), "random": os.urandom, "standing": standing}
        done = write_checkpoint(store, signing, origin=origin, rebuild=rebuild, **made)  # type: ignore[arg-type]
        size, root = done.checkpoint.size, done.checkpoint.root.hex()
        index = "whole sagas can be proven" if done.indexed else "no index: only parts of sagas can be proven"
        record = {"origin": done.checkpoint.origin, "size": size, "root": root, "new_lines": done.lines}
        record |= {"indexed": done.indexed, "signed": done.new, "checkpoint": done.note.decode()}
        said = f"{size} lines, {done.lines} of them new" if done.new else f"nothing is new since that of {size} lines"
        tell(form, [("checkpoint", said), ("root", root), ("index", index)], record)
        return 0

    return answered(form, work)


@app.command("index")
def index(
    store: Store,
    saga: Annotated[str, typer.Argument(metavar="SAGA", help="Only this saga.")] = "",
    form: Form = "text",
) -> int:
    """Say what the saga index of the latest checkpoint claims: how many sagas, or of one its lines. 1: not in it."""
    from agent_saga.proofs.errors import Unprovable
    from agent_saga.proofs.log import Log

    def work() -> int:
        with Log.open(store) as log:
            size = log.latest.size
            found = log.index(size)
            record: dict[str, Any] = {"size": size, "sagas": found.size - 2, "root": found.root.hex()}
            rows: list[tuple[str, object]] = [("checkpoint", f"{size} lines"), ("sagas", found.size - 2)]
            if not saga:
                tell(form, [*rows, ("index root", found.root.hex())], record)
                return 0
            try:
                entry = found.present(saga).entry
            except Unprovable:
                tell(form, [*rows, ("saga", f"{saga}: not in the index")], record | {"saga": saga, "present": False})
                return NO
            of = {"first": entry.first, "last": entry.last, "lines": entry.lines, "head": entry.head}
            tell(form, [*rows, ("saga", saga), *of.items()], record | {"saga": saga, "present": True} | of)
            return 0

    return answered(form, work)


@app.command("consistency")
def consistency(
    store: Store,
    since: Annotated[
        str, typer.Option("--from", metavar="N|FILE", help="The earlier checkpoint: its size, or the file of it.")
    ],
    output: Output = "-",
) -> int:
    """Write the proof that the latest checkpoint continues an earlier one, for somebody who kept that one."""
    from agent_saga.proofs.continuing import Continuation, format_continuation
    from agent_saga.proofs.log import Log

    def work() -> int:
        with Log.open(store) as log:
            old, new = _size(since), log.latest.size
            proof = log.consistency(old, new)
        save(output, format_continuation(Continuation(old, new, proof)))
        return 0

    return answered("text", work)


def _size(since: str) -> int:
    """A size, or that of the checkpoint in a file. Raises BadParameter."""
    from agent_saga.cli.verifying import read_evidence
    from agent_saga.proofs.checkpoints import parse_checkpoint
    from agent_saga.proofs.errors import Refuted
    from agent_saga.proofs.notes import parse_note

    if since.isascii() and since.isdecimal() and len(since) < 17:
        return int(since)
    try:
        return parse_checkpoint(parse_note(read_evidence(since)).text).size
    except Refuted as fault:
        raise typer.BadParameter(f"--from {since}: neither a size nor a checkpoint: {fault}") from fault


def save(path: str, data: bytes) -> None:
    """Write to a new file, or to standard output. Raises StoreError when the file is there."""
    from agent_saga.trace.store.moving import new_file

    with byte_output() if path == "-" else new_file(path) as out:
        out.write(data)
