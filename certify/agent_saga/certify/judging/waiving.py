"""The waivers of a run, held against all inputs together: those that are none, and those that nothing needed.

A waiver may serve any of the inputs, so only the whole run can say that one served nobody.

Source: docs/rules.md, "Policies", AS406 and AS407; docs/spec/policy-v1.md, "Waivers".
"""

import re
from typing import Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.judging.drafted import finding_of
from agent_saga.certify.policing.trust import PolicyTrust
from agent_saga.certify.rule import Draft, at

_PLACE: Final = re.compile(r".*?:(\d+):\d+: ")
_NAME: Final = re.compile(r"waiver ['\"]?([A-Za-z0-9._-]+)['\"]?(?: lifts|:)")


def judge_waivers(trust: PolicyTrust, met: frozenset[str]) -> list[Finding]:
    """What is wrong with the waivers themselves. met: those that let a call pass, or would have on another day."""
    if trust.waivers is None or trust.policy is None:
        return []
    from agent_saga.policies.compiled import compile_policy

    source = trust.waivers.source
    found = [_problem(source, why) for why in dict.fromkeys(compile_policy(trust.policy, trust.waivers).problems)]
    told = {one.subject for one in found}
    for one in trust.waivers.waivers:
        if one.id not in met and f"waiver {one.id}" not in told:
            why = f"waiver {one.id} of {one.rule} let no call pass"
            found.append(_finding("AS407", source, f"waiver {one.id}", why, one.place.line))
    return found


def _problem(source: str, sentence: str) -> Finding:
    """What is wrong with one waiver, as its reader tells it: with its place in front and its name behind."""
    place, name = _PLACE.match(sentence), _NAME.search(sentence)
    subject = f"waiver {name[1]}" if name else "waivers"
    line, why = (int(place[1]), sentence[place.end() :]) if place else (0, sentence)
    return _finding("AS406", source, subject, why, line)


def _finding(code: str, source: str, subject: str, why: str, line: int) -> Finding:
    expected = "a waiver signed by its approver, of a rule that may be waived" if code == "AS406" else "no such waiver"
    witness = (at(line, "waiver"),) if line else ()
    return finding_of(code, source, "", Draft(subject, why, expected, witness))
