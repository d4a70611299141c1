"""What a rule is: words for people, and one to three small functions for the judge.

A rule is one module of :mod:`agent_saga.certify.rules` that assigns ``RULE``. Nothing else names it: the registry finds
the module, the documentation and ``agent-saga explain`` are made from the words, the judge calls the functions.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agent_saga.certify.approving.use import Answer, Use
from agent_saga.certify.draft import Draft as Draft
from agent_saga.certify.draft import at as at
from agent_saga.certify.draft import withheld as withheld
from agent_saga.certify.findings import Severity, Witness
from agent_saga.certify.history.effects import Effect
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.policing.police import Ruling

OnEvent = Callable[[Saga, Any, int], Draft | None]
"""Looks at an event before it is folded into its saga. The int is the event's line."""

OnChain = Callable[[Saga, Any, int, str], Draft | None]
"""Looks at an event that does not simply continue its saga's chain. The str is the line's leaf."""

OnLate = Callable[[Any, int, int], Draft | None]
"""Looks at an event of a saga that has ended: the event, the line that ended the saga, and the event's line."""

OnLeft = Callable[[Saga, Effect], Draft | None]
"""Looks at an effect that the saga's end leaves as it may not be, and that this rule is to report
(:mod:`agent_saga.certify.history.closing`)."""

OnUse = Callable[[Use], Iterable[Draft]]
"""Looks at the approvals that an intent relies on, verified already (:mod:`agent_saga.certify.approving.using`)."""

OnAnswer = Callable[[Use, Answer], Draft | None]
"""Looks at one approval that an intent relies on and that does not count: its code says why."""

OnCall = Callable[[Ruling], Iterable[Draft]]
"""Looks at a call that the user's policy was asked about (:mod:`agent_saga.certify.policing.police`)."""

AtEnd = Callable[[Saga], Iterable[Draft]]
"""Looks at a saga after its last line."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. bad and good are short event lists: ``type id words``, one a line."""

    code: str
    name: str
    what: str
    why: str
    bad: str
    good: str
    fix: str
    severity: Severity = Severity.ERROR
    on: Mapping[str, OnEvent] = field(default_factory=dict)
    """Line type to the check made before that event is folded in."""
    only_after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Line type of ``on`` to what must have come before: a line of one of these types in the same saga, or
    :data:`POLICY`. Without that the check has nothing to find and is not made. A check that is not named here is always
    made; tests/rules/test_only_after.py holds both ways against each other."""
    on_text: OnEvent | None = None
    """Called for an event whose payload holds text that may matter: it looks like a credential."""
    on_chain: OnChain | None = None
    on_late: OnLate | None = None
    on_left: OnLeft | None = None
    """Called for the effects of a saga that ended which this rule, and no other, has to report."""
    on_use: OnUse | None = None
    """Called for an intent that names approvals, or whose step asked for some."""
    on_answer: OnAnswer | None = None
    """Called for each approval of such an intent that does not count."""
    on_call: OnCall | None = None
    """Called for the first intent of each effect, where the user gave a policy."""
    at_end: AtEnd | None = None
    """Called for a saga that ended."""
    at_open: AtEnd | None = None
    """Called for a saga that had not ended where the input ends."""
    needs: tuple[str, ...] = ()
    """Line types without which the rule met no case; empty: any line is a case."""

    @property
    def family(self) -> str:
        """AS1 to AS6: the first three characters of the code."""
        return self.code[:3]


POLICY: Final = "policy"
"""Stands among line types for a policy that the user gave."""

FAMILIES: Mapping[str, str] = {
    "AS1": "integrity",
    "AS2": "effects",
    "AS3": "approvals",
    "AS4": "policy",
    "AS5": "outcome",
    "AS6": "disclosure",
}


def last_of(saga: Saga) -> Witness:
    """The saga's last line: half of the witness of an absence."""
    return Witness(saga.last_line, saga.last_type)
