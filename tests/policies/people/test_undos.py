"""What a policy says of undos: checked when it loads, compared, written out, learned, and tried on traces."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_saga.policies.backtesting import backtest
from agent_saga.policies.backtesting.running import Against
from agent_saga.policies.backtesting.writing import write
from agent_saga.policies.diffing import Comparison, Effort, compare_policies
from agent_saga.policies.linting import lint
from agent_saga.policies.loading import PolicyError, load_policy
from agent_saga.policies.model import Policy
from agent_saga.policies.rendering.markdown import markdown_page
from agent_saga.policies.rendering.page import Sources, page_of

Run = Callable[..., Any]
HEAD = "policy: shop\nversion: 1\nowner: risk\n"
MONEY = "{type: object, required: [minor, currency], properties: {minor: {type: integer}, currency: {type: string}}}"
CHARGE = f"""\
tools:
  pay.charge:
    semantics: compensable
    undo: pay.refund
    fee: 5
    args: {{type: object, required: [customer, amount], properties: {{customer: {{type: string}}, amount: {MONEY}}}}}
"""
BACK = f"{{type: object, required: [to, amount], properties: {{to: {{type: string}}, amount: {MONEY}}}}}"
AMOUNT = "    amount: args.amount\n"
INVERSE = f"    inverse: {{args: {BACK}, amount: undo.amount, must: undo.to == args.customer}}\n"
FULL = HEAD + CHARGE + AMOUNT + INVERSE


def diff(one: Policy, other: Policy) -> Comparison:
    return compare_policies(one, other, Effort())


def markdown(policy: Policy) -> str:
    return markdown_page(page_of(Sources(policy)))


def loaded(text: str) -> Policy:
    return load_policy("shop.yaml", text=text.encode())


BAD = [
    ("an amount alone", CHARGE + AMOUNT, "10:13: an amount is compared with what undos give back; add inverse: "),
    ("an inverse alone", CHARGE + INVERSE, "10:"),
    ("no place", CHARGE + AMOUNT.replace("amount\n", "amout\n") + INVERSE, "did you mean 'amount'?"),
    ("a sum", CHARGE + AMOUNT.replace("args.amount", "args.amount.minor + 1") + INVERSE, "looked up, not computed"),
    ("another variable", CHARGE + AMOUNT + INVERSE.replace("undo.amount", "args.amount"), "such as undo.amount"),
    ("a text", CHARGE + AMOUNT.replace("args.amount", "args.customer") + INVERSE, "10:13: there is no `args.customer"),
    ("a must that is no bool", CHARGE + AMOUNT + INVERSE.replace(" == args.customer", ""), "expected bool"),
    ("a must of the call", CHARGE + AMOUNT + INVERSE.replace("undo.to", "args.customer"), "says nothing of the undo"),
    ("a must of unknown arguments", CHARGE + AMOUNT + INVERSE.replace("undo.to", "undo.too"), "did you mean `to`?"),
    ("no schema of the undo", CHARGE + AMOUNT + INVERSE.replace(f"args: {BACK}, ", ""), "add args: here"),
    ("an unknown member", CHARGE + AMOUNT + INVERSE.replace("must:", "mast:"), "did you mean 'must'?"),
    ("a fraction", CHARGE.replace("integer", "number") + AMOUNT + INVERSE, "money is counted in whole minor units"),
    (
        "an amount that may be missing",
        CHARGE.replace("[customer, amount]", "[customer]") + AMOUNT + INVERSE,
        "10:13: `args.amount` may be missing; require it in the schema of pay.charge",
    ),
    (
        "what cannot be undone",
        CHARGE.replace("compensable", "irreversible").replace("    undo: pay.refund\n", "") + AMOUNT + INVERSE,
        "inverse says what its undo must be, and the tool names none",
    ),
    ("a path that leads out", CHARGE + AMOUNT + INVERSE.replace(BACK, "../refund.json"), "leaves the policy's folder"),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_what_says_nothing_or_cannot_be_is_told_when_the_policy_loads(text: str, expected: str) -> None:
    with pytest.raises(PolicyError) as told:
        loaded(HEAD + text)
    assert expected in str(told.value)
    assert all(line.startswith("shop.yaml:") for line in str(told.value).splitlines())


def test_the_schema_of_an_undo_may_stand_in_a_file_and_is_part_of_the_digest(tmp_path: Path) -> None:
    inline = load_policy("p.json", text=json.dumps(_document({"type": "object", **_schema()})).encode())
    (tmp_path / "refund.json").write_text(json.dumps({"type": "object", **_schema()}), "utf-8")
    (tmp_path / "p.json").write_text(json.dumps(_document("refund.json")), "utf-8")
    assert load_policy(str(tmp_path / "p.json")).digest == inline.digest
    (tmp_path / "refund.json").write_text(json.dumps({"type": "object", "title": "a", **_schema()}), "utf-8")
    assert load_policy(str(tmp_path / "p.json")).digest != inline.digest


def _schema() -> dict[str, Any]:
    return {"required": ["to"], "properties": {"to": {"type": "string"}}}


def _document(args: Any) -> dict[str, Any]:
    tool = {"semantics": "compensable", "undo": "b", "args": {"type": "object", "properties": {}}}
    tools = {"a": tool | {"inverse": {"args": args, "must": 'undo.to == "x"'}}}
    return {"policy": "p", "version": 1, "owner": "o", "tools": tools}


def test_the_schema_of_a_tool_that_is_declared_itself_need_not_be_said_again() -> None:
    refund = f"  pay.refund:\n    semantics: irreversible\n    args: {BACK}\n"
    policy = loaded(HEAD + CHARGE + AMOUNT + INVERSE.replace(f"args: {BACK}, ", "") + refund)
    assert policy.tools["pay.charge"].inverse is not None


def test_an_amount_may_stand_under_other_names_and_its_currency_be_a_text() -> None:
    schema = "{type: object, required: [cents], properties: {cents: {type: integer}}}"
    text = f"""{HEAD}tools:
  pay.charge:
    semantics: compensable
    undo: pay.refund
    args: {schema}
    amount: {{minor: args.cents, currency: '"EUR"'}}
    inverse: {{args: {schema}, amount: {{minor: undo.cents, currency: '"EUR"'}}}}
"""
    amount = loaded(text).tools["pay.charge"].amount
    assert amount is not None
    assert (amount.minor.text, amount.currency.text) == ("args.cents", '"EUR"')


def test_to_ask_something_of_undos_is_stricter_and_to_ask_no_more_is_looser() -> None:
    less, more = loaded(HEAD + CHARGE), loaded(FULL)
    assert [diff(one, two).direction for one, two in ((less, more), (more, less), (more, more))] == [
        "stricter",
        "looser",
        "equivalent",
    ]
    other = loaded(FULL.replace("undo.to == args.customer", 'undo.to == "x"'))
    (change,) = diff(more, other).changes
    assert (change.direction, change.details) == (
        "incomparable",
        ('inverse.must undo.to == args.customer -> undo.to == "x"',),
    )
    spaced = loaded(FULL.replace("undo.to == args.customer", "undo.to==args.customer"))
    assert diff(more, spaced).direction == "equivalent"


def test_the_page_says_what_undos_must_be() -> None:
    page = markdown(loaded(FULL))
    assert "gives back at `undo.amount.minor` in `undo.amount.currency` what was taken at `args.amount.minor`" in page
    assert "of which 5 minor units may be kept back" in page
    assert "is made only where `undo.to == args.customer` holds" in page
    assert "gives back" not in markdown(loaded(HEAD + CHARGE))


def test_a_rule_about_the_tool_that_undoes_is_remarked_on_until_the_inverse_speaks() -> None:
    refund = f"  pay.refund:\n    semantics: irreversible\n    args: {BACK}\n"
    rule = 'rules:\n  - {id: small-refunds, when: tool == "pay.refund" && undo_free, then: deny}\n'
    rule = rule.replace("undo_free", "args.amount.minor > 5")
    (note,) = lint(loaded(HEAD + CHARGE + refund + rule), proving=False)
    assert (note.code, "and not about undos of pay.charge" in note.message) == ("judges-no-undo", True)
    assert lint(loaded(FULL + refund + rule), proving=False) == []


def test_learning_says_where_sagas_claim_that_amounts_stand(run_cli: Run) -> None:
    text = run_cli("policy", "learn", "fixtures/good").stdout
    assert "said to move what stands in its arguments at: /amount" in text
    assert "its undos are said to give back what stands at: /amount" in text


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Three charges, each with a recorded refund: as it should be, of ten times as much, to somebody else."""
    rows: list[dict[str, Any]] = []

    def put(kind: str, **members: Any) -> None:
        head = {"v": 1, "saga": "s" * 22, "seq": len(rows), "prev": "0" * 64, "at": "2026-01-05T09:00:00.000000Z"}
        rows.append({**head, "type": kind, "by": "runtime", **members, "salt": "s" * 22})

    tool = {"version": "1", "semantics": "compensable", "undo": "pay.refund"}
    put("saga.started", log="x", name="n", format="1.0", tools={"pay.charge": tool})
    for number, (to, minor) in enumerate([("c1", 4200), ("c1", 42_000), ("c2", 4200)], 1):
        amount = {"minor": 4200, "currency": "EUR"}
        made = {"effect": f"e{number}", "step": f"s{number}", "tool": "pay.charge", "semantics": "compensable"}
        put("effect.intended", **made, args={"customer": "c1", "amount": amount}, key=f"k{number}", attempt=1)
        undo = {"tool": "pay.refund", "args": {"to": to, "amount": {"minor": minor, "currency": "EUR"}}}
        put("effect.succeeded", effect=f"e{number}", attempt=1, result=1, undo=undo)
    path = tmp_path / "trace.jsonl"
    path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows), "utf-8")
    return path


def test_a_back_test_names_the_undos_that_would_not_be_made(trace: Path) -> None:
    found = backtest(loaded(FULL), [str(trace)])
    assert (found.undos.judged, found.undos.refused, found.code) == (3, 2, 1)
    assert [(one.line, one.effect) for one in found.undos.kept] == [(5, "e2"), (7, "e3")]
    text = write(found, "text")
    assert "2 of 3 recorded undos would not be made" in text
    assert "it gives back EUR 420.00, and pay.charge took EUR 42.00" in text
    assert json.loads(write(found, "json"))["undos"]["refused"] == 2
    assert "2 of 3 recorded undos" in write(found, "markdown")


def test_a_back_test_against_another_policy_names_only_what_that_one_let_through(trace: Path) -> None:
    new, old = loaded(FULL), loaded(FULL.replace(", must: undo.to == args.customer", ""))
    found = backtest(new, [str(trace)], against=Against(old))
    assert [(one.line, one.effect) for one in found.undos.kept] == [(7, "e3")]
    back = backtest(old, [str(trace)], against=Against(new))
    assert (back.undos.refused, back.undos.allowed, back.code) == (0, 1, 1)
    assert backtest(loaded(HEAD + CHARGE), [str(trace)]).undos.judged == 0


def test_the_commands_know_what_a_policy_says_of_undos(run_cli: Run, trace: Path, tmp_path: Path) -> None:
    new, old = tmp_path / "new.yaml", tmp_path / "old.yaml"
    new.write_text(FULL, "utf-8")
    old.write_text(HEAD + CHARGE, "utf-8")
    assert run_cli("policy", "check", str(new)).returncode == 0
    assert "inverse.amount undo.amount.minor" in run_cli("policy", "diff", str(new), str(old)).stdout
    assert run_cli("policy", "diff", str(new), str(old)).returncode == 1
    tried = run_cli("policy", "backtest", str(new), str(trace))
    assert (tried.returncode, "2 of 3 recorded undos" in tried.stdout) == (1, True)
    bad = tmp_path / "bad.yaml"
    bad.write_text(FULL.replace("undo.amount", "undo.amuont"), "utf-8")
    said = run_cli("policy", "check", str(bad))
    assert said.returncode == 2 or said.returncode == 1
    assert "did you mean 'amount'?" in said.stdout + said.stderr
