"""``agent-saga policy learn``: a first policy out of traces, in which nothing is allowed without an approval yet."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from agent_saga.cli.log import LOG
from agent_saga.cli.policies.given import NO, NOTHING
from agent_saga.cli.policies.writing import written
from agent_saga.cli.terminal import note

if TYPE_CHECKING:
    from agent_saga.trace.events import Event
    from agent_saga.trace.reader import Opened


def learn(
    traces: Annotated[
        list[str], typer.Argument(metavar="TRACES...", help="Traces, stores or logs that certify reads; - is stdin.")
    ],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the policy is called.")] = "learned",
    owner: Annotated[str, typer.Option("--owner", metavar="WHO", help="Who answers for it.")] = "nobody yet",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where the policy goes; - is stdout.")
    ] = "-",
) -> int:
    """Write a skeleton of a policy: every tool that the traces show, each irreversible, with what was seen of it.

    A comment beside each tool says how often it was called, which classes the traces claim, and the range of amounts;
    its arguments become a JSON Schema. Nothing that a trace claims lets a call through. Exit codes: 0 it is written,
    1 a part of an input cannot be read (what could be read is written), 2 there is no such file, 4 no tool was seen.
    """
    from agent_saga.policies.learning import Observed, skeleton
    from agent_saga.policies.loading import PolicyError, load_policy
    from agent_saga.trace.reader import expand, open_input

    observed, bad = Observed(), 0
    for path in expand(traces):
        reader = _Reader(open_input(path))
        observed.take(reader.events())
        bad += reader.tell()
    if not observed.tools:
        note("no tool was seen: no saga, proposal or call stands in what could be read")
        return NOTHING
    text = skeleton(observed, name, owner)
    try:
        load_policy("the skeleton", text=text.encode())
    except PolicyError as error:  # such as a name of the policy that is none
        raise typer.BadParameter("; ".join(fault.message for fault in error.faults)) from error
    written(output, text)
    return NO if bad else 0


class _Reader:
    """The events of one input, whatever certify knows it for. bad: what of it is no event."""

    def __init__(self, opened: "Opened") -> None:
        self.opened, self.bad, self.first = opened, 0, ""

    def events(self) -> "Iterator[Event]":
        """The events, in the order of the source."""
        from agent_saga.certify.importers import recognise

        source = recognise(self.opened.head)
        if source is None:
            yield from self._own()
            return
        from agent_saga.certify.source import Fault, ImportChoices

        for one in source.read(self.opened, ImportChoices()):
            if isinstance(one, Fault):
                self._note(f"line {one.line}: {one.message}", counts=one.severity != "note" and not one.inconclusive)
            else:
                yield one.event

    def _own(self) -> "Iterator[Event]":
        from agent_saga.trace.codec import decode
        from agent_saga.trace.errors import LineError

        rest: bytes | None = None
        for number, line in enumerate(self.opened.lines()):
            try:
                if rest is not None:
                    yield decode(rest)[0]
            except LineError as fault:
                self._note(f"line {number}: {fault}", counts=True)
            rest = line  # the last item is what follows the last line end
        if rest or self.opened.truncated:
            self._note(self.opened.truncated or "it ends inside of a line", counts=True)

    def _note(self, words: str, counts: bool) -> None:
        self.first = self.first or words
        self.bad += counts

    def tell(self) -> int:
        """Say what could not be read, if anything; returns how much."""
        if self.bad:
            LOG.error("trace", f"{self.opened.path}: {self.bad} parts cannot be read; the first: {self.first}")
        return self.bad
