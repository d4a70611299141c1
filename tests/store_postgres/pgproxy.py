"""A TCP proxy that can be cut: what is under way is lost, and nobody gets through until it is mended."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading


class Proxy:
    """Forwards a port of 127.0.0.1 to another one."""

    def __init__(self, target: int) -> None:
        self._target, self._open = target, True
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                with self._lock:
                    if not self._open:
                        client.close()
                        continue
                    server = socket.create_connection(("127.0.0.1", self._target))
                    self._pairs.append((client, server))
                for one, other in ((client, server), (server, client)):
                    threading.Thread(target=_forward, args=(one, other), daemon=True).start()

    def cut(self) -> None:
        """Break every connection at once, on both sides, and let nobody through."""
        with self._lock:
            self._open = False
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for one in pair:
                _reset(one)

    def mend(self) -> None:
        """Let new connections through."""
        with self._lock:
            self._open = True

    def close(self) -> None:
        """Let go of the port."""
        self.cut()
        self._listener.close()


def _forward(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    for one in (source, target):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


def _reset(one: socket.socket) -> None:
    """Close without a farewell: what was not delivered is lost."""
    with contextlib.suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.shutdown(socket.SHUT_RDWR)
    with contextlib.suppress(OSError):
        one.close()
