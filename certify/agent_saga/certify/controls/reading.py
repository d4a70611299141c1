"""Reads the control map that ships with this release, and refuses any that names what does not exist.

A misspelt rule in the map would otherwise leave a control without the rule that refuses it.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from agent_saga.certify.controls.evidence import EVIDENCE
from agent_saga.certify.controls.model import Control, Framework, token_of
from agent_saga.certify.rules import all_rules
from agent_saga.certify.settings.documents import did_you_mean
from agent_saga.trace.errors import AgentSagaError

SUFFIX: Final = ".yaml"
_FRAMEWORK: Final = ("framework", "name", "version", "publisher", "source", "since", "not_covered", "controls")
_CONTROL: Final = ("id", "title", "rules", "also", "evidence", "shows", "not_covered", "since")


class ControlsError(AgentSagaError):
    """There is no such framework, or a map names a rule, an evidence or a member that does not exist."""


def framework_ids() -> tuple[str, ...]:
    """The frameworks of this release, by id."""
    return tuple(sorted(item.name.removesuffix(SUFFIX) for item in _folder().iterdir() if item.name.endswith(SUFFIX)))


def framework(ident: str) -> Framework:
    """One framework. Raises ControlsError, with the nearest id when there is none of that name."""
    known = framework_ids()
    if ident not in known:
        hint = did_you_mean(ident, known)
        raise ControlsError(f"unknown control framework {ident!r}; expected one of {', '.join(known)}{hint}")
    return _shipped(ident)


def parse_framework(text: str, name: str) -> Framework:
    """A framework from the text of its file. name: the file, for messages. Raises ControlsError."""
    import yaml

    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as fault:
        raise ControlsError(f"{name}: is no YAML: {fault}") from fault
    members = _members(found, _FRAMEWORK, name)
    rows = members["controls"]
    if not isinstance(rows, list) or not rows:
        raise ControlsError(f"{name}: controls: expected a list, found {rows!r}")
    controls = tuple(_control(row, f"{name}: controls[{at}]", members["since"]) for at, row in enumerate(rows))
    _refuse_doubles(controls, name)
    texts = {key: _text(members[key], f"{name}: {key}") for key in _FRAMEWORK if key not in ("controls", "since")}
    return Framework(id=texts.pop("framework"), controls=controls, **texts)


@cache
def _shipped(ident: str) -> Framework:
    name = ident + SUFFIX
    found = parse_framework((_folder() / name).read_text("utf-8"), name)
    if found.id != ident:
        raise ControlsError(f"{name}: framework: expected {ident!r}, found {found.id!r}")
    return found


def _folder() -> Any:
    return files("agent_saga.certify.controls") / "frameworks"


def _control(row: Any, where: str, since: Any) -> Control:
    defaults: dict[str, Any] = {"rules": [], "also": [], "evidence": [], "shows": "", "since": since}
    members = _members(defaults | row if isinstance(row, dict) else row, _CONTROL, where)
    ident = _text(members["id"], f"{where}: id")
    rules = tuple(_known(members["rules"], all_rules(), "rule", f"{where} ({ident}): rules"))
    also = tuple(_known(members["also"], all_rules(), "rule", f"{where} ({ident}): also"))
    shows = _text(members["shows"], f"{where}: shows") if rules else ""
    if also and not rules:
        raise ControlsError(f"{where} ({ident}): also without rules: nothing would ever make it PASS")
    return Control(
        id=ident,
        title=_text(members["title"], f"{where}: title"),
        rules=rules,
        also=also,
        evidence=tuple(_known(members["evidence"], EVIDENCE, "evidence", f"{where} ({ident}): evidence")),
        shows=shows,
        not_covered=_text(members["not_covered"], f"{where}: not_covered"),
        since=_text(members["since"], f"{where}: since"),
        token=token_of(ident),
    )


def _members(found: Any, names: tuple[str, ...], where: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise ControlsError(f"{where}: expected an object, found {found!r:.80}")
    for name in found:
        if name not in names:
            raise ControlsError(f"{where}: unknown member {name!r}{did_you_mean(str(name), names)}")
    for name in names:
        if name not in found:
            raise ControlsError(f"{where}: {name} is missing")
    return found


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ControlsError(f"{where}: expected a text, found {value!r:.80}")
    return " ".join(value.split())


def _known(names: Any, known: Mapping[str, Any], what: str, where: str) -> Iterator[str]:
    if not isinstance(names, list):
        raise ControlsError(f"{where}: expected a list, found {names!r:.80}")
    for name in names:
        if name not in known:
            raise ControlsError(f"{where}: unknown {what} {name!r}{did_you_mean(str(name), known)}")
        yield name


def _refuse_doubles(controls: tuple[Control, ...], name: str) -> None:
    seen: set[str] = set()
    for control in controls:
        if control.id in seen or control.token in seen:
            raise ControlsError(f"{name}: control {control.id} stands twice")
        seen |= {control.id, control.token}
