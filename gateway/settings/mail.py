"""The mail server, and who mails come from."""

from __future__ import annotations

from dataclasses import dataclass

from gateway.settings.rows import setting


@dataclass(frozen=True)
class MailSettings:
    """Fields of `Settings`."""

    smtp_host: str = setting("", "Mail server; empty delivers to the local trap", "GOTRUE_SMTP_HOST", "SMTP_HOST")
    smtp_port: int = setting(587, "Port of the mail server", "GOTRUE_SMTP_PORT", "SMTP_PORT")
    smtp_user: str = setting("", "User at the mail server", "GOTRUE_SMTP_USER", "SMTP_USER")
    smtp_password: str = setting("", "Password at the mail server", "GOTRUE_SMTP_PASS", "SMTP_PASS", secret=True)
    smtp_sender: str = setting("no-reply@localhost", "Sender of mails", "GOTRUE_SMTP_ADMIN_EMAIL", "MAIL_FROM")
    smtp_sender_name: str = setting("Gateway", "Sender's name, by which mails name the site", "GOTRUE_SMTP_SENDER_NAME")

    trap_port: int = setting(1025, "Port of a mail trap run by another process", "GATEWAY_TRAP_PORT")
