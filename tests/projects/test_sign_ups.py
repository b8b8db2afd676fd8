"""What applications make of a sign-up by triggers, hooks and calls, each tried in an instance of its own."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import jwt
import pytest

from gateway.testing.client import Keeper, TestInstance

PASSWORD = "a password for tests"
SCHEMA = """
create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  username text unique check (length(username) > 2),
  born date, is_admin boolean not null default false, made_at timestamptz default now()
);
alter table public.profiles enable row level security;
create policy "Everybody sees them" on public.profiles for select using (true);
create policy "Admins change them" on public.profiles for update to authenticated
  using (auth.jwt() ->> 'level' = 'admin');

create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into public.profiles (id, username, born)
  values (new.id, new.raw_user_meta_data ->> 'username', (new.raw_user_meta_data ->> 'born')::date);
  return new;
end;
$$;
create trigger on_auth_user_created after insert on auth.users
  for each row execute procedure public.handle_new_user();

create function public.email_of(name text) returns text language sql security definer set search_path = '' as
  $$ select u.email from auth.users as u join public.profiles as p on p.id = u.id where p.username = name $$;
create function public.leave() returns void language sql security definer set search_path = '' as
  $$ delete from auth.users where id = auth.uid() $$;
create function public.set_claim(uid uuid, claim text, value jsonb) returns text language plpgsql security definer
set search_path = public as $$
begin
  if current_setting('request.jwt.claims', true)::jsonb ->> 'role' <> 'service_role' then
    return 'error: access denied';
  end if;
  update auth.users set raw_app_meta_data = raw_app_meta_data || json_build_object(claim, value)::jsonb where id = uid;
  return 'OK';
end;
$$;
create function public.token_hook(event jsonb) returns jsonb language plpgsql stable as $$
begin
  return jsonb_set(event, '{claims,level}', to_jsonb(coalesce(
    (select case when is_admin then 'admin' else 'member' end from public.profiles
     where id = (event ->> 'user_id')::uuid), 'none')));
end;
$$;
grant execute on function public.token_hook to supabase_auth_admin;
grant select on public.profiles to supabase_auth_admin;
revoke execute on function public.token_hook from authenticated, anon, public;
create policy "Auth reads them" on public.profiles for select to supabase_auth_admin using (true);
"""
SEED = """
insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
  raw_user_meta_data, created_at, updated_at, confirmation_token, email_change, email_change_token_new, recovery_token)
values ('00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-00000000000a', 'authenticated',
  'authenticated', 'seeded@example.com', crypt('a password for tests', gen_salt('bf')), now(),
  '{"provider": "email", "providers": ["email"]}', '{"username": "seeded"}', now(), now(), '', '', '', '');
insert into auth.identities (id, user_id, provider_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
select gen_random_uuid(), id, id, jsonb_build_object('sub', id, 'email', email), 'email', now(), now(), now()
from auth.users;
"""
HOOK = {
    "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED": "true",
    "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI": "pg-functions://postgres/public/token_hook",
}


@pytest.fixture(scope="module")
def keeper() -> Iterator[Keeper]:
    folder = Path(tempfile.mkdtemp(prefix="gw-sign-"))  # a short path: a socket's may not be long
    (folder / "supabase" / "migrations").mkdir(parents=True)
    (folder / "supabase" / "config.toml").write_text("[auth]\nenable_anonymous_sign_ins = true\n")
    (folder / "supabase" / "migrations" / "20260101000000_profiles.sql").write_text(SCHEMA)
    (folder / "supabase" / "seed.sql").write_text(SEED)
    made = Keeper(folder)
    yield made
    made.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def instance(keeper: Keeper) -> Iterator[TestInstance]:
    with keeper.instance() as made:
        yield made


def sign_up(instance: TestInstance, name: str, **metadata: str) -> httpx.Response:
    body = {"email": f"{name}@example.com", "password": PASSWORD, "data": metadata}
    return instance.client().post("/auth/v1/signup", json=body)


def sign_in(instance: TestInstance, email: str) -> httpx.Response:
    body = {"email": email, "password": PASSWORD}
    return instance.client().post("/auth/v1/token?grant_type=password", json=body)


def trigger(instance: TestInstance, body: str, when: str, prefix: str = "", rights: str = "security definer") -> None:
    """A further trigger on auth.users, as a migration makes one."""
    instance.sql(
        f"create function public.further() returns trigger language plpgsql {rights} as $$ begin {body} end $$;"
    )
    instance.sql(
        f"create {prefix} trigger further {when} on auth.users"
        f" {'deferrable initially deferred' if prefix else ''} for each row execute function public.further()"
    )


def names(instance: TestInstance) -> list[str]:
    return [row["username"] for row in instance.client().get("/rest/v1/profiles?order=username").json()]


def changed(instance: TestInstance, token: str) -> list[str]:
    """Whose rows a signed-in user could change."""
    answer = instance.client(token).patch(
        "/rest/v1/profiles?username=eq.seeded",
        json={"born": "2000-01-01"},
        headers={"Prefer": "return=representation"},
    )
    return [row["username"] for row in answer.json()]


def test_what_a_sign_up_says_of_itself_becomes_a_row(instance: TestInstance) -> None:
    assert sign_up(instance, "ada", username="ada", born="1815-12-10").status_code == 200
    answer = instance.client().get("/rest/v1/profiles?username=eq.ada&select=born,is_admin")
    assert answer.json() == [{"born": "1815-12-10", "is_admin": False}]


@pytest.mark.parametrize(
    "metadata", [{"username": "seeded"}, {"username": "x"}, {"username": "fine", "born": "never"}],
    ids=["taken", "too short", "no date"],
)  # fmt: skip
def test_what_the_application_refuses_leaves_nothing_and_may_be_tried_again(
    instance: TestInstance, metadata: dict[str, str]
) -> None:
    refused = sign_up(instance, "ada", **metadata)
    assert refused.status_code == 500 and "User already" not in refused.text
    assert instance.sql("select count(*) from auth.users") == [("1",)]
    assert sign_up(instance, "ada", username="ada").status_code == 200
    assert names(instance) == ["ada", "seeded"]


def test_who_is_not_invited_is_kept_out(instance: TestInstance) -> None:
    trigger(
        instance,
        "if new.email not like '%@example.org' then raise exception 'By invitation'; end if; return new;",
        "before insert",
    )
    refused = sign_up(instance, "ada", username="ada")
    assert (refused.status_code, refused.json()["message"]) == (500, "By invitation")
    body = {"email": "bea@example.org", "password": PASSWORD, "data": {"username": "bea"}}
    assert instance.client().post("/auth/v1/signup", json=body).status_code == 200


def test_a_trigger_has_the_rights_of_auth_alone_unless_it_is_a_definer(instance: TestInstance) -> None:
    trigger(instance, "update public.profiles set is_admin = true where id = new.id; return new;", "after insert",
            rights="")  # fmt: skip
    assert sign_up(instance, "ada", username="ada").status_code == 500
    instance.sql("alter function public.further() security definer")
    assert sign_up(instance, "ada", username="ada").status_code == 200


def test_a_constraint_trigger_that_refuses_at_the_end_leaves_nothing(instance: TestInstance) -> None:
    trigger(instance, "raise exception 'too late'; return null;", "after insert", "constraint")
    assert sign_up(instance, "ada", username="ada").status_code == 500
    assert names(instance) == ["seeded"]


def test_a_confirmed_address_is_told_to_the_application(keeper: Keeper) -> None:
    with keeper.instance({"GOTRUE_MAILER_AUTOCONFIRM": "false"}) as instance:
        instance.sql("create table public.welcomed (email text)")
        trigger(
            instance,
            "if old.email_confirmed_at is null and new.email_confirmed_at is not null then"
            " insert into public.welcomed values (new.email); end if; return new;",
            "after update",
        )
        assert "access_token" not in sign_up(instance, "ada", username="ada").json()
        assert sign_in(instance, "ada@example.com").status_code == 400
        found = re.search(r"http\S+/auth/v1/verify\S+", instance.mail("ada@example.com")["text"])
        assert found is not None
        assert httpx.get(found[0], trust_env=False).status_code == 303
        assert instance.sql("select email from public.welcomed") == [("ada@example.com",)]
        assert sign_in(instance, "ada@example.com").status_code == 200


def test_who_is_seeded_by_sql_signs_in_by_name(instance: TestInstance) -> None:
    email = instance.client().post("/rest/v1/rpc/email_of", json={"name": "seeded"}).json()
    assert sign_in(instance, email).json()["user"]["user_metadata"] == {"username": "seeded"}


def test_a_hook_puts_the_applications_role_into_the_token_that_policies_read(keeper: Keeper) -> None:
    with keeper.instance(HOOK) as instance:
        token = sign_up(instance, "ada", username="ada").json()["access_token"]
        assert jwt.decode(token, options={"verify_signature": False})["level"] == "member"
        assert changed(instance, token) == []
        instance.sql("update public.profiles set is_admin = true where username = 'ada'")
        token = sign_in(instance, "ada@example.com").json()["access_token"]
        assert changed(instance, token) == ["seeded"]


def test_claims_that_a_function_sets_are_in_the_next_token(instance: TestInstance) -> None:
    made = sign_up(instance, "ada", username="ada").json()
    asked = {"uid": made["user"]["id"], "claim": "plan", "value": "paid"}
    refused = instance.client(made["access_token"]).post("/rest/v1/rpc/set_claim", json=asked)
    assert refused.json() == "error: access denied"
    assert instance.service.post("/rest/v1/rpc/set_claim", json=asked).json() == "OK"
    again = instance.client().post(
        "/auth/v1/token?grant_type=refresh_token", json={"refresh_token": made["refresh_token"]}
    )
    assert again.json()["user"]["app_metadata"]["plan"] == "paid"


def test_who_leaves_takes_their_rows_along_and_their_token_is_nobodys(instance: TestInstance) -> None:
    token = sign_up(instance, "ada", username="ada").json()["access_token"]
    assert instance.client(token).post("/rest/v1/rpc/leave", json={}).status_code == 204
    assert names(instance) == ["seeded"]
    assert instance.client(token).get("/auth/v1/user").status_code == 403
    assert sign_up(instance, "ada", username="ada").status_code == 200


def test_a_visitor_without_an_address_gets_a_row_too(instance: TestInstance) -> None:
    made = instance.client().post("/auth/v1/signup", json={"data": {"username": "guest"}})
    assert made.status_code == 200 and made.json()["user"]["is_anonymous"]
    assert names(instance) == ["guest", "seeded"]
    instance.sql("alter table public.profiles alter column username set not null")
    refused = instance.client().post("/auth/v1/signup", json={})
    assert refused.status_code == 500 and "anonymous user" in refused.json()["msg"]
