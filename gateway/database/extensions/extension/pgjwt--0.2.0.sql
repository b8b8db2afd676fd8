-- JSON Web Tokens that are signed by a shared secret.

create function url_encode(data bytea) returns text language sql immutable strict
  return translate(encode(data, 'base64'), E'+/=\n', '-_');

create function url_decode(data text) returns bytea language sql immutable strict
  return decode(translate(data, '-_', '+/') || repeat('=', (4 - length(data) % 4) % 4), 'base64');

create function algorithm_sign(signables text, secret text, algorithm text) returns text language plpgsql immutable as $$
begin
  if algorithm not in ('HS256', 'HS384', 'HS512') then
    raise invalid_parameter_value using
      message = format('Cannot use "%s": tokens are signed by HS256, HS384 or HS512', algorithm);
  end if;
  return @extschema@.url_encode(@extschema:pgcrypto@.hmac(signables, secret, 'sha' || substr(algorithm, 3)));
end
$$;

create function sign(payload json, secret text, algorithm text default 'HS256') returns text
language plpgsql immutable as $$
declare
  signed constant text := @extschema@.url_encode(convert_to(format('{"alg":"%s","typ":"JWT"}', algorithm), 'UTF8'))
    || '.' || @extschema@.url_encode(convert_to(payload::text, 'UTF8'));
begin
  return signed || '.' || @extschema@.algorithm_sign(signed, secret, algorithm);
end
$$;

create function try_cast_double(inp text) returns double precision language plpgsql immutable as $$
begin
  return inp::double precision;
exception when others then
  return null;
end
$$;

create function verify(token text, secret text, algorithm text default 'HS256')
returns table (header json, payload json, valid boolean) language sql stable
begin atomic
  select
    convert_from(@extschema@.url_decode(parts[1]), 'UTF8')::json,
    claims,
    parts[3] = @extschema@.algorithm_sign(parts[1] || '.' || parts[2], secret, algorithm)
      and tstzrange(
        to_timestamp(@extschema@.try_cast_double(claims ->> 'nbf')),
        to_timestamp(@extschema@.try_cast_double(claims ->> 'exp'))
      ) @> current_timestamp
  from (
    select found as parts, convert_from(@extschema@.url_decode(found[2]), 'UTF8')::json as claims
    from (select string_to_array(token, '.') as found) as split
  ) as decoded;
end;
