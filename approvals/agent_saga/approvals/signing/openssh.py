"""ssh keys, plain, in an agent, or on a security key: the system's own ``ssh-keygen -Y sign``, and what it writes.

    printf '%s' 'agent-saga-approval-v1 sha256:9f0c...' | ssh-keygen -Y sign -n approval@agent-saga -f KEY

Source: OpenSSH PROTOCOL.sshsig and ssh-keygen(1); docs/spec/approval-v1.md, "sshsig".
"""

import re
import shutil
import subprocess
from base64 import b64decode
from binascii import Error
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from agent_saga.approvals.errors import NotApproved, SigningFault
from agent_saga.approvals.limits import MAX_ARMOR
from agent_saga.approvals.registry.model import Key
from agent_saga.approvals.schemes.sshsig import NAMESPACE, PLAIN, SECURITY_KEY, Reader
from agent_saga.trace.base64url import unpadded

_ARMOR = re.compile(rb"-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END SSH SIGNATURE-----\s*").fullmatch
_TOUCH: Final = 120
"""Seconds to touch the key, or to type its PIN."""


def from_armor(data: bytes) -> str:
    """The proof's ``signature`` out of what ``ssh-keygen -Y sign`` wrote. Raises SigningFault."""
    found = _ARMOR(data.lstrip()) if len(data) <= MAX_ARMOR else None
    if found is None:
        raise SigningFault(f"no SSH SIGNATURE file of at most {MAX_ARMOR} bytes, as `ssh-keygen -Y sign` writes them")
    try:
        return unpadded(b64decode(re.sub(rb"\s", b"", found[1]), validate=True))
    except Error as fault:
        raise SigningFault(f"the SSH SIGNATURE file is damaged: {fault}") from fault


def read_public(line: str) -> dict[str, str]:
    """The registry's members of an ssh public key: scheme, public and, for a security key, application.

    line: as in a .pub file. Raises SigningFault for every other kind of key than Ed25519.
    """
    word, _, rest = line.strip().partition(" ")
    kinds = {PLAIN.decode(): "sshsig", SECURITY_KEY.decode(): "sshsig-sk"}
    if word not in kinds:
        raise SigningFault(f"{word[:40]!r}: expected a key of ssh-ed25519 or sk-ssh-ed25519@openssh.com")
    try:
        blob = Reader(b64decode(rest.split(" ")[0], validate=True), "the public key")
        algorithm, raw = blob.string(), blob.string()
        application = blob.string().decode() if kinds[word] == "sshsig-sk" else ""
        blob.end()
    except (ValueError, NotApproved) as fault:
        raise SigningFault(f"the ssh public key is damaged: {fault}") from fault
    if algorithm != word.encode():
        raise SigningFault(f"the ssh public key says {word} and holds {algorithm[:40]!r}")
    members = {"scheme": kinds[word], "public": unpadded(raw)}
    return members | ({"application": application} if application else {})


class SshSigner:
    """Signs with ``ssh-keygen -Y sign``. file: a private key, or a public one whose private half an agent holds.

    environment: of the program, such as one with SSH_SK_PROVIDER. The program itself asks for PIN and touch.
    """

    def __init__(self, file: Path, environment: Mapping[str, str] | None = None, program: str = "ssh-keygen") -> None:
        self._file, self._environment, self._program = file, environment, program

    def members(self, key: Key, challenge: bytes, line: bytes) -> dict[str, Any]:
        """Sign the message line. Raises SigningFault with what ssh-keygen said."""
        if key.scheme not in ("sshsig", "sshsig-sk"):
            raise SigningFault(f"key {key.id} is enrolled as {key.scheme}: ssh-keygen does not sign for it")
        program = shutil.which(self._program)
        if program is None:
            raise SigningFault(f"{self._program} is not installed: install OpenSSH's client, 8.9 or later")
        command = [program, "-Y", "sign", "-n", NAMESPACE, "-f", str(self._file)]
        try:
            done = subprocess.run(
                command, input=line, capture_output=True, env=self._environment, timeout=_TOUCH, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as fault:
            raise SigningFault(f"ssh-keygen did not sign: {fault}") from fault
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise SigningFault(f"ssh-keygen did not sign: {said[-1] if said else f'exit {done.returncode}'}")
        return {"signature": from_armor(done.stdout)}
