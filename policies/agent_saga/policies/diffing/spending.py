"""What the windows may hold when a call is made: nothing, just enough for it, and one more than that.

Limits that count alike hold the same sum under both policies; one that counts more holds at least as much.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from agent_saga.policies.answers import Spend
from agent_saga.policies.diffing.meters import Meter, Relation, meter_of
from agent_saga.policies.model import Policy

Spent = dict[str, int]
Relations = Sequence[tuple[Meter, Meter, Relation]]
MOST: Final = 64


def sums(
    policies: tuple[Policy, Policy], spends: tuple[Sequence[Spend], Sequence[Spend]], relations: Relations
) -> Iterator[tuple[Spent, Spent]]:
    """Sums by limit id under each policy, all of them possible together; the empty windows first."""
    meters = [{limit.id: meter_of(limit) for limit in policy.limits} for policy in policies]
    first = {after: before for before, after, how in relations if how == "same"}
    edges: dict[Meter, set[int]] = {}
    for named, found in zip(meters, spends, strict=True):
        for spend in found:
            meter = first.get(named[spend.limit], named[spend.limit])
            least = max(0, spend.max - spend.amount)
            edges.setdefault(meter, {0}).update((least, least + 1))
    for chosen in _choices(edges):
        if all(_possible(chosen, *one) for one in relations):
            yield tuple(  # type: ignore[misc]
                {spend.limit: chosen[first.get(named[spend.limit], named[spend.limit])] for spend in found}
                for named, found in zip(meters, spends, strict=True)
            )


def _choices(edges: Mapping[Meter, set[int]]) -> Iterator[dict[Meter, int]]:
    values = [sorted(found) for found in edges.values()]
    for number, chosen in enumerate(product(*values)):
        if number >= MOST:
            return
        yield dict(zip(edges, chosen, strict=True))


def _possible(chosen: Mapping[Meter, int], before: Meter, after: Meter, how: Relation) -> bool:
    if before not in chosen or after not in chosen:
        return True
    old, new = chosen[before], chosen[after]
    return {"more": new >= old, "less": new <= old}.get(how, True)
