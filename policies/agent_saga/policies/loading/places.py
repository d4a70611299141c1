"""Where something stands in a policy file, for the parts of a loaded policy."""

from agent_saga.policies.document import Node
from agent_saga.policies.model import Place


def place_of(node: Node) -> Place:
    """Where a node begins."""
    return Place(node.line, node.column)


def text_place(node: Node) -> Place:
    """Where a text itself begins, behind its quote or the header of its block."""
    fault = node.fault_inside(0, "")
    return Place(fault.line, fault.column)
