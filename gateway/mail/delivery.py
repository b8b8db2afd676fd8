"""Hands a message to the mail server and says what came of it.

Only the server's own 250 counts as sent. What it refuses for good (a 5xx answer) is told apart from what may work
later (a 4xx answer, or nobody answering), because only the latter is worth another attempt. A server that has the
text and says nothing may yet deliver it: that is told apart too, because another attempt at once would send the mail
twice.
"""

from __future__ import annotations

import ssl
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Any, Final

import aiosmtplib

CONNECT: Final = 60.0  # seconds until the server's greeting; nothing has been handed over yet
STEP: Final = 300.0  # seconds for each command (RFC 5321 section 4.5.3.2)
ACCEPT: Final = 600.0  # seconds from the end of the text to the server's word on it (the same section, .6)
FAREWELL: Final = 5.0  # seconds for the answer to QUIT, on which nothing depends


@dataclass(frozen=True, slots=True)
class Server:
    """A mail server; `trusted` is the local trap, which has neither users nor encryption."""

    host: str
    port: int
    user: str = ""
    password: str = ""
    trusted: bool = False


class DeliveryFailed(Exception):
    """The mail was not taken; the text is the server's reply.

    `outcome` is `refused` (it never will be), `deferred` (the server said to try again), `unreachable` (nobody was
    there to take it) or `unanswered` (the server has the text and did not say what became of it).
    """

    def __init__(self, outcome: str, reply: str) -> None:
        self.outcome = outcome
        self.reply = reply
        super().__init__(f"{outcome}: {reply}")

    @property
    def permanent(self) -> bool:
        return self.outcome == "refused"


class _Client(aiosmtplib.SMTP):
    """A client that knows whether the server may have the text."""

    handed_over = False

    async def data(self, message: str | bytes, /, **_: Any) -> aiosmtplib.SMTPResponse:
        self.handed_over = True
        return await super().data(message, timeout=ACCEPT)


async def deliver(message: EmailMessage, server: Server) -> str:
    """Send one message; the server's reply. Raises DeliveryFailed."""
    client = _Client(
        hostname=server.host,
        port=server.port,
        username=server.user or None,
        password=server.password or None,
        use_tls=server.port == 465,
        start_tls=False if server.trusted or server.port == 465 else None,
        timeout=STEP,
    )
    try:
        await client.connect(timeout=CONNECT)
        refused, reply = await client.send_message(message)
    except aiosmtplib.SMTPRecipientsRefused as error:
        codes = [refusal.code for refusal in error.recipients]
        text = "; ".join(f"{refusal.recipient}: {refusal.code} {refusal.message}" for refusal in error.recipients)
        raise DeliveryFailed("refused" if all(code >= 500 for code in codes) else "deferred", text) from error
    except aiosmtplib.SMTPAuthenticationError as error:
        # Wrong credentials are the operator's to mend; the mail waits for that.
        raise DeliveryFailed("deferred", f"{error.code} {error.message}") from error
    except aiosmtplib.SMTPResponseException as error:
        outcome = "refused" if error.code >= 500 else "deferred"
        raise DeliveryFailed(outcome, f"{error.code} {error.message}") from error
    except (aiosmtplib.SMTPException, OSError, TimeoutError, ssl.SSLError) as error:
        outcome = "unanswered" if client.handed_over else "unreachable"
        raise DeliveryFailed(outcome, str(error) or type(error).__name__) from error
    finally:
        await _part(client)
    if refused:
        text = "; ".join(f"{address}: {answer.code} {answer.message}" for address, answer in refused.items())
        return f"{reply}; refused for {text}"
    return reply


async def _part(client: aiosmtplib.SMTP) -> None:
    """Take leave of the server; what it says to that changes nothing about the mail."""
    if client.is_connected:
        with suppress(aiosmtplib.SMTPException, OSError):
            await client.quit(timeout=FAREWELL)
    client.close()
