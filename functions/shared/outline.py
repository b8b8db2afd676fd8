"""What an article is made of: sections to jump to and pages of others that it links to.

web/src/ui/outline.ts reads the same of the same text, and web/src/ui/article-html.ts names headings alike.
"""

from __future__ import annotations

import re
from typing import Final

from functions.shared.html import ID_PREFIX, CleanHtml

SECTIONS_AT_LEAST: Final = 3
SOURCES_AT_MOST: Final = 12

_ANY_HEADING: Final = re.compile(r"<h([1-6])((?:\s[^>]*)?)>(.*?)</h\1>", re.DOTALL)
_HEADING: Final = re.compile(r"<h([23])((?:\s[^>]*)?)>(.*?)</h\1>", re.DOTALL)
_LINK: Final = re.compile(r"<a((?:\s[^>]*)?)>(.*?)</a>", re.DOTALL)
_HOST: Final = re.compile(r"https?://([^/?#]+)")
_ID: Final = re.compile(r'\sid="([^"]*)"')
_HREF: Final = re.compile(r'\shref="([^"]*)"')
_ENTITY: Final = re.compile(r"&(amp|lt|gt|quot|nbsp);")
_ENTITIES: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "nbsp": " "}


def with_names(text: CleanHtml) -> CleanHtml:
    """The article with a name on every heading that has none.

    >>> with_names(CleanHtml("<h2>Red bags?</h2><h2>Red bags</h2>"))
    '<h2 id="on-red-bags">Red bags?</h2><h2 id="on-red-bags-2">Red bags</h2>'
    """
    taken = {_decode(found) for found in re.findall(r'\sid="([^"]*)"', text)}

    def name(match: re.Match[str]) -> str:
        level, attributes, inner = match.groups()
        words = _words(inner)
        if not words or _ID.search(attributes):
            return match.group()
        base = ID_PREFIX + (re.sub(r"[\W_]+", "-", words.lower()).strip("-") or "section")
        unused, number = base, 2
        while unused in taken:
            unused, number = f"{base}-{number}", number + 1
        taken.add(unused)
        return f'<h{level}{attributes} id="{unused}">{inner}</h{level}>'

    return CleanHtml(_ANY_HEADING.sub(name, text))


def sections(text: CleanHtml) -> list[dict[str, str]]:
    """Its headings of the second and third level by name; none where there are too few for a list."""
    found = [
        {"id": _attribute(_ID, attributes), "text": _words(inner)} for _, attributes, inner in _HEADING.findall(text)
    ]
    named = [section for section in found if section["id"] and section["text"]]
    return named if len(named) >= SECTIONS_AT_LEAST else []


def sources(text: CleanHtml) -> list[dict[str, str]]:
    """Pages of other sites that it links to, each once."""
    found: dict[str, dict[str, str]] = {}
    for attributes, inner in _LINK.findall(text):
        address, words = _attribute(_HREF, attributes), _words(inner)
        host = _HOST.match(address)
        if host and words and address not in found:
            found[address] = {"address": address, "text": words, "host": host.group(1)}
    return list(found.values())[:SOURCES_AT_MOST]


def _attribute(pattern: re.Pattern[str], attributes: str) -> str:
    found = pattern.search(attributes)
    return _decode(found.group(1)) if found else ""


def _decode(text: str) -> str:
    return _ENTITY.sub(lambda match: _ENTITIES[match.group(1)], text)


def _words(inner: str) -> str:
    return re.sub(r"[ \t\n\r\f]+", " ", _decode(re.sub(r"<[^>]*>", "", inner))).strip(" ")
