"""A driver over any model that Pydantic AI knows.

One request a turn, through ``pydantic_ai.direct``: the allowed steps go out as tool definitions and the tool call that
comes back is the proposal. There is no agent loop that could run a tool, retry by itself or keep a history: what the
model knows is the view, so another process can take its place after a crash.
"""

import asyncio
import re
from typing import TYPE_CHECKING, Any, Final

from agent_saga.runtime.agents.answers import Named, decision
from agent_saga.runtime.agents.errors import ModelRefused, extra
from agent_saga.runtime.agents.menu import Choice, choices, instructions, message
from agent_saga.runtime.drivers import Decision
from agent_saga.runtime.errors import BadProposal, DriverBusy
from agent_saga.runtime.kernel.actions import View

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError
    from pydantic_ai.messages import ModelRequest, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

_ODD = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_PASSING: Final = frozenset({408, 409, 425, 429})
"""HTTP codes below 500 that pass by themselves: time-out, conflict, too early, too many requests."""
MODEL_TIMEOUT: Final = 120.0
"""Seconds that one answer of a model may take: long ones think for a minute."""


class PydanticAIDriver:
    """Asks a model of Pydantic AI for the next step."""

    immediate = False

    def __init__(
        self,
        model: "Model | str",
        *,
        name: str = "",
        instructions: str = "",
        settings: "ModelSettings | None" = None,
        together: bool = False,
        timeout: float = MODEL_TIMEOUT,
    ) -> None:
        """model: of Pydantic AI, or its name there (``openai:gpt-5``). name: stands in the trace.

        instructions: told to the model besides the definition's summary. settings: Pydantic AI's, such as temperature.
        together: the model may propose several steps at once, to be made side by side. timeout: seconds for an answer.
        Raises MissingExtra without the extra ``agents``.
        """
        with extra("agents", "PydanticAIDriver"):
            from pydantic_ai.models import infer_model
        self._model = infer_model(model)
        self.name = _ODD.sub("", name or f"pydantic-ai:{self._model.model_name}")[:100]
        self._instructions, self._together, self._timeout = instructions, together, timeout
        self._settings: ModelSettings = {"parallel_tool_calls": together, **(settings or {})}

    def __repr__(self) -> str:
        return f"PydanticAIDriver({self.name!r})"

    async def propose(self, view: View) -> Decision:
        """The model's answer to the view. Raises DriverBusy, BadProposal, ModelRefused."""
        menu = choices(view)
        response = await self._ask(_request(view, self._instructions), _parameters(menu))
        from pydantic_ai.messages import TextPart, ToolCallPart

        named = [Named(part.tool_name, _plain(part.args)) for part in response.parts if isinstance(part, ToolCallPart)]
        words = " ".join(part.content for part in response.parts if isinstance(part, TextPart))
        return decision(menu, named, words, self._together)

    async def _ask(self, request: "ModelRequest", parameters: "ModelRequestParameters") -> "ModelResponse":
        from pydantic_ai.direct import model_request
        from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior

        try:
            async with asyncio.timeout(self._timeout):
                return await model_request(
                    self._model, [request], model_settings=self._settings, model_request_parameters=parameters
                )
        except ModelAPIError as fault:
            raise _outage(fault) from None
        except TimeoutError:
            raise DriverBusy(f"the model did not answer within {self._timeout:g} seconds") from None
        except UnexpectedModelBehavior as fault:
            raise BadProposal(f"the answer could not be read ({type(fault).__name__})") from None


def _request(view: View, more: str) -> "ModelRequest":
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    return ModelRequest(parts=[UserPromptPart(content=message(view))], instructions=instructions(view, more))


def _parameters(menu: dict[str, Choice]) -> "ModelRequestParameters":
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(name=one.name, description=one.says, parameters_json_schema=one.schema) for one in menu.values()
    ]
    return ModelRequestParameters(function_tools=tools, allow_text_output=False)


def _outage(fault: "ModelAPIError") -> DriverBusy | ModelRefused:
    """Busy, when asking again later may help: 429, 5xx, no connection. Nothing of the answer's body is repeated."""
    from pydantic_ai.exceptions import ModelQuotaExceededError, ModelRequestRejectedError

    status = getattr(fault, "status_code", None)
    what = f"HTTP {status}" if status is not None else type(fault).__name__
    final = isinstance(fault, ModelQuotaExceededError | ModelRequestRejectedError)
    if not final if status is None else status in _PASSING or status >= 500:
        return DriverBusy(f"the model's provider is not available ({what})", after=fault.retry_after)
    return ModelRefused(f"the model's provider refuses ({what}); check the key, the model's name and the account")


def _plain(args: Any) -> dict[str, Any] | str | None:
    return args if args is None or isinstance(args, str) else dict(args)
