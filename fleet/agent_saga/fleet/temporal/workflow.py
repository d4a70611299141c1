"""The workflow: every part of the job as one activity, all at once, each again until a worker ends it."""

import asyncio
from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.common import RetryPolicy

from agent_saga.fleet.temporal.messages import JUDGE, WORKFLOW, Found, Job, PartOfJob

HEARTBEAT: Final = timedelta(seconds=30)
"""Without a sign of life for so long, a worker is taken for dead and its part goes to another."""
_LONGEST: Final = timedelta(hours=12)
_RETRY: Final = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(seconds=30))


@workflow.defn(name=WORKFLOW)
class CertifyWorkflow:
    """Judges a log in parts. Its result is where they lie, in order."""

    def __init__(self) -> None:
        self._done = 0

    @workflow.run
    async def run(self, job: Job) -> list[Found]:
        """Hand out the parts."""
        return list(await asyncio.gather(*(self._part(job, part) for part in range(job.parts))))

    async def _part(self, job: Job, part: int) -> Found:
        found: Found = await workflow.execute_activity(
            JUDGE,
            PartOfJob(job, part),
            result_type=Found,
            start_to_close_timeout=_LONGEST,
            heartbeat_timeout=HEARTBEAT,
            retry_policy=_RETRY,
        )
        self._done += 1
        return found

    @workflow.query
    def done(self) -> int:
        """Parts that are judged."""
        return self._done
