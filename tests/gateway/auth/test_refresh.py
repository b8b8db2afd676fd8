"""POST /token?grant_type=refresh_token: rotation, reuse, limits of sessions, restored rows."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import uuid
from typing import Any

import pytest

from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import Auth


def test_promise_23_token_works_once_then_gives_its_successor_then_ends_the_session(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        first = (await auth.sign_in())["refresh_token"]
        second = (await auth.refresh(first)).body["refresh_token"]
        third = (await auth.refresh(second)).body["refresh_token"]
        auth.clock.move(9)  # within the interval: the current token, though it is two further
        again = await auth.refresh(first)
        assert again.body["refresh_token"] == third
        assert again.headers["sb-auth-refresh-token-reuse-cause"] == "concurrent-refresh"
        auth.clock.move(2)
        stolen = await auth.refresh(first)
        assert (stolen.status, stolen.code) == (400, "refresh_token_already_used")
        assert stolen.body["message"] == "Invalid Refresh Token: Already Used"
        after = await auth.refresh(third)
        assert (after.status, after.code) == (400, "refresh_token_not_found")
        written = [(row["action"], row["outcome"]) for row in auth.audit()]
        assert ("token_revoked", "success") in written
        assert ("token_reused", "failure") in written

    with_auth(scenario)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("interval", [0.0, 10.0, 60.0])
def test_promise_23_token_before_the_current_one_works_for_the_interval_and_no_longer(
    with_auth: WithAuth, version: int, interval: float
) -> None:
    """A client whose answer was lost asks again at once; a copy of the token is tried at any time."""

    async def scenario(auth: Auth) -> None:
        await auth.create()
        first = (await auth.sign_in())["refresh_token"]
        second = (await auth.refresh(first)).body["refresh_token"]
        if interval:
            for moved in (0, interval / 2, interval / 2):
                auth.clock.move(moved)
                again = await auth.refresh(first)
                assert again.body["refresh_token"] == second
                assert "fail-to-save" in again.headers["sb-auth-refresh-token-reuse-cause"]
        auth.clock.move(0.5)
        stolen = await auth.refresh(first)
        assert (stolen.status, stolen.code) == (400, "refresh_token_already_used")
        assert (await auth.refresh(second)).status == 400

    with_auth(scenario, refresh_token_version=version, refresh_token_reuse_interval=interval)


def test_promise_24_fifty_concurrent_refreshes_leave_one_live_successor(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["refresh_token"]
        answers = await asyncio.gather(*(auth.refresh(token) for _ in range(50)))
        assert {answer.status for answer in answers} == {200}
        successors = {answer.body["refresh_token"] for answer in answers}
        assert len(successors) == 1
        assert auth.rows("select count(*), max(refresh_token_counter) from auth.sessions") == [("1", "1")]
        assert (await auth.refresh(successors.pop())).status == 200

    with_auth(scenario)


@pytest.mark.parametrize(
    ("token", "code"),
    [
        pytest.param("", "validation_failed", id="empty"),
        pytest.param("short", "validation_failed", id="short"),
        pytest.param("K3V9X0Q2M7AB", "validation_failed", id="twelve of the wrong letters"),
        pytest.param("k3v9x0q2m7ab", "refresh_token_not_found", id="an unknown table token"),
        pytest.param("A" * 80, "validation_failed", id="no token at all"),
        pytest.param("x" * 5000, "validation_failed", id="endless"),
    ],
)
def test_malformed_token_has_its_code(with_shared_auth: WithAuth, token: str, code: str) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.refresh(token)
        assert (answer.status, answer.code) == (400, code)

    with_shared_auth(scenario, auth_address_limits=False)


def test_token_of_another_session_or_a_later_counter_is_refused(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["refresh_token"]
        session_id, key, counter = auth.rows(
            "select id, refresh_token_hmac_key, refresh_token_counter from auth.sessions"
        )[0]
        assert session_id is not None and key is not None and counter == "0"
        forged = _hosted_token(session_id, 0, key.encode())
        assert (await auth.refresh(forged)).code == "validation_failed"
        later = auth.service.context.secret.session_key(key)
        future = _hosted_token(session_id, 7, later)
        answer = await auth.refresh(future)
        assert answer.body["message"] == "Invalid Refresh Token: Not Issued By This Server"
        assert (await auth.refresh(token)).status == 200

    with_auth(scenario)


def test_banned_user_is_told_at_refresh(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        token = (await auth.sign_in())["refresh_token"]
        await auth.admin("PUT", f"/admin/users/{user['id']}", {"ban_duration": "1h"})
        answer = await auth.refresh(token)
        assert (answer.status, answer.code) == (400, "user_banned")
        assert answer.body["message"] == "Invalid Refresh Token: User Banned"

    with_auth(scenario)


def test_promise_26_a_session_ends_after_its_whole_life(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["refresh_token"]
        for _ in range(4):
            auth.clock.move(600)
            answer = await auth.refresh(token)
            assert answer.status == 200
            token = answer.body["refresh_token"]
        auth.clock.move(1300)
        ended = await auth.refresh(token)
        assert (ended.status, ended.code) == (400, "session_expired")
        assert ended.body["message"] == "Invalid Refresh Token: Session Expired"

    with_auth(scenario, sessions_timebox=3600, sessions_inactivity=0)


def test_promise_26_a_session_ends_when_it_is_not_used(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["refresh_token"]
        auth.clock.move(1801)
        ended = await auth.refresh(token)
        assert ended.body["message"] == "Invalid Refresh Token: Session Expired (Inactivity)"

    with_auth(scenario, sessions_timebox=0, sessions_inactivity=1800)


def test_promise_26_limits_are_on_by_default_and_can_be_taken_off(with_auth: WithAuth) -> None:
    year = 365 * 86_400

    async def by_default(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["refresh_token"]
        auth.clock.move(year)
        assert (await auth.refresh(token)).code == "session_expired"

    async def as_the_original(auth: Auth) -> None:
        token = (await auth.sign_in())["refresh_token"]
        auth.clock.move(year)
        assert (await auth.refresh(token)).status == 200

    with_auth(by_default)
    with_auth(as_the_original, sessions_timebox=0, sessions_inactivity=0)


def test_newer_sign_in_ends_the_older_session_where_only_one_is_allowed(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        older = (await auth.sign_in())["refresh_token"]
        auth.clock.move(1)
        newer = (await auth.sign_in())["refresh_token"]
        assert (await auth.refresh(older)).body["message"].endswith("(Revoked by Newer Login)")
        assert (await auth.refresh(newer)).status == 200

    with_auth(scenario, sessions_single_per_user=True)


def test_promise_27_a_dump_holds_no_token_that_works(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["refresh_token"]
        token = (await auth.refresh(token)).body["refresh_token"]
        raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        assert len(raw) - 1 - 16 - 1 - 4 == 16  # 128 bits that nobody can guess
        session_id, key, counter = auth.rows(
            "select id, refresh_token_hmac_key, refresh_token_counter from auth.sessions"
        )[0]
        assert session_id is not None and key is not None and counter is not None
        # What somebody with the dump can compute with the key as it stands there, in each reading of it:
        halves = (key.encode(), key.removeprefix("k1:").encode(), _decoded(key.removeprefix("k1:")))
        for half in halves:
            for number in (int(counter) - 1, int(counter)):
                assert (await auth.refresh(_hosted_token(session_id, number, half))).status == 400
        dump = "".join(
            str(auth.rows(f"select t::text from {table} t"))
            for table in ("auth.sessions", "auth.refresh_tokens", "auth.audit_log_entries", "auth.users")
        )
        assert token not in dump
        assert (await auth.refresh(token)).status == 200

    with_auth(scenario, auth_address_limits=False)


# --- rows restored from a hosted project ----------------------------------------------------------------------------


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _hosted_token(session_id: str, counter: int, key: bytes) -> str:
    """A counter token as a hosted project makes it; counters below 128 take one byte."""
    signed = b"\0" + uuid.UUID(session_id).bytes + bytes([counter])
    whole = signed + hmac.digest(key, signed, "sha256")[:16]
    return base64.urlsafe_b64encode(whole + hashlib.sha256(whole).digest()[:4]).rstrip(b"=").decode()


def _restore_session(auth: Auth, user: dict[str, Any], **columns: str) -> str:
    session_id = str(uuid.uuid4())
    auth.rows(
        "insert into auth.sessions (id, user_id, created_at, updated_at, aal, refresh_token_hmac_key,"
        " refresh_token_counter) values ($1, $2, to_timestamp($3::float8), to_timestamp($3::float8), 'aal1', $4, $5)",
        session_id, user["id"], str(auth.clock.now), columns.get("key"), columns.get("counter"),
    )  # fmt: skip
    return session_id


def _restore_token(auth: Auth, user: dict[str, Any], session_id: str, token: str, parent: str, revoked: bool) -> None:
    auth.rows(
        "insert into auth.refresh_tokens (token, user_id, session_id, parent, revoked, created_at, updated_at)"
        " values ($1, $2, $3, $4, $5, to_timestamp($6::float8), to_timestamp($6::float8))",
        token, user["id"], session_id, parent, "true" if revoked else "false", str(auth.clock.now - 60),
    )  # fmt: skip


def test_restored_table_token_works_and_leaves_the_table(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        session_id = _restore_session(auth, user)
        _restore_token(auth, user, session_id, "aaaaaaaaaaaa", "", revoked=True)
        _restore_token(auth, user, session_id, "bbbbbbbbbbbb", "aaaaaaaaaaaa", revoked=False)
        both = await asyncio.gather(auth.refresh("bbbbbbbbbbbb"), auth.refresh("bbbbbbbbbbbb"))
        assert [answer.status for answer in both] == [200, 200]
        tokens = {answer.body["refresh_token"] for answer in both}
        assert len(tokens) == 1
        new = tokens.pop()
        assert len(new) > 12
        assert auth.rows("select count(*) from auth.refresh_tokens where token = 'bbbbbbbbbbbb'") == [("0",)]
        assert (await auth.refresh(new)).status == 200
        auth.clock.move(60)
        assert (await auth.refresh("bbbbbbbbbbbb")).code == "refresh_token_already_used"

    with_auth(scenario)


def test_session_that_left_the_table_goes_on_from_its_first_new_token(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        session_id = _restore_session(auth, user)
        _restore_token(auth, user, session_id, "aaaaaaaaaaaa", "", revoked=False)
        tokens = ["aaaaaaaaaaaa"]
        for counter in ("1", "2", "3"):
            answer = await auth.refresh(tokens[-1])
            assert answer.status == 200
            assert answer.headers["sb-auth-refresh-token-rotated"] == "true"
            tokens.append(answer.body["refresh_token"])
            assert auth.rows("select refresh_token_counter from auth.sessions") == [(counter,)]
        assert len(set(tokens)) == len(tokens)

    with_auth(scenario)


def test_restored_parent_of_the_active_table_token_works(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        session_id = _restore_session(auth, user)
        _restore_token(auth, user, session_id, "aaaaaaaaaaaa", "", revoked=True)
        _restore_token(auth, user, session_id, "bbbbbbbbbbbb", "aaaaaaaaaaaa", revoked=False)
        auth.script(f"update auth.refresh_tokens set updated_at = to_timestamp({auth.clock.now - 9})")
        first = await auth.refresh("aaaaaaaaaaaa")
        assert first.status == 200
        assert (await auth.refresh("bbbbbbbbbbbb")).body["refresh_token"] == first.body["refresh_token"]

    with_auth(scenario)


def test_restored_token_that_was_used_long_ago_ends_the_session(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        session_id = _restore_session(auth, user)
        _restore_token(auth, user, session_id, "aaaaaaaaaaaa", "", revoked=True)
        _restore_token(auth, user, session_id, "bbbbbbbbbbbb", "aaaaaaaaaaaa", revoked=True)
        _restore_token(auth, user, session_id, "cccccccccccc", "bbbbbbbbbbbb", revoked=False)
        assert (await auth.refresh("aaaaaaaaaaaa")).code == "refresh_token_already_used"
        assert (await auth.refresh("cccccccccccc")).status == 400

    with_auth(scenario)


def test_restored_table_token_without_a_session_is_removed(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        auth.rows(
            "insert into auth.refresh_tokens (token, user_id, revoked) values ('aaaaaaaaaaaa', $1, false)", user["id"]
        )
        answer = await auth.refresh("aaaaaaaaaaaa")
        assert (answer.status, answer.code) == (400, "session_not_found")
        assert (await auth.refresh("aaaaaaaaaaaa")).code == "refresh_token_not_found"

    with_auth(scenario)


def test_restored_counter_token_works_and_its_key_is_replaced(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        key = hashlib.sha256(b"hosted").digest()
        session_id = _restore_session(auth, user, key=base64.b64encode(key).decode(), counter="4")
        token = _hosted_token(session_id, 4, key)
        both = await asyncio.gather(auth.refresh(token), auth.refresh(token))
        assert [answer.status for answer in both] == [200, 200]
        assert len({answer.body["refresh_token"] for answer in both}) == 1
        # The key of the dump makes no token any more.
        assert (await auth.refresh(_hosted_token(session_id, 5, key))).status == 400
        assert (await auth.refresh(both[0].body["refresh_token"])).status == 200

    with_auth(scenario)


# --- the original's table of tokens, by setting ------------------------------------------------------------------


def test_first_version_rotates_as_the_original(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        first = (await auth.sign_in())["refresh_token"]
        assert len(first) == 12
        second = (await auth.refresh(first)).body["refresh_token"]
        assert (await auth.refresh(first)).body["refresh_token"] == second
        third = (await auth.refresh(second)).body["refresh_token"]
        auth.clock.move(11)
        stolen = await auth.refresh(first)
        assert (stolen.status, stolen.code) == (400, "refresh_token_already_used")
        assert (await auth.refresh(third)).code == "refresh_token_already_used"
        assert auth.rows("select count(*) from auth.sessions") == [("1",)]

    with_auth(scenario, refresh_token_version=1)


def test_first_version_issues_a_further_token_within_the_interval(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        first = (await auth.sign_in())["refresh_token"]
        second = (await auth.refresh(first)).body["refresh_token"]
        await auth.refresh(second)
        further = await auth.refresh(first)
        assert further.status == 200
        assert further.body["refresh_token"] not in (first, second)

    with_auth(scenario, refresh_token_version=1, refresh_token_reuse_interval=10)


def test_first_version_survives_fifty_concurrent_refreshes(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["refresh_token"]
        answers = await asyncio.gather(*(auth.refresh(token) for _ in range(50)))
        assert {answer.status for answer in answers} == {200}
        assert auth.rows("select count(*) from auth.refresh_tokens where not revoked") == [("1",)]

    with_auth(scenario, refresh_token_version=1)


def test_without_rotation_a_used_token_is_refused_and_the_session_lives(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        first = (await auth.sign_in())["refresh_token"]
        second = (await auth.refresh(first)).body["refresh_token"]
        third = (await auth.refresh(second)).body["refresh_token"]
        auth.clock.move(60)
        assert (await auth.refresh(first)).code == "refresh_token_already_used"
        assert (await auth.refresh(third)).status == 200

    with_auth(scenario, refresh_token_rotation=False)
