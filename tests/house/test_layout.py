"""The parts live in one namespace package, and every list of them in pyproject.toml names all of them."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The doors of docs/adr/0001-packaging-layout.md, top floor first; parts of one floor stand in one set.
FLOORS = [
    {"cli"},
    {"testing", "fleet", "console"},
    {"runtime", "certify"},
    {"policies"},
    {"approvals"},
    {"proofs"},
    {"trace"},
]


def parts() -> list[str]:
    return sorted(folder.parent.name for folder in ROOT.glob("*/agent_saga") if folder.is_dir())


@pytest.fixture(scope="module")
def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_parts_of_today_are_there() -> None:
    assert {"trace", "certify", "cli"} <= set(parts())


@pytest.mark.parametrize("part", parts())
def test_a_part_is_one_typed_package_in_the_folder_of_its_name(part: str) -> None:
    package = ROOT / part / "agent_saga" / part
    assert (package / "__init__.py").is_file(), f"{part} lacks agent_saga/{part}/__init__.py"
    assert (package / "py.typed").is_file(), f"{part} lacks agent_saga/{part}/py.typed"
    strangers = {p.name for p in (ROOT / part / "agent_saga").iterdir()} - {part, "__pycache__"}
    assert not strangers, f"{part}/agent_saga holds more than {part}: {strangers}"


def test_no_file_closes_the_namespace() -> None:
    closing = [str(p.relative_to(ROOT)) for p in ROOT.glob("*/agent_saga/__init__.py")]
    assert not closing, f"{closing} would hide every other part"


def test_every_list_of_roots_names_every_part(pyproject: dict[str, Any]) -> None:
    tool = pyproject["tool"]
    hatch = tool["hatch"]["build"]
    sdist = [p for p in hatch["targets"]["sdist"]["only-include"] if p.endswith("/agent_saga")]
    lists = {
        "hatch dev-mode-dirs": hatch["dev-mode-dirs"],
        "hatch wheel packages": [p.removesuffix("/agent_saga") for p in hatch["targets"]["wheel"]["packages"]],
        "hatch sdist only-include": [p.removesuffix("/agent_saga") for p in sdist],
        "mypy mypy_path": [p.rsplit("/", 1)[-1] for p in tool["mypy"]["mypy_path"].split(":")],
        "mypy files": tool["mypy"]["files"],
        "pyright include": tool["pyright"]["include"],
        "pyright extraPaths": tool["pyright"]["extraPaths"],
        "ruff src": [p for p in tool["ruff"]["src"] if p != "tests"],
        "Makefile ROOTS": _make_roots(),
    }
    wrong = {name: found for name, found in lists.items() if sorted(found) != parts()}
    assert not wrong, f"expected {parts()} in {wrong}"


def test_the_import_contract_is_the_doors_of_the_design(pyproject: dict[str, Any]) -> None:
    contract = next(c for c in pyproject["tool"]["importlinter"]["contracts"] if c["id"] == "floors")
    floors = [{re.sub(r"[() ]", "", part) for part in layer.split("|")} for layer in contract["layers"]]
    assert floors == FLOORS
    assert contract["exhaustive"] is True
    required = {p for layer in contract["layers"] for p in re.split(r" *\| *", layer) if not p.startswith("(")}
    assert required == set(parts()), "a part that exists is required in the contract, one to come stands in ()"


def test_the_pages_that_list_the_floors_name_every_part_on_its_own() -> None:
    due = {(str(len(FLOORS) - 1 - level), part) for level, floor in enumerate(FLOORS) for part in floor}
    pages = {
        name: (ROOT / name).read_text("utf-8") for name in ("CONTRIBUTING.md", "docs/adr/0001-packaging-layout.md")
    }
    for name, page in pages.items():
        rows = re.findall(r"^\| (\d) \| ([^|]+)\|", page, re.M)
        listed = {(floor, part) for floor, words in rows for part in re.findall(r"`(\w+)`", words)}
        assert listed <= due, f"{name}: {listed - due}"
        assert {part for _, part in listed} >= set(parts()), f"{name} lacks {set(parts()) - {p for _, p in listed}}"


def test_every_part_is_held_to_open_no_connection(pyproject: dict[str, Any]) -> None:
    contract = next(c for c in pyproject["tool"]["importlinter"]["contracts"] if c["id"] == "network")
    assert set(contract["source_modules"]) == {f"agent_saga.{part}" for part in parts()}


def test_the_version_stands_in_one_place(pyproject: dict[str, Any]) -> None:
    version = pyproject["project"]["version"]
    assert importlib.metadata.version("agent-saga-toolkit") == version
    repeated = [
        str(path.relative_to(ROOT))
        for part in parts()
        for path in (ROOT / part).rglob("*.py")
        if re.search(rf"""(?i)version\w*\s*(:\s*\w+\s*)?=\s*["']{re.escape(version)}["']""", path.read_text("utf-8"))
    ]
    assert not repeated, f"{repeated} repeat the version: read it with importlib.metadata"


def test_the_lock_pins_every_dependency_and_names_no_place_to_get_it(pyproject: dict[str, Any]) -> None:
    lines = [line for line in (ROOT / "requirements.lock").read_text("utf-8").splitlines() if line[:1] != "#"]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==\S+", line) for line in lines), "one `name==version` a line"
    locked = {_normal(line.split("==")[0]) for line in lines}
    project = pyproject["project"]
    wanted = [
        *project["dependencies"],
        *(d for extra in project["optional-dependencies"].values() for d in extra),
    ]
    missing = {_normal(re.match(r"[A-Za-z0-9._-]+", d)[0]) for d in wanted} - locked  # type: ignore[index]
    assert not missing, f"requirements.lock lacks {missing}: run `make lock`"


def test_the_changelog_knows_the_version(pyproject: dict[str, Any]) -> None:
    assert f"## [{pyproject['project']['version']}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def _make_roots() -> list[str]:
    match = re.search(r"^ROOTS\s*:=\s*(.+)$", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert match, "the Makefile has no ROOTS"
    return match[1].split()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
