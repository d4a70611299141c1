"""The docs tell the truth: a page for all that a user can type, and the commands in them run."""

from __future__ import annotations

import importlib
import importlib.util
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from agent_saga.certify.report import Exit
from agent_saga.certify.settings.keys import KEYS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(p for p in DOCS.rglob("*.md") if not any(part.startswith(".") for part in p.parts))
ROOT_PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md")]
SOURCES = sorted(p for root in ROOT.glob("*/agent_saga") for p in root.rglob("*.py"))


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_cli = _load(Path(__file__).with_name("make_cli.py"))
make_rules = _load(Path(__file__).with_name("make_rules.py"))
make_controls = _load(Path(__file__).with_name("make_controls.py"))


def _hand_written() -> str:
    return "\n".join(p.read_text("utf-8") for p in [*PAGES, ROOT / "README.md"] if p != make_cli.PAGE)


def test_the_page_of_controls_is_what_the_map_says() -> None:
    assert make_controls.main(["--check"]) == 0, "docs/controls.md is out of date: run `make docs-generate`"


def test_the_command_reference_is_what_help_says() -> None:
    assert make_cli.main(["--check"]) == 0, "docs/cli.md is out of date: run `make docs-generate`"


def test_the_pages_of_the_rules_are_what_the_rules_say() -> None:
    assert make_rules.main(["--check"]) == 0, "docs/rules is out of date: run `make docs-generate`"


def test_every_command_is_mentioned_on_a_page_that_a_person_wrote() -> None:
    text = _hand_written()
    names = [name for name, command in make_cli.commands() if not getattr(command, "commands", None)]
    missing = [name for name in names if not re.search(rf"{re.escape(name)}\b", text)]
    assert not missing, f"no page says what these are for: {missing}"


def test_every_extra_stands_on_the_install_page() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    page = (DOCS / "install.md").read_text("utf-8")
    missing = [extra for extra in project["optional-dependencies"] if f"| `{extra}` |" not in page]
    assert not missing, f"docs/install.md says nothing of {missing}"


def test_every_environment_variable_stands_on_the_configuration_page() -> None:
    page = (DOCS / "configuration.md").read_text("utf-8")
    missing = sorted(name for name in _variables() if f"`{name}`" not in page)
    assert not missing, f"docs/configuration.md says nothing of {missing}"


def test_every_setting_has_its_row_with_option_variable_and_choices() -> None:
    rows = (DOCS / "configuration.md").read_text("utf-8").splitlines()
    wrong = []
    for key in KEYS:
        option = "the arguments" if key.name == "paths" else f"`--{key.name}`"
        row = next((r for r in rows if r.startswith(f"| `{key.name}` | {option} | `{key.variable}` |")), "")
        if not row or any(f"`{choice}`" not in row for choice in key.choices):
            wrong.append(key.name)
    assert not wrong
    keys = {row.split("`")[1] for row in rows if re.match(r"\| `[a-z-]+` \|", row)}
    assert keys == {key.name for key in KEYS}


def test_every_page_that_a_docstring_names_exists() -> None:
    named = {(m, p) for p in SOURCES for m in re.findall(r"\bdocs/[\w/.-]+\.md\b", p.read_text("utf-8"))}
    missing = sorted(f"{p.relative_to(ROOT)}: {page}" for page, p in named if not (ROOT / page).is_file())
    assert not missing


def _variables() -> set[str]:
    found: set[str] = {key.variable for key in KEYS}
    for path in SOURCES:
        found |= set(re.findall(r"\bAGENT_SAGA_[A-Z0-9_]*[A-Z0-9]\b", path.read_text("utf-8")))
    for _, command in make_cli.commands():
        for parameter in command.params:
            named = parameter.envvar or []
            found |= {named} if isinstance(named, str) else set(named)
    return found


def test_every_exit_code_stands_on_its_page() -> None:
    page = (DOCS / "exit-codes.md").read_text("utf-8")
    documented = {int(code) for code in re.findall(r"^\| `(\d+)` \|", page, re.M)}
    used = {int(c) for path in SOURCES for c in re.findall(r"Exit\((?:code=)?(\d+)\)", path.read_text("utf-8"))}
    assert documented == {int(code) for code in Exit}
    assert used <= documented


def test_no_page_speaks_of_one_machine() -> None:
    absolute = re.compile(r"(?<![\w.~$}/-])/(?:home|root|work|Users|opt|mnt)/")
    wrong = [str(p.relative_to(ROOT)) for p in [*PAGES, *_root_pages()] if absolute.search(p.read_text("utf-8"))]
    assert not wrong


def _root_pages() -> list[Path]:
    return [page for page in ROOT_PAGES if page.is_file()]


@pytest.mark.parametrize("page", _root_pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_the_files_of_the_repository_lead_somewhere(page: Path) -> None:
    # mkdocs --strict checks the pages of the site; these stand beside it.
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    broken = [link for link in links if not (page.parent / link).exists()]
    assert not broken


def _shown_commands() -> list[tuple[str, str, str]]:
    """Each `agent-saga ...` in a fenced block that is no misuse: the page, the command's name, what follows it."""
    by_length = sorted((name for name, _ in make_cli.commands()), key=len, reverse=True)
    found = []
    for page in [*PAGES, *_root_pages()]:
        if page == make_cli.PAGE:
            continue
        for block in re.findall(r"^ *```.*?^ *```", page.read_text("utf-8"), re.M | re.S):
            for text in re.findall(r"(?<![\w@-])agent-saga [^|;&\n]*", block.replace("\\\n", " ")):
                if text.endswith("  # exit: 2"):
                    continue
                name = next((n for n in by_length if f"{text} ".startswith(f"{n} ")), "agent-saga")
                found.append((str(page.relative_to(ROOT)), name, text.removeprefix(name)))
    return found


def test_every_option_shown_in_the_docs_exists() -> None:
    known = {
        name: {o for p in command.params for o in [*p.opts, *p.secondary_opts]} | {"--help"}
        for name, command in make_cli.commands()
    }
    wrong = [
        (page, name, option)
        for page, name, rest in _shown_commands()
        for option in re.findall(r"(?<=\s)--?[a-z][\w-]*", rest.partition(" # ")[0])
        if option not in known[name]
    ]
    assert not wrong


class Command(NamedTuple):
    """One `$ agent-saga ...` line of a console block."""

    page: Path
    line: int
    words: list[str]
    expected: int
    output: list[str]

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def console_commands(page: Path) -> Iterator[Command]:
    """The commands of the page's ```console blocks; `# exit: N` at a line's end if not 0."""
    found: Command | None = None
    inside = False
    for number, text in enumerate(page.read_text("utf-8").splitlines(), 1):
        if text.strip().startswith("```"):
            inside = text.strip() == "```console"
            found = None
        elif inside and text.startswith("$ agent-saga"):
            line, _, note = text[2:].partition("  # exit: ")
            found = Command(page, number, shlex.split(line), int(note or 0), [])
            yield found
        elif inside and found is not None and not text.startswith("$"):
            found.output.append(text)


COMMANDS = [c for page in [*PAGES, *_root_pages()] for c in console_commands(page)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.place)
def test_a_command_in_the_docs_runs_and_prints_what_the_page_shows(
    command: Command, run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    (tmp_path / "pyproject.toml").touch()  # the nearest one: nothing above the folder may configure the run
    done = run_cli(*command.words[1:], cwd=tmp_path, env={"HOME": str(tmp_path), "COLUMNS": "100"})
    assert done.returncode == command.expected, f"{command.place}: {done.output}"
    shown = "\n".join(command.output).strip()
    if shown:
        printed = "\n".join(line.rstrip() for line in done.stdout.splitlines())
        assert shown in printed, f"{command.place} shows an output that is not printed any more: {done.output}"


def test_the_readme_shows_a_command_that_runs() -> None:
    assert any(c.page == ROOT / "README.md" for c in COMMANDS)


def test_every_page_has_a_title() -> None:
    without = [str(p.relative_to(ROOT)) for p in PAGES if not re.search(r"^# \S", p.read_text("utf-8"), re.M)]
    assert not without


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_python_in_the_docs_is_python(page: Path) -> None:
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
        compile(block, str(page), "exec")
        for module in re.findall(r"^from (agent_saga[\w.]*) import", block, re.M):
            importlib.import_module(module)
