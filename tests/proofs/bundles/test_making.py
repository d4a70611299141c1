"""What a bundle shows is what was asked for; what cannot be proven or withheld is refused in words."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attacking import unchecked
from bundle_samples import (
    FULL_PIN,
    IBAN,
    MONEY,
    NONE,
    OPEN,
    SHORT,
    SIGNED,
    WIRE,
    MemoryLog,
    pins,
    sealed,
    shop,
    started,
    stream,
    types,
)
from hostile_claims import _Crooked

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "trace"))

from trace_samples import SAGA

from agent_saga.proofs.bundles import making
from agent_saga.proofs.bundles.making import make_bundle, make_tlog_proof
from agent_saga.proofs.bundles.model import Proven, Withheld
from agent_saga.proofs.bundles.reading import format_bundle
from agent_saga.proofs.bundles.verifying import verify_bundle
from agent_saga.proofs.bundles.words import record, words
from agent_saga.proofs.entries import key_of
from agent_saga.proofs.errors import LogFault, Unprovable
from agent_saga.proofs.hashing import leaf
from agent_saga.proofs.index import Index
from agent_saga.proofs.tlog_proof import check_tlog_proof
from agent_saga.proofs.tree import Leaves
from agent_saga.trace.values import is_concealed, resolve
from agent_saga.trace.writer import SagaWriter


def proven(saga: str = WIRE, log: MemoryLog | None = None, pin: str = FULL_PIN, **choices: Any) -> Proven:
    log = log or sealed()
    return verify_bundle(make_bundle(log, saga, disclosures=log.disclosures, **choices), pins(pin))


def opened(found: Proven) -> list[str]:
    return [f"{one.seq}:{one.pointer}" for one in found.opened]


def withheld(found: Proven) -> list[str]:
    return [f"{one.seq}:{one.pointer}" for one in found.withheld]


HIDDEN = ["4:/args/iban", "4:/args/amount", "5:/args/iban", "5:/args/amount", "5:/amount"]


def test_nothing_is_revealed_unless_somebody_says_so() -> None:
    found = proven()
    assert opened(found) == []
    assert withheld(found) == HIDDEN


@pytest.mark.parametrize(
    "reveal, conceal, expected",
    [
        (["all"], [], HIDDEN),
        (["4:/args/iban"], [], ["4:/args/iban"]),
        (["4"], [], ["4:/args/iban", "4:/args/amount"]),
        (["5:/amount"], [], ["5:/args/amount", "5:/amount"]),
        ([], ["4:/args/amount", "5:/args/amount"], ["4:/args/iban", "5:/args/iban"]),
        (["all"], ["4:/args/iban", "5:/args/iban"], ["4:/args/amount", "5:/args/amount", "5:/amount"]),
        (["4"], ["all"], []),
    ],
)
def test_what_is_revealed_is_what_was_named(reveal: list[str], conceal: list[str], expected: list[str]) -> None:
    found = proven(reveal=reveal, conceal=conceal)
    assert opened(found) == expected
    assert sorted(opened(found) + withheld(found)) == sorted(HIDDEN)
    assert {json.dumps(one.value) for one in found.opened} <= {json.dumps(IBAN), json.dumps(MONEY)}


@pytest.mark.parametrize(
    "choices, says",
    [
        ({"conceal": ["4:/tool"]}, "written in clear and cannot be withheld"),
        ({"conceal": ["8:/args"]}, "/args/wire was written in clear"),
        ({"conceal": ["5"]}, "/v was written in clear"),
        ({"conceal": ["4:/args/nope"]}, "has no /args/nope"),
        ({"conceal": ["4:/args/iban"]}, "holds the same value as 4:/args/iban"),
        ({"reveal": ["4:/tool"]}, "stands in clear and is shown as it is"),
        ({"reveal": ["4:/args/iban/country"]}, "stands inside a value that is concealed as a whole"),
        ({"reveal": ["4:args"]}, "names no value"),
        ({"reveal": ["99:/args"]}, "not among the lines shown"),
        ({"reveal": ["4:/args"], "lines": ["0..2"]}, "not among the lines shown"),
        ({"lines": ["3..14"]}, "lines 0 to 13"),
        ({"lines": ["5..4"]}, "lines 0 to 13"),
        ({"lines": ["a..b"]}, "names no lines"),
    ],
)
def test_a_choice_that_cannot_be_kept_is_refused(choices: dict[str, Any], says: str) -> None:
    log = sealed()
    with pytest.raises(Unprovable, match=re.escape(says)):
        make_bundle(log, WIRE, disclosures=log.disclosures, **choices)


def test_a_value_that_nothing_opens_any_more_stays_closed_and_is_refused_by_name() -> None:
    log = sealed()
    log.disclosures.pop(0)
    assert withheld(proven(log=log, reveal=["all"])) == ["4:/args/iban"]
    with pytest.raises(Unprovable, match="not in the store: erased, or kept elsewhere"):
        proven(log=log, reveal=["4:/args/iban"])


def test_a_part_shows_line_0_and_what_was_named_and_claims_no_more() -> None:
    found = proven(lines=["4..6", "5..7", "13"])
    assert [(run.first, run.last) for run in found.stretches] == [(0, 0), (4, 7), (13, 13)]
    assert words(found)[0] == f"proven:     PART OF A SAGA, {WIRE}: 6 lines, and no word about the others"
    assert not any("WHOLE" in text for text in words(found))
    assert found.status is None


def test_a_whole_saga_says_so_and_on_whose_word() -> None:
    text = "\n".join(words(proven()))
    assert f"WHOLE SAGA {WIRE}: 14 lines, 0 to 13, none left out" in text
    assert "claimed by the log; audited by: nobody" in text
    assert "split view and a second copy of this log not excluded" in text
    assert "w.example/1, audit.example/m: pinned, but no signature of theirs" in text
    log = sealed()
    log.cosigned()
    text = "\n".join(words(proven(log=log)))
    assert "audited by: audit.example/m" in text
    assert "witness:    w.example/1 at 2026-11-30T00:53:20Z" in text
    assert "split view" not in text
    assert "nobody" not in text


def test_an_absent_saga_says_so_and_what_it_tells_of_others() -> None:
    text = "\n".join(words(proven(NONE, absent=True)))
    assert f"ABSENT SAGA {NONE}" in text
    assert "of two other sagas they tell hashed id, place and number of lines" in text


def test_an_index_that_lies_is_the_logs_own_word_and_the_report_names_nobody_who_checked_it() -> None:
    log = shop()
    log.seal(_Crooked([one for one in Index(log.entries()).entries if one.key != key_of(WIRE)]))
    found = proven(WIRE, log=log, absent=True)
    assert found.claim == "absent"
    assert "claimed by the log; audited by: nobody" in "\n".join(words(found))
    assert record(found)["index"]["audited_by"] == []


def test_control_and_bidi_characters_of_the_evidence_reach_nobody() -> None:
    text = "\n".join(words(proven(OPEN, reveal=["all"])))
    assert "\\u202e" in text
    assert all(char.isprintable() or char == "\n" for char in text)
    assert json.loads(json.dumps(record(proven(OPEN, reveal=["all"]))))["opened"][0]["value"].startswith("\u202e")


def test_a_saga_with_an_approval_shows_the_lines_that_say_who_may_sign() -> None:
    found = proven(SIGNED)
    assert types(list(found.own.values())) == ["log.opened", "log.indexed"]
    assert types(list(proven(SHORT).own.values())) == ["log.indexed"]


@pytest.mark.parametrize(
    "saga, choices, says",
    [
        (NONE, {}, "no line of it stands in the log"),
        (WIRE, {"absent": True}, "it is not absent"),
        ("log", {}, "the log's own lines are no saga"),
    ],
)
def test_a_saga_that_cannot_be_proven_as_asked_is_refused(saga: str, choices: dict[str, Any], says: str) -> None:
    with pytest.raises(Unprovable, match=says):
        make_bundle(sealed(), saga, **choices)


def test_a_log_without_an_index_proves_parts_and_nothing_else() -> None:
    log = shop()
    log.sign()
    assert proven(log=log, lines=["0..13"]).claim == "part"
    with pytest.raises(Unprovable, match="no index"):
        make_bundle(log, WIRE)


def test_lines_written_since_the_checkpoint_are_not_in_it() -> None:
    log = sealed()
    log.write(OPEN, "rollback.started", cause="later")
    assert len(proven(OPEN, log=log).lines) == 2


def test_hashes_that_do_not_bear_out_the_checkpoint_are_the_logs_fault_and_make_no_bundle() -> None:
    log = sealed()
    leaves = [leaf(line) for line in log.lines]
    leaves[3] = bytes(32)
    log.tree = Leaves(leaves)
    with pytest.raises(LogFault, match="do not bear out"):
        make_bundle(log, SHORT)
    with pytest.raises(LogFault, match="do not bear out"):
        make_tlog_proof(log, 7)


def test_a_saga_whose_chain_is_broken_in_the_log_is_told_and_not_proven() -> None:
    log = shop()
    at = [index for index, name in enumerate(log.names) if name == WIRE][5]
    log.lines[at] = log.lines[at].replace(b'"key":"k2"', b'"key":"kX"')
    log.seal()
    with pytest.raises(Unprovable, match=r"not sound: line 6 does not name the hash of line 5.*certify"):
        make_bundle(log, WIRE)
    assert len(unchecked(log).lines) == 14


def test_a_bundle_that_nobody_would_read_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "MAX_BUNDLE", 5_000)
    with pytest.raises(Unprovable, match="name --lines"):
        make_bundle(sealed(), WIRE)
    assert make_bundle(sealed(), WIRE, lines=["4..6"])


def test_every_type_of_line_with_every_member_is_proven_and_told() -> None:
    log = MemoryLog()
    log.open()
    log.writers[WIRE] = SagaWriter(WIRE, stream("every"))
    every = [(name, members) for name, members in SAGA if not name.startswith(("log.", "keys.", "policy."))]
    for name, members in every:
        log.write(WIRE, name, **members)
    log.seal()
    found = proven(log=log)
    assert len(found.lines) == len(every)
    assert {one.type for one in found.lines} == {name for name, _ in every}
    assert all(is_concealed(at(found, one)) for one in found.withheld)
    assert json.loads(json.dumps(record(found)))["lines"] == len(every)
    assert all(text.isprintable() for text in words(found))


def at(found: Proven, one: Withheld) -> Any:
    """The value that a withheld one's pointer names on its line."""
    return resolve(one.pointer, json.loads(found.lines[one.seq].line))


def test_a_pointer_finds_its_value_whatever_the_names_on_the_way() -> None:
    log = MemoryLog()
    log.open()
    started(log, WIRE)
    odd = {
        "a/b": {"~": {"\u202e": log.hide(1)}},
        "": [log.hide(2), {"...x": log.hide("\x1b[31m")}],
        "~1": log.hide({"k": [3]}),
    }
    log.write(WIRE, "rollback.started", cause=odd)
    log.seal()
    found = proven(log=log)
    assert [is_concealed(at(found, one)) for one in found.withheld] == [True] * 4
    for one in found.withheld:
        alone = proven(log=log, reveal=[f"{one.seq}:{one.pointer}"])
        assert opened(alone) == [f"{one.seq}:{one.pointer}"]
        assert all(text.isprintable() for text in words(alone))


def test_the_last_line_is_proven_to_c2sp_tools_too() -> None:
    log = sealed()
    index, line = log.saga(WIRE)[-1]
    assert check_tlog_proof(make_tlog_proof(log, index), leaf(line), pins().log)[0] == index


def test_the_same_log_gives_the_same_bytes() -> None:
    assert make_bundle(sealed(), WIRE) == make_bundle(sealed(), WIRE) == format_bundle(unchecked(sealed()))


def test_verifying_loads_nothing_that_makes_proofs_or_reads_stores() -> None:
    code = (
        "import sys; from agent_saga.proofs.bundles import verifying, words\n"
        "bad = [m for m in sys.modules if m.split('.')[0] in ('pymerkle', 'sqlite3', 'rfc8785', 'typer')"
        " or m.startswith(('agent_saga.proofs.log', 'agent_saga.trace.store'))"
        " or m in ('agent_saga.proofs.tree', 'agent_saga.proofs.planning', 'agent_saga.proofs.bundles.making')]\n"
        "print(bad)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
