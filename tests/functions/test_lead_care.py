"""What an operator does: list, export, release, erase; resend mails. Each through the command a person types."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from gateway.database import DatabaseError, SyncConnection
from gateway.mail.trap import store
from gateway.operations.spellings import Spellings
from tests.functions.test_submit_lead import CONTACT, NEWSLETTER, QUICK, QUOTE, count, submit

ROOT = Path(__file__).parents[2]
CAUGHT = {
    "name": "Priya Raman",
    "email": "priya@northshore.example",
    "subject": "Extra pickup",
    "message": "We have two full boxes.",
    "priority": "urgent",
    "honeypot": "filled by a password manager",
}


@pytest.fixture
def command(database_url: str, tmp_path: Path) -> Any:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    env = {**kept, "DATABASE_URL": database_url, "GATEWAY_DATA_DIR": str(tmp_path), "LEADS_TO": "desk@umw.example"}

    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gateway", *arguments], cwd=ROOT, env=env | more, capture_output=True, text=True
        )

    return run


def rows(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def catch(connection: SyncConnection, form: str = "contact", payload: dict[str, Any] = CAUGHT) -> str:
    sql = "insert into public.quarantine (form, payload, reason, received_at, idempotency_key)"
    sql += " values ($1, $2::jsonb, 'the hidden field was filled', now() - interval '3 hours', 'k1') returning id"
    return str(connection.rows(sql, form, json.dumps(payload))[0][0])


def test_leads_of_all_kinds_are_listed_newest_first(connection: SyncConnection, command: Any) -> None:
    for form, lead in (("contact", CONTACT), ("newsletter", NEWSLETTER), ("quote", QUOTE), ("quick-start", QUICK)):
        submit(connection, form, lead)
    assert [row["form"] for row in rows(command("leads", "list", "--json"))] == [
        "quick-start",
        "quote",
        "newsletter",
        "contact",
    ]
    only = rows(command("leads", "list", "--json", "--form", "quote"))
    assert {row["form"] for row in only} == {"quote", "quick-start"}


def test_control_characters_of_a_visitor_do_not_reach_the_terminal(connection: SyncConnection, command: Any) -> None:
    submit(connection, "contact", {**CONTACT, "subject": "red \x1b[31malert"})
    assert "\x1b" not in command("leads", "list").stdout


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_an_exported_cell_is_never_a_formula(connection: SyncConnection, command: Any, start: str) -> None:
    text = f"{start}HYPERLINK(1)"
    submit(connection, "contact", {**CONTACT, "message": text})
    done = command("leads", "export", "contact", "--csv")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert row["message"] == f"'{text}"


def test_an_export_holds_every_lead_and_is_noted(connection: SyncConnection, command: Any, tmp_path: Path) -> None:
    submit(connection, "quote", QUOTE)
    submit(connection, "quick-start", QUICK)
    target = tmp_path / "quotes.csv"
    assert command("leads", "export", "quote", "--csv", "-o", str(target)).returncode == 0
    with target.open(newline="") as file:
        exported = list(csv.DictReader(file))
    assert [row["services"] for row in exported] == ["medical-waste, sharps", "medical-waste"]
    assert connection.rows("select action, detail from private.lead_audit") == [
        ("export", '{"form": "quote", "rows": 2}')
    ]


def test_an_export_overwrites_nothing(connection: SyncConnection, command: Any, tmp_path: Path) -> None:
    target = tmp_path / "leads.csv"
    target.write_text("mine")
    done = command("leads", "export", "contact", "--csv", "-o", str(target))
    assert done.returncode == 1 and "already there" in done.stderr
    assert target.read_text() == "mine"


def test_a_released_submission_is_stored_with_its_own_time_and_mailed(connection: SyncConnection, command: Any) -> None:
    id = catch(connection)
    (listed,) = rows(command("leads", "quarantine", "--json"))
    assert (listed["id"], listed["name"], listed["reason"]) == (id, "Priya Raman", "the hidden field was filled")
    done = command("leads", "release", id)
    assert done.returncode == 0, done.stderr
    stored = connection.rows(
        "select name, priority, created_at = (select received_at from public.quarantine) from public.contact_messages"
    )
    assert stored == [("Priya Raman", "urgent", "t")]
    mails = connection.rows("select args #>> '{mail,to,0}', priority from jobs.procrastinate_jobs order by id")
    assert mails == [("desk@umw.example", "50"), ("priya@northshore.example", "0")]
    assert rows(command("leads", "quarantine", "--json")) == []
    assert connection.rows("select action from private.lead_audit") == [("release",)]


def test_mail_of_a_released_submission_has_the_urgency_that_it_names_or_none(connection: SyncConnection) -> None:
    id = catch(connection)
    mails = [{"to": ["a@umw.example"], "subject": "s", "text": "t", **more} for more in ({}, {"priority": 7})]
    release = "select private.release_lead($1::uuid, $2::jsonb, $3::jsonb)"
    connection.rows(release, id, json.dumps({**CAUGHT, "priority": "normal"}), json.dumps(mails))
    sent = connection.rows("select priority, args -> 'mail' ? 'priority' from jobs.procrastinate_jobs order by id")
    assert sent == [("0", "f"), ("7", "f")]


def test_a_submission_is_released_once(connection: SyncConnection, command: Any) -> None:
    id = catch(connection)
    command("leads", "release", id)
    again = command("leads", "release", id)
    assert again.returncode == 1 and "released before" in again.stderr
    assert count(connection, "public.contact_messages") == 1


def test_a_submission_that_breaks_the_form_s_rules_stays_in_quarantine(
    connection: SyncConnection, command: Any
) -> None:
    id = catch(connection, payload={**CAUGHT, "email": "none"})
    done = command("leads", "release", id)
    assert done.returncode == 1 and "Enter an email address" in done.stderr
    assert connection.rows("select released_at from public.quarantine") == [(None,)]


def test_a_caught_quick_start_request_is_released(connection: SyncConnection, command: Any) -> None:
    payload = {
        "facilityName": "Harbor Dental",
        "facilityType": "dental-office",
        "contactName": "Sam",
        "email": "sam@harbordental.example",
        "phone": "508-555-0117",
        "location": "capecod",
        "quickStartService": True,
        "company": "Harbor Dental LLC",
    }
    assert command("leads", "release", catch(connection, "quick-start", payload)).returncode == 0
    stored = connection.rows("select quick_start_service, promotion_amount, services from public.quote_requests")
    assert stored == [("t", "99.00", "{medical-waste}")]


def test_an_erased_person_is_nowhere(connection: SyncConnection, command: Any, tmp_path: Path) -> None:
    email = "Person@Example.test"
    mail = {"to": [email.lower()], "subject": "Thanks", "text": "Thanks"}
    notice = {"to": ["staff@umw.example"], "subject": "Lead", "text": "x", "reply_to": email}
    for form, lead in (("contact", CONTACT), ("newsletter", NEWSLETTER), ("quote", QUOTE), ("quick-start", QUICK)):
        submit(connection, form, {**lead, "email": email}, mails=[mail, notice])
        submit(connection, form, lead)
    catch(connection, payload={**CAUGHT, "email": email})
    (tmp_path / "mail").mkdir()
    store(tmp_path / "mail", f"X-Trap-To: {email}\r\nSubject: x\r\n\r\nx".encode())
    done = command("leads", "erase", "person@example.TEST", "--yes")
    assert done.returncode == 0, done.stderr
    assert "quote requests 2" in done.stdout and "mails 8" in done.stdout and "caught mails 1" in done.stdout
    tables = [
        "public.contact_messages",
        "public.newsletter_subscriptions",
        "public.quote_requests",
        "public.quarantine",
        "jobs.procrastinate_jobs",
        "jobs.procrastinate_events",
        "private.lead_audit",
        "gateway.erasures",
        "private.lead_counters",
    ]
    for table in tables:
        found = connection.rows(f"select count(*) from {table} as kept where kept::text ilike '%person@example.test%'")
        assert found == [("0",)], table
    # everyone else's leads are still there
    assert count(connection, "public.quote_requests") == 2
    (audit,) = connection.rows("select action, detail ->> 'mails' from private.lead_audit")
    assert audit == ("erase", "8")


def test_an_erased_person_is_taken_out_of_the_audit_log_and_of_every_mail(
    connection: SyncConnection, command: Any
) -> None:
    """Whatever member names her; rows about others stay as they were, and the log is append-only as before."""
    for name in ("person@example.test", "Other@example.test"):
        payload = {"actor_username": name.upper(), "action": "login", "traits": {"deep": [{"user_email": name}]}}
        connection.rows(
            "insert into auth.audit_log_entries (id, payload) values (gen_random_uuid(), $1::json)", json.dumps(payload)
        )
    connection.rows("select jobs.enqueue_mail($1::jsonb)", json.dumps({
        "to": ["staff@umw.example"], "subject": "x", "text": "y", "lead": {"email": "Person@example.test"},
    }))  # fmt: skip
    catch(connection, payload={**CAUGHT, "email": "none", "alternateEmail": "person@example.test"})
    done = command("leads", "erase", "person@example.test", "--yes")
    assert "audit 2" in done.stdout and "mails 1" in done.stdout and "quarantine 1" in done.stdout, done.stderr
    rows = connection.rows("select payload::text from auth.audit_log_entries")
    assert sorted("erased" in str(row[0]) for row in rows) == [False, True]
    assert not any("person@" in str(row[0]).lower() for row in rows)
    assert any("Other@example.test" in str(row[0]) for row in rows)
    with pytest.raises(DatabaseError, match="never changed"):
        connection.rows("delete from auth.audit_log_entries")


def test_an_erased_person_is_in_no_log_and_in_no_recording(
    connection: SyncConnection, command: Any, tmp_path: Path
) -> None:
    """As every file spells her; nothing else of a file moves, for who writes it has it open."""
    email = "O'Neil+a@example.test"
    kept = "2026-11-22 12:00:00 somebody@example.test came\n"
    body = base64.b64encode(json.dumps({"name": "Person", "email": email}).encode()).decode()
    call = json.dumps({"function": "submit-contact", "query": "", "body": body}) + "\n"
    asked = json.dumps({"function": "f", "query": f"email={quote(email, safe='')}", "body": None}) + "\n"
    other = json.dumps({"function": "f", "query": "", "body": base64.b64encode(b"somebody@example.test").decode()})
    files = {
        "postgres-logs/postgres-1.log": f"DETAIL: Key (email)=({email.upper()}) exists\n{kept}",
        "functions/logs/submit-contact.log": json.dumps({"text": f"not stored: {email}"}) + "\n" + kept,
        "access.jsonl": json.dumps({"path": f"/x/{quote_plus(email)}"}) + "\n" + kept,
        "functions/invocations.jsonl": call + asked + other + "\n",
        "functions/invocations.1.jsonl": call,
        "site.recording": json.dumps({"response": {"body": json.dumps([{"email": email}])}}) + "\n" + kept,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "mail").mkdir()
    store(tmp_path / "mail", f"X-Trap-To: staff@umw.example\r\n\r\nA request of {email}".encode())
    store(tmp_path / "mail", b"X-Trap-To: staff@umw.example\r\n\r\nA request of somebody@example.test")
    done = command("leads", "erase", email, "--yes", GATEWAY_RECORD=str(tmp_path / "site.recording"))
    assert done.returncode == 0, done.stderr
    assert "log lines 3" in done.stdout and "recorded calls 4" in done.stdout and "caught mails 1" in done.stdout
    for name, text in files.items():
        found = (tmp_path / name).read_text()
        assert len(found) == len(text), name
        assert not Spellings(email).named_in(found.encode()), name
        assert body not in found and (kept not in text or kept in found)
    assert [row["function"] for row in map(json.loads, _lines(tmp_path / "functions/invocations.jsonl"))] == ["f"]
    assert len(list((tmp_path / "mail").glob("*.eml"))) == 1


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line.strip()]


def test_an_erasure_says_which_copies_name_the_person_and_until_when(
    connection: SyncConnection, command: Any, tmp_path: Path
) -> None:
    def copy(name: str) -> Path:
        path = tmp_path / "backups" / f"before-restore-{name}.gateway.tar"
        assert command("db", "dump", "--archive", str(path)).returncode == 0
        return path

    without = copy("a")
    submit(connection, "contact", CONTACT)
    naming = copy("b")
    broken = tmp_path / "backups" / "before-restore-c.gateway.tar"
    broken.write_bytes(b"GWCOPY1\n and no more")
    done = command("leads", "erase", CONTACT["email"], "--yes")
    assert done.returncode == 0, done.stderr
    gone = time.strftime("%Y-%m-%d", time.gmtime(naming.stat().st_mtime + 30 * 86_400))
    assert f"{naming} names this person; it is kept until {gone}" in done.stdout
    assert f"{broken} cannot be read and may name this person" in done.stdout
    assert str(without) not in done.stdout


def test_a_person_restored_from_a_backup_is_erased_again(connection: SyncConnection, command: Any) -> None:
    submit(connection, "contact", CONTACT)
    command("leads", "erase", CONTACT["email"], "--yes")
    submit(connection, "contact", CONTACT)  # as a restore of an older backup would bring back
    submit(connection, "quote", QUOTE)
    done = command("leads", "erase", "--again", "--yes")
    assert "contact messages 1" in done.stdout
    assert count(connection, "public.contact_messages") == 0
    assert count(connection, "public.quote_requests") == 1


def test_audit_rows_are_never_changed(connection: SyncConnection, command: Any) -> None:
    command("leads", "export", "contact")
    for sql in ("delete from private.lead_audit", "update private.lead_audit set action = 'erase'",
                "truncate private.lead_audit"):  # fmt: skip
        with pytest.raises(DatabaseError, match="never changed"):
            connection.rows(sql)


# --- mails -----------------------------------------------------------------------------------------------------------


def failed(connection: SyncConnection) -> str:
    submit(connection, "contact", CONTACT)
    id = str(connection.rows("select id from jobs.procrastinate_jobs")[0][0])
    connection.script("update jobs.procrastinate_jobs set status = 'doing'")
    connection.script("update jobs.procrastinate_jobs set status = 'failed'")
    connection.rows(
        "insert into jobs.mail_attempts (job_id, outcome, reply) values ($1, 'refused', '550 no such user')", id
    )
    return id


def test_a_dead_mail_is_listed_with_the_server_s_reason(connection: SyncConnection, command: Any) -> None:
    id = failed(connection)
    (mail,) = rows(command("mail", "list", "--state", "failed", "--json"))
    assert (mail["id"], mail["state"], mail["outcome"], mail["reply"]) == (id, "failed", "refused", "550 no such user")
    assert rows(command("mail", "list", "--state", "sent", "--json")) == []


def test_a_dead_mail_goes_again(connection: SyncConnection, command: Any) -> None:
    id = failed(connection)
    assert f"mail {id} goes again as {id}" in command("mail", "resend", "--failed").stdout
    assert connection.rows("select status, attempts from jobs.procrastinate_jobs") == [("todo", "0")]


def test_a_sent_mail_goes_again_as_a_copy(connection: SyncConnection, command: Any) -> None:
    submit(connection, "contact", CONTACT)
    connection.script("update jobs.procrastinate_jobs set status = 'doing'")
    connection.script("update jobs.procrastinate_jobs set status = 'succeeded'")
    command("mail", "resend", "1")
    jobs = connection.rows("select status, args -> 'mail' from jobs.procrastinate_jobs order by id")
    assert [status for status, _ in jobs] == ["succeeded", "todo"]
    assert jobs[0][1] == jobs[1][1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mail", "resend", "99"), "no mail 99"),
        (("mail", "resend"), "name a mail"),
        (("leads", "release", "99"), "no submission 99"),
        (("leads", "erase", "--yes"), "name one e-mail address"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_1(command: Any, arguments: tuple[str, ...], words: str) -> None:
    done = command(*arguments)
    assert done.returncode == 1
    assert words in done.stderr and len(done.stderr.splitlines()) == 1
