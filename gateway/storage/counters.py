"""What the storage API of one worker counts, for the metrics page; requests and their errors are counted by route."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(slots=True)
class Counters:
    """All of them only grow."""

    bytes_in: int = 0
    """Of blobs that were written whole."""
    bytes_out: int = 0
    """Of objects and pictures, as far as they were sent."""
    rows_remembered: int = 0
    """Reads of a bucket or a public object that Postgres was not asked about."""
    rows_asked: int = 0
    """The same that it was."""
    pictures_remembered: int = 0
    pictures_made: int = 0
    store_failures: int = 0
    """Times that the store could not be used."""
    blobs_missing: int = 0
    """Answers that there should have been bytes for."""

    def numbers(self) -> dict[str, int]:
        """By name."""
        return asdict(self)
