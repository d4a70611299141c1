"""A certificate authority, and a proxy that ends mutual TLS in front of a server, as Temporal Cloud has it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """Issues certificates into a folder: ``NAME.pem`` and ``NAME.key``; its own is ``ca.pem``."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._key = folder, ec.generate_private_key(ec.SECP256R1())
        folder.mkdir(exist_ok=True)
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a test's authority")])
        made = self._builder("a test's authority", self._key)
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self._write("ca", made.sign(self._key, hashes.SHA256()), self._key)

    def issue(self, name: str) -> tuple[str, str]:
        """A certificate of 127.0.0.1 and its key, as paths."""
        key = ec.generate_private_key(ec.SECP256R1())
        made = self._builder(name, key)
        here = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("localhost")])
        self._write(name, made.add_extension(here, critical=False).sign(self._key, hashes.SHA256()), key)
        return self.path(f"{name}.pem"), self.path(f"{name}.key")

    def path(self, name: str) -> str:
        """Of a file that it wrote."""
        return str(self._folder / name)

    def _builder(self, name: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
        )

    def _write(self, name: str, made: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
        clear = serialization.NoEncryption()
        form = serialization.PrivateFormat.PKCS8
        Path(self.path(f"{name}.pem")).write_bytes(made.public_bytes(serialization.Encoding.PEM))
        Path(self.path(f"{name}.key")).write_bytes(key.private_bytes(serialization.Encoding.PEM, form, clear))


@asynccontextmanager
async def behind_tls(server: str, authority: Authority, *, mutual: bool = True) -> AsyncIterator[str]:
    """The address of a proxy in front of a server. mutual: it asks for a certificate of this authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.issue("server"))
    context.set_alpn_protocols(["h2"])
    if mutual:
        context.load_verify_locations(authority.path("ca.pem"))
        context.verify_mode = ssl.CERT_REQUIRED
    host, _, port = server.rpartition(":")

    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        try:
            inner, outer = await asyncio.open_connection(host, int(port))
            async with asyncio.TaskGroup() as pumps:
                pumps.create_task(_pump(reader, outer))
                pumps.create_task(_pump(inner, writer))
        except asyncio.CancelledError:
            return  # as StreamReaderProtocol wants it: a task that was cancelled is told of as a failure
        finally:
            writer.transport.abort()
            serving.discard(task)

    proxy = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield f"127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
    finally:
        proxy.close()
        for task in list(serving):
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        await asyncio.sleep(0)


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """Hand on what comes; whatever ends one direction ends it for the other side."""
    try:
        while block := await source.read(65_536):
            sink.write(block)
            await sink.drain()
    except OSError:
        return
    finally:
        sink.close()
