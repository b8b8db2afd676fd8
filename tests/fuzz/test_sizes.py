"""Bodies of drawn sizes and shapes to every service: no 500, and little of the gateway's own processor time."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from typing import Final

import httpx
import pytest

from tests.fixtures.db import Server, clone
from tests.fixtures.server import LiveGateway, start_gateway
from tests.gateway.rest.test_hostile_bodies import MB, used, workers
from tests.gateway.test_growth import JSON, TABLES

SECONDS: Final = int(os.environ.get("FUZZ_SECONDS", "0"))
EXAMPLES: Final = 25  # of the short form
LARGEST: Final = 19 * MB if SECONDS else 2 * MB
COST: Final = 0.1  # seconds of processor time for a megabyte, and as many for any request at all
PATHS: Final = (
    "/rest/v1/blog_posts", "/rest/v1/contact_messages", "/rest/v1/rpc/submit_lead", "/rest/v1/rpc/none",
    "/auth/v1/signup", "/auth/v1/token?grant_type=password", "/functions/v1/submit-contact", "/",
)  # fmt: skip
TYPES: Final = {"csv": "text/csv", "form": "application/x-www-form-urlencoded", "json": "application/json"}
SHAPES: Final[list[tuple[str, str, Callable[[int], bytes]]]] = [
    *((name, "json", make) for name, make in JSON.items()),
    *((name, kind, make) for name, (kind, make) in TABLES.items()),
]


@pytest.fixture(scope="module")
def product(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    name = f"sizes_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    gateway = start_gateway(server.database(name), tmp_path_factory.mktemp(name), "serve", {})
    yield gateway
    gateway.stop()
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


def test_no_size_and_no_shape_of_a_body_is_a_failure(product: LiveGateway) -> None:
    seed = random.randrange(1 << 32) if SECONDS else 13
    chance = random.Random(seed)
    until = time.monotonic() + SECONDS
    done = 0
    with httpx.Client(base_url=product.url, timeout=120, trust_env=False) as client:
        while done < EXAMPLES or time.monotonic() < until:
            name, kind, make = chance.choice(SHAPES)
            body = make(int(1000 * (LARGEST / 1000) ** chance.random()))
            path = chance.choice(PATHS)
            key = chance.choice((product.publishable_key, product.secret_key))
            before = used(workers(product))
            answer = client.post(path, content=body, headers={"content-type": TYPES[kind], "apikey": key})
            taken = used(workers(product)) - before
            what = f"{name}, {len(body)} bytes of {kind} to {path}, seed {seed}: {taken:.2f} s"
            assert answer.status_code < 500, f"{what}: {answer.text[:300]}"
            assert taken < COST * (1 + len(body) / MB), what
            done += 1
    print(f"{done} bodies, seed {seed}")
