"""What of a saga's payloads does not stand in clear on a line, and how the fold sees it all the same.

Three things are concealed: a text in the form of a credential, what the tool declared (``@tool(conceal=...)``), and any
text that holds what was concealed before in the same saga. The digests are made by the journal, which has the salts
(:mod:`agent_saga.runtime.veil`); what opens them is kept beside the trace, and the fold takes it as an argument.

Source: docs/spec/trace-v1.md, "Concealed values".
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from agent_saga.runtime.kernel.payload import is_secret, texts
from agent_saga.runtime.kernel.state import State
from agent_saga.trace.conceal import Disclosures, digests_in
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import UndoCall
from agent_saga.trace.values import CONCEALED_NAME, LONG_TEXT, MISSING, is_concealed, resolve, scan

PAYLOADS: Final = (
    "args", "result", "undo", "goal", "evidence", "error", "reason", "cause", "why", "resource", "options"
)  # fmt: skip
"""Members whose parts may be concealed, in the order of a line. An amount stays in clear: limits are judged by it."""

MEMORABLE: Final = 8
"""Characters from which a concealed text is looked for elsewhere: a shorter one, such as a currency, is anywhere."""


MAX_PARTS: Final = 64
"""Concealed parts of one member; beyond, the member is concealed as a whole: a digest may be longer than its value."""

_NOTHING: Final = {CONCEALED_NAME: "A" * 43}
"""Stands where a digest will: a digest of nothing, which nothing opens."""


def memorable(values: Iterable[Any]) -> set[str]:
    """The texts in concealed values that must not turn up elsewhere in clear."""
    return {text for value in values for text in texts(value) if len(text) >= MEMORABLE}


def hides(text: str, known: Collection[str]) -> bool:
    """Whether a text must not stand in clear. known: texts that were concealed before."""
    return is_secret(text) or any(one in text for one in known)


def shown(value: Any, known: Collection[str]) -> bool:
    """Whether a value may stand in clear as a whole."""
    return (not known and _brief(value)) or not any(hides(text, known) for text in texts(value))


def _brief(value: Any) -> bool:
    """Whether no text in a value is long enough to be a credential; that is quickly told, and usual."""
    try:
        return not scan(value) & LONG_TEXT
    except LineError:
        return False


def sealed(value: Any) -> bool:
    """Whether a part of a value is concealed and nothing here opens it."""
    return next(iter(digests_in(value)), None) is not None


def declared(members: Mapping[str, Any], state: State, conceals: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """JSON Pointers into a line's members to what its tools declared to be concealed.

    conceals: by tool, pointers that begin with ``/args`` or ``/result``.
    """
    if not conceals:
        return ()
    calls = [("", members)]
    calls += [(f"/options/{number}", one) for number, one in enumerate(members.get("options") or ())]
    if isinstance(members.get("undo"), dict):
        calls.append(("/undo", members["undo"]))
    found = [f"{at}{one}" for at, call in calls for one in conceals.get(call.get("tool", ""), ()) if one[1] == "a"]
    return (*found, *(one for one in conceals.get(_answers(members, state), ()) if one[1] == "r"))


def _answers(members: Mapping[str, Any], state: State) -> str:
    """The tool whose result a line holds; "" when it holds none."""
    if "result" not in members:
        return ""
    undo = members.get("undo")
    call = state.undos.get(undo) if isinstance(undo, str) else state.effects.get(members.get("effect", ""))
    return call.tool if call else ""


def pointed(members: Mapping[str, Any], pointers: Iterable[str]) -> Iterator[Any]:
    """The values in a line's members that the tool's declaration names."""
    for pointer in pointers:
        found = resolve(pointer, members)
        if found is not MISSING and not is_concealed(found):
            yield found


def seen(tool: str, args: dict[str, Any], state: State, conceals: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """The arguments of a call as its line will show them: what will be concealed there is concealed here.

    conceals: as for :func:`declared`.
    """
    pointers = [one for one in conceals.get(tool, ()) if one[1] == "a"]
    known: Collection[str] = state.concealed
    if pointers:
        known = {*known, *memorable(pointed({"args": args}, pointers))}
    elif shown(args, known):
        return args
    covered: dict[str, Any] = replaced("/args", args, places("/args", args, pointers, known), lambda _: _NOTHING)
    return covered


def places(path: str, value: Any, pointers: Collection[str], known: Collection[str]) -> set[str]:
    """The outermost places in a value that are to be concealed, as JSON Pointers into the line."""
    found = _places(path, value, pointers, known)
    return {path} if len(found) > MAX_PARTS else found


def _places(path: str, value: Any, pointers: Collection[str], known: Collection[str]) -> set[str]:
    if is_concealed(value):
        return set()
    if path in pointers:
        return {path}
    if isinstance(value, str):
        return {path} if hides(value, known) else set()
    if isinstance(value, dict):
        if any(hides(name, known) for name in value):
            return {path}
        inner = [_places(f"{path}/{_token(name)}", item, pointers, known) for name, item in value.items()]
        return set().union(*inner)
    if isinstance(value, list | tuple):
        return set().union(*(_places(f"{path}/{n}", item, pointers, known) for n, item in enumerate(value)))
    return set()


def replaced(path: str, value: Any, where: Collection[str], by: Callable[[Any], Any]) -> Any:
    """The value with the parts at these places replaced. where: as of :func:`places`."""
    if not where:
        return value
    if path in where:
        return by(value)
    if isinstance(value, dict):
        return {name: replaced(f"{path}/{_token(name)}", item, where, by) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [replaced(f"{path}/{number}", item, where, by) for number, item in enumerate(value)]
    return value


def _token(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def opened(event: Any, disclosures: Disclosures) -> tuple[Any, set[str]]:
    """An event with its concealed values opened as far as they can be, and the texts that they hold."""
    found: dict[str, Any] = {}
    digests: list[str] = []
    for name in PAYLOADS[:-1]:
        value = getattr(event, name, None)
        plain = msgspec.to_builtins(value) if isinstance(value, UndoCall) else value
        digests += digests_in(plain)
        if sealed(plain):
            open_value, _ = disclosures.open(plain)
            found[name] = UndoCall(**open_value) if isinstance(value, UndoCall) else open_value
    values = [disclosures.values[digest] for digest in digests if digest in disclosures.values]
    return (msgspec.structs.replace(event, **found) if found else event), memorable(values)
