"""What an agent may answer when it is asked, and what becomes of an answer that is none."""

import re
from dataclasses import dataclass, field
from typing import Any, Final, get_args

from agent_saga.runtime.kernel.payload import unsound
from agent_saga.trace.forms import Decimal, Id, Text, ToolName

UNNAMED: Final = "unnamed"
"""The tool of a proposal that names none."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate of a closed choice, with complete arguments. p: its probability, a decimal as text."""

    id: str
    tool: str
    args: dict[str, Any]
    p: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """Call this tool with these arguments.

    step: of the plan; "" for the first ready step of this tool. why: the agent's reason. options, choice, confidence:
    of a closed choice, probabilities as decimal text. fault: code and reason why the driver itself does not stand
    behind it; it is then written with its numbers, and refused.
    """

    tool: str
    args: dict[str, Any] = field(default_factory=dict)
    step: str = ""
    why: Any = None
    options: tuple[Candidate, ...] = ()
    choice: str | None = None
    confidence: str | None = None
    fault: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """The goal is reached, the agent says; the checks decide."""

    why: Any = None


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The goal cannot be reached: roll back."""

    why: Any = None


def proposals_of(decision: Any) -> tuple[Proposal, ...]:
    """The proposals that a driver answered with; where one of them is none, a single one that is refused."""
    found = tuple(decision) if isinstance(decision, list | tuple) else (decision,)
    if not found or not all(isinstance(one, Proposal) for one in found):
        return _refused(f"answered with a {type(decision).__name__}, which is no proposal")
    wrong = next(filter(None, map(_misshapen, found)), "")
    return _refused(wrong) if wrong else found


def _refused(why: str) -> tuple[Proposal, ...]:
    return (Proposal(UNNAMED, fault=("no_proposal", why)),)


_FORMS: Final = {
    name: re.compile(get_args(form)[1].pattern).fullmatch
    for name, form in {"id": Id, "tool": ToolName, "p": Decimal, "confidence": Decimal, "text": Text}.items()
}


def _misshapen(one: Proposal) -> str:
    """What of a proposal no line could hold; "" for a sound one. Arguments are looked at where the tool is known."""
    if type(one.tool) is not str or type(one.step) is not str or not isinstance(one.args, dict):
        return "answered with a proposal whose tool or step is no text, or whose args are no object"
    if not isinstance(one.options, list | tuple) or not all(map(_is_candidate, one.options)):
        return "answered with a proposal whose options are no candidates with id, tool, args and probability"
    if not (one.choice is None or _fits("id", one.choice)) or not (
        one.confidence is None or _fits("confidence", one.confidence)
    ):
        return "answered with a choice that is no id, or a confidence that is no decimal from 0 to 1"
    if one.fault is not None and (len(one.fault) != 2 or not _fits("text", one.fault[0]) or unsound(one.fault[1])):
        return "answered with a fault that is no code and reason"
    return ""


def _is_candidate(one: Any) -> bool:
    if not isinstance(one, Candidate) or not isinstance(one.args, dict):
        return False
    return _fits("id", one.id) and _fits("tool", one.tool) and _fits("p", one.p)


def _fits(form: str, value: Any) -> bool:
    return type(value) is str and _FORMS[form](value) is not None
