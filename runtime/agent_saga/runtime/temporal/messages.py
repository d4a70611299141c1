"""What passes between client, workflow and activities: references, never a line of the trace.

Each is one dataclass, so that a later member with a default changes no signature. They travel as JSON through the
payload codec (:mod:`agent_saga.runtime.temporal.payloads`).
"""

from dataclasses import dataclass, field
from typing import Any

from agent_saga.trace.limits import GENESIS


@dataclass(frozen=True, slots=True)
class Place:
    """Where a saga stands in the store, and the right to write it.

    seq: of the next line. head: leaf of the last. token: of the lease that this workflow writes under, 0 for none.
    until: seconds since 1970 at which the lease runs out.
    """

    seq: int = 0
    head: str = GENESIS
    token: int = 0
    until: float = 0.0


@dataclass(frozen=True, slots=True)
class Pending:
    """What the workflow does next. kind: an activity's. about: the calls that it is for. seconds: of their timeout.

    lost: an activity ended without telling what it did, or another workflow may have: what is open is not known.
    uncalled: what is open was never called, since the saga was cancelled before. run: of the workflow in which it was
    decided: in another one, after a reset, an activity may have begun it already. "": in a run before this history.
    waited: an instant that was waited for: it has come, though a clock that was put back says otherwise.
    """

    kind: str = "decide"
    about: tuple[str, ...] = ()
    seconds: float = 0.0
    lost: bool = True
    uncalled: tuple[str, ...] = ()
    run: str = ""
    waited: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """The argument of the workflow. name: of the saga's definition. heartbeat: seconds.

    indexed: whether the namespace has our search attributes. many: activities after which the history is begun anew,
    0: when the server suggests it. The rest is what a continued workflow goes on from.
    """

    saga: str
    name: str
    goal: Any = None
    heartbeat: float = 5.0
    indexed: bool = False
    many: int = 0
    place: Place = field(default_factory=Place)
    pending: Pending = field(default_factory=Pending)
    in_force: tuple[str, ...] = ()
    cancelled: str = ""
    busy: int = 0
    turns: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """The argument of every activity that works on a saga. goal: for its first line.

    cancel: the saga was cancelled: no new effect, and what is in force is undone. busy: how often in a row the driver
    was busy.
    """

    saga: str
    name: str
    place: Place
    pending: Pending
    goal: Any = None
    cancel: bool = False
    busy: int = 0


@dataclass(frozen=True, slots=True)
class Next:
    """What every such activity answers: where the saga stands, and what the kernel wants next.

    kind: ask, execute, undo, reconcile, check, sleep, wait or end. about: the calls, or what is waited for. seconds:
    timeout of the calls, or how long to wait at most (0: until a person acts). reason: of a wait. pause: leaf of the
    line that a decision has to name. status: how the saga ended or rests. gained, gone: effects in force since, and no
    more. run: of the workflow that asked. until: the instant that a sleep waits for.
    """

    place: Place
    kind: str
    about: tuple[str, ...] = ()
    seconds: float = 0.0
    reason: str = ""
    pause: str = ""
    status: str = ""
    gained: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    busy: int = 0
    run: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """The argument of the activity that writes a person's word: a signed answer, or a decision about what waits."""

    saga: str
    name: str
    proof: dict[str, Any] = field(default_factory=dict)
    decision: "Decision | None" = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The argument of the update ``approve``. proof: as on an approval.recorded line."""

    proof: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Decision:
    """The argument of the update ``decide``: the members of a PersonDecision."""

    target: str
    verdict: str
    person: str
    reason: Any
    pause: str = ""
    proof: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Standing:
    """What the query ``state`` and the updates answer. status: going, a waiting one, or how it ended.

    about, pause: what it waits for, as in a Report. in_force: effects that stand. seq, head: the trace up to now.
    turns: activities so far. cancelled: whether it is being undone because it was cancelled.
    """

    saga: str
    name: str
    status: str
    about: tuple[str, ...]
    pause: str
    in_force: tuple[str, ...]
    seq: int
    head: str
    turns: int
    cancelled: bool
