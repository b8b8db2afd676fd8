-- Helpers of policies and triggers have a schema of their own, which is never served because no setting lists it.

create schema private;
revoke all on schema private from public;
grant usage on schema private to anon, authenticated, service_role;
