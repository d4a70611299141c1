"""Taking in what witnesses and monitors signed, so that bundles carry it.

Source: docs/spec/log-v1.md, "On disk".
"""

from agent_saga.proofs.checkpoints import open_checkpoint
from agent_saga.proofs.cosigning import check_cosignature
from agent_saga.proofs.errors import LogFault
from agent_saga.proofs.log.folder import LogFolder, NoLog, place_of
from agent_saga.proofs.log.lock import locked
from agent_saga.proofs.notes import Note, Signature, parse_note
from agent_saga.proofs.pins import Pins


def attach(store: str, data: bytes, pins: Pins) -> tuple[int, int]:
    """Add the signatures of pinned witnesses and monitors to the log's own copy of a checkpoint.

    Returns the checkpoint's size and how many signatures are new. Those of others are left out: a false one would make
    every bundle of that checkpoint fail. Raises Refuted for a note that this log's pinned key did not sign or with a
    false signature of a pinned key, NoLog, LogFault when this log signed another checkpoint of that size, Locked.
    """
    folder = LogFolder(place_of(store))
    checkpoint, given = open_checkpoint(data, pins.log)
    size = checkpoint.size
    if size not in folder.sizes("checkpoints"):
        raise NoLog(f"{folder.path}: holds no checkpoint of {size} lines")
    with locked(folder):
        own = parse_note(folder.cosigned(size) or folder.note(size))
        if own.text != given.text:
            raise LogFault(f"{folder.path}: its checkpoint of {size} lines is another one: the log was forked")
        new = [one for one in _pinned(given, pins) if one not in own.signatures]
        replaced = {(one.name, one.id) for one in new}
        kept = [one for one in own.signatures if (one.name, one.id) not in replaced]
        if new:
            folder.replace(f"cosigned/{size}", str(Note(own.text, (*kept, *new))).encode(), durable=True)
    return size, len(new)


def _pinned(note: Note, pins: Pins) -> list[Signature]:
    """The signatures of pinned witnesses and monitors, verified. Raises Refuted."""
    found: list[Signature] = []
    for key in (*pins.witnesses, *pins.monitors):
        claimed = note.by(key)
        if claimed:
            check_cosignature(note, key)
            found += claimed[-1:]
    return found
