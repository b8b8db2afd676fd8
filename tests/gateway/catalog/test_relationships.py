"""Foreign keys to relationships, without a database."""

from __future__ import annotations

from gateway.catalog.model import AnyRelationship, Cardinality, ComputedRelationship, Name, Relationship
from gateway.catalog.relationships import ForeignKey, ViewKey, build_relationships

BOOKS, PEOPLE, LOANS, SHELF = (Name("s", name) for name in ("books", "people", "loans", "shelf"))
HIDDEN = Name("hidden", "loans")

BOOK_KEY = ForeignKey("loans_book", LOANS, BOOKS, (("book_id", "id"),))
PERSON_KEY = ForeignKey("loans_person", LOANS, PEOPLE, (("person_id", "id"),))


Found = dict[tuple[Name, str], tuple[AnyRelationship, ...]]


def between(found: Found, source: Name, target: Name) -> list[Relationship]:
    candidates = found.get((source, target.schema), ())
    return [item for item in candidates if isinstance(item, Relationship) and item.target == target]


def build(
    *keys: ForeignKey,
    primary: dict[Name, tuple[str, ...]] | None = None,
    computed: tuple[ComputedRelationship, ...] = (),
) -> Found:
    return build_relationships(keys, computed, primary or {}, ("s",))


def test_a_key_goes_both_ways() -> None:
    found = build(BOOK_KEY)
    (there,), (back,) = between(found, LOANS, BOOKS), between(found, BOOKS, LOANS)
    assert (there.cardinality, there.columns) == (Cardinality.M2O, (("book_id", "id"),))
    assert (back.cardinality, back.columns) == (Cardinality.O2M, (("id", "book_id"),))


def test_a_unique_key_is_one_to_one_and_knows_its_parent() -> None:
    found = build(ForeignKey("one", LOANS, BOOKS, (("id", "id"),), unique=True))
    (there,), (back,) = between(found, LOANS, BOOKS), between(found, BOOKS, LOANS)
    assert (there.cardinality, there.is_parent) == (Cardinality.O2O, False)
    assert (back.cardinality, back.is_parent) == (Cardinality.O2O, True)


def test_keys_inside_the_primary_key_make_a_junction() -> None:
    found = build(BOOK_KEY, PERSON_KEY, primary={LOANS: ("book_id", "person_id", "day")})
    (there,) = between(found, BOOKS, PEOPLE)
    assert there.cardinality is Cardinality.M2M and there.junction is not None
    assert there.junction.table == LOANS
    assert there.junction.source_columns == (("id", "book_id"),)
    assert there.junction.target_columns == (("id", "person_id"),)


def test_keys_outside_the_primary_key_make_none() -> None:
    assert between(build(BOOK_KEY, PERSON_KEY, primary={LOANS: ("book_id", "day")}), BOOKS, PEOPLE) == []


def test_a_hidden_junction_makes_none() -> None:
    keys = [ForeignKey(key.constraint, HIDDEN, key.target, key.columns) for key in (BOOK_KEY, PERSON_KEY)]
    assert between(build(*keys, primary={HIDDEN: ("book_id", "person_id")}), BOOKS, PEOPLE) == []


def test_two_keys_to_one_table_make_a_junction_of_it_with_itself() -> None:
    keys = [ForeignKey(name, LOANS, PEOPLE, ((name, "id"),)) for name in ("giver", "taker")]
    found = between(build(*keys, primary={LOANS: ("giver", "taker")}), PEOPLE, PEOPLE)
    assert [(item.junction and item.junction.source_constraint, item.is_self) for item in found] == [
        ("giver", True),
        ("taker", True),
    ]


def test_a_self_reference_goes_both_ways() -> None:
    found = between(build(ForeignKey("boss", PEOPLE, PEOPLE, (("boss_id", "id"),))), PEOPLE, PEOPLE)
    assert [(item.cardinality, item.is_self) for item in found] == [(Cardinality.O2M, True), (Cardinality.M2O, True)]


def test_views_take_part_on_either_side() -> None:
    key = ForeignKey(
        "loans_book",
        LOANS,
        BOOKS,
        (("book_id", "id"),),
        source_views=(ViewKey(SHELF, (("book",),)),),
        target_views=(ViewKey(SHELF, (("number",),)),),
    )
    found = build(key)
    assert [item.columns for item in between(found, SHELF, BOOKS)] == [(("book", "id"),)]
    assert [item.columns for item in between(found, LOANS, SHELF)] == [(("book_id", "number"),)]
    assert {item.columns for item in between(found, SHELF, SHELF) if item.cardinality is Cardinality.M2O} == {
        (("book", "number"),)
    }


def test_every_reading_of_a_key_shown_twice_is_a_relationship() -> None:
    view = ViewKey(SHELF, (("a", "b"), ("x", "y")))
    key = ForeignKey("pair", LOANS, BOOKS, (("one", "id"), ("two", "no")), source_views=(view,))
    assert {item.columns for item in between(build(key), SHELF, BOOKS)} == {
        ((first, "id"), (second, "no")) for first in "ab" for second in "xy"
    }


def test_a_view_can_be_a_junction() -> None:
    keys = [
        ForeignKey(key.constraint, HIDDEN, key.target, key.columns, source_views=(ViewKey(SHELF, ((column,),)),))
        for key, column in ((BOOK_KEY, "book"), (PERSON_KEY, "person"))
    ]
    (found,) = between(build(*keys, primary={SHELF: ("book", "person")}), BOOKS, PEOPLE)
    assert found.junction is not None and found.junction.table == SHELF


def test_a_computed_relationship_takes_the_place_of_the_one_of_its_name() -> None:
    computed = ComputedRelationship(Name("s", "books"), LOANS, SHELF, to_one=True)
    found = build(BOOK_KEY, computed=(computed,))
    assert found[LOANS, "s"] == (computed,)
    assert len(between(found, BOOKS, LOANS)) == 1


def test_relationships_of_hidden_schemas_are_left_out() -> None:
    found = build(ForeignKey("k", HIDDEN, BOOKS, (("book_id", "id"),)))
    assert found == {(BOOKS, BOOKS.schema): ()}, "an entry all the same, for hints"


def test_candidates_come_in_a_fixed_order() -> None:
    keys = [ForeignKey(name, LOANS, BOOKS, ((name, "id"),)) for name in ("b", "a")]
    assert [item.constraint for item in between(build(*keys), LOANS, BOOKS)] == ["a", "b"]
