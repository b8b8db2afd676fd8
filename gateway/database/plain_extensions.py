"""`create extension` of what the platform gives, on a server that cannot have it as an extension → its plain objects.

A server looks for extensions in folders of its own machine, so `pg_net`, `pg_cron`, `supabase_vault` and `pgmq` cannot
be made on one that lacks them. A project's file that makes one there gets the objects of the same script instead, as
its own role; the ledger keeps the author's words.
"""

from __future__ import annotations

import re
from typing import Final

from gateway.database.extension_files import SQL_ONLY
from gateway.database.sync_client import SyncConnection

# Each with its schema and a table by which its objects are known.
MARKERS: Final = {
    "pg_cron": ("cron", "job"),
    "pg_net": ("net", "http_request_queue"),
    "pgmq": ("pgmq", "meta"),
    "supabase_vault": ("vault", "secrets"),
}
_NAMED: Final = rf'"?(?P<name>{"|".join(MARKERS)})"?(?=[\s;]|$)'
_CREATE: Final = re.compile(
    rf"create\s+extension\s+(?:if\s+not\s+exists\s+)?{_NAMED}"
    r'(?:\s+(?:with|cascade|(?:schema|version)\s+(?:"[^"]+"|\'[^\']+\'|[\w.]+)))*',
    re.IGNORECASE,
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
    absent = [name for name in asked_for(words) if not _is_available(connection, name)]
    if not absent:
        return None
    for name in absent:
        if not is_there(connection, name):
            make(connection, name)
    if not _IN_A_BODY.match(words):
        return "select 1"

    def left(found: re.Match[str]) -> str:
        return "null" if found["name"].lower() in absent else found[0]

    return _COMMENT.sub(left, _CREATE.sub(left, words))


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


def _is_available(connection: SyncConnection, name: str) -> bool:
    return connection.rows("select 1 from pg_available_extensions where name = $1", name) != []
