"""What a session rests on: it ends with the key or the account that began it, and no row of a table makes one."""

from __future__ import annotations

import io
import json
import sys
import time
from typing import Any

import pytest

from gateway.auth.crypto import passwords
from gateway.cli import console as commands
from gateway.console import proofs
from gateway.console.accounts import make_hash
from gateway.console.sessions import RECORDS
from gateway.identity import keyring, tokens
from tests.console.conftest import Desk, Desks

PASSWORD = "an apple a week 7"


@pytest.fixture
def desk(desks: Desks) -> Desk:
    """One of its own, with keys of its own."""
    return desks()


def is_in(desk: Desk) -> bool:
    return desk.ask("GET", "/api/session").status_code == 200


def change_keys(desk: Desk, change: Any) -> Any:
    answer = keyring.change_file(desk.settings.data_dir / keyring.FILE_NAME, change)
    assert desk.keys.poll(desk.settings)
    return answer


@pytest.mark.parametrize("grace", [0.0, 3600.0])
def test_a_session_ends_with_the_secret_key_that_began_it(
    desk: Desk, grace: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.enter(key=desk.keys.secret_key).status_code == 200 and is_in(desk)
    now = time.time()
    change_keys(desk, lambda stored: keyring.rotate_api_key(stored, "secret", grace, now))
    assert is_in(desk) is (grace > 0)
    monkeypatch.setattr(desk.keys, "_clock", lambda: now + grace + 1)
    assert not is_in(desk)


def test_a_session_ends_with_the_made_key_that_began_it(desk: Desk) -> None:
    made, key = change_keys(desk, lambda stored: keyring.add_api_key(stored, "secret", "ours", time.time()))
    assert desk.enter(key=key).status_code == 200
    change_keys(desk, lambda stored: keyring.rotate_api_key(stored, "secret", 0, time.time()))
    assert is_in(desk), "another key's end is not this one's"
    change_keys(desk, lambda stored: keyring.revoke(stored, made, time.time()))
    assert not is_in(desk)


def test_a_session_of_a_token_ends_with_the_secret_that_signed_it(desk: Desk) -> None:
    for wrong in (desk.keys.anon_jwt, desk.keys.service_role_jwt[:-4] + "AAAA", "a.b.c"):
        assert desk.ask("POST", "/api/session", {"key": wrong}, cookies={}).status_code == 401
    assert desk.enter(key=desk.keys.service_role_jwt).status_code == 200 and is_in(desk)
    change_keys(desk, lambda stored: keyring.rotate_legacy(stored, 0, time.time()))
    assert not is_in(desk)


def test_a_session_does_not_outlive_the_token_that_began_it(desk: Desk) -> None:
    expires = time.time() + 90
    token = tokens.mint({"role": "service_role", "exp": int(expires)}, desk.keys.signing)
    assert desk.enter(key=token).status_code == 200
    with desk.connect() as connection:
        left = connection.rows(
            "select extract(epoch from expires_at - now()) from gateway.console_sessions"
            " order by created_at desc limit 1"
        )[0][0]
    assert 0 < float(left or 0) <= 90
    old = tokens.mint({"role": "service_role", "exp": int(time.time()) - 90}, desk.keys.signing)
    assert proofs.of_key(old, desk.keys, time.time()) is None


def test_who_writes_to_the_tables_gets_no_further(desk: Desk) -> None:
    """Neither to a session, nor to one that may more or lasts longer, nor in by an account."""
    desk.add_account("reader", "read", PASSWORD)
    assert desk.enter(account="reader", password=PASSWORD).json()["read_only"] is True
    with desk.connect() as connection:
        connection.script("update gateway.console_sessions set read_only = false, account = 'secret key'")
    told = desk.ask("GET", "/api/session").json()
    assert (told["account"], told["kind"], told["read_only"]) == ("reader", "read", True)
    name, cookie = next(iter(desk.cookies.items()))
    for forged in (cookie.replace(cookie.split(".")[1], cookie.split(".")[1][::-1]), f"x{cookie}", cookie[:-1] + "~"):
        with desk.connect() as connection:
            connection.rows(
                "insert into gateway.console_sessions (digest, account, expires_at)"
                " values (sha256(convert_to($1, 'utf8')), 'reader', now() + '1 hour') returning id", forged,
            )  # fmt: skip
        assert desk.ask("GET", "/api/session", cookies={name: forged}).status_code == 401
    with desk.connect() as connection:
        connection.script("update gateway.console_accounts set kind = 'all' where name = 'reader'")
        mark = connection.rows("select mark from gateway.console_accounts where name = 'reader'")[0][0]
        for number, hashed in enumerate((passwords.make_hash(PASSWORD), make_hash(b"", "mine1", "all", PASSWORD))):
            connection.rows(
                "insert into gateway.console_accounts (name, kind, hash, mark) values ($1, 'all', $2, $3)"
                " returning name", f"mine{number}", hashed, mark,
            )  # fmt: skip
    for account in ("reader", "mine0", "mine1"):
        answer = desk.ask("POST", "/api/session", {"account": account, "password": PASSWORD}, cookies={})
        assert (answer.status_code, answer.json()["code"]) == (401, "bad_account")


def test_an_account_is_made_used_and_ended_by_commands(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "load_settings", lambda: desk.settings)
    commands.add("Ann@example.org", as_json=True)
    made = json.loads(capsys.readouterr().out)
    assert (made["name"], made["kind"]) == ("ann@example.org", "all")
    first = desk.enter(account="ann@example.org ", password=made["password"])
    assert first.json()["account"] == "ann@example.org" and is_in(desk)
    with pytest.raises(SystemExit):
        commands.add("ann@example.org")
    monkeypatch.setattr(sys, "stdin", io.StringIO("another good word\n"))
    commands.password("ann@example.org", stdin=True)
    assert not is_in(desk), "a session ends when the password is another"
    assert desk.enter(account="ann@example.org", password=made["password"]).status_code == 401
    assert desk.enter(account="ann@example.org", password="another good word").status_code == 200
    capsys.readouterr()
    commands.list_accounts(as_json=True)
    listed = {row["name"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert listed["ann@example.org"]["state"] == "good"
    commands.remove("ann@example.org")
    assert not is_in(desk), "a session ends when its account is removed"
    capsys.readouterr()
    with pytest.raises(SystemExit):
        commands.add("secret key")
    with pytest.raises(SystemExit):
        commands.add("x", read_only=True, records=True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("short\n"))
    with pytest.raises(SystemExit):
        commands.add("weak", stdin=True)
    with desk.connect() as connection:
        noted = connection.rows("select target from gateway.console_audit where account = 'command line' order by id")
    assert [row[0] for row in noted][-3:] == ["ann@example.org (all)", "ann@example.org", "ann@example.org"]


def test_wrong_passwords_are_slowed_and_say_nothing_of_who_is_there(desk: Desk) -> None:
    desk.add_account("slowed", "all", PASSWORD)
    answers = [
        desk.ask("POST", "/api/session", {"account": name, "password": "wrong"}, cookies={}, peer=f"127.0.0.{at}")
        for at, name in enumerate(("slowed", "nobody at all", "nobody"), 10)
    ]
    assert len({answer.text for answer in answers}) == 1 and answers[0].status_code == 401
    many = [
        desk.ask("POST", "/api/session", {"account": "slowed", "password": "wrong"}, cookies={}, peer=f"127.0.1.{at}")
        for at in range(40)
    ]
    assert many[-1].status_code == 429, "from forty addresses, too"


def test_a_rotated_session_secret_seals_an_account_anew_when_it_signs_in(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.add_account("kept", "records", PASSWORD)
    desk.add_account("away", "records", PASSWORD)
    now = time.time()
    change_keys(desk, lambda stored: keyring.rotate_session(stored, 3600, now))
    monkeypatch.setattr(desk.keys, "_clock", lambda: now + 60)
    assert desk.enter(account="kept", password=PASSWORD).status_code == 200
    monkeypatch.setattr(desk.keys, "_clock", lambda: now + 7200)
    assert is_in(desk) and desk.enter(account="kept", password=PASSWORD).status_code == 200
    assert desk.ask("POST", "/api/session", {"account": "away", "password": PASSWORD}, cookies={}).status_code == 401


def test_an_account_for_records_edits_rows_as_the_apis_service(desk: Desk) -> None:
    with desk.connect() as connection:
        connection.script("""
            create table public.parts (id int primary key, what text);
            create table public.closed (id int primary key, part int references public.parts);
            grant all on public.parts to service_role;
            revoke all on public.closed from service_role, anon, authenticated;
            create function public.whose() returns trigger language plpgsql as
            $$ begin new.what := concat(new.what, ' by ', current_user); return new; end $$;
            create trigger whose before insert on public.parts for each row execute function public.whose();
        """)
    desk.add_account("clerk", RECORDS, PASSWORD)
    desk.enter(account="clerk", password=PASSWORD)
    named = {"schema": "public", "table": "parts"}
    insert = {**named, "changes": [{"kind": "insert", "set": {"id": "1", "what": "bolt"}}]}
    answer = desk.ask("POST", "/api/rows/changes", insert)
    assert answer.json()["rows"] == [{"id": "1", "what": "bolt by service_role"}], answer.text
    imported = desk.ask(
        "POST", "/api/rows/import?schema=public&table=parts&format=csv", content=b"id,what\n2,nut\n",
        headers={"content-type": "text/csv"},
    )  # fmt: skip
    assert imported.json() == {"inserted": 1, "rows": 1, "dry": False}
    rows = desk.ask("POST", "/api/rows", named).json()["rows"]
    assert rows == [["1", "bolt by service_role"], ["2", "nut by service_role"]]
    assert "nut" in desk.ask("GET", "/api/rows/export?schema=public&table=parts&format=csv").text
    assert desk.ask("POST", "/api/rows/cell", {**named, "key": {"id": "1"}, "column": "what"}).status_code == 200
    preview = desk.ask("POST", "/api/rows/delete-preview", {**named, "keys": [{"id": "1"}]})
    assert preview.json() == {"tables": []}, preview.text
    closed = desk.ask("POST", "/api/rows", {"schema": "public", "table": "closed"})
    assert (closed.status_code, closed.json()["sqlstate"]) == (403, "42501")
    somebody = {**named, "as": "user:11111111-1111-4111-8111-111111111111"}
    assert desk.ask("POST", "/api/rows", somebody).json()["code"] == "records_only"
    catalog = desk.ask("GET", "/api/catalog").json()
    assert {schema["name"] for schema in catalog["schemas"]} <= set(desk.settings.db_schemas)
    assert {table["schema"] for table in catalog["tables"]} <= set(desk.settings.db_schemas)
    assert catalog["functions"] == []
    noted = desk.ask("GET", "/api/audit")
    assert noted.json()["code"] == "records_only"


def test_accounts_are_made_renewed_and_removed_by_the_api(desk: Desk) -> None:
    desk.enter(key=desk.keys.secret_key)
    made = desk.ask("POST", "/api/accounts", {"name": "Bob@example.org", "kind": "records"})
    assert (made.status_code, made.json()["name"], made.json()["kind"]) == (200, "bob@example.org", "records"), (
        made.text
    )
    listed = {row["name"]: row["kind"] for row in desk.ask("GET", "/api/accounts").json()}
    assert listed["bob@example.org"] == "records"
    renewed = desk.ask("POST", "/api/accounts/bob@example.org/password", {})
    assert renewed.json()["password"] != made.json()["password"]
    for name, kind in (("-x", "all"), ("", "all"), ("bob", "owner")):
        assert desk.ask("POST", "/api/accounts", {"name": name, "kind": kind}).status_code == 400
    assert desk.ask("POST", "/api/accounts", {"name": "bob@example.org"}).json()["code"] == "refused"
    assert desk.ask("DELETE", "/api/accounts/bob@example.org").json() == {"removed": "bob@example.org"}
    assert desk.ask("DELETE", "/api/accounts/bob@example.org").status_code == 409
    with desk.connect() as connection:
        kept = connection.rows("select string_agg(detail::text, '') from gateway.console_audit")[0][0]
    assert made.json()["password"] not in str(kept) and renewed.json()["password"] not in str(kept)
    desk.add_account("onlooker", "read", PASSWORD)
    desk.enter(account="onlooker", password=PASSWORD)
    assert desk.ask("POST", "/api/accounts", {"name": "x"}).json()["code"] == "read_only"
    desk.add_account("files", RECORDS, PASSWORD)
    desk.enter(account="files", password=PASSWORD)
    assert desk.ask("GET", "/api/accounts").json()["code"] == "records_only"
