"""``agent-saga approvals``: what waits for a person, answers with signatures, and the registry of keys.

- :mod:`~agent_saga.cli.approvals.listing`: list, show, watch; :mod:`~.signing`: sign, deny, break-glass, decide
- :mod:`~agent_saga.cli.approvals.carrying`: export, import; :mod:`~.recording`: a proof into a store
- :mod:`~agent_saga.cli.approvals.enrolling`, ``entries``: enroll; :mod:`~.revoking`: revoke; ``registry``: check, diff;
  :mod:`~.adopting`: registry adopt
- :mod:`~agent_saga.cli.approvals.consent`, ``signers``: show, ask, sign; ``answering``: what is answered;
  ``given``, ``stores``: what is read
"""

import typer

from agent_saga.cli.approvals import carrying, enrolling, listing, registry, revoking, serving, signing

app = typer.Typer(
    help="Answer what waits for a person, with a signature over the exact action; keep the registry of keys.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _group() -> None: ...


app.command("list")(listing.list_)
app.command("show")(listing.show)
app.command("sign")(signing.sign)
app.command("deny")(signing.deny)
app.command("break-glass")(signing.break_glass)
app.command("decide")(signing.decide)
app.command("watch")(listing.watch)
app.command("export")(carrying.export)
app.command("import")(carrying.import_)
app.command("enroll")(enrolling.enroll)
app.command("revoke")(revoking.revoke)
app.command("serve")(serving.serve)
app.add_typer(registry.app, name="registry")
