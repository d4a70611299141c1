"""Which calls went beyond a limit, over the whole log and across its sagas, and had not the approval for it.

Calls are taken in the order of the log, each at the instant of its line, once for each effect. What a call took counts
also if it was undone, failed, or went beyond, and if another policy was in force then. Where the limit asks for an
approval, a call that had it is fine.

Source: docs/rules.md, "Policies"; docs/spec/policy-v1.md, "Limits".
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent_saga.certify.draft import Draft, at
from agent_saga.certify.policing.asked import Then
from agent_saga.certify.policing.given import Lack, lacking
from agent_saga.certify.policing.spending import Bucket, Row, Spending
from agent_saga.certify.policing.sums import seen_by_each
from agent_saga.trace.instants import SECOND

if TYPE_CHECKING:
    from agent_saga.policies.model import Approve


@dataclass(slots=True)
class Over:
    """A bound that one call went beyond. used: what its window held before, in how many calls, from which line on."""

    bucket: Bucket
    then: Then
    used: int
    calls: int
    since: int
    amount: int


@dataclass(slots=True)
class Exceeded:
    """A call that went beyond limits, and what is wrong with that. lack: None where a limit denies it."""

    row: Row
    overs: list[Over]
    lack: Lack | None


class Exceeding:
    """The judgement of all calls. waived: waiver to how many calls it let go beyond. lapsed: waivers that had ended."""

    def __init__(self, spending: Spending, since: int = 0) -> None:
        """since: calls up to this line were judged before; they only count."""
        self._spending, self._since = spending, since
        self.waived: Counter[str] = Counter()
        self.exceeded: list[Exceeded] = []
        self.let_pass: list[tuple[str, str, Row]] = []
        """Waivers that let a call go beyond a limit, each with the limit and the call."""
        self.lapsed: list[tuple[str, str, Row]] = []
        self.unapproved: list[tuple[Row, str, Lack]] = []
        """Irreversible calls for which no limit asked for an approval, and that lack what their policy wants."""
        self._judge()

    def _judge(self) -> None:
        over = self._over()
        for index in self._spending.in_order():
            if self._spending.lines[index] <= self._since:
                continue
            row = self._spending.row(index)
            overs = [over[place] for place in range(row.first, row.last) if place in over]
            if overs or row.asked.default:
                self._call(row, overs)

    def _call(self, row: Row, overs: list[Over]) -> None:
        for one in overs:
            if one.then.waived:
                self.waived.update([one.then.waived])
                self.let_pass.append((one.then.waived, one.bucket.limit, row))
        left = [one for one in overs if not one.then.waived]
        self.lapsed += [(name, one.bucket.limit, row) for one in left for name in one.then.lapsed]
        if any(one.then.approve is None for one in left):
            self.exceeded.append(Exceeded(row, left, None))
        elif left:
            lack = _lack(row, [one.then.approve for one in left if one.then.approve is not None])
            if lack is not None:
                self.exceeded.append(Exceeded(row, left, lack))
        elif row.asked.default is not None and not row.asked.denied:
            lack = lacking(row.asked.default, row.given)
            if lack is not None:
                self.unapproved.append((row, row.asked.policy, lack))

    def _over(self) -> dict[int, Over]:
        """Row of a spend to the bound that it went beyond; those that stayed within are not there."""
        spends, found = self._spending, dict[int, Over]()
        for bucket, calls, places in self._by_bucket():
            ats = [spends.ats[index] for index in calls]
            amounts = [spends.amounts[place] for place in places]
            sums = seen_by_each(ats, amounts, bucket.window * SECOND)
            for place, amount, (used, many, first) in zip(places, amounts, sums, strict=True):
                then = spends.then_table.values[spends.thens[place]]
                if then.judged and amount > 0 and used + amount > bucket.max:
                    since = spends.lines[calls[first]] if many and first >= 0 else 0
                    found[place] = Over(bucket, then, used, many, since, amount)
        return found

    def _by_bucket(self) -> "Iterator[tuple[Bucket, array[int], array[int]]]":
        """Each limit under each key, with its calls in the order of the log and the places of what they take."""
        spends = self._spending
        held = [(array("q"), array("q")) for _ in spends.bucket_table.values]
        for index in spends.in_order():
            row = spends.row(index)
            for place in range(row.first, row.last):
                calls, places = held[spends.buckets[place]]
                calls.append(index)
                places.append(place)
        for bucket, (calls, places) in zip(spends.bucket_table.values, held, strict=True):
            yield bucket, calls, places


def _lack(row: Row, asked: "list[Approve]") -> Lack | None:
    """What a call lacks of all that rules and limits ask for in one."""
    from agent_saga.policies.deciding.merging import merge

    need = merge([*([row.asked.rules] if row.asked.rules else []), *asked])
    if need is None:
        return Lack("approvals by persons of no common role are asked for: nobody could give them")
    return lacking(need, row.given)


def exceeded_draft(found: Exceeded, named_by: Mapping[str, str]) -> Draft:
    """AS403. named_by: digest of each policy to its name and version."""
    row, one = found.row, found.overs[0]
    name, taken = f"{one.bucket.limit} of {named_by[one.bucket.policy]}", one.used + one.amount
    since = f" since line {one.since}" if one.since else ""
    calls = f" in {one.calls + 1} calls{since}" if one.calls else ""
    more = f"; {found.lack.words}" if found.lack is not None else ""
    others = f" (and {len(found.overs) - 1} more limits)" if len(found.overs) > 1 else ""
    first = (at(one.since, "effect.intended, the first that counts"),) if one.since else ()
    return Draft(
        f"effect {row.effect}",
        f"{row.tool} (effect {row.effect}) at line {row.line} brings limit {name} to {taken} of "
        f"{one.bucket.max} within {one.bucket.window} s{calls}{others}{more}",
        "no call beyond the limit" if found.lack is None else "the approval that the limit asks for, before the call",
        (*first, at(row.line, f"effect.intended {row.effect} {row.tool}")),
        inconclusive=found.lack is not None and found.lack.open,
    )
