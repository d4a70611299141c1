"""The signatures of a change of what is in force: made here, brought as files, or to be made elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent_saga.cli.approvals.changing import exported
from agent_saga.cli.approvals.consent import signed
from agent_saga.cli.approvals.given import read_json
from agent_saga.cli.approvals.signers import Fingerprint, Means

if TYPE_CHECKING:
    from agent_saga.approvals.registry import Registry

SignerOption = Annotated[str, typer.Option("--key", metavar="KEY", help="Id of the key that signs.")]
ProofFiles = Annotated[
    list[str] | None,
    typer.Option("--proof", metavar="FILE", help="What another person signed for this change; repeatable."),
]
ExportFile = Annotated[
    str, typer.Option("--export", metavar="FILE", help="Write what --key is to sign to this new file; - is stdout.")
]


@dataclass(frozen=True, slots=True)
class Gathering:
    """What the command line says of the signatures of a change. key: "" where nobody signs here.

    Raises BadParameter where there would be none.
    """

    means: Means
    key: SignerOption = ""
    proof: ProofFiles = None
    export: ExportFile = ""
    fingerprint: Fingerprint = ""

    def __post_init__(self) -> None:
        if not self.key and (self.export or not self.proof):
            raise typer.BadParameter("--key KEY: name the key that signs; or give what others signed with --proof")

    def carry(
        self, by: Callable[[str], dict[str, Any]], registry: "Registry", write: Callable[[list[dict[str, Any]]], int]
    ) -> int:
        """Export what the key is to sign, or gather the signatures and write the line; returns the exit code.

        by: what the holder of a key signs. registry: in force now. Raises what these raise, and NotApproved.
        """
        if self.export:
            return exported(self.export, by(self.key))
        proofs = [read_json(path, "a proof") for path in self.proof or []]
        if self.key:
            proofs.append(signed(by(self.key), registry, self.means, (), self.fingerprint))
        return write(proofs)
