"""What is promised of a lead, a mail and a person holds for every form, every field and every table alike."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from functions_runner import registry, runner
from postgrest import APIError
from unitedmedicalwaste.leads import cell

from functions.shared import data, leads
from gateway.database import SyncConnection
from gateway.mail.message import BadMail, Sender, build_message
from gateway.mail.trap import store
from tests.functions.test_lead_care import catch, command, rows
from tests.functions.test_submit import QUICK, SAMPLES
from tests.functions.test_submit_lead import CONTACT, MAIL, NEWSLETTER, QUOTE, count, limit, submit
from tests.functions.test_submit_lead import QUICK as QUICK_LEAD

__all__ = ("command",)  # the fixture

ROOT = Path(__file__).parents[2] / "functions"
FORMS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "contact": ("submit-contact", SAMPLES["submit-contact"], "honeypot", "contact_messages"),
    "newsletter": ("submit-newsletter", SAMPLES["submit-newsletter"], "honeypot", "newsletter_subscriptions"),
    "quote": ("submit-quote", SAMPLES["submit-quote"], "company", "quote_requests"),
    "quick-start": ("submit-quote", QUICK, "company", "quote_requests"),
}
EVERY: dict[str, dict[str, Any]] = {
    "contact": CONTACT,
    "newsletter": NEWSLETTER,
    "quote": QUOTE,
    "quick-start": QUICK_LEAD,
}


# --- 44: the trap -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_promise_44_what_a_form_s_trap_caught_is_released_whole(
    connection: SyncConnection, command: Any, form: str
) -> None:
    _, body, trap, table = FORMS[form]
    id = catch(connection, form, {**body, trap: "Filled Inc."})
    assert command("leads", "release", id).returncode == 0
    lead = f"select email, created_at = (select received_at from public.quarantine) from public.{table}"
    assert connection.rows(lead) == [(body["email"], "t")]
    mails = connection.rows("select args #>> '{mail,to,0}' from jobs.procrastinate_jobs order by id")
    assert mails == [("desk@umw.example",), (body["email"],)]
    (listed,) = rows(command("leads", "quarantine", "--all", "--json"))
    assert listed["id"] == id and listed["released"], "what was released is still there to be seen"
    if form != "newsletter":  # the browser's own retry of what was released is not another lead
        assert submit(connection, form, EVERY[form], key="k1")["stored"] is False


# --- 45: acknowledged is stored, once ---------------------------------------------------------------------------------

UNAVAILABLE, REFUSED = data.DataUnavailable("away"), APIError({"code": "23514", "message": "no"})


@pytest.mark.parametrize("function", ["submit_lead", "quarantine_lead"])
@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ([{"stored": True}], 200),
        ([{"stored": True, "held": True}], 200),
        ([{"stored": False, "duplicate": True}], 200),
        ([{"stored": False, "retry_after": 9}], 429),
        ([UNAVAILABLE, {"stored": True}], 200),
        ([UNAVAILABLE, UNAVAILABLE, {"stored": False, "duplicate": True}], 200),
        ([UNAVAILABLE, {"stored": False, "retry_after": 1}], 429),
        ([UNAVAILABLE] * 9, 503),
        ([REFUSED], 500),
        ([UNAVAILABLE, REFUSED], 500),
        ([None], 503),
    ],
    ids=["stored", "held", "again", "limit", "2nd try", "3rd try", "2nd limit", "away", "refused", "2nd no", "silent"],
)
def test_promise_45_success_is_said_only_of_what_the_database_has(
    monkeypatch: pytest.MonkeyPatch, function: str, outcomes: list[Any], status: int
) -> None:
    told = iter(outcomes)
    asked = []

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        asked.append((name, dict(arguments)))
        outcome = next(told)
        if outcome is None:
            await asyncio.Event().wait()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(data, "call", call)
    monkeypatch.setattr(leads, "PAUSES", (0.0,) * len(leads.PAUSES))
    monkeypatch.setattr(leads, "BUDGET", 0.05 if outcomes == [None] else leads.BUDGET)
    body, said, headers = asyncio.run(leads.store(function, {"idempotency_key": "k"}))
    assert (said, body["ok"]) == (status, status == 200)
    assert ("retry-after" in headers) is (status in (429, 503))
    assert asked == [(function, {"idempotency_key": "k"})] * len(asked), "each try is the same one"


def test_promise_45_a_key_is_one_submission_s_alone() -> None:
    body = {"email": "a@b.c", "message": "x"}
    key = leads.idempotency_key("given", "contact", body)
    assert key == leads.idempotency_key("given", "contact", dict(reversed(body.items())))
    others = [
        leads.idempotency_key("another", "contact", body),
        leads.idempotency_key("given", "quote", body),
        *(leads.idempotency_key("given", "contact", {**body, name: "other"}) for name in (*body, "more")),
        *(leads.idempotency_key(none, "contact", body) for none in (None, None, "", "")),
    ]
    assert len({key, *others}) == len(others) + 1


# --- 47: mails --------------------------------------------------------------------------------------------------------

HOSTILE = [
    *(f"Ann{end}Bcc: everyone@example.test{end}{end}Body" for end in ("\r\n", "\n", "\r", "\x85", "\u2028", "\x0b")),
    "</td></title><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<a href=//evil.test>x</a>",
    "\"' onmouseover='alert(1)' x=\"",
    "&lt;script&gt;&#60;b&#62;",
    "=?utf-8?q?Hi=0D=0ABcc:_everyone@example.test?=",
]


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(attrs)))


def shape(payload: dict[str, Any]) -> tuple[Any, ...]:
    """What a visitor's words must not change of a mail: its headers, who gets it, the tags of its markup."""
    raw = build_message(payload, 7, Sender("no-reply@umw.example", "United Medical Waste")).as_bytes()
    mail = message_from_bytes(raw, EmailMessage, policy=default)
    html = mail.get_body(("html",))
    assert isinstance(html, EmailMessage)
    parts = [part.get_content_type() for part in mail.walk()]
    headers = {name: str(mail[name]) for name in ("To", "From", "Reply-To")}
    return mail.keys(), headers, parts, Tags(html.get_content()).found


@cache
def chooser(name: str) -> leads.Choose:
    found: leads.Choose = runner.load_module(registry.find(name, ROOT)).choose
    return found


def prepared(name: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The mails of a submission, none where it would be turned away."""
    lead = leads.reopen(chooser(name), body, "desk@umw.example")
    return [] if isinstance(lead, dict) else lead.mails


@pytest.mark.parametrize("form", FORMS)
def test_promise_47_no_field_of_a_form_changes_the_shape_of_a_mail(form: str) -> None:
    name, body, _, _ = FORMS[form]
    fields = json.loads((ROOT / name / f"{form}.form.json").read_text())["fields"]
    # Every field is filled, so that a hostile one is no more than other words in its place.
    lengths = {field["name"]: field["max"] for field in fields if field["type"] in ("text", "textarea", "hidden")}
    full = dict.fromkeys(lengths, "Plain")
    usual = prepared(name, {**body, **full})
    assert len(usual) == 2
    expected = [shape(mail) for mail in usual]
    for field in full:
        for words in (words[: lengths[field]] for words in HOSTILE):
            mails = prepared(name, {**body, **full, field: words})
            assert [shape(mail) for mail in mails] == expected, (field, words)
            confirmation = json.dumps(mails[1])
            assert not any(word in confirmation for word in ("evil", "everyone", "alert", "onmouse", "lt;")), field


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "address",
    ["a@b.test, c@d.test", "a@b.test;c@d.test", "a@b.test\r\nBcc: c@d.test", "<a@b.test>", "a@b.test,c@d.test",
     "a@b.test(c@d.test)", '"x"@b.test', "a@[127.0.0.1].test", "a@b@d.test", "a@b.test\x00", "a@b.test:c@d.test",
     "=?utf-8?q?a=0D=0ABcc=3Ac=40d.test?=@b.test", "=?utf-8?q?a,c=40d.test?=@b.test"],
)  # fmt: skip
def test_promise_47_an_address_is_one_recipient_or_none(form: str, address: str) -> None:
    name, body, _, _ = FORMS[form]
    for mail in prepared(name, {**body, "email": address}):
        try:
            _, headers, _, _ = shape(mail)
        except BadMail:
            continue
        assert {headers["To"], headers["Reply-To"]} <= {
            "desk@umw.example", "a@b.test", "None", "service@unitedmedicalwaste.example"
        }  # fmt: skip


# --- 48: limits -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["address", "email", "form"])
def test_promise_48_each_limit_closes_its_form_to_its_subject_alone(
    connection: SyncConnection, form: str, kind: str
) -> None:
    limit(connection, kind, 2)

    def send(of: str, email: str = "one@example.test", address: str = "203.0.113.9") -> bool:
        return bool(submit(connection, of, {**EVERY[of], "email": email}, address=address, key=None)["stored"])

    # a newsletter has each subscriber once, so only its first is a row
    emails = [f"{number}@example.test" for number in range(3)] if kind != "email" else ["one@example.test"] * 3
    addresses = [f"203.0.113.{number}" for number in range(3)] if kind != "address" else ["203.0.113.9"] * 3
    if kind == "email":
        emails = ["one@example.test", "ONE@example.test ", "One@Example.Test"]
    answers = [
        submit(connection, form, {**EVERY[form], "email": email.strip()}, address=address)
        for email, address in zip(emails, addresses, strict=True)
    ]
    assert ["retry_after" in answer for answer in answers] == [False, False, True]
    for other in FORMS:
        if other != form:
            assert send(other, "one@example.test"), f"{other} is open"
    if kind != "form":
        assert send(form, "somebody@else.test", "198.51.100.1"), "another sender is heard"


@pytest.mark.parametrize(
    ("address", "other", "together"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:DB8:1:2::1", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("203.0.113.9", "203.0.113.10", False),
        ("203.0.113.9", "203.0.113.9", True),
    ],
)
def test_promise_48_a_household_is_one_sender(address: str, other: str, together: bool) -> None:
    assert (leads.counted_as(address) == leads.counted_as(other)) is together


# --- 49: a person who is erased ---------------------------------------------------------------------------------------

TABLES = """
  select format('%I.%I', nspname, relname) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'm') and nspname !~ '^pg_' and nspname <> 'information_schema' order by 1
"""


def named_in(connection: SyncConnection, email: str) -> set[str]:
    """Every table of the database that has the address in any row."""
    found = "select exists (select from {} as kept where kept::text ilike '%' || $1 || '%')"
    names = [str(name) for (name,) in connection.rows(TABLES)]
    return {name for name in names if connection.rows(found.format(name), email) == [("t",)]}


def test_promise_49_an_erased_person_is_in_no_table_and_after_a_restore_in_none(
    connection: SyncConnection, command: Any, tmp_path: Path
) -> None:
    email = "person@example.test"

    def fill() -> None:
        """A person wherever one can be: as lead of each form, caught, held, released, in mails of each state."""
        mails = [{**MAIL, "to": [email.upper()]}, {**MAIL, "reply_to": email}]
        for form, lead in EVERY.items():
            submit(connection, form, {**lead, "email": "Person@Example.test"}, mails=mails, address="203.0.113.9")
            _, body, trap, _ = FORMS[form]
            connection.rows(
                "insert into public.quarantine (form, payload, reason, held, released_at)"
                " select $1, $2::jsonb, 'x', held, case when held then now() end"
                " from (values (true), (false)) as t (held)",
                form, json.dumps({**body, "email": f" {email} ", trap: "x"}),
            )  # fmt: skip
        for status in ("doing", "succeeded", "failed"):
            ((job,),) = connection.rows("select jobs.enqueue_mail($1::jsonb)", json.dumps(mails[0]))
            connection.rows("update jobs.procrastinate_jobs set status = 'doing' where id = $1::bigint", job)
            if status != "doing":
                connection.rows(f"update jobs.procrastinate_jobs set status = '{status}' where id = $1::bigint", job)
            connection.rows(
                "insert into jobs.mail_attempts (job_id, outcome, reply) values ($1::bigint, 'deferred', $2)",
                job, f"{email}: 451 later",
            )  # fmt: skip
        connection.rows(
            "insert into auth.audit_log_entries (id, payload) values (gen_random_uuid(), $1::json)",
            json.dumps({"actor_username": email, "action": "login", "traits": [{"user_email": email.upper()}]}),
        )

    fill()
    assert len(named_in(connection, email)) >= 7
    (tmp_path / "mail").mkdir()
    store(tmp_path / "mail", f"X-Trap-To: {email}\r\nSubject: x\r\n\r\nx".encode())
    done = command("leads", "erase", email, "--yes")
    assert done.returncode == 0, done.stderr
    assert named_in(connection, email) == set()
    assert count(connection, "gateway.erasures") == 1
    fill()  # as a restore of an older copy would bring back
    submit(connection, "contact", EVERY["contact"])
    assert command("leads", "erase", "--again", "--yes").returncode == 0
    assert named_in(connection, email) == set()
    assert count(connection, "public.contact_messages") == 1, "everyone else is still there"


# --- 50: exports ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_promise_50_no_value_begins_a_formula(start: str) -> None:
    for value in (f"{start}1+1", [f"{start}1", "b"], start, [start]):
        assert cell(value) == "'" + (", ".join(value) if isinstance(value, list) else value)
    assert cell(12) == "12" and cell("a=b") == "a=b" and cell(None) == ""


@pytest.mark.parametrize("form", ["contact", "newsletter", "quote"])
@pytest.mark.parametrize("way", [("--csv",), ("--csv", "-o"), ("-o",), ()], ids=["csv", "csv file", "file", "lines"])
def test_promise_50_each_export_of_each_form_is_plain_and_noted(
    connection: SyncConnection, command: Any, tmp_path: Path, form: str, way: tuple[str, ...]
) -> None:
    _, _, _, table = FORMS[form]
    submit(connection, form, EVERY[form])
    texts = "select column_name from information_schema.columns where table_name = $1 and data_type = 'text'"
    checked = "select pg_get_constraintdef(oid) from pg_constraint where conrelid = $1::regclass and contype = 'c'"
    rules = " ".join(str(rule) for (rule,) in connection.rows(checked, f"public.{table}"))
    free = [
        str(name) for (name,) in connection.rows(texts, table) if f"({name} " not in rules and f"({name})" not in rules
    ]
    for name in free:
        connection.rows(f'update public.{table} set "{name}" = $1', "=HYPERLINK(1)")
    target = tmp_path / "leads.out"
    done = command("leads", "export", form, *way, *([str(target)] if "-o" in way else []))
    assert done.returncode == 0, done.stderr
    text = target.read_text() if "-o" in way else done.stdout
    if "--csv" in way:
        (row,) = csv.DictReader(io.StringIO(text))
        assert {row[name] for name in free} <= {"'=HYPERLINK(1)"}
        assert not [value for value in row.values() if value.startswith(("=", "+", "-", "@"))]
    else:
        assert json.loads(text)["email"]
    noted = connection.rows("select action, detail ->> 'form', detail ->> 'rows' from private.lead_audit")
    assert noted == [("export", form, "1")]
