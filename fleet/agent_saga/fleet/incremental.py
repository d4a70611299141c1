"""Certifying a log from where it was last certified: the cost is that of what came since.

The report says the same as one over the whole log: its verdict, its findings, its counts. Only the digest of the whole
input's bytes stays empty, since those before are not read; which lines they were, the checkpoint says.

Source: docs/guide/nightly.md.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from agent_saga.certify.certificate.resuming import resumed
from agent_saga.certify.findings import Finding
from agent_saga.certify.judging.bench import Bench
from agent_saga.certify.judging.book import rule_book
from agent_saga.certify.judging.covering import SUBJECT, Seen, read_wanted
from agent_saga.certify.judging.crossing import Crossing
from agent_saga.certify.judging.engine import Judge
from agent_saga.certify.judging.inputs import Part, own_disclosures
from agent_saga.certify.judging.outcomes import Outcome, conclude
from agent_saga.certify.policing.gathered import AT_THE_END
from agent_saga.certify.policing.telling import opened_by
from agent_saga.certify.preparing import Options, Prepared, prepared
from agent_saga.certify.report import Report
from agent_saga.certify.rules import rule_set_digest
from agent_saga.certify.run import reported
from agent_saga.certify.version import tool_version
from agent_saga.fleet.errors import StateFault
from agent_saga.fleet.memory import Memory, Unended
from agent_saga.fleet.merging import BY_POLICY, count_on, merged, of_the_ended
from agent_saga.fleet.resuming import Resumed, behind, counts_of, hash_anew, judge_since, stands
from agent_saga.fleet.state import AGAIN, State
from agent_saga.proofs.hashing import Frontier
from agent_saga.proofs.log.lines import open_lines
from agent_saga.trace.conceal import Disclosures, digest_of
from agent_saga.trace.limits import LOG_SAGA

__all__ = ["certify_since"]

_NEEDED: Final = "--state goes with --checkpoint and --pin: a signed checkpoint says which lines the state is about"


def certify_since(path: str, options: Options, file: Path, now: str) -> Report:
    """Judge what came since the state in ``file``, or everything where there is none, and leave a new state there.

    path: of one store or plain trace. now: RFC 3339 in UTC. Lines behind the newest checkpoint wait for the next one.
    The new state is left only where the lines stand under that checkpoint. Raises StateFault, LogFault, SourceError,
    and what :func:`agent_saga.certify.run.certify` raises.
    """
    ready = prepared(options)
    memory = Memory(file)
    try:
        return _Run(path, ready, memory, now).report()
    finally:
        memory.close()


class _Run:
    """One certification: the state before, what came since, the state after."""

    def __init__(self, path: str, ready: Prepared, memory: Memory, now: str) -> None:
        self.ready, self.memory, self.now = ready, memory, now
        self.task = ready.task(path, path)
        read = read_wanted(self.task.wanted)
        if not read.checkpoints:
            raise StateFault(f"{_NEEDED}; {read.faults[0].message}" if read.faults else _NEEDED)
        self.newest = read.checkpoints[-1][0]
        self.due = frozenset(point.size for point, _ in read.checkpoints)
        self.judged_by = judged_by(ready)
        self.before = memory.state() or State(
            self.newest.origin, 0, Frontier().root().hex(), [], "", self.judged_by, ""
        )
        self._check()

    def _check(self) -> None:
        """The state before must be of this log, by these rules, and no further than the checkpoints."""
        before = self.before
        if before.origin != self.newest.origin:
            raise StateFault(f"the state is of the log {before.origin}, the checkpoint of {self.newest.origin}")
        if before.judged_by != self.judged_by:
            raise StateFault(f"the state was left by another release, registry, policy or waivers; {AGAIN}")
        if before.size > min(self.due):
            raise StateFault(f"the state covers {before.size} lines, a checkpoint only {min(self.due)}: leave it out")

    def report(self) -> Report:
        """Judge, report, and leave the new state."""
        task = self.task
        bench = Bench(
            task.name, Disclosures(task.disclosures), open_is_inconclusive=task.open_is_inconclusive, lost_by={}
        )
        closed = own_disclosures(task, bench.disclosures)
        judge = Judge(bench, rule_book({}), foreign=False, trust=task.trust, policy=task.policy)
        judge.cover(self.newest.size, self.newest.origin)
        lines = open_lines(task.path)
        try:
            same = stands(lines, self.before)
            done = (
                judge_since(judge, lines, self.memory, self.before, self.due)
                if same
                else hash_anew(judge, lines, self.due)
            )
            whole = behind(done, lines)
        finally:
            lines.close()
        outcome = self._outcome(done, closed, whole)
        report = reported([outcome], self.ready)
        pinned = outcome.report.checkpoint
        if pinned is not None and pinned.agrees and done.size == self.newest.size:
            if not same:
                raise StateFault(f"the state is not of the log that this checkpoint covers; {AGAIN}")
            self._keep(done, outcome)
        return report

    def _outcome(self, done: Resumed, closed: tuple[str, ...], whole: Frontier) -> Outcome:
        """What was found now, and what was found before and stays true. whole: the tree over all lines."""
        before, judge, name = self.before, done.judge, self.task.name
        seen = Seen(whole.size, {before.size: bytes.fromhex(before.root)} | done.roots, whole.root())
        met, people = judge.met | set(before.met), judge.authority.assumptions()
        count_on(judge.bench.crossing, before, done.counted)
        size = before.bytes + done.size_in_bytes
        found = conclude(self.task, [Part(judge.bench, met, done.size, size, done.digest, None, seen, closed, people)])
        count = before.sagas + found.saga_count
        sentences = (*found.report.assumptions, *self._told(done))
        told = replace(found.report, sagas=count, since=before.size, assumptions=sentences)
        if found.nothing and before.sagas:
            told = replace(told, error="")
        return replace(
            found,
            report=told,
            findings=merged((replace(one, source=name) for one in before.findings), found.findings),
            sagas=[*(replace(one, source=name) for one in before.reports), *found.sagas],
            saga_count=count,
            digests=found.digests | self.memory.known(digest_of(text) for _, text in self.task.disclosures),
            met=met,
            nothing=found.nothing and not before.sagas,
            exceptions=judge.bench.crossing.uses.exceptions,
            waivers_met=opened_by(judge.bench.crossing.policing),
        )

    def _told(self, done: Resumed) -> tuple[str, ...]:
        before = self.before
        if not before.size:
            return ()
        return (resumed(before.size, before.now, done.again),)

    def _keep(self, done: Resumed, outcome: Outcome) -> None:
        """Leave the new state: what concerns a saga that has not ended is found again."""
        unended, before, crossing = done.unended, self.before, done.judge.bench.crossing
        further = of_the_ended(outcome.findings, done.judge.bench.lost_by or {}, unended)
        open_sagas = len(unended) - (LOG_SAGA in unended)
        state = State(
            origin=before.origin,
            size=done.size,
            root=done.edge.root().hex(),
            edge=[one.hex() for one in done.edge.subtrees],
            last=done.last,
            judged_by=self.judged_by,
            now=self.now,
            bytes=before.bytes + done.size_in_bytes,
            sagas=outcome.saga_count - open_sagas,
            counts=counts_of(crossing),
            findings=[one for one in self._lasting(further, crossing, unended) if self._stays(one, unended)],
            reports=[one for one in outcome.sagas if one.saga not in unended],
            met=sorted(outcome.met),
            named=sorted(crossing.policing.named),
            lapsed=sorted(crossing.policing.lapsed),
        )
        self.memory.learn(state, crossing, unended, done.ended, before.size)

    def _lasting(self, findings: Iterable[Finding], crossing: Crossing, unended: Unended) -> Iterable[Finding]:
        """Leave out what rests on an effect that is gone as yet, in a saga that has not ended: it may land later.

        Such an effect is judged again, and brings back what relies on it.
        """
        known = {(one.code, one.saga, one.subject) for one in self.before.findings}
        gone = [(("AS216", by, f"effect {effect}"), of) for by, effect, _, *of in crossing.reads]
        gone += [(("AS217", one.saga, "saga"), [one.parent, one.effect]) for one in crossing.children]
        gone = [(about, of) for about, of in gone if tuple(of) in crossing.gone]
        settled = {about for about, of in gone if of[0] not in unended}
        open_ = {about for about, of in gone} - settled - known
        return (one for one in findings if (one.code, one.saga, one.subject) not in open_)

    def _stays(self, found: Finding, unended: Unended) -> bool:
        """Whether a finding is to be said again: it is about lines that are not judged again, and no wish of a run."""
        return found.subject not in (SUBJECT, AT_THE_END) and (found.saga not in unended or self._once(found))

    def _once(self, found: Finding) -> bool:
        """Whether it was found where all calls were seen: what is judged again does not give it again.

        So is that a waiver of a limit did not cover a call.
        """
        return found.code in BY_POLICY or (found.code == "AS406" and found.subject in self._waivers_of_limits)

    @cached_property
    def _waivers_of_limits(self) -> frozenset[str]:
        trust = self.ready.policy
        if trust.policy is None or trust.waivers is None:
            return frozenset()
        limits = {one.id for each in trust.all if each.policy for one in each.policy.limits}
        return frozenset(f"waiver {one.id}" for one in trust.waivers.waivers if one.rule in limits)


def judged_by(ready: Prepared) -> str:
    """Digest of all that decides what is found in a line. What findings then weigh may change from night to night."""
    trust, policy = ready.trust, ready.policy
    people = [trust.digest, sha256(trust.registry).hexdigest(), trust.first_use]
    waivers, policies = policy.waivers.digest if policy.waivers else "", [one.digest for one in policy.all]
    about = [tool_version(), rule_set_digest(), ready.options.choices.open, people, policies, waivers]
    return sha256(msgspec.json.encode(about, order="sorted")).hexdigest()
