"""What loads without an error and is hardly meant: rules that never fire, or always, or change nothing.

    for note in lint(policy):
        print(f"{policy.source}:{note.place.line}:{note.place.column}: {note.code}: {note.message}")

A note is no error: the policy does what it says. Each is proven where the solver is installed (extra ``solver``); else
it says that it is only sampled.
"""

from agent_saga.policies.linting.lints import lint
from agent_saga.policies.linting.notes import Note

__all__ = ["Note", "lint"]
