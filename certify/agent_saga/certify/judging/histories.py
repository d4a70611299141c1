"""One saga in two inputs: the same history, or two of which somebody can show the one that suits.

Sagas that ended are compared, by their last lines: nothing may follow there, and its hash names all lines before it. One
that has not ended may be an older copy, and is never certified.

Source: docs/rules.md, "More than one saga".
"""

from collections.abc import Iterable, Iterator

from agent_saga.certify.findings import Finding, Witness
from agent_saga.certify.judging.outcomes import Outcome
from agent_saga.certify.rules import all_rules


def judge_histories(outcomes: Iterable[Outcome]) -> Iterator[Finding]:
    """AS113 in each input that has another history of a saga than an input before it."""
    first: dict[str, tuple[str, int, str]] = {}
    for outcome in outcomes:
        source = outcome.report.path
        for saga, (line, head) in outcome.ends.items():
            other, ended, known = first.setdefault(saga, (source, line, head))
            if known != head:
                because = (
                    f"saga {saga} ends at line {line} with the hash {head[:16]}..., and in {other} at line {ended} with "
                    f"{known[:16]}...: two histories of one saga"
                )
                yield _finding(source, saga, because, line)


def _finding(source: str, saga: str, because: str, line: int) -> Finding:
    rule = all_rules()["AS113"]
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        source=source,
        saga=saga,
        subject="saga",
        because=because,
        expected="one history of the saga in all inputs",
        fix=rule.fix,
        witness=(Witness(line, "the saga's last line"),),
    )
