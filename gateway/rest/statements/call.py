"""Call plans as queries over the function, its arguments taken from the request or its body."""

from __future__ import annotations

from typing import Any, Final

from gateway.catalog.model import Routine
from gateway.database.sql import NOTHING, Fragment, bind, catalogued, identifier, joined, sql
from gateway.database.statement import Value
from gateway.rest.statements.clauses import (
    column_of,
    literal_value,
)
from gateway.rest.statements.terms import Slot, qualified
from gateway.rest.types import (
    Argument,
    CallPlan,
    Special,
)

_BODY: Final = identifier("pgrst_body")
_CALL: Final = identifier("pgrst_call")


def is_scalar(routine: Routine) -> bool:
    """Whether the result is one value a row, rather than columns; rows of an unknown record are values, too."""
    return routine.returns.kind == "scalar" or routine.returns.is_untyped_record


def call_query(call: CallPlan) -> Fragment:
    """The SELECT that calls the function: its columns, or its values as `pgrst_scalar`."""
    routine = call.routine
    if is_scalar(routine):
        shown: Fragment = sql(_CALL, ".pgrst_scalar")
    elif call.returning:
        shown = joined([column_of(_CALL, name) for name in call.returning])
    else:
        shown = sql(_CALL, ".*")
    return sql("select ", shown, " from ", _arguments(call))


def _arguments(call: CallPlan) -> Fragment:
    body = bind(Slot(Special.BODY.value, _hexadecimal if call.whole == "bytea" else None))
    if call.whole is not None:
        return _invoke(call, _whole(call, call.whole, body))
    if call.arguments is not None:
        return _invoke(call, joined([_argument(argument, call.positional) for argument in call.arguments]))
    if not call.json_keys:
        return _invoke(call, NOTHING)
    typed = joined([sql(identifier(name), " ", catalogued(kind)) for name, kind, _ in call.json_keys])
    if call.is_object:
        rows = sql("json_to_record(", body, "::json) as ", _BODY, "(", typed, ")")
    else:
        rows = sql("(select * from json_to_recordset(", body, "::json) as _(", typed, ") limit 1) ", _BODY)
    passed = [
        sql("variadic " if variadic else "", _named(name, call.positional), column_of(_BODY, name))
        for name, _, variadic in call.json_keys
    ]
    return sql(rows, ", lateral ", _invoke(call, joined(passed)))


def _whole(call: CallPlan, kind: str, body: Fragment) -> Fragment:
    """The one unnamed argument: the body as it was sent, or the arguments of a query string or a form as JSON."""
    if call.arguments is None:
        return sql(body, "::", catalogued(kind))
    given = next((argument.value for argument in call.arguments if argument.value is not None), None)
    document = (
        sql("'{}'::text") if given is None else sql("""('{"":' || to_json(""", literal_value(given), "::text) || '}')")
    )
    if kind == "bytea":
        return sql("convert_to(", document, ", 'UTF8')")
    return sql(document, "::", catalogued(kind))


def _named(name: str, positional: bool) -> Fragment:
    return NOTHING if positional else sql(identifier(name), " := ")


def _argument(argument: Argument, positional: bool) -> Fragment:
    if argument.variadic:
        items = joined([sql(literal_value(value), "::text") for value in argument.values])
        value = sql("array[", items, "]::text[]")
    elif argument.value is not None:
        value = literal_value(argument.value)
    else:
        value = sql("null")
    return sql(
        "variadic " if argument.variadic else "",
        _named(argument.name, positional),
        value,
        "::",
        catalogued(argument.type),
    )


def _invoke(call: CallPlan, arguments: Fragment) -> Fragment:
    invoked = sql(qualified(call.routine.name), "(", arguments, ")")
    if is_scalar(call.routine):
        return sql("(select ", invoked, " as pgrst_scalar) ", _CALL)
    return sql(invoked, " ", _CALL)


def _hexadecimal(body: Any) -> Value:
    return "\\x" + bytes(body).hex()
