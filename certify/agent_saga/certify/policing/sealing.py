"""What earlier calls took from the limits of a later policy, and a concealed value hides: it could be anything.

Only where and when such calls stand is kept, by limit: which key they count under is concealed as well, for all that
anybody knows. A later call that the limit counts, within its window, is undecided then.

Source: docs/rules.md, "Policies".
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from agent_saga.certify.draft import Draft, at
from agent_saga.certify.policing.given import lacking
from agent_saga.certify.policing.spending import Row, Spending
from agent_saga.trace.instants import SECOND, micros


class Sealed(NamedTuple):
    """Earlier calls of which a limit counts nobody knows what. first: line of the first. latest: instant of the latest,
    in microseconds. calls: how many.
    """

    first: int
    latest: int
    calls: int

    def with_(self, other: "Sealed") -> "Sealed":
        """Both together."""
        return Sealed(min(self.first, other.first), max(self.latest, other.latest), self.calls + other.calls)


Limits = dict[tuple[str, str], Sealed]
"""By digest of the policy and id of the limit."""


def add(known: Limits, policy: str, limit: str, one: Sealed) -> None:
    """Note calls of which a limit counts nobody knows what."""
    about = policy, limit
    known[about] = known[about].with_(one) if about in known else one


def sealed_at(line: int, instant: str) -> Sealed:
    """One call."""
    return Sealed(line, micros(instant), 1)


def open_limits(
    spending: Spending, known: Limits, since: int, named_by: Mapping[str, str]
) -> Iterator[tuple[str, Draft]]:
    """The saga of the first call of each limit that is undecided for this, and the draft. since: as of Exceeding."""
    told: set[tuple[str, str]] = set()
    for index in spending.in_order() if known else ():
        if spending.lines[index] <= since:
            continue
        row = spending.row(index)
        for policy, limit in _touched(spending, row, known):
            if (policy, limit) not in told:
                told.add((policy, limit))
                yield row.saga, _draft(row, limit, named_by[policy], known[policy, limit])


def _touched(spending: Spending, row: Row, known: Limits) -> Iterator[tuple[str, str]]:
    """The limits that count this call within their window, and that hold it to what cannot be told."""
    for place in range(row.first, row.last):
        bucket = spending.bucket_table.values[spending.buckets[place]]
        then = spending.then_table.values[spending.thens[place]]
        sealed = known.get((bucket.policy, bucket.limit))
        if sealed is None or not then.judged or then.waived or spending.amounts[place] == 0:
            continue
        if then.approve is not None and lacking(then.approve, row.given) is None:
            continue  # persons approved what goes beyond
        if sealed.first < row.line and sealed.latest > row.at - bucket.window * SECOND:
            yield bucket.policy, bucket.limit


def _draft(row: Row, limit: str, named: str, sealed: Sealed) -> Draft:
    calls = "a call" if sealed.calls == 1 else f"{sealed.calls:,} calls"
    because = (
        f"whether {row.tool} (effect {row.effect}) at line {row.line} keeps within limit {limit} of {named} cannot be "
        f"told: {calls} from before, the first at line {sealed.first}, took what is concealed"
    )
    witness = (at(sealed.first, "effect.intended"), at(row.line, f"effect.intended {row.effect} {row.tool}"))
    return Draft(f"limit {limit}", because, "disclosures of the arguments", witness, inconclusive=True)
