"""The floor of the bench on Temporal: a workflow whose activities do nothing. In a sandbox, as that of a saga is."""

from __future__ import annotations

from datetime import timedelta

from temporalio import activity, workflow
from temporalio.common import RetryPolicy

with workflow.unsafe.imports_passed_through():
    from agent_saga.runtime.temporal.messages import Next, Pending, Place, Turn

PLACE = Place(21, "0" * 64, 3, 1_790_000_000.5)


@activity.defn(name="bare")
async def bare(turn: Turn) -> Next:
    """Does nothing, and answers as much as a turn of a saga does."""
    return Next(turn.place, "execute", ("e1",), 30.0, gained=("e1",))


@workflow.defn(name="bare")
class Bare:
    """As many activities as a saga, one after another."""

    @workflow.run
    async def run(self, count: int) -> int:
        for _ in range(count):
            await workflow.execute_activity(
                "bare",
                Turn("0123456789abcdefABCDEF", "long", PLACE, Pending("execute", ("e1",), 30.0, False)),
                result_type=Next,
                start_to_close_timeout=timedelta(seconds=60),
                heartbeat_timeout=timedelta(seconds=5),
                retry_policy=RetryPolicy(maximum_attempts=1),
            )
        return count
