"""``@tool``: a function becomes a tool that a saga can call, repeat safely, and undo.

    @tool(name="payments.charge", semantics="compensable", undo=refund, amount_from="/amount")
    async def charge(order: str, amount: Money, *, call: Call) -> Result:
        made = await psp.charge(order, amount, idempotency_key=call.key)
        return Result({"charge": made.id}, undo=refund.call(charge=made.id, amount=amount))

    @charge.reconcile
    async def _(call: Call) -> Found: ...

Outside of a saga the function runs as it stands.
"""

import re
from collections.abc import Awaitable, Callable
from functools import cached_property, update_wrapper
from inspect import iscoroutinefunction
from secrets import token_urlsafe
from typing import Any, Final, Literal, Required, TypedDict, get_args

from pydantic import BaseModel

from agent_saga.runtime.arguments import digest, model_of
from agent_saga.runtime.calls import Call, Checked, Found, Invocation
from agent_saga.runtime.errors import DefinitionError, OutsideSaga
from agent_saga.runtime.within import can_wait
from agent_saga.trace.events import ToolSpec
from agent_saga.trace.values import dumps

Semantics = Literal["preview", "reversible", "compensable", "irreversible"]
Reconcile = Callable[[Call], Awaitable[Found] | Found]
UndoCheck = Callable[[Call], Awaitable[Checked | bool] | Checked | bool]

UNDOABLE: Final = frozenset({"reversible", "compensable"})
_NAME = re.compile(r"[A-Za-z0-9._:-]{1,128}").fullmatch
_POINTER = re.compile(r"(?:/(?:[^/~]|~[01])*)*").fullmatch


class ToolOptions(TypedDict, total=False):
    """The options of :func:`tool`, for those who pass them on."""

    name: Required[str]
    semantics: Required[Semantics]
    version: str
    undo: "Tool | str | None"
    amount_from: str | None
    resource_from: str | None
    timeout: float
    attempts: int
    not_done: tuple[type[BaseException], ...]
    strict: bool
    conceal: tuple[str, ...]


class Tool:
    """A tool: the function, what a call of it means, and how its outcome is asked for. Made by :func:`tool`."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str,
        version: str,
        semantics: Semantics,
        undo: "Tool | str | None",
        amount_from: str | None,
        resource_from: str | None,
        timeout: float,
        attempts: int,
        not_done: tuple[type[BaseException], ...],
        strict: bool,
        conceal: tuple[str, ...],
    ) -> None:
        self.function, self.name, self.version, self.semantics = function, name, version, semantics
        self.undo, self.amount_from, self.resource_from = undo, amount_from, resource_from
        self.timeout, self.attempts, self.not_done, self.strict = timeout, attempts, not_done, strict
        self.conceal = tuple(conceal)
        self.reconciler: Reconcile | None = None
        self.checker: UndoCheck | None = None
        self.child: Any = None
        """Definition and driver of the saga that a call runs (:mod:`agent_saga.runtime.children`)."""
        self.runs: str | None = None
        """Digest of that definition: it is part of what this tool is."""
        _check_tool(self)
        self.model, self.takes_call = model_of(function, name)
        self.schema = self.model.model_json_schema()
        """JSON Schema of the arguments."""
        update_wrapper(self, function)
        self.is_async, self.can_wait = iscoroutinefunction(function), can_wait(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function as it stands, outside of any saga. Raises OutsideSaga for a strict irreversible tool."""
        if self.strict and self.semantics == "irreversible":
            raise OutsideSaga(f"{self.name} is irreversible and strict: it runs in a saga only, after an approval")
        if self.takes_call and "call" not in kwargs:
            kwargs["call"] = Call(self.name, {}, token_urlsafe(16))
        return self.function(*args, **kwargs)

    def call(self, **args: Any) -> Invocation:
        """This tool with these arguments, to be called later: what ``Result(undo=...)`` takes. Checks the arguments."""
        return Invocation(self.name, self.normal(args))

    def normal(self, args: dict[str, Any]) -> dict[str, Any]:
        """The arguments as JSON, defaults filled in. Raises pydantic's ValidationError when they do not fit."""
        found: dict[str, Any] = self.model.__pydantic_serializer__.to_python(self._read(args), mode="json")
        return found

    def arguments(self, args: dict[str, Any]) -> dict[str, Any]:
        """The arguments as the function takes them."""
        return dict(self._read(args).__dict__)

    def _read(self, args: dict[str, Any]) -> BaseModel:
        """Read as JSON, so that strict models take what JSON has no type for; what is no JSON is read as it stands.

        By pydantic's own validator, whose wrapper takes as long as a small model.
        """
        try:
            text = dumps(args)
        except (TypeError, ValueError, OverflowError, RecursionError):
            found: BaseModel = self.model.__pydantic_validator__.validate_python(args)
            return found
        found = self.model.__pydantic_validator__.validate_json(text)
        return found

    def reconcile(self, hook: Reconcile) -> Reconcile:
        """Decorator: how to ask the provider whether the call of a key took effect."""
        self.reconciler = hook
        return hook

    def check(self, hook: UndoCheck) -> UndoCheck:
        """Decorator, of an undo tool: how to prove, after it answered, that the undo took."""
        self.checker = hook
        return hook

    @property
    def undo_name(self) -> str | None:
        """The name of the tool that undoes this one."""
        return self.undo.name if isinstance(self.undo, Tool) else self.undo

    @cached_property
    def summary(self) -> str:
        """What the agent is told of it: the first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    @cached_property
    def spec(self) -> ToolSpec:
        """The tool as the trace's catalogue declares it."""
        more = {"conceal": list(self.conceal) or None, "runs": self.runs}
        held = {name: value for name, value in more.items() if value}
        schema = digest({"schema": self.schema} | held if held else self.schema)
        return ToolSpec(self.version, self.semantics, self.undo_name, self.amount_from, self.resource_from, schema)


def tool(
    *,
    name: str,
    semantics: Semantics,
    version: str = "1",
    undo: Tool | str | None = None,
    amount_from: str | None = None,
    resource_from: str | None = None,
    timeout: float = 30.0,
    attempts: int = 3,
    not_done: tuple[type[BaseException], ...] = (),
    strict: bool = False,
    conceal: tuple[str, ...] = (),
) -> Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function, sync or async, with annotated arguments and, if it wants one, ``*, call: Call``.

    semantics: preview, reversible, compensable or irreversible. undo: the tool that undoes it. amount_from and
    resource_from: JSON Pointers into the arguments. timeout: seconds until the outcome counts as unknown. attempts:
    calls under one key. not_done: exceptions that prove that nothing happened, besides NotDone. strict: refuse an
    irreversible tool outside of a saga. conceal: JSON Pointers to what stands concealed in the trace, each beginning
    with ``/args/`` or ``/result/``, or ``/result`` itself. Raises DefinitionError.
    """

    def make(function: Callable[..., Any]) -> Tool:
        return Tool(
            function,
            name=name,
            version=version,
            semantics=semantics,
            undo=undo,
            amount_from=amount_from,
            resource_from=resource_from,
            timeout=timeout,
            attempts=attempts,
            not_done=not_done,
            strict=strict,
            conceal=conceal,
        )

    return make


def _check_tool(tool: Tool) -> None:
    if not _NAME(tool.name):
        raise DefinitionError(f"tool name {tool.name!r}: expected 1-128 of A-Z a-z 0-9 . _ : -")
    if str(tool.semantics) not in get_args(Semantics):
        raise DefinitionError(f"tool {tool.name}: semantics {tool.semantics!r} is none of {get_args(Semantics)}")
    undo: object = tool.undo
    if undo is not None and not isinstance(undo, Tool | str):
        kind = type(undo).__name__
        raise DefinitionError(f"tool {tool.name}: undo is a {kind}; expected another @tool, or its name")
    if tool.undo is not None and tool.semantics not in UNDOABLE:
        raise DefinitionError(f"tool {tool.name} is {tool.semantics}: there is nothing that undoes it; leave out undo")
    for pointer in (tool.amount_from, tool.resource_from):
        if pointer is not None and not _POINTER(pointer):
            raise DefinitionError(f"tool {tool.name}: {pointer!r} is no JSON Pointer; expected such as /amount")
    _check_concealed(tool)
    if tool.timeout <= 0 or tool.attempts < 1:
        raise DefinitionError(f"tool {tool.name}: timeout must be above 0 seconds, and attempts at least 1")


def _check_concealed(tool: Tool) -> None:
    """What is concealed can be neither judged nor approved: amounts, resources and what is irreversible stay clear."""
    clear = [f"/args{pointer}" for pointer in (tool.amount_from, tool.resource_from) if pointer is not None]
    for pointer in tool.conceal:
        if not _POINTER(pointer) or not (pointer.startswith(("/args/", "/result/")) or pointer == "/result"):
            raise DefinitionError(
                f"tool {tool.name}: conceal {pointer!r}; expected such as /args/card or /result/token"
            )
        if any(f"{one}/".startswith(f"{pointer}/") or f"{pointer}/".startswith(f"{one}/") for one in clear):
            raise DefinitionError(f"tool {tool.name}: {pointer} is its amount or resource, which a rule must see")
