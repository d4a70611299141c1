"""From a model's answer to a decision. What is no answer is a BadProposal: it is refused, and the model told why."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from agent_saga.runtime.agents.menu import FINISH, Choice
from agent_saga.runtime.drivers import Decision
from agent_saga.runtime.errors import BadProposal
from agent_saga.runtime.kernel.proposals import Finish, GiveUp, Proposal
from agent_saga.runtime.limits import MAX_MESSAGE, MAX_PAYLOAD


@dataclass(frozen=True, slots=True)
class Named:
    """A tool that the model named, with its arguments as they came: an object, JSON text, or nothing."""

    name: str
    args: dict[str, Any] | str | None


MANY: Final = 16
"""Steps in one answer: more is a model that ran away."""


def decision(menu: dict[str, Choice], named: Sequence[Named], words: str, together: bool) -> Decision:
    """What the model decided. words: what it said besides. together: whether it may propose several at once.

    Raises BadProposal.
    """
    if not named:
        raise BadProposal("answered in words only; call one of the tools")
    if len(named) > (MANY if together else 1):
        raise BadProposal(f"{len(named)} tools were called; call {f'at most {MANY}' if together else 'exactly one'}")
    found = [(_choice(menu, one.name), _arguments(one)) for one in named]
    ends = [(choice, args) for choice, args in found if choice.allowed is None]
    if not ends:
        return [_proposal(choice, args, words) for choice, args in found]
    if len(found) > 1:
        raise BadProposal(f"{ends[0][0].name} was called together with other tools; call it alone")
    why = _words(ends[0][1].get("why")) or words
    return Finish(why or None) if ends[0][0].name == FINISH else GiveUp(why or None)


def _choice(menu: dict[str, Choice], name: str) -> Choice:
    if name not in menu:
        raise BadProposal(f"there is no tool {name[:64]!r} now; call one of {', '.join(menu)}")
    return menu[name]


def _proposal(choice: Choice, args: dict[str, Any], words: str) -> Proposal:
    assert choice.allowed is not None
    return Proposal(choice.allowed.tool, args, choice.allowed.step, why=_words(words) or None)


def _words(value: Any) -> str:
    return value.strip()[:MAX_MESSAGE] if isinstance(value, str) else ""


def _arguments(named: Named) -> dict[str, Any]:
    """The arguments as an object; what they must be is for the tool's model to say. Raises BadProposal."""
    value: Any = named.args
    if isinstance(value, str):
        value = _json(named.name, value) if value.strip() else {}
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadProposal(f"the arguments of {named.name} are a {type(value).__name__}; expected an object")
    return value


def _json(name: str, text: str) -> Any:
    if len(text) > MAX_PAYLOAD:
        raise BadProposal(f"the arguments of {name} have {len(text)} characters; at most {MAX_PAYLOAD}")
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_constant)
    except json.JSONDecodeError as fault:
        raise BadProposal(f"the arguments of {name} are no JSON: {fault.msg} at character {fault.pos}") from None
    except (ValueError, RecursionError) as fault:
        why = "nested too deeply" if isinstance(fault, RecursionError) else str(fault)[:100]
        raise BadProposal(f"the arguments of {name} cannot be used: {why}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member stands twice")
    return found


def _constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")
