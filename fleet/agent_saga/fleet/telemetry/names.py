"""Every name that spans and metrics bear, in one table.

Source: OpenTelemetry semantic conventions 1.41, GenAI (status: development): the spans ``invoke_workflow`` and
``execute_tool``, the attributes ``gen_ai.*`` and ``error.type``. What they have no name for is called ``agent_saga.*``.
"""

from typing import Final

VERSION: Final = "1.41.0"
SCHEMA_URL: Final = f"https://opentelemetry.io/schemas/{VERSION}"
SCOPE: Final = "agent_saga"

OPERATION: Final = "gen_ai.operation.name"
WORKFLOW: Final = "gen_ai.workflow.name"
AGENT: Final = "gen_ai.agent.name"
TOOL: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
CALL: Final = "gen_ai.tool.call.id"
ARGUMENTS: Final = "gen_ai.tool.call.arguments"
RESULT: Final = "gen_ai.tool.call.result"
ERROR: Final = "error.type"

SAGA: Final = "agent_saga.saga"
STATUS: Final = "agent_saga.status"
EFFECT: Final = "agent_saga.effect"
SEMANTICS: Final = "agent_saga.semantics"
ATTEMPT: Final = "agent_saga.attempt"
OUTCOME: Final = "agent_saga.outcome"
UNDOES: Final = "agent_saga.undoes"
STEP: Final = "agent_saga.step"
CHECK: Final = "agent_saga.check"
PASSED: Final = "agent_saga.passed"

INVOKE_WORKFLOW: Final = "invoke_workflow"
EXECUTE_TOOL: Final = "execute_tool"
RECONCILE: Final = "reconcile"

SAGAS: Final = "agent_saga.sagas"
CALLS: Final = "agent_saga.calls"
WAITS: Final = "agent_saga.wait.duration"
DURATION: Final = "gen_ai.execute_tool.duration"
"""Seconds, as the conventions have it."""
