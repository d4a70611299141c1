"""What was proven, and what was not, in words and as a record. Nothing of the evidence can steer a terminal.

Source: docs/spec/bundle-v1.md, "What is claimed by whom".
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

from agent_saga.proofs.bundles.model import Opened, Proven, Signed, Stretch, Withheld
from agent_saga.proofs.checkpoints import Checkpoint
from agent_saga.proofs.cosigning import Cosigned
from agent_saga.proofs.names import to_base64
from agent_saga.trace.printing import visible

_SHOWN: Final = 20
"""Values and stretches that are named one by one; of more, the number is told."""
_LONGEST: Final = 200


def words(proven: Proven) -> list[str]:
    """The result for people, one statement a line; the first says what was proven."""
    rows = [("proven", _headline(proven)), *_signed(proven.checkpoint, proven.signed, proven.earlier)]
    rows += [("rests on", text) for text in _rests(proven)]
    rows += [("shown", text) for text in _shown(proven)]
    rows += [("opened", text) for text in _opened(proven.opened)]
    if proven.lines:
        rows += [("withheld", text) for text in _withheld(proven.withheld)]
    rows += [("not proven", text) for text in not_proven(proven)]
    return _table(rows)


def of_checkpoint(checkpoint: Checkpoint, signed: Signed, earlier: Checkpoint | None) -> list[str]:
    """The same of a checkpoint alone."""
    rows = [("proven", f"CHECKPOINT of {_lines(checkpoint.size)}: signed by the log that you pinned")]
    rows += _signed(checkpoint, signed, earlier)
    rows += [("not proven", text) for text in _unseen(signed)]
    return _table(rows)


def _table(rows: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{label + ':':<12}{text}" for label, text in rows]


def _signed(checkpoint: Checkpoint, signed: Signed, earlier: Checkpoint | None) -> list[tuple[str, str]]:
    rows = [("log", _log(checkpoint)), ("signed by", visible(str(signed.log)))]
    rows += [("witness", _seen(one)) for one in signed.witnesses]
    rows += [("monitor", _seen(one)) for one in signed.monitors]
    if earlier is not None:
        rows.append(("continues", f"the checkpoint of {_lines(earlier.size)} that you hold"))
    return rows


def _headline(proven: Proven) -> str:
    saga = visible(proven.saga)
    if proven.claim == "absent":
        return f"ABSENT SAGA {saga}: the log has no line of it"
    count = len(proven.lines)
    if proven.claim == "whole":
        return f"WHOLE SAGA {saga}: {_lines(count)}, {_run(0, count - 1)}, none left out"
    return f"PART OF A SAGA, {saga}: {_lines(count)}, and no word about the others"


def _run(first: int, last: int) -> str:
    return f"{first} to {last}" if first != last else f"line {first}"


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _log(point: Checkpoint) -> str:
    return f"{visible(point.origin)}, {_lines(point.size)}, root {to_base64(point.root)}"


def _seen(one: Cosigned) -> str:
    return f"{visible(one.name)} at {_time(one.at)}"


def _time(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return f"{seconds} s after 1970"


def audited_by(proven: Proven) -> str:
    """The monitors that recomputed the index, or ``nobody``."""
    return ", ".join(visible(one.name) for one in proven.signed.monitors) or "nobody"


def _rests(proven: Proven) -> Iterator[str]:
    size = proven.checkpoint.size
    if proven.claim == "whole":
        yield f"the chain, for: nothing is left out before line {len(proven.lines) - 1}"
        yield f"the index, for: nothing follows that line in the first {size} lines of the log"
    elif proven.claim == "absent":
        yield "two neighbours in the index: of two other sagas they tell hashed id, place and number of lines"
    if proven.indexed:
        yield f"the index is claimed by the log; audited by: {audited_by(proven)}"


def _shown(proven: Proven) -> Iterator[str]:
    if proven.claim == "part":
        for run in proven.stretches[:_SHOWN]:
            yield _stretch(run)
        if len(proven.stretches) > _SHOWN:
            yield f"and {len(proven.stretches) - _SHOWN} more stretches"
    if proven.claim == "whole":
        if proven.status is None:
            yield "the saga has not ended: it may go on behind this checkpoint"
        else:
            yield f"the saga ended as {visible(proven.status)}, by its own word: `agent-saga certify` judges that"
    if proven.own:
        yield f"{_lines(len(proven.own))} of the log's own"


def _stretch(run: Stretch) -> str:
    if run.first == run.last:
        return f"line {run.first}, line {run.last_index} of the log"
    return f"lines {run.first} to {run.last}, lines {run.first_index} to {run.last_index} of the log"


def _opened(opened: Sequence[Opened]) -> Iterator[str]:
    for one in opened[:_SHOWN]:
        text = visible(json.dumps(one.value, ensure_ascii=False, separators=(",", ":")))
        yield f"{one.seq}:{visible(one.pointer)} = {text if len(text) <= _LONGEST else text[:_LONGEST] + '...'}"
    if len(opened) > _SHOWN:
        yield f"and {len(opened) - _SHOWN} more values"


def _withheld(withheld: Sequence[Withheld]) -> Iterator[str]:
    if not withheld:
        yield "nothing"
        return
    named = ", ".join(f"{one.seq}:{visible(one.pointer)}" for one in withheld[:_SHOWN])
    more = f" and {len(withheld) - _SHOWN} more" if len(withheld) > _SHOWN else ""
    values = "1 concealed value" if len(withheld) == 1 else f"{len(withheld)} concealed values"
    yield f"{values}: {named}{more}"


def _unseen(signed: Signed) -> list[str]:
    found = []
    if not signed.witnesses:
        found.append("that the log shows everybody the same: split view and a second copy of this log not excluded")
    if signed.silent:
        names = ", ".join(map(visible, signed.silent))
        found.append(f"that these saw the checkpoint: {names}: pinned, but no signature of theirs is on it")
    return found


def not_proven(proven: Proven) -> list[str]:
    """What an auditor might take for proven, and is not."""
    found = _unseen(proven.signed)
    if proven.indexed and not proven.signed.monitors:
        found.append("that the index is true: no monitor that you pinned has recomputed it")
    if proven.claim == "absent":
        found.append("that no other log knows the saga, or that it was not written behind this checkpoint")
    if proven.claim == "part":
        found.append("that lines not shown change nothing; how many there are; what links one stretch to the next")
    if proven.claim != "absent":
        found.append("that what the lines say is true, or that the saga was in order: `agent-saga certify` judges that")
    return found


def record(proven: Proven) -> dict[str, Any]:
    """The result for programs. Strings are the evidence's own, unescaped but for JSON."""
    audited = [asdict(one) for one in proven.signed.monitors]
    index = {"claimed_by": proven.checkpoint.origin, "audited_by": audited}
    return {
        "result": "proven",
        "claim": proven.claim,
        "saga": proven.saga,
        "lines": len(proven.lines),
        "stretches": [asdict(run) for run in proven.stretches],
        "status": proven.status,
        **_record(proven.checkpoint, proven.signed, proven.earlier),
        "index": index if proven.indexed else None,
        "opened": [asdict(one) for one in proven.opened],
        "withheld": [asdict(one) for one in proven.withheld],
        "own_lines": sorted(proven.own),
        "not_proven": not_proven(proven),
    }


def record_of_checkpoint(checkpoint: Checkpoint, signed: Signed, earlier: Checkpoint | None) -> dict[str, Any]:
    """The same of a checkpoint alone."""
    head = {"result": "proven", "claim": "checkpoint"}
    return head | _record(checkpoint, signed, earlier) | {"not_proven": _unseen(signed)}


def _record(point: Checkpoint, signed: Signed, earlier: Checkpoint | None) -> dict[str, Any]:
    return {
        "log": {"origin": point.origin, "size": point.size, "root": to_base64(point.root), "vkey": str(signed.log)},
        "witnesses": [asdict(one) for one in signed.witnesses],
        "monitors": [asdict(one) for one in signed.monitors],
        "pinned_without_signature": list(signed.silent),
        "earlier": earlier.size if earlier else None,
    }
