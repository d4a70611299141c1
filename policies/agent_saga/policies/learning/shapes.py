"""The shape of JSON values that were seen, as one JSON Schema: which members are there always, and of which types.

Values are never kept, only types, so that a skeleton made of a log repeats nothing of its payloads; codes of currencies
alone stand in it as examples. What was seen with several types, or only concealed, gets no type, and a condition that
would use it is a load error that says so.

Source: JSON Schema 2020-12; docs/spec/policy-v1.md, "Arguments".
"""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from agent_saga.trace.values import is_concealed

MAX_MEMBERS: Final = 64
"""Names of one object; an object of more is taken for a map from any name."""
MAX_DEPTH: Final = 16
MAX_CURRENCIES: Final = 8
_NAME: Final = re.compile(r"[A-Za-z0-9_.$-]{1,64}")
"""Of a member that somebody designed; any other is data, and stays out of the skeleton."""
_CURRENCY: Final = re.compile(r"[A-Z]{3}")
_NAMES: Final = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}


@dataclass
class Shape:
    """What was seen at one place. seen: how often. kinds: names of types, ``concealed`` among them."""

    seen: int = 0
    kinds: set[str] = field(default_factory=set)
    members: dict[str, "Shape"] = field(default_factory=dict)
    item: "Shape | None" = None
    currencies: set[str] = field(default_factory=set)
    wide: bool = False
    """It has had more members than an object that somebody designed."""

    def add(self, value: Any, depth: int = 0, name: str = "") -> None:
        """Take one value in."""
        self.seen += 1
        if is_concealed(value):
            self.kinds.add("concealed")
        elif isinstance(value, dict):
            self._object(value, depth)
        elif isinstance(value, list | tuple):
            self._array(value, depth)
        else:
            self.kinds.add(_NAMES.get(type(value), "string"))
            if name == "currency" and isinstance(value, str) and _CURRENCY.fullmatch(value):
                self.currencies |= {value} if len(self.currencies) < MAX_CURRENCIES else set()

    def _object(self, value: dict[str, Any], depth: int) -> None:
        self.kinds.add("object")
        if depth >= MAX_DEPTH:
            self.wide = True
            return
        for name, part in value.items():
            full = name not in self.members and len(self.members) >= MAX_MEMBERS
            if full or not _NAME.fullmatch(name):
                self.wide = True
                continue
            self.members.setdefault(name, Shape()).add(part, depth + 1, name)

    def _array(self, value: Any, depth: int) -> None:
        self.kinds.add("array")
        self.item = self.item or Shape()
        for part in value if depth < MAX_DEPTH else ():
            self.item.add(part, depth + 1)

    def schema(self) -> dict[str, Any]:
        """The shape as a schema; without a type where there is no single one."""
        kinds = self.kinds - {"null", "concealed"}
        kinds = {"number"} if kinds == {"integer", "number"} else kinds
        if len(kinds) != 1:
            return {"description": f"seen as {', '.join(sorted(self.kinds))}"} if self.kinds else {}
        kind = kinds.pop()
        made: dict[str, Any] = {"type": [kind, "null"] if "null" in self.kinds else kind}
        if kind == "object":
            made |= self._properties()
        if kind == "array":
            made |= {"items": self.item.schema()} if self.item is not None and self.item.seen else {}
        if self.currencies:
            made["examples"] = sorted(self.currencies)
        return made

    def _properties(self) -> dict[str, Any]:
        if self.wide:
            return {}
        always = [name for name, part in self.members.items() if part.seen == self.seen]
        properties = {name: part.schema() for name, part in self.members.items()}
        made: dict[str, Any] = {"properties": properties} if properties else {}
        return made | ({"required": always} if always else {})
