"""Nobody is signed out by a rotation of the signing keys: before, during and after, through the service."""

from __future__ import annotations

import asyncio

import jwt
import pytest

from gateway.auth.cleanup import clear, poll_keys, write_uses
from gateway.identity import keyring as store
from gateway.identity.keyring import FILE_NAME
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import Auth


def test_session_lives_through_a_rotation_of_the_signing_key(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        core = auth.service.context
        changed: list[None] = []
        await auth.create()
        session = await auth.sign_in()
        former = jwt.get_unverified_header(session["access_token"])["kid"]

        store.change_file(
            core.settings.data_dir / FILE_NAME,
            lambda stored: store.rotate_signing(stored, "ES256", 7200, auth.clock.now),
        )
        poll_keys(core, lambda: changed.append(None))
        assert len(changed) == 1
        assert (await auth.call("GET", "/user", token=session["access_token"])).status == 200

        auth.clock.move(store.SIGNS_AFTER + 1)
        renewed = (await auth.refresh(session["refresh_token"])).body
        assert jwt.get_unverified_header(renewed["access_token"])["kid"] != former
        for token in (session["access_token"], renewed["access_token"]):
            assert (await auth.call("GET", "/user", token=token)).status == 200
        listed = (await auth.call("GET", "/.well-known/jwks.json")).body["keys"]
        assert former in {key["kid"] for key in listed} and len(listed) == 2

        auth.clock.move(7200)
        assert (await auth.call("GET", "/user", token=session["access_token"])).status == 403
        again = (await auth.refresh(renewed["refresh_token"])).body
        assert (await auth.call("GET", "/user", token=again["access_token"])).status == 200
        assert len((await auth.call("GET", "/.well-known/jwks.json")).body["keys"]) == 1

    with_auth(scenario)


def test_uses_of_api_keys_are_written(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await write_uses(auth.service.context)
        rows = auth.rows("select id, extract(epoch from last_used_at)::bigint from gateway.api_key_uses")
        assert ("secret", str(int(auth.clock.now))) in rows

    with_auth(scenario)


def test_clean_up_removes_what_ended_and_nothing_else(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        session = await auth.sign_in()
        await auth.call("POST", "/recover", {"email": "ada@example.com"})
        auth.script(
            """
            insert into auth.flow_state (id, provider_type, authentication_method, created_at) values
              (gen_random_uuid(), 'email', 'old', now() - interval '25 hours'),
              (gen_random_uuid(), 'email', 'new', now());
            insert into auth.users (id, is_anonymous, created_at) values
              (gen_random_uuid(), true, now() - interval '31 days'), (gen_random_uuid(), true, now());
            insert into auth.sessions (id, user_id, created_at, not_after)
              select gen_random_uuid(), id, now(), now() - interval '4 days' from auth.users where email is not null;
            """
        )
        await clear(auth.service.context)
        assert auth.rows("select authentication_method from auth.flow_state") == [("new",)]
        assert auth.rows("select count(*) from auth.users where is_anonymous") == [("1",)]
        assert auth.rows("select count(*) from auth.sessions") == [("1",)]
        assert (await auth.refresh(session["refresh_token"])).status == 200

    with_auth(scenario)


def test_cleanup_run_and_end_with_the_service(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        auth.service.start()
        await asyncio.sleep(0)
        auth.service.close()
        await asyncio.sleep(0)
        assert auth.service._cleanup is not None and auth.service._cleanup.cancelled()

    with_auth(scenario)


def test_nobody_is_signed_out_and_no_link_ends_by_a_rotation_of_the_session_secret(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        core = auth.service.context
        await auth.create()
        session = await auth.sign_in()
        link = {"type": "recovery", "email": "ada@example.com"}
        link = (await auth.admin("POST", "/admin/generate_link", link)).body
        path = core.settings.data_dir / FILE_NAME
        store.change_file(path, lambda stored: store.rotate_session(stored, 7200, auth.clock.now))
        poll_keys(core, lambda: None)
        auth.clock.move(store.SIGNS_AFTER + 1)
        renewed = await auth.refresh(session["refresh_token"])
        assert renewed.status == 200, renewed.body
        followed = {"type": "recovery", "token_hash": link["hashed_token"]}
        assert (await auth.call("POST", "/verify", followed)).status == 200
        auth.clock.move(7200)
        assert (await auth.refresh(session["refresh_token"])).status == 400  # signed with the one that is forgotten
        assert (await auth.refresh(renewed.body["refresh_token"])).status == 200

    with_auth(scenario)


def test_a_standby_key_is_published_before_it_signs_and_stays_until_it_is_revoked(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        core = auth.service.context
        path = core.settings.data_dir / FILE_NAME

        async def published() -> set[str]:
            poll_keys(core, lambda: None)
            return {key["kid"] for key in (await auth.call("GET", "/.well-known/jwks.json")).body["keys"]}

        await auth.create()
        session = await auth.sign_in()
        former = jwt.get_unverified_header(session["access_token"])["kid"]
        made = store.change_file(path, lambda stored: store.add_standby(stored, "RS256"))
        with pytest.raises(store.KeyChangeError, match="there is a standby key"):
            store.change_file(path, lambda stored: store.add_standby(stored, "ES256"))
        assert await published() == {former, made["kid"]}
        auth.clock.move(86_400)
        renewed = (await auth.refresh(session["refresh_token"])).body
        assert jwt.get_unverified_header(renewed["access_token"])["kid"] == former

        taken = store.change_file(path, lambda stored: store.rotate_signing(stored, "ES256", None, auth.clock.now))
        assert (taken["kid"], taken["alg"]) == (made["kid"], "RS256")
        await published()
        auth.clock.move(store.SIGNS_AFTER + 1)
        again = (await auth.refresh(renewed["refresh_token"])).body
        assert jwt.get_unverified_header(again["access_token"])["kid"] == made["kid"]
        auth.clock.move(30 * 86_400)
        assert await published() == {former, made["kid"]}  # until somebody revokes it

        store.change_file(path, lambda stored: store.add_standby(stored, "ES256"))
        store.change_file(path, lambda stored: store.revoke(stored, former, auth.clock.now))
        with pytest.raises(store.KeyChangeError, match="only signing key"):  # one that stands by signs nothing
            store.change_file(path, lambda stored: store.revoke(stored, made["kid"], auth.clock.now))
        assert len(await published()) == 2 and former not in await published()

    with_auth(scenario)
