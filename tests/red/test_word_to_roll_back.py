"""A person decides that a halted saga is rolled back: what goes forward after that word was never allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rulelib.lines import chain, written
from rulelib.signed_script import FROM, LOG, TO, SignedScript
from rulelib.signing import REGISTRY_FILE, nonce, proof

from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify

HALTED = """
    begin
    propose s1 payments.charge
    go e1 payments.charge
    ok e1
    halt
"""
ON = "propose s2 payments.charge\ngo e2 payments.charge step=s2\nok e2\n"
BACK = "rollback\nundo u1 e1\nend compensated_verified"


class Halting(SignedScript):
    """A script in which a person decides about a halted saga as a whole."""

    def word(self, verdict: str) -> None:
        """person.decided about the saga itself, by Ana, with her signature."""
        reason, target = {"note": "seen"}, self.name(self.saga)
        value: dict[str, Any] = {"v": 1, "log": LOG, "start": self.leaf("saga.started"), "saga": target}
        value |= {"target": target, "verdict": verdict, "reason": reason, "prev": self.leaf("saga.halted")}
        value |= {"person": "p-ana", "key_id": "ana-1", "nonce": nonce(self.seed, verdict, len(self.lines))}
        made = proof("decision", value | {"issued_at": FROM, "not_after": TO})
        self.put("person.decided", target=target, verdict=verdict, reason=reason, person="p-ana", proof=made)


def judged(script: str, folder: Path) -> Report:
    """The report on a script's trace, under the registry of its persons."""
    path, registry = folder / "trace.jsonl", folder / "registry.json"
    path.write_bytes(written(chain(Halting("halted").run(script))))
    registry.write_bytes(REGISTRY_FILE)
    return certify([str(path)], Options(choices=Choices(registry=str(registry))))


@pytest.mark.parametrize(
    ("rest", "codes"),
    [
        (f"word kept\n{ON}success e1 e2", []),
        (f"word undone\n{BACK}", []),
        (f"word undone\n{ON}success e1 e2", ["AS214", "AS502"]),
        ("word undone\nsuccess e1", ["AS502"]),
        (f"word undone\n{ON}undo u2 e2\nundo u1 e1\nend compensated_verified", ["AS214"]),
        (f"word undone\nword kept\n{ON}success e1 e2", ["AS507"]),
        (f"word undone\nhalt\nword kept\n{ON}success e1 e2", []),
        (f"word kept\nhalt\nword undone\n{BACK}", []),
        (f"word landed\n{ON}success e1 e2", ["AS102"]),
        (f"word absent\n{BACK}", ["AS102"]),
    ],
    ids=[
        "goes on as told",
        "rolls back as told",
        "goes on although told to roll back",
        "is called a success although told to roll back",
        "does more before it rolls back",
        "is told otherwise by a word that nobody asked for",
        "is halted once more and told to go on",
        "is halted twice",
        "a saga cannot land",
        "a saga cannot be absent",
    ],
)
def test_what_follows_the_word_must_be_what_it_says(rest: str, codes: list[str], tmp_path: Path) -> None:
    assert sorted(one.code for one in judged(f"{HALTED}{rest}", tmp_path).findings) == codes


@pytest.mark.parametrize(
    ("script", "codes"),
    [
        ("begin agent=buyer\nhalt\nword undone\nend aborted_clean", []),
        ("begin agent=\nhalt\nword undone\nend aborted_clean", ["AS507"]),
        ("begin agent=seller\npropose s1 payments.charge\nhalt\nword undone\nend aborted_clean", ["AS507"]),
    ],
    ids=["the saga's agent", "no agent at all", "an agent that nobody owns"],
)
def test_a_word_about_a_whole_saga_is_about_the_agent_that_it_began_with(
    script: str, codes: list[str], tmp_path: Path
) -> None:
    """Whose owner may not give it; a saga may be halted before any step was proposed."""
    assert sorted(one.code for one in judged(script, tmp_path).findings) == codes
