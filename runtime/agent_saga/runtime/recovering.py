"""What a recovery brought: the reports of the sagas that were taken up, and why others could not be."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Self

from agent_saga.runtime.errors import SagaBusy
from agent_saga.runtime.report import Report


class NotRecovered(ExceptionGroup[Exception]):
    """Some sagas could not be taken up; the others were, and nothing of either is lost.

    reports: of those that were. faults: by saga id, why one could not.
    """

    reports: tuple[Report, ...]
    faults: dict[str, Exception]

    def __new__(cls, reports: Sequence[Report], faults: Mapping[str, Exception]) -> Self:
        """faults: by saga id, at least one."""
        told = f"could not take up {', '.join(faults)}; {len(reports)} others were taken up"
        made = super().__new__(cls, told, list(faults.values()))
        made.reports, made.faults = tuple(reports), dict(faults)
        return made

    def derive(self, excs: Sequence[Exception], /) -> ExceptionGroup[Exception]:  # type: ignore[override]
        """A part of it, as ``except*`` asks for: the exceptions alone."""
        return ExceptionGroup(self.message, excs)


async def each_taken_up(sagas: Iterable[str], take_up: Callable[[str], Awaitable[Report | None]]) -> list[Report]:
    """Take up one saga after another; those that another process holds, or that are not ours, are left alone.

    take_up: goes on with a saga; None for one that is not ours. Raises NotRecovered at the end, when some could not be
    taken up; they do not hold up the others.
    """
    reports: list[Report] = []
    faults: dict[str, Exception] = {}
    for saga in sagas:
        try:
            report = await take_up(saga)
        except SagaBusy:
            continue
        except Exception as fault:
            faults[saga] = fault
            continue
        if report is not None:
            reports.append(report)
    if faults:
        raise NotRecovered(reports, faults)
    return reports
