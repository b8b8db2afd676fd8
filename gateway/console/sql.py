"""The SQL page: a text's statements in one transaction, as a role and with claims, read only unless it is said.

A connection is opened for each text and closed after it, by the console's own login, so that nothing of a text is found
by the next. A text cannot leave its transaction: its own `begin` and `commit` are left out, and after each statement
the connection is asked whether the transaction is still there. What a read-only one begins with cannot be taken back by
`set transaction`, for a query has been made in it.
"""

from __future__ import annotations

import hashlib
import re
import time
from typing import Any, Final

import orjson

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json, text_of
from gateway.console.errors import ConsoleError, bad_request
from gateway.database import NO_SCOPE, DatabaseError, DatabaseUnavailable
from gateway.database.query_session import QuerySession, StatementRows
from gateway.database.statement import Statement, array_literal, quote_name
from gateway.http.messages import Response
from gateway.projects.statements import SqlStatement, split

AUTHOR: Final = "postgres"
ROLES: Final = (AUTHOR, "anon", "authenticated", "service_role")
MOST_ROWS: Final = 10_000
MOST_STATEMENTS: Final = 500
LONGEST_TIMEOUT: Final = 600  # seconds
LONGEST_CELL: Final = 100_000  # bytes of a value in the answer
ENDED: Final = "57P01"  # the connection was ended
CANCELED: Final = "57014"
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OURS: Final = re.compile(r"(?:begin|start\s+transaction|commit|end)\b", re.IGNORECASE)
_NO_BLOCK: Final = "25001"
_MEMBER: Final = Statement(
    "select exists (select from pg_roles where rolname = $1 and pg_has_role(session_user, oid, 'member'))", (AUTHOR,)
)


class AskedSql:
    """What a request of the SQL page asks for, read."""

    def __init__(self, content: dict[str, Any], read_only_mode: bool) -> None:
        """Raises ConsoleError 400."""
        self.id = text_of(content, "id", "")
        if self.id and not _ID.fullmatch(self.id):
            raise bad_request("id has letters, digits, - and _, 64 at most")
        self.sql = text_of(content, "sql")
        self.role = text_of(content, "role", AUTHOR)
        if self.role not in ROLES:
            raise bad_request(f"role is one of {', '.join(ROLES)}")
        claims = content.get("claims")
        if claims is not None and not isinstance(claims, dict):
            raise bad_request("claims is an object or null")
        self.claims = {"role": self.role, **(claims or {})}
        # Read-only unless it is said, and whatever is said in read-only mode.
        self.read_only = read_only_mode or content.get("read_only") is not False
        self.limit = _number(content, "limit", 1000, MOST_ROWS)
        self.timeout = _number(content, "timeout", 30, LONGEST_TIMEOUT)
        self.analyze = content.get("analyze") is True
        self.statements = split(self.sql)
        if not 1 <= len(self.statements) <= MOST_STATEMENTS or "\0" in self.sql:
            raise bad_request(f"the text has no statement, or more than {MOST_STATEMENTS}")

    def name(self, session: str) -> str:
        """What the connection is called at the server, by which it is found again from any worker."""
        return f"console sql {hashlib.sha256(f'{session} {self.id}'.encode()).hexdigest()[:32]}"


def _number(content: dict[str, Any], name: str, default: int, most: int) -> int:
    value = content.get(name, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 1 <= value <= most:
        raise bad_request(f"{name} is a number from 1 to {most}")
    return int(value)


async def run(call: ConsoleCall) -> Response:
    """`POST sql`: all statements take effect, or none."""
    asked = AskedSql(await call.json(), call.is_read_only)
    began = time.perf_counter()
    call.note(sql=asked.sql, role=asked.role, read_only=asked.read_only)
    session = await _open(call, asked)
    try:
        results = await _all(session, asked)
        await session.run("rollback" if asked.read_only else "commit") if session.in_transaction else None
        spent = round((time.perf_counter() - began) * 1000, 1)
        call.note(ms=spent)
        listed = [await _shown(call, result) for result in results]
        return answer_json({"results": listed, "ms": spent, "notices": session.notices, "read_only": asked.read_only})
    finally:
        session.close()


async def plan(call: ConsoleCall) -> Response:
    """`POST sql/plan`: with `analyze` the statement runs, and is undone."""
    asked = AskedSql(await call.json(), call.is_read_only)
    call.note(sql=asked.sql, role=asked.role, read_only=asked.read_only, analyze=asked.analyze)
    first = next((each for each in asked.statements if not _OURS.match(each.words)), asked.statements[0])
    options = "format json, verbose, settings" + (", analyze, buffers" if asked.analyze else "")
    session = await _open(call, asked)
    try:
        await _begin(session, asked)
        found = await _one(session, asked, first, 1, f"explain ({options}) ", stops=False)
        value = found.rows[0][0] if found.rows else b"null"
        return answer_json({"plan": orjson.loads(value or b"null"), "notices": session.notices})
    finally:
        session.close()  # which undoes it


async def cancel(call: ConsoleCall) -> Response:
    """`POST sql/cancel`: end a text of this session that runs, in whichever worker.

    Its connection is ended, not its statement: a request to cancel that comes between two statements would be lost."""
    content = await call.json()
    assert call.session is not None
    name = AskedSql({"id": text_of(content, "id"), "sql": "select"}, True).name(call.session.id)
    database = await call.database()
    question = Statement(
        "select count(*) filter (where pg_terminate_backend(pid)) from pg_stat_activity"
        " where application_name = $1 and datname = current_database() and pid <> pg_backend_pid()",
        (name,),
    )
    return answer_json({"cancelled": int((await database.run(NO_SCOPE, question)).value or 0)})


async def history(call: ConsoleCall) -> Response:
    """What was run here, newest first, out of the audit."""
    rows = await call.door.audit.actions("POST /sql", 200)
    listed = []
    for row in rows:
        detail = orjson.loads(row["detail"] or "{}")
        if "sql" in detail:
            known = {name: detail.get(name) for name in ("sql", "role", "read_only", "ms", "error")}
            listed.append({**known, "at": row["at"], "account": row["account"]})
    return answer_json({"history": listed})


async def _open(call: ConsoleCall, asked: AskedSql) -> QuerySession:
    assert call.session is not None
    database = await call.database()  # which has looked at what the login may become
    if asked.role == AUTHOR and (await database.run(NO_SCOPE, _MEMBER)).value != b"t":
        asked.role = ""  # a server's superuser is called so: the console stays its own login
    return await QuerySession.open(call.door.login.url, asked.name(call.session.id))


async def _begin(session: QuerySession, asked: AskedSql) -> None:
    await session.run(f"begin {'read only' if asked.read_only else 'read write'}")
    await session.run(
        "select set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $1, true),"
        " set_config('request.jwt.claims', $2, true), set_config('search_path', $3, true)",
        (f"{asked.timeout}s", orjson.dumps(asked.claims), '"$user", public, extensions'),
    )
    if asked.role:
        await session.run(f"set local role {quote_name(asked.role)}")


async def _all(session: QuerySession, asked: AskedSql) -> list[StatementRows]:
    """Run the statements, all but the commit: whose connection goes before that was cancelled."""
    try:
        return await _each(session, asked)
    except DatabaseUnavailable as lost:
        raise DatabaseError(ENDED, lost.reason) from lost


async def _each(session: QuerySession, asked: AskedSql) -> list[StatementRows]:
    await _begin(session, asked)
    results = []
    wanted = [each for each in asked.statements if not _OURS.match(each.words)]
    if len(wanted) < len(asked.statements):
        said = "the text runs in one transaction of the console's own: begin and commit are left out"
        session.notices.append({"severity": "NOTICE", "message": said})
    for number, statement in enumerate(wanted, 1):
        stops = asked.read_only and number == len(wanted)
        try:
            found = await _one(session, asked, statement, number, "", stops)
        except ConsoleError as error:
            if error.more.get("sqlstate") == _NO_BLOCK and len(wanted) == 1 and not asked.read_only:
                return [await _alone(session, asked, statement)]
            raise
        results.append(found)
        if not session.in_transaction and not (stops and found.truncated):
            if re.match(r"rollback|abort", statement.words, re.IGNORECASE) and not asked.read_only:
                break
            raise ConsoleError(
                409, "transaction_ended", "A statement ended the transaction; what comes after it was not run.",
                more={"position": _offset(asked, statement) + 1, "statement": number},
            )  # fmt: skip
    return results


async def _one(
    session: QuerySession, asked: AskedSql, statement: SqlStatement, number: int, before: str, stops: bool
) -> StatementRows:
    """Run a statement. Raises ConsoleError 400 with the place in the whole text."""
    try:
        return await session.run(before + statement.text, (), asked.limit, stops)
    except DatabaseError as error:
        if error.sqlstate == ENDED:
            raise  # by `cancel`
        position = None
        if error.position is not None:
            position = _offset(asked, statement) + max(error.position - len(before), 1)
        status = {CANCELED: 504, "42501": 403, "25006": 403}.get(error.sqlstate, 400)
        more = {"sqlstate": error.sqlstate, "position": position, "statement": number, "context": error.context}
        raise ConsoleError(status, "sql", error.message, hint=error.hint, details=error.detail, more=more) from error


async def _alone(session: QuerySession, asked: AskedSql, statement: SqlStatement) -> StatementRows:
    """What Postgres runs outside of transactions alone, such as `vacuum`."""
    await session.run("rollback")
    await session.run("select set_config('statement_timeout', $1, false)", (f"{asked.timeout}s",))
    if asked.role:
        await session.run(f"set role {quote_name(asked.role)}")
    return await _one(session, asked, statement, 1, "", stops=False)


def _offset(asked: AskedSql, statement: SqlStatement) -> int:
    """Characters of the text before a statement."""
    start = 0
    for each in asked.statements:
        found = asked.sql.find(each.text, start)
        start = found if found >= 0 else start
        if each is statement:
            return start
        start += len(each.text)
    return 0


async def _shown(call: ConsoleCall, result: StatementRows) -> dict[str, Any]:
    types = await _types(call, result)
    cut: list[tuple[int, int, int]] = []
    rows: list[list[str | None]] = []
    for number, raw in enumerate(result.rows):
        row: list[str | None] = []
        for at, value in enumerate(raw):
            if value is not None and len(value) > LONGEST_CELL:
                cut.append((number, at, len(value)))
                value = value[:LONGEST_CELL]
            row.append(None if value is None else value.decode("utf-8", "ignore"))
        rows.append(row)
    columns = [{"name": name, "type": kind} for (name, _, _), kind in zip(result.columns, types, strict=True)]
    return {"columns": columns, "rows": rows, "cut": cut, "command": result.tag, "truncated": result.truncated}


async def _types(call: ConsoleCall, result: StatementRows) -> list[str]:
    if not result.columns:
        return []
    oids, modifiers = (array_literal([str(column[at]) for column in result.columns]) for at in (1, 2))
    question = Statement(
        "select format_type(oid, modifier) from unnest($1::oid[], $2::int[]) with ordinality as t (oid, modifier, at)"
        " order by at",
        (oids, modifiers),
    )
    database = await call.database()
    return [(row[0] or b"").decode() for row in (await database.run(NO_SCOPE, question)).rows]


ROUTES: Final = (
    ConsoleRoute("POST", "/sql", run, when_read_only=True),
    ConsoleRoute("POST", "/sql/plan", plan, when_read_only=True),
    ConsoleRoute("POST", "/sql/cancel", cancel, reads=True),
    ConsoleRoute("GET", "/sql/history", history),
)
