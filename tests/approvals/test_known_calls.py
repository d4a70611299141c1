"""A request that is read knowing the call that it should be about is judged as one that is read without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import make_approval_vectors as maker
import people
import pytest

from agent_saga.approvals.digests import ACTION, APPROVAL, canonical, digest
from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.proofs import verify_approval
from agent_saga.approvals.requests import Content, Exact, read_request
from agent_saga.approvals.strict import Unreadable, read

PATHS = sorted(path for path in maker.FOLDER.glob("*.json") if '"proofs"' in path.read_text("utf-8"))


def call_of(request: Any) -> Exact | None:
    """The call of this request's content; None where there is no such call."""
    try:
        return read(request["content"], Content, "a content").exact()
    except (Unreadable, KeyError, TypeError):
        return None


def outcome(request: Any, call: Exact | None) -> Any:
    """What is read, or the reason why it is refused."""
    try:
        return read_request(request, call)
    except NotApproved as fault:
        return fault.reason


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in PATHS])
def test_the_vectors_are_read_alike(path: Path) -> None:
    other = call_of(people.request(about=people.content(step="s9")))
    for proof in json.loads(path.read_text("utf-8"))["proofs"]:
        request = proof.get("request")
        for call in (call_of(request), call_of(people.request()), other):
            assert outcome(request, call) == outcome(request, None)


def members() -> list[tuple[str, Any]]:
    """Members of a request with values that they must not have, or need not have."""
    wrong: list[Any] = [
        None,
        "",
        1,
        True,
        1.5,
        [],
        {},
        "a\x00b",
        "x" * 5000,
        "0" * 64,
        "é",
        "\U0001f600",
        {"...": "short"},
    ]
    names = [*people.request(), "reason", "another", "Action", "b", ""]
    return [(name, value) for name in names if name != "content" for value in wrong]


def test_a_request_with_another_member_is_read_alike() -> None:
    call = call_of(people.request())
    read_alike = [(outcome(one, call), outcome(one, None)) for one in (people.request() | {n: v} for n, v in members())]
    assert all(known == alone for known, alone in read_alike)
    assert {"bad-request", "wrong-action"} <= {alone for _, alone in read_alike if isinstance(alone, str)}
    assert any(not isinstance(alone, str) for _, alone in read_alike)


@pytest.mark.parametrize("name", [*people.content(), "target", "another", "A", "zz"])
def test_a_request_about_another_call_is_read_alike(name: str) -> None:
    call = call_of(people.request())
    values: tuple[Any, ...] = (None, "", 1, True, [], {}, "s2", "0" * 64, {"to": "another"})
    for value in values:
        about = people.content(**{name: value})
        request = people.request(about=about)
        assert outcome(request, call) == outcome(request, None)
        forged = people.request(about=about, action=call.digest if call else "")
        assert outcome(forged, call) == outcome(forged, None)
        assert isinstance(outcome(forged, call), str)


def test_a_call_is_known_by_its_bytes_alone() -> None:
    args = {"to": "Zoë \U0001f4b6", "\ufb01": 1, "\U0001f4b6": 2, "n": {"b": [True, None, -1], "a": '\\"\x7f'}}
    request = people.request("ana-software", people.content(args=args))
    call = call_of(request)
    assert call is not None
    assert call.digest == request["action"] == digest(ACTION, request["content"]).hex()
    assert canonical(request).startswith(call.opening)
    signed = verify_approval(people.proof(request), people.parsed(), call)
    assert signed.digest == digest(APPROVAL, request)


def test_true_is_not_one_in_a_known_call() -> None:
    call = call_of(people.request(about=people.content(args={"n": 1})))
    request = people.request(about=people.content(args={"n": True}), action=call.digest if call else "")
    assert outcome(request, call) == "wrong-action"
