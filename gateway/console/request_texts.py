"""The request of the contract that gives the rows of a view, to copy: for curl, JavaScript and Python."""

from __future__ import annotations

import json
import shlex
from typing import Any
from urllib.parse import quote

from gateway.console.shapes import Shape, elements_of
from gateway.settings import Settings


def request_texts(
    settings: Settings, shape: Shape, content: dict[str, Any], said: str, limit: int
) -> dict[str, str] | None:
    """None for a schema that the tables API does not serve. Keys are named, never written."""
    if shape.schema not in settings.db_schemas:
        return None
    filters = [one for one in content.get("filters") or [] if isinstance(one, dict)]
    order = [one for one in content.get("order") or [] if isinstance(one, dict)]
    key = "$SUPABASE_SECRET_KEY" if said == "service" else "$SUPABASE_PUBLISHABLE_KEY"
    return {
        "curl": _curl(settings, shape, filters, order, said, limit, key),
        "js": _script(shape, filters, order, limit, js=True),
        "python": _script(shape, filters, order, limit, js=False),
    }


def _value(one: dict[str, Any]) -> str:
    value = one.get("value")
    if one.get("op") == "in":
        elements = value if isinstance(value, list) else elements_of(str(value))
        return f"({','.join(json.dumps(str(each), ensure_ascii=False) for each in elements)})"
    return "null" if value is None else str(value)


def _curl(
    settings: Settings, shape: Shape, filters: list[Any], order: list[Any], said: str, limit: int, key: str
) -> str:
    parts = ["select=*"]
    for one in filters:
        op = f"not.{one['op']}" if one.get("not") is True else str(one.get("op"))
        parts.append(f"{quote(str(one.get('column')), safe='')}={quote(f'{op}.{_value(one)}', safe='(),')}")
    if order:
        listed = ",".join(
            f"{one.get('column')}.{'desc' if one.get('desc') is True else 'asc'}{_nulls(one)}" for one in order
        )
        parts.append(f"order={quote(listed, safe='.,')}")
    parts.append(f"limit={limit}")
    url = f"{settings.api_url}{settings.rest_prefix}/{quote(shape.name, safe='')}?{'&'.join(parts)}"
    lines = [f"curl {shlex.quote(url)}", f'  -H "apikey: {key}"']
    if said.startswith("user:"):
        lines.append('  -H "Authorization: Bearer $ACCESS_TOKEN"')
    if shape.schema != settings.db_schemas[0]:
        lines.append(f"  -H {shlex.quote(f'Accept-Profile: {shape.schema}')}")
    return " \\\n".join(lines)


def _nulls(one: dict[str, Any]) -> str:
    first = one.get("nulls_first")
    return f".nulls{'first' if first else 'last'}" if isinstance(first, bool) else ""


def _script(shape: Shape, filters: list[Any], order: list[Any], limit: int, *, js: bool) -> str:
    def text(value: object) -> str:
        return json.dumps(str(value), ensure_ascii=False)

    source = "supabase" if shape.schema == "public" else f"supabase.schema({text(shape.schema)})"
    calls = [f".from({text(shape.name)})" if js else f".table({text(shape.name)})", f".select({text('*')})"]
    for one in filters:
        column, op = text(one.get("column")), str(one.get("op"))
        name = f"not.{op}" if one.get("not") is True else op
        calls.append(f".filter({column}, {text(name)}, {text(_value(one))})")
    for one in order:
        down, first = one.get("desc") is True, one.get("nulls_first")
        said = isinstance(first, bool)
        ascending, nulls = str(not down).lower(), f", nullsFirst: {str(first).lower()}" if said else ""
        calls.append(
            f".order({text(one.get('column'))}, {{ ascending: {ascending}{nulls} }})"
            if js
            else f".order({text(one.get('column'))}, desc={down}{f', nullsfirst={first}' if said else ''})"
        )
    calls.append(f".limit({limit})")
    if js:
        body = "".join(f"\n  {call}" for call in calls)
        return f"const {{ data, error }} = await {source}{body}"
    return "response = (\n    " + source + "".join(f"\n    {call}" for call in (*calls, ".execute()")) + "\n)"
