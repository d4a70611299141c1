"""Strategies: payload values, members of every line type made from its annotations, and small edits of bytes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st
from line_mutations import LINES, mutate

from agent_saga.trace import forms
from agent_saga.trace.events import EVENT_TYPES, LOG_TYPES, Event
from agent_saga.trace.forms import Amount, Form, JsonObject
from agent_saga.trace.limits import LOG_SAGA, MAX_INT

TEXT = st.text(st.characters(codec="utf-8"), max_size=24)
INTEGERS = st.integers(-MAX_INT, MAX_INT) | st.integers(-3, 3)
DIGESTS = st.binary(min_size=32, max_size=32).map(
    lambda data: msgspec.json.decode(msgspec.json.encode(data)).translate(str.maketrans("+/", "-_", "="))
)
CONCEALED = st.fixed_dictionaries({"...": DIGESTS})
NAMES = TEXT.filter(lambda name: name != "...")
CLEAR = st.recursive(
    st.none() | st.booleans() | INTEGERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
VALUES = st.recursive(
    CLEAR | CONCEALED,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
MONEY = st.fixed_dictionaries(
    {"minor": INTEGERS | CONCEALED, "currency": st.sampled_from(["EUR", "USD", "JPY"]) | CONCEALED}
)


def _form(hint: Any) -> Form:
    found: Form = get_args(hint)[1]
    return found


_NAME = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=24)
# Forms whose patterns are wide: drawing them by pattern takes long and finds little.
_FORMS: dict[Form, st.SearchStrategy[str]] = {
    _form(forms.Text): TEXT.filter(lambda text: "\0" not in text),
    _form(forms.ToolName): _NAME,
    _form(forms.Speaker): _NAME.map("tool:{}".format) | st.just("runtime"),
    _form(forms.Instant): st.datetimes(datetime(1000, 1, 1)).map(lambda at: f"{at.isoformat('T', 'microseconds')}Z"),
}


def member(hint: Any) -> st.SearchStrategy[Any]:
    """Values of one annotation of the event classes."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(hint, args)
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        return st.lists(member(args[0]), max_size=3)
    if origin is dict:
        return st.dictionaries(member(args[0]), member(args[1]), max_size=3)
    if len(args) == 2 and args[1] is type(None):
        return member(args[0])
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return members(hint)
    return st.from_type(hint)


def _annotated(hint: Any, args: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    if hint == Amount:
        return MONEY | CONCEALED
    if hint == JsonObject:
        return st.dictionaries(NAMES, VALUES, max_size=4) | CONCEALED
    for marker in args[1:]:
        if isinstance(marker, Form):
            return _FORMS.get(marker, st.from_regex(marker.pattern, fullmatch=True))
        if isinstance(marker, msgspec.Meta):
            return st.integers(marker.ge or 0, marker.le)
    return VALUES


def members(cls: type[msgspec.Struct]) -> st.SearchStrategy[dict[str, Any]]:
    """Members of one class: the required ones, and any of the optional."""
    hints = get_type_hints(cls, include_extras=True)
    required = {f.name for f in msgspec.structs.fields(cls) if f.required} | {"salt"} & set(hints)
    strategies = {name: member(hint) for name, hint in hints.items()}
    return st.fixed_dictionaries(
        {name: strategy for name, strategy in strategies.items() if name in required},
        optional={name: strategy for name, strategy in strategies.items() if name not in required},
    )


@st.composite
def events(draw: st.DrawFn) -> Event:
    """An event of any type, as a line could hold it."""
    name = draw(st.sampled_from(sorted(EVENT_TYPES)))
    found = draw(_MEMBERS[name])
    saga = LOG_SAGA if name in LOG_TYPES else found["saga"].replace(LOG_SAGA, "gol")
    event: Event = msgspec.convert(found | {"saga": saga}, EVENT_TYPES[name])
    return event


_MEMBERS = {name: members(cls) for name, cls in EVENT_TYPES.items()}


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A good line after one to four small edits: characters, tokens, members moved, doubled or taken out."""
    return mutate(draw(st.sampled_from(LINES)), draw(st.randoms(use_true_random=False)))
