"""Values that the log's writer hashed as text and wrote as tagged objects.

The digest is taken before the record is written, with ``str()`` for what JSON does not know. On the line the same value
stands as ``{"__type__":"datetime","value":"..."}``. For dates, times, UUIDs and exception classes the text can be told
from the tag; for sets and models it cannot, and such a record does not verify.

Source: docs/sources/agent-saga-log.md, "The chain".
"""

import datetime
from typing import Any, Final

TAG: Final = "__type__"


def as_stamped(value: Any) -> Any:
    """The value as it was hashed; the value itself where no part of it is tagged."""
    if type(value) is dict:
        text = _text(value) if TAG in value else None
        return text if text is not None else {name: as_stamped(item) for name, item in value.items()}
    if type(value) is list:
        return [as_stamped(item) for item in value]
    return value


def _text(tagged: dict[str, Any]) -> str | None:
    kind, value = tagged.get(TAG), tagged.get("value")
    if type(value) is not str:
        return None
    if kind == "datetime":
        return _moment(value)
    if kind in ("date", "uuid"):
        return value
    if kind == "exception_class":
        return f"<class '{value.removeprefix('builtins.')}'>"
    return None


def _moment(value: str) -> str | None:
    try:
        return str(datetime.datetime.fromisoformat(value))
    except ValueError:
        return None
