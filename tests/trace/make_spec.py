"""Writes the generated parts of docs/spec/trace-v1.md, and its JSON Schema.

python tests/trace/make_spec.py            writes them
python tests/trace/make_spec.py --check    exits 1 when they are not what would be written
"""

from __future__ import annotations

import json
import random
import re
import sys
from hashlib import sha256
from inspect import cleandoc
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

sys.path.insert(0, str(Path(__file__).parent))

from spec_words import WORDS

from agent_saga.trace import forms
from agent_saga.trace.conceal import conceal
from agent_saga.trace.events import (
    EVENT_TYPES,
    LOG_TYPES,
    DigestAt,
    EffectRef,
    Option,
    ToolSpec,
    UndoCall,
)
from agent_saga.trace.models import json_schema
from agent_saga.trace.writer import SagaWriter

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "spec"
PAGE, SCHEMA = FOLDER / "trace-v1.md", FOLDER / "trace-v1.schema.json"
PARTS = (ToolSpec, UndoCall, EffectRef, Option, DigestAt)
COMMON = ("v", "saga", "seq", "prev", "at", "type", "by", "salt")
_NAMES = {id(hint): name for name, hint in vars(forms).items() if hasattr(hint, "__metadata__")}
_CHOICES = {hint: name for name, hint in vars(forms).items() if get_origin(hint) is Literal}
_BLOCK = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def value_of(hint: Any) -> str:
    """One annotation in the words of the tables."""
    if id(hint) in _NAMES:
        return f"[{_NAMES[id(hint)]}](#forms)"
    origin, args = get_origin(hint), get_args(hint)
    if hint in _CHOICES:
        return f"[{_CHOICES[hint]}](#forms)"
    if origin is Literal:
        return " or ".join(f"`{json.dumps(arg)}`" for arg in args)
    if origin is tuple:
        return f"array of {value_of(args[0])}"
    if origin is dict:
        return f"object: {value_of(args[0])} to {value_of(args[1])}"
    if args and args[-1] is type(None):
        return value_of(args[0])
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return f"[{hint.__name__}](#parts)"
    return {bool: "`true` or `false`"}[hint]


def table(cls: type[msgspec.Struct], name: str, leave_out: tuple[str, ...] = ()) -> str:
    """The members of one class, in the order of the line."""
    hints = get_type_hints(cls, include_extras=True)
    optional = {f.name for f in msgspec.structs.fields(cls) if not f.required} - {"salt"}
    rows = [
        f"| `{member}`{'?' if member in optional else ''} | {value_of(hints[member])} | "
        f"{WORDS.get(f'{name}.{member}') or WORDS[member]} |"
        for member in cls.__struct_fields__
        if member not in leave_out
    ]
    return "\n".join(["| member | value | meaning |", "|---|---|---|", *rows])


def types(log: bool) -> str:
    """A section for each type of a saga, or of the log."""
    found = [(name, cls) for name, cls in EVENT_TYPES.items() if (name in LOG_TYPES) == log]
    return "\n\n".join(
        f"### {name}\n\n{cleandoc(cls.__doc__ or '')}\n\n{table(cls, name, COMMON)}" for name, cls in found
    )


def common() -> str:
    """The members of every line, the type's own ones standing between them."""
    rows = table(EVENT_TYPES["rollback.started"], "", ("cause",)).split("\n")
    rows[7] = "| `type` | text | one of the types below |"
    return "\n".join([*rows[:9], "| ... | | the type's own members |", rows[9]])


def parts() -> str:
    """The nested objects of fixed shape."""
    return "\n\n".join(
        f"### {cls.__name__}\n\n{cleandoc(cls.__doc__ or '')}\n\n{table(cls, cls.__name__)}" for cls in PARTS
    )


def form_table() -> str:
    """Every lexical form, and the patterns of those that have one."""
    rows = ["| form | is |", "|---|---|"]
    for name, hint in vars(forms).items():
        if id(hint) in _NAMES:
            rows.append(f"| {name} | {_says(hint)} |")
        elif get_origin(hint) is Literal:
            rows.append(f"| {name} | {', '.join(f'`{choice}`' for choice in get_args(hint))} |")
    named = {name: get_args(getattr(forms, name))[1] for name in _NAMES.values()}
    patterns = [f"{name:<11} {form.pattern}" for name, form in named.items() if isinstance(form, forms.Form)]
    return "\n".join([*rows, "", "```text", *patterns, "```"])


def _says(hint: Any) -> str:
    marker = get_args(hint)[1]
    if isinstance(marker, msgspec.Meta):
        return f"an integer from {marker.ge} to 2^53-1"
    says: str = marker.says
    return says


def example_lines() -> list[bytes]:
    """A saga of five lines: a reservation, and the check that it took."""
    writer = SagaWriter("k3JxQ0m7y2aTt5v9WcZ1eA", random.Random(2026).randbytes)
    reserve = {"version": "1.9", "semantics": "reversible", "undo": "stock.release"}
    tools = {"stock.reserve": reserve, "stock.release": {"version": "1.9", "semantics": "reversible"}}
    effect = {"effect": "e1", "step": "s1", "tool": "stock.reserve", "semantics": "reversible"}
    undo = {"tool": "stock.release", "args": {"hold": "h-9"}}
    return [
        writer.line("saga.started", _at(0), log="log.example/shop", name="order", format="1.0", tools=tools),
        writer.line("effect.intended", _at(1), **effect, args={"sku": "s-17"}, key="5b0c9d0e7a", attempt=1),
        writer.line("effect.succeeded", _at(2), "tool:stock.reserve", effect="e1", attempt=1, result="h-9", undo=undo),
        writer.line("check.evaluated", _at(3), check="c1", passed=True, evidence={"held": 1}),
        writer.line("saga.ended", _at(4), status="succeeded_verified", held=["e1"]),
    ]


def _at(second: int) -> str:
    return f"2026-11-30T07:00:0{second}.000000Z"


def example() -> str:
    """The whole example as a trace."""
    return "```json\n" + "\n".join(line.decode() for line in example_lines()) + "\n```"


def hashing() -> str:
    """How anybody checks the first link of its chain."""
    first, second, *_ = example_lines()
    leaf, prev = sha256(b"\0" + first).hexdigest(), json.loads(second)["prev"]
    assert leaf == prev
    return f"```sh\nline='{first.decode()}'\nprintf '\\0%s' \"$line\" | sha256sum\n```\n\n```text\n{leaf}  -\n```"


def concealing() -> str:
    """One value concealed, each step to be followed by hand."""
    salt, value = "Zk9mQ2hXb0pRc1R2VXd4eQ", {"iban": "DE89370400440532013000"}
    placeholder, disclosure = conceal(value, salt)
    text = json.dumps([salt, value], separators=(",", ":"))
    b64 = "tr '+/' '-_' | tr -d '=\\n'"
    return (
        f'```sh\njson=\'{text}\'\nd=$(printf %s "$json" | base64 | {b64})\necho "$d"\n'
        f'printf %s "$d" | openssl dgst -sha256 -binary | base64 | {b64}; echo\n```\n\n'
        f"```text\n{disclosure}\n{placeholder['...']}\n```\n\n"
        f"On the line stands `{json.dumps(placeholder, separators=(',', ':'))}`."
    )


def page() -> str:
    """The page as it should be."""
    blocks = {
        "example": example,
        "hashing": hashing,
        "common": common,
        "types": lambda: types(log=False),
        "log-types": lambda: types(log=True),
        "parts": parts,
        "forms": form_table,
        "concealing": concealing,
    }
    text = PAGE.read_text("utf-8")
    missing = set(blocks) - {name for _, name, _ in _BLOCK.findall(text)}
    assert not missing, f"{PAGE.name} has no place for {missing}"
    return _BLOCK.sub(lambda m: f"{m[1]}\n{blocks[m[2]]()}\n\n{m[3]}", text)


def main(arguments: list[str]) -> int:
    """Write both files, or say which of them differ."""
    wanted = {PAGE: page(), SCHEMA: json.dumps(json_schema(), indent=2) + "\n"}
    wrong = [path.name for path, text in wanted.items() if not path.is_file() or path.read_text("utf-8") != text]
    if "--check" not in arguments:
        for path, text in wanted.items():
            path.write_text(text, "utf-8")
        return 0
    print(f"out of date: {wrong}; run python tests/trace/make_spec.py" if wrong else "up to date")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
