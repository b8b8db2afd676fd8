"""Everything is asked at once while everything is killed: `make storm`, and a short form in the tests."""
