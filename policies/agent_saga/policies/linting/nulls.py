"""Rules that fire where an argument is left out and stay quiet where it is null, which an agent may send as well.

To CEL ``has()`` is true of null: there is a value. A rule that denies a call without a country does not deny one whose
country is null, unless the schema allows neither.

Source: docs/spec/policy-cel-v1.md, "Null"; CEL language definition, "Field Selection".
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agent_saga.policies.cel.syntax import Call, Expression, Literal, Select
from agent_saga.policies.cel.walking import parts
from agent_saga.policies.compiled import Compiled, compile_policy
from agent_saga.policies.explaining.calls import asked
from agent_saga.policies.linting.looking import Look, Part
from agent_saga.policies.linting.notes import Note
from agent_saga.policies.model import Limit
from agent_saga.policies.sampling.calls import put
from agent_saga.policies.sampling.constants import Path, path_of

_BINDING: Final = ("hard", "soft")
_MISSING: Final = object()


def slipping(look: Look) -> Iterator[Note]:
    """A note for each part that null slips past."""
    compiled = compile_policy(look.policy)
    for part in look.parts:
        if part.enforcement in _BINDING and part.then != "allow":
            for path in dict.fromkeys(_asked_for(look.tree(part))):
                if any(_slips(look, compiled, part, path, tool) for tool in look.about(part)):
                    yield _note(part, path)


def _asked_for(tree: Expression) -> Iterator[Path]:
    """The arguments of which a condition asks whether they are there."""
    for one in parts(tree):
        path: Path = ()
        if isinstance(one, Select) and one.test:
            path = (*path_of(one.of), one.field)
        elif isinstance(one, Call) and one.name == "in" and isinstance(one.args[0], Literal):
            path = (*path_of(one.args[1]), str(one.args[0].value))
        if len(path) > 1 and path[0] == "args":
            yield path


def _slips(look: Look, compiled: Compiled, part: Part, path: Path, tool: str) -> bool:
    """Whether a call of the tool without the argument meets the part, and the same with null does not."""
    for given in look.calls(tool):
        left_out = _at(given, path[:-1]) is not _MISSING and _at(given, path) is _MISSING
        if left_out and _meets(look, compiled, part, given):
            return not _meets(look, compiled, part, put(given, path, None))
    return False


def _at(given: Any, path: Path) -> Any:
    for name in path:
        given = given.get(name, _MISSING) if isinstance(given, Mapping) else _MISSING
    return given


def _meets(look: Look, compiled: Compiled, part: Part, given: Mapping[str, Any]) -> bool:
    """Whether a part has something to say to a call; that it cannot be decided is something, since that denies."""
    call = asked(given, look.policy).call
    fired = compiled.decide(call, None, call.at[:10], told=False).fired
    refused = any(one.kind == "tool" for one in fired)
    if isinstance(part, Limit):
        return refused or any(one.limit == part.id for one in compiled.spends(call)) or _undecided(compiled, part, call)
    return refused or any(one.id == part.id and one.kind == "rule" for one in fired)


def _undecided(compiled: Compiled, part: Limit, call: Any) -> bool:
    fired = compiled.decide(call, {}, call.at[:10], told=False).fired
    return any(one.id == part.id and one.outcome == "undecidable" for one in fired)


def _note(part: Part, path: Path) -> Note:
    kind, where = ("limit" if isinstance(part, Limit) else "rule"), ".".join(path)
    text = (
        f"{kind} {part.id} is about calls without {where}, and null is there to has(): a call with null passes it; "
        f"ask about the value as well, as in !(has({where}) && size({where}) > 0)"
    )
    place = part.of.place if isinstance(part, Limit) else part.when.place
    return Note(place, "null-slips-past", text)
