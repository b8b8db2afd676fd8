"""A mail server that keeps what it is given: one file a message, read by the page at `/_mail`."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import Final

from aiosmtpd.smtp import SMTP, Envelope, Session

LIMIT: Final = 20_000_000  # bytes of one message


class Trap:
    """Catches mails on a local port; use as an asynchronous context."""

    def __init__(self, folder: Path, host: str, port: int) -> None:
        self._folder = folder
        self._host = host
        self._port = port
        self._server: asyncio.AbstractServer | None = None

    @property
    def port(self) -> int:
        """Port it listens on."""
        assert self._server is not None
        number: int = self._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
        return number

    async def __aenter__(self) -> Trap:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: SMTP(_Keeper(self._folder), data_size_limit=LIMIT, enable_SMTPUTF8=True, hostname="localhost"),
            self._host,
            self._port,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()


class _Keeper:
    """aiosmtpd's handler: a message is on disk before it is answered with 250."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:
        content = envelope.original_content or b""
        recipients = ", ".join(envelope.rcpt_tos)
        await asyncio.to_thread(store, self._folder, f"X-Trap-To: {recipients}\r\n".encode() + content)
        return "250 OK: kept"


def store(folder: Path, content: bytes, now: float | None = None) -> Path:
    """Write one message; its file's name begins with the time, so that names sort."""
    at = time.time() if now is None else now
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(at))
    path = folder / f"{stamp}-{int(at % 1 * 1e6):06d}-{uuid.uuid4().hex[:8]}.eml"
    spare = path.with_suffix(".tmp")
    with open(os.open(spare, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    spare.replace(path)
    return path
