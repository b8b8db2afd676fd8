"""What may stay of an article's markup: the site's allowlist, kept on writing by the gateway and on reading here."""

from __future__ import annotations

import re
from html import escape
from typing import Final

import nh3

_TEXT: Final = ("p", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "u", "a", "ul", "ol", "li", "blockquote")
_BLOCKS: Final = ("code", "pre", "img", "br", "div", "span", "table", "thead", "tbody", "tr", "th", "td")
TAGS: Final = frozenset((*_TEXT, *_BLOCKS))
ATTRIBUTES: Final = {"*": {"title", "class", "id"}, "a": {"href", "target", "rel"}, "img": {"src", "alt"}}
SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})

_BLANK_TARGET: Final = re.compile(r'<a\b(?![^>]*\brel=)([^>]*\btarget="_blank"[^>]*)>')


def clean(text: str) -> str:
    """Markup with only the allowed tags, attributes and address schemes.

    >>> clean('<a href="javascript:x()" target="_blank">Hi<script>alert(1)</script></a>')
    '<a rel="noopener noreferrer" target="_blank">Hi</a>'
    """
    cleaned = nh3.clean(text, tags=set(TAGS), attributes=ATTRIBUTES, link_rel=None, url_schemes=set(SCHEMES))
    # a page opened in another tab must not reach back into this one
    return _BLANK_TARGET.sub(r'<a rel="noopener noreferrer"\1>', cleaned)


def attributes(**pairs: str) -> str:
    """Attributes of a tag, escaped; underscores become hyphens.

    >>> attributes(name="description", content='say "hi"')
    ' name="description" content="say &quot;hi&quot;"'
    """
    return "".join(f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"' for name, value in pairs.items())
