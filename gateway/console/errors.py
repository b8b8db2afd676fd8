"""What the console says no with: a status, a stable code, a sentence."""

from __future__ import annotations

from typing import Any


class ConsoleError(Exception):
    """Answered as `{"code", "message", "hint", "details"}` and whatever else is `more`."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        details: str | None = None,
        more: dict[str, Any] | None = None,
    ) -> None:
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
        self.details = details
        self.more = more or {}
        super().__init__(message)

    @property
    def content(self) -> dict[str, Any]:
        """The body of the answer."""
        said = {"code": self.code, "message": self.message, "hint": self.hint, "details": self.details}
        return {**said, **self.more}


def bad_request(message: str, **more: Any) -> ConsoleError:
    """A request that cannot be read."""
    return ConsoleError(400, "bad_request", message, more=more)


def not_found(message: str) -> ConsoleError:
    """What a request names is not there."""
    return ConsoleError(404, "not_found", message)
