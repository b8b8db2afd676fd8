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
