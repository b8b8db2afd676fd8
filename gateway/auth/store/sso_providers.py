"""The providers of single sign-on that a restored dump brought."""

from __future__ import annotations

from typing import Final

from gateway.auth.store.tables import SSO_PROVIDERS
from gateway.database.sql import select_from, sql, template
from gateway.database.statement import Statement

_P: Final = SSO_PROVIDERS.as_("p")
_ALL: Final = template(select_from(_P).select(sql("to_jsonb(p)")).orderby(_P.created_at, _P.id))


def every() -> Statement:
    return _ALL.fill()
