"""What triggers of the application raise on tables of schema `auth`, and what is answered (contract section 18)."""

from __future__ import annotations

import ast
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import gateway.auth
from gateway.auth.raised import words_of
from gateway.auth.store.violations import Taken, step_of, taken
from gateway.database import DatabaseError
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import PASSWORD, Answer, Auth
from tests.gateway.auth.test_links import LIMITS, link_of

OPEN: dict[str, Any] = {**LIMITS, "disable_signup": False, "mailer_autoconfirm": True}
OLD = {"x-supabase-api-version": ""}
SIGN_UP = {"email": "ada@example.com", "password": PASSWORD}


def trigger(auth: Auth, body: str, when: str = "after insert", table: str = "users") -> None:
    """Let a trigger of the application do something, as the owner of its own tables."""
    auth.script(
        f"create function public.handle() returns trigger language plpgsql security definer set search_path = ''"
        f" as $handle$ begin {body} return new; end $handle$;"
        f" create trigger on_auth {when} on auth.{table} for each row execute function public.handle()"
    )


async def sign_up(auth: Auth, **more: Any) -> Answer:
    return await auth.call("POST", "/signup", SIGN_UP, **more)


SAVING = "Database error saving new user"


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        pytest.param(
            "raise exception 'Only members may join' using hint = 'Ask an admin';",
            500, b'{"code":"P0001","message":"Only members may join","hint":"Ask an admin"}', id="P0001 with a hint",
        ),
        pytest.param(
            "raise sqlstate 'PT403' using message = 'Not you', detail = 'd';",
            403, b'{"code":"PT403","message":"Not you","detail":"d"}', id="PT403 with a detail",
        ),
        pytest.param(
            "raise sqlstate 'PT418' using message = 'm', hint = 'h', detail = 'd';",
            418, b'{"code":"PT418","message":"m","hint":"h","detail":"d"}', id="both, in this order",
        ),
        pytest.param("raise sqlstate 'PT204' using message = 'm';", 500, b'{"code":"PT204","message":"m"}',
                     id="a status without a body"),
        pytest.param("raise sqlstate 'PT999' using message = 'm';", 500, b'{"code":"PT999","message":"m"}',
                     id="no status"),
        pytest.param("raise sqlstate 'PT000' using message = 'm';", 500, None, id="PT000"),
        pytest.param("raise sqlstate 'PTA00' using message = 'm';", 500, None, id="PT with letters"),
        pytest.param("raise insufficient_privilege using message = 'secret';", 500, None, id="42501"),
        pytest.param("raise undefined_table using message = 'secret';", 500, None, id="42P01"),
        pytest.param("raise query_canceled using message = 'secret';", 500, None, id="57014"),
        pytest.param("perform 1 / 0;", 500, None, id="division by zero"),
    ],
)  # fmt: skip
def test_words_of_a_trigger_reach_older_clients_alone(
    with_fresh_auth: WithAuth, caplog: pytest.LogCaptureFixture, body: str, status: int, words: bytes | None
) -> None:
    async def scenario(auth: Auth) -> None:
        trigger(auth, body)
        dated = await sign_up(auth)
        assert (dated.status, dated.body) == (500, {"code": "unexpected_failure", "message": SAVING})
        old = await sign_up(auth, headers=OLD)
        assert old.status == status
        if words is not None:
            assert old.raw == words
        else:
            assert old.body == {
                "code": 500, "error_code": "unexpected_failure", "msg": SAVING, "error_id": "request-1",
            }  # fmt: skip
        assert dated.headers["x-sb-error-code"] == old.headers["x-sb-error-code"] == "unexpected_failure"
        assert auth.rows("select count(*) from auth.users") == [("0",)]
        assert auth.rows("select count(*) from auth.identities") == [("0",)]
        assert auth.mails() == [] and auth.audit() == []

    with_fresh_auth(scenario, **OPEN)
    assert caplog.text.count("PL/pgSQL function public.handle()") == 2, "the operator is told in any case"
    assert "request-1" in caplog.text


def test_log_has_the_applications_words_and_no_values(
    with_fresh_auth: WithAuth, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(auth: Auth) -> None:
        auth.script("create table public.profiles (username text constraint profiles_username_key unique)")
        trigger(auth, "insert into public.profiles values ('ada');")
        assert (await sign_up(auth)).status == 200
        other = {"email": "eve@example.com", "password": PASSWORD}
        assert (await auth.call("POST", "/signup", other)).status == 500
        auth.script("drop trigger on_auth on auth.users; drop function public.handle")
        trigger(auth, "raise exception 'No' using hint = 'Ask', detail = 'It is closed';")
        assert (await auth.call("POST", "/signup", other)).status == 500

    with_fresh_auth(scenario, **OPEN)
    assert "constraint profiles_username_key of public.profiles" in caplog.text
    assert "(username)=(ada)" not in caplog.text
    assert "P0001: No; detail: It is closed; hint: Ask; in PL/pgSQL function" in caplog.text


RULES = [
    pytest.param("username text constraint profiles_username_key unique", "'ada'", "23505", id="unique"),
    pytest.param("username text not null", "null", "23502", id="not null"),
    pytest.param("username text check (username <> 'ada')", "'ada'", "23514", id="check"),
    pytest.param("username text references public.teams", "'ada'", "23503", id="foreign key"),
    pytest.param("username text, exclude (username with =)", "'ada'", "23P01", id="exclusion"),
    # The names of our own rules, in a table of the application's that is called like ours.
    pytest.param("username text constraint users_email_partial_key unique", "'ada'", "23505", id="address' name"),
    pytest.param("username text constraint users_phone_key unique", "'ada'", "23505", id="number's name"),
]


async def invited(auth: Auth, **more: Any) -> Answer:
    return await auth.admin("POST", "/invite", {"email": "ada@example.com"}, **more)


async def linked(auth: Auth, **more: Any) -> Answer:
    return await auth.admin("POST", "/admin/generate_link", {"type": "signup", **SIGN_UP}, **more)


async def made(auth: Auth, **more: Any) -> Answer:
    return await auth.admin("POST", "/admin/users", SIGN_UP, **more)


async def unnamed(auth: Auth, **more: Any) -> Answer:
    return await auth.call("POST", "/signup", {}, **more)


Way = Callable[..., Awaitable[Answer]]
WAYS: list[tuple[Way, str, bool]] = [
    (sign_up, SAVING, True),
    (invited, SAVING, True),
    (linked, SAVING, True),
    (made, "Database error creating new user", True),
    (unnamed, "Database error creating anonymous user", False),
]


@pytest.mark.parametrize("mailer_autoconfirm", [True, False], ids=["autoconfirm", "by mail"])
def test_broken_rule_of_the_application_is_never_a_taken_address(
    with_fresh_auth: WithAuth, mailer_autoconfirm: bool
) -> None:
    """Whatever the rule is called, and whichever way the user comes."""

    async def scenario(auth: Auth) -> None:
        auth.script("create table public.teams (name text primary key)")
        trigger(auth, "perform 1;")
        for rule in RULES:
            columns, value, sqlstate = rule.values[:3]
            auth.script(f"create table public.users ({columns})")
            if sqlstate in ("23505", "23P01"):
                auth.script(f"insert into public.users values ({value})")
            auth.script(
                "create or replace function public.handle() returns trigger language plpgsql security definer as"
                f" $$ begin insert into public.users values ({value}); return new; end $$"
            )
            for way, text, public in WAYS:
                dated = await way(auth)
                assert (dated.status, dated.body) == (500, {"code": "unexpected_failure", "message": text}), rule.id
                old = await way(auth, headers=OLD)
                assert (old.status, old.body["code"]) == (500, sqlstate if public else 500), (rule.id, way)
            auth.script("drop table public.users")
        assert auth.rows("select count(*) from auth.users") == [("0",)]

    settings = {**OPEN, "mailer_autoconfirm": mailer_autoconfirm, "anonymous_users_enabled": True}
    with_fresh_auth(scenario, **settings, auth_address_limits=False)


def test_triggers_own_write_to_our_tables_is_no_taken_address(with_fresh_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create("eve@example.com")
        trigger(auth, "update auth.users set email = 'eve@example.com' where id = new.id;")
        answer = await sign_up(auth)
        assert (answer.status, answer.body["message"]) == (500, SAVING)

    with_fresh_auth(scenario, **OPEN)


@pytest.mark.parametrize(
    ("when", "table", "way", "text"),
    [
        pytest.param("before insert", "identities", sign_up, "Error creating identity", id="identity"),
        pytest.param("before insert", "identities", made, "Database error creating new user", id="identity by admin"),
        pytest.param("before insert", "sessions", sign_up, "Database error granting user", id="session"),
        pytest.param(
            "before update of last_sign_in_at", "users", sign_up,
            "Database error updating user's last_sign_in_at", id="last sign-in",
        ),
    ],
)  # fmt: skip
def test_step_that_fails_names_the_failure(
    with_fresh_auth: WithAuth, when: str, table: str, way: Way, text: str
) -> None:
    async def scenario(auth: Auth) -> None:
        trigger(auth, "raise exception 'No';", when, table)
        answer = await way(auth)
        assert (answer.status, answer.body) == (500, {"code": "unexpected_failure", "message": text})

    with_fresh_auth(scenario, **OPEN)


def test_changed_and_deleted_users_meet_triggers_too(with_fresh_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        token = (await auth.sign_in())["access_token"]
        trigger(auth, "raise exception 'No';", "before update or delete")
        for method, path, body, text in (
            ("PUT", "/user", {"data": {"a": 1}}, "Error updating user"),
            ("PUT", f"/admin/users/{user['id']}", {"user_metadata": {"a": 1}}, "Error updating user"),
            ("DELETE", f"/admin/users/{user['id']}", None, "Database error deleting user"),
        ):
            bearer = auth.keys.secret_key if path.startswith("/admin") else token
            dated = await auth.call(method, path, body, token=bearer)
            assert (dated.status, dated.body) == (500, {"code": "unexpected_failure", "message": text})
            old = await auth.call(method, path, body, token=bearer, headers=OLD)
            assert (old.status, old.body) == (500, {"code": "P0001", "message": "No"})

    with_fresh_auth(scenario, **OPEN)


def test_followed_link_leads_back_with_the_failure(with_fresh_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await sign_up(auth)
        link = link_of(auth.mails()[-1])
        trigger(auth, "raise sqlstate 'PT403' using message = 'Not you';", "before update of email_confirmed_at")
        back = await auth.call("GET", link)
        assert back.status == 303
        assert back.fragment == {
            "error": "server_error", "error_code": "unexpected_failure", "error_description": "Error confirming user",
            "sb": "",
        }  # fmt: skip

    with_fresh_auth(scenario, **{**OPEN, "mailer_autoconfirm": False})


def test_failure_without_a_name_is_told_to_nobody_but_where_a_link_leads(with_fresh_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.call("POST", "/recover", {"email": "ada@example.com"})
        link = link_of(auth.mails()[-1])
        trigger(auth, "raise sqlstate 'PT403' using message = 'Not you';", "before delete", "one_time_tokens")
        text = "Unexpected failure, please check server logs for more information"
        back = await auth.call("GET", link)
        assert back.fragment == {"error": "access_denied", "error_description": "Not you", "sb": ""}
        token = (await auth.sign_in())["access_token"]
        for headers in ({}, OLD):
            answer = await auth.call("PUT", "/user", {"password": "quiet-harbor-9-lamp"}, token=token, headers=headers)
            assert (answer.status, answer.body.get("msg") or answer.body["message"]) == (500, text)

    with_fresh_auth(scenario, **OPEN)


# --- by construction --------------------------------------------------------------------------------------------------


def test_one_module_alone_looks_at_unique_violations() -> None:
    """Decided by code alone, a rule of the application's would be taken for one of ours."""
    root = Path(gateway.auth.__file__).parent
    found = set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            is_code = isinstance(node, ast.Constant) and node.value == "23505"
            is_rule = isinstance(node, ast.Attribute) and node.attr == "constraint"
            if is_code or is_rule:
                found.add(path.relative_to(root).as_posix())
    assert found == {"store/violations.py", "raised.py"}  # the one decides; the other tells and shows


@pytest.mark.parametrize(
    ("schema", "table", "constraint", "context", "meant"),
    [
        ("auth", "users", "users_email_partial_key", None, Taken.EMAIL),
        ("auth", "users", "users_phone_key", None, Taken.PHONE),
        ("public", "users", "users_email_partial_key", None, None),
        ("auth", "profiles", "users_email_partial_key", None, None),
        ("auth", "users", "profiles_username_key", None, None),
        ("auth", "users", "users_email_partial_key", "PL/pgSQL function public.handle() line 1", None),
        (None, None, "users_email_partial_key", None, None),
    ],
)
def test_rule_is_known_by_schema_table_and_name(
    schema: str | None, table: str | None, constraint: str, context: str | None, meant: Taken | None
) -> None:
    assert taken(DatabaseError("23505", "", None, None, constraint, schema, table, context)) is meant
    assert taken(DatabaseError("23514", "", None, None, constraint, schema, table, context)) is None


def test_step_of_a_statement_outside_auth_has_no_name() -> None:
    error = DatabaseError("P0001", "no")
    assert step_of(error) is None
    for text in ("select 1", 'insert into "public"."users" values (1)', "with a as (delete from auth.users) select 1"):
        error.statement = text
        assert step_of(error) is None


def test_statuses_are_those_that_have_a_body() -> None:
    statuses = {words.status for n in range(1000) if (words := words_of(DatabaseError(f"PT{n:03}", "m"))) is not None}
    assert statuses == set(range(200, 600)) - {204, 205, 304}
