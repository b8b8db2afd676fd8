"""The rules of a change of address by themselves, without a database: who is asked, what counts, when it is done."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from gateway.auth.crypto.tokens import Secret
from gateway.auth.flows import email_change
from gateway.auth.flows.email_change import CURRENT, NEW
from gateway.auth.flows.one_time_codes import FoundToken
from gateway.auth.types import User
from gateway.database import Result

NOW = 1_800_000_000.0
OLD, TARGET = "ada@example.com", "new@example.com"
ROW = dict.fromkeys(
    ("aud", "role", "encrypted_password", "email_confirmed_at", "phone_confirmed_at", "confirmed_at", "invited_at",
     "confirmation_sent_at", "recovery_sent_at", "phone", "phone_change", "email_change_sent_at",
     "phone_change_sent_at", "reauthentication_sent_at", "last_sign_in_at", "raw_app_meta_data", "raw_user_meta_data",
     "created_at", "updated_at", "banned_until", "deleted_at"),
)  # fmt: skip
ADA = User.of({**ROW, "id": "u", "email": OLD, "email_change": TARGET, "is_sso_user": False, "is_anonymous": False})


def context_of(*, secure: bool = True, autoconfirm: bool = False, former: bytes | None = None) -> Any:
    """As much of a context as the rules look at."""
    rows = SimpleNamespace(
        mailer_secure_email_change=secure, mailer_autoconfirm=autoconfirm, mailer_otp_exp=3600.0, sms_otp_exp=60.0
    )
    secret = Secret(b"current") if former is None else Secret(b"current", former)
    return SimpleNamespace(settings=rows, secret=secret)


def token(side: str, recipient: str, age: float = 0, user: User = ADA) -> FoundToken:
    return FoundToken(user, side, recipient, datetime.fromtimestamp(NOW - age, UTC))


@pytest.mark.parametrize(
    ("secure", "email", "sides"), [(True, OLD, (NEW, CURRENT)), (False, OLD, (NEW,)), (True, None, (NEW,))]
)
def test_mailboxes_that_are_asked(secure: bool, email: str | None, sides: tuple[str, ...]) -> None:
    assert email_change.mailed(context_of(secure=secure), replace(ADA, email=email)) == sides


@pytest.mark.parametrize(
    ("found", "good"),
    [
        pytest.param(token(NEW, TARGET), True, id="the new mailbox"),
        pytest.param(token(CURRENT, OLD), True, id="the current mailbox"),
        pytest.param(token(NEW, OLD), False, id="the new side's sent to the current mailbox"),
        pytest.param(token(CURRENT, TARGET), False, id="the current side's sent to the new mailbox"),
        pytest.param(token(NEW, "other@example.com"), False, id="of an earlier change"),
        pytest.param(token(NEW, TARGET, user=replace(ADA, new_email="New@Example.com")), True, id="in capitals"),
        pytest.param(token(NEW, TARGET, age=3600), True, id="at its last second"),
        pytest.param(token(NEW, TARGET, age=3601), False, id="too late"),
        pytest.param(token(NEW, "", user=replace(ADA, new_email=None)), False, id="no change is pending"),
        pytest.param(token(CURRENT, OLD, user=replace(ADA, new_email="")), False, id="nor an empty one"),
        pytest.param(token(CURRENT, "", user=replace(ADA, email=None)), True, id="nobody had an address"),
    ],
)
def test_token_that_counts(found: FoundToken, good: bool) -> None:
    call: Any = SimpleNamespace(now=NOW)
    assert email_change._is_good(context_of(), call, found) is good


def test_mark_is_of_one_change_of_one_side() -> None:
    context = context_of()
    users = [ADA, replace(ADA, id="v"), replace(ADA, email="x@example.com"), replace(ADA, new_email="y@example.com")]
    marks = [email_change._marks(context, user, side)[0] for user in users for side in (NEW, CURRENT)]
    assert len(set(marks)) == len(marks)
    swapped = replace(ADA, email=TARGET, new_email=OLD)
    assert email_change._marks(context, swapped, NEW)[0] not in marks


class Books:
    """A transaction that gives what is written in it, and keeps what is done."""

    def __init__(self, *rows: tuple[str, str, datetime]) -> None:
        self.rows: list[tuple[bytes | None, ...]] = [
            (side.encode(), mark.encode(), at.isoformat().encode()) for side, mark, at in rows
        ]
        self.done: list[str] = []
        self.values: list[tuple[Any, ...]] = []

    async def run(self, *statements: Any) -> Result:
        return Result(rows=self.rows, tag="", columns=())

    async def run_all(self, *statements: Any) -> list[Result]:
        self.done += [statement.text for statement in statements]
        self.values += [statement.params for statement in statements]
        return []


def confirm(context: Any, side: str, books: Books, user: User = ADA) -> bool:
    from gateway.auth.store.audit import Actor, Origin

    call: Any = SimpleNamespace(now=NOW, actor=Actor(), origin=Origin())
    changed = asyncio.run(email_change._confirm_side(context, call, books, user, side))[1]  # type: ignore[arg-type]
    assert any('"email"=' in text for text in books.done) is changed, "the address changes when it is said to"
    return changed


def mark(side: str, user: User = ADA, context: Any = None) -> str:
    return email_change._marks(context or context_of(), user, side)[0]


FRESH, STALE = datetime.fromtimestamp(NOW - 3600, UTC), datetime.fromtimestamp(NOW - 3601, UTC)


@pytest.mark.parametrize("side", [NEW, CURRENT])
@pytest.mark.parametrize(
    ("kept", "changed"),
    [
        pytest.param(lambda other: [], False, id="the first half"),
        pytest.param(lambda other: [(other, mark(other), FRESH)], True, id="the second half"),
        pytest.param(lambda other: [(other, mark(other), STALE)], False, id="the other half is too old"),
        pytest.param(lambda other: [(other, mark(other, replace(ADA, new_email="x@example.com")), FRESH)], False,
                     id="the other half is of another change"),
        pytest.param(lambda other: [(other, mark(NEW if other == CURRENT else CURRENT), FRESH)], False,
                     id="a mark of this side stands on the other"),
        pytest.param(lambda other: [(other, "k1:" + "0" * 64, FRESH)], False, id="a token that was not presented"),
    ],
)  # fmt: skip
def test_address_changes_when_both_sides_agreed_to_it(side: str, kept: Any, changed: bool) -> None:
    other = CURRENT if side == NEW else NEW
    assert confirm(context_of(), side, Books(*kept(other))) is changed


def test_mark_of_the_former_secret_counts() -> None:
    former = SimpleNamespace(settings=None, secret=Secret(b"former"))
    books = Books((CURRENT, mark(CURRENT, context=former), FRESH))
    assert confirm(context_of(former=b"former"), NEW, books)
    assert not confirm(context_of(), NEW, Books((CURRENT, mark(CURRENT, context=former), FRESH)))


def test_one_side_is_enough_where_one_is_asked_or_none_is_confirmed() -> None:
    assert confirm(context_of(secure=False), NEW, Books())
    assert not confirm(context_of(secure=False), CURRENT, Books()), "but it is the new one"
    assert confirm(context_of(), NEW, Books(), replace(ADA, email=None))
    for side in (NEW, CURRENT):
        assert confirm(context_of(autoconfirm=True), side, Books())


def test_half_that_agreed_is_remembered_with_its_mark() -> None:
    books = Books()
    assert not confirm(context_of(), NEW, books)
    (half,) = (values for text, values in zip(books.done, books.values, strict=True) if "confirm_status" in text)
    assert "1" in half
    assert any("one_time_tokens" in text for text in books.done)
