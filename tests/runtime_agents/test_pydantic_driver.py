"""A model proposes and never acts: it sees no client, key or undo; what it gets wrong comes back to it as a refusal."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from agent_saga.runtime import Call, Engine, Facts, Limits, Report, Result, SagaDefinition, Step, tool
from agent_saga.runtime.agents import MissingExtra, ModelRefused, PydanticAIDriver, openrouter
from agent_saga.runtime.errors import DefinitionError
from agent_saga.testing import assert_certified
from agent_saga.trace.store import open_store

KEY = "sk-or-" + "v1-Ab3" * 8
Answer = Callable[[dict[str, Any], AgentInfo], ModelResponse]


class Psp:
    """A provider that counts what really happened."""

    def __init__(self, note: str = "") -> None:
        self.charges, self.note = list[int](), note


@tool(name="payments.refund", semantics="compensable")
async def refund(charge: str, call: Call) -> dict[str, Any]:
    call.provider("psp").charges.pop()
    return {"refunded": charge}


@tool(name="payments.charge", semantics="compensable", undo=refund)
async def charge(minor: int, call: Call) -> Result:
    """Charge the customer."""
    call.provider("psp").charges.append(minor)
    return Result({"charge": "ch_1", "note": call.provider("psp").note}, undo=refund.call(charge="ch_1"))


def charged(facts: Facts) -> bool:
    return "pay" in facts.results or any("turn" in name for name in facts.results)


PLANNED = SagaDefinition("order", [charge], [charged], [Step("pay", "payments.charge")], Limits(backoff=0.0))
FREE = SagaDefinition("order", [charge], [charged], (), Limits(backoff=0.0), summary="Charge what the goal says.")


class Model:
    """Answers in turn, and keeps what it was told. answers: tool calls, a text, or an error to raise."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.told, self.tools = list(answers), list[dict[str, Any]](), list[list[str]]()
        self.everything = ""
        self.model = FunctionModel(self._answer)

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        request = messages[-1]
        assert isinstance(request, ModelRequest)
        part = request.parts[0]
        assert isinstance(part, UserPromptPart)
        self.told.append(json.loads(str(part.content)))
        self.tools.append([one.name for one in info.function_tools])
        self.everything += repr((messages, info))
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        parts = answer if isinstance(answer, list) else [answer]
        return ModelResponse(parts=[TextPart(one) if isinstance(one, str) else one for one in parts])


def pay(minor: Any = 4200, name: str = "pay") -> ToolCallPart:
    return ToolCallPart(name, {"minor": minor})


def run(
    model: Any, definition: SagaDefinition = PLANNED, psp: Psp | None = None, store: Any = ":memory:", **options: Any
) -> Report:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    engine = Engine(open_store(store), providers={"psp": psp or Psp()}, sleep=sleep)
    driver = PydanticAIDriver(getattr(model, "model", model), **options)
    report = asyncio.run(engine.run(definition, driver, goal={"minor": 4200}))
    model.pauses = pauses
    return report


def test_the_model_proposes_and_the_runtime_calls(tmp_path: Path) -> None:
    psp, store = Psp(), tmp_path / "store.db"
    report = run(Model(["because it is due", pay()]), psp=psp, store=store)
    assert_certified(store)
    assert report.status == "succeeded_verified"
    assert psp.charges == [4200]
    assert report.state.steps["pay"].args == {"minor": 4200}


def test_it_sees_goal_results_and_refusals_but_no_key_undo_credential_or_client() -> None:
    model = Model(pay("much", "payments_charge"), pay(4200, "payments_charge"), ToolCallPart("finish", {"why": "paid"}))
    report = run(model, FREE, Psp(KEY), instructions="Be brief.")
    assert report.status == "succeeded_verified"
    assert model.tools[0] == ["finish", "give_up", "payments_charge"]
    assert model.told[0]["goal"] == {"minor": 4200}
    assert [one["code"] for one in model.told[1]["refusals"]] == ["invalid_arguments"]
    assert list(model.told[2]["results"].values()) == ["(withheld: it has the form of a credential)"]
    assert "Charge what the goal says." in model.everything
    assert "Be brief." in model.everything
    effect = next(iter(report.state.effects.values()))
    for hidden in (effect.key, report.saga, "refund", KEY, "Psp", "psp"):
        assert hidden not in model.everything, hidden


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("I would charge the card.", "answered in words only; call one of the tools"),
        (ToolCallPart("payments.refund", {"charge": "ch_1"}), "there is no tool 'payments.refund' now"),
        (ToolCallPart("pay", '{"minor": 1'), "the arguments of pay are no JSON"),
        (ToolCallPart("pay", '{"minor": 1, "minor": 2}'), "the arguments of pay cannot be used: a member stands twice"),
        (ToolCallPart("pay", "[1]"), "the arguments of pay are a list; expected an object"),
        ([pay(), pay()], "2 tools were called; call exactly one"),
        (pay(1.5), None),
        (ToolCallPart("pay", {"minor": 1, "key": "k"}), None),
        (ToolCallPart("pay", None), None),
    ],
)
def test_a_malformed_proposal_comes_back_as_a_refusal_and_nothing_is_called(wrong: Any, reason: str | None) -> None:
    psp, model = Psp(), Model(wrong, pay())
    report = run(model, psp=psp)
    assert report.status == "succeeded_verified"
    assert psp.charges == [4200]
    [told] = model.told[1]["refusals"]
    assert told["code"] == ("no_proposal" if reason else "invalid_arguments")
    assert reason is None or reason in told["reason"]


def test_a_model_that_never_proposes_soundly_is_stopped_by_the_budget() -> None:
    psp = Psp()
    report = run(Model(*["no"] * 3), psp=psp)
    assert report.status == "stopped"
    assert psp.charges == []


def test_an_end_is_called_alone_and_giving_up_rolls_back() -> None:
    both = [pay(), ToolCallPart("finish", {})]
    model = Model(both, ToolCallPart("give_up", {"why": "it makes no sense"}))
    report = run(model, together=True)
    assert "finish was called together with other tools" in model.told[1]["refusals"][0]["reason"]
    assert report.status == "aborted_clean"
    assert report.state.rollback == {"code": "agent_gave_up", "why": "it makes no sense"}


@pytest.mark.parametrize(
    "fault",
    [
        ModelHTTPError(429, "m", body=KEY, headers={"retry-after": "7"}),
        ModelHTTPError(503, "m", body=KEY),
        ModelAPIError("m", "connection refused"),
    ],
    ids=["429", "503", "no connection"],
)
def test_an_overloaded_model_is_asked_again_with_back_off(fault: Exception) -> None:
    model = Model(fault, fault, pay())
    report = run(model)
    assert report.status == "succeeded_verified"
    assert len(model.pauses) == 2  # type: ignore[attr-defined]
    assert getattr(fault, "retry_after", None) in (None, model.pauses[0])  # type: ignore[attr-defined]
    assert model.told[2]["refusals"] == []


def test_a_refused_key_ends_the_run_without_repeating_what_the_provider_said() -> None:
    with pytest.raises(ModelRefused) as caught:
        run(Model(ModelHTTPError(401, "m", body={"error": f"wrong key {KEY}"})))
    assert str(caught.value).startswith("the model's provider refuses (HTTP 401)")
    assert KEY not in repr(caught.value)
    assert caught.value.__suppress_context__


def test_a_model_that_does_not_answer_is_busy() -> None:
    async def slow(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(5 if not told else 0)
        return ModelResponse(parts=[pay()])

    told: list[int] = []
    model = FunctionModel(slow)
    timed = PydanticAIDriver(model, timeout=0.01)

    async def sleep(seconds: float) -> None:
        told.append(1)

    engine = Engine(open_store(":memory:"), providers={"psp": Psp()}, sleep=sleep)
    assert asyncio.run(engine.run(PLANNED, timed)).status == "succeeded_verified"
    assert told == [1]


def test_several_steps_side_by_side_where_the_model_may() -> None:
    steps = [Step("one", "payments.charge", after=()), Step("two", "payments.charge", after=())]

    def both(facts: Facts) -> bool:
        return set(facts.results) == {"one", "two"}

    definition = SagaDefinition("order", [charge], [both], steps)
    psp = Psp()
    assert run(Model([pay(1, "one"), pay(2, "two")]), definition, psp, together=True).status == "succeeded_verified"
    assert sorted(psp.charges) == [1, 2]


def test_pydantic_ais_own_test_model_gets_through() -> None:
    model: Any = TestModel(call_tools=["pay"])
    assert run(model).status == "succeeded_verified"


def test_openrouter_takes_model_and_key_from_the_environment_and_shows_neither() -> None:
    model = openrouter(environ={"OPENROUTER_API_KEY": KEY, "OPENROUTER_MODEL": "openai/gpt-5"})
    driver = PydanticAIDriver(model)
    assert driver.name == "pydantic-ai:openai/gpt-5"
    assert KEY not in repr(driver) + repr(model) + driver.name
    assert model.client.max_retries == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize(("environ", "said"), [({}, "OPENROUTER_API_KEY"), ({"OPENROUTER_API_KEY": KEY}, "no model")])
def test_openrouter_says_what_is_missing(environ: dict[str, str], said: str) -> None:
    with pytest.raises(DefinitionError, match=said) as caught:
        openrouter(environ=environ)
    assert KEY not in str(caught.value)


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai.models", None)
    monkeypatch.setitem(sys.modules, "pydantic_ai.models.openrouter", None)
    with pytest.raises(MissingExtra, match=r"pip install 'agent-saga-toolkit\[agents\]'"):
        PydanticAIDriver("openai:gpt-5")
    with pytest.raises(MissingExtra, match="openrouter needs the extra agents"):
        openrouter("openai/gpt-5", api_key=KEY)
