"""What may stand in a payload: JSON that a line can hold, of a bounded size, without credentials."""

from collections.abc import Iterator
from typing import Any, Final

from agent_saga.runtime.limits import MAX_PAYLOAD
from agent_saga.trace.errors import LineError
from agent_saga.trace.secrets import kind_of_secret
from agent_saga.trace.values import CONCEALED_NAME, CONCEALS, LONG, SUSPECT, check_amount, dumps, scan

_JSON: Final = frozenset({dict, list, str, int, bool, type(None)})


def unsound(value: Any, limit: int = MAX_PAYLOAD) -> tuple[str, str] | None:
    """Code and reason why a value may not be proposed; None when it may. Never repeats the value itself."""
    wrong, traits = _judged(value, limit)
    if wrong is None and traits & SUSPECT:
        return "secret", "a value has the form of a credential; hand over a name for it, never the secret"
    return wrong


def is_secret(text: str) -> bool:
    """Whether a text holds something in the form of a credential, by the table that AS604 goes by."""
    return len(text) >= LONG and kind_of_secret(text) != ""


def unwritable(value: Any, limit: int = MAX_PAYLOAD) -> tuple[str, str] | None:
    """Code and reason why a line cannot hold a value; None when it can."""
    return _judged(value, limit)[0]


def _judged(value: Any, limit: int) -> tuple[tuple[str, str] | None, int]:
    """What :func:`unwritable` says, and the value's traits."""
    try:
        size = len(dumps(value))
        traits = scan(value)
    except (LineError, TypeError, ValueError, RecursionError, OverflowError) as error:
        return ("no_json", str(error)[:200]), 0
    if type(value) not in _JSON:
        return ("no_json", f"a {type(value).__name__} is no JSON value"), 0
    if size > limit:
        return ("too_large", f"{size} bytes; at most {limit}"), 0
    return (("reserved", f"the name {CONCEALED_NAME} is reserved") if traits & CONCEALS else None), traits


def wrong_amount(value: Any) -> str:
    """What is wrong with an amount of money; "" when it may stand on a line."""
    if not isinstance(value, dict):
        return 'expected {"minor": INTEGER, "currency": "ISO 4217 code"}'
    try:
        check_amount(value)
    except LineError as error:
        return str(error)[:200]
    return "less than nothing" if isinstance(value.get("minor"), int) and value["minor"] < 0 else ""


def is_clear(amount: dict[str, Any]) -> bool:
    """Whether no part of an amount is concealed."""
    return type(amount.get("minor")) is int and type(amount.get("currency")) is str


def copied(value: Any) -> Any:
    """A JSON value that shares nothing with this one."""
    if isinstance(value, dict):
        return {name: copied(one) for name, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list) else value


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, names too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
