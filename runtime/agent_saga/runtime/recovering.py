"""What a recovery brought: the reports of the sagas that were taken up, and why others could not be."""

from collections.abc import Mapping, Sequence
from typing import Self

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
