"""One saga in two inputs: the same history, or two of which somebody can show the one that suits.

Sagas that ended are compared, by their last lines: nothing may follow there, and the hash names all lines before it.
One that has not ended may be an older copy, and is never certified. It is the same saga if its first line is the same;
or if a log of the same name has the same id, where that is long enough to be random: short ones recur in every test.

Source: docs/rules.md, "More than one saga"; docs/spec/trace-v1.md, "Members of every line".
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.judging.bench import FURTHER, MAX_KINDS, End
from agent_saga.certify.judging.drafted import finding_of
from agent_saga.certify.judging.outcomes import Outcome
from agent_saga.certify.rule import Draft, at

RANDOM: Final = 22
"""Characters of an id of 128 random bits in base64url."""
_Name = str | tuple[str, str]
"""The hash of a first line, or a log and an id: what a saga is known by."""


def judge_histories(outcomes: Iterable[Outcome]) -> list[Finding]:
    """AS113 for each saga of which an input has another history than one before it; the first of them, and a count."""
    found = _forks(outcomes)
    kept, further = list(islice(found, MAX_KINDS)), next(found, None)
    if further is not None:
        kept.append(replace(further, saga="", subject=FURTHER, count=1 + sum(1 for _ in found)))
    return kept


def _forks(outcomes: Iterable[Outcome]) -> Iterator[Finding]:
    first: dict[_Name, tuple[str, End]] = {}
    for outcome in outcomes:
        source = outcome.report.path
        for saga, end in outcome.ends.items():
            names: list[_Name] = [end.start, *([(end.log, saga)] if len(saga) >= RANDOM else [])]
            others = [first.setdefault(name, (source, end)) for name in names]
            other = next((one for one in others if one[1].head != end.head), None)
            if other is not None:
                yield _finding(source, saga, end, *other)


def _finding(source: str, saga: str, end: End, elsewhere: str, other: End) -> Finding:
    because = (
        f"saga {saga} ends at line {end.line} with the hash {end.head[:16]}..., and in {elsewhere} at line "
        f"{other.line} with {other.head[:16]}...: two histories of one saga"
    )
    witness = (at(end.line, "the saga's last line"),)
    return finding_of("AS113", source, saga, Draft("saga", because, "one history of the saga in all inputs", witness))
