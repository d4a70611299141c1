"""Erasing concealed values: the D and the key that sealed it are destroyed, the lines and every hash stay.

The order makes a kill at any moment harmless. New keys are durable before anything is sealed under them; then the Ds go
and what is left is sealed anew, in one transaction; then the old keys go. Until that transaction all is readable, and
after it the values are erased; whoever erases again finishes.

Source: docs/spec/store-v1.md, "Erasure".
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from agent_saga.trace.conceal import parse_disclosure
from agent_saga.trace.store.choosing import Choice, by_digest, named, places
from agent_saga.trace.store.connecting import faults_told
from agent_saga.trace.store.engine import Engine
from agent_saga.trace.store.errors import Damaged, Refusal
from agent_saga.trace.store.holding import Heads, require_saga
from agent_saga.trace.store.keyring import transaction
from agent_saga.trace.store.needles import secrets_of, texts_in
from agent_saga.trace.store.scrubbing import scrub
from agent_saga.trace.store.sealed import Erased, Row, select
from agent_saga.trace.store.vault import Vault
from agent_saga.trace.values import dumps


class NotErasable(Refusal):
    """The saga has not ended, or is under legal hold."""


class Value(NamedTuple):
    """A value to be erased. places: where it stands, as ``SEQ:/POINTER``; none when its line never came."""

    digest: str
    saga: str
    subject: str
    places: tuple[str, ...]


class Plan(NamedTuple):
    """What an erasure would do.

    values: what goes. erased: what was chosen and is gone already. unkept: digests that were chosen and are not kept
    here. resealed: how many other values get a new key. twins: places where the same values stay under other digests.
    """

    values: tuple[Value, ...]
    erased: tuple[Erased, ...]
    unkept: tuple[str, ...]
    resealed: int
    twins: tuple[str, ...]


class Erasure(NamedTuple):
    """What was erased. secrets: what must not be found in any file any more, each with words that do not tell it.

    texts: the texts of the values, which may stand elsewhere. remembered: keys of remembered values that hold one.
    """

    plan: Plan
    secrets: tuple[tuple[str, bytes], ...]
    texts: tuple[tuple[str, bytes], ...]
    remembered: tuple[str, ...]


def plan(engine: Engine, heads: Heads, saga: str, choice: Choice) -> Plan:
    """What an erasure would do, nothing changed. saga: "" for a subject in all sagas.

    Raises NotErasable, Refusal for a saga that is not there or a path that names nothing, and Damaged.
    """
    vault = engine.vault()
    which, values = _which(saga, choice)
    rows = select(vault.write, which, values)
    sagas = [saga] if saga else sorted({row.saga for row in rows})
    for one in sagas:
        _require_erasable(heads, vault, one)
    found = {one: places(engine.read(one, 0)) for one in sagas}
    chosen = None if not choice.paths else named(choice.paths, found[saga])
    picked = [row for row in rows if chosen is None or row.digest in chosen]
    gone = [one for one in _erased(vault, which, values) if chosen is None or one.digest in chosen]
    where = {one: by_digest(found[one]) for one in sagas}
    due = set(where[saga]) if choice.every else chosen or set()
    known = {row.digest for row in picked} | {one.digest for one in gone}
    return Plan(
        tuple(Value(row.digest, row.saga, row.subject, tuple(where[row.saga].get(row.digest, ()))) for row in picked),
        tuple(gone),
        tuple(sorted(due - known)),
        len(_others(vault, picked)),
        _twins(vault, picked, where),
    )


def _which(saga: str, choice: Choice) -> tuple[str, tuple[str, ...]]:
    if choice.subject and saga:
        return "WHERE saga = ? AND subject = ?", (saga, choice.subject)
    if choice.subject:
        return "WHERE subject = ?", (choice.subject,)
    return "WHERE saga = ?", (saga,)


def _erased(vault: Vault, which: str, values: Sequence[str]) -> list[Erased]:
    query = f"SELECT digest, saga, subject, at FROM erased {which} ORDER BY digest"
    return [Erased(*row) for row in vault.write.execute(query, values).fetchall()]


def _require_erasable(heads: Heads, vault: Vault, saga: str) -> None:
    head = require_saga(heads, saga)
    if not head.ended:
        raise NotErasable(
            f"saga {saga}: it has not ended: an undo may still need the value; end it, or recover it, and erase then"
        )
    for hold in vault.holds():
        if hold.saga == saga:
            raise NotErasable(
                f"saga {saga}: under legal hold: {hold.reason}; whoever may lift it runs `agent-saga hold STORE {saga} "
                "--release` first"
            )


def _others(vault: Vault, picked: Sequence[Row]) -> list[Row]:
    """Rows of the same subjects that stay."""
    going = {row.digest for row in picked}
    return [
        row for subject in {row.subject for row in picked} for row in _of(vault, subject) if row.digest not in going
    ]


def _of(vault: Vault, subject: str) -> list[Row]:
    return select(vault.write, "WHERE subject = ?", (subject,))


def _twins(vault: Vault, picked: Sequence[Row], where: Mapping[str, Mapping[str, list[str]]]) -> tuple[str, ...]:
    """Places in the same sagas where a value that goes stays under another digest. Short ones are no secret."""
    going = {row.digest for row in picked}
    rows = [row for saga in where for row in select(vault.write, "WHERE saga = ?", (saga,))]
    values = {one.digest: dumps(parse_disclosure(text)[1]) for one in rows if (text := _opened(vault, one)) is not None}
    erased = {values[digest] for digest in going & values.keys()} - _PLAIN
    stay = [row for row in rows if row.digest not in going and values.get(row.digest) in erased]
    return tuple(f"{row.saga} {place}" for row in stay for place in where[row.saga].get(row.digest, ()))


def _opened(vault: Vault, row: Row) -> str | None:
    """The D of a row; None when it cannot be opened: what is damaged may be erased all the same."""
    try:
        return vault.open(row)
    except Damaged:
        return None


_PLAIN: Final = {b"null", b"true", b"false", b'""'}


def erase(engine: Engine, saga: str, choice: Choice, *, now: float) -> Erasure:
    """Erase values of an opened store; they are gone from its files on return. now: POSIX seconds.

    Raises as :func:`plan`, and StoreError when it could not be finished: then the same again finishes it.
    """
    heads = engine.begin()
    try:
        return erase_locked(engine, heads, saga, choice, now)
    finally:
        engine.rollback()


def erase_locked(engine: Engine, heads: Heads, saga: str, choice: Choice, now: float) -> Erasure:
    """:func:`erase`, by whoever holds the lock of the store's lines."""
    vault = engine.vault()
    planned = plan(engine, heads, saga, choice)
    going = {value.digest for value in planned.values}
    rows = [row for row in _rows(vault, planned) if row.digest in going]
    secrets, texts = secrets_of(rows, [_opened(vault, row) for row in rows])
    subjects = {value.subject for value in planned.values} | {one.subject for one in planned.erased}
    _reseal(vault, planned, now)
    used = {row.key for subject in subjects for row in _of(vault, subject)}
    destroyed = vault.keys.destroy([id for id in vault.keys.of(subjects) if id not in used]) if subjects else []
    scrub(vault.write, vault.place)
    scrub(vault.keys.connection, vault.keys.place)
    secrets += [("a destroyed key", key) for key in destroyed]
    return Erasure(planned, tuple(secrets), tuple(texts), tuple(texts_in(engine.remembered(), texts)))


def _rows(vault: Vault, planned: Plan) -> list[Row]:
    return [row for subject in {value.subject for value in planned.values} for row in _of(vault, subject)]


def _reseal(vault: Vault, planned: Plan, now: float) -> None:
    """Delete what goes and seal what stays of its subjects under new keys, in one transaction."""
    if not planned.values:
        return
    going = {value.digest for value in planned.values}
    with faults_told(vault.place), transaction(vault.write):
        stay = [row for row in _rows(vault, planned) if row.digest not in going]
        fresh = vault.resealed(stay)
        vault.write.executemany("DELETE FROM disclosures WHERE digest = ?", [(digest,) for digest in sorted(going)])
        tombs = [(value.digest, value.saga, value.subject, now) for value in planned.values]
        vault.write.executemany("INSERT INTO erased (digest, saga, subject, at) VALUES (?, ?, ?, ?)", tombs)
        updates = [(row.key, row.sealed, row.digest) for row in fresh]
        vault.write.executemany("UPDATE disclosures SET key = ?, sealed = ? WHERE digest = ?", updates)


__all__: Sequence[str] = [
    "Erasure", "NotErasable", "Plan", "Value", "erase", "erase_locked", "plan"
]  # fmt: skip
