"""``certify --sign``: the key is opened before anything is judged, and the certificate written with the reports."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from agent_saga.certify.report import Report, Verdict
from agent_saga.certify.settings.keys import SettingsError, spelled
from agent_saga.cli.log import LOG
from agent_saga.cli.sinks import Reserved

if TYPE_CHECKING:
    from agent_saga.proofs.keys import SigningKey


class Asked(Protocol):
    """What the command line says of the certificate."""

    @property
    def sign(self) -> str | None: ...
    @property
    def certificate(self) -> str | None: ...
    @property
    def passphrase_file(self) -> str | None: ...


def signing_key(asked: Asked) -> "SigningKey | None":
    """The key of ``--sign``, opened; None when nothing is to be signed. Raises SettingsError, KeyFault."""
    if not asked.sign:
        if asked.certificate or asked.passphrase_file:
            raise SettingsError("--certificate and --passphrase-file go with --sign KEYFILE, which signs")
        return None
    if not asked.certificate:
        raise SettingsError("--sign: name the new file with --certificate FILE")
    from agent_saga.cli.keys import opened_key

    return opened_key(asked.sign, "certificate", asked.passphrase_file or "")


def refuse_double(certificate: str | None, others: Iterable[str | None]) -> None:
    """Refuse to write the certificate where something else is going to be written. Raises SettingsError."""
    places = {os.path.realpath(path) for path in others if path and path != "-"}
    if certificate and os.path.realpath(certificate) in places:
        raise SettingsError(f"--certificate {certificate}: another report goes there; give it a file of its own")


def write_certificate(report: Report, key: "SigningKey", now: str, file: Reserved) -> None:
    """Sign the report and write the certificate. now: "" takes the system's clock. Raises Uncertifiable."""
    if report.verdict is Verdict.NOTHING:
        LOG.warning("certificate", f"{file.path}: not written, since there was nothing to judge")
        return
    from agent_saga.certify.certificate.making import make_certificate

    file.write(make_certificate(report, now or spelled(datetime.now(UTC)), key.vkey, key))
