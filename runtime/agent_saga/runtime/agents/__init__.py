"""Drivers over agent frameworks: a language model proposes, the runtime decides and calls.

    driver = PydanticAIDriver(openrouter("vendor/model"))
    report = await engine.run(definition, driver, goal={"order": "o-1"})

A model is asked once a turn. It is told goal, facts, failures and refusals, and answers with one of the steps that are
allowed now; the answer is a proposal like any other, judged by the kernel and the gate. Nothing here holds a client of
a provider, an idempotency key or an undo, and nothing of the framework ever runs a tool.

Needs the extra ``agents``. The guide is docs/guide/agents.md.
"""

from agent_saga.runtime.agents.errors import MissingExtra, ModelRefused
from agent_saga.runtime.agents.openrouter import openrouter
from agent_saga.runtime.agents.pydantic_driver import PydanticAIDriver

__all__ = ["MissingExtra", "ModelRefused", "PydanticAIDriver", "openrouter"]
