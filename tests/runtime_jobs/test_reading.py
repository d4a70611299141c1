"""A job says what it shows: everything that YAML would let it mean besides is refused, at its place, all at once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agent_saga.runtime.jobs import JobError, json_schema, load_job, parse_job
from agent_saga.runtime.jobs.errors import MAX_JOB

TOKEN = "gh" + "p_" + "Ab3" * 12


def faults(text: str | bytes, path: str = "saga.yaml") -> list[str]:
    with pytest.raises(JobError) as caught:
        parse_job(text if isinstance(text, bytes) else text.encode(), path)
    return str(caught.value).splitlines()


def test_a_job_is_read(job: str) -> None:
    document = parse_job(job.encode(), "saga.yaml").document
    assert document.objective == "Reserve the item: once, and for good."
    assert document.instructions == "Look before you reserve.\n"
    assert document.success[0].check == "reserved"
    assert document.budgets is not None
    assert (document.budgets.turns, document.budgets.calls) == (4, None)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("turns: 4", "turns: 4\n  turns: 5", "14:3: 'turns' stands twice; it stood on line 13 already"),
        ("turns: 4", "turns: &n 4", "13:10: the anchor &n; leave it out"),
        ("turns: 4", "turns: *n", "13:10: the alias *n; write out what it stands for"),
        ("turns: 4", "turns: !!int 4", "13:10: the tag tag:yaml.org,2002:int; leave it out"),
        ("turns: 4", "<<: {turns: 4}", "13:3: the merge key <<; write out what it merges"),
        ("turns: 4", "? [a]\n  : 4", "13:5: a name that is no text; put it in quotes"),
        ("turns: 4", "turns: yes", "13:10: budgets.turns: found 'yes'; expected a whole number"),
        ("turns: 4", "turns: 1e3", "13:10: 1e3 is a number with a fraction; write a whole number, or text in quotes"),
        ("turns: 4", "turns: 0", "13:10: budgets.turns: found 0; expected at least 1"),
        ("turns: 4", "money: {EUR: 1, eur: 2}", "13:19: budgets.money: found 'eur'; expected an ISO 4217 code"),
        ("turns: 4", "money: {EUR: -1}", "13:16: budgets.money.EUR: found -1; expected at least 0"),
        ("turns: 4", "money: {EUR: 1.5}", "13:16: 1.5 is a number with a fraction"),
        ("turns: 4", "money: {}", "13:10: budgets.money: found an object"),
        ("turns: 4", "turns:", "13:9: found nothing; give a value, or leave it out"),
        ("turns: 4", "tunrs: 4", "13:3: unknown member 'tunrs'; did you mean 'turns'?"),
        ("turns: 4", "\tturns: 4", "13:3: a tab; indent with spaces"),
        ("turns: 4", "turns: 4 # \u202e", "13:14: the character U+202E does not show; leave it out"),
        ("ops-7", "Jane Doe", "15:22: escalation.person: found 'Jane Doe'; expected a pseudonym"),
        ("ops-7", "12", "15:22: escalation.person: found 12; expected text"),
        ("check: reserved", "check: reservde", "8:12: the check 'reservde' does not stand in checks; did you mean"),
        ("[reserved]", "[reserved, reserved]", "9:20: the check 'reserved' stands twice"),
        ("[reserved]", "reserved", "9:9: checks: found 'reserved'; expected a list"),
        ("sha256:", "sha512:", "11:18: tools.stock.reserve: found 'sha512:"),
        ("name: order\n", "", "1:1: the job lacks 'name'"),
        ("job/v1", "job/v2", "1:9: format: found 'agent-saga/job/v2'; expected the text agent-saga/job/v1"),
        ("Look", TOKEN, "4:15: a text that has the form of a credential"),
        ("format:", "%YAML 1.1\n---\nformat:", "1:1: a directive"),
        ("reason:", "reason: x}\n---\nb: {c:", "16:1: a second document"),
        ('"Reserve', '"\\u202e', "3:12: the text holds the character U+202E"),
        ("name: order", "name: order: x", "2:12: not YAML: mapping values are not allowed here"),
    ],
)
def test_a_job_with_one_fault_is_refused_at_its_place(job: str, old: str, new: str, fault: str) -> None:
    assert old in job
    found = faults(job.replace(old, new, 1))
    assert found[0].startswith(f"saga.yaml:{fault}"), found
    assert TOKEN not in "".join(found)


def test_every_fault_is_told_in_one_pass(job: str) -> None:
    wrong = (
        job.replace("turns: 4", "tunrs: 4").replace("[reserved]", "[reserved, 7]").replace("name: order", "name: 1.5")
    )
    assert [line.split(": ")[0] for line in faults(wrong)] == ["saga.yaml:2:7", "saga.yaml:9:20", "saga.yaml:13:3"]


@pytest.mark.parametrize("word", ["no", "yes", "on", "Off", "y", "12:30", "1_000", "2026-11-30", "0777x", "1.2.3"])
def test_what_yaml_1_1_would_turn_into_something_else_stays_text(job: str, word: str) -> None:
    changed = job.replace("answers for the stock", word)
    assert parse_job(changed.encode(), "saga.yaml").document.escalation.reason == word


def test_spelling_changes_no_digest_and_content_does(job: str, order: Any) -> None:
    spec = parse_job(job.encode(), "saga.yaml")
    as_json = json.dumps(spec.root.plain, indent="\t", sort_keys=True).encode()
    assert parse_job(as_json, "saga.json").digest == spec.digest
    assert parse_job(job.replace("\n", "\r\n").encode(), "saga.yaml").digest == spec.digest
    assert parse_job(job.replace("turns: 4", "turns: 5").encode(), "saga.yaml").digest != spec.digest


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "1:1: not JSON: expected a value, found the end"),
        ('{"a": 1,}', "1:9: not JSON: expected a name in quotes, found }"),
        ('{"format": 1, "format": 2}', "1:15: 'format' stands twice in one object"),
        ('{\n "name": 1.5}', "2:10: 1.5 is a number with a fraction"),
        ('{"name": NaN}', "1:10: not JSON: expected a value, found N"),
        ('{"name": "\\ud800"}', "1:10: the text holds the character U+D800"),
        ("{} {}", "1:4: not JSON: something stands behind the document"),
        ("[" * 200_00, "1:9: not JSON: nested deeper than 8"),
    ],
)
def test_json_is_as_strict(text: str, fault: str) -> None:
    assert any(line.startswith(f"saga.json:{fault}") for line in faults(text, "saga.json"))


@pytest.mark.parametrize(
    "text", [b"", b"# nothing\n", b"\xff", b"x" * (MAX_JOB + 1), b"[" * 30_000, b"a: [b", b"- &a\n- *b"]
)
def test_what_is_no_job_at_all_is_refused_quickly(text: bytes) -> None:
    assert faults(text)


def test_a_job_in_json_is_the_same_job(job: str, tmp_path: Path) -> None:
    plain = parse_job(job.encode(), "saga.yaml").root.plain
    (tmp_path / "saga.json").write_text(json.dumps(plain), "utf-8")
    assert load_job(str(tmp_path / "saga.json")).digest == parse_job(job.encode(), "saga.yaml").digest


def test_a_file_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(JobError, match="cannot be read: No such file"):
        load_job(str(tmp_path / "saga.yaml"))


def test_the_schema_accepts_the_job_and_refuses_what_the_reader_refuses(job: str) -> None:
    import jsonschema

    plain = parse_job(job.encode(), "saga.yaml").root.plain
    validator = jsonschema.Draft202012Validator(json_schema())
    assert validator.is_valid(plain)
    assert not validator.is_valid(plain | {"budget": {}})
    assert not validator.is_valid(plain | {"budgets": {"turns": None}})
    assert not validator.is_valid(plain | {"tools": {"a": "sha256:0"}})


def test_the_page_of_the_format_shows_a_job_and_its_digest() -> None:
    page = (Path(__file__).parents[2] / "docs" / "spec" / "saga-yaml-v1.md").read_text("utf-8")
    [shown] = re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S)
    spec, names = parse_job(shown.encode(), "saga.yaml"), dict[str, Any]()
    exec(re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)[0], names)
    assert f"\n    {spec.digest}\n" in page
    assert names["digest"](spec.root.plain) == spec.digest
