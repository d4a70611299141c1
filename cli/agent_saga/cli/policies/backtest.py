"""``agent-saga policy backtest``: what a policy would have decided about the calls of traces and stores."""

from typing import TYPE_CHECKING, Annotated

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.policies.given import PolicyArgument, RegistryOption, loaded
from agent_saga.cli.terminal import say

if TYPE_CHECKING:
    from agent_saga.policies.backtesting import Against
    from agent_saga.policies.model import Policy, Waivers

FORMATS = ("text", "json", "markdown")


def backtest(
    file: PolicyArgument,
    traces: Annotated[list[str], typer.Argument(metavar="TRACE", help="Traces, stores, folders, globs, or -.")],
    against: Annotated[
        str, typer.Option("--against", metavar="OLD", help="Compare with this policy, not with what the traces show.")
    ] = "",
    waivers: Annotated[
        str, typer.Option("--waivers", metavar="FILE", help="Signed waivers; they need --registry.")
    ] = "",
    registry: RegistryOption = "",
    disclosures: Annotated[
        list[str] | None,
        typer.Option("--disclosures", metavar="FILE", help="Disclosures that open concealed values, one a line."),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", "-f", metavar="text|json|markdown", autocompletion=lambda: list(FORMATS))
    ] = "text",
) -> int:
    """Say which calls of these traces a policy would deny, ask about, or let through, and which it leaves as they were.

    Limits count over all inputs together. The traces are believed: certify tells whether they are whole. Exit codes:
    0 nothing changes, 1 something does, 2 usage, 3 only what cannot be decided, 4 no call.
    """
    from agent_saga.policies.backtesting import backtest
    from agent_saga.policies.backtesting.writing import write

    require_known("format", form, FORMATS)
    policy = loaded(file)
    lifted = _waivers(waivers, policy, registry)
    old = _against(against, waivers, registry) if against else None
    found = backtest(policy, traces, waivers=lifted, against=old, disclosures=_opened(disclosures or []))
    say(write(found, form))
    return found.code


def _against(path: str, waivers: str, registry: str) -> "Against":
    """The old policy with the waivers that hold for it: what lifts a rule that is gone counted then."""
    from agent_saga.policies.backtesting import Against

    old = loaded(path)
    return Against(old, _waivers(waivers, old, registry))


def _waivers(path: str, policy: "Policy", registry: str) -> "Waivers | None":
    if not path:
        return None
    from agent_saga.cli.approvals.given import registry_of
    from agent_saga.policies.waiving import read_waivers

    return read_waivers(path, policy, registry_of(registry)[0] if registry else None)


def _opened(files: list[str]) -> list[tuple[str, str]]:
    found = []
    for name in files:
        try:
            with open(name, encoding="ascii") as stream:
                found += [(f"{name}:{number}", line.strip()) for number, line in enumerate(stream, 1) if line.strip()]
        except (OSError, UnicodeDecodeError) as fault:
            why = getattr(fault, "strerror", None) or "not ASCII text, one disclosure a line"
            raise typer.BadParameter(f"{name}: disclosures cannot be read: {why}") from fault
    return found
