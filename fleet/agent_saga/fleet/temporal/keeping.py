"""What a part found, kept as a file that its name and digest tell apart.

The file is a pickle: it is read only with the digest that its writer reported, by those who trust their own workers.
"""

import os
import pickle
from hashlib import sha256
from pathlib import Path

from agent_saga.certify.judging.inputs import Part
from agent_saga.fleet.errors import FleetFault
from agent_saga.fleet.temporal.messages import Found, Job


def name_of(job: Job, part: int) -> str:
    """The file of a part: the same for the same job."""
    return f"{job.name}-{part}.part"


def keep(folder: Path, job: Job, part: int, found: Part) -> Found:
    """Write what a part found. Raises FleetFault."""
    data, name = pickle.dumps(found, protocol=5), name_of(job, part)
    new = folder / f".{name}.{os.getpid()}"
    try:
        new.write_bytes(data)
        os.replace(new, folder / name)
    except OSError as fault:
        raise FleetFault(f"{folder}: {fault.strerror}: every worker must be able to write into --work") from fault
    return Found(part, name, sha256(data).hexdigest())


def take(folder: Path, found: Found) -> Part:
    """Read it back. Raises FleetFault when the bytes are not those that the worker reported."""
    try:
        data = (folder / os.path.basename(found.file)).read_bytes()
    except OSError as fault:
        raise FleetFault(
            f"{folder / found.file}: {fault.strerror}: --work must be one folder, shared by all workers"
        ) from fault
    if sha256(data).hexdigest() != found.sha256:
        raise FleetFault(f"{folder / found.file}: is not what the worker wrote; remove it and ask again")
    part = pickle.loads(data)
    if not isinstance(part, Part):
        raise FleetFault(f"{folder / found.file}: holds no part of a certification")
    return part
