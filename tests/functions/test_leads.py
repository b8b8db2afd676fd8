"""The path of a submission in the function itself: what is read, counted, tried again, and said."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from postgrest import APIError

from functions.shared import company, cors, data, forms, lead_mails, leads

FORM = forms.Form(
    "contact",
    "company",
    ({"name": "email", "type": "email", "label": "E-mail", "required": True, "message": "Name an address."},),
)
GOOD = {"email": "ada@example.com"}
KEPT = json.dumps(GOOD).encode()


class Asked:
    """As much of a request as a form's function reads."""

    def __init__(self, *chunks: bytes, method: str = "POST", **headers: str) -> None:
        self.method = method
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self._chunks = chunks

    async def stream(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk


def choose(body: Mapping[str, Any]) -> tuple[forms.Form, leads.Prepare]:
    def prepare(values: Mapping[str, Any], staff: str, number: str) -> leads.Lead:
        mail: lead_mails.Mail = {"to": [staff], "subject": "s", "text": "t"}  # type: ignore[typeddict-item,unused-ignore]
        return leads.Lead({**values}, [mail])

    return FORM, prepare


class Tables:
    """The tables API: each answer in turn, and what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = list(answers), list[tuple[str, dict[str, Any]]]()

    async def call(self, function: str, arguments: dict[str, Any]) -> Any:
        self.asked.append((function, arguments))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Pauses between attempts, which take no time."""
    kept: list[float] = []

    async def sleep(seconds: float) -> None:
        kept.append(seconds)

    monkeypatch.setattr(leads.asyncio, "sleep", sleep)  # type: ignore[attr-defined]
    return kept


def submit(monkeypatch: pytest.MonkeyPatch, asked: Asked, tables: Tables) -> Any:
    monkeypatch.setattr(data, "call", tables.call)
    return asyncio.run(leads.submit(asked, choose))  # type: ignore[arg-type]


AWAY = data.DataUnavailable("nobody there")


@pytest.mark.parametrize("failures", range(7))
def test_an_unknown_outcome_is_tried_again_under_one_key_and_then_said(
    failures: int, monkeypatch: pytest.MonkeyPatch, pauses: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    tables = Tables(*[AWAY] * failures, {"stored": True})
    body, status, headers = submit(monkeypatch, Asked(KEPT), tables)
    tries = min(failures + 1, 6)
    assert len(tables.asked) == tries and tuple(pauses) == leads.PAUSES[: tries - 1]
    assert all(one == tables.asked[0] for one in tables.asked), "the same submission, under the same key"
    if failures < 6:
        assert (body, status, headers) == ({"ok": True}, 200, cors.HEADERS)
    else:
        assert (body, status) == ({"ok": False, "error": leads.UNAVAILABLE}, 503) and headers["retry-after"] == "30"
        assert "not stored: nobody there" in capsys.readouterr().err


def test_attempts_end_before_the_function_does() -> None:
    assert sum(leads.PAUSES) < leads.BUDGET < 20 and leads.UNAVAILABLE.count(company.PHONE) == 1


def test_a_tables_api_that_hangs_is_said_in_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def hang(function: str, arguments: dict[str, Any]) -> Any:
        await asyncio.Event().wait()

    tables = Tables({})
    monkeypatch.setattr(tables, "call", hang)
    monkeypatch.setattr(leads, "BUDGET", 0.05)
    body, status, headers = submit(monkeypatch, Asked(KEPT), tables)
    assert (body["ok"], body["error"], status, headers["retry-after"]) == (False, leads.UNAVAILABLE, 503, "30")
    assert "no answer within" in capsys.readouterr().err


def test_a_refusal_by_the_tables_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch, pauses: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    error = APIError({"code": "23514", "message": "check", "hint": None, "details": None})
    tables = Tables(error)
    body, status, headers = submit(monkeypatch, Asked(KEPT), tables)
    assert (body, status) == ({"ok": False, "error": leads.UNAVAILABLE}, 500)
    assert len(tables.asked) == 1 and not pauses and "retry-after" not in headers
    assert "23514 check" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("outcome", "status"),
    [({"stored": True}, 200), ({"stored": False, "duplicate": True}, 200), ({"stored": True, "held": True}, 200),
     ({"retry_after": 0}, 200), ({"retry_after": 61}, 429), ({"retry_after": "7"}, 429)],
)  # fmt: skip
def test_only_what_is_stored_is_thanked_for(
    outcome: dict[str, Any], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, found, headers = submit(monkeypatch, Asked(KEPT), Tables(outcome))
    assert (found, body["ok"]) == (status, status == 200)
    assert headers.get("retry-after") == (str(int(outcome["retry_after"])) if status == 429 else None)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "a minute"), (1, "a minute"), (60, "a minute"), (61, "2 minutes"), (120, "2 minutes"), (121, "3 minutes")],
)
def test_a_wait_is_said_in_whole_minutes_and_never_too_short(seconds: int, said: str) -> None:
    assert f"wait {said}, or call us at {company.PHONE}." in leads.too_many(seconds)


def test_a_submission_is_stored_with_its_mails_its_key_and_its_sender(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADS_TO", "desk@umw.example")
    tables = Tables({"stored": True})
    submit(monkeypatch, Asked(KEPT, idempotency_key="k", x_forwarded_for="2001:db8::1"), tables)
    ((function, arguments),) = tables.asked
    assert function == "submit_lead"
    assert arguments == {
        "form": "contact",
        "lead": GOOD,
        "mails": [{"to": ["desk@umw.example"], "subject": "s", "text": "t"}],
        "idempotency_key": leads.idempotency_key("k", "contact", GOOD),
        "address": "2001:db8::/64",
        "payload": GOOD,
    }


def test_what_a_trap_caught_is_kept_whole_and_looks_like_success(monkeypatch: pytest.MonkeyPatch) -> None:
    caught = {"email": "x", "company": "filled"}
    tables = Tables({"stored": True})
    body, status, _ = submit(monkeypatch, Asked(json.dumps(caught).encode(), x_forwarded_for="203.0.113.9"), tables)
    assert (body, status) == ({"ok": True}, 200)
    ((function, arguments),) = tables.asked
    assert function == "quarantine_lead" and arguments["payload"] == caught
    assert arguments["address"] == "203.0.113.9" and "company" in arguments["reason"] and arguments["idempotency_key"]


def test_a_faulty_field_is_named_and_nothing_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = Tables({"stored": True})
    body, status, _ = submit(monkeypatch, Asked(b"{}"), tables)
    assert status == 422 and not tables.asked
    assert body == {"ok": False, "error": "Name an address.", "fields": {"email": "Name an address."}}


@pytest.mark.parametrize(
    ("asked", "status", "error"),
    [
        pytest.param(Asked(b"[]"), 400, leads.UNREADABLE, id="no object"),
        pytest.param(Asked(b""), 400, leads.UNREADABLE, id="nothing"),
        pytest.param(Asked(b'{"a":NaN}'), 400, leads.UNREADABLE, id="NaN"),
        pytest.param(Asked(b'{"a":Infinity}'), 400, leads.UNREADABLE, id="Infinity"),
        pytest.param(Asked(b"\xff"), 400, leads.UNREADABLE, id="no UTF-8"),
        pytest.param(Asked(b"[" * 30_000, b"]" * 30_000), 400, leads.UNREADABLE, id="nested"),
        pytest.param(Asked(b" " * 64_001), 413, leads.TOO_LARGE, id="too large"),
        pytest.param(Asked(*[b" " * 32_000] * 3), 413, leads.TOO_LARGE, id="too large in parts"),
    ],
)
def test_a_body_that_is_no_form_is_a_sentence(
    asked: Asked, status: int, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = Tables({"stored": True})
    body, found, _ = submit(monkeypatch, asked, tables)
    assert (body, found) == ({"ok": False, "error": error}, status) and not tables.asked


def test_a_body_of_just_the_limit_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert leads.BODY_LIMIT == 64_000
    body, status, _ = submit(monkeypatch, Asked(KEPT, b" " * (64_000 - len(KEPT))), Tables({"stored": True}))
    assert (body, status) == ({"ok": True}, 200)


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD"])
def test_another_method_is_refused_by_name(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body, status, headers = submit(monkeypatch, Asked(method=method), Tables({}))
    assert (body["ok"], status, headers["allow"]) == (False, 405, "POST, OPTIONS")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), JSON, max_size=3), st.dictionaries(st.text(max_size=3), JSON, max_size=3))
def test_one_key_for_two_contents_is_two_keys(one: dict[str, Any], other: dict[str, Any]) -> None:
    keys = [leads.idempotency_key("k", "contact", body) for body in (one, other)]
    assert (keys[0] == keys[1]) == (json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True))
    assert leads.idempotency_key("k", "contact", dict(reversed(one.items()))) == keys[0], "the order says nothing"
    assert leads.idempotency_key("k", "quote", one) != keys[0] != leads.idempotency_key("l", "contact", one)
    assert leads.idempotency_key(None, "contact", one) != leads.idempotency_key("", "contact", one)


def test_a_key_of_any_length_is_kept_to_one() -> None:
    key, digest = leads.idempotency_key("k" * 1000, "contact", GOOD).split(":")
    assert (key, len(digest)) == ("k" * leads.KEY_LIMIT, 32)


@given(JSON)
def test_what_is_stored_is_what_was_sent_without_what_postgres_cannot_hold(value: Any) -> None:
    def spoilt(value: Any) -> Any:
        if isinstance(value, str):
            return f"\0{value}\ud800"
        if isinstance(value, list):
            return [spoilt(item) for item in value]
        return {spoilt(key): spoilt(item) for key, item in value.items()} if isinstance(value, dict) else value

    held = leads.storable(value)
    assert leads.storable(spoilt(value)) == held
    json.dumps(held, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("address", "counted"),
    [(None, None), ("", ""), ("garbage", "garbage"), ("203.0.113.9", "203.0.113.9"), ("::1", "::/64")],
)
def test_an_address_is_counted_by_its_network(address: str | None, counted: str | None) -> None:
    assert leads.counted_as(address) == counted


def test_a_submission_from_quarantine_is_held_against_the_rules_again() -> None:
    assert leads.reopen(choose, {"email": "none"}, "s") == {"email": "Name an address."}
    lead = leads.reopen(choose, {**GOOD, "company": "filled"}, "staff")
    assert isinstance(lead, leads.Lead) and lead.columns == GOOD and lead.mails[0]["to"] == ["staff"]


def test_leads_go_to_the_company_unless_settings_say_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEADS_TO", raising=False)
    assert leads.staff_address() == company.LEADS_TO
    monkeypatch.setenv("LEADS_TO", "desk@umw.example")
    assert leads.staff_address() == "desk@umw.example"
