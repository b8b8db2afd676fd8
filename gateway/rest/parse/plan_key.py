"""What a plan is made of, and remembered by: one type for both, so that equal keys cannot have different plans.

`prepare` is given a key, the schema cache and the settings, and nothing else of the request: whatever a plan may depend
on has to stand here. The values of a request are not here: they are bound to the plan afterwards. The role is not,
either: a plan knows nothing of rights, and Postgres' own statements are kept apart by role (`gateway/database.py`).
"""

from __future__ import annotations

from typing import NamedTuple

from gateway.catalog.model import Name
from gateway.rest.parse.query_shape import Shape
from gateway.rest.parse.ranges import Range
from gateway.rest.types import Action, Literal, MediaType, Payload, Preferences


class Wishes:
    """What a request's headers ask for: preferences, media types in the order of their worth, and the body's type."""

    __slots__ = ("_all", "_hash", "accepted", "content", "preferences")

    def __init__(self, preferences: Preferences, accepted: tuple[MediaType, ...], content: MediaType) -> None:
        self.preferences = preferences
        self.accepted = accepted
        self.content = content
        self._all = (preferences, accepted, content)
        self._hash = hash(self._all)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Wishes) and self._all == other._all)


class PlanKey(NamedTuple):
    """All of a request but its values. `skips` tells of an offset, `columns` and `is_object` of a body, `form` has the
    names of a form's fields in their order."""

    action: Action
    schema: str
    name: str
    root_spec: bool
    direct_call: bool
    head: bool
    shape: Shape
    wishes: Wishes
    limit: int | None
    skips: bool
    columns: tuple[str, ...] | None
    is_object: bool
    form: tuple[str, ...] | None

    @property
    def terms(self) -> int:
        """How much there is to plan."""
        return sum([part.terms for part in self.shape]) + len(self.columns or ()) + len(self.form or ())

    @property
    def target(self) -> Name:
        return Name(self.schema, self.name)

    @property
    def preferences(self) -> Preferences:
        return self.wishes.preferences

    @property
    def range(self) -> Range:
        """The rows asked for, with an offset of 1 in the place of any."""
        return Range(self.limit, int(self.skips))

    @property
    def payload(self) -> Payload | None:
        """The body, without its content."""
        return None if self.columns is None else Payload(b"", self.columns, self.is_object)

    @property
    def arguments(self) -> tuple[tuple[str, Literal], ...] | None:
        """The fields of a form, numbered after the values of the query string; None where there is no form."""
        if self.form is None:
            return None
        first = sum(part.values for part in self.shape)
        return tuple((name, Literal("", first + number)) for number, name in enumerate(self.form))
