"""What Schemathesis is told beside a document: checks of our own, and how the tables' document is to be read."""

from __future__ import annotations

import json
from typing import Any

import schemathesis
from schemathesis import Case, CheckContext, HookContext, Response
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from tests.fuzz import INSIDE
from tests.fuzz.tables import in_full


@schemathesis.hook
def before_load_schema(context: HookContext, raw_schema: dict[str, Any]) -> None:
    document = json.loads(json.dumps(raw_schema))  # links are added to it, and YAML's aliases would share them
    raw_schema.update(in_full(document) if document.get("swagger") == "2.0" else document)


@schemathesis.check
def shows_nothing_inside(context: CheckContext, response: Response, case: Case[Any]) -> None:
    """No traceback, path or SQL of the gateway's own, unless the request said so first."""
    if case.path.startswith("/functions/v1/_admin/"):
        return  # a log is what it is asked for
    asked = repr((case.path_parameters, case.query, case.headers, case.body))
    for found in INSIDE.finditer(response.content):
        assert found[0].decode() in asked, f"shows {found[0]!r}"


@schemathesis.check
def content_has_its_type(context: CheckContext, response: Response, case: Case[Any]) -> bool | None:
    """`content_type_conformance`, which asks for a type of nothing too."""
    return content_type_conformance(context, response, case) if response.content else None


@schemathesis.check
def content_has_its_shape(context: CheckContext, response: Response, case: Case[Any]) -> bool | None:
    """`response_schema_conformance`, which asks for a shape of nothing too."""
    return response_schema_conformance(context, response, case) if response.content else None


@schemathesis.check
def rows_are_whole(context: CheckContext, response: Response, case: Case[Any]) -> None:
    """Where nothing was selected, a row has every column that the document has."""
    definitions = case.operation.schema.raw_schema.get("definitions", {})
    if case.path[1:] not in definitions or "select" in (case.query or {}) or not response.content:
        return
    if 200 <= response.status_code < 300:
        columns = set(definitions[case.path[1:]]["properties"])
        for row in response.json():
            assert set(row) == columns, f"columns {sorted(set(row) ^ columns)}"
