"""The table of the kernel, case by case: these lines stand, this comes next."""

from __future__ import annotations

import ast
import copy
from pathlib import Path
from typing import Any

import pytest
from runtime_world import World, shop

from agent_saga.runtime import Contact, Limits, StaticGate
from agent_saga.runtime.kernel import decide as kernel
from agent_saga.runtime.kernel.actions import (
    Append,
    Ask,
    CallEffects,
    CallUndo,
    Done,
    Moment,
    Reconcile,
    ReconcileUndo,
    RunCheck,
    Wait,
)
from agent_saga.runtime.kernel.fold import apply, fold
from agent_saga.runtime.kernel.state import State
from agent_saga.trace.events import EVENT_TYPES
from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.writer import SagaWriter

AT = "2026-11-30T07:00:00.000000Z"
NOW = Moment("2026-11-30T07:00:10.000000Z")
SHOP = shop(World(), ("a", "b"))
KERNEL = Path(kernel.__file__).parent

STARTED = ("saga.started", {"log": "l", "name": "shop", "format": "1.0", "tools": {}})
ARGS = {"args": {"item": "i"}}
UNDO = {"undo": {"tool": "a.undo", "args": {"item": "i"}}}


def proposed(name: str) -> tuple[str, dict[str, Any]]:
    return "step.proposed", {"step": name, "tool": name, "allowed": [name], "driver": "d"} | ARGS


def intended(effect: str, name: str, attempt: int = 1, **more: Any) -> tuple[str, dict[str, Any]]:
    members = {"effect": effect, "step": name, "tool": name, "semantics": "compensable", "key": f"k-{effect}"}
    return "effect.intended", members | {"attempt": attempt} | ARGS | more


def succeeded(effect: str, name: str) -> tuple[str, dict[str, Any]]:
    undo = {"undo": {"tool": f"{name}.undo", "args": {"item": "i"}}}
    return "effect.succeeded", {"effect": effect, "attempt": 1, "result": None} | undo


def done(effect: str, name: str) -> list[tuple[str, dict[str, Any]]]:
    return [proposed(name), intended(effect, name), succeeded(effect, name)]


def failed(effect: str, retry: bool, attempt: int = 1) -> tuple[str, dict[str, Any]]:
    return "effect.failed", {"effect": effect, "attempt": attempt, "error": {"retry": retry}}


def unknown(effect: str) -> tuple[str, dict[str, Any]]:
    return "effect.unknown", {"effect": effect, "attempt": 1, "error": None}


def reconciled(effect: str, found: str) -> tuple[str, dict[str, Any]]:
    return "effect.reconciled", {"effect": effect, "found": found}


def undoing(undo: str, effect: str, name: str, attempt: int = 1) -> tuple[str, dict[str, Any]]:
    members = {"undo": undo, "effect": effect, "tool": f"{name}.undo", "key": f"k-{undo}", "attempt": attempt}
    return "undo.intended", members | ARGS


def undone(undo: str) -> tuple[str, dict[str, Any]]:
    return "undo.succeeded", {"undo": undo, "attempt": 1, "result": None}


def undo_failed(undo: str, attempt: int) -> tuple[str, dict[str, Any]]:
    return "undo.failed", {"undo": undo, "attempt": attempt, "error": {"retry": True}}


def paused(*waiting: str) -> tuple[str, dict[str, Any]]:
    return "saga.paused", {"reason": "unproven", "waiting": list(waiting)}


def decided(target: str, verdict: str) -> tuple[str, dict[str, Any]]:
    return "person.decided", {"target": target, "verdict": verdict, "reason": "r", "person": "p", "proof": {}}


def passed(check: str = "reached.1", answer: bool = True) -> tuple[str, dict[str, Any]]:
    return "check.evaluated", {"check": check, "passed": answer, "evidence": None}


ROLLBACK = ("rollback.started", {"cause": "c"})
REFUSED = ("step.refused", {"step": "a", "code": "no", "reason": "r"})
REQUESTED = (
    "approval.requested",
    {
        "step": "a",
        "action": "0" * 64,
        "rule": "r",
        "quorum": 1,
        "roles": [],
        "strength": "D",
        "not_after": "2026-11-30T07:15:00.000000Z",
    },
)
APPROVED = (
    "approval.recorded",
    {"step": "a", "action": "0" * 64, "decision": "approve", "person": "p", "proof": {}},
)
DENIED = (APPROVED[0], APPROVED[1] | {"decision": "deny"})
BOTH = [*done("e1", "a"), *done("e2", "b")]
THREE_UNDOS = [undoing("u1", "e1", "a"), undo_failed("u1", 1)]
THREE_UNDOS += [undoing("u1", "e1", "a", 2), undo_failed("u1", 2), undoing("u1", "e1", "a", 3), undo_failed("u1", 3)]
A_ROLLS = [*done("e1", "a"), ROLLBACK]


def lines_of(*events: tuple[str, dict[str, Any]]) -> list[bytes]:
    writer = SagaWriter("s-1", lambda number: b"\0" * number)
    return [writer.line(kind, AT, **members) for kind, members in (STARTED, *events)]


def after(*events: tuple[str, dict[str, Any]]) -> State:
    return fold(lines_of(*events))


def next_of(*events: tuple[str, dict[str, Any]], moment: Moment = NOW, definition: Any = SHOP) -> Any:
    return kernel.decide(after(*events), definition, StaticGate(), moment)


def appended(*kinds: str, **members: Any) -> Any:
    """Matches an Append of lines of these types, the first with at least these members."""

    class Matcher:
        def __eq__(self, other: object) -> bool:
            if not isinstance(other, Append) or tuple(draft.type for draft in other.drafts) != kinds:
                return False
            return all(other.drafts[0].members.get(name) == value for name, value in members.items())

        def __repr__(self) -> str:
            return f"Append of {kinds} with {members}"

        __hash__ = None  # type: ignore[assignment]

    return Matcher()


TABLE: list[tuple[str, list[Any], Any]] = [
    ("ended", [("saga.ended", {"status": "aborted_clean", "held": []})], Done("aborted_clean")),
    ("intents of ours are called together", [intended("e1", "a"), intended("e2", "b")], CallEffects(("e1", "e2"))),
    ("an intended undo is called", [*A_ROLLS, undoing("u1", "e1", "a")], CallUndo("u1")),
    ("paused", [proposed("a"), intended("e1", "a"), unknown("e1"), paused("e1")], Wait("paused", about=("e1",))),
    ("an unknown effect is asked about", [proposed("a"), intended("e1", "a"), unknown("e1")], Reconcile("e1")),
    (
        "an unknown effect that nobody can tell is put before a person",
        [proposed("a"), intended("e1", "a"), unknown("e1"), *[reconciled("e1", "unresolved")] * 3],
        appended("saga.paused", waiting=["e1"]),
    ),
    (
        "an absent effect is tried again under its key",
        [proposed("a"), intended("e1", "a"), unknown("e1"), reconciled("e1", "absent")],
        appended("effect.intended", effect="e1", attempt=2, key="k-e1"),
    ),
    (
        "a failure that may pass is tried again",
        [proposed("a"), intended("e1", "a"), failed("e1", True)],
        appended("effect.intended", attempt=2),
    ),
    (
        "a final failure rolls back",
        [proposed("a"), intended("e1", "a"), failed("e1", False)],
        appended("rollback.started"),
    ),
    (
        "three failures roll back",
        [
            proposed("a"),
            *[e for n in (1, 2, 3) for e in (intended("e1", "a", n), failed("e1", True, n))],
        ],
        appended("rollback.started", cause={"code": "step_failed", "step": "a"}),
    ),
    (
        "nothing was in force",
        [intended("e1", "a"), failed("e1", False), ROLLBACK],
        appended("saga.ended", status="aborted_clean"),
    ),
    ("the newest is undone first", [*BOTH, ROLLBACK], appended("undo.intended", effect="e2", undo="u1")),
    (
        "then the one before",
        [*BOTH, ROLLBACK, undoing("u1", "e2", "b"), undone("u1")],
        appended("undo.intended", effect="e1"),
    ),
    (
        "an unknown undo is asked about",
        [*A_ROLLS, undoing("u1", "e1", "a"), ("undo.unknown", {"undo": "u1", "attempt": 1, "error": None})],
        ReconcileUndo("u1"),
    ),
    ("a failed undo is tried again", [*A_ROLLS, *THREE_UNDOS[:2]], appended("undo.intended", attempt=2, key="k-u1")),
    (
        "an undo that fails three times is put before a person",
        [*A_ROLLS, *THREE_UNDOS],
        appended("saga.paused", waiting=["u1"]),
    ),
    (
        "a person's undone ends it",
        [*A_ROLLS, *THREE_UNDOS, paused("u1"), decided("u1", "undone")],
        appended("saga.ended", status="closed_with_exceptions", held=[]),
    ),
    (
        "a person's kept is held",
        [*A_ROLLS, *THREE_UNDOS, paused("u1"), decided("u1", "kept")],
        appended("saga.ended", status="closed_with_exceptions", held=["e1"]),
    ),
    (
        "a person's absent allows another try",
        [*A_ROLLS, *THREE_UNDOS, paused("u1"), decided("u1", "absent")],
        appended("undo.intended", attempt=4),
    ),
    (
        "all undone",
        [*A_ROLLS, undoing("u1", "e1", "a"), undone("u1")],
        appended("saga.ended", status="compensated_verified", held=[]),
    ),
    ("halted", [("saga.halted", {"reason": "kill_switch"})], Wait("stopped", about=("s-1",))),
    ("halted and given up", [("saga.halted", {"reason": "x"}), decided("s-1", "undone")], appended("rollback.started")),
    ("halted and let go on", [("saga.halted", {"reason": "x"}), decided("s-1", "kept")], Ask),
    (
        "three refusals escalate",
        [e for n in "abc" for e in (proposed(n), ("step.refused", REFUSED[1] | {"step": n}))],
        appended("saga.escalated"),
    ),
    ("one refusal goes back to the agent", [proposed("a"), REFUSED], Ask),
    ("an approval is waited for", [proposed("a"), REQUESTED], Wait("approval", REQUESTED[1]["not_after"], ("a",))),
    (
        "an answer without a signature counts for nothing",
        [proposed("a"), REQUESTED, APPROVED],
        Wait("approval", REQUESTED[1]["not_after"], ("a",)),
    ),
    ("a denied step is refused", [proposed("a"), REQUESTED, DENIED], appended("step.refused", code="denied")),
    ("a denied step goes back to the agent", [proposed("a"), REQUESTED, DENIED, REFUSED], Ask),
    ("the plan is done: check", BOTH, RunCheck("reached", "reached.1")),
    ("checked: end", [*BOTH, passed()], appended("saga.ended", status="succeeded_verified", held=["e1", "e2"])),
    ("a failed check rolls back", [*BOTH, passed(answer=False)], appended("rollback.started")),
    ("the agent's turn", [], Ask),
]


@pytest.mark.parametrize("words, events, expected", TABLE, ids=[row[0] for row in TABLE])
def test_what_comes_next(words: str, events: list[Any], expected: Any) -> None:
    found = next_of(*events)
    assert isinstance(found, expected) if isinstance(expected, type) else found == expected


def test_every_row_of_the_table_is_met_by_a_case() -> None:
    met = set()
    for _, events, _ in TABLE:
        state = after(*events)
        row = next((words for words, row in kernel.TABLE if row(state, SHOP, StaticGate(), NOW) is not None), "")
        met.add(row)
    tested_below = {"a limit is reached", "a proposal was refused: wait before the agent is asked again"}
    tested_below |= {"an option of a group is done: it has won", "an option lost: undo it, or pause"}  # test_branches
    assert met | tested_below >= {words for words, _ in kernel.TABLE}


def test_the_switch_a_deadline_and_a_late_approval() -> None:
    assert next_of(moment=Moment(NOW.at, "kill_switch")) == appended("saga.halted")
    assert isinstance(next_of(ROLLBACK, moment=Moment(NOW.at, "kill_switch")), Append)
    short = shop(World(), ("a", "b"), limits=Limits(deadline=5.0))
    assert next_of(definition=short) == appended("saga.halted", "rollback.started")
    late = Moment("2026-11-30T07:15:00.000001Z")
    assert next_of(proposed("a"), REQUESTED, moment=late) == appended("step.refused", code="approval_expired")


def test_an_agent_that_is_refused_is_asked_again_after_a_while_that_doubles() -> None:
    slow = shop(World(), ("a", "b"), limits=Limits(backoff=60.0, refusals=9))
    again = [proposed("a"), REFUSED, proposed("b"), ("step.refused", REFUSED[1] | {"step": "b"})]
    assert next_of(*again[:2], definition=slow) == Wait("backoff", "2026-11-30T07:01:00.000000Z")
    assert next_of(*again, definition=slow) == Wait("backoff", "2026-11-30T07:02:00.000000Z")
    late = Moment("2026-11-30T07:02:00.000000Z")
    assert isinstance(next_of(*again, definition=slow, moment=late), Ask)
    better = [*again, proposed("a.2"), intended("e1", "a"), succeeded("e1", "a")]
    assert isinstance(next_of(*better, definition=slow), Ask)
    assert isinstance(next_of(*again, ("saga.halted", {"reason": "x"}), decided("s-1", "kept"), definition=slow), Ask)


def test_whoever_is_asked_stands_on_the_lines_that_wait() -> None:
    def reason(*events: Any, moment: Moment = NOW) -> Any:
        action = next_of(*events, definition=asking, moment=moment)
        assert isinstance(action, Append)
        return action.drafts[0].type, action.drafts[0].members["reason"]["asks"]

    who = {"person": "ops-7", "reason": "answers for payments"}
    asking = shop(World(), ("a", "b"), escalation=Contact(**who))
    refused = [e for n in "abc" for e in (proposed(n), ("step.refused", REFUSED[1] | {"step": n}))]
    assert reason(*refused) == ("saga.escalated", who)
    assert reason(moment=Moment(NOW.at, "kill_switch")) == ("saga.halted", who)
    assert reason(*A_ROLLS, *THREE_UNDOS) == ("saga.paused", who)
    asking = shop(World(), ("a", "b"), escalation=Contact("ops-8"))
    assert reason(*refused) == ("saga.escalated", {"person": "ops-8"})


def test_a_retry_waits_for_its_time() -> None:
    slow = shop(World(), ("a", "b"), limits=Limits(backoff=60.0))
    events = [proposed("a"), intended("e1", "a"), failed("e1", True)]
    assert next_of(*events, definition=slow) == Wait("backoff", "2026-11-30T07:01:00.000000Z", ("e1",))


def test_a_new_process_says_first_what_it_does_not_know() -> None:
    state = after(*done("e1", "a"), intended("e2", "b"))
    assert [(d.type, d.members["effect"]) for d in kernel.recovered(state)] == [("effect.unknown", "e2")]
    state = after(*A_ROLLS, undoing("u1", "e1", "a"))
    assert [(d.type, d.members["undo"]) for d in kernel.recovered(state)] == [("undo.unknown", "u1")]


def test_deciding_changes_nothing_and_folding_line_by_line_is_folding_all() -> None:
    for _, events, _ in TABLE:
        lines = lines_of(*events)
        state, steps = fold(lines), State()
        for line in lines:
            apply(steps, line)
        before = copy.deepcopy(state)
        kernel.decide(state, SHOP, StaticGate(), NOW)
        assert state == before == steps


def test_every_line_type_of_a_saga_is_folded() -> None:
    from agent_saga.runtime.kernel.fold import FOLD
    from agent_saga.trace.events import may_stand_in

    assert set(FOLD) == {name for name in EVENT_TYPES if not may_stand_in(LOG_SAGA, name)}


def test_the_kernel_does_no_input_or_output_and_reads_no_clock() -> None:
    forbidden = {"asyncio", "os", "random", "secrets", "socket", "sqlite3", "subprocess", "threading", "time", "uuid"}
    for path in KERNEL.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & forbidden, path
            assert not any(name.startswith("agent_saga.trace.store") for name in names), path
            assert not (isinstance(node, ast.Name) and node.id in ("open", "utc_now", "print")), path
