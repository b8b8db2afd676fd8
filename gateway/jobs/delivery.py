"""Hands a message to the mail server and says what came of it.

Only the server's own 250 counts as sent. What it refuses for good (a 5xx answer) is told apart from what may work
later (a 4xx answer, or nobody answering), because only the latter is worth another attempt.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Final

import aiosmtplib

TIMEOUT: Final = 30.0  # seconds for each step with the server


@dataclass(frozen=True, slots=True)
class Server:
    """A mail server; `trusted` is the local trap, which has neither users nor encryption."""

    host: str
    port: int
    user: str = ""
    password: str = ""
    trusted: bool = False


class DeliveryFailed(Exception):
    """The mail was not taken. `outcome` is `refused`, `deferred` or `unreachable`; the text is the server's reply."""

    def __init__(self, outcome: str, reply: str) -> None:
        self.outcome = outcome
        self.reply = reply
        super().__init__(f"{outcome}: {reply}")

    @property
    def permanent(self) -> bool:
        return self.outcome == "refused"


async def deliver(message: EmailMessage, server: Server) -> str:
    """Send one message; the server's reply. Raises DeliveryFailed."""
    client = aiosmtplib.SMTP(
        hostname=server.host,
        port=server.port,
        username=server.user or None,
        password=server.password or None,
        use_tls=server.port == 465,
        start_tls=False if server.trusted or server.port == 465 else None,
        timeout=TIMEOUT,
    )
    try:
        async with client:
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
        raise DeliveryFailed("unreachable", str(error) or type(error).__name__) from error
    if refused:
        text = "; ".join(f"{address}: {answer.code} {answer.message}" for address, answer in refused.items())
        return f"{reply}; refused for {text}"
    return reply
