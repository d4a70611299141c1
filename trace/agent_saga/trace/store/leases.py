"""Who may append to a saga: leases that run out, and tokens that fence off who comes back too late. Pure.

Source: docs/spec/store-v1.md, "Leases".
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from agent_saga.trace.store.base import MAX_NAME, Lease
from agent_saga.trace.store.draft import Draft, Parsed
from agent_saga.trace.store.errors import Refusal, StaleLease


def check_lease(draft: Draft, lease: Lease, lines: Sequence[Parsed] = ()) -> Lease:
    """The stored lease, if this is it. Raises StaleLease when it is not, or the lines are of another saga.

    A lease that ran out is good until somebody takes the saga: nobody else can have written meanwhile.
    """
    for one in lines:
        if one.saga != lease.saga:
            raise StaleLease(f"the lease is for saga {lease.saga}, the line for saga {one.saga}; acquire that one too")
    latest = draft.lease(lease.saga)
    if latest is None or (latest.token, latest.holder) != (lease.token, lease.holder):
        found = f"token {latest.token} of {latest.holder or 'nobody'}" if latest else "no lease at all"
        raise StaleLease(
            f"saga {lease.saga}: token {lease.token} of {lease.holder} is stale, the store has {found}; "
            "stop working on the saga"
        )
    return latest


def check_name(name: str, what: str) -> None:
    """Raise Refusal for a name that is none. what: how the message calls it."""
    if not name.isprintable() or not 1 <= len(name) <= MAX_NAME:
        raise Refusal(f"{what} is {name[:40]!r}; expected 1-{MAX_NAME} printable characters")


def _check_times(saga: str, ttl: float, now: float) -> None:
    if not (ttl > 0 and isfinite(now + ttl)):
        raise Refusal(f"saga {saga}: a lease of {ttl} seconds from {now}; expected a finite time above zero")


def acquire(draft: Draft, saga: str, holder: str, ttl: float, now: float, *, count: bool = False) -> Lease | None:
    """Draft a lease; None while another one is live. ttl: seconds. count: tell the saga's lines with it.

    Raises Refusal for a name or time that is none.
    """
    check_name(saga, "the saga's id")
    check_name(holder, "the holder's name")
    _check_times(saga, ttl, now)
    latest = draft.lease(saga)
    if latest and latest.holder and latest.until > now:
        return None
    lease = Lease(saga, holder, latest.token + 1 if latest else 1, now + ttl)
    draft.leases[saga] = lease
    return replace(lease, lines=draft.head(saga).lines) if count else lease


def renew(draft: Draft, lease: Lease, ttl: float, now: float) -> Lease:
    """Draft the same lease with a later end. ttl: seconds. Raises StaleLease."""
    _check_times(lease.saga, ttl, now)
    renewed = replace(check_lease(draft, lease), until=now + ttl)
    draft.leases[lease.saga] = renewed
    return renewed


def release(draft: Draft, lease: Lease) -> None:
    """Draft that nobody holds the saga, if this is its latest lease. The token stays: it never goes back."""
    latest = draft.lease(lease.saga)
    if latest and (latest.token, latest.holder) == (lease.token, lease.holder):
        draft.leases[lease.saga] = replace(latest, holder="", until=0.0)
