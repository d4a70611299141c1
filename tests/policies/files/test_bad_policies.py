"""Every mistake in a policy is told when it loads, at its line and column, with what was probably meant."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from bad_policies import BAD

from agent_saga.policies.loading import PolicyError, load_policy
from agent_saga.policies.loading.errors import MAX_POLICY

Faults = Callable[..., list[str]]


def test_the_table_is_of_at_least_forty_policies() -> None:
    assert len({name for name, *_ in BAD}) == len(BAD) >= 40


@pytest.mark.parametrize(("old", "new", "expected"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_policy_with_one_fault_is_refused_with_exactly_this_message(
    example: str, faults: Faults, old: str, new: str, expected: tuple[str, ...]
) -> None:
    assert old in example
    assert faults(example.replace(old, new, 1)) == [*expected]


def test_every_fault_of_a_file_is_told_in_one_pass(example: str, faults: Faults) -> None:
    changed = example
    for old, new in (
        ("owner: risk", "ower: risk"),
        ("undo: payments.refund, ", ""),
        ('"payments.wire"', '"payments.wyre"'),
        ("dose_ug >= 100", "dose_gu >= 100"),
        ("quorum: 2, ", "qorum: 2, "),
        ("enforcement: hard", "enforcement: hrad"),
        ("window: PT24H", "window: 24h"),
        ("per: [args.customer, args.amount.currency]", "per: [args.customer]"),
        ("rules: [dose-range]", "rules: [dose-rage]"),
    ):
        assert old in changed
        changed = changed.replace(old, new, 1)
    assert [line.split(": ")[0] for line in faults(changed)] == [
        "1:1", "3:1", "5:3", "11:19", "12:22", "13:18", "15:45", "19:10", "22:13", "36:13",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "written",
    [
        "when: args.amount.minor > args.x",
        r"when: 'args.note == ''it\''s'' && args.x > 1'",
        r'when: "args.note == \"a\\tb\u0020\x41\" && args.x > 1"',
        "when: \"args.note == 'a'\n      && args.x > 1\"",
        "when: \"args.note == 'a' \\\n      && args.x > 1\"",
        "when: args.amount.minor > 1\n      &&\n      args.x > 1",
        "when: |\n      args.amount.minor > 1 &&\n        args.x > 1",
        "when: |2-  # kept\n      args.amount.minor > 1 &&\n      args.x > 1",
        "when: >-\n\n      args.amount.minor > 1\n\n      && args.x > 1",
        "when: >+\n      args.amount.minor > 1\n      && args.x > 1\n\n",
    ],
)
def test_a_place_in_a_condition_is_counted_to_the_very_character(faults: Faults, written: str) -> None:
    tools = "tools:\n  payments.wire: {semantics: irreversible, args: schemas/wire.json}\n"
    text = f"policy: p\nversion: 1\nowner: o\n{tools}rules:\n  - id: r\n    then: deny\n    {written}\n"
    [line] = [one for one in faults(text) if "`x`" in one]
    at = text.index("args.x")
    expected = f"{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"
    assert line == f"{expected}: the field `x` of `args` does not exist; there is amount, note"


def test_a_place_in_a_condition_of_json_counts_escapes(example: str, faults: Faults) -> None:
    tools = {"t": {"semantics": "preview", "args": {"type": "object", "properties": {}}}}
    policy = {"policy": "p", "version": 1, "owner": "o", "tools": tools}
    text = (
        json.dumps(policy)[:-1]
        + ', "rules": [\n{"id": "r", "then": "deny", "when": "agent == \\"\\ud83d\\ude00\\" && args.x"}]}'
    )
    column = text.splitlines()[1].index("args.x") + 1 + len("args.")
    assert [line.split(": ")[0] for line in faults(text, "changed.json")] == [f"2:{column - 5}"]


def test_half_a_condition_is_told_behind_its_last_character(example: str, faults: Faults) -> None:
    [line] = faults(
        example.replace('when: tool == "pharmacy.prescribe" && ', "when: |\n      tool ==\n    why: ").replace(
            "why: !(args.dose_ug >= 100 && args.dose_ug <= 50000)", "why: because", 1
        )
    )
    assert line.startswith("16:14: expected a value")


@pytest.mark.parametrize("levels", [9, 12])
def test_a_bomb_of_aliases_is_refused_at_once(faults: Faults, levels: int) -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]" for n in range(levels)]
    began = time.process_time()
    assert any("the alias *a; write out what it stands for" in line for line in faults("\n".join(lines)))
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"# nothing\n",
        b"[]",
        b"policy",
        b"\xff\xfe",
        b"policy: \xe9",
        b"(" * 1_000_000,
        b"rules: [{when: " + b"(" * 200_000,
        b"[" * 200_000,
        b"{" * 200_000,
        b"? " * 50_000,
        b"- " * 50_000,
        b"a: " * 50_000,
        b"x" * (MAX_POLICY + 1),
        b"policy: |\n" + b" x\n" * 20_000,
        b"tools: {" + b"t: {}, " * 5_000 + b"}",
        b"'" * 100_000,
        b'"' + b"\\x" * 50_000,
        b"%TAG ! tag:example.com,2000:\n---\n",
        b"a: !!python/object/apply:os.system [ls]",
        b"\x00",
        b"policy: p\r\rversion: 1",
    ],
    ids=lambda data: repr(data[:24]),
)
def test_what_is_no_policy_at_all_is_refused_quickly_and_in_words(faults: Faults, data: bytes) -> None:
    began = time.process_time()
    assert faults(data)
    assert faults(data, "changed.json")
    assert time.process_time() - began < 20


def test_a_megabyte_of_brackets_is_told_as_what_it_is(faults: Faults) -> None:
    assert faults(b"(" * 1_000_000) == [f"1:1: more than {MAX_POLICY} bytes; is it the file you meant?"]
    [*_, line] = faults('rules:\n  - {id: r, then: deny, when: "' + "(" * 200_000 + '"}')
    assert line == "2:32: the condition has 200,000 characters; at most 10,000 are read"


@pytest.mark.parametrize(
    "word", ["no", "yes", "on", "Off", "y", "12:30", "1_000", "2026-11-30", "0777x", "1.2.3", "~x"]
)
def test_what_yaml_1_1_would_turn_into_something_else_stays_text(example: str, word: str) -> None:
    policy = load_policy("fixtures/policies/x.yaml", text=example.replace("risk@example.com", word).encode())
    assert policy.owner == word


def test_a_file_that_is_none_is_a_clear_error(tmp_path: Path) -> None:
    for path, words in (
        (tmp_path, "cannot be read: Is a directory"),
        (tmp_path / "none.yaml", "cannot be read: No such file"),
    ):
        with pytest.raises(PolicyError) as caught:
            load_policy(str(path))
        assert words in str(caught.value)


def test_a_schema_that_a_link_leads_out_to_is_refused(example: str, tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    (tmp_path / "secret.json").write_text('{"type": "object"}')
    (tmp_path / "policies" / "schemas").symlink_to(tmp_path)
    path = tmp_path / "policies" / "p.yaml"
    path.write_text("policy: p\nversion: 1\nowner: o\ntools: {t: {semantics: preview, args: schemas/secret.json}}\n")
    with pytest.raises(PolicyError, match=r":4:\d+: the schema of t: 'schemas/secret.json' leaves the policy's folder"):
        load_policy(str(path))


def test_a_schema_whose_references_explode_is_refused(faults: Faults) -> None:
    defs = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)} | {"d40": {"type": "object"}}
    args = json.dumps({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs})
    [line] = faults(f"policy: p\nversion: 1\nowner: o\ntools: {{t: {{semantics: preview, args: {args}}}}}\n")
    assert "with its references followed, the schema has more than 20000 parts" in line


def test_a_policy_that_would_take_for_ever_to_check_is_refused(
    example: str, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_saga.policies.loading.conditions.MAX_WORK", 50)
    [line, *_] = faults(example)
    assert line == "15:11: conditions times tools are more than 50 parts; divide the policy"


@pytest.mark.parametrize("name", ["policy", "owner"])
def test_a_name_does_not_end_in_a_line_feed(faults: Faults, name: str) -> None:
    plain = {"policy": "p", "version": 1, "owner": "o", "tools": {"t": {"semantics": "preview"}}}
    [line] = faults(json.dumps(plain | {name: "a\n"}), "changed.json")
    assert f"{name}: found 'a\\n'; expected" in line


def test_a_message_never_repeats_a_credential(example: str, faults: Faults) -> None:
    token = "gh" + "p_" + "Ab3" * 12
    told = "".join(faults(example.replace("then: deny", f"then: {token}", 1)))
    assert "found a text that cannot be shown" in told
    assert token not in told


def test_the_published_schema_refuses_what_the_reader_refuses_by_shape(example: str) -> None:
    import jsonschema

    from agent_saga.policies.schema import json_schema

    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    plain = yaml.safe_load(example)
    assert validator.is_valid(plain)
    assert not validator.is_valid(plain | {"rule": []})
    assert not validator.is_valid(plain | {"tools": {"a b": {"semantics": "preview"}}})
    assert not validator.is_valid(plain | {"owner": None})
    assert not validator.is_valid({name: value for name, value in plain.items() if name != "tools"})
