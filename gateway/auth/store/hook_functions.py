"""The statement that asks a hook which is a function of the database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gateway.auth.store.users import json_text
from gateway.database.sql import bind, identifier, render, sql
from gateway.database.statement import Statement


def ask(schema: str, name: str, event: Mapping[str, Any]) -> Statement:
    """What a function says to an event."""
    return render(sql("select ", identifier(schema), ".", identifier(name), "(", bind(json_text(event)), "::jsonb)"))
