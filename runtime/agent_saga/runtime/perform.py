"""Making a call: in time, whatever the tool does, and what may be said of its outcome afterwards.

A call that answered with something that cannot be recorded or undone may have happened: it is unknown, and reconciled.
"""

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel

from agent_saga.runtime.aside import aside
from agent_saga.runtime.at_work import at_work, is_at_work
from agent_saga.runtime.calls import Absent, Call, Checked, Found, Invocation, Landed, Result, Unresolved
from agent_saga.runtime.errors import NotDone
from agent_saga.runtime.kernel.payload import is_secret, unwritable
from agent_saga.runtime.limits import MAX_MESSAGE
from agent_saga.runtime.tools import Tool
from agent_saga.runtime.within import at_once, within


@dataclass(frozen=True, slots=True)
class Failed:
    """Proven not to have happened."""

    error: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unknown:
    """It may have happened."""

    error: dict[str, Any]


Outcome = Landed | Failed | Unknown


async def perform(tool: Tool, call: Call) -> Outcome:
    """Make the call, within the tool's time. Never raises for what the tool does."""
    try:
        arguments = tool.arguments(call.args)
    except Exception as error:
        return Failed(_words("invalid_arguments", error) | {"retry": False})
    if tool.takes_call:
        arguments["call"] = call
    try:
        function: Callable[[], Any] = partial(tool.function, **arguments)
        if not tool.is_async:
            function = at_work(call.key, function)
            value, undo = _parts(await run(function, False, tool.timeout))
        elif tool.can_wait:
            value, undo = _parts(await within(function, tool.timeout, call.key))
        else:
            value, undo = _parts(at_once(function, call.key))
    except BaseException as error:
        return _fault(tool, error)
    wrong = unwritable(value)
    return Unknown({"code": wrong[0], "message": wrong[1]}) if wrong else Landed(value, undo)


def _fault(tool: Tool, error: BaseException) -> Failed | Unknown:
    """What an exception says: proven not done only if the tool declares it so."""
    if isinstance(error, (NotDone, *tool.not_done)):
        return Failed(_words("not_done", error) | {"retry": bool(getattr(error, "retry", False))})
    _reraise(error)
    return Unknown(_words("timeout" if isinstance(error, TimeoutError) else "error", error))


async def ask(tool: Tool, call: Call) -> Found:
    """Ask the tool's ``reconcile`` hook about a key. Whatever goes wrong is unresolved."""
    hook = tool.reconciler
    if hook is None:
        return Unresolved(f"{tool.name} has no reconcile hook")
    working = is_at_work(call.key)  # before it is asked: who ends meanwhile may have acted behind the provider's answer
    try:
        found = await run(lambda: hook(call), inspect.iscoroutinefunction(hook), tool.timeout)
        value = _plain(found.value) if isinstance(found, Landed) else None
    except BaseException as error:
        _reraise(error)
        return Unresolved(_words("error", error)["message"])
    if isinstance(found, Landed):
        wrong = unwritable(value)
        return Unresolved(wrong[1]) if wrong else Landed(value, found.undo)
    if isinstance(found, Absent) and working:
        return Unresolved("the call was still at work in a thread or task of this process, and may land yet")
    return found if isinstance(found, Absent | Unresolved) else Unresolved(f"answered with a {type(found).__name__}")


async def examine(hook: Callable[..., Any], about: Any, timeout: float) -> Checked:
    """Evaluate a check. Whatever goes wrong is no proof."""
    try:
        found = await run(lambda: hook(about), inspect.iscoroutinefunction(hook), timeout)
        checked = found if isinstance(found, Checked) else Checked(found is True, {"answer": repr(found)[:MAX_MESSAGE]})
        evidence = _plain(checked.evidence)
    except BaseException as error:
        _reraise(error)
        return Checked(False, _words("error", error))
    wrong = unwritable(evidence)
    if wrong:
        return Checked(False, {"code": wrong[0], "message": wrong[1]})
    return Checked(checked.passed is True, evidence)


async def run(function: Callable[[], Any], is_async: bool, timeout: float) -> Any:
    """Run a function to its end, async ones here and others in a thread, for so many seconds at most.

    A thread that hangs is left behind, and its answer is not heard.
    """
    if is_async:
        return await within(function, timeout)
    async with asyncio.timeout(timeout):
        answer = await aside(function)
        return await answer if inspect.isawaitable(answer) else answer


def _reraise(error: BaseException) -> None:
    """Pass on what is meant for this process and not made by the tool: being cancelled, or left with its loop."""
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs any more: what was called is not to go on
        raise error from None
    if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
        raise error
    if isinstance(error, KeyboardInterrupt):
        raise error


def _words(code: str, error: BaseException) -> dict[str, Any]:
    try:
        text = str(error).encode("utf-8", "replace").decode()
    except Exception:  # whatever a tool raises is told, also what cannot tell of itself
        text = ""
    if is_secret(text):
        text = "withheld: it holds something in the form of a credential"
    return {"code": code, "message": f"{type(error).__name__}: {text}"[:MAX_MESSAGE]}


def _parts(answer: Any) -> tuple[Any, Invocation | None]:
    if isinstance(answer, Result):
        return _plain(answer.value), answer.undo
    return _plain(answer), None


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if type(value) is not dict and isinstance(value, BaseModel) else value
