"""The approvals that one call had, in the few values that a policy asks about, and whether they are what it asks for.

Source: docs/rules.md, "Policies"; docs/spec/policy-v1.md, "Deciding".
"""

from typing import TYPE_CHECKING, NamedTuple

from agent_saga.certify.approving.use import Use
from agent_saga.certify.history.saga import Saga
from agent_saga.trace.events import EffectIntended

if TYPE_CHECKING:
    from agent_saga.approvals.schemes.evidence import Strength
    from agent_saga.policies.model import Approve


class Person(NamedTuple):
    """Somebody whose approval was verified and counts. roles: by the registry that is in force."""

    roles: tuple[str, ...]
    strength: "Strength"


class Given(NamedTuple):
    """What a call had. persons: who approved it, each once. claimed: persons of whom only the line says so.

    recorded: False where the source's format has no field for approvals. faulted: persons whose approval another rule
    has found wanting, so that they are not missed once more.
    open_for: seconds that the request was open; 0 without one. broken: somebody broke the glass (AS309 says so).
    """

    persons: tuple[Person, ...] = ()
    claimed: int = 0
    faulted: int = 0
    open_for: int = 0
    broken: bool = False
    recorded: bool = True


NOTHING = Given()
UNRECORDED = Given(recorded=False)


class Lack(NamedTuple):
    """What is missing, as a clause; open: only what would verify the approvals is missing, so nobody can tell."""

    words: str
    open: bool = False


def given_to(saga: Saga, event: EffectIntended, use: Use | None) -> Given:
    """What an intent relies on. use: its approvals as they were verified, None where it names none."""
    if saga.foreign:
        answers = [one for one in saga.answers.get(event.step, ()) if one.decision != "deny"]
        return Given(claimed=len({one.person for one in answers})) if answers else NOTHING
    if use is None:
        return NOTHING
    persons: dict[str, Person] = {}
    claimed: set[str] = set()
    faulted: set[str] = set()
    broken = False
    for answer in use.answers:
        who = answer.approval.person
        if answer.open:
            claimed.add(who)
        elif answer.code not in ("", "AS310"):
            faulted.add(who)
        elif answer.approval.decision == "break_glass":
            broken = True
        elif answer.signed is not None and not answer.code and use.standing.registry is not None:
            found = use.standing.registry.person.get(who)
            persons[who] = Person(tuple(found.roles) if found else (), answer.signed.strength)
    return Given(tuple(persons.values()), len(claimed), len(faulted - persons.keys()), _open_for(use), broken)


def _open_for(use: Use) -> int:
    from agent_saga.approvals.windows import seconds_between

    return int(seconds_between(use.asked.event.at, use.asked.event.not_after)) if use.asked else 0


def lacking(need: "Approve", given: Given) -> Lack | None:
    """What the approvals of a call lack of what the policy asks for; None when nothing."""
    from agent_saga.approvals.strengths import reaches

    if given.broken:
        return None
    fit = [
        one
        for one in given.persons
        if not set(one.roles).isdisjoint(need.roles) and reaches(one.strength, need.strength)
    ]
    sure = len(fit) + given.faulted
    wanted = f"{need.quorum} of {' or '.join(need.roles)} with a strength of at least {need.strength}"
    if not given.recorded:
        return Lack(f"whether {wanted} approved it cannot be told: the format records no approvals", open=True)
    if sure + given.claimed < need.quorum:
        return Lack(f"{wanted} must approve it, and {_counted(sure + given.claimed)} did")
    if sure < need.quorum:
        return Lack(f"whether {wanted} approved it cannot be told: no key registry verifies them", open=True)
    if given.open_for > need.within:
        return Lack(f"its approval was to be asked for {need.within} s at most, and was open for {given.open_for} s")
    return None


def _counted(persons: int) -> str:
    return "nobody" if not persons else f"only {persons}"
