"""Token buckets: generous, fair between clients, the same for every worker."""

from __future__ import annotations

import os

import pytest

from gateway.http.messages import Request
from gateway.middleware.limits import BUCKETS, BURST, LONGEST, REMEMBERED, Buckets, Limits
from gateway.settings import Settings

PROXY = ("10.0.0.1/32",)


def request(peer: str | None, **headers: str) -> Request:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request("GET", "/", "", pairs, client=peer)


def passed(
    limits: Limits, peer: str | None, count: int, service: str = "tables", route: str = "/", **headers: str
) -> int:
    """How many of so many requests at once are let through."""
    return sum(limits.wait(service, route, request(peer, **headers)) == 0 for _ in range(count))


def limits(now: list[float], **settings: object) -> Limits:
    values: dict[str, object] = {"rate_limit_tables": 2.0, "rate_limit_key": 0.0, **settings}
    return Limits(Settings(**values), Buckets(1 << 16), lambda: now[0])  # type: ignore[arg-type]


def test_a_bucket_holds_a_burst_and_fills_again() -> None:
    now = [1000.0]
    bucket = limits(now)
    assert passed(bucket, "203.0.113.1", 100) == 2 * BURST
    assert bucket.wait("tables", "/", request("203.0.113.1")) == pytest.approx(0.5)
    now[0] += 1.0
    assert passed(bucket, "203.0.113.1", 100) == 2
    now[0] += 3600
    assert passed(bucket, "203.0.113.1", 100) == 2 * BURST


def test_one_client_does_not_use_up_anothers_bucket() -> None:
    bucket = limits([0.0])
    passed(bucket, "203.0.113.1", 100)
    assert passed(bucket, "203.0.113.2", 5) == 5
    assert passed(bucket, "203.0.113.1", 5, service="auth") == 5
    assert passed(bucket, "2001:db8::1", 100) == 2 * BURST
    assert passed(bucket, "2001:db8::2", 5) == 0, "one client has a whole /64"


def test_promise_30_a_forwarded_address_counts_only_from_a_named_proxy() -> None:
    bucket = limits([0.0], trusted_proxies=PROXY)
    passed(bucket, "203.0.113.1", 100)
    assert passed(bucket, "203.0.113.1", 5, x_forwarded_for="198.51.100.7") == 0
    assert passed(bucket, "10.0.0.1", 5, x_forwarded_for="198.51.100.7") == 5
    assert passed(bucket, "10.0.0.1", 100, x_forwarded_for="6.6.6.6, 203.0.113.1") == 0


def test_programs_of_this_machine_are_not_limited_and_visitors_through_it_are() -> None:
    bucket = limits([0.0], trusted_proxies=("127.0.0.1/32",))
    assert passed(bucket, "127.0.0.1", 100) == 100
    assert passed(bucket, None, 100) == 100
    assert passed(bucket, "127.0.0.1", 100, x_forwarded_for="203.0.113.1") == 2 * BURST


def test_a_route_and_a_key_have_limits_of_their_own() -> None:
    bucket = limits([0.0], rate_limit_routes={"/functions/v1/quote": "30/m"}, rate_limit_functions=0.0)
    assert passed(bucket, "203.0.113.1", 100, "functions", "/functions/v1/quote") == 0.5 * BURST
    assert passed(bucket, "203.0.113.1", 100, "functions", "/functions/v1/other") == 100
    keyed = limits([0.0], rate_limit_tables=0.0, rate_limit_key=1.0)
    assert sum(passed(keyed, f"203.0.113.{n}", 10, apikey="one") for n in range(5)) == BURST
    assert passed(keyed, "203.0.113.1", 10, apikey="two") == 10


@pytest.mark.parametrize(
    ("text", "rate"), [("3", 3), ("3/s", 3), ("30/m", 0.5), ("7200/h", 2), (" 6 / m ", 0.1), ("0.5", 0.5)]
)
def test_a_rate_is_so_many_in_a_second_a_minute_or_an_hour(text: str, rate: float) -> None:
    made = Limits(Settings(rate_limit_routes={"/x": text}), Buckets(16))
    assert made._rates.by_route["/x"] == pytest.approx(rate)


def test_a_source_is_the_client_and_behind_a_named_proxy_whom_it_names() -> None:
    plain, proxied = limits([0.0]), limits([0.0], trusted_proxies=PROXY)
    said = {"x_forwarded_for": "198.51.100.7"}
    assert plain.source(request("203.0.113.1", **said)) == plain.source(request("203.0.113.1"))
    assert proxied.source(request("203.0.113.1", **said)) == plain.source(request("203.0.113.1"))
    assert proxied.source(request("10.0.0.1", **said)) == plain.source(request("198.51.100.7"))
    assert (plain.source(request("127.0.0.1")), plain.source(request(None))) == ("127.0.0.1", "")


def test_subjects_seldom_share_a_bucket() -> None:
    assert BUCKETS == 1_048_576
    assert len(Buckets()._full_at) == BUCKETS


@pytest.mark.parametrize("text", ["often", "0", "-1/s", "5/w"])
def test_a_rate_that_is_none_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="GATEWAY_RATE_LIMIT_ROUTES"):
        Limits(Settings(rate_limit_routes={"/x": text}), Buckets(16))


def test_workers_share_the_buckets() -> None:
    buckets = Buckets(1 << 16)
    settings = Settings(rate_limit_tables=2.0)
    pid = os.fork()
    if pid == 0:
        used = passed(Limits(settings, buckets, lambda: 5.0), "203.0.113.1", 15)
        os._exit(used)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 15
    assert passed(Limits(settings, buckets, lambda: 5.0), "203.0.113.1", 100) == 2 * BURST - 15


def test_what_a_client_writes_into_a_forwarded_header_takes_no_memory() -> None:
    many = limits([1000.0], trusted_proxies=PROXY)
    for number in range(1000):
        forged = f"{number:05}" + "9" * 60_000
        many.wait("tables", "/", request("10.0.0.1", x_forwarded_for=f"{forged}, 203.0.113.{number % 250}"))
    held = sum(len(said or b"") for _, said in many._subjects)
    assert held <= 1000 * LONGEST
    assert passed(many, "10.0.0.1", 1, x_forwarded_for="x" * 60_000 + ", 203.0.113.251") == 1


def test_so_many_addresses_are_remembered_and_no_more() -> None:
    many = limits([1000.0])
    for number in range(REMEMBERED):
        many._subject(f"10.1.{number // 250}.{number % 250}", None)
    assert len(many._subjects) == REMEMBERED
    assert many._subject("10.2.0.1", None) == "10.2.0.1"
    assert len(many._subjects) == 1
