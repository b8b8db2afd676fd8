"""Runs one SQL file of a project as its author wrote it, the way the official CLI does.

All its statements and its row of the ledger are one transaction. A file's own `begin` and `commit` are obeyed: what was
committed stays, and what follows is a transaction of its own. Statements that Postgres refuses inside a transaction,
such as `create index concurrently`, run alone: what came before is committed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from gateway.database import DatabaseError, SyncConnection, plain_extensions, trusted_extensions
from gateway.projects import forgiven, privileged
from gateway.projects.advice import need_of
from gateway.projects.elsewhere import is_the_platforms, of_this_database, unpinned
from gateway.projects.errors import ProjectError
from gateway.projects.login import become_author
from gateway.projects.statements import SqlStatement, split

_BEGINS: Final = re.compile(r"(?:begin|start\s+transaction)\b", re.IGNORECASE)
_ALONE: Final = re.compile(
    r"(?:create\s+(?:unique\s+)?index\s+concurrently|drop\s+index\s+concurrently|reindex\b[^;]*\bconcurrently|"
    r"vacuum\b|alter\s+system\b|cluster\b|(?:create|drop)\s+(?:database|tablespace)\b|"
    r"reindex\s+(?:\([^)]*\)\s*)?(?:database|system)\b)",
    re.IGNORECASE,
)
_DELETES_FILES: Final = re.compile(r'delete\s+from\s+"?storage"?\s*\.\s*"?(?:objects|buckets)\b', re.IGNORECASE)
_SEARCH_PATH: Final = '"$user", public, extensions'
_SHOWN: Final = 2000  # characters of a statement that an error shows


class StatementFailed(ProjectError):
    """A statement of a file was refused; the text names file, line, statement, Postgres' words and what it needs."""

    def __init__(self, file: str, number: int, statement: SqlStatement, error: DatabaseError, kept: int) -> None:
        self.file = file
        self.line = statement.line_of(error.position)
        self.sqlstate = error.sqlstate
        self.cause = error
        lines = [f"{file}, line {self.line}: {error.message} (SQLSTATE {error.sqlstate})"]
        lines += [f"{name}: {text}" for name, text in (("Detail", error.detail), ("Hint", error.hint)) if text]
        if error.context:
            lines.append(f"Context: {error.context}")
        if (need := need_of(error)) is not None:
            lines.append(f"It needs: {need}")
        lines.append(f"At statement {number}:")
        lines.append(_marked(statement.text, error.position))
        if kept:
            lines.append(f"The {kept} statements before it were committed by the file itself.")
        super().__init__("\n".join(lines))


def run_file(connection: SyncConnection, shown: str, text: str, note: Callable[[Sequence[str]], None]) -> None:
    """Run a file, and `note` its statements in the ledger with the last of them. Raises StatementFailed, DatabaseError.

    `shown` names the file in errors.
    """
    prepare_session(connection)
    found = split(text)
    number, kept = 0, 0
    try:
        for number, statement in enumerate(found):
            if _run(connection, statement):
                kept = number + 1
    except DatabaseError as error:
        with suppress(DatabaseError):
            connection.script("rollback")
        raise StatementFailed(shown, number, found[number], error, kept) from error
    try:
        if not connection.in_transaction:
            connection.script("begin")
        connection.script("reset session authorization; reset role")  # a file may have taken on another one
        become_author(connection)
        note([statement.text for statement in found])
        connection.script("commit")
    except DatabaseError as error:
        with suppress(DatabaseError):
            connection.script("rollback")
        if not found:
            raise
        raise StatementFailed(shown, number, found[number], error, kept) from error


def prepare_session(connection: SyncConnection) -> None:
    """The session as a file finds it: the author's role, settings of its login, `extensions` on the search path."""
    connection.script("reset all; reset session authorization; reset role")
    become_author(connection)
    ((path,),) = connection.rows("show search_path")
    if path == '"$user", public':
        connection.script(f"set search_path = {_SEARCH_PATH}")


def shown_path(root: Path, path: Path) -> str:
    """A file's name as messages and the ledger of seeds have it: relative to the project, with `/`."""
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return path.as_posix()


def _run(connection: SyncConnection, statement: SqlStatement) -> bool:
    """Run a statement; whether it left what came before it, or itself, committed. Raises DatabaseError."""
    words = statement.words
    was_open = connection.in_transaction
    if _ALONE.match(words):
        if was_open:
            connection.script("commit")
        connection.execute(statement.text)
        return True
    if not was_open and not _BEGINS.match(words):
        connection.script("begin")
    execute(connection, statement)
    return not connection.in_transaction


def execute(connection: SyncConnection, statement: SqlStatement) -> None:
    """Run a statement in the transaction that is open; one that is about the platform's affairs alone may be refused.

    Raises DatabaseError.
    """
    if not forgiven.may_be(statement.words):
        connection.execute(runnable(connection, statement))
        return
    connection.script("savepoint tried")
    try:
        connection.execute(runnable(connection, statement))
    except DatabaseError as error:
        connection.script("rollback to savepoint tried")
        if not forgiven.is_lost_on_nobody(connection, statement.words, error):
            raise
    connection.script("release savepoint tried")


def runnable(connection: SyncConnection, statement: SqlStatement) -> str:
    """What runs in a statement's place; nearly always the statement itself. Raises DatabaseError."""
    words, text = statement.words, statement.text
    if _DELETES_FILES.search(words) and connection.rows("select from storage.objects limit 1") == []:
        # a history that takes a bucket back: no row of a file goes, and so no bytes stay behind
        connection.script("set local storage.allow_delete_query = 'true'")
    if "extension" in words.lower():
        if (left := plain_extensions.made_plain(connection, words)) is not None:
            return left
        words = unpinned(connection, trusted_extensions.called(connection, words))
        text = text if words == statement.words else words
    if is_the_platforms(connection, words):
        return "select 1"
    words = of_this_database(connection, words)
    if privileged.may_need_it(words):
        return _permitted(connection, words, text if words == statement.words else words)
    return text if words == statement.words else words


def _permitted(connection: SyncConnection, words: str, text: str) -> str:
    """A statement as the project's role may run it, where the platform lets it do what is a superuser's."""
    calls, setting = privileged.rewritten(words), privileged.setting_of(words)
    if calls == words and setting is None:
        return text
    if (name := privileged.publication_of(words)) is not None and connection.rows(
        "select to_regprocedure('gateway.is_wide_publication(text)') is not null and exists (select from pg_publication"
        " p join pg_roles r on r.oid = pubowner where pubname = $1 and rolsuper)",
        name,
    ) != [("t",)]:
        return text
    if connection.rows(
        "select coalesce(has_function_privilege(to_regprocedure('gateway.allow_setting(text)'), 'execute')"
        " and has_schema_privilege('gateway', 'usage') and not rolsuper, false)"
        " from pg_roles where rolname = current_user"
    ) != [("t",)]:
        return text
    if setting is not None:
        connection.rows("select gateway.allow_setting($1)", setting)
    return text if calls == words else calls


def _marked(text: str, position: int | None) -> str:
    """A statement with a caret below the place of an error; of a long one the lines around it."""
    lines = text.split("\n")
    at = 0
    if position:
        rest = position - 1
        while at < len(lines) - 1 and rest > len(lines[at]):
            rest -= len(lines[at]) + 1
            at += 1
        lines.insert(at + 1, " " * rest + "^")
    shown = "\n".join(lines)
    if len(shown) <= _SHOWN:
        return shown
    around = lines[max(0, at - 3) : at + 3]
    return "\n".join(line[:_SHOWN] for line in ("…", *around, "…"))
