"""What ``agent-saga doctor`` tries: the claims of a configuration, the machine, and the place of a store.

Every trial says what is promised, what was found and what to do. One that could not be made is told as such: it never
counts as held.

- :mod:`~agent_saga.runtime.doctor.claims`: the probes of an AgentKit's guarantees
- :mod:`~agent_saga.runtime.doctor.database`: the same of an address of PostgreSQL, its schema, roles and sequencer
- :mod:`~agent_saga.runtime.doctor.machine`: Python, the system, the extras
- :mod:`~agent_saga.runtime.doctor.place`: whether a store can be read, written, synced, and agrees with the clock

The guide is docs/guide/runtime.md, "Before it runs".
"""

from agent_saga.runtime.doctor.claims import try_claims
from agent_saga.runtime.doctor.machine import examine_machine
from agent_saga.runtime.doctor.place import examine_place
from agent_saga.runtime.doctor.trial import Outcome, Trial, verdict

__all__ = ["Outcome", "Trial", "examine_machine", "examine_place", "try_claims", "verdict"]
