"""Statements that put mails into the job queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gateway.auth.store.users import json_text
from gateway.database.sql import parameter, render, sql, template
from gateway.database.statement import Statement

EXISTS: Final = render(
    sql("select to_regprocedure('jobs.enqueue_mail(jsonb,integer,timestamp with time zone,text)') is not null")
)
_ENQUEUE: Final = template(sql("select jobs.enqueue_mail(", parameter("mail"), "::jsonb, 10)"))


def enqueue(mail: Mapping[str, Any]) -> Statement:
    """Queue a rendered mail."""
    return _ENQUEUE.fill(mail=json_text(mail))
