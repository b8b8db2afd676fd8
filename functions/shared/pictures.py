"""Pictures of articles: their size is in their address, and a page keeps their place before a byte of them is there.

web/src/lib/pictures.ts reads the same of the same addresses.
"""

from __future__ import annotations

import re
from typing import Final

from functions.shared.html import CleanHtml

WIDTHS: Final = (480, 960, 1440)  # of the smaller versions, as far as they are smaller
_SIZES: Final = "(max-width: 48rem) 100vw, 46rem"
_IMAGE: Final = re.compile(r"<img\b([^>]*)>")
_SOURCE: Final = re.compile(r'\ssrc="([^"]*)"')
_ADDRESS: Final = re.compile(
    r"([^\s,]*/object/public/pictures/[\w-]+/)([1-9][0-9]{0,4})x([1-9][0-9]{0,4})\.(webp|jpg|png|gif)", re.ASCII
)


def with_measures(text: CleanHtml) -> CleanHtml:
    """The article with pictures that are fetched when they are near, and whose place is kept where their size is known.

    >>> with_measures(CleanHtml('<img src="/object/public/pictures/a/700x350.png" alt="">'))  # doctest: +ELLIPSIS
    '<img src="/object/public/pictures/a/700x350.png" alt="" loading="lazy" width="700" height="350" srcset="...
    >>> with_measures(CleanHtml('<img src="/a.png">'))
    '<img src="/a.png" loading="lazy">'
    """
    return CleanHtml(_IMAGE.sub(lambda match: f"<img{match.group(1)}{_measures(match.group(1))}>", text))


def _measures(attributes: str) -> str:
    source = _SOURCE.search(attributes)
    found = _ADDRESS.fullmatch(source.group(1)) if source else None
    if not found:
        return ' loading="lazy"'
    folder, width, height, extension = found.groups()
    said = f' loading="lazy" width="{width}" height="{height}"'
    smaller = [each for each in WIDTHS if each < int(width)] if extension != "gif" else []
    if not smaller:
        return said
    versions = [*(f"{folder}{each}.{extension} {each}w" for each in smaller), f"{found.group()} {width}w"]
    return f'{said} srcset="{", ".join(versions)}" sizes="{_SIZES}"'
