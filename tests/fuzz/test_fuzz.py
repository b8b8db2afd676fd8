"""Every address answers as its document says, whatever it is sent and whoever asks: no 500, nothing from inside."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import yaml
from functions_runner import registry

from gateway.auth.http.routes import ROUTES
from gateway.database import SyncConnection
from tests.bench import cpu
from tests.contract.conftest import SETTINGS
from tests.contract.harness import Service
from tests.contract.profiles import PROFILES
from tests.fixtures.contract import SCHEMA
from tests.fixtures.db import Server, clone
from tests.fixtures.schema import seed
from tests.fixtures.server import LiveGateway, start_gateway
from tests.fuzz.run import HERE, run
from tests.gateway.rest.test_growth import QUERIES, sent

SECONDS: Final = int(os.environ.get("FUZZ_SECONDS", "0"))  # of each row below; 0 for the short form
# One worker: Python 3.11 cannot parse its own source in two threads at once, which Hypothesis does for its messages.
WORKERS: Final = ("--workers", "1")
SHORT: Final = (*WORKERS, "--phases", "fuzzing,stateful", "--generation-deterministic", "--max-examples")
LIMIT: Final = 60.0  # seconds that a single request may take
PASSWORD: Final = "seven-lanterns-4"
NO_LIMITS: Final = {
    **{f"GATEWAY_RATE_LIMIT_{name}": "0" for name in ("TABLES", "AUTH", "FUNCTIONS", "KEY")},
    **{name: value for name, value in SETTINGS.items() if "KEYCLOAK" not in name},
}
# Functions of the harbour that are there to fail or to be slow; views whose rows nobody can delete, which PostgREST
# says with a 500; and what its document, as PostgREST's would, describes by the type underneath: a domain that shows
# itself as text, a list of lists, a function that names its own type.
UNLIKE: Final = "^/(rpc/(numbers|slow|refuse.*|respond|anything)|all_names|fleet_.*|hulls|specimens)$"
SOME: Final = "^/(notes|tariffs|readings|lockers|Odd Names|rpc/(add|find_ships|total|keep_json))$"


# The functions' admin API is on the public port where its document says.
OPEN: Final = NO_LIMITS | {"FUNCTIONS_ADMIN": "true"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked, by whom, an operation that must have been answered well, and how many examples of each operation
    the short form has."""

    surface: str
    who: str
    reached: str
    short: tuple[str, ...]
    always: tuple[str, ...] = ()


# The harbour takes its callers as PostgREST alone would: without a key.
HARBOUR: Final = ("--exclude-path-regex", UNLIKE, "--exclude-checks", "ignored_auth")
# Deleting comes last: there shall be rows. Who signs out cannot ask on.
ROWS: Final = (
    Asked("tables", "nobody", "GET /blog_posts", ("2",)),
    Asked("tables", "user", "GET /blog_posts", ("1",)),
    Asked("tables", "service", "GET /quote_requests", ("6",)),
    Asked("harbour", "nobody", "POST /notes", ("3", "--include-path-regex", SOME), HARBOUR),
    Asked("harbour", "member", "GET /lockers", ("1", "--include-path-regex", SOME), HARBOUR),
    Asked("product", "nobody", "GET /auth/v1/settings", ("1",)),
    Asked("product", "user", "GET /auth/v1/user", ("3",), ("--exclude-path", "/auth/v1/logout")),
    Asked("product", "service", "GET /auth/v1/admin/users/{user_id}", ("8",)),
    Asked("admin", "nobody", "GET /metrics", ("3",)),
)


@pytest.fixture(scope="module")
def product(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    """The whole product with the sample articles and no limits, for this module to spoil."""
    name = f"fuzz_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    with SyncConnection(server.database(name)) as connection:
        seed(connection, "demo")
    running = start_gateway(server.database(name), tmp_path_factory.mktemp("fuzz"), "dev", OPEN)
    yield running
    running.stop()
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')


@pytest.fixture(scope="module", params=["fast path", "plain way"])
def harbour_gateway(
    request: pytest.FixtureRequest, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveGateway]:
    """The tables of the contract's cases, a database of its own; by both ways that their requests can go."""
    name = f"fuzz_harbour_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f'create database "{name}"')
    with SyncConnection(server.database(name)) as connection:
        connection.script(SCHEMA.read_text())
    settings = PROFILES["open"] | NO_LIMITS | {"PGRST_DB_URI": server.database(name, "contract_login:harbour")}
    settings |= {"GATEWAY_FAST_PATH": str(request.param == "fast path")}
    running = start_gateway(server.database(name), tmp_path_factory.mktemp("harbour"), "serve", settings)
    yield running
    running.stop()
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')


def token_of_user(gateway: LiveGateway) -> str:
    """A session of a confirmed user, made if need be."""
    auth, secret = f"{gateway.url}/auth/v1", gateway.secret_key
    person = {"email": "somebody@example.com", "password": PASSWORD}
    with httpx.Client(headers={"apikey": secret}, timeout=LIMIT, trust_env=False) as client:
        bearer = {"authorization": f"Bearer {secret}"}
        client.post(f"{auth}/admin/users", json={**person, "email_confirm": True}, headers=bearer)
        answer = client.post(f"{auth}/token?grant_type=password", json=person)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["access_token"])


def place(asked: Asked, gateway: LiveGateway) -> tuple[str, str, dict[str, str]]:
    """The document, the address and the headers of a row."""
    if asked.surface == "harbour":
        token = Service(gateway.url, httpx.Client()).token("contract_member")
        return f"{gateway.url}/", gateway.url, {"authorization": f"Bearer {token}"} if asked.who == "member" else {}
    if asked.surface == "admin":
        return str(HERE / "admin.yaml"), gateway.note["admin"], {"apikey": gateway.note["key"]}
    key = gateway.secret_key if asked.who == "service" else gateway.publishable_key
    headers = {"apikey": key}
    if asked.who != "nobody":
        headers["authorization"] = f"Bearer {key if asked.who == 'service' else token_of_user(gateway)}"
    if asked.surface == "tables":
        return f"{gateway.url}/rest/v1/", f"{gateway.url}/rest/v1", headers
    return str(HERE / "product.yaml"), gateway.url, headers


def named(rows: tuple[Asked, ...]) -> list[Any]:
    return [pytest.param(asked, id=f"{asked.surface} as {asked.who}") for asked in rows]


@pytest.mark.parametrize("asked", named(tuple(asked for asked in ROWS if asked.surface != "harbour")))
def test_every_answer_is_one_that_its_document_has(asked: Asked, product: LiveGateway, tmp_path: Path) -> None:
    fuzz(asked, product, tmp_path)


@pytest.mark.parametrize("asked", named(tuple(asked for asked in ROWS if asked.surface == "harbour")))
def test_every_answer_of_the_harbour_is_one_that_its_document_has(
    asked: Asked, harbour_gateway: LiveGateway, tmp_path: Path
) -> None:
    fuzz(asked, harbour_gateway, tmp_path)


def fuzz(asked: Asked, gateway: LiveGateway, folder: Path) -> None:
    """Ask one row's requests, and look at answers and logs."""
    location, url, headers = place(asked, gateway)
    long = (*WORKERS, "--max-examples", "50", "--max-time", str(SECONDS), "--seed", str(random.getrandbits(32)))
    began = len(gateway.output)
    outcome = run(location, url, folder, headers, (*asked.always, *(long if SECONDS else (*SHORT, *asked.short))))
    print(f"{asked.surface} as {asked.who}: {outcome.cases} requests")
    logged = "".join(gateway.output[began:])
    assert outcome.status == 0, outcome.said + logged
    assert outcome.accepted[asked.reached] > 0, outcome.said
    assert "Traceback" not in logged, logged


def test_no_large_query_string_takes_a_worker(product: LiveGateway) -> None:
    """Query strings of any length up to the longest, each of one unit again and again: none is a fault, and all
    together cost no more processor time than as many small requests might."""
    chance = random.Random(None if SECONDS else 1)
    made = chance.sample(list(QUERIES), len(QUERIES) if SECONDS else 25)
    before = cpu.seconds(product.process.pid)
    with httpx.Client(headers={"apikey": product.publishable_key}, timeout=LIMIT, trust_env=False) as client:
        for name in made:
            query = sent(QUERIES[name], chance.randint(1_000, 60_000)).decode()
            answer = client.get(f"{product.url}/rest/v1/blog_posts?{query}")
            assert answer.status_code < 500, name
    spent = cpu.seconds(product.process.pid) - before
    assert spent < 2 + 0.2 * len(made), f"{spent} s of processor time for {len(made)} requests"


def described(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((HERE / name).read_text())
    return content


def test_the_description_has_every_route_of_auth() -> None:
    paths = described("product.yaml")["paths"]
    prefix = "/auth/v1"
    written = {
        (verb.upper(), path.removeprefix(prefix))
        for path, verbs in paths.items()
        for verb in verbs
        if path.startswith(prefix)
    }
    assert written == {(route.method, route.path) for route in ROUTES}


def test_the_description_has_every_function_and_nothing_that_is_not_there(product: LiveGateway) -> None:
    paths = described("product.yaml")["paths"]
    prefix = "/functions/v1/"
    named = {path.removeprefix(prefix) for path in paths if path.startswith(prefix) and path.count("/") == 3}
    assert {name for name in registry.names() if name.startswith("submit-")} == named - {"{name}"}
    with httpx.Client(headers={"apikey": product.secret_key}, timeout=LIMIT, trust_env=False) as client:
        for path in [path for path in paths if path.startswith(f"{prefix}_admin/")]:
            for verb in paths[path]:
                answer = client.request(verb, product.url + path.replace("{name}", "x").replace("{id}", "x"))
                assert "NO_ROUTE" not in answer.text, (verb, path)
