"""The console's routes of functions, queue, mail, sight, realtime, keys and copies: what they answer and change."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.console.settings_page import shown
from gateway.console.sight import percentile, without_values
from gateway.database import SyncConnection
from gateway.functions.invocations import Invocation
from gateway.mail.trap import store
from gateway.middleware.metrics import BUCKETS
from gateway.settings import describe
from gateway.worker.sight import Counts, Minutes, counts_of, ended_minutes, note
from tests.console.conftest import Desk, Desks

HELLO = "async def handle(request):\n    print('a word')\n    return {'body': (await request.body()).decode()}\n"


def got(desk: Desk, path: str) -> Any:
    answer = desk.ask("GET", f"/api{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def did(desk: Desk, method: str, path: str, content: Any = None, status: int = 200) -> Any:
    answer = desk.ask(method, f"/api{path}", content)
    assert answer.status_code == status, answer.text
    return answer.json()


def pid_of(connection: SyncConnection) -> int:
    return int(connection.rows("select pg_backend_pid()")[0][0] or 0)


def last_note(desk: Desk) -> dict[str, Any]:
    """The newest row of the audit."""
    with desk.connect() as connection:
        row = connection.rows("select action, status, detail from gateway.console_audit order by id desc limit 1")[0]
    return {"action": row[0], "status": row[1], "detail": json.loads(row[2] or "{}")}


# --- functions -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(desks: Desks, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk whose gateway has a function, with calls of this day."""
    root: Path = tmp_path_factory.mktemp("functions")
    (root / "hello").mkdir()
    (root / "hello" / "main.py").write_text(HELLO)
    (root / "hello" / "sample.json").write_text('{"name": "Ada"}\n')
    (root / "hello" / "function.toml").write_text('verify_jwt = false\nrecord = true\nschedule = "@daily"\n')
    made = desks(functions_dir=root)
    made.sign_in()
    return made


def call(desk: Desk, ms: float, status: int, ago: float = 60, body: str | None = None) -> Invocation:
    at = datetime.fromtimestamp(time.time() - ago, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    made = Invocation(at, "hello", "v", "POST", "/hello", "", status, ms, "", f"r-{ms:g}-{ago:g}", [], body)
    desk.gateway.functions.invocations.add(made)
    desk.gateway.functions.invocations.flush()
    return made


def test_functions_are_listed_with_what_their_calls_came_to(served: Desk) -> None:
    for ms in (10.0, 20.0, 30.0):
        call(served, ms, 200)
    call(served, 40.0, 500)
    call(served, 9000.0, 500, ago=2 * 86_400)
    (row,) = [row for row in got(served, "/functions") if row["name"] == "hello"]
    assert (row["kind"], row["verify_jwt"], row["state"], row["schedule"]) == ("python", False, "asleep", "@daily")
    assert (row["calls"], row["errors"], row["p50"], row["p99"]) == (4, 1, 30.0, 40.0)
    one = got(served, "/functions/hello")
    assert sum(minute["calls"] for minute in one["minutes"]) == 4 and one["versions"] == []
    assert one["recent"][0]["status"] == 500
    assert served.ask("GET", "/api/functions/nobody").status_code == 404


def test_a_call_is_shown_and_made_again(served: Desk) -> None:
    kept = call(served, 5.0, 200, body="eyJ4IjogMX0=")
    shown = got(served, f"/functions/hello/calls/{kept.id}")
    assert (shown["body"], shown["replayable"], shown["status"]) == ('{"x": 1}', True, 200)
    again = did(served, "POST", "/functions/hello/replay", {"id": kept.id})
    assert (again["before"], again["status"], json.loads(again["body"])) == (200, 200, {"body": '{"x": 1}'})
    assert last_note(served)["detail"]["id"] == kept.id
    assert any(line.get("text") == "a word" for line in got(served, "/functions/hello/logs"))
    assert got(served, "/functions/hello/sample") == {"sample": '{"name": "Ada"}\n'}
    assert did(served, "POST", "/functions/hello/replay", {"id": "none"}, 404)["code"] == "not_recorded"
    assert did(served, "POST", "/functions/hello/rollback", {}, 404)["code"] == "bad_version"


def test_a_secret_is_set_and_never_shown(served: Desk) -> None:
    did(served, "PUT", "/secrets/WORD", {"value": "s3cret-of-mine", "function": "hello"})
    noted = last_note(served)
    assert noted["detail"] == {"secret": "WORD", "function": "hello"}
    rows = got(served, "/secrets")
    assert [(row["function"], row["name"]) for row in rows] == [("hello", "WORD")] and "s3cret" not in json.dumps(rows)
    assert next(row for row in got(served, "/functions") if row["name"] == "hello")["secrets"] == ["WORD"]
    did(served, "DELETE", "/secrets/WORD?function=hello")
    assert got(served, "/secrets") == []
    assert did(served, "PUT", "/secrets/SUPABASE_X", {"value": "x"}, 400)["code"] == "bad_request"


def test_a_schedule_is_run_paused_and_resumed(served: Desk) -> None:
    with served.connect() as connection:
        connection.rows(
            "insert into jobs.function_schedules (function, schedule, timezone) values ('hello', '@daily', 'UTC')"
            " returning function"
        )
    assert did(served, "POST", "/schedules/hello/pause")["paused"] is True
    (row,) = got(served, "/schedules")
    assert (row["function"], row["paused"], row["next"]) == ("hello", True, None)
    assert did(served, "POST", "/schedules/hello/resume")["paused"] is False
    assert did(served, "POST", "/schedules/hello/run")["call"] > 0
    did(served, "POST", "/schedules/hello/burn", status=404)


# --- queue, mail -----------------------------------------------------------------------------------------------------


def enqueue(desk: Desk, status: str = "todo") -> str:
    mail = {"to": ["ada@example.com"], "subject": "s", "text": "a link that lets people in", "kind": "greeting"}
    with desk.connect() as connection:
        id = str(connection.rows("select jobs.enqueue_mail($1::jsonb, 0)", json.dumps(mail))[0][0])
        if status != "todo":
            text = "update jobs.procrastinate_jobs set status = $2::jobs.procrastinate_job_status where id = $1::bigint"
            connection.rows(f"{text} returning id", id, status)
            connection.rows(
                "insert into jobs.mail_attempts (job_id, outcome, reply) values ($1::bigint, 'refused', '550 no')"
                " returning id",
                id,
            )
    return id


def state_of(desk: Desk, id: str) -> str | None:
    found = [row["state"] for row in got(desk, "/jobs")["jobs"] if str(row["id"]) == id]
    return found[0] if found else None


def test_dead_letters_say_why_and_are_tried_again(desk: Desk) -> None:
    id = enqueue(desk, "failed")
    told = got(desk, "/jobs?state=dead")
    (row,) = [row for row in told["jobs"] if str(row["id"]) == id]
    assert (row["about"], row["reason"]) == ("greeting to ada@example.com", "refused: 550 no")
    assert told["counts"]["dead"] >= 1 and "lets people in" not in json.dumps(told)
    assert did(desk, "POST", f"/jobs/{id}/retry")["task"] == "mail.send"
    assert last_note(desk)["action"] == "POST /jobs/{id:segment}/retry"
    assert state_of(desk, id) == "waiting"


def test_a_job_is_taken_out_of_the_queue_unless_it_runs(desk: Desk) -> None:
    waiting, running = enqueue(desk), enqueue(desk, "doing")
    did(desk, "DELETE", f"/jobs/{waiting}")
    assert state_of(desk, waiting) is None
    assert did(desk, "DELETE", f"/jobs/{running}", status=409)["code"] == "job_runs"
    assert did(desk, "POST", f"/jobs/{running}/retry", status=409)["code"] == "job_runs"
    assert did(desk, "DELETE", f"/jobs/{waiting}", status=404)["code"] == "not_found"


@pytest.mark.parametrize("path", ["/jobs?state=any", "/jobs?before=x", "/jobs?limit=-1", "/jobs?limit=" + "9" * 30])
def test_a_question_about_jobs_that_cannot_be_meant_is_refused(desk: Desk, path: str) -> None:
    assert desk.ask("GET", f"/api{path}").status_code == 400


def test_a_call_of_a_function_that_was_given_up_is_made_again(desk: Desk) -> None:
    with desk.connect() as connection:
        call = connection.rows("select jobs.call_function_now('hello', '{}'::jsonb)")[0][0]
        connection.rows(
            "update jobs.function_calls set state = 'dead', error = 'it broke' where id = $1 returning id", call
        )
        job = connection.rows(
            "update jobs.procrastinate_jobs set status = 'failed' where args ->> 'call' = $1 returning id", call
        )[0][0]
    (row,) = [row for row in got(desk, "/jobs?state=dead")["jobs"] if str(row["id"]) == job]
    assert (row["about"], row["reason"], row["call_state"]) == ("hello", "it broke", "dead")
    assert "T" in row["queued_at"] and datetime.fromisoformat(row["queued_at"]).tzinfo is not None
    did(desk, "POST", f"/jobs/{job}/retry")
    with desk.connect() as connection:
        assert connection.rows("select state from jobs.function_calls where id = $1", call) == [("waiting",)]
    did(desk, "DELETE", f"/jobs/{job}")
    with desk.connect() as connection:
        assert connection.rows("select state from jobs.function_calls where id = $1", call) == [("dismissed",)]


def test_the_trap_s_mails_are_listed_and_read(desk: Desk) -> None:
    folder = desk.settings.data_dir / "mail"
    folder.mkdir(exist_ok=True)
    store(folder, b"X-Trap-To: ada@example.com\r\nFrom: a@example.com\r\nSubject: Hello\r\n\r\nwords\r\n")
    told = got(desk, "/mail")
    assert told["trap"] is True
    (mail,) = told["mails"]
    assert (mail["subject"], mail["to"]) == ("Hello", ["ada@example.com"]) and "text" not in mail
    assert got(desk, f"/mail/{mail['id']}")["text"].strip() == "words"
    for id in ("none", "..%2f..%2fkeys", "20260101-000000-000000-00000000"):
        assert desk.ask("GET", f"/api/mail/{id}").status_code == 404


# --- sight -----------------------------------------------------------------------------------------------------------


def worker(pid: int, fast: int, slow: int, errors: int) -> dict[str, Any]:
    def row(status: int, bucket: int, count: int) -> list[Any]:
        counts = [0.0] * (len(BUCKETS) + 1)
        counts[bucket] = float(count)
        return ["/rest/v1", "GET", status, 1.0, *counts]

    rows = [row(200, 1, fast), row(200, 9, slow), row(503, 1, errors)]
    counters = {"plans_built": fast, "plans_reused": 3 * fast}
    return {"pid": pid, "requests": rows, "counters": counters, "pools": {"rest": {"busy": 2}}}


def test_a_minute_is_what_was_added_whichever_worker_began_anew() -> None:
    minutes = Minutes()
    assert minutes.take({0: worker(1, 10, 0, 0), 1: worker(2, 5, 5, 5)}) is None
    taken = minutes.take({0: worker(1, 30, 1, 0), 1: worker(3, 2, 0, 1)})
    assert taken is not None
    counts, busy = taken
    assert (counts.requests, counts.errors, counts.hits, counts.misses, busy) == (24, 1, 66, 22, 4)
    assert counts_of({}) == Counts()


def test_sight_tells_the_minutes_of_all_gateways_together(desk: Desk) -> None:
    at = time.time() // 60 * 60
    for name, numbers in (("a:1", worker(1, 99, 1, 0)), ("b:1", worker(1, 100, 0, 5))):
        minutes = Minutes()
        minutes.take({0: {"pid": 1}})
        desk.gateway.board.write(0, numbers)
        desk.wait(note(desk.gateway, minutes, name, at))
    series = got(desk, "/sight")["series"]
    assert set(series) == {"requests", "errors", "p50", "p99", "connections", "cache_hits"}
    (requests,) = [row for row in series["requests"] if row[1] > 100]
    assert requests == [datetime.fromtimestamp(at, UTC).isoformat(), 205]
    place = series["requests"].index(requests)
    assert series["errors"][place][1] == 5 and series["cache_hits"][place][1] == 0.75
    assert 1 < series["p50"][place][1] < 2.5
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat().replace("+", "%2B")
    assert got(desk, f"/sight?from={later}&to={later}")["series"]["requests"] == []
    assert desk.ask("GET", "/api/sight?from=yesterday").status_code == 400


def test_each_minute_ends_once_though_one_is_woken_early() -> None:
    begin = 1_000_000_020.0 // 60 * 60
    clock = [begin + 22.5]

    async def sleep(seconds: float) -> None:
        clock[0] += seconds - 0.0004 if seconds > 0.001 else seconds + 0.0001

    async def taken() -> list[float]:
        found: list[float] = []
        async for at in ended_minutes(lambda: clock[0], sleep):
            found.append(at)
            if len(found) == 4:
                break
        return found

    assert asyncio.run(taken()) == [begin + 60 * place for place in range(4)]


def test_sight_is_kept_for_a_day(desk: Desk) -> None:
    with desk.connect() as connection:
        for ago in ("2 days", "1 minute"):
            connection.rows(
                "select gateway.note_sight(date_trunc('minute', now()) - $1::interval, 'c:1', 1, 0, '{1}', 0, 0, 0)",
                ago,
            )
        assert connection.rows("select count(*) from gateway.sight where at < now() - interval '1 day'") == [("0",)]


@given(st.lists(st.integers(0, 50), min_size=15, max_size=15), st.floats(0.01, 1), st.floats(0.01, 1))
def test_a_percentile_has_its_share_of_the_answers_below_it(buckets: list[int], one: float, other: float) -> None:
    found = percentile(buckets, one)
    assert (found is None) is (sum(buckets) == 0)
    if found is None:
        return
    bounds = [bound * 1000 for bound in (0.0, *BUCKETS)]
    below = sum(count for bound, count in zip(bounds[1:], buckets, strict=False) if bound <= found)
    touched = sum(count for bound, count in zip(bounds, buckets, strict=True) if bound <= found)
    assert below <= sum(buckets) * one + 0.01 or found == bounds[-1]
    assert touched >= sum(buckets) * one - 0.01
    if one <= other:
        assert (percentile(buckets, other) or 0.0) >= found


QUOTED = st.sampled_from(["'{}'", "E'{}'", "$${}$$", "$tag${}$tag$", "-- {}\n", "/* {} */", "'{}"])


@given(st.lists(st.tuples(QUOTED, st.text("secret's\\\"4")), max_size=4))
def test_no_text_of_a_statement_is_told(pieces: list[tuple[str, str]]) -> None:
    def written(form: str, text: str) -> str:
        if form.startswith(("'", "E")):
            text = text.replace("\\", "\\\\" if form[0] == "E" else "\\").replace("'", "''")
        return form.replace("{}", text.replace("\n", " "))

    open_ones = [piece for piece in pieces if piece[0] == "'{}"][:1]
    whole = [piece for piece in pieces if piece[0] != "'{}"]
    query = " , ".join(["select x", *(written(form, text) for form, text in (*whole, *open_ones))])
    assert not set(without_values(query)) - set("select x,?\n ")


def test_what_the_database_does_is_told_without_values(desk: Desk) -> None:
    with SyncConnection(desk.urls.console) as connection, desk.connect() as mighty:
        pid = pid_of(connection)
        connection.script("select 'the-value-of-somebody', 4242")
        told = got(desk, "/sight/now")
        (row,) = [row for row in told["connections"] if row["pid"] == pid]
        assert "the-value-of-somebody" not in json.dumps(told) and row["query"] == "select ?, ?"
        assert {"connections", "locks", "slow", "disk", "cache_hits", "lag"} <= set(told) and 0 <= told[
            "cache_hits"
        ] <= 1
        assert told["disk"]["total"] > 0 and told["disk"]["database"] > 0
        assert did(desk, "POST", "/sight/end", {"pid": pid, "cancel": True})["ended"] is True
        assert last_note(desk)["detail"] == {"pid": pid, "cancel": True}
        assert did(desk, "POST", "/sight/end", {"pid": pid_of(mighty)}, 403)["sqlstate"] == "42501"
    assert did(desk, "POST", "/sight/end", {"pid": 2**31 - 1}, 404)["code"] == "no_connection"
    for wrong in ("1", None, True, -1, 2**40):
        did(desk, "POST", "/sight/end", {"pid": wrong}, 400)


def test_channels_are_told_with_their_members(desk: Desk) -> None:
    desk.gateway.board.write(0, {"realtime": {"sockets": 3}, "channels": [["room", False, 2], ["desk", True, 5]]})
    told = got(desk, "/realtime")
    assert told == {
        "channels": [
            {"topic": "desk", "members": 5, "private": True},
            {"topic": "room", "members": 2, "private": False},
        ],
        "sockets": 3,
    }


# --- what commands do ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def keeper(desks: Desks, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with a folder for copies."""
    made = desks(backup_dir=str(tmp_path_factory.mktemp("copies")))
    made.sign_in()
    return made


def test_the_doctor_s_findings_are_told(keeper: Desk) -> None:
    rows = got(keeper, "/doctor")
    assert {"level", "title", "text", "fix"} == set(rows[0]) and {"ok", "warning", "problem"} >= {
        row["level"] for row in rows
    }
    assert any(row["title"] == "postgres" and row["level"] == "ok" for row in rows)


def test_a_request_is_followed_by_its_id(served: Desk) -> None:
    made = call(served, 77.0, 503)
    (row,) = got(served, f"/trace/{made.request}")
    assert (row["source"], row["failed"], row["request_id"]) == ("call", True, made.request) and "503" in row["text"]
    found = got(served, f"/logs?source=call&q=503&request_id={made.request}&errors=true&limit=10")
    assert found == [row]
    kept = call(served, 6.0, 200, body="e30=")
    did(served, "POST", "/functions/hello/replay", {"id": kept.id})
    printed = got(served, "/logs?source=line&q=a%20word")
    assert printed and {line["function"] for line in printed} == {"hello"}
    assert got(served, f"/logs?q=nothing-of-that-kind&request_id={made.request}") == []
    for path in ("/trace/--help%20x", "/logs?limit=0", "/logs?limit=99999", "/logs?request_id=%00"):
        assert served.ask("GET", f"/api{path}").status_code == 400, path


def test_a_new_key_is_shown_once_and_revoked(keeper: Desk) -> None:
    made = did(keeper, "POST", "/keys", {"name": "--of the shop", "kind": "secret"})
    assert made["key"].startswith("sb_secret_") and made["key"] not in json.dumps(last_note(keeper))
    rows = {row["id"]: row for row in got(keeper, "/keys")}
    assert made["key"] not in json.dumps(rows)
    assert (rows[made["id"]]["name"], rows[made["id"]]["kind"]) == ("--of the shop", "secret")
    assert rows[made["id"]]["created"] and rows["secret"]["prefix"].startswith("sb_secret_")
    did(keeper, "DELETE", f"/keys/{made['id']}")
    assert made["id"] not in {row["id"] for row in got(keeper, "/keys")}
    did(keeper, "DELETE", f"/keys/{made['id']}", status=409)
    did(keeper, "DELETE", "/keys/%2e%2e%2fx", status=404)
    did(keeper, "POST", "/keys", {"name": "x", "kind": "root"}, 400)


def test_a_key_is_rotated_with_a_grace_for_the_former(keeper: Desk) -> None:
    before = keeper.keys.publishable_key
    said = did(keeper, "POST", "/keys/publishable/rotate", {"grace": "1h"})
    assert said["key"].startswith("sb_publishable_") and said["key"] != before and said["former_until"]
    did(keeper, "POST", "/keys/everything/rotate", {}, 400)
    assert did(keeper, "POST", "/keys/signing/rotate", {"grace": "soon"}, 409)["code"] == "refused"


def test_a_signing_key_stands_by_signs_and_is_revoked(keeper: Desk) -> None:
    def states() -> dict[str, str]:
        return {row["id"]: row["name"] for row in got(keeper, "/keys") if row["kind"] in ("ES256", "RS256")}

    (first,) = states()
    made = did(keeper, "POST", "/keys/standby", {"alg": "RS256"})
    assert states() == {first: "signs", made["kid"]: "standby"}
    assert did(keeper, "POST", "/keys/standby", {}, 409)["code"] == "refused"
    did(keeper, "POST", "/keys/standby", {"alg": "none"}, 400)
    said = did(keeper, "POST", "/keys/signing/rotate", {"grace": "until-revoked"})
    assert (said["kid"], said["former_until"]) == (made["kid"], None)
    assert set(states()) == {first, made["kid"]} and "standby" not in states().values()
    did(keeper, "DELETE", f"/keys/{first}")
    assert set(states()) == {made["kid"]}
    did(keeper, "DELETE", f"/keys/{made['kid']}", status=409)


def test_a_copy_is_made_listed_and_only_by_its_name_put_back(keeper: Desk, desk: Desk) -> None:
    assert did(desk, "POST", "/backups", status=409)["code"] == "no_folder"
    name = did(keeper, "POST", "/backups")["name"]
    assert last_note(keeper)["detail"] == {"name": name}
    (row,) = got(keeper, "/backups")["backups"]
    assert row["name"] == name and row["bytes"] > 0
    refused = did(keeper, "POST", f"/backups/{name}/restore", {"confirm": "another"}, 400)
    assert refused["code"] == "not_confirmed"
    for other in ("none.gateway.tar", "..%2f..%2fkeys.json", "keys.json"):
        assert did(keeper, "POST", f"/backups/{other}/restore", {"confirm": other}, 404)["code"] == "not_found"
        assert did(keeper, "POST", f"/backups/{other}/verify", {}, 404)["code"] == "not_found"


def test_what_a_copy_says_of_itself_is_verified(keeper: Desk) -> None:
    folder = Path(keeper.settings.backup_dir)
    (folder / "broken.gateway.tar").write_bytes(b"no copy")
    refused = did(keeper, "POST", "/backups/broken.gateway.tar/verify", {}, 409)
    assert refused["code"] == "refused" and "no whole copy" in refused["message"]


# --- settings --------------------------------------------------------------------------------------------------------


def test_settings_are_told_with_their_sources_and_without_a_secret(desks: Desks) -> None:
    made = desks(smtp_password="s3cret-word", app_settings={"jwt_secret": "s3cret-word"}, max_body_bytes=4321)
    made.sign_in()
    rows = {row["name"]: row for row in got(made, "/settings")["settings"]}
    assert set(rows) == {name for name, _, _ in describe() if name}
    assert "s3cret-word" not in json.dumps(rows) and made.keys.secret_key not in json.dumps(rows)
    assert {row["group"] for row in rows.values()} >= {"Authentication", "Mail", "Storage"}
    assert "Other" not in {row["group"] for row in rows.values()}
    assert all(row["help"] for row in rows.values())


@given(st.text(st.characters(exclude_characters="/@: \n\t", codec="ascii"), min_size=1))
def test_no_password_of_an_address_is_shown(password: str) -> None:
    address = "postgresql://ada:{}@host/db"
    assert shown(address.format(password)) == address.format("[hidden]")
