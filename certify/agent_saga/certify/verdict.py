"""From findings to a verdict. Precedence: usage 2, not certified 1, inconclusive 3, nothing 4, certified 0.

An empty or unreadable input among others counts as not certified; one error never hides another.

Source: docs/rules.md, "Verdicts and exit codes".
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agent_saga.certify.findings import Finding, Severity
from agent_saga.certify.judging.outcomes import Outcome
from agent_saga.certify.report import Choices, Exit, SagaReport, Verdict


def weighs(finding: Finding, choices: Choices) -> bool:
    """Tell whether a finding alone makes the verdict ``not certified``."""
    if finding.inconclusive:
        return choices.inconclusive == "fail"
    return finding.severity.rank >= Severity(choices.fail_on).rank


def leaves_open(finding: Finding, choices: Choices) -> bool:
    """Tell whether a finding makes the verdict ``inconclusive``."""
    return finding.inconclusive and choices.inconclusive == "strict"


def decide(outcomes: Sequence[Outcome], findings: Sequence[Finding], choices: Choices) -> tuple[Verdict, Exit]:
    """The verdict over all inputs. findings: those that are not suppressed."""
    judged = [one for one in outcomes if not (one.nothing or one.unusable)]
    if not judged:
        return Verdict.NOTHING, Exit.USAGE if any(one.unusable for one in outcomes) else Exit.NOTHING
    if len(judged) < len(outcomes) or any(weighs(finding, choices) for finding in findings):
        return Verdict.NOT_CERTIFIED, Exit.NOT_CERTIFIED
    if any(leaves_open(finding, choices) for finding in findings):
        return Verdict.INCONCLUSIVE, Exit.INCONCLUSIVE
    if not sum(one.saga_count for one in judged):
        return Verdict.NOTHING, Exit.NOTHING
    return Verdict.CERTIFIED, Exit.CERTIFIED


def judge_sagas(sagas: Iterable[SagaReport], findings: Iterable[Finding], choices: Choices) -> list[SagaReport]:
    """Give each saga its own verdict, by the findings that name it and those of its whole input."""
    worst: dict[tuple[str, str], Verdict] = {}
    for finding in findings:
        key = (finding.source, finding.saga)
        if weighs(finding, choices):
            worst[key] = Verdict.NOT_CERTIFIED
        elif leaves_open(finding, choices):
            worst.setdefault(key, Verdict.INCONCLUSIVE)
    return [replace(saga, verdict=worst.get((saga.source, saga.saga), saga.verdict)) for saga in sagas]
