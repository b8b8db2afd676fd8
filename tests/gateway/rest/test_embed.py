"""The choice of relationships."""

from __future__ import annotations

import pytest

from gateway.catalog.model import Cardinality, ComputedRelationship, Relationship, SchemaCache
from gateway.errors import ApiError
from gateway.rest.planner.embed import find_relationship

FOUND = [
    ("comments", "posts", None, "comments_post_id_fkey", Cardinality.M2O),
    ("posts", "comments", None, "comments_post_id_fkey", Cardinality.O2M),
    ("comments", "post_id", None, "comments_post_id_fkey", Cardinality.M2O),
    ("comments", "comments_post_id_fkey", None, "comments_post_id_fkey", Cardinality.M2O),
    ("posts", "authors", "author_id", "posts_author_id_fkey", Cardinality.M2O),
    ("posts", "authors", "posts_editor_id_fkey", "posts_editor_id_fkey", Cardinality.M2O),
    ("authors", "posts", "editor_id", "posts_editor_id_fkey", Cardinality.O2M),
    ("posts", "labels", "post_labels", "", Cardinality.M2M),
    ("family", "family", None, "family_parent_id_fkey", Cardinality.O2M),
    ("family", "family", "parent_id", "family_parent_id_fkey", Cardinality.O2M),
    ("family", "parent_id", None, "family_parent_id_fkey", Cardinality.M2O),
]


@pytest.mark.parametrize(("origin", "target", "hint", "constraint", "cardinality"), FOUND)
def test_a_relationship_is_found(
    cache: SchemaCache, origin: str, target: str, hint: str | None, constraint: str, cardinality: Cardinality
) -> None:
    found = find_relationship(cache, "public", origin, target, hint)
    assert isinstance(found, Relationship)
    assert (found.constraint, found.cardinality) == (constraint, cardinality)


def test_a_computed_relationship_goes_by_its_function(cache: SchemaCache) -> None:
    assert isinstance(find_relationship(cache, "public", "posts", "last_comment", None), ComputedRelationship)


@pytest.mark.parametrize(
    ("origin", "target", "hint", "suggested"),
    [
        ("posts", "comment", None, "Perhaps you meant 'comments' instead of 'comment'."),
        ("post", "comments", None, "Perhaps you meant 'posts' instead of 'post'."),
        ("posts", "comments", "wrong", None),
        ("posts", "zzz", None, None),
    ],
)
def test_a_missing_relationship_suggests_the_nearest(
    cache: SchemaCache, origin: str, target: str, hint: str | None, suggested: str | None
) -> None:
    with pytest.raises(ApiError) as caught:
        find_relationship(cache, "public", origin, target, hint)
    using = f"' using the hint '{hint}" if hint else ""
    assert (caught.value.status, caught.value.code, caught.value.hint) == (400, "PGRST200", suggested)
    assert caught.value.details == (
        f"Searched for a foreign key relationship between '{origin}' and '{target}{using}' in the schema 'public', "
        "but no matches were found."
    )


def test_several_relationships_are_listed(cache: SchemaCache) -> None:
    with pytest.raises(ApiError) as caught:
        find_relationship(cache, "public", "posts", "authors", None)
    assert (caught.value.status, caught.value.code) == (300, "PGRST201")
    first = {
        "cardinality": "many-to-one",
        "embedding": "posts with authors",
        "relationship": "posts_author_id_fkey using posts(author_id) and authors(id)",
    }
    assert isinstance(caught.value.details, list)
    assert caught.value.details[0] == first
    assert caught.value.hint == (
        "Try changing 'authors' to one of the following: 'authors!posts_author_id_fkey', "
        "'authors!posts_editor_id_fkey'. Find the desired relationship in the 'details' key."
    )
