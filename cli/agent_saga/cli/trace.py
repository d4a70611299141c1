"""``agent-saga trace``: read a trace, in a store or in a file, as a person wants to see it."""

import io
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
    from agent_saga.cli.lines import Lines
    from agent_saga.trace.store.replay import Moment

app = typer.Typer(
    help="Read a trace, in a store or in a file: its sagas, their lines, their state at any moment.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

PAUSE: Final = 0.5
"""Seconds between two looks of ``tail --follow``: soon enough for a person, seldom enough to cost nothing."""

NAMELESS: Final = "?"
"""What stands for the saga of lines that name none (agent_saga.trace.store.replay.summaries)."""

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
    from agent_saga.cli.lines import Lines
    from agent_saga.trace.store.replay import summaries

    lines = Lines(path)
    found = summaries(lines)
    lines.bad = max(lines.bad, sum(row.bad for row in found))
    rows = [row for row in found if not (open_only and row.ended)]
    wide = max((len(row.saga) for row in rows), default=0)
    for row in rows:
        bad = f" ({row.bad} bad)" if row.bad else ""
        told = visible(f"{row.saga:<{wide}}  {row.lines:>5}{bad}  {row.first_at}  {row.last_at}  {row.state}")
        say((json.dumps(asdict(row)) if as_json else told) + "\n")
    raise typer.Exit(lines.ending())


@app.command("show")
def show(
    path: _Path,
    saga: _Saga = "",
    raw: Annotated[bool, typer.Option("--raw", help="The exact bytes of the lines.")] = False,
) -> None:
    """Print the lines of one saga. Concealed values stay concealed."""
    lines, mine = _saga_lines(path, saga)
    if raw:
        _say_bytes(mine)
    else:
        for number, line in enumerate(mine):
            say(_shown(line, number, lines) + "\n")
    raise typer.Exit(lines.ending())


@app.command("tail")
def tail(
    path: _Path,
    count: Annotated[int, typer.Option("--lines", "-n", metavar="N", min=0, help="How many of the last lines.")] = 10,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with lines as they come.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="The exact bytes of the lines.")] = False,
) -> None:
    """Print the last lines of all sagas, in the order of the log."""
    from agent_saga.cli.lines import Lines
    from agent_saga.trace.store.following import follow as followed

    lines = Lines(path)
    last = deque(enumerate(lines), maxlen=count)
    _say_tail(last, raw, lines)
    if follow:
        _say_tail(enumerate(followed(path, lines.count, lambda: time.sleep(PAUSE)), lines.count), raw, lines)
    raise typer.Exit(lines.ending())


def _say_tail(numbered: Iterable[tuple[int, bytes]], raw: bool, lines: "Lines") -> None:
    for index, line in numbered:
        if raw:
            _say_bytes([line])
        else:
            say(f"{index:>6}  {_shown(line, index, lines, whose=True)}\n")


@app.command("spans")
def spans(
    path: _Path,
    saga: Annotated[str, typer.Option("--saga", metavar="ID", help="Of one saga only.")] = "",
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with lines as they come.")] = False,
    arguments: Annotated[bool, typer.Option("--arguments", help="Show arguments and results in clear.")] = False,
    as_json: _Json = False,
) -> None:
    """Show a trace as OpenTelemetry spans: as JSON, or handed over as OTEL_TRACES_EXPORTER and the others say.

    A span is given when it has ended. Without --json the extra `otel` is needed.
    """
    from agent_saga.cli.spans import project

    raise typer.Exit(project(path, saga, follow=follow, arguments=arguments, as_json=as_json))


@app.command("replay")
def replay(
    path: _Path,
    saga: _Saga = "",
    to: Annotated[int, typer.Option("--to", metavar="SEQ", help="Stop after this line. [the last]")] = -1,
    whole: Annotated[bool, typer.Option("--state", help="The whole state after each line, not only changes.")] = False,
    as_json: _Json = False,
) -> None:
    """Go through one saga in time: what each line changed, and the state after it. Nothing is judged or run."""
    from agent_saga.trace.errors import LineError, SourceError
    from agent_saga.trace.store.replay import replay as moments

    lines, mine = _saga_lines(path, saga)
    try:
        for moment in moments(mine):
            if 0 <= to < moment.seq:
                break
            record: dict[str, Any] = asdict(moment)
            say(json.dumps(record) + "\n" if as_json else _told(moment, whole))
    except LineError as fault:
        raise SourceError(f"{path}: the next line of the saga cannot be read ({fault.code}): {fault}") from fault
    raise typer.Exit(lines.ending())


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


def _saga_lines(path: str, saga: str) -> "tuple[Lines, Iterator[bytes]]":
    """All lines, and those of the saga that is meant. Ends the command when there is no whole line of a trace.

    Raises BadParameter when there is no such saga, or several to choose from.
    """
    from agent_saga.certify.settings.documents import did_you_mean
    from agent_saga.cli.lines import Lines
    from agent_saga.trace.store.replay import of_saga, summaries

    lines = Lines(path)
    known = [row.saga for row in summaries(lines) if row.saga != NAMELESS]
    if not known:
        raise typer.Exit(lines.ending())
    if not saga and len(known) == 1:
        saga = known[0]
    if saga not in known:
        few = f"; it holds {len(known)} sagas, `agent-saga trace ls {path}` lists them"
        named = f"no saga {saga!r} in {path}{did_you_mean(saga, known)}" if saga else f"{path}: name a saga"
        raise typer.BadParameter(named + few)
    return lines, of_saga(lines, saga)


def _shown(line: bytes, number: int, lines: "Lines", *, whose: bool = False) -> str:
    """One line for people: seq, time, type, who says it, and the type's own members. lines: counts what is bad."""
    from agent_saga.trace.codec import decode
    from agent_saga.trace.errors import LineError
    from agent_saga.trace.heads import claimed
    from agent_saga.trace.store.replay import members

    try:
        event, _ = decode(line)
    except LineError as fault:
        lines.bad += claimed(line) is not None  # the others are counted already
        return visible(f"line {number} cannot be read ({fault.code}): {fault}")
    own = json.dumps(members(line), ensure_ascii=False, separators=(",", ":"))
    saga = f"{event.saga}  " if whose else ""
    return visible(f"{saga}{event.seq:>4}  {event.at}  {event.type}  {event.by}  {own}")


def _say_bytes(lines: Iterable[bytes]) -> None:
    with byte_output() as out:
        out.writelines(line + b"\n" for line in lines)


@contextmanager
def byte_output() -> Iterator[IO[bytes]]:
    """Standard output for exact bytes. A reader that goes away is no error, nor is an output that was closed before."""
    if sys.stdout is None:
        yield io.BytesIO()
        return
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        drop_output()
