"""The reader: lines to records, records through the chain and the mapping, in one pass."""

from collections.abc import Iterator

from agent_saga.certify.importers.agent_saga_log.chain import Chain, Tree
from agent_saga.certify.importers.agent_saga_log.endings import CUT_OFF, NO_LF, unfinished, unread
from agent_saga.certify.importers.agent_saga_log.ends import withheld_ends
from agent_saga.certify.importers.agent_saga_log.limits import AT_ONCE
from agent_saga.certify.importers.agent_saga_log.mapper import Mapper
from agent_saga.certify.importers.agent_saga_log.mapping import HANDLERS, take
from agent_saga.certify.importers.agent_saga_log.parts import read_part
from agent_saga.certify.importers.agent_saga_log.records import parse
from agent_saga.certify.importers.agent_saga_log.usual import take_usual
from agent_saga.certify.source import Fault, ImportChoices, Observed
from agent_saga.trace.errors import LineError
from agent_saga.trace.reader import Opened


def read(opened: Opened, choices: ImportChoices) -> Iterator[Observed | Fault]:
    """Yield what a log holds. Never raises for what its bytes hold; memory grows with the open sagas only."""
    if choices.parts > 1:
        yield from read_part(opened, choices.part, choices.parts)
        return
    chain = Chain()
    mapper = Mapper(chain.gaps)
    tree = Tree() if choices.expected_root else None
    out, number = mapper.out, 0
    for block in opened.blocks():
        for line in block:
            number += 1
            if tree is not None or take_usual(mapper, chain, HANDLERS, line, number) is None:
                _other(line, number, chain, mapper, tree)
            if len(out) >= AT_ONCE:
                yield from out
                out.clear()
    if opened.truncated:
        out.append(unread(opened))
    elif opened.rest:
        _tail(opened.rest, number + 1, chain, mapper, tree)
    yield from _close(chain, mapper, tree, choices.expected_root)


def _other(line: bytes, number: int, chain: Chain, mapper: Mapper, tree: Tree | None) -> None:
    """A line that is not the usual next record: what is wrong with it, if anything is, and what it still says."""
    try:
        record = parse(line)
    except LineError as fault:
        mapper.out.append(Fault(number, fault.code, fault.message))
        chain.lose()
        return
    mapper.out.extend(chain.check(record, number))
    if tree is not None:
        tree.add(record)
    take(mapper, record, number)


def _tail(line: bytes, number: int, chain: Chain, mapper: Mapper, tree: Tree | None) -> None:
    """What follows the last LF: a record whose writer did not finish, even when nothing else of it is missing."""
    try:
        record = parse(line)
    except LineError:
        mapper.out.append(unfinished(number, CUT_OFF))
        return
    mapper.out.extend(chain.check(record, number))
    if tree is not None:
        tree.add(record)
    take(mapper, record, number)
    mapper.out.append(unfinished(number, NO_LF))


def _close(chain: Chain, mapper: Mapper, tree: Tree | None, root: str) -> Iterator[Observed | Fault]:
    withheld_ends(mapper)
    yield from mapper.out
    mapper.out.clear()
    yield from chain.gaps.close()
    yield from mapper.withheld.close()
    if tree is not None and tree.root() != root.lower():
        yield Fault(
            0,
            "AS104",
            f"the log's {tree.size} records have the Merkle root {tree.root()}; the root given is {root}: records were "
            "changed, added or cut off after that root was published, or it is the root of another log or another size",
            subject="merkle root",
            expected="exactly the records over which the root was published",
            what="the whole log",
        )
