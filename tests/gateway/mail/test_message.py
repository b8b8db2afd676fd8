"""A payload becomes exactly the mail that was meant."""

from __future__ import annotations

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

import pytest

from gateway.mail.message import BadMail, Sender, build_message, one_line

SENDER = Sender("no-reply@umw.example", "United Medical Waste")
PAYLOAD: dict[str, Any] = {
    "to": ["staff@umw.example"],
    "subject": "Quote request",
    "text": "Plain words",
    "html": "<p>Marked-up words</p>",
    "reply_to": "dana@elmpark.example",
}


def parsed(payload: dict[str, Any]) -> EmailMessage:
    raw = build_message(payload, 7, SENDER).as_bytes()
    return message_from_bytes(raw, EmailMessage, policy=default)


def test_a_payload_becomes_a_mail_with_two_parts() -> None:
    mail = parsed(PAYLOAD)
    assert mail["From"] == "United Medical Waste <no-reply@umw.example>"
    assert mail["To"] == "staff@umw.example"
    assert mail["Reply-To"] == "dana@elmpark.example"
    plain, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert isinstance(plain, EmailMessage) and plain.get_content().strip() == "Plain words"
    assert isinstance(html, EmailMessage) and html.get_content().strip() == "<p>Marked-up words</p>"


def test_the_message_id_is_the_same_for_every_attempt() -> None:
    first, second = build_message(PAYLOAD, 7, SENDER), build_message(PAYLOAD, 7, SENDER)
    assert first["Message-ID"] == second["Message-ID"] == "<job-7@umw.example>"


@pytest.mark.parametrize(
    "subject",
    [
        "Hello\r\nBcc: everyone@example.com",
        "Hello\nBcc: everyone@example.com",
        "Hello\rBcc: everyone@example.com",
        "Hello\u2028Bcc: everyone@example.com",
        "Hello\x85Bcc: everyone@example.com",
        "Hello\x0bBcc: everyone@example.com",
    ],
    ids=["crlf", "lf", "cr", "line separator", "next line", "vertical tab"],
)
def test_a_line_break_in_a_subject_adds_no_header(subject: str) -> None:
    mail = parsed({**PAYLOAD, "subject": subject})
    assert mail["Bcc"] is None
    assert mail["Subject"] == "Hello Bcc: everyone@example.com"


ENCODED = "=?utf-8?q?Hello=0D=0ABcc:_everyone@example.com?="


def test_promise_47_no_encoded_word_is_decoded_into_a_header() -> None:
    """The email package reads RFC 2047 in what it is given, and would write its line break."""
    twice = f"=?{ENCODED}=?"
    for text in (ENCODED, twice, f"x {ENCODED}", ENCODED.replace("q?", "B?").upper(), f"=\u200b{ENCODED[1:]}"):
        raw = build_message({**PAYLOAD, "subject": text, "headers": {"X-Lead-Kind": text}}, 7, SENDER).as_bytes()
        mail = message_from_bytes(raw, EmailMessage, policy=default)
        assert mail["Bcc"] is None and sorted(mail.keys()) == sorted(
            ["From", "To", "Subject", "Date", "Message-ID", "Reply-To", "X-Lead-Kind", "MIME-Version", "Content-Type"]
        )
    with pytest.raises(BadMail):
        build_message({**PAYLOAD, "to": ["=?utf-8?q?a=0D=0ABcc=3Ab=40example.com?=@example.com"]}, 7, SENDER)


def test_direction_marks_do_not_disguise_a_subject() -> None:
    assert one_line("invoice\u202egnp.exe") == "invoice gnp.exe"


@pytest.mark.parametrize(
    "address",
    [
        "a@example.com, b@example.com",
        "a@example.com\r\nBcc: b@example.com",
        "A <a@example.com>",
        "a@example.com;b@example.com",
        "no-at-sign",
        "",
        None,
        ["a@example.com"],
    ],
    ids=["two", "line break", "with a name", "semicolon", "no at sign", "empty", "none", "a list"],
)
def test_only_a_single_address_is_a_recipient(address: Any) -> None:
    with pytest.raises(BadMail):
        build_message({**PAYLOAD, "to": [address]}, 7, SENDER)


@pytest.mark.parametrize("address", ["a@example.com\nBcc: b@example.com", "a@example.com, b@example.com", "a;b@x.y"])
def test_promise_47_what_is_no_address_is_no_reply_address(address: str) -> None:
    """The staff are told of the lead all the same."""
    mail = parsed({**PAYLOAD, "reply_to": address})
    assert mail["Reply-To"] is None and mail["Bcc"] is None and mail["To"] == "staff@umw.example"


@pytest.mark.parametrize("name", ["Bcc", "To", "From", "X-A\r\nBcc", "Content-Type"])
def test_only_harmless_headers_may_be_set(name: str) -> None:
    with pytest.raises(BadMail):
        build_message({**PAYLOAD, "headers": {name: "x"}}, 7, SENDER)


def test_a_header_value_stays_on_its_line() -> None:
    mail = parsed({**PAYLOAD, "headers": {"X-Lead-Kind": "contact\r\nBcc: b@example.com"}})
    assert mail["Bcc"] is None
    assert mail["X-Lead-Kind"] == "contact Bcc: b@example.com"


def test_a_mail_without_words_is_refused() -> None:
    with pytest.raises(BadMail):
        build_message({"to": ["a@example.com"], "subject": "x"}, 7, SENDER)


def test_accents_and_long_subjects_survive() -> None:
    subject = "Ünïcode façade — " + "word " * 40
    assert parsed({**PAYLOAD, "subject": subject})["Subject"] == subject.strip()
