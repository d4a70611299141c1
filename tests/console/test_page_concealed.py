"""What is concealed in the trace is opened on the page, and nobody signs what cannot be opened."""

from __future__ import annotations

from pathlib import Path

from free_ports import free_port
from page_site import Site, paid, registry
from signing_in import session_of
from soft_passkey import SoftPasskey

from agent_saga.runtime import Call, Limits, SagaDefinition, Step, tool
from agent_saga.trace.store.vault import KEYS_END

ANA = SoftPasskey("ana")


@tool(name="bank.unlend", semantics="reversible")
def unlend(to: str, *, call: Call) -> None:
    """Take a loan back."""


@tool(name="bank.lend", semantics="compensable", undo=unlend, conceal=("/args/note",))
def lend(to: str, note: str, *, call: Call) -> dict[str, str]:
    """Lend somebody money."""
    call.provider("bank").wires.append((to, note))
    return {"to": to}


LOANS = SagaDefinition(
    "loans", tools=[lend], checks=[paid], steps=[Step("lend", "bank.lend")], limits=Limits(backoff=0.01)
)


def test_a_concealed_value_is_shown_opened_and_when_its_key_is_lost_it_cannot_be_signed(tmp_path: Path) -> None:
    port = free_port()
    value = registry(f"http://localhost:{port}", ANA.entry("p-ana"))
    site = Site(tmp_path / "saga.db", port, value, approve="bank.lend")
    saga = site.run(LOANS, goal={"to": "p-9", "note": "for the clinic"}).saga
    path = f"/request/{site.leaf(saga)}"
    status, _, body = site.ask(path, Cookie=session_of(site, ANA))
    assert status == 200
    assert "content.args.note (concealed)" in body
    assert "content.args.note (opened)" in body
    assert "for the clinic" in body
    site.close()
    (tmp_path / f"saga.db{KEYS_END}").unlink()
    again = Site(tmp_path / "saga.db", port, value, approve="bank.lend")
    try:
        status, _, body = again.ask(path, Cookie=session_of(again, ANA))
    finally:
        again.close()
    assert status == 403
    assert "Reason: withheld" in body
    assert "for the clinic" not in body
