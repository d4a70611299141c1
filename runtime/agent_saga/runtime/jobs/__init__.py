"""``saga.yaml``: the public context of a job, which people review and the trace names by its digest.

It says what an agent is to reach, by which checks that is proven, which tools it may call (each by the digest of what
was reviewed), what it may spend, and which person is asked. It holds no secret, and everything it says can be shown::

    format: agent-saga/job/v1
    name: refund
    objective: Refund an order that was paid twice.
    success:
      - criterion: The customer was charged exactly once.
        check: charged_once
    checks: [charged_once]
    tools:
      payments.refund: sha256:4b1d...
    budgets: {turns: 12, deadline_seconds: 3600}
    escalation: {person: ops-7, reason: answers for payments}

    job = load_job("saga.yaml")
    report = await job.bind(definition).run(engine, driver, goal={"order": "o-1"})

The format is docs/spec/saga-yaml-v1.md; a file whose name ends in ``.json`` is read as JSON.
"""

from agent_saga.policies.document import Fault
from agent_saga.runtime.jobs.binding import BoundJob
from agent_saga.runtime.jobs.digests import job_digest, tool_digest, tool_digests
from agent_saga.runtime.jobs.document import FORMAT, JobDocument, json_schema
from agent_saga.runtime.jobs.errors import JobError
from agent_saga.runtime.jobs.loading import JobSpec, load_job, parse_job

__all__ = [
    "FORMAT",
    "BoundJob",
    "Fault",
    "JobDocument",
    "JobError",
    "JobSpec",
    "job_digest",
    "json_schema",
    "load_job",
    "parse_job",
    "tool_digest",
    "tool_digests",
]
