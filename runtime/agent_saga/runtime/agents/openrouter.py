"""Models behind OpenRouter, over its OpenAI-compatible endpoint."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from agent_saga.runtime.agents.errors import extra
from agent_saga.runtime.errors import DefinitionError

if TYPE_CHECKING:
    from pydantic_ai.models import Model

KEY: Final = "OPENROUTER_API_KEY"
MODEL: Final = "OPENROUTER_MODEL"


def openrouter(model: str = "", *, api_key: str = "", environ: Mapping[str, str] | None = None) -> "Model":
    """A model for PydanticAIDriver. model: ``vendor/name``; OPENROUTER_MODEL if not given.

    api_key: OPENROUTER_API_KEY if not given; handed to the client and kept nowhere else. Its client repeats nothing by
    itself: the engine does, with back-off. Raises DefinitionError when either is missing, MissingExtra.
    """
    found = os.environ if environ is None else environ
    name, key = model or found.get(MODEL, ""), api_key or found.get(KEY, "")
    if not key:
        raise DefinitionError(f"there is no key for OpenRouter; set {KEY}, or hand over api_key")
    if "/" not in name:
        what = "no model is named" if not name else f"model {name!r} names no vendor"
        raise DefinitionError(f"{what}; expected vendor/name, such as openai/gpt-5, as model or in {MODEL}")
    with extra("agents", "openrouter"):
        from pydantic_ai.models.openrouter import OpenRouterModel
        from pydantic_ai.providers.openrouter import OpenRouterProvider
    provider = OpenRouterProvider(api_key=key)
    provider.client.max_retries = 0
    return OpenRouterModel(name, provider=provider)
