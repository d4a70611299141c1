"""``agent-saga erase`` and ``agent-saga hold``: erase concealed values of a saga that has ended, or forbid it."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from agent_saga.cli.terminal import note, say, visible

if TYPE_CHECKING:
    from agent_saga.trace.store.choosing import Choice
    from agent_saga.trace.store.erasing import Erasure, Plan

_Store = Annotated[str, typer.Argument(metavar="STORE", help="A store: SQLite, a .jsonl file, or postgresql://...")]


def erase(
    store: _Store,
    saga: Annotated[str, typer.Argument(metavar="SAGA", help="The id of a saga that has ended.")] = "",
    path: Annotated[
        list[str] | None,
        typer.Option("--path", metavar="PATH", help="What is concealed at SEQ:/POINTER or on line SEQ; repeatable."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All concealed values of the saga.")] = False,
    subject: Annotated[
        str, typer.Option("--subject", metavar="NAME", help="All values of a subject; without SAGA, in all sagas.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be erased, and erase nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Erase. There is no way back.")] = False,
) -> int:
    """Destroy what opens concealed values, with its key, and look into the files whether it is gone.

    Every line and every hash stays. Refused while the saga runs and under legal hold.
    """
    if sum((bool(path), every, bool(subject))) != 1:
        raise typer.BadParameter("say what: --path PATH, --all or --subject NAME, one of them")
    if not saga and not subject:
        raise typer.BadParameter("name the SAGA; only --subject goes without")
    from agent_saga.trace.store.choosing import Choice
    from agent_saga.trace.store.erasing import NotErasable

    choice = Choice(tuple(path or ()), every, subject)
    try:
        return _erase(store, saga, choice, yes and not dry_run) if yes or dry_run else _ask(store, saga, choice)
    except NotErasable as fault:
        note(f"agent-saga: refused: {visible(str(fault))}")
        return 1


def _ask(store: str, saga: str, choice: "Choice") -> int:
    code = _erase(store, saga, choice, False)
    if code == 0:
        note("nothing was erased: say --yes to erase it, or --dry-run to look only")
    return code or 2


def _erase(store: str, saga: str, choice: "Choice", really: bool) -> int:
    from agent_saga.trace.store.erasing import erase as erased
    from agent_saga.trace.store.erasing import plan
    from agent_saga.trace.store.opening import open_engine

    engine = open_engine(store, create=False)
    done = None
    try:
        try:
            planned = plan(engine, engine.begin(), saga, choice)
        finally:
            engine.rollback()
        _tell(planned, "to erase" if really else "would erase")
        if not (planned.values or planned.erased or planned.unkept):
            note("nothing to erase: no such value is concealed there")
            return 4
        if really:
            done = erased(engine, saga, choice, now=time.time())
    finally:
        engine.close()
    return 0 if done is None else _verified(store, done)


def _tell(planned: "Plan", word: str) -> None:
    """What goes, by digest; never a value."""
    rows = [f"{word:<12} {one.digest}  saga {one.saga}, subject {one.subject}, at {', '.join(one.places) or 'no line'}"
            for one in planned.values]  # fmt: skip
    rows += [f"{'erased':<12} {one.digest}  saga {one.saga}, subject {one.subject}, on {_day(one.at)}"
             for one in planned.erased]  # fmt: skip
    rows += [f"{'not here':<12} {digest}  this store keeps nothing that opens it" for digest in planned.unkept]
    if planned.resealed:
        rows.append(f"{'kept':<12} {planned.resealed} other values of the same subjects, under new keys")
    rows += [f"{'stays':<12} {place}: the same value under another digest" for place in planned.twins]
    say("".join(f"{visible(row)}\n" for row in rows))


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def _verified(store: str, done: "Erasure") -> int:
    """Look into the raw files, now that this process has none of them open."""
    import os

    from agent_saga.trace.store.postgres.addresses import is_address
    from agent_saga.trace.store.scrubbing import family, search

    if is_address(store):
        return _beyond_reach(done)
    files = family(os.path.realpath(store))
    left, closed = search(files, done.secrets)
    for one in left:
        note(f"agent-saga: error: {visible(one.file)}: {one.what} still stands there: delete this file or copy")
    for one in search(files, done.texts)[0]:
        note(f"warning: {visible(one.file)}: {one.what} stands there in clear")
    for one in closed:
        note(f"warning: {visible(one.file)}: {visible(one.what)}; it was not looked into")
    for key in done.remembered:
        note(f"warning: {visible(key)}: what was remembered under this key holds a text of an erased value")
    if left:
        return 1
    looked = f"nothing of them found in: {len(files) - len(closed)} files"
    say(f"erased: {len(done.plan.values)} values; {looked}\n" if done.plan.values else "erased before: all of them\n")
    return 0


def _beyond_reach(done: "Erasure") -> int:
    """A server's files cannot be looked into from here: say so, rather than that nothing was found."""
    for key in done.remembered:
        note(f"warning: {visible(key)}: what was remembered under this key holds a text of an erased value")
    note("warning: the server's write-ahead log, its archive and older backups were not looked into: let them expire")
    say(f"erased: {len(done.plan.values)} values\n" if done.plan.values else "erased before: all of them\n")
    return 0


def hold(
    store: _Store,
    saga: Annotated[str, typer.Argument(metavar="SAGA", help="The id of the saga; none lists all holds.")] = "",
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Who ordered it, and where it is written.")
    ] = "",
    lift: Annotated[bool, typer.Option("--release", help="Lift the hold.")] = False,
) -> int:
    """Put a saga under legal hold, so that nothing of it is erased; lift a hold; or list all."""
    if (saga and not reason and not lift) or (lift and (reason or not saga)) or (reason and not saga):
        raise typer.BadParameter("expected STORE SAGA --reason TEXT, STORE SAGA --release, or STORE alone to list")
    from agent_saga.trace.store.holding import hold as held
    from agent_saga.trace.store.holding import release
    from agent_saga.trace.store.opening import open_engine

    engine = open_engine(store, create=False)
    try:
        if reason:
            held(engine, saga, reason, now=time.time())
        elif lift and not release(engine, saga):
            note(f"saga {visible(saga)}: was under no hold")
            return 4
        holds = engine.vault().holds()
    finally:
        engine.close()
    say("".join(f"{visible(one.saga)}  since {_day(one.since)}: {visible(one.reason)}\n" for one in holds))
    return 0
