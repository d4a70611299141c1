"""From a file to a job: read, parsed strictly, checked against the model, with everything that is wrong at once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import ValidationError

from agent_saga.policies.document import DocumentError, Fault, Node, did_you_mean, parse, read
from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.jobs.binding import BoundJob, bind
from agent_saga.runtime.jobs.digests import canonical, job_digest
from agent_saga.runtime.jobs.document import MANY, JobDocument
from agent_saga.runtime.jobs.errors import KIND, JobError
from agent_saga.runtime.jobs.faults import faults_of, nothing, secrets


@dataclass(frozen=True)
class JobSpec:
    """A job as its file says it. path: for messages; document: its members."""

    path: str
    document: JobDocument
    root: Node = field(repr=False)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what the file says, however it is spelled: ``spec`` of ``saga.started``."""
        return job_digest(self.root.plain)

    def bind(self, definition: SagaDefinition) -> BoundJob:
        """The job over the definition that it names. Raises JobError with all that does not fit."""
        return bind(self.path, self.root, self.document, self.digest, definition)


def load_job(path: str) -> JobSpec:
    """The job in a file: YAML, or JSON where the name ends in ``.json``. Raises JobError with all that is wrong."""
    try:
        data = read(path, KIND)
    except DocumentError as fault:
        raise JobError(path, fault.faults) from fault
    return parse_job(data, path)


def parse_job(data: bytes, path: str) -> JobSpec:
    """The job in these bytes; path as for :func:`load_job`, for messages. Raises JobError."""
    try:
        root, faults = parse(data, path, KIND)
    except DocumentError as fault:
        raise JobError(path, fault.faults) from fault
    faults += secrets(root)
    faults += _unproven(root)
    document = _validated(root, faults)
    if faults or document is None:
        raise JobError(path, faults)
    return JobSpec(path, document, root)


def _validated(root: Node, faults: list[Fault]) -> JobDocument | None:
    """The job's members, None when they are not those of a job; adds what is wrong to the faults."""
    _add(faults, nothing(root))
    try:
        return JobDocument.model_validate_json(canonical(root.plain))
    except ValidationError as error:
        _add(faults, faults_of(error, root))
        return None


def _add(faults: list[Fault], more: Iterable[Fault]) -> None:
    """Add those at places where nothing is known to be wrong: one mistake is told once."""
    known = {(one.line, one.column) for one in faults}
    faults += [one for one in more if (one.line, one.column) not in known]


def _unproven(root: Node) -> Iterator[Fault]:
    """A criterion is proven by a check that the job demands; a check stands there once."""
    checks = [node for node in root.at(["checks"]).items[:MANY] if isinstance(node.value, str)]
    for number, node in enumerate(checks):
        if any(node.value == earlier.value for earlier in checks[:number]):
            yield node.fault(f"the check {node.value!r} stands twice")
    known = [node.value for node in checks]
    for criterion in root.at(["success"]).items[:MANY] if known else ():
        node = criterion.at(["check"])
        if isinstance(node.value, str) and node.value not in known:
            hint = did_you_mean(node.value, known) or "; add it there"
            yield node.fault(f"the check {node.value!r} does not stand in checks{hint}")
