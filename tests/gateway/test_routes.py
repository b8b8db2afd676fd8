"""Which service a path goes to, by the plain way and by the fast path."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gateway.http.messages import Receive, Scope, Send
from gateway.middleware.service import Service
from gateway.worker.services import in_order, mounted, path_in, route

PREFIXES = ["", "/rest/v1", "/rest/v1/deep", "/rest", "/auth/v1", "/functions/v1", "/_mail", "/r"]
PIECES = ["/", "//", "/rest", "/v1", "/v10", "/auth/v1", "/deep", "/_mail", "/posts", "x", "%2F", "/r"]


async def nothing(scope: Scope, receive: Receive, send: Send) -> None:
    """No service."""


@given(
    prefixes=st.lists(st.sampled_from(PREFIXES), min_size=1, max_size=4),
    mounts=st.lists(st.sampled_from(PREFIXES[1:]), max_size=2),
    path=st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join),
)
def test_the_fast_path_takes_no_path_that_the_plain_way_gives_to_another(
    prefixes: list[str], mounts: list[str], path: str
) -> None:
    services: list[Service] = [mounted(prefix, nothing) for prefix in prefixes]
    wanted = services[0]
    order = in_order(services, dict.fromkeys(mounts, nothing), mounted("/", nothing))
    order = (*order[:-1], mounted("", nothing))
    plain = route(path, order)
    below = path_in(wanted, order)(path)
    if plain is wanted and path[len(wanted.prefix) :].startswith("/"):
        assert below == path[len(wanted.prefix) :]
    else:
        assert below is None
    assert len(plain.prefix) == max(len(each.prefix) for each in order if each.has(path))
