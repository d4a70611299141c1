"""From bytes to a tree: YAML, or JSON where the name ends in ``.json``."""

from agent_saga.policies.document.json_source import parse_json
from agent_saga.policies.document.nodes import DocumentError, Fault, Kind, Node
from agent_saga.policies.document.text import decode
from agent_saga.policies.document.yaml_source import parse_yaml


def parse(data: bytes, path: str, kind: Kind) -> tuple[Node, list[Fault]]:
    """The document and what is wrong with it. path: for messages, and for its ending. Raises DocumentError."""
    text = decode(data, path, kind)
    reader = parse_json if path.lower().endswith(".json") else parse_yaml
    root, faults = reader(text, path, kind)
    if root is None:
        raise DocumentError(path, faults or [Fault(1, 1, f"the file is empty; expected {kind.word}")])
    return root, faults
