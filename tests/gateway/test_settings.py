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
