"""Sagas with several calls for one step: `certify` finds something wrong exactly where a small model does."""

from __future__ import annotations

from pathlib import Path
from random import Random

from rulelib.lines import chain, written
from rulelib.script import Script
from several_calls import SeveralCalls

from agent_saga.certify.run import Options, certify

SAGAS = 1_000


def test_two_judges_agree_on_what_stands_for_a_step(tmp_path: Path) -> None:
    cases, files = [SeveralCalls(Random(seed)).play() for seed in range(SAGAS)], b""
    names = []
    for seed, case in enumerate(cases):
        lines = Script(f"several {seed}").run("\n".join(case.script))
        names.append(str(lines[0]["saga"]))
        files += written(chain(lines))
    trace = tmp_path / "trace.jsonl"
    trace.write_bytes(files)
    report = certify([str(trace)], Options(keep_sagas=True))
    told = {saga.saga: str(saga.verdict) == "not certified" for saga in report.sagas}
    differ = [case for name, case in zip(names, cases, strict=True) if told[name] != bool(case.wrong)]
    assert not differ, (len(differ), differ[0].wrong, differ[0].script)
    assert 100 < sum(told.values()) < SAGAS - 100
