"""What a worker wrote is read as what it says and as nothing else: no file runs anything or shows a traceback."""

from __future__ import annotations

import os
import pickle
import random
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_saga.certify.judging.inputs import Part, judge_part
from agent_saga.certify.policing.asked import Asked, Then
from agent_saga.certify.policing.given import Given, Person
from agent_saga.certify.policing.spending import Bucket, Spending
from agent_saga.certify.report import Report
from agent_saga.certify.run import Options
from agent_saga.fleet.errors import FleetFault
from agent_saga.fleet.temporal.asking import put_together
from agent_saga.fleet.temporal.judging import job_of, task_of
from agent_saga.fleet.temporal.keeping import name_of
from agent_saga.fleet.temporal.messages import Found, Job
from agent_saga.fleet.temporal.packing import VERSION, form_of, pack, unpack
from agent_saga.policies.model import Approve
from agent_saga.trace.conceal import conceal

ROOT = Path(__file__).resolve().parents[2]
TRACES = sorted(path for path in (ROOT / "fixtures").rglob("*.jsonl") if path.stat().st_size < 200_000)
WRONG: list[Any] = [None, True, -1, 7, 2**63, 1.5, "", "AS999", b"", b"x" * 21, [], [[]], ["q", [1]], {}, {"a": 1}]


def _job(path: Path) -> Job:
    return job_of(str(path), Options(keep_sagas=True, timelines=True), 1)


def _judged(path: Path) -> Part:
    return judge_part(task_of(_job(path))[0])


def _taken(folder: Path, job: Job, data: bytes) -> Report:
    """What comes of a part whose worker reports these bytes as its own."""
    (folder / name_of(job, 0)).write_bytes(data)
    return put_together(job, [Found(0, name_of(job, 0), sha256(data).hexdigest())], folder)


@pytest.mark.parametrize("path", TRACES[::6], ids=lambda path: path.stem)
def test_a_part_comes_back_as_it_was(path: Path, tmp_path: Path) -> None:
    part, own = _judged(path), name_of(_job(path), 0)
    data = pack(part, own)
    back = unpack(data, own)
    assert pack(back, own) == data
    for name in {*part.__slots__} - {"bench"}:
        assert getattr(back, name) == getattr(part, name)
    for name in {*vars(part.bench)} - {"crossing", "disclosures"}:
        assert getattr(back.bench, name) == getattr(part.bench, name)
    assert _taken(tmp_path, _job(path), data).findings == put_together_alone(path).findings


def put_together_alone(path: Path) -> Report:
    """The report without a file in between."""
    from agent_saga.certify.judging.outcomes import conclude
    from agent_saga.certify.run import reported

    task, ready = task_of(_job(path))
    return reported([conclude(task, [judge_part(task)])], ready)


def test_what_calls_take_from_limits_comes_back_as_it_was() -> None:
    spending, approve = Spending(), Approve(2, ("risk", "ops"), "B", 60)
    kinds = [
        ("pay", Asked(approve, None, True, "p"), Given((Person(("risk",), "A"),), 1, 0, 5)),
        ("", Asked(), Given()),
    ]
    for line, kind in enumerate(kinds, 1):
        spending.lines.append(line)
        spending.ats.append(-line)
        spending.sagas.append(spending.saga_names.number(f"s{line}"))
        spending.effects.append(spending.effect_names.number("e"))
        spending.kinds.append(spending.kind_table.number(kind))
        spending.firsts.append(len(spending.buckets))
        spending.buckets.append(spending.bucket_table.number(Bucket("p", "l", "k", 60, 2**63 - 1)))
        spending.amounts.append(2**63 - 1)
        spending.thens.append(spending.then_table.number(Then(approve, "w", ("x",), False)))
    form = form_of(Spending)
    back = form.read(msgspec.msgpack.decode(msgspec.msgpack.encode(form.write(spending))))
    assert list(back.rows()) == list(spending.rows())
    assert [list(back.taken(index)) for index in (0, 1)] == [list(spending.taken(index)) for index in (0, 1)]
    assert back.then_table.values == spending.then_table.values


def test_what_opens_concealed_values_stays_with_the_worker() -> None:
    part = _judged(TRACES[0])
    _, text = conceal("Ada Lovelace", "A" * 21 + "Q")
    part.bench.disclosures.add("here:1", text)
    data = pack(part)
    assert b"Ada Lovelace" not in data
    assert text.encode() not in data
    assert not unpack(data).bench.disclosures.values


class _Runs:
    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.place),)


def test_a_file_that_would_run_something_when_unpickled_runs_nothing(tmp_path: Path) -> None:
    job, place = _job(TRACES[0]), tmp_path / "ran"
    data = pickle.dumps(_Runs(place))
    with pytest.raises(FleetFault, match="holds no part of a certification"):
        _taken(tmp_path, job, data)
    assert not place.exists()
    pickle.loads(data)
    assert place.exists()  # the bytes were able to


def _hostile() -> dict[str, bytes]:
    own = name_of(_job(TRACES[0]), 0)
    good, encode = pack(_judged(TRACES[0]), own), msgspec.msgpack.encode
    return {
        "empty": b"",
        "cut": good[:-1],
        "more behind": good + b"\0",
        "another version": good.replace(VERSION.encode(), b"agent-saga-part-v1", 1),
        "no list": encode({"v": VERSION}),
        "two": encode([VERSION, []]),
        "no fields": encode([VERSION, own, []]),
        "another part": pack(_judged(TRACES[0]), name_of(_job(TRACES[0]), 1)),
        "of another job": pack(_judged(TRACES[0]), name_of(_job(TRACES[1]), 0)),
        "a billion items": b"\xdd\x3b\x9a\xca\x00",
        "deep": b"\x91" * 200_000,
        "no text": encode([VERSION]).replace(b"agent", b"\xff\xfegen"),
        "a time": encode([VERSION, own, msgspec.msgpack.Ext(-1, b"\0\0\0\0")]),
    }


@pytest.mark.parametrize("name", _hostile())
def test_bytes_that_are_no_part_are_refused_in_words(name: str, tmp_path: Path) -> None:
    with pytest.raises(FleetFault, match="holds no part of a certification"):
        _taken(tmp_path, _job(TRACES[0]), _hostile()[name])


def _places(value: Any, way: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield way
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield from _places(one, (*way, number))


def _with(value: Any, way: tuple[int, ...], wrong: Any) -> Any:
    if not way:
        return wrong
    return [_with(one, way[1:], wrong) if number == way[0] else one for number, one in enumerate(value)]


@pytest.mark.parametrize("path", TRACES[3::60], ids=lambda path: path.stem)
def test_whatever_stands_at_any_place_it_is_a_report_or_a_refusal(path: Path, tmp_path: Path) -> None:
    job, packed = _job(path), msgspec.msgpack.decode(pack(_judged(path), name_of(_job(path), 0)))
    draw = random.Random(path.stem)
    ways = [way for way in _places(packed) if way]
    refused = 0
    for way in draw.sample(ways, min(60, len(ways))):
        try:
            report = _taken(tmp_path, job, msgspec.msgpack.encode(_with(packed, way, draw.choice(WRONG))))
        except FleetFault:
            refused += 1
        else:
            assert isinstance(report, Report)
    assert refused > 20


@pytest.mark.parametrize("name", ["../x.part", "/etc/passwd", "", "..", "x\0y", "other.part"])
def test_a_worker_cannot_name_another_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(FleetFault, match="a worker named the file"):
        put_together(_job(TRACES[0]), [Found(0, name, "0" * 64)], tmp_path)
