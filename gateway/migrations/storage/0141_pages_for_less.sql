-- Pages of list v1, for less: what is skipped is looked at once a row, and the page's own statement is planned once a
-- session.

-- Names that differ in case alone are told apart by the name itself, or a page could begin between two of them.
create or replace function storage.search(
  prefix text, bucketname text, limits integer default 100, levels integer default 1, offsets integer default 0,
  search text default '', sortcolumn text default 'name', sortorder text default 'asc'
) returns table (
  name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
) language plpgsql stable as $$
#variable_conflict use_column
declare
  shown_after constant integer := length(coalesce(prefix, ''));
  wanted constant text := lower(coalesce(prefix, '') || coalesce(search, ''));
  in_folder constant text := repeat('_', length(wanted)) || '%/%';
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
  page refcursor;
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
        select count(*), min(key), coalesce(bool_or(key like in_folder), false) into files, last, has_folder from (
          select lower(o.name) collate "C" as key
          from storage.objects as o
          where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" < high
          order by lower(o.name) collate "C" desc limit least(run, skip)
        ) as run_of_names;
      else
        select count(*), max(key), coalesce(bool_or(key like in_folder), false) into files, last, has_folder from (
          select lower(o.name) collate "C" as key
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
    if descending then
      open page for
        select o.* from storage.objects as o
        where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" <= high
          and (lower(o.name) collate "C", o.name collate "C") < (high, beyond)
        order by lower(o.name) collate "C" desc, o.name collate "C" desc limit most - given;
    else
      open page for
        select o.* from storage.objects as o
        where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" <= high
          and (lower(o.name) collate "C", o.name collate "C") > (low, beyond)
        order by lower(o.name) collate "C", o.name collate "C" limit most - given;
    end if;
    loop
      fetch page into object;
      exit when not found;
      folder := storage.get_common_prefix(object.name, left(object.name, length(wanted)), '/');
      exit when folder is not null;
      files := files + 1;
      name := substr(object.name, shown_after + 1);
      id := object.id; updated_at := object.updated_at; created_at := object.created_at;
      last_accessed_at := object.last_accessed_at; metadata := object.metadata;
      return next;
    end loop;
    close page;
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
