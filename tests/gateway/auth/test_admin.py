"""Admin calls on users: what the official clients' admin API sends."""

from __future__ import annotations

import argon2
import bcrypt
import pytest

from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import PASSWORD, Auth
from tests.gateway.auth.test_links import link_of

ID = "4f9c0f2e-5d0f-4b0e-9f11-0b8b7d1e2a3c"


def test_user_is_made_with_what_was_given(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        body = {
            "id": ID,
            "email": "Ada@Example.com",
            "password": PASSWORD,
            "email_confirm": True,
            "user_metadata": {"name": "Ada"},
            "app_metadata": {"team": "blue"},
            "role": "authenticated",
        }
        answer = await auth.admin("POST", "/admin/users", body)
        user = answer.body
        assert (answer.status, user["id"], user["email"]) == (200, ID, "ada@example.com")
        assert user["app_metadata"] == {"provider": "email", "providers": ["email"], "team": "blue"}
        assert user["email_confirmed_at"] and user["phone"] == ""
        assert user["identities"][0]["provider"] == "email"
        assert (await auth.admin("GET", f"/admin/users/{ID}")).body == user
        twice = await auth.admin("POST", "/admin/users", {"email": "ada@example.com"})
        assert (twice.status, twice.code) == (422, "email_exists")

    with_auth(scenario)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        pytest.param({}, 400, "validation_failed", id="nobody"),
        pytest.param({"email": "no"}, 400, "validation_failed", id="ill-formed address"),
        pytest.param({"email": "a@b.co", "password": "x" * 73}, 400, "validation_failed", id="73 bytes"),
        pytest.param(
            {"email": "a@b.co", "password": "x", "password_hash": "$2a$"}, 400, "validation_failed", id="two passwords"
        ),
        pytest.param({"email": "a@b.co", "password_hash": "md5:x"}, 400, "validation_failed", id="an unknown hash"),
        pytest.param({"email": "a@b.co", "id": "7"}, 400, "validation_failed", id="an id that is none"),
        pytest.param({"email": "a@b.co", "ban_duration": "soon"}, 400, "validation_failed", id="no duration"),
        pytest.param({"email": "a@b.co", "user_metadata": 3}, 400, "bad_json", id="metadata is a number"),
    ],
)
def test_bad_user_has_its_documented_code(
    with_shared_auth: WithAuth, body: dict[str, object], status: int, code: str
) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.admin("POST", "/admin/users", body)
        assert (answer.status, answer.code) == (status, code)

    with_shared_auth(scenario)


@pytest.mark.parametrize(
    "hashed",
    [
        pytest.param(bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4, prefix=b"2a")).decode(), id="bcrypt 2a"),
        pytest.param(bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode(), id="bcrypt 2b"),
        pytest.param(argon2.PasswordHasher(memory_cost=1024, time_cost=1).hash(PASSWORD), id="argon2id"),
        pytest.param(
            # The documented example of the Firebase form: password user1password.
            "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,"
            "sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
            "$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
            id="firebase scrypt",
        ),
    ],
)
def test_imported_hash_signs_in(with_auth: WithAuth, hashed: str) -> None:
    password = "user1password" if hashed.startswith("$fb") else PASSWORD

    async def scenario(auth: Auth) -> None:
        body = {"email": "ada@example.com", "password_hash": hashed, "email_confirm": True}
        assert (await auth.admin("POST", "/admin/users", body)).status == 200
        assert (await auth.password(password=password + "x")).status == 400
        assert (await auth.password(password=password)).status == 200

    with_auth(scenario)


def test_pages_are_newest_first_and_name_the_next_and_last(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        for number in range(5):
            await auth.create(f"user{number}@example.com")
            auth.clock.move(1)
        answer = await auth.admin("GET", "/admin/users?page=2&per_page=2")
        assert [user["email"] for user in answer.body["users"]] == ["user2@example.com", "user1@example.com"]
        assert answer.body["aud"] == "authenticated"
        assert answer.headers["x-total-count"] == "5"
        assert answer.headers["link"] == (
            '</admin/users?page=3&per_page=2>; rel="next", </admin/users?page=3&per_page=2>; rel="last"'
        )
        found = await auth.admin("GET", "/admin/users?filter=USER3")
        assert [user["email"] for user in found.body["users"]] == ["user3@example.com"]
        bad = await auth.admin("GET", "/admin/users?page=two")
        assert (bad.status, bad.code) == (400, "validation_failed")

    with_auth(scenario)


def test_changes_apply_at_once_and_without_a_mail(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        path = f"/admin/users/{user['id']}"
        body = {
            "email": "new@example.com",
            "phone": "+15085550100",
            "app_metadata": {"team": "red"},
            "user_metadata": {"name": "Ada"},
            "email_confirm": False,
        }
        changed = (await auth.admin("PUT", path, body)).body
        assert changed["email"] == "new@example.com"
        assert changed["phone"] == "15085550100"
        assert changed["email_confirmed_at"]  # false does not take it back
        assert changed["app_metadata"]["team"] == "red"
        assert {item["provider"] for item in changed["identities"]} == {"email", "phone"}
        verified = {item["provider"]: item["identity_data"] for item in changed["identities"]}
        assert verified["email"]["email_verified"] is verified["phone"]["phone_verified"] is False
        confirmed = (await auth.admin("PUT", path, {"email": "new@example.com", "email_confirm": True})).body
        verified = {item["provider"]: item["identity_data"] for item in confirmed["identities"]}
        assert (verified["email"]["email_verified"], verified["phone"]["phone_verified"]) == (True, False)
        assert confirmed["user_metadata"] == {"name": "Ada", "email_verified": True}
        assert auth.mails() == []
        weak = await auth.admin("PUT", path, {"password": "short"})
        assert (weak.status, weak.code) == (422, "weak_password")
        banned = (await auth.admin("PUT", path, {"ban_duration": "24h"})).body
        assert banned["banned_until"] == "2027-01-16T08:00:00Z"
        assert "banned_until" not in (await auth.admin("PUT", path, {"ban_duration": "none"})).body

    with_auth(scenario)


def test_unknown_user_is_404(with_shared_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        for method in ("GET", "PUT", "DELETE"):
            answer = await auth.admin(method, f"/admin/users/{ID}", {} if method == "PUT" else None)
            assert (answer.status, answer.code) == (404, "user_not_found")
            answer = await auth.admin(method, "/admin/users/seven", {} if method == "PUT" else None)
            assert (answer.status, answer.code) == (404, "validation_failed")

    with_shared_auth(scenario)


def test_soft_delete_keeps_the_id_and_forgets_the_person(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create(user_metadata={"name": "Ada Lovelace"})
        answer = await auth.admin("DELETE", f"/admin/users/{user['id']}", {"should_soft_delete": True})
        assert (answer.status, answer.body) == (200, {})
        left = (await auth.admin("GET", f"/admin/users/{user['id']}")).body
        assert left["deleted_at"]
        assert "ada@" not in str(left) and "Lovelace" not in str(left)
        assert (await auth.create())["id"] != user["id"]  # the address is free again

    with_auth(scenario)


def test_invited_user_accepts_and_chooses_a_password(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        body = {"email": "ada@example.com", "data": {"name": "Ada"}}
        invited = await auth.admin("POST", "/invite?redirect_to=https://app.example.com/welcome", body)
        assert invited.status == 200
        assert invited.body["invited_at"]
        (mail,) = auth.mails()
        assert mail["kind"] == "auth.invite"
        followed = await auth.call("GET", link_of(mail))
        assert followed.location.startswith("https://app.example.com/welcome#")
        token = followed.fragment["access_token"]
        assert (await auth.call("PUT", "/user", {"password": PASSWORD}, token=token)).status == 200
        assert (await auth.password()).status == 200
        again = await auth.admin("POST", "/invite", body)
        assert (again.status, again.code) == (422, "email_exists")

    with_auth(scenario)


@pytest.mark.parametrize(
    ("kind", "verification"),
    [
        ("signup", "signup"),
        ("invite", "invite"),
        ("magiclink", "magiclink"),
        ("recovery", "recovery"),
    ],
)
def test_generated_link_works_and_sends_no_mail(with_auth: WithAuth, kind: str, verification: str) -> None:
    async def scenario(auth: Auth) -> None:
        if kind in ("magiclink", "recovery"):
            await auth.create()
        body = {"type": kind, "email": "ada@example.com", "password": PASSWORD, "data": {"a": 1}}
        answer = await auth.admin("POST", "/admin/generate_link?redirect_to=https://app.example.com/x", body)
        link = answer.body
        assert answer.status == 200
        assert link["email"] == "ada@example.com"
        assert link["verification_type"] == verification
        assert link["redirect_to"] == "https://app.example.com/x"
        assert link["hashed_token"] in link["action_link"]
        assert auth.mails() == []
        verified = await auth.call("POST", "/verify", {"type": kind, "token_hash": link["hashed_token"]})
        assert verified.status == 200

    with_auth(scenario)


def test_generated_code_works_like_the_link(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        link = (
            await auth.admin("POST", "/admin/generate_link", {"type": "magiclink", "email": "ada@example.com"})
        ).body
        body = {"type": "magiclink", "email": "ada@example.com", "token": link["email_otp"]}
        assert (await auth.call("POST", "/verify", body)).status == 200

    with_auth(scenario)


def test_generated_links_of_an_address_change(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        answers = []
        for kind in ("email_change_current", "email_change_new"):
            body = {"type": kind, "email": "ada@example.com", "new_email": "new@example.com"}
            answers.append((await auth.admin("POST", "/admin/generate_link", body)).body)
        half, whole = [
            (await auth.call("POST", "/verify", {"type": "email_change", "token_hash": link["hashed_token"]})).body
            for link in answers
        ]
        assert half["code"] == "200"
        assert whole["user"]["email"] == "new@example.com"

    with_auth(scenario)


def test_link_for_nobody_is_refused_or_becomes_a_sign_up(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        for kind in ("recovery", "email_change_new"):
            body = {"type": kind, "email": "no@example.com", "new_email": "x@example.com"}
            answer = await auth.admin("POST", "/admin/generate_link", body)
            assert (answer.status, answer.code) == (404, "user_not_found")
        answer = await auth.admin("POST", "/admin/generate_link", {"type": "magiclink", "email": "no@example.com"})
        assert answer.body["verification_type"] == "signup"
        unknown = await auth.admin("POST", "/admin/generate_link", {"type": "teleport", "email": "no@example.com"})
        assert (unknown.status, unknown.code) == (400, "validation_failed")

    with_auth(scenario)


def test_audit_log_is_read_in_pages_and_by_action(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        auth.clock.move(1)
        await auth.sign_in()
        answer = await auth.admin("GET", "/admin/audit?per_page=1")
        assert [entry["payload"]["action"] for entry in answer.body] == ["login"]
        assert answer.headers["x-total-count"] == "2"
        found = await auth.admin("GET", "/admin/audit?query=action:user_signedup")
        assert found.body[0]["payload"]["actor_username"] == "service_role"
        assert found.body[0]["ip_address"] == "203.0.113.5"
        assert (await auth.admin("GET", "/admin/audit?query=color:red")).status == 400

    with_auth(scenario)


def test_anonymous_user_is_somebody_once_an_admin_confirms_an_address(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = (await auth.call("POST", "/signup", {})).body["user"]
        path = f"/admin/users/{user['id']}"
        assert (await auth.admin("PUT", path, {"email": "ada@example.com"})).body["is_anonymous"] is True
        confirmed = (await auth.admin("PUT", path, {"email": "ada@example.com", "email_confirm": True})).body
        assert confirmed["is_anonymous"] is False
        assert confirmed["user_metadata"] == {"email_verified": True}

    with_auth(scenario, disable_signup=False, anonymous_users_enabled=True)


def test_oldest_users_come_first_where_that_is_asked(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        for name in ("one", "two", "three"):
            await auth.create(f"{name}@example.com")
            auth.clock.move(1)
        for sort, first in (("created_at%20asc", "one"), ("created_at%20DESC", "three"), ("created_at", "three")):
            users = (await auth.admin("GET", f"/admin/users?sort={sort}")).body["users"]
            assert users[0]["email"] == f"{first}@example.com"

    with_auth(scenario)


def test_number_goes_with_its_identity(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create(phone="15085550100", phone_confirm=True)
        token = (await auth.sign_in())["access_token"]
        gone = next(item["identity_id"] for item in user["identities"] if item["provider"] == "phone")
        assert (await auth.call("DELETE", f"/user/identities/{gone}", token=token)).body == {}
        left = (await auth.call("GET", "/user", token=token)).body
        assert (left["email"], left["phone"]) == ("ada@example.com", "")
        assert "phone_confirmed_at" not in left
        assert left["app_metadata"] == {"provider": "email", "providers": ["email"]}

    with_auth(scenario, manual_linking_enabled=True)
