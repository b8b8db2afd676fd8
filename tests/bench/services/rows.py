"""Writes of one row by its key, and calls of a function by both methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import orjson

from tests.bench import original
from tests.bench.compare import Bench, compare
from tests.bench.load import Call
from tests.bench.servers import Measured
from tests.bench.site import CALL
from tests.bench.tables import Served
from tests.bench.workload import KINDS, NOTE, Kind

TABLE: Final = "public.bench_kept"
PATH: Final = "/rest/v1/bench_kept"
HELD: Final = 48_000  # rows: more than a round deletes
FILL: Final = f"""
truncate {TABLE};
insert into {TABLE} select n, 'Note ' || n, 'Some words, number ' || n, '{{a,b}}', json_build_object('n', n)
  from generate_series(1, {HELD}) n;
"""
KEPT: Final = f"""
create table {TABLE} (
  id int primary key, title text not null, body text, tags text[] not null default '{{}}', details jsonb,
  made timestamptz not null default now()
) with (autovacuum_enabled = false);
grant select, insert, update, delete on {TABLE} to authenticated;
{FILL}
analyze {TABLE};
"""

# Each connection of pgbench goes through keys of its own, as no two requests ask for the same.
EVERY: Final = f"\\set k :k + 1\n\\set n (:client_id + 16 * :k) % {HELD} + 1\n"


def kept(number: int) -> dict[str, object]:
    return {"id": number % HELD + 1, "title": f"Note {number}", "body": f"Other words, number {number}",
            "tags": ["a", "b"], "details": {"n": number}}  # fmt: skip


def _writing(method: str, status: int, body: Callable[[int], object] | None, **more: str) -> Callable[..., Call]:
    """Requests for one row by its key; a POST has the key in its body."""

    def ask(base: str, headers: Mapping[str, str], number: int) -> Call:
        target = PATH if method == "POST" else f"{PATH}?id=eq.{number % HELD + 1}"
        sent = {"accept": "*/*", **headers, **more}
        if body is None:
            return Call.of(base + target, method, sent, status=status)
        content = {**sent, "content-type": "application/json"}
        return Call.of(base + target, method, content, orjson.dumps(body(number)), status)

    return ask


def _changed(number: int) -> dict[str, object]:
    return {"title": f"Note {number}", "body": f"Changed words, number {number}"}


def _by_get(base: str, headers: Mapping[str, str], number: int) -> Call:
    return Call.of(f"{base}{CALL}&many={5 + number % 8}", headers={"accept": "application/json", **headers})


def _kind(name: str, method: str, ask: Callable[..., Call], sql: str) -> Kind:
    return Kind(name, ask, (sql,), role="authenticated", method=method, path="/bench_kept", head=EVERY, clear=FILL)


WRITES: Final = (
    _kind(
        "PATCH of one row", "PATCH", _writing("PATCH", 204, _changed),
        original.update(TABLE, {"title": "text", "body": "text"}, original.as_json(_changed(7)), "id = :n"),
    ),
    _kind("DELETE of one row", "DELETE", _writing("DELETE", 204, None), original.delete(TABLE, "id = :n")),
    _kind(
        "upsert of one row", "POST", _writing("POST", 200, kept, prefer="resolution=merge-duplicates"),
        original.upsert(TABLE, {"id": "integer", **NOTE}, original.as_json({**kept(7), "id": "@n"}), "id"),
    ),
)  # fmt: skip
POSTED: Final = next(kind for kind in KINDS if kind.name == "call of a function")
FETCHED: Final = Kind(
    "call of a function by GET", _by_get, POSTED.limit, role=POSTED.role, path="/rpc/bench_latest"
)  # fmt: skip


def main(at: Measured, served: Served) -> None:
    """Print the figures."""
    gateway, keys = served
    owner, rest = at.server.url(database="services"), at.server.url("authenticator", "services")
    assert at.server.pid is not None
    bench = Bench(gateway.url, gateway.process.pid, keys, rest, owner, at.server.pid, at.programs)
    compare(bench, (*WRITES, POSTED, FETCHED))
