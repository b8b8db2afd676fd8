"""Everything that a database's catalogues say of owners, rights and shapes, to be held against another time's."""

from __future__ import annotations

from typing import Final

from gateway.database import SyncConnection


def catalogue(connection: SyncConnection) -> set[tuple[str | None, ...]]:
    """What there is: its kind, its name, its owner and shape, its rights."""
    connection.script("begin; set local search_path = ''")
    found = set(connection.rows(CATALOGUE))
    connection.script("rollback")
    return found


def _rights(acl: str, kind: str, owner: str) -> str:
    """Rights with the default written out: none given and the default given are the same."""
    return f"array(select unnest(coalesce({acl}, acldefault({kind}, {owner})))::text order by 1)::text"


_OF_A_RELATION: Final = "case relkind when 'S' then 's'::\"char\" else 'r'::\"char\" end"
_OURS: Final = "!~ '^(pg_|information_schema)'"
CATALOGUE: Final = f"""
select 'extension', extname::text, format('%s %s %s', extowner::regrole, extnamespace::regnamespace, extversion), ''
from pg_extension
union all select 'schema', nspname::text, nspowner::regrole::text, {_rights("nspacl", "'n'", "nspowner")}
from pg_namespace where nspname {_OURS}
union all select 'relation', c.oid::regclass::text,
  format('%s %s %s %s %s', relowner::regrole, relkind, relrowsecurity, relreplident, relpersistence),
  {_rights("relacl", _OF_A_RELATION, "relowner")}
from pg_class c where relnamespace::regnamespace::text {_OURS}
union all select 'column', format('%s.%s', attrelid::regclass, attname), '',
  array(select unnest(attacl)::text order by 1)::text
from pg_attribute where attacl is not null and attrelid >= 16384
union all select 'function', p.oid::regprocedure::text, format('%s %s %s', proowner::regrole, prosecdef, proconfig),
  {_rights("proacl", "'f'", "proowner")}
from pg_proc p where pronamespace::regnamespace::text {_OURS}
union all select 'type', t.oid::regtype::text, typowner::regrole::text, {_rights("typacl", "'T'", "typowner")}
from pg_type t where typnamespace::regnamespace::text {_OURS}
union all select 'default rights', format('%s %s', defaclnamespace::regnamespace, defaclobjtype),
  defaclrole::regrole::text, array(select unnest(defaclacl)::text order by 1)::text from pg_default_acl
union all select 'publication', pubname::text,
  format('%s %s %s %s %s', pubowner::regrole, puballtables, pubinsert, pubupdate, pubdelete), '' from pg_publication
union all select 'published', pubname::text, format('%s.%s %s %s', schemaname, tablename, attnames, rowfilter), ''
from pg_publication_tables
union all select 'event trigger', evtname::text, format('%s %s %s', evtowner::regrole, evtenabled, evtevent),
  evtfoid::regproc::text from pg_event_trigger
union all select 'wrapper', fdwname::text, fdwowner::regrole::text, {_rights("fdwacl", "'F'", "fdwowner")}
from pg_foreign_data_wrapper
union all select 'server', srvname::text, srvowner::regrole::text, {_rights("srvacl", "'S'", "srvowner")}
from pg_foreign_server
union all select 'operator', o.oid::regoperator::text, oprowner::regrole::text, ''
from pg_operator o where oprnamespace::regnamespace::text {_OURS}
union all select 'large object', lomowner::regrole::text, count(*)::text, '' from pg_largeobject_metadata group by 2
union all select 'policy', format('%s.%s %s', schemaname, tablename, policyname),
  format('%s %s %s', roles, cmd, permissive), format('%s %s', qual, with_check) from pg_policies
union all select 'trigger', format('%s %s', tgrelid::regclass, tgname), tgenabled::text, pg_get_triggerdef(oid)
from pg_trigger where not tgisinternal
union all select 'constraint', format('%s %s', conrelid::regclass, conname), '', pg_get_constraintdef(oid)
from pg_constraint where conrelid <> 0 and connamespace::regnamespace::text {_OURS}
union all select 'sequence', format('%s.%s', schemaname, sequencename), last_value::text, '' from pg_sequences
union all select 'setting', coalesce(nullif(setrole, 0)::regrole::text, ''), (setdatabase <> 0)::text, setconfig::text
from pg_db_role_setting where setdatabase in (0, (select oid from pg_database where datname = current_database()))
union all select 'member', (pg_identify_object(refclassid, refobjid, 0)).identity,
  (pg_identify_object(classid, objid, objsubid)).identity, '' from pg_depend where deptype = 'e'
"""
