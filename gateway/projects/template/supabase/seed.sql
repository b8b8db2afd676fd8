-- Rows of a new database in development; `gateway db reset` loads them again.
select 1;
