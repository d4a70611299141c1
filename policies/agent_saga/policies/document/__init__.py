"""Documents that people write and review: YAML or JSON, read in one meaning, with the place of every part.

A file means what it shows: no anchors, aliases, tags, merge keys or directives, no name twice, no tab as indentation,
nothing that does not show, no word that only some readers take for a number, a date or a truth value. Everything that
is wrong is told at once, at ``line:column``, also inside of a text that is folded, indented or full of escapes.

    kind = Kind("a policy", most=262_144, depth=24)
    root, faults = parse(read(path, kind), path, kind)
"""

from agent_saga.policies.document.nodes import DocumentError, Fault, Kind, Member, Node
from agent_saga.policies.document.parsing import parse
from agent_saga.policies.document.telling import did_you_mean, found, shown
from agent_saga.policies.document.text import read

__all__ = ["DocumentError", "Fault", "Kind", "Member", "Node", "did_you_mean", "found", "parse", "read", "shown"]
