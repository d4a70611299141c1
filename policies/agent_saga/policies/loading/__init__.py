"""From a file to a policy: read, parsed strictly, checked against its schema and against the arguments of its tools.

    policy = load_policy("payments.yaml")     # raises PolicyError with every fault, each at line:column

Source: docs/spec/policy-v1.md.
"""

from agent_saga.policies.document import DocumentError, Fault, parse, read
from agent_saga.policies.loading.building import build
from agent_saga.policies.loading.checking import examine
from agent_saga.policies.loading.errors import POLICY, PolicyError
from agent_saga.policies.model import Policy

__all__ = ["Fault", "PolicyError", "load_policy"]


def load_policy(path: str, *, text: bytes | None = None) -> Policy:
    """The policy in a file: YAML, or JSON where the name ends in ``.json``. Raises PolicyError with all that is wrong.

    text: the file's bytes, where they were read already; schemas in files are still looked for beside ``path``.
    """
    try:
        root, faults = parse(read(path, POLICY) if text is None else text, path, POLICY)
    except DocumentError as fault:
        raise PolicyError(path, fault.faults) from fault
    found = examine(root, path, faults)
    if faults:
        raise PolicyError(path, faults)
    return build(root, found, path)
