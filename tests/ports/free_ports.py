"""Ports for servers that tests start, such as nothing else takes between the choice and the start.

A port that the system gives for 0 is one of those that it also gives to whoever connects to somewhere: beside many
tests at once, another's connection now and then had it before the server had. So these are taken from below that
range (Linux: net.ipv4.ip_local_port_range, from 32768; RFC 6335 section 6: from 49152), in an order of each process.
"""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Iterator

FROM, BELOW = 20_000, 32_000


def _ports() -> Iterator[int]:
    order = list(range(FROM, BELOW))
    random.Random(os.getpid()).shuffle(order)
    while True:
        yield from order


_NEXT = _ports()


def free_port() -> int:
    """A port of 127.0.0.1 on which nobody listens, and which this process was not given before."""
    for port in _NEXT:
        with socket.socket() as found:
            try:
                found.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("the ports have no end")
