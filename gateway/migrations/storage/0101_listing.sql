-- The pages of the list routes, also called by applications. All run with the caller's rights.
--
-- A page costs what is on it and what is skipped before it, however many objects lie in folders: a folder is jumped over
-- by the index, and what is skipped is counted in runs rather than row by row.

-- What begins with a prefix lies between it and this text, bytewise. The greatest code point there is stands for "after
-- everything"; names hold ASCII alone.
create function storage.prefix_end(prefix text) returns text language sql immutable
  return prefix || U&'\+10FFFF';

create function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text) returns text
language sql immutable
  return case
    when p_delimiter = '' or position(p_delimiter in substr(p_key, length(p_prefix) + 1)) = 0 then null
    else left(
      p_key, length(p_prefix) + position(p_delimiter in substr(p_key, length(p_prefix) + 1)) + length(p_delimiter) - 1
    )
  end;

-- By a time: folders first, by name, then files by time.
create function storage.search_by_timestamp(
  p_prefix text, p_bucket_id text, p_limit integer, p_offset integer, p_search text, p_sort_column text,
  p_sort_order text
) returns table (
  name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
) language plpgsql stable as $$
declare
  full_prefix text := lower(p_prefix || p_search);
begin
  return query execute format(
    $q$
      with level as (
        select o.*, storage.get_common_prefix(o.name, left(o.name, length($2)), '/') as folder
        from storage.objects as o
        where o.bucket_id = $1 and lower(o.name) collate "C" >= $2 and lower(o.name) collate "C" < storage.prefix_end($2)
      ), entries as (
        select distinct on (lower(folder))
          0 as kind, rtrim(substr(folder, length($3) + 1), '/') as entry, lower(folder) collate "C" as position,
          null::uuid as id, null::timestamptz as updated_at, null::timestamptz as created_at,
          null::timestamptz as last_accessed_at, null::jsonb as metadata, null::timestamptz as moment
        from level where folder is not null
        union all
        select 1, substr(level.name, length($3) + 1), lower(level.name) collate "C", level.id, level.updated_at,
          level.created_at, level.last_accessed_at, level.metadata, level.%1$I
        from level where folder is null
      )
      select entry, id, updated_at, created_at, last_accessed_at, metadata from entries
      order by kind, moment %2$s, position %2$s limit $4 offset $5
    $q$,
    case when p_sort_column in ('updated_at', 'created_at', 'last_accessed_at') then p_sort_column else 'created_at' end,
    case when lower(p_sort_order) = 'desc' then 'desc' else 'asc' end
  ) using p_bucket_id, full_prefix, p_prefix, p_limit, p_offset;
end
$$;

-- Names that differ in case alone are told apart by the name itself, or a page could begin between two of them.
create function storage.search(
  prefix text, bucketname text, limits integer default 100, levels integer default 1, offsets integer default 0,
  search text default '', sortcolumn text default 'name', sortorder text default 'asc'
) returns table (
  name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
) language plpgsql stable as $$
#variable_conflict use_column
declare
  shown_after constant integer := length(coalesce(prefix, ''));
  wanted constant text := lower(coalesce(prefix, '') || coalesce(search, ''));
  descending constant boolean := lower(coalesce(sortorder, 'asc')) = 'desc';
  most constant integer := least(coalesce(limits, 100), 1500);
  -- what is left lies between these two, and behind `beyond` where its lower case is that of the edge passed last
  low text := wanted;
  high text := storage.prefix_end(wanted);
  beyond text := '';
  skip integer := greatest(coalesce(offsets, 0), 0);
  given integer := 0;
  run integer := 1000;
  files integer;
  has_folder boolean;
  last text;
  folder text;
  object storage.objects;
begin
  if coalesce(sortcolumn, 'name') <> 'name' then
    return query select * from storage.search_by_timestamp(
      coalesce(prefix, ''), bucketname, most, skip, coalesce(search, ''), sortcolumn, sortorder
    );
    return;
  end if;

  -- A run of files is passed at once, up to the first folder in it. Where there is no folder, and no name like the last
  -- one in another case, the run need only be counted: that is the usual case, and three times as quick.
  while skip > 0 loop
    if beyond = '' then
      if descending then
        select count(*), min(key collate "C"), coalesce(bool_or(is_folder), false) into files, last, has_folder from (
          select lower(o.name) as key, position('/' in substr(o.name, length(wanted) + 1)) > 0 as is_folder
          from storage.objects as o
          where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" < high
          order by lower(o.name) collate "C" desc limit least(run, skip)
        ) as run_of_names;
      else
        select count(*), max(key collate "C"), coalesce(bool_or(is_folder), false) into files, last, has_folder from (
          select lower(o.name) as key, position('/' in substr(o.name, length(wanted) + 1)) > 0 as is_folder
          from storage.objects as o
          where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" < high
          order by lower(o.name) collate "C" limit least(run, skip)
        ) as run_of_names;
      end if;
      if files = 0 then
        return;
      end if;
      if not has_folder and (
        select count(*) = 1 from storage.objects as o
        where o.bucket_id = bucketname and lower(o.name) collate "C" = last
      ) then
        skip := skip - files;
        run := run * 8;
        if descending then
          high := last;
        else
          low := last || chr(1);
        end if;
        continue;
      end if;
      run := least(run, 32);
    end if;
    if descending then
      select count(*) filter (where first is null or nth < first),
        (array_agg(found.name order by nth desc) filter (where first is null or nth < first))[1],
        max(found.name collate "C") filter (where nth = first)
      into files, last, folder
      from (
        select numbered.*, min(nth) filter (where is_folder) over () as first
        from (
          select o.name, position('/' in substr(o.name, length(wanted) + 1)) > 0 as is_folder,
            row_number() over (order by lower(o.name) collate "C" desc, o.name collate "C" desc) as nth
          from storage.objects as o
          where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" <= high
            and (lower(o.name) collate "C", o.name collate "C") < (high, beyond)
          order by lower(o.name) collate "C" desc, o.name collate "C" desc limit least(run, skip)
        ) as numbered
      ) as found;
    else
      select count(*) filter (where first is null or nth < first),
        (array_agg(found.name order by nth desc) filter (where first is null or nth < first))[1],
        max(found.name collate "C") filter (where nth = first)
      into files, last, folder
      from (
        select numbered.*, min(nth) filter (where is_folder) over () as first
        from (
          select o.name, position('/' in substr(o.name, length(wanted) + 1)) > 0 as is_folder,
            row_number() over (order by lower(o.name) collate "C", o.name collate "C") as nth
          from storage.objects as o
          where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" < high
            and (lower(o.name) collate "C", o.name collate "C") > (low, beyond)
          order by lower(o.name) collate "C", o.name collate "C" limit least(run, skip)
        ) as numbered
      ) as found;
    end if;
    if files = 0 and folder is null then
      return;
    end if;
    skip := skip - files;
    if folder is null then
      run := run * 4;
      beyond := last;
      last := lower(last);
    else
      skip := skip - 1;
      run := greatest(files, 8);
      beyond := '';
      last := storage.get_common_prefix(lower(folder), wanted, '/');
    end if;
    if descending then
      high := last;
    elsif folder is null then
      low := last;
    else
      low := storage.prefix_end(last);
    end if;
  end loop;

  while given < most loop
    folder := null;
    files := 0;
    for object in execute format(
      $q$
        select o.* from storage.objects as o
        where o.bucket_id = $1 and lower(o.name) collate "C" >= $2 and lower(o.name) collate "C" <= $3
          and (lower(o.name) collate "C", o.name collate "C") %1$s
        order by lower(o.name) collate "C" %2$s, o.name collate "C" %2$s limit $5
      $q$,
      case when descending then '< ($3, $4)' else '> ($2, $4)' end, case when descending then 'desc' else 'asc' end
    ) using bucketname, low, high, beyond, most - given
    loop
      folder := storage.get_common_prefix(object.name, left(object.name, length(wanted)), '/');
      exit when folder is not null;
      files := files + 1;
      name := substr(object.name, shown_after + 1);
      id := object.id; updated_at := object.updated_at; created_at := object.created_at;
      last_accessed_at := object.last_accessed_at; metadata := object.metadata;
      return next;
    end loop;
    exit when folder is null;
    given := given + files + 1;
    name := rtrim(substr(folder, shown_after + 1), '/');
    id := null; updated_at := null; created_at := null; last_accessed_at := null; metadata := null;
    return next;
    beyond := '';
    if descending then
      high := lower(folder);
    else
      low := storage.prefix_end(lower(folder));
    end if;
  end loop;
end
$$;

-- Full names, case-sensitive and bytewise, with the key of each below the prefix. Pages go on after a name. By a time,
-- folders come first, by name, and pages go on after a folder (which has no time) or a time to the millisecond and a name.
create function storage.search_v2(
  prefix text, bucket_name text, limits integer default 100, levels integer default 1, start_after text default '',
  sort_order text default 'asc', sort_column text default 'name', sort_column_after text default ''
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz,
  metadata jsonb
) language plpgsql stable as $$
#variable_conflict use_column
declare
  wanted constant text := coalesce(prefix, '');
  descending constant boolean := lower(coalesce(sort_order, 'asc')) = 'desc';
  most constant integer := least(coalesce(limits, 100), 1500);
  after constant text := coalesce(start_after, '');
  low text := coalesce(prefix, '');
  high text := storage.prefix_end(coalesce(prefix, ''));
  given integer := 0;
  folder text;
  files integer;
  object storage.objects;
begin
  if coalesce(sort_column, 'name') <> 'name' then
    return query execute format(
      $q$
        with level as (
          select o.*, storage.get_common_prefix(o.name, $2, '/') as folder, date_trunc('milliseconds', o.%1$I) as moment
          from storage.objects as o
          where o.bucket_id = $1 and o.name collate "C" >= $2 and o.name collate "C" < storage.prefix_end($2)
        ), entries as (
          select distinct 0 as kind, rtrim(substr(folder, length($2) + 1), '/') as key, folder collate "C" as name,
            null::uuid as id, null::timestamptz as updated_at, null::timestamptz as created_at,
            null::timestamptz as last_accessed_at, null::jsonb as metadata, null::timestamptz as moment
          from level where folder is not null
          union all
          select 1, substr(level.name, length($2) + 1), level.name collate "C", level.id, level.updated_at,
            level.created_at, level.last_accessed_at, level.metadata, moment
          from level where folder is null
        )
        select key, name, id, updated_at, created_at, last_accessed_at, metadata from entries
        where case
          when $3 = '' then true
          when $4 = '' then kind = 1 or name %3$s $3 collate "C"
          else kind = 1 and (moment, name) %3$s ($4::timestamptz, $3 collate "C")
        end
        order by kind, moment %2$s, name %2$s limit $5
      $q$,
      case when sort_column = 'updated_at' then 'updated_at' else 'created_at' end,
      case when descending then 'desc' else 'asc' end,
      case when descending then '<' else '>' end
    ) using bucket_name, wanted, after, coalesce(sort_column_after, ''), most;
    return;
  end if;

  if after <> '' and descending then
    high := least(high collate "C", after collate "C");
  elsif after <> '' then
    -- after a folder comes what is behind all that lies in it
    low := greatest(
      low collate "C", (case when right(after, 1) = '/' then storage.prefix_end(after) else after || chr(1) end) collate "C"
    );
  end if;
  while given < most loop
    folder := null;
    files := 0;
    for object in execute format(
      $q$
        select o.* from storage.objects as o
        where o.bucket_id = $1 and o.name collate "C" >= $2 and o.name collate "C" < $3
        order by o.name collate "C" %s limit $4
      $q$,
      case when descending then 'desc' else 'asc' end
    ) using bucket_name, low, high, most - given
    loop
      folder := storage.get_common_prefix(object.name, wanted, '/');
      exit when folder is not null;
      files := files + 1;
      key := substr(object.name, length(wanted) + 1); name := object.name;
      id := object.id; updated_at := object.updated_at; created_at := object.created_at;
      last_accessed_at := object.last_accessed_at; metadata := object.metadata;
      return next;
    end loop;
    exit when folder is null;
    given := given + files + 1;
    key := rtrim(substr(folder, length(wanted) + 1), '/'); name := folder;
    id := null; updated_at := null; created_at := null; last_accessed_at := null; metadata := null;
    return next;
    if descending then
      high := folder;
    else
      low := storage.prefix_end(folder);
    end if;
  end loop;
end
$$;

create function storage.list_objects_with_delimiter(
  _bucket_id text, prefix_param text, delimiter_param text, max_keys integer default 100, start_after text default '',
  next_token text default '', sort_order text default 'asc'
) returns table (
  name text, id uuid, metadata jsonb, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz
) language plpgsql stable as $$
#variable_conflict use_column
begin
  if delimiter_param <> '/' then
    raise invalid_parameter_value using message = 'the delimiter must be /';
  end if;
  return query
    select found.name, found.id, found.metadata, found.updated_at, found.created_at, found.last_accessed_at
    from storage.search_v2(
      prefix_param, _bucket_id, max_keys, 1, coalesce(nullif(next_token, ''), start_after), sort_order
    ) as found;
end
$$;

create function storage.list_multipart_uploads_with_delimiter(
  bucket_id text, prefix_param text, delimiter_param text, max_keys integer default 100, next_key_token text default '',
  next_upload_token text default ''
) returns table (key text, id text, created_at timestamptz) language sql stable
begin atomic
  select entry, found_id, moment from (
    select distinct on (coalesce(storage.get_common_prefix(u.key, prefix_param, delimiter_param), u.key || '/' || u.id))
      coalesce(storage.get_common_prefix(u.key, prefix_param, delimiter_param), u.key) as entry,
      u.id as found_id, u.created_at as moment
    from storage.s3_multipart_uploads as u
    where u.bucket_id = list_multipart_uploads_with_delimiter.bucket_id
      and starts_with(u.key, prefix_param)
      and (next_key_token = '' or (u.key, u.id) > (next_key_token collate "C", next_upload_token))
  ) as entries
  order by entry collate "C", found_id limit max_keys;
end;

grant execute on function
  storage.prefix_end(text), storage.get_common_prefix(text, text, text),
  storage.search_by_timestamp(text, text, integer, integer, text, text, text),
  storage.search(text, text, integer, integer, integer, text, text, text),
  storage.search_v2(text, text, integer, integer, text, text, text, text),
  storage.list_objects_with_delimiter(text, text, text, integer, text, text, text),
  storage.list_multipart_uploads_with_delimiter(text, text, text, integer, text, text)
to public;
