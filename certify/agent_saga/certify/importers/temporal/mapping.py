"""The mapping file: which calls of a workflow change the world, how, and which call undoes which.

A small example, in TOML::

    [activities.charge_card]
    class = "compensable"
    undo = "refund_card"
    amount = { minor = "/0/amount_minor", currency = "/0/currency" }
    idempotent = true

    [activities.refund_card]
    class = "undo"
    amount = { minor = "/0/amount_minor", currency = "/0/currency" }
    match = { undo = "/0/charge", effect = "/result/id" }

    [activities.get_weather]
    class = "preview"

Source: docs/sources/temporal.md, "The mapping file".
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agent_saga.certify.importers.strict_json import has_surrogate
from agent_saga.certify.importers.temporal.errors import MappingError

SECTIONS: Final = ("activities", "child_workflows", "signals", "nexus_operations")
CLASSES: Final = ("preview", "reversible", "compensable", "irreversible", "undo")
COMPLETED: Final = ("auto", "succeeded")

_ENTRY: Final = ("class", "undo", "amount", "match", "idempotent", "failure_is_proof")
_POINTER = re.compile(r"(?:/[^/]*)+").fullmatch
_CURRENCY = re.compile(r"[A-Z]{3}").fullmatch


@dataclass(frozen=True, slots=True)
class Entry:
    """One call as the mapping file describes it. tool: its name in our events."""

    tool: str
    semantics: str
    undo: str = ""
    minor: str = ""
    currency: str = ""
    match_undo: str = ""
    match_effect: str = ""
    idempotent: bool = False
    failure_is_proof: bool = False


@dataclass(frozen=True, slots=True)
class HistoryMapping:
    """A checked mapping file. entries: by tool name. completed: how a workflow that completed after an undo is read."""

    entries: Mapping[str, Entry]
    completed: str = "auto"


@dataclass(slots=True)
class _Checker:
    problems: list[str] = field(default_factory=list)

    def say(self, where: str, what: str) -> None:
        self.problems.append(f"{where}: {what}")

    def names(self, where: str, found: Iterable[str], known: Iterable[str]) -> None:
        for name in found:
            if name not in known:
                near = difflib.get_close_matches(str(name), list(known), n=1)
                hint = f"; did you mean {near[0]!r}?" if near else f"; expected one of {', '.join(known)}"
                self.say(where, f"unknown name {name!r}{hint}")

    def choice(self, where: str, found: object, known: tuple[str, ...]) -> str:
        if isinstance(found, str) and found in known:
            return found
        near = difflib.get_close_matches(str(found), known, n=1)
        self.say(where, f"{found!r} is none of {', '.join(known)}" + (f"; did you mean {near[0]!r}?" if near else ""))
        return known[-1]

    def flag(self, where: str, found: object) -> bool:
        if not isinstance(found, bool):
            self.say(where, f"expected true or false; found {found!r}")
        return found is True

    def pair(self, where: str, found: object, names: tuple[str, str]) -> tuple[str, str]:
        """Two pointers in a table; ("", "") when it is not given or wrong."""
        if found is None:
            return "", ""
        if not isinstance(found, Mapping) or set(found) != set(names):
            self.say(where, f"expected a table of {names[0]} and {names[1]}; found {found!r}")
            return "", ""
        for name in names:
            value = found[name]
            code = name == "currency" and isinstance(value, str) and _CURRENCY(value)
            if not code and not (isinstance(value, str) and _POINTER(value)):
                says = "a JSON Pointer such as /0/amount" + (", or a code such as EUR" if name == "currency" else "")
                self.say(f"{where}.{name}", f"expected {says}; found {value!r}")
                return "", ""
        return found[names[0]], found[names[1]]


def check_mapping(raw: Mapping[str, object]) -> HistoryMapping:
    """Check a parsed mapping file. Raises MappingError, which names every fault in it."""
    checker = _Checker()
    if has_surrogate(raw):
        raise MappingError(["mapping: a lone surrogate stands in a string; it is no Unicode character"])
    checker.names("mapping", raw, ("completed", *SECTIONS))
    completed = checker.choice("completed", raw.get("completed", "auto"), COMPLETED)
    entries: dict[str, Entry] = {}
    for section in SECTIONS:
        table = raw.get(section, {})
        if not isinstance(table, Mapping):
            checker.say(section, f"expected a table; found {table!r}")
            continue
        for name, value in table.items():
            entry = _entry(checker, f"{section}.{name}", tool_of(section, name), value)
            entries[entry.tool] = entry
    for entry in entries.values():
        _check_undo(checker, entry, entries)
    if checker.problems:
        raise MappingError(checker.problems)
    return HistoryMapping(entries, completed)


def tool_of(section: str, name: str) -> str:
    """The tool name of a call: an activity's own; others have their section before it."""
    return name if section == "activities" else f"{section}:{name}"


def _entry(checker: _Checker, where: str, tool: str, value: Any) -> Entry:
    if not isinstance(value, Mapping):
        checker.say(where, f"expected a table with a class; found {value!r}")
        return Entry(tool, "preview")
    checker.names(where, value, _ENTRY)
    if "class" not in value:
        checker.say(where, f"class is missing; it is one of {', '.join(CLASSES)}")
    undo = value.get("undo", "")
    if not isinstance(undo, str):
        checker.say(f"{where}.undo", f"expected the name of a call; found {undo!r}")
    minor, currency = checker.pair(f"{where}.amount", value.get("amount"), ("minor", "currency"))
    match_undo, match_effect = checker.pair(f"{where}.match", value.get("match"), ("undo", "effect"))
    if match_effect and not match_effect.startswith(("/args/", "/result")):
        checker.say(f"{where}.match.effect", f"expected a pointer into /args or /result; found {match_effect!r}")
    return Entry(
        tool=tool,
        semantics=checker.choice(f"{where}.class", value.get("class", "preview"), CLASSES),
        undo=undo if isinstance(undo, str) else "",
        minor=minor,
        currency=currency,
        match_undo=match_undo,
        match_effect=match_effect,
        idempotent=checker.flag(f"{where}.idempotent", value.get("idempotent", False)),
        failure_is_proof=checker.flag(f"{where}.failure_is_proof", value.get("failure_is_proof", False)),
    )


def _check_undo(checker: _Checker, entry: Entry, entries: Mapping[str, Entry]) -> None:
    needs = entry.semantics in ("reversible", "compensable")
    if needs != bool(entry.undo):
        word = "must name the call that undoes it (undo)" if needs else "has no undo"
        checker.say(entry.tool, f"a call of class {entry.semantics} {word}")
    if entry.match_undo and entry.semantics != "undo":
        checker.say(entry.tool, "match belongs to a call of class undo")
    if entry.semantics == "undo" and entry.tool not in [other.undo for other in entries.values()]:
        checker.say(entry.tool, "no call names it as its undo")
    undo = entries.get(entry.undo) if needs and entry.undo else None
    if needs and entry.undo and (undo is None or undo.semantics != "undo"):
        known = [other.tool for other in entries.values() if other.semantics == "undo"]
        near = difflib.get_close_matches(entry.undo, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        checker.say(entry.tool, f"its undo {entry.undo!r} is no call of class undo in this file{hint}")
    elif undo and bool(undo.minor) != bool(entry.minor):
        checker.say(entry.tool, f"amount must be given for both it and its undo {undo.tool}, or for neither")
