"""Why a request of the tables API is refused, finds no rows or changes none: grants and row level security, looked at
row by row.

The request itself runs as its role in a transaction that is undone. Then the rows that its filters match are read as
the schema's owner, and the expression of each policy is evaluated on them, one by one, as the role: what a policy asks
of other tables is subject to the role's own rights there, as it is in the request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import orjson

from gateway.catalog.model import Name, SchemaCache
from gateway.database import Database, DatabaseError, Scope
from gateway.database.statement import Statement, quote_name
from gateway.errors import ApiError
from gateway.http.messages import Request
from gateway.identity.authenticator import Identity
from gateway.rest.body.payload import parse_payload
from gateway.rest.endpoint import RestService
from gateway.rest.parse.query_shape import query_of
from gateway.rest.parse.request import ApiRequest, parse_headers, parse_request
from gateway.rest.planner.prepare import Text
from gateway.rest.planner.read import find_table, plan_read
from gateway.rest.statements.read import count_query, whole_rows_query
from gateway.rest.types import Action, Payload, Query, Resource
from gateway.settings import Settings

LIMIT: Final = 1000  # rows on which policies are evaluated

_COMMANDS: Final = {"r": "SELECT", "a": "INSERT", "w": "UPDATE", "d": "DELETE", "*": "ALL"}
_EVENTS: Final = {Action.READ: 0, Action.CREATE: 4, Action.UPSERT: 20, Action.DELETE: 8, Action.UPDATE: 16}
"""The bits of pg_trigger.tgtype."""
_NO_RIGHT: Final = "42501"
# Names in full, so that an expression means the same under the request's own search path.
_OWNER: Final = Scope(names=("search_path",), values=("",))

_TABLE: Final = """
select jsonb_build_object(
  'oid', c.oid::text, 'kind', c.relkind, 'owner', pg_get_userbyid(c.relowner),
  'secured', c.relrowsecurity and c.relkind in ('r', 'p'),
  'passes', r.rolsuper or r.rolbypassrls or (pg_has_role(r.oid, c.relowner, 'usage') and not c.relforcerowsecurity),
  'invoker', exists (select from unnest(c.reloptions) o where o ~* '^security_invoker=(true|on|1|yes)$'),
  'usage', has_schema_privilege(r.oid, n.oid, 'usage'),
  'triggers', array(select t.tgname from pg_trigger t
    where t.tgrelid = c.oid and not t.tgisinternal and t.tgtype & 3 = 3 and t.tgtype & $4::int <> 0 order by t.tgname))
from pg_class c join pg_namespace n on n.oid = c.relnamespace, pg_roles r
where n.nspname = $1 and c.relname = $2 and r.rolname = $3"""
_POLICIES: Final = """
select jsonb_build_object(
  'name', p.polname, 'permissive', p.polpermissive, 'command', p.polcmd,
  'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid))
from pg_policy p
where p.polrelid = $1::oid
  and (0 = any (p.polroles) or exists (select from unnest(p.polroles) o where pg_has_role($2, o, 'usage')))
order by p.polname"""
_GRANT: Final = """
select jsonb_build_object(
  'whole', has_table_privilege($2, $1::oid, $3),
  'without', case when $3 = 'DELETE' then array[]::name[] else array(
    select attname from pg_attribute where attrelid = $1::oid and attnum > 0 and not attisdropped
      and not has_column_privilege($2, $1::oid, attnum, $3) order by attnum) end,
  'some', $3 <> 'DELETE' and has_any_column_privilege($2, $1::oid, $3))"""
_COLUMNS: Final = """
select jsonb_build_object(
  'name', a.attname, 'generated', a.attgenerated <> '', 'default', pg_get_expr(d.adbin, d.adrelid))
from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped order by a.attnum"""


@dataclass(frozen=True, slots=True)
class Grant:
    """Whether the role may do something with the table; `without` are the columns it may not."""

    privilege: str
    whole: bool
    some: bool
    without: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One policy, for the command that it was asked for. `passed` of `rows` satisfy it; None where it could not be
    evaluated (then `error` says why) or where there was nothing to evaluate it on."""

    policy: str
    command: str
    permissive: bool
    new_rows: bool
    expression: str
    rows: int
    passed: int | None = None
    error: str = ""


@dataclass(slots=True)
class Explanation:
    """What came of a request, and why. Numbers of rows are None where they do not apply.

    `affected` are the rows of the answer, `matched` those that the filters leave whoever asks (of a POST: the rows
    sent). `reasons` are sentences; each of `remedies` is SQL that would open what is closed.
    """

    status: int
    code: str = ""
    message: str = ""
    hint: str = ""
    role: str = ""
    table: str = ""
    secured: bool = False
    affected: int | None = None
    matched: int | None = None
    grants: list[Grant] = field(default_factory=list)
    policies: list[Verdict] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    remedies: list[str] = field(default_factory=list)


async def explain(
    db: Database, cache: SchemaCache, settings: Settings, request: Request, identity: Identity
) -> Explanation:
    """Run a request of the tables API, undo it, and say why it ended as it did.

    `db` is a login that passes by row level security; `request.path` has no prefix. Raises DatabaseError where that
    login may not look, PoolTimeout, DatabaseUnavailable.
    """
    settings = replace(settings, db_tx_end="rollback", client_error_verbosity="verbose")
    headers = [*request.headers, (b"prefer", b"count=exact")]
    request = Request(request.method, request.path, request.query, headers, request.body)
    service = RestService(settings, db, lambda: cache)
    response = await service.handle(request, identity)
    found = Explanation(response.status, role=identity.role)
    if response.status >= 400:
        error = orjson.loads(response.body)
        found.code, found.message, found.hint = error["code"], error["message"], error["hint"] or ""
    else:
        found.affected = _total(dict(response.headers).get(b"content-range", b""))
    try:
        asked = parse_request(request, parse_headers(headers), settings)
        if asked.resource is Resource.ROUTINE and not found.code.startswith("PGRST"):
            found.reasons.append("a function runs as it is written: ask for the tables that it reads one by one")
        elif asked.resource is Resource.RELATION and asked.action in _EVENTS:
            table = find_table(cache, Name(asked.schema, asked.name))
            await _Look(db, service, cache, settings, request, identity, asked, table.name, found).run()
    except ApiError:
        pass  # refused before the database was asked: the answer says why
    except DatabaseError as error:
        if error.sqlstate != found.code:  # else it is the answer's own: a filter that cannot be
            raise
    return found


def _total(content_range: bytes) -> int | None:
    total = content_range.rpartition(b"/")[2]
    return int(total) if total.isdigit() else None


@dataclass(slots=True)
class _Look:
    """One look at the table that a request names; what comes to light goes into `found`."""

    db: Database
    service: RestService
    cache: SchemaCache
    settings: Settings
    request: Request
    identity: Identity
    asked: ApiRequest
    table: Name
    found: Explanation

    async def run(self) -> None:
        found, action = self.found, self.asked.action
        found.table = f"{self.table.schema}.{self.table.name}"
        known = await self._documents(_TABLE, self.table.schema, self.table.name, found.role, str(_EVENTS[action]))
        if not known:
            return  # there is no such role, as the answer says
        about = known[0]
        found.secured = about["secured"]
        if not about["usage"]:
            found.reasons.append(f"{found.role} has no USAGE on the schema {self.table.schema}")
            found.remedies.append(f"grant usage on schema {quote_name(self.table.schema)} to {quote_name(found.role)};")
        query = query_of(self.asked.parsed_query.shape)
        payload = self._payload()
        needed = self._needed(query)
        for privilege in needed:
            await self._grant(privilege, about["oid"], payload)
        rows = b"{}"
        if action is not Action.CREATE:
            rows = await self._matched(query)
            if found.matched == 0 and action is not Action.UPSERT:
                found.reasons.append("no row of the table matches the filters, whoever asks")
        if about["kind"] == "v":
            whose = found.role if about["invoker"] else f"its owner {about['owner']}"
            found.reasons.append(
                f"{found.table} is a view that reads with the rights of {whose}: ask for its tables too"
            )
        elif not found.secured:
            found.reasons.append("row level security is off: whoever has the grant has every row")
        elif about["passes"]:
            found.reasons.append(f"{found.role} passes by row level security: no policy is asked")
        elif about["usage"]:  # without it the role cannot even name the type of the rows
            await self._policies(about["oid"], needed, rows, payload)
        self._last_words(about["triggers"])

    async def _documents(self, text: str, *params: str) -> list[Any]:
        """JSON documents that the owner reads."""
        result = await self.db.run(_OWNER, Statement(text, params))
        return [orjson.loads(row[0]) for row in result.rows if row[0] is not None]

    async def _as_role(self, statement: Statement) -> bytes | None:
        """The first value of a statement, run as the request is: with its role, claims and settings."""
        return (await self.service.read(self.request, self.asked, self.identity, statement))[0].value

    @property
    def _type(self) -> str:
        return f"{quote_name(self.table.schema)}.{quote_name(self.table.name)}"

    def _payload(self) -> Payload | None:
        if self.asked.action not in (Action.CREATE, Action.UPDATE, Action.UPSERT):
            return None
        return parse_payload(self.request.body, self.asked.headers.content, None, routine=False)

    # --- grants ----------------------------------------------------------------------------------------------------

    def _needed(self, query: Query) -> list[str]:
        """What the request needs of the table, in the order in which Postgres asks."""
        action, preferences = self.asked.action, self.asked.preferences
        merges = action is Action.UPSERT or preferences.resolution == "merge-duplicates"
        filtered = any(not path for path, _ in (*query.filters, *query.logic))
        reads = action is Action.READ or filtered or preferences.full or preferences.resolution is not None
        needed = ["SELECT"] if reads else []
        if action in (Action.CREATE, Action.UPSERT):
            needed.append("INSERT")
        if action is Action.UPDATE or (merges and "INSERT" in needed):
            needed.append("UPDATE")
        if action is Action.DELETE:
            needed.append("DELETE")
        return needed

    async def _grant(self, privilege: str, oid: str, payload: Payload | None) -> None:
        found = self.found
        about = (await self._documents(_GRANT, oid, found.role, privilege))[0]
        grant = Grant(privilege, about["whole"], about["some"], () if about["whole"] else tuple(about["without"]))
        found.grants.append(grant)
        if grant.whole:
            return
        columns = ""
        if grant.some:
            written = payload.columns if payload is not None and privilege != "SELECT" else None
            if written is None and found.code != _NO_RIGHT:
                return
            closed = [name for name in grant.without if written is None or name in written]
            if not closed:
                return
            columns = f" ({', '.join(map(quote_name, closed))})"
        found.reasons.append(f"{found.role} has no {privilege}{columns} on {found.table}")
        found.remedies.append(f"grant {privilege.lower()}{columns} on {self._type} to {quote_name(found.role)};")

    # --- rows ------------------------------------------------------------------------------------------------------

    async def _matched(self, query: Query) -> bytes:
        """The rows that the filters leave whoever asks, as an array of the table's type; their number is noted."""
        if self.asked.action is not Action.READ:  # what a write shows of its rows is no matter of which they are
            filters = tuple((path, condition) for path, condition in query.filters if not path)
            logic = tuple((path, condition) for path, condition in query.logic if not path)
            query = Query((), filters, logic)
        plan = plan_read(self.cache, self.settings, self.table, query, Action.READ)
        values = [None, "0", *self.asked.parsed_query.literals]
        counting, reading = Text(count_query(plan)).fill(values), Text(whole_rows_query(plan, LIMIT)).fill(values)
        path = ", ".join(quote_name(name) for name in (self.table.schema, *self.settings.db_extra_search_path))
        results = await self.db.run_all(
            Scope(names=("search_path",), values=(path,)),
            Statement(f"select count(*) from ({counting.text}) counted", counting.params),
            Statement(f"select coalesce(array_agg(whole)::text, '{{}}') from ({reading.text}) matched", reading.params),
        )
        self.found.matched = int(results[0].value or 0)
        return results[1].value or b"{}"

    async def _new_rows(self, oid: str, rows: bytes, payload: Payload) -> bytes:
        """The rows as an insert, or an update of `rows`, would leave them: with defaults and generated columns, but
        before any trigger. A number that a sequence would give is left out: asking would use it up."""
        updates = self.asked.action is Action.UPDATE
        alias = quote_name(self.table.name)
        base, whole = [], []
        for column in await self._documents(_COLUMNS, oid):
            name, default = quote_name(column["name"]), column["default"]
            whole.append(default if column["generated"] else f"{alias}.{name}")
            if updates and column["name"] not in payload.columns:
                base.append(f"old.{name}")
            elif column["name"] in payload.columns or column["generated"] or not default or "nextval(" in default:
                base.append(f"given.{name}")
            else:
                base.append(f"{default} as {name}")
        made = (
            f"select {', '.join(base)} from json_populate_recordset(null::{self._type}, $1::json) as given"
            f" cross join unnest({'$2' if updates else 'array[null]'}::{self._type}[]) as old limit {LIMIT}"
        )
        text = f"select array_agg(row({', '.join(whole)})::{self._type})::text from ({made}) as {alias}"
        body = b"[" + payload.raw + b"]" if payload.is_object else payload.raw
        return await self._as_role(Statement(text, (body, rows) if updates else (body,))) or b"{}"

    # --- policies --------------------------------------------------------------------------------------------------

    async def _policies(self, oid: str, needed: Sequence[str], rows: bytes, payload: Payload | None) -> None:
        """Ask the policies of each command that the request needs about the rows that it finds and those it makes."""
        found, action = self.found, self.asked.action
        new_rows = None
        if payload is not None:
            try:
                new_rows = await self._new_rows(oid, rows, payload)
            except DatabaseError as error:
                found.reasons.append(f"the rows cannot be made of the body: {error.message}")
                return
        if action is Action.CREATE and new_rows is not None:
            found.matched = await self._count(new_rows)
        policies = await self._documents(_POLICIES, oid, found.role)
        asked: dict[str, list[_Policy]] = {}
        for command in needed:
            own = [_Policy.of(row) for row in policies if _COMMANDS[row["command"]] in (command, "ALL")]
            if any(policy.permissive for policy in own):
                asked[command] = own
            else:
                found.reasons.append(
                    f"no policy for {command} is for {found.role}: row level security closes every row"
                )
        if action is not Action.CREATE:
            for command, own in asked.items():
                if command != "INSERT":
                    await self._ask(command, [(policy, policy.using) for policy in own], rows, new=False)
        if new_rows is not None:
            for command, own in asked.items():
                checks = [(policy, policy.using if command == "SELECT" else policy.check) for policy in own]
                await self._ask(command, checks, new_rows, new=True)

    async def _ask(self, command: str, asked: Sequence[tuple[_Policy, str]], rows: bytes, *, new: bool) -> None:
        """Evaluate the policies of a command on rows, each by itself and then together."""
        found = self.found
        total = await self._count(rows)
        verdicts = []
        for policy, expression in asked:
            verdict = Verdict(policy.name, command, policy.permissive, new, expression, total)
            try:
                verdict = replace(verdict, passed=await self._passing(expression, rows))
            except DatabaseError as error:
                verdict = replace(verdict, error=error.message)
                found.reasons.append(f"the policy {policy.name} cannot be evaluated: {error.message}")
            verdicts.append(verdict)
        found.policies += verdicts
        if total == 0 or any(verdict.error for verdict in verdicts):
            return
        allowing = " or ".join(f"coalesce({expression}, false)" for policy, expression in asked if policy.permissive)
        demands = [f"({expression})" for policy, expression in asked if not policy.permissive]
        passing = await self._passing(" and ".join([f"({allowing})", *demands]), rows)
        if passing < total:
            names = ", ".join(policy.name for policy, _ in asked)
            what = "new row" if new else "row"
            found.reasons.append(
                f"of {total} {what}{'s'[: total != 1]} {passing} pass the policies for {command} ({names})"
            )

    async def _count(self, rows: bytes) -> int:
        return int(await self._as_role(Statement(f"select cardinality($1::{self._type}[])", (rows,))) or 0)

    async def _passing(self, expression: str, rows: bytes) -> int:
        source = f"unnest($1::{self._type}[]) as {quote_name(self.table.name)}"
        return int(await self._as_role(Statement(f"select count(*) from {source} where {expression}", (rows,))) or 0)

    # --- what else there is to say ---------------------------------------------------------------------------------

    def _last_words(self, triggers: Sequence[str]) -> None:
        found = self.found
        if found.code.startswith("23"):
            found.reasons.append("a constraint of the table refuses the write")
        elif not found.reasons:
            found.reasons.append("grants and policies allow it" if found.code else "nothing stands in its way")
        if triggers and (found.code or found.affected != found.matched):
            found.reasons.append(f"triggers run before each row and may change or drop it: {', '.join(triggers)}")


@dataclass(frozen=True, slots=True)
class _Policy:
    """What a policy demands of rows that are there and of new ones."""

    name: str
    permissive: bool
    using: str
    check: str

    @classmethod
    def of(cls, row: dict[str, Any]) -> _Policy:
        using = row["using"] or "true"
        return cls(row["name"], row["permissive"], using, row["check"] or using)
