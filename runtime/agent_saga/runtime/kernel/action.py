"""One exact action, as approvers sign it, rebuilt from the saga's own lines.

    key = base64url(first 16 bytes of SHA-256("agent-saga/key/v1\\0" || leaf of the step.proposed line))

The key of a call that persons approve is known before they are asked, because it is part of what they sign. It comes
from the leaf of the proposal, which holds 128 bits of the operating system's random generator: as random as any other.

Source: docs/spec/approval-v1.md, "The action".
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from agent_saga.approvals.requests import Content, ToolOfAction
from agent_saga.runtime.kernel.consent import Digests
from agent_saga.runtime.kernel.state import Request, State
from agent_saga.trace.base64url import unpadded
from agent_saga.trace.events import ToolSpec

_KEY: Final = b"agent-saga/key/v1\0"


def key_of(leaf: str) -> str:
    """The idempotency key of the call that a step asks approval for. leaf: of its step.proposed line, hex."""
    return unpadded(sha256(_KEY + bytes.fromhex(leaf)).digest()[:16])


def content_of(state: State, step: str, policy: str | None, keys: str | None, spec: ToolSpec | None = None) -> Content:
    """The action of a step that was proposed, as its lines have it. Raises KeyError for a step or tool there is not.

    policy, keys: the digests in force at the approval.requested line. spec: of the tool that is about to be called;
    without it, of the one in the saga's catalogue.
    """
    started, proposed = state.started, state.steps[step]
    if started is None:
        raise KeyError(step)
    spec = spec or started.tools[proposed.tool]
    return Content(
        log=started.log,
        start=state.start,
        saga=state.saga,
        step=step,
        tool=ToolOfAction(proposed.tool, spec.version, spec.schema),
        args=written_args(state, step),
        semantics=spec.semantics,
        policy=policy,
        keys=keys,
        key=key_of(proposed.leaf),
    )


def is_proposed(state: State, step: str) -> bool:
    """Whether the saga's lines have the proposal of a step, of a tool in its catalogue: else it has no action."""
    return state.started is not None and step in state.steps and state.steps[step].tool in state.started.tools


def content_asked(
    state: State, step: str, request: Request, before: Sequence[Digests] = (), spec: ToolSpec | None = None
) -> Content:
    """The action that a request asks about; its digest tells which policy and registry were in force at its line.

    before: digests of policy and registry that were in force at some time; those that the saga began with are tried as
    well. spec: as for :func:`content_of`. Where none fits, the action is not the one that the line asks about.
    """
    begun = (state.started.policy, state.started.keys) if state.started else (None, None)
    found = [content_of(state, step, policy, keys, spec) for policy, keys in dict.fromkeys((begun, *before))]
    return next((one for one in found if one.action() == request.event.action), found[0])


def written_args(state: State, step: str) -> dict[str, Any]:
    """The arguments of a step in the form on its line: concealed parts as their digests."""
    return state.forms.get(step, state.steps[step].args)
