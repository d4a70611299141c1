"""Judging a bundle: it is verified under the pin first, and only what it proved is judged.

A whole saga gets a full verdict. Of a part, the lines from its beginning on are judged as far as they go, and that the
rest is not shown leaves the verdict open. That a saga is absent gives nothing to judge.

Source: docs/spec/bundle-v1.md; docs/rules.md, "Checkpoints".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.judging.bench import Bench
from agent_saga.certify.judging.book import rule_book
from agent_saga.certify.judging.bundled_log import in_force
from agent_saga.certify.judging.covering import Wanted
from agent_saga.certify.judging.disclosing import judge_disclosures
from agent_saga.certify.judging.engine import Judge
from agent_saga.certify.judging.told import Told
from agent_saga.certify.policing.trust import NO_POLICY, PolicyTrust
from agent_saga.certify.report import Pinned
from agent_saga.certify.rule import Draft, at
from agent_saga.certify.source import Fault
from agent_saga.certify.standing.trust import NOBODY, Trust
from agent_saga.proofs.bundles.model import Proven, ProvenLine
from agent_saga.proofs.bundles.reading import MAX_BUNDLE, VERSION, parse_bundle
from agent_saga.proofs.bundles.verifying import Earlier, verify_bundle
from agent_saga.proofs.errors import Refuted
from agent_saga.trace.codec import SALT, decode, leaf_hash
from agent_saga.trace.errors import SourceError
from agent_saga.trace.reader import Opened

FORMAT: Final = f"agent-saga bundle ({VERSION})"
_BY_SIGNATURE: Final = frozenset(
    {"bad-note", "unsigned", "bad-signature", "wrong-key", "bad-checkpoint", "wrong-origin"}
)
_BY_INDEX: Final = frozenset(
    {
        "inconsistent",
        "rolled-back",
        "wrong-sizes",
        "no-index",
        "stale-index",
        "not-in-index",
        "bad-index-entry",
        "wrong-entry",
        "not-whole",
        "not-absent",
    }
)
_BY_DISCLOSURE: Final = frozenset({"bad-disclosure", "unmatched-disclosure"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What a bundle is judged by: checkpoints and pin, key registry, policy; and whether timelines are wanted."""

    wanted: Wanted
    trust: Trust = NOBODY
    timelines: bool = False
    policy: PolicyTrust = NO_POLICY


def judge_bundle(name: str, opened: Opened, asked: Asked, bench: Bench) -> tuple[Told, set[str]]:
    """Verify a bundle and judge what it shows; the set tells what the rules met.

    Raises SourceError when no pin was given, since then nobody can say whether its lines are those of a log.
    """
    wanted = asked.wanted
    if wanted.pins is None:
        opened.close()
        raise SourceError(f"{name}: a bundle is judged under a pin: give --pin FILE")
    data = opened.read(MAX_BUNDLE + 1)
    try:
        proven = _verified(data, wanted)
    except Refuted as fault:
        return Told(FORMAT, ("the bundle was refuted: nothing in it was judged",), faults=[_refuted(fault)]), set()
    bundle = parse_bundle(data)
    placed = [(f"{name}:1", text) for text in bundle.disclosures]
    for place, text in placed:
        bench.disclosures.add(place, text)
    judge = _judge(proven, bench, asked)
    people = judge.authority.assumptions()
    salts = judge_disclosures(placed, frozenset(one.digest for one in proven.opened))
    told = _told(proven, bundle.checkpoint, salts)
    return replace(told, assumptions=(*told.assumptions, *people)), judge.met


def _verified(data: bytes, wanted: Wanted) -> Proven:
    assert wanted.pins is not None
    proven = verify_bundle(data, wanted.pins)
    for note in wanted.notes:
        verify_bundle(data, wanted.pins, Earlier(note, None))
    point = proven.checkpoint
    if wanted.root not in ("", point.root.hex()) or wanted.size not in (0, point.size):
        raise Refuted(
            "inconsistent", f"its log has {point.size} lines and the root {point.root.hex()}: not as expected"
        )
    return proven


def _refuted(fault: Refuted) -> Fault:
    code = "AS110"
    for reasons, other in ((_BY_SIGNATURE, "AS112"), (_BY_INDEX, "AS111"), (_BY_DISCLOSURE, "AS601")):
        code = other if fault.reason in reasons else code
    expected = "a bundle as `agent-saga prove` made it, and the pin of its log"
    return Fault(0, code, f"the bundle proves nothing: {fault} ({fault.reason})", subject="bundle", expected=expected)


def _judge(proven: Proven, bench: Bench, asked: Asked) -> Judge:
    """Hand the lines to the judge as the lines 1, 2, 3 ... of the saga."""
    book, part = rule_book(), proven.claim == "part"
    judge = Judge(
        bench,
        book._replace(at_open=()) if part else book,
        foreign=False,
        timelines=asked.timelines,
        trust=asked.trust,
        policy=asked.policy,
    )
    judge.cover(None, proven.checkpoint.origin)
    bench.crossing.policing.unseen = True
    in_force(judge.authority, proven)
    shown = list(_beginning(proven.lines)) if part else proven.lines
    for one in shown:
        event, traits = decode(one.line)
        judge.see(event, traits, one.seq + 1, leaf_hash(one.line))
    judge.finish()
    for draft in _reused_salts(shown):
        bench.add("AS603", "", draft)
    if part:
        bench.fault(_partly(proven, len(shown)))
    if judge.authority.met and asked.trust and judge.authority.history is None:
        bench.fault(_revocations_unseen(proven))
    return judge


def _reused_salts(lines: Sequence[ProvenLine]) -> Iterator[Draft]:
    first: dict[bytes, int] = {}
    for one in lines:
        salt, place = one.line[SALT], one.seq + 1
        if first.setdefault(salt, place) != place:
            because = f"the salt {salt.decode()} stands on line {first[salt]} and again on line {place}"
            witness = (at(first[salt], "first use"), at(place, "second use"))
            yield Draft(f"salt {salt.decode()}", because, "a fresh random salt on each line", witness)


def _beginning(lines: Sequence[ProvenLine]) -> list[ProvenLine]:
    return [one for _, one in takewhile(lambda pair: pair[0] == pair[1].seq, enumerate(lines))]


def _partly(proven: Proven, judged: int) -> Fault:
    more = len(proven.lines) - judged
    beside = f"; {more} more are shown behind a gap and were not judged" if more else ""
    message = f"a part of the saga {proven.saga} is shown: {judged} lines from its beginning were judged{beside}"
    return Fault(
        0, "AS110", message, proven.saga, subject="saga", expected="a bundle of the whole saga", inconclusive=True
    )


def _revocations_unseen(proven: Proven) -> Fault:
    message = (
        f"only lines of {proven.saga} are shown: whether a key was revoked before it signed is told by the log's own"
    )
    expected = "the log, where its own lines stand"
    return Fault(0, "AS306", message, proven.saga, subject="registry", expected=expected, inconclusive=True)


def _told(proven: Proven, note: str, findings: Sequence[Finding]) -> Told:
    point = proven.checkpoint
    pinned = Pinned(point.origin, point.size, point.root.hex(), note, agrees=True)
    nothing = f"the log has no saga {proven.saga}: nothing to check" if proven.claim == "absent" else ""
    return Told(FORMAT, tuple(_rests(proven)), pinned, (), findings, nothing, len(proven.lines))


def _rests(proven: Proven) -> list[str]:
    log = f"the checkpoint of {proven.checkpoint.origin} at {proven.checkpoint.size} lines"
    told = [f"only the saga {proven.saga} was judged: other sagas of its log are not shown"]
    if proven.claim == "whole":
        by = ", ".join(one.name for one in proven.signed.monitors)
        what = "that the saga is whole, where it begins, and which keys and policy were in force"
        told.append(f"{what}, is claimed by {log}, audited by {by or 'nobody'}")
    if not proven.signed.witnesses:
        told.append(f"no pinned witness signed {log}: a second copy of the log is not excluded")
    return told
