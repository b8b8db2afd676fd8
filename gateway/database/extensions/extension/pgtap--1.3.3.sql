-- Tests in SQL that print TAP, by the names, arguments and words of pgTAP. Families of functions that differ in a name
-- alone are made in loops. The count of tests is kept in sequences, which no rollback takes back; the plan and what is to
-- be done later are settings of the session, which any role may set.

-- state --------------------------------------------------------------------------------------------------------------

create function __tap_planned() returns text language sql stable
  return nullif(current_setting('pgtap.plan', true), '');

create function __tap_begin(planned text) returns void language plpgsql as $$
begin
  if @extschema@.__tap_planned() is not null then
    raise exception 'You tried to plan twice!';
  end if;
  if to_regclass('pg_temp.__tap_run') is null then
    create temp sequence __tap_run minvalue 0 start 1;
    create temp sequence __tap_failed minvalue 0 start 1;
    grant all on sequence pg_temp.__tap_run, pg_temp.__tap_failed to public;
  end if;
  perform setval('pg_temp.__tap_run', 0), setval('pg_temp.__tap_failed', 0);
  perform set_config('pgtap.plan', planned, false), set_config('pgtap.todo', '', false);
end
$$;

create function plan(integer) returns text language plpgsql strict as $$
begin
  perform @extschema@.__tap_begin($1::text);
  return '1..' || $1;
end
$$;

create function no_plan() returns setof boolean language plpgsql strict as $$
begin
  perform @extschema@.__tap_begin('0');
end
$$;

create function __tap_count(sequence text) returns integer language plpgsql as $$
declare
  found bigint;
begin
  if to_regclass('pg_temp.' || sequence) is null then
    return 0;
  end if;
  execute format('select last_value from pg_temp.%I', sequence) into found;
  return found;
end
$$;

create function num_failed() returns integer language sql as 'select @extschema@.__tap_count(''__tap_failed'')';

create function finish(exception_on_failure boolean default null) returns setof text language plpgsql as $$
declare
  planned integer := @extschema@.__tap_planned()::integer;
  run constant integer := @extschema@.__tap_count('__tap_run');
  failed constant integer := @extschema@.__tap_count('__tap_failed');
begin
  if planned is null then
    raise exception 'No tests run!';
  end if;
  perform set_config('pgtap.plan', '', false);
  if planned = 0 then
    planned := run;
    return next '1..' || run;
  end if;
  if run <> planned then
    return next format('# Looks like you planned %s test%s but ran %s',
      planned, case when planned = 1 then '' else 's' end, run);
  elsif failed > 0 then
    return next format('# Looks like you failed %s test%s of %s',
      failed, case when failed = 1 then '' else 's' end, planned);
  end if;
  if exception_on_failure and (failed > 0 or run <> planned) then
    raise exception '% test% failed of %', failed, case when failed = 1 then '' else 's' end, planned;
  end if;
end
$$;

-- words --------------------------------------------------------------------------------------------------------------

create function diag(msg text) returns text language sql strict
  return '# ' || replace(replace(replace(msg, E'\r\n', E'\n# '), E'\n', E'\n# '), E'\r', E'\n# ');
create function diag(msg anyelement) returns text language sql as 'select @extschema@.diag($1::text)';
create function diag(variadic text[]) returns text language sql as
  'select @extschema@.diag(array_to_string($1, ''''))';
create function diag(variadic anyarray) returns text language sql as
  'select @extschema@.diag(array_to_string($1, ''''))';

create function __tap_names_of(list anyarray) returns text language sql immutable as
  $$ select array_to_string(list, ', ') $$;

create function __tap_quoted_names(list name[]) returns text language sql immutable
  return coalesce((select string_agg(quote_ident(each), ', ' order by place)
    from unnest(list) with ordinality as l (each, place)), '');

-- What a value is called in a diagnosis.
create function __tap_shown(value text) returns text language sql immutable return coalesce(value, 'NULL');
create function __tap_quoted(value text) returns text language sql immutable
  return coalesce('''' || value || '''', 'NULL');
create function __tap_compared(have text, want text) returns text language sql immutable
  return format(E'        have: %s\n        want: %s', coalesce(have, 'NULL'), coalesce(want, 'NULL'));

create function __tap_place(schema name, object name) returns text language sql immutable
  return coalesce(quote_ident(schema) || '.', '') || quote_ident(object);

-- tests that are to be done ------------------------------------------------------------------------------------------

create function __tap_todos() returns jsonb language sql stable
  return coalesce(nullif(current_setting('pgtap.todo', true), ''), '[]')::jsonb;

create function __tap_todo(why text, how_many integer) returns void language sql as
  $$ select set_config('pgtap.todo',
    (jsonb_build_array(jsonb_build_object('why', why, 'left', how_many)) || @extschema@.__tap_todos())::text, false) $$;

create function todo(why text, how_many integer) returns setof boolean language plpgsql as
  $$ begin perform @extschema@.__tap_todo(coalesce(why, ''), coalesce(how_many, 1)); end $$;
create function todo(how_many integer, why text) returns setof boolean language plpgsql as
  $$ begin perform @extschema@.__tap_todo(coalesce(why, ''), coalesce(how_many, 1)); end $$;
create function todo(why text) returns setof boolean language plpgsql as
  $$ begin perform @extschema@.__tap_todo(coalesce(why, ''), 1); end $$;
create function todo(how_many integer) returns setof boolean language plpgsql as
  $$ begin perform @extschema@.__tap_todo('', coalesce(how_many, 1)); end $$;
create function todo_start(text) returns setof boolean language plpgsql as
  $$ begin perform @extschema@.__tap_todo(coalesce($1, ''), null); end $$;
create function todo_start() returns setof boolean language plpgsql as
  $$ begin perform @extschema@.__tap_todo('', null); end $$;
create function todo_end() returns setof boolean language plpgsql as $$
begin
  if jsonb_path_exists(@extschema@.__tap_todos(), '$[*] ? (@.left == null)') then
    perform set_config('pgtap.todo', (
      select coalesce(jsonb_agg(value order by place), '[]')::text
      from jsonb_array_elements(@extschema@.__tap_todos()) with ordinality as each (value, place)
      where place <> (select min(place) from jsonb_array_elements(@extschema@.__tap_todos()) with ordinality
        as open (value, place) where open.value -> 'left' = 'null')
    ), false);
    return;
  end if;
  raise exception 'todo_end() called without todo_start()';
end
$$;
create function in_todo() returns boolean language sql as $$ select @extschema@.__tap_todos() <> '[]' $$;

-- Why the next test is to be done; takes it from what is left. Null where it is an ordinary one.
create function __tap_take_todo() returns text language plpgsql as $$
declare
  todos jsonb := @extschema@.__tap_todos();
  first jsonb := todos -> 0;
begin
  if first is null then
    return null;
  end if;
  if first -> 'left' <> 'null' then
    if (first ->> 'left')::integer <= 1 then
      todos := todos - 0;
    else
      todos := jsonb_set(todos, '{0,left}', to_jsonb((first ->> 'left')::integer - 1));
    end if;
    perform set_config('pgtap.todo', todos::text, false);
  end if;
  return first ->> 'why';
end
$$;

create function skip(why text, how_many integer) returns text language plpgsql as $$
declare
  lines text[];
begin
  if @extschema@.__tap_planned() is null then
    raise exception 'You tried to run a test without a plan! Gotta have a plan';
  end if;
  for number in 1 .. how_many loop
    lines := lines || rtrim(format('ok %s # SKIP %s', nextval('pg_temp.__tap_run'), coalesce(why, '')));
  end loop;
  return array_to_string(lines, E'\n');
end
$$;
create function skip(text) returns text language sql as 'select @extschema@.skip($1, 1)';
create function skip(integer) returns text language sql as 'select @extschema@.skip('''', $1)';
create function skip(integer, text) returns text language sql as 'select @extschema@.skip($2, $1)';

-- a test -------------------------------------------------------------------------------------------------------------

create function __tap_ok(passed boolean, description text, why text) returns text language plpgsql as $$
declare
  number bigint;
  todo text;
  said constant text := nullif(replace(description, E'\n', E'\n# '), '');
  line text;
begin
  if @extschema@.__tap_planned() is null then
    raise exception 'You tried to run a test without a plan! Gotta have a plan';
  end if;
  number := nextval('pg_temp.__tap_run');
  todo := @extschema@.__tap_take_todo();
  line := case when passed then 'ok ' else 'not ok ' end || number || coalesce(' - ' || said, '')
    || coalesce(' # TODO ' || todo, '');
  if passed then
    return line;
  end if;
  if todo is null then
    perform nextval('pg_temp.__tap_failed');
  end if;
  line := line || E'\n# Failed ' || case when todo is null then '' else '(TODO) ' end || 'test ' || number
    || coalesce(': "' || said || '"', '');
  return concat(line, case when passed is null then E'\n#     (test result was NULL)' end,
    E'\n' || @extschema@.diag(nullif(why, '')));
end
$$;

create function ok(boolean, text) returns text language sql as 'select @extschema@.__tap_ok($1, $2, null)';
create function ok(boolean) returns text language sql as 'select @extschema@.__tap_ok($1, null, null)';
create function pass(text) returns text language sql as 'select @extschema@.__tap_ok(true, $1, null)';
create function pass() returns text language sql as 'select @extschema@.__tap_ok(true, null, null)';
create function fail(text) returns text language sql as 'select @extschema@.__tap_ok(false, $1, null)';
create function fail() returns text language sql as 'select @extschema@.__tap_ok(false, null, null)';
create function add_result(boolean, boolean, text, text, text) returns integer language plpgsql as $$
begin
  perform @extschema@.__tap_ok($1, $3, null);
  return @extschema@.__tap_count('__tap_run');
end
$$;

-- values -------------------------------------------------------------------------------------------------------------

create function "is"(anyelement, anyelement, text) returns text language plpgsql as $$
declare
  passed constant boolean := not $1 is distinct from $2;
begin
  return @extschema@.__tap_ok(passed, $3,
    case when passed then null else @extschema@.__tap_compared($1::text, $2::text) end);
end
$$;
create function "is"(anyelement, anyelement) returns text language sql as 'select @extschema@."is"($1, $2, null)';

create function isnt(anyelement, anyelement, text) returns text language plpgsql as $$
declare
  passed constant boolean := $1 is distinct from $2;
begin
  return @extschema@.__tap_ok(passed, $3,
    case when passed then null else @extschema@.__tap_compared($1::text, 'anything else') end);
end
$$;
create function isnt(anyelement, anyelement) returns text language sql as 'select @extschema@.isnt($1, $2, null)';

do $do$
declare
  each record;
begin
  for each in values
    ('matches', '~', true), ('imatches', '~*', true), ('doesnt_match', '!~', false), ('doesnt_imatch', '!~*', false),
    ('alike', '~~', true), ('ialike', '~~*', true), ('unalike', '!~~', false), ('unialike', '!~~*', false)
  loop
    execute format(
      'create function %1$I(anyelement, text, text) returns text language plpgsql as $body$
       begin
         return @extschema@.__tap_ok($1 %2$s $2, $3, format(E''                  %%s\n  %3$s %%s'',
           @extschema@.__tap_quoted($1::text), quote_nullable($2)));
       end $body$;
       create function %1$I(anyelement, text) returns text language sql as $body$ select @extschema@.%1$I($1, $2, null) $body$',
      each.column1, each.column2, case when each.column3 then $$ doesn\'t match:$$ else '       matches:' end);
  end loop;
end
$do$;

create function cmp_ok(anyelement, text, anyelement, text) returns text language plpgsql as $$
declare
  passed boolean;
begin
  execute format('select $1 %s $2', $2) using $1, $3 into passed;
  return @extschema@.__tap_ok(coalesce(passed, false), $4, format(E'    %s\n        %s\n    %s',
    @extschema@.__tap_quoted($1::text), $2, @extschema@.__tap_quoted($3::text)));
end
$$;
create function cmp_ok(anyelement, text, anyelement) returns text language sql as
  'select @extschema@.cmp_ok($1, $2, $3, null)';

create function isa_ok(anyelement, regtype, text) returns text language sql as
  $$ select @extschema@.__tap_ok(pg_typeof($1) = $2, format('%s isa %s', $3, $2),
    format('    %s isn''t a "%s" it''s a "%s"', $3, $2, pg_typeof($1))) $$;
create function isa_ok(anyelement, regtype) returns text language sql as
  $$ select @extschema@.isa_ok($1, $2, 'the value') $$;

-- statements ---------------------------------------------------------------------------------------------------------

-- A statement, or the name of a prepared one.
create function __tap_query(text) returns text language sql immutable
  return case when $1 like '"%' or $1 !~ '\s' then 'execute ' || $1 else $1 end;

create function __tap_throws(sql text, code text, message text, description text) returns text language plpgsql as $$
declare
  words constant text := coalesce(description, 'threw ' || coalesce(
    nullif(concat_ws(': ', code, message), ''), 'an exception'));
  found text;
begin
  begin
    execute @extschema@.__tap_query(sql);
  exception when others or assert_failure or query_canceled then
    if (code is null or code = sqlstate) and (message is null or message = sqlerrm) then
      return @extschema@.__tap_ok(true, words, null);
    end if;
    return @extschema@.__tap_ok(false, words, format(E'      caught: %s: %s\n      wanted: %s', sqlstate, sqlerrm,
      coalesce(code, 'an exception') || coalesce(': ' || message, '')));
  end;
  return @extschema@.__tap_ok(false, words, format(E'      caught: no exception\n      wanted: %s',
    coalesce(code, 'an exception')));
end
$$;
create function throws_ok(text, character, text, text) returns text language sql as
  'select @extschema@.__tap_throws($1, $2, $3, $4)';
create function throws_ok(text, integer, text, text) returns text language sql as
  'select @extschema@.__tap_throws($1, $2::text, $3, $4)';
create function throws_ok(text, integer, text) returns text language sql as
  'select @extschema@.__tap_throws($1, $2::text, $3, null)';
create function throws_ok(text, integer) returns text language sql as
  'select @extschema@.__tap_throws($1, $2::text, null, null)';
-- Five characters are a code, all else is a message.
create function throws_ok(text, text, text) returns text language sql as
  $$ select case when octet_length($2) = 5 then @extschema@.__tap_throws($1, $2, $3, null)
    else @extschema@.__tap_throws($1, null, $2, $3) end $$;
create function throws_ok(text, text) returns text language sql as
  $$ select case when octet_length($2) = 5 then @extschema@.__tap_throws($1, $2, null, null)
    else @extschema@.__tap_throws($1, null, $2, null) end $$;
create function throws_ok(text) returns text language sql as
  'select @extschema@.__tap_throws($1, null, null, null)';

do $do$
declare
  each record;
begin
  for each in values
    ('throws_like', '~~', 'like'), ('throws_ilike', '~~*', 'like'), ('throws_matching', '~', 'matching'),
    ('throws_imatching', '~*', 'matching')
  loop
    execute format(
      'create function %1$I(text, text, text) returns text language plpgsql as $body$
       begin
         begin
           execute @extschema@.__tap_query($1);
         exception when others or assert_failure or query_canceled then
           return @extschema@.__tap_ok(sqlerrm %2$s $2, $3, format(E''   error message: %%s\n   doesn\''t match: %%s'',
             @extschema@.__tap_quoted(sqlerrm), quote_literal($2)));
         end;
         return @extschema@.__tap_ok(false, $3, ''    no exception thrown'');
       end $body$;
       create function %1$I(text, text) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, ''Should throw exception %3$s '' || quote_literal($2)) $body$',
      each.column1, each.column2, each.column3);
  end loop;
end
$do$;

create function lives_ok(text, text) returns text language plpgsql as $$
declare
  code text;
  message text;
  detail text;
  hint text;
  around text;
begin
  begin
    execute @extschema@.__tap_query($1);
  exception when others or assert_failure or query_canceled then
    get stacked diagnostics code = returned_sqlstate, message = message_text, detail = pg_exception_detail,
      hint = pg_exception_hint, around = pg_exception_context;
    return @extschema@.__tap_ok(false, $2, concat(
      format('    died: %s: %s', code, message),
      E'\n        DETAIL:     ' || nullif(detail, ''), E'\n        HINT:       ' || nullif(hint, ''),
      E'\n        CONTEXT:\n            ' || replace(nullif(around, ''), E'\n', E'\n            ')));
  end;
  return @extschema@.__tap_ok(true, $2, null);
end
$$;
create function lives_ok(text) returns text language sql as 'select @extschema@.lives_ok($1, null)';

create function performs_ok(text, numeric, text) returns text language plpgsql as $$
declare
  begun constant timestamptz := clock_timestamp();
  spent numeric;
begin
  execute @extschema@.__tap_query($1);
  spent := extract(epoch from clock_timestamp() - begun) * 1000;
  return @extschema@.__tap_ok(spent < $2, $3, format(E'      runtime: %s ms\n      exceeds: %s ms', spent, $2));
end
$$;
create function performs_ok(text, numeric) returns text language sql as
  $$ select @extschema@.performs_ok($1, $2, 'Should run in less than ' || $2 || ' ms') $$;

create function performs_within(text, numeric, numeric, integer, text) returns text language plpgsql as $$
declare
  begun timestamptz;
  spent numeric := 0;
begin
  for number in 1 .. greatest($4, 1) loop
    begun := clock_timestamp();
    execute @extschema@.__tap_query($1);
    spent := spent + extract(epoch from clock_timestamp() - begun) * 1000;
  end loop;
  spent := spent / greatest($4, 1);
  return @extschema@.__tap_ok(abs(spent - $2) <= $3, $5, format(
    E' average runtime: %s ms\n desired average: %s +/- %s ms', spent, $2, $3));
end
$$;
create function performs_within(text, numeric, numeric, integer) returns text language sql as
  $$ select @extschema@.performs_within($1, $2, $3, $4, format('Should run within %s +/- %s ms', $2, $3)) $$;
create function performs_within(text, numeric, numeric, text) returns text language sql as
  'select @extschema@.performs_within($1, $2, $3, 10, $4)';
create function performs_within(text, numeric, numeric) returns text language sql as
  $$ select @extschema@.performs_within($1, $2, $3, 10, format('Should run within %s +/- %s ms', $2, $3)) $$;

-- rows in order ------------------------------------------------------------------------------------------------------

create function __tap_results(have refcursor, want refcursor, equal boolean, description text) returns text
language plpgsql as $$
declare
  ours record;
  theirs record;
  is_ours boolean;
  is_theirs boolean;
  number integer := 1;
begin
  loop
    fetch have into ours;
    is_ours := found;
    fetch want into theirs;
    is_theirs := found;
    exit when not is_ours and not is_theirs;
    if is_ours <> is_theirs or ours is distinct from theirs then
      return @extschema@.__tap_ok(not equal, description, format(E'    Results differ beginning at row %s:\n%s', number,
        @extschema@.__tap_compared(case when is_ours then ours::text end, case when is_theirs then theirs::text end)));
    end if;
    number := number + 1;
  end loop;
  return @extschema@.__tap_ok(equal, description, '');
exception when datatype_mismatch then
  return @extschema@.__tap_ok(false, description, concat('    Number of columns or their types differ between the queries',
    case when ours::text <> theirs::text
      then E':\n' || @extschema@.__tap_compared(ours::text, theirs::text) end,
    E'\n        ERROR: ' || sqlerrm));
end
$$;

create function __tap_open(text) returns refcursor language plpgsql as $$
declare
  made refcursor;
begin
  open made for execute @extschema@.__tap_query($1);
  return made;
end
$$;
create function __tap_open(anyarray) returns refcursor language plpgsql as $$
declare
  made refcursor;
begin
  open made for select * from unnest($1);
  return made;
end
$$;
create function __tap_close(refcursor) returns void language plpgsql as $$ begin close $1; end $$;

do $do$
declare
  each text;
  have text;
  want text;
begin
  foreach each in array array['results_eq', 'results_ne'] loop
    foreach have in array array['text', 'refcursor'] loop
      foreach want in array array['text', 'refcursor', 'anyarray'] loop
        execute format(
          'create function %1$I(%2$s, %3$s, text) returns text language plpgsql as $body$
           declare
             ours constant refcursor := %4$s;
             theirs constant refcursor := %5$s;
             said text;
           begin
             said := @extschema@.__tap_results(ours, theirs, %6$L, $3);
             %7$s %8$s
             return said;
           end $body$;
           create function %1$I(%2$s, %3$s) returns text language sql as
             $body$ select @extschema@.%1$I($1, $2, null::text) $body$',
          each, have, want,
          case when have = 'text' then '@extschema@.__tap_open($1)' else '$1' end,
          case when want = 'refcursor' then '$2' else '@extschema@.__tap_open($2)' end,
          each = 'results_eq',
          case when have = 'text' then 'close ours;' end,
          case when want <> 'refcursor' then 'close theirs;' end);
      end loop;
    end loop;
  end loop;
end
$do$;

create function row_eq(text, anyelement, text) returns text language plpgsql as $$
declare
  found record;
begin
  execute @extschema@.__tap_query($1) into found;
  return @extschema@.__tap_ok(not found is distinct from $2, $3, @extschema@.__tap_compared(found::text, $2::text));
exception when datatype_mismatch then
  return @extschema@.__tap_ok(false, $3, concat('    Number of columns or their types differ',
    E'\n' || @extschema@.__tap_compared(found::text, $2::text), E'\n        ERROR: ' || sqlerrm));
end
$$;
create function row_eq(text, anyelement) returns text language sql as 'select @extschema@.row_eq($1, $2, null)';

-- rows in any order --------------------------------------------------------------------------------------------------

create function __tap_table(name text, query text) returns void language plpgsql as $$
begin
  execute format('create temp table %I as %s', name, @extschema@.__tap_query(query));
end
$$;
create function __tap_table(name text, list anyarray) returns void language plpgsql as $$
begin
  execute format('create temp table %I as select * from unnest($1) as value', name) using list;
end
$$;

create function __tap_types(relation text) returns text language sql
begin atomic
  select '(' || string_agg(format_type(atttypid, atttypmod), ',' order by attnum) || ')'
  from pg_attribute where attrelid = to_regclass(relation) and attnum > 0 and not attisdropped;
end;

create function __tap_rows(query text) returns text[] language plpgsql as $$
declare
  found text[];
begin
  execute format('select array_agg(each::text) from (%s) as each', query) into found;
  return found;
end
$$;

create function __tap_listed(title text, rows text[]) returns text language sql immutable
  return case when cardinality(rows) > 0 then
    format(E'    %s:\n        %s', title, array_to_string(rows, E'\n        ')) end;

-- Compares __taphave__ and __tapwant__ by EXCEPT and INTERSECT, of sets or of bags.
create function __tap_sets(kind text, is_bag boolean, description text) returns text language plpgsql as $$
declare
  every constant text := case when is_bag then ' all' else '' end;
  extra text[];
  missing text[];
  why text;
begin
  begin
    if kind = 'hasnt' then
      extra := @extschema@.__tap_rows(format(
        'select * from pg_temp.__taphave__ intersect%s select * from pg_temp.__tapwant__', every));
    else
      missing := @extschema@.__tap_rows(format(
        'select * from pg_temp.__tapwant__ except%s select * from pg_temp.__taphave__', every));
      if kind <> 'has' then
        extra := @extschema@.__tap_rows(format(
          'select * from pg_temp.__taphave__ except%s select * from pg_temp.__tapwant__', every));
      end if;
    end if;
  exception when datatype_mismatch or syntax_error then
    why := E'    Columns differ between queries:\n' || @extschema@.__tap_compared(
      @extschema@.__tap_types('pg_temp.__taphave__'), @extschema@.__tap_types('pg_temp.__tapwant__'));
  end;
  drop table pg_temp.__taphave__, pg_temp.__tapwant__;
  if why is not null then
    return @extschema@.__tap_ok(false, description, why);
  end if;
  if kind = 'ne' then
    return @extschema@.__tap_ok(extra is not null or missing is not null, description, '');
  end if;
  return @extschema@.__tap_ok(extra is null and missing is null, description, concat_ws(E'\n',
    @extschema@.__tap_listed('Extra records', extra), @extschema@.__tap_listed('Missing records', missing)));
end
$$;

do $do$
declare
  each text;
  kind text;
  want text;
begin
  foreach each in array array['set', 'bag'] loop
    foreach kind in array array['eq', 'ne', 'has', 'hasnt'] loop
      foreach want in array case when kind in ('eq', 'ne') then '{text,anyarray}' else '{text}' end::text[] loop
        execute format(
          'create function %1$I(text, %2$s, text) returns text language plpgsql as $body$
           begin
             perform @extschema@.__tap_table(''__taphave__'', $1), @extschema@.__tap_table(''__tapwant__'', $2);
             return @extschema@.__tap_sets(%3$L, %4$L, $3);
           end $body$;
           create function %1$I(text, %2$s) returns text language sql as
             $body$ select @extschema@.%1$I($1, $2, null::text) $body$',
          each || '_' || kind, want, kind, each = 'bag');
      end loop;
    end loop;
  end loop;
end
$do$;

create function is_empty(text, text) returns text language plpgsql as $$
declare
  each record;
  rows text[];
begin
  for each in execute @extschema@.__tap_query($1) loop
    rows := rows || each::text;
  end loop;
  return @extschema@.__tap_ok(rows is null, $2, @extschema@.__tap_listed('Unexpected records', rows));
end
$$;
create function is_empty(text) returns text language sql as 'select @extschema@.is_empty($1, null)';

create function isnt_empty(text, text) returns text language plpgsql as $$
declare
  each record;
begin
  for each in execute @extschema@.__tap_query($1) loop
    return @extschema@.__tap_ok(true, $2, null);
  end loop;
  return @extschema@.__tap_ok(false, $2, null);
end
$$;
create function isnt_empty(text) returns text language sql as 'select @extschema@.isnt_empty($1, null)';

-- what there is ------------------------------------------------------------------------------------------------------

-- Names of the things of a kind: in a schema, or those that the search path finds.
create function __tap_things(kind text, schema name) returns setof name language plpgsql stable as $$
declare
  relations constant "char"[] := case kind
    when 'table' then '{r,p}' when 'view' then '{v}' when 'materialized view' then '{m}' when 'sequence' then '{S}'
    when 'foreign table' then '{f}' when 'composite' then '{c}' when 'relation' then '{r,p,v,m,S,f,c,i,I,t}' end;
  types constant "char"[] := case kind
    when 'domain' then '{d}' when 'enum' then '{e}' when 'type' then '{b,c,d,e,p,r,m}' end;
begin
  if relations is not null then
    return query select relname from pg_class join pg_namespace n on n.oid = relnamespace
      where relkind = any (relations) and relname not in ('__tap_run', '__tap_failed') and case when schema is null
        then pg_table_is_visible(pg_class.oid) and nspname not in ('pg_catalog', 'information_schema')
        else nspname = schema end;
  elsif types is not null then
    return query select typname from pg_type t join pg_namespace n on n.oid = typnamespace
      where typtype = any (types) and typcategory <> 'A'
        and (typrelid = 0 or exists (select from pg_class c where c.oid = typrelid and c.relkind = 'c'))
        and case when schema is null
          then pg_type_is_visible(t.oid) and nspname not in ('pg_catalog', 'information_schema')
          else nspname = schema end;
  elsif kind = 'extension' then
    return query select extname from pg_extension join pg_namespace n on n.oid = extnamespace
      where schema is null or nspname = schema;
  elsif kind = 'operator class' then
    return query select opcname from pg_opclass o join pg_namespace n on n.oid = opcnamespace
      where case when schema is null
        then pg_opclass_is_visible(o.oid) and nspname not in ('pg_catalog', 'information_schema')
        else nspname = schema end;
  elsif kind = 'function' then
    return query select proname from pg_proc p join pg_namespace n on n.oid = pronamespace
      where case when schema is null
        then pg_function_is_visible(p.oid) and nspname not in ('pg_catalog', 'information_schema')
        else nspname = schema end;
  elsif kind = 'schema' then
    return query select nspname from pg_namespace;
  elsif kind = 'role' then
    return query select rolname from pg_roles;
  elsif kind = 'user' then
    return query select rolname from pg_roles where rolcanlogin;
  elsif kind = 'group' then
    return query select groname from pg_group;
  elsif kind = 'procedural language' then
    return query select lanname from pg_language;
  elsif kind = 'tablespace' then
    return query select spcname from pg_tablespace;
  end if;
end
$$;

create function __tap_exists(kind text, schema name, object name) returns boolean language sql stable
  return exists (select from @extschema@.__tap_things(kind, schema) as each where each = object)
    or (schema is null and kind in ('table', 'view', 'relation', 'function', 'type', 'operator class') and exists (
      select from @extschema@.__tap_things(kind, 'pg_catalog') as each where each = object))
    -- the type that a row of a table has
    or (kind = 'type' and exists (select from pg_type t join pg_namespace n on n.oid = typnamespace
      where typname = object and case when schema is null then pg_type_is_visible(t.oid) else nspname = schema end));

do $do$
declare
  each record;
  is_there boolean;
  said text;
  name text;
begin
  for each in
    select kind, coalesce(written, replace(kind, ' ', '_')) as written, in_schema
    from (values
      ('table', null, true), ('view', null, true), ('materialized view', null, true), ('sequence', null, true),
      ('foreign table', null, true), ('relation', null, true), ('composite', null, true), ('type', null, true),
      ('domain', null, true), ('enum', null, true), ('extension', null, true), ('operator class', 'opclass', true),
      ('schema', null, false), ('role', null, false), ('user', null, false), ('group', null, false),
      ('procedural language', 'language', false), ('tablespace', null, false)
    ) as kinds (kind, written, in_schema)
  loop
    foreach is_there in array array[true, false] loop
      name := case when is_there then 'has_' else 'hasnt_' end || each.written;
      said := case each.kind when 'composite' then 'Composite type'
        else upper(left(each.kind, 1)) || substr(each.kind, 2) end;
      execute format(
        'create function %1$I(name, text) returns text language sql as
           $body$ select @extschema@.ok(@extschema@.__tap_exists(%2$L, null, $1) = %3$L, $2) $body$;
         create function %1$I(name) returns text language sql as
           $body$ select @extschema@.%1$I($1, format(''%4$s %%s should %5$sexist'', quote_ident($1))) $body$',
        name, each.kind, is_there, said, case when is_there then '' else 'not ' end);
      if each.in_schema then
        execute format(
          'create function %1$I(name, name, text) returns text language sql as
             $body$ select @extschema@.ok(@extschema@.__tap_exists(%2$L, $1, $2) = %3$L, $3) $body$;
           create function %1$I(name, name) returns text language sql as
             $body$ select @extschema@.%1$I($1, $2, format(%4$L, quote_ident($1), quote_ident($2))) $body$',
          name, each.kind, is_there,
          case when each.kind = 'extension' then
            format('%s %%2$s should %sexist in schema %%1$s', said, case when is_there then '' else 'not ' end)
          else format('%s %%s.%%s should %sexist', said, case when is_there then '' else 'not ' end) end);
      end if;
    end loop;
  end loop;
end
$do$;

create function __tap_relation(schema name, object name) returns oid language sql stable
begin atomic
  select c.oid from pg_class c join pg_namespace n on n.oid = relnamespace
  where relname = object and relkind <> 'i' and relkind <> 'I'
    and case when schema is null then pg_table_is_visible(c.oid) else nspname = schema end
  limit 1;
end;

create function __tap_column(schema name, relation name, attribute name) returns pg_attribute language sql stable
begin atomic
  select a from pg_attribute a
  where attrelid = @extschema@.__tap_relation(schema, relation) and attname = attribute and attnum > 0
    and not attisdropped;
end;

-- Things of a table by their names: columns, triggers, rules, indexes, policies, partitions, labels of an enum.
create function __tap_parts(kind text, schema name, object name) returns setof text language plpgsql stable as $$
declare
  relation constant oid := @extschema@.__tap_relation(schema, object);
begin
  return query select case kind when 'column' then attname::text end from pg_attribute
    where kind = 'column' and attrelid = relation and attnum > 0 and not attisdropped order by attnum;
  return query select tgname::text from pg_trigger join pg_class c on c.oid = tgrelid
    where kind = 'trigger' and not tgisinternal
    and case when schema is null then relname = object else tgrelid = relation end;
  return query select rulename::text from pg_rewrite where kind = 'rule' and ev_class = relation;
  return query select relname::text from pg_index join pg_class on pg_class.oid = indexrelid
    where kind = 'index' and indrelid = relation;
  return query select polname::text from pg_policy where kind = 'policy' and polrelid = relation;
  return query select inhrelid::regclass::text from pg_inherits join pg_class on pg_class.oid = inhrelid
    where kind = 'partition' and inhparent = relation and relispartition;
end
$$;

do $do$
declare
  each record;
  is_there boolean;
  name text;
  test text;
begin
  for each in values
    ('column', 'Column %2$s.%3$s should %1$sexist'), ('trigger', 'Table %2$s should %1$shave trigger %3$s'),
    ('rule', 'Relation %2$s should %1$shave rule %3$s'), ('index', 'Index %3$s should %1$sexist')
  loop
    foreach is_there in array array[true, false] loop
      name := case when is_there then 'has_' else 'hasnt_' end || each.column1;
      test := format('(%s = any (array(select @extschema@.__tap_parts(%L, %%s)))) = %L',
        '%s', each.column1, is_there);
      execute format(
        'create function %1$I(name, name, name, text) returns text language sql as
           $body$ select @extschema@.ok(%2$s, $4) $body$;
         create function %1$I(name, name, text) returns text language sql as
           $body$ select @extschema@.ok(%3$s, $3) $body$;
         create function %1$I(name, name) returns text language sql as
           $body$ select @extschema@.%1$I($1, $2, format(%4$L, %5$L, quote_ident($1), quote_ident($2))) $body$',
        name, format(test, '$3::text', '$1, $2'), format(test, '$2::text', 'null, $1'), each.column2,
        case when is_there then '' else 'not ' end);
      if each.column1 <> 'column' then
        execute format(
          'create function %1$I(name, name, name) returns text language sql as
             $body$ select @extschema@.%1$I($1, $2, $3, format(%2$L, %3$L, @extschema@.__tap_place($1, $2),
               quote_ident($3))) $body$',
          name, each.column2, case when is_there then '' else 'not ' end);
      end if;
    end loop;
  end loop;
end
$do$;

-- lists that are to be whole -----------------------------------------------------------------------------------------

create function __tap_are(things text, have text[], want text[], description text) returns text language sql as $$
  select @extschema@.__tap_ok(extra is null and missing is null, description, concat_ws(E'\n',
    @extschema@.__tap_listed('Extra ' || things, extra), @extschema@.__tap_listed('Missing ' || things, missing)))
  from (select
    (select array_agg(each order by case when things in ('casts', 'operators') then each else replace(each, '"', '') end)
      from (select unnest(have) as each except select unnest(want)) as e where each is not null) as extra,
    (select array_agg(each order by case when things in ('casts', 'operators') then each else replace(each, '"', '') end)
      from (select unnest(want) as each except select unnest(have)) as m where each is not null) as missing
  ) as compared
$$;

create function __tap_idents(list name[]) returns text[] language sql immutable
  return array(select quote_ident(each) from unnest(list) as each);

do $do$
declare
  each record;
begin
  for each in
    select kind, coalesce(plural, kind || 's') as plural from (values
      ('table', null), ('view', null), ('materialized view', null), ('sequence', null), ('foreign table', null),
      ('type', null), ('domain', null), ('enum', null), ('function', null), ('extension', null),
      ('operator class', 'opclasses')
    ) as kinds (kind, plural)
  loop
    execute format(
      'create function %1$I(name, name[], text) returns text language sql as
         $body$ select @extschema@.__tap_are(%4$L, array(select quote_ident(each) from
           @extschema@.__tap_things(%3$L, $1) as each), @extschema@.__tap_idents($2), $3) $body$;
       create function %1$I(name, name[]) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, format(''Schema %%s should have the correct %2$s'', quote_ident($1)))
         $body$;
       create function %1$I(name[], text) returns text language sql as
         $body$ select @extschema@.__tap_are(%4$L, array(select quote_ident(each) from
           @extschema@.__tap_things(%3$L, null) as each), @extschema@.__tap_idents($1), $2) $body$;
       create function %1$I(name[]) returns text language sql as
         $body$ select @extschema@.%1$I($1, case when %3$L = ''extension'' then ''Should have the correct extensions''
           else format(''Search path %%s should have the correct %2$s'', current_setting(''search_path'')) end)
         $body$',
      replace(each.plural, ' ', '_') || '_are', replace(each.plural, 'opclasses', 'operator classes'), each.kind,
      case when each.kind in ('enum', 'domain') then 'types' when each.kind = 'materialized view' then 'Materialized views'
        else replace(each.plural, 'opclasses', 'operator classes') end);
  end loop;
  for each in values ('schema', 'schemas'), ('role', 'roles'), ('user', 'users'), ('group', 'groups'),
    ('procedural language', 'languages'), ('tablespace', 'tablespaces')
  loop
    execute format(
      'create function %1$I(name[], text) returns text language sql as
         $body$ select @extschema@.__tap_are(%2$L, array(select quote_ident(each) from
           @extschema@.__tap_things(%3$L, null) as each
           where case %3$L when ''schema'' then each !~ ''^pg_'' and each <> ''information_schema''
             when ''procedural language'' then each not in (''internal'', ''c'', ''sql'') else true end),
           @extschema@.__tap_idents($1), $2) $body$;
       create function %1$I(name[]) returns text language sql as
         $body$ select @extschema@.%1$I($1, ''There should be the correct %4$s'') $body$',
      each.column2 || '_are', each.column2, each.column1,
      case when each.column2 = 'languages' then 'procedural ' else '' end || each.column2);
  end loop;
  for each in values ('column', 'columns', 'Table'), ('trigger', 'triggers', 'Table'), ('rule', 'rules', 'Relation'),
    ('index', 'indexes', 'Table'), ('policy', 'policies', 'Table'), ('partition', 'partitions', 'Table')
  loop
    execute format(
      'create function %1$I(name, name, name[], text) returns text language sql as
         $body$ select @extschema@.__tap_are(%2$L, array(select quote_ident(each) from @extschema@.__tap_parts(%3$L, $1, $2) as each),
           @extschema@.__tap_idents($3), $4) $body$;
       create function %1$I(name, name, name[]) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, format(''%4$s %%s should have the correct %2$s'',
           @extschema@.__tap_place($1, $2))) $body$;
       create function %1$I(name, name[], text) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, $2, $3) $body$;
       create function %1$I(name, name[]) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, $2, format(''%4$s %%s should have the correct %2$s'',
           quote_ident($1))) $body$',
      each.column2 || '_are', each.column2, each.column1, each.column3);
  end loop;
end
$do$;

create function enum_has_labels(name, name, name[], text) returns text language sql as $$
  select @extschema@."is"(array(
    select enumlabel from pg_enum join pg_type t on t.oid = enumtypid join pg_namespace n on n.oid = typnamespace
    where typname = $2 and case when $1 is null then pg_type_is_visible(t.oid) else nspname = $1 end
    order by enumsortorder), $3, $4)
$$;
create function enum_has_labels(name, name, name[]) returns text language sql as
  $$ select @extschema@.enum_has_labels($1, $2, $3, format('Enum %s should have labels (%s)',
    @extschema@.__tap_place($1, $2), @extschema@.__tap_names_of($3))) $$;
create function enum_has_labels(name, name[], text) returns text language sql as
  'select @extschema@.enum_has_labels(null, $1, $2, $3)';
create function enum_has_labels(name, name[]) returns text language sql as
  'select @extschema@.enum_has_labels(null, $1, $2)';

-- columns ------------------------------------------------------------------------------------------------------------

create function __tap_no_column(schema name, relation name, attribute name, description text, indent text default '    ')
returns text language sql as $$
  select @extschema@.__tap_ok(false, description, format('%sColumn %s.%s does not exist', indent,
    @extschema@.__tap_place(schema, relation), quote_ident(attribute)))
$$;

create function __tap_null(schema name, relation name, attribute name, description text, want boolean) returns text
language plpgsql as $$
declare
  found pg_attribute := @extschema@.__tap_column(schema, relation, attribute);
begin
  if found.attname is null then
    return @extschema@.__tap_no_column(schema, relation, attribute, description);
  end if;
  return @extschema@.ok(found.attnotnull <> want, description);
end
$$;

create function __tap_default(schema name, relation name, attribute name) returns text language sql stable
begin atomic
  select pg_get_expr(adbin, adrelid) from pg_attrdef, @extschema@.__tap_column(schema, relation, attribute) as c
  where adrelid = c.attrelid and adnum = c.attnum and c.attgenerated = '';
end;

create function __tap_defaults(schema name, relation name, attribute name, description text, want boolean) returns text
language plpgsql as $$
begin
  if (@extschema@.__tap_column(schema, relation, attribute)).attname is null then
    return @extschema@.__tap_no_column(schema, relation, attribute, description);
  end if;
  return @extschema@.ok((@extschema@.__tap_default(schema, relation, attribute) is not null) = want, description);
end
$$;

do $do$
declare
  each record;
begin
  for each in values ('col_not_null', '__tap_null', false, 'be NOT NULL'), ('col_is_null', '__tap_null', true, 'allow NULL')
  loop
    execute format(
      'create function %1$I(schema_name name, table_name name, column_name name, description text default null)
       returns text language sql as
         $body$ select @extschema@.%2$I($1, $2, $3, coalesce($4, format(''Column %%s.%%s should %4$s'',
           @extschema@.__tap_place($1, $2), quote_ident($3))), %3$L) $body$;
       create function %1$I(table_name name, column_name name, description text default null)
       returns text language sql as
         $body$ select @extschema@.%2$I(null, $1, $2, coalesce($3, format(''Column %%s.%%s should %4$s'',
           quote_ident($1), quote_ident($2))), %3$L) $body$',
      each.column1, each.column2, each.column3, each.column4);
  end loop;
  for each in values ('col_has_default', true, 'have a default'), ('col_hasnt_default', false, 'not have a default')
  loop
    execute format(
      'create function %1$I(name, name, name, text) returns text language sql as
         $body$ select @extschema@.__tap_defaults($1, $2, $3, $4, %2$L) $body$;
       create function %1$I(name, name, text) returns text language sql as
         $body$ select @extschema@.__tap_defaults(null, $1, $2, $3, %2$L) $body$;
       create function %1$I(name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, format(''Column %%s.%%s should %3$s'', quote_ident($1),
           quote_ident($2))) $body$',
      each.column1, each.column2, each.column3);
  end loop;
end
$do$;

create function __tap_default_is(schema name, relation name, attribute name, want text, description text) returns text
language plpgsql as $$
declare
  have text := @extschema@.__tap_default(schema, relation, attribute);
  literal text;
begin
  if (@extschema@.__tap_column(schema, relation, attribute)).attname is null then
    return @extschema@.__tap_no_column(schema, relation, attribute, description);
  end if;
  if have is null then
    return @extschema@.__tap_ok(false, description, format('    Column %s.%s has no default',
      @extschema@.__tap_place(schema, relation), quote_ident(attribute)));
  end if;
  literal := substring(have from '^''((?:[^'']|'''')*)''(?:::[^()]*(?:\([0-9,]+\))?(?:\[\])*)?$');
  if literal is not null then
    have := replace(literal, '''''', '''');
  end if;
  return @extschema@.__tap_ok(have = want or regexp_replace(have, '^\((.*)\)(?:::\w+)?$', '\1') = want, description,
    @extschema@.__tap_compared(have, want));
end
$$;

do $do$
declare
  each text;
begin
  foreach each in array array['text', 'anyelement'] loop
    execute format(
      'create function col_default_is(name, name, name, %1$s, text) returns text language sql as
         $body$ select @extschema@.__tap_default_is($1, $2, $3, $4::text, $5) $body$;
       create function col_default_is(name, name, %1$s, text) returns text language sql as
         $body$ select @extschema@.__tap_default_is(null, $1, $2, $3::text, $4) $body$;
       create function col_default_is(name, name, %1$s) returns text language sql as
         $body$ select @extschema@.__tap_default_is(null, $1, $2, $3::text, format(''Column %%s.%%s should default to %%L'',
           quote_ident($1), quote_ident($2), $3::text)) $body$',
      each);
  end loop;
end
$do$;

create function __tap_type_is(schema name, relation name, attribute name, of_schema name, want text, description text)
returns text language plpgsql as $$
declare
  found pg_attribute := @extschema@.__tap_column(schema, relation, attribute);
  have text;
  wanted constant text := coalesce(quote_ident(of_schema) || '.', '') || want;
  named text;
begin
  if found.attname is null then
    return @extschema@.__tap_no_column(schema, relation, attribute, description, '   ');
  end if;
  have := format_type(found.atttypid, found.atttypmod);
  if of_schema is not null then
    select coalesce(nullif(quote_ident(nspname), 'pg_catalog') || '.', '') || quote_ident(typname) into named
    from pg_type t join pg_namespace n on n.oid = typnamespace where t.oid = found.atttypid;
    if position('.' in have) = 0 then
      have := coalesce((select quote_ident(nspname) from pg_type t join pg_namespace n on n.oid = typnamespace
        where t.oid = found.atttypid) || '.', '') || have;
    end if;
  else
    -- a type outside of the search path may be written with its schema or without one
    named := substring(have from '\.(.*)$');
    if lower(want) = lower(named) and not exists (
      select from pg_type t where t.oid = found.atttypid and not pg_type_is_visible(t.oid)) then
      have := named;
    end if;
  end if;
  return @extschema@.__tap_ok(
    have = wanted or have = lower(wanted)
      or (position('.' in wanted) > 0 and found.atttypid = to_regtype(wanted) and found.atttypmod = -1),
    description, @extschema@.__tap_compared(have, wanted));
end
$$;
create function col_type_is(name, name, name, name, text, text) returns text language sql as
  'select @extschema@.__tap_type_is($1, $2, $3, $4, $5, $6)';
create function col_type_is(name, name, name, name, text) returns text language sql as
  $$ select @extschema@.__tap_type_is($1, $2, $3, $4, $5, format('Column %s.%s.%s should be type %s.%s', quote_ident($1),
    quote_ident($2), quote_ident($3), quote_ident($4), $5)) $$;
create function col_type_is(name, name, name, text, text) returns text language sql as
  'select @extschema@.__tap_type_is($1, $2, $3, null, $4, $5)';
create function col_type_is(name, name, name, text) returns text language sql as
  $$ select @extschema@.__tap_type_is($1, $2, $3, null, $4, format('Column %s.%s.%s should be type %s', quote_ident($1),
    quote_ident($2), quote_ident($3), $4)) $$;
create function col_type_is(name, name, text, text) returns text language sql as
  'select @extschema@.__tap_type_is(null, $1, $2, null, $3, $4)';
create function col_type_is(name, name, text) returns text language sql as
  $$ select @extschema@.__tap_type_is(null, $1, $2, null, $3, format('Column %s.%s should be type %s', quote_ident($1),
    quote_ident($2), $3)) $$;

create function __tap_domain(schema name, object text, of_schema name, of text, want boolean, description text)
returns text language plpgsql as $$
declare
  place constant text := coalesce(quote_ident(schema) || '.', '') || object;
  asked constant text := coalesce(quote_ident(of_schema) || '.', '') || of;
  words constant text := coalesce(description,
    format('Domain %s should %sextend type %s', place, case when want then '' else 'not ' end, asked));
  have text;
begin
  select coalesce(case when of_schema is not null then quote_ident(of_type.nspname) || '.' end, '')
    || format_type(typbasetype, null) into have
  from pg_type t join pg_namespace n on n.oid = t.typnamespace
  join lateral (select nspname from pg_type b join pg_namespace on pg_namespace.oid = b.typnamespace
    where b.oid = t.typbasetype) as of_type on true
  where typtype = 'd' and typname = object
    and case when schema is null then pg_type_is_visible(t.oid) else n.nspname = schema end;
  if have is null then
    return @extschema@.__tap_ok(false, words, format('   Domain %s does not exist', place));
  end if;
  return case when want then @extschema@."is"(have, asked, words) else @extschema@.isnt(have, asked, words) end;
end
$$;
do $do$
declare
  each record;
begin
  for each in values ('domain_type_is', true), ('domain_type_isnt', false) loop
    execute format(
      'create function %1$I(name, text, name, text, text) returns text language sql as
         $body$ select @extschema@.__tap_domain($1, $2, $3, $4, %2$L, $5) $body$;
       create function %1$I(name, text, name, text) returns text language sql as
         $body$ select @extschema@.__tap_domain($1, $2, $3, $4, %2$L, null) $body$;
       create function %1$I(name, text, text, text) returns text language sql as
         $body$ select @extschema@.__tap_domain($1, $2, null, $3, %2$L, $4) $body$;
       create function %1$I(name, text, text) returns text language sql as
         $body$ select @extschema@.__tap_domain($1, $2, null, $3, %2$L, null) $body$;
       create function %1$I(text, text, text) returns text language sql as
         $body$ select @extschema@.__tap_domain(null, $1, null, $2, %2$L, $3) $body$;
       create function %1$I(text, text) returns text language sql as
         $body$ select @extschema@.__tap_domain(null, $1, null, $2, %2$L, null) $body$',
      each.column1, each.column2);
  end loop;
end
$do$;

-- constraints --------------------------------------------------------------------------------------------------------

-- The columns of each constraint of a kind, in its order.
create function __tap_keys(schema name, relation name, kind text) returns table (columns name[]) language sql stable
begin atomic
  select array(select attname from unnest(conkey) with ordinality as k (number, place)
    join pg_attribute on attrelid = conrelid and attnum = number order by place)
  from pg_constraint where conrelid = @extschema@.__tap_relation(schema, relation) and contype = kind::"char"
  order by oid;
end;

do $do$
declare
  each record;
  sign record;
begin
  for each in values ('pk', 'p', 'a primary key', 'name'), ('fk', 'f', 'a foreign key constraint', 'name'),
    ('check', 'c', 'a check constraint', 'name'), ('unique', 'u', 'a unique constraint', 'text')
  loop
    for sign in values ('has_', '', true), ('hasnt_', 'not ', false) loop
      continue when not sign.column3 and each.column1 in ('check', 'unique');
      execute format(
        'create function %1$I(%5$s, %5$s, text) returns text language sql as
           $body$ select @extschema@.ok(exists (select from @extschema@.__tap_keys($1::name, $2::name, %2$L)) = %3$L, $3)
           $body$;
         create function %1$I(%5$s, text) returns text language sql as
           $body$ select @extschema@.ok(exists (select from @extschema@.__tap_keys(null, $1::name, %2$L)) = %3$L, $2)
           $body$;
         create function %1$I(%5$s) returns text language sql as
           $body$ select @extschema@.%1$I($1, format(''Table %%s should %4$shave %6$s'', quote_ident($1))) $body$',
        sign.column1 || each.column1, each.column2, sign.column3, sign.column2, each.column4, each.column3);
    end loop;
  end loop;
end
$do$;

create function __tap_key(schema name, relation name, columns name[], kind text, want boolean, description text)
returns text language plpgsql as $$
declare
  keys constant text[] := array(select k.columns::text from @extschema@.__tap_keys(schema, relation, kind) as k);
  sorted constant name[] := array(select unnest(columns) order by 1);
  is_there boolean;
  why text;
begin
  is_there := case when kind = 'c'
    then exists (select from @extschema@.__tap_keys(schema, relation, kind) as k
      where array(select unnest(k.columns) order by 1) = sorted)
    else columns::text = any (keys) end;
  if not want then
    return @extschema@.ok(not is_there, description);
  end if;
  if kind = 'f' then
    why := case when cardinality(keys) = 0
      then format('    Table %s has no foreign key columns', @extschema@.__tap_place(schema, relation))
      else format(E'    Table %s has foreign key constraints on these columns:\n        %s',
        @extschema@.__tap_place(schema, relation), (select string_agg(array_to_string(k.columns, ', '), E'\n        ')
          from @extschema@.__tap_keys(schema, relation, kind) as k)) end;
  else
    why := @extschema@.__tap_compared(
      coalesce((select string_agg(each, E'\n              ' order by each) from unnest(keys) as each),
        case when kind <> 'p' then '' end), columns::text);
  end if;
  return @extschema@.__tap_ok(is_there, description, why);
end
$$;

do $do$
declare
  each record;
begin
  for each in values
    ('col_is_pk', 'p', true, 'be a primary key'), ('col_isnt_pk', 'p', false, 'not be a primary key'),
    ('col_is_fk', 'f', true, 'be a foreign key'), ('col_isnt_fk', 'f', false, 'not be a foreign key'),
    ('col_is_unique', 'u', true, 'have a unique constraint'), ('col_has_check', 'c', true, 'have a check constraint')
  loop
    execute format(
      'create function %1$I(name, name, name[], text) returns text language sql as
         $body$ select @extschema@.__tap_key($1, $2, $3, %2$L, %3$L, $4) $body$;
       create function %1$I(name, name[], text) returns text language sql as
         $body$ select @extschema@.__tap_key(null, $1, $2, %2$L, %3$L, $3) $body$;
       create function %1$I(name, name[]) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, format(''Columns %%s(%%s) should %4$s'', quote_ident($1),
           @extschema@.__tap_quoted_names($2))) $body$;
       create function %1$I(name, name, name, text) returns text language sql as
         $body$ select @extschema@.__tap_key($1, $2, array[$3], %2$L, %3$L, $4) $body$;
       create function %1$I(name, name, text) returns text language sql as
         $body$ select @extschema@.__tap_key(null, $1, array[$2], %2$L, %3$L, $3) $body$;
       create function %1$I(name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, format(''Column %%s(%%s) should %4$s'', quote_ident($1),
           quote_ident($2))) $body$',
      each.column1, each.column2, each.column3, each.column4);
  end loop;
end
$do$;
create function col_is_unique(name, name, name[]) returns text language sql as
  $$ select @extschema@.col_is_unique($1, $2, $3, format('Columns %s(%s) should have a unique constraint',
    quote_ident($2), @extschema@.__tap_quoted_names($3))) $$;
create function col_is_unique(name, name, name) returns text language sql as
  $$ select @extschema@.col_is_unique($1, $2, array[$3], format('Column %s(%s) should have a unique constraint',
    quote_ident($2), quote_ident($3))) $$;

create function fk_ok(name, name, name[], name, name, name[], text) returns text language plpgsql as $$
declare
  have constant text := @extschema@.__tap_place($1, $2) || '(' || @extschema@.__tap_quoted_names($3) || ') REFERENCES ';
  target text;
  is_there boolean;
begin
  select confrelid = @extschema@.__tap_relation($4, $5) and referenced = $6,
    @extschema@.__tap_place(case when $4 is null then null else nspname end, relname)
      || '(' || @extschema@.__tap_quoted_names(referenced) || ')'
  into is_there, target
  from pg_constraint
  cross join lateral (select
    array(select attname from unnest(conkey) with ordinality as k (number, place)
      join pg_attribute on attrelid = conrelid and attnum = number order by place) as referencing,
    array(select attname from unnest(confkey) with ordinality as k (number, place)
      join pg_attribute on attrelid = confrelid and attnum = number order by place) as referenced) as names
  join pg_class on pg_class.oid = confrelid join pg_namespace on pg_namespace.oid = relnamespace
  where contype = 'f' and conrelid = @extschema@.__tap_relation($1, $2) and referencing = $3
  order by 1 desc limit 1;
  return @extschema@.__tap_ok(coalesce(is_there, false), $7, @extschema@.__tap_compared(
    have || coalesce(target, 'NOTHING'),
    have || @extschema@.__tap_place($4, $5) || '(' || @extschema@.__tap_quoted_names($6) || ')'));
end
$$;
create function fk_ok(name, name, name[], name, name, name[]) returns text language sql as
  $$ select @extschema@.fk_ok($1, $2, $3, $4, $5, $6, format('%s(%s) should reference %s(%s)',
    @extschema@.__tap_place($1, $2), @extschema@.__tap_quoted_names($3), @extschema@.__tap_place($4, $5),
    @extschema@.__tap_quoted_names($6))) $$;
create function fk_ok(name, name[], name, name[], text) returns text language sql as
  'select @extschema@.fk_ok(null, $1, $2, null, $3, $4, $5)';
create function fk_ok(name, name[], name, name[]) returns text language sql as
  'select @extschema@.fk_ok(null, $1, $2, null, $3, $4)';
create function fk_ok(name, name, name, name, name, name, text) returns text language sql as
  'select @extschema@.fk_ok($1, $2, array[$3], $4, $5, array[$6], $7)';
create function fk_ok(name, name, name, name, name, text) returns text language sql as
  'select @extschema@.fk_ok($1, $2, array[$3], $4, $5, array[$6::name])';
create function fk_ok(name, name, name, name, text) returns text language sql as
  'select @extschema@.fk_ok(null, $1, array[$2], null, $3, array[$4], $5)';
create function fk_ok(name, name, name, name) returns text language sql as
  'select @extschema@.fk_ok(null, $1, array[$2], null, $3, array[$4])';

-- functions ----------------------------------------------------------------------------------------------------------

create function __tap_signature(schema name, object name, arguments name[]) returns text language sql stable
  return @extschema@.__tap_place(schema, object) || '(' || coalesce(array_to_string(arguments, ', '), '') || ')';

create function __tap_type(written text) returns text language plpgsql stable as $$
declare
  of_set constant text := case when written ~* '^setof\s' then 'setof ' else '' end;
  bare constant text := regexp_replace(written, '^setof\s+', '', 'i');
begin
  return of_set || coalesce(to_regtype(bare)::text, lower(bare));
exception when others then
  return of_set || lower(bare);
end
$$;

-- The functions of a name; with arguments those that take them.
create function __tap_functions(schema name, object name, arguments name[]) returns setof pg_proc language sql stable as $$
  select p.* from pg_proc p join pg_namespace n on n.oid = pronamespace
  where proname = object
    and case when schema is null then pg_function_is_visible(p.oid) else nspname = schema end
    and (arguments is null or array(select format_type(each, null) from unnest(proargtypes) with ordinality as a (each, place)
        order by place)
      = array(select @extschema@.__tap_type(each) from unnest(arguments) with ordinality as a (each, place)
        where each is not null order by place))
$$;

do $do$
declare
  sign record;
begin
  for sign in values ('has_function', true, ''), ('hasnt_function', false, 'not ') loop
    execute format(
      'create function %1$I(name, name, name[], text) returns text language sql as
         $body$ select @extschema@.ok(exists (select from @extschema@.__tap_functions($1, $2, $3)) = %2$L, $4) $body$;
       create function %1$I(name, name, name[]) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, format(''Function %%s should %3$sexist'',
           @extschema@.__tap_signature($1, $2, $3))) $body$;
       create function %1$I(name, name[], text) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, $2, $3) $body$;
       create function %1$I(name, name[]) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, $2) $body$;
       create function %1$I(name, name, text) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, null::name[], $3) $body$;
       create function %1$I(name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, null::name[]) $body$;
       create function %1$I(name, text) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, null::name[], $2) $body$;
       create function %1$I(name) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, null::name[]) $body$',
      sign.column1, sign.column2, sign.column3);
  end loop;
end
$do$;

create function can(name, name[], text) returns text language sql as $$
  select @extschema@.__tap_ok(missing is null, $3,
    (select string_agg(format('    %s() missing', @extschema@.__tap_place($1, each)), E'\n') from unnest(missing) as each))
  from (select array_agg(each) as missing from unnest($2) as each
    where not exists (select from @extschema@.__tap_functions($1, each, null))) as found
$$;
create function can(name, name[]) returns text language sql as
  $$ select @extschema@.can($1, $2, format('Schema %s can', quote_ident($1))) $$;
create function can(name[], text) returns text language sql as 'select @extschema@.can(null, $1, $2)';
create function can(name[]) returns text language sql as
  $$ select @extschema@.can(null, $1, format('Schema %s can', array_to_string(current_schemas(true), ' or '))) $$;

create function __tap_volatility(written text) returns text language sql immutable
  return case lower(left(written, 1)) when 'i' then 'IMMUTABLE' when 's' then 'STABLE' when 'v' then 'VOLATILE'
    else 'UNKNOWN' end;

-- One property of a function: as a text that is compared, or as a truth.
create function __tap_property(kind text, f pg_proc) returns text language sql stable
  return case kind
    when 'returns' then lower(regexp_replace(pg_get_function_result(f.oid), '^TABLE\(.*', 'setof record'))
    when 'lang' then (select lanname::text from pg_language l where l.oid = f.prolang)
    when 'owner' then pg_get_userbyid(f.proowner)::text
    when 'volatility' then case f.provolatile when 'i' then 'IMMUTABLE' when 's' then 'STABLE' else 'VOLATILE' end
    when 'definer' then f.prosecdef::text
    when 'strict' then f.proisstrict::text
    when 'aggregate' then (f.prokind = 'a')::text
    when 'window' then (f.prokind = 'w')::text
    when 'procedure' then (f.prokind = 'p')::text
    when 'normal_function' then (f.prokind = 'f')::text end;

create function __tap_function_is(kind text, schema name, object name, arguments name[], want text, description text)
returns text language plpgsql as $$
declare
  f pg_proc;
  have text;
begin
  select * into f from @extschema@.__tap_functions(schema, object, arguments) order by oid limit 1;
  if f.proname is null then
    return @extschema@.__tap_ok(false, description, format('    Function %s does not exist',
      @extschema@.__tap_signature(schema, object, arguments)));
  end if;
  have := @extschema@.__tap_property(kind, f);
  return @extschema@.__tap_ok(have = want, description,
    case when want not in ('true', 'false') then @extschema@.__tap_compared(have, want) end);
end
$$;

do $do$
declare
  each record;
begin
  for each in values
    ('function_returns', 'returns', 'text', '@extschema@.__tap_type(%s)', 'return', '%s'),
    ('function_lang_is', 'lang', 'name', '%s::text', 'be written in', 'quote_ident(%s)'),
    ('volatility_is', 'volatility', 'text',
      '@extschema@.__tap_volatility(%s)', 'be', '@extschema@.__tap_volatility(%s)')
  loop
    execute format(
      'create function %1$I(name, name, name[], %3$s, text) returns text language sql as
         $body$ select @extschema@.__tap_function_is(%2$L, $1, $2, $3, %4$s, $5) $body$;
       create function %1$I(name, name, name[], %3$s) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, $4, format(''Function %%s should %8$s %%s'',
           @extschema@.__tap_signature($1, $2, $3), %9$s)) $body$;
       create function %1$I(name, name[], %3$s, text) returns text language sql as
         $body$ select @extschema@.__tap_function_is(%2$L, null, $1, $2, %5$s, $4) $body$;
       create function %1$I(name, name[], %3$s) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, format(''Function %%s should %8$s %%s'',
           @extschema@.__tap_signature(null, $1, $2), %10$s)) $body$;
       create function %1$I(name, name, %3$s, text) returns text language sql as
         $body$ select @extschema@.__tap_function_is(%2$L, $1, $2, null, %5$s, $4) $body$;
       create function %1$I(name, name, %3$s) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, format(''Function %%s should %8$s %%s'',
           @extschema@.__tap_signature($1, $2, null), %10$s)) $body$;
       create function %1$I(name, %3$s, text) returns text language sql as
         $body$ select @extschema@.__tap_function_is(%2$L, null, $1, null, %6$s, $3) $body$;
       create function %1$I(name, %3$s) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, format(''Function %%s should %8$s %%s'',
           @extschema@.__tap_signature(null, $1, null), %7$s)) $body$',
      each.column1, each.column2, each.column3, format(each.column4, '$4'), format(each.column4, '$3'),
      format(each.column4, '$2'), format(each.column6, '$2'), each.column5, format(each.column6, '$4'),
      format(each.column6, '$3'));
  end loop;
  for each in
    select sign.name || kind.name as called, kind.name, sign.want, sign.said || kind.said as described
    from (values ('definer', 'be security definer'), ('strict', 'be strict'), ('aggregate', 'be an aggregate function'),
      ('window', 'be a window function'), ('procedure', 'be a procedure'), ('normal_function', 'be a normal function'))
      as kind (name, said)
    cross join (values ('is_', 'true', ''), ('isnt_', 'false', 'not ')) as sign (name, want, said)
  loop
    execute format(
      'create function %1$I(name, name, name[], text) returns text language sql as
         $body$ select @extschema@.__tap_function_is(%2$L, $1, $2, $3, %3$L, $4) $body$;
       create function %1$I(name, name, name[]) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, format(''Function %%s should %4$s'',
           @extschema@.__tap_signature($1, $2, $3))) $body$;
       create function %1$I(name, name, text) returns text language sql as
         $body$ select @extschema@.__tap_function_is(%2$L, $1, $2, null, %3$L, $3) $body$;
       create function %1$I(name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, null::name[]) $body$;
       create function %1$I(name, name[], text) returns text language sql as
         $body$ select @extschema@.__tap_function_is(%2$L, null, $1, $2, %3$L, $3) $body$;
       create function %1$I(name, name[]) returns text language sql as
         $body$ select case when %5$L and not exists (select from @extschema@.__tap_functions(null, $1, $2))
           then @extschema@.ok(null, format(''Function %%s should %4$s'', @extschema@.__tap_signature(null, $1, $2)))
           else @extschema@.%1$I(null, $1, $2) end $body$;
       create function %1$I(name, text) returns text language sql as
         $body$ select @extschema@.__tap_function_is(%2$L, null, $1, null, %3$L, $2) $body$;
       create function %1$I(name) returns text language sql as
         $body$ select @extschema@.%1$I($1, null::name[]) $body$',
      each.called, each.name, each.want, each.described, each.name in ('definer', 'strict'));
  end loop;
end
$do$;

create function function_owner_is(name, name, name[], name, text) returns text language sql as
  $$ select @extschema@.__tap_function_is('owner', $1, $2, $3, $4::text, $5) $$;
create function function_owner_is(name, name, name[], name) returns text language sql as
  $$ select @extschema@.function_owner_is($1, $2, $3, $4, format('Function %s should be owned by %s',
    @extschema@.__tap_signature($1, $2, $3), quote_ident($4))) $$;
create function function_owner_is(name, name[], name, text) returns text language sql as
  'select @extschema@.function_owner_is(null, $1, $2, $3, $4)';
create function function_owner_is(name, name[], name) returns text language sql as
  'select @extschema@.function_owner_is(null, $1, $2, $3)';

-- indexes ------------------------------------------------------------------------------------------------------------

create function __tap_index(schema name, relation name, object name) returns pg_index language sql stable
begin atomic
  select i from pg_index i join pg_class c on c.oid = indexrelid
  where relname = object and indrelid = @extschema@.__tap_relation(schema, relation);
end;

create function __tap_index_columns(i pg_index) returns name[] language sql stable
  return array(select pg_get_indexdef(i.indexrelid, number, false)::name
    from generate_series(1, i.indnkeyatts::integer) as number order by number);

create function has_index(name, name, name, name[], text) returns text language plpgsql as $$
declare
  found constant pg_index := @extschema@.__tap_index($1, $2, $3);
  have constant name[] := @extschema@.__tap_index_columns(found);
  on_table constant text := quote_ident($3) || ' ON ' || @extschema@.__tap_place($1, $2);
begin
  if found.indexrelid is null then
    return @extschema@.ok(false, $5) || E'\n' || @extschema@.diag('Index ' || on_table || ' not found');
  end if;
  return @extschema@.__tap_ok(lower(have::text) = lower($4::text), $5, @extschema@.__tap_compared(
    on_table || '(' || array_to_string(have, ', ') || ')', on_table || '(' || array_to_string($4, ', ') || ')'));
end
$$;
create function has_index(name, name, name, name[]) returns text language sql as
  $$ select @extschema@.has_index($1, $2, $3, $4, format('Index %s should exist', quote_ident($3))) $$;
create function has_index(name, name, name, name, text) returns text language sql as
  'select @extschema@.has_index($1, $2, $3, array[$4], $5)';
create function has_index(name, name, name, name) returns text language sql as
  'select @extschema@.has_index($1, $2, $3, array[$4])';
create function has_index(name, name, name[], text) returns text language sql as
  'select @extschema@.has_index(null, $1, $2, $3, $4)';
create function has_index(name, name, name[]) returns text language sql as
  'select @extschema@.has_index(null, $1, $2, $3)';

-- Of three names the first is a schema, if there is one of that name; else they are table, index and column.
create or replace function has_index(name, name, name) returns text language sql as $$
  select case when to_regnamespace(quote_ident($1)) is null then @extschema@.has_index(null, $1, $2, array[$3])
    else @extschema@.has_index($1, $2, $3, format('Index %s should exist', quote_ident($3))) end
$$;

create function is_indexed(name, name, name[], text) returns text language sql as $$
  select @extschema@.ok(exists (
    select from pg_index i where indrelid = @extschema@.__tap_relation($1, $2)
    and lower(@extschema@.__tap_index_columns(i)::text) = lower($3::text)), $4)
$$;
create function is_indexed(name, name, name[]) returns text language sql as
  $$ select @extschema@.is_indexed($1, $2, $3, format('Should have an index on %s(%s)', @extschema@.__tap_place($1, $2),
    array_to_string($3, ', '))) $$;
create function is_indexed(name, name[], text) returns text language sql as
  'select @extschema@.is_indexed(null, $1, $2, $3)';
create function is_indexed(name, name[]) returns text language sql as 'select @extschema@.is_indexed(null, $1, $2)';
create function is_indexed(name, name, name, text) returns text language sql as
  'select @extschema@.is_indexed($1, $2, array[$3], $4)';
create function is_indexed(name, name, name) returns text language sql as $$
  select case when to_regnamespace(quote_ident($1)) is null then @extschema@.is_indexed(null, $1, array[$2], $3::text)
    else @extschema@.is_indexed($1, $2, array[$3]) end
$$;
create function is_indexed(name, name) returns text language sql as $$
  select @extschema@.ok(exists (select from pg_index i join pg_class c on c.oid = indrelid
    where relname = $1 and lower(@extschema@.__tap_index_columns(i)::text) = lower(array[$2]::text)))
$$;

do $do$
declare
  each record;
begin
  for each in values ('index_is_unique', 'indisunique', 'be unique'), ('index_is_primary', 'indisprimary', 'be on a primary key')
  loop
    execute format(
      'create function %1$I(name, name, name, text) returns text language sql as
         $body$ select @extschema@.ok(coalesce((@extschema@.__tap_index($1, $2, $3)).%2$I, false), $4) $body$;
       create function %1$I(name, name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, format(''Index %%s should %3$s'', quote_ident($3))) $body$;
       create function %1$I(name, name) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, $2, format(''Index %%s should %3$s'', quote_ident($2))) $body$;
       create function %1$I(name) returns text language sql as
         $body$ select @extschema@.ok(coalesce((select bool_or(%2$I) from pg_index where indexrelid =
           to_regclass(quote_ident($1))), false), format(''Index %%s should %3$s'', quote_ident($1))) $body$',
      each.column1, each.column2, each.column3);
  end loop;
end
$do$;

create function is_clustered(name, name, name, text) returns text language sql as
  $$ select @extschema@.ok(coalesce((@extschema@.__tap_index($1, $2, $3)).indisclustered, false), $4) $$;
create function is_clustered(name, name, name) returns text language sql as
  $$ select @extschema@.is_clustered($1, $2, $3, format('Table %s should be clustered on index %s',
    @extschema@.__tap_place($1, $2), quote_ident($3))) $$;
create function is_clustered(name, name) returns text language sql as
  $$ select @extschema@.is_clustered(null, $1, $2) $$;

create function index_is_type(name, name, name, name, text) returns text language sql as $$
  select @extschema@."is"((select amname::text from pg_class c join pg_am a on a.oid = relam
    where c.oid = (@extschema@.__tap_index($1, $2, $3)).indexrelid), $4::text, $5)
$$;
create function index_is_type(name, name, name, name) returns text language sql as
  $$ select @extschema@.index_is_type($1, $2, $3, $4, format('Index %s should be a %s index', quote_ident($3),
    quote_ident($4))) $$;
create function index_is_type(name, name, name) returns text language sql as
  'select @extschema@.index_is_type(null, $1, $2, $3)';

-- triggers, rules, partitions ----------------------------------------------------------------------------------------

create function trigger_is(name, name, name, name, name, text) returns text language sql as $$
  select @extschema@."is"((select case when $4 is null then proname::text
    else @extschema@.__tap_place(nspname, proname) end
    from pg_trigger join pg_proc p on p.oid = tgfoid join pg_namespace n on n.oid = pronamespace
    where tgrelid = @extschema@.__tap_relation($1, $2) and tgname = $3 and not tgisinternal),
    case when $4 is null then $5::text else @extschema@.__tap_place($4, $5) end, $6)
$$;
create function trigger_is(name, name, name, name, name) returns text language sql as
  $$ select @extschema@.trigger_is($1, $2, $3, $4, $5, format('Trigger %s should call %s()', quote_ident($3),
    @extschema@.__tap_place($4, $5))) $$;
create function trigger_is(name, name, name, text) returns text language sql as
  'select @extschema@.trigger_is(null, $1, $2, null, $3, $4)';
create function trigger_is(name, name, name) returns text language sql as
  'select @extschema@.trigger_is(null, $1, $2, null, $3)';

do $do$
declare
  sign record;
begin
  for sign in values ('is', true, ''), ('isnt', false, 'not ') loop
    execute format(
      'create function %1$I(name, name, text) returns text language sql as
         $body$ select @extschema@.ok(coalesce((select relkind = ''p'' from pg_class where oid =
           @extschema@.__tap_relation($1, $2)), false) = %2$L, $3) $body$;
       create function %1$I(name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, format(''Table %%s should %3$sbe partitioned'',
           @extschema@.__tap_place($1, $2))) $body$;
       create function %1$I(name, text) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, $2) $body$;
       create function %1$I(name) returns text language sql as
         $body$ select @extschema@.%1$I(null::name, $1) $body$',
      sign.column1 || '_partitioned', sign.column2, sign.column3);
  end loop;
end
$do$;
create function is_partition_of(name, name, name, name, text) returns text language sql as $$
  select @extschema@.ok(exists (select from pg_inherits join pg_class c on c.oid = inhrelid where relispartition
    and inhrelid = @extschema@.__tap_relation($1, $2) and inhparent = @extschema@.__tap_relation($3, $4)), $5)
$$;
create function is_partition_of(name, name, name, name) returns text language sql as
  $$ select @extschema@.is_partition_of($1, $2, $3, $4, format('Table %s should be a partition of %s',
    @extschema@.__tap_place($1, $2), @extschema@.__tap_place($3, $4))) $$;
create function is_partition_of(name, name, text) returns text language sql as
  'select @extschema@.is_partition_of(null, $1, null, $2, $3)';
create function is_partition_of(name, name) returns text language sql as
  'select @extschema@.is_partition_of(null, $1, null, $2)';

create function index_is_type(name, name) returns text language sql as $$
  select @extschema@."is"((select amname::text from pg_class c join pg_am a on a.oid = relam
    where relname = $1 and relkind in ('i', 'I') limit 1), $2::text,
    format('Index %s should be a %s index', quote_ident($1), quote_ident($2)))
$$;
create function is_clustered(name) returns text language sql as $$
  select @extschema@.ok(exists (select from pg_index join pg_class on pg_class.oid = indexrelid
    where relname = $1 and indisclustered), format('Table should be clustered on index %s', quote_ident($1)))
$$;

create function __tap_rule(schema name, relation name, object name) returns pg_rewrite language sql stable
begin atomic
  select r from pg_rewrite r join pg_class c on c.oid = ev_class join pg_namespace n on n.oid = relnamespace
  where rulename = object and relname = relation and (schema is null or nspname = schema) limit 1;
end;

create function rule_is_instead(name, name, name, text) returns text language plpgsql as $$
declare
  found constant pg_rewrite := @extschema@.__tap_rule($1, $2, $3);
begin
  if found.rulename is null or ($1 is null and not pg_table_is_visible(found.ev_class)) then
    return @extschema@.__tap_ok(false, $4, format('    Rule %s does not exist', quote_ident($3)));
  end if;
  return @extschema@.ok(found.is_instead, $4);
end
$$;
create function rule_is_instead(name, name, name) returns text language sql as
  $$ select @extschema@.rule_is_instead($1, $2, $3, format('Rule %s on relation %s should be an INSTEAD rule',
    quote_ident($3), @extschema@.__tap_place($1, $2))) $$;
create function rule_is_instead(name, name, text) returns text language sql as
  'select @extschema@.rule_is_instead(null, $1, $2, $3)';
create function rule_is_instead(name, name) returns text language sql as
  'select @extschema@.rule_is_instead(null, $1, $2::name)';

create function __tap_event(written text) returns text language sql immutable
  return case lower(left(written, 1)) when 's' then 'SELECT' when 'i' then 'INSERT' when 'u' then 'UPDATE'
    when 'd' then 'DELETE' else 'UNKNOWN' end;
create function rule_is_on(name, name, name, text, text) returns text language plpgsql as $$
declare
  found constant pg_rewrite := @extschema@.__tap_rule($1, $2, $3);
begin
  if found.rulename is null then
    return @extschema@.__tap_ok(false, $5, format('    Rule %s does not exist on %s', quote_ident($3),
      @extschema@.__tap_place($1, $2)));
  end if;
  return @extschema@."is"(case found.ev_type when '1' then 'SELECT' when '2' then 'UPDATE' when '3' then 'INSERT'
    else 'DELETE' end, @extschema@.__tap_event($4), $5);
end
$$;
create function rule_is_on(name, name, name, text) returns text language sql as
  $$ select @extschema@.rule_is_on($1, $2, $3, $4, format('Rule %s should be on %s to %s', quote_ident($3),
    @extschema@.__tap_event($4), @extschema@.__tap_place($1, $2))) $$;
create function rule_is_on(name, name, text, text) returns text language sql as
  'select @extschema@.rule_is_on(null, $1, $2, $3, $4)';
create function rule_is_on(name, name, text) returns text language sql as
  'select @extschema@.rule_is_on(null, $1, $2, $3)';

create function language_is_trusted(name, text) returns text language sql as $$
  select case when found.lanname is null
    then @extschema@.__tap_ok(false, $2, format('    Procedural language %s does not exist', quote_ident($1)))
    else @extschema@.ok(found.lanpltrusted, $2) end
  from (values (1)) as always left join pg_language as found on lanname = $1
$$;
create function language_is_trusted(name) returns text language sql as
  $$ select @extschema@.language_is_trusted($1, format('Procedural language %s should be trusted', quote_ident($1))) $$;

create function has_tablespace(name, text, text) returns text language sql as
  $$ select @extschema@.ok(exists (select from pg_tablespace where spcname = $1 and pg_tablespace_location(oid) = $2), $3) $$;

-- tables that descend from others --------------------------------------------------------------------------------------

-- How many steps a table is below another; null where it does not descend from it.
create function __tap_descent(schema name, relation name, of_schema name, of name) returns integer language sql stable
as $$
  with recursive above as (
    select inhparent, 1 as depth from pg_inherits where inhrelid = @extschema@.__tap_relation(schema, relation)
    union select i.inhparent, depth + 1 from pg_inherits i join above on i.inhrelid = above.inhparent
  ) select depth from above where inhparent = @extschema@.__tap_relation(of_schema, of) limit 1
$$;

do $do$
declare
  sign record;
  kind record;
begin
  for sign in values ('has', true, ''), ('hasnt', false, 'not ') loop
    execute format(
      'create function %1$I(name, name, text) returns text language sql as
         $body$ select @extschema@.ok(exists (select from pg_inherits where inhparent = @extschema@.__tap_relation($1, $2))
           = %2$L, $3) $body$;
       create function %1$I(name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, format(''Table %%s should %3$shave descendents'',
           @extschema@.__tap_place($1, $2))) $body$;
       create function %1$I(name, text) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, $2) $body$;
       create function %1$I(name) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1::name) $body$',
      sign.column1 || '_inherited_tables', sign.column2, sign.column3);
  end loop;
  for sign in values ('is_', true, ''), ('isnt_', false, 'not ') loop
    for kind in values
      ('ancestor_of', '$3, $4, $1, $2', 'null, $2, null, $1', 'an ancestor', 'ancestor', 'of', 'for'),
      ('descendent_of', '$1, $2, $3, $4', 'null, $1, null, $2', 'a descendent', 'descendent', 'of', 'from')
    loop
      execute format(
        'create function %1$I(name, name, name, name, integer, text) returns text language sql as
           $body$ select @extschema@.ok(coalesce(@extschema@.__tap_descent(%2$s) = $5, false) = %4$L, $6) $body$;
         create function %1$I(name, name, name, name, integer) returns text language sql as
           $body$ select @extschema@.%1$I($1, $2, $3, $4, $5, format(''Table %%s should %5$sbe %7$s %%s %9$s %%s'',
             @extschema@.__tap_place($1, $2), $5, @extschema@.__tap_place($3, $4))) $body$;
         create function %1$I(name, name, name, name, text) returns text language sql as
           $body$ select @extschema@.ok((@extschema@.__tap_descent(%2$s) is not null) = %4$L, $5) $body$;
         create function %1$I(name, name, name, name) returns text language sql as
           $body$ select @extschema@.%1$I($1, $2, $3, $4, format(''Table %%s should %5$sbe %6$s %8$s %%s'',
             @extschema@.__tap_place($1, $2), @extschema@.__tap_place($3, $4))) $body$;
         create function %1$I(name, name, integer, text) returns text language sql as
           $body$ select @extschema@.ok(coalesce(@extschema@.__tap_descent(%3$s) = $3, false) = %4$L, $4) $body$;
         create function %1$I(name, name, integer) returns text language sql as
           $body$ select @extschema@.%1$I($1, $2, $3, format(''Table %%s should %5$sbe %7$s %%s %10$s %%s'',
             quote_ident($1), $3, quote_ident($2))) $body$;
         create function %1$I(name, name, text) returns text language sql as
           $body$ select @extschema@.ok((@extschema@.__tap_descent(%3$s) is not null) = %4$L, $3) $body$;
         create function %1$I(name, name) returns text language sql as
           $body$ select @extschema@.%1$I($1, $2, format(''Table %%s should %5$sbe %6$s %8$s %%s'',
             quote_ident($1), quote_ident($2))) $body$',
        sign.column1 || kind.column1, kind.column2, kind.column3, sign.column2, sign.column3, kind.column4, kind.column5,
        kind.column6, kind.column7, case when kind.column1 = 'ancestor_of' then 'of' else 'from' end);
    end loop;
  end loop;
end
$do$;

-- casts and operators --------------------------------------------------------------------------------------------------

create function __tap_cast(source name, target name) returns pg_cast language sql stable as $$
  select c from pg_cast c where format_type(castsource, null) = @extschema@.__tap_type(source)
    and format_type(casttarget, null) = @extschema@.__tap_type(target) limit 1
$$;
create function __tap_cast_by(source name, target name, schema name, object name) returns boolean language sql stable as $$
  select exists (select from pg_proc p join pg_namespace n on n.oid = pronamespace
    where p.oid = (@extschema@.__tap_cast(source, target)).castfunc and proname = object
    and (schema is null or nspname = schema))
$$;
create function __tap_cast_said(source name, target name) returns text language sql immutable
  return format('Cast (%s AS %s)', quote_ident(source), quote_ident(target));

create function __tap_operator(lefts name, schema name, object name, rights name, result name) returns boolean
language sql stable as $$
  select exists (select from pg_operator o join pg_namespace n on n.oid = oprnamespace
    where oprname = object and case when schema is null then pg_operator_is_visible(o.oid) else nspname = schema end
    and case when lefts is null then oprleft = 0 else format_type(oprleft, null) = @extschema@.__tap_type(lefts) end
    and case when rights is null then oprright = 0 else format_type(oprright, null) = @extschema@.__tap_type(rights) end
    and (result is null or format_type(oprresult, null) = @extschema@.__tap_type(result)))
$$;
create function __tap_operator_said(lefts name, schema name, object name, rights name, result name) returns text
language sql immutable return coalesce(quote_ident(schema) || '.', '') || object
  || format('(%s,%s)', coalesce(lefts, 'NONE'), coalesce(rights, 'NONE')) || coalesce(' RETURNS ' || result, '');

do $do$
declare
  sign record;
  kind record;
begin
  for sign in values ('has', true, ''), ('hasnt', false, 'not ') loop
    execute format(
      'create function %1$I(name, name, name, name, text) returns text language sql as
         $body$ select @extschema@.ok(@extschema@.__tap_cast_by($1, $2, $3, $4) = %2$L, $5) $body$;
       create function %1$I(name, name, name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, $4, format(''%%s WITH FUNCTION %%s() should %3$sexist'',
           @extschema@.__tap_cast_said($1, $2), @extschema@.__tap_place($3, $4))) $body$;
       create function %1$I(name, name, name, text) returns text language sql as
         $body$ select @extschema@.ok(@extschema@.__tap_cast_by($1, $2, null, $3) = %2$L, $4) $body$;
       create function %1$I(name, name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, format(''%%s WITH FUNCTION %%s() should %3$sexist'',
           @extschema@.__tap_cast_said($1, $2), quote_ident($3))) $body$;
       create function %1$I(name, name, text) returns text language sql as
         $body$ select @extschema@.ok(((@extschema@.__tap_cast($1, $2)).castsource is not null) = %2$L, $3) $body$;
       create function %1$I(name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, format(''%%s should %3$sexist'', @extschema@.__tap_cast_said($1, $2)))
         $body$',
      sign.column1 || '_cast', sign.column2, sign.column3);
    -- with schema and result, with the result, by the operands alone: each with a description and without
    for kind in values
      ('operator', 'Operator', 'name, name, name, name, name', '$1, $2, $3, $4, $5', 5),
      ('operator', 'Operator', 'name, name, name, name', '$1, null, $2, $3, $4', 4),
      ('operator', 'Operator', 'name, name, name', '$1, null, $2, $3, null', 3),
      ('leftop', 'Left operator', 'name, name, name, name', 'null, $1, $2, $3, $4', 4),
      ('leftop', 'Left operator', 'name, name, name', 'null, null, $1, $2, $3', 3),
      ('leftop', 'Left operator', 'name, name', 'null, null, $1, $2, null', 2),
      ('rightop', 'Right operator', 'name, name, name, name', '$1, $2, $3, null, $4', 4),
      ('rightop', 'Right operator', 'name, name, name', '$1, null, $2, null, $3', 3),
      ('rightop', 'Right operator', 'name, name', '$1, null, $2, null, null', 2)
    loop
      execute format(
        'create function %1$I(%4$s, text) returns text language sql as
           $body$ select @extschema@.ok(@extschema@.__tap_operator(%5$s) = %2$L, $%6$s) $body$;
         create function %1$I(%4$s) returns text language sql as
           $body$ select @extschema@.ok(@extschema@.__tap_operator(%5$s) = %2$L, format(''%7$s %%s should %3$sexist'',
             @extschema@.__tap_operator_said(%5$s))) $body$',
        sign.column1 || '_' || kind.column1, sign.column2, sign.column3, kind.column3, kind.column4, kind.column5 + 1,
        kind.column2);
    end loop;
  end loop;
end
$do$;

create function __tap_context(written text) returns text language sql immutable
  return case lower(left(written, 1)) when 'i' then 'implicit' when 'a' then 'assignment' when 'e' then 'explicit'
    else 'unknown' end;
create function cast_context_is(name, name, text, text) returns text language plpgsql as $$
declare
  found constant pg_cast := @extschema@.__tap_cast($1, $2);
begin
  if found.castsource is null then
    return @extschema@.__tap_ok(false, $4, format('    %s does not exist', @extschema@.__tap_cast_said($1, $2)));
  end if;
  return @extschema@."is"(@extschema@.__tap_context(found.castcontext::text), @extschema@.__tap_context($3), $4);
end
$$;
create function cast_context_is(name, name, text) returns text language sql as
  $$ select @extschema@.cast_context_is($1, $2, $3, format('%s context should be %s', @extschema@.__tap_cast_said($1, $2),
    @extschema@.__tap_context($3))) $$;

create function casts_are(text[], text) returns text language sql as $$
  select @extschema@.__tap_are('casts', array(select format_type(castsource, null) || ' AS ' || format_type(casttarget, null)
    from pg_cast), $1, $2)
$$;
create function casts_are(text[]) returns text language sql as
  $$ select @extschema@.casts_are($1, 'There should be the correct casts') $$;

create function __tap_operators(schema name) returns setof text language sql stable as $$
  select oprname || format('(%s,%s) RETURNS %s', case when oprleft = 0 then 'NONE' else format_type(oprleft, null) end,
    case when oprright = 0 then 'NONE' else format_type(oprright, null) end, format_type(oprresult, null))
  from pg_operator o join pg_namespace n on n.oid = oprnamespace
  where case when schema is null
    then pg_operator_is_visible(o.oid) and nspname not in ('pg_catalog', 'information_schema') else nspname = schema end
$$;
create function operators_are(name, text[], text) returns text language sql as
  $$ select @extschema@.__tap_are('operators', array(select @extschema@.__tap_operators($1)), $2, $3) $$;
create function operators_are(name, text[]) returns text language sql as
  $$ select @extschema@.operators_are($1, $2, format('Schema %s should have the correct operators', quote_ident($1))) $$;
create function operators_are(text[], text) returns text language sql as
  'select @extschema@.operators_are(null, $1, $2)';
create function operators_are(text[]) returns text language sql as
  $$ select @extschema@.operators_are(null, $1, 'There should be the correct operators') $$;

-- policies -----------------------------------------------------------------------------------------------------------

create function __tap_policy(schema name, relation name, object name) returns pg_policy language sql stable
begin atomic
  select p from pg_policy p where polrelid = @extschema@.__tap_relation(schema, relation) and polname = object;
end;

create function policy_roles_are(name, name, name, name[], text) returns text language sql as $$
  select @extschema@.__tap_are('policy roles', array(select quote_ident(pg_get_userbyid(each))
    from unnest((@extschema@.__tap_policy($1, $2, $3)).polroles) as each where each <> 0),
    @extschema@.__tap_idents($4), $5)
$$;
create function policy_roles_are(name, name, name, name[]) returns text language sql as
  $$ select @extschema@.policy_roles_are($1, $2, $3, $4, format('Policy %s for table %s should have the correct roles',
    quote_ident($3), @extschema@.__tap_place($1, $2))) $$;
create function policy_roles_are(name, name, name[], text) returns text language sql as
  'select @extschema@.policy_roles_are(null, $1, $2, $3, $4)';
create function policy_roles_are(name, name, name[]) returns text language sql as
  'select @extschema@.policy_roles_are(null, $1, $2, $3)';

create function policy_cmd_is(name, name, name, text, text) returns text language sql as $$
  select @extschema@."is"(case (@extschema@.__tap_policy($1, $2, $3)).polcmd when 'r' then 'SELECT' when 'a' then 'INSERT'
    when 'w' then 'UPDATE' when 'd' then 'DELETE' when '*' then 'ALL' end, upper($4), $5)
$$;
create function policy_cmd_is(name, name, name, text) returns text language sql as
  $$ select @extschema@.policy_cmd_is($1, $2, $3, $4, format('Policy %s for table %s should apply to %s command',
    quote_ident($3), @extschema@.__tap_place($1, $2), upper($4))) $$;
create function policy_cmd_is(name, name, text, text) returns text language sql as
  'select @extschema@.policy_cmd_is(null, $1, $2, $3, $4)';
create function policy_cmd_is(name, name, text) returns text language sql as
  'select @extschema@.policy_cmd_is(null, $1, $2, $3)';

-- owners -------------------------------------------------------------------------------------------------------------

create function __tap_owned(kind text, said text, have name, want name, description text) returns text language sql as $$
  select case when have is null then @extschema@.__tap_ok(false, description, format('    %s %s', said,
    case when kind in ('type', 'operator class', 'index') then 'not found' else 'does not exist' end))
    else @extschema@."is"(have, want, description) end
$$;

do $do$
declare
  each record;
begin
  for each in values ('table', '{r,p}'), ('view', '{v}'), ('sequence', '{S}'), ('composite', '{c}'), ('foreign_table', '{f}'),
    ('materialized_view', '{m}'), ('relation', '{r,p,v,m,S,f,c}')
  loop
    execute format(
      'create function %1$I(name, name, name, text) returns text language sql as
         $body$ select @extschema@.__tap_owned(%2$L, %3$L || @extschema@.__tap_place($1, $2), (
           select pg_get_userbyid(relowner) from pg_class where oid = @extschema@.__tap_relation($1, $2)
           and relkind = any (%4$L::"char"[])), $3, $4) $body$;
       create function %1$I(name, name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, format(''%%s%%s should be owned by %%s'', %3$L,
           @extschema@.__tap_place($1, $2), quote_ident($3))) $body$;
       create function %1$I(name, name, text) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, $2, $3) $body$;
       create function %1$I(name, name) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, $2::name) $body$',
      each.column1 || '_owner_is', each.column1,
      case each.column1 when 'composite' then 'Composite type '
        else upper(left(each.column1, 1)) || replace(substr(each.column1, 2), '_', ' ') || ' ' end,
      each.column2);
  end loop;
  for each in values ('schema', 'select pg_get_userbyid(nspowner) from pg_namespace where nspname = $1', 'Schema'),
    ('db', 'select pg_get_userbyid(datdba) from pg_database where datname = $1', 'Database'),
    ('language', 'select pg_get_userbyid(lanowner) from pg_language where lanname = $1', 'Language'),
    ('tablespace', 'select pg_get_userbyid(spcowner) from pg_tablespace where spcname = $1', 'Tablespace')
  loop
    execute format(
      'create function %1$I(name, name, text) returns text language sql as
         $body$ select @extschema@.__tap_owned(%2$L, %4$L || quote_ident($1), (%3$s), $2, $3) $body$;
       create function %1$I(name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, format(''%%s%%s should be owned by %%s'', %4$L, quote_ident($1),
           quote_ident($2))) $body$',
      each.column1 || '_owner_is', each.column1, each.column2, each.column3 || ' ');
  end loop;
end
$do$;
create function type_owner_is(name, name, name, text) returns text language sql as $$
  select @extschema@.__tap_owned('type', 'Type ' || @extschema@.__tap_place($1, $2), (select pg_get_userbyid(typowner)
    from pg_type t join pg_namespace n on n.oid = typnamespace where typname = $2
    and case when $1 is null then pg_type_is_visible(t.oid) else nspname = $1 end), $3, $4)
$$;
create function type_owner_is(name, name, name) returns text language sql as
  $$ select @extschema@.type_owner_is($1, $2, $3, format('Type %s should be owned by %s', @extschema@.__tap_place($1, $2),
    quote_ident($3))) $$;
create function type_owner_is(name, name, text) returns text language sql as
  'select @extschema@.type_owner_is(null, $1, $2, $3)';
create function type_owner_is(name, name) returns text language sql as
  'select @extschema@.type_owner_is(null, $1, $2::name)';

create function opclass_owner_is(name, name, name, text) returns text language sql as $$
  select @extschema@.__tap_owned('operator class', 'Operator class ' || @extschema@.__tap_place($1, $2), (
    select pg_get_userbyid(opcowner) from pg_opclass o join pg_namespace n on n.oid = opcnamespace where opcname = $2
    and case when $1 is null then pg_opclass_is_visible(o.oid) else nspname = $1 end limit 1), $3, $4)
$$;
create function opclass_owner_is(name, name, name) returns text language sql as
  $$ select @extschema@.opclass_owner_is($1, $2, $3, format('Operator class %s should be owned by %s',
    @extschema@.__tap_place($1, $2), quote_ident($3))) $$;
create function opclass_owner_is(name, name, text) returns text language sql as
  'select @extschema@.opclass_owner_is(null, $1, $2, $3)';
create function opclass_owner_is(name, name) returns text language sql as
  'select @extschema@.opclass_owner_is(null, $1, $2::name)';

create function index_owner_is(name, name, name, name, text) returns text language sql as $$
  select @extschema@.__tap_owned('index', format('Index %s ON %s', quote_ident($3), @extschema@.__tap_place($1, $2)), (
    select pg_get_userbyid(relowner) from pg_class where oid = (@extschema@.__tap_index($1, $2, $3)).indexrelid), $4, $5)
$$;
create function index_owner_is(name, name, name, name) returns text language sql as
  $$ select @extschema@.index_owner_is($1, $2, $3, $4, format('Index %s ON %s should be owned by %s', quote_ident($3),
    @extschema@.__tap_place($1, $2), quote_ident($4))) $$;
create function index_owner_is(name, name, name, text) returns text language sql as
  'select @extschema@.index_owner_is(null, $1, $2, $3, $4)';
create function index_owner_is(name, name, name) returns text language sql as
  'select @extschema@.index_owner_is(null, $1, $2, $3::name)';

-- privileges ---------------------------------------------------------------------------------------------------------

-- `object` is what has_…_privilege takes; where it is not there `why` says so.
create function __tap_privileges(kind text, grantee name, object text, wanted name[], description text, missing text)
returns text language plpgsql as $$
declare
  every constant text[] := case kind
    when 'table' then '{DELETE,INSERT,REFERENCES,SELECT,TRIGGER,TRUNCATE,UPDATE}'
    when 'any_column' then '{INSERT,REFERENCES,SELECT,UPDATE}' when 'column' then '{INSERT,REFERENCES,SELECT,UPDATE}'
    when 'sequence' then '{SELECT,UPDATE,USAGE}' when 'schema' then '{CREATE,USAGE}' when 'function' then '{EXECUTE}'
    when 'database' then '{CONNECT,CREATE,TEMPORARY}' when 'tablespace' then '{CREATE}' else '{USAGE}' end;
  want constant text[] := array(select distinct case upper(each) when 'TEMP' then 'TEMPORARY' else upper(each) end
    from unnest(wanted::text[]) as each where each is not null);
  have text[];
  extra text[];
  absent text[];
begin
  if grantee <> 'public' and to_regrole(quote_ident(grantee)) is null then
    return @extschema@.__tap_ok(false, description, format('    Role %s does not exist', quote_ident(grantee)));
  end if;
  if missing is not null then
    return @extschema@.__tap_ok(false, description, missing);
  end if;
  execute format('select array_agg(each order by each) from unnest($1) as each where has_%s_privilege($2, %s, each)',
    kind, object) using every || case when kind = 'table' and 'MAINTAIN' = any (want) then array['MAINTAIN'] end, grantee
  into have;
  extra := array(select unnest(have) except select unnest(want) order by 1);
  absent := array(select unnest(want) except select unnest(have) order by 1);
  return @extschema@.__tap_ok(extra = '{}' and absent = '{}', description, concat_ws(E'\n',
    @extschema@.__tap_listed('Extra privileges', extra), @extschema@.__tap_listed('Missing privileges', absent)));
end
$$;

create function __tap_granted(grantee name, wanted name[], object text) returns text language sql immutable
  return format('Role %s should be granted %s on %s', quote_ident(grantee),
    coalesce(nullif(array_to_string(wanted, ', '), ''), 'no privileges'), object);

create function __tap_missing(said text, is_there boolean) returns text language sql immutable
  return case when not is_there then '    ' || said || ' does not exist' end;

do $do$
declare
  each record;
begin
  for each in values ('table', 'table ', 'Table '), ('sequence', 'sequence ', 'Sequence '), ('any_column', 'any column in ', 'Table ')
  loop
    execute format(
      'create function %1$I(name, name, name, name[], text) returns text language sql as
         $body$ select @extschema@.__tap_privileges(%2$L, $3,
           @extschema@.__tap_relation($1, $2)::text || ''::oid'', $4, $5,
           @extschema@.__tap_missing(%4$L || @extschema@.__tap_place($1, $2),
             @extschema@.__tap_relation($1, $2) is not null)) $body$;
       create function %1$I(name, name, name, name[]) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, $4, @extschema@.__tap_granted($3, $4,
           %3$L || @extschema@.__tap_place($1, $2))) $body$;
       create function %1$I(name, name, name[], text) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, $2, $3, $4) $body$;
       create function %1$I(name, name, name[]) returns text language sql as
         $body$ select @extschema@.%1$I(null, $1, $2, $3) $body$',
      each.column1 || '_privs_are', each.column1, each.column2, each.column3);
  end loop;
  for each in values ('schema', 'Schema ', 'to_regnamespace(quote_ident($1)) is not null'),
    ('database', 'Database ', 'exists (select from pg_database where datname = $1)'),
    ('language', 'Language ', 'exists (select from pg_language where lanname = $1)'),
    ('tablespace', 'Tablespace ', 'exists (select from pg_tablespace where spcname = $1)')
  loop
    execute format(
      'create function %1$I(name, name, name[], text) returns text language sql as
         $body$ select @extschema@.__tap_privileges(%2$L, $2, quote_literal($1), $3, $4,
           @extschema@.__tap_missing(%3$L || quote_ident($1), %4$s)) $body$;
       create function %1$I(name, name, name[]) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, @extschema@.__tap_granted($2, $3, %2$L || '' '' || quote_ident($1)))
         $body$',
      each.column1 || '_privs_are', each.column1, each.column2, each.column3);
  end loop;
end
$do$;

do $do$
declare
  each record;
begin
  for each in values ('fdw', 'foreign_data_wrapper', 'FDW', 'pg_foreign_data_wrapper where fdwname'),
    ('server', 'server', 'server', 'pg_foreign_server where srvname')
  loop
    execute format(
      'create function %1$I(name, name, name[], text) returns text language sql as
         $body$ select @extschema@.__tap_privileges(%2$L, $2, quote_literal($1), $3, $4, @extschema@.__tap_missing(
           %5$L || quote_ident($1), exists (select from %4$s = $1))) $body$;
       create function %1$I(name, name, name[]) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, $3, @extschema@.__tap_granted($2, $3, %3$L || '' '' || quote_ident($1)))
         $body$',
      each.column1 || '_privs_are', each.column2, each.column3, each.column4,
      upper(left(each.column3, 1)) || substr(each.column3, 2) || ' ');
  end loop;
end
$do$;

create function column_privs_are(name, name, name, name, name[], text) returns text language sql as $$
  select @extschema@.__tap_privileges('column', $4,
    @extschema@.__tap_relation($1, $2)::text || '::oid, ' || quote_literal($3), $5, $6,
    @extschema@.__tap_missing(format('Column %s.%s', @extschema@.__tap_place($1, $2), quote_ident($3)),
      (@extschema@.__tap_column($1, $2, $3)).attname is not null))
$$;
create function column_privs_are(name, name, name, name, name[]) returns text language sql as
  $$ select @extschema@.column_privs_are($1, $2, $3, $4, $5, @extschema@.__tap_granted($4, $5,
    format('column %s.%s', @extschema@.__tap_place($1, $2), quote_ident($3)))) $$;
create function column_privs_are(name, name, name, name[], text) returns text language sql as
  'select @extschema@.column_privs_are(null, $1, $2, $3, $4, $5)';
create function column_privs_are(name, name, name, name[]) returns text language sql as
  'select @extschema@.column_privs_are(null, $1, $2, $3, $4)';

create function function_privs_are(name, name, name[], name, name[], text) returns text language sql as $$
  select @extschema@.__tap_privileges('function', $4, f.oid::text || '::oid', $5, $6,
    @extschema@.__tap_missing('Function ' || @extschema@.__tap_signature($1, $2, $3), f.oid is not null))
  from (values (1)) as always left join lateral (
    select oid from @extschema@.__tap_functions($1, $2, coalesce($3, '{}')) limit 1) as f on true
$$;
create function function_privs_are(name, name, name[], name, name[]) returns text language sql as
  $$ select @extschema@.function_privs_are($1, $2, $3, $4, $5, @extschema@.__tap_granted($4, $5,
    'function ' || @extschema@.__tap_signature($1, $2, $3))) $$;
create function function_privs_are(name, name[], name, name[], text) returns text language sql as
  'select @extschema@.function_privs_are(null, $1, $2, $3, $4, $5)';
create function function_privs_are(name, name[], name, name[]) returns text language sql as
  'select @extschema@.function_privs_are(null, $1, $2, $3, $4)';

-- roles --------------------------------------------------------------------------------------------------------------

create function __tap_super(role name, want boolean, description text) returns text language sql as $$
  select case when found.rolsuper is null
    then @extschema@.__tap_ok(false, description, format('    User %s does not exist', quote_ident(role)))
    else @extschema@.ok(found.rolsuper = want, description) end
  from (values (1)) as always left join pg_roles as found on rolname = role
$$;
create function is_superuser(name, text) returns text language sql as
  'select @extschema@.__tap_super($1, true, $2)';
create function is_superuser(name) returns text language sql as
  $$ select @extschema@.is_superuser($1, format('User %s should be a super user', quote_ident($1))) $$;
create function isnt_superuser(name, text) returns text language sql as
  'select @extschema@.__tap_super($1, false, $2)';
create function isnt_superuser(name) returns text language sql as
  $$ select @extschema@.isnt_superuser($1, format('User %s should not be a super user', quote_ident($1))) $$;

create function __tap_members(role name, members name[], want boolean, description text) returns text language sql as $$
  select case when not exists (select from pg_roles where rolname = role)
    then @extschema@.__tap_ok(false, description, format('    Role %s does not exist', quote_ident(role)))
    else @extschema@.__tap_ok(cardinality(off) = 0, description, format(E'    Members %s the %s role:\n        %s',
    case when want then 'missing from' else 'who should not be in' end, quote_ident(role),
    array_to_string(off, E'\n        '))) end
  from (select array(select quote_ident(each) from unnest(members) as each where want <> exists (
    select from pg_auth_members join pg_roles r on r.oid = roleid join pg_roles m on m.oid = member
    where r.rolname = role and m.rolname = each)) as off) as found
$$;
do $do$
declare
  sign record;
begin
  for sign in values ('is_member_of', true, 'Should have'), ('isnt_member_of', false, 'Should not have') loop
    execute format(
      'create function %1$I(name, name[], text) returns text language sql as
         $body$ select @extschema@.__tap_members($1, $2, %2$L, $3) $body$;
       create function %1$I(name, name[]) returns text language sql as
         $body$ select @extschema@.%1$I($1, $2, format(''%3$s members of role %%s'', quote_ident($1))) $body$;
       create function %1$I(name, name, text) returns text language sql as
         $body$ select @extschema@.%1$I($1, array[$2], $3) $body$;
       create function %1$I(name, name) returns text language sql as
         $body$ select @extschema@.%1$I($1, array[$2]) $body$',
      sign.column1, sign.column2, sign.column3);
  end loop;
end
$do$;

-- about itself -------------------------------------------------------------------------------------------------------

create function pgtap_version() returns numeric language sql immutable return 1.3;
create function pg_version() returns text language sql stable return current_setting('server_version');
create function pg_version_num() returns integer language sql stable
  return current_setting('server_version_num')::integer;
create function os_name() returns text language sql immutable return 'linux';
create function collect_tap(character varying[]) returns text language sql as $$ select array_to_string($1, E'\n') $$;
create function collect_tap(variadic text[]) returns text language sql as $$ select array_to_string($1, E'\n') $$;

-- What a test says of itself, for tests of tests: whether it passes, its description, its diagnosis.
create function check_test(text, boolean, text, text, text, boolean) returns setof text language plpgsql as $$
declare
  lines constant text[] := string_to_array($1, E'\n');
  passed constant boolean := lines[1] not like 'not ok%';
  said constant text := coalesce(substring(lines[1] from '^(?:not )?ok \d+ - (.*)$'), '');
  why constant text := coalesce((select string_agg(substr(each, 3), E'\n' order by place)
    from unnest(lines) with ordinality as l (each, place)
    where place > 1 and each like '# %' and each not like '# Failed %test %'), '');
  name constant text := coalesce(nullif($3, '') || ' ', 'Test ');
begin
  -- the test that is looked at counts neither as run nor as failed
  perform setval('pg_temp.__tap_run', @extschema@.__tap_count('__tap_run') - 1);
  if not passed then
    perform setval('pg_temp.__tap_failed', @extschema@.__tap_count('__tap_failed') - 1);
  end if;
  return next @extschema@."is"(passed, $2, name || case when $2 then 'should pass' else 'should fail' end);
  if $4 is not null then
    return next @extschema@."is"(said, $4, name || 'should have the proper description');
  end if;
  if $5 is not null then
    return next case when $6 then @extschema@.matches(why, $5, name || 'should have the proper diagnostics')
      else @extschema@."is"(why, regexp_replace($5, '^\n?    ', '    '), name || 'should have the proper diagnostics') end;
  end if;
end
$$;
create function check_test(text, boolean, text, text, text) returns setof text language sql as
  'select @extschema@.check_test($1, $2, $3, $4, $5, false)';
create function check_test(text, boolean, text, text) returns setof text language sql as
  'select @extschema@.check_test($1, $2, $3, $4, null, false)';
create function check_test(text, boolean, text) returns setof text language sql as
  'select @extschema@.check_test($1, $2, $3, null, null, false)';
create function check_test(text, boolean) returns setof text language sql as
  'select @extschema@.check_test($1, $2, null, null, null, false)';

-- tests in functions -------------------------------------------------------------------------------------------------

create function findfuncs(name, text) returns text[] language sql stable as $$
  select array(select distinct format('%I.%I', nspname, proname) from pg_proc p join pg_namespace n on n.oid = pronamespace
    where nspname = $1 and proname ~ $2 order by 1)
$$;
create function findfuncs(text) returns text[] language sql stable as $$
  select array(select distinct format('%I.%I', nspname, proname) from pg_proc p join pg_namespace n on n.oid = pronamespace
    where pg_function_is_visible(p.oid) and proname ~ $1 order by 1)
$$;

create function findfuncs(name, text, text) returns text[] language sql stable as $$
  select array(select each from unnest(@extschema@.findfuncs($1, $2)) as each
    where each not in (select unnest(@extschema@.findfuncs($1, $3))))
$$;
create function findfuncs(text, text) returns text[] language sql stable as $$
  select array(select each from unnest(@extschema@.findfuncs($1)) as each
    where each not in (select unnest(@extschema@.findfuncs($2))))
$$;
create function diag_test_name(text) returns text language sql as $$ select @extschema@.diag($1 || '()') $$;

create function do_tap(name, text) returns setof text language plpgsql as $$
declare
  each text;
begin
  foreach each in array @extschema@.findfuncs($1, $2) loop
    return next @extschema@.diag(each || '()');
    return query execute format('select * from %s()', each);
  end loop;
end
$$;
create function do_tap(name) returns setof text language sql as $$ select @extschema@.do_tap($1, '^test') $$;

create function do_tap(text) returns setof text language plpgsql as $$
declare
  each text;
begin
  foreach each in array @extschema@.findfuncs($1) loop
    return next @extschema@.diag(each || '()');
    return query execute format('select * from %s()', each);
  end loop;
end
$$;
create function do_tap() returns setof text language sql as $$ select @extschema@.do_tap('^test'::text) $$;

-- Each test function runs as a test of several, and what it wrote is undone.
create function runtests(name, text) returns setof text language plpgsql as $$
declare
  each text;
  step text;
  line text;
  lines text[];
  number integer := 0;
  failed integer;
begin
  perform @extschema@.no_plan();
  foreach each in array @extschema@.findfuncs($1, '^startup') loop
    return query execute format('select * from %s()', each);
  end loop;
  foreach each in array @extschema@.findfuncs($1, $2) loop
    continue when each ~ '\.(startup|shutdown|setup|teardown)';
    number := number + 1;
    return next '    # Subtest: ' || each || '()';
    lines := '{}';
    perform setval('pg_temp.__tap_run', 0), setval('pg_temp.__tap_failed', 0);
    begin
      foreach step in array @extschema@.findfuncs($1, '^setup') || each || @extschema@.findfuncs($1, '^teardown') loop
        for line in execute format('select * from %s()', step) loop
          lines := lines || ('    ' || replace(line, E'\n', E'\n    '));
        end loop;
      end loop;
      raise exception using errcode = 'TAPRB';
    exception
      when sqlstate 'TAPRB' then
        failed := @extschema@.__tap_count('__tap_failed');
      when others then
        failed := 1;
        lines := lines || format(E'    # Test died: %s: %s', sqlstate, sqlerrm);
    end;
    return query select unnest(lines);
    return next '    1..' || @extschema@.__tap_count('__tap_run');
    return next format('%s %s - %s', case when failed = 0 then 'ok' else 'not ok' end, number, each);
  end loop;
  foreach each in array @extschema@.findfuncs($1, '^shutdown') loop
    return query execute format('select * from %s()', each);
  end loop;
  perform set_config('pgtap.plan', '', false);
  return next '1..' || number;
end
$$;
create function runtests(name) returns setof text language sql as $$ select @extschema@.runtests($1, '^test') $$;

-- Also where functions are closed to PUBLIC: a test takes on the roles of the API.
do $do$
declare
  each regprocedure;
begin
  for each in select oid from pg_proc where pronamespace = '@extschema@'::regnamespace and exists (
    select from pg_depend d join pg_extension e on e.oid = refobjid where objid = pg_proc.oid and extname = 'pgtap')
  loop
    execute format('grant execute on function %s to public', each);
  end loop;
end
$do$;
