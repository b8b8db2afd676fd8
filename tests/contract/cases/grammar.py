"""Query strings that cannot be parsed: what the error names, and where it stands (section 4)."""

from tests.contract.case import Case, refused

FIELD = "field name (* or [a..z0..9_$])"
OPERATION = '"not" or operator (eq, gt, ...)'


def unparsed(label: str, query: str, text: str, column: int, details: str) -> Case:
    return refused(
        f"{label}: {query}",
        f"GET /ships?{query}",
        400,
        "PGRST100",
        message=f'"failed to parse {label} ({text})" (line 1, column {column})',
        details=details,
        hint=None,
    )


CASES = [
    unparsed("filter", "id=", "", 1, f"unexpected end of input expecting {OPERATION}"),
    unparsed("filter", "id=foo.1", "foo.1", 1, f'unexpected "f" expecting {OPERATION}'),
    unparsed("filter", "id=eq", "eq", 3, "unexpected end of input expecting operator (eq, gt, ...)"),
    unparsed("filter", "id=not.not.eq.1", "not.not.eq.1", 5, 'unexpected "n" expecting operator (eq, gt, ...)'),
    unparsed("filter", "id=in.1,2", "in.1,2", 4, 'unexpected "1" expecting "("'),
    unparsed(
        "filter",
        "id=is.nil",
        "is.nil",
        5,
        'unexpected "i" expecting isVal: (null, not_null, true, false, unknown)',
    ),
    unparsed("tree path", "=eq.1", "", 1, f"unexpected end of input expecting {FIELD}"),
    unparsed("tree path", "id.=eq.1", "id.", 4, f"unexpected end of input expecting {FIELD}"),
    unparsed("tree path", ".id=eq.1", ".id", 1, f'unexpected "." expecting {FIELD}'),
    unparsed("logic tree", "or=)", ")", 3, 'unexpected ")" expecting "("'),
    unparsed("logic tree", "or=(id.in.1,2)", "(id.in.1,2)", 10, 'unexpected "1" expecting "("'),
    unparsed("logic tree", "or=(not.id.eq.1)", "(not.id.eq.1)", 8, 'unexpected "i" expecting logic operator (and, or)'),
    unparsed(
        "logic tree",
        "or=(id.eq.1,id.eq.6",
        "(id.eq.1,id.eq.6",
        19,
        'unexpected end of input expecting "," or ")"',
    ),
    unparsed(
        "order",
        "order=id.asc.nullslasttt",
        "id.asc.nullslasttt",
        17,
        "unexpected 't' expecting \",\" or end of input",
    ),
    unparsed("order", "order=id,,name", "id,,name", 4, f'unexpected "," expecting {FIELD}'),
    unparsed(
        "select parameter",
        "select=*,,id",
        "*,,id",
        3,
        f'unexpected "," expecting "...", {FIELD}, "*" or "count()"',
    ),
    unparsed("select parameter", "select=id::", "id::", 5, "unexpected end of input expecting letter or digit"),
    unparsed(
        "select parameter",
        "select=id.median()",
        "id.median()",
        4,
        'unexpected "m" expecting "sum", "avg", "count", "max" or "min"',
    ),
    # Values of a function's call that begin like an operation are held to be one.
    refused("an argument that begins with is", "GET /rpc/find_ships?term=is.o", 400, "PGRST100"),
    refused("an argument that begins with not", "GET /rpc/find_ships?term=not.o", 400, "PGRST100"),
    Case("an argument that begins like nothing", "GET /rpc/find_ships?term=eqo&select=id", json=[]),
]
