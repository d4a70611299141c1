"""The runtime: an agent proposes, the runtime writes the trace and then acts, and no call is made before its intent is
durable.

A saga is a fold over its own trace. The kernel (:mod:`agent_saga.runtime.kernel`, pure) says what comes next; the
embedded engine (:mod:`~agent_saga.runtime.engine`) does it: it writes an intent, calls the tool, writes the outcome::

    effect.intended e1   payments.charge   key 9f0c...      durable before the call
    effect.unknown e1    time-out                           it may have happened
    effect.reconciled e1 landed                             the provider was asked; nothing is charged twice

What failed is undone newest first; what nobody can prove waits for a person. A process that dies anywhere leaves a
trace from which another one goes on. The guide is docs/guide/runtime.md.
"""

from agent_saga.runtime.calls import Absent, Call, Checked, Facts, Found, Invocation, Landed, Result, Unresolved
from agent_saga.runtime.children import saga_tool
from agent_saga.runtime.choice import Choice, ClosedChoiceDriver, Offer
from agent_saga.runtime.definition import Contact, SagaDefinition, Step
from agent_saga.runtime.drivers import DecisionDriver, PlanDriver, ScriptedDriver
from agent_saga.runtime.engine import Engine
from agent_saga.runtime.errors import (
    BadProposal,
    DefinitionError,
    DriverBusy,
    LeaseLost,
    NotDone,
    NotEntitled,
    OutsideSaga,
    PolicyMismatch,
    ReadOnly,
    RuntimeFault,
    SagaBusy,
    StaleDecision,
    UnknownSaga,
)
from agent_saga.runtime.gate import Allow, Gate, NeedsApproval, Refuse, StaticGate
from agent_saga.runtime.kernel.actions import View
from agent_saga.runtime.kernel.deciding import PersonDecision
from agent_saga.runtime.kernel.proposals import Candidate, Finish, GiveUp, Proposal
from agent_saga.runtime.kit import AgentKit, Status
from agent_saga.runtime.limits import Limits
from agent_saga.runtime.recovering import NotRecovered
from agent_saga.runtime.report import Report, RollbackReport
from agent_saga.runtime.runnable import Runnable
from agent_saga.runtime.tools import Tool, tool

__all__ = [
    "Absent",
    "AgentKit",
    "Allow",
    "BadProposal",
    "Call",
    "Candidate",
    "Checked",
    "Choice",
    "ClosedChoiceDriver",
    "Contact",
    "DecisionDriver",
    "DefinitionError",
    "DriverBusy",
    "Engine",
    "Facts",
    "Finish",
    "Found",
    "Gate",
    "GiveUp",
    "Invocation",
    "Landed",
    "LeaseLost",
    "Limits",
    "NeedsApproval",
    "NotDone",
    "NotEntitled",
    "NotRecovered",
    "Offer",
    "OutsideSaga",
    "PersonDecision",
    "PlanDriver",
    "PolicyMismatch",
    "Proposal",
    "ReadOnly",
    "Refuse",
    "Report",
    "Result",
    "RollbackReport",
    "Runnable",
    "RuntimeFault",
    "SagaBusy",
    "SagaDefinition",
    "ScriptedDriver",
    "StaleDecision",
    "StaticGate",
    "Status",
    "Step",
    "Tool",
    "UnknownSaga",
    "Unresolved",
    "View",
    "saga_tool",
    "tool",
]
