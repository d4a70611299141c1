"""The call that is about to be made, against the one that was signed: what the executor asks before the effect.

Source: docs/spec/approval-v1.md, "The action".
"""

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.requests import Content, Request


def check_call(request: Request, call: Content) -> None:
    """Check that the request is about exactly this call, and say what differs where it is not.

    call: built anew from the call that is about to be made. Raises NotApproved (``wrong-log``, ``wrong-start``,
    ``wrong-saga``, ``wrong-step``, ``wrong-tool``, ``wrong-args``, ``wrong-semantics``, ``wrong-policy``,
    ``wrong-keys``, ``wrong-key``, ``wrong-target``, ``wrong-action``).
    """
    for name in Content.__struct_fields__:
        if getattr(request.content, name) != getattr(call, name):
            raise NotApproved(f"wrong-{name}", f"what was approved has another {name} than the call to be made")
    if request.action != call.action():  # true and 1 are equal to Python, and no two of them to a digest
        raise NotApproved("wrong-action", "what was approved is another action than the call to be made")
