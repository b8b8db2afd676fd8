"""Statements for the application's roles. Which table has them is written in `gateway.roles_table`."""

from __future__ import annotations

from typing import Final

from gateway.database.sql import bind, catalogued, render, sql
from gateway.database.statement import Statement

REGISTRY: Final = render(sql("select to_regclass('gateway.roles_table')"))
TABLE: Final = render(sql("select to_regclass(name)::text from gateway.roles_table"))


def grant(table: str, user_id: str, role: str) -> Statement:
    """Give a role: a row comes back when the user did not have it. `table` is what `TABLE` gave, here and below."""
    return render(
        sql("insert into ", catalogued(table), " (user_id, role) values (", bind(user_id), ", ", bind(role),
            ") on conflict do nothing returning role")
    )  # fmt: skip


def revoke(table: str, user_id: str, role: str) -> Statement:
    """Take a role: a row comes back when the user had it."""
    return render(
        sql("delete from ", catalogued(table), " where user_id = ", bind(user_id), " and role = ", bind(role),
            " returning role")
    )  # fmt: skip


def of_user(table: str, user_id: str) -> Statement:
    return render(sql("select role from ", catalogued(table), " where user_id = ", bind(user_id), " order by role"))


def first_admin(table: str) -> Statement:
    return render(sql("select from ", catalogued(table), " where role = 'admin' limit 1"))
