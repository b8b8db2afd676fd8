"""Statements that Postgres keeps for superusers and a hosted project's role may make → calls of functions that may.

In: a statement of a project's file. Out: what runs in its place where the platform has those functions
(gateway/migrations/projects/0182_of_a_superuser.sql, 0186_more_of_a_superuser.sql); the ledger keeps the author's own
words. Statements are found where they stand alone and in the body of a `do`, not in text that is built there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from gateway.database.statement import quote_literal

_NAME: Final = r'(?:"(?:[^"]|"")+"|[A-Za-z_][\w$]*)'
_PLACE: Final = rf"{_NAME}(?:\s*\.\s*{_NAME})?"
_GAP: Final = r"(?:\s|--[^\n]*\n)+"
_SCHEMAS: Final = rf"(?P<schemas>{_NAME}(?:\s*,\s*{_NAME})*)"
_MAKE_TRIGGER: Final = re.compile(
    rf"create\s+event\s+trigger\s+(?P<name>{_NAME}){_GAP}on\s+(?P<event>{_NAME}){_GAP}"
    rf"(?:when\s+(?:tag|TAG|\"tag\"|\"TAG\")\s+in\s*\((?P<tags>[^)]*)\){_GAP}?)?"
    rf"execute\s+(?:function|procedure)\s+(?P<function>{_PLACE})\s*\(\s*\)",
    re.IGNORECASE,
)
_DROP: Final = re.compile(
    rf"drop\s+(?P<what>event\s+trigger|publication|foreign\s+data\s+wrapper)\s+(?P<if>if\s+exists\s+)?(?P<name>{_NAME})"
    r"(?:\s+(?P<behaviour>cascade|restrict))?(?=\s*(?:;|$))",
    re.IGNORECASE,
)
_MAKE_PUBLICATION: Final = re.compile(
    rf"create\s+publication\s+(?P<name>{_NAME})\s+for\s+(?:all\s+tables|tables\s+in\s+schema\s+"
    rf"{_SCHEMAS})(?:\s+with\s*\((?P<options>[^)]*)\))?(?=\s*(?:;|$))",
    re.IGNORECASE,
)
_PUBLISH: Final = re.compile(
    rf"alter\s+publication\s+(?P<name>{_NAME})\s+(?P<change>add|set|drop)\s+tables\s+in\s+schema\s+{_SCHEMAS}"
    r"(?=\s*(?:;|$))",
    re.IGNORECASE,
)
_ALTER_TRIGGER: Final = re.compile(
    rf"alter\s+event\s+trigger\s+(?P<name>{_NAME})\s+(?:(?P<enabled>enable(?:\s+(?:always|replica))?|disable)|"
    rf"rename\s+to\s+(?P<renamed>{_NAME})|owner\s+to\s+(?P<owned>{_NAME}))(?=\s*(?:;|$))",
    re.IGNORECASE,
)
_COMMENT: Final = re.compile(
    rf"comment\s+on\s+event\s+trigger\s+(?P<name>{_NAME})\s+is\s+(?P<words>null|'(?:[^']|'')*')(?=\s*(?:;|$))",
    re.IGNORECASE,
)
_MAKE_WRAPPER: Final = re.compile(
    rf"create\s+foreign\s+data\s+wrapper\s+(?P<name>{_NAME})"
    rf"(?:\s+(?:handler\s+(?P<handler>{_PLACE})|no\s+handler))?"
    rf"(?:\s+(?:validator\s+(?P<validator>{_PLACE})|no\s+validator))?(?=\s*(?:;|$))",
    re.IGNORECASE,
)
_SETTING: Final = re.compile(
    rf"alter\s+(?:database|role|user)\s+{_NAME}(?:\s+in\s+database\s+{_NAME})?\s+set\s+"
    r'(?P<name>"[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)+"|[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)+)',
    re.IGNORECASE,
)
_BODY: Final = re.compile(r"do\s+(?:language\s+\w+\s+)?\$", re.IGNORECASE)
_LITERAL: Final = re.compile(r"'((?:[^']|'')*)'")


def may_need_it(words: str) -> bool:
    """Whether a statement could be one of these; cheap, and never wrong about one that is."""
    lowered = words.lower()
    return any(word in lowered for word in ("event", "publication", "wrapper")) or lowered.startswith("alter")


def rewritten(words: str) -> str:
    """The statement with calls in place of what only superusers may; the same text where there is nothing of it.

    >>> rewritten("create event trigger t on sql_drop execute function public.f()")
    "select gateway.make_event_trigger('t', 'sql_drop', '{}', 'public.f()')"
    >>> rewritten("do $$ begin drop publication if exists p; end $$")
    "do $$ begin perform gateway.drop_publication('p', true); end $$"
    """
    if not _BODY.match(words):
        for pattern, call in _CALLS:
            if (found := pattern.match(words)) and not words[found.end() :].strip():
                return f"select {call(found)}"
        return words
    for pattern, call in _CALLS:
        words = pattern.sub(lambda found, call=call: f"perform {call(found)}", words)  # type: ignore[misc]
    return words


def setting_of(words: str) -> str | None:
    """The setting of its own that a statement gives a database or role.

    >>> setting_of('alter database postgres set "app.settings.key" to 1')
    'app.settings.key'
    """
    found = _SETTING.match(words)
    return found["name"].strip('"') if found else None


def _make_trigger(found: re.Match[str]) -> str:
    tags = ",".join(f'"{tag}"' for tag in _LITERAL.findall(found["tags"] or ""))
    function = re.sub(r"\s*\.\s*", ".", found["function"])
    return (
        f"gateway.make_event_trigger({_text(found['name'])}, {_text(found['event'])},"
        f" {quote_literal('{' + tags + '}')}, {quote_literal(function + '()')})"
    )


def _drop(found: re.Match[str]) -> str:
    of, is_optional = _text(found["name"]), "true" if found["if"] else "false"
    if found["what"].lower().startswith("foreign"):
        return f"gateway.drop_wrapper({of}, {is_optional}, {quote_literal((found['behaviour'] or '').lower())})"
    kind = "event_trigger" if found["what"].lower().startswith("event") else "publication"
    return f"gateway.drop_{kind}({of}, {is_optional})"


def _alter_trigger(found: re.Match[str]) -> str:
    if found["enabled"]:
        word = found["enabled"].lower().split()
        becomes = word[1] if len(word) > 1 else word[0] + "d"
        return f"gateway.alter_event_trigger({_text(found['name'])}, '{becomes}', null)"
    becomes = "renamed" if found["renamed"] else "owned"
    return f"gateway.alter_event_trigger({_text(found['name'])}, '{becomes}', {_text(found[becomes])})"


def _comment(found: re.Match[str]) -> str:
    return f"gateway.comment_on_event_trigger({_text(found['name'])}, {found['words']})"


def _publish(found: re.Match[str]) -> str:
    return f"gateway.publish_schemas({_text(found['name'])}, '{found['change'].lower()}', {_names(found['schemas'])})"


def _make_wrapper(found: re.Match[str]) -> str:
    places = (re.sub(r"\s*\.\s*", ".", found[part]) if found[part] else None for part in ("handler", "validator"))
    handler, validator = ("null" if place is None else quote_literal(place) for place in places)
    return f"gateway.make_wrapper({_text(found['name'])}, {handler}, {validator})"


def _make_publication(found: re.Match[str]) -> str:
    schemas = options = "null"
    if found["schemas"]:
        schemas = _names(found["schemas"])
    if found["options"]:
        given = re.findall(r"(\w+)\s*=\s*('(?:[^']|'')*'|\w+)", found["options"])
        pairs = (f"{name.lower()}={value.strip(chr(39))}" for name, value in given)
        options = quote_literal("{" + ",".join(f'"{pair}"' for pair in pairs) + "}")
    return f"gateway.make_publication({_text(found['name'])}, {schemas}, {options})"


def _names(listed: str) -> str:
    """Names with commas between them, as a literal of an array."""
    names = (_bare(each.strip()) for each in re.findall(_NAME, listed))
    return quote_literal("{" + ",".join('"' + name.replace('"', '\\"') + '"' for name in names) + "}")


def _bare(name: str) -> str:
    """A name as the catalogue has it."""
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()


def _text(name: str) -> str:
    return quote_literal(_bare(name))


_CALLS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]] = (
    (_MAKE_TRIGGER, _make_trigger),
    (_ALTER_TRIGGER, _alter_trigger),
    (_COMMENT, _comment),
    (_MAKE_PUBLICATION, _make_publication),
    (_PUBLISH, _publish),
    (_MAKE_WRAPPER, _make_wrapper),
    (_DROP, _drop),
)
