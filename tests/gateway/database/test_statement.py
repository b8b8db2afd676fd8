"""Names are quoted, values are bound."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gateway.database import SyncConnection
from gateway.database.statement import array_literal, quote_literal, quote_name


@given(st.text())
def test_a_quoted_name_has_no_unescaped_quote(name: str) -> None:
    inner = quote_name(name)[1:-1]
    assert inner.replace('""', "").count('"') == 0


def test_names_and_texts_survive_the_database(connection: SyncConnection) -> None:
    for text in ("plain", 'say "hi"', "it's", "back\\slash", "dollar $1", "per % cent", "newline\n", "Ä"):
        rows = connection.rows(f"select {quote_literal(text)} as {quote_name(text)}, $1::text[]", array_literal([text]))
        assert rows[0][0] == text
        assert connection.rows("select ($1::text[])[1]", array_literal([text])) == [(text,)]
