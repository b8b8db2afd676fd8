"""`/bucket`: create, list, get, update, empty and delete. What the caller may is for policies on storage.buckets."""

from __future__ import annotations

from typing import Final

from gateway.database.statement import Value
from gateway.http.messages import Response
from gateway.storage.call import Call, raw_reply, reply
from gateway.storage.core import Core
from gateway.storage.errors import (
    BUCKET_EXISTS,
    FEATURE_OFF,
    INVALID_ROLE,
    NO_BUCKET,
    NO_CONTENT,
    NOT_EMPTY,
    PENDING_UPLOADS,
    TOO_LARGE,
    TOO_MANY_OBJECTS,
    StorageError,
)
from gateway.storage.names import check_allowed_types, check_bucket_name, parse_size
from gateway.storage.rows import iso
from gateway.storage.sql import array
from gateway.storage.validate import Field, boolean, check, nullable, size_limit, text, whole
from gateway.storage.validate import array as list_of

EMPTY_MOST: Final = 200_000
EMPTY_BATCH: Final = 500
COLUMNS: Final = ("id", "name", "created_at", "updated_at")

_CREATE: Final = {
    "name": Field(text(1), required=True),
    "id": Field(text(1)),
    "public": Field(boolean, default=False),
    "type": Field(text(choices=("STANDARD", "ANALYTICS")), default="STANDARD"),
    "file_size_limit": Field(nullable(size_limit)),
    "allowed_mime_types": Field(nullable(list_of(text()))),
}
_UPDATE: Final = {name: _CREATE[name] for name in ("file_size_limit", "allowed_mime_types")} | {
    "public": Field(nullable(boolean))
}
_LIST: Final = {
    "limit": Field(whole(1)),
    "offset": Field(whole(0)),
    "sortColumn": Field(text(choices=COLUMNS)),
    "sortOrder": Field(text(choices=("asc", "desc")), default="asc"),
    "search": Field(text()),
}


def _bucket_json(with_type: bool) -> str:
    kind = "'type', b.type, " if with_type else ""
    return (
        "json_build_object('id', b.id, 'name', b.name, 'owner', coalesce(b.owner::text, ''), 'public', b.public,"
        f" {kind}'file_size_limit', b.file_size_limit, 'allowed_mime_types', b.allowed_mime_types,"
        f" 'created_at', {iso('b.created_at')}, 'updated_at', {iso('b.updated_at')})"
    )


async def create(core: Core, call: Call) -> Response:
    given = check("body", _CREATE, await call.json())
    caller = call.caller
    assert caller is not None
    name = given["name"]
    id = given.get("id", name)
    check_bucket_name(name)
    check_bucket_name(id)
    if given["type"] != "STANDARD":
        raise StorageError(FEATURE_OFF, feature="iceberg")
    limit = _limit(core, given.get("file_size_limit"))
    types = check_allowed_types(given.get("allowed_mime_types"))
    await core.ask(
        core.caller_scope(call),
        "insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)"
        " values ($1, $2, $3, $4, $5, $6, $7)",
        id,
        name,
        caller.owner,
        caller.sub,
        "true" if given["public"] else "false",
        None if limit is None else str(limit),
        None if types is None else array(types),
        exists=BUCKET_EXISTS,
    )
    return reply({"name": name})


async def find_all(core: Core, call: Call) -> Response:
    given = check("querystring", _LIST, call.query)
    conditions, values = "", []
    if given.get("search"):
        values.append("%" + given["search"].replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%")
        conditions = " where b.name ilike $1"
    order = f" order by b.{given['sortColumn']} {given['sortOrder']}" if "sortColumn" in given else ""
    page = "".join(f" {word} {given[word]:d}" for word in ("limit", "offset") if word in given)
    result = await core.ask(
        core.caller_scope(call),
        f"select coalesce(json_agg({_bucket_json(with_type=not _is_old(call))}), '[]') from"
        f" (select b.* from storage.buckets as b{conditions}{order}{page}) as b",
        *values,
    )
    return raw_reply(result.value or b"[]")


async def get(core: Core, call: Call) -> Response:
    result = await core.ask(
        core.caller_scope(call),
        f"select {_bucket_json(with_type=False)} from storage.buckets as b where b.id = $1",
        call.params["bucket"],
    )
    if result.value is None:
        raise StorageError(NO_BUCKET)
    return raw_reply(result.value)


async def update(core: Core, call: Call) -> Response:
    given = check("body", _UPDATE, await call.json())
    if not given:
        raise StorageError(NO_CONTENT)
    assignments, values = [], list[Value]()
    if "public" in given:
        values.append({True: "true", False: "false"}.get(given["public"], "false"))
        assignments.append(f"public = ${len(values)}")
    if "file_size_limit" in given:
        limit = _limit(core, given["file_size_limit"])
        values.append(None if limit is None else str(limit))
        assignments.append(f"file_size_limit = ${len(values)}")
    if "allowed_mime_types" in given:
        types = check_allowed_types(given["allowed_mime_types"])
        values.append(None if types is None else array(types))
        assignments.append(f"allowed_mime_types = ${len(values)}")
    values.append(call.params["bucket"])
    result = await core.ask(
        core.caller_scope(call),
        f"update storage.buckets set {', '.join(assignments)} where id = ${len(values)} returning id",
        *values,
    )
    if result.value is None:
        raise StorageError(NO_BUCKET)
    core.rows.invalidate()
    return reply({"message": "Successfully updated"})


async def empty(core: Core, call: Call) -> Response:
    """All that was in the bucket when the call came, before the answer: what follows may rely on it."""
    await call.json(may_be_empty=True)
    if call.caller is None or call.caller.role != "service_role":
        raise StorageError(INVALID_ROLE)
    bucket = await core.bucket(call, call.params["bucket"])
    scope = core.owner_scope(call)
    counted = await core.ask(
        scope,
        f"select count(*), now() from (select from storage.objects where bucket_id = $1 limit {EMPTY_MOST + 1}) as o",
        bucket.id,
    )
    count, began = counted.rows[0]
    if int(count or 0) > EMPTY_MOST:
        raise StorageError(TOO_MANY_OBJECTS)
    gone = EMPTY_BATCH
    while gone == EMPTY_BATCH:
        result = await core.ask(
            scope,
            "delete from storage.objects where id in (select id from storage.objects"
            f" where bucket_id = $1 and created_at <= $2 limit {EMPTY_BATCH})",
            bucket.id,
            began,
        )
        gone = int(result.tag.split()[-1])
    core.rows.invalidate()
    core.empty_trash_soon()
    return reply({"message": "Empty bucket has been queued. Completion may take up to an hour."})


async def delete(core: Core, call: Call) -> Response:
    await call.json(may_be_empty=True)
    await delete_named(core, call, call.params["bucket"])
    return reply({"message": "Successfully deleted"})


async def delete_named(core: Core, call: Call, id: str) -> None:
    """Delete an empty bucket as the caller. Raises StorageError."""
    held = await core.ask(
        core.owner_scope(call),
        "select exists (select from storage.objects where bucket_id = $1),"
        " exists (select from storage.s3_multipart_uploads where bucket_id = $1)",
        id,
    )
    objects, uploads = held.rows[0]
    if objects == b"t":
        raise StorageError(NOT_EMPTY)
    if uploads == b"t":
        raise StorageError(PENDING_UPLOADS)
    result = await core.ask(core.caller_scope(call), "delete from storage.buckets where id = $1 returning id", id)
    if result.value is None:
        raise StorageError(NO_BUCKET)
    core.rows.invalidate()


def _limit(core: Core, given: int | float | str | None) -> int | None:
    """A bucket's limit, no more than the global one. Raises StorageError."""
    limit = parse_size(given)
    if limit is not None and limit > core.settings.storage_file_size_limit:
        raise StorageError(TOO_LARGE, what="object")
    return limit


def _is_old(call: Call) -> bool:
    """Python clients before 2.18 (storage3 0.12.1) refuse a bucket with a type."""
    for name, mark, first in (
        (b"x-client-info", "supabase-py/", (2, 18, 0)),
        (b"user-agent", "supabase-py/storage3 v", (0, 12, 1)),
    ):
        said = call.header(name) or ""
        _, found, version = said.partition(mark)
        if found:
            numbers = version.split()[0].split(".")[:3] if version.split() else []
            if all(part.isascii() and part.isdecimal() and len(part) < 10 for part in numbers):
                return tuple(map(int, numbers)) < first
    return False
