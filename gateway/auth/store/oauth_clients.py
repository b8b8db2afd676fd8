"""Statements for other applications that sign their users in here (`auth.oauth_clients`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import orjson
from pypika import Order

from gateway.auth.store.tables import OAUTH_CLIENTS, insert_row
from gateway.auth.types import moment_of, read_time
from gateway.database import Result
from gateway.database.sql import bind, parameter, render, select_from, sql, template
from gateway.database.sql import update as update_of
from gateway.database.statement import Statement, Value

SCOPES: Final = ("openid", "profile", "email", "phone", "offline_access")
GRANT_TYPES: Final = ("authorization_code", "refresh_token")
AUTH_METHODS: Final = ("client_secret_basic", "client_secret_post", "none")


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """An application. `secret_hash` is base64url of SHA-256; None for one that cannot keep a secret."""

    id: str
    secret_hash: str | None
    registration_type: str
    redirect_uris: tuple[str, ...]
    grant_types: tuple[str, ...]
    name: str | None
    uri: str | None
    logo_uri: str | None
    client_type: str
    auth_method: str
    created_at: datetime | None
    updated_at: datetime | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> OAuthClient:
        return cls(
            id=row["id"],
            secret_hash=row["client_secret_hash"] or None,
            registration_type=row["registration_type"],
            redirect_uris=tuple(row["redirect_uris"].split(",")),
            grant_types=tuple(row["grant_types"].split(",")),
            name=row["client_name"],
            uri=row["client_uri"],
            logo_uri=row["logo_uri"],
            client_type=row["client_type"],
            auth_method=row["token_endpoint_auth_method"],
            created_at=read_time(row["created_at"]),
            updated_at=read_time(row["updated_at"]),
        )

    @property
    def is_public(self) -> bool:
        return self.client_type == "public"


_C: Final = OAUTH_CLIENTS.as_("c")
_LIVE: Final = select_from(_C).select(sql("to_jsonb(c)")).where(_C.deleted_at.isnull())
_BY_ID: Final = template(_LIVE.where(_C.id == parameter("id")))
_ALL: Final = template(_LIVE.orderby(_C.created_at, order=Order.desc).orderby(_C.id))
_INSERT: Final = template(
    insert_row(
        OAUTH_CLIENTS,
        "id",
        "client_secret_hash",
        "registration_type",
        "redirect_uris",
        "grant_types",
        "client_name",
        "client_uri",
        "logo_uri",
        "client_type",
        "token_endpoint_auth_method",
        created_at="now",
        updated_at="now",
    )
)
_DELETE: Final = template(
    update_of(OAUTH_CLIENTS).set(OAUTH_CLIENTS.deleted_at, parameter("now")).where(OAUTH_CLIENTS.id == parameter("id"))
)


def by_id(client_id: str) -> Statement:
    return _BY_ID.fill(id=client_id)


def every() -> Statement:
    """All clients, newest first."""
    return _ALL.fill()


def read(result: Result) -> OAuthClient | None:
    return OAuthClient.of(orjson.loads(result.value)) if result.value is not None else None


def read_all(result: Result) -> list[OAuthClient]:
    return [OAuthClient.of(orjson.loads(row[0])) for row in result.rows if row[0] is not None]


def joined(texts: Sequence[str]) -> str:
    """Several texts as the table keeps them."""
    return ",".join(texts)


def insert(client: OAuthClient, now: float) -> Statement:
    return _INSERT.fill(
        id=client.id,
        client_secret_hash=client.secret_hash,
        registration_type=client.registration_type,
        redirect_uris=joined(client.redirect_uris),
        grant_types=joined(client.grant_types),
        client_name=client.name,
        client_uri=client.uri,
        logo_uri=client.logo_uri,
        client_type=client.client_type,
        token_endpoint_auth_method=client.auth_method,
        now=moment_of(now).isoformat(),
    )


def update(client_id: str, columns: Mapping[str, Value], now: float) -> Statement:
    """Change columns of a client."""
    query = update_of(OAUTH_CLIENTS).set("updated_at", bind(moment_of(now).isoformat()))
    for name, value in columns.items():
        query = query.set(name, bind(value))
    return render(query.where(OAUTH_CLIENTS.id == bind(client_id)))


def delete(client_id: str, now: float) -> Statement:
    """Hide a client; its sessions go on."""
    return _DELETE.fill(id=client_id, now=moment_of(now).isoformat())
