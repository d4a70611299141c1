"""Recording a proof in a store: the engine verifies it and writes the line, under the saga's lease."""

import asyncio
from typing import TYPE_CHECKING, Any

import typer

from agent_saga.cli.approvals.given import read_bytes
from agent_saga.cli.terminal import note, say, visible

if TYPE_CHECKING:
    from agent_saga.runtime.engine import Engine


def record(store: str, proof: dict[str, Any], registry: str) -> int:
    """Write an answer or a decision into its saga, and say where the request stands now.

    registry: ``--registry``, for a store whose log names none. Raises NotApproved when the proof does not hold,
    RuntimeFault when the saga is held or does not wait, RegistryFault, StoreError, BadParameter.
    """
    from agent_saga.approvals.display import reading

    about = reading(proof.get("request")).word
    if about == "change":
        raise typer.BadParameter(
            "this is about a change of what is in force: hand it to `agent-saga approvals registry adopt`, `approvals "
            "revoke` or `policy adopt` with --proof"
        )
    asyncio.run(_record(store, proof, registry, about))
    say(visible(_told(proof["request"], about)) + "\n")
    if about == "content":
        _tell_quorum(store, proof["request"])
    return 0


async def _record(store: str, proof: dict[str, Any], registry: str, about: str) -> None:
    from agent_saga.runtime.engine import Engine
    from agent_saga.trace.store import open_store

    given = registry_value(registry) if registry else None
    opened = open_store(store, create=False)
    try:
        for notice in opened.notices:
            note(notice)
        engine = Engine(opened, registry=given)
        await (_answer(engine, proof) if about == "content" else _decide(engine, proof))
    finally:
        await opened.close()


async def _answer(engine: "Engine", proof: dict[str, Any]) -> None:
    await engine.approve(proof["request"]["content"]["saga"], proof)


async def _decide(engine: "Engine", proof: dict[str, Any]) -> None:
    from agent_saga.runtime.kernel.deciding import of_proof

    await engine.decide(proof["request"]["saga"], of_proof(proof))


def registry_value(path: str) -> Any:
    """A registry file as its JSON value, read strictly first. Raises RegistryFault, which names the file."""
    from agent_saga.approvals.limits import MAX_REGISTRY
    from agent_saga.approvals.strict import parse
    from agent_saga.cli.approvals.given import registry_of

    registry_of(path)
    return parse(read_bytes(path), "the registry", MAX_REGISTRY)


def _told(about: dict[str, Any], kind: str) -> str:
    if kind == "content":
        content = about["content"]
        return f"recorded: {about['decision']} by {about['person']} for {content['saga']} {content['step']}"
    return f"recorded: {about['target']} is {about['verdict']}, by {about['person']} for {about['saga']}"


def _tell_quorum(store: str, about: dict[str, Any]) -> None:
    from agent_saga.cli.approvals.stores import look

    content = about["content"]
    for one in look(store).requests:
        if (one.saga, one.step) == (content["saga"], content["step"]):
            state = f"denied by {one.denied}" if one.denied else f"{len(one.answered)} of {one.requested.quorum}"
            note(visible(f"{one.saga} {one.step}: {state}"))
