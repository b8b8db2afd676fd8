"""The root path's document: a snapshot of the harbour's, and each mode and setting by itself.

The snapshot is rebuilt by `python -m tests.contract.test_openapi` against the embedded database; review its diff.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from gateway.catalog.model import SchemaCache
from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from gateway.rest.openapi import Access, document
from gateway.settings import Settings
from tests.contract.case import Case
from tests.fixtures.contract import MAIN, SCHEMA, SETTINGS, Services, load_cache

SNAPSHOT = Path(__file__).with_name("openapi.json")


def harbour_document(cache: SchemaCache, access: Access | None = None, **settings: Any) -> dict[str, Any]:
    return document(cache, replace(SETTINGS, **settings), "harbor", access)


def served(services: Services, role: str | None = None, path: str = "/", **send: str) -> dict[str, Any]:
    service = services(MAIN, "open")
    content: dict[str, Any] = service.send(Case("", f"GET {path}", role=role, send=send)).json()
    return content


def test_document_is_the_reviewed_one(harbour: SchemaCache) -> None:
    assert harbour_document(harbour) == json.loads(SNAPSHOT.read_text())


def test_a_role_sees_what_it_may_touch(services: Services) -> None:
    anonymous, member = served(services), served(services, "contract_member")
    assert "/ships" in anonymous["paths"]
    assert "/sealed" not in anonymous["paths"], "no right at all"
    assert "/sealed" in member["paths"], "a right to one column"
    assert "/dropbox" in anonymous["paths"], "a right to write alone"
    assert "/rpc/member_only" not in anonymous["paths"]
    assert "/rpc/member_only" in member["paths"]


def test_a_profile_chooses_the_schema(services: Services) -> None:
    annex = served(services, **{"Accept-Profile": "annex"})
    assert sorted(annex["definitions"]) == ["ports", "sheds"]
    assert annex["info"]["title"] == "PostgREST API"


def test_without_access_everything_shows(harbour: SchemaCache) -> None:
    assert {"/sealed", "/rpc/member_only"} <= set(harbour_document(harbour)["paths"])


def test_access_decides_by_overload(harbour: SchemaCache) -> None:
    name = next(name for name in harbour.routines if name.name == "area")
    one, two = harbour.routines[name]
    shown = harbour_document(harbour, Access(frozenset(), frozenset({one.oid})))
    assert list(shown["paths"]) == ["/", "/rpc/area"]
    assert list(shown["paths"]["/rpc/area"]["post"]["parameters"][0]["schema"]["properties"]) == ["side"]
    assert harbour_document(harbour, Access(frozenset(), frozenset({two.oid})))["paths"] != shown["paths"]


def test_comments_make_titles_and_summaries(harbour: SchemaCache) -> None:
    shown = harbour_document(harbour)
    assert (shown["info"]["title"], shown["info"]["description"]) == (
        "Harbour office",
        "Ships, ports and their papers.",
    )
    get = shown["paths"]["/ports"]["get"]
    assert (get["summary"], get["description"]) == ("Places where ships berth", "Long text about ports.")


def test_keys_carry_their_notes(harbour: SchemaCache) -> None:
    ships = harbour_document(harbour)["definitions"]["ships"]["properties"]
    assert ships["id"]["description"] == "Note:\nThis is a Primary Key.<pk/>"
    assert ships["owner_id"]["description"] == (
        "Note:\nThis is a Foreign Key to `owners.id`.<fk table='owners' column='id'/>"
    )


def test_columns_carry_type_format_default_length_and_labels(harbour: SchemaCache) -> None:
    definitions = harbour_document(harbour)["definitions"]
    ports, notes, ships = (definitions[name]["properties"] for name in ("ports", "notes", "ships"))
    assert ports["country"] == {"format": "character varying", "type": "string", "maxLength": 40}
    assert ports["facilities"]["type"] == "array"
    assert ports["facilities"]["items"] == {"type": "string"}
    assert "type" not in ports["details"], "a document may be anything"
    assert (notes["author"]["default"], notes["stars"]["default"]) == ("nobody", 0)
    assert "default" not in notes["id"], "only Postgres can work it out"
    assert ships["kind"]["enum"] == ["ferry", "tug", "trawler", "tanker"]
    assert definitions["specimens"]["properties"]["big"]["format"] == "int64"
    assert definitions["ports"]["required"] == ["id", "name", "facilities"]


def test_types_of_columns_are_qualified_and_those_of_arguments_as_the_request_finds_them(harbour: SchemaCache) -> None:
    shown = harbour_document(harbour)
    assert shown["definitions"]["ships"]["properties"]["kind"]["format"] == "harbor.ship_kind"
    get = {each["name"]: each for each in shown["paths"]["/rpc/ships_of"]["get"]["parameters"]}
    assert get["kinds"]["format"] == "ship_kind[]"
    assert get["others"]["items"]["format"] == "ship_kind"
    post = shown["paths"]["/rpc/paints"]["post"]["parameters"][0]["schema"]["properties"]
    assert (post["a"]["format"], post["b"]["format"]) == ("paint", "grade"), "its schema, and the extra search path"
    other = document(harbour, replace(SETTINGS, db_extra_search_path=()), "harbor")["paths"]["/rpc/paints"]["post"]
    assert other["parameters"][0]["schema"]["properties"]["b"]["format"] == "tools.grade"


def test_writes_show_where_they_are_possible(harbour: SchemaCache) -> None:
    paths = harbour_document(harbour)["paths"]
    assert set(paths["/ships"]) == {"get", "post", "patch", "delete"}
    assert set(paths["/fleet_sizes"]) == {"get"}


def test_volatile_functions_have_no_get(harbour: SchemaCache) -> None:
    paths = harbour_document(harbour)["paths"]
    assert set(paths["/rpc/read_only"]) == {"post"}
    assert set(paths["/rpc/add"]) == {"get", "post"}


def test_security_is_named_when_asked_for(harbour: SchemaCache) -> None:
    assert "security" not in harbour_document(harbour)
    shown = harbour_document(harbour, openapi_security_active=True)
    assert shown["security"] == [{"JWT": []}]
    assert shown["securityDefinitions"]["JWT"]["name"] == "Authorization"


def test_address_is_the_public_one(harbour: SchemaCache) -> None:
    def address(**settings: Any) -> tuple[str, str, list[str]]:
        shown = document(harbour, Settings(**settings), "harbor")
        return shown["host"], shown["basePath"], shown["schemes"]

    assert address(host="127.0.0.1", port=3000) == ("127.0.0.1:3000", "/rest/v1", ["http"])
    assert address(rest_prefix="") == ("127.0.0.1:54321", "/", ["http"])
    assert address(public_url="https://api.example") == ("api.example:443", "/rest/v1", ["https"])
    proxied = address(openapi_server_proxy_uri="https://proxy.example:8443/data")
    assert proxied == ("proxy.example:8443", "/data", ["https"])


def test_every_reference_leads_somewhere(harbour: SchemaCache) -> None:
    shown = harbour_document(harbour)

    def references(node: Any) -> list[str]:
        if isinstance(node, dict):
            own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
            return own + [found for value in node.values() for found in references(value)]
        return [found for value in node for found in references(value)] if isinstance(node, list) else []

    for reference in references(shown):
        _, group, name = reference.split("/", 2)
        assert name in shown[group], reference


def rebuild() -> None:
    """Write the snapshot anew."""
    with tempfile.TemporaryDirectory(prefix="gw-") as folder:
        postgres = EmbeddedPostgres(Path(folder))
        postgres.start()
        try:
            with SyncConnection(postgres.url()) as connection:
                connection.script(SCHEMA.read_text())
            cache = load_cache(postgres.url())
        finally:
            postgres.stop()
    SNAPSHOT.write_text(json.dumps(harbour_document(cache), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    rebuild()
