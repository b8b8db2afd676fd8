"""Errors of the tables API: catalogue rows, the SQLSTATE map, and the one body shape.

Body, with all four keys unless PGRST_CLIENT_ERROR_VERBOSITY is minimal: {"code", "details", "hint", "message"}.

Families by cause:
  PGRST0xx  the database cannot be reached, or the schema cache is not loaded
  PGRST1xx  the request itself
  PGRST2xx  the request against the schema cache
  PGRST3xx  tokens and roles
  others    SQLSTATE of an error raised by Postgres; `PTnnn` and `PGRST` are raised by the application's own SQL

A retired code keeps its number.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from gateway.database import DatabaseError
from gateway.errors import ApiError, ErrorRow
from gateway.http.messages import HeaderList, Response

CONNECTION = ErrorRow("PGRST000", 503, "Database connection error.")
CONNECTION_LOST = ErrorRow("PGRST001", 503, "Database client error. Retrying the connection.")
NO_SCHEMA_CACHE = ErrorRow("PGRST002", 503, "Could not query the database for the schema cache. Retrying.")
POOL_TIMEOUT = ErrorRow("PGRST003", 504, "Timed out acquiring connection from connection pool.")

QUERY_PARAMETER = ErrorRow("PGRST100", 400, "{message}")
RPC_METHOD = ErrorRow("PGRST101", 405, "Cannot use the {method} method on RPC")
BODY = ErrorRow("PGRST102", 400, "{message}")
RANGE = ErrorRow("PGRST103", 416, "Requested range not satisfiable")
PUT_FILTERS = ErrorRow("PGRST105", 405, "Filters must include all and only primary key columns with 'eq' operators")
SCHEMA = ErrorRow("PGRST106", 406, "Invalid schema: {schema}", hint="Only the following schemas are exposed: {schemas}")
MEDIA_TYPE = ErrorRow("PGRST107", 406, "None of these media types are available: {types}")
NOT_EMBEDDED = ErrorRow(
    "PGRST108",
    400,
    "'{name}' is not an embedded resource in this request",
    hint="Verify that '{name}' is included in the 'select' query parameter.",
)
GUC_HEADERS = ErrorRow(
    "PGRST111",
    500,
    "response.headers guc must be a JSON array composed of objects with a single key and a string value",
)
GUC_STATUS = ErrorRow("PGRST112", 500, "response.status guc must be a valid status code")
PUT_RANGE = ErrorRow("PGRST114", 400, "limit/offset querystring parameters are not allowed for PUT")
PUT_KEY = ErrorRow("PGRST115", 400, "Payload values do not match URL in primary key column(s)")
SINGULAR = ErrorRow(
    "PGRST116",
    406,
    "Cannot coerce the result to a single JSON object",
    details="The result contains {rows} rows",
)
METHOD = ErrorRow("PGRST117", 405, "Unsupported HTTP method: {method}")
RELATED_ORDER = ErrorRow(
    "PGRST118",
    400,
    "A related order on '{target}' is not possible",
    details="'{origin}' and '{target}' do not form a many-to-one or one-to-one relationship",
)
EMBED_OPERATOR = ErrorRow(
    "PGRST120",
    400,
    "Bad operator on the '{target}' embedded resource",
    details="Only is null or not is null filters are allowed on embedded resources",
)
RAISE = ErrorRow("PGRST121", 500, "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error")
PREFERENCES = ErrorRow(
    "PGRST122",
    400,
    "Invalid preferences given with handling=strict",
    details="Invalid preferences: {preferences}",
)
AGGREGATES = ErrorRow("PGRST123", 400, "Use of aggregate functions is not allowed")
MAX_AFFECTED = ErrorRow(
    "PGRST124",
    400,
    "Query result exceeds max-affected preference constraint",
    details="The query affects {rows} rows",
)
NO_FILTER = ErrorRow("21000", 400, "{command} requires a WHERE clause")
PATH = ErrorRow("PGRST125", 404, "Invalid path specified in request URL")
OPENAPI_DISABLED = ErrorRow("PGRST126", 404, "Root endpoint metadata is disabled")
NOT_IMPLEMENTED = ErrorRow("PGRST127", 400, "Feature not implemented")
MAX_AFFECTED_RPC = ErrorRow(
    "PGRST128",
    400,
    "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
)

NO_RELATIONSHIP = ErrorRow(
    "PGRST200",
    400,
    "Could not find a relationship between '{origin}' and '{target}' in the schema cache",
)
AMBIGUOUS_RELATIONSHIP = ErrorRow(
    "PGRST201",
    300,
    "Could not embed because more than one relationship was found for '{origin}' and '{target}'",
)
NO_ROUTINE = ErrorRow("PGRST202", 404, "Could not find the function {function} in the schema cache")
AMBIGUOUS_ROUTINE = ErrorRow(
    "PGRST203",
    300,
    "Could not choose the best candidate function between: {candidates}",
    hint="Try renaming the parameters or the function itself in the database so function overloading can be resolved",
)
NO_COLUMN = ErrorRow("PGRST204", 400, "Could not find the '{column}' column of '{table}' in the schema cache")
NO_TABLE = ErrorRow("PGRST205", 404, "Could not find the table '{table}' in the schema cache")

MAINTENANCE = ErrorRow(
    "maintenance",
    503,
    "The database is under maintenance and takes no changes for now",
    hint="Reads are answered. Try again after the seconds of Retry-After",
)

NO_JWT_SECRET = ErrorRow("PGRST300", 500, "Server lacks JWT secret")
JWT_DECODE = ErrorRow("PGRST301", 401, "{message}")
ANONYMOUS = ErrorRow("PGRST302", 401, "Anonymous access is disabled")
JWT_CLAIMS = ErrorRow("PGRST303", 401, "{message}")

INTERNAL = ErrorRow("PGRSTX00", 500, "Unexpected failure, please check server logs for more information")

ALIASED: Final = "Target names are not allowed in filters if they have an alias"
NEGATIVE_LIMIT: Final = "Limit should be greater than or equal to zero."
LOWER_ABOVE_UPPER: Final = "The lower boundary must be lower than or equal to the upper boundary in the Range header."

# Five-character rows for the exceptions, two-character rows for their classes; anything else is the client's fault.
SQLSTATES: Final[dict[str, int]] = {
    "08": 503,
    "09": 500,
    "0L": 403,
    "0P": 403,
    "21": 400,
    "21000": 500,
    "23503": 409,
    "23505": 409,
    "25": 500,
    "25006": 405,
    "28": 403,
    "2D": 500,
    "38": 500,
    "39": 500,
    "3B": 500,
    "40": 500,
    "42501": 403,
    "42883": 404,
    "42P01": 404,
    "42P17": 500,
    "53": 503,
    "53400": 500,
    "54": 500,
    "55": 500,
    "57": 500,
    "57P01": 503,
    "58": 500,
    "F0": 500,
    "HV": 500,
    "P0": 500,
    "P0001": 400,
    "XX": 500,
}


def sqlstate_status(error: DatabaseError, anonymous: bool) -> int:
    """HTTP status of an error Postgres raised; `anonymous` when the role is the anonymous one."""
    code = error.sqlstate
    if code == "21000" and error.message.endswith("requires a WHERE clause"):
        return 400
    if code == "22023" and error.message.startswith("role") and error.message.endswith("does not exist"):
        return 401
    if code == "42501" and anonymous:
        return 401
    if code == "42883" and error.message.startswith("function xmlagg("):
        return 406
    if code.startswith("PT"):
        number = code[2:]
        return int(number) if number.isdecimal() and int(number) >= 100 else 500
    return SQLSTATES.get(code) or SQLSTATES.get(code[:2], 400)


def body(code: str, message: str, details: Any, hint: Any, verbose: bool = True) -> bytes:
    """The envelope; two of its keys where details and hints are the operator's alone."""
    if not verbose:
        return orjson.dumps({"code": code, "message": message})
    return orjson.dumps({"code": code, "details": details, "hint": hint, "message": message})


def render_error(error: ApiError, verbose: bool = True) -> Response:
    """A catalogue error as a response."""
    headers: HeaderList = list(error.headers)
    if error.status == 401 and not any(name == b"www-authenticate" for name, _ in headers):
        headers.append((b"www-authenticate", b"Bearer"))
    return _response(error.code, error.status, error.message, error.details, error.hint, headers, verbose)


def render_database_error(error: DatabaseError, anonymous: bool, verbose: bool = True) -> Response:
    """An error Postgres raised as a response; the application's own `PGRST` and `PTnnn` decide for themselves."""
    if error.sqlstate == "PGRST":
        return _render_raised(error, verbose)
    status = sqlstate_status(error, anonymous)
    headers: HeaderList = [(b"www-authenticate", b"Bearer")] if status == 401 else []
    response = _response(error.sqlstate, status, error.message, error.detail, error.hint, headers, verbose)
    if error.sqlstate.startswith("PT") and status == int_or_none(error.sqlstate[2:]):
        response.reason = _reason(error.message)
    return response


def int_or_none(text: str) -> int | None:
    """A whole number of decimal digits, or None."""
    return int(text) if text.isdecimal() and text.isascii() else None


_MESSAGE_HINT: Final = (
    "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'."
)
_DETAIL_HINT: Final = (
    "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'."
)


def _render_raised(error: DatabaseError, verbose: bool) -> Response:
    """`raise sqlstate 'PGRST'`: the message is the body, the detail is status and headers."""
    message = _object(error.message, {"code": str, "message": str}, {"details": str, "hint": str})
    if message is None:
        details = f"Invalid JSON value for MESSAGE: '{error.message}'"
        return render_error(ApiError(RAISE, details=details, hint=_MESSAGE_HINT), verbose)
    if error.detail is None:
        return render_error(
            ApiError(RAISE, details="DETAIL is missing in the RAISE statement", hint=_DETAIL_HINT), verbose
        )
    detail = _object(error.detail, {"status": int, "headers": dict}, {"status_text": str})
    if detail is None or not all(isinstance(value, str) for value in detail["headers"].values()):
        details = f"Invalid JSON value for DETAIL: '{error.detail}'"
        return render_error(ApiError(RAISE, details=details, hint=_DETAIL_HINT), verbose)
    headers: HeaderList = [
        (name.encode("latin-1", "replace"), value.encode("utf-8")) for name, value in detail["headers"].items()
    ]
    response = _response(
        message["code"],
        detail["status"],
        message["message"],
        message.get("details"),
        message.get("hint"),
        headers,
        verbose,
    )
    if detail.get("status_text") is not None:
        response.reason = _reason(detail["status_text"])
    return response


def _object(text: str, required: dict[str, type], optional: dict[str, type]) -> dict[str, Any] | None:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(value, dict):
        return None
    for name, kind in required.items():
        if not isinstance(value.get(name), kind) or isinstance(value[name], bool):
            return None
    for name, kind in optional.items():
        if value.get(name) is not None and not isinstance(value[name], kind):
            return None
    return value


def _reason(text: str) -> str:
    """A reason phrase that fits one header line."""
    return "".join(c if c.isprintable() and ord(c) < 256 else " " for c in text)


def _response(
    code: str, status: int, message: str, details: Any, hint: Any, headers: HeaderList, verbose: bool
) -> Response:
    content = body(code, message, details, hint, verbose)
    shown = "".join(c for c in code if 32 <= ord(c) < 127)
    own: HeaderList = [
        (b"content-type", b"application/json; charset=utf-8"),
        (b"proxy-status", b"PostgREST; error=" + shown.encode()),
    ]
    given = {name.lower() for name, _ in headers}
    kept = [header for header in own if header[0].lower() not in given]
    return Response(status if 100 <= status <= 999 else 500, kept + headers, content)
