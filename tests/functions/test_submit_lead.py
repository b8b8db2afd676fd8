"""The database's part of a submission: stored once, with its mails, within limits, for service_role alone."""

from __future__ import annotations

import json
import random
import threading
from typing import Any

import pytest

from gateway.database import DatabaseError, SyncConnection
from tests.ops.procs import until

CONTACT = {"name": "Priya", "email": "priya@northshore.example", "subject": "Pickup", "message": "Two boxes."}
NEWSLETTER = {"first_name": "Lena", "last_name": "Okafor", "email": "lena@bayclinic.example"}
QUOTE = {
    "facility_name": "Elm Park",
    "facility_type": "medical-practice",
    "contact_name": "Dana",
    "email": "dana@elmpark.example",
    "phone": "(508) 555-0142",
    "services": ["medical-waste", "sharps"],
    "waste_volume": "1-2",
    "pickup_frequency": "monthly",
}
QUICK = {
    **QUOTE,
    "facility_type": "dental-office",
    "services": ["medical-waste"],
    "waste_volume": "small",
    "location": "capecod",
    "promotion_amount": 99,
}
MAIL = {"to": ["staff@umw.example"], "subject": "Lead", "text": "A lead", "priority": 10}

LEADS = [
    pytest.param("contact", CONTACT, "contact_messages", id="contact"),
    pytest.param("newsletter", NEWSLETTER, "newsletter_subscriptions", id="newsletter"),
    pytest.param("quote", QUOTE, "quote_requests", id="quote"),
    pytest.param("quick-start", QUICK, "quote_requests", id="quick start"),
]


def submit(
    connection: SyncConnection,
    form: str,
    lead: dict[str, Any],
    *,
    key: str | None = None,
    address: str | None = None,
    mails: list[dict[str, Any]] | None = None,
    payload: dict[str, Any] | None = None,
) -> dict[str, Any]:
    sql = "select public.submit_lead($1, $2::jsonb, $3::jsonb, $4, $5, $6::jsonb)"
    mails = [MAIL] if mails is None else mails
    body = None if payload is None else json.dumps(payload)
    raw = connection.rows(sql, form, json.dumps(lead), json.dumps(mails), key, address, body)[0][0]
    answer: dict[str, Any] = json.loads(str(raw))
    return answer


def count(connection: SyncConnection, table: str) -> int:
    return int(str(connection.rows(f"select count(*) from {table}")[0][0]))


def limit(connection: SyncConnection, kind: str, burst: int) -> None:
    connection.rows(
        "update private.lead_limits set burst = $2::integer, per_hour = 1 where kind = $1", kind, str(burst)
    )


@pytest.mark.parametrize(("form", "lead", "table"), LEADS)
def test_a_lead_is_stored_with_its_mail(
    connection: SyncConnection, form: str, lead: dict[str, Any], table: str
) -> None:
    answer = submit(connection, form, lead)
    assert answer["stored"] is True
    assert connection.rows(f"select id, email, status from public.{table}") == [(answer["id"], lead["email"], "new")]
    jobs = connection.rows("select priority, args -> 'mail' ->> 'subject' from jobs.procrastinate_jobs")
    assert jobs == [("10", "Lead")]


@pytest.mark.parametrize(("form", "lead", "table"), LEADS)
def test_a_retry_stores_nothing_twice(connection: SyncConnection, form: str, lead: dict[str, Any], table: str) -> None:
    submit(connection, form, lead, key="k1")
    assert submit(connection, form, lead, key="k1") == {"stored": False, "duplicate": True}
    assert count(connection, f"public.{table}") == 1
    assert count(connection, "jobs.procrastinate_jobs") == 1


def test_a_retry_is_answered_even_above_the_limit(connection: SyncConnection) -> None:
    limit(connection, "email", 1)
    submit(connection, "contact", CONTACT, key="k1")
    assert submit(connection, "contact", CONTACT, key="k1")["duplicate"] is True
    assert "retry_after" in submit(connection, "contact", CONTACT, key="k2")


def test_a_subscriber_is_stored_once_however_the_address_is_written(connection: SyncConnection) -> None:
    submit(connection, "newsletter", NEWSLETTER, key="k1")
    again = submit(connection, "newsletter", {**NEWSLETTER, "email": "LENA@bayclinic.example"}, key="k2")
    assert again == {"stored": False, "duplicate": True}
    assert count(connection, "public.newsletter_subscriptions") == 1
    assert count(connection, "jobs.procrastinate_jobs") == 1


def test_a_mail_that_cannot_be_queued_leaves_no_lead(connection: SyncConnection) -> None:
    with pytest.raises(DatabaseError):
        submit(connection, "contact", CONTACT, mails=[MAIL, {"to": []}])
    assert count(connection, "public.contact_messages") == 0
    assert count(connection, "jobs.procrastinate_jobs") == 0


def test_a_lead_that_breaks_a_rule_of_its_table_leaves_no_mail(connection: SyncConnection) -> None:
    with pytest.raises(DatabaseError):
        submit(connection, "quote", {**QUOTE, "services": []})
    assert count(connection, "jobs.procrastinate_jobs") == 0


def test_concurrent_retries_store_one_lead(connection: SyncConnection, database_url: str) -> None:
    answers: list[dict[str, Any]] = []

    def once() -> None:
        with SyncConnection(database_url) as own:
            answers.append(submit(own, "contact", CONTACT, key="k1"))

    threads = [threading.Thread(target=once) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(answer["stored"] for answer in answers) == 1
    assert all(answer["stored"] or answer.get("duplicate") for answer in answers)
    assert count(connection, "public.contact_messages") == 1
    assert count(connection, "jobs.procrastinate_jobs") == 1


def test_a_retry_beside_its_first_try_is_not_counted(connection: SyncConnection, database_url: str) -> None:
    limit(connection, "email", 1)
    answers: list[dict[str, Any]] = []

    def again() -> None:
        with SyncConnection(database_url, "retry") as own:
            answers.append(submit(own, "contact", CONTACT, key="k1"))

    thread = threading.Thread(target=again)
    waiting = "select from pg_stat_activity where application_name = 'retry' and wait_event_type = 'Lock'"
    with SyncConnection(database_url) as first, first.transaction():
        assert submit(first, "contact", CONTACT, key="k1")["stored"]
        thread.start()
        until(lambda: bool(connection.rows(waiting)), "the retry waits for the first try")
    thread.join()
    assert answers == [{"stored": False, "duplicate": True}]


@pytest.mark.parametrize("kind", ["address", "email", "form"])
def test_a_limit_turns_the_next_one_away(connection: SyncConnection, kind: str) -> None:
    limit(connection, kind, 2)
    answers = [submit(connection, "contact", CONTACT, address="203.0.113.9") for _ in range(3)]
    assert [answer["stored"] for answer in answers] == [True, True, False]
    assert 3500 <= answers[2]["retry_after"] <= 3600
    assert count(connection, "public.contact_messages") == 2


def test_a_flood_on_one_form_does_not_close_another(connection: SyncConnection) -> None:
    for kind in ("address", "email", "form"):
        limit(connection, kind, 1)
    address = "203.0.113.9"
    submit(connection, "contact", CONTACT, address=address)
    assert submit(connection, "contact", CONTACT, address=address)["stored"] is False
    assert submit(connection, "quote", {**QUOTE, "email": CONTACT["email"]}, address=address)["stored"] is True


def test_another_address_is_not_held_back_by_a_flood_from_one(connection: SyncConnection) -> None:
    limit(connection, "address", 1)
    submit(connection, "contact", CONTACT, address="203.0.113.9")
    other = {**CONTACT, "email": "someone@else.example"}
    assert submit(connection, "contact", other, address="203.0.113.10")["stored"] is True


def test_a_flood_from_one_address_does_not_close_the_form(connection: SyncConnection) -> None:
    limit(connection, "form", 3)
    limit(connection, "address", 1)
    for _ in range(5):
        submit(connection, "contact", CONTACT, address="203.0.113.9")
    other = {**CONTACT, "email": "someone@else.example"}
    assert submit(connection, "contact", other, address="203.0.113.10")["stored"] is True


class Model:
    """What the limits say, in other words: the tokens of each form, kind and subject, as of the present."""

    def __init__(self, limits: dict[tuple[str, str], tuple[int, float]]) -> None:
        self.limits = limits
        self.tokens: dict[tuple[str, str, str], float] = {}

    def pass_time(self, hours: float) -> None:
        for (form, kind, subject), tokens in self.tokens.items():
            burst, per_hour = self.limits[form, kind]
            self.tokens[form, kind, subject] = min(burst, tokens + hours * per_hour)

    def wait(self, form: str, address: str, email: str) -> float:
        for kind, subject in (("address", address), ("email", email), ("form", form)):
            burst, per_hour = self.limits[form, kind]
            tokens = self.tokens.setdefault((form, kind, subject), burst)
            if tokens < 1:
                return max(1.0, (1 - tokens) * 3600 / per_hour)
            self.tokens[form, kind, subject] = tokens - 1
        return 0.0


@pytest.mark.parametrize("seed", range(6))
def test_submissions_wait_as_long_as_their_limits_say(connection: SyncConnection, seed: int) -> None:
    """Random senders of two forms with limits of their own, and time that passes, against the model."""
    chance = random.Random(seed)
    limits = {
        (form, kind): (chance.randint(1, 4), chance.choice([1.0, 7.0, 60.0]))
        for form in ("contact", "quote")
        for kind in ("address", "email", "form")
    }
    for (form, kind), (burst, per_hour) in limits.items():
        sql = "update private.lead_limits set burst = $3::integer, per_hour = $4::numeric where form = $1 and kind = $2"
        connection.rows(sql, form, kind, str(burst), str(per_hour))
    model = Model(limits)
    for _ in range(40):
        if chance.random() < 0.4:
            hours = chance.choice([0.01, 0.1, 0.5, 2.0])
            connection.rows("update private.lead_counters set at = at - $1::numeric * interval '1 hour'", str(hours))
            model.pass_time(hours)
        form, address = chance.choice(["contact", "quote"]), chance.choice(["203.0.113.1", "203.0.113.2"])
        email = chance.choice(["one@example.test", "two@example.test"])
        lead = {**(CONTACT if form == "contact" else QUOTE), "email": email}
        answer = submit(connection, form, lead, address=address)
        wait = model.wait(form, address, email)
        assert answer["stored"] is (wait == 0), answer
        assert answer.get("retry_after", 0) == pytest.approx(wait, abs=3)


def test_a_wait_of_less_than_a_second_is_a_wait(connection: SyncConnection) -> None:
    connection.script("update private.lead_limits set burst = 1, per_hour = 3600 where kind = 'email'")
    submit(connection, "contact", CONTACT)
    assert submit(connection, "contact", CONTACT) == {"stored": False, "retry_after": 1}


def test_a_mail_without_a_priority_is_an_ordinary_one(connection: SyncConnection) -> None:
    submit(connection, "contact", CONTACT, mails=[MAIL, {**MAIL, "priority": None}])
    assert connection.rows("select priority from jobs.procrastinate_jobs order by id") == [("10",), ("0",)]


def flood(connection: SyncConnection, count: int, **more: Any) -> list[dict[str, Any]]:
    """So many submissions, each from an address and a mailbox of its own."""
    return [
        submit(
            connection,
            "contact",
            {**CONTACT, "email": f"{number}@flood.example"},
            address=f"198.51.100.{number}",
            key=f"flood {number}",
            payload={**CONTACT, "email": f"{number}@flood.example"},
            **more,
        )
        for number in range(count)
    ]


def test_a_flood_from_many_addresses_loses_nobodys_lead(connection: SyncConnection) -> None:
    limit(connection, "form", 3)
    answers = flood(connection, 10)
    assert [answer["stored"] for answer in answers] == [True] * 10
    assert [answer.get("held", False) for answer in answers] == [False] * 3 + [True] * 7
    assert count(connection, "public.contact_messages") == 3
    kept = connection.rows("select payload ->> 'email', held from public.quarantine order by received_at")
    assert kept == [(f"{number}@flood.example", "t") for number in range(3, 10)]
    assert connection.rows("select kind, subject from gateway.alarms()") == [("held leads", "contact")]


def test_an_alarm_says_how_many_leads_are_held_and_since_when(connection: SyncConnection) -> None:
    quarantine(connection)
    assert connection.rows("select * from gateway.alarms()") == [], "what a trap caught is no alarm"
    limit(connection, "form", 1)
    flood(connection, 4)
    connection.script(
        "update public.quarantine set received_at = '2026-03-04 05:06Z' where payload ->> 'email' = '2@flood.example';"
        "update public.quarantine set released_at = now(), received_at = '2026-01-01' where payload ->> 'email' ="
        " '1@flood.example'"
    )
    ((form, detail),) = connection.rows("select subject, detail from gateway.alarms()")
    assert form == "contact"
    assert str(detail).startswith("2 submissions of the form contact wait in quarantine since 2026-03-04 05:06 UTC:")


def test_leads_are_counted_by_form_and_a_form_without_any_counts_none(connection: SyncConnection) -> None:
    def numbers(name: str) -> list[tuple[str | None, ...]]:
        sql = "select labels ->> 'form', value from gateway.metrics() where name = $1 order by 1"
        return connection.rows(sql, name)

    assert numbers("leads_total") == [("contact", "0"), ("newsletter", "0"), ("quick-start", "0"), ("quote", "0")]
    submit(connection, "contact", CONTACT)
    submit(connection, "contact", CONTACT)
    submit(connection, "quick-start", QUICK)
    assert numbers("leads_total") == [("contact", "2"), ("newsletter", "0"), ("quick-start", "1"), ("quote", "0")]
    quarantine(connection, "k1")
    quarantine(connection, "k2")
    connection.script("update public.quarantine set released_at = now() where idempotency_key = 'k1'")
    assert numbers("quarantined_leads") == [(None, "1")]


@pytest.mark.parametrize(("quick", "other"), [(1, 2), (2, 1)])
def test_leads_of_one_statement_are_counted_in_one_order(connection: SyncConnection, quick: int, other: int) -> None:
    """Two that are stored at once with several rows each never wait for each other's counts."""
    submit(connection, "quick-start", QUICK)
    submit(connection, "quote", QUOTE)
    connection.script(
        "delete from gateway.tallies;"
        "insert into public.quote_requests"
        " select (jsonb_populate_record(lead, jsonb_build_object('id', gen_random_uuid()))).*"
        " from public.quote_requests as lead,"
        f" generate_series(1, case when lead.quick_start_service then {quick} else {other} end)"
    )
    counted = connection.rows("select labels ->> 'form', value from gateway.tallies order by ctid")
    assert counted[:2] == [("quick-start", str(quick)), ("quote", str(other))]


def test_an_erased_person_is_counted_anew_and_nobody_else(connection: SyncConnection) -> None:
    submit(connection, "contact", CONTACT, address="203.0.113.9")
    submit(connection, "newsletter", NEWSLETTER, address="203.0.113.9")
    kept = "select form, kind from private.lead_counters order by form, kind"
    before = connection.rows(kept)
    connection.rows("select gateway.erase_person($1)", CONTACT["email"])
    assert connection.rows(kept) == [row for row in before if row != ("contact", "email")]


def test_a_retry_of_what_is_held_stays_one_lead(connection: SyncConnection) -> None:
    limit(connection, "form", 1)
    flood(connection, 3)
    connection.script("delete from private.lead_counters")  # the flood is over, and there would be room again
    assert flood(connection, 3) == [{"stored": False, "duplicate": True}] * 3
    assert (count(connection, "public.contact_messages"), count(connection, "public.quarantine")) == (1, 2)


def test_what_is_held_comes_out_with_its_time_and_mails(connection: SyncConnection) -> None:
    limit(connection, "form", 1)
    flood(connection, 2)
    ((id, at),) = connection.rows("select id, received_at from public.quarantine")
    connection.rows(
        "select private.release_lead($1::uuid, $2::jsonb, $3::jsonb)", id, json.dumps(CONTACT), json.dumps([MAIL])
    )
    stored = "select count(*) from public.contact_messages where created_at = $1::timestamptz"
    assert connection.rows(stored, at) == [("1",)]
    assert count(connection, "public.contact_messages") == 2
    assert count(connection, "jobs.procrastinate_jobs") == 2
    assert connection.rows("select * from gateway.alarms()") == []


def test_even_what_is_held_has_an_end(connection: SyncConnection) -> None:
    limit(connection, "form", 1)
    limit(connection, "held", 2)
    assert [answer["stored"] for answer in flood(connection, 5)] == [True, True, True, False, False]
    assert count(connection, "public.quarantine") == 2


def test_one_sender_fills_no_quarantine(connection: SyncConnection) -> None:
    limit(connection, "form", 1)
    limit(connection, "address", 2)
    body = {**CONTACT, "email": "someone@else.example"}
    answers = [submit(connection, "contact", body, address="203.0.113.9", payload=body) for _ in range(5)]
    assert [answer["stored"] for answer in answers] == [True, True, False, False, False]


def test_limits_come_back_with_time(connection: SyncConnection) -> None:
    limit(connection, "email", 1)
    submit(connection, "contact", CONTACT)
    assert submit(connection, "contact", CONTACT)["stored"] is False
    connection.script("update private.lead_counters set at = at - interval '1 hour'")
    assert submit(connection, "contact", CONTACT)["stored"] is True


@pytest.mark.parametrize("ahead", ["1 second", "290 minutes", "400 days", "90 years"])
@pytest.mark.parametrize("kind", ["address", "email", "form"])
def test_a_clock_that_ran_ahead_closes_no_form(connection: SyncConnection, kind: str, ahead: str) -> None:
    limit(connection, kind, 2)
    for _ in range(2):
        submit(connection, "contact", CONTACT, address="203.0.113.9")
    connection.script(f"update private.lead_counters set at = at + interval '{ahead}'")
    refused = submit(connection, "contact", CONTACT, address="203.0.113.9")
    assert refused["stored"] is False
    assert 1 <= refused["retry_after"] <= 3600  # the limit gives one submission back each hour
    connection.script(f"update private.lead_counters set at = at - interval '{refused['retry_after']} s'")
    assert submit(connection, "contact", CONTACT, address="203.0.113.9")["stored"] is True


def test_a_clock_that_ran_ahead_gives_no_submissions_away(connection: SyncConnection) -> None:
    limit(connection, "email", 2)
    submit(connection, "contact", CONTACT)
    connection.rows(
        "insert into private.lead_counters values ('contact', 'email', 'of another', 0, now() + interval '1 day')"
    )
    connection.script("update private.lead_counters set at = at + interval '1 day'")
    answers = [submit(connection, "contact", CONTACT)["stored"] for _ in range(3)]
    assert answers == [True, False, False]
    others = "select extract(epoch from at - now()) > 86400 from private.lead_counters where subject = 'of another'"
    assert connection.rows(others) == [("t",)], "what is not met is left alone"


def test_counters_do_not_hold_addresses_in_clear(connection: SyncConnection) -> None:
    submit(connection, "contact", CONTACT, address="203.0.113.9")
    kept = str(connection.rows("select string_agg(subject, ' ') from private.lead_counters")[0][0])
    assert CONTACT["email"] not in kept
    assert "203.0.113.9" not in kept


def quarantine(connection: SyncConnection, key: str | None = None, address: str = "203.0.113.9") -> dict[str, Any]:
    sql = "select public.quarantine_lead('contact', $1::jsonb, 'the hidden field was filled', $2, $3)"
    answer: dict[str, Any] = json.loads(str(connection.rows(sql, json.dumps(CONTACT), key, address)[0][0]))
    return answer


def test_what_a_trap_caught_is_kept_and_not_mailed(connection: SyncConnection) -> None:
    assert quarantine(connection)["stored"] is True
    rows = connection.rows("select form, payload ->> 'name', host(address), released_at from public.quarantine")
    assert rows == [("contact", "Priya", "203.0.113.9", None)]
    assert count(connection, "jobs.procrastinate_jobs") == 0
    assert count(connection, "public.contact_messages") == 0


def test_an_address_that_is_none_does_not_lose_the_submission(connection: SyncConnection) -> None:
    assert quarantine(connection, address="unknown")["stored"] is True


def test_a_retry_is_quarantined_once(connection: SyncConnection) -> None:
    quarantine(connection, "k1")
    quarantine(connection, "k1")
    assert count(connection, "public.quarantine") == 1


@pytest.mark.parametrize("kind", ["address", "form"])
def test_a_flood_of_what_a_trap_catches_has_an_end_and_takes_nothing_from_real_senders(
    connection: SyncConnection, kind: str
) -> None:
    limit(connection, kind, 2)
    answers = [quarantine(connection, f"k{number}") for number in range(4)]
    assert [answer["stored"] for answer in answers] == [True, True, False, False]
    assert 3500 <= answers[2]["retry_after"] <= 3600
    assert count(connection, "public.quarantine") == 2
    assert [submit(connection, "contact", CONTACT, address="203.0.113.9")["stored"] for _ in range(2)] == [True, True]


@pytest.mark.parametrize("role", ["anon", "authenticated"])
@pytest.mark.parametrize(
    "sql",
    [
        "select public.submit_lead('contact', '{}')",
        "select public.quarantine_lead('contact', '{}', 'x')",
        "select private.store_lead('contact', '{}', null, now())",
        "select private.take_lead_token('contact', 'form', 'x')",
    ],
)
def test_visitors_cannot_store_past_the_functions(connection: SyncConnection, role: str, sql: str) -> None:
    connection.script(f"set role {role}")
    with pytest.raises(DatabaseError) as refused:
        connection.rows(sql)
    assert refused.value.sqlstate == "42501"


def test_the_service_role_stores(connection: SyncConnection) -> None:
    connection.script("set role service_role")
    assert submit(connection, "contact", CONTACT)["stored"] is True
