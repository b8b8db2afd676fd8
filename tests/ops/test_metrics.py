"""What an operator sees: the admin port, the logs, the commands that read them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from prometheus_client.parser import text_string_to_metric_families

from gateway.admin.metric_families import application_families, worker_families
from gateway.database import SyncConnection
from gateway.middleware.metrics import BUCKETS, SERIES, Board, Tally
from tests.fixtures.server import ROOT, GatewayStarter, LiveGateway
from tests.ops.procs import LIMIT, background, nap, prepare, until

SUBSCRIPTION = {"firstName": "Lena", "lastName": "Okafor", "email": "lena@example.com"}
EMAIL, PASSWORD = "nobody@example.com", "a-password-of-nobody"


def admin_of(gateway: LiveGateway) -> str:
    return str(json.loads((gateway.data_dir / "serving.json").read_text())["admin"])


def samples(gateway: LiveGateway) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every number of the metrics page by its name and labels."""
    text = httpx.get(f"{admin_of(gateway)}/metrics", timeout=LIMIT).text
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def total(gateway: LiveGateway, name: str, **labels: str) -> float:
    """Sum of the samples that have these labels, over workers and whatever else tells them apart."""
    return sum(
        value
        for (found, having), value in samples(gateway).items()
        if found == name and labels.items() <= dict(having).items()
    )


def test_promise_16_live_and_ready_are_told_on_the_admin_port_alone(gateway: LiveGateway) -> None:
    admin = admin_of(gateway)
    assert httpx.get(f"{admin}/live").json() == {"live": True}
    ready = httpx.get(f"{admin}/ready")
    assert (ready.status_code, ready.json()["ready"]) == (200, True)
    assert set(ready.json()["checks"]) == {"database", "schema cache", "disk"}
    for path in ("live", "ready", "metrics"):
        public = httpx.get(f"{gateway.url}/{path}")
        assert public.status_code == 404 and "gateway_" not in public.text
    assert httpx.get(f"{admin}/rest/v1/blog_posts").status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example"])
def test_the_admin_port_answers_to_no_other_name(gateway: LiveGateway, host: str) -> None:
    assert httpx.get(f"{admin_of(gateway)}/metrics", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "via", "x-real-ip"])
def test_the_admin_port_answers_no_proxy(gateway: LiveGateway, header: str) -> None:
    headers = {header: "203.0.113.9", "apikey": gateway.note["key"]}
    for path in ("/ready", "/lookups", "/_admin/functions"):
        assert httpx.get(f"{admin_of(gateway)}{path}", headers=headers).status_code == 403


def test_more_than_probes_needs_the_owners_key(gateway: LiveGateway) -> None:
    """Functions hold the secret API key; it opens nothing here, and the note with the right one is its owner's."""
    assert (gateway.data_dir / "serving.json").stat().st_mode & 0o077 == 0
    for path, verb in (("/lookups", "GET"), ("/_admin/functions", "GET"), ("/_admin/functions/x/deploy", "POST")):
        for key in ("", "x", gateway.secret_key, gateway.keys["publishable_key"]):
            asked = httpx.request(verb, f"{admin_of(gateway)}{path}", headers={"apikey": key})
            assert asked.status_code == 403
    for path in ("/lookups", "/_admin/functions"):
        assert httpx.get(f"{admin_of(gateway)}{path}", headers={"apikey": gateway.note["key"]}).status_code == 200
    assert gateway.note["key"] not in gateway.command("status", "--json").stdout


def test_there_is_no_mail_trap_outside_development(gateway: LiveGateway) -> None:
    for path in ("/_mail", "/_mail/messages.json", f"/_mail?key={gateway.trap_key}"):
        answer = httpx.get(f"{gateway.url}{path}", headers={"apikey": gateway.trap_key})
        assert answer.status_code == 404 and "Mail trap" not in answer.text


def test_nothing_is_deployed_through_the_public_port_by_default(gateway: LiveGateway) -> None:
    headers = {"apikey": gateway.secret_key}
    for path in ("functions", "functions/x/deploy", "functions/x/rollback", "logs", "replay/x"):
        for verb in ("GET", "POST"):
            answer = httpx.request(verb, f"{gateway.url}/functions/v1/_admin/{path}", headers=headers, content=b"x")
            assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


def test_promise_16_ready_is_503_with_the_reason_while_the_database_is_away(
    gateways: GatewayStarter, database_url: str
) -> None:
    gateway = gateways()
    name = database_url.partition("?")[0].rpartition("/")[2]
    with SyncConnection(database_url.replace(f"/{name}", "/postgres")) as admin:
        admin.script(f'alter database "{name}" allow_connections false')
        admin.rows("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", name)
        until(lambda: httpx.get(f"{admin_of(gateway)}/ready", timeout=LIMIT).status_code == 503, "not ready")
        told = httpx.get(f"{admin_of(gateway)}/ready", timeout=LIMIT).json()
        assert told["ready"] is False and "not currently accepting" in told["checks"]["database"]
        assert httpx.get(f"{admin_of(gateway)}/live").status_code == 200
        assert gateway.command("status").returncode == 1
        admin.script(f'alter database "{name}" allow_connections true')
    until(lambda: httpx.get(f"{admin_of(gateway)}/ready", timeout=LIMIT).status_code == 200, "ready again")


def test_promise_58_the_metrics_say_what_happened(gateways: GatewayStarter, database_url: str) -> None:
    prepare(database_url)
    pool = {"PGRST_DB_POOL": "1", "GATEWAY_DB_POOL_WRITES": "0", "PGRST_DB_POOL_ACQUISITION_TIMEOUT": "600"}
    gateway = gateways(extra={"GATEWAY_WORKERS": "2", **pool})
    headers = {"apikey": gateway.publishable_key}
    token = jwt.encode({"role": "anon"}, gateway.keys["jwt_secret"], "HS256")
    signed = {**headers, "authorization": f"Bearer {token}"}
    reads = 6
    for _ in range(reads):  # more than there are workers, so that one of them is asked again
        asked = httpx.get(f"{gateway.url}/rest/v1/blog_posts?select=id&limit=1", headers=signed)
        assert asked.status_code == 200
    body = {"email": EMAIL, "password": PASSWORD}
    grant = f"{gateway.url}/auth/v1/token?grant_type=password"
    assert httpx.post(grant, headers=headers, json=body, timeout=LIMIT).status_code == 400
    function = f"{gateway.url}/functions/v1/submit-newsletter"
    assert httpx.post(function, headers=headers, json={}, timeout=LIMIT).status_code < 500
    assert httpx.post(function, headers=headers, json=SUBSCRIPTION, timeout=LIMIT).json() == {"ok": True}
    httpx.get(f"{gateway.url}/functions/v1/no-such-function", headers=headers)
    with SyncConnection(database_url) as connection:
        mail = json.dumps({"to": ["a@example.com"], "subject": "x", "text": "y", "kind": "x"})
        (job,) = connection.rows("select jobs.enqueue_mail($1::jsonb)", mail)[0]
        for outcome in ("unreachable", "sent"):
            connection.rows("insert into jobs.mail_attempts (job_id, outcome) values ($1::bigint, $2)", job, outcome)
        waiting = int(connection.rows("select count(*) from jobs.procrastinate_jobs")[0][0] or 0)
        # Rows go, what was counted stays.
        connection.script("delete from public.newsletter_subscriptions; delete from jobs.mail_attempts")

    def counted(expected: float, metric: str, **labels: str) -> None:
        until(lambda: total(gateway, metric, **labels) == expected, f"{metric} {labels} at {expected}")

    # Each worker tells what it counted once a second, so every figure is waited for by itself.
    counted(reads, "gateway_requests_total", route="/rest/v1", method="GET", status="200")
    counted(1, "gateway_failed_sign_ins_total")
    counted(1, "gateway_requests_total", route="/auth/v1/token", status="400")
    counted(2, "gateway_request_seconds_count", route="/functions/v1/submit-newsletter")
    counted(1, "gateway_function_calls_total", function="submit-newsletter", method="POST", status="200")
    counted(2, "gateway_function_call_seconds_count", function="submit-newsletter")
    counted(0, "gateway_function_calls_total", function="no-such-function")
    counted(1, "gateway_requests_total", route="other", status="404")
    counted(waiting, "gateway_jobs", queue="mail", status="todo")
    counted(1, "gateway_leads_total", form="newsletter")
    counted(1, "gateway_leads_total")
    counted(1, "gateway_mail_attempts_total", outcome="sent")
    counted(2, "gateway_mail_attempts_total", kind="x")
    until(lambda: total(gateway, "gateway_schema_reloads_total") >= 2, "the schema of both workers")
    for name in ("plans_built", "plans_reused", "tokens_verified", "tokens_reused"):
        until(lambda name=name: total(gateway, f"gateway_{name}_total") >= 1, name)  # type: ignore[misc]
    for name, labels in (
        ("jobs_oldest_seconds", {"queue": "mail"}),
        ("request_seconds_sum", {"route": "/rest/v1"}),
        ("function_call_seconds_sum", {"function": "submit-newsletter"}),
    ):
        until(lambda name=name, labels=labels: total(gateway, f"gateway_{name}", **labels) > 0, f"{name} grows")  # type: ignore[misc]

    naps = [background(lambda: nap(gateway, 600))[0] for _ in range(3)]  # one more than there are connections
    until(lambda: total(gateway, "gateway_pool_connections", pool="tables", state="busy") >= 1, "a busy connection")
    until(lambda: total(gateway, "gateway_pool_waiting", pool="tables") >= 1, "a request that waits")
    asleep = "from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
    with SyncConnection(database_url) as connection:

        def are_over() -> bool:
            connection.rows(f"select pg_cancel_backend(pid) {asleep}")
            return not any(thread.is_alive() for thread in naps)

        until(are_over, "the naps end")


def test_promise_57_one_id_finds_the_request_everywhere(gateways: GatewayStarter, database_url: str) -> None:
    gateway = gateways(extra={"GATEWAY_ACCESS_LOG": "true"})
    headers = {"apikey": gateway.publishable_key}
    body = {"email": EMAIL, "password": PASSWORD}
    named = {**headers, "x-request-id": "a-sign-in.1"}
    secret = "?grant_type=password&token=t0ken-in-the-query"
    httpx.post(f"{gateway.url}/auth/v1/token{secret}", headers=named, json=body, timeout=LIMIT)
    function = f"{gateway.url}/functions/v1/submit-newsletter"
    refused = httpx.post(function, headers=headers, json={}, timeout=LIMIT)
    called = httpx.post(function, headers=headers, json=SUBSCRIPTION, timeout=LIMIT)
    assert called.json() == {"ok": True}
    pages = [
        httpx.get(f"{gateway.url}{path}", headers=headers) for path in ("/", "/rest/v1/nothing", "/functions/v1/x")
    ]
    ids = [page.headers["x-request-id"] for page in (refused, called, *pages)]
    assert len(set(ids)) == len(ids)
    gateway.stop()

    lines = [json.loads(line) for line in (gateway.data_dir / "access.jsonl").read_text().splitlines()]
    assert {line["id"] for line in lines} >= {"a-sign-in.1", *ids}
    mine = next(line for line in lines if line["id"] == "a-sign-in.1")
    assert (mine["method"], mine["path"], mine["status"]) == ("POST", "/auth/v1/token", 400)
    kinds = {id: {line["kind"] for line in logs(gateway, "--id", id)} for id in ("a-sign-in.1", *ids[:2])}
    assert kinds == {
        "a-sign-in.1": {"request", "audit"},
        ids[0]: {"request", "function"},
        ids[1]: {"request", "function", "job", "sql"},
    }
    (asked, *_) = [line for line in logs(gateway, "--id", ids[1]) if line["kind"] == "sql"]
    assert asked["ms"] > 0 and SUBSCRIPTION["email"] not in asked["text"] and "$1" in asked["text"]
    assert any("/rest/v1/rpc/" in line["text"] for line in logs(gateway, "--id", ids[1])), "what the function asked"
    assert {line["failed"] for line in logs(gateway, "--errors")} == {True}


def test_promise_57_every_answer_bears_an_id_that_the_access_log_has(
    gateways: GatewayStarter, database_url: str
) -> None:
    """Of each service and method, refused or not, asked once or again: its own, or the one that was brought."""
    gateway = gateways(extra={"GATEWAY_ACCESS_LOG": "true"})
    token = jwt.encode({"role": "anon"}, gateway.keys["jwt_secret"], "HS256")
    key = {"apikey": gateway.publishable_key}
    signed = ({**key, "authorization": f"Bearer {word}"} for word in (token, "x"))
    kinds: list[dict[str, str]] = [key, {}, *signed]
    paths = ["/rest/v1/blog_posts?select=id&limit=1", "/rest/v1/nothing", "/rest/v1/rpc/nothing", "/rest/v1/"]
    paths += ["/auth/v1/health", "/auth/v1/user", "/auth/v1/nothing", "/functions/v1/nothing"]
    paths += ["/storage/v1/bucket", "/storage/v1/object/public/none/x", "/storage/v1/s3/none"]
    paths += ["/functions/v1/submit-newsletter", "/", "/env.js", "/nothing/at/all", "/rest/v1/blog_posts?id=eq."]
    seen: dict[str, str] = {}
    with httpx.Client(base_url=gateway.url, timeout=LIMIT, trust_env=False) as client:
        for path in paths:
            for number, headers in enumerate(kinds):
                for method in ("GET", "GET", "HEAD", "OPTIONS", "POST", "PATCH", "PUT", "DELETE", "PROPFIND"):
                    if method not in ("GET", "HEAD") and number > 1:
                        continue
                    for brought in ("", f"mine.{len(seen)}", "bad id\t<x>"):
                        asked = {**headers, **({"x-request-id": brought} if brought else {})}
                        answer = client.request(method, path, headers=asked)
                        case = f"{method} {path} {asked}: {answer.status_code}"
                        id = answer.headers.get("x-request-id", "")
                        assert id and id not in seen, case
                        assert (id == brought) is brought.startswith("mine"), case
                        seen[id] = case
    gateway.stop()
    files = sorted(gateway.data_dir.glob("access*.jsonl"))
    logged = {json.loads(line)["id"] for file in files for line in file.read_text().splitlines()}
    assert {case for id, case in seen.items() if id not in logged} == set()


@pytest.mark.parametrize("log", [{}, {"GATEWAY_ACCESS_LOG": "true"}])
def test_promise_57_the_database_knows_the_request_of_a_write(
    gateways: GatewayStarter, database_url: str, log: dict[str, str]
) -> None:
    with SyncConnection(database_url) as connection:
        connection.script(
            "create function public.trace() returns text[] language sql volatile as $$ select array["
            "current_setting('request.id', true), current_setting('application_name'),"
            " (select application_name from pg_stat_activity where pid = pg_backend_pid())] $$;"
            "create view public.traces as select coalesce(current_setting('request.id', true), '') as id;"
            "grant execute on function public.trace to anon; grant select on public.traces to anon"
        )
    gateway = gateways(extra={"PGRST_DB_POOL": "1", "GATEWAY_DB_POOL_WRITES": "0"} | log)
    headers = {"apikey": gateway.publishable_key}
    with httpx.Client(base_url=f"{gateway.url}/rest/v1", headers=headers, timeout=LIMIT) as client:
        for named in ({"x-request-id": "the-visitor.1"}, {}):
            written = client.post("/rpc/trace", headers=named)
            id = written.headers["x-request-id"]
            told, *shown = written.json()
            assert told == id and shown[0] == shown[1]
            assert (shown[0] == f"gateway tables {id}") == bool(log or named)
        # A read that comes without an id may be answered as an earlier one was; one that brings its own is traced.
        seen = [client.get("/traces", headers=named).json()[0]["id"] for named in ({}, {"x-request-id": "mine"}, {})]
        assert seen == ["", "mine", ""]


def logs(gateway: LiveGateway, *options: str) -> list[dict[str, Any]]:
    done = gateway.command("logs", "--json", *options)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_promise_37_no_secret_is_in_logs_errors_or_the_site(gateways: GatewayStarter, database_url: str) -> None:
    gateway = gateways(extra={"GATEWAY_ACCESS_LOG": "true", "GATEWAY_LOG_LEVEL": "debug"})
    keys = gateway.keys
    secret = gateway.secret_key
    headers = {"apikey": secret, "authorization": f"Bearer {secret}"}
    answers = [
        httpx.get(f"{gateway.url}/rest/v1/nothing?apikey={secret}", headers=headers),
        httpx.get(f"{gateway.url}/rest/v1/blog_posts?select=id&id=eq.{secret}", headers={"apikey": secret}),
        httpx.get(f"{gateway.url}/auth/v1/verify?token={secret}&type=magiclink", headers=headers),
        httpx.post(
            f"{gateway.url}/auth/v1/token?grant_type=password",
            headers=headers,
            json={"email": EMAIL, "password": PASSWORD},
            timeout=LIMIT,
        ),
        httpx.post(f"{gateway.url}/functions/v1/submit-newsletter", headers=headers, json={}, timeout=LIMIT),
        httpx.get(f"{gateway.url}/env.js"),
    ]
    gateway.stop()
    private = [secret, keys["jwt_secret"], keys["session_secret"], PASSWORD]
    private += [jwk["d"] for jwk in keys["signing_keys"] if "d" in jwk]
    texts = {"log": "".join(gateway.output)}
    echoed = answers.pop(1)  # Postgres quotes a bad value back to whoever sent it
    texts |= {f"answer {index}": answer.text for index, answer in enumerate([*answers])}
    for path in gateway.data_dir.rglob("*"):
        if path.is_file() and path.name != "keys.json":
            texts[path.name] = path.read_text(errors="replace")
    for path in (ROOT / "web" / "dist").rglob("*"):
        if path.is_file() and path.suffix in (".html", ".js", ".css", ".json"):
            texts[path.name] = path.read_text(errors="replace")
    assert echoed.status_code == 400 and len(texts) > 10
    found = [(name, value[:12]) for name, text in texts.items() for value in private if value in text]
    assert found == []
    assert not [name for name, text in texts.items() if re.search(r"sb_secret_[A-Za-z0-9_-]{20}", text)]


def test_promise_37_no_secret_is_in_a_log_wherever_a_client_put_it(gateways: GatewayStarter, database_url: str) -> None:
    gateway = gateways(extra={"GATEWAY_ACCESS_LOG": "true", "GATEWAY_LOG_LEVEL": "debug"})
    private = (gateway.secret_key, PASSWORD)
    addresses = (
        "/rest/v1/blog_posts", "/rest/v1/rpc/nothing", "/rest/v1/", "/auth/v1/user", "/auth/v1/verify",
        "/auth/v1/token", "/auth/v1/admin/users", "/functions/v1/submit-newsletter", "/functions/v1/nothing", "/quote",
    )  # fmt: skip
    with httpx.Client(base_url=gateway.url, timeout=LIMIT) as client:
        for number, address in enumerate(addresses):
            for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
                for word in private:
                    client.request(
                        method,
                        address,
                        params={("apikey", "token", "access_token")[number % 3]: word},
                        headers={"apikey": word, "authorization": f"Bearer {word}", "cookie": f"session={word}"},
                        json={"email": EMAIL, "password": word, "token": word, "refresh_token": word},
                    )
    gateway.stop()
    texts = {"output": "".join(gateway.output)} | {
        path.name: path.read_text(errors="replace")
        for path in gateway.data_dir.rglob("*")
        if path.is_file() and path.name != "keys.json"
    }
    assert "/auth/v1/token" in texts["access.jsonl"]
    assert [(name, word[:12]) for name, text in texts.items() for word in private if word in text] == []


def test_status_says_where_and_how(gateway: LiveGateway) -> None:
    quiet = gateway.command("status", "--json")
    assert quiet.returncode == 1 and "No job worker runs" in json.loads(quiet.stdout)["jobs"]
    with SyncConnection(gateway.database_url) as connection:
        connection.script("insert into jobs.procrastinate_workers (last_heartbeat) values (now() + interval '1 hour')")
    done = gateway.command("status", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["url"], told["pid"]) == (0, gateway.url, gateway.process.pid)
    gateway.stop()
    assert gateway.command("status").returncode == 1


def test_promise_58_a_tally_is_bounded_and_loses_no_answer(tmp_path: Path) -> None:
    tally = Tally()
    for number in range(SERIES + 50):
        tally.note(f"/route/{number}", "GET", 200, 0.003)
    tally.note("/route/0", "GET", 200, 99)
    rows = {row[0]: row for row in tally.rows()}
    assert len(rows) == SERIES + 1
    assert sum(rows["other"][4:]) == 50
    assert rows["/route/0"][-1] == 1 and len(rows["/route/0"]) == 3 + 1 + len(BUCKETS) + 1
    board = Board(2)
    board.write(1, {"requests": tally.rows()})
    families = {family.name: family for family in worker_families(board.read())}
    counted = [sample for sample in families["gateway_requests"].samples if sample.labels["route"] == "other"]
    assert [(sample.labels["worker"], sample.value) for sample in counted] == [("2", 50)]


@pytest.mark.parametrize("edge", range(len(BUCKETS) + 1))
def test_promise_58_an_answer_stands_in_the_bucket_of_its_time(edge: int) -> None:
    """A bucket ends with its own bound; the last has none."""
    bounds = (0.0, *BUCKETS, BUCKETS[-1] * 2)
    times = [bounds[edge + 1]] + ([bounds[edge] * 1.001] if edge else [0.0])
    tally = Tally()
    for seconds in times:
        tally.note("/rest/v1", "GET", 200, seconds)
    (row,) = tally.rows()
    assert row[3] == pytest.approx(sum(times))
    assert row[4:] == [2 if place == edge else 0 for place in range(len(BUCKETS) + 1)]


def test_rows_of_the_application_become_families() -> None:
    rows: list[dict[str, str | None]] = [
        {"name": "leads_total", "labels": '{"form": "a"}', "value": "3"},
        {"name": "leads_total", "labels": '{"form": "b"}', "value": "4"},
    ]
    family = application_families(rows)[1]
    assert [(sample.name, sample.labels, sample.value) for sample in family.samples] == [
        ("gateway_leads_total", {"form": "a"}, 3.0),
        ("gateway_leads_total", {"form": "b"}, 4.0),
    ]


def test_the_admin_port_shows_the_schema_cache(gateway: LiveGateway) -> None:
    answer = httpx.get(f"{admin_of(gateway)}/schema_cache", trust_env=False)
    assert (answer.status_code, answer.headers.get("content-type")) == (200, None)
    content = answer.json()
    assert list(content) == ["dbTables", "dbRelationships", "dbRoutines", "dbRepresentations", "dbMediaHandlers"]
    posts = next(table for table in content["dbTables"] if table["name"] == "public.blog_posts")
    assert posts["columns"]["id"]["type"]
    assert {"isolation", "volatility"} <= set(content["dbRoutines"][0])
    assert httpx.get(f"{admin_of(gateway)}/config", trust_env=False).status_code == 404
