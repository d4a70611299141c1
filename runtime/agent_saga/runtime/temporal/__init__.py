"""The runtime on Temporal: the same definitions, kernel and trace, for fleets and for sagas that wait for days.

    client = await connect()                                    # TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, ...
    async with saga_worker(client, store, [checkout]):          # or: agent-saga worker shop.sagas:checkout
        report = await SagaClient(client, store).run("checkout", goal={"order": "o-1"})

One workflow a saga. It carries references and starts activities; those fold the trace, ask the kernel, write lines and
call tools. A call to a provider is started once; when its worker dies, the provider is asked what became of it.

- :mod:`~agent_saga.runtime.temporal.workflow`: the workflow, its updates and its query
- :mod:`~agent_saga.runtime.temporal.activities`, ``turns``: what an activity does with a saga
- :mod:`~agent_saga.runtime.temporal.payloads`: what the server may see
- :mod:`~agent_saga.runtime.temporal.connecting`, ``working``, ``client``: how it is used

Needs the extra ``temporal``. The guide is docs/guide/temporal.md.
"""

from agent_saga.runtime.extras import MissingExtra, extra

with extra("temporal", "the runtime on Temporal"):
    import temporalio as _temporalio  # noqa: F401

from agent_saga.runtime.temporal.client import SagaClient, Share
from agent_saga.runtime.temporal.connecting import connect
from agent_saga.runtime.temporal.errors import (
    BadConnection,
    BadKeys,
    NoNamespace,
    NoServer,
    TemporalFault,
    TooLarge,
    WorkflowFault,
)
from agent_saga.runtime.temporal.messages import Standing
from agent_saga.runtime.temporal.payloads import PayloadKeys, read_keys
from agent_saga.runtime.temporal.working import WorkerOptions, saga_worker

__all__ = [
    "BadConnection",
    "BadKeys",
    "MissingExtra",
    "NoNamespace",
    "NoServer",
    "PayloadKeys",
    "SagaClient",
    "Share",
    "Standing",
    "TemporalFault",
    "TooLarge",
    "WorkerOptions",
    "WorkflowFault",
    "connect",
    "read_keys",
    "saga_worker",
]
