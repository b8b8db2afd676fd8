"""Schema auth is the hosted one: columns, rules and functions, so that a hosted dump restores and works."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gateway import migrations
from gateway.database import DatabaseError, SyncConnection
from tests.schema.acting import PLAIN_ID

# The newest hosted shape as data: columns in their physical order, on which a COPY without names depends.
FOLDER = Path(__file__).parent
COLUMNS: dict[str, list[dict[str, Any]]] = json.loads((FOLDER / "auth_columns.json").read_text())
RULES: dict[str, list[str]] = json.loads((FOLDER / "auth_rules.json").read_text())
NEWEST = "20260625000000"
OWN_INDEXES = {"audit_log_entries_created_at_idx"}  # for the audit log's pages

ENUMS = {
    "factor_type": ["totp", "webauthn", "phone"],
    "factor_status": ["unverified", "verified"],
    "aal_level": ["aal1", "aal2", "aal3"],
    "code_challenge_method": ["s256", "plain"],
    "one_time_token_type": [
        "confirmation_token",
        "reauthentication_token",
        "recovery_token",
        "email_change_token_new",
        "email_change_token_current",
        "phone_change_token",
    ],
    "oauth_registration_type": ["dynamic", "manual"],
    "oauth_authorization_status": ["pending", "approved", "denied", "expired"],
    "oauth_response_type": ["code"],
    "oauth_client_type": ["public", "confidential"],
}

# Rows in the shape a hosted project's data dump has them: generated columns left out, triggers off.
DUMP = """
SET session_replication_role = replica;
SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = false;
SET row_security = off;

INSERT INTO "auth"."audit_log_entries" ("instance_id", "id", "payload", "created_at", "ip_address") VALUES
	('00000000-0000-0000-0000-000000000000', 'b1a0c0de-0000-4000-8000-000000000001', '{"action":"login","actor_id":"b1a0c0de-0000-4000-8000-00000000000a","log_type":"account"}', '2026-02-01 13:47:49.526131+00', '');
INSERT INTO "auth"."custom_oauth_providers" ("id", "provider_type", "identifier", "name", "client_id", "client_secret", "acceptable_client_ids", "scopes", "pkce_enabled", "attribute_mapping", "authorization_params", "enabled", "email_optional", "issuer", "discovery_url", "skip_nonce_check", "cached_discovery", "discovery_cached_at", "authorization_url", "token_url", "userinfo_url", "jwks_uri", "created_at", "updated_at", "custom_claims_allowlist") VALUES
	('b1a0c0de-0000-4000-8000-000000000002', 'oidc', 'custom:staff', 'Staff', 'id', 'secret', '{}', '{openid}', true, '{}', '{}', true, false, 'https://id.example.com', NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, '2026-02-01 13:47:49+00', '2026-02-01 13:47:49+00', '{groups}');
INSERT INTO "auth"."flow_state" ("id", "user_id", "auth_code", "code_challenge_method", "code_challenge", "provider_type", "provider_access_token", "provider_refresh_token", "created_at", "updated_at", "authentication_method", "auth_code_issued_at", "invite_token", "referrer", "oauth_client_state_id", "linking_target_id", "email_optional") VALUES
	('b1a0c0de-0000-4000-8000-000000000003', 'b1a0c0de-0000-4000-8000-00000000000a', 'b1a0c0de-0000-4000-8000-0000000000cc', 's256', 'challenge', 'email', '', '', '2026-02-01 13:47:49+00', '2026-02-01 13:48:31+00', 'email/signup', NULL, NULL, NULL, NULL, NULL, false);
INSERT INTO "auth"."users" ("instance_id", "id", "aud", "role", "email", "encrypted_password", "email_confirmed_at", "invited_at", "confirmation_token", "confirmation_sent_at", "recovery_token", "recovery_sent_at", "email_change_token_new", "email_change", "email_change_sent_at", "last_sign_in_at", "raw_app_meta_data", "raw_user_meta_data", "is_super_admin", "created_at", "updated_at", "phone", "phone_confirmed_at", "phone_change", "phone_change_token", "phone_change_sent_at", "email_change_token_current", "email_change_confirm_status", "banned_until", "reauthentication_token", "reauthentication_sent_at", "is_sso_user", "deleted_at", "is_anonymous") VALUES
	('00000000-0000-0000-0000-000000000000', 'b1a0c0de-0000-4000-8000-00000000000a', 'authenticated', 'authenticated', 'ada@example.com', '$2a$10$7EqJtq98hPqEX7fNZaFWoOHiFFZ8y1xW8GmFQvS1pJrXhyxY4kH1K', '2026-01-02 03:04:05.678+00', NULL, '', NULL, '', NULL, '', '', NULL, '2026-02-01 13:47:49+00', '{"provider": "email", "providers": ["email"]}', '{"email_verified": true}', NULL, '2026-01-02 03:04:05+00', '2026-02-01 13:47:49+00', NULL, NULL, '', '', NULL, '', 0, NULL, '', NULL, false, NULL, false),
	('00000000-0000-0000-0000-000000000000', 'b1a0c0de-0000-4000-8000-00000000000b', 'authenticated', 'authenticated', 'bo@example.com', '$2a$10$7EqJtq98hPqEX7fNZaFWoOHiFFZ8y1xW8GmFQvS1pJrXhyxY4kH1K', NULL, '2026-01-02 03:04:05+00', 'a1b2c3', '2026-01-02 03:04:05+00', '', NULL, '', '', NULL, NULL, '{}', '{}', NULL, '2026-01-02 03:04:05+00', '2026-02-01 13:47:49+00', NULL, NULL, '', '', NULL, '', 0, NULL, '', NULL, false, NULL, false);
INSERT INTO "auth"."identities" ("provider_id", "user_id", "identity_data", "provider", "last_sign_in_at", "created_at", "updated_at", "id") VALUES
	('b1a0c0de-0000-4000-8000-00000000000a', 'b1a0c0de-0000-4000-8000-00000000000a', '{"sub": "b1a0c0de-0000-4000-8000-00000000000a", "email": "Ada@Example.com", "email_verified": true}', 'email', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', 'b1a0c0de-0000-4000-8000-000000000004');
INSERT INTO "auth"."oauth_clients" ("id", "client_secret_hash", "registration_type", "redirect_uris", "grant_types", "client_name", "client_uri", "logo_uri", "created_at", "updated_at", "deleted_at", "client_type", "token_endpoint_auth_method") VALUES
	('b1a0c0de-0000-4000-8000-000000000005', NULL, 'manual', 'https://app.example.com/cb', 'authorization_code', 'App', NULL, NULL, '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', NULL, 'public', 'none');
INSERT INTO "auth"."sessions" ("id", "user_id", "created_at", "updated_at", "factor_id", "aal", "not_after", "refreshed_at", "user_agent", "ip", "tag", "oauth_client_id", "refresh_token_hmac_key", "refresh_token_counter", "scopes") VALUES
	('b1a0c0de-0000-4000-8000-000000000006', 'b1a0c0de-0000-4000-8000-00000000000a', '2026-02-01 13:47:49+00', '2026-02-01 14:47:49+00', NULL, 'aal1', NULL, '2026-02-01 14:47:49.123', 'Mozilla/5.0', '203.0.113.9', NULL, NULL, NULL, NULL, NULL);
INSERT INTO "auth"."mfa_amr_claims" ("session_id", "created_at", "updated_at", "authentication_method", "id") VALUES
	('b1a0c0de-0000-4000-8000-000000000006', '2026-02-01 13:47:49+00', '2026-02-01 13:47:49+00', 'password', 'b1a0c0de-0000-4000-8000-000000000007');
INSERT INTO "auth"."mfa_factors" ("id", "user_id", "friendly_name", "factor_type", "status", "created_at", "updated_at", "secret", "phone", "last_challenged_at", "web_authn_credential", "web_authn_aaguid", "last_webauthn_challenge_data") VALUES
	('b1a0c0de-0000-4000-8000-000000000008', 'b1a0c0de-0000-4000-8000-00000000000a', 'phone', 'totp', 'verified', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', 'JBSWY3DPEHPK3PXP', NULL, NULL, NULL, NULL, NULL);
INSERT INTO "auth"."mfa_challenges" ("id", "factor_id", "created_at", "verified_at", "ip_address", "otp_code", "web_authn_session_data") VALUES
	('b1a0c0de-0000-4000-8000-000000000009', 'b1a0c0de-0000-4000-8000-000000000008', '2026-01-02 03:04:05+00', NULL, '203.0.113.9', '', NULL);
INSERT INTO "auth"."one_time_tokens" ("id", "user_id", "token_type", "token_hash", "relates_to", "created_at", "updated_at") VALUES
	('b1a0c0de-0000-4000-8000-000000000010', 'b1a0c0de-0000-4000-8000-00000000000b', 'confirmation_token', 'a1b2c3', 'bo@example.com', '2026-01-02 03:04:05', '2026-01-02 03:04:05');
INSERT INTO "auth"."refresh_tokens" ("instance_id", "id", "token", "user_id", "revoked", "created_at", "updated_at", "parent", "session_id") VALUES
	('00000000-0000-0000-0000-000000000000', 41, 'k3v9x0q2m7ab', 'b1a0c0de-0000-4000-8000-00000000000a', false, '2026-02-01 13:47:49+00', '2026-02-01 13:47:49+00', NULL, 'b1a0c0de-0000-4000-8000-000000000006');
INSERT INTO "auth"."sso_providers" ("id", "resource_id", "created_at", "updated_at", "disabled") VALUES
	('b1a0c0de-0000-4000-8000-000000000011', NULL, '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', NULL);
INSERT INTO "auth"."saml_providers" ("id", "sso_provider_id", "entity_id", "metadata_xml", "metadata_url", "attribute_mapping", "created_at", "updated_at", "name_id_format") VALUES
	('b1a0c0de-0000-4000-8000-000000000012', 'b1a0c0de-0000-4000-8000-000000000011', 'https://idp.example.com', '<x/>', NULL, '{}', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', NULL);
INSERT INTO "auth"."saml_relay_states" ("id", "sso_provider_id", "request_id", "for_email", "redirect_to", "created_at", "updated_at", "flow_state_id") VALUES
	('b1a0c0de-0000-4000-8000-000000000013', 'b1a0c0de-0000-4000-8000-000000000011', 'r1', NULL, NULL, '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', NULL);
INSERT INTO "auth"."sso_domains" ("id", "sso_provider_id", "domain", "created_at", "updated_at") VALUES
	('b1a0c0de-0000-4000-8000-000000000014', 'b1a0c0de-0000-4000-8000-000000000011', 'example.com', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00');
INSERT INTO "auth"."webauthn_credentials" ("id", "user_id", "credential_id", "public_key", "attestation_type", "aaguid", "sign_count", "transports", "backup_eligible", "backed_up", "friendly_name", "created_at", "updated_at", "last_used_at") VALUES
	('b1a0c0de-0000-4000-8000-000000000015', 'b1a0c0de-0000-4000-8000-00000000000a', '\\x01', '\\x02', 'none', NULL, 0, '[]', false, false, '', '2026-01-02 03:04:05+00', '2026-01-02 03:04:05+00', NULL);
SELECT pg_catalog.setval('"auth"."refresh_tokens_id_seq"', 41, true);
RESET ALL;
"""  # noqa: E501 (a dump has a line for each row)


def columns_of(connection: SyncConnection) -> dict[str, list[dict[str, Any]]]:
    """What the database has, in the form of the data."""
    rows = connection.rows(
        "select relname, attname, format_type(atttypid, atttypmod), attnotnull::text, attgenerated <> '',"
        " pg_get_expr(adbin, adrelid) from pg_attribute join pg_class on pg_class.oid = attrelid"
        " left join pg_attrdef on adrelid = attrelid and adnum = attnum"
        " where relnamespace = 'auth'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped"
        " order by relname, attnum"
    )
    found: dict[str, list[dict[str, Any]]] = {}
    for table, name, kind, not_null, generated, text in rows:
        column: dict[str, Any] = {"name": name, "type": kind}
        if not_null == "true":
            column["not_null"] = True
        if text is not None:
            column["generated" if generated == "t" else "default"] = plain(text)
        found.setdefault(str(table), []).append(column)
    return found


def plain(text: str) -> str:
    """An expression without what Postgres adds: casts, schemas, the words of an interval."""
    text = re.sub(r"::(?:[a-z_]+\.)?[a-z_]+(?: [a-z]+)*(?:\[\])?", "", text).replace("auth.", "")
    return re.sub(r"^\((now\(\) \+ .*)\)$", r"\1", text)


def wanted(column: dict[str, Any]) -> dict[str, Any]:
    """A column of the data; null is the default of every column without one."""
    return {name: value for name, value in column.items() if (name, value) != ("default", "NULL")}


@pytest.mark.parametrize("table", COLUMNS)
def test_columns_are_those_of_the_original_in_their_order(shared: SyncConnection, table: str) -> None:
    assert columns_of(shared)[table] == [wanted(column) for column in COLUMNS[table]]


def test_tables_are_those_of_the_original(shared: SyncConnection) -> None:
    assert set(columns_of(shared)) == set(COLUMNS)


def test_rules_and_indexes_have_the_originals_names(shared: SyncConnection) -> None:
    constraints = shared.rows(
        "select conname from pg_constraint where connamespace = 'auth'::regnamespace"
        " and contype in ('c', 'f', 'p', 'u') and conrelid <> 0"
    )
    assert sorted(name for (name,) in constraints if name) == sorted(RULES["constraints"])
    indexes = shared.rows(
        "select relname from pg_class where relnamespace = 'auth'::regnamespace and relkind = 'i'"
        " and not exists (select from pg_constraint where conindid = pg_class.oid and contype in ('p', 'u'))"
    )
    assert sorted(name for (name,) in indexes if name) == sorted([*RULES["indexes"], *OWN_INDEXES])


def test_tools_are_told_the_newest_version(shared: SyncConnection) -> None:
    assert shared.rows("select count(*), max(version) from auth.schema_migrations") == [("77", NEWEST)]


OLDER = """
alter table auth.custom_oauth_providers drop custom_claims_allowlist;
alter table auth.flow_state drop invite_token, drop referrer, drop oauth_client_state_id, drop linking_target_id,
  drop email_optional, alter auth_code set not null, alter code_challenge set not null;
alter table auth.oauth_authorizations drop nonce;
alter table auth.sessions drop oauth_client_id, drop refresh_token_hmac_key, drop refresh_token_counter, drop scopes;
alter table auth.mfa_factors drop last_webauthn_challenge_data;
alter table auth.sso_providers drop disabled;
insert into auth.oauth_clients
  (id, registration_type, redirect_uris, grant_types, client_type, token_endpoint_auth_method)
  values (gen_random_uuid(), 'manual', 'https://app.example', 'authorization_code', 'public', 'none');
alter table auth.oauth_clients drop token_endpoint_auth_method;
delete from auth.schema_migrations where version > '20250101000000';
create function public.greet() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger on_auth_user_created after insert on auth.users for each row execute function public.greet();
"""


def test_older_shape_is_brought_to_the_newest_with_the_applications_triggers(scratch: SyncConnection) -> None:
    """Of a database that was moved here as a whole."""
    scratch.script(OLDER)
    scratch.script((Path(migrations.__file__).parent / "auth" / "0130_newest_shape.sql").read_text())
    found = columns_of(scratch)
    for table, columns in COLUMNS.items():
        assert sorted(map(str, found[table])) == sorted(str(wanted(column)) for column in columns), table
    assert scratch.rows("select token_endpoint_auth_method from auth.oauth_clients") == [("none",)]
    assert scratch.rows("select count(*) from auth.schema_migrations") == [("77",)]
    assert scratch.rows(
        "select tgname from pg_trigger where tgrelid = 'auth.users'::regclass and not tgisinternal"
    ) == [("on_auth_user_created",)]


@pytest.mark.parametrize("name", ENUMS)
def test_enum(shared: SyncConnection, name: str) -> None:
    assert shared.rows(f"select unnest(enum_range(null::auth.{name}))::text") == [(label,) for label in ENUMS[name]]


def test_everything_belongs_to_the_auth_administrator(shared: SyncConnection) -> None:
    owners = shared.rows(
        "select distinct owner::regrole::text from ("
        " select relowner as owner from pg_class where relnamespace = 'auth'::regnamespace"
        " union all select proowner from pg_proc where pronamespace = 'auth'::regnamespace"
        " union all select typowner from pg_type where typnamespace = 'auth'::regnamespace) as owners"
    )
    assert owners == [("supabase_auth_admin",)]
    assert shared.rows("select nspowner::regrole from pg_namespace where nspname = 'auth'") == [("supabase_admin",)]


def test_a_hosted_dump_restores(connection: SyncConnection) -> None:
    connection.script(DUMP)
    assert connection.rows(
        "select confirmed_at = email_confirmed_at, left(encrypted_password, 4) from auth.users where email like 'ada@%'"
    ) == [("t", "$2a$")]
    assert connection.rows("select email from auth.identities") == [("ada@example.com",)]
    assert connection.rows("select nextval('auth.refresh_tokens_id_seq')") == [("42",)]


def test_deleting_a_restored_user_deletes_what_is_theirs(connection: SyncConnection) -> None:
    connection.script(DUMP)
    connection.script("delete from auth.users")
    left = ("identities", "sessions", "refresh_tokens", "one_time_tokens", "mfa_factors", "mfa_challenges")
    for table in (*left, "mfa_amr_claims", "webauthn_credentials"):
        assert connection.rows(f"select count(*) from auth.{table}") == [("0",)], table


def users(*rows: str) -> str:
    """Inserts of users; each row gives columns after the id as `name = value, ...`."""
    statements = []
    for row in rows:
        pairs = [pair.split(" = ") for pair in row.split(", ")]
        names, values = ", ".join(pair[0] for pair in pairs), ", ".join(pair[1] for pair in pairs)
        statements.append(f"insert into auth.users (id, {names}) values (gen_random_uuid(), {values});")
    return "".join(statements)


@pytest.mark.parametrize(
    ("sql", "constraint"),
    [
        (users("email = 'a@b.c'", "email = 'a@b.c'"), "users_email_partial_key"),
        (users("phone = '1'", "phone = '1'"), "users_phone_key"),
        (users("recovery_token = 'ab12'", "recovery_token = 'ab12'"), "recovery_token_idx"),
        (users("confirmation_token = 'ab12'", "confirmation_token = 'ab12'"), "confirmation_token_idx"),
        (users("reauthentication_token = 'x'", "reauthentication_token = 'x'"), "reauthentication_token_idx"),
        (users("email_change_confirm_status = 3"), "users_email_change_confirm_status_check"),
    ],
    ids=["e-mail", "phone", "recovery hash", "confirmation hash", "reauthentication hash", "change status"],
)
def test_a_rule_of_users_holds(scratch: SyncConnection, sql: str, constraint: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        scratch.script(sql)
    assert caught.value.constraint == constraint


@pytest.mark.parametrize(
    "sql",
    [
        users("email = 'a@b.c', is_sso_user = true", "email = 'a@b.c'"),
        users("recovery_token = ''", "recovery_token = ''"),
        users("confirmation_token = '123456'", "confirmation_token = '123456'"),
    ],
    ids=["e-mail of a single sign-on account", "empty token", "one-time code"],
)
def test_this_may_repeat_among_users(scratch: SyncConnection, sql: str) -> None:
    scratch.script(sql)
    assert scratch.rows("select count(*) from auth.users") == [("2",)]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, (None, None, None, None)),
        ({"request.jwt.claims": ""}, (None, None, None, None)),
        ({"request.jwt.claims": '{"role":"anon"}'}, (None, "anon", None, '{"role": "anon"}')),
        (
            {"request.jwt.claims": f'{{"sub":"{PLAIN_ID}","role":"authenticated","email":"a@b.c"}}'},
            (
                PLAIN_ID,
                "authenticated",
                "a@b.c",
                f'{{"sub": "{PLAIN_ID}", "role": "authenticated", "email": "a@b.c"}}',
            ),
        ),
        (
            {
                "request.jwt.claim.sub": PLAIN_ID,
                "request.jwt.claim.role": "authenticated",
                "request.jwt.claim.email": "old@b.c",
                "request.jwt.claim": '{"old": true}',
                "request.jwt.claims": '{"sub":"ignored","role":"anon","email":"new@b.c"}',
            },
            (PLAIN_ID, "authenticated", "old@b.c", '{"old": true}'),
        ),
    ],
    ids=["no request", "left over and empty", "anonymous", "signed in", "older settings win"],
)
def test_functions_read_the_claims(
    scratch: SyncConnection, settings: dict[str, str], expected: tuple[str | None, ...]
) -> None:
    for name, value in settings.items():
        scratch.rows("select set_config($1, $2, true)", name, value)
    scratch.script("set local role anon")
    assert scratch.rows("select auth.uid(), auth.role(), auth.email(), auth.jwt()") == [expected]
