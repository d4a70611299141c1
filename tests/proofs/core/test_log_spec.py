"""The examples of docs/spec/log-v1.md are what the code makes and accepts; the sections that code names are there."""

from __future__ import annotations

import re
from pathlib import Path

import naive_tree as naive
from vector_kit import cosigned_line, note, signed_line

from agent_saga.proofs.checkpoints import open_checkpoint
from agent_saga.proofs.continuing import check_continues, parse_continuation
from agent_saga.proofs.cosigning import check_cosignature
from agent_saga.proofs.entries import key_of, parse_entry
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.keys import key_from_seed, save_key
from agent_saga.proofs.pins import format_pins, parse_pins
from agent_saga.proofs.tlog_proof import check_tlog_proof

ROOT = Path(__file__).resolve().parents[3]
SPEC = (ROOT / "docs" / "spec" / "log-v1.md").read_text("utf-8")
TRACE = (ROOT / "docs" / "spec" / "trace-v1.md").read_text("utf-8")
BLOCKS = re.findall(r"^```text\n(.*?)^```", SPEC, re.M | re.S)
LINES = re.findall(r"<!-- generated: example -->\n\n```json\n(.*?)\n```", TRACE, re.S)[0].encode().split(b"\n")


def block(start: str) -> str:
    found = [one for one in BLOCKS if one.startswith(start)]
    assert len(found) == 1, f"{len(found)} blocks begin with {start!r}"
    return found[0]


NOTE = block("log.example/shop\n5\n")
PINS = parse_pins(block("agent-saga-pin-v1"))


def test_the_checkpoint_is_over_the_lines_of_the_trace_format() -> None:
    checkpoint, signed = open_checkpoint(NOTE.encode(), PINS.log)
    assert checkpoint.root == root_of([leaf(line) for line in LINES]) == naive.mth(LINES)
    assert check_cosignature(signed, PINS.witnesses[0]).at == 1_796_022_000
    text = checkpoint.text()
    assert note(text, signed_line(text, "log.example/shop"), cosigned_line(text, 1_796_022_000)) == NOTE


def test_the_keys_of_the_page_are_one_and_the_same() -> None:
    assert block("log.example/shop+").split() == [str(PINS.log.vkey), str(PINS.witnesses[0])]
    assert format_pins(PINS) == block("agent-saga-pin-v1")


def test_the_proof_files_verify() -> None:
    file = block("c2sp.org/tlog-proof@v1").encode()
    assert check_tlog_proof(file, leaf(LINES[3]), PINS.log)[0] == 3
    later, _ = open_checkpoint(NOTE.encode(), PINS.log)
    earlier = type(later)(later.origin, 3, naive.mth(LINES[:3]))
    check_continues(earlier, later, parse_continuation(block("agent-saga-consistency-v1").encode()))


def test_the_index_entry_is_that_of_the_saga() -> None:
    entry = parse_entry(block("agent-saga-index-v1 6"))
    assert entry.key == key_of("k3JxQ0m7y2aTt5v9WcZ1eA")
    assert (entry.first, entry.last, entry.lines, entry.head) == (0, 4, 5, leaf(LINES[4]).hex())


def test_a_key_file_begins_as_the_page_shows(tmp_path: Path) -> None:
    path = tmp_path / "log.key"
    save_key(key_from_seed("log.example/shop", "log", b"\1" * 32), path, b"secret")
    assert path.read_text().startswith(block("agent-saga key: ") + "-----BEGIN ENCRYPTED PRIVATE KEY-----")


def test_the_sections_that_code_names_are_on_the_page() -> None:
    headings = set(re.findall(r"^##+ (.+)$", SPEC, re.M))
    code = "\n".join(path.read_text("utf-8") for path in ROOT.glob("*/agent_saga/**/*.py"))
    named = set()
    for found in re.findall(r'log-v1\.md((?:, "[^"]+")+)', code):
        named |= set(re.findall(r'"([^"]+)"', found))
    assert len(named) > 8
    assert named <= headings, named - headings
