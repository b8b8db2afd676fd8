"""What may stay of an article's markup: the site's allowlist, kept on writing by the gateway and on reading here."""

from __future__ import annotations

import re
from typing import Final

import nh3

_TEXT: Final = ("p", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "u", "a", "ul", "ol", "li", "blockquote")
_BLOCKS: Final = ("code", "pre", "img", "br", "div", "span", "table", "thead", "tbody", "tr", "th", "td")
TAGS: Final = frozenset((*_TEXT, *_BLOCKS))
ATTRIBUTES: Final = {"*": {"title", "class", "id"}, "a": {"href", "target", "rel"}, "img": {"src", "alt"}}
SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})

# What every id of an article begins with, here and where the browser draws it: none of the page's own does.
ID_PREFIX: Final = "on-"

_BLANK_TARGET: Final = re.compile(r'<a\b(?![^>]*\brel=)([^>]*\btarget="_blank"[^>]*)>')


class CleanHtml(str):
    """Markup that came out of `clean`; what takes markup takes no other text."""

    __slots__ = ()


def clean(text: str) -> CleanHtml:
    """Markup with only the allowed tags, attributes and address schemes.

    >>> clean('<a href="javascript:x()" target="_blank">Hi<script>alert(1)</script></a>')
    '<a rel="noopener noreferrer" target="_blank">Hi</a>'

    An article takes over no id of the page around it:

    >>> clean('<h2 id="main">One</h2><a href="#main">up</a>')
    '<h2 id="on-main">One</h2><a href="#on-main">up</a>'
    """
    cleaned = nh3.clean(
        text,
        tags=set(TAGS),
        attributes=ATTRIBUTES,
        link_rel=None,
        url_schemes=set(SCHEMES),
        attribute_filter=_prefixed,
    )
    # a page opened in another tab must not reach back into this one
    return CleanHtml(_BLANK_TARGET.sub(r'<a rel="noopener noreferrer"\1>', cleaned))


def _prefixed(_tag: str, name: str, value: str) -> str | None:
    """The value of an attribute: ids and links to a section with the prefix, once however often; pictures encrypted;
    of classes the editor's own, for any other could borrow the look of the site.
    """
    if name == "class":
        return " ".join(word for word in value.split() if word.startswith("ql-")) or None
    if name == "id":
        return value if value.startswith(ID_PREFIX) else ID_PREFIX + value
    if (
        name == "src" and value[:5].lower() == "http:"
    ):  # the page's own rules keep what is not encrypted from being shown
        return f"https:{value[5:]}"
    if name == "href" and value.startswith("#") and len(value) > 1:
        return value if value.startswith(f"#{ID_PREFIX}") else f"#{ID_PREFIX}{value[1:]}"
    return value
