-- What was done once with the project on this database: its roles, its seeds, its buckets. The official CLI keeps what it
-- knows of a database's beginning beside the database; here a first start that failed half way goes on where it stopped.

create table gateway.project_steps (
  step text primary key,
  done_at timestamptz not null default now()
);

comment on table gateway.project_steps is
  'Steps of a project''s first start that are done; `gateway db reset` begins anew';

revoke all on gateway.project_steps from public;
