create table hr.kid () inherits (hr.dept);
create table hr.grandkid () inherits (hr.kid);
create cast (hr.pair as text) with inout as assignment;
create operator hr.=== (leftarg = text, rightarg = text, function = texteq);
create operator hr.!! (rightarg = int, function = int4um);
create domain hr.txt as varchar(5);
create foreign data wrapper fw;
create server srv foreign data wrapper fw;
grant usage on foreign server srv to tap_reader;
alter table hr.emp cluster on emp_dept;
create policy emp_ins on hr.emp for insert to tap_reader, tap_boss with check (true);
grant insert (id), update on hr.emp to tap_boss;
create operator class hr.oc for type int4 using btree as operator 1 <, function 1 btint4cmp(int4, int4);
alter operator class hr.oc using btree owner to tap_boss;
alter table public.item owner to tap_boss;
create table hr.gen (
  id bigint generated always as identity primary key, b text default 'a''b', c timestamptz default now(),
  d int default 5, e jsonb default '{}', f boolean default false, g uuid default gen_random_uuid(),
  h text[] default '{}', i numeric(8,3), j date default current_date
);
