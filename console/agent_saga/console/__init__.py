"""The approval page: what waits for a person, one request in full, and a passkey's signature over exactly that.

The page has no authority. A session only lets its person read; what counts is a signature over the digest of the
request that was shown, and that is judged by the engine as if it had come by any other way.

- :mod:`~agent_saga.console.app`: the application and its paths
- :mod:`~agent_saga.console.desk`: what they do with store and engine
- :mod:`~agent_saga.console.guard`: whom the page answers, and the headers of every answer
- :mod:`~agent_saga.console.answering`, ``entering``: the routes; ``forms``, ``faults``: what comes in, what is refused
- :mod:`~agent_saga.console.sessions`, :mod:`~agent_saga.console.tickets`: who is signed in, by which passkey
- :mod:`~agent_saga.console.enrolling`: a new passkey as an entry for the registry
- :mod:`~agent_saga.console.pages`: the HTML; :mod:`~agent_saga.console.markup`: which escapes every value
- :mod:`~agent_saga.console.serving`: the page on a port, as the command runs it

Needs the extra ``console``. Source: docs/guide/approval-page.md.
"""

from agent_saga.console.app import make_app
from agent_saga.console.desk import Desk

__all__ = ["Desk", "make_app"]
