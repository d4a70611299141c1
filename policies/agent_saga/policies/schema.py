"""What stands in a policy and in a file of waivers: members, forms and bounds. Both JSON Schemas are made from here.

The schemas are what the reader itself checks with (:mod:`agent_saga.policies.loading.shape`), so an editor that shows
them and the reader cannot disagree.

Source: docs/spec/policy-v1.md, "Members".
"""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from agent_saga.trace.limits import MAX_INT

MANY: Final = 1_000
"""Tools, rules, limits, tests: ten times the largest policy that one person could review."""
MAX_QUORUM: Final = 100
"""Persons of a quorum: a bound for typing errors."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
Tool = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,128}$")]
Line = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[^\n]*$")]
Prose = Annotated[str, StringConstraints(min_length=1, max_length=4_000)]
Cel = Annotated[str, StringConstraints(min_length=1)]
Duration = Annotated[str, StringConstraints(pattern=r"^P([0-9]{1,4}D)?(T([0-9]{1,6}H)?([0-9]{1,6}M)?([0-9]{1,8}S)?)?$")]
Day = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
Whole = Annotated[int, Field(ge=0, le=MAX_INT)]
Semantics = Literal["preview", "reversible", "compensable", "irreversible"]
Consequence = Literal["low", "medium", "high", "critical"]
Enforcement = Literal["advisory", "soft", "hard", "evaluate"]
Strength = Literal["A", "B", "C", "D"]
Roles = Annotated[tuple[Name, ...], Field(min_length=1, max_length=64)]


def _optional(says: str) -> Any:
    """A member that may be left out; it is never written as null, and the schema says so."""
    return Field(default=None, description=says, json_schema_extra=_never_null)


def _never_null(schema: dict[str, Any]) -> None:
    del schema["default"]
    cases = [one for one in schema.pop("anyOf") if one != {"type": "null"}]
    schema.update(cases[0] if len(cases) == 1 else {"anyOf": cases})


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ApproveDocument(_Strict):
    """What persons must do before a call."""

    quorum: Annotated[int, Field(ge=1, le=MAX_QUORUM)] | None = _optional("How many persons. [1]")
    roles: Roles | None = _optional("Of which roles of the key registry. [approver]")
    strength: Strength | None = _optional("The least strength of their signatures. [D]")
    within: Duration | None = _optional("How long the request stays open; its end denies. [PT15M]")


class AskDocument(_Strict):
    """The answer that persons must approve first."""

    approve: ApproveDocument = Field(description="Who, how many, how strong, how fast.")


class WaiveDocument(_Strict):
    """Who may sign waivers of this policy."""

    roles: Roles | None = _optional("Of which roles of the key registry. [approver]")
    strength: Strength | None = _optional("The least strength of their signatures. [D]")


class AmountDocument(_Strict):
    """Where money stands whose parts are not named minor and currency."""

    minor: Cel = Field(description="The argument that counts minor units, such as args.amount_minor.")
    currency: Cel = Field(description='The argument that names its currency; or a text, such as "EUR" in quotes.')


class InverseDocument(_Strict):
    """What must hold of the call that undoes a call of this tool."""

    args: str | dict[str, Any] | None = _optional(
        "JSON Schema of the undo's arguments, or a path to it. [args of the tool that undoes]"
    )
    amount: Cel | AmountDocument | None = _optional("What the undo gives back, such as undo.amount.")
    must: Cel | None = _optional("A condition over args and undo that every undo must satisfy.")


class ToolDocument(_Strict):
    """A tool that may be called."""

    semantics: Semantics = Field(description="Its class; a call under another class is refused.")
    undo: Tool | None = _optional("The tool that undoes it.")
    args: str | dict[str, Any] | None = _optional("JSON Schema of its arguments, or a path to it from this file.")
    consequence: Consequence | None = _optional("How bad a wrong call is.")
    fee: Whole | None = _optional("Minor units that an undo may keep back. [0]")
    amount: Cel | AmountDocument | None = _optional("What a call moves, such as args.amount; with inverse.amount.")
    inverse: InverseDocument | None = _optional("What its undo must be. [the call that the trace recorded]")


class RuleDocument(_Strict):
    """If ``when`` holds for a call, ``then`` applies."""

    id: Name = Field(description="Names it in traces, tests and waivers.")
    why: Prose | None = _optional("The reason, for people.")
    when: Cel = Field(description="A condition in the subset of CEL.")
    then: Literal["deny", "allow"] | AskDocument = Field(description="deny, allow, or {approve: ...}.")
    enforcement: Enforcement | None = _optional("[soft]")


class LimitDocument(_Strict):
    """A bound over a sliding window, kept apart for each value of ``per``."""

    id: Name = Field(description="Names it in traces, tests and waivers.")
    why: Prose | None = _optional("The reason, for people.")
    sum: Cel | None = _optional("What each call adds, of type int; left out, calls are counted.")
    of: Cel = Field(description="Which calls count.")
    per: Annotated[tuple[Cel, ...], Field(max_length=8)] | None = _optional("What is kept apart.")
    window: Duration = Field(description="How long a call counts.")
    max: Whole = Field(description="What may be reached, and not exceeded.")
    then: Literal["deny", "allow"] | AskDocument | None = _optional("What a call gets that would exceed it. [deny]")
    enforcement: Enforcement | None = _optional("[soft]")


class ChainDocument(_Strict):
    """What the saga of a test may do in all."""

    semantics: Semantics = Field(description="The worst class among its steps.")
    consequence: Consequence | None = _optional("The worst consequence among its steps. [critical]")


class GivenDocument(_Strict):
    """The call of a test."""

    tool: Tool = Field(description="Which tool.")
    args: dict[str, Any] | None = _optional("Its arguments. [{}]")
    agent: str | None = _optional("Which agent. [the first of agents, else empty]")
    saga: str | None = _optional("Which saga.")
    step: str | None = _optional("Which step.")
    at: str | None = _optional("When, RFC 3339 in UTC. [2026-01-01T00:00:00Z]")
    semantics: Semantics | None = _optional("Its class. [the tool's]")
    chain: ChainDocument | None = _optional("What its saga may do in all.")


class TestDocument(_Strict):
    """A test: what is given, and the answer that it must get."""

    __test__ = False

    name: Line = Field(description="What it shows.")
    given: GivenDocument = Field(description="The call.")
    spent: dict[Name, Whole] | None = _optional("What was used before, by the limit's id.")
    expect: Literal["deny", "allow"] | AskDocument = Field(description="What it must get; members named must equal.")
    rules: tuple[Name, ...] | None = _optional("The rules and limits that must have fired with effect, and no other.")


class DecideDocument(_Strict):
    """Who may decide about a call that nobody can prove, by verdict."""

    undone: ApproveDocument | None = _optional("That it was undone.")
    kept: ApproveDocument | None = _optional("That it stays.")
    landed: ApproveDocument | None = _optional("That it happened.")
    absent: ApproveDocument | None = _optional("That it never happened.")


class PolicyDocument(_Strict):
    """A policy: which tools there are, which calls are denied or need persons, how much may be spent."""

    policy: Name = Field(description="Its name; a policy and its next version share it.")
    version: Annotated[int, Field(ge=1, le=MAX_INT)] = Field(description="Grows with every version that is signed.")
    owner: Line = Field(description="Who answers for it.")
    description: Prose | None = _optional("What it is for.")
    agents: Annotated[tuple[Line, ...], Field(min_length=1, max_length=MANY)] | None = _optional(
        "Agents that may call at all. [any]"
    )
    tools: Annotated[dict[Tool, ToolDocument], Field(min_length=1, max_length=MANY)] = Field(
        description="Every tool that may be called; any other is refused."
    )
    irreversible: ApproveDocument | None = _optional("What an irreversible call needs where no rule asks for more.")
    decide: DecideDocument | None = _optional("Who may decide about a call that nobody can prove. [nobody]")
    waive: WaiveDocument | None = _optional("Who may sign waivers.")
    rules: Annotated[tuple[RuleDocument, ...], Field(max_length=MANY)] | None = _optional("Conditions and answers.")
    limits: Annotated[tuple[LimitDocument, ...], Field(max_length=MANY)] | None = _optional("Bounds over windows.")
    tests: Annotated[tuple[TestDocument, ...], Field(max_length=MANY)] | None = _optional("Calls and their answers.")


class WaiverDocument(_Strict):
    """A rule or limit lifted for a while."""

    id: Name = Field(description="Names it in traces and reports.")
    rule: Name = Field(description="The rule or limit that it lifts.")
    scope: Cel | None = _optional("Which calls. [all]")
    reason: Prose = Field(description="Why.")
    owner: Name = Field(description="Who asked for it: a pseudonym.")
    approved_by: Name = Field(description="The person of the key registry who signs it, and is not the owner.")
    created: Day = Field(description="Its first day, UTC.")
    expires: Day = Field(description="Its last day, UTC, which still counts.")
    proof: dict[str, Any] | None = _optional("The approver's signature; `agent-saga policy sign --waiver` writes it.")


class WaiversDocument(_Strict):
    """The waivers of one policy, in a file beside it."""

    policy: Name = Field(description="The policy's name.")
    waivers: Annotated[tuple[WaiverDocument, ...], Field(max_length=MANY)] = Field(description="The waivers.")


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a policy file."""
    return _published(PolicyDocument, "policy", "A policy of agent-saga")


def waivers_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a file of waivers."""
    return _published(WaiversDocument, "waivers", "Waivers of a policy of agent-saga")


def _published(model: type[BaseModel], word: str, title: str) -> dict[str, Any]:
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:agent-saga:{word}:v1"}
    schema: dict[str, Any] = model.model_json_schema()
    _name_strictly(schema)
    return head | schema | {"title": title}


def _name_strictly(schema: Any) -> None:
    """Objects whose names have a form take no other name: ``patternProperties`` alone would let any other pass."""
    if isinstance(schema, list):
        for part in schema:
            _name_strictly(part)
    if not isinstance(schema, dict):
        return
    patterns = schema.pop("patternProperties", None)
    if isinstance(patterns, dict):
        [(pattern, values)] = patterns.items()
        schema.update({"propertyNames": {"pattern": pattern}, "additionalProperties": values})
    for part in schema.values():
        _name_strictly(part)
