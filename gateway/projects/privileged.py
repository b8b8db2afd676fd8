"""Statements that Postgres keeps for superusers and a hosted project's role may make → calls of functions that may.

In: a statement of a project's file. Out: what runs in its place where the platform has those functions
(gateway/migrations/projects/0182_of_a_superuser.sql, 0186, 0189); the ledger keeps the author's own words. Statements
are found where they stand alone and in the body of a `do`, also as the whole text of an `execute '…'`, not in text that
is built there, in other strings or in comments.
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
_ALTER_PUBLICATION: Final = re.compile(
    rf"alter\s+publication\s+(?P<name>{_NAME})\s+(?:set\s*\((?P<options>[^)]*)\)|(?P<owner>owner)\s+to\s+{_NAME})"
    r"(?=\s*(?:;|$))",
    re.IGNORECASE,
)
_MOVE_EXTENSION: Final = re.compile(
    rf"alter\s+extension\s+(?P<name>{_NAME})\s+set\s+schema\s+(?P<schema>{_NAME})(?=\s*(?:;|$))", re.IGNORECASE
)
_OWN_WRAPPER: Final = re.compile(
    rf"alter\s+foreign\s+data\s+wrapper\s+(?P<name>{_NAME})\s+owner\s+to\s+{_NAME}(?=\s*(?:;|$))", re.IGNORECASE
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
_BODY: Final = re.compile(r"do\s+(?:language\s+\w+\s+)?\$\w*\$", re.IGNORECASE)
_LITERAL: Final = re.compile(r"'((?:[^']|'')*)'")
# Of a body: what is passed over, and an `execute` of one ready text.
_PASSED: Final = r"--[^\n]*|/\*(?:[^*]|\*(?!/))*\*/|'(?:[^']|'')*'|(?P<quote>\$\w*\$)(?:(?!(?P=quote)).)*(?P=quote)"
_EXECUTE: Final = (
    r"execute\s+(?:'(?P<literal>(?:[^']|'')*)'|(?P<tag>\$\w*\$)(?P<text>(?:(?!(?P=tag)).)*)(?P=tag))(?=\s*;)"
)


def may_need_it(words: str) -> bool:
    """Whether a statement could be one of these; cheap, and never wrong about one that is."""
    lowered = words.lower()
    return any(word in lowered for word in ("event", "publication", "wrapper", "extension")) or lowered.startswith(
        "alter"
    )


def rewritten(words: str) -> str:
    """The statement with calls in place of what only superusers may; the same text where there is nothing of it.

    >>> rewritten("create event trigger t on sql_drop execute function public.f()")
    "select gateway.make_event_trigger('t', 'sql_drop', '{}', 'public.f()')"
    >>> rewritten("do $$ begin drop publication if exists p; end $$")
    "do $$ begin perform gateway.drop_publication('p', true); end $$"
    """
    if (body := _BODY.match(words)) is None:
        call = _call_of(words)
        return words if call is None else f"select {call}"
    at, pieces = 0, []
    for found in _IN_BODY.finditer(words, body.end()):
        executed = found["literal"].replace("''", "'") if found["literal"] is not None else found["text"]
        text = found[0] if executed is None else executed.strip().rstrip(";")
        change = _ALTER_PUBLICATION.match(text)
        if (call := None if change and change["owner"] else _call_of(text)) is not None:
            pieces += [words[at : found.start()], f"perform {call}"]
            at = found.end()
    return "".join((*pieces, words[at:]))


def publication_of(words: str) -> str | None:
    """The publication whose options or owner a statement changes: whether that takes a superuser, the database knows.

    >>> publication_of('alter publication "P" owner to postgres')
    'P'
    """
    found = _ALTER_PUBLICATION.match(words)
    return _bare(found["name"]) if found else None


def _call_of(text: str) -> str | None:
    """The call that stands for a whole statement."""
    for pattern, call in _CALLS:
        if (found := pattern.match(text)) and not text[found.end() :].strip():
            return call(found)
    return None


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
        options = _options(found["options"])
    return f"gateway.make_publication({_text(found['name'])}, {schemas}, {options})"


def _alter_publication(found: re.Match[str]) -> str:
    options = _options(found["options"]) if found["options"] else "null"
    return f"gateway.alter_publication({_text(found['name'])}, {options})"


def _move_extension(found: re.Match[str]) -> str:
    return f"gateway.move_extension({_text(found['name'])}, {_text(found['schema'])})"


def _own_wrapper(found: re.Match[str]) -> str:
    return f"gateway.own_foreign_data_wrapper({_text(found['name'])})"


def _options(listed: str) -> str:
    """Options as a literal of an array of `name=value`."""
    given = re.findall(r"(\w+)\s*=\s*('(?:[^']|'')*'|\w+)", listed)
    pairs = (f"{name.lower()}={value.strip(chr(39))}" for name, value in given)
    return quote_literal("{" + ",".join(f'"{pair}"' for pair in pairs) + "}")


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
    (_ALTER_PUBLICATION, _alter_publication),
    (_MOVE_EXTENSION, _move_extension),
    (_OWN_WRAPPER, _own_wrapper),
)
_IN_BODY: Final = re.compile(
    "|".join((_PASSED, rf"\b{_EXECUTE}", *(r"\b" + re.sub(r"\(\?P<\w+>", "(?:", each.pattern) for each, _ in _CALLS))),
    re.IGNORECASE | re.DOTALL,
)
