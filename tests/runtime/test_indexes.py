"""What the fold keeps so that nobody looks at all effects again is what looking at all of them would find."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from runtime_exploring import FAIL, LOST_LANDED, OK, Plan, every_stop, parallel, sampled, sequential

from agent_saga.runtime.kernel.fold import apply
from agent_saga.runtime.kernel.state import APPLIED, State, plan_of


def check(state: State) -> None:
    loose = {one.id: one for one in state.effects.values() if one.state != APPLIED or one.settled}
    assert state.unsettled() == list(loose.values())
    assert state.done == {one.plan for one in state.effects.values() if one.id not in loose}
    assert list(state.standing) == [one.id for one in state.effects.values() if one.in_force]
    assert list(state.open_undos) == [one.id for one in state.undos.values() if one.state != APPLIED]
    assert state.asked == Counter(map(plan_of, state.steps))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_after_every_line_of_every_saga(size: int) -> None:
    plans: list[Plan] = list(sampled(size, 12, 7) if size > 1 else sequential(1))
    if size == 2:
        plans += parallel(undos=(OK, FAIL), forwards=(OK, LOST_LANDED))
    lines = 0
    for run in asyncio.run(every_stop(iter(plans), "saga")):
        state = State()
        for line in run.lines:
            apply(state, line)
            check(state)
        lines += len(run.lines)
    assert lines > 500
