"""Columns that requests search by patterns (`ilike`, `like`, `imatch`, `match`) and that have no index for it.

`%word%` is found by no ordinary index: Postgres reads the whole table, 0.3 to 0.5 s for 200,000 rows. One of trigrams
(extension pg_trgm) finds it at once. Gateways learn of it when they read the schema anew, and have Postgres plan such
searches with their pattern from then on.

Under row level security Postgres does not look rows up by a pattern before the policies' own conditions are met, for
the operator might tell what it saw: the index serves roles that pass policies by, and policies without a condition for
the role. What everybody searches goes through a function of the owner's, or through a column of words (`fts`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from gateway.database import SyncConnection
from gateway.operations.doctor import MANY_ROWS, Finding, Level, Lookup

SEARCHED: Final = """
  select format('%I.%I', nspname, relname), quote_ident(attname), relrowsecurity,
    (select extnamespace::regnamespace::text from pg_extension where extname = 'pg_trgm')
  from jsonb_array_elements($1::jsonb) as asked (lookup)
  join pg_namespace n on nspname = lookup ->> 0
  join pg_class c on relnamespace = n.oid and relname = lookup ->> 1
  join pg_attribute a on attrelid = c.oid and attname = lookup ->> 2 and not attisdropped
  join pg_type t on t.oid = atttypid and typcategory = 'S'
  where lookup ->> 3 = 'pattern' and relkind in ('r', 'p') and reltuples > $2::float8
    and exists (select from pg_available_extensions where name = 'pg_trgm')
    and not exists (
      select from pg_index i join pg_opclass o on o.oid = any (i.indclass)
      where indrelid = c.oid and opcname in ('gin_trgm_ops', 'gist_trgm_ops')
        and (attnum = any (i.indkey) or pg_get_expr(indexprs, indrelid) ~ ('\\m' || attname || '\\M')))
  order by 1, 2
"""


def unsearchable(connection: SyncConnection, lookups: Iterable[Lookup]) -> Iterator[Finding]:
    """Columns of tables of some size that requests search by patterns without an index of trigrams, where the server
    has the extension."""
    asked = json.dumps([list(lookup) for lookup in lookups])
    for table, column, guarded, schema in connection.rows(SEARCHED, asked, str(MANY_ROWS)):
        text = f"requests search {table}.{column} by a pattern, which no index of it finds"
        making = "" if schema is not None else "create extension pg_trgm with schema extensions; "
        advice = (
            f"{making}create index on {table} using gin ({column} {schema or 'extensions'}.gin_trgm_ops); notify pgrst"
        )
        if guarded == "t":
            advice += " (roles that are held to policies with a condition search by a function or by `fts`)"
        yield Finding(Level.WARNING, "indexes", text, advice)
