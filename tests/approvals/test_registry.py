"""Registries: what their lint and their differences say, and which one is in force where."""

from __future__ import annotations

import json

import people
import pytest
from log_lines import Lines
from vectors_registry import BOTH, POLICY_2, second

from agent_saga.approvals.errors import RegistryFault
from agent_saga.approvals.registry import diff, lint, parse_registry, read_registry, registry_digest
from agent_saga.approvals.registry.history import History
from agent_saga.proofs.log.opened import registry_digest as of_the_log
from agent_saga.trace.codec import decode, leaf_hash


def history(log: Lines) -> History:
    lines = [(index, leaf_hash(text.encode()), decode(text.encode())[0]) for index, text in log.lines]
    return History(lines[0][2], lines[0][1]).extend(lines[1:])  # type: ignore[arg-type]


def test_what_is_in_force_at_a_line_is_what_stands_before_it() -> None:
    log = Lines(people.registry())
    log.enroll(second(), *BOTH)
    log.adopt(POLICY_2, *BOTH)
    log.revoke("cyd-ssh", *BOTH)
    found = history(log)
    assert not found.faults
    versions = [found.at(index).registry.version for index in (0, 5, 10, 11, 30, 99)]
    assert versions == [1, 1, 1, 2, 2, 2]
    assert [found.at(index).policy == POLICY_2 for index in (20, 21)] == [False, True]
    assert [sorted(found.at(index).revoked) for index in (30, 31)] == [[], ["cyd-ssh"]]
    last = found.last
    assert (last.digest, last.keys_index, last.policy_index) == (registry_digest(second()), 30, 20)
    assert last.digest == of_the_log(second()), "as log.indexed names it"


def test_lines_come_in_order() -> None:
    log = Lines(people.registry())
    found = history(log)
    with pytest.raises(ValueError, match="in order"):
        found.add(0, "0" * 64, decode(log.lines[0][1].encode())[0])


def test_a_key_that_left_the_registry_never_comes_back_as_another() -> None:
    log = Lines(people.registry())
    keys = [one for one in people.registry()["keys"] if one["id"] != "cyd-ssh"]
    log.enroll(people.registry(version=2, keys=keys), *BOTH)
    stolen = people.key("fay-ssh", "p-fay", "sshsig", public=people.public("cyd-ssh"))
    log.enroll(people.registry(version=3, keys=[*keys, stolen]), *BOTH, holds=False)
    other = people.key("cyd-ssh", "p-cyd", "sshsig", public=people.public("new"))
    log.enroll(people.registry(version=3, keys=[*keys, other]), *BOTH, holds=False)
    log.enroll(people.registry(version=3), *BOTH)
    found = history(log)
    assert [one.reason for one in found.faults] == ["key-reused", "key-id-reused"]
    assert found.last.registry.version == 3


def test_lint_says_what_cannot_work() -> None:
    registry = people.parsed()
    assert list(lint(registry, {("treasury",): 4}, people.NOW)) == []
    (found,) = lint(registry, {("treasury",): 5}, people.NOW)
    assert "nobody could ever approve" in found
    late = list(lint(registry, {("treasury",): 1}, "2028-01-01T00:00:00.000000Z"))
    assert "0 have a valid key" in late[0]
    assert len(late) == 6, "and each of the five with a role has no key"
    revoked = list(lint(registry, {("break-glass",): 1}, people.NOW, ["eve-hsm"]))
    assert "0 have a valid key" in revoked[0]


def test_a_difference_is_told_member_by_member() -> None:
    old, new = people.parsed(), parse_registry(second(rp={"id": "other.example", "origins": ["https://other.example"]}))
    found = list(diff(old, new))
    assert found[0] == "~ version: 1 -> 2"
    assert any(line.startswith("~ rp: ") and "other.example" in line for line in found)
    assert any(line.startswith("+ person ") and "p-gus" in line for line in found)
    assert any(line.startswith("+ key ") and "gus-ssh" in line for line in found)
    assert len(found) == 4
    assert any(line.startswith("- key ") for line in diff(new, old))
    assert list(diff(old, old)) == []
    changed = [one | {"roles": ["a\u202e"]} if one["id"] == "p-fay" else one for one in people.registry()["people"]]
    with pytest.raises(RegistryFault):
        people.parsed(people=changed)
    more = [one | {"roles": ["payroll"]} if one["id"] == "p-fay" else one for one in people.registry()["people"]]
    assert list(diff(old, people.parsed(people=more))) == ['~ person p-fay roles: nothing -> ["payroll"]']


def test_a_file_may_have_white_space_and_no_name_twice() -> None:
    data = json.dumps(people.registry(), indent=2).encode()
    registry, digest = read_registry(data)
    assert digest == registry_digest(people.registry())
    assert registry == people.parsed()
    for bad in (data.replace(b'"v": 1,', b'"v": 1, "v": 1,'), b"\xff", b"[" * 100_000, data.replace(b"1,", b"1.0,", 1)):
        with pytest.raises(RegistryFault):
            read_registry(bad)
