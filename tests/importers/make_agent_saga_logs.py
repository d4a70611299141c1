"""Writes logs in the form of the package agent-saga: fixtures, attacks on a log that certifies, and logs of any size.

Run it to write fixtures/sources/agent-saga-log anew: `python tests/importers/make_agent_saga_logs.py`
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "sources" / "agent-saga-log"
GENESIS = "0" * 64
CHAIN = ("_h", "_ph", "_cd", "_s")
START = 1796022935.4985416

Record = dict[str, Any]


def canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def header_hash(record: Record) -> str:
    header = {"prev": record["_ph"], "seq": record["seq"], "ts": record["ts"], "event": record["event"]}
    return sha256(canonical(header | {"cd": record["_cd"]})).hexdigest()


def stamp(record: Record, prev: str, salt: str) -> Record:
    """The record with its chain members, after the record whose hash is `prev`."""
    bare = {name: value for name, value in record.items() if name not in CHAIN}
    payload = {name: value for name, value in bare.items() if name not in ("seq", "ts", "event")}
    content = sha256(salt.encode() + canonical(payload)).hexdigest()
    stamped = bare | {"_s": salt, "_cd": content, "_ph": prev}
    return stamped | {"_h": header_hash(stamped)}


def chain(records: list[Record], seed: int = 1, renumber: bool = True) -> list[Record]:
    """All records stamped one after the other, numbered 1, 2, 3 ... unless they keep their numbers."""
    salts, head, out = random.Random(seed), GENESIS, []
    for number, record in enumerate(records, 1):
        numbered = record | {"seq": number} if renumber else record
        out.append(stamp(numbered, head, salts.randbytes(16).hex()))
        head = out[-1]["_h"]
    return out


def lines(records: list[Record]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def root(records: list[Record]) -> str:
    """The Merkle root over whole records, level by level."""
    level = [sha256(b"\0" + canonical(record)).digest() for record in records]
    while len(level) > 1:
        level += level[-1:] * (len(level) % 2)
        level = [sha256(b"\1" + a + b).digest() for a, b in zip(level[::2], level[1::2], strict=True)]
    return level[0].hex() if level else GENESIS


class Saga:
    """Builds the records of one saga. Ids and times are drawn from a seeded generator."""

    def __init__(self, name: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.id = f"{name}-{self.random.randbytes(8).hex()}"
        self.ts = START + seed * 60
        self.records: list[Record] = []
        self.steps: list[tuple[str, str, Record | None]] = []
        self.add("SAGA_START", pid=4242, lease_ttl=5.0, name=name)

    def add(self, event: str, with_saga: bool = True, **payload: Any) -> Record:
        self.ts = round(self.ts + self.random.uniform(0.001, 0.05), 7)
        head: Record = {"seq": len(self.records) + 1, "event": event, "ts": self.ts}
        record = head | ({"saga_id": self.id} if with_saga else {}) | payload
        self.records.append(record)
        return record

    def intent(self, tool: str, kwargs: dict[str, Any], semantics: str = "COMPENSABLE") -> str:
        step = self.random.randbytes(16).hex()
        self.add("STEP_INTENT", step_id=step, tool=tool, semantics=semantics, kwargs=kwargs)
        return step

    def step(
        self, tool: str, kwargs: dict[str, Any], undo: str = "", undo_kwargs: Any = None, semantics: str = "COMPENSABLE"
    ) -> str:
        step = self.intent(tool, kwargs, semantics)
        described = self.describe(undo, undo_kwargs or {}) if undo else None
        self.add("STEP_COMMITTED", step_id=step, tool=tool, semantics=semantics, compensation=described)
        self.steps.append((step, tool, described))
        return step

    def unknown(self, tool: str, kwargs: dict[str, Any], undo: str, undo_kwargs: dict[str, Any]) -> str:
        step = self.intent(tool, kwargs)
        described = self.describe(undo, undo_kwargs)
        error = "TimeoutError('no answer')"
        self.add("STEP_UNKNOWN", step_id=step, tool=tool, semantics="COMPENSABLE", error=error, compensation=described)
        self.steps.append((step, tool, described))
        return step

    def describe(self, handler: str, kwargs: dict[str, Any]) -> Record:
        key = self.random.randbytes(16).hex()
        name = handler.rpartition(".")[2]
        return {
            "fn": name, "handler": handler, "recoverable": True, "description": name, "idempotency_key": key,
            "kwargs": kwargs,
        }  # fmt: skip

    def complete(self) -> list[Record]:
        self.add("SAGA_COMPLETE", clean=True)
        return self.records

    def rollback(self, cause: str = "card declined") -> list[Record]:
        """Abort, undo every step in reverse, and end."""
        self.add("SAGA_ABORT_CAUSE", cause_type="ValueError", cause=cause)
        self.add("ROLLBACK_START", steps=len(self.steps))
        for step, tool, described in reversed(self.steps):
            key = (described or {}).get("idempotency_key", "")
            self.add("COMPENSATED", step_id=step, tool=tool, idempotency_key=key)
        self.add(
            "ROLLBACK_END", clean=True, compensated=len(self.steps), failed=0, orphaned=0, unresolved=0, halted=False
        )
        self.add("SAGA_ABORTED", clean=True)
        return self.records


def order(seed: int = 1) -> Saga:
    saga = Saga("order", seed)
    saga.step("inventory.reserve", {"sku": f"A{seed}", "qty": 2}, "inventory.release", {"rid": f"r_{seed}"})
    charge = {"amount": 4200, "customer": f"cus_{seed}"}
    saga.step("payments.charge", charge, "payments.refund", {"charge": f"ch_{seed}"})
    return saga


def happy(seed: int = 1) -> list[Record]:
    return order(seed).complete()


def compensated(seed: int = 2) -> list[Record]:
    saga = order(seed)
    saga.unknown("email.send", {"to": f"user{seed}@example.org"}, "email.retract", {"id": f"m_{seed}"})
    return saga.rollback()


def reversible(seed: int = 3) -> list[Record]:
    saga = Saga("flags", seed)
    saga.step("flags.set", {"flag": "beta", "on": True}, "flags.set", {"flag": "beta", "on": False}, "REVERSIBLE")
    return saga.complete()


def preview(seed: int = 4) -> list[Record]:
    saga = Saga("look", seed)
    saga.step("balance.check", {"account": "a_1", "limit": 0.5}, semantics="PREVIEW")
    charge = {"amount": 7, "note": 'say "hi" : \u00e9\u4e2d'}
    saga.step("payments.charge", charge, "payments.refund", {"charge": "ch_p"})
    return saga.complete()


def tentative(seed: int = 5, status: str = "COMMITTED") -> list[Record]:
    saga = Saga("hold", seed)
    saga.step("inventory.reserve", {"sku": "T"}, "inventory.release", {"rid": "r_t"})
    saga.add(
        "TENTATIVE_REGISTERED", resource_id="acct:42", status="PENDING", rollback_handler="ledger.release",
        recoverable=True, rollback_kwargs={"hold": "h_1"}, metadata={"amount": 10},
    )  # fmt: skip
    if status == "COMMITTED":
        saga.add("TENTATIVE_RESOLVED", resource_id="acct:42", status=status)
        return saga.complete()
    records = saga.rollback()
    end = next(at for at, record in enumerate(records) if record["event"] == "ROLLBACK_END")
    resolved = {"seq": 0, "event": "TENTATIVE_RESOLVED", "ts": records[end]["ts"], "saga_id": saga.id}
    return [*records[:end], resolved | {"resource_id": "acct:42", "status": status}, *records[end:]]


def continued(seed: int = 6) -> list[Record]:
    saga = order(seed)
    saga.add("SAGA_CONTINUED_AS_NEW", False, old_saga_id=saga.id, new_saga_id=saga.id + "-b", retained_steps=2)
    saga.add("SAGA_COMPLETE", clean=True)
    saga.id += "-b"
    saga.add("SAGA_START", pid=4242, lease_ttl=5.0)
    return saga.rollback()


def wire(seed: int = 7, decision: str = "", amount: int = 1000) -> list[Record]:
    """An irreversible step, with an approval request and its answer when `decision` says one."""
    saga = Saga("wire", seed)
    if decision:
        name = saga.random.randbytes(16).hex()
        context = {"semantics": "IRREVERSIBLE", "amount": amount, "to": "acct_1"}
        saga.add(
            "APPROVAL_REQUESTED", False, request_id=name, tool="bank.wire", rule="irreversible", reason="final",
            context=context, expires_at=saga.ts + 300,
        )  # fmt: skip
        saga.add(
            f"APPROVAL_{decision}", False, request_id=name, tool="bank.wire", approver="alice", note="",
            break_glass=False, waited=1.0,
        )  # fmt: skip
    saga.step("bank.wire", {"amount": 1000, "to": "acct_1"}, semantics="IRREVERSIBLE")
    return saga.complete()


def interleaved() -> list[Record]:
    records = [*happy(1), *shifted(compensated(2), -60.0), *shifted(preview(4), -180.0)]
    return sorted(records, key=lambda record: record["ts"])


def shifted(records: list[Record], seconds: float) -> list[Record]:
    return [record | {"ts": record["ts"] + seconds} for record in records]


def base() -> list[Record]:
    """The log that all attacks are made on: it certifies."""
    return chain([*happy(1), *compensated(2), *preview(4), *happy(8)])


def redacted(record: Record, reason: str = "erasure-request") -> Record:
    kept = ("seq", "ts", "event", "_h", "_cd", "_ph")
    return {name: record[name] for name in kept} | {"_redacted": reason}


def at(records: list[Record], event: str, skip: int = 0) -> int:
    return [index for index, record in enumerate(records) if record["event"] == event][skip]


Attack = Callable[[list[Record]], list[Record] | bytes]


def _edit(event: str, change: Callable[[Record], Record], skip: int = 0, restamp: bool = True) -> Attack:
    def attack(log: list[Record]) -> list[Record]:
        where = at(log, event, skip)
        edited = [*log[:where], change(log[where]), *log[where + 1 :]]
        return chain(edited) if restamp else edited

    return attack


def _drop(first: int, last: int, restamp: bool = False) -> Attack:
    def attack(log: list[Record]) -> list[Record]:
        rest = [*log[:first], *log[last:]]
        return chain(rest) if restamp else rest

    return attack


def _double(event: str, skip: int = 0) -> Attack:
    def attack(log: list[Record]) -> list[Record]:
        where = at(log, event, skip)
        return chain([*log[: where + 1], log[where], *log[where + 1 :]])

    return attack


def _insert(where: int, records: list[Record], restamp: bool = True) -> Attack:
    def attack(log: list[Record]) -> list[Record]:
        longer = [*log[:where], *records, *log[where:]]
        return chain(longer) if restamp else longer

    return attack


def _gap(log: list[Record], digest: str, ranges: Any = None, removed: int = 14) -> list[Record]:
    gap = {"seq": len(log) + 1, "event": "WAL_CHAIN_GAP", "ts": log[-1]["ts"], "ranges": ranges or [[7, 20]]}
    gap |= {"removed": removed, "removed_digest": digest, "reason": "compaction"}
    return [*log[:6], *log[20:], stamp(gap, log[-1]["_h"], "00" * 16)]


def _digest_of(removed: list[Record]) -> str:
    return sha256(b"".join(record["_h"].encode() for record in removed)).hexdigest()


def _rolled_fifo(log: list[Record]) -> list[Record]:
    first = at(log, "COMPENSATED")
    return chain([*log[:first], *reversed(log[first : first + 3]), *log[first + 3 :]])


def _orphan_hidden(log: list[Record]) -> list[Record]:
    saga = Saga("orphan", 30)
    step = saga.step("bank.wire", {"amount": 5}, semantics="IRREVERSIBLE")
    saga.add("SAGA_ABORT_CAUSE", cause_type="ValueError", cause="late")
    saga.add("ROLLBACK_START", steps=1)
    saga.add("STEP_ORPHANED", step_id=step, tool="bank.wire", semantics="IRREVERSIBLE")
    named = {"step_id": step, "tool": "bank.wire", "semantics": "IRREVERSIBLE", "compensation": {"handler": "x"}}
    saga.add("STEP_COMMITTED", **named)
    saga.add("ROLLBACK_END", clean=True, compensated=0, failed=0, orphaned=1, unresolved=0, halted=False)
    saga.add("SAGA_ABORTED", clean=False)
    return chain([*log, *saga.records])


def _failed_undo(log: list[Record]) -> list[Record]:
    saga = order(31)
    step, tool, _ = saga.steps[1]
    saga.add("SAGA_ABORT_CAUSE", cause_type="ValueError", cause="late")
    saga.add("ROLLBACK_START", steps=2)
    saga.add("COMPENSATION_FAILED", step_id=step, tool=tool, error="RuntimeError('no')", attempts=3, idempotency_key="")
    saga.add("SAGA_ABORTED", clean=False)
    return chain([*log, *saga.records])


def _downgraded(log: list[Record]) -> list[Record]:
    intent, commit = log[3] | {"semantics": "REVERSIBLE"}, log[4] | {"semantics": "REVERSIBLE", "compensation": None}
    return chain([*log[:3], intent, commit, *log[5:]])


def _fell_back(log: list[Record]) -> list[Record]:
    fallback = log[2] | {"event": "COMPLETED_VIA_FALLBACK", "compensation": None}
    return chain([*log[:2], fallback, *log[3:]])


def _drifted(log: list[Record]) -> list[Record]:
    named = {"saga_id": log[0]["saga_id"], "step_id": log[1]["step_id"], "tool": "inventory.reserve", "detail": "gone"}
    return chain([*log, {"seq": 0, "event": "RECONCILE_DRIFT", "ts": START + 9e3} | named])


def _duplicate_name(log: list[Record]) -> bytes:
    return lines(log).replace(b'"amount": 4200', b'"amount": 1, "amount": 4200', 1)


def _merge(**change: Any) -> Callable[[Record], Record]:
    return lambda record: record | change


def _without(*names: str) -> Callable[[Record], Record]:
    return lambda record: {name: value for name, value in record.items() if name not in names}


def _as_intent(semantics: str) -> list[Record]:
    saga = Saga("dangling", 32)
    saga.intent("bank.wire", {"amount": 5}, semantics)
    return saga.records


GOOD: dict[str, Callable[[], list[Record]]] = {
    "happy": lambda: chain(happy()),
    "compensated": lambda: chain(compensated()),
    "reversible": lambda: chain(reversible()),
    "preview": lambda: chain(preview()),
    "tentative_committed": lambda: chain(tentative()),
    "tentative_rolled_back": lambda: chain(tentative(status="ROLLED_BACK")),
    "continued_as_new": lambda: chain(continued()),
    "interleaved": lambda: chain(interleaved()),
    "restarted": lambda: chain([*chain(happy(1)), *chain(happy(9))], renumber=False),
    "several": base,
    "time_backwards": lambda: chain([record | {"ts": START - at} for at, record in enumerate(happy())]),
}

ATTACKS: dict[str, tuple[Attack, str, tuple[str, ...]]] = {
    "edit_amount": (_edit("STEP_INTENT", _merge(kwargs={"amount": 42}), restamp=False), "refused", ("AS104",)),
    "edit_header": (_edit("STEP_INTENT", _merge(ts=START), restamp=False), "refused", ("AS104",)),
    "edit_amount_restamped": (_edit("STEP_INTENT", _merge(kwargs={"amount": 42})), "undetectable", ()),
    "comp_wrong_resource": (
        _edit("STEP_COMMITTED", lambda r: r | {"compensation": r["compensation"] | {"kwargs": {"charge": "x"}}}, 1),
        "undetectable",
        (),
    ),
    "strip_hashes": (lambda log: [_without(*CHAIN)(record) for record in log], "refused", ("AS114",)),
    "strip_one": (_edit("STEP_INTENT", _without("_cd", "_s"), restamp=False), "refused", ("AS104",)),
    "insert_unchained": (
        _insert(2, [{"seq": 2, "event": "SAGA_LEASE", "ts": START, "saga_id": "x", "pid": 1}], False),
        "refused",
        ("AS105", "AS114"),
    ),
    "delete_mid_saga": (_drop(6, 20), "refused", ("AS104",)),
    "delete_first_saga": (_drop(0, 6), "refused", ("AS104",)),
    "swap_records": (lambda log: [log[0], log[2], log[1], *log[3:]], "refused", ("AS104",)),
    "dup_saga": (lambda log: [*log, *log[:6]], "refused", ("AS104",)),
    "dup_saga_restamped": (lambda log: chain([*log, *log[:6]]), "refused", ("AS107", "AS106")),
    "new_chain": (lambda log: [*log, *chain(happy(20))], "refused", ("AS104",)),
    "seq_gap_restamped": (
        lambda log: chain([r | {"seq": r["seq"] + (r["seq"] > 9)} for r in log], renumber=False),
        "refused",
        ("AS105",),
    ),
    "reverse_restamped": (lambda log: chain(log[5::-1]), "refused", ("AS106",)),
    "truncated_tail": (lambda log: log[:-1], "refused", ("AS503",)),
    "half_line": (lambda log: lines(log)[:-30], "refused", ("AS109",)),
    "no_final_lf": (lambda log: lines(log)[:-1], "refused", ("AS109",)),
    "garbage_line": (lambda log: lines(log[:3]) + b"not json\n" + lines(log[3:]), "refused", ("AS101",)),
    "not_dict": (lambda log: lines(log) + b"[1, 2, 3]\n", "refused", ("AS101",)),
    "dup_json_key": (_duplicate_name, "refused", ("AS101",)),
    "bom": (lambda log: b"\xef\xbb\xbf" + lines(log), "refused", ("AS101",)),
    "crlf": (lambda log: lines(log).replace(b"\n", b"\r\n"), "refused", ("AS101",)),
    "nan": (lambda log: lines(log).replace(b"4200", b"NaN", 1), "refused", ("AS101",)),
    "null_saga_id": (_edit("STEP_INTENT", _merge(saga_id=None)), "refused", ("AS102",)),
    "list_event": (_edit("STEP_INTENT", _merge(event=["STEP_INTENT"])), "refused", ("AS102",)),
    "unknown_event_names": (_edit("STEP_COMMITTED", _merge(event="step_committed")), "refused", ("AS103",)),
    "empty": (lambda log: b"", "nothing", ()),
    "redacted_intent": (
        _edit("STEP_INTENT", redacted, restamp=False),
        "inconclusive",
        ("AS602",),
    ),
    "redacted_saga": (lambda log: [redacted(r) if i < 6 else r for i, r in enumerate(log)], "inconclusive", ("AS602",)),
    "redacted_undo": (_edit("COMPENSATED", redacted, 1, restamp=False), "inconclusive", ("AS602",)),
    "redacted_end": (lambda log: [*log[:-1], redacted(log[-1])], "inconclusive", ("AS602",)),
    "redact_everything": (lambda log: [redacted(record) for record in log], "inconclusive", ("AS602",)),
    "redacted_forged_head": (
        _edit("STEP_INTENT", lambda r: redacted(r) | {"_cd": "11" * 32}, restamp=False),
        "refused",
        ("AS104",),
    ),
    "redacted_but_full": (
        _edit("STEP_INTENT", lambda r: _without("_s")(r) | {"_redacted": "x"}, restamp=False),
        "refused",
        ("AS104",),
    ),
    "compacted": (lambda log: _gap(log, _digest_of(log[6:20])), "inconclusive", ("AS602",)),
    "forged_gap": (lambda log: _gap(log, GENESIS), "inconclusive", ("AS602",)),
    "gap_too_small": (
        lambda log: _gap(log, GENESIS, [[7, 9]], 3),
        "refused",
        ("AS104",),
    ),
    "comp_out_of_order": (_rolled_fifo, "refused", ("AS210",)),
    "comp_missing_but_clean": (_drop(6 + 10, 6 + 11, True), "refused", ("AS201",)),
    "false_counts": (_edit("ROLLBACK_END", _merge(compensated=2)), "refused", ("AS502",)),
    "false_clean": (_edit("ROLLBACK_END", _merge(failed=1)), "refused", ("AS502",)),
    "unclean_complete": (_edit("SAGA_COMPLETE", _merge(clean=False)), "refused", ("AS502",)),
    "aborted_no_rollback": (_drop(6 + 7, 6 + 13, True), "refused", ("AS201",)),
    "comp_unknown_step": (_edit("COMPENSATED", _merge(step_id="never")), "refused", ("AS211",)),
    "failed_no_end": (lambda log: chain(_failed_undo(log)[:-1]), "refused", ("AS503",)),
    "failed_no_rollback_end": (_failed_undo, "refused", ("AS207",)),
    "commit_without_intent": (_drop(1, 2, True), "refused", ("AS203",)),
    "commit_twice": (_double("STEP_COMMITTED"), "refused", ("AS205",)),
    "intent_crash": (lambda log: chain([*log, *_as_intent("IRREVERSIBLE")]), "refused", ("AS503",)),
    "downgrade_semantics": (
        _downgraded,
        "refused",
        ("AS206",),
    ),
    "bogus_comp": (_edit("STEP_COMMITTED", _merge(compensation={"x": 1})), "refused", ("AS206",)),
    "double_refund": (_double("COMPENSATED"), "refused", ("AS213",)),
    "fallback": (_fell_back, "refused", ("AS202",)),
    "orphan_overwritten": (_orphan_hidden, "refused", ("AS219", "AS502")),
    "unapproved_wire": (lambda log: chain([*log, *wire()]), "refused", ("AS301",)),
    "approved_wire": (lambda log: chain([*log, *wire(decision="GRANTED")]), "refused", ("AS312",)),
    "approved_other_amount": (lambda log: chain([*log, *wire(decision="GRANTED", amount=1)]), "refused", ("AS303",)),
    "denied_but_ran": (lambda log: chain([*log, *wire(decision="DENIED")]), "refused", ("AS506",)),
    "expired_but_ran": (lambda log: chain([*log, *wire(decision="EXPIRED")]), "refused", ("AS506",)),
    "drift": (_drifted, "refused", ("AS201",)),
}
"""Each attack on `base()`: what it does, the verdict it must get, and codes of which at least one must be found."""


def fixtures() -> Iterator[tuple[str, bytes, str, tuple[str, ...]]]:
    """Every fixture: its name, its bytes, the verdict wanted, the codes of which one must be found."""
    for name, build in GOOD.items():
        yield f"good_{name}.wal", lines(build()), "certified", ()
    for name, (attack, want, codes) in ATTACKS.items():
        made = attack(base())
        yield f"bad_{name}.wal", made if isinstance(made, bytes) else lines(made), want, codes


def write_log(path: Path, records: int, seed: int = 1) -> None:
    """Stream a valid log of so many records to a file; whole sagas, then records that belong to none."""
    rng, head, number = random.Random(seed), GENESIS, 0
    with path.open("wb", buffering=1 << 20) as out:
        for record in _many(records, seed):
            number += 1
            stamped = stamp(record | {"seq": number}, head, rng.randbytes(16).hex())
            head = stamped["_h"]
            out.write(json.dumps(stamped).encode() + b"\n")


def _many(records: int, seed: int) -> Iterator[Record]:
    left, number = records, seed
    while left >= 14:
        for record in happy(number) if number % 3 or left < 14 else compensated(number):
            yield record
            left -= 1
        number += 1
    for _ in range(left):
        yield {"seq": 0, "event": "CIRCUIT_CLOSED", "ts": START, "key": "payments.charge"}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    manifest = []
    for name, content, want, codes in fixtures():
        (FOLDER / name).write_bytes(content)
        manifest.append({"file": name, "want": want, "want_codes": list(codes)})
    rows = ",\n  ".join(json.dumps(entry) for entry in manifest)
    (FOLDER / "MANIFEST.json").write_text(f'{{"root_of_several": "{root(base())}", "files": [\n  {rows}\n]}}\n')


if __name__ == "__main__":
    main()
