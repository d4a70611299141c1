"""How a connection to the page ends: not held by who asks for nothing, and not cut off from who is being answered.

Source: RFC 9112 section 9.6 (a server that closes while bytes still come loses its answer with them: it is to close its
own half first, and read on for a while).
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from agent_saga.console.limits import LEAVING_SECONDS, REQUEST_SECONDS


class Leaving:
    """A transport that closes its half at once, and the rest when the other has closed too or LEAVING_SECONDS later."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self.left = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send, unless no more was to come: who was let go may still be being answered."""
        if not self.left:
            self._transport.write(data)

    def is_closing(self) -> bool:
        """Whether nothing more may be written."""
        return self.left or self._transport.is_closing()

    def close(self) -> None:
        """Say that no more comes. What still arrives is for nobody."""
        if self.is_closing():
            return
        self.left = True
        try:
            self._transport.write_eof()
        except OSError:  # the other has gone already
            self._transport.close()
        self._transport.resume_reading()
        self._loop.call_later(LEAVING_SECONDS, self._transport.close)


class Impatient(H11Protocol):
    """HTTP/1.1 that lets go of who asks for nothing whole in time: a few silent connections would be all there are."""

    _patience: asyncio.TimerHandle | None = None
    _connection: asyncio.Transport
    _leaving: Leaving

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there."""
        self._connection = transport
        self._leaving = Leaving(transport, self.loop)
        super().connection_made(self._leaving)  # type: ignore[arg-type]
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Bytes came; after the last answer they are dropped."""
        if not self._leaving.left:
            super().data_received(data)

    def on_response_complete(self) -> None:
        """They were answered, and may ask for more."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """They left."""
        super().connection_lost(exc)
        if self._patience is not None:
            self._patience.cancel()

    def _wait(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
        self._patience = self.loop.call_later(REQUEST_SECONDS, self._let_go)

    def _let_go(self) -> None:
        asked = self.cycle is not None and not (self.cycle.response_complete or self.cycle.more_body)
        if not asked:
            self._connection.close()
