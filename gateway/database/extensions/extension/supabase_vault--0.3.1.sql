-- Secrets, sealed by a key in a file beside the database that is in no copy of it. The server has no library of ciphers:
-- a stream of HMAC-SHA-256 of a counter is added, and what comes out is signed by another key (encrypt, then MAC).

create table vault.secrets (
  id uuid primary key default gen_random_uuid(),
  name text,
  description text not null default '',
  secret text not null,
  key_id uuid,
  nonce bytea,
  created_at timestamptz not null default current_timestamp,
  updated_at timestamptz not null default current_timestamp
);
create unique index secrets_name_idx on vault.secrets (name) where name is not null;
comment on table vault.secrets is 'Table with encrypted `secret` column for storing sensitive information on disk.';
select pg_extension_config_dump('vault.secrets', '');
revoke all on vault.secrets from public;

-- The key lies in the folder that holds the cluster. Nobody may call this: the functions below do, as their owner.
create function vault._key(purpose text) returns bytea language sql stable security definer set search_path = ''
  return sha256(convert_to(purpose, 'UTF8') || sha256(pg_read_binary_file('../vault.key')));
revoke execute on function vault._key(text) from public;

create function vault._add(a bytea, b bytea) returns bytea language sql immutable strict
  -- what varbit_send writes is the length in bits, then the bytes
  return substr(varbit_send(('x' || encode(a, 'hex'))::varbit # ('x' || encode(b, 'hex'))::varbit), 5);

create function vault._mac(key bytea, data bytea) returns bytea language sql immutable strict
  return sha256(
    vault._add(key || decode(repeat('00', 32), 'hex'), decode(repeat('5c', 64), 'hex'))
    || sha256(vault._add(key || decode(repeat('00', 32), 'hex'), decode(repeat('36', 64), 'hex')) || data)
  );

create function vault._stream(data bytea, nonce bytea) returns bytea language plpgsql stable as $$
declare
  key constant bytea := vault._key('encrypt');
  stream constant bytea := (
    select string_agg(vault._mac(key, nonce || int4send(n)), '' order by n)
    from generate_series(0, (length(data) - 1) / 32) as n
  );
begin
  return case when length(data) = 0 then data else vault._add(data, substr(stream, 1, length(data))) end;
end
$$;

create function vault._crypto_aead_det_noncegen() returns bytea language sql volatile
  return substr(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 1, 24);

create function vault._crypto_aead_det_encrypt(message bytea, additional bytea, key_id bigint, context bytea, nonce bytea)
returns bytea language plpgsql stable security definer set search_path = '' as $$
declare
  sealed constant bytea := vault._stream(message, nonce);
begin
  return sealed || vault._mac(vault._key('sign'), nonce || int8send(length(additional)) || additional || sealed);
end
$$;

create function vault._crypto_aead_det_decrypt(message bytea, additional bytea, key_id bigint, context bytea, nonce bytea)
returns bytea language plpgsql stable security definer set search_path = '' as $$
declare
  sealed constant bytea := substr(message, 1, greatest(length(message) - 32, 0));
begin
  if substr(message, length(message) - 31) is distinct from
    vault._mac(vault._key('sign'), nonce || int8send(length(additional)) || additional || sealed) then
    raise exception using errcode = 'XX001', message = 'the secret was sealed by another key',
      hint = 'Secrets are read with the file vault.key of the data folder that they were stored in. Store them anew.';
  end if;
  return vault._stream(sealed, nonce);
end
$$;

create view vault.decrypted_secrets with (security_barrier) as
select id, name, description, secret,
  convert_from(
    vault._crypto_aead_det_decrypt(decode(secret, 'base64'), uuid_send(id), 0, '\x7067736f6469756d', nonce), 'UTF8'
  ) as decrypted_secret,
  key_id, nonce, created_at, updated_at
from vault.secrets;
revoke all on vault.decrypted_secrets from public;

create function vault.create_secret(
  new_secret text, new_name text default null, new_description text default '', new_key_id uuid default null
) returns uuid language plpgsql security definer set search_path = '' as $$
declare
  made constant uuid := gen_random_uuid();
  fresh constant bytea := vault._crypto_aead_det_noncegen();
begin
  insert into vault.secrets (id, secret, name, description, nonce) values (
    made,
    encode(vault._crypto_aead_det_encrypt(
      convert_to(new_secret, 'UTF8'), uuid_send(made), 0, '\x7067736f6469756d', fresh
    ), 'base64'),
    new_name, new_description, fresh
  );
  return made;
end
$$;

create function vault.update_secret(
  secret_id uuid, new_secret text default null, new_name text default null, new_description text default null,
  new_key_id uuid default null
) returns void language plpgsql security definer set search_path = '' as $$
declare
  fresh constant bytea := vault._crypto_aead_det_noncegen();
begin
  update vault.secrets set
    secret = case when new_secret is null then secret else encode(vault._crypto_aead_det_encrypt(
      convert_to(new_secret, 'UTF8'), uuid_send(secret_id), 0, '\x7067736f6469756d', fresh
    ), 'base64') end,
    nonce = case when new_secret is null then nonce else fresh end,
    name = coalesce(new_name, name),
    description = coalesce(new_description, description),
    updated_at = now()
  where id = secret_id;
end
$$;

revoke execute on all functions in schema vault from public;
grant select, delete on vault.secrets, vault.decrypted_secrets to postgres with grant option;
grant select, delete on vault.secrets, vault.decrypted_secrets to service_role;
grant execute on function
  vault.create_secret(text, text, text, uuid), vault.update_secret(uuid, text, text, text, uuid),
  vault._crypto_aead_det_decrypt(bytea, bytea, bigint, bytea, bytea)
to postgres, service_role;
