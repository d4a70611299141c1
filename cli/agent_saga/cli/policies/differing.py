"""``agent-saga policy diff``: what a new version of a policy lets through that the old one did not."""

from typing import Annotated, Final

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.policies.given import NO, loaded, say_faults
from agent_saga.cli.terminal import say

FORMATS: Final = ("text", "json", "markdown")
_SOLVERS: Final = ("auto", "z3", "none")


def diff(
    before: Annotated[str, typer.Argument(metavar="OLD", help="The policy as it was.")],
    after: Annotated[str, typer.Argument(metavar="NEW", help="The policy as it would be.")],
    allow_looser: Annotated[
        bool, typer.Option("--allow-looser", help="Exit 0 also where the new policy lets more through.")
    ] = False,
    solver: Annotated[
        str,
        typer.Option(
            "--solver",
            metavar="|".join(_SOLVERS),
            autocompletion=lambda: list(_SOLVERS),
            help="auto: samples, then z3 where it is installed.",
        ),
    ] = "auto",
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="For each question to the solver.")
    ] = 5.0,
    form: Annotated[
        str, typer.Option("--format", "-f", metavar="|".join(FORMATS), autocompletion=lambda: list(FORMATS))
    ] = "text",
) -> int:
    """Compare two policies: stricter, looser, equivalent or incomparable, in all and part by part.

    Each comes with a call that shows it, tried on both policies; `policy explain` reads it. What z3 (extra `solver`)
    has proven is told apart from what is only sampled. Exit codes: 0 nothing looser, 1 something looser or
    incomparable, or a policy does not load; 2 there is no such file.
    """
    from agent_saga.policies.diffing import Effort, compare_policies, failing
    from agent_saga.policies.diffing.reports import FORMATS as REPORTS
    from agent_saga.policies.loading import PolicyError

    require_known("format", form, FORMATS)
    require_known("solver", solver, _SOLVERS)
    if solver == "z3":
        _require_z3()
    try:
        old, new = loaded(before), loaded(after)
    except PolicyError as error:
        return say_faults(error, "json" if form == "json" else "text")
    modes = {"auto": "auto", "z3": "z3", "none": "sampled"}
    found = compare_policies(old, new, Effort(modes[solver], timeout))  # type: ignore[arg-type]
    say(REPORTS[form](found))
    return NO if failing(found) and not allow_looser else 0


def _require_z3() -> None:
    from agent_saga.policies.diffing.proving import available

    if not available():
        raise typer.BadParameter("the solver needs an extra: python -m pip install 'agent-saga-toolkit[solver]'")
