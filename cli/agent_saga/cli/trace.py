"""``agent-saga trace``: read a trace, in a store or in a file, as a person wants to see it."""

import json
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Annotated, Any, Final

import typer

from agent_saga.cli.terminal import drop_output, say, visible

if TYPE_CHECKING:
    from agent_saga.trace.store.replay import Moment

app = typer.Typer(
    help="Read a trace, in a store or in a file: its sagas, their lines, their state at any moment.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

PAUSE: Final = 0.5
"""Seconds between two looks of ``tail --follow``: soon enough for a person, seldom enough to cost nothing."""

_Path = Annotated[str, typer.Argument(metavar="PATH", help="A store, or a trace file, compressed or not.")]
_Saga = Annotated[str, typer.Argument(metavar="SAGA", help="Its id; may be left out when there is one only.")]
_Json = Annotated[bool, typer.Option("--json", help="As a JSON object a line.")]


@app.callback()
def _group() -> None: ...


@app.command("ls")
def ls(
    path: _Path,
    open_only: Annotated[bool, typer.Option("--open", help="Only sagas that have not ended.")] = False,
    as_json: _Json = False,
) -> None:
    """List the sagas: id, lines, times of the first and the last, name, and what is said last of each."""
    from agent_saga.trace.store.following import lines_since
    from agent_saga.trace.store.replay import summaries

    rows = [row for row in summaries(lines_since(path, 0)) if not (open_only and row.ended)]
    if as_json:
        say("".join(json.dumps(asdict(row)) + "\n" for row in rows))
        return
    wide = max((len(row.saga) for row in rows), default=0)
    for row in rows:
        bad = f" ({row.bad} bad)" if row.bad else ""
        say(visible(f"{row.saga:<{wide}}  {row.lines:>5}{bad}  {row.first_at}  {row.last_at}  {row.state}") + "\n")


@app.command("show")
def show(
    path: _Path,
    saga: _Saga = "",
    raw: Annotated[bool, typer.Option("--raw", help="The exact bytes of the lines.")] = False,
) -> None:
    """Print the lines of one saga. Concealed values stay concealed."""
    lines = _saga_lines(path, saga)
    if raw:
        _say_bytes(lines)
        return
    for number, line in enumerate(lines):
        say(_shown(line, number) + "\n")


@app.command("tail")
def tail(
    path: _Path,
    count: Annotated[int, typer.Option("--lines", "-n", metavar="N", min=0, help="How many of the last lines.")] = 10,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with lines as they come.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="The exact bytes of the lines.")] = False,
) -> None:
    """Print the last lines of all sagas, in the order of the log."""
    from agent_saga.trace.store.following import follow as followed
    from agent_saga.trace.store.following import lines_since

    last: deque[tuple[int, bytes]] = deque(maxlen=count)
    seen = 0
    for seen, line in enumerate(lines_since(path, 0), 1):
        last.append((seen - 1, line))
    _say_tail(last, raw)
    if follow:
        _say_tail(enumerate(followed(path, seen, lambda: time.sleep(PAUSE)), seen), raw)


def _say_tail(lines: Iterable[tuple[int, bytes]], raw: bool) -> None:
    for index, line in lines:
        if raw:
            _say_bytes([line])
        else:
            say(f"{index:>6}  {_shown(line, index, whose=True)}\n")


@app.command("replay")
def replay(
    path: _Path,
    saga: _Saga = "",
    to: Annotated[int, typer.Option("--to", metavar="SEQ", help="Stop after this line. [the last]")] = -1,
    whole: Annotated[bool, typer.Option("--state", help="The whole state after each line, not only changes.")] = False,
    as_json: _Json = False,
) -> None:
    """Go through one saga in time: what each line changed, and the state after it. Nothing is judged or run."""
    from agent_saga.trace.store.replay import replay as moments

    for moment in moments(_saga_lines(path, saga)):
        if 0 <= to < moment.seq:
            break
        if as_json:
            record: dict[str, Any] = asdict(moment)
            say(json.dumps(record) + "\n")
        else:
            say(_told(moment, whole))


def _told(moment: "Moment", whole: bool) -> str:
    lines = [f"{moment.seq:>4}  {moment.at}  {moment.type}  by {moment.by}"]
    changed = {change.what: change for change in moment.changes}
    for what, now in moment.state.items():
        change = changed.get(what)
        if change:
            before = f"  (was: {change.before})" if change.before else ""
            lines.append(f"      {'~' if change.before else '+'} {what}: {now}{before}")
        elif whole:
            lines.append(f"        {what}: {now}")
    return "".join(visible(line) + "\n" for line in lines)


def _saga_lines(path: str, saga: str) -> Iterator[bytes]:
    """The lines of the saga that is meant. Raises BadParameter when there is none, or several to choose from."""
    from agent_saga.certify.settings.documents import did_you_mean
    from agent_saga.trace.store.following import lines_since
    from agent_saga.trace.store.replay import of_saga, summaries

    known = [row.saga for row in summaries(lines_since(path, 0))]
    if not saga and len(known) == 1:
        saga = known[0]
    if saga not in known:
        few = f"; it holds {len(known)} sagas, `agent-saga trace ls {path}` lists them"
        named = f"no saga {saga!r} in {path}{did_you_mean(saga, known)}" if saga else f"{path}: name a saga"
        raise typer.BadParameter(named + few)
    return of_saga(lines_since(path, 0), saga)


def _shown(line: bytes, number: int, *, whose: bool = False) -> str:
    """One line for people: seq, time, type, who says it, and the type's own members."""
    from agent_saga.trace.codec import decode
    from agent_saga.trace.errors import LineError
    from agent_saga.trace.store.replay import members

    try:
        event, _ = decode(line)
    except LineError as fault:
        return visible(f"line {number} cannot be read ({fault.code}): {fault}")
    own = json.dumps(members(line), ensure_ascii=False, separators=(",", ":"))
    saga = f"{event.saga}  " if whose else ""
    return visible(f"{saga}{event.seq:>4}  {event.at}  {event.type}  {event.by}  {own}")


def _say_bytes(lines: Iterable[bytes]) -> None:
    with byte_output() as out:
        out.writelines(line + b"\n" for line in lines)


@contextmanager
def byte_output() -> Iterator[IO[bytes]]:
    """Standard output for exact bytes. A reader that goes away is no error."""
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        drop_output()
