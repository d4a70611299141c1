"""Good traces of every shape: each must be certified without a finding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .lines import Line
from .script import Saga, Script
from .shop import BOOK, QUOTE, RESERVE, charge

Shape = Callable[[Script], None]
SHAPES: dict[str, Shape] = {}


@dataclass(frozen=True)
class Base:
    """A trace to spoil. codes: what it gives as it is; empty for a good one. policy: the text that it is judged by."""

    name: str
    lines: list[Line]
    disclosures: list[str] = field(default_factory=list)
    codes: frozenset[str] = frozenset()
    about: str = ""
    policy: str = ""

    @property
    def good(self) -> bool:
        """Whether it must be certified."""
        return not self.codes


def shape(build: Shape) -> Shape:
    """Register a good shape under its function's name."""
    SHAPES[build.__name__] = build
    return build


def make(name: str, build: Shape, codes: frozenset[str] = frozenset()) -> Base:
    """Run a script; the same name gives the same lines."""
    script = Script(name)
    build(script)
    return Base(name, script.finish(), script.disclosures, codes, " ".join((build.__doc__ or "").split()))


def good_bases() -> list[Base]:
    """Every good trace, in the order of this file."""
    from . import shapes_more  # noqa: F401  (registers the rest)

    return [make(name, build) for name, build in SHAPES.items()]


def order(saga: Saga, minor: int = 4200) -> None:
    """Reserve, charge and book."""
    saga.effect("e1", "stock.reserve", RESERVE)
    saga.effect("e2", "payments.charge", charge(minor))
    saga.effect("e3", "shipping.book", BOOK)


def failing_order(saga: Saga) -> None:
    """Reserve and charge, fail to book, begin the rollback."""
    saga.effect("e1", "stock.reserve", RESERVE)
    saga.effect("e2", "payments.charge", charge())
    saga.begin("e3", "shipping.book", BOOK)
    saga.fail("e3")
    saga.rollback()


@shape
def plain_success(script: Script) -> None:
    """Three effects in order, a passed check, success."""
    saga = script.saga()
    order(saga)
    saga.succeeded("e1", "e2", "e3")


@shape
def preview_success(script: Script) -> None:
    """Previews before, between and after effects; one is read again after a lost reply."""
    saga = script.saga()
    saga.effect("p1", "catalog.quote", QUOTE)
    saga.effect("e1", "stock.reserve", RESERVE)
    saga.begin("p2", "catalog.quote", QUOTE)
    saga.fail("p2")
    saga.effect("e2", "payments.charge", charge())
    saga.begin("p3", "catalog.quote", QUOTE)
    saga.lose("p3")
    saga.again("p3")
    saga.succeed("p3")
    saga.succeeded("e1", "e2")


@shape
def retry_after_failure(script: Script) -> None:
    """Two attempts that provably failed, then one that succeeded."""
    saga = script.saga()
    saga.begin("e1", "payments.charge", charge())
    saga.fail("e1")
    saga.again("e1")
    saga.fail("e1")
    saga.again("e1")
    saga.succeed("e1")
    saga.succeeded("e1")


@shape
def unknown_then_landed(script: Script) -> None:
    """A lost reply; the provider is asked twice and says that the call landed."""
    saga = script.saga()
    saga.begin("e1", "payments.charge", charge())
    saga.lose("e1")
    saga.reconcile("e1", "unresolved")
    saga.reconcile("e1", "landed")
    saga.effect("e2", "shipping.book", BOOK)
    saga.succeeded("e1", "e2")


@shape
def unknown_then_absent_then_retry(script: Script) -> None:
    """A lost reply; the provider knows nothing of the call, so it is made again."""
    saga = script.saga()
    saga.begin("e1", "payments.charge", charge())
    saga.lose("e1")
    saga.reconcile("e1", "absent")
    saga.again("e1")
    saga.succeed("e1")
    saga.succeeded("e1")


@shape
def unknown_then_absent_then_aborted(script: Script) -> None:
    """A lost reply that turns out to have done nothing, and nothing else is done."""
    saga = script.saga()
    saga.begin("e1", "payments.charge", charge())
    saga.lose("e1")
    saga.reconcile("e1", "absent")
    saga.end("aborted_clean")


@shape
def compensated_in_reverse(script: Script) -> None:
    """The third effect fails; the first two are undone, last first."""
    saga = script.saga()
    failing_order(saga)
    saga.undo("u2", "e2")
    saga.undo("u1", "e1")
    saga.compensated()


@shape
def compensated_without_check(script: Script) -> None:
    """The same with two booked effects and no check: a compensation needs none."""
    saga = script.saga()
    order(saga)
    saga.rollback()
    for n in (3, 2, 1):
        saga.undo(f"u{n}", f"e{n}")
    saga.end("compensated_verified")


@shape
def unknown_undone(script: Script) -> None:
    """A lost reply with a known inverse, undone without asking the provider."""
    saga = script.saga()
    saga.begin("e1", "payments.charge", charge())
    saga.lose("e1", undo=True)
    saga.rollback()
    saga.undo("u1", "e1")
    saga.compensated()


@shape
def landed_then_undone(script: Script) -> None:
    """A lost reply that landed, and is undone."""
    saga = script.saga()
    saga.begin("e1", "payments.charge", charge())
    saga.lose("e1")
    saga.reconcile("e1", "landed")
    saga.rollback()
    saga.undo("u1", "e1")
    saga.compensated()


@shape
def undo_retried(script: Script) -> None:
    """An undo that failed once and then succeeded."""
    saga = script.saga()
    failing_order(saga)
    saga.begin_undo("u2", "e2")
    saga.end_undo("u2", "failed")
    saga.undo_again("u2")
    saga.end_undo("u2")
    saga.undo("u1", "e1")
    saga.compensated()


@shape
def undo_unknown_then_landed(script: Script) -> None:
    """An undo whose reply was lost, and that the provider confirms; the saga had been paused for it."""
    saga = script.saga()
    failing_order(saga)
    saga.begin_undo("u2", "e2")
    saga.end_undo("u2", "unknown")
    saga.put("saga.paused", reason={"code": "unproven undo"}, waiting=["u2"])
    saga.end_undo("u2", "reconciled", "landed")
    saga.undo("u1", "e1")
    saga.compensated()


@shape
def undo_unknown_then_absent_then_retried(script: Script) -> None:
    """An undo whose reply was lost, that did not happen, and is made again."""
    saga = script.saga()
    failing_order(saga)
    saga.begin_undo("u2", "e2")
    saga.end_undo("u2", "unknown")
    saga.end_undo("u2", "reconciled", "absent")
    saga.undo_again("u2")
    saga.end_undo("u2")
    saga.undo("u1", "e1")
    saga.compensated()


@shape
def partial_refunds(script: Script) -> None:
    """One charge given back in three parts that sum up to it."""
    saga = script.saga()
    saga.effect("e1", "payments.charge", charge(4200))
    saga.rollback()
    saga.undo("u1", "e1", 1200)
    saga.undo("u2", "e1", 2000)
    saga.undo("u3", "e1", 1000)
    saga.compensated()


@shape
def partial_refunds_at_once(script: Script) -> None:
    """One charge given back in two parts that are under way together and sum up to it."""
    saga = script.saga()
    saga.effect("e1", "payments.charge", charge(4200))
    saga.rollback()
    saga.begin_undo("u1", "e1", 1700)
    saga.begin_undo("u2", "e1", 2500)
    saga.end_undo("u2")
    saga.end_undo("u1")
    saga.compensated()
