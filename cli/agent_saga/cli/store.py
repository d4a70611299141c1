"""``agent-saga store``: look at a store, move it, back it up, bring it to a new schema."""

import json
import os
import time
from collections import deque
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent_saga.cli.terminal import note, say
from agent_saga.cli.trace import byte_output

if TYPE_CHECKING:
    from agent_saga.cli.lines import Lines

app = typer.Typer(
    help="Look at a store of traces, move it, back it up, bring it to a new schema.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Store = Annotated[str, typer.Argument(metavar="STORE", help="A store: SQLite, a .jsonl file, or postgresql://...")]
_Json = Annotated[bool, typer.Option("--json", help="As a JSON object.")]


@app.callback()
def _group() -> None: ...


@app.command("info")
def info(store: _Store, as_json: _Json = False) -> None:
    """Say what a store holds. Reads only, also while it is written."""
    lines = _lines(store)
    from agent_saga.trace.store.inspecting import inspect

    found = {name: value for name, value in asdict(inspect(store, time.time())).items() if value is not None}
    if as_json:
        say(json.dumps(found, indent=2) + "\n")
    else:
        say("".join(f"{name:<12} {value}\n" for name, value in found.items()))
    raise typer.Exit(lines.ending() if lines else 0)


def _lines(path: str) -> "Lines | None":
    """The lines of a trace file, gone through once; None for a SQLite store, which keeps no others.

    Raises SourceError for what is no trace, and for what is neither: reading it twice could wait for ever.
    """
    from agent_saga.cli.lines import Lines, database
    from agent_saga.trace.errors import SourceError

    if database(path):
        return None
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise SourceError(f"{path}: is no file; name a store")
    lines = Lines(path)
    deque(lines, maxlen=0)
    lines.require_trace()
    return lines


@app.command("migrate")
def migrate(
    store: _Store,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Try every step and take it back.")] = False,
) -> None:
    """Bring a store and its disclosures to the schema of this release, each in one transaction. Back it up first."""
    from agent_saga.cli.lines import database
    from agent_saga.trace.store.moving import migrate as migrated

    database(store)  # told in words when it cannot be read
    steps = migrated(store, dry_run=dry_run)
    end = "tried, nothing was kept" if dry_run else "done"
    say("".join(f"{step}\n" for step in steps) + (f"{end}\n" if steps else "nothing to do: the schema is this one\n"))


@app.command("export")
def export(
    store: _Store,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="A new file; - is stdout.")] = "-",
    disclosures: Annotated[
        str, typer.Option("--disclosures", metavar="FILE", help="Write what opens concealed values to this new file.")
    ] = "",
) -> None:
    """Write the lines of a store as a trace, the exact bytes in the order of the log; nothing is written over."""
    from agent_saga.trace.store.moving import disclosures_of, new_file
    from agent_saga.trace.store.moving import export as exported

    lines = _lines(store)
    with byte_output() if output == "-" else new_file(output) as out:
        moved = exported(store, out)
    note(f"{moved.lines} lines, {moved.size} bytes, sha256 {moved.sha256}")
    if disclosures:
        with new_file(disclosures, private=True) as out:
            out.writelines(text.encode("ascii") + b"\n" for text in disclosures_of(store))
        _tell_missing(store)
    raise typer.Exit(lines.ending() if lines else 0 if moved.lines else 4)


def _tell_missing(store: str) -> None:
    from agent_saga.trace.store.kept import read_kept

    found = read_kept(store)
    if found.erased:
        note(f"{len(found.erased)} values were erased, and nothing opens them any more")
    if found.lost:
        note(
            f"{len(found.lost)} values cannot be opened: their key is not in {store}.keys: they were erased after this "
            "copy was made, or the keys were not restored with it"
        )


@app.command("import")
def import_(
    store: Annotated[str, typer.Argument(metavar="STORE", help="A store; made when nothing stands there.")],
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A trace, compressed or not, or another store.")],
    disclosures: Annotated[
        list[str] | None,
        typer.Option("--disclosures", metavar="FILE", help="What opens its concealed values, one a line; repeatable."),
    ] = None,
) -> None:
    """Append a trace to a store: all of it or nothing, the exact bytes; lines that are there already stay."""
    from agent_saga.certify.judging.disclosing import read_disclosures
    from agent_saga.trace.reader import STDIN, open_input
    from agent_saga.trace.store.moving import import_lines
    from agent_saga.trace.store.opening import open_engine

    texts = [text for _, text in read_disclosures(disclosures or [])]
    if trace != STDIN and not Path(trace).is_fifo():
        open_input(trace).close()  # a trace that cannot be read makes no store; a pipe can be opened only once
    engine = open_engine(store)
    try:
        new, there = import_lines(engine, trace, texts)
    finally:
        engine.close()
    say(f"{new} lines imported, {there} were there already\n")
    raise typer.Exit(0 if new + there else 4)


@app.command("backup")
def backup(
    store: _Store,
    target: Annotated[str, typer.Argument(metavar="NEW", help="Where the copy goes; nothing may stand there.")],
    keys: Annotated[
        str, typer.Option("--keys", metavar="FILE", help="Also copy the keys of its disclosures to this new file.")
    ] = "",
) -> None:
    """Copy a SQLite store and its disclosures while it is written. What was remembered goes with them.

    The keys stay where they are unless --keys names a place for them: without them the copied disclosures cannot be
    read, and an erasure reaches them too.
    """
    from agent_saga.cli.lines import database
    from agent_saga.trace.store.moving import back_up
    from agent_saga.trace.store.vault import DISCLOSURES

    database(store)  # told in words when it cannot be read
    back_up(store, target, keys)
    made = [target, *(path for path in (target + DISCLOSURES, keys) if path and os.path.exists(path))]
    say(" and ".join(made) + "\n")
