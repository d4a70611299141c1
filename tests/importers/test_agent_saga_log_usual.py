"""The usual record is read in one step, which takes what the writer writes, and nothing that the other way refuses."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

import make_agent_saga_logs as logs

from agent_saga.certify.importers.agent_saga_log import FORMAT, reading
from agent_saga.certify.importers.agent_saga_log.chain import Chain
from agent_saga.certify.importers.agent_saga_log.mapper import Mapper
from agent_saga.certify.importers.agent_saga_log.mapping import HANDLERS
from agent_saga.certify.importers.agent_saga_log.usual import take_usual
from agent_saga.certify.importers.agent_saga_log.values import Clock
from agent_saga.certify.source import Fault, ImportChoices, Observed
from agent_saga.trace.reader import open_input


def in_one_step(line: bytes) -> bool:
    """Whether the first record of a log is taken in one step."""
    chain = Chain()
    return take_usual(Mapper(chain.gaps), chain, HANDLERS, line, 1) is not None


def one(**changed: Any) -> bytes:
    """A log of one record, chained with whatever it holds."""
    record = {"seq": 1, "event": "SAGA_START", "ts": logs.START, "saga_id": "a-1", "name": "a"} | changed
    return logs.lines(logs.chain([record], renumber=False))[:-1]


@pytest.mark.parametrize("name", ["happy", "compensated", "preview", "tentative_rolled_back", "several"])
def test_all_that_the_writer_writes_is_taken_in_one_step(name: str) -> None:
    chain = Chain()
    mapper = Mapper(chain.gaps)
    for number, line in enumerate(logs.lines(logs.GOOD[name]()).splitlines(), 1):
        assert take_usual(mapper, chain, HANDLERS, line, number) is not None
    assert not any(isinstance(item, Fault) for item in mapper.out)


@pytest.mark.parametrize("text", ["a-1", 'say "hi": {}', "Grüße, ☃", "\x1f\x7f\\", "\U0001f600"])
def test_any_text_is_taken_in_one_step(text: str) -> None:
    assert in_one_step(one(saga_id=text))
    assert in_one_step(one(kwargs={text: [text, 1.5, None]}))


UNUSUAL = {
    "another number": {"seq": 2},
    "a number that is none": {"seq": True},
    "an integer as time": {"ts": 1796022935},
    "a time with an exponent": {"ts": 1e16},
    "an early time": {"ts": 1e-5},
    "no time": {"ts": None},
    "an unknown event": {"event": "saga_start"},
    "an event that is no text": {"event": ["SAGA_START"]},
    "a redacted record": {"_redacted": None},
    "many levels": {"deep": [[[[]]]] * 30},
}


@pytest.mark.parametrize("changed", UNUSUAL.values(), ids=UNUSUAL)
def test_what_is_unusual_is_left_to_the_other(changed: dict[str, Any]) -> None:
    assert in_one_step(one())
    assert not in_one_step(one(**changed))


Spelling = Callable[[bytes], bytes]

SPELLINGS: dict[str, Spelling] = {
    "a name twice": lambda line: line.replace(b'"name"', b'"name": "b", "name"'),
    "a name twice, with a colon hidden": lambda line: line.replace(b'"name": "a"', b'"name": 1, "name": "\\u003a"'),
    "a number twice": lambda line: line.replace(b'{"seq"', b'{"seq": 1, "seq"'),
    "a hash twice": lambda line: line.replace(b', "_s"', b', "_h": "0", "_s"'),
    "a hash twice, in escapes": lambda line: line.replace(b', "_s"', b', "\\u005fh": "0", "_s"'),
    "a redaction": lambda line: line.replace(b', "_s"', b', "_redacted": 1, "_s"'),
    "a salt that ends early": lambda line: line.replace(line[-252:-248], b'", "'),
    "a salt in other letters": lambda line: line[:-250] + b"\xc3" + line[-249:],
    "no member before the chain": lambda line: line[line.index(b', "_s"') :],
    "a comma too many": lambda line: line.replace(b', "_s"', b',, "_s"'),
    "another object before": lambda line: b"{}," + line,
    "a byte order mark": lambda line: b"\xef\xbb\xbf" + line,
    "CR LF": lambda line: line + b"\r",
    "something behind": lambda line: line + b" ",
    "another spelling": lambda line: line.replace(b'", "_cd": ', b'","_cd":'),
    "other names": lambda line: line.replace(b"_cd", b"_dc"),
    "upper case": lambda line: line[:-10] + line[-10:].upper(),
    "another order": lambda line: json.dumps(json.loads(line), sort_keys=True).encode(),
    "too long": lambda line: line.replace(b', "_s"', b" " * 262_144 + b', "_s"'),
}


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_another_spelling_is_left_to_the_other(spell: Spelling) -> None:
    line = one()
    spelled = spell(line)
    assert spelled != line
    assert not in_one_step(spelled)


def streamed(path: Path) -> list[Observed | Fault]:
    return list(FORMAT.read(open_input(str(path)), ImportChoices()))


def _spoil(line: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(line))
    return line[:at] + bytes([rng.randrange(256)]) + line[at + rng.randrange(2) :]


def test_both_ways_say_the_same_of_a_spoiled_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, path, said = random.Random(5), tmp_path / "log.wal", []
    good = logs.lines(logs.base()).splitlines()
    makers = [*SPELLINGS.values(), *[lambda line: _spoil(line, rng)] * 60]
    bad = []
    for make in makers:
        at = rng.randrange(len(good))
        bad.append(b"\n".join([*good[:at], make(good[at]), *good[at + 1 :]]) + b"\n")
    for log in bad:
        path.write_bytes(log)
        said.append(streamed(path))
    monkeypatch.setattr(reading, "take_usual", lambda *_: None)
    for log, before in zip(bad, said, strict=True):
        path.write_bytes(log)
        assert streamed(path) == before
    assert sum(any(isinstance(item, Fault) for item in items) for items in said) > len(bad) // 2


MEMBERS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), MEMBERS, max_size=4), st.sampled_from(["", " ", "\\u003a", '"_s": "']))
def test_what_is_taken_in_one_step_is_what_the_other_takes(members: dict[str, Any], odd: str) -> None:
    line = one(**{name: value for name, value in members.items() if name not in ("seq", "event", "ts")}, odd=odd)
    chain, other = Chain(), Chain()
    mapper, second = Mapper(chain.gaps), Mapper(other.gaps)
    payload = take_usual(mapper, chain, HANDLERS, line, 1)
    reading._other(line, 1, other, second, None)
    if payload is not None:
        assert second.out == mapper.out
        assert (other.head, other.seq, other.line) == (chain.head, chain.seq, chain.line)
    else:
        assert (chain.head, chain.seq, mapper.out) == ("0" * 64, 0, [])


@given(st.floats(0, 253_402_300_799, exclude_max=True))
def test_a_time_is_spelled_as_its_decimals_are(ts: float) -> None:
    second, _, micro = f"{ts:.6f}".partition(".")
    shown = Clock().at(ts)
    assert shown == Clock().at(int(second))[:20] + micro + "Z"
    assert len(shown) == 27
