"""The page of a policy: sentences, thresholds, tools, approvals, examples, waivers, tests, changes, signatures.

Everything on it is made of the policy, its waivers and the version before it; nothing is written by hand, and two runs
give the same page.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from agent_saga.policies.cases import Report, run_cases
from agent_saga.policies.cel import specialise
from agent_saga.policies.cel.syntax import Literal
from agent_saga.policies.diffing.result import Comparison
from agent_saga.policies.model import Approve, Limit, Policy, Rule, Waivers
from agent_saga.policies.rendering.blocks import Block, Card, Page, Paragraph, Section, Table, Tone
from agent_saga.policies.rendering.boundaries import Edges
from agent_saga.policies.rendering.changes import change_section
from agent_saga.policies.rendering.prose import Code, Prose, codes, counted
from agent_saga.policies.rendering.samples import limit_samples, rule_samples
from agent_saga.policies.rendering.sentences import approval, lifted, limit_sentence, rule_sentence
from agent_saga.policies.rendering.tables import approvals_table, tools_table
from agent_saga.policies.rendering.thresholds import thresholds
from agent_saga.policies.rendering.waivers import waivers_section


@dataclass(frozen=True, slots=True)
class Sources:
    """What a page is made of. waivers: None where no file was given. day: for which it says whether they are in force
    (UTC, YYYY-MM-DD; "" for none). changes: against the version before; None where none was given.
    """

    policy: Policy
    waivers: Waivers | None = None
    day: str = ""
    changes: Comparison | None = None


def page_of(sources: Sources) -> Page:
    """The page of a policy."""
    policy, report = sources.policy, run_cases(sources.policy)
    edges = Edges(policy)
    facts: list[tuple[str, Prose]] = [
        ("Version", (str(policy.version),)),
        ("Owner", (policy.owner,)),
        ("Digest", (Code(policy.digest),)),
        ("Tests", _tests(policy, report)),
    ]
    if sources.changes is not None:
        old = sources.changes.before
        facts.insert(1, ("Replaces", (f"version {old.version}, digest ", Code(old.digest))))
    if policy.agents:
        facts.append(("Agents", ("only ", *codes(policy.agents, "and"), " may call at all")))
    sections = [
        _summary(policy, report),
        *([change_section(sources.changes)] if sources.changes is not None else []),
        _rules(policy, edges),
        _limits(policy, edges),
        Section("thresholds", "Thresholds", tuple(_thresholds(policy))),
        Section("tools", "Tools", tuple(tools_table(policy))),
        Section("approvals", "Who approves what", tuple(approvals_table(policy))),
        waivers_section(policy, sources.waivers, sources.day),
    ]
    lead: Prose = (policy.description,) if policy.description else ()
    return Page(f"Policy {policy.policy}", lead, tuple(facts), tuple(s for s in sections if s.blocks))


def _tests(policy: Policy, report: Report) -> Prose:
    if not policy.tests:
        return ("the policy holds no test",)
    failed = len(report.failed)
    word = "all pass" if not failed else f"{failed} FAIL"
    return (f"{counted(len(policy.tests), 'test', 'tests')}: {word}; coverage {report.coverage.percent}%",)


def _failing(report: Report) -> Iterator[Block]:
    """The policy's own tests that fail: who reads the page must see it first."""
    if report.failed:
        words: Prose = ("The policy does not do what its own tests expect. Do not sign it as it stands.",)
        lines = tuple((f"{one.case.name}: {'; '.join(one.faults)}",) for one in report.failed)
        yield Card("tests", "fails", "deny", words, lines)


def _summary(policy: Policy, report: Report) -> Section:
    tools = len(policy.tools)
    first: Prose = (
        f"Only the {counted(tools, 'tool', 'tools')} below may be called; any other call is denied. "
        "Limits are asked before rules, and the strictest answer wins: a denial over an approval, an approval over "
        "none. Where several approvals are asked for, one request must satisfy all of them. "
        "What cannot be decided, because a value is missing, is denied.",
    )
    default = approval(policy.irreversible)
    second: Prose = ("Where no rule asks for more, a call that cannot be undone needs ", *default, ".")
    return Section("summary", "How to read this page", (*_failing(report), Paragraph(first), Paragraph(second)))


def _about(policy: Policy, part: Rule | Limit) -> list[str]:
    """The tools that a part can be about."""
    tree = part.when.tree if isinstance(part, Rule) else part.of.tree
    return [name for name in policy.tools if specialise(tree, {"tool": name}) != Literal(False)]


def _rules(policy: Policy, edges: Edges) -> Section:
    if not policy.rules:
        return Section("rules", "Rules", (Paragraph(("There is no rule.",)),))
    cards = [
        Card(
            rule.id,
            *_label(rule),
            rule_sentence(policy, rule),
            tuple(_lines(rule, rule.when.text)),
            rule_samples(edges, rule, _about(policy, rule)),
        )
        for rule in policy.rules
    ]
    return Section("rules", "Rules", tuple(cards))


def _limits(policy: Policy, edges: Edges) -> Section:
    if not policy.limits:
        return Section("limits", "Limits", ())
    cards: list[Block] = [
        Card(
            limit.id,
            *_label(limit),
            limit_sentence(policy, limit),
            tuple(_lines(limit, limit.of.text)),
            limit_samples(edges, limit, _about(policy, limit)),
        )
        for limit in policy.limits
    ]
    note = "A window slides with every call. What was undone still counts: a limit is about what was authorised."
    return Section("limits", "Limits", (Paragraph((note,), quiet=True), *cards))


def _label(part: Rule | Limit) -> tuple[str, Tone]:
    """What a part does, in a word, and its tone."""
    if part.enforcement == "advisory":
        return "advisory", "note"
    if part.enforcement == "evaluate":
        return "on trial", "note"
    if isinstance(part.then, Approve):
        return "approval", "approve"
    return ("denies", "deny") if part.then == "deny" else ("notes", "note")


def _lines(part: Rule | Limit, condition: str) -> Iterator[Prose]:
    if part.why:
        yield ("Why: ", part.why)
    yield (lifted(part.enforcement),)
    yield ("Condition: ", Code(" ".join(condition.split())))


def _thresholds(policy: Policy) -> Iterator[Block]:
    rows = tuple(thresholds(policy))
    if rows:
        yield Table(("Rule or limit", "Value", "Bound", "Threshold"), rows)
