"""The SQL page: nothing leaves its transaction, read-only stays read-only, and what fails says where."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from gateway.console.app import Console
from tests.console.conftest import HOST, Desk, Desks

ADA = "22222222-2222-4222-8222-222222222222"


@pytest.fixture(scope="module")
def ready(desk: Desk) -> Desk:
    with desk.connect() as connection:
        connection.script(
            "create table kept (id int primary key, note text); grant all on kept to service_role, postgres"
        )
        connection.script("insert into kept values (1, 'as it was')")
        connection.script(
            "insert into auth.users (id, aud, role, email, created_at, updated_at) values"
            f" ('{ADA}', 'authenticated', 'authenticated', 'ada@example.com', now(), now())"
        )
    return desk


def run(desk: Desk, sql: str, status: int = 200, path: str = "/api/sql", **more: Any) -> dict[str, Any]:
    answer = desk.ask("POST", path, {"id": "run-1", "sql": sql, **more})
    assert answer.status_code == status, answer.text
    content: dict[str, Any] = answer.json()
    return content


def kept(desk: Desk) -> list[tuple[str | None, ...]]:
    with desk.connect() as connection:
        return connection.rows("select id, note from kept order by id")


def test_several_statements_answer_one_by_one(ready: Desk) -> None:
    found = run(ready, "select 9007199254740993 as big, null as nothing; select 'a;b' as text, '{1,2}'::int[] as list")
    first, second = found["results"]
    assert first["rows"] == [["9007199254740993", None]] and first["columns"][0] == {"name": "big", "type": "bigint"}
    assert second["rows"] == [["a;b", "{1,2}"]] and second["columns"][1]["type"] == "integer[]"


WRITES = (
    "insert into kept values (2, 'x')",
    "commit; insert into kept values (2, 'x')",
    "rollback; insert into kept values (2, 'x')",
    "end; begin; insert into kept values (2, 'x'); commit",
    "set transaction read write; insert into kept values (2, 'x')",
    "select set_config('transaction_read_only', 'off', false); insert into kept values (2, 'x')",
    "set session characteristics as transaction read write; rollback; insert into kept values (2, 'x')",
    "savepoint a; set local transaction_read_only = off; insert into kept values (2, 'x')",
    "reset role; reset transaction_read_only; insert into kept values (2, 'x')",
    "do $$ begin commit; insert into public.kept values (2, 'x'); end $$",
    "/* */ ; ; /* */ commit and chain; insert into kept values (2, 'x')",
    "prepare transaction 'a'; insert into kept values (2, 'x')",
    "select nextval('gateway.console_audit_id_seq')",
    "create table more ()",
    "copy kept from stdin",
    "with added as (insert into kept values (2, 'x') returning 1) select * from added",
)


@pytest.mark.parametrize("mode", ["asked", "mode"])
def test_read_only_writes_nothing_whatever_is_written(ready: Desk, desks: Desks, mode: str) -> None:
    desk = ready
    if mode == "mode":
        desk = desks(console_read_only=True)
        desk.sign_in()
    for role in ("postgres", "service_role"):
        for sql in WRITES:
            answer = desk.ask("POST", "/api/sql", {"id": "a", "sql": sql, "role": role, "read_only": mode == "asked"})
            assert answer.status_code in (400, 403, 409) or answer.json()["results"] == [], sql
            assert kept(ready) == [("1", "as it was")], sql


def test_a_text_takes_effect_whole_or_not_at_all(ready: Desk) -> None:
    failed = run(
        ready, "insert into kept values (3, 'three');\n\ninsert into kept values (1, 'again')", 400, read_only=False
    )
    assert (failed["code"], failed["sqlstate"], failed["statement"]) == ("sql", "23505", 2)
    assert kept(ready) == [("1", "as it was")]
    done = run(ready, "begin; insert into kept values (3, 'three'); commit", read_only=False)
    assert done["results"][0]["command"] == "INSERT 0 1" and "left out" in done["notices"][0]["message"]
    run(ready, "delete from kept where id = 3", read_only=False)
    run(ready, "vacuum kept", read_only=False)  # which runs in no transaction


def test_an_error_says_where_in_the_whole_text(ready: Desk) -> None:
    sql = "select 'ä';\nselect nothing from kept"
    failed = run(ready, sql, 400)
    assert failed["position"] == sql.index("nothing") + 1 and failed["sqlstate"] == "42703"


def test_roles_and_claims_are_those_that_were_chosen(ready: Desk) -> None:
    asked = "select current_user, current_setting('request.jwt.claims')::json ->> 'sub' as sub"
    claims = {"sub": ADA}
    assert run(ready, asked, role="authenticated", claims=claims)["results"][0]["rows"] == [["authenticated", ADA]]
    assert run(ready, "select * from kept", 403, role="anon")["sqlstate"] == "42501"
    assert run(ready, "select 1", 400, role="supabase_admin")["code"] == "bad_request"


@pytest.mark.parametrize("sql", [
    "reset role; set session authorization default; select rolsuper from pg_roles where rolname = session_user",
    "select bool_or(rolsuper) from pg_roles where pg_has_role(session_user, oid, 'member')",
    "select bool_or(rolsuper) from pg_roles where pg_has_role(current_user, oid, 'set')",
])  # fmt: skip
def test_no_text_reaches_a_superuser(ready: Desk, sql: str) -> None:
    assert run(ready, sql, read_only=False)["results"][-1]["rows"] == [["f"]]


def test_rows_beyond_the_limit_are_said_and_not_made(ready: Desk) -> None:
    found = run(ready, "select n, repeat('x', 100) from generate_series(1, 3000000) n", limit=10)
    assert len(found["results"][0]["rows"]) == 10 and found["results"][0]["truncated"] is True
    large = run(ready, "select repeat('x', 200000)")
    assert large["results"][0]["cut"] == [[0, 0, 200000]] and len(large["results"][0]["rows"][0][0]) == 100_000


def test_a_text_ends_by_its_timeout_and_by_cancel(ready: Desk) -> None:
    assert run(ready, "select pg_sleep(30)", 504, timeout=1)["sqlstate"] == "57014"
    body = json.dumps({"id": "long", "sql": "select pg_sleep(60)", "timeout": 100}).encode()
    scope_of = {
        "type": "http", "query_string": b"", "client": ("127.0.0.1", 1), "http_version": "1.1", "scheme": "http",
        "headers": [
            (b"host", HOST.removeprefix("http://").encode()), (b"x-console-token", ready.token.encode()),
            (b"origin", HOST.encode()), (b"content-type", b"application/json"), (b"content-length", b"1"),
            *((b"cookie", f"{name}={value}".encode()) for name, value in ready.cookies.items()),
        ],
    }  # fmt: skip

    async def ask(path: str, sent: bytes) -> tuple[int, dict[str, Any]]:
        said: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": sent}

        async def send(message: Any) -> None:
            said.append(message)

        await Console(ready.door)(
            {**scope_of, "method": "POST", "path": path, "raw_path": path.encode()}, receive, send
        )
        return said[0]["status"], json.loads(said[1]["body"])

    async def both() -> tuple[int, dict[str, Any]]:
        running = asyncio.create_task(ask("/api/sql", body))
        async with asyncio.timeout(30):
            while not (await ask("/api/sql/cancel", b'{"id": "long"}'))[1]["cancelled"]:
                assert not running.done()
        return await running

    status, content = ready.wait(both())
    assert (status, content["sqlstate"]) == (504, "57014")


def test_a_plan_is_shown_and_what_ran_for_it_is_undone(ready: Desk) -> None:
    found = run(ready, "delete from kept", path="/api/sql/plan", analyze=True, read_only=False)
    assert found["plan"][0]["Plan"]["Operation"] == "Delete" and "Actual Rows" in found["plan"][0]["Plan"]
    assert kept(ready) == [("1", "as it was")]


def test_history_has_what_was_run_and_its_error(ready: Desk) -> None:
    run(ready, "select 'for the history'")
    run(ready, "select 'not there' from nowhere", 400)
    found = ready.ask("GET", "/api/sql/history").json()["history"]
    assert found[0]["sql"] == "select 'not there' from nowhere" and "nowhere" in found[0]["error"]
    assert found[1]["sql"] == "select 'for the history'" and found[1]["ms"] > 0 and found[1]["error"] is None


def test_snippets_are_files_and_no_name_leaves_their_folder(ready: Desk) -> None:
    put = ready.ask("PUT", "/api/snippets/Signups by day", {"sql": "select 1"})
    assert put.status_code == 200
    assert (ready.settings.data_dir / "snippets" / "Signups by day.sql").read_text() == "select 1"
    assert ready.ask("GET", "/api/snippets").json()["snippets"][0]["name"] == "Signups by day"
    assert ready.ask("GET", "/api/snippets/Signups by day").json()["sql"] == "select 1"
    for name in ("..%2fkeys", "%2e%2e", ".hidden", "a%2fb", "a%00b", "x" * 101):
        assert ready.ask("PUT", f"/api/snippets/{name}", {"sql": "x"}).status_code in (400, 404), name
    assert ready.ask("DELETE", "/api/snippets/Signups by day").status_code == 200
    assert ready.ask("GET", "/api/snippets/Signups by day").status_code == 404


def test_a_migration_is_shown_then_written_run_and_noted(desks: Desks, tmp_path: Path) -> None:
    desk = desks(project_dir=tmp_path)
    desk.sign_in()
    sql = "create table made (id int); alter table made enable row level security"
    without = desk.ask("POST", "/api/migrations", {"name": "Make it", "sql": sql, "run": True})
    assert (without.status_code, without.json()["code"]) == (
        409,
        "no_folder",
    ) and "create table made" in without.json()["sql"]
    (tmp_path / "supabase").mkdir()
    shown = desk.ask("POST", "/api/migrations", {"name": "Make it", "sql": sql, "run": False}).json()
    assert shown["ran"] is False and shown["file"].endswith("_Make_it.sql")
    assert not (tmp_path / "supabase" / "migrations").exists()
    with desk.connect() as connection:
        name = connection.rows("select current_database()")[0][0]
        connection.script(f'alter database "{name}" owner to postgres')  # as the embedded server has it
        ((author,),) = connection.rows("select not rolsuper from pg_roles where rolname = 'postgres'")
    done = desk.ask("POST", "/api/migrations", {"name": "Make it", "sql": sql, "run": True})
    if author != "t":
        assert done.json()["code"] == "no_author"
        return
    assert done.status_code == 200, done.text
    assert (tmp_path / done.json()["file"]).read_text().startswith("create table made")
    failed = desk.ask(
        "POST", "/api/migrations", {"name": "Wrong", "sql": "create table made2 (); selec 1", "run": True}
    )
    assert failed.status_code == 400 and failed.json()["sqlstate"] == "42601"
    listed = desk.ask("GET", "/api/migrations").json()["migrations"]
    assert [(row["name"], row["applied"]) for row in listed] == [("Make_it", True)]
    with desk.connect() as connection:
        assert connection.rows("select tableowner from pg_tables where tablename like 'made%'") == [("postgres",)]
        connection.script("drop table made; drop schema supabase_migrations cascade")


def test_a_person_s_sessions_are_seen_and_ended(ready: Desk) -> None:
    with ready.connect() as connection:
        connection.script(
            "insert into auth.sessions (id, user_id, created_at, updated_at, ip, user_agent, aal) select"
            f" gen_random_uuid(), '{ADA}', now(), now(), '192.0.2.7', 'a browser', 'aal1' from generate_series(1, 3)"
        )
    found = ready.ask("GET", f"/api/people/{ADA}").json()
    assert found["user"]["email"] == "ada@example.com" and len(found["sessions"]) == 3
    assert found["sessions"][0]["ip"] == "192.0.2.7" and found["sessions"][0]["aal"] == "aal1"
    one = found["sessions"][0]["id"]
    assert ready.ask("DELETE", f"/api/people/{ADA}/sessions/{one}").json() == {"ended": 1}
    assert ready.ask("DELETE", f"/api/people/{ADA}/sessions/{one}").status_code == 404
    assert ready.ask("DELETE", f"/api/people/{ADA}/sessions").json() == {"ended": 2}
    assert ready.ask("GET", "/api/people/nobody").status_code == 400


def test_rows_go_out_and_come_in_as_they_were(ready: Desk) -> None:
    strange = 'a,"b"\n\\n\ttab \\ ä \U0001f600'
    with ready.connect() as connection:
        connection.script("create table carried (id bigint primary key, what text, doc jsonb, n numeric default 7)")
        connection.rows("insert into carried values (9007199254740993, $1, $2, 0.10), (2, null, null, 1e20)", strange,
                        json.dumps({"k": strange}))  # fmt: skip
        wanted = connection.rows("select * from carried order by id")
        for form in ("csv", "json"):
            out = ready.ask("GET", f"/api/rows/export?schema=public&table=carried&format={form}")
            assert out.status_code == 200 and "attachment" in out.headers["content-disposition"]
            connection.script("truncate carried")
            kind = {"content-type": "text/csv" if form == "csv" else "application/json"}
            path = f"/api/rows/import?schema=public&table=carried&format={form}"
            back = ready.ask("POST", path, content=out.content, headers=kind)
            assert back.json()["inserted"] == 2, back.text
            assert connection.rows("select * from carried order by id") == wanted, form
        chosen = json.dumps([{"column": "what", "op": "eq", "value": strange}])
        asked = "/api/rows/export?schema=public&table=carried&format=json&filters="
        from urllib.parse import quote

        assert len(ready.ask("GET", asked + quote(chosen)).json()) == 1
        partly = b'[{"id": 5, "what": "ok"}, {"id": 5, "what": "twice"}]'
        path = "/api/rows/import?schema=public&table=carried&format=json"
        refused = ready.ask("POST", path, content=partly, headers={"content-type": "application/json"})
        assert refused.status_code == 400 and refused.json()["sqlstate"] == "23505"
        added = ready.ask("POST", path, content=b'{"id": 5}\n{"id": 6}', headers={"content-type": "application/json"})
        assert added.json()["inserted"] == 2
        assert connection.rows("select n from carried where id > 4 and id < 7") == [("7",), ("7",)]  # its default
        assert ready.ask("POST", path, content=b"[1]", headers={"content-type": "application/json"}).status_code == 400
