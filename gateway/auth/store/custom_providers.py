"""Statements for providers that an admin sets up while the server runs (`auth.custom_oauth_providers`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from gateway.auth.store.tables import CUSTOM_PROVIDERS, delete_where
from gateway.auth.types import moment_of
from gateway.database import Result
from gateway.database.sql import bind, insert_into, parameter, render, select_from, sql, template
from gateway.database.sql import update as update_of
from gateway.database.statement import Statement, Value, array_literal

LISTS: Final = ("acceptable_client_ids", "scopes", "custom_claims_allowlist")
TABLES: Final = ("attribute_mapping", "authorization_params", "cached_discovery")


@dataclass(frozen=True, slots=True)
class CustomProvider:
    """A row, as JSON has it."""

    row: Mapping[str, Any]

    @property
    def identifier(self) -> str:
        return str(self.row["identifier"])

    @property
    def is_oidc(self) -> bool:
        return bool(self.row["provider_type"] == "oidc")

    def text(self, name: str) -> str:
        return self.row[name] or ""

    def items(self, name: str) -> tuple[str, ...]:
        return tuple(self.row[name] or ())

    def table(self, name: str) -> Mapping[str, Any]:
        return self.row[name] or {}


_P: Final = CUSTOM_PROVIDERS.as_("p")
_ALL: Final = select_from(_P).select(sql("to_jsonb(p)"))
_BY_IDENTIFIER: Final = template(_ALL.where(_P.identifier == parameter("identifier")))
_LIST: Final = template(
    _ALL.where(sql("(", parameter("kind"), " = '' or p.provider_type = ", parameter("kind"), ")")).orderby(
        _P.created_at, _P.id
    )
)
_COUNT: Final = template(select_from(CUSTOM_PROVIDERS).select(sql("count(*)")))
_DELETE: Final = delete_where(CUSTOM_PROVIDERS, CUSTOM_PROVIDERS.identifier == parameter("identifier"))


def by_identifier(identifier: str) -> Statement:
    return _BY_IDENTIFIER.fill(identifier=identifier)


def every(kind: str) -> Statement:
    """All providers, or those of one kind, oldest first."""
    return _LIST.fill(kind=kind)


def count() -> Statement:
    return _COUNT.fill()


def read(result: Result) -> CustomProvider | None:
    return CustomProvider(orjson.loads(result.value)) if result.value is not None else None


def read_all(result: Result) -> list[CustomProvider]:
    return [CustomProvider(orjson.loads(row[0])) for row in result.rows if row[0] is not None]


def insert(columns: Mapping[str, Any], now: float) -> Statement:
    moment = moment_of(now).isoformat()
    values = {**{name: _stored(name, value) for name, value in columns.items()}, "created_at": moment}
    values["updated_at"] = moment
    return render(insert_into(CUSTOM_PROVIDERS).columns(*values).insert(*(bind(value) for value in values.values())))


def update(identifier: str, columns: Mapping[str, Any], now: float) -> Statement:
    """Change columns of a provider."""
    query = update_of(CUSTOM_PROVIDERS).set("updated_at", bind(moment_of(now).isoformat()))
    for name, value in columns.items():
        query = query.set(name, bind(_stored(name, value)))
    return render(query.where(CUSTOM_PROVIDERS.identifier == bind(identifier)))


def delete(identifier: str) -> Statement:
    return _DELETE.fill(identifier=identifier)


def _stored(name: str, value: Any) -> Value:
    """A value as its column takes it."""
    if value is None:
        return None
    if name in LISTS:
        items: Sequence[str] = value
        return array_literal(items)
    if name in TABLES:
        return orjson.dumps(value).decode()
    return str(value).lower() if isinstance(value, bool) else str(value)
