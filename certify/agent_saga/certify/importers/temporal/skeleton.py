"""A mapping file to start from: every call of a history, as the strictest class, with something to decide."""

from collections.abc import Iterable

from agent_saga.certify.importers.temporal.history import Record
from agent_saga.certify.importers.temporal.kinds import called
from agent_saga.certify.importers.temporal.mapping import SECTIONS

_HEAD = """\
# Which calls of the workflow change the world, and which undo which (docs/sources/temporal.md).
# class: preview (reads only), reversible, compensable, irreversible, or undo (it undoes another call).
# A reversible or compensable call names its undo:  undo = "refund_card"
# Where money moves, say where it stands:           amount = { minor = "/0/amount_minor", currency = "/0/currency" }
"""


def skeleton(records: Iterable[Record]) -> str:
    """The text of a mapping file (TOML) that names each call of these records once, in order of appearance."""
    found = dict.fromkeys(call for record in records if (call := called(record)))
    parts = [_HEAD]
    for section in SECTIONS:
        for name in (name for where, name in found if where == section):
            parts.append(f'[{section}.{_quoted(name)}]\nclass = "irreversible"  # TODO: say what this call does\n')
    if len(parts) == 1:
        parts.append("# This history makes no calls: an empty mapping file is enough.\n[activities]\n")
    return "\n".join(parts)


def _quoted(name: str) -> str:
    """A key of TOML: a basic string with everything unusual escaped."""
    escaped = "".join(
        "\\" + char if char in '"\\' else char if char.isprintable() else f"\\U{ord(char):08x}" for char in name
    )
    return f'"{escaped}"'
