-- Validation by JSON schema, of drafts 4 to 2020-12. What is not served ends with 0A000 instead of passing: references
-- out of the schema, `unevaluated…`, and `format` where the draft makes it count (7 and older, by `$schema`). What is
-- called runs as its owner: a check of a table holds for roles that may not look into this schema, as with functions in C.

create function json_matches_schema(schema json, instance json) returns boolean
language sql immutable strict parallel safe security definer set search_path = pg_catalog, pg_temp as $$
  select @extschema@._matches(schema::jsonb, schema::jsonb, instance::jsonb, 0) $$;

create function jsonb_matches_schema(schema json, instance jsonb) returns boolean
language sql immutable strict parallel safe security definer set search_path = pg_catalog, pg_temp as $$
  select @extschema@._matches(schema::jsonb, schema::jsonb, instance, 0) $$;

create function jsonschema_validation_errors(schema json, instance json) returns text[]
language plpgsql immutable strict parallel safe as $$
begin
  raise feature_not_supported using message = 'jsonschema_validation_errors is not available in this server',
    hint = 'json_matches_schema says whether a value is valid.';
end $$;

create function jsonschema_is_valid(schema json) returns boolean
language sql immutable strict parallel safe security definer set search_path = pg_catalog, pg_temp as $$
  select @extschema@._is_schema(schema::jsonb) $$;

create function _is_schema(schema jsonb) returns boolean
language plpgsql immutable strict parallel safe as $$
declare
  keyword text;
  value jsonb;
  kind text;
begin
  if jsonb_typeof(schema) = 'boolean' then
    return true;
  elsif jsonb_typeof(schema) <> 'object' then
    return false;
  end if;
  for keyword, value in select * from jsonb_each(schema) loop
    kind := jsonb_typeof(value);
    if keyword in ('minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'minContains', 'maxContains') then
      if kind <> 'number' or (value #>> '{}')::numeric < 0 or (value #>> '{}')::numeric % 1 <> 0 then
        return false;
      end if;
    elsif keyword in ('minimum', 'maximum', 'multipleOf') then
      if kind <> 'number' or (keyword = 'multipleOf' and (value #>> '{}')::numeric <= 0) then
        return false;
      end if;
    elsif keyword in ('exclusiveMinimum', 'exclusiveMaximum') then
      if kind <> 'number' and not (kind = 'boolean' and schema ->> '$schema' like '%draft-04%') then
        return false;
      end if;
    elsif keyword in ('pattern', '$ref', '$schema', '$id', 'format') then
      if kind <> 'string' then
        return false;
      end if;
    elsif keyword = 'uniqueItems' then
      if kind <> 'boolean' then
        return false;
      end if;
    elsif keyword = 'required' then
      if kind <> 'array' or jsonb_path_exists(value, '$[*] ? (@.type() <> "string")') then
        return false;
      end if;
    elsif keyword = 'enum' then
      if kind <> 'array' then
        return false;
      end if;
    elsif keyword = 'type' then
      if kind = 'string' then
        value := jsonb_build_array(value);
      elsif kind <> 'array' or value = '[]' then
        return false;
      end if;
      if exists (select from jsonb_array_elements(value) as t where t not in ('"null"', '"boolean"', '"object"', '"array"', '"number"', '"string"', '"integer"')) then
        return false;
      end if;
    elsif keyword in ('allOf', 'anyOf', 'oneOf', 'prefixItems') then
      if kind <> 'array' or value = '[]' or not (select bool_and(@extschema@._is_schema(e)) from jsonb_array_elements(value) as e) then
        return false;
      end if;
    elsif keyword in ('properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas') then
      if kind <> 'object' or not (select coalesce(bool_and(@extschema@._is_schema(e)), true) from jsonb_each(value) as m (k, e)) then
        return false;
      end if;
    elsif keyword in ('not', 'if', 'then', 'else', 'contains', 'additionalProperties', 'propertyNames', 'additionalItems') then
      if not @extschema@._is_schema(value) then
        return false;
      end if;
    elsif keyword = 'items' and kind = 'array' then
      if not (select coalesce(bool_and(@extschema@._is_schema(e)), true) from jsonb_array_elements(value) as e) then
        return false;
      end if;
    elsif keyword = 'items' and not @extschema@._is_schema(value) then
      return false;
    end if;
  end loop;
  return true;
end $$;

-- The part of a schema that a reference within it names.
create function _resolved(root jsonb, reference text) returns jsonb
language plpgsql immutable strict parallel safe as $$
declare
  part text;
  at jsonb := root;
begin
  if reference !~ '^#(/|$)' then
    raise feature_not_supported using
      message = format('pg_jsonschema of this server has no references out of a schema: %s', reference),
      hint = 'Put what is referred to below $defs and refer to it by #/$defs/NAME.';
  end if;
  foreach part in array coalesce((string_to_array(substr(reference, 2), '/'))[2:], '{}') loop
    part := replace(replace(part, '~1', '/'), '~0', '~');
    at := case jsonb_typeof(at) when 'array' then at -> part::int else at -> part end;
  end loop;
  if at is null then
    raise invalid_parameter_value using message = format('invalid JSON schema: %s is not there', reference);
  end if;
  return at;
end $$;

create function _matches(root jsonb, schema jsonb, instance jsonb, depth int) returns boolean
language plpgsql immutable strict parallel safe as $$
declare
  kind constant text := jsonb_typeof(instance);
  is_old constant boolean := coalesce(root ->> '$schema' ~ 'draft-0[3467]', false);
  number numeric;
  words text;
  size int;
  part jsonb;
  first int := 0;
  name text;
  hits int;
begin
  if jsonb_typeof(schema) = 'boolean' then
    return schema::boolean;
  elsif depth = 0 and not @extschema@._is_schema(schema) then
    raise invalid_parameter_value using message = 'invalid JSON schema';
  elsif depth > 200 then
    raise statement_too_complex using message = 'JSON schema refers to itself without end, or is too deep';
  end if;
  if schema ?| array['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef']
    or (is_old and schema ? 'format' and kind = 'string') then
    raise feature_not_supported using
      message = 'pg_jsonschema of this server does not know unevaluatedProperties, unevaluatedItems, $dynamicRef, and format of drafts up to 7',
      hint = 'Set DATABASE_URL to a Postgres server that has the extension pg_jsonschema.';
  end if;
  if schema ? '$ref' then
    if not @extschema@._matches(root, @extschema@._resolved(root, schema ->> '$ref'), instance, depth + 1) then
      return false;
    elsif is_old then
      return true;  -- what stands beside a reference did not count
    end if;
  end if;
  if schema ? 'type' then
    part := schema -> 'type';
    if jsonb_typeof(part) = 'string' then
      part := jsonb_build_array(part);
    end if;
    if not (part ? kind or (part ? 'integer' and kind = 'number' and (instance #>> '{}')::numeric % 1 = 0)) then
      return false;
    end if;
  end if;
  if schema ? 'enum' and not exists (select from jsonb_array_elements(schema -> 'enum') as e where e = instance)
    or schema ? 'const' and schema -> 'const' <> instance then
    return false;
  end if;
  if schema ? 'allOf' and not (
      select bool_and(@extschema@._matches(root, e, instance, depth + 1)) from jsonb_array_elements(schema -> 'allOf') as e)
    or schema ? 'anyOf' and not (
      select bool_or(@extschema@._matches(root, e, instance, depth + 1)) from jsonb_array_elements(schema -> 'anyOf') as e)
    or schema ? 'oneOf' and (
      select count(*) filter (where @extschema@._matches(root, e, instance, depth + 1))
      from jsonb_array_elements(schema -> 'oneOf') as e) <> 1
    or schema ? 'not' and @extschema@._matches(root, schema -> 'not', instance, depth + 1) then
    return false;
  end if;
  if schema ? 'if' then
    part := schema -> case when @extschema@._matches(root, schema -> 'if', instance, depth + 1) then 'then' else 'else' end;
    if part is not null and not @extschema@._matches(root, part, instance, depth + 1) then
      return false;
    end if;
  end if;

  if kind = 'number' then
    number := (instance #>> '{}')::numeric;
    if number < (schema ->> 'minimum')::numeric or number > (schema ->> 'maximum')::numeric
      or number % (schema ->> 'multipleOf')::numeric <> 0 then
      return false;
    end if;
    if jsonb_typeof(schema -> 'exclusiveMinimum') = 'boolean' then
      if (schema -> 'exclusiveMinimum')::boolean and number = (schema ->> 'minimum')::numeric then
        return false;
      end if;
    elsif number <= (schema ->> 'exclusiveMinimum')::numeric then
      return false;
    end if;
    if jsonb_typeof(schema -> 'exclusiveMaximum') = 'boolean' then
      if (schema -> 'exclusiveMaximum')::boolean and number = (schema ->> 'maximum')::numeric then
        return false;
      end if;
    elsif number >= (schema ->> 'exclusiveMaximum')::numeric then
      return false;
    end if;

  elsif kind = 'string' then
    words := instance #>> '{}';
    size := char_length(words);
    if size < (schema ->> 'minLength')::numeric or size > (schema ->> 'maxLength')::numeric
      or schema ? 'pattern' and words !~ (schema ->> 'pattern') then
      return false;
    end if;

  elsif kind = 'array' then
    size := jsonb_array_length(instance);
    if size < (schema ->> 'minItems')::numeric or size > (schema ->> 'maxItems')::numeric
      or schema -> 'uniqueItems' = 'true' and size <> (select count(distinct e) from jsonb_array_elements(instance) as e) then
      return false;
    end if;
    part := coalesce(schema -> 'prefixItems', case when jsonb_typeof(schema -> 'items') = 'array' then schema -> 'items' end);
    if part is not null then
      first := jsonb_array_length(part);
      for i in 0 .. least(first, size) - 1 loop
        if not @extschema@._matches(root, part -> i, instance -> i, depth + 1) then
          return false;
        end if;
      end loop;
      part := case when jsonb_typeof(schema -> 'items') = 'array' then schema -> 'additionalItems' else schema -> 'items' end;
    else
      part := schema -> 'items';
    end if;
    if part is not null then
      for i in first .. size - 1 loop
        if not @extschema@._matches(root, part, instance -> i, depth + 1) then
          return false;
        end if;
      end loop;
    end if;
    if schema ? 'contains' then
      select count(*) filter (where @extschema@._matches(root, schema -> 'contains', e, depth + 1)) into hits
      from jsonb_array_elements(instance) as e;
      if hits < coalesce((schema ->> 'minContains')::numeric, 1) or hits > (schema ->> 'maxContains')::numeric then
        return false;
      end if;
    end if;

  elsif kind = 'object' then
    size := (select count(*) from jsonb_object_keys(instance));
    if size < (schema ->> 'minProperties')::numeric or size > (schema ->> 'maxProperties')::numeric
      or schema ? 'required' and exists (
        select from jsonb_array_elements_text(schema -> 'required') as r where not instance ? r) then
      return false;
    end if;
    for name, part in select * from jsonb_each(instance) loop
      if schema -> 'properties' ? name and not @extschema@._matches(root, schema -> 'properties' -> name, part, depth + 1)
        or schema ? 'patternProperties' and exists (
          select from jsonb_each(schema -> 'patternProperties') as p (pattern, of)
          where name ~ pattern and not @extschema@._matches(root, of, part, depth + 1))
        or schema ? 'propertyNames' and not @extschema@._matches(root, schema -> 'propertyNames', to_jsonb(name), depth + 1)
        or schema ? 'additionalProperties' and not coalesce(schema -> 'properties' ? name, false) and not exists (
          select from jsonb_object_keys(coalesce(schema -> 'patternProperties', '{}')) as pattern where name ~ pattern)
          and not @extschema@._matches(root, schema -> 'additionalProperties', part, depth + 1) then
        return false;
      end if;
    end loop;
    for name, part in
      select d.* from unnest(array['dependentRequired', 'dependentSchemas', 'dependencies']) as k, jsonb_each(schema -> k) as d
    loop
      continue when not instance ? name;
      if jsonb_typeof(part) = 'array' then
        if exists (select from jsonb_array_elements_text(part) as r where not instance ? r) then
          return false;
        end if;
      elsif not @extschema@._matches(root, part, instance, depth + 1) then
        return false;
      end if;
    end loop;
  end if;
  return true;
end $$;
