"""The connection to a Temporal server, by Temporal's own settings: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and the others.

A local server, one of your own, or Temporal Cloud with an API key or mTLS: all of it stands in the environment or in
Temporal's configuration file, as its own command reads it (``temporalio.envconfig``).
"""

from collections.abc import Mapping
from typing import Any, Final

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.envconfig import ClientConfig
from temporalio.service import RPCError, RPCStatusCode

from agent_saga.runtime.temporal.errors import BadConnection, NoNamespace, NoServer
from agent_saga.runtime.temporal.payloads import PayloadKeys, converter

LOCAL: Final = "localhost:7233"
"""The address where ``temporal server start-dev`` listens."""
_SETTINGS: Final = "TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS... or TEMPORAL_CONFIG_FILE"


async def connect(
    *, keys: PayloadKeys | None = None, environment: Mapping[str, str] | None = None, **options: Any
) -> Client:
    """A client, connected. keys: seal payloads. environment: in place of the process's own. options: as Client.connect.

    Raises BadConnection, NoServer, NoNamespace.
    """
    settings = _settings(environment) | options
    address, namespace = settings.setdefault("target_host", LOCAL), settings.setdefault("namespace", "default")
    try:
        client = await Client.connect(**settings, data_converter=converter(keys))
    except RuntimeError as fault:
        raise NoServer(
            f"no Temporal server answers at {address}: {_short(fault)}; start one (temporal server start-dev), or say "
            f"where it is: {_SETTINGS}"
        ) from fault
    except (ValueError, TypeError) as fault:
        raise BadConnection(f"the connection to {address} cannot be made: {_short(fault)}; {_SETTINGS}") from fault
    await _check_namespace(client, address, namespace)
    return client


def _settings(environment: Mapping[str, str] | None) -> dict[str, Any]:
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


def _short(fault: Exception) -> str:
    return " ".join(str(fault).split())[:300]
