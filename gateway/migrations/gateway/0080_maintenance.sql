-- Why the database takes no writes. That it takes none is a setting of the database
-- (`default_transaction_read_only`), which every session has whichever gateway or program opens it; this row says why.
-- The text can be run again: a restore of a copy from before this migration runs it inside its own transaction.

create table if not exists gateway.maintenance (
  only_one boolean primary key default true constraint maintenance_only_one_check check (only_one),
  kind text not null constraint maintenance_kind_check check (kind in ('operator', 'restore')),
  reason text not null default '',
  since timestamptz not null default clock_timestamp(),
  stays boolean not null default false
);
alter table gateway.maintenance enable row level security;
comment on table gateway.maintenance is
  'Why no writes are taken: by an operator or for a restore, which leaves it to an operator where it stays';
