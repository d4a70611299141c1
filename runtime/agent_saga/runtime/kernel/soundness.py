"""Whether a proposal is allowed and its arguments can be called, undone and written, before the gate is asked."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from pydantic import ValidationError

from agent_saga.runtime.arguments import faults_of
from agent_saga.runtime.definition import SagaDefinition, Step
from agent_saga.runtime.gate import Gate
from agent_saga.runtime.kernel import plan
from agent_saga.runtime.kernel.actions import Allowed, Moment
from agent_saga.runtime.kernel.payload import unsound, unwritable, wrong_amount
from agent_saga.runtime.kernel.proposals import Proposal
from agent_saga.runtime.kernel.state import State, plan_of
from agent_saga.runtime.tools import Tool
from agent_saga.trace.values import MISSING, resolve


class Choices(Struct, frozen=True):
    """What could be chosen: as pairs of step and tool, and the tools alone."""

    pairs: dict[tuple[str, str], None]
    tools: list[str]


class Case(Struct):
    """What a proposal is judged by. taken: how many of the proposals before it in the same answer are of each step.

    number: of the proposals before it. pledged: amounts of the intents before it in the same answer. taken_now: what
    those take from limits, by limit and key. shown: what the agent was shown, where nothing was written since; None: it
    is looked up. known: the choices, once somebody asked.
    """

    state: State
    definition: SagaDefinition
    gate: Gate
    moment: Moment
    driver: str
    taken: dict[str, int] = {}
    number: int = 0
    pledged: list[dict[str, Any]] = []
    taken_now: dict[tuple[str, str], int] = {}
    shown: Sequence[Allowed] | None = None
    known: Choices | None = None

    @property
    def choices(self) -> Choices:
        """What could be chosen."""
        if self.known is None:
            shown = self.shown if self.shown is not None else plan.allowed(self.state, self.definition)
            pairs = {(one.step, one.tool): None for one in shown}
            self.known = Choices(pairs, list(dict.fromkeys([one.tool for one in shown])))
        return self.known

    def take(self, step: str) -> None:
        """Note the id that a proposal's step was given."""
        name = plan_of(step)
        self.taken[name] = self.taken.get(name, 0) + 1
        self.number += 1


def fault(case: Case, proposal: Proposal, step: Step | None) -> tuple[tuple[str, Any] | None, dict[str, Any]]:
    """Why a proposal is refused before the gate is asked, and its arguments in the form that the line has."""
    wrong, args = _read(case, proposal, step)
    if args is None:
        return wrong, ({} if unsound(proposal.args) or hidden(case, proposal.tool) else proposal.args)
    unfit = unsound(args)
    return (unfit, {}) if unfit else (_unpointed(case.definition.catalogue[proposal.tool], args), args)


def _read(case: Case, proposal: Proposal, step: Step | None) -> tuple[tuple[str, Any] | None, dict[str, Any] | None]:
    """The arguments as JSON, defaults filled in; or why they are not even read."""
    if proposal.fault:
        return proposal.fault, None
    if proposal.options and unwritable([option.args for option in proposal.options]):
        return ("too_large", "the options do not fit on a line"), None
    if not _is_allowed(case, proposal, step):
        return ("not_allowed", f"{proposal.step or proposal.tool} is not allowed now"[:200]), None
    try:
        return None, case.definition.catalogue[proposal.tool].normal(proposal.args)
    except ValidationError as error:
        return ("invalid_arguments", faults_of(error)[:20]), None
    except (TypeError, ValueError, RecursionError) as error:
        return ("invalid_arguments", f"{type(error).__name__} while the arguments were read"), None


def hidden(case: Case, tool: str) -> bool:
    """Whether a part of the tool's arguments is concealed: what does not fit them may hold it at another place."""
    return any(one.startswith("/args") for one in case.definition.conceals.get(tool, ()))


def _unpointed(tool: Tool, args: dict[str, Any]) -> tuple[str, str] | None:
    """Where the catalogue says that an argument is the amount or the resource, it must be one."""
    if tool.amount_from is not None:
        wrong = wrong_amount(resolve(tool.amount_from, args))
        if wrong:
            return "no_amount", f"{tool.amount_from}: {wrong}"
    if tool.resource_from is not None and pointed(tool.resource_from, args) is None:
        return "no_resource", f"there is nothing at {tool.resource_from}"
    return None


def _is_allowed(case: Case, proposal: Proposal, step: Step | None) -> bool:
    name = step.name if step else ""
    return (step is None or name not in case.taken) and (name, proposal.tool) in case.choices.pairs


def pointed(pointer: str | None, args: dict[str, Any]) -> Any:
    """What a pointer of the catalogue finds in the arguments; None for nothing."""
    found = resolve(pointer, args) if pointer is not None else None
    return None if found is MISSING else found
