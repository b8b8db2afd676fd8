"""Aggregates and grouping (section 7)."""

from tests.contract.case import Case, refused

CASES = [
    Case("count of rows", "GET /ships?select=count()", json=[{"count": 5}]),
    Case("count in the old notation", "GET /ships?select=count", json=[{"count": 5}]),
    Case("count of a column leaves out null", "GET /ships?select=kind.count()", json=[{"count": 4}]),
    Case("sum", "GET /ship_cargos?select=tons.sum()", json=[{"sum": 960}]),
    Case("avg", "GET /ship_cargos?select=tons.avg()", json=[{"avg": 240}]),
    Case("min and max", "GET /ships?select=built.min(),built.max()", json=[{"min": 1987, "max": 2015}]),
    Case("an alias", "GET /ships?select=oldest:built.min()", json=[{"oldest": 1987}]),
    Case(
        "other columns group",
        "GET /ships?select=owner_id,count()&order=owner_id",
        json=[{"owner_id": 1, "count": 2}, {"owner_id": 2, "count": 2}, {"owner_id": None, "count": 1}],
    ),
    Case(
        "grouping with a filter",
        "GET /ships?select=owner_id,n:count()&built=gt.1990&order=owner_id",
        json=[{"owner_id": 1, "n": 2}, {"owner_id": 2, "n": 1}],
    ),
    Case(
        "grouping by a json path",
        "GET /ports?select=details->>pilot,count()&order=details->>pilot",
        json=[{"pilot": "false", "count": 1}, {"pilot": "true", "count": 1}, {"pilot": None, "count": 2}],
    ),
    Case("a cast before", "GET /ports?select=details->>berths::int.sum()", json=[{"sum": 46}]),
    Case("a cast after", "GET /ship_cargos?select=tons.avg()::text", json=[{"avg": "240.0000000000000000"}]),
    Case(
        "an alias, a cast before and after",
        "GET /ports?select=total:details->>berths::int.sum()::text",
        json=[{"total": "46"}],
    ),
    Case("no rows", "GET /empty_shelf?select=count(),id.max()", json=[{"count": 0, "max": None}]),
    Case(
        "inside an embed, by parent",
        "GET /ships?select=id,ship_cargos(tons.sum())&id=in.(1,2)&order=id",
        json=[{"id": 1, "ship_cargos": [{"sum": 55}]}, {"id": 2, "ship_cargos": [{"sum": None}]}],
    ),
    Case(
        "grouping inside an embed",
        "GET /owners?select=id,ships(kind,count())&id=eq.1&ships.order=kind",
        json=[{"id": 1, "ships": [{"kind": "ferry", "count": 1}, {"kind": "tug", "count": 1}]}],
    ),
    Case(
        "grouping by an embed to one",
        "GET /ships?select=count(),owners(name)&owner_id=not.is.null&order=owners(name)",
        status=200,
        json=[{"count": 2, "owners": {"name": "Nordline"}}, {"count": 2, "owners": {"name": "Tide & Sons"}}],
    ),
    Case(
        "an aggregate hoisted out of a spread",
        "GET /sailors?select=...ships(built.max())&ship_id=not.is.null",
        json=[{"max": 2005}],
    ),
    Case(
        "count hoisted out of a spread, grouped outside",
        "GET /sailors?select=rank,...ships(ships_named:name.count())&rank=eq.captain",
        json=[{"rank": "captain", "ships_named": 2}],
    ),
    Case(
        "two functions of one column hoisted out of a spread",
        "GET /sailors?select=rank,...ships(built.max(),built.min())&rank=eq.captain",
        json=[{"rank": "captain", "max": 2005, "min": 1999}],
    ),
    Case(
        "functions of two columns hoisted out of a spread",
        "GET /sailors?select=rank,...ships(built.max(),length.min())&rank=eq.captain",
        json=[{"rank": "captain", "max": 2005, "min": 30}],
    ),
    refused(
        "one function twice in a spread needs an alias",
        "GET /sailors?select=rank,...ships(built.max(),length.max())",
        400,
        "42702",
    ),
    Case(
        "one function twice with an alias",
        "GET /sailors?select=rank,...ships(built.max(),longest:length.max())&rank=eq.captain",
        json=[{"rank": "captain", "max": 2005, "longest": 120.5}],
    ),
    Case(
        "rows of a spread are counted",
        "GET /sailors?select=rank,...ships(count())&order=rank",
        json=[
            {"rank": "captain", "count": 2},
            {"rank": "deckhand", "count": 1},
            {"rank": "mate", "count": 1},
            {"rank": None, "count": 0},
        ],
    ),
    Case(
        "rows of a spread in a spread are counted",
        "GET /sailors?select=...ships(...owners(count()))",
        json=[{"count": 4}],
    ),
    Case(
        "an aggregate two spreads up is grouped where it arrives",
        "GET /sailors?select=rank,...ships(...owners(id.max(),id.min()))&rank=eq.captain",
        json=[{"rank": "captain", "max": 1, "min": 1}],
    ),
    Case(
        "a cast after a hoisted aggregate",
        "GET /sailors?select=...ships(built.avg()::int)&ship_id=in.(1,2)",
        json=[{"avg": 2001}],
    ),
    Case(
        "a cast before a hoisted aggregate",
        "GET /sailors?select=...ships(length::int.sum())&ship_id=in.(1,2)",
        json=[{"sum": 393}],
    ),
    Case(
        "a spread's plain column groups beside its aggregate",
        "GET /sailors?select=...ships(name,built.max())&ship_id=not.is.null&order=ships(name)",
        json=[{"name": "Aurora", "max": 1999}, {"name": "Borealis", "max": 2005}],
    ),
    refused(
        "an aggregate of a spread to one in a spread of many",
        "GET /owners?select=id,...ships(name,...passports(count()))",
        400,
        "PGRST127",
    ),
    refused(
        "an aggregate in a spread of many",
        "GET /ships?select=id,...sailors(count())",
        400,
        "PGRST127",
        details="Aggregates are not implemented for one-to-many or many-to-many spreads.",
    ),
    refused("an aggregate that is none", "GET /ships?select=built.median()", 400, "PGRST100"),
    refused("a sum of text", "GET /ships?select=name.sum()", 404, "42883"),
    refused(
        "aggregates turned off",
        "GET /ships?select=count()",
        400,
        "PGRST123",
        message="Use of aggregate functions is not allowed",
        profile="hosted",
    ),
    refused(
        "aggregates turned off in embeds", "GET /owners?select=id,ships(count())", 400, "PGRST123", profile="hosted"
    ),
]
