"""Mails of the auth API: a template and its values in, one row of the job queue out.

The row is written in the transaction that stores the token, so a mail is sent if and only if its link works. What the
mail says is sealed in it: a copy of the database holds no link.
Templates lie in `mails/` as `NAME.txt` (first line: the subject) and `NAME.html`; a folder named by
GATEWAY_MAIL_TEMPLATES replaces them one by one, and GOTRUE_MAILER_TEMPLATES_KIND names a whole page in the place of
one, as projects of the original have it. They use the original's placeholders, such as `{{ .ConfirmationURL }}`; values
are escaped in HTML.
"""

from __future__ import annotations

import html
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from gateway.auth.store import mail_queue
from gateway.database.statement import Statement
from gateway.encryption.values import seal
from gateway.settings import Settings

log = logging.getLogger("gateway.auth")

TEMPLATES: Final = Path(__file__).parent / "mails"
KINDS: Final = (
    "confirmation",
    "recovery",
    "magic_link",
    "invite",
    "email_change",
    "reauthentication",
    "password_changed",
)
SEALED: Final = "What this mail says is sealed until it is sent."
_TRIM_BEFORE: Final = re.compile(r"\s*\{\{-\s")  # which takes the white space before it
_TRIM_AFTER: Final = re.compile(r"\s-\}\}\s*")
_IF: Final = re.compile(r"\{\{\s*if\s+([^{}]*?)\s*\}\}((?:(?!\{\{\s*(?:if|end)\b).)*)\{\{\s*end\s*\}\}", re.DOTALL)
_ELSE: Final = re.compile(r"\{\{\s*else\s*\}\}")
_TEST: Final = re.compile(r'(?:(not|eq|ne)\s+)?\.(\w+)(?:\.(\w+))?(?:\s+"([^"]*)")?')
_PLACEHOLDER = re.compile(r"\{\{\s*\.(\w+)(?:\.(\w+))?\s*\}\}")


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail of a kind to one address. `values` fill the template's placeholders; `request` is the id of the request
    that it answers."""

    kind: str
    to: str
    values: Mapping[str, Any]
    request: str


class Mailer:
    """Renders templates to rows of the job queue."""

    def __init__(self, settings: Settings) -> None:
        self._folder = Path(settings.mailer_templates) if settings.mailer_templates else None
        self._files = settings.mailer_template_files
        self._subjects = settings.mailer_subjects
        self._site_name = settings.smtp_sender_name

    def render(self, mail: Mail) -> dict[str, Any]:
        """A mail as it will be sent: to, subject, text, html, reply_to, headers, kind; and the request's id."""
        values = {"SiteName": self._site_name, "Email": mail.to, **mail.values}
        subject, _, text = self._template(mail.kind, "txt").partition("\n")
        whole = self._whole(mail.kind)
        if whole is None:
            body = self._template(mail.kind, "html")
            whole = self._template("layout", "html").replace("{{ .Content }}", body)
        else:
            text = _text_of(whole)
        subject = _own(self._subjects, mail.kind) or subject.removeprefix("Subject:")
        return {
            "to": [mail.to],
            "subject": " ".join(_fill(subject, values).split()),
            "text": _fill(text.lstrip("\n"), values),
            "html": _fill(whole, values, escape=True),
            "reply_to": None,
            # Auto-replies and out-of-office notes would otherwise come back for every code that is sent.
            "headers": {"Auto-Submitted": "auto-generated"},
            "kind": f"auth.{mail.kind}",
            "request": mail.request,
        }

    def statement(self, mail: Mail, secrets: Sequence[bytes]) -> Statement:
        """Put a mail into the queue, sealed."""
        payload = self.render(mail)
        words = {name: payload.pop(name) for name in ("text", "html")}
        payload |= {"text": SEALED, "sealed": seal(secrets, words)}
        return mail_queue.enqueue(payload)

    def _whole(self, kind: str) -> str | None:
        """The file that stands in the place of a kind of mail, its frame included."""
        path = _own(self._files, kind)
        if path is None:
            return None
        try:
            return _read(Path(path))
        except (OSError, ValueError) as error:
            log.warning("the mail %s is the built-in one: %s cannot be read: %s", kind, path, error)
            return None

    def _template(self, name: str, ending: str) -> str:
        if self._folder is not None and (self._folder / f"{name}.{ending}").is_file():
            return _read(self._folder / f"{name}.{ending}")
        return _read(TEMPLATES / f"{name}.{ending}")


def _own(given: Mapping[str, str], kind: str) -> str | None:
    """What the settings say of a kind; those of a notification end in that word."""
    return given.get(kind) or given.get(f"{kind}_notification")


def _text_of(page: str) -> str:
    """The words of an HTML page, for readers of plain text; a link's address stands after its words."""
    page = re.sub(r"(?is)<(style|script|head|title)\b.*?</\1>|<!--.*?-->", "", page)
    page = re.sub(r"""(?is)<a\b[^>]*?href\s*=\s*["']([^"']*)["'][^>]*>(.*?)</a>""", r"\2 \1", page)
    page = re.sub(r"(?i)<br\s*/?>|</(?:p|div|h\d|li|tr|table)>", "\n", page)
    lines = (" ".join(line.split()) for line in html.unescape(re.sub(r"<[^>]+>", " ", page)).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


@cache
def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _choose(template: str, values: Mapping[str, Any]) -> str:
    """A template with its `{{ if … }} … {{ else }} … {{ end }}` decided, the innermost first.

    A test is a value (true where it is not empty), `not` of one, or `eq`/`ne` of one and a text; another one is false.

    >>> _choose('{{ if eq .Data.lang "de" }}Hallo{{ else }}Hello{{ end }}', {"Data": {"lang": "de"}})
    'Hallo'
    """

    def decide(found: re.Match[str]) -> str:
        then, *others = _ELSE.split(found[2], maxsplit=1)
        return then if _holds(found[1], values) else "".join(others)

    template = _TRIM_AFTER.sub(" }}", _TRIM_BEFORE.sub("{{ ", template))
    while (decided := _IF.sub(decide, template)) != template:
        template = decided
    return template


def _holds(test: str, values: Mapping[str, Any]) -> bool:
    found = _TEST.fullmatch(test)
    if found is None:
        return False
    value = _value(values, found[2], found[3])
    if found[1] in ("eq", "ne"):
        return found[4] is not None and (value == found[4]) == (found[1] == "eq")
    return bool(value) != (found[1] == "not")


def _value(values: Mapping[str, Any], name: str, part: str | None) -> str:
    item = values.get(name, "")
    if part is not None:
        item = item.get(part, "") if isinstance(item, Mapping) else ""
    return item if isinstance(item, str) else "" if item in (None, False) else str(item)


def _fill(template: str, values: Mapping[str, Any], escape: bool = False) -> str:
    def value(found: re.Match[str]) -> str:
        text = _value(values, found[1], found[2])
        return html.escape(text) if escape else text

    return _PLACEHOLDER.sub(value, _choose(template, values))
