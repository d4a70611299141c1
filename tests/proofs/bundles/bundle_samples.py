"""Small logs, whole and in memory, that tests and vectors cut bundles out of. The same bytes every time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from agent_saga.proofs.checkpoints import Checkpoint, sign_checkpoint
from agent_saga.proofs.cosigning import cosign
from agent_saga.proofs.entries import Entry, key_of
from agent_saga.proofs.errors import Unprovable
from agent_saga.proofs.hashing import leaf
from agent_saga.proofs.index import Index
from agent_saga.proofs.keys import SigningKey, key_from_seed
from agent_saga.proofs.pins import Pins, parse_pins
from agent_saga.proofs.tree import Leaves, root
from agent_saga.trace.codec import decode
from agent_saga.trace.conceal import conceal
from agent_saga.trace.writer import SagaWriter, salt_of

ORIGIN = "log.example/shop"
SEEDS = {"log": 1, "witness": 2, "monitor": 3, "other": 4}
"""Seeds of test-only keys: 32 times this byte."""
WIRE, OPEN, SIGNED, SHORT, NONE = (
    "Wq3kx0mJ7y2aTt5v9WcZ1e",
    "Op8rJ2nV5s0bHd4x6YfK3g",
    "Sg1tL7pQ9w4cNf2z8XmB5h",
    "Sh6vM3qR1u8dPj7y0ZnC9k",
    "No5wN4rS2v9eQk8x1AoD0m",
)
MONEY, IBAN = {"minor": 420000, "currency": "EUR"}, "DE89370400440532013000"
TOOLS = {
    "stock.reserve": {"version": "1", "semantics": "reversible", "undo": "stock.release"},
    "stock.release": {"version": "1", "semantics": "reversible"},
    "payments.wire": {"version": "2", "semantics": "compensable", "undo": "payments.recall", "amount_from": "/amount"},
    "payments.recall": {"version": "2", "semantics": "compensable"},
}
REGISTRY: dict[str, Any] = {}
REGISTRY_DIGEST = hashlib.sha256(b"agent-saga/registry/v1\0{}").hexdigest()


def stream(name: str) -> Callable[[int], bytes]:
    """Bytes that look random and are the same every time."""
    state = [0]

    def take(count: int) -> bytes:
        state[0] += 1
        return hashlib.sha256(f"{name} {state[0]}".encode()).digest()[:count]

    return take


def key(purpose: str, name: str, seed: int) -> SigningKey:
    return key_from_seed(name, purpose, bytes([seed]) * 32)


LOG = key("log", ORIGIN, SEEDS["log"])
WITNESS = key("witness", "w.example/1", SEEDS["witness"])
MONITOR = key("monitor", "audit.example/m", SEEDS["monitor"])
OTHER = key("log", ORIGIN, SEEDS["other"])
PIN = f"agent-saga-pin-v1\norigin {ORIGIN}\nlog {LOG.vkey}\n"
FULL_PIN = f"{PIN}witness {WITNESS.vkey}\nmonitor {MONITOR.vkey}\n"


def pins(text: str = PIN) -> Pins:
    return parse_pins(text)


@dataclass
class MemoryLog:
    """A log of the shape of agent_saga.proofs.log.Log, with what makes it grow. size: of the latest checkpoint."""

    key: SigningKey = LOG
    origin: str = ORIGIN
    lines: list[bytes] = field(default_factory=list)
    disclosures: list[str] = field(default_factory=list)
    notes: dict[int, bytes] = field(default_factory=dict)
    writers: dict[str, SagaWriter] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    seed: str = "shop"
    clock: int = 0

    def write(self, saga: str, type: str, by: str = "runtime", **members: Any) -> int:
        """Append a line; returns its index."""
        if saga not in self.writers:
            self.writers[saga] = SagaWriter(saga, stream(f"{self.seed} {saga}"))
        self.clock += 1
        at = f"2026-11-30T07:{self.clock // 60 % 60:02}:{self.clock % 60:02}.000000Z"
        return self.add(saga, self.writers[saga].line(type, at, by, **members))

    def add(self, saga: str, line: bytes) -> int:
        """Append a line as it is."""
        self.lines.append(line)
        self.names.append(saga)
        return len(self.lines) - 1

    def hide(self, value: Any) -> Any:
        """A concealed value; what opens it is kept."""
        salt = salt_of(hashlib.sha256(f"{self.seed} salt {len(self.disclosures)}".encode()).digest()[:16])
        placeholder, disclosure = conceal(value, salt)
        self.disclosures.append(disclosure)
        return placeholder

    def open(self, **members: Any) -> None:
        """Write log.opened."""
        opened = {"origin": self.origin, "vkey": str(self.key.vkey), "keys": REGISTRY} | members
        self.write("log", "log.opened", **opened)

    def entries(self) -> Iterator[Entry]:
        """The entries of the saga index over the lines there are."""
        found: dict[str, list[int]] = {}
        for at, saga in enumerate(self.names):
            if saga != "log":
                found.setdefault(saga, []).append(at)
        for saga, at in found.items():
            yield Entry(key_of(saga), at[0], at[-1], len(at), leaf(self.lines[at[-1]]).hex())

    def seal(self, index: Index | None = None, **members: Any) -> bytes:
        """Write log.indexed and sign the checkpoint behind it."""
        self.claimed = index or Index(self.entries())
        keys = {"digest": REGISTRY_DIGEST, "index": 0}
        told = {"size": self.claimed.size, "root": self.claimed.root.hex(), "keys": keys} | members
        self.write("log", "log.indexed", **told)
        return self.sign()

    def sign(self) -> bytes:
        """Sign a checkpoint of the lines there are."""
        self.tree = Leaves([leaf(line) for line in self.lines])
        self.size = len(self.lines)
        point = Checkpoint(self.origin, self.size, root(self.tree, self.size))
        self.notes[self.size] = str(sign_checkpoint(point, self.key.vkey, self.key)).encode()
        return self.notes[self.size]

    def cosigned(self) -> None:
        """Add the signatures of a witness and of a monitor to the latest checkpoint."""
        from agent_saga.proofs.notes import parse_note

        note = parse_note(self.notes[self.size])
        note = cosign(note, WITNESS.vkey, WITNESS, 1_796_000_000)
        note = cosign(note, MONITOR.vkey, MONITOR, 1_796_000_060)
        self.notes[self.size] = str(note).encode()

    # What making.Source asks for.

    def checkpoint(self) -> bytes:
        return self.notes[self.size]

    def nodes(self, size: int) -> Leaves:
        assert size == self.size
        return self.tree

    def index(self, size: int) -> Index:
        assert size == self.size
        if not hasattr(self, "claimed"):
            raise Unprovable("no index")
        return self.claimed

    def line(self, index: int) -> bytes:
        return self.lines[index]

    def saga(self, saga: str) -> list[tuple[int, bytes]]:
        return [(at, self.lines[at]) for at in range(self.size) if self.names[at] == saga]


def started(log: MemoryLog, saga: str) -> None:
    log.write(saga, "saga.started", log=log.origin, name="wire", format="1.0", tools=TOOLS)


def wire(log: MemoryLog, saga: str = WIRE) -> Iterator[None]:
    """A saga of 14 lines: stock is reserved, money is wired, both are undone. Account and amounts are concealed."""
    started(log, saga)
    yield
    log.write(
        saga,
        "step.proposed",
        "agent:a",
        step="s1",
        tool="stock.reserve",
        args={"sku": "s-17"},
        allowed=["stock.reserve"],
        driver="d",
    )
    common = {"attempt": 1}
    log.write(
        saga,
        "effect.intended",
        effect="e1",
        step="s1",
        tool="stock.reserve",
        semantics="reversible",
        args={"sku": "s-17"},
        key="k1",
        **common,
    )
    yield
    log.write(
        saga,
        "effect.succeeded",
        "tool:stock.reserve",
        effect="e1",
        result="h-9",
        undo={"tool": "stock.release", "args": {"hold": "h-9"}},
        **common,
    )
    args = {"iban": log.hide(IBAN), "amount": log.hide(MONEY)}
    log.write(
        saga,
        "step.proposed",
        "agent:a",
        step="s2",
        tool="payments.wire",
        args=args,
        allowed=["payments.wire"],
        driver="d",
    )
    yield
    args = {"iban": log.hide(IBAN), "amount": log.hide(MONEY)}
    log.write(
        saga,
        "effect.intended",
        effect="e2",
        step="s2",
        tool="payments.wire",
        semantics="compensable",
        args=args,
        key="k2",
        amount=args["amount"],
        **common,
    )
    log.write(
        saga,
        "effect.succeeded",
        "tool:payments.wire",
        effect="e2",
        result={"wire": "w-1"},
        undo={"tool": "payments.recall", "args": {"wire": "w-1"}},
        **common,
    )
    yield
    log.write(saga, "rollback.started", cause="the customer withdrew")
    log.write(
        saga, "undo.intended", undo="u2", effect="e2", tool="payments.recall", args={"wire": "w-1"}, key="k3", **common
    )
    log.write(saga, "undo.succeeded", "tool:payments.recall", undo="u2", result={"recalled": True}, **common)
    yield
    log.write(
        saga, "undo.intended", undo="u1", effect="e1", tool="stock.release", args={"hold": "h-9"}, key="k4", **common
    )
    log.write(saga, "undo.succeeded", "tool:stock.release", undo="u1", result=None, **common)
    yield
    log.write(saga, "check.evaluated", check="c1", passed=True, evidence={"balance": "restored"})
    log.write(saga, "saga.ended", status="compensated_verified", held=[])


def approved(log: MemoryLog, saga: str = SIGNED) -> None:
    """A saga with an approval that a person signed."""
    started(log, saga)
    action = "a" * 64
    log.write(
        saga,
        "approval.requested",
        step="s1",
        action=action,
        rule="r1",
        quorum=1,
        roles=["cfo"],
        strength="B",
        not_after="2026-12-01T00:00:00.000000Z",
    )
    log.write(
        saga,
        "approval.recorded",
        "person:p1",
        step="s1",
        action=action,
        decision="approve",
        person="p1",
        proof={"payload": "e30"},
    )


def shop(**choices: Any) -> MemoryLog:
    """A log of five sagas interleaved, with log.opened, ready to be sealed."""
    log = MemoryLog(**choices)
    log.open()
    between = iter(range(100))
    for _ in wire(log):
        other = f"Fill{next(between):02}aTt5v9WcZ1eAk3JxQ0m7y"
        started(log, other)
        log.write(other, "rollback.started", cause=f"filler {other}")
    started(log, OPEN)
    log.write(OPEN, "step.refused", step="s1", code="no_stock", reason={"said": log.hide("\u202eevil\x1b[31m")})
    approved(log)
    started(log, SHORT)
    return log


def sealed(**choices: Any) -> MemoryLog:
    """:func:`shop` under a checkpoint with an index."""
    log = shop(**choices)
    log.seal()
    return log


def types(lines: list[bytes]) -> list[str]:
    return [decode(line)[0].type for line in lines]
