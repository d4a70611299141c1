"""``agent-saga approvals sign``, ``deny``, ``break-glass``, ``decide``: a person answers, with a signature."""

import os
from typing import Annotated

import typer

from agent_saga.cli.approvals.answering import Asked, answer, decision_value, recorded
from agent_saga.cli.approvals.consent import signed
from agent_saga.cli.approvals.given import (
    Disclosures,
    KeyOption,
    Output,
    Reason,
    RegistryOption,
    SagaArgument,
    StepArgument,
    StoreArgument,
    answered,
    opened_values,
    put_json,
    read_value,
    registry_of,
)
from agent_saga.cli.approvals.signers import Fingerprint, Means
from agent_saga.cli.approvals.stores import is_carried
from agent_saga.cli.grouped import grouped
from agent_saga.cli.log import LOG


@grouped
def sign(
    source: Annotated[
        str, typer.Argument(metavar="STORE|REQUEST", help="A store, or a request, decision or change as a file.")
    ],
    means: Means,
    saga: SagaArgument = "",
    step: StepArgument = "",
    key: KeyOption = "",
    registry: RegistryOption = "",
    disclosures: Disclosures = None,
    reason: Reason = "",
    fingerprint: Fingerprint = "",
    output: Output = "-",
) -> int:
    """Approve what waits in a store; or sign a request that was carried here as a file, and write the proof.

    The whole request is shown, and a person confirms it at the terminal. Exit codes: 0 signed (and recorded, with a
    store), 1 refused or not confirmed, 3 a value cannot be opened, 4 nothing waits.
    """

    def work() -> int:
        if not is_carried(source):
            asked = Asked(source, saga, step, key, registry, disclosures, reason, fingerprint)
            return answer(asked, means, "approve")
        if saga or step or reason:
            raise typer.BadParameter(f"{source}: is a request; SAGA, STEP and --reason go with a store")
        return _by_hand(source, key, registry, means, opened_values(disclosures), fingerprint, output)

    return answered(work)


def _by_hand(
    source: str, key: str, registry: str, means: Means, disclosures: list[str], fingerprint: str, output: str
) -> int:
    from agent_saga.approvals.display import reading
    from agent_saga.approvals.requests import Request

    value = read_value(source)
    about = reading(value).about
    if not registry:
        raise typer.BadParameter("--registry FILE: needed to sign a file, since it says which keys are enrolled")
    if output != "-" and os.path.lexists(output):
        raise typer.BadParameter(f"{output}: there is something already; name a new file")
    if key not in ("", about.key_id):
        raise typer.BadParameter(f"--key {key[:64]}: the request is for another key, and is signed by that one alone")
    known, digest = registry_of(registry)
    if isinstance(about, Request) and about.content.keys not in (None, digest):
        LOG.warning("registry", f"{registry}: is not the registry that the request names: {about.content.keys}")
    put_json(output, signed(value, known, means, disclosures, fingerprint))
    return 0


@grouped
def deny(asked: Asked, means: Means) -> int:
    """Say no to what waits in a store. That ends the action for good; asking again needs a new step."""
    return answered(lambda: answer(asked, means, "deny"))


@grouped
def break_glass(asked: Asked, means: Means) -> int:
    """Let an action go without its quorum, in an emergency: needs the role break-glass and a reason.

    It is reported in every certificate and has to be reviewed by somebody else; it is never a plain pass.
    """
    if not asked.reason:
        raise typer.BadParameter("--reason TEXT: breaking the glass needs a reason, which stands in the log for good")
    return answered(lambda: answer(asked, means, "break_glass"))


@grouped
def decide(
    store: StoreArgument,
    saga: Annotated[str, typer.Argument(metavar="SAGA", help="The saga that waits.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The effect, the undo, or the saga itself.")],
    verdict: Annotated[str, typer.Argument(metavar="landed|absent|undone|kept", help="What is the case.")],
    means: Means,
    key: KeyOption = "",
    registry: RegistryOption = "",
    disclosures: Disclosures = None,
    reason: Reason = "",
) -> int:
    """Decide about a call that nobody can prove, or about a saga that was stopped. Needs a reason.

    What is on record is never overturned. Each decision of undone or kept stands in the certificate.
    """
    from agent_saga.cli.choosing import require_known

    require_known("verdict", verdict, ("landed", "absent", "undone", "kept"))
    if not reason:
        raise typer.BadParameter("--reason TEXT: a decision needs a reason, which stands in the log for good")
    asked = Asked(store, saga, "", key, registry, disclosures, reason)
    return answered(lambda: recorded(asked, means, lambda: decision_value(asked, target, verdict)))
