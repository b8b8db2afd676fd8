-- A small harbour office: one object for each feature of the tables contract. Run by a superuser in an empty database.
-- Everything the cases read is inserted here; those that write are rolled back.

do $$
declare
  role_name text;
begin
  foreach role_name in array array['contract_anon', 'contract_member', 'contract_admin', 'contract_login'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then
      null;  -- roles belong to the server, and another database of it may have made them
    end;
  end loop;
end
$$;
alter role contract_login login noinherit password 'harbour';
alter role contract_admin bypassrls;
set client_min_messages = error;
grant contract_anon, contract_member, contract_admin to contract_login;
alter role contract_member set statement_timeout = '8s';
alter role contract_member set default_transaction_isolation = 'repeatable read';

do $$
begin
  execute format('alter database %I set default_text_search_config = english', current_database());
end
$$;

create schema harbor;
create schema annex;
create schema vault;
create schema tools;
comment on schema harbor is E'Harbour office\nShips, ports and their papers.';
grant usage on schema harbor, annex, tools to contract_anon, contract_member, contract_admin;
grant usage on schema tools to contract_login;  -- for a function that it runs itself

set search_path = harbor, tools;

-- --- ports, ships, owners ------------------------------------------------------------------------------------------

create type tools.grade as enum ('low', 'high');
create type ship_kind as enum ('ferry', 'tug', 'trawler', 'tanker');
comment on type ship_kind is 'What a ship is built for';

create table ports (
  id int primary key,
  name text not null unique,
  country varchar(40),
  depth numeric(5, 2),
  opened date,
  facilities text[] not null default '{}',
  hours int4range,
  details jsonb
);
comment on table ports is E'Places where ships berth\nLong text about ports.';
comment on column ports.depth is 'Metres at low water';

create table owners (
  id int primary key,
  name text not null,
  code char(3) unique
);

create table ships (
  id int primary key,
  name text not null,
  kind ship_kind,
  owner_id int constraint ships_owner_fkey references owners,
  home_port int constraint ships_home_port_fkey references ports,
  next_port int constraint ships_next_port_fkey references ports,
  built int,
  length numeric,
  active boolean,
  tags text[],
  specs jsonb,
  berth int4range,
  docked tstzrange
);

create table passports (
  ship_id int primary key constraint passports_ship_fkey references ships,
  number text not null
);

create table sailors (
  id int primary key,
  name text not null,
  rank text,
  ship_id int constraint sailors_ship_fkey references ships,
  mentor_id int constraint sailors_mentor_fkey references sailors
);

create table cargos (
  id int primary key,
  name text not null,
  hazard boolean not null default false
);

create table ship_cargos (
  ship_id int constraint ship_cargos_ship_fkey references ships,
  cargo_id int constraint ship_cargos_cargo_fkey references cargos,
  tons int not null,
  primary key (ship_id, cargo_id)
);

-- No many-to-many: the foreign keys are no part of the primary key.
create table inspections (
  id int primary key,
  ship_id int references ships,
  port_id int references ports,
  passed boolean,
  score int
);

create table voyages (
  ship_id int references ships,
  number int,
  title text,
  primary key (ship_id, number)
);

create table logbook (
  id int primary key,
  ship_id int,
  number int,
  entry text,
  constraint logbook_voyage_fkey foreign key (ship_id, number) references voyages
);

insert into ports values
  (1, 'Almouth', 'Albia', 12.50, '1890-05-01', '{crane,fuel}', '[6,22)', '{"pilot": true, "berths": 12, "contact": {"radio": "VHF 12"}}'),
  (2, 'Brackwater', 'Albia', 7.00, '1921-11-30', '{fuel}', '[8,18)', '{"pilot": false, "berths": 4, "contact": {"radio": "VHF 9"}}'),
  (3, 'Corvo', 'Insula', 30.25, null, '{}', null, null),
  (4, 'Dunmere', null, null, '1975-01-15', '{crane,ice,fuel}', '[0,24)', '{"pilot": null, "berths": 30, "lanes": [1, 2, 3]}');

insert into owners values (1, 'Nordline', 'NOR'), (2, 'Tide & Sons', 'TID'), (3, 'Idle Co', null);

insert into ships values
  (1, 'Aurora', 'ferry', 1, 1, 2, 1999, 120.5, true, '{fast,blue}', '{"crew": 12, "engine": {"maker": "Volta", "kw": 900}}', '[1,5)', '[2024-01-01 00:00+00,2024-01-03 00:00+00)'),
  (2, 'Borealis', 'tug', 1, 1, null, 2005, 30, true, '{strong}', '{"crew": 4, "engine": {"maker": "Rumble", "kw": 2500}}', '[5,7)', null),
  (3, 'Comet', 'trawler', 2, 2, 1, 1987, 45.25, false, '{old,blue}', '{"crew": 7, "nets": ["drift", "purse"]}', null, null),
  (4, 'Drifter', null, null, 3, 3, null, null, null, null, null, '[7,9)', null),
  (5, 'Étoile "7"', 'tanker', 2, null, null, 2015, 250, true, '{}', '{"crew": null}', '[10,20)', null);

insert into passports values (1, 'P-100'), (3, 'P-300');

insert into sailors values
  (1, 'Ada', 'captain', 1, null), (2, 'Ben', 'mate', 1, 1), (3, 'Cy', 'deckhand', 1, 2),
  (4, 'Dee', 'captain', 2, 1), (5, 'Eve', null, null, null);

insert into cargos values (1, 'Grain', false), (2, 'Oil', true), (3, 'Timber', false), (4, 'Nothing', false);
insert into ship_cargos values (1, 1, 40), (1, 3, 15), (3, 3, 5), (5, 2, 900);
insert into inspections values (1, 1, 1, true, 90), (2, 1, 2, false, 40), (3, 2, 1, true, 70), (4, 3, null, null, null);
insert into voyages values (1, 1, 'Maiden'), (1, 2, 'Return'), (2, 1, 'Tow');
insert into logbook values (1, 1, 1, 'Set sail'), (2, 1, 1, 'Fog'), (3, 1, 2, 'Home'), (4, 2, 1, 'Rope broke');

-- --- computed columns and relationships ----------------------------------------------------------------------------

create function label(ships) returns text stable language sql as $$ select $1.name || ' #' || $1.id $$;
create function tools.initial(ships) returns text stable language sql as $$ select left($1.name, 1) $$;
create function crew(ships) returns setof sailors stable language sql as
  $$ select * from harbor.sailors where ship_id = $1.id $$;
create function captain(ships) returns setof sailors rows 1 stable language sql as
  $$ select * from harbor.sailors where ship_id = $1.id and rank = 'captain' $$;
-- Takes the place of the foreign key's relationship of this name.
create function inspections(ships) returns setof inspections stable language sql as
  $$ select * from harbor.inspections where ship_id = $1.id and passed $$;
create function fleet_mates(ships) returns setof ships stable language sql as
  $$ select * from harbor.ships s where s.owner_id = $1.owner_id and s.id <> $1.id $$;

-- --- views ---------------------------------------------------------------------------------------------------------

create view ship_names as select id as ship, name, owner_id as held_by from ships;
create view named_fleet as select ship, name, held_by from ship_names where ship < 5;
create view owner_cards as select id as card, name as title from owners;
create view twins as select id as first_id, id as second_id, home_port from ships;
create materialized view port_summary as select id, name, country from ports with data;
create view fleet_sizes as select owner_id, count(*) as ships from ships group by owner_id;
create view all_names as select id, name from ships union select id, name from owners;
create view cargo_lines as select ship_id as vessel, tons from ship_cargos;
create view active_ships as select id, name, active, built from ships where active with check option;
create view fleet_lines as with lines as (select id as ship, owner_id as holder from ships) select * from lines;
create view fleet_heads as select distinct id, owner_id from ships;
create view fleet_rows as select r.id, r.owner_id from (select id, owner_id from ships where id < 3) r;
create view fleet_guesses as select case when id > 0 then id end as id, owner_id from ships;
create view guarded_owners as select id, upper(name) as shout from owners;
create function guarded_owners_write() returns trigger language plpgsql security definer as $$
begin
  if tg_op = 'DELETE' then
    delete from harbor.owners where id = old.id;
    return old;
  end if;
  insert into harbor.owners (id, name) values (new.id, new.shout)
    on conflict (id) do update set name = excluded.name;
  return new;
end
$$;
create trigger guarded_owners_insert instead of insert on guarded_owners
  for each row execute function guarded_owners_write();
create trigger guarded_owners_delete instead of delete on guarded_owners
  for each row execute function guarded_owners_write();

create table vault.ledgers (id int primary key, port_id int references ports, amount numeric);
insert into vault.ledgers values (1, 1, 10.5), (2, 1, 20), (3, 2, 7);
create view ledgers as select id, port_id, amount from vault.ledgers;

create table storerooms (id int primary key, ledger_id int references vault.ledgers);

-- A junction that only a view shows.
create table flags (id int primary key, name text);
create table signals (id int primary key, meaning text);
create table vault.flag_signals (flag_id int references flags, signal_id int references signals, primary key (flag_id, signal_id));
insert into flags values (1, 'Alfa'), (2, 'Bravo');
insert into signals values (1, 'Diver below'), (2, 'Explosives');
insert into vault.flag_signals values (1, 1), (2, 2), (2, 1);
create view hoists as select flag_id as flag, signal_id as signal from vault.flag_signals;

-- --- partitions ----------------------------------------------------------------------------------------------------

create table readings (
  id int,
  taken date,
  port_id int references ports,
  level numeric,
  primary key (id, taken)
) partition by range (taken);
create table readings_2023 partition of readings for values from ('2023-01-01') to ('2024-01-01');
create table readings_2024 partition of readings for values from ('2024-01-01') to ('2025-01-01');
insert into readings values (1, '2023-06-01', 1, 1.5), (2, '2024-06-01', 1, 2.5), (3, '2024-07-01', 2, 3);

-- --- text search, types, odd names ---------------------------------------------------------------------------------

create table notices (
  id int primary key,
  body text,
  details jsonb,
  search tsvector
);
insert into notices values
  (1, 'The fog bank is moving', '{"title": "Fog warning"}', to_tsvector('english', 'The fog bank is moving')),
  (2, 'Moving day for the banks', '{"title": "Office hours"}', to_tsvector('english', 'Moving day for the banks')),
  (3, 'Das Schiff fährt ab', '{"title": "Abfahrt"}', to_tsvector('german', 'Das Schiff fährt ab'));

create table specimens (
  id int primary key,
  small smallint,
  big bigint,
  exact numeric,
  approx double precision,
  flag bit(3),
  fixed char(4),
  raw bytea,
  moment timestamptz,
  span interval,
  plain json,
  grid int[][],
  ident uuid
);
insert into specimens values (1, 7, 9007199254740993, 12345678901234567890.123456789, 0.1, b'101', 'ab', '\x00ff',
  '2024-02-29 12:30:00+02', '1 day 2 hours', '{"b": 1,  "a": 2}', '{{1,2},{3,4}}',
  '5b6e1f0a-8a3c-4d7e-9b1f-0a8a3c4d7e9b');

create table "Odd Names" (
  "Id" int primary key,
  "a.b" text,
  "x y" text,
  "say ""hi""" text,
  "Größe" int,
  "order" int,
  "select" text,
  ":colon" text
);
insert into "Odd Names" values (1, 'dot', 'space', 'quote', 180, 3, 'sel', 'c'), (2, 'a,b', '(par)', '"q"', 160, 1, null, null);

create table "Überfahrt" (nummer int primary key, "ziel-hafen" text);
insert into "Überfahrt" values (1, 'Kiel'), (2, 'Mölln & Co');

create table pairs (a int, b text, c text);
insert into pairs values (1, 'one', null), (1, 'uno', ''), (2, 'two', 'NULL'), (3, 'a,b', '{x}'), (4, 'paren(s)', 'back\slash'), (5, '"quoted"', 'x*y');

create table bare ();
insert into bare default values;
insert into bare default values;
create table empty_shelf (id int primary key, name text);

-- --- domain representations ----------------------------------------------------------------------------------------

create domain paint as int check (value between 0 and 16777215);
create function paint_from_text(text) returns paint immutable language sql as
  $$ select (('x' || lpad(replace($1, '#', ''), 8, '0'))::bit(32)::int)::harbor.paint $$;
create function paint_to_json(paint) returns json immutable language sql as
  $$ select to_json('#' || lpad(to_hex($1), 6, '0')) $$;
create function paint_from_json(json) returns paint immutable language sql as
  $$ select harbor.paint_from_text($1 #>> '{}') $$;
create cast (json as paint) with function paint_from_json(json) as implicit;
create cast (text as paint) with function paint_from_text(text) as implicit;
create cast (paint as json) with function paint_to_json(paint) as implicit;
create table hulls (id int primary key, colour paint, name text);
insert into hulls values (1, 255, 'blue'), (2, 16711680, 'red'), (3, null, 'bare');

-- --- tables to write to --------------------------------------------------------------------------------------------

create table notes (
  id int generated by default as identity primary key,
  body text not null,
  author text default 'nobody',
  stars int default 0 check (stars >= 0),
  made timestamptz default '2024-01-01 00:00+00'
);
insert into notes (id, body, author, stars) values (1, 'first', 'ada', 3), (2, 'second', 'ben', 1), (3, 'third', 'ada', 5);
select setval(pg_get_serial_sequence('harbor.notes', 'id'), 1000);

create table crates (
  id int generated always as identity primary key,
  width int not null,
  height int not null default 2,
  area int generated always as (width * height) stored
);
insert into crates (width, height) values (2, 3), (4, 5);

create table tariffs (
  port_id int references ports,
  season text,
  price numeric not null default 1.5,
  note varchar(10),
  primary key (port_id, season)
);
insert into tariffs values (1, 'low', 10, null), (1, 'high', 25, 'busy'), (2, 'low', 8, null);

create table stamps (code text primary key, label text unique, uses int default 0);
insert into stamps values ('a', 'Alpha', 1), ('b', 'Beta', 2);

create table scraps (value text, size int);
insert into scraps values ('x', 1), ('y', 2);

create domain quantity as int default 7;
create table orders (id int primary key, amount quantity, state text default 'new', extra jsonb default '{"k": 1}');

create table delayed (
  id int primary key,
  ship_id int constraint delayed_ship_fkey references ships deferrable initially deferred
);

-- --- row security --------------------------------------------------------------------------------------------------

create table lockers (id int primary key, holder text not null, content text);
insert into lockers values (1, 'ada', 'rope'), (2, 'ben', 'lamp'), (3, 'everyone', 'map');
alter table lockers enable row level security;
create policy lockers_read on lockers for select
  using (holder = 'everyone' or holder = current_setting('request.jwt.claims', true)::json ->> 'sub');
create policy lockers_write on lockers for all to contract_member
  using (holder = current_setting('request.jwt.claims', true)::json ->> 'sub')
  with check (holder = current_setting('request.jwt.claims', true)::json ->> 'sub');

create table sealed (id int primary key, secret text);
insert into sealed values (1, 'x');
create table dropbox (id int primary key, text text);

-- --- functions -----------------------------------------------------------------------------------------------------

create function add(a int, b int default 10) returns int immutable language sql as $$ select a + b $$;
comment on function add(int, int) is E'Adds two numbers\nThe second is ten unless given.';
create function greet() returns text stable language sql as $$ select 'ahoy'::text $$;
create function nothing() returns void volatile language sql as $$ select $$;
create function null_text() returns text stable language sql as $$ select null::text $$;
create function kinds() returns setof ship_kind stable language sql as $$ select unnest(enum_range(null::harbor.ship_kind)) $$;
create function a_list() returns int[] immutable language sql as $$ select array[1, 2, 3] $$;
create function a_document() returns jsonb immutable language sql as $$ select '{"a": [1, 2]}'::jsonb $$;
create function a_day() returns date immutable language sql as $$ select '2024-02-29'::date $$;
create function find_ships(term text) returns setof ships stable language sql as
  $$ select * from harbor.ships where name ilike '%' || term || '%' order by id $$;
create function ship_by_id(ship int) returns ships stable language sql as $$ select * from harbor.ships where id = ship $$;
create function flagship() returns setof ships rows 1 stable language sql as $$ select * from harbor.ships where id = 1 $$;
create function tallies() returns table (kind text, amount bigint) stable language sql as
  $$ select kind::text, count(*) from harbor.ships group by kind order by kind $$;
create function bounds(out lowest int, out highest int) stable language sql as
  $$ select min(built), max(built) from harbor.ships $$;
create function swap(inout a int, inout b int) immutable language sql as $$ select b, a $$;
create function loose_record() returns record stable language sql as $$ select 1 as one, 'two'::text as two $$;
create function numbers(upto int) returns setof int immutable language sql as $$ select generate_series(1, upto) $$;
create function no_rows() returns setof ships stable language sql as $$ select * from harbor.ships where false $$;
create function total(variadic amounts int[]) returns int immutable language sql as $$ select sum(a)::int from unnest(amounts) a $$;
create function join_words(sep text, variadic words text[] default '{}') returns text immutable language sql as
  $$ select array_to_string(words, sep) $$;
create function sum_array(amounts int[]) returns int immutable language sql as $$ select sum(a)::int from unnest(amounts) a $$;
create function area(width int, height int) returns int immutable language sql as $$ select width * height $$;
create function area(side int) returns int immutable language sql as $$ select side * side $$;
create function clash(x int) returns text immutable language sql as $$ select 'int'::text $$;
create function clash(x text) returns text immutable language sql as $$ select 'text'::text $$;
create function whole_json(json) returns json immutable language sql as $$ select $1 $$;
create function whole_jsonb(jsonb) returns jsonb immutable language sql as $$ select $1 $$;
create function whole_text(text) returns text immutable language sql as $$ select 'got ' || $1 $$;
create function whole_bytes(bytea) returns int immutable language sql as $$ select length($1) $$;
create function whole_xml(xml) returns text immutable language sql as $$ select $1::text $$;
create function whole_or_named(json) returns text immutable language sql as $$ select 'whole ' || $1 $$;
create function whole_or_named(a int) returns text immutable language sql as $$ select 'named ' || a $$;
create function whole_twice(json) returns text immutable language sql as $$ select 'json' $$;
create function whole_twice(jsonb) returns text immutable language sql as $$ select 'jsonb' $$;
create function whole_or_default(json default '{"d": 1}') returns json immutable language sql as $$ select $1 $$;
create function none_or_default() returns text immutable language sql as $$ select 'none' $$;
create function none_or_default(json default null) returns text immutable language sql as $$ select 'default' $$;
create function ships_of(kinds ship_kind[], variadic others ship_kind[] default '{}') returns setof ships stable language sql as
  $$ select * from harbor.ships where kind = any(kinds || others) order by id $$;
create function paints(a paint, b tools.grade) returns text immutable language sql as $$ select a::text || b $$;
create function odd_arguments("a b" int, "c.d" int default 0, "Größe" int default 0) returns int immutable language sql as
  $$ select $1 + 10 * $2 + 100 * $3 $$;
create function whole_number(int) returns int immutable language sql as $$ select $1 $$;
create function describe_ship(ship ships) returns text immutable language sql as $$ select ship.name || '/' || coalesce(ship.built, 0) $$;
create function echo_char(a char(3)) returns text immutable language sql as $$ select a::text $$;
create function keep_json(doc jsonb) returns jsonb immutable language sql as $$ select doc $$;
create function write_note(body text) returns notes volatile language sql as
  $$ insert into harbor.notes (body) values (body) returning * $$;
create function write_notes(bodies text[]) returns setof notes volatile language sql as
  $$ insert into harbor.notes (body) select unnest(bodies) returning * $$;
create function stable_write() returns void stable language plpgsql as
  $$ begin perform nextval('harbor.notes_id_seq'); end $$;
create function slow() returns text volatile language sql set statement_timeout = '50ms' as
  $$ select pg_sleep(5)::text $$;
create function isolation() returns text volatile language sql as $$ select current_setting('transaction_isolation') $$;
create function strict_isolation() returns text volatile language sql set default_transaction_isolation = 'serializable' as
  $$ select current_setting('transaction_isolation') $$;
create function own_timeout() returns text stable language sql set statement_timeout = '7s' as
  $$ select current_setting('statement_timeout') $$;
create function setting(name text) returns text stable language sql as $$ select current_setting(name, true) $$;
create function who() returns text stable language sql as $$ select current_user::text $$;
create function read_only() returns text volatile language sql as $$ select current_setting('transaction_read_only') $$;
create function respond(status text default null, headers text default null) returns text volatile language plpgsql as $$
begin
  if status is not null then perform set_config('response.status', status, true); end if;
  if headers is not null then perform set_config('response.headers', headers, true); end if;
  return 'done';
end
$$;
create function refuse(code text, message text default 'no') returns void volatile language plpgsql as $$
begin
  raise exception using errcode = code, message = message;
end
$$;
create function refuse_with(code text, message text, detail text, hint text) returns void volatile language plpgsql as $$
begin
  raise exception using errcode = code, message = message, detail = detail, hint = hint;
end
$$;
create function refuse_plain() returns void volatile language plpgsql as $$ begin raise exception 'plain refusal'; end $$;
create function refuse_fully(message text, detail text default null) returns void volatile language plpgsql as $$
begin
  if detail is null then raise sqlstate 'PGRST' using message = message; end if;
  raise sqlstate 'PGRST' using message = message, detail = detail;
end
$$;
create function divide(a int, b int) returns int immutable language sql as $$ select a / b $$;
create procedure not_callable() language sql as $$ select 1 $$;
create function member_only() returns text stable language sql as $$ select 'members'::text $$;
revoke execute on function member_only() from public;
grant execute on function member_only() to contract_member;

-- --- media types ---------------------------------------------------------------------------------------------------

create domain "text/x-log" as text;
create domain "image/x-dot" as bytea;
create domain "application/x-ship+json" as json;
create domain "*/*" as bytea;
create function day_log() returns "text/x-log" stable language sql as $$ select 'calm sea'::harbor."text/x-log" $$;
create function dot() returns "image/x-dot" stable language sql as $$ select '\x0102'::bytea::harbor."image/x-dot" $$;
create function anything() returns "*/*" stable language plpgsql as $$
begin
  perform set_config('response.headers', '[{"Content-Type": "text/x-any"}]', true);
  return 'whatever'::bytea;
end
$$;
create function ship_line(state "text/x-log", item ships) returns "text/x-log" immutable language sql as
  $$ select (coalesce(state || E'\n', '') || item.name)::harbor."text/x-log" $$;
create aggregate ship_log(ships) (sfunc = ship_line, stype = "text/x-log");
create function any_line(state "application/x-ship+json", item anyelement) returns "application/x-ship+json" immutable
  language sql as $$ select json_build_object('n', coalesce((state ->> 'n')::int, 0) + 1)::harbor."application/x-ship+json" $$;
create aggregate any_count(anyelement) (sfunc = any_line, stype = "application/x-ship+json");

create function bare_line(state "text/x-log", item bare) returns "text/x-log" immutable language sql as
  $$ select (coalesce(state, '') || 'bare;')::harbor."text/x-log" $$;
create aggregate bare_log(bare) (sfunc = bare_line, stype = "text/x-log");

-- What PostGIS has, for rows without a geometry.
create function tools.st_asgeojson(item record) returns text immutable language plpgsql as $$
begin
  return json_build_object('type', 'Feature', 'geometry', null, 'properties', to_json(item))::text;
end
$$;

-- --- used by settings of some profiles -----------------------------------------------------------------------------

create function tools.gate() returns void language plpgsql as $$
declare
  headers json := current_setting('request.headers', true)::json;
begin
  if headers ->> 'x-closed' is not null then
    raise sqlstate 'PT423' using message = 'The harbour is closed', hint = 'Come back later';
  end if;
  perform set_config('app.gate', 'passed as ' || current_user, true);
end
$$;
create function harbor.front_page() returns json stable language sql as
  $$ select json_build_object('welcome', 'harbour', 'openapi', '3.1.0') $$;

-- --- the second schema ---------------------------------------------------------------------------------------------

create table annex.ports (code text primary key, label text);
insert into annex.ports values ('ALM', 'Almouth annex');
create table annex.sheds (id int primary key, port_id int references harbor.ports, port_code text references annex.ports);
insert into annex.sheds values (1, 1, 'ALM');
create function annex.greet() returns text stable language sql as $$ select 'hello from the annex'::text $$;

-- --- a schema whose name needs care ---------------------------------------------------------------------------------

create schema "Größe & ""Maß""";
grant usage on schema "Größe & ""Maß""" to contract_member;
create table "Größe & ""Maß""".längen (id int primary key, über text);
insert into "Größe & ""Maß""".längen values (1, 'alles');
create function "Größe & ""Maß""".messen() returns text stable language sql as $$ select 'gemessen'::text $$;
grant select on "Größe & ""Maß""".längen to contract_member;

-- --- rights --------------------------------------------------------------------------------------------------------

grant select, insert, update, delete on all tables in schema harbor, annex to contract_anon, contract_member, contract_admin;
grant usage on all sequences in schema harbor to contract_anon, contract_member, contract_admin;
revoke all on sealed, dropbox from contract_anon, contract_member;
grant insert on dropbox to contract_anon;
grant select (id) on sealed to contract_member;
revoke insert, update, delete on owners from contract_anon;
grant insert, delete on owners to contract_anon;
