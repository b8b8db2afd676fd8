"""What is said of refusals (contract, sections 2, 7 and 20): a code for the log, a text for whoever reads it."""

from __future__ import annotations

from typing import Final


class RealtimeError(Exception):
    """A refusal; `message` is safe to show."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(f"{code}: {message}")

    @property
    def reason(self) -> str:
        """As the reply to a join has it."""
        return f"{self.code}: {self.message}"


NO_TOPIC: Final = ("TopicNameRequired", "You must provide a topic name")
EXPIRED: Final = "InvalidJWTToken"
NO_CLAIMS: Final = ("InvalidJWTToken", "Fields `role` and `exp` are required in JWT")
BAD_EXPIRY: Final = ("InvalidJWTToken", "Token expiration time is invalid")
MALFORMED: Final = ("MalformedJWT", "The token provided is not a valid JWT")
SIGNATURE: Final = ("JwtSignatureError", "Failed to validate JWT signature")
SIGNER: Final = "JwtSignerError"
PRIVATE_ONLY: Final = ("PrivateOnly", "This project only allows private channels")
TOO_MANY_USERS: Final = ("ConnectionRateLimitReached", "Too many connected users")
TOO_MANY_CHANNELS: Final = ("ChannelRateLimitReached", "Too many channels")
TOO_MANY_JOINS: Final = ("ClientJoinRateLimitReached", "Too many joins per second")
NO_DATABASE: Final = ("UnableToConnectToProject", "Realtime was unable to connect to the project database")
NO_PARTITION: Final = ("MissingPartition", "Realtime was unable to find the expected messages partition")
TOO_LARGE: Final = ("InvalidJoinPayload", "Topic or join are too long")
REPLAY: Final = "UnableToReplayMessages"
RESTARTING: Final = ("RealtimeRestarting", "Realtime is restarting, please standby")


def unauthorized(topic: str) -> RealtimeError:
    return RealtimeError("Unauthorized", f"You do not have permissions to read from this Channel topic: {topic}")
