"""A back-test as text, JSON and Markdown; the same result gives the same bytes.

Source: docs/guide/backtest.md.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from agent_saga.policies.backtesting.comparing import CHANGES, Change
from agent_saga.policies.backtesting.result import Flip, Result
from agent_saga.policies.backtesting.undos import Unfit
from agent_saga.trace.currencies import in_units
from agent_saga.trace.escaping import markdown, shown

FORMATS: Final = ("text", "json", "markdown")
SHOWN: Final = 20
"""Changed calls that text and Markdown list; JSON holds all that were kept."""

WORDS: Final[dict[Change, str]] = {
    "deny": "would deny",
    "ask": "would newly ask",
    "allow": "would allow",
    "unchanged": "unchanged",
}


def write(result: Result, form: str) -> str:
    """The result in one of :data:`FORMATS`, ended by a line feed."""
    if form == "json":
        return json.dumps(record(result), indent=2) + "\n"
    rows = _markdown(result) if form == "markdown" else _text(result)
    return "".join(f"{row}\n" for row in rows)


def record(result: Result) -> dict[str, Any]:
    """The result as plain JSON values."""
    return {
        "policy": result.policy,
        "digest": result.digest,
        "against": result.against or "the traces",
        "inputs": result.inputs,
        "lines": result.lines,
        "unread": result.unread,
        "calls": result.calls,
        "refusals": result.refusals,
        "changes": {how: _tally(result, how) for how in CHANGES},
        "changed_sagas": result.sagas(),
        "undecidable_events": result.missing,
        "undecidable": [
            {"rule": rule, "lacks": lacks, "events": count}
            for (rule, lacks), count in sorted(result.undecidable.items())
        ],
        "waived": dict(sorted(result.waived.items())),
        "waivers_that_lift_nothing": list(result.problems),
        "flips": [_flip(one) for one in result.flips],
        "flips_not_listed": result.changed - len(result.flips),
        **({"undos": _undos(result)} if result.undos.judged else {}),
        "exit_code": result.code,
    }


def _undos(result: Result) -> dict[str, Any]:
    found = result.undos
    listed = [{name: getattr(one, name) for name in one.__dataclass_fields__} for one in found.kept]
    counts = {"judged": found.judged, "refused": found.refused, "allowed": found.allowed, "undecidable": found.sealed}
    return counts | {"listed": listed}


def _tally(result: Result, how: Change) -> dict[str, Any]:
    tally = result.tally(how)
    sagas = {} if how == "unchanged" else {"sagas": result.sagas(how)}
    return {"calls": tally.calls, **sagas, "money": tally.money, "without_amount": tally.without}


def _flip(one: Flip) -> dict[str, Any]:
    amount = {"minor": one.amount[0], "currency": one.amount[1]} if one.amount else None
    head = {"file": one.file, "line": one.line, "saga": one.saga, "step": one.step, "tool": one.tool}
    answers = {"change": one.change, "before": one.before, "after": one.after, "had": one.had, "asks": one.asks}
    return head | answers | {"rule": one.rule, "reason": one.reason, "amount": amount}


def _text(result: Result) -> Iterator[str]:
    yield f"{shown(result.policy)} against {shown(result.against or 'what the traces show')}"
    yield f"  {_read(result)}"
    yield ""
    for how in CHANGES:
        yield f"  {WORDS[how]:<16}{_figures(result, how)}"
    yield ""
    yield f"  {_flipped(result)}"
    yield from (f"  {row}" for row in _lacking(result))
    yield from (f"  {shown(one)}" for one in result.problems)
    for one in result.flips[:SHOWN]:
        call = shown(f"{one.saga} {one.step}: {one.tool}{_money(one)}: {_said(one)}")
        yield f"  {shown(one.file)}:{one.line}: {call}"
    yield from _more(result)
    yield from (f"  {shown(_unfit(one))}" for one in result.undos.kept[:SHOWN])


def _markdown(result: Result) -> Iterator[str]:
    yield f"## {markdown(result.policy)} against {markdown(result.against or 'what the traces show')}"
    yield ""
    yield _read(result)
    yield ""
    yield "| change | calls | sagas | money |"
    yield "|---|---:|---:|---|"
    for how in CHANGES:
        tally = result.tally(how)
        sagas = "" if how == "unchanged" else f"{result.sagas(how):,}"
        yield f"| {WORDS[how]} | {tally.calls:,} | {sagas} | {markdown(_moved(tally.money, tally.without))} |"
    yield ""
    for row in (_flipped(result), *_lacking(result), *result.problems):
        yield f"- {markdown(row)}"
    if result.flips:
        yield ""
        yield "| where | saga | step | call | before | after |"
        yield "|---|---|---|---|---|---|"
    for one in result.flips[:SHOWN]:
        cells = (f"{one.file}:{one.line}", one.saga, one.step, one.tool + _money(one), _answer(one.before, one.had))
        yield f"| {' | '.join(map(markdown, (*cells, _now(one))))} |"
    yield from ("", *_more(result))
    yield from (f"- {markdown(_unfit(one))}" for one in result.undos.kept[:SHOWN])


def _read(result: Result) -> str:
    parts = [_many(len(result.inputs), "input"), _many(result.lines, "line"), _many(result.calls, "call")]
    parts += [f"{_many(result.refusals, 'refusal')} by a policy"]
    parts += [f"{_many(result.unread, 'line')} that cannot be read"] if result.unread else []
    return ", ".join(parts)


def _figures(result: Result, how: Change) -> str:
    tally = result.tally(how)
    sagas = "" if how == "unchanged" or not tally.calls else f" in {_many(result.sagas(how), 'saga')}"
    money = _moved(tally.money, tally.without) if tally.calls else ""
    return f"{tally.calls:>9,} call{'' if tally.calls == 1 else 's'}{sagas}{': ' if money else ''}{money}"


def _moved(money: dict[str, int], without: int) -> str:
    parts = [_amount(minor, currency) for currency, minor in money.items()]
    return ", ".join([*parts, *([f"{without:,} without an amount"] if without else [])])


def _flipped(result: Result) -> str:
    return f"{_many(result.sagas(), 'saga')} would run otherwise, {_many(result.changed, 'call')} be answered otherwise"


def _lacking(result: Result) -> Iterable[str]:
    if result.missing:
        yield f"{_many(result.missing, 'event')} cannot be decided for lack of something, and would be denied:"
    for (rule, lacks), count in sorted(result.undecidable.items()):
        yield f"  {rule}: {lacks}: {_many(count, 'event')}"
    yield from _undone(result)
    for name, count in sorted(result.waived.items()):
        yield f"waiver {name} lets {_many(count, 'call')} pass"


def _undone(result: Result) -> Iterator[str]:
    found = result.undos
    if found.judged:
        yield f"{found.refused:,} of {_many(found.judged, 'recorded undo')} would not be made"
    if found.allowed:
        yield f"{_many(found.allowed, 'recorded undo')} would be made that would not have been"
    if found.sealed:
        yield f"{_many(found.sealed, 'recorded undo')} cannot be told, and would not be made: a value is concealed"


def _unfit(one: Unfit) -> str:
    return f"{one.file}:{one.line}: {one.saga} {one.effect}: undo of {one.tool}: {one.why}"


def _said(one: Flip) -> str:
    return f"{_answer(one.before, one.had)} -> {_now(one)}"


def _now(one: Flip) -> str:
    return _answer(one.after, one.asks) + (f" ({one.rule})" if one.rule else "")


def _answer(effect: str, persons: int) -> str:
    return f"approve by {persons}" if effect == "approve" else effect


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _money(one: Flip) -> str:
    return f" {_amount(*one.amount)}" if one.amount else ""


def _amount(minor: int, currency: str) -> str:
    return f"{currency} {in_units(minor, currency, ',')}"


def _more(result: Result) -> Iterator[str]:
    more = result.changed - min(SHOWN, len(result.flips))
    if more > 0:
        yield f"  and {more:,} more (--format json lists {len(result.flips):,})"
