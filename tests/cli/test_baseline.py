"""A baseline holds what a team has seen, in bytes that only the findings decide."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_saga.certify.baseline import json_schema, key_of, parse_baseline, read_baseline, render_baseline
from agent_saga.certify.findings import Finding, Severity, Witness
from agent_saga.trace.errors import AgentSagaError

ONE = Finding(
    "AS201", "uncompensated-effect", Severity.ERROR, "a.jsonl", "s1", "effect e1", "b", "e", "f", (Witness(3, "w"),)
)
WHOLE = replace(ONE, code="AS109", name="truncated-file", saga="", subject="input")
text = st.text(max_size=8)
findings = st.builds(
    replace, st.just(ONE), code=st.sampled_from(["AS201", "AS109"]), saga=text, source=text, subject=text,
    count=st.integers(1, 9),
)  # fmt: skip


@given(st.lists(findings, max_size=6))
def test_a_baseline_covers_what_it_was_written_from(found: list[Finding]) -> None:
    known = parse_baseline(render_baseline(found), "b.json")
    assert known.covered(found) == {key_of(finding) for finding in found}
    assert known.stale(key_of(finding) for finding in found) == ()


@given(st.lists(findings, max_size=6), st.randoms())
def test_the_same_findings_give_the_same_bytes_in_any_order(found: list[Finding], random: Any) -> None:
    mixed = list(found)
    random.shuffle(mixed)
    assert render_baseline(mixed) == render_baseline(found)


def test_a_log_that_grows_or_moves_keeps_its_baseline() -> None:
    known = parse_baseline(render_baseline([replace(ONE, because="b at line 3")]), "b.json")
    assert known.covered([replace(ONE, witness=(Witness(99, "w"),), because="b at line 99")])
    assert known.covered([replace(ONE, because="b at line 3", source="elsewhere/b.jsonl")])


@pytest.mark.parametrize(
    "other",
    [
        replace(ONE, code="AS202"),
        replace(ONE, saga="s2"),
        replace(ONE, subject="effect e2"),
        replace(ONE, count=2),
        replace(ONE, because="c"),
    ],
)
def test_another_finding_or_more_of_the_same_is_not_covered(other: Finding) -> None:
    assert not parse_baseline(render_baseline([ONE]), "b.json").covered([other])


def test_entries_that_match_nothing_are_stale_in_the_order_of_the_file() -> None:
    known = parse_baseline(render_baseline([ONE, WHOLE]), "b.json")
    assert known.stale([key_of(ONE)]) == (WHOLE.fingerprint,)
    assert known.stale([]) == (WHOLE.fingerprint, ONE.fingerprint)


def test_the_digest_is_of_the_files_bytes(tmp_path: Path) -> None:
    data = render_baseline([ONE])
    (tmp_path / "b.json").write_bytes(data)
    assert read_baseline(str(tmp_path / "b.json")).sha256 == sha256(data).hexdigest()


def test_the_file_is_what_its_schema_says() -> None:
    import jsonschema

    for found in ([], [ONE], [ONE, WHOLE]):
        jsonschema.validate(json.loads(render_baseline(found)), json_schema())


def _entry(**changes: Any) -> dict[str, Any]:
    entry = json.loads(render_baseline([ONE]))["findings"][0] | changes
    return {name: value for name, value in entry.items() if value is not None}


def _file(*entries: Any, **more: Any) -> str:
    return json.dumps({"agent-saga-baseline": 1, "findings": list(entries)} | more)


BAD = {
    "empty": "",
    "not_json": "{",
    "a_list": "[]",
    "no_mark": '{"findings": []}',
    "other_member": _file(extra=1),
    "version_2": _file(**{"agent-saga-baseline": 2}),
    "version_true": _file(**{"agent-saga-baseline": True}),
    "findings_no_list": _file(findings={}),
    "entry_no_object": _file(1),
    "entry_unknown_member": _file(_entry(sage="x")),
    "entry_no_because": _file(_entry(because=None)),
    "entry_no_code": _file(_entry(code=None)),
    "entry_count_0": _file(_entry(count=0)),
    "entry_count_true": _file(_entry(count=True)),
    "entry_saga_number": _file(_entry(saga=1)),
    "entry_hides_another": _file(_entry(subject="effect e2")),
    "entry_twice": _file(_entry(), _entry()),
    "member_twice": '{"agent-saga-baseline": 1, "agent-saga-baseline": 1, "findings": []}',
    "deep": "[" * 100_000,
    "huge_number": _file(1).replace("[1]", "[" + "1" * 10_000 + "]"),
    "bom": "\ufeff" + _file(),
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD.keys())
def test_what_is_no_baseline_is_refused(data: str) -> None:
    with pytest.raises(AgentSagaError, match=r"^b\.json"):
        parse_baseline(data.encode(), "b.json")


@given(st.binary(max_size=200))
def test_no_bytes_make_it_fail_in_another_way(data: bytes) -> None:
    with pytest.raises(AgentSagaError):
        parse_baseline(data, "b.json")


def test_the_command_refuses_a_malformed_baseline_before_judging(ask: Callable[..., Any], folder: Path) -> None:
    (folder / "b.json").write_text("{}")
    done = ask("a.jsonl", "--baseline", "b.json")
    assert (done.returncode, done.asked) == (2, None)
    assert "b.json: not a baseline" in done.stderr


def test_the_report_names_the_baseline_and_its_digest(ask: Callable[..., Any], folder: Path) -> None:
    data = render_baseline([ONE])
    (folder / "b.json").write_bytes(data)
    done = ask("a.jsonl", "--baseline", "b.json")
    assert done.choices["baseline"] == "b.json"
    assert done.choices["baseline_sha256"] == sha256(data).hexdigest()


def test_a_baseline_that_cannot_be_written_is_told_before_judging(ask: Callable[..., Any], sealed: str) -> None:
    done = ask("a.jsonl", "--write-baseline", f"{sealed}/b.json")
    assert (done.returncode, done.asked) == (2, None)


def test_the_first_baseline_can_be_written_where_the_configuration_wants_it(
    ask: Callable[..., Any], folder: Path
) -> None:
    (folder / "pyproject.toml").write_text('[tool.agent-saga]\nbaseline = "b.json"\n')
    assert ask("a.jsonl").returncode == 2
    done = ask("a.jsonl", "--write-baseline", "b.json", exit=1)
    assert done.returncode == 1, "writing a baseline changes no verdict"
    assert read_baseline(str(folder / "b.json")).entries == {}
    assert done.choices["baseline"] == ""


def test_no_baseline_is_written_when_there_was_nothing_to_judge(ask: Callable[..., Any], folder: Path) -> None:
    done = ask("a.jsonl", "--write-baseline", "b.json", exit=4)
    assert done.returncode == 4
    assert not (folder / "b.json").exists()
    assert "nothing to judge" in done.stderr
