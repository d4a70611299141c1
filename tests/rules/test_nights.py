"""What a policy finds in a saga that has not ended yet is still found in the nights after (``certify --state``)."""

from __future__ import annotations

import sys
from pathlib import Path

from agent_saga.certify.judging.covering import Wanted
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options
from agent_saga.fleet.incremental import certify_since
from agent_saga.proofs.checkpoints import Checkpoint, Pin, sign_checkpoint
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.keys import key_from_seed
from agent_saga.proofs.pins import Pins

sys.path.insert(0, str(Path(__file__).resolve().parent))

from rulelib.lines import chain, written
from rulelib.policies import DIGEST, POLICY_FILES, SHOP_NAME, waiver, waivers
from rulelib.signed_script import SignedScript
from rulelib.signing import REGISTRY_FILE

ORIGIN = "shop.example/audit"
KEY = key_from_seed(ORIGIN, "log", b"n" * 32)
SPENT = "".join(
    f"begin policy={DIGEST} saga={saga}\ndo e1 payments.charge minor=50000 saga={saga}\nsuccess e1 saga={saga}\n"
    for saga in "ab"
)
APPROVED = f"""
    begin policy={DIGEST}
    propose s1 payments.charge minor=1000
    request s1
    sign s1 ana-1
    use e1 payments.charge minor=1000
    success e1
"""


def certified(folder: Path, lines: list[bytes]) -> Report:
    """The report of a night on which the log had so many lines."""
    files = {SHOP_NAME: POLICY_FILES[SHOP_NAME], "registry.json": REGISTRY_FILE}
    files["waivers.json"] = waivers(waiver("daily-charges", expires="2026-01-04"))
    files["log.jsonl"] = b"".join(line + b"\n" for line in lines)
    for name, text in files.items():
        (folder / name).write_bytes(text)
    checkpoint = Checkpoint(ORIGIN, len(lines), root_of([leaf(line) for line in lines]))
    note = str(sign_checkpoint(checkpoint, KEY.vkey, KEY)).encode()
    policy, registry, lifted = (str(folder / name) for name in (SHOP_NAME, "registry.json", "waivers.json"))
    choices = Choices(policies=(policy,), registry=registry, waivers=lifted)
    options = Options(choices=choices, wanted=Wanted(Pins(Pin(ORIGIN, KEY.vkey)), (note,)))
    return certify_since(str(folder / "log.jsonl"), options, folder / "state", "2026-11-30T02:00:00.000000Z")


def test_a_waiver_of_a_limit_that_had_ended_is_told_whenever_the_night_falls(tmp_path: Path) -> None:
    """Persons approved what went beyond the limit, so that nothing but the waiver is wrong."""
    lines = written(chain(SignedScript("policies").run(SPENT + APPROVED))).splitlines()
    for night in (1, 17, len(lines) - 1, len(lines)):
        folder = tmp_path / str(night)
        folder.mkdir()
        certified(folder, lines[:night])
        for _ in range(2):
            assert [one.code for one in certified(folder, lines).findings] == ["AS406"], night


def test_a_night_without_new_lines_still_counts_what_persons_decided(tmp_path: Path) -> None:
    script = f"""
        begin policy={DIGEST}
        propose s1 payments.charge
        go e1 payments.charge
        ok e1
        rollback
        pause e1
        settle e1 kept ana-1
        end closed_with_exceptions e1
    """
    lines = written(chain(SignedScript("policies").run(script))).splitlines()
    nights = [certified(tmp_path, lines) for _ in range(3)]
    assert [one.exceptions for one in nights] == [1, 1, 1]
    assert len({(one.verdict, one.exit_code) for one in nights}) == 1
