"""Every setting of ``certify``, once: its name, kind and meaning. Files, environment, flags and schema follow it."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from agent_saga.certify.settings.documents import did_you_mean
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.hashing import HASH
from agent_saga.proofs.limits import MAX_SIZE
from agent_saga.proofs.names import from_base64
from agent_saga.trace.errors import AgentSagaError

PREFIX: Final = "AGENT_SAGA_"
MAX_JOBS: Final = 256
"""Processes: above any machine that one log is judged on; a typing error must not start thousands."""

_RFC3339: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)")
_YES, _NO = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})

_TYPES: Final = {"text": "string", "list": "array", "flag": "boolean", "number": "integer"}


class SettingsError(AgentSagaError):
    """A setting is unknown or has a value that it cannot have. The message says where it was set."""


@dataclass(frozen=True, slots=True)
class Key:
    """One setting. name: as in a file, ``fail-on``; the flag is ``--fail-on``, the variable AGENT_SAGA_FAIL_ON.

    choices: the values it may have, () for any. path: relative paths are relative to the file that sets it.
    separator: between the items of a list in one text.
    """

    name: str
    kind: Literal["text", "list", "flag", "number"]
    says: str
    choices: tuple[str, ...] = ()
    path: bool = False
    separator: str = ","

    @property
    def field(self) -> str:
        """The name in Python."""
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        """The name in the environment."""
        return PREFIX + self.field.upper()


KEYS: Final = (
    Key("paths", "list", "Traces to judge when the command names none.", path=True, separator=":"),
    Key("format", "list", "Format of the report on standard output."),
    Key("output", "list", "Reports to write, each as FORMAT=PATH.", separator=":"),
    Key("select", "list", "Rules to run: codes, names, or families such as AS2."),
    Key("ignore", "list", "Rules to leave out: codes, names, or families such as AS2."),
    Key("fail-on", "text", "The lightest finding that refuses.", ("error", "warning", "note")),
    Key("inconclusive", "text", "What an undecided rule means: exit 3, 1 or 0.", ("strict", "fail", "pass")),
    Key("open", "text", "What a saga that never ended or waits means.", ("error", "inconclusive")),
    Key("baseline", "text", "File of findings that are not counted.", path=True),
    Key("show-suppressed", "flag", "Show findings that are not counted."),
    Key("now", "text", "The time to judge by (RFC 3339)."),
    Key("jobs", "number", "Processes to judge with; 0 for one a processor, where it pays."),
    Key("expect-root", "text", "The Merkle root that the log must have (64 hex digits, or base64)."),
    Key("expect-size", "number", "The number of lines that the log must have; 0 for any."),
    Key("checkpoint", "list", "Signed checkpoints that the log must stand under.", path=True, separator=":"),
    Key("pin", "text", "File that says whose signatures count.", path=True),
    Key("registry", "text", "Key registry that people's signatures are judged by.", path=True),
    Key("registry-digest", "text", "Digest that the log's key registry must have (64 hex digits)."),
    Key("trust-on-first-use", "flag", "Take the key registry and the policy that the log names as they are."),
    Key("policy", "list", "Policies that calls are judged by, as they came into force.", path=True, separator=":"),
    Key("require-policy-digest", "text", "Digest that the last policy must have (64 hex digits)."),
    Key("waivers", "text", "File of signed waivers of the policy's rules.", path=True),
    Key("require-chain", "flag", "Refuse sources whose format has no hash chain."),
    Key("mapping", "text", "File that says which activities are effects.", path=True),
    Key("disclosures", "list", "Files of disclosures that open concealed values.", path=True, separator=":"),
    Key("controls", "list", "Control frameworks to answer, such as aisvs-1.0."),
    Key("stdin-filename", "text", "Name for standard input in reports."),
    Key("log-format", "text", "Format of messages on standard error.", ("text", "json")),
)
_DIGESTS: Final = ("expect-root", "registry-digest", "require-policy-digest")
_DEMANDS: Final = frozenset({*_DIGESTS, "checkpoint", "pin", "registry", "policy"})
"""Settings that demand something of the log: an empty one would demand nothing."""
BY_NAME: Final = {key.name: key for key in KEYS}
BY_FIELD: Final = {key.field: key for key in KEYS}
BY_VARIABLE: Final = {key.variable: key for key in KEYS}


def checked(key: Key, value: Any, where: str) -> Any:
    """The value as a setting has it: text, int, bool, or a tuple of texts.

    where: names the place for messages. Raises SettingsError.
    """
    if key.kind == "list":
        return _list(key, value, where)
    wanted: type = {"text": str, "flag": bool, "number": int}[key.kind]
    if type(value) is not wanted:
        raise SettingsError(f"{where}: expected {_kinds(key)}, found {value!r}")
    if isinstance(value, str) and key.choices and value not in key.choices:
        hint = did_you_mean(value, key.choices)
        raise SettingsError(f"{where}: unknown value {value!r}; expected one of {', '.join(key.choices)}{hint}")
    return _special(key, value, where)


def flagged(key: Key, value: Any) -> Any:
    """The value of a flag. One that demands something must not be empty, as a script makes it of an unset variable.

    Raises SettingsError.
    """
    flag = f"--{key.name}"
    if key.name in _DEMANDS and "" in (value if isinstance(value, list | tuple) else (value,)):
        raise SettingsError(f"{flag}: the value is empty, so nothing would be demanded; give one, or leave {flag} out")
    return checked(key, value, flag)


def from_text(key: Key, text: str, where: str) -> Any:
    """A value that came as text (environment), by the key's kind. Raises SettingsError."""
    if key.kind == "flag":
        if text.lower() not in _YES | _NO:
            raise SettingsError(f"{where}: expected 1 or 0, found {text!r}")
        return text.lower() in _YES
    if key.kind == "number" and re.fullmatch(r"\d{1,16}", text, re.ASCII):
        return checked(key, int(text), where)
    return checked(key, text, where)


def _kinds(key: Key) -> str:
    return {"text": "a text", "flag": "true or false", "number": "a whole number"}[key.kind]


def _list(key: Key, value: Any, where: str) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise SettingsError(f"{where}: expected a list of texts, found {value!r}")
    if key.separator == "," or isinstance(value, str):
        items = [part.strip() for item in items for part in item.split(key.separator)]
    return tuple(item for item in items if item)


def _special(key: Key, value: Any, where: str) -> Any:
    if key.name == "now":
        return instant(value, where)
    if key.name == "jobs" and not 0 <= value <= MAX_JOBS:
        raise SettingsError(f"{where}: {value} processes; expected 0 to {MAX_JOBS}")
    if key.name == "expect-size" and not 0 <= value <= MAX_SIZE:
        raise SettingsError(f"{where}: a log of {value} lines; expected 0 to 2^53 - 1")
    return _root(value, where) if key.name in _DIGESTS and value else value


def _root(text: str, where: str) -> str:
    """A root of 32 bytes in hex, from hex or base64. Raises SettingsError."""
    if re.fullmatch(r"[0-9a-fA-F]{64}", text):
        return text.lower()
    try:
        root = from_base64(text, "the root")
    except Refuted:
        root = b""
    if len(root) != HASH:
        raise SettingsError(f"{where}: expected 64 hex digits or the base64 of 32 bytes, found {text!r}")
    return root.hex()


def instant(text: str, where: str) -> str:
    """An RFC 3339 time as UTC with six decimals, the spelling of traces. Raises SettingsError."""
    try:
        if not _RFC3339.fullmatch(text):
            raise ValueError
        moment = datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise SettingsError(f"{where}: expected a time such as 2026-11-30T07:00:00Z, found {text!r}") from None
    return spelled(moment)


def spelled(moment: datetime) -> str:
    """A time as traces spell it."""
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the table [tool.agent-saga] and of a --config file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:agent-saga:config:v1",
        "title": "Configuration of agent-saga",
        "type": "object",
        "additionalProperties": False,
        "properties": {key.name: _property(key) for key in KEYS},
    }


def _property(key: Key) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": key.says}
    if key.kind == "list":
        texts = {"type": "array", "items": {"type": "string"}}
        return schema | {"anyOf": [{"type": "string"}, texts]}
    schema["type"] = _TYPES[key.kind]
    if key.choices:
        schema["enum"] = list(key.choices)
    if key.name == "jobs":
        schema |= {"minimum": 0, "maximum": MAX_JOBS}
    return schema
