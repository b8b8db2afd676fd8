"""`gateway storage …`: objects from a shell, and whether rows and bytes belong together.

Works on the database and the blob store themselves, whether a gateway runs or not, and asks no policies.
"""

from __future__ import annotations

import asyncio
import json
import mimetypes
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, TypeVar

import typer

from gateway.cli.common import database_urls, fail, load_settings
from gateway.cli.tables import print_rows
from gateway.database import Database, DatabaseError, DatabaseUnavailable, PoolTimeout
from gateway.database.embedded import EmbeddedPostgres
from gateway.database.statement import Statement
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings
from gateway.storage.blobs import CHUNK, BlobMissing, StoreUnavailable, WrongStore
from gateway.storage.call import Call
from gateway.storage.compose import blob_store
from gateway.storage.core import Core, NewRow
from gateway.storage.errors import StorageError
from gateway.storage.names import check_key
from gateway.storage.objects import finder
from gateway.storage.rows import content_metadata
from gateway.storage.tidying import OLDER, OWNER, Report, check, claim

storage_app = typer.Typer(help="Objects of the storage API and their bytes.", no_args_is_help=True)

REMOTE: Final = "ss:///"
Json = Annotated[bool, typer.Option("--json", help="For scripts")]
_T = TypeVar("_T")


@asynccontextmanager
async def _opened(settings: Settings, urls: Any) -> AsyncIterator[Core]:
    database = Database(urls.storage, become=urls.storage_as, size=4, application_name="gateway storage command")
    keys = KeyRing.load(settings)
    core = Core(settings, database, blob_store(settings), lambda: keys.url_signing, lambda: keys.verification)
    try:
        yield core
    finally:
        await core.settle()
        await core.blobs.close()
        await database.close()


def _run(work: Callable[[Core], Awaitable[_T]]) -> _T:
    """What a command does; a failure is one clear line and status 1."""
    settings = load_settings()
    embedded = None
    if not settings.database_url:
        from gateway.cli.common import owner_url

        owner_url(settings)  # starts the embedded server where none runs
        embedded = EmbeddedPostgres(settings.data_dir)
    urls = database_urls(settings, embedded)

    async def run() -> _T:
        async with _opened(settings, urls) as core:
            return await work(core)

    try:
        return asyncio.run(run())
    except StorageError as error:
        fail(error.message)
    except (WrongStore, StoreUnavailable) as error:
        fail(str(error))
    except DatabaseError as error:
        if error.sqlstate in ("42P01", "3F000"):
            fail("this database has no storage schema yet: run `gateway db migrate`")
        fail(f"the database refused: {error.message}")
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except PoolTimeout:
        fail("the database has no connection left")


@storage_app.command("ls")
def list_objects(
    path: Annotated[str, typer.Argument(help="BUCKET/PREFIX; nothing lists the buckets")] = "", as_json: Json = False
) -> None:
    """List buckets, or what lies under a prefix."""
    bucket, _, prefix = path.removeprefix(REMOTE).partition("/")

    async def work(core: Core) -> list[tuple[str | None, ...]]:
        if not bucket:
            text = "select id, public::text, file_size_limit::text from storage.buckets order by id"
            return _texts(await core.db.run(OWNER, Statement(text)))
        text = (
            "select name, metadata ->> 'size', metadata ->> 'mimetype', updated_at::text from storage.objects"
            ' where bucket_id = $1 and starts_with(name, $2) order by name collate "C"'
        )
        return _texts(await core.db.run(OWNER, Statement(text, (bucket, prefix))))

    columns = ("name", "size", "type", "changed") if bucket else ("bucket", "public", "limit")
    print_rows(columns, _run(work), as_json)


def _texts(result: Any) -> list[tuple[str | None, ...]]:
    return [tuple("" if value is None else value.decode() for value in row) for row in result.rows]


def _remote(path: str) -> tuple[str, str] | None:
    """Bucket and key of `ss:///BUCKET/KEY`; None for a file."""
    if not path.startswith(REMOTE):
        return None
    bucket, slash, key = path.removeprefix(REMOTE).partition("/")
    if not bucket or not slash:
        fail(f"{path} names no object: it is to be {REMOTE}BUCKET/KEY")
    return bucket, key


@storage_app.command("cp")
def copy(
    source: Annotated[str, typer.Argument(help=f"A file, or {REMOTE}BUCKET/KEY")],
    target: Annotated[str, typer.Argument(help="The other one; `-` is standard input or output")],
) -> None:
    """Bring a file into a bucket, or an object into a file."""
    there, here = _remote(source), _remote(target)
    if (there is None) == (here is None):
        fail(f"one of the two is to be {REMOTE}BUCKET/KEY and the other a file")
    if here is not None:
        bucket, key = here[0], here[1] if here[1] and not here[1].endswith("/") else here[1] + Path(source).name
        print(_run(lambda core: _bring_in(core, Path(source), bucket, key)))
    elif there is not None:
        _run(lambda core: _bring_out(core, *there, target))


async def _bring_in(core: Core, source: Path, bucket: str, key: str) -> str:
    check_key(key)
    call = _call(bucket, key)
    await core.bucket(call, bucket)

    async def pieces(file: BinaryIO) -> AsyncIterator[bytes]:
        while piece := await asyncio.to_thread(file.read, CHUNK):
            yield piece

    if str(source) == "-":
        stored = await core.write_blob(pieces(sys.stdin.buffer))
    else:
        with source.open("rb") as file:
            stored = await core.write_blob(pieces(file))
    metadata = content_metadata(
        size=stored.size,
        md5=stored.md5,
        mimetype=mimetypes.guess_type(key)[0] or "application/octet-stream",
        cache_control="max-age=3600",
        now=time.time(),
    )
    await core.commit(call, NewRow(bucket, key, None, None), stored.version, metadata, upsert=True)
    return f"{bucket}/{key}: {stored.size} bytes"


async def _bring_out(core: Core, bucket: str, key: str, target: str) -> None:
    row = await finder(core, _call(bucket, key), as_owner=True)()
    try:
        blob = await core.blobs.open(row.version)
    except BlobMissing:
        fail(f"{bucket}/{key} has no bytes: `gateway storage check` lists such objects")
    place = Path(target)
    place = place / Path(key).name if place.is_dir() else place
    aside = place.with_name(place.name + ".part")
    try:
        with sys.stdout.buffer if target == "-" else aside.open("wb") as file:
            async for piece in blob.read(0, blob.size):
                await asyncio.to_thread(file.write, piece)
        if target != "-":
            aside.replace(place)
    finally:
        blob.close()


def _call(bucket: str, key: str) -> Call:
    """A request that nobody sent, for what asks in the name of one."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    return Call("GET", "", "", "", [], receive, params={"bucket": bucket, "key": key})


@storage_app.command("rm")
def remove(
    path: Annotated[str, typer.Argument(help="BUCKET/KEY, or BUCKET/PREFIX with --recursive")],
    recursive: Annotated[bool, typer.Option("--recursive", "-r", help="All that begins with it")] = False,
) -> None:
    """Delete objects with their bytes."""
    bucket, _, key = path.removeprefix(REMOTE).partition("/")
    if not key and not recursive:
        fail("name an object, or a prefix with --recursive")

    async def work(core: Core) -> int:
        condition = "starts_with(name, $2)" if recursive else "name = $2"
        text = f"delete from storage.objects where bucket_id = $1 and {condition}"
        result = await core.db.run(OWNER, Statement(text, (bucket, key)))
        core.empty_trash_soon()
        return int(result.tag.split()[-1])

    count = _run(work)
    if not count:
        fail(f"there is no {path}")
    print(f"{count} removed")


@storage_app.command("stats")
def stats(as_json: Json = False) -> None:
    """Objects and bytes by bucket."""

    async def work(core: Core) -> list[tuple[str | None, ...]]:
        text = (
            "select b.id, count(o.id)::text, coalesce(sum((o.metadata ->> 'size')::bigint), 0)::text"
            " from storage.buckets as b left join storage.objects as o on o.bucket_id = b.id"
            " group by b.id order by b.id"
        )
        return _texts(await core.db.run(OWNER, Statement(text)))

    print_rows(("bucket", "objects", "bytes"), _run(work), as_json)


@storage_app.command("check")
def check_command(
    mend: Annotated[bool, typer.Option("--mend", help="Remove bytes that no row names")] = False,
    rows: Annotated[bool, typer.Option("--rows", help="With --mend: remove rows whose bytes are gone too")] = False,
    deep: Annotated[bool, typer.Option("--deep", help="Read every byte and compare hashes")] = False,
    older_than: Annotated[float, typer.Option(help="Leave bytes alone that are younger than so many seconds")] = OLDER,
    adopt: Annotated[bool, typer.Option("--adopt", help="This is the store of these rows from now on")] = False,
    as_json: Json = False,
) -> None:
    """Compare rows with bytes; status 1 where they differ and nothing was done about it."""
    if rows and not mend:
        fail("--rows goes with --mend")

    async def work(core: Core) -> Report:
        if adopt:
            await claim(core.db, core.blobs, adopt=True)
        return await check(core.db, core.blobs, older=older_than, mend=mend, rows_too=rows, deep=deep)

    report = _run(work)
    if as_json:
        names = ("blobs", "bytes", "rows", "orphans", "lost", "damaged", "unfinished", "trash", "mended")
        print(json.dumps({name: getattr(report, name) for name in names}))
    else:
        done = ", removed" if mend else ""
        print(f"{report.rows} objects, {report.blobs} blobs of {report.bytes} bytes")
        print(f"{len(report.orphans)} blobs without a row{done}; {report.trash} replaced or deleted ones{done}")
        for path in report.lost:
            print(f"without bytes{', removed' if rows else ''}: {path}")
        for path in report.damaged:
            print(f"damaged: {path}")
    left = report.damaged or (report.lost and not rows) or (report.orphans and not mend)
    raise SystemExit(1 if left else 0)
