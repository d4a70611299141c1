"""What a part found, kept as a file that its name and digest tell apart.

The file is believed as far as the worker is that reported its digest: it may hold false findings, and nothing else
(:mod:`~agent_saga.fleet.temporal.packing`). It is read once, and the bytes that were hashed are those that are used.
"""

import os
from hashlib import sha256
from pathlib import Path

from agent_saga.certify.judging.inputs import Part
from agent_saga.fleet.errors import FleetFault
from agent_saga.fleet.temporal.messages import Found, Job
from agent_saga.fleet.temporal.packing import pack, unpack


def name_of(job: Job, part: int) -> str:
    """The file of a part: the same for the same job."""
    return f"{job.name}-{part}.part"


def keep(folder: Path, job: Job, part: int, found: Part) -> Found:
    """Write what a part found. Raises FleetFault."""
    name = name_of(job, part)
    try:
        data = pack(found, name)
    except (TypeError, ValueError, OverflowError) as fault:
        raise FleetFault(f"{job.path}: what part {part} found cannot be kept ({fault}): certify it alone") from fault
    new = folder / f".{name}.{os.getpid()}"
    try:
        new.write_bytes(data)
        os.replace(new, folder / name)
    except OSError as fault:
        raise FleetFault(f"{folder}: {fault.strerror}: every worker must be able to write into --work") from fault
    return Found(part, name, sha256(data).hexdigest())


def take(folder: Path, job: Job, found: Found) -> Part:
    """Read it back. Raises FleetFault when the bytes are not those that the worker reported, or no part."""
    place = folder / name_of(job, found.part)
    if found.file != place.name:
        raise FleetFault(f"part {found.part}: a worker named the file {found.file!r:.80}; expected {place.name}")
    try:
        data = place.read_bytes()
    except OSError as fault:
        raise FleetFault(f"{place}: {fault.strerror}: --work must be one folder, shared by all workers") from fault
    if sha256(data).hexdigest() != found.sha256:
        raise FleetFault(f"{place}: is not what the worker wrote; remove it and ask again")
    try:
        return unpack(data, place.name)
    except ValueError as fault:
        raise FleetFault(f"{place}: holds no part of a certification ({fault}); remove it and ask again") from fault
