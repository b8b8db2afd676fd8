"""Settings: environment over file, every fault told at once."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from gateway.settings import Settings, SettingsError, describe


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    file.write_text('PORT = 1\nPGRST_DB_MAX_ROWS = 5\n[SITE_PAGES]\n"/insights/:slug" = "render-insight"\n')
    settings = Settings.load({"GATEWAY_CONFIG": str(file), "PORT": "2"})
    assert settings.port == 2
    assert settings.db_max_rows == 5
    assert settings.site_pages == {"/insights/:slug": "render-insight"}


def test_every_fault_is_told_together() -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.load({"PORT": "many", "PGRST_DB_TX_END": "never", "PGRST_DB_AGGREGATES_ENABLED": "perhaps"})
    assert len(caught.value.faults) == 3
    assert {fault.split(":")[0] for fault in caught.value.faults} == {
        "PORT",
        "PGRST_DB_TX_END",
        "PGRST_DB_AGGREGATES_ENABLED",
    }


def test_a_named_config_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="does not exist"):
        Settings.load({"GATEWAY_CONFIG": str(tmp_path / "none.toml")})


def test_names_inside_variable_names_become_entries() -> None:
    settings = Settings.load({"PGRST_APP_SETTINGS_JWT_LIFE": "60", "FUNCTIONS_SUBMIT_QUOTE_URL": "http://127.0.0.1:9"})
    assert settings.app_settings == {"jwt_life": "60"}
    assert settings.functions_urls == {"submit-quote": "http://127.0.0.1:9"}


@pytest.mark.parametrize(
    ("variable", "field", "raw", "value"),
    [
        ("REST_PREFIX", "rest_prefix", "", ""),
        ("PGRST_DB_SCHEMAS", "db_schemas", "api, other", ("api", "other")),
        ("PGRST_DB_MAX_ROWS", "db_max_rows", "", None),
        ("GATEWAY_REQUIRE_API_KEY", "require_api_key", "false", False),
        ("PGRST_DB_EXTRA_SEARCH_PATH", "db_extra_search_path", "", ()),
    ],
)
def test_a_value_is_read_as_its_type(variable: str, field: str, raw: str, value: object) -> None:
    assert getattr(Settings.load({variable: raw}), field) == value


def test_settings_of_the_login_role_lie_over_those_of_the_process() -> None:
    settings = Settings.load({}).with_database_settings(
        {"db_aggregates_enabled": "true", "db_max_rows": "7", "unknown": "x", "db_tx_end": "nonsense",
         "app.settings.greeting": "hi"}
    )  # fmt: skip
    assert settings.db_aggregates_enabled is True
    assert settings.db_max_rows == 7
    assert settings.db_tx_end == "commit"
    assert settings.app_settings == {"greeting": "hi"}


def test_every_row_says_what_it_does_and_has_its_own_variables() -> None:
    names = [name for row in fields(Settings) for name in row.metadata["names"]]
    assert len(names) == len(set(names))
    assert all(help for _, _, help in describe())


def test_secrets_are_not_shown_with_the_settings() -> None:
    settings = Settings.load({"DATABASE_URL": "postgresql://u:hidden-a@h/d", "SUPABASE_SECRET_KEY": "hidden-b",
                              "GOTRUE_SMTP_PASS": "hidden-c", "PRIVATE_THING": "hidden-d"})  # fmt: skip
    assert "hidden" not in repr(settings)
    with pytest.raises(SettingsError) as refused:
        Settings.load({"OTEL_EXPORTER_OTLP_HEADERS": "hidden-e"})
    assert str(refused.value) == "OTEL_EXPORTER_OTLP_HEADERS: cannot be read"


@pytest.mark.parametrize("address", ["nowhere", "postgresql://ruth:hidden hidden@db/site", "host=db nonsense=1"])
def test_an_address_that_is_none_is_named_and_not_shown(address: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.load({"DATABASE_URL": address, "DATABASE_READ_URL": address})
    assert caught.value.faults == ["DATABASE_URL: cannot be read", "DATABASE_READ_URL: cannot be read"]


SECRET = "a secret that is long enough for HS256"


@pytest.mark.parametrize("variable", ["PGRST_JWT_SECRET", "GOTRUE_JWT_SECRET", "SUPABASE_JWT_SECRET"])
def test_a_secret_is_read_from_the_file_that_it_names(variable: str, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(f" {SECRET} \n\n")
    settings = Settings.load({variable: f"@{file}"})
    assert settings.jwt_secret == f" {SECRET} \n"  # one line break is the file's, the rest is the secret's
    file.write_text("another " + SECRET)
    assert settings.read_again("jwt_secret").jwt_secret == "another " + SECRET
    assert settings.read_again("rest_database_url").jwt_secret == f" {SECRET} \n"
    file.unlink()
    with pytest.raises(SettingsError, match="No such file"):
        settings.read_again("jwt_secret")


ADDRESSES = ("DATABASE_URL", "PGRST_DB_URI", "GOTRUE_DB_DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_READ_URL")


@pytest.mark.parametrize("variable", ADDRESSES)
def test_an_address_is_read_from_the_file_that_it_names(variable: str, tmp_path: Path) -> None:
    file = tmp_path / "address"
    file.write_text("\n  postgresql://ruth@db/site\n\n")
    settings = Settings.load({variable: f"@{file}"})
    row = next(row for row in fields(Settings) if variable in row.metadata["names"])
    assert getattr(settings, row.name) == "postgresql://ruth@db/site"
    file.write_text("hidden nonsense")
    with pytest.raises(SettingsError) as refused:
        Settings.load({variable: f"@{file}"})
    assert refused.value.faults == [f"{variable}: cannot be read"]


@pytest.mark.parametrize("variable", ["PGRST_JWT_SECRET", *ADDRESSES])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "the file '{path}' cannot be read: No such file or directory"),
        (b"", "the file '{path}' is empty"),
        (b"\n", "the file '{path}' is empty"),
        (b"\xff\xfe", "the file '{path}' is no text"),
        (b"a" * 1_000_001, "the file '{path}' is longer than 1000000 bytes"),
    ],
    ids=["missing", "empty", "a line break", "no text", "endless"],
)
def test_a_file_without_a_setting_is_named(variable: str, content: bytes | None, said: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError) as refused:
        Settings.load({variable: f"@{file}"})
    assert refused.value.faults == [f"{variable}: {said.format(path=file)}"]


def test_every_secret_and_address_that_the_originals_read_from_a_file_is() -> None:
    names = {row.metadata["names"][0] for row in fields(Settings) if row.metadata["file"]}
    read = {name for name in names if not name.startswith("GATEWAY_")}
    assert read == {"PGRST_JWT_SECRET", *ADDRESSES}


def test_the_database_cannot_have_a_file_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("a secret of the machine, long enough")
    settings = Settings.load({}).with_database_settings({"jwt_secret": f"@{file}", "db_uri": f"@{file}"})
    assert settings == Settings.load({})


def test_variables_in_the_originals_names_that_set_nothing_are_named(tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    file.write_text('gotrue_db_driver = "x"\npgrst_log_query = "true"\n')
    settings = Settings.load(
        {
            "GATEWAY_CONFIG": str(file),
            "PGRST_DB_POOL_AUTOMATED_RECOVERY": "false",
            "PGRST_DB_SCHEMA": "public",
            "PGRST_DB_SCHEMES": "api",
            "PGRST_APP_SETTINGS_X": "1",
            "GOTRUE_EXTERNAL_KEYCLOAK_ENABLED": "true",
            "GOTRUE_API_HOST": "0.0.0.0",
            "OTHER": "1",
        }
    )
    assert settings.unserved == (
        "GOTRUE_API_HOST",
        "GOTRUE_DB_DRIVER",
        "PGRST_DB_POOL_AUTOMATED_RECOVERY",
        "PGRST_DB_SCHEMES",
        "PGRST_LOG_QUERY",
    )
    assert Settings.load({}).unserved == ()


@pytest.mark.parametrize(("word", "value"), [("TRUE", True), ("2", True), ("0", False), ("-1", False)])
def test_a_number_over_zero_is_true(word: str, value: bool) -> None:
    assert Settings.load({"PGRST_DB_AGGREGATES_ENABLED": word}).db_aggregates_enabled is value


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("PGRST_DB_SCHEMAS", "public, pg_catalog", "db-schemas does not allow schema: 'pg_catalog'"),
        ("PGRST_DB_SCHEMA", "information_schema", "db-schemas does not allow schema: 'information_schema'"),
        ("PGRST_JWT_ROLE_CLAIM_KEY", "$.a[", "failed to parse role-claim-key value ($.a[) (line 1, column 1)"),
        ("PGRST_ROLE_CLAIM_KEY", "role", "failed to parse role-claim-key value (role) (line 1, column 1)"),
        ("PGRST_SERVER_UNIX_SOCKET_MODE", "599", "Invalid server-unix-socket-mode: not an octal"),
        ("PGRST_SERVER_UNIX_SOCKET_MODE", "577", "Invalid server-unix-socket-mode: needs to be between 600 and 777"),
        (
            "PGRST_ADMIN_SERVER_UNIX_SOCKET_MODE",
            "1000",
            "Invalid admin-server-unix-socket-mode: needs to be between 600 and 777",
        ),
        ("PGRST_CLIENT_ERROR_VERBOSITY", "loud", "Invalid client-error-verbosity. Check your configuration."),
    ],
)
def test_what_must_not_pass_stops_the_start_and_a_reload(variable: str, value: str, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        Settings.load({variable: value})
    assert refused.value.faults == [f"{variable}: {said}"]
    with pytest.raises(SettingsError) as refused:
        Settings.load({}).with_database_settings({variable.removeprefix("PGRST_").lower(): value, "db_max_rows": "1"})
    assert refused.value.faults == [said]


def test_the_admin_port_is_another_than_the_public_one() -> None:
    with pytest.raises(SettingsError, match="admin-server-port cannot be the same as server-port"):
        Settings.load({"PORT": "4000", "PGRST_ADMIN_SERVER_PORT": "4000"})
    Settings.load({"PORT": "0", "PGRST_ADMIN_SERVER_PORT": "0"})
    Settings.load({"PORT": "4000", "PGRST_ADMIN_SERVER_PORT": "4000", "PGRST_SERVER_UNIX_SOCKET": "/run/x"})


def test_settings_in_the_database_that_set_nothing_are_named() -> None:
    pairs = {"db_max_rows": "1", "db_max_row": "1", "jwt_secret": "x", "log_query": "true", "app.settings.x": "1"}
    assert Settings.load({}).unserved_in_database(pairs) == ("db_max_row", "jwt_secret", "log_query")


def test_days_of_an_application_s_kinds_are_read_by_name(tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    file.write_text("gateway_visits_days = 7\ngateway_audit_days = 9\nGATEWAY_ORDERS_DAYS = 8\n")
    environ = {"GATEWAY_CONFIG": str(file), "GATEWAY_ORDERS_DAYS": "0", "GATEWAY_SAFETY_COPIES_DAYS": "3"}
    settings = Settings.load(environ)
    assert settings.retention_days == {"visits": 7, "orders": 0}
    assert (settings.audit_days, settings.safety_copies_days) == (9, 3)
    with pytest.raises(SettingsError, match="GATEWAY_VISITS_DAYS: '-1' is no number of days"):
        Settings.load({"GATEWAY_VISITS_DAYS": "-1"})
