"""What was found on the nights before and what is found now, put together as one run over all lines has it.

Source: docs/guide/nightly.md.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.judging.bench import FURTHER, together
from agent_saga.certify.judging.crossing import Crossing
from agent_saga.certify.policing.sealing import Sealed
from agent_saga.fleet.memory import Unended
from agent_saga.fleet.state import Counts, State

BY_POLICY: Final = frozenset({"AS401", "AS403"})
"""Found where all calls were seen; a call that was judged so once is not judged so again."""
_ONCE: Final = BY_POLICY | {"AS406"}
"""Of these some, or all, are not found again."""


def of_the_ended(found: Iterable[Finding], lost: Mapping[str, Counter[str]], unended: Unended) -> Iterator[Finding]:
    """Findings beyond those that are listed are counted as one; those of sagas that have not ended come again."""
    again: Counter[str] = Counter()
    for saga in unended:
        again.update(lost.get(saga, {}))
    for one in found:
        count = 0 if one.subject != FURTHER or one.code in _ONCE else again[one.code]
        if not count:
            yield one
        elif one.count > count:
            words = f"{one.count - count} more findings of this rule stand in sagas that have ended"
            yield replace(one, count=one.count - count, because=words, witness=())


def count_on(crossing: Crossing, before: State, again: Counts) -> None:
    """Add what was counted before; what the lines that were judged again gave is part of that."""
    uses, policing = crossing.uses, crossing.policing
    uses.exceptions += before.counts.exceptions - again.exceptions
    policing.calls = +(policing.calls - Counter(again.calls) + Counter(before.counts.calls))
    policing.untold = +(policing.untold - Counter(again.untold) + Counter(before.counts.untold))
    policing.waived = +(policing.waived - Counter(again.waived) + Counter(before.counts.waived))
    for policy, limit, first, latest, calls in before.counts.sealed:
        known = policing.sealed.get((policy, limit))
        older = Sealed(first, latest, calls)
        policing.sealed[policy, limit] = older if known is None else older.with_(known)
    for policy, limit, _, _, calls in again.sealed:
        one = policing.sealed[policy, limit]
        policing.sealed[policy, limit] = one._replace(calls=one.calls - calls)
    policing.named |= set(before.named)
    policing.lapsed |= set(before.lapsed)


def merged(standing: Iterable[Finding], found: Iterable[Finding]) -> list[Finding]:
    """Findings of both, in their order; the same about the same subject is one, as it is in one run over all lines."""
    by_subject = {(one.code, one.saga, one.subject): one for one in standing}
    for one in found:
        about = one.code, one.saga, one.subject
        known = by_subject.get(about)
        by_subject[about] = one if known is None or known.witness == one.witness else together(known, one)
    return sorted(by_subject.values(), key=lambda one: one.order)
