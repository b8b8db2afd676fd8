"""Broadcasts by HTTP (contract, section 17), as an ASGI application. Paths come without their prefix."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs, unquote

import orjson

from gateway.database import DatabaseError
from gateway.errors import ApiError
from gateway.http.messages import ClientDisconnected, Receive, Request, Response, Send, read_body, respond
from gateway.http.messages import Scope as HttpScope
from gateway.identity.authenticator import bearer, header_key
from gateway.realtime.channels import policies
from gateway.realtime.channels.policies import header_text
from gateway.realtime.channels.rooms import TEXT
from gateway.realtime.core import RealtimeCore
from gateway.realtime.errors import RealtimeError
from gateway.realtime.socket.frames import BYTES, JSON, is_heavy, payload_text, user_text
from gateway.realtime.tokens import Token

log = logging.getLogger("gateway.realtime")

ABOVE: Final = 500
BODY: Final = 20_000_000  # bytes of the largest batch
BLANK: Final = ["can't be blank"]
INVALID: Final = ["is invalid"]
TOO_LONG: Final = "Payload size exceeds tenant limit"
TOO_MANY: Final = "Too many messages to broadcast, please reduce the batch size"
OTHER_TYPE: Final = "Unsupported Media Type. Use application/json or application/octet-stream"


class BroadcastApi:
    """Says what it is given in the rooms that it is for."""

    def __init__(self, core: RealtimeCore) -> None:
        self._core = core

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        request = Request(
            scope["method"], raw.decode("latin-1"), scope["query_string"].decode("latin-1"), list(scope["headers"])
        )
        try:
            response = await self._answer(request, receive)
        except ClientDisconnected:
            return
        except ApiError:
            response = _json(413, {"message": "Payload too large"})
        except Exception:
            log.exception("%s %s failed", request.method, request.path)
            response = _json(500, {"message": "Internal Server Error"})
        await respond(scope, send, response)

    async def _answer(self, request: Request, receive: Receive) -> Response:
        path = request.path.rstrip("/")
        if request.method in ("GET", "HEAD") and path == "/api/ping":
            return _json(200, {"message": "Success"})
        parts = path.split("/")
        single = len(parts) == 6 and parts[1:3] == ["api", "broadcast"] and parts[4] == "events"
        if request.method != "POST" or not (single or path == "/api/broadcast"):
            if path == "/websocket":
                return _json(426, {"error": "Upgrade Required"}, (b"upgrade", b"websocket"))
            return _json(404, {"message": "Not Found"})
        token = self._token(request)
        if token is None:
            return _json(401, {"message": "Unauthorized"})
        if self._core.messages.exceeded:
            return _json(429, {"message": "You have exceeded your rate limit"}, *self._rates())
        body = await read_body(receive, BODY)
        if single:
            return await self._single(request, token, unquote(parts[3]), unquote(parts[5]), body)
        return await self._batch(request, token, body)

    def _token(self, request: Request) -> Token | None:
        for text in (bearer(request), header_key(request)):
            if text:
                try:
                    return self._core.verifier.verify(text)
                except RealtimeError:
                    continue
        return None

    # --- many ----------------------------------------------------------------------------------------------------

    async def _batch(self, request: Request, token: Token, body: bytes) -> Response:
        core = self._core
        if is_heavy(body):
            return _json(429, {"message": TOO_MANY}, *self._rates())
        try:
            sent = orjson.loads(body)
        except orjson.JSONDecodeError:
            return _json(400, {"message": "Bad Request"})
        messages = sent.get("messages") if isinstance(sent, dict) else None
        if not messages or not isinstance(messages, list):
            return _json(422, {"errors": {"messages": BLANK if not messages else INVALID}})
        faults = [self._faults(message) for message in messages]
        if any(faults):
            return _json(422, {"errors": {"messages": faults}})
        if core.messages.limit and len(messages) > core.messages.limit * 60:
            return _json(429, {"message": TOO_MANY}, *self._rates())
        await core.ready()
        allowed: dict[str, bool] = {}
        for message in messages:
            private, topic = _is_true(message.get("private")), message["topic"]
            if private and topic not in allowed:
                allowed[topic] = await self._may_write(request, token, topic) is True
            if private and not allowed[topic]:
                continue
            id = message.get("id")
            meta = orjson.dumps({"id": id}) if isinstance(id, str) else b""
            text = user_text(message["event"], orjson.dumps(message["payload"]), meta)
            core.messages.add()
            core.rooms.say((private, topic), TEXT, message["event"], text)
        return Response(202, self._rates())

    def _faults(self, message: Any) -> Mapping[str, list[str]]:
        if not isinstance(message, dict):
            return {"payload": BLANK, "event": BLANK, "topic": BLANK}
        faults: dict[str, list[str]] = {}
        payload = message.get("payload")
        if payload is None:
            faults["payload"] = BLANK
        elif not isinstance(payload, dict):
            faults["payload"] = INVALID
        elif (text := payload_text(payload)) is None or len(text) > self._core.max_payload + ABOVE:
            faults["payload"] = [TOO_LONG]
        for name in ("event", "topic"):
            value = message.get(name)
            if value is None or value == "":
                faults[name] = BLANK
            elif not isinstance(value, str):
                faults[name] = INVALID
        return faults

    # --- one -----------------------------------------------------------------------------------------------------

    async def _single(self, request: Request, token: Token, topic: str, event: str, body: bytes) -> Response:
        core = self._core
        kind = (request.header(b"content-type") or b"application/json").partition(b";")[0].strip().lower()
        if kind == b"application/octet-stream":
            encoding = BYTES
        elif kind == b"application/json":
            encoding = JSON
            if is_heavy(body):
                return _json(422, {"errors": {"payload": [TOO_LONG]}})
            try:
                sent = orjson.loads(body) if body else {}
            except orjson.JSONDecodeError:
                return _json(400, {"message": "Bad Request"})
            if not isinstance(sent, dict):
                body = b'{"_json":%b}' % body
            elif not body:
                body = b"{}"
        else:
            return _json(415, {"error": OTHER_TYPE})
        if len(body) > core.max_payload + ABOVE:
            return _json(422, {"errors": {"payload": [TOO_LONG]}})
        private = _is_true((parse_qs(request.query).get("private") or [""])[0])
        await core.ready()
        if private:
            allowed = await self._may_write(request, token, topic)
            if allowed is None:
                return _json(422, {"message": "RLS policy error"})
            if not allowed:
                return _json(403, {"message": "Unauthorized"})
        core.messages.add()
        core.rooms.say((private, topic), encoding, event, body)
        return Response(202, self._rates())

    async def _may_write(self, request: Request, token: Token, topic: str) -> bool | None:
        """Whether a token may write to a private channel; None for a policy that fails."""
        headers = header_text([pair for pair in request.headers if pair[0] not in (b"authorization", b"apikey")], False)
        try:
            return await self._core.policies.write(token, topic, headers, policies.BROADCAST)
        except DatabaseError as error:
            log.warning("RlsPolicyError: %s", error.message)
        except RealtimeError as error:
            log.warning("%s", error)
        return None

    def _rates(self) -> list[tuple[bytes, bytes]]:
        rate = self._core.messages
        rolling = int(rate.average)
        limit = rate.limit or 1_000_000
        return [
            (b"x-rate-rolling", b"%d" % rolling),
            (b"x-rate-limit", b"%d" % limit),
            (b"x-rate-limit-remaining", b"%d" % max(0, limit - rolling)),
        ]


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.lower() == "true")


def _json(status: int, content: Any, *headers: tuple[bytes, bytes]) -> Response:
    return Response(status, [(b"content-type", b"application/json; charset=utf-8"), *headers], orjson.dumps(content))
