"""What pages of other origins are told, by each service's policy."""

from __future__ import annotations

import pytest

from gateway.http.messages import Request, Response
from gateway.middleware.cors import ANYWHERE, AuthCors, Cors, TablesCors

HERE, THERE = "https://a.example", "https://b.example"


def request(method: str = "GET", **headers: str) -> Request:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request(method, "/", "", pairs)


def preflight(origin: str = HERE, asked: str = "apikey, x-foo") -> Request:
    return request("OPTIONS", origin=origin, access_control_request_method="POST", access_control_request_headers=asked)


def tables(*origins: str) -> TablesCors:
    return TablesCors(lambda: origins)


def dressed(cors: Cors, asked: Request, response: Response | None = None) -> dict[bytes, bytes]:
    """Headers of an answer; none but the exposed ones comes twice."""
    response = response or Response(200)
    cors.dress(asked, response)
    names = [name for name, _ in response.headers if name != b"access-control-expose-headers"]
    assert len(names) == len(set(names))
    return dict(response.headers)


def test_a_preflight_of_tables_names_what_was_asked() -> None:
    response = tables().preflight(preflight())
    assert response is not None
    assert (response.status, dict(response.headers)) == (
        200,
        {
            b"access-control-allow-origin": b"*",
            b"access-control-allow-methods": b"GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD",
            b"access-control-allow-headers": (
                b"Authorization, apikey, x-foo, Accept, Accept-Language, Content-Language"
            ),
            b"access-control-max-age": b"86400",
        },
    )


@pytest.mark.parametrize(
    "asked",
    [request("OPTIONS"), request("OPTIONS", origin=HERE), request(origin=HERE, access_control_request_method="GET")],
    ids=["no origin", "no method asked for", "no OPTIONS"],
)
def test_what_is_no_preflight_goes_on(asked: Request) -> None:
    assert tables().preflight(asked) is None


def test_only_listed_origins_are_let_in() -> None:
    cors = tables(HERE)
    own = dressed(cors, request(origin=HERE))
    assert own[b"access-control-allow-origin"] == HERE.encode()
    assert own[b"access-control-allow-credentials"] == b"true"
    assert not dressed(cors, request(origin=THERE))
    assert cors.preflight(preflight(THERE)) is None
    assert cors.preflight(preflight(HERE)) is not None


def test_a_page_of_another_origin_may_read_the_headers_of_tables() -> None:
    headers = dressed(tables(), request(origin=HERE))
    assert headers[b"access-control-allow-origin"] == b"*"
    assert b"Content-Range" in headers[b"access-control-expose-headers"]
    assert not dressed(tables(), request())


def test_the_options_of_a_table_are_for_everybody() -> None:
    assert dressed(tables(), request("OPTIONS")) == dict([ANYWHERE])
    assert not dressed(tables(), request("OPTIONS"), Response(404))


@pytest.mark.parametrize("cors", [tables(), tables(HERE), AuthCors()])
def test_an_origin_is_said_once_whoever_said_it_before(cors: Cors) -> None:
    own = Response(401, [ANYWHERE, (b"access-control-expose-headers", b"Retry-After")])
    assert dressed(cors, request(origin=HERE), own)[b"access-control-allow-origin"] in (b"*", HERE.encode())
    assert (b"access-control-expose-headers", b"Retry-After") in own.headers


def test_a_preflight_of_auth_allows_what_its_clients_send() -> None:
    response = AuthCors().preflight(preflight(asked="x-foo"))
    assert response is not None
    headers = dict(response.headers)
    assert response.status == 204
    assert headers[b"access-control-allow-headers"].endswith(b"X-Supabase-Api-Version, apikey, x-foo")
    assert headers[b"access-control-allow-credentials"] == b"true"
    without_origin = AuthCors().preflight(request("OPTIONS", access_control_request_method="GET"))
    assert without_origin is not None and without_origin.headers == []
