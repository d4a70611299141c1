"""``agent-saga trace spans``: lines to spans, and spans to standard output or to OpenTelemetry."""

import contextlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Final

from agent_saga.cli.lines import Lines
from agent_saga.cli.terminal import note, say
from agent_saga.fleet.telemetry.projecting import Projector, Span
from agent_saga.trace.codec import decode
from agent_saga.trace.errors import LineError
from agent_saga.trace.heads import claimed

_PAUSE: Final = 0.5
"""Seconds between two looks of ``--follow``."""


def project(path: str, saga: str, *, follow: bool, arguments: bool, as_json: bool) -> int:
    """Hand over the spans of a trace; the exit code. saga: an id, "" for all."""
    lines, projector = Lines(path), Projector(arguments=arguments)
    with _receiver(as_json) as take:
        _hand_over(lines, projector, saga, lines, take)
        if follow:
            from agent_saga.trace.store.following import follow as followed

            more = followed(path, lines.count, lambda: time.sleep(_PAUSE))
            _hand_over(more, projector, saga, lines, take)
    if projector.open:
        note(f"{projector.open} sagas have not ended: their own spans come when they do")
    return int(lines.ending())


def _hand_over(
    found: Iterable[bytes], projector: Projector, saga: str, lines: Lines, take: Callable[[Span], None]
) -> None:
    bad = 0
    for line in found:
        if saga and (claimed(line) or ("", 0))[0] != saga:
            continue
        try:
            event, _ = decode(line)
        except LineError:
            bad += 1
            continue
        for span in projector.take(event):
            take(span)
    lines.bad = max(lines.bad, bad)


@contextlib.contextmanager
def _receiver(as_json: bool) -> Iterator[Callable[[Span], None]]:
    if as_json:
        yield lambda span: say(json.dumps(asdict(span)) + "\n")
        return
    from agent_saga.fleet.telemetry.exporting import exporter

    to = exporter()
    try:
        yield to.take
    finally:
        to.close()
