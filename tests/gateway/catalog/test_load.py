"""The harbour's catalogue, read by a login role without rights, on every server."""

from __future__ import annotations

import asyncio
import re

import pytest

from gateway.catalog.load import load_database_settings
from gateway.catalog.model import Cardinality, Name, Relationship, ReturnKind, Routine, SchemaCache, Volatility
from gateway.database import Database, DatabaseError, SyncConnection
from gateway.settings import Settings
from tests.fixtures.contract import MAIN, Harbours, load_cache


def harbor(name: str) -> Name:
    return Name("harbor", name)


def routine(cache: SchemaCache, name: str) -> Routine:
    (found,) = cache.routines[harbor(name)]
    return found


def between(cache: SchemaCache, source: str, target: str) -> list[Relationship]:
    return [
        item
        for item in cache.relationships.get((harbor(source), "harbor"), ())
        if isinstance(item, Relationship) and item.target == harbor(target)
    ]


# --- relations ------------------------------------------------------------------------------------------------------


def test_only_exposed_relations_are_listed(harbour: SchemaCache) -> None:
    assert {name.schema for name in harbour.tables} == {"harbor", "annex"}
    assert harbor("readings") in harbour.tables
    assert harbor("readings_2023") not in harbour.tables


def test_columns_keep_their_order_and_types(harbour: SchemaCache) -> None:
    columns = harbour.tables[harbor("ports")].columns
    assert {name: (column.type, column.nominal_type) for name, column in columns.items()} == {
        "id": ("integer", "integer"),
        "name": ("text", "text"),
        "country": ("character varying", "character varying(40)"),
        "depth": ("numeric", "numeric(5,2)"),
        "opened": ("date", "date"),
        "facilities": ("text[]", "text[]"),
        "hours": ("int4range", "int4range"),
        "details": ("jsonb", "jsonb"),
    }
    assert list(columns) == ["id", "name", "country", "depth", "opened", "facilities", "hours", "details"]
    assert columns["country"].max_length == 40
    assert columns["depth"].description == "Metres at low water"
    assert (columns["id"].nullable, columns["country"].nullable) == (False, True)


def test_domains_resolve_to_what_lies_beneath(harbour: SchemaCache) -> None:
    column = harbour.tables[harbor("hulls")].columns["colour"]
    assert (column.type, column.nominal_type) == ("integer", "harbor.paint")
    assert harbour.domains["harbor.paint"] == "integer"


def test_defaults_of_columns_domains_and_identities(harbour: SchemaCache) -> None:
    orders = harbour.tables[harbor("orders")].columns
    assert (orders["amount"].default, orders["state"].default) == ("7", "'new'::text")
    notes = harbour.tables[harbor("notes")].columns["id"]
    assert (notes.default, notes.identity, notes.always) == ("nextval('harbor.notes_id_seq')", True, False)


def test_generated_columns_have_no_default(harbour: SchemaCache) -> None:
    crates = harbour.tables[harbor("crates")].columns
    assert (crates["area"].generated, crates["area"].default) == (True, None)
    assert (crates["id"].always, crates["id"].default) == (True, None)


def test_enum_labels_come_in_their_order(harbour: SchemaCache) -> None:
    labels = ("ferry", "tug", "trawler", "tanker")
    assert harbour.tables[harbor("ships")].columns["kind"].enum == labels
    assert harbour.enums == {harbor("ship_kind"): labels}
    assert harbour.type_names["harbor.ship_kind"] == harbor("ship_kind")


def test_primary_keys_of_tables_and_views(harbour: SchemaCache) -> None:
    keys = {name.name: table.primary_key for name, table in harbour.tables.items() if name.schema == "harbor"}
    assert keys["ships"] == ("id",)
    assert keys["tariffs"] == ("port_id", "season")
    assert keys["scraps"] == ()
    assert keys["ship_names"] == keys["named_fleet"] == ("ship",)
    assert keys["port_summary"] == ("id",)
    assert keys["twins"] == ("first_id",)
    assert keys["cargo_lines"] == ()
    assert keys["all_names"] == ()
    assert keys["ledgers"] == ("id",)


def test_what_can_be_written(harbour: SchemaCache) -> None:
    def writes(name: str) -> tuple[bool, bool, bool]:
        table = harbour.tables[harbor(name)]
        return table.insertable, table.updatable, table.deletable

    assert writes("ships") == writes("ship_names") == writes("readings") == (True, True, True)
    assert writes("fleet_sizes") == writes("port_summary") == writes("all_names") == (False, False, False)
    assert harbour.tables[harbor("ship_names")].is_view and harbour.tables[harbor("port_summary")].is_view


def test_a_view_with_triggers_can_do_what_they_do(harbours: Harbours) -> None:
    owner = harbours.owner(MAIN)
    with SyncConnection(owner) as connection:
        connection.script(
            "create view harbor.one_way as select max(id) as id from harbor.ships;"
            "create trigger one_way_insert instead of insert on harbor.one_way"
            " for each row execute function harbor.guarded_owners_write()"
        )
        try:
            table = load_cache(harbours.login(MAIN)).tables[harbor("one_way")]
        finally:
            connection.script("drop view harbor.one_way")
    assert (table.insertable, table.updatable, table.deletable) == (True, False, False)


# --- relationships --------------------------------------------------------------------------------------------------


def test_cardinalities(harbour: SchemaCache) -> None:
    assert [item.cardinality for item in between(harbour, "ships", "owners")] == [Cardinality.M2O]
    assert [item.cardinality for item in between(harbour, "owners", "ships")] == [Cardinality.O2M]
    assert [item.cardinality for item in between(harbour, "passports", "ships")] == [Cardinality.O2O]
    assert [item.cardinality for item in between(harbour, "ships", "cargos")] == [Cardinality.M2M]
    assert [item.constraint for item in between(harbour, "ships", "ports")] == [
        "ships_home_port_fkey",
        "ships_next_port_fkey",
    ]


def test_composite_keys_pair_their_columns(harbour: SchemaCache) -> None:
    (item,) = between(harbour, "logbook", "voyages")
    assert item.columns == (("ship_id", "ship_id"), ("number", "number"))


def test_views_of_views_have_the_relationships_of_their_tables(harbour: SchemaCache) -> None:
    (item,) = between(harbour, "named_fleet", "owner_cards")
    assert (item.constraint, item.columns) == ("ships_owner_fkey", (("held_by", "card"),))
    assert item.source_is_view and item.target_is_view


def test_a_view_of_a_hidden_table_has_its_relationships(harbour: SchemaCache) -> None:
    assert [item.columns for item in between(harbour, "ledgers", "ports")] == [(("port_id", "id"),)]


def test_a_hidden_junction_shows_through_a_view(harbour: SchemaCache) -> None:
    (item,) = between(harbour, "flags", "signals")
    assert item.junction is not None and item.junction.table == harbor("hoists")


def test_partitions_add_no_relationships_of_their_own(harbour: SchemaCache) -> None:
    assert len(between(harbour, "readings", "ports")) == len(between(harbour, "ports", "readings")) == 1


def test_computed_relationships_and_columns(harbour: SchemaCache) -> None:
    computed = {
        item.function.name: (item.target.name, item.to_one, item.is_self)
        for item in harbour.relationships[harbor("ships"), "harbor"]
        if not isinstance(item, Relationship)
    }
    assert computed == {
        "captain": ("sailors", True, False),
        "crew": ("sailors", False, False),
        "fleet_mates": ("ships", False, True),
        "inspections": ("inspections", False, False),
    }
    assert between(harbour, "ships", "inspections") == []
    assert harbour.computed_columns[harbor("ships")] == {
        "describe_ship": "text",
        "initial": "text",
        "label": "text",
    }


# --- routines -------------------------------------------------------------------------------------------------------


def test_parameters_and_their_defaults(harbour: SchemaCache) -> None:
    parameters = routine(harbour, "add").parameters
    found = [(item.name, item.type, item.required) for item in parameters]
    assert found == [("a", "integer", True), ("b", "integer", False)]


def test_out_parameters_are_columns_and_no_arguments(harbour: SchemaCache) -> None:
    bounds = routine(harbour, "bounds")
    assert bounds.parameters == ()
    assert bounds.returns.kind is ReturnKind.COMPOSITE
    assert bounds.returns.columns == (("lowest", "integer"), ("highest", "integer"))
    swap = routine(harbour, "swap")
    assert [item.name for item in swap.parameters] == [name for name, _ in swap.returns.columns] == ["a", "b"]


def test_kinds_of_results(harbour: SchemaCache) -> None:
    assert routine(harbour, "nothing").returns.is_void
    assert routine(harbour, "find_ships").returns.relation == harbor("ships")
    assert routine(harbour, "find_ships").returns.is_set
    assert not routine(harbour, "ship_by_id").returns.is_set
    assert routine(harbour, "loose_record").returns.is_untyped_record
    assert routine(harbour, "kinds").returns.kind is ReturnKind.SCALAR


def test_variadic_and_overloaded(harbour: SchemaCache) -> None:
    assert routine(harbour, "total").variadic
    assert routine(harbour, "total").parameters[0].type == "integer[]"
    assert [len(item.parameters) for item in harbour.routines[harbor("area")]] == [1, 2]


def test_volatility_isolation_and_hoisted_settings(harbour: SchemaCache) -> None:
    assert routine(harbour, "add").volatility is Volatility.IMMUTABLE
    assert routine(harbour, "read_only").volatility is Volatility.VOLATILE
    assert routine(harbour, "strict_isolation").isolation == "serializable"
    assert routine(harbour, "own_timeout").settings == (("statement_timeout", "7s"),)


def test_what_cannot_be_called_is_left_out(harbour: SchemaCache) -> None:
    assert harbor("not_callable") not in harbour.routines, "a procedure"
    assert harbor("guarded_owners_write") not in harbour.routines, "a trigger"
    assert harbor("ship_log") not in harbour.routines, "an aggregate"
    assert harbor("label") not in harbour.routines, "its only argument is an unnamed row"
    assert routine(harbour, "whole_json").parameters[0].name == ""


# --- the rest -------------------------------------------------------------------------------------------------------


def test_representations(harbour: SchemaCache) -> None:
    assert {key: item.function.name for key, item in harbour.representations.items()} == {
        ("json", "harbor.paint"): "paint_from_json",
        ("text", "harbor.paint"): "paint_from_text",
        ("harbor.paint", "json"): "paint_to_json",
    }


def test_media_handlers(harbour: SchemaCache) -> None:
    handlers = harbour.media_handlers
    assert handlers[harbor("ships"), "text/x-log"].function == harbor("ship_log")
    assert handlers[None, "application/x-ship+json"].function == harbor("any_count")
    assert handlers[harbor("anything"), "*/*"].is_routine


def test_settings_of_roles(harbour: SchemaCache) -> None:
    member = harbour.roles["contract_member"]
    assert (member.settings, member.isolation) == ((("statement_timeout", "8s"),), "repeatable read")
    assert "contract_anon" not in harbour.roles


def test_settings_that_only_a_superuser_may_change_are_left_out(harbours: Harbours) -> None:
    with SyncConnection(harbours.owner(MAIN)) as connection:
        connection.script("alter role contract_anon set log_min_messages = 'error'")
        try:
            assert "contract_anon" not in load_cache(harbours.login(MAIN)).roles
        finally:
            connection.script("alter role contract_anon reset log_min_messages")


def test_domains_of_clean_html_are_known(harbours: Harbours) -> None:
    with SyncConnection(harbours.owner(MAIN)) as connection:
        connection.script(
            "create domain harbor.clean as text; comment on domain harbor.clean is 'Sanitized HTML';"
            "create domain harbor.other as text; comment on domain harbor.other is 'Something else'"
        )
        try:
            assert load_cache(harbours.login(MAIN)).html_domains == {"harbor.clean"}
        finally:
            connection.script("drop domain harbor.clean; drop domain harbor.other")


def test_odd_names_survive(harbour: SchemaCache) -> None:
    assert list(harbour.tables[harbor("Odd Names")].columns) == [
        "Id", "a.b", "x y", 'say "hi"', "Größe", "order", "select", ":colon"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "settings",
    [
        Settings(db_schemas=("harbor", 'odd "name", {x}'), db_extra_search_path=()),
        Settings(db_schemas=("harbor",), db_extra_search_path=("tools", 'odd "name", {x}')),
    ],
    ids=["exposed", "searched"],
)
def test_a_schema_that_does_not_exist_fails_the_load(harbours: Harbours, settings: Settings) -> None:
    with pytest.raises(DatabaseError, match=re.escape('3F000: schema "odd "name", {x}" does not exist')):
        load_cache(harbours.login(MAIN), settings)


# --- settings in the database ---------------------------------------------------------------------------------------


def settings_of(url: str, settings: Settings) -> dict[str, str]:
    async def main() -> dict[str, str]:
        database = Database(url)
        await database.open()
        try:
            return await load_database_settings(database, settings)
        finally:
            await database.close()

    return asyncio.run(main())


def test_settings_of_the_login_role_and_which_wins(harbours: Harbours) -> None:
    with SyncConnection(harbours.owner(MAIN)) as connection:
        database = connection.rows("select current_database()")[0][0]
        connection.script(
            "alter role contract_login set pgrst.db_max_rows = '10';"
            "alter role contract_login set pgrst.db_plan_enabled = 'true';"
            f"alter role contract_login in database \"{database}\" set pgrst.db_max_rows = '20';"
            "create function tools.configure() returns void language sql as $$"
            " select set_config('pgrst.db_max_rows', '30', true), set_config('pgrst.jwt_aud', 'here', true) $$"
        )
        try:
            login = harbours.login(MAIN)
            assert settings_of(login, Settings()) == {"db_max_rows": "20", "db_plan_enabled": "true"}
            with_function = settings_of(login, Settings(db_pre_config="tools.configure"))
            assert with_function == {"db_max_rows": "20", "db_plan_enabled": "true", "jwt_aud": "here"}
            assert settings_of(login, Settings(db_config=False)) == {}
            assert settings_of(login, Settings(db_pre_config="tools.gone"))["db_max_rows"] == "20"
        finally:
            connection.script(
                f'alter role contract_login reset all; alter role contract_login in database "{database}" reset all;'
                "drop function tools.configure()"
            )
