"""Configuration of ``certify``: which choices are in effect, and who made them.

Each setting is taken from the first of: the flag, the variable AGENT_SAGA_*, the file of --config, the table
[tool.agent-saga] of the nearest pyproject.toml (in this folder or above; a nearer one without the table ends the
search), the default. A list is replaced, never joined. With ``no_config`` only flags count, so that an auditor need not
ask what the surroundings hold. An unknown name is refused, since a misspelt setting would judge more kindly in silence.

Relative paths are relative to the file that holds them, and to the working folder in flags and variables.

Source: docs/configuration.md.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from agent_saga.certify.settings.chosen import Settings
from agent_saga.certify.settings.documents import did_you_mean, parse_toml, read_document
from agent_saga.certify.settings.keys import (
    BY_FIELD,
    BY_NAME,
    BY_VARIABLE,
    PREFIX,
    Key,
    SettingsError,
    checked,
    flagged,
    from_text,
    spelled,
)

TABLE: Final = "agent-saga"
CONFIG_VARIABLE: Final = "AGENT_SAGA_CONFIG"
DATA_VARIABLE: Final = "AGENT_SAGA_DATA"
EPOCH_VARIABLE: Final = "SOURCE_DATE_EPOCH"
_OTHER_VARIABLES: Final = (CONFIG_VARIABLE, DATA_VARIABLE)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run may take settings from besides its flags. folder: the working folder."""

    environ: Mapping[str, str]
    folder: Path


def resolve(flags: Mapping[str, Any], around: Surroundings, config: str = "", no_config: bool = False) -> Settings:
    """The settings in effect. flags: by Python name, None for one that was not given.

    Raises SettingsError or DocumentError for anything unknown, malformed or unreadable.
    """
    if no_config and config:
        raise SettingsError("--config and --no-config exclude each other; give one")
    values: dict[str, Any] = {}
    files: list[str] = []
    if not no_config:
        for path, found in _files(around, config or around.environ.get(CONFIG_VARIABLE, "")):
            values |= found
            files = [path, *files] if found else files
        values |= _variables(around.environ)
    given = {name: value for name, value in flags.items() if value is not None and value not in ([], ())}
    values |= {name: flagged(BY_FIELD[name], value) for name, value in given.items()}
    settings = Settings(**values, config=", ".join(files))
    return settings if settings.now else replace(settings, now=_epoch(around.environ))


def _files(around: Surroundings, config: str) -> Iterable[tuple[str, dict[str, Any]]]:
    """The configuration files as named in reports, with what they set; the weaker first."""
    nearest = next((f for d in (around.folder, *around.folder.parents) if (f := d / "pyproject.toml").is_file()), None)
    if nearest is not None and not (config and os.path.realpath(around.folder / config) == os.path.realpath(nearest)):
        yield _file(os.path.relpath(nearest, around.folder), around.folder)
    if config:
        yield _file(config, around.folder)


def _file(path: str, folder: Path) -> tuple[str, dict[str, Any]]:
    data = read_document(os.path.join(folder, path))
    document = parse_toml(data, path)
    where = path
    if os.path.basename(path) == "pyproject.toml":
        tool = document.get("tool", {})
        document = tool.get(TABLE, {}) if isinstance(tool, dict) else {}
        where = f"{path} [tool.{TABLE}]"
    if not isinstance(document, dict):
        raise SettingsError(f"{where}: expected a table, found {document!r}")
    values = {}
    for name, value in document.items():
        key = BY_NAME.get(name)
        if key is None:
            place = _place(path, data, name)
            raise SettingsError(f"{place}: unknown setting {name!r}{did_you_mean(name, BY_NAME)}")
        values[key.field] = _rebased(key, checked(key, value, f"{where} {name}"), os.path.dirname(path))
    return path, values


def _place(path: str, data: bytes, name: str) -> str:
    lines = data.decode("utf-8").splitlines()
    wanted = re.compile(rf"\s*[\"']?{re.escape(name)}[\"']?\s*[=.]|\s*\[(tool\.{TABLE}\.)?{re.escape(name)}\]")
    return next((f"{path}:{number}" for number, line in enumerate(lines, 1) if wanted.match(line)), path)


def _rebased(key: Key, value: Any, folder: str) -> Any:
    """Paths of a file as seen from the working folder."""
    if key.name == "output":
        return tuple("=".join([form, _joined(folder, path)]) if path else form for form, path in map(_pair, value))
    if not key.path:
        return value
    return tuple(_joined(folder, v) for v in value) if key.kind == "list" else _joined(folder, value)


def _joined(folder: str, path: str) -> str:
    return path if path in ("", "-") else os.path.normpath(os.path.join(folder, path)) if folder else path


def _pair(text: str) -> tuple[str, str]:
    form, _, path = text.partition("=")
    return form, path


def _variables(environ: Mapping[str, str]) -> dict[str, Any]:
    values = {}
    for name in sorted(n for n in environ if n.startswith(PREFIX)):
        key, text = BY_VARIABLE.get(name), environ[name]
        if key is None:
            _refuse_near_miss(name)
        elif text:  # an empty variable is an unset one: CI systems cannot unset them
            values[key.field] = from_text(key, text, name)
    return values


def _refuse_near_miss(name: str) -> None:
    """Another program's variable is none of our business; a misspelt one of ours is."""
    if name in _OTHER_VARIABLES:
        return
    words = [known.removeprefix(PREFIX) for known in (*BY_VARIABLE, *_OTHER_VARIABLES)]
    if did_you_mean(name.removeprefix(PREFIX), words, nearness=0.75):
        raise SettingsError(f"the environment variable {name} is unknown{did_you_mean(name, BY_VARIABLE)}")


def _epoch(environ: Mapping[str, str]) -> str:
    text = environ.get(EPOCH_VARIABLE, "")
    if not text:
        return ""
    if not re.fullmatch(r"\d{1,11}", text, re.ASCII):
        raise SettingsError(f"{EPOCH_VARIABLE}: expected seconds since 1970, found {text!r}")
    return spelled(datetime.fromtimestamp(int(text), UTC))
