"""Loads what is the project's of some dumps, in one transaction: all of it, or nothing.

Rows come before their triggers and out of order, so the session is a replica while it loads: no trigger fires and no
foreign key is asked, as whoever made the dump expects. What was written is counted table by table and held against what
the tables have before the commit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gateway.database import DatabaseError, SyncConnection
from gateway.operations.transfer import contents
from gateway.operations.transfer.dump_text import DumpFault, DumpStatement, statements
from gateway.operations.transfer.rules import PLATFORM, Destination, judge, table_of, wants_rows
from gateway.operations.transfer.source import lines_of


class LoadFault(Exception):
    """Nothing was loaded; the message says where and why, on one line or a few."""


@dataclass(slots=True)
class Loaded:
    """What was loaded: rows by table, statements that were run, what a reader has to know."""

    rows: dict[str, int] = field(default_factory=dict)
    run: int = 0
    notes: list[str] = field(default_factory=list)
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)  # columns, by the head that names them

    def note(self, text: str) -> None:
        if text and text not in self.notes:
            self.notes.append(text)


def load(
    connection: SyncConnection,
    dumps: Sequence[Path],
    *,
    data_only: bool = False,
    as_calls: Callable[[str], str] | None = None,
) -> Loaded:
    """Load dumps one after the other. Raises LoadFault, OSError, and DatabaseError at the commit.

    `as_calls` says a statement that Postgres keeps for superusers as a call of the platform's functions.
    """
    target = contents.target_of(connection, as_calls)
    there = _already(connection, dumps, target, data_only)
    if there:
        raise LoadFault(f"there already: {_few(there)}; nothing was changed")
    report = Loaded()
    before = contents.rows_of(connection)
    unused = contents.unused_triggers(connection)
    try:
        with connection.transaction():
            connection.script(AS_DUMPS_EXPECT)
            for path in dumps:
                _load_file(connection, path, target, report, data_only)
            connection.script("reset session_replication_role")
            _tell_unused(connection, unused, report)
            _hold_against(contents.rows_of(connection), before, report)
    finally:
        connection.script("reset all")
    return report


def select(dumps: Sequence[Path], target: Destination, out: Path, *, rows: bool) -> None:
    """Write what is the project's of some dumps as SQL, its rows or all else, for another place to load.

    Raises DumpFault, OSError.
    """
    with out.open("w", encoding="utf-8") as file:
        if rows:
            file.write("SET session_replication_role = replica;\n\n")
        for path in dumps:
            with lines_of(path) as lines:
                for statement in statements(lines):
                    is_setting = _SETS.match(statement.text) is not None
                    if not is_setting and rows is not (statement.is_rows or _moves_a_sequence(statement)):
                        continue
                    verdict = judge(statement.text, target)
                    if verdict.text is not None:
                        file.write(verdict.text if statement.is_rows else f"{_unless_there(verdict.text)}\n\n")
                        file.writelines(statement.lines)
        if rows:
            file.write("\nRESET ALL;\n")


def _unless_there(text: str) -> str:
    """A role belongs to the server, which may have it of another database."""
    if not text.startswith("CREATE ROLE "):
        return text
    return f"DO $$ BEGIN {text} EXCEPTION WHEN duplicate_object THEN NULL; END $$;"


_NAME: Final = r'(?:"(?:[^"]|"")+"|[\w$]+)'
_COLUMNS: Final = re.compile(
    rf"\s*(?:INSERT\s+INTO|COPY)\s+(?P<table>{_NAME}\.{_NAME})\s*\((?P<columns>{_NAME}(?:\s*,\s*{_NAME})*)\)",
    re.IGNORECASE,
)
_COLUMN: Final = re.compile(r'"((?:[^"]|"")+)"|([\w$]+)')
_SETS: Final = re.compile(r"\s*(?:SET\s|SELECT\s+pg_catalog\.set_config)", re.IGNORECASE)
_MAKES: Final = re.compile(
    r'(?:\s|--[^\n]*\n)*CREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?"?([\w$]+)"?\."?([^"\s(]+)"?',
    re.IGNORECASE,
)
AS_DUMPS_EXPECT: Final = (
    "set local session_replication_role = replica; set local check_function_bodies = off; set local row_security = off;"
    " set local statement_timeout = 0; set local lock_timeout = 0; set local client_min_messages = warning"
)


def _moves_a_sequence(statement: DumpStatement) -> bool:
    return "setval(" in statement.text[:80].lower()


def _load_file(connection: SyncConnection, path: Path, target: Destination, report: Loaded, data_only: bool) -> None:
    with lines_of(path) as lines:
        try:
            for statement in statements(lines):
                if data_only and not (statement.is_rows or _moves_a_sequence(statement)):
                    continue
                verdict = judge(statement.text, target)
                report.note(verdict.note)
                if verdict.text is not None:
                    _run(connection, statement, verdict.text, report)
        except DumpFault as error:
            raise LoadFault(f"{path}: {error}") from error
        except DatabaseError as error:
            raise LoadFault(f"{path}, line {statement.line}: {error.message}{_advice(error)}") from error


def _run(connection: SyncConnection, statement: DumpStatement, text: str, report: Loaded) -> None:
    report.run += 1
    if not statement.is_rows:
        connection.script(text)
        return
    table = table_of(statement.text)
    lines: Iterable[str] = statement.lines
    if missing := _missing(connection, table, text, report):
        report.note(f"{table} has no {', '.join(missing)} here: what the dump has there is left out")
        with _aside(connection, table, text, missing) as aside:
            rows = _put(connection, aside, lines)
    else:
        rows = _put(connection, text, lines)
    report.rows[table] = report.rows.get(table, 0) + rows


def _put(connection: SyncConnection, text: str, lines: Iterable[str]) -> int:
    """Run a statement with rows; how many they were."""
    if text.lstrip()[:4].upper() == "COPY":
        return connection.copy_in(text, (line.encode() for line in lines if line.rstrip("\r\n") != "\\."))
    return connection.execute("".join((text, *lines)))


def _missing(connection: SyncConnection, table: str, head: str, report: Loaded) -> tuple[str, ...]:
    """Columns that a statement fills and the platform's table does not have: those of other years come and go."""
    listed = _COLUMNS.match(head)
    if listed is None or table.partition(".")[0] not in PLATFORM:
        return ()
    if listed[0] not in report.missing:
        report.missing[listed[0]] = contents.missing_columns(connection, table, _names(listed["columns"]))
    return report.missing[listed[0]]


@contextmanager
def _aside(connection: SyncConnection, table: str, head: str, missing: Sequence[str]) -> Iterator[str]:
    """The head of a statement for a table beside the one it names, whose rows go on without some columns."""
    listed = _COLUMNS.match(head)
    assert listed is not None
    quoted = {name: '"' + name.replace('"', '""') + '"' for name in _names(listed["columns"])}
    kept = ", ".join(text for name, text in quoted.items() if name not in missing)
    connection.script(
        f"create temp table gateway_aside as select {kept} from {listed['table']} with no data; "
        + "".join(f"alter table pg_temp.gateway_aside add column {quoted[name]} text; " for name in missing)
    )
    yield head[: listed.start("table")] + "pg_temp.gateway_aside " + head[listed.end("table") :]
    connection.script(
        f"insert into {listed['table']} ({kept}) overriding system value select {kept} from pg_temp.gateway_aside;"
        " drop table pg_temp.gateway_aside"
    )


def _names(listed: str) -> tuple[str, ...]:
    return tuple(quoted.replace('""', '"') if quoted else plain.lower() for quoted, plain in _COLUMN.findall(listed))


def _tell_unused(connection: SyncConnection, before: Sequence[str], report: Loaded) -> None:
    """Schema dumps of the official CLI have no triggers on the platform's tables: a sign-up would get no profile."""
    unused = [name for name in contents.unused_triggers(connection) if name not in before]
    if unused:
        report.note(
            f"no trigger calls {_few(unused)}: if the dump is the official CLI's, triggers on auth and storage are in"
            " `supabase db dump --schema auth,storage`, or come by `gateway import --db-url`"
        )


def _already(connection: SyncConnection, dumps: Sequence[Path], target: Destination, data_only: bool) -> list[str]:
    """What of the dumps the place has: tables that they make, and rows of the platform's tables that they fill."""
    own, found = contents.own_tables(connection), set()
    for path in dumps:
        with lines_of(path) as lines:
            try:
                for statement in statements(lines):
                    if statement.is_rows:
                        table = table_of(statement.text)
                        if wants_rows(table) and _has_rows(connection, table):
                            found.add(f"rows of {table}")
                    elif not data_only and (made := _MAKES.match(statement.text)) is not None:
                        name = ".".join(part.replace('""', '"') for part in made.groups() if part)
                        if name in own:
                            found.add(f"table {name}")
            except DumpFault as error:
                raise LoadFault(f"{path}: {error}") from error
    return sorted(found)


def _has_rows(connection: SyncConnection, table: str) -> bool:
    schema, _, name = table.partition(".")
    ((quoted, is_there),) = connection.rows(
        "select name, to_regclass(name) is not null from format('%I.%I', $1::text, $2::text) as name", schema, name
    )
    return is_there == "t" and bool(connection.rows(f"select from {quoted} limit 1"))


def _hold_against(after: dict[str, int], before: dict[str, int], report: Loaded) -> None:
    wrong = [
        f"{table} has {after.get(table, 0)} rows instead of {rows + before.get(table, 0)}"
        for table, rows in sorted(report.rows.items())
        if after.get(table, 0) != rows + before.get(table, 0)
    ]
    if wrong:
        raise LoadFault("; ".join(wrong))


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _advice(error: DatabaseError) -> str:
    advice = {
        "0A000": "; `gateway doctor` says which extensions there are",
        "42703": "; the platform's tables here are older than the dump: `gateway db migrate`",
        "42501": "; load it as the role that owns the schema",
    }
    return advice.get(error.sqlstate, "")
