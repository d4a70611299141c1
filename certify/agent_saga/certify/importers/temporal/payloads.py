"""Temporal payloads as values: base64 of JSON, or the shorthand that the command-line tool prints.

What is not JSON (binary, encrypted, compressed) cannot be read here: its encoding, size and SHA-256 stand for it, under
the name ``opaque``, and a rule that needs the value is inconclusive.

Source: temporal.api.common.v1.Payload; docs/sources/temporal.md, "Payloads".
"""

import base64
import binascii
import json
from hashlib import sha256
from typing import Any, Final

from agent_saga.certify.importers.strict_json import has_surrogate, plain, strict_decoder

MAX_DEPTH: Final = 48
"""Nesting of a payload: leaves it within the 64 levels of a line of ours."""

OPAQUE: Final = "opaque"


def values(field: Any) -> list[Any]:
    """The values of a Payloads field: ``{"payloads": [...]}``, or the shorthand ``[value, ...]``; [] when absent.

    A field of one Payload (Nexus operations have it) gives its one value.
    """
    if _encoded(field):
        return [_value(field)]
    if isinstance(field, dict):
        inner = field.get("payloads")
        return [_value(item) for item in inner] if isinstance(inner, list) else []
    if isinstance(field, list):
        return [_value(item) if _encoded(item) else plain(item) for item in field]
    return []


def arguments(field: Any) -> dict[str, Any]:
    """A call's input as arguments by position: ``{"0": first, "1": second}``, so that ``/0/amount`` points into it."""
    return {str(number): value for number, value in enumerate(values(field))}


def result(field: Any) -> Any:
    """A call's result: its one value, None for none, a list for several."""
    found = values(field)
    return found[0] if len(found) == 1 else (found or None)


def failure(field: Any) -> Any:
    """What of a failure goes into an event: message and type; stack traces stay out."""
    if not isinstance(field, dict):
        return {"message": ""}
    said = {"message": field.get("message", "")}
    info = field.get("applicationFailureInfo")
    if isinstance(info, dict) and isinstance(info.get("type"), str):
        said["type"] = info["type"]
    return plain(said)


def is_opaque(value: Any) -> bool:
    """Tell whether this value stands for bytes that could not be read."""
    return isinstance(value, dict) and set(value) == {OPAQUE}


def _encoded(item: Any) -> bool:
    metadata = item.get("metadata") if isinstance(item, dict) and set(item) <= {"metadata", "data"} else None
    return isinstance(metadata, dict) and isinstance(metadata.get("encoding"), str)


def _value(item: Any) -> Any:
    if not _encoded(item):
        return _opaque("unknown", json.dumps(item, ensure_ascii=True, default=str).encode())
    encoding = (_base64(item["metadata"]["encoding"]) or b"").decode(errors="replace")
    data = _base64(item.get("data", ""))
    if data is None:
        return _opaque("not base64", str(item.get("data")).encode(errors="surrogatepass"))
    if encoding == "binary/null":
        return None
    return _json(encoding, data) if encoding in ("json/plain", "json/protobuf") else _opaque(encoding, data)


def _base64(text: object) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else None
    except (binascii.Error, ValueError):
        return None


def _json(encoding: str, data: bytes) -> Any:
    problems: list[str] = []
    try:
        value = strict_decoder(problems).decode(data.decode())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        return _opaque(f"{encoding}, not JSON", data)
    if problems or has_surrogate(value) or _deeper(value, MAX_DEPTH):
        return _opaque(f"{encoding}, not strict JSON", data)
    return plain(value)


def _deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return inner is not None and (levels == 0 or any(_deeper(item, levels - 1) for item in inner))


def _opaque(encoding: str, data: bytes) -> dict[str, Any]:
    return {OPAQUE: {"encoding": encoding[:80], "bytes": len(data), "sha256": sha256(data).hexdigest()}}
