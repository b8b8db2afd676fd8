"""Everything is asked at once while everything is killed: `make chaos`, and a short form in the tests."""
