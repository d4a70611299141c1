"""``agent-saga policy``: what a risk team does with a policy file, from the first draft to the signature.

Each command stands in its own module; none holds more than options, one call and the printing.
"""

import typer

from agent_saga.cli.policies import (
    adopt,
    backtest,
    check,
    differing,
    explaining,
    learning,
    new,
    packs,
    rendering,
    sign,
    testing,
    verify,
)

app = typer.Typer(
    help="Write, check, test, compare and sign the policies that say what agents may do.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _group() -> None: ...


app.command("new")(new.new)
app.command("packs")(packs.packs)
app.command("check")(check.check)
app.command("test")(testing.run_tests)
app.command("diff")(differing.diff)
app.command("backtest")(backtest.backtest)
app.command("sign")(sign.sign)
app.command("verify")(verify.verify)
app.command("adopt")(adopt.adopt)
app.command("explain")(explaining.explain)
app.command("render")(rendering.render)
app.command("learn")(learning.learn)
