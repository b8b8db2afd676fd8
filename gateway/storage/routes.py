"""The address of every operation, who may ask, and what policies are told is being done."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from gateway.storage import buckets, listing, objects, resumable, signed
from gateway.storage.call import Call, Reply
from gateway.storage.core import Core
from gateway.storage.images import handlers as images

Handler = Callable[[Core, Call], Awaitable[Reply]]


class Who(Enum):
    """Whose request is answered."""

    BEARER = "with a token"
    OPTIONAL = "anybody; a token that cannot be read is none"
    UPLOADER = "with a token, or with a signed one in a header of its own"
    ANYBODY = "anybody; policies are not asked, or a signature stands for them"


@dataclass(frozen=True, slots=True)
class Route:
    """One operation."""

    methods: frozenset[str]
    pattern: re.Pattern[str]
    who: Who
    handle: Handler
    operation: str


def _route(methods: str, path: str, who: Who, handle: Handler, operation: str) -> Route:
    """`BUCKET` stands for one segment, `KEY` for the rest of the path."""
    pattern = path.replace("BUCKET", "(?P<bucket>[^/]+)").replace("KEY", "(?P<key>.+)")
    return Route(frozenset(methods.split()), re.compile(pattern, re.DOTALL), who, handle, operation)


# The first that matches is taken: words such as `public` come before a bucket of that name.
ROUTES: Final = (
    _route("POST", "/bucket/?", Who.BEARER, buckets.create, "storage.bucket.create"),
    _route("GET", "/bucket/?", Who.BEARER, buckets.find_all, "storage.bucket.list"),
    _route("GET", "/bucket/BUCKET", Who.BEARER, buckets.get, "storage.bucket.get"),
    _route("PUT", "/bucket/BUCKET", Who.BEARER, buckets.update, "storage.bucket.update"),
    _route("POST", "/bucket/BUCKET/empty", Who.BEARER, buckets.empty, "storage.bucket.empty"),
    _route("DELETE", "/bucket/BUCKET", Who.BEARER, buckets.delete, "storage.bucket.delete"),
    _route("GET HEAD", "/object/public/BUCKET/KEY", Who.ANYBODY, objects.get_public, "storage.object.get_public"),
    _route("GET HEAD", "/object/sign/BUCKET/KEY", Who.ANYBODY, signed.get_signed, "storage.object.get_signed"),
    _route("GET HEAD", "/object/authenticated/BUCKET/KEY", Who.BEARER, objects.get, "storage.object.get_authenticated"),
    _route("GET", "/object/info/public/BUCKET/KEY", Who.ANYBODY, objects.info_public, "storage.object.info_public"),
    _route(
        "GET HEAD",
        "/object/info/authenticated/BUCKET/KEY",
        Who.BEARER,
        objects.info,
        "object.get_authenticated_info",
    ),
    _route("GET HEAD", "/object/info/BUCKET/KEY", Who.OPTIONAL, objects.info, "object.get_authenticated_info"),
    _route("POST", "/object/copy", Who.BEARER, objects.copy, "storage.object.copy"),
    _route("POST", "/object/move", Who.BEARER, objects.move, "storage.object.move"),
    _route("POST", "/object/list/BUCKET", Who.BEARER, listing.list_v1, "storage.object.list"),
    _route("POST", "/object/list-v2/BUCKET", Who.BEARER, listing.list_v2, "storage.object.list_v2"),
    _route("POST", "/object/sign/BUCKET/KEY", Who.BEARER, signed.sign_one, "storage.object.sign"),
    _route("POST", "/object/sign/BUCKET", Who.BEARER, signed.sign_many, "storage.object.sign_many"),
    _route("POST", "/object/upload/sign/BUCKET/KEY", Who.BEARER, signed.sign_upload, "storage.object.sign_upload_url"),
    _route("PUT", "/object/upload/sign/BUCKET/KEY", Who.ANYBODY, signed.upload_signed, "storage.object.upload_signed"),
    _route("GET HEAD", "/object/BUCKET/KEY", Who.OPTIONAL, objects.get, "storage.object.get_authenticated"),
    _route("POST", "/object/BUCKET/KEY", Who.BEARER, objects.create, "storage.object.upload"),
    _route("PUT", "/object/BUCKET/KEY", Who.BEARER, objects.replace, "storage.object.upload_update"),
    _route("DELETE", "/object/BUCKET/KEY", Who.BEARER, objects.delete, "storage.object.delete"),
    _route("DELETE", "/object/BUCKET", Who.BEARER, objects.delete_many, "storage.object.delete_many"),
)

RENDER: Final = (
    _route("GET", "/render/image/public/BUCKET/KEY", Who.ANYBODY, images.get_public, "storage.render.image_public"),
    _route("GET", "/render/image/sign/BUCKET/KEY", Who.ANYBODY, images.get_signed, "storage.render.image_sign"),
    _route(
        "GET", "/render/image/authenticated/BUCKET/KEY", Who.BEARER, images.get, "storage.render.image_authenticated"
    ),
)
_RESUMABLE: Final = "/upload/resumable(?P<signed>/sign)?"
_UPLOAD: Final = _RESUMABLE + "/(?P<id>[A-Za-z0-9_=-]+)"
RESUMABLE: Final = (
    _route("OPTIONS", _RESUMABLE + "(?:/.*)?", Who.ANYBODY, resumable.options, "storage.tus.options"),
    _route("POST", _RESUMABLE + "/?", Who.UPLOADER, resumable.create, "storage.tus.upload.create"),
    _route("HEAD", _UPLOAD, Who.UPLOADER, resumable.head, "storage.tus.upload.get"),
    _route("PATCH", _UPLOAD, Who.UPLOADER, resumable.patch, "storage.tus.upload.part"),
    _route("DELETE", _UPLOAD, Who.UPLOADER, resumable.delete, "storage.tus.upload.delete"),
)


_BUCKET: Final = "(?P<bucket>[^"  # how a pattern begins that takes any bucket


def _by_word() -> Mapping[tuple[str, str], tuple[Route, ...]]:
    """The routes that a method and the first word behind `/object/` can be of, in their order."""
    words = ("public", "sign", "authenticated", "info", "copy", "move", "list", "list-v2", "upload", "")
    objects_ = [route for route in ROUTES if route.pattern.pattern.startswith("/object/")]
    return {
        (method, word): tuple(
            route
            for route in objects_
            if method in route.methods and route.pattern.pattern.split("/")[2] in (word, _BUCKET)
        )
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE")
        for word in words
    }


_BY_WORD: Final = _by_word()


def find_route(method: str, path: str, renders: bool = True) -> tuple[Route, dict[str, str]] | None:
    """The operation of a request, and what its path names. `renders` is whether pictures are made."""
    routes: tuple[Route, ...] = RESUMABLE if path.startswith("/upload/") else ROUTES
    if path.startswith("/render/"):
        routes = RENDER if renders else ()
    elif path.startswith("/object/"):
        routes = _BY_WORD.get((method, path[8:].partition("/")[0])) or _BY_WORD.get((method, ""), ())
    for route in routes:
        if method in route.methods and (found := route.pattern.fullmatch(path)) is not None:
            return route, {name: value for name, value in found.groupdict().items() if value is not None}
    return None
