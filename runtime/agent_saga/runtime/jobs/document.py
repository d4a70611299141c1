"""What stands in a job: the members, their forms and bounds. The published JSON Schema is made from here."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from agent_saga.trace.limits import MAX_INT

FORMAT: Final = "agent-saga/job/v1"
"""What a job's document says first, and the only value that is accepted there."""
MAX_COUNT: Final = 100_000
"""Turns, calls or refusals: far above any job that a person answers for; a typing error must not spend a fortune."""
MAX_SECONDS: Final = 31_622_400
"""Seconds of a deadline: 366 days."""
MANY: Final = 64
"""Checks and criteria: more than a person keeps in mind."""

Line = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[^\n]*$")]
Prose = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Instructions = Annotated[str, StringConstraints(min_length=1, max_length=40_000)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
CheckName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,48}$")]
ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,128}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Pseudonym = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
Count = Annotated[int, Field(ge=1, le=MAX_COUNT)]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
Minor = Annotated[int, Field(ge=0, le=MAX_INT)]
Seconds = Annotated[int, Field(ge=1, le=MAX_SECONDS)]

EXPECTED: Final = {
    "format": f"the text {FORMAT}",
    "name": "1-64 of A-Z a-z 0-9 . _ -",
    "check": "the name of a check: 1-48 of A-Z a-z 0-9 _ -",
    "checks": "the name of a check: 1-48 of A-Z a-z 0-9 _ -",
    "tools": "the digest of a tool: sha256: and 64 lower-case hex digits",
    "policy": "the digest of a policy: sha256: and 64 lower-case hex digits",
    "person": "a pseudonym: 1-64 of A-Z a-z 0-9 . _ - (the table of names is kept apart)",
}
"""In words, what a member of this name holds, where its pattern would say it badly."""


def _optional(says: str) -> Any:
    """A member that may be left out; it is never written as null, and the schema says so."""
    return Field(default=None, description=says, json_schema_extra=_never_null)


def _never_null(schema: dict[str, Any]) -> None:
    del schema["default"]
    schema.update(next(one for one in schema.pop("anyOf") if one != {"type": "null"}))


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Budgets(_Strict):
    """What the job may spend; what is left out is what the saga's definition says."""

    turns: Count | None = _optional("Proposals of the agent.")
    calls: Count | None = _optional("Attempts of forward calls.")
    refusals: Count | None = _optional("Proposals refused before a person is asked.")
    deadline_seconds: Seconds | None = _optional("Seconds from the start after which nothing new is begun.")
    money: Annotated[dict[Currency, Minor], Field(min_length=1, max_length=MANY)] | None = _optional(
        "Minor units that the calls may move, by ISO 4217 currency; no other currency moves."
    )


class Criterion(_Strict):
    """One thing that is true when the job has succeeded, and the check that proves it."""

    criterion: Line = Field(description="In words.")
    check: CheckName = Field(description="The name of the check; it stands in checks too.")


class Escalation(_Strict):
    """Who is asked when the job cannot go on by itself."""

    person: Pseudonym = Field(description="A pseudonym; the table of names is kept apart.")
    reason: Line = Field(description="Why this person.")


class JobDocument(_Strict):
    """The public context of a job: what an agent is to reach, with what, within which bounds, and who is asked."""

    format: Literal["agent-saga/job/v1"] = Field(description="Version of this format.")
    name: Name = Field(description="Name of the saga's definition.")
    objective: Prose = Field(description="What is to be reached.")
    instructions: Instructions | None = _optional("How: told to the agent after the objective.")
    success: Annotated[tuple[Criterion, ...], Field(min_length=1, max_length=MANY)] = Field(
        description="When the objective is reached."
    )
    checks: Annotated[tuple[CheckName, ...], Field(min_length=1, max_length=MANY)] = Field(
        description="The checks that must pass; the definition has them all."
    )
    tools: Annotated[dict[ToolName, Digest], Field(min_length=1, max_length=256)] = Field(
        description="The tools that the agent may call, each with the digest of its entry in the catalogue."
    )
    budgets: Budgets | None = _optional("What the job may spend.")
    policy: Digest | None = _optional("The policy that every call is judged by, by its digest.")
    escalation: Escalation = Field(description="Who is asked when it cannot go on.")


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a job."""
    schema = JobDocument.model_json_schema()
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:agent-saga:job:v1"}
    return head | schema | {"title": "A job of agent-saga (saga.yaml)"}
