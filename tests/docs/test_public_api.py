"""What docs/public-api.md promises can be imported, explains itself, and is all that the packages offer."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "public-api.md").read_text("utf-8")
RUNTIME = "agent_saga.runtime"


def promised() -> dict[str, set[str]]:
    """The names by package, from the tables of the page."""
    rows = re.findall(r"^\| `(agent_saga[\w.]*)` \| ((?:`\w+`(?:, )?)+) \|$", PAGE, re.M)
    found = {package: set(re.findall(r"`(\w+)`", names)) for package, names in rows}
    table = PAGE.partition(f"| names of `{RUNTIME}` | for |")[2].partition("\n\n")[0]
    found[RUNTIME] = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    return found


PROMISED = promised()
NAMES = sorted((package, name) for package, names in PROMISED.items() for name in names)


def test_the_page_names_every_part_that_can_be_imported() -> None:
    parts = {path.name for path in ROOT.glob("*/agent_saga/*") if (path / "__init__.py").is_file()}
    assert {package.split(".")[1] for package in PROMISED} == parts
    assert all(PROMISED.values())


@pytest.mark.parametrize("package", sorted(PROMISED))
def test_a_package_offers_what_the_page_promises_and_no_more(package: str) -> None:
    offered = getattr(importlib.import_module(package), "__all__", None)
    assert offered is None or set(offered) == PROMISED[package]
    assert offered is None or len(set(offered)) == len(offered)
    module = package.startswith(("agent_saga.approvals.", "agent_saga.certify.", "agent_saga.proofs."))
    assert offered is not None or module, f"{package} has no __all__"


@pytest.mark.parametrize(("package", "name"), NAMES, ids=[f"{package}.{name}" for package, name in NAMES])
def test_a_public_name_is_no_module_and_explains_itself(package: str, name: str) -> None:
    found = getattr(importlib.import_module(package), name)
    assert not isinstance(found, types.ModuleType), f"{package}.{name} is hidden by a module of that name"
    assert _explained(name, found), f"{package}.{name} has no docstring of its own"


def _explained(name: str, found: Any) -> bool:
    """A docstring that somebody wrote, not the one that dataclass makes; of a union, that of each member."""
    if isinstance(found, types.UnionType):
        return all(_explained(member.__name__, member) for member in get_args(found))
    if inspect.isclass(found) or inspect.isfunction(found):
        return bool(found.__doc__) and not found.__doc__.startswith(f"{found.__name__}(")
    return name in _explained_values() or bool(getattr(found, "says", ""))  # a scenario says what it plays


def _explained_values() -> set[str]:
    """Names of module-level values with a string behind them."""
    return {name for path in ROOT.glob("*/agent_saga/**/*.py") for name in _values(ast.parse(path.read_text("utf-8")))}


def _values(module: ast.Module) -> Iterator[str]:
    for node, after in zip(module.body, module.body[1:], strict=False):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
            yield from (target.id for target in targets if isinstance(target, ast.Name))


@pytest.mark.parametrize("first", ["agent_saga.cli.program", "agent_saga.cli.commands", "agent_saga.cli"])
def test_the_application_is_the_application_whatever_was_loaded_before(first: str) -> None:
    program = f"import {first}; from agent_saga.cli import app, main; print(type(app).__name__, callable(main))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "Typer True\n", done.stderr
