"""The pin file: whom an auditor trusts, written down before anything is looked at.

    agent-saga-pin-v1
    origin log.example/acme
    log log.example/acme+003bb780+AUgHWll...
    witness w.example/1+2b252696+BAM...
    monitor audit.example/m+5f21c0aa+BKq...
    certificate acme.example/certify+77aa01c3+AUx...

``origin`` and ``log`` are needed; of the others there may be none or several. No raw key may stand twice.

Source: docs/spec/log-v1.md, "Pins".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agent_saga.proofs.checkpoints import Pin
from agent_saga.proofs.errors import KeyFault
from agent_saga.proofs.keys import PURPOSES
from agent_saga.proofs.limits import MAX_NAME
from agent_saga.proofs.vkeys import VerifierKey, parse_vkey

HEADER: Final = "agent-saga-pin-v1"
MAX_PIN: Final = 65_536
"""Bytes of a pin file: hundreds of keys."""
_ROLES: Final = ("log", "witness", "monitor", "certificate")


@dataclass(frozen=True, slots=True)
class Pins:
    """Whom to trust for what."""

    log: Pin
    witnesses: tuple[VerifierKey, ...] = ()
    monitors: tuple[VerifierKey, ...] = ()
    certificates: tuple[VerifierKey, ...] = ()


def parse_pins(text: str) -> Pins:
    """Read a pin file. Raises KeyFault, which names the line."""
    # Not splitlines: it also breaks at characters that an editor shows within one line.
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0] != HEADER or len(text) > MAX_PIN:
        raise KeyFault(f"no pin file: expected {HEADER!r} on the first line; found {lines[0][:60]!r}")
    origins: list[str] = []
    keys: dict[str, list[VerifierKey]] = {role: [] for role in _ROLES}
    for number, word, rest in _entries(lines):
        if word == "origin" and 0 < len(rest) <= MAX_NAME and rest.isprintable():
            origins.append(rest)
        elif word in keys:
            keys[word].append(_key(number, word, rest))
        else:
            raise KeyFault(f"line {number} of the pin: {word[:40]!r}: expected origin, {', '.join(_ROLES)}")
    if len(origins) != 1 or len(keys["log"]) != 1:
        raise KeyFault(f"the pin names {len(origins)} origins and {len(keys['log'])} log keys: expected one of each")
    _refuse_reuse([key for role in _ROLES for key in keys[role]])
    pin = Pin(origins[0], keys["log"][0])
    return Pins(pin, tuple(keys["witness"]), tuple(keys["monitor"]), tuple(keys["certificate"]))


def _entries(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(lines[1:], 2):
        if line.strip() and not line.startswith("#"):
            word, _, rest = line.partition(" ")
            yield number, word, rest.strip()


def _key(number: int, role: str, text: str) -> VerifierKey:
    try:
        key = parse_vkey(text)
    except KeyFault as fault:
        raise KeyFault(f"line {number} of the pin: {fault}") from fault
    if key.kind != PURPOSES[role]:
        raise KeyFault(f"line {number} of the pin: the key of {key.name} is of another type than one for {role}")
    return key


def _refuse_reuse(keys: list[VerifierKey]) -> None:
    seen: dict[bytes, VerifierKey] = {}
    for key in keys:
        other = seen.setdefault(key.raw, key)
        if other is not key:
            raise KeyFault(f"{other.name} and {key.name} are one key: a key serves one name and one purpose")


def format_pins(pins: Pins) -> str:
    """The text of a pin file."""
    rows = [HEADER, f"origin {pins.log.origin}", f"log {pins.log.vkey}"]
    rows += [f"witness {key}" for key in pins.witnesses]
    rows += [f"monitor {key}" for key in pins.monitors]
    rows += [f"certificate {key}" for key in pins.certificates]
    return "\n".join(rows) + "\n"
