"""The disclosures of a run: read from their files once, and held against all inputs together.

A disclosure may open a value in any of the inputs, so only the whole run can say that one opens nothing.

Source: docs/rules.md, AS601 and AS603; docs/spec/trace-v1.md, "Concealed values".
"""

from collections.abc import Iterable, Iterator, Sequence

from agent_saga.certify.findings import Finding
from agent_saga.certify.judging.drafted import finding_of
from agent_saga.certify.rule import Draft, at
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.errors import SourceError

Placed = tuple[str, str]
"""A place (``file:line``) and the disclosure that stands there."""


def read_disclosures(files: Sequence[str]) -> Iterator[Placed]:
    """Every disclosure of the files, one a line. Raises SourceError when a file cannot be read."""
    for name in files:
        try:
            with open(name, encoding="ascii") as stream:
                for number, line in enumerate(stream, 1):
                    if line.strip():
                        yield f"{name}:{number}", line.strip()
        except (OSError, UnicodeDecodeError) as fault:
            why = getattr(fault, "strerror", None) or "not ASCII text, one disclosure a line"
            raise SourceError(f"{name}: disclosures cannot be read: {why}") from fault


def judge_disclosures(placed: Iterable[Placed], opened: frozenset[str]) -> list[Finding]:
    """What is wrong with the disclosures themselves. opened: digests of concealed values that the inputs hold."""
    disclosures = Disclosures(placed)
    found = [_finding("AS601", place, "disclosure", f"cannot be read: {fault}") for place, fault in disclosures.faults]
    for digest, place in disclosures.places.items():
        if digest not in opened:
            why = f"opens nothing: no concealed value of any input has its digest {digest[:12]}..."
            found.append(_finding("AS601", place, f"disclosure {digest}", why))
    for place, salt in disclosures.reused:
        found.append(_finding("AS603", place, f"salt {salt}", "has a salt that another disclosure has too"))
    return found


def _finding(code: str, place: str, subject: str, why: str) -> Finding:
    source, _, line = place.rpartition(":")
    because, expected = f"the disclosure at {place} {why}", "a disclosure as it was kept with this trace"
    return finding_of(code, source, "", Draft(subject, because, expected, (at(int(line), "disclosure"),)))
