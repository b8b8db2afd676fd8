"""Accept and Content-Type: media types, and which one a request gets (contract section 13).

>>> decode_media_type('application/vnd.pgrst.object+json;nulls=stripped').kind
'object-stripped'
>>> decode_media_type('application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|wal;').mime
'application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|wal'
>>> [media.kind for media in parse_accept('text/csv;q=0.5, application/json')]
['json', 'csv']
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from gateway.catalog.model import MediaHandler, Name
from gateway.errors import ApiError
from gateway.rest.errors import MEDIA_TYPE
from gateway.rest.types import Body, MediaType, ResponseFormat

_PLAIN: Final = {
    "application/json": "json",
    "application/geo+json": "geojson",
    "text/csv": "csv",
    "text/plain": "text",
    "text/xml": "xml",
    "application/openapi+json": "openapi",
    "application/x-www-form-urlencoded": "form",
    "application/octet-stream": "octet",
    "*/*": "any",
}
_TYPES: Final = {mime: MediaType(kind, mime) for mime, kind in _PLAIN.items()}
JSON: Final = _TYPES["application/json"]
ANY: Final = _TYPES["*/*"]
OPENAPI: Final = _TYPES["application/openapi+json"]
OCTET: Final = _TYPES["application/octet-stream"]
_OBJECT = MediaType("object", "application/vnd.pgrst.object+json")
_OBJECT_STRIPPED = MediaType("object-stripped", "application/vnd.pgrst.object+json;nulls=stripped")
_ARRAY_STRIPPED = MediaType("array-stripped", "application/vnd.pgrst.array+json;nulls=stripped")
_QUOTE_OR: Final = {separator: re.compile(f'["{separator}]') for separator in ",;"}
_PLAN_OPTIONS: Final = ("analyze", "verbose", "settings", "buffers", "wal")

# What each built-in media type is made of; those of the vendor tree cannot be overridden by handlers.
_BUILT_IN: Final = {
    "json": Body.ARRAY,
    "csv": Body.CSV,
    "geojson": Body.GEOJSON,
    "any": Body.ARRAY,
}
_VENDOR: Final = {
    "object": Body.OBJECT,
    "object-stripped": Body.OBJECT_STRIPPED,
    "array-stripped": Body.ARRAY_STRIPPED,
}


def decode_media_type(text: str) -> MediaType:
    """A media type with its parameters, in any letter case; unknown ones keep their text.

    >>> decode_media_type('Text/CSV; charset=utf-8').mime
    'text/csv'
    """
    name, *rest = _split_quoted(text, ";")
    name = name.strip().lower()
    known = _TYPES.get(name)
    if known is not None:
        return known
    pairs = [parameter.partition("=") for parameter in rest]
    parameters = {key.strip().lower(): value.strip().strip('"') for key, _, value in pairs}
    stripped = parameters.get("nulls") == "stripped"
    match name.removesuffix("+json"):
        case "application/vnd.pgrst.object":
            return _OBJECT_STRIPPED if stripped else _OBJECT
        case "application/vnd.pgrst.array":
            return _ARRAY_STRIPPED if stripped else JSON
        case "application/vnd.pgrst.plan" | "application/vnd.pgrst.plan+text":
            return _plan(parameters, "json" if name.endswith("+json") else "text")
    return MediaType("other", text.strip())


def _split_quoted(text: str, separator: str) -> list[str]:
    """Split outside double quotes.

    >>> _split_quoted('a;"b;c"d;', ";")
    ['a', '"b;c"d', '']
    """
    if '"' not in text:
        return text.split(separator)
    parts: list[str] = []
    start = 0
    inside = False
    for found in _QUOTE_OR[separator].finditer(text):
        if found[0] == '"':
            inside = not inside
        elif not inside:
            parts.append(text[start : found.start()])
            start = found.end()
    return [*parts, text[start:]]


def _plan(parameters: Mapping[str, str], plan_format: str) -> MediaType:
    inner = decode_media_type(parameters["for"]) if "for" in parameters else JSON
    if inner.kind == "plan":
        inner = MediaType("other", inner.mime)  # a plan of a plan is none
    asked = parameters.get("options", "").split("|")
    options = tuple(option for option in _PLAN_OPTIONS if option in asked)
    mime = f'application/vnd.pgrst.plan+{plan_format}; for="{inner.mime}"'
    if options:
        mime += "; options=" + "|".join(options)
    return MediaType("plan", mime, inner, plan_format, options)


def parse_accept(header: str | None) -> tuple[MediaType, ...]:
    """Media types of an Accept header, the most wanted first."""
    if not header:
        return (ANY,)
    wanted: list[tuple[float, int, MediaType]] = []
    for part in _split_quoted(header, ","):
        pieces = [piece.strip() for piece in _split_quoted(part, ";")]
        if not pieces[0]:
            continue
        quality = 1.0
        kept = pieces[:1]
        for piece in pieces[1:]:
            if piece.lower().startswith("q="):
                try:
                    quality = float(piece[2:])
                except ValueError:
                    quality = 0.0
            else:
                kept.append(piece)
        # With equal quality the more specific one comes first, as RFC 9110 has it.
        breadth = kept[0].count("*") - (len(kept) - 1)
        wanted.append((-quality, breadth, decode_media_type(";".join(kept))))
    return tuple(media for _, _, media in sorted(wanted, key=lambda row: row[:2])) or (ANY,)


def negotiate(
    accepted: tuple[MediaType, ...],
    handlers: Mapping[tuple[Name | None, str], MediaHandler],
    target: Name,
    *,
    routine: Name | None = None,
    default_select: bool,
    plan_enabled: bool,
) -> ResponseFormat:
    """The first acceptable media type that can be produced for a relation or routine. Raises ApiError MEDIA_TYPE.

    Handlers of one relation apply only to the default select, as they are given the relation's own rows.
    """
    for media in accepted:
        response_format = _format(media, handlers, target, routine, default_select, plan_enabled)
        if response_format is not None:
            return response_format
    raise ApiError(MEDIA_TYPE, types=", ".join(media.mime for media in accepted))


def _format(
    media: MediaType,
    handlers: Mapping[tuple[Name | None, str], MediaHandler],
    target: Name,
    routine: Name | None,
    default_select: bool,
    plan_enabled: bool,
) -> ResponseFormat | None:
    if media.kind == "plan":
        if not plan_enabled or media.plan_for is None:
            return None
        inner = _format(media.plan_for, handlers, target, routine, default_select, plan_enabled)
        return None if inner is None else replace(inner, media=media)
    if media.kind in _VENDOR:
        return ResponseFormat(_VENDOR[media.kind], media)
    names = [name for name in (routine, target) if name is not None] if default_select else []
    wanted = media.mime.partition(";")[0].rstrip().lower()
    for name, mime in [*((name, "*/*") for name in names), *((name, wanted) for name in names), (None, wanted)]:
        handler = handlers.get((name, mime))
        if handler is not None:
            return ResponseFormat(Body.CUSTOM, _handler_media(handler), handler)
    body = _BUILT_IN.get(media.kind)
    return None if body is None else ResponseFormat(body, JSON if media.kind == "any" else media)


def _handler_media(handler: MediaHandler) -> MediaType:
    """A catch-all handler names its content itself; until it does, it is a stream of octets."""
    return OCTET if handler.media_type == "*/*" else decode_media_type(handler.media_type)
