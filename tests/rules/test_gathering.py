"""Lines are gathered by saga before they are judged, and nothing of the answer shows it."""

import random
from collections.abc import Callable

import pytest

from agent_saga.certify.findings import Finding
from agent_saga.certify.judging import gathering
from agent_saga.certify.judging.bench import MAX_KINDS, Bench
from agent_saga.certify.judging.crossing import Crossing
from agent_saga.certify.judging.gathering import Gatherer
from agent_saga.certify.rule import Draft, at
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.heads import ends, ends_of, sagas_of


def story(saga: str) -> list[bytes]:
    """The lines of one small saga."""
    head = b'{"v":1,"saga":"%b","seq":%d,"prev":"%b","at":"2026-11-30T07:00:00.000000Z","type":"%b","by":"runtime"}'
    kinds = ["saga.started", *["check.evaluated"] * 9, "saga.ended"]
    return [head % (saga.encode(), seq, b"0" * 64, kind.encode()) for seq, kind in enumerate(kinds)]


def mixed(*stories: list[bytes]) -> list[bytes]:
    """All lines in one order, each story's in its own."""
    rng, left = random.Random(1), [iter(lines) for lines in stories]
    picks = [number for number, lines in enumerate(stories) for _ in lines]
    rng.shuffle(picks)
    return [next(left[number]) for number in picks]


def test_a_saga_comes_together_when_it_ends() -> None:
    lines = mixed(story("a"), story("b:2"), story("c"))
    runs = list(Gatherer(together=1).runs([lines[:7], lines[7:]]))
    assert sorted(line for run in runs for line in run.lines) == sorted(lines)
    assert [run.lines for run in runs] == [story(sagas_of(run.lines)[0].decode()) for run in runs]
    assert [run.numbers[-1] for run in runs] == sorted(run.numbers[-1] for run in runs)
    assert all(lines[number - 1] == line for run in runs for number, line in zip(*run, strict=True))


def test_small_sagas_are_given_several_at_once() -> None:
    lines = mixed(*(story(f"s{number}") for number in range(30)))
    alone = [line for line in lines if sagas_of([line]) == [b"s7"]]
    runs = list(Gatherer().runs([lines]))
    assert [len(run.lines) for run in runs] == [264, 66]
    assert [line for run in runs for line in run.lines if line in alone] == story("s7")


def test_parts_share_the_sagas_among_them() -> None:
    lines = mixed(*(story(f"s{number}") for number in range(20)))
    halves = [{line for run in Gatherer(part, 2).runs([lines]) for line in run.lines} for part in (0, 1)]
    assert halves[0] | halves[1] == set(lines)
    assert not halves[0] & halves[1]
    assert all(halves)


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_every_part_gets_its_sagas_and_at_once_the_lines_of_the_log(parts: int) -> None:
    lines = mixed(*(story(f"s{number}") for number in range(9)), story("log"), [b"no line", b"{}"])
    own = [number for number, line in enumerate(lines, 1) if sagas_of([line]) == [b"log"]]
    met: list[int] = []
    for part in range(parts):
        gatherer = Gatherer(part, parts)
        runs = list(gatherer.runs([lines[:50], lines[50:51], [], lines[51:]]))
        assert [run.numbers[0] for run in runs if sagas_of(run.lines[:1]) == [b"log"]] == own
        assert all(len(run.lines) == 1 for run in runs if run.numbers[0] in own)
        assert all(lines[number - 1] == line for run in runs for number, line in zip(*run, strict=True))
        assert gatherer.lines == len(lines)
        met += [number for run in runs for number in run.numbers if not gatherer.elsewhere(run)]
    assert sorted(met) == list(range(1, len(lines) + 1))


def test_what_waits_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "_WAITING", 1000)
    blocks = [[line] for line in mixed(*(story(f"s{number}")[:-1] for number in range(20)))]
    waiting: list[int] = []
    gatherer = Gatherer(together=1)
    for run in gatherer.runs(blocks):
        waiting.append(sum(map(len, run.lines)))
    assert max(waiting) <= 1000
    assert gatherer.lines == len(blocks)


@pytest.mark.parametrize("saga", ["s", "s" * 128])
@pytest.mark.parametrize("seq", [0, 9, 10, 2**53 - 1])
def test_the_end_of_a_saga_is_seen(saga: str, seq: int) -> None:
    line = story(saga)[-1].replace(b'"seq":10,', b'"seq":%d,' % seq)
    other = line.replace(b"saga.ended", b"saga.halted")
    assert sagas_of([line, other]) == [saga.encode()] * 2
    assert (ends(line), ends(other)) == (True, False)
    assert ends_of([line, other]) == [True, False]


def draft(subject: str, line: int) -> Draft:
    """Something that a rule says of a line."""
    return Draft(subject, "because", "expected", (at(line, "what"),))


def said(order: Callable[[list[int]], object]) -> list[Finding]:
    """What is kept of more than is kept, told in some order."""
    bench = Bench("trace", Disclosures())
    lines = list(range(1, 2 * MAX_KINDS))
    order(lines)
    for line in lines:
        bench.add("AS201", f"s{line}", draft("effect e1", line), line)
    return bench.findings()


def test_which_findings_are_kept_does_not_depend_on_the_order_of_sagas() -> None:
    told = said(lambda lines: None)
    assert [finding.count for finding in told if finding.subject == "further findings"] == [MAX_KINDS - 1]
    assert {finding.saga for finding in told} == {"", *(f"s{line}" for line in range(1, MAX_KINDS + 1))}
    assert said(random.Random(1).shuffle) == said(list.reverse) == told


def test_a_digest_that_stands_again_is_told_from_its_first_line() -> None:
    places = [("d", 3), ("d", 5), ("d", 5), ("e", 4), ("d", 9)]
    told = []
    for shuffled in (places, places[::-1], places[2:] + places[:2]):
        crossing = Crossing()
        for digest, line in shuffled:
            crossing.conceal([digest], line)
        told.append([draft.because for _, _, draft in crossing.judge()])
    assert told[0] == told[1] == told[2]
    assert [because.partition("line ")[2] for because in told[0]] == ["3 and again on line 5"] * 2 + [
        "3 and again on line 9"
    ]
