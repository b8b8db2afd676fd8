"""The change of an address: any sequence of steps against a model, and the rule that both mailboxes must agree."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.database import SyncConnection
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import PASSWORD, Auth, opened
from tests.gateway.auth.test_links import LIMITS, PKCE, code_of, link_of

SETTINGS: dict[str, Any] = {
    **LIMITS, "auth_address_limits": False, "rate_limit_email_sent": 1e9, "jwt_exp": 10**9,
}  # fmt: skip
LIFETIME = 3600
CURRENT, NEW = "current", "new"
_numbers = itertools.count()


@dataclass
class Link:
    """One mailed or generated link: whose mailbox it went to, and which change it is about."""

    side: str
    mailbox: str
    target: str
    hashed: str
    code: str
    sent: float


@dataclass
class Model:
    """What must happen, in the plainest words there are."""

    current: str
    pending: str | None = None
    live: dict[str, Link] = field(default_factory=dict)
    agreed: dict[str, float] = field(default_factory=dict)

    def mailed(self, links: dict[str, Link]) -> None:
        self.live.update(links)
        for side in links:
            self.agreed.pop(side, None)

    def aim(self, target: str) -> None:
        if self.pending != target:
            self.pending = target
            self.live.clear()
            self.agreed.clear()

    def end(self) -> None:
        self.live.clear()
        self.agreed.clear()

    def follow(self, link: Link, now: float) -> bool:
        """Whether the link is good."""
        if self.live.get(link.side) is not link:
            return False
        del self.live[link.side]
        if now > link.sent + LIFETIME:
            return False
        self.agreed[link.side] = now
        if {side for side, at in self.agreed.items() if now <= at + LIFETIME} == {CURRENT, NEW}:
            self.current, self.pending = self.pending or "", None
            self.end()
        return True


STEPS = st.one_of(
    st.tuples(st.just("put"), st.sampled_from("bc"), st.booleans()),
    st.tuples(st.just("resend"), st.booleans()),
    st.tuples(st.just("follow"), st.sampled_from([CURRENT, NEW]), st.integers(0, 2), st.sampled_from("gpc")),
    st.tuples(st.just("follow"), st.sampled_from([CURRENT, NEW]), st.just(0), st.sampled_from("gpc")),
    st.tuples(st.just("wait"), st.sampled_from([90, 1900, 3700, 700_000])),
    st.tuples(st.just("generate"), st.sampled_from([CURRENT, NEW]), st.sampled_from("bc")),
    st.tuples(st.just("recover")),
    st.tuples(st.just("tidy")),
)


class Run:
    """One user, their mailboxes and every link that ever came, played against the model."""

    def __init__(self, auth: Auth) -> None:
        self.auth = auth
        self.name = f"u{next(_numbers)}"
        self.links: list[Link] = []
        self.followed: list[tuple[Link, float]] = []
        self.model = Model(f"{self.name}-a@example.com")
        self.read = int(auth.rows("select coalesce(max(id), 0)::text from jobs.procrastinate_jobs")[0][0] or 0)

    async def play(self, steps: list[tuple[Any, ...]]) -> None:
        self.user = await self.auth.create(self.model.current)
        self.token = (await self.auth.sign_in(self.model.current))["access_token"]
        for number, (step, *arguments) in enumerate(steps):
            before = self.model.current
            await getattr(self, step)(*arguments)
            ((current, pending),) = self.auth.rows(
                "select email, email_change from auth.users where id = $1", self.user["id"]
            )
            assert (current, pending or None) == (self.model.current, self.model.pending), steps[: number + 1]
            if current != before:
                self.demand_consent(before, str(current))

    def demand_consent(self, former: str, current: str) -> None:
        """The rule itself, without the model: links about this very change came back from both mailboxes."""
        about = {
            link.mailbox
            for link, at in self.followed
            if link.target == current and at >= self.auth.clock.now - LIFETIME
        }
        assert {former, current} <= about

    def address(self, letter: str) -> str:
        return f"{self.name}-{letter}@example.com"

    def mails(self) -> list[dict[str, Any]]:
        rows = self.auth.rows(
            "select id::text, args -> 'mail' from jobs.procrastinate_jobs where id > $1 order by id", str(self.read)
        )
        self.read = max([self.read, *(int(row[0] or 0) for row in rows)])
        return [opened(orjson.loads(row[1] or "{}"), self.auth.keys.session_secrets) for row in rows]

    def collect(self, target: str) -> dict[str, Link]:
        links = {}
        for mail in self.mails():
            side = NEW if mail["to"] == [target] else CURRENT
            hashed = link_of(mail).split("token=")[1].split("&")[0]
            links[side] = Link(side, mail["to"][0], target, hashed, code_of(mail), self.auth.clock.now)
        self.links += links.values()
        return links

    async def put(self, letter: str, pkce: bool) -> None:
        target = self.address(letter)
        answer = await self.auth.call("PUT", "/user", {"email": target, **(PKCE if pkce else {})}, token=self.token)
        assert answer.status == 200, answer.body
        links = self.collect(target)
        if target == self.model.current:
            assert not links
            return
        assert set(links) == {CURRENT, NEW}
        self.model.aim(target)
        self.model.mailed(links)

    async def resend(self, pkce: bool) -> None:
        body = {"type": "email_change", "email": self.model.current, **(PKCE if pkce else {})}
        assert (await self.auth.call("POST", "/resend", body)).status == 200
        links = self.collect(self.model.pending or "")
        assert set(links) == ({CURRENT, NEW} if self.model.pending else set())
        self.model.mailed(links)

    async def generate(self, side: str, letter: str) -> None:
        target = self.address(letter)
        if target == self.model.current:
            return
        body = {"type": f"email_change_{side}", "email": self.model.current, "new_email": target}
        made = (await self.auth.admin("POST", "/admin/generate_link", body)).body
        mailbox = target if side == NEW else self.model.current
        link = Link(side, mailbox, target, made["hashed_token"], made["email_otp"], self.auth.clock.now)
        self.links.append(link)
        self.model.aim(target)
        self.model.mailed({side: link})

    async def follow(self, side: str, back: int, how: str) -> None:
        links = [link for link in self.links if link.side == side]
        if len(links) <= back:
            return
        link = links[-1 - back]
        expected = self.model.follow(link, self.auth.clock.now)
        self.auth.script("delete from gateway.throttle")  # many wrong codes are another test's
        if how == "g":
            path = f"/verify?type=email_change&token={link.hashed}"
            answer = await self.auth.call("GET", path)
            good = "otp_expired" not in answer.location
        else:
            body = {"type": "email_change"}
            body |= {"token_hash": link.hashed} if how == "p" else {"email": link.mailbox, "token": link.code}
            good = (await self.auth.call("POST", "/verify", body)).status == 200
        assert good == expected
        if good:
            self.followed.append((link, self.auth.clock.now))

    async def wait(self, seconds: int) -> None:
        self.auth.clock.move(seconds)

    async def recover(self) -> None:
        """Signing in by another link ends every code that is on its way."""
        await self.auth.call("POST", "/recover", {"email": self.model.current})
        (mail,) = self.mails()
        assert "access_token" in (await self.auth.call("GET", link_of(mail))).fragment
        self.model.end()

    async def tidy(self) -> None:
        """What the clean-up takes away never counts as an agreement."""
        self.auth.script(f"delete from auth.one_time_tokens where user_id = '{self.user['id']}'")
        self.model.end()


@given(steps=st.lists(STEPS, min_size=2, max_size=12))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_sequence_of_steps_changes_the_address_only_when_both_mailboxes_agreed(
    with_shared_auth: WithAuth, steps: list[tuple[Any, ...]]
) -> None:
    async def scenario(auth: Auth) -> None:
        await Run(auth).play(steps)

    with_shared_auth(scenario, **SETTINGS)


F = "follow"
NAMED = {
    "both, the new one first": [("put", "b", False), (F, NEW, 0, "g"), (F, CURRENT, 0, "g")],
    "both, the current one first": [("put", "b", False), (F, CURRENT, 0, "g"), (F, NEW, 0, "g")],
    "the new one, once more after a resend": [
        ("put", "b", False), (F, NEW, 0, "g"), ("wait", 90), ("resend", False), (F, NEW, 0, "g"), (F, NEW, 0, "c"),
    ],
    "the new one, once more after a second request": [
        ("put", "b", False), (F, NEW, 0, "g"), ("put", "b", True), (F, NEW, 0, "g"),
    ],
    "the new one, once more from a generated link": [
        ("put", "b", False), (F, NEW, 0, "g"), ("tidy",), ("generate", NEW, "b"), (F, NEW, 0, "p"),
    ],
    "the current one agreed to another address": [
        ("put", "b", False), (F, CURRENT, 0, "g"), ("generate", NEW, "c"), (F, NEW, 0, "p"), (F, CURRENT, 0, "g"),
    ],
    "the current one is asked about one, the new one about another": [
        ("generate", CURRENT, "b"), ("generate", NEW, "c"), (F, CURRENT, 0, "p"), (F, NEW, 0, "p"),
    ],
    "an agreement that is a day old": [
        ("put", "b", False), (F, CURRENT, 0, "g"), ("wait", 700_000), ("generate", NEW, "b"), (F, NEW, 0, "p"),
    ],
    "generated links of both": [
        ("generate", CURRENT, "b"), ("generate", NEW, "b"), (F, NEW, 0, "p"), (F, CURRENT, 0, "c"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("steps", NAMED.values(), ids=NAMED)
def test_change_of_address(with_shared_auth: WithAuth, steps: list[tuple[Any, ...]]) -> None:
    async def scenario(auth: Auth) -> None:
        await Run(auth).play(steps)

    with_shared_auth(scenario, **SETTINGS)


def test_current_address_that_became_another_makes_an_agreement_worthless(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        token = (await auth.sign_in())["access_token"]
        await auth.call("PUT", "/user", {"email": "new@example.com"}, token=token)
        mails = {mail["to"][0]: mail for mail in auth.mails()}
        assert "message" in (await auth.call("GET", link_of(mails["ada@example.com"]))).fragment
        await auth.admin("PUT", f"/admin/users/{user['id']}", {"email": "owner@example.com", "email_confirm": True})
        followed = await auth.call("GET", link_of(mails["new@example.com"]))
        assert "message" in followed.fragment
        assert auth.rows("select email from auth.users") == [("owner@example.com",)]

    with_auth(scenario, **SETTINGS)


def test_both_mailboxes_at_once_change_the_address(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        for number in range(10):
            old, new = f"old{number}@example.com", f"new{number}@example.com"
            await auth.create(old)
            token = (await auth.sign_in(old))["access_token"]
            await auth.call("PUT", "/user", {"email": new}, token=token)
            paths = [link_of(mail) for mail in auth.mails()[-2:]]
            answers = await asyncio.gather(*(auth.call("GET", path) for path in paths for _ in range(3)))
            assert sum("access_token" in answer.fragment for answer in answers) == 1
            assert sum("message" in answer.fragment for answer in answers) == 1
            assert auth.rows("select count(*)::text from auth.users where email = $1", new) == [("1",)]

    with_auth(scenario, **SETTINGS)


@pytest.mark.parametrize("mailbox", ["ada@example.com", "new@example.com"])
def test_mark_of_an_agreement_cannot_be_presented(with_auth: WithAuth, mailbox: str) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        await auth.call("PUT", "/user", {"email": "new@example.com"}, token=token)
        mails = {mail["to"][0]: mail for mail in auth.mails()}
        await auth.call("GET", link_of(mails[mailbox]))
        stored = auth.rows("select token_type::text, relates_to from auth.one_time_tokens order by 1")
        assert stored == [
            ("email_change_token_current", "ada@example.com"), ("email_change_token_new", "new@example.com"),
        ]  # fmt: skip
        for (kept,) in auth.rows("select token_hash from auth.one_time_tokens"):
            body = {"type": "email_change", "token_hash": kept}
            assert (await auth.call("POST", "/verify", body)).code == "otp_expired"
        assert auth.rows("select email from auth.users") == [("ada@example.com",)]

    with_auth(scenario, **SETTINGS)


@pytest.mark.parametrize(
    ("secure", "kept", "asked"),
    [
        (True, {"email": "ada@example.com"}, {"ada@example.com", "new@example.com"}),
        (False, {"email": "ada@example.com"}, {"new@example.com"}),
        (True, {"phone": "15550001111", "phone_confirm": True}, {"new@example.com"}),
        (False, {"phone": "15550001111", "phone_confirm": True}, {"new@example.com"}),
    ],
)
def test_each_mailbox_there_is_gets_a_mail_where_changes_are_secure(
    with_auth: WithAuth, secure: bool, kept: dict[str, Any], asked: set[str]
) -> None:
    async def scenario(auth: Auth) -> None:
        body = {"password": PASSWORD, "email_confirm": True, **kept}
        assert (await auth.admin("POST", "/admin/users", body)).status == 200
        identifier = {name: value for name, value in kept.items() if name in ("email", "phone")}
        signed = await auth.call("POST", "/token?grant_type=password", {**identifier, "password": PASSWORD})
        await auth.call("PUT", "/user", {"email": "new@example.com"}, token=signed.body["access_token"])
        assert {mail["to"][0] for mail in auth.mails()} == asked
        for mail in auth.mails():
            await auth.call("GET", link_of(mail))
        assert auth.rows("select email from auth.users") == [("new@example.com",)]

    with_auth(scenario, **{**SETTINGS, "mailer_secure_email_change": secure, "phone_enabled": True})


def test_the_trail_tells_half_a_change_from_a_whole_one(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        await auth.call("PUT", "/user", {"email": "new@example.com"}, token=token)
        for mail in auth.mails():
            await auth.call("GET", link_of(mail))
        told = [row["traits"] for row in auth.audit() if row["action"] == "user_modified" and "traits" in row]
        assert [traits for traits in told if "half" in traits] == [{"half": True}]
        assert told[-1] == {"changed": ["email"]}

    with_auth(scenario, **SETTINGS)


@pytest.mark.parametrize(
    "meanwhile",
    ["update auth.users set email_change = 'other@example.com'", "delete from auth.users"],
    ids=["another change", "the account is gone"],
)
def test_a_resend_leaves_alone_what_became_another_change_while_it_waited(with_auth: WithAuth, meanwhile: str) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        await auth.call("PUT", "/user", {"email": "new@example.com"}, token=token)
        auth.clock.move(90)
        sent = len(auth.mails())
        with SyncConnection(auth.url) as other:
            other.script(f"begin; {meanwhile}")
            auth.settles = False
            body = {"type": "email_change", "email": "ada@example.com"}
            assert (await auth.call("POST", "/resend", body)).status == 200
            waiting = "select count(*)::text from pg_stat_activity where wait_event_type = 'Lock'"
            while other.rows(waiting) != [("1",)]:
                await asyncio.sleep(0.01)
            other.script("commit")
        await auth.service.settle()
        assert len(auth.mails()) == sent
        assert auth.rows("select email_change from auth.users where email_change <> 'other@example.com'") == []

    with_auth(scenario, **SETTINGS)
