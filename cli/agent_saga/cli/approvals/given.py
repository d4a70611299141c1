"""What the commands of ``agent-saga approvals`` are given, and how they answer: files, options, exit codes."""

import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from agent_saga.cli.log import LOG
from agent_saga.cli.terminal import note, say, visible

if TYPE_CHECKING:
    from agent_saga.approvals.registry import Registry

NO, UNDECIDED, NOTHING = 1, 3, 4
_OPEN_WORDS: Final = frozenset({"withheld"})
"""Reasons that refute nothing: what is asked cannot be told from what was given."""
_LARGEST: Final = 1 << 20
"""Bytes of any file that is read here: requests, registries, proofs and keys are all much smaller."""

FORMATS: Final = ("text", "json")
Form = Annotated[str, typer.Option("--format", "-f", metavar="text|json", autocompletion=lambda: list(FORMATS))]
StoreArgument = Annotated[str, typer.Argument(metavar="STORE", help="A store: SQLite, or a .jsonl file.")]
SagaArgument = Annotated[str, typer.Argument(metavar="SAGA", help="Whose; the one that waits, if it is one alone.")]
StepArgument = Annotated[str, typer.Argument(metavar="STEP", help="Which step of it waits.")]
RegistryOption = Annotated[
    str,
    typer.Option("--registry", metavar="FILE", help="The key registry; needed where the log was not opened with one."),
]
KeyOption = Annotated[str, typer.Option("--key", metavar="KEY", help="Id of the key, as in the registry.")]
Disclosures = Annotated[
    list[str] | None,
    typer.Option("--disclosures", metavar="FILE", help="What opens concealed values, one a line; repeatable."),
]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="A new file; - is stdout.")]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it stands in the log for good.")]


class NothingWaits(Exception):
    """What was asked for does not wait; the message says what does."""


class Declined(Exception):
    """A person did not say yes; nothing was signed."""


def answered(work: Callable[[], int]) -> int:
    """Run a command. What does not hold is the answer no (1), what cannot be seen leaves it open (3)."""
    from agent_saga.approvals.errors import NotApproved, SigningFault
    from agent_saga.runtime.errors import NotEntitled, StaleDecision, UnknownSaga

    try:
        return work()
    except NotApproved as fault:
        code = UNDECIDED if fault.reason in _OPEN_WORDS else NO
        LOG.error("approvals", f"{'undecided' if code == UNDECIDED else 'refused'} ({fault.reason}): {fault}")
        return code
    except (StaleDecision, NotEntitled) as fault:
        LOG.error("approvals", f"refused: {fault}")
        return NO
    except (NothingWaits, UnknownSaga) as fault:
        told(str(fault))
        return NOTHING
    except Declined as fault:
        told(str(fault))
        return NO
    except SigningFault as fault:
        LOG.error("approvals", f"nothing was signed: {fault}")
        return NO


def read_bytes(path: str) -> bytes:
    """The bytes of a file of at most a megabyte, or of standard input for ``-``. Raises BadParameter."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(_LARGEST + 1)
        else:
            with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
                if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    raise typer.BadParameter(f"{path}: is no file")
                data = stream.read(_LARGEST + 1)
    except (OSError, ValueError) as fault:
        raise typer.BadParameter(f"{path}: cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault
    if len(data) > _LARGEST:
        raise typer.BadParameter(f"{path}: is larger than {_LARGEST} bytes, more than any file of this kind")
    return data


def read_text(path: str) -> str:
    """The text of such a file. Raises BadParameter."""
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as fault:
        raise typer.BadParameter(f"{path}: is not UTF-8 text") from fault


def read_value(path: str) -> Any:
    """A request, decision or change that is carried as a file, in its one spelling. Raises NotApproved."""
    from agent_saga.approvals.requests import parse_file

    return parse_file(read_bytes(path))


def read_json(path: str, what: str) -> dict[str, Any]:
    """A JSON object in which no name stands twice. what: its name in messages. Raises BadParameter."""
    from agent_saga.approvals.strict import Unreadable, parse

    try:
        found = parse(read_bytes(path), what, _LARGEST)
    except Unreadable as fault:
        raise typer.BadParameter(f"{path}: {fault}") from fault
    if not isinstance(found, dict):
        raise typer.BadParameter(f"{path}: {what} is a JSON object")
    return found


def registry_of(path: str) -> tuple["Registry", str]:
    """A registry file and its digest. Raises RegistryFault, which names the file."""
    from agent_saga.approvals.errors import RegistryFault
    from agent_saga.approvals.registry import read_registry

    try:
        return read_registry(read_bytes(path))
    except RegistryFault as fault:
        raise RegistryFault(f"{path}: {fault}") from fault


def opened_values(files: Iterable[str] | None) -> list[str]:
    """The Ds of disclosure files. Raises SettingsError."""
    from agent_saga.certify.judging.disclosing import read_disclosures

    return [text for _, text in read_disclosures(list(files or ()))]


def now() -> str:
    """This moment in the form of trace lines."""
    from agent_saga.proofs.log.writing import instant

    return instant(time.time())


def instant_of(text: str, option: str) -> str:
    """A time of the command line in the form of trace lines. Raises SettingsError, which names the option."""
    from agent_saga.certify.settings.keys import instant

    return instant(text, option)


def put(output: str, data: bytes) -> None:
    """Write to a new file, or to standard output for ``-``. Raises StoreError when something is there."""
    from agent_saga.cli.trace import byte_output
    from agent_saga.trace.store.moving import new_file

    with byte_output() if output == "-" else new_file(output) as out:
        out.write(data)


def put_json(output: str, value: Any) -> None:
    """Write a JSON value that people may read."""
    put(output, json.dumps(value, indent=2, ensure_ascii=True).encode() + b"\n")


def fingerprint_of(value: Any) -> str:
    """The fingerprint of what would be signed, read strictly. Raises NotApproved."""
    from agent_saga.approvals.digests import digest_written, fingerprint
    from agent_saga.approvals.display import reading

    read = reading(value)
    return fingerprint(digest_written(read.domain, read.written))


def rows(lines: Iterable[str]) -> None:
    """Say lines, none of which can steer the terminal."""
    say("".join(visible(line) + "\n" for line in lines))


def told(line: str) -> None:
    """Say one line to people only."""
    note(visible(line))
