"""`create extension` of what the platform gives, on a server that cannot have it as an extension → its plain objects.

A server looks for extensions in folders of its own machine, so `pg_net`, `pg_cron`, `supabase_vault`, `pgmq` and
`pg_tle` cannot be made on one that lacks them. A project's file that makes one there gets the objects of the same
script instead, as its own role; the ledger keeps the author's words.
"""

from __future__ import annotations

import re
from typing import Final

from gateway.database.errors import DatabaseError
from gateway.database.extension_files import SQL_ONLY
from gateway.database.sync_client import SyncConnection

# Each with its schema and a table by which its objects are known.
MARKERS: Final = {
    "pg_cron": ("cron", "job"),
    "pg_net": ("net", "http_request_queue"),
    "pg_tle": ("pgtle", "_extension"),
    "pgmq": ("pgmq", "meta"),
    "supabase_vault": ("vault", "secrets"),
}
_NAMED: Final = rf'"?(?P<name>{"|".join(MARKERS)})"?(?=[\s;]|$)'
_CREATE: Final = re.compile(
    rf"create\s+extension\s+(?:if\s+not\s+exists\s+)?{_NAMED}"
    r'(?:\s+(?:with|cascade|(?:schema|version)\s+(?:"[^"]+"|\'[^\']+\'|[\w.]+)))*',
    re.IGNORECASE,
)
_DROP: Final = re.compile(
    rf"drop\s+extension\s+(?:if\s+exists\s+)?{_NAMED}(?:\s+(?:(?P<cascade>cascade)|restrict))?", re.IGNORECASE
)
# In a body: what is passed over, and a `drop extension` that stands as a statement.
_DROP_IN_A_BODY: Final = re.compile(
    rf"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\b(?:{_DROP.pattern})(?=\s*;)", re.IGNORECASE | re.DOTALL
)
_COMMENT: Final = re.compile(rf"comment\s+on\s+extension\s+{_NAMED}\s+is\s+(?:null|'(?:[^']|'')*')", re.IGNORECASE)
_IN_A_BODY: Final = re.compile(r"do\s+(?:language\s+\w+\s+)?\$", re.IGNORECASE)
_DUMPED: Final = re.compile(r"^select pg_extension_config_dump\([^)]*\);\n", re.MULTILINE)
# The vault's key lies in the folder of the embedded server. Elsewhere it is in the database, out of everybody's reach.
_FILE_OF_THE_KEY: Final = "pg_read_binary_file('../vault.key')"
_KEY: Final = """
create table vault._sealing_key (key bytea not null);
revoke all on vault._sealing_key from public;
insert into vault._sealing_key select uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
"""


def asked_for(words: str) -> tuple[str, ...]:
    """Names of those that a statement, or the body of a `do`, makes or comments on.

    >>> asked_for('create extension if not exists "pg_net" with schema extensions')
    ('pg_net',)
    """
    if "extension" not in words.lower():
        return ()
    if not _IN_A_BODY.match(words):
        found = [each for each in (_CREATE.fullmatch(words), _COMMENT.fullmatch(words)) if each is not None]
    else:
        found = [*_CREATE.finditer(words), *_COMMENT.finditer(words)]
    return tuple(dict.fromkeys(each["name"].lower() for each in found))


def made_plain(connection: SyncConnection, words: str) -> str | None:
    """Make the objects of what a statement asks for and the server does not have, and what is left of the statement.

    None where it is to run as it is. Raises DatabaseError.
    """
    if (drop := _DROP.fullmatch(words)) is not None:
        return _dropped(connection, drop["name"].lower(), drop["cascade"] is not None)
    is_body = _IN_A_BODY.match(words) is not None
    changed = _with_drops(connection, words) if is_body else words
    absent = [name for name in asked_for(words) if not _is_available(connection, name)]
    if not absent:
        return changed if changed != words else None
    for name in absent:
        if not is_there(connection, name):
            make(connection, name)
    if not is_body:
        return "select 1"

    def left(found: re.Match[str]) -> str:
        return "null" if found["name"].lower() in absent else found[0]

    return _COMMENT.sub(left, _CREATE.sub(left, changed))


def _dropped(connection: SyncConnection, name: str, is_cascade: bool) -> str | None:
    """Drop the plain objects of one, as its extension would be; None where it is none, or not there.

    Raises DatabaseError where something else needs them and nothing was said of that.
    """
    if connection.rows("select from pg_extension where extname = $1", name) or not is_there(connection, name):
        return None
    schema, _ = MARKERS[name]
    if not is_cascade and (users := connection.rows(USERS, schema)):
        raise DatabaseError(
            "2BP01",
            f"cannot drop extension {name} because other objects depend on it",
            detail=f"{users[0][0]} depends on it",
            hint="Use DROP ... CASCADE to drop the dependent objects too.",
        )
    connection.script(f"drop schema {schema} cascade")
    return "select 1"


def _with_drops(connection: SyncConnection, words: str) -> str:
    """The body of a `do`, with plain objects dropped where it drops their extension. One that it makes again stays."""
    made = asked_for(words)

    def block(found: re.Match[str]) -> str:
        if found["name"] is None or _is_available(connection, name := found["name"].lower()):
            return found[0]
        if name in made:
            return "null"
        schema, table = MARKERS[name]
        check = ""
        if not found["cascade"]:
            users = USERS.replace("$1", f"'{schema}'")
            check = (
                f"if exists ({users}) then raise dependent_objects_still_exist using message ="
                f" 'cannot drop extension {name} because other objects depend on it',"
                " hint = 'Use DROP ... CASCADE to drop the dependent objects too.'; end if; "
            )
        there = f"to_regclass('{schema}.{table}') is not null"
        return f"begin if {there} then {check}drop schema {schema} cascade; end if; end"

    return _DROP_IN_A_BODY.sub(block, words)


def is_there(connection: SyncConnection, name: str) -> bool:
    """Whether the database has the objects of one, of an extension or plain."""
    schema, table = MARKERS[name]
    return connection.rows("select to_regclass($1) is not null", f"{schema}.{table}") == [("t",)]


def make(connection: SyncConnection, name: str) -> None:
    """Run the script of one in the transaction that is open. Raises DatabaseError."""
    schema, _ = MARKERS[name]
    ((path,),) = connection.rows("show search_path")
    # as with an extension, functions are as its authors left them, whatever those of the project are
    defaults = f"alter default privileges in schema {schema} %s execute on functions %s public;"
    connection.script(
        f"create schema if not exists {schema}; set local search_path = pg_catalog;"
        + (defaults % ("grant", "to"))
        + script(name)
        + (defaults % ("revoke", "from"))
    )
    connection.rows("select set_config('search_path', $1, true)", path)


def script(name: str) -> str:
    """The script of one, less what only an extension's may say."""
    (path,) = (SQL_ONLY / "extension").glob(f"{name}--*.sql")
    text = _DUMPED.sub("", path.read_text())
    if name == "supabase_vault":
        text = _KEY + text.replace(_FILE_OF_THE_KEY, "(select key from vault._sealing_key)")
    return f"{text}\n"


# What is in no plain object's schema and needs something in it.
USERS: Final = """
  with members (classid, objid) as (
    select 'pg_class'::regclass::oid, oid from pg_class where relnamespace = to_regnamespace($1)
    union all select 'pg_proc'::regclass, oid from pg_proc where pronamespace = to_regnamespace($1)
    union all select 'pg_type'::regclass, oid from pg_type where typnamespace = to_regnamespace($1)
  ),
  needing as (
    select case d.classid when 'pg_rewrite'::regclass then 'pg_class'::regclass else d.classid::regclass end as classid,
      coalesce((select ev_class from pg_rewrite r where d.classid = 'pg_rewrite'::regclass and r.oid = d.objid),
        (select tgrelid from pg_trigger t where d.classid = 'pg_trigger'::regclass and t.oid = d.objid), d.objid)
      as objid
    from pg_depend d join members m on (d.refclassid, d.refobjid) = (m.classid, m.objid) where d.deptype = 'n'
  )
  select pg_describe_object(n.classid, n.objid, 0) from needing n
  where not exists (
    select from members m where m.objid = n.objid
      or exists (select from pg_attrdef a where a.oid = n.objid and a.adrelid = m.objid)
      or exists (select from pg_constraint c where c.oid = n.objid and c.conrelid = m.objid)
      or exists (select from pg_policy p where p.oid = n.objid and p.polrelid = m.objid)
  )
  limit 1
"""


def _is_available(connection: SyncConnection, name: str) -> bool:
    return connection.rows("select 1 from pg_available_extensions where name = $1", name) != []
