-- uuid-ossp for a server whose programs have none. The node of the first version is random and says so by its multicast
-- bit, as RFC 9562 has it for hosts whose address is not to be told.

create function uuid_nil() returns uuid language sql immutable strict parallel safe
  return '00000000-0000-0000-0000-000000000000'::uuid;
create function uuid_ns_dns() returns uuid language sql immutable strict parallel safe
  return '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid;
create function uuid_ns_url() returns uuid language sql immutable strict parallel safe
  return '6ba7b811-9dad-11d1-80b4-00c04fd430c8'::uuid;
create function uuid_ns_oid() returns uuid language sql immutable strict parallel safe
  return '6ba7b812-9dad-11d1-80b4-00c04fd430c8'::uuid;
create function uuid_ns_x500() returns uuid language sql immutable strict parallel safe
  return '6ba7b814-9dad-11d1-80b4-00c04fd430c8'::uuid;

create function uuid_generate_v4() returns uuid language sql volatile strict parallel safe
  return gen_random_uuid();

-- Ticks of 100 ns since 1582, a version, fourteen bits of a clock sequence and a node.
create function _uuid_of_time(node bytea) returns uuid language plpgsql volatile strict parallel safe as $$
declare
  -- microseconds are all that the clock tells; the tenths are drawn, so that two of one moment differ
  random constant bytea := uuid_send(gen_random_uuid());
  ticks constant text := lpad(to_hex(
    (extract(epoch from clock_timestamp()) * 1000000)::bigint * 10 + get_byte(random, 0) % 10 + 122192928000000000
  ), 15, '0');
begin
  return (
    substr(ticks, 8, 8) || substr(ticks, 4, 4) || '1' || substr(ticks, 1, 3)
    || to_hex(128 | (get_byte(random, 1) & 63)) || lpad(to_hex(get_byte(random, 2)), 2, '0') || encode(node, 'hex')
  )::uuid;
end
$$;

create function uuid_generate_v1mc() returns uuid language plpgsql volatile strict parallel safe as $$
declare
  random constant bytea := substr(uuid_send(gen_random_uuid()), 11, 6);
begin
  return @extschema@._uuid_of_time(set_byte(random, 0, get_byte(random, 0) | 3));
end
$$;

-- The node is this server's, and no network card's: it follows from the cluster's own identifier.
create function uuid_generate_v1() returns uuid language plpgsql volatile strict parallel safe as $$
declare
  node constant bytea := substr(sha256(convert_to((select oid::text || datname from pg_database where datname = current_database()), 'UTF8')), 1, 6);
begin
  return @extschema@._uuid_of_time(set_byte(node, 0, get_byte(node, 0) | 3));
end
$$;

create function _uuid_of_hash(hash bytea, version integer) returns uuid language sql immutable strict parallel safe
  return encode(set_byte(
    set_byte(substr(hash, 1, 16), 6, (get_byte(hash, 6) & 15) | (version << 4)), 8, (get_byte(hash, 8) & 63) | 128
  ), 'hex')::uuid;

create function uuid_generate_v3(namespace uuid, name text) returns uuid language sql immutable strict parallel safe
  return @extschema@._uuid_of_hash(
    decode(md5(uuid_send(namespace) || convert_to(name, getdatabaseencoding())), 'hex'), 3
  );

-- version 5 wants SHA-1, which the server has not
create function _uuid_sha1(data bytea) returns bytea language plpgsql immutable strict parallel safe as $$
declare
  mask constant bigint := 4294967295;
  padded bytea := data || '\x80' || decode(repeat('00', (119 - length(data) % 64) % 64), 'hex')
    || int8send(length(data)::bigint * 8);
  words text;
  w bigint[];
  x bigint;
  h0 bigint := 1732584193; h1 bigint := 4023233417; h2 bigint := 2562383102; h3 bigint := 271733878;
  h4 bigint := 3285377520;
  a bigint; b bigint; c bigint; d bigint; e bigint;
begin
  for at in 0 .. length(padded) / 64 - 1 loop
    words := encode(substr(padded, at * 64 + 1, 64), 'hex');
    w := array_fill(0::bigint, array[80], array[0]);
    a := h0; b := h1; c := h2; d := h3; e := h4;
    for i in 0 .. 79 loop
      if i < 16 then
        x := ('x' || substr(words, i * 8 + 1, 8))::bit(32)::bigint;
      else
        x := w[i - 3] # w[i - 8] # w[i - 14] # w[i - 16];
        x := ((x << 1) & mask) | (x >> 31);
      end if;
      w[i] := x;
      x := x + e + (((a << 5) & mask) | (a >> 27)) + case
        when i < 20 then ((b & c) | ((b # mask) & d)) + 1518500249
        when i < 40 then (b # c # d) + 1859775393
        when i < 60 then ((b & c) | (b & d) | (c & d)) + 2400959708
        else (b # c # d) + 3395469782
      end;
      e := d; d := c; c := ((b << 30) & mask) | (b >> 2); b := a; a := x & mask;
    end loop;
    h0 := (h0 + a) & mask; h1 := (h1 + b) & mask; h2 := (h2 + c) & mask; h3 := (h3 + d) & mask; h4 := (h4 + e) & mask;
  end loop;
  return substr(int8send(h0), 5) || substr(int8send(h1), 5) || substr(int8send(h2), 5) || substr(int8send(h3), 5)
    || substr(int8send(h4), 5);
end
$$;

create function uuid_generate_v5(namespace uuid, name text) returns uuid language sql immutable strict parallel safe
  return @extschema@._uuid_of_hash(
    @extschema@._uuid_sha1(uuid_send(namespace) || convert_to(name, getdatabaseencoding())), 5
  );
