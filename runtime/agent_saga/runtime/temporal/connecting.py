"""The connection to a Temporal server, by Temporal's own settings: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and the others.

A local server, one of your own, or Temporal Cloud with an API key or mTLS: all of it stands in the environment or in
Temporal's configuration file, as its own command reads it (``temporalio.envconfig``).
"""

import atexit
import os
import re
import time
from collections.abc import Mapping
from typing import Any, Final

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.envconfig import ClientConfig
from temporalio.service import RPCError, RPCStatusCode

from agent_saga.runtime.temporal import attributes
from agent_saga.runtime.temporal.errors import BadConnection, NoNamespace, NoServer
from agent_saga.runtime.temporal.payloads import PayloadKeys, converter

LOCAL: Final = "localhost:7233"
"""The address where ``temporal server start-dev`` listens."""
RETURNING: Final = 0.1
"""Seconds that a thread needs at most to give back the interpreter after it brought an answer."""
_SETTINGS: Final = "TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS... or TEMPORAL_CONFIG_FILE"

_SECURED: Final = (
    (
        ("UnknownIssuer", "BadSignature"),
        "nobody who is trusted here signed its certificate; name its authority's with TEMPORAL_TLS_SERVER_CA_CERT_PATH",
    ),
    (("NotValidForName",), "its certificate is for another name; TEMPORAL_TLS_SERVER_NAME says which is expected"),
    (("Expired", "NotValidYet"), "its certificate is not valid today, or the clock here is wrong"),
    (("KeyMismatch",), "TEMPORAL_TLS_CLIENT_KEY_PATH holds the key of another certificate than the one given"),
    (("NoCertificatesPresented",), "TEMPORAL_TLS_CLIENT_CERT_PATH holds no certificate in PEM"),
    (("InvalidContentType",), "it speaks no TLS; unset TEMPORAL_TLS..., and TEMPORAL_API_KEY, which asks for TLS"),
)
"""What a connection under TLS fails by, in the words of the library below (rustls), and what to do."""


async def connect(
    *, keys: PayloadKeys | None = None, environment: Mapping[str, str] | None = None, **options: Any
) -> Client:
    """A client, connected. keys: seal payloads. environment: in place of the process's own. options: as Client.connect.

    Raises BadConnection, NoServer, NoNamespace.
    """
    atexit.register(_let_go)
    settings = _settings(environment) | options
    address, namespace = settings.setdefault("target_host", LOCAL), settings.setdefault("namespace", "default")
    try:
        client = await Client.connect(**settings, data_converter=converter(keys))
    except RuntimeError as fault:
        _raise_secured(address, str(fault))
        raise NoServer(
            f"no Temporal server answers at {address}: {_short(fault)}; start one (temporal server start-dev), or say "
            f"where it is, and where it asks for TLS or a client's certificate, which: {_SETTINGS}"
        ) from fault
    except (ValueError, TypeError) as fault:
        raise BadConnection(f"the connection to {address} cannot be made: {_short(fault)}; {_SETTINGS}") from fault
    await _check_namespace(client, address, namespace)
    return client


def _raise_secured(address: str, words: str) -> None:
    for signs, told in _SECURED:
        if any(sign in words for sign in signs):
            raise BadConnection(f"the connection to {address} cannot be secured: {told}")


def _let_go() -> None:
    """Let the threads of Temporal's library return from this interpreter before it ends: else it aborts."""
    atexit.unregister(_let_go)
    time.sleep(RETURNING)


def _settings(environment: Mapping[str, str] | None) -> dict[str, Any]:
    given = os.environ if environment is None else environment
    if any(not sign.isprintable() or sign.isspace() for sign in given.get("TEMPORAL_API_KEY", "")):
        raise BadConnection("TEMPORAL_API_KEY holds a line break or a space; set it without")
    try:
        return dict(ClientConfig.load_client_connect_config(override_env_vars=environment))
    except Exception as fault:  # whatever is wrong with a file that the user wrote
        raise BadConnection(f"Temporal's settings cannot be read: {_short(fault)}; {_SETTINGS}") from fault


async def _check_namespace(client: Client, address: str, namespace: str) -> None:
    try:
        await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=namespace))
    except RPCError as fault:
        if fault.status is RPCStatusCode.NOT_FOUND:
            raise NoNamespace(
                f"{address} has no namespace {namespace!r}; make it (temporal operator namespace create --namespace "
                f"{namespace}), or set TEMPORAL_NAMESPACE"
            ) from fault
        if fault.status in (RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNAUTHENTICATED):
            raise BadConnection(f"{address} refuses these credentials for {namespace!r}: {_short(fault)}") from fault
        if fault.status is not RPCStatusCode.UNIMPLEMENTED:  # the time-skipping server knows no namespaces
            raise NoServer(f"{address} does not answer for namespace {namespace!r}: {_short(fault)}") from fault


async def has_workers(client: Client, task_queue: str) -> bool:
    """Whether anybody polled the task queue in the last minutes, as far as the server says."""
    asked = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=task_queue),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    )
    try:
        return bool((await client.workflow_service.describe_task_queue(asked)).pollers)
    except RPCError as fault:
        return fault.status is not RPCStatusCode.NOT_FOUND


async def has_attributes(client: Client) -> bool:
    """Whether the namespace has our search attributes; no, where the server does not say."""
    asked = ListSearchAttributesRequest(namespace=client.namespace)
    try:
        found = await client.operator_service.list_search_attributes(asked)
    except RPCError:
        return False
    return all(one.name in found.custom_attributes for one in attributes.BOTH)


def _short(fault: Exception) -> str:
    """The words of a fault in one line; of what the transport says, the message alone."""
    text = " ".join(str(fault).split())
    inner = re.search(r'message: "([^"]+)"', text)
    return (inner[1] if inner else text)[:300]
