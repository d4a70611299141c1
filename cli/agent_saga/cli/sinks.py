"""Where reports go. Each file is reserved before anything is judged, and appears whole or not at all.

Reserving makes the temporary file, beside its target and with a hidden name; so a folder that cannot be written is told
at once, not after an hour. An input is never overwritten: a certifier does not touch the evidence.
"""

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agent_saga.certify.settings.documents import did_you_mean
from agent_saga.trace.errors import AgentSagaError

STDOUT: Final = "-"


class SinkError(AgentSagaError):
    """A report has nowhere to go: unknown format, two reports for one place, a place that cannot be written."""


@dataclass(frozen=True, slots=True)
class Target:
    """One report. path: ``-`` for standard output."""

    format: str
    path: str


def targets(formats: Sequence[str], outputs: Sequence[str], known: Sequence[str]) -> tuple[Target, ...]:
    """The reports that the options name; text on standard output when nothing else goes there.

    formats: for standard output. outputs: each FORMAT=PATH. known: formats that exist. Raises SinkError.
    """
    found = [Target(form, STDOUT) for form in dict.fromkeys(formats)]
    for text in outputs:
        form, mark, path = text.partition("=")
        if not (mark and path):
            raise SinkError(f"--output: expected FORMAT=PATH such as sarif=report.sarif, found {text!r}")
        found.append(Target(form, path))
    for target in found:
        if target.format not in known:
            hint = did_you_mean(target.format, known)
            raise SinkError(f"unknown report format {target.format!r}; expected one of {', '.join(known)}{hint}")
    if not any(target.path == STDOUT for target in found):
        found.append(Target("text", STDOUT))
    _refuse_doubles([target.path for target in found])
    return tuple(found)


def _refuse_doubles(paths: Sequence[str]) -> None:
    places = [path if path == STDOUT else os.path.realpath(path) for path in paths]
    for path, place in zip(paths, places, strict=True):
        if places.count(place) > 1 and not _is_device(place):
            what = "standard output" if path == STDOUT else path
            raise SinkError(f"two reports for {what}: give each --output FORMAT=PATH a path of its own")


def _is_device(path: str) -> bool:
    return path != STDOUT and os.path.exists(path) and not os.path.isfile(path)


def spare_evidence(written: Iterable[str], inputs: Iterable[str]) -> None:
    """Refuse to write over an input. Raises SinkError."""
    evidence = {os.path.realpath(path) for path in inputs if path != STDOUT and os.path.isfile(path)}
    for path in written:
        if os.path.realpath(path) in evidence:
            raise SinkError(f"{path} is an input: write the report elsewhere, nothing writes over evidence")


@dataclass
class Reserved:
    """A file that is going to be written. temporary: where the bytes go first, "" for a pipe or a device."""

    path: str
    final: str
    temporary: str

    def write(self, data: bytes) -> None:
        """Put the bytes in place, at once. Raises SinkError."""
        try:
            with open(self.temporary or self.final, "wb") as stream:
                stream.write(data)
            if self.temporary:
                os.chmod(self.temporary, _mode(self.final))
                os.replace(self.temporary, self.final)
                self.temporary = ""
        except OSError as fault:
            raise SinkError(f"{self.path}: {fault.strerror}; judged, but this report was not written") from fault

    def discard(self) -> None:
        """Leave no trace of a file that was not written."""
        if self.temporary:
            with contextlib.suppress(OSError):
                os.unlink(self.temporary)


@contextlib.contextmanager
def reserved(paths: Iterable[str]) -> Iterator[dict[str, Reserved]]:
    """Reserve files by path; those that were not written when the block ends vanish. Raises SinkError."""
    with contextlib.ExitStack() as stack:
        files: dict[str, Reserved] = {}
        for path in paths:
            files[path] = _reserve(path)
            stack.callback(files[path].discard)
        yield files


def _reserve(path: str) -> Reserved:
    final = os.path.realpath(path)
    try:
        kind = _kind(final)
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(0, "is a directory; give a file")
        if kind and not stat.S_ISREG(kind):
            return Reserved(path, final, "")
        if kind and not os.access(final, os.W_OK):
            raise PermissionError(0, "the file is read-only")
        folder, name = os.path.split(final)
        handle, temporary = tempfile.mkstemp(prefix=f".{name[:64]}.", dir=folder)
        os.close(handle)
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or fault
        raise SinkError(f"{path}: cannot be written: {why}; nothing was judged") from fault
    return Reserved(path, final, temporary)


def _kind(final: str) -> int:
    """The mode of what stands there, 0 for nothing. Raises OSError for a name that no file can have."""
    try:
        return os.stat(final).st_mode
    except FileNotFoundError:
        return 0


def _mode(final: str) -> int:
    """That of the file that is replaced, or what a new file gets here."""
    with contextlib.suppress(OSError):
        return stat.S_IMODE(os.stat(final).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
