"""Asking the driver: within the saga's time, and whatever it does meanwhile."""

from collections.abc import Callable
from typing import Final

from agent_saga.runtime.drivers import Decision, DecisionDriver
from agent_saga.runtime.errors import BadProposal, DriverBusy, RuntimeFault
from agent_saga.runtime.kernel.actions import View
from agent_saga.runtime.kernel.proposals import UNNAMED, Proposal
from agent_saga.runtime.kernel.state import State
from agent_saga.runtime.limits import Limits
from agent_saga.runtime.times import seconds_between
from agent_saga.runtime.within import Elapsed, within

JUST_AFTER: Final = 0.01
"""Seconds behind a deadline, so that it has passed by then."""


class TimeIsUp(Exception):
    """The saga's deadline has passed, and its driver has not answered: no answer of a driver's own stands for that."""


async def asked(driver: DecisionDriver, view: View, left: float | None) -> Decision:
    """What the driver proposes, be it a proposal or not. left: seconds until the deadline.

    Raises TimeIsUp, DriverBusy, RuntimeFault where the driver would end this process, and what else it raises, with a
    note that names the driver and the saga.
    """
    try:
        if left is None:
            return await driver.propose(view)
        decision: Decision = await within(lambda: driver.propose(view), left)
        return decision
    except DriverBusy:
        raise
    except Elapsed:
        raise TimeIsUp from None
    except BadProposal as bad:
        return Proposal(UNNAMED, fault=("no_proposal", str(bad)[:200]))
    except SystemExit as end:
        raise RuntimeFault(
            f"the driver {driver.name} would end this process (SystemExit: {end.code}) instead of proposing something; "
            f"mend it, then go on with saga {view.saga}"
        ) from end
    except Exception as fault:
        fault.add_note(f"raised by the driver {driver.name}; mend it, then go on with saga {view.saga}")
        raise


def time_left(state: State, limits: Limits, now: Callable[[], str]) -> float | None:
    """Seconds until the saga's deadline has passed; None where there is none. now: tells the time."""
    if limits.deadline is None or state.started is None:
        return None
    return max(0.0, limits.deadline - seconds_between(state.started.at, now())) + JUST_AFTER
