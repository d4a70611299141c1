"""A back-test gives the numbers of a plain re-implementation, over any inputs, and says them in three formats."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import naive_backtest
import pytest
from random_logs import Maker, write
from typer.testing import CliRunner

from agent_saga.cli.commands import app
from agent_saga.policies.backtesting import Against, Result, backtest, writing
from agent_saga.policies.backtesting.comparing import CHANGES
from agent_saga.policies.loading import load_policy
from agent_saga.policies.model import Policy
from agent_saga.trace.errors import SourceError


def policy(folder: Path, text: str = naive_backtest.TEXT, name: str = "pay.yaml") -> Policy:
    (folder / name).write_text(text, "utf-8")
    return load_policy(str(folder / name))


def found(result: Result) -> dict[str, Any]:
    """The numbers, as the plain re-implementation says them."""
    tallies = {how: result.tally(how) for how in CHANGES}
    return {
        "changes": Counter({how: one.calls for how, one in tallies.items() if one.calls}),
        "money": Counter({(how, c): minor for how, one in tallies.items() for c, minor in one.money.items()}),
        "without": Counter({how: one.without for how, one in tallies.items() if one.without}),
        "undecidable": result.missing,
        "flips": [(one.line, one.saga, one.before, one.after) for one in result.flips],
    }


@pytest.mark.parametrize("back", [False, True], ids=["clock goes on", "clock goes back"])
@pytest.mark.parametrize("seed", range(15))
def test_the_numbers_are_those_of_a_plain_reimplementation(seed: int, back: bool, tmp_path: Path) -> None:
    lines = Maker(seed, back).log(12)
    write(tmp_path / "log.jsonl", lines)
    due = naive_backtest.run(lines)
    assert found(backtest(policy(tmp_path), [str(tmp_path / "log.jsonl")])) == due
    assert min(due["changes"][how] for how in ("deny", "ask", "unchanged")) > 0
    assert due["undecidable"] > 0 or seed


def test_many_files_are_one_log_in_the_order_of_their_first_lines(tmp_path: Path) -> None:
    lines = Maker(5).log(12)
    write(tmp_path / "whole.jsonl", lines)
    whole = backtest(policy(tmp_path), [str(tmp_path / "whole.jsonl")])
    pieces, size = tmp_path / "pieces", len(lines) // 6
    pieces.mkdir()
    for number in range(6):  # rotated, and named backwards
        write(pieces / f"{9 - number}.jsonl", lines[number * size : (number + 1) * size if number < 5 else None])
    parts = backtest(policy(tmp_path), [str(pieces)])
    assert parts.inputs == [str(pieces / f"{9 - number}.jsonl") for number in range(6)]
    assert {how: parts.tally(how) for how in CHANGES} == {how: whole.tally(how) for how in CHANGES}
    starts = {path: number * size for number, path in enumerate(parts.inputs)}
    assert [starts[one.file] + one.line for one in parts.flips] == [one.line for one in whole.flips]


def test_against_itself_nothing_changes_and_against_another_the_differences_show(tmp_path: Path) -> None:
    write(tmp_path / "log.jsonl", Maker(4).log(12))
    new, log = policy(tmp_path), [str(tmp_path / "log.jsonl")]
    same = backtest(new, log, against=Against(new))
    assert (same.changed, same.sagas(), same.tally("unchanged").calls) == (0, 0, same.calls + same.refusals)
    text = naive_backtest.TEXT.replace("max: 9000", "max: 9000000").replace("quorum: 2", "quorum: 1")
    old = policy(tmp_path, text, "old.yaml")
    stricter = backtest(new, log, against=Against(old))
    assert stricter.tally("deny").calls > 0, "the hourly limit was wider"
    assert stricter.tally("ask").calls > 0, "one person was enough"
    assert stricter.tally("allow").calls == 0
    looser = backtest(old, log, against=Against(new))
    assert looser.tally("deny").calls == 0
    assert 0 < looser.changed <= stricter.changed


def test_a_call_that_would_be_denied_leaves_its_budget_to_the_next(tmp_path: Path) -> None:
    maker = Maker(1)
    maker.put("a", "saga.started", log="l", name="n", format="1.0", tools={}, agent="ann")
    for number, minor in enumerate((4_000, 9_000, 4_000)):
        args = {"customer": "c1", "amount": {"minor": minor, "currency": "EUR"}}
        call = {"effect": f"e{number}", "step": f"s{number}", "tool": "pay.charge", "semantics": "compensable"}
        maker.put("a", "effect.intended", **call, args=args, key="k", attempt=1, amount=args["amount"])
    write(tmp_path / "log.jsonl", maker.lines)
    result = backtest(policy(tmp_path), [str(tmp_path / "log.jsonl")])
    assert [(one.line, one.change, one.rule) for one in result.flips] == [(3, "deny", "hourly")]


CODES = {
    "nothing changes": (0, "e1 stock.reserve 3"),
    "something changes": (1, "e1 stock.reserve 11"),
    "only what cannot be decided": (3, "e1 stock.reserve sealed"),
    "no call": (4, ""),
}


@pytest.mark.parametrize("name", CODES)
def test_the_exit_code_says_whether_anything_changes(name: str, tmp_path: Path) -> None:
    due, call = CODES[name]
    maker = Maker(1)
    maker.put("a", "saga.started", log="l", name="n", format="1.0", tools={}, agent="ann")
    if call:
        effect, tool, said = call.split()
        count: Any = {"...": "A" * 43} if said == "sealed" else int(said)
        about = {"effect": effect, "step": "s1", "tool": tool, "semantics": "reversible"}
        maker.put("a", "effect.intended", **about, args={"sku": "x", "count": count}, key="k", attempt=1)
    write(tmp_path / "log.jsonl", maker.lines)
    policy(tmp_path)
    asked = ["policy", "backtest", str(tmp_path / "pay.yaml"), str(tmp_path / "log.jsonl")]
    ran = CliRunner().invoke(app, asked, standalone_mode=False)
    assert ran.return_value == due, ran.output
    assert "would newly ask" in ran.output


def test_what_cannot_be_read_is_counted_and_what_is_no_trace_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "log.jsonl", Maker(2).log(3))
    whole = (tmp_path / "log.jsonl").read_bytes()
    cut = whole.replace(b'"attempt":1', b'"attempt":"one"', 2) + b"no line of a trace\n" + b'{"v":1,"saga":"cut'
    (tmp_path / "log.jsonl").write_bytes(cut)
    assert backtest(policy(tmp_path), [str(tmp_path / "log.jsonl")]).unread >= 3
    (tmp_path / "other.jsonl").write_bytes(b'{"event":"SAGA_START"}\n')
    with pytest.raises(SourceError, match="is no trace of ours"):
        backtest(policy(tmp_path), [str(tmp_path / "other.jsonl")])
    with pytest.raises(SourceError, match="no such file"):
        backtest(policy(tmp_path), [str(tmp_path / "missing.jsonl")])


def test_the_three_formats_say_the_same_numbers(tmp_path: Path) -> None:
    write(tmp_path / "log.jsonl", Maker(6).log(12))
    policy(tmp_path)
    asked = ["policy", "backtest", str(tmp_path / "pay.yaml"), str(tmp_path / "log.jsonl"), "--format"]
    said = {
        form: CliRunner().invoke(app, [*asked, form], standalone_mode=False) for form in ("text", "json", "markdown")
    }
    assert {one.return_value for one in said.values()} == {1}
    record = json.loads(said["json"].output)
    deny = record["changes"]["deny"]
    assert f"would deny{deny['calls']:>15,} calls in {deny['sagas']:,} sagas" in said["text"].output
    assert f"| would deny | {deny['calls']:,} | {deny['sagas']:,} |" in said["markdown"].output
    assert record["exit_code"] == 1
    assert sum(record["changes"][how]["calls"] for how in CHANGES) == record["calls"] + record["refusals"]
    assert sum(one["events"] for one in record["undecidable"]) >= record["undecidable_events"] > 0
    assert "args.amount" in said["text"].output
    first = record["flips"][0]
    assert f"{first['file']}:{first['line']}: {first['saga']}" in said["text"].output
    assert str(tmp_path) in said["markdown"].output.replace("\\", "")


def test_a_store_gives_what_its_trace_gives(tmp_path: Path) -> None:
    """The values that the store's own disclosures open are opened."""
    shop = Path(__file__).resolve().parents[3] / "fixtures" / "backtest"
    store, trace = tmp_path / "store.db", shop / "trace.jsonl"
    done = CliRunner().invoke(app, ["store", "import", str(store), str(trace)], standalone_mode=False)
    assert done.exception is None, done.output
    new = load_policy(str(shop / "proposed.yaml"))
    one, other = backtest(new, [str(store)]), backtest(new, [str(trace)])
    assert found(one) == found(other)
    assert one.changed > 0


def test_a_waiver_lets_pass_what_it_lifts_and_says_so(tmp_path: Path) -> None:
    shop = Path(__file__).resolve().parents[3] / "fixtures" / "backtest"
    (tmp_path / "w.yaml").write_text("policy: shop\nwaivers: [{id: W-1, rule: few-items}]\n")
    asked = ["policy", "backtest", str(shop / "proposed.yaml"), str(shop / "trace.jsonl"), "--format", "json"]
    plain = json.loads(CliRunner().invoke(app, asked, standalone_mode=False).output)
    told = CliRunner().invoke(app, [*asked, "--waivers", str(tmp_path / "w.yaml")], standalone_mode=False)
    record = json.loads(told.output)
    assert record["changes"] == plain["changes"], "malformed and unsigned, it lifts nothing"
    assert any("lifts nothing" in one for one in record["waivers_that_lift_nothing"])


HOSTILE = {
    "no day": ("2026-02-30T09:00:00.000000Z", {"minor": 1, "currency": "EUR"}),
    "no time": ("yesterday", {"minor": 1, "currency": "EUR"}),
    "a float": ("2026-03-01T09:00:00.000000Z", {"minor": 0.5, "currency": "EUR"}),
    "a huge sum": ("2026-03-01T09:00:00.000000Z", {"minor": 10**40, "currency": "EUR"}),
    "a currency that moves the cursor": ("2026-03-01T09:00:00.000000Z", {"minor": 1, "currency": "\x1b[2J"}),
    "a list": ("2026-03-01T09:00:00.000000Z", [{"minor": 1}]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_lines_are_counted_or_denied_and_never_raise(name: str, tmp_path: Path) -> None:
    at, amount = HOSTILE[name]
    maker = Maker(1)
    maker.put("a\x1b]0;", "saga.started", log="l", name="n", format="1.0", tools={}, agent="ann")
    call = {"effect": "e1", "step": "s1", "tool": "pay.charge", "semantics": "compensable"}
    maker.put("a\x1b]0;", "effect.intended", **call, args={"customer": "c1", "amount": amount}, key="k", attempt=1)
    maker.lines[-1] |= {"at": at, "amount": amount}
    write(tmp_path / "log.jsonl", maker.lines)
    result = backtest(policy(tmp_path), [str(tmp_path / "log.jsonl")])
    assert result.unread + result.missing + result.calls > 0
    for form in ("text", "json", "markdown"):
        assert "\x1b" not in writing.write(result, form)
