"""Mails by a project's own pages and subjects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gateway.auth.outbound.mailer import Mail, Mailer
from gateway.settings import Settings

PAGE = """<html><head><title>x</title><style>p {}</style></head><body><p>Hello {{ .Data.name }},</p>
<p>follow <a href="{{ .ConfirmationURL }}">this link</a><br>or enter {{- .Token -}}.</p></body></html>"""
VALUES = {
    "ConfirmationURL": "https://a.example/verify?token=1&type=invite",
    "Token": "123456",
    "Data": {"name": "A<b>"},
}


def rendered(environ: dict[str, str], values: dict[str, Any] = VALUES) -> dict[str, Any]:
    return Mailer(Settings.load(environ)).render(Mail("invite", "ada@example.com", values, "r"))


def test_a_page_and_a_subject_of_the_project_replace_the_built_in_ones(tmp_path: Path) -> None:
    page = tmp_path / "invite.html"
    page.write_text(PAGE)
    mail = rendered(
        {"GOTRUE_MAILER_TEMPLATES_INVITE": str(page), "GOTRUE_MAILER_SUBJECTS_INVITE": "Come, {{ .Email }}"}
    )
    assert mail["subject"] == "Come, ada@example.com"
    assert "Hello A&lt;b&gt;," in mail["html"] and "token=1&amp;type=invite" in mail["html"]
    assert mail["html"].startswith("<html>") and mail["html"].count("<html>") == 1
    assert mail["text"].split() == [
        "Hello", "A<b>,", "follow", "this", "link", "https://a.example/verify?token=1&type=invite", "or",
        "enter123456.",
    ]  # fmt: skip


def test_a_page_that_is_missing_leaves_the_built_in_one(tmp_path: Path) -> None:
    mail = rendered({"GOTRUE_MAILER_TEMPLATES_INVITE": str(tmp_path / "nowhere.html")})
    assert mail["html"] == rendered({})["html"]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ if .Data.name }}yes{{ end }}", "yes"),
        ("{{ if .Data.other }}yes{{ else }}no{{ end }}", "no"),
        ("{{if not .Data.other}}yes{{end}}", "yes"),
        ('{{ if eq .Data.name "x" }}yes{{ else }}{{ if .Token }}in{{ end }}side{{ end }}', "inside"),
        ('{{- if ne .Data.name "x" -}}yes{{- end -}}', "yes"),
        ("{{ if len .Data.name }}yes{{ else }}no{{ end }}", "no"),
        ("{{ .Data.name }}", "{{ if .Token }}"),
    ],
)
def test_conditions_are_decided_by_the_template_alone(template: str, text: str) -> None:
    name = text if template == "{{ .Data.name }}" else "ada"
    values = {**VALUES, "Data": {"name": name}}
    assert rendered({"GOTRUE_MAILER_SUBJECTS_INVITE": template}, values)["subject"] == text
