"""`/object/list` and `/object/list-v2`: pages of a bucket, in the caller's role. Postgres makes the JSON."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import datetime
from typing import Final

import orjson

from gateway.http.messages import Response
from gateway.storage.call import Call, raw_reply
from gateway.storage.core import Core
from gateway.storage.errors import INVALID_PARAMETER, StorageError
from gateway.storage.rows import iso
from gateway.storage.validate import Field, boolean, check, shape, text, whole

MOST_V1: Final = 1500
MOST_V2: Final = 1000
_ORDER: Final = Field(text(choices=("asc", "desc")))
_V1: Final = {
    "prefix": Field(text(), required=True),
    "limit": Field(whole(1), default=100),
    "offset": Field(whole(0), default=0),
    "search": Field(text()),
    "sortBy": Field(
        shape(
            {"column": Field(text(choices=("name", "updated_at", "created_at", "last_accessed_at"))), "order": _ORDER}
        )
    ),
}
_V2: Final = {
    "prefix": Field(text()),
    "limit": Field(whole(1)),
    "cursor": Field(text()),
    "with_delimiter": Field(boolean, default=False),
    "sortBy": Field(shape({"column": Field(text(choices=("name", "updated_at", "created_at"))), "order": _ORDER})),
}
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?", re.ASCII)
_TIMES: Final = ", ".join(f"'{name}', {iso(name)}" for name in ("updated_at", "created_at", "last_accessed_at"))
ENTRY_V1: Final = f"json_build_object('name', name, 'id', id, {_TIMES}, 'metadata', metadata)"


async def list_v1(core: Core, call: Call) -> Response:
    given = check("body", _V1, await call.json())
    order = given.get("sortBy") or {}
    prefix = given["prefix"]
    if prefix and not prefix.endswith("/"):
        prefix += "/"
    result = await core.ask(
        core.reader_scope(call),
        f"select coalesce(json_agg({ENTRY_V1}), '[]') from storage.search($1, $2, $3, 1, $4, $5, $6, $7)",
        prefix,
        call.params["bucket"],
        str(min(given["limit"], MOST_V1)),
        str(min(given["offset"], 2**31 - 1)),
        given.get("search", ""),
        order.get("column", "name"),
        order.get("order", "asc"),
    )
    return raw_reply(result.value or b"[]")


class Cursor:
    """Where the next page begins: after a name, and after a time where that is the order."""

    def __init__(self, after: str = "", order: str = "asc", column: str = "name", moment: str = "") -> None:
        self.after, self.order, self.column, self.moment = after, order, column, moment

    @classmethod
    def read(cls, text: str) -> Cursor:
        """Raises StorageError."""
        try:
            lines = base64.b64decode(text, validate=True).decode().split("\n")
            cursor = cls()
            for line in lines:
                kind, colon, value = line.partition(":")
                if not colon or kind not in "loca" or not kind:
                    raise ValueError
                match kind:
                    case "l":
                        cursor.after = value
                    case "o" if value in ("asc", "desc"):
                        cursor.order = value
                    case "c" if value in ("name", "updated_at", "created_at"):
                        cursor.column = value
                    case "a" if not value or (_MOMENT.fullmatch(value) and datetime.fromisoformat(value)):
                        cursor.moment = value
                    case _:
                        raise ValueError
            if not cursor.after:
                raise ValueError
        except (ValueError, binascii.Error):
            raise StorageError(INVALID_PARAMETER, name="continuation token") from None
        return cursor

    def write(self) -> str:
        lines = [f"l:{self.after}"]
        if self.order != "asc":
            lines.append(f"o:{self.order}")
        if self.column != "name":
            lines += [f"c:{self.column}", f"a:{self.moment}"]
        return base64.b64encode("\n".join(lines).encode()).decode()


async def list_v2(core: Core, call: Call) -> Response:
    given = check("body", _V2, await call.json())
    order = given.get("sortBy") or {}
    limit = min(given.get("limit", MOST_V2), MOST_V2)
    if given.get("cursor"):
        cursor = Cursor.read(given["cursor"])
    else:
        cursor = Cursor("", order.get("order", "asc"), order.get("column", "name"))
    values = (
        given.get("prefix", ""),
        call.params["bucket"],
        str(limit + 1),
        cursor.after,
        cursor.order,
        cursor.column,
        cursor.moment,
    )
    with_delimiter = given["with_delimiter"]
    key = "'key', key, " if with_delimiter else ""
    by_time = cursor.column != "name"
    result = await core.ask(
        core.reader_scope(call),
        f"select json_build_object({key}'id', id, 'name', name, 'metadata', metadata, {_TIMES}), id is null, name, key,"
        f" {iso(cursor.column) if by_time else 'null'} from {_source(with_delimiter, cursor)} as page",
        *values,
    )
    rows = result.rows
    has_next = len(rows) > limit
    rows = rows[:limit]
    body: dict[str, object] = {"hasNext": has_next}
    if has_next:
        _, _, name, entry, moment = rows[-1]
        cursor.after, cursor.moment = (name or b"").decode(), (moment or b"").decode()
        body["nextCursor"] = cursor.write()
        body["nextCursorKey"] = (entry or b"").decode() if with_delimiter else cursor.after
    body["folders"] = [orjson.Fragment(row[0] or b"{}") for row in rows if row[1] == b"t"]
    body["objects"] = [orjson.Fragment(row[0] or b"{}") for row in rows if row[1] == b"f"]
    return raw_reply(orjson.dumps(body))


def _source(with_delimiter: bool, cursor: Cursor) -> str:
    """The page's rows: by the function that folds folders, or straight from the table. Both take the same values."""
    if with_delimiter:
        return "storage.search_v2($1, $2, $3, 1, $4, $5, $6, $7)"
    compare, direction = ("<", "desc") if cursor.order == "desc" else (">", "asc")
    if cursor.column == "name":
        after, order = f'o.name collate "C" {compare} $4', f'o.name collate "C" {direction}'
    else:
        moment = f"date_trunc('milliseconds', o.{cursor.column})"
        after = f"({moment}, o.name collate \"C\") {compare} (nullif($7, '')::timestamptz, $4)"
        order = f'{moment} {direction}, o.name collate "C" {direction}'
    return (
        '(select o.*, o.name as key from storage.objects as o where o.bucket_id = $2 and o.name collate "C" >= $1'
        f" and o.name collate \"C\" < storage.prefix_end($1) and ($4 = '' or {after})"
        # the function's, and of no use here
        " and ($5::text, $6::text, $7::text) is not null"
        f" order by {order} limit $3::integer)"
    )
