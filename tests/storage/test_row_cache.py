"""What is remembered of rows is what the table holds: whoever changes it, and whether anybody says so."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any
from uuid import uuid4

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.database import Listener, SyncConnection
from gateway.lru_cache import Caches
from gateway.storage.row_cache import CHANNEL, RowCache
from tests.storage.conftest import Storage, make_bucket

Cache = RowCache[str, str]


def cache(enabled: bool = True) -> Cache:
    """One that listens as soon as it is told that it does."""
    return RowCache(Caches(enabled), lambda rows: asyncio.get_running_loop().create_future())  # type: ignore[arg-type,return-value]


# --- what may be kept -----------------------------------------------------------------------------------------------

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from("ab"), st.booleans()),
        st.tuples(st.just("hear"), st.integers(0, 3), st.just(None)),
        st.tuples(st.just("ask"), st.sampled_from("ab"), st.just(None)),
        st.tuples(st.just("answer"), st.integers(0, 3), st.just(None)),
        st.tuples(st.sampled_from(["lose", "find"]), st.just(None), st.just(None)),
    ),
    max_size=40,
)


@given(STEPS)
def test_in_any_order_of_events_what_was_heard_of_is_not_kept(steps: list[tuple[str, Any, Any]]) -> None:
    """Questions and news travel on two connections: an answer may come late, news may come late or be lost with the
    connection, and still no row is given out whose change has been heard of, or could have been missed."""

    async def run() -> None:
        rows = cache()
        table = {"a": 0, "b": 0}
        heard = dict(table)  # the newest version that this worker must know of
        news: list[tuple[str, int]] = []
        questions: list[tuple[str, int, int]] = []  # a name, what Postgres saw, the generation
        listens = False
        for step, argument, own in steps:
            if step == "write":
                table[argument] += 1
                if own:  # through this worker
                    rows.forget("bucket", argument)
                    heard[argument] = table[argument]
                if listens:
                    news.append((argument, table[argument]))
            elif step == "hear" and argument < len(news):
                for name, version in news[: argument + 1]:
                    rows.heard(f'[["bucket","{name}"]]')
                    heard[name] = max(heard[name], version)
                del news[: argument + 1]
            elif step == "ask":
                found = rows.object("bucket", argument)
                if found is None:
                    questions.append((argument, table[argument], rows.generation))
                else:
                    assert listens
                    assert int(found) >= heard[argument]
            elif step == "answer" and argument < len(questions):
                name, version, generation = questions.pop(argument)
                rows.keep_object("bucket", name, str(version), 10, generation)
            elif step == "lose" and listens:
                listens = False
                news.clear()
                rows.end()
            elif step == "find" and not listens:
                listens = True
                heard = dict(table)  # what was before is asked for anew
                rows.begin()
            for name in "ab":
                kept = rows.object("bucket", name)
                assert kept is None or (listens and int(kept) >= heard[name])

    asyncio.run(run())


@pytest.mark.parametrize("payload", ["*", "", "[", "null", "[[1]]", '[["a"]]', "5", '{"a":1}', "[null]"])
def test_news_that_cannot_be_read_are_of_everything(payload: str) -> None:
    async def run() -> None:
        rows = cache()
        rows.keep_bucket("b", "row", rows.generation)  # begins to listen
        rows.begin()
        rows.keep_bucket("b", "row", rows.generation)
        rows.keep_object("b", "k", "row", 10, rows.generation)
        assert (rows.bucket("b"), rows.object("b", "k")) == ("row", "row")
        rows.heard(payload)
        assert (rows.bucket("b"), rows.object("b", "k")) == (None, None)

    asyncio.run(run())


def test_nothing_is_kept_where_caches_are_off_or_nobody_listens() -> None:
    async def run() -> None:
        for rows in (cache(enabled=False), cache()):
            rows.keep_object("b", "k", "row", 10, rows.generation)
            assert rows.object("b", "k") is None
        off = cache(enabled=False)
        off.begin()
        off.keep_object("b", "k", "row", 10, off.generation)
        assert off.object("b", "k") is None

    asyncio.run(run())


def test_a_connection_that_is_silent_for_good_is_given_up(storage: Storage) -> None:
    """A network that is gone says nothing: the pulse does."""

    async def run() -> list[str]:
        told: list[str] = []
        proxied = asyncio.Event()
        swallow = False

        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(ConnectionError):
                while data := await reader.read(65_536):
                    if not swallow:
                        writer.write(data)

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            up_reader, up_writer = await connect(storage.gateway.database_url)
            try:
                await asyncio.gather(relay(reader, up_writer), relay(up_reader, writer))
            finally:
                writer.close()
                up_writer.close()

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        name = storage.gateway.database_url.partition("@/")[2].partition("?")[0]

        def lost() -> None:
            told.append("lost")
            proxied.set()

        url = f"postgresql://postgres@127.0.0.1:{port}/{name}?sslmode=disable&gssencmode=disable"
        begun = asyncio.Event()
        listener = Listener(url, CHANNEL, told.append, begun.set, None, lost, 0.2)
        running = asyncio.ensure_future(listener.run())
        await asyncio.wait_for(begun.wait(), 20)
        await asyncio.sleep(0.5)  # pulses that are answered
        assert told == []
        swallow = True
        await asyncio.wait_for(proxied.wait(), 20)
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        server.close()
        return told

    assert asyncio.run(run()) == ["lost"]


async def connect(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    from urllib.parse import unquote

    folder = unquote(url.partition("host=")[2])
    return await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.5432")


# --- against Postgres -----------------------------------------------------------------------------------------------


def eventually(client: httpx.Client, url: str, content: bytes | None) -> None:
    """What a reader is given in the end: other workers hear of a change in the moment that a notification takes."""
    end = time.monotonic() + 10
    while True:
        answer = client.get(url)
        if (answer.content if answer.status_code == 200 else None) == content:
            return
        assert time.monotonic() < end, (answer.status_code, answer.content)


def warm(client: httpx.Client, url: str) -> None:
    for _ in range(3):
        assert client.get(url).status_code == 200


def test_who_writes_reads_what_he_wrote(admin: httpx.Client, anybody: httpx.Client, public_bucket: str) -> None:
    url = f"/object/public/{public_bucket}/a"
    for number in range(30):
        content = str(number).encode()
        admin.put(f"/object/{public_bucket}/a", content=content, headers={"content-type": "text/plain"})
        assert anybody.get(url).content == content
        assert anybody.get(url).content == content
    admin.post("/object/move", json={"bucketId": public_bucket, "sourceKey": "a", "destinationKey": "b"})
    assert anybody.get(url).status_code == 400
    assert anybody.get(f"/object/public/{public_bucket}/b").content == b"29"
    admin.post("/object/copy", json={"bucketId": public_bucket, "sourceKey": "b", "destinationKey": "a"})
    warm(anybody, url)
    admin.request("DELETE", f"/object/{public_bucket}", json={"prefixes": ["a"]})
    assert anybody.get(url).status_code == 400
    warm(anybody, f"/object/public/{public_bucket}/b")
    admin.delete(f"/object/{public_bucket}/b")
    assert anybody.get(f"/object/public/{public_bucket}/b").status_code == 400


def test_a_bucket_that_is_closed_is_closed_at_once(
    admin: httpx.Client, anybody: httpx.Client, public_bucket: str
) -> None:
    admin.post(f"/object/{public_bucket}/a", content=b"x", headers={"content-type": "text/plain"})
    url = f"/object/public/{public_bucket}/a"
    warm(anybody, url)
    admin.put(f"/bucket/{public_bucket}", json={"public": False})
    assert anybody.get(url).status_code == 400
    admin.put(f"/bucket/{public_bucket}", json={"public": True})
    assert anybody.get(url).status_code == 200


CHANGES = {
    "a delete by SQL": "set storage.allow_delete_query = 'true';"
    " delete from storage.objects where bucket_id = '{bucket}'",
    "a rename by SQL": "update storage.objects set name = 'other' where bucket_id = '{bucket}'",
    "a bucket closed by SQL": "update storage.buckets set public = false where id = '{bucket}'",
    "a change without triggers, as a restore makes it": "set session_replication_role = 'replica';"
    " update storage.objects set name = 'other' where bucket_id = '{bucket}'",
    "many rows at once": "update storage.objects set name = name || 'x' where bucket_id = '{bucket}'",
}


@pytest.mark.parametrize("title", CHANGES)
def test_changes_by_sql_are_heard_of(storage: Storage, admin: httpx.Client, anybody: httpx.Client, title: str) -> None:
    bucket = make_bucket(admin, public=True)
    for name in ["a", *(f"more{n}" for n in range(60 if title.startswith("many") else 0))]:
        admin.post(f"/object/{bucket}/{name}", content=b"x", headers={"content-type": "text/plain"})
    url = f"/object/public/{bucket}/a"
    warm(anybody, url)
    storage.script(CHANGES[title].format(bucket=bucket))
    eventually(anybody, url, None)


def test_an_object_that_is_remembered_is_given_out_without_postgres(
    storage: Storage, admin: httpx.Client, anybody: httpx.Client, public_bucket: str
) -> None:
    admin.post(f"/object/{public_bucket}/a", content=b"x", headers={"content-type": "text/plain"})
    url = f"/object/public/{public_bucket}/a"
    end = time.monotonic() + 20
    while True:
        warm(anybody, url)
        before = calls(storage)
        for _ in range(20):
            assert anybody.get(url).content == b"x"
        if calls(storage) == before:
            return
        assert time.monotonic() < end
        time.sleep(0.3)


def calls(storage: Storage) -> str | None:
    """How many index scans of objects there have been: each question is one."""
    with SyncConnection(storage.gateway.database_url) as connection:
        connection.script("select pg_stat_force_next_flush()")
        time.sleep(1.2)  # sessions tell of their scans when they are idle for a while
        text = "select idx_scan::text from pg_stat_user_tables where relid = 'storage.objects'::regclass"
        return connection.rows(text)[0][0]


def test_a_listener_that_ended_is_no_reason_to_believe_what_was_remembered(
    storage: Storage, admin: httpx.Client, anybody: httpx.Client
) -> None:
    bucket, key = make_bucket(admin, public=True), str(uuid4())
    admin.post(f"/object/{bucket}/{key}", content=b"x", headers={"content-type": "text/plain"})
    url = f"/object/public/{bucket}/{key}"
    warm(anybody, url)
    storage.script(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        f" where query = 'listen \"{CHANNEL}\"' and datname = current_database();"
        f" update storage.objects set name = 'gone' where bucket_id = '{bucket}'"
    )
    eventually(anybody, url, None)
    warm(anybody, f"/object/public/{bucket}/gone")
