"""``agent-saga approvals list``, ``show`` and ``watch``: what waits for a person. They only read."""

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent_saga.cli.approvals.given import (
    FORMATS,
    NOTHING,
    Disclosures,
    Form,
    SagaArgument,
    StepArgument,
    StoreArgument,
    answered,
    opened_values,
    read_value,
    rows,
    told,
)
from agent_saga.cli.approvals.stores import Waiting, disclosures_of, is_carried, look, summary
from agent_saga.cli.approvals.telling import Command, Secret, Webhook, teller
from agent_saga.cli.choosing import require_known
from agent_saga.cli.terminal import say

if TYPE_CHECKING:
    from agent_saga.runtime.approving import Paused, Pending


def list_(store: StoreArgument, form: Form = "text") -> int:
    """List the approvals and decisions that wait for a person. Exit codes: 0 something waits, 4 nothing does."""
    require_known("format", form, FORMATS)

    def work() -> int:
        found = look(store)
        if form == "json":
            waits = [summary(one) for one in found.requests], [_paused(one) for one in found.pauses]
            say(json.dumps({"approvals": waits[0], "decisions": waits[1]}, indent=2) + "\n")
        else:
            rows(line for one in found.requests for line in _request_lines(one))
            rows(line for one in found.pauses for line in _pause_lines(one))
        return 0 if found.requests or found.pauses else NOTHING

    return answered(work)


def _request_lines(one: "Pending") -> list[str]:
    found = summary(one)
    state = f"denied by {one.denied}" if one.denied else f"{len(one.answered)} of {found['quorum']} approved"
    who = f" ({', '.join(one.answered)})" if one.answered else ""
    due = f"{', '.join(found['roles']) or 'nobody'}, strength {found['strength']}, until {found['not_after']}"
    lines = [
        f"{one.saga} {one.step}  {one.about}",
        f"    proposed by {one.proposer or 'nobody'}; {state}{who}; asked: {due}",
        f"    action {found['fingerprint']}",
    ]
    return [*lines, f"    WRONG: {one.wrong}"] if one.wrong else lines


def _pause_lines(one: "Paused") -> list[str]:
    return [f"{one.saga}  {one.name} waits for a decision", *(f"    {words}" for words in one.about)]


def _paused(one: "Paused") -> dict[str, Any]:
    return {"saga": one.saga, "name": one.name, "targets": list(one.targets), "about": list(one.about)}


def show(
    source: Annotated[
        str, typer.Argument(metavar="STORE|REQUEST", help="A store, or a request carried as a file; - is stdin.")
    ],
    saga: SagaArgument = "",
    step: StepArgument = "",
    disclosures: Disclosures = None,
) -> int:
    """Show a request in full from its own bytes: nothing cut, and every hidden character spelled out.

    The fingerprint is of what would be signed; another tool must show the same. In a store, where nobody has opened a
    request yet, it is that of the action. Exit codes: 1 it does not hold, 3 a value cannot be opened, 4 nothing waits.
    """

    def work() -> int:
        from agent_saga.approvals.display import show as shown

        if is_carried(source):
            rows(shown(read_value(source), opened_values(disclosures)))
            return 0
        found = look(source)
        one = found.request(saga, step)
        rows(_asked(one, disclosures_of(source, one.saga, disclosures)))
        return 0

    return answered(work)


def _asked(one: "Pending", disclosures: list[str]) -> list[str]:
    """A request that nobody opened yet: the whole action, and who is asked."""
    import msgspec

    from agent_saga.approvals.concealing import open_all
    from agent_saga.approvals.display import escaped, members
    from agent_saga.approvals.errors import NotApproved

    if one.wrong:
        raise NotApproved("wrong-action", f"step {one.step} of saga {one.saga}: {one.wrong}")
    content = msgspec.to_builtins(one.content)
    found = summary(one)
    head = [f"action       {found['fingerprint']}", f"what         one call of {escaped(one.content.tool.name)}"]
    asked = {name: found[name] for name in ("proposer", "quorum", "roles", "strength", "not_after", "answered")}
    body = [*members(content, open_all(content, disclosures)), *members(asked, asked)]
    return head + [f"{path} = {text}" for path, text in body]


def watch(
    store: StoreArgument,
    every: Annotated[float, typer.Option("--every", metavar="SECONDS", help="Look this often.", min=0.1)] = 2.0,
    seconds: Annotated[
        float, typer.Option("--for", metavar="SECONDS", help="End after so long; 0 for never. [0]", min=0.0)
    ] = 0.0,
    command: Command = "",
    webhook: Webhook = "",
    secret_file: Secret = "",
    form: Form = "text",
) -> int:
    """Say each approval and decision as it begins to wait, once; until Ctrl-C. With json, one object a line.

    Exit codes with --for: 0 something waited, 4 nothing did.
    """
    require_known("format", form, FORMATS)
    tell, until = teller(command, webhook, secret_file), time.monotonic() + seconds

    def work() -> int:
        seen: set[str] = set()
        while True:
            seen |= _tell_new(look(store), seen, form, tell)
            if seconds and time.monotonic() >= until:
                return 0 if seen else NOTHING
            time.sleep(min(every, max(0.0, until - time.monotonic())) if seconds else every)

    if form == "text":
        told(f"watching {store}; Ctrl-C ends it")
    return answered(work)


def _tell_new(found: Waiting, seen: set[str], form: str, tell: "Callable[[Pending], None]") -> set[str]:
    """What was not told yet, told. Each wait is known by the leaf of the line that began it."""
    new: set[str] = set()
    for request in found.requests:
        if request.leaf not in seen:
            _tell(form, {"waits": "approval"} | summary(request), _request_lines(request))
            tell(request)
            new.add(request.leaf)
    for pause in found.pauses:
        if pause.prev not in seen:
            _tell(form, {"waits": "decision"} | _paused(pause), _pause_lines(pause))
            new.add(pause.prev)
    return new


def _tell(form: str, record: dict[str, Any], lines: list[str]) -> None:
    if form == "json":
        say(json.dumps(record) + "\n")
    else:
        rows(lines)
