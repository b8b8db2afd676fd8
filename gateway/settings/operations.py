"""Copies, alarms, and how long what is stored is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gateway.settings.rows import Seconds, parse_int, setting


def parse_days(raw: Any) -> int:
    """A number of days, 0 for ever; a slip of the sign must not remove everything."""
    days = parse_int(raw)
    if not 0 <= days <= 36_500:
        raise ValueError(f"{raw!r} is no number of days from 0 to 36500")
    return days


def _parse_copy_key(raw: Any) -> str:
    """A key for copies."""
    from gateway.encryption.files import parse_key

    parse_key(str(raw))
    return str(raw).strip()


@dataclass(frozen=True)
class OperationsSettings:
    """Fields of `Settings`."""

    backup_dir: str = setting("", "Folder for copies that the job worker makes; empty for none", "GATEWAY_BACKUP_DIR")
    backup_every: Seconds = setting(86_400.0, "Time between two copies", "GATEWAY_BACKUP_EVERY")
    backup_objects: bool = setting(
        True, "Copies hold the bytes of the storage API's objects too", "GATEWAY_BACKUP_OBJECTS"
    )
    backup_keep: int = setting(7, "Copies that are kept; 0 keeps all", "GATEWAY_BACKUP_KEEP")
    backup_key: str = setting(
        "",
        "Key that encrypts copies, as `gateway db new-key` makes it, or @FILE; empty leaves them readable",
        "GATEWAY_BACKUP_KEY",
        secret=True,
        parse=_parse_copy_key,
        file=True,
    )
    backup_verify: str = setting(
        "full",
        "What is done with a copy as soon as it is made: `full` restores it into a throw-away Postgres and compares"
        " every table, `parts` compares checksums and lists what the dump holds",
        "GATEWAY_BACKUP_VERIFY",
        choices=("full", "parts"),
    )
    backup_offsite: str = setting(
        "", "Folder elsewhere, such as a mounted share, that gets each copy too", "GATEWAY_BACKUP_OFFSITE"
    )
    backup_send: str = setting("", "Shell command that takes each copy ($COPY, $NAME) elsewhere", "GATEWAY_BACKUP_SEND")
    backup_fetch: str = setting(
        "",
        "Shell command that brings $NAME back to $COPY: what was sent is then compared with what was made",
        "GATEWAY_BACKUP_FETCH",
    )
    safety_copies_keep: int = setting(
        3, "Copies made before a restore or an upgrade that are kept; 0 keeps all", "GATEWAY_SAFETY_COPIES_KEEP"
    )
    safety_copies_days: int = setting(
        30, "Days after which such a copy goes; 0 for never", "GATEWAY_SAFETY_COPIES_DAYS", parse=parse_days
    )
    alarm_email: str = setting("", "Who is told by mail when something is wrong", "GATEWAY_ALARM_EMAIL")
    alarm_webhook: str = setting(
        "", "URL that is told by POST, such as a chat's incoming webhook", "GATEWAY_ALARM_WEBHOOK", secret=True
    )

    retention_days: dict[str, int] = setting(
        {}, "GATEWAY_KIND_DAYS sets the days that rows of a kind of the application's are kept; 0 for ever"
    )
    audit_days: int = setting(
        365, "Days that the audit logs are kept; 0 for ever", "GATEWAY_AUDIT_DAYS", parse=parse_days
    )
    mails_days: int = setting(
        30,
        "Days that mails are kept after they were sent or given up; 0 for ever",
        "GATEWAY_MAILS_DAYS",
        parse=parse_days,
    )
