"""From the browser's call to the mail on the desk, through the whole gateway."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.database import SyncConnection
from tests.fixtures.db import Server, clone
from tests.fixtures.schema import seed
from tests.fixtures.server import LiveGateway, start_gateway
from tests.functions.conftest import invoke, mails, wait_for

# one worker runs them all, with one server

ROOT = Path(__file__).parents[2] / "functions"
SAMPLES = {name: json.loads((ROOT / name / "sample.json").read_text()) for name in
           ("submit-contact", "submit-newsletter", "submit-quote")}  # fmt: skip
QUICK = {
    "facilityName": "Harbor Dental",
    "contactName": "Sam Ortiz",
    "email": "sam@harbordental.example",
    "phone": "508-555-0117",
    "location": "capecod",
    "facilityType": "dental-office",
    "message": "Two operatories.",
    "company": "",
    "quickStartService": True,
    "promotionAmount": 99,
    "pickupFrequency": "monthly",
    "services": ["medical-waste"],
    "wasteVolume": "small",
    "city": "Cape Cod",
    "state": "MA",
    "serviceLocation": "Cape Cod, MA",
    "formattedMessage": "Quick Start Service for monthly pickup - Two operatories.",
}


@pytest.fixture(scope="module")
def desk(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    """A gateway with its worker and mail trap, shared by tests that each send leads of their own."""
    name = f"desk_{template}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    url = server.database(name)
    with SyncConnection(url) as connection:
        seed(connection, "demo")
        connection.script("update private.lead_limits set burst = 1000 where kind = 'address'")
    extra = {"LEADS_TO": "desk@umw.example"}
    running = start_gateway(url, tmp_path_factory.mktemp("desk"), "dev", extra)
    yield running
    running.stop()
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


def rows(gateway: LiveGateway, sql: str, *values: str) -> list[tuple[str | None, ...]]:
    with SyncConnection(gateway.database_url) as connection:
        return connection.rows(sql, *values)


def mails_to(gateway: LiveGateway, email: str, count: int) -> list[dict[str, Any]]:
    """The mails about one sender, once there are `count` of them."""

    def about() -> list[dict[str, Any]]:
        return [mail for mail in mails(gateway) if email in (mail["reply_to"], mail["to"][0])]

    wait_for(lambda: len(about()) >= count)
    return about()


@pytest.mark.parametrize(
    ("name", "body", "table", "subject"),
    [
        ("submit-contact", SAMPLES["submit-contact"], "contact_messages", "Contact: Extra pickup"),
        ("submit-newsletter", SAMPLES["submit-newsletter"], "newsletter_subscriptions", "Newsletter: Lena Okafor"),
        ("submit-quote", SAMPLES["submit-quote"], "quote_requests", "Quote request: Elm Park Family Medicine"),
        ("submit-quote", QUICK, "quote_requests", "Quick Start: Harbor Dental, Cape Cod, MA"),
    ],
    ids=["contact", "newsletter", "quote", "quick start"],
)
def test_a_lead_is_stored_and_both_sides_are_told(
    desk: LiveGateway, name: str, body: dict[str, Any], table: str, subject: str
) -> None:
    email = f"told-{subject.split(':')[0].lower().replace(' ', '-')}@example.test"
    response = invoke(desk, name, {**body, "email": email})
    assert (response.status_code, response.json()) == (200, {"ok": True})
    assert rows(desk, f"select count(*) from public.{table} where email = $1", email) == [("1",)]
    found = mails_to(desk, email, 2)
    notice = next(mail for mail in found if mail["to"] == ["desk@umw.example"])
    confirmation = next(mail for mail in found if mail["to"] == [email])
    assert notice["subject"] == subject
    assert notice["reply_to"] == email
    assert email in notice["text"] and email in notice["html"]
    assert confirmation["reply_to"] == "service@unitedmedicalwaste.example"
    assert confirmation["html"] and confirmation["text"]


def test_a_lead_in_a_flood_is_thanked_for_and_can_be_released(desk: LiveGateway) -> None:
    email = "flooded@example.test"
    limits = (
        "update private.lead_limits set burst = $1::integer, per_hour = $2::numeric"
        " where form = 'contact' and kind = 'form'"
    )
    with SyncConnection(desk.database_url) as connection:
        connection.script("delete from private.lead_counters where kind = 'form'")
        connection.rows(limits, "1", "1")
    try:
        body = {**SAMPLES["submit-contact"], "message": "It is real."}
        for sender in ("first@flood.test", email):
            assert invoke(desk, "submit-contact", {**body, "email": sender}).json() == {"ok": True}
    finally:
        with SyncConnection(desk.database_url) as connection:
            connection.rows(limits, "600", "3600")
            connection.script("delete from private.lead_counters where kind = 'form'")
    assert rows(desk, "select count(*) from public.contact_messages where email = $1", email) == [("0",)]
    ((id,),) = rows(desk, "select id from public.quarantine where payload ->> 'email' = $1 and held", email)
    released = desk.command("leads", "release", str(id))
    assert released.returncode == 0, released.stderr
    assert rows(desk, "select count(*) from public.contact_messages where email = $1", email) == [("1",)]
    assert len(mails_to(desk, email, 2)) == 2


def test_a_quote_s_notice_says_everything_in_words(desk: LiveGateway) -> None:
    email = "words@example.test"
    invoke(desk, "submit-quote", {**SAMPLES["submit-quote"], "email": email})
    notice = next(mail for mail in mails_to(desk, email, 2) if mail["reply_to"] == email)
    for words in ("Medical Practice", "Medical Waste Collection, Sharps Management", "Massachusetts", "12 Elm Street"):
        assert words in notice["text"]


@pytest.mark.parametrize(("priority", "mark"), [("emergency", "[EMERGENCY]"), ("urgent", "[URGENT]"), ("normal", "")])
def test_an_emergency_is_marked_and_goes_first(desk: LiveGateway, priority: str, mark: str) -> None:
    email = f"{priority}@example.test"
    invoke(desk, "submit-contact", {**SAMPLES["submit-contact"], "email": email, "priority": priority})
    notice = next(mail for mail in mails_to(desk, email, 2) if mail["reply_to"] == email)
    assert notice["subject"].startswith(f"{mark} Contact" if mark else "Contact")
    assert (["Importance", "high"] in notice["headers"]) is bool(mark)
    sql = "select priority from jobs.procrastinate_jobs where args #>> '{mail,reply_to}' = $1"
    assert rows(desk, sql, email) == [({"emergency": "100", "urgent": "50", "normal": "10"}[priority],)]


def test_markup_and_line_breaks_of_a_visitor_stay_words(desk: LiveGateway) -> None:
    email = "evil@example.test"
    body = {
        **SAMPLES["submit-contact"],
        "email": email,
        "name": "<b>Evil</b>",
        "subject": "Hi\r\nBcc: everyone@example.test",
        "message": "<script>alert(1)</script>\n\nBye",
    }
    assert invoke(desk, "submit-contact", body).json() == {"ok": True}
    found = mails_to(desk, email, 2)
    notice = next(mail for mail in found if mail["reply_to"] == email)
    confirmation = next(mail for mail in found if mail["to"] == [email])
    assert notice["to"] == ["desk@umw.example"]
    assert notice["subject"] == "Contact: Hi Bcc: everyone@example.test"
    assert not any(name.lower() == "bcc" for name, _ in notice["headers"])
    assert "<script>" not in notice["html"] and "<b>Evil" not in notice["html"]
    # the confirmation carries nothing that a stranger could be made to read
    assert "alert" not in confirmation["text"] and "Evil" not in confirmation["text"]


@pytest.mark.parametrize(
    ("name", "body", "error"),
    [
        ("submit-contact", {}, "Enter your name."),
        ("submit-newsletter", {"firstName": "L", "lastName": "O", "email": "x"}, "Enter an email address such as"),
        ("submit-quote", {**SAMPLES["submit-quote"], "services": []}, "Please select at least one service."),
        ("submit-quote", {**QUICK, "location": " "}, "Choose the area where you need service."),
    ],
)
def test_a_faulty_form_is_answered_with_a_sentence(
    desk: LiveGateway, name: str, body: dict[str, Any], error: str
) -> None:
    response = invoke(desk, name, body)
    assert response.status_code == 422
    assert response.json()["ok"] is False
    assert response.json()["error"].startswith(error)


@pytest.mark.parametrize(
    ("content", "status"),
    [(b"not json", 400), (b"[1]", 400), (b"", 400), (b"[" * 50_000, 400), (b'{"a": NaN}', 400), (b"x" * 70_000, 413)],
    ids=["no json", "a list", "nothing", "very deep", "not a number", "too large"],
)
def test_what_is_no_form_is_refused_with_a_sentence(desk: LiveGateway, content: bytes, status: int) -> None:
    response = httpx.post(f"{desk.url}/functions/v1/submit-contact", content=content, trust_env=False)
    assert response.status_code == status
    assert response.json()["ok"] is False and response.json()["error"].endswith("try again.")


def test_characters_that_the_database_cannot_hold_lose_no_lead(desk: LiveGateway) -> None:
    email = "odd@example.test"
    body = {**SAMPLES["submit-contact"], "email": email, "message": "a\x00b\ud800c", "extra": [{"x\x00": "\udc00"}]}
    content = json.dumps(body).encode()
    response = httpx.post(f"{desk.url}/functions/v1/submit-contact", content=content, trust_env=False)
    assert response.json() == {"ok": True}
    assert rows(desk, "select message from public.contact_messages where email = $1", email) == [("abc",)]


def test_a_retry_under_one_key_stores_one_lead(desk: LiveGateway) -> None:
    email = "twice@example.test"
    body = {**SAMPLES["submit-contact"], "email": email}
    answers: list[httpx.Response] = []
    threads = [
        threading.Thread(target=lambda: answers.append(invoke(desk, "submit-contact", body, "key-1"))) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.json() for answer in answers] == [{"ok": True}] * 5
    assert rows(desk, "select count(*) from public.contact_messages where email = $1", email) == [("1",)]


def test_one_key_for_two_messages_loses_neither(desk: LiveGateway) -> None:
    email = "reused@example.test"
    for message in ("first", "second"):
        invoke(desk, "submit-contact", {**SAMPLES["submit-contact"], "email": email, "message": message}, "key-2")
    sql = "select message from public.contact_messages where email = $1 order by created_at"
    assert rows(desk, sql, email) == [("first",), ("second",)]


def test_a_subscriber_again_is_a_success_without_a_second_row(desk: LiveGateway) -> None:
    email = "again@example.test"
    for _ in range(2):
        body = {**SAMPLES["submit-newsletter"], "email": email}
        assert invoke(desk, "submit-newsletter", body).json() == {"ok": True}
    assert rows(desk, "select count(*) from public.newsletter_subscriptions where email = $1", email) == [("1",)]


@pytest.mark.parametrize(
    ("name", "body", "trap"),
    [
        ("submit-contact", SAMPLES["submit-contact"], "honeypot"),
        ("submit-newsletter", SAMPLES["submit-newsletter"], "honeypot"),
        ("submit-quote", SAMPLES["submit-quote"], "company"),
        ("submit-quote", QUICK, "company"),
    ],
    ids=["contact", "newsletter", "quote", "quick start"],
)
def test_a_sprung_trap_looks_like_success_and_keeps_the_submission(
    desk: LiveGateway, name: str, body: dict[str, Any], trap: str
) -> None:
    email = f"trap-{name}-{body.get('location', 'full')}@example.test"
    response = invoke(desk, name, {**body, "email": email, trap: "Filled Inc."})
    assert (response.status_code, response.json()) == (200, {"ok": True})
    ((reason, kept, address),) = rows(
        desk, "select reason, payload, host(address) from public.quarantine where payload ->> 'email' = $1", email
    )
    assert reason is not None and trap in reason
    assert json.loads(str(kept))[trap] == "Filled Inc."
    assert address == "127.0.0.1"
    jobs = rows(desk, "select count(*) from jobs.procrastinate_jobs where args::text like '%' || $1 || '%'", email)
    assert jobs == [("0",)]


def test_too_many_from_one_sender_are_asked_to_wait(desk: LiveGateway) -> None:
    body = {**SAMPLES["submit-contact"], "email": "flood@example.test"}
    answers = [invoke(desk, "submit-contact", {**body, "message": f"message {number}"}) for number in range(7)]
    assert [answer.status_code for answer in answers] == [200] * 6 + [429]
    last = answers[-1]
    assert last.json()["ok"] is False and "Please wait" in last.json()["error"]
    assert int(last.headers["retry-after"]) > 0
    # the flood of this sender closes nothing to others, nor another form to this sender
    assert invoke(desk, "submit-contact", {**body, "email": "calm@example.test"}).status_code == 200
    assert invoke(desk, "submit-quote", {**SAMPLES["submit-quote"], "email": body["email"]}).status_code == 200


def test_a_client_cannot_choose_the_address_it_is_counted_by(desk: LiveGateway) -> None:
    email = "forged@example.test"
    headers = {"x-forwarded-for": "203.0.113.9", "x-real-ip": "203.0.113.9"}
    body = {**SAMPLES["submit-contact"], "email": email, "honeypot": "x"}
    httpx.post(f"{desk.url}/functions/v1/submit-contact", json=body, headers=headers, trust_env=False)
    sql = "select host(address) from public.quarantine where payload ->> 'email' = $1"
    assert rows(desk, sql, email) == [("127.0.0.1",)]


def test_a_preflight_allows_what_the_site_sends(desk: LiveGateway) -> None:
    asked = "apikey,authorization,content-type,idempotency-key,x-client-info,x-region,x-other"
    response = httpx.options(
        f"{desk.url}/functions/v1/submit-contact",
        headers={
            "origin": "https://elsewhere.example",
            "access-control-request-method": "POST",
            "access-control-request-headers": asked,
        },
        trust_env=False,
    )
    allowed = {name.strip() for name in response.headers["access-control-allow-headers"].split(",")}
    assert response.status_code == 200
    assert set(asked.split(",")) <= allowed
    assert response.headers["access-control-allow-origin"] == "*"


def test_a_get_is_not_a_submission(desk: LiveGateway) -> None:
    response = httpx.get(f"{desk.url}/functions/v1/submit-contact", trust_env=False)
    assert response.status_code == 405
    assert response.headers["allow"] == "POST, OPTIONS"


def test_the_tables_are_closed_to_visitors(desk: LiveGateway) -> None:
    headers = {"apikey": desk.publishable_key}
    for table in ("contact_messages", "quote_requests", "newsletter_subscriptions", "quarantine"):
        response = httpx.get(f"{desk.url}/rest/v1/{table}", headers=headers, trust_env=False)
        assert response.status_code == 401 and response.json()["code"] == "42501"
    for name in ("submit_lead", "quarantine_lead"):
        body = {"form": "contact", "lead": {}, "payload": {}, "reason": "x"}
        response = httpx.post(f"{desk.url}/rest/v1/rpc/{name}", json=body, headers=headers, trust_env=False)
        assert response.status_code in (401, 404)
