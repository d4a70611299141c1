"""The approval page: what waits for a person, one request in full, and a passkey's signature over exactly that.

The page has no authority. A session only lets its person read; what counts is a signature over the digest of the
request that was shown, and that is judged by the engine as if it had come by any other way.

- :mod:`~agent_saga.console.app`: the routes; :mod:`~agent_saga.console.desk`: what they do with store and engine
- :mod:`~agent_saga.console.guard`: whom the page answers, and the headers of every answer
- :mod:`~agent_saga.console.sessions`, :mod:`~agent_saga.console.tickets`: who is signed in, by which passkey
- :mod:`~agent_saga.console.enrolling`: a new passkey as an entry for the registry
- :mod:`~agent_saga.console.pages`: the HTML, in which every value is escaped

Needs the extra ``console``. Source: docs/guide/approval-page.md.
"""

from typing import Final

__all__: Final[list[str]] = []
