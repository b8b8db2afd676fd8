"""Extensions of hosted projects that the embedded server cannot have, as placeholders.

`create extension` succeeds with a warning, so that a project's history loads. What can be called is there by name and
arguments, and says what is missing: 0A000 with a hint. Types are not: a table that needs one fails at its own line.
`gateway doctor` lists a placeholder as missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

HINT: Final = "Set DATABASE_URL to a Postgres server that has the extension {name}."


@dataclass(frozen=True, slots=True)
class Placeholder:
    """`functions`: signatures with what they return. `schema`: where they are, if not where the extension is;
    `is_fixed`: the extension itself is there too, as dumps expect that name no schema for it.
    `answers`: a function by its name, and what it does before it gives up. `works`: definitions in SQL of what needs
    nothing that is missing."""

    name: str
    what: str
    functions: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    schema: str = ""
    is_fixed: bool = False
    hint: str = HINT
    version: str = "0"
    answers: tuple[tuple[str, str], ...] = ()
    works: str = ""

    def control(self) -> str:
        """The control file."""
        return (
            f"comment = 'placeholder: {self.what} is missing in this server'\n"
            f"default_version = '{self.version}'\nrelocatable = false\nsuperuser = true\ntrusted = true\n"
            + (f"schema = {self.schema}\n" if self.is_fixed else "")
        )

    def script(self) -> str:
        """Makes what can be called."""
        hint = self.hint.format(name=self.name)
        lines = [
            f"do $do$ begin raise warning '{self.name} is a placeholder: {self.what} is missing in this server'"
            f" using hint = $hint${hint}$hint$; end $do$;"
        ]
        if self.schema:
            lines.append(
                # (rights to one that is there already are not this script's: a dump would leave them to it)
                f"do $do$ begin if to_regnamespace('{self.schema}') is null then create schema {self.schema};"
                f" grant usage on schema {self.schema} to public; end if; end $do$;"
            )
        place = self.schema or "@extschema@"
        lines += [f"create domain {place}.{definition};" for definition in self.domains]
        lines += [f"create type {place}.{definition};" for definition in self.types]
        for signature in self.functions:
            answer = dict(self.answers).get(signature.partition("(")[0], "")
            signature = signature.replace("@", place + ".")
            lines.append(
                f"create function {place}.{signature} language plpgsql as $body$ begin\n{answer}"
                f"  raise feature_not_supported using\n"
                f"    message = '{self.name} is not available in this server', hint = $hint${hint}$hint$;\n"
                f"end $body$;"
            )
        return "\n".join((*lines, self.works)) + "\n"


# Histories that install packages of database.dev ask it for the installer. What is in this server needs none: the
# answer is an empty one, which `pgtle.install_extension` takes for what is there.
_REGISTRY: Final = """\
  if request.uri like 'https://api.database.dev/%' then
    return row(200, 'application/json'::varchar, null::@extschema@.http_header[],
      '[{"version": "0", "sql": ""}]'::varchar)::@extschema@.http_response;
  end if;
"""
# Histories set the client's timeouts in passing, and functions put addresses together: that works without a client.
_OF_HTTP: Final = """\
create function @extschema@.http_header(field varchar, value varchar) returns @extschema@.http_header
  language sql immutable as $$ select $1, $2 $$;
create function @extschema@.http_headers(variadic args text[]) returns @extschema@.http_header[]
  language sql immutable as $$
    select array_agg(row(args[i], args[i + 1])::@extschema@.http_header order by i)
    from generate_series(1, array_length(args, 1), 2) as i $$;
create function @extschema@.http_set_curlopt(curlopt varchar, value varchar) returns boolean
  language plpgsql as $$ begin
    if curlopt !~* '^curlopt_' then
      raise exception 'curl option ''%'' is not available for run-time configuration', curlopt;
    end if;
    return true;
  end $$;
create function @extschema@.http_reset_curlopt() returns boolean language sql as $$ select true $$;
create function @extschema@.http_list_curlopt() returns table (curlopt text, value text)
  language sql as $$ select null::text, null::text where false $$;
create function @extschema@.bytea_to_text(data bytea) returns text
  language sql stable as $$ select pg_catalog.convert_from(data, pg_catalog.getdatabaseencoding()) $$;
create function @extschema@.text_to_bytea(data text) returns bytea
  language sql stable as $$ select pg_catalog.convert_to(data, pg_catalog.getdatabaseencoding()) $$;
create function @extschema@.urlencode(string bytea) returns text language sql immutable strict as $$
  select coalesce(string_agg(case
    when each ~ '^(2d|2e|5f|7e|3[0-9]|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])$'
      then convert_from(decode(each, 'hex'), 'UTF8')
    when each = '20' then '+' else '%' || upper(each) end, '' order by i), '')
  from (select i, encode(substr(string, i, 1), 'hex') as each from generate_series(1, length(string)) as i) as bytes $$;
create function @extschema@.urlencode(string varchar) returns text
  language sql immutable strict as $$ select @extschema@.urlencode(convert_to(string, 'UTF8')) $$;
create function @extschema@.urlencode(data jsonb) returns text language sql immutable strict as $$
  select string_agg(
    @extschema@.urlencode(key::varchar) || '=' || @extschema@.urlencode(coalesce(value, '')::varchar), '&')
  from jsonb_each_text(data) $$;"""
# Columns of old histories refer to a key, which nothing makes here.
_OF_PGSODIUM: Final = """\
create table pgsodium.key (
  id uuid primary key default gen_random_uuid(), status text, created timestamptz not null default now(),
  expires timestamptz, key_type text, key_id bigint, key_context bytea, name text unique, associated_data text,
  raw_key bytea, raw_key_nonce bytea, parent_key uuid, comment text, user_data text
);
grant select, references on pgsodium.key to public;"""
_ASYNC: Final = "Requests can be sent by pg_net (net.http_get, net.http_post), which is available."

PLACEHOLDERS: Final = (
    Placeholder(
        "http",
        "the synchronous HTTP client",
        (
            "http_get(uri varchar) returns @http_response",
            "http_get(uri varchar, data jsonb) returns @http_response",
            "http_post(uri varchar, content varchar, content_type varchar) returns @http_response",
            "http_post(uri varchar, data jsonb) returns @http_response",
            "http_put(uri varchar, content varchar, content_type varchar) returns @http_response",
            "http_patch(uri varchar, content varchar, content_type varchar) returns @http_response",
            "http_delete(uri varchar) returns @http_response",
            "http_delete(uri varchar, content varchar, content_type varchar) returns @http_response",
            "http_head(uri varchar) returns @http_response",
            "http(request @http_request) returns @http_response",
        ),
        (
            "http_header as (field varchar, value varchar)",
            "http_response as (status integer, content_type varchar, headers @extschema@.http_header[],"
            " content varchar)",
            "http_request as (method @extschema@.http_method, uri varchar, headers @extschema@.http_header[],"
            " content_type varchar, content varchar)",
        ),
        hint=_ASYNC,
        domains=("http_method as text", r"content_type as text check (value ~ '^\S+\/\S+')"),
        answers=(("http", _REGISTRY),),
        works=_OF_HTTP,
    ),
    Placeholder(
        "pg_graphql",
        "GraphQL",
        (
            "resolve(query text, variables jsonb default '{}', \"operationName\" text default null,"
            " extensions jsonb default null) returns jsonb",
        ),
        schema="graphql",
    ),
    Placeholder(
        "pgsodium",
        "encryption by libsodium",
        (
            "create_key(key_type text default 'aead-det', name text default null) returns pgsodium.valid_key",
            "crypto_aead_det_encrypt(message bytea, additional bytea, key_id uuid, nonce bytea default null)"
            " returns bytea",
            "crypto_aead_det_decrypt(message bytea, additional bytea, key_id uuid, nonce bytea default null)"
            " returns bytea",
            "crypto_aead_det_noncegen() returns bytea",
        ),
        ("valid_key as (id uuid, name text, status text, key_type text, key_id bigint, created timestamptz)",),
        schema="pgsodium",
        is_fixed=True,
        hint="Secrets can be kept by supabase_vault (vault.create_secret), which is available.",
        works=_OF_PGSODIUM,
    ),
    Placeholder(
        "hypopg",
        "hypothetical indexes",
        (
            "hypopg_create_index(sql_order text, out indexrelid oid, out indexname text) returns setof record",
            "hypopg_reset() returns void",
            "hypopg_drop_index(indexid oid) returns boolean",
        ),
    ),
    Placeholder(
        "index_advisor",
        "advice on indexes",
        (
            "index_advisor(query text) returns table (startup_cost_before jsonb, startup_cost_after jsonb,"
            " total_cost_before jsonb, total_cost_after jsonb, index_statements text[], errors text[])",
        ),
    ),
    Placeholder(
        "plpgsql_check",
        "the checker of PL/pgSQL",
        (
            "plpgsql_check_function(funcoid regprocedure, relid regclass default 0, format text default 'text')"
            " returns setof text",
        ),
    ),
    Placeholder("postgis", "geometry"),
    Placeholder("postgis_topology", "geometry", schema="topology", is_fixed=True),
    Placeholder("postgis_raster", "geometry"),
    Placeholder("postgis_tiger_geocoder", "geometry", schema="tiger", is_fixed=True),
    Placeholder("postgis_sfcgal", "geometry"),
    Placeholder("address_standardizer", "geometry"),
    Placeholder("address_standardizer_data_us", "geometry"),
    Placeholder("pgrouting", "routing over geometry"),
    Placeholder(
        "pg_partman",
        "upkeep of partitions",
        (
            "create_parent(p_parent_table text, p_control text, p_interval text, p_type text default 'range',"
            " p_premake integer default 4, p_start_partition text default null) returns boolean",
            "run_maintenance(p_parent_table text default null, p_analyze boolean default false) returns void",
        ),
        hint="Partitions can be made by a function of your own that pg_cron calls.",
    ),
    Placeholder("plv8", "JavaScript in the database"),
    Placeholder(
        "timescaledb", "hypertables", ("create_hypertable(relation regclass, time_column_name name) returns void",)
    ),
    Placeholder("pgroonga", "full-text search by Groonga"),
    Placeholder("rum", "RUM indexes"),
    Placeholder("pgaudit", "the audit log of sessions"),
    Placeholder("pg_repack", "rebuilding of tables without locks"),
    Placeholder("pg_stat_monitor", "statistics of statements in buckets"),
    Placeholder(
        "pg_hashids",
        "hashids",
        (
            "id_encode(number bigint) returns text",
            "id_encode(number bigint, salt text) returns text",
            "id_encode(number bigint, salt text, min_length integer) returns text",
            "id_decode(hash text) returns bigint[]",
            "id_decode(hash text, salt text) returns bigint[]",
        ),
    ),
    Placeholder("wrappers", "foreign data wrappers of other services"),
    Placeholder("sslinfo", "TLS", ("ssl_is_used() returns boolean", "ssl_version() returns text")),
)
