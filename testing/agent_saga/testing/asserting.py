"""What a test may demand of a trace: that it is certified, or that exactly these findings stand against it."""

import asyncio
import os
import tempfile
from collections.abc import Collection, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify
from agent_saga.trace.store import Store

T = TypeVar("T")
Place = str | os.PathLike[str]
DEFAULT: Final = Choices()


def demand(holds: object, why: str) -> None:
    """Raise AssertionError unless it holds; unlike ``assert`` also under ``python -O``."""
    if not holds:
        raise AssertionError(why)


def assert_certified(
    trace: Place | Store, *, findings: Collection[str] = (), choices: Choices = DEFAULT, sagas: int | None = None
) -> Report:
    """Fail unless certify finds exactly this in a trace or store, by default nothing. Returns the report.

    findings: rule codes, such as ("AS504",) for a saga that waits for a person. sagas: how many there must be; by
    default at least one, since a trace of nothing proves nothing.
    """
    report = judged(trace, choices)
    found = {finding.code for finding in report.findings}
    unread = [f"{one.path}: {one.error}" for one in report.inputs if one.error]
    counted = report.saga_count == sagas if sagas is not None else report.saga_count > 0
    demand(found == set(findings) and not unread and counted, _says(report, set(findings), sagas, unread))
    return report


def judged(trace: Place | Store, choices: Choices = DEFAULT) -> Report:
    """What certify says of a path, or of an opened store of any kind."""
    if isinstance(trace, str | os.PathLike):
        return certify([os.fspath(trace)], Options(choices=choices, keep_sagas=True))
    with tempfile.TemporaryDirectory() as folder:
        path, opening = Path(folder, "trace.jsonl"), Path(folder, "disclosures.txt")
        path.write_bytes(b"".join(line + b"\n" for line in lines_of(trace)))
        opening.write_text("".join(text + "\n" for text in _texts_of(trace)), encoding="ascii")
        given = (str(opening),) if opening.stat().st_size else ()
        return certify([str(path)], Options(choices=choices, keep_sagas=True, disclosures=given))


def lines_of(store: Store) -> list[bytes]:
    """All lines of an opened store, from any thread and inside of any event loop."""

    async def read() -> list[bytes]:
        found: list[bytes] = []
        while chunk := await store.lines(len(found)):
            found.extend(line for _, line in chunk)
        return found

    return _apart(read())


def _texts_of(store: Store) -> list[str]:
    """All that opens concealed values in an opened store."""

    async def read() -> list[str]:
        return [text for saga in await store.sagas() for text in await store.disclosures(saga.id)]

    return _apart(read())


def _apart(work: Coroutine[Any, Any, list[T]]) -> list[T]:
    """What the work finds, in a thread and an event loop of its own. Raises what it raises."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def _says(report: Report, expected: set[str], sagas: int | None, unread: list[str]) -> str:
    want = ", ".join(sorted(expected)) or "no finding"
    count = "at least one saga" if sagas is None else f"{sagas} sagas"
    lines = [f"expected {want} in {count}; {report.headline}, {report.saga_count} sagas"]
    lines += [f"  {one.code} {one.name}: {one.because}" for one in report.findings]
    return "\n".join([*lines, *(f"  unread: {one}" for one in unread)])
