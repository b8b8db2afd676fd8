"""The tables refuse what the forms and the editor would refuse, and take everything that those let through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gateway.database import DatabaseError, SyncConnection

FUNCTIONS = Path(__file__).parents[2] / "functions"

# A valid row of each kind; cases change single columns of it. None is null.
VALID: dict[str, dict[str, Any]] = {
    "blog_posts": {"title": "Sharps", "slug": "sharps"},
    "newsletter_subscriptions": {"first_name": "Ada", "last_name": "Lovelace", "email": "ada@example.com"},
    "quote_requests": {
        "facility_name": "Harbor Clinic",
        "facility_type": "hospital",
        "contact_name": "Ada Lovelace",
        "email": "ada@example.com",
        "phone": "(508) 555-0100",
        "services": ["medical-waste"],
        "waste_volume": "1-2",
        "pickup_frequency": "monthly",
    },
    "quick_start": {
        "quick_start_service": True,
        "facility_name": "Harbor Dental",
        "facility_type": "dental-office",
        "contact_name": "Ada Lovelace",
        "email": "ada@example.com",
        "phone": "(508) 555-0100",
        "location": "worcester",
        "services": ["medical-waste"],
        "waste_volume": "small",
        "pickup_frequency": "monthly",
        "promotion_amount": 99,
        "city": "Worcester",
        "state": "MA",
        "service_location": "Worcester, MA",
        "formatted_message": "Quick Start Service for monthly pickup",
    },
    "contact_messages": {
        "name": "Ada Lovelace",
        "email": "ada@example.com",
        "subject": "Pickup",
        "message": "Please call.",
    },
    "quarantine": {"form": "contact", "reason": "honeypot", "payload": {"name": "Bot"}},
}
TABLES = {"quick_start": "quote_requests"}

Row = tuple[str, dict[str, Any], str]

REFUSED: list[Row] = [
    # editor
    ("blog_posts", {"title": "   "}, "blog_posts_title_check"),
    ("blog_posts", {"title": "x" * 301}, "blog_posts_title_check"),
    ("blog_posts", {"slug": ""}, "blog_posts_slug_check"),
    ("blog_posts", {"slug": "two words"}, "blog_posts_slug_check"),
    ("blog_posts", {"slug": "a/b"}, "blog_posts_slug_check"),
    ("blog_posts", {"slug": "a?b"}, "blog_posts_slug_check"),
    ("blog_posts", {"slug": "a#b"}, "blog_posts_slug_check"),
    ("blog_posts", {"slug": "a%b"}, "blog_posts_slug_check"),
    ("blog_posts", {"slug": "a\\b"}, "blog_posts_slug_check"),
    ("blog_posts", {"content": "x" * 1_000_001}, "blog_posts_content_check"),
    ("blog_posts", {"excerpt": "x" * 2001}, "blog_posts_excerpt_check"),
    ("blog_posts", {"author_name": "x" * 201}, "blog_posts_author_name_check"),
    ("blog_posts", {"reading_time_minutes": 0}, "blog_posts_reading_time_minutes_check"),
    ("blog_posts", {"reading_time_minutes": -1}, "blog_posts_reading_time_minutes_check"),
    ("blog_posts", {"published": True}, "blog_posts_published_at_check"),
    ("blog_posts", {"published_at": "2026-01-01"}, "blog_posts_published_at_check"),
    ("blog_posts", {"tags": [""]}, "blog_posts_tags_check"),
    ("blog_posts", {"tags": [" OSHA"]}, "blog_posts_tags_check"),
    ("blog_posts", {"tags": ["OSHA", None]}, "blog_posts_tags_check"),
    ("blog_posts", {"tags": ["OSHA", "OSHA"]}, "blog_posts_tags_check"),
    ("blog_posts", {"tags": ["x" * 61]}, "blog_posts_tags_check"),
    ("blog_posts", {"tags": [str(n) for n in range(51)]}, "blog_posts_tags_check"),
    ("blog_posts", {"featured_image_url": "javascript:alert(1)"}, "blog_posts_featured_image_url_check"),
    ("blog_posts", {"featured_image_url": "data:image/png;base64,AAAA"}, "blog_posts_featured_image_url_check"),
    ("blog_posts", {"featured_image_url": "//elsewhere.example/a.png"}, "blog_posts_featured_image_url_check"),
    # newsletter
    ("newsletter_subscriptions", {"first_name": " "}, "newsletter_subscriptions_first_name_check"),
    ("newsletter_subscriptions", {"last_name": ""}, "newsletter_subscriptions_last_name_check"),
    ("newsletter_subscriptions", {"email": "ada"}, "newsletter_subscriptions_email_check"),
    ("newsletter_subscriptions", {"email": "ada@example.com\nbcc: x@y.z"}, "newsletter_subscriptions_email_check"),
    ("newsletter_subscriptions", {"status": "lost"}, "newsletter_subscriptions_status_check"),
    ("newsletter_subscriptions", {"idempotency_key": ""}, "newsletter_subscriptions_idempotency_key_check"),
    # full quote
    ("quote_requests", {"facility_name": " "}, "quote_requests_facility_name_check"),
    ("quote_requests", {"facility_type": "Hospital"}, "quote_requests_facility_type_check"),
    ("quote_requests", {"facility_type": "dental-office"}, "quote_requests_facility_type_check"),
    ("quote_requests", {"contact_name": ""}, "quote_requests_contact_name_check"),
    ("quote_requests", {"email": "a b@example.com"}, "quote_requests_email_check"),
    ("quote_requests", {"phone": " "}, "quote_requests_phone_check"),
    ("quote_requests", {"services": []}, "quote_requests_services_check"),
    ("quote_requests", {"services": ["medical-waste", "plumbing"]}, "quote_requests_services_check"),
    ("quote_requests", {"services": ["medical-waste", None]}, "quote_requests_services_check"),
    ("quote_requests", {"services": ["training"]}, "quote_requests_services_employee_count_check"),
    ("quote_requests", {"services": ["sharps", "consulting"]}, "quote_requests_services_employee_count_check"),
    ("quote_requests", {"employee_count": "11"}, "quote_requests_employee_count_check"),
    ("quote_requests", {"waste_volume": "small"}, "quote_requests_waste_volume_check"),
    ("quote_requests", {"pickup_frequency": "daily"}, "quote_requests_pickup_frequency_check"),
    ("quote_requests", {"contact_priority": "emergency"}, "quote_requests_contact_priority_check"),
    ("quote_requests", {"state": "NY"}, "quote_requests_state_check"),
    ("quote_requests", {"zip_code": "1608"}, "quote_requests_zip_code_check"),
    ("quote_requests", {"location": "worcester"}, "quote_requests_location_check"),
    ("quote_requests", {"status": ""}, "quote_requests_status_check"),
    # Quick Start
    ("quick_start", {"facility_type": "hospital"}, "quote_requests_facility_type_check"),
    ("quick_start", {"location": " "}, "quote_requests_location_check"),
    ("quick_start", {"location": None}, "quote_requests_location_check"),
    ("quick_start", {"waste_volume": ""}, "quote_requests_waste_volume_check"),
    ("quick_start", {"promotion_amount": -1}, "quote_requests_promotion_amount_check"),
    # contact
    ("contact_messages", {"name": ""}, "contact_messages_name_check"),
    ("contact_messages", {"email": "@"}, "contact_messages_email_check"),
    ("contact_messages", {"subject": " "}, "contact_messages_subject_check"),
    ("contact_messages", {"message": "\n"}, "contact_messages_message_check"),
    ("contact_messages", {"message": "x" * 10_001}, "contact_messages_message_check"),
    ("contact_messages", {"priority": "high"}, "contact_messages_priority_check"),
    # quarantine
    ("quarantine", {"form": "guestbook"}, "quarantine_form_check"),
    ("quarantine", {"reason": " "}, "quarantine_reason_check"),
    ("quarantine", {"payload": ["not", "an", "object"]}, "quarantine_payload_check"),
]

# Columns of the rows above that may also be left out.
OPTIONAL = {
    "quick_start": {"quick_start_service", "promotion_amount", "city", "state", "service_location", "formatted_message"}
}
REQUIRED = [(kind, column) for kind, row in VALID.items() for column in row if column not in OPTIONAL.get(kind, ())]

TAKEN: list[tuple[str, dict[str, Any]]] = [
    *((kind, {}) for kind in VALID),
    ("blog_posts", {"published": True, "published_at": "2026-01-01T12:00:00Z"}),
    ("blog_posts", {"featured_image_url": ""}),
    ("blog_posts", {"featured_image_url": "/images/insights/sharps.svg"}),
    ("blog_posts", {"featured_image_url": "https://example.com/a.png?size=2"}),
    ("blog_posts", {"meta_title": "x" * 200, "meta_description": "x" * 500}),
    ("blog_posts", {"slug": "déchets-médicaux"}),
    ("blog_posts", {"title": "x" * 300, "slug": "x" * 300 + "-1700000000000"}),
    ("quote_requests", {"services": ["training"], "employee_count": "10+"}),
    ("quote_requests", {"zip_code": "01608-1234", "state": "VT", "contact_priority": "urgent"}),
    ("quick_start", {"location": "Somewhere in Maine", "services": ["training"], "city": None, "state": None}),
    ("contact_messages", {"phone": None, "company": "Harbor Clinic", "priority": "emergency"}),
]


def insert(connection: SyncConnection, kind: str, changes: dict[str, Any]) -> dict[str, str | None]:
    """Store a valid row of this kind with some columns changed, and return what was stored."""
    table = TABLES.get(kind, kind)
    row = json.dumps(VALID[kind] | changes)
    columns = ", ".join(VALID[kind] | changes)
    # from JSON, as the table API does it
    (stored,) = connection.rows(
        f"insert into public.{table} ({columns})"
        f" select {columns} from json_populate_record(null::public.{table}, $1::json)"
        f" returning row_to_json({table})",
        row,
    )
    found: dict[str, str | None] = json.loads(stored[0] or "")
    return found


def form(path: str) -> list[dict[str, Any]]:
    """The fields of one form."""
    fields: list[dict[str, Any]] = json.loads((FUNCTIONS / path).read_text())["fields"]
    return fields


def column(field: str) -> str:
    """`zipCode` → `zip_code`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in field)


FORMS = {
    "newsletter_subscriptions": "submit-newsletter/newsletter.form.json",
    "quote_requests": "submit-quote/quote.form.json",
    "quick_start": "submit-quote/quick-start.form.json",
    "contact_messages": "submit-contact/contact.form.json",
}
FIELDS = [(kind, field) for kind, path in FORMS.items() for field in form(path)]
OPTIONS = [(kind, field, option["value"]) for kind, field in FIELDS for option in field.get("options", ())]
TEXTS = [(kind, field) for kind, field in FIELDS if field["type"] in ("text", "textarea", "tel", "hidden")]


@pytest.mark.parametrize(
    ("kind", "changes", "constraint"), REFUSED, ids=[f"{kind} {str(changes)[:60]}" for kind, changes, _ in REFUSED]
)
def test_refused(scratch: SyncConnection, kind: str, changes: dict[str, Any], constraint: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        insert(scratch, kind, changes)
    assert (caught.value.sqlstate, caught.value.constraint) == ("23514", constraint)


@pytest.mark.parametrize(("kind", "required"), REQUIRED, ids=[f"{kind} {name}" for kind, name in REQUIRED])
def test_required(scratch: SyncConnection, kind: str, required: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        insert(scratch, kind, {required: None})
    assert caught.value.sqlstate in ("23502", "23514")


@pytest.mark.parametrize(
    ("kind", "changes"),
    TAKEN,
    ids=[f"{kind} {str(changes)[:60] if changes else 'as it is'}" for kind, changes in TAKEN],
)
def test_taken(scratch: SyncConnection, kind: str, changes: dict[str, Any]) -> None:
    stored = insert(scratch, kind, changes)
    for name, value in changes.items():
        if name != "published_at":
            assert stored[name] == value


@pytest.mark.parametrize(
    ("kind", "field", "option"), OPTIONS, ids=[f"{kind} {field['name']} {option}" for kind, field, option in OPTIONS]
)
def test_every_option_of_a_form_is_taken(
    scratch: SyncConnection, kind: str, field: dict[str, Any], option: str
) -> None:
    changes = {column(field["name"]): [option] if field["type"] == "choices" else option}
    insert(scratch, kind, changes | ({"employee_count": "1-10"} if option in ("training", "consulting") else {}))


@pytest.mark.parametrize(("kind", "field"), TEXTS, ids=[f"{kind} {field['name']}" for kind, field in TEXTS])
def test_the_longest_text_of_a_form_is_taken(scratch: SyncConnection, kind: str, field: dict[str, Any]) -> None:
    insert(scratch, kind, {column(field["name"]): "x" * field["max"]})


@pytest.mark.parametrize("kind", FORMS)
def test_a_form_has_a_column_for_every_field(scratch: SyncConnection, kind: str) -> None:
    table = f"public.{TABLES.get(kind, kind)}"
    columns = {
        name for (name,) in scratch.rows("select attname from pg_attribute where attrelid = $1::regclass", table)
    }
    assert {column(field["name"]) for field in form(FORMS[kind])} <= columns


@pytest.mark.parametrize("kind", [*FORMS, "quarantine"])
def test_a_retried_submission_stores_nothing_twice(scratch: SyncConnection, kind: str) -> None:
    other = {} if kind == "quarantine" else {"email": "other@example.com"}
    insert(scratch, kind, {"idempotency_key": "one submission"})
    with pytest.raises(DatabaseError) as caught:
        insert(scratch, kind, {"idempotency_key": "one submission"} | other)
    assert caught.value.constraint == f"{TABLES.get(kind, kind)}_idempotency_key_key"


def test_submissions_without_a_key_do_not_collide(scratch: SyncConnection) -> None:
    insert(scratch, "contact_messages", {})
    insert(scratch, "contact_messages", {})
    assert scratch.rows("select count(*) from public.contact_messages") == [("2",)]


def test_one_newsletter_for_each_address_however_it_is_capitalised(scratch: SyncConnection) -> None:
    insert(scratch, "newsletter_subscriptions", {})
    with pytest.raises(DatabaseError) as caught:
        insert(scratch, "newsletter_subscriptions", {"email": "ADA@example.com"})
    assert caught.value.constraint == "newsletter_subscriptions_email_key"


def test_a_slug_belongs_to_one_article(scratch: SyncConnection) -> None:
    insert(scratch, "blog_posts", {})
    with pytest.raises(DatabaseError) as caught:
        insert(scratch, "blog_posts", {"title": "Other"})
    assert (caught.value.sqlstate, caught.value.constraint) == ("23505", "blog_posts_slug_key")


def test_defaults_of_an_article_are_those_of_the_editor(scratch: SyncConnection) -> None:
    expected = {
        "author_name": "United Medical Waste",
        "tags": [],
        "published": False,
        "published_at": None,
        "reading_time_minutes": 5,
    }
    stored = insert(scratch, "blog_posts", {})
    assert {name: stored[name] for name in expected} == expected


def test_a_role_is_given_once_and_only_a_known_one(scratch: SyncConnection) -> None:
    scratch.script("insert into auth.users (id) values ('00000000-0000-4000-8000-000000000001')")
    scratch.script("insert into public.user_roles (user_id, role) select id, 'admin' from auth.users")
    scratch.script("savepoint given")
    with pytest.raises(DatabaseError) as caught:
        scratch.script("insert into public.user_roles (user_id, role) select id, 'admin' from auth.users")
    assert caught.value.constraint == "user_roles_user_id_role_key"
    scratch.script("rollback to given")
    with pytest.raises(DatabaseError) as caught:
        scratch.script("insert into public.user_roles (user_id, role) select id, 'amdin' from auth.users")
    assert caught.value.constraint == "user_roles_role_check"


def test_handled_at_follows_status(scratch: SyncConnection) -> None:
    stored = insert(scratch, "contact_messages", {})
    assert (stored["status"], stored["handled_at"]) == ("new", None)
    scratch.script("update public.contact_messages set status = 'handled'")
    (first,) = scratch.rows("select handled_at from public.contact_messages where handled_at is not null")
    scratch.script("update public.contact_messages set status = 'handled'")
    assert scratch.rows("select handled_at from public.contact_messages") == [first]
    scratch.script("update public.contact_messages set status = 'new'")
    assert scratch.rows("select handled_at from public.contact_messages") == [(None,)]
