"""What signs: a key file, an ssh key, a PKCS#11 token, a FIDO2 key. Options, PIN, and a sign of life while it waits."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from agent_saga.cli.keys import Passphrase
from agent_saga.cli.terminal import is_terminal, note

if TYPE_CHECKING:
    from agent_saga.approvals.registry import Party, Registry
    from agent_saga.approvals.signing import Signer
    from agent_saga.approvals.signing.fido_key import FidoSigner
    from agent_saga.approvals.signing.pkcs11_token import Pkcs11Signer

VARIABLE: Final = "AGENT_SAGA_TOKEN_PIN"
"""Holds the PIN of a PKCS#11 token or a FIDO2 key where there is no terminal to ask at."""
PAUSE: Final = 5.0
"""Seconds between two signs of life while a touch is waited for: a key gives up after about thirty."""

KeyFile = Annotated[
    str, typer.Option("--key-file", metavar="KEYFILE", help="Sign with a software key: keys new --purpose approval.")
]
SshKey = Annotated[
    str, typer.Option("--ssh", metavar="FILE", help="Sign with an ssh key, plain or of a security key: ssh-keygen.")
]
Module = Annotated[
    str, typer.Option("--pkcs11", metavar="MODULE", help="Sign with a PKCS#11 token; absolute path of its module.")
]
Token = Annotated[str, typer.Option("--token", metavar="LABEL", help="With --pkcs11: the token.")]
Label = Annotated[str, typer.Option("--label", metavar="LABEL", help="With --pkcs11: the key on it.")]
Fido = Annotated[bool, typer.Option("--fido", help="Sign with a FIDO2 security key that is plugged in.")]
PinFile = Annotated[
    str,
    typer.Option("--pin-file", metavar="FILE", help=f"The PIN of token or key. [{VARIABLE}, else asked]"),
]
Fingerprint = Annotated[
    str, typer.Option("--fingerprint", metavar="TEXT", help="Sign without asking, only if this is its fingerprint.")
]


@dataclass(frozen=True, slots=True)
class Means:
    """The options that name what signs."""

    key_file: KeyFile = ""
    ssh: SshKey = ""
    module: Module = ""
    token: Token = ""
    label: Label = ""
    fido: Fido = False
    pin_file: PinFile = ""
    passphrase_file: Passphrase = ""

    def check(self) -> None:
        """Exactly one kind is named, and whole. Raises BadParameter."""
        kinds = {"--key-file": self.key_file, "--ssh": self.ssh, "--pkcs11": self.module, "--fido": self.fido}
        if sum(map(bool, kinds.values())) != 1:
            raise typer.BadParameter(f"say what signs: one of {', '.join(kinds)}")
        if bool(self.module) != bool(self.token and self.label):
            raise typer.BadParameter("--pkcs11 MODULE goes with --token LABEL and --label LABEL")

    def signer(self, registry: "Registry") -> "Signer":
        """What signs, opened as far as it can be without a touch. Raises BadParameter, KeyFault, SigningFault."""
        self.check()
        if self.key_file:
            from agent_saga.approvals.signing.software import SoftwareSigner
            from agent_saga.cli.keys import opened_key

            return SoftwareSigner(opened_key(self.key_file, "approval", self.passphrase_file))
        if self.ssh:
            from agent_saga.approvals.signing.openssh import SshSigner

            return SshSigner(Path(self.ssh))
        return self.pkcs11() if self.module else self.security_key(registry.rp)

    def pkcs11(self) -> "Pkcs11Signer":
        """The token's key. Raises BadParameter, SigningFault."""
        from agent_saga.approvals.signing.extra import load
        from agent_saga.approvals.signing.pkcs11_token import Pkcs11Signer

        load("pkcs11")  # before anybody types a PIN
        return Pkcs11Signer(
            Path(self.module), self.token, self.label, pin_of(self.pin_file, f"PIN of token {self.token}")
        )

    def security_key(self, party: "Party | None") -> "FidoSigner":
        """The FIDO2 key that is plugged in. Raises SigningFault: none, several, or no relying party."""
        from agent_saga.approvals.errors import SigningFault
        from agent_saga.approvals.signing.extra import load
        from agent_saga.approvals.signing.fido_key import FidoSigner

        if party is None:
            raise SigningFault("the registry names no relying party (rp), under which a FIDO2 key signs")
        load("fido2.client")
        found = list(load("fido2.hid").CtapHidDevice.list_devices())
        if len(found) != 1:
            raise SigningFault(f"{len(found)} FIDO2 keys are plugged in: expected one")
        return FidoSigner(found[0], party, interaction(self.pin_file))


def pin_of(file: str, prompt: str) -> str:
    """A PIN from a file (its first line), the environment, or the terminal. Raises BadParameter."""
    if file:
        from agent_saga.cli.approvals.given import read_text

        found = read_text(file).partition("\n")[0].rstrip("\r")
    elif VARIABLE in os.environ:
        found = os.environ[VARIABLE]
    elif is_terminal(sys.stdin):
        found = typer.prompt(prompt, hide_input=True, err=True)
    else:
        raise typer.BadParameter(f"no terminal to ask for a PIN: set {VARIABLE}, or name --pin-file")
    if not found:
        raise typer.BadParameter("the PIN is empty")
    return found


def interaction(pin_file: str) -> Any:
    """How fido2's client asks a person for PIN and touch."""
    from agent_saga.approvals.signing.extra import load

    base: Any = load("fido2.client").UserInteraction

    class Asking(base):  # type: ignore[misc]
        """Asks at the terminal."""

        def prompt_up(self) -> None:
            note("touch the security key now")

        def request_pin(self, permissions: Any, rp_id: str | None) -> str:
            return pin_of(pin_file, "PIN of the security key")

    return Asking()


@contextlib.contextmanager
def waiting(words: str) -> Iterator[None]:
    """Say that something is waited for, and again every few seconds, until the block ends.

    Each time on a line of its own: what is waited for may ask for a PIN on the same terminal.
    """
    note(words)
    ended = threading.Event()
    shown = threading.Thread(target=_again, args=(words, ended), daemon=True)
    shown.start()
    try:
        yield
    finally:
        ended.set()
        shown.join()


def _again(words: str, ended: threading.Event) -> None:
    began = time.monotonic()
    while not ended.wait(PAUSE):
        note(f"{words} ({time.monotonic() - began:.0f} s)")
