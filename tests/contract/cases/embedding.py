"""Related rows inside rows (section 8)."""

from tests.contract.case import Case, refused

AMBIGUOUS = [
    {
        "cardinality": "many-to-one",
        "embedding": "ships with ports",
        "relationship": "ships_home_port_fkey using ships(home_port) and ports(id)",
    },
    {
        "cardinality": "many-to-one",
        "embedding": "ships with ports",
        "relationship": "ships_next_port_fkey using ships(next_port) and ports(id)",
    },
]

CASES = [
    Case(
        "many to one",
        "GET /ships?select=id,owners(name)&id=in.(1,4)&order=id",
        json=[{"id": 1, "owners": {"name": "Nordline"}}, {"id": 4, "owners": None}],
    ),
    Case(
        "one to many",
        "GET /ships?select=id,sailors(name)&id=in.(1,5)&order=id&sailors.order=id",
        json=[{"id": 1, "sailors": [{"name": "Ada"}, {"name": "Ben"}, {"name": "Cy"}]}, {"id": 5, "sailors": []}],
    ),
    Case(
        "one to one from the side of the key",
        "GET /passports?select=number,ships(name)&ship_id=eq.1",
        json=[{"number": "P-100", "ships": {"name": "Aurora"}}],
    ),
    Case(
        "one to one from the other side",
        "GET /ships?select=id,passports(number)&id=in.(1,2)&order=id",
        json=[{"id": 1, "passports": {"number": "P-100"}}, {"id": 2, "passports": None}],
    ),
    Case(
        "many to many",
        "GET /ships?select=id,cargos(name)&id=in.(1,2)&order=id&cargos.order=id",
        json=[{"id": 1, "cargos": [{"name": "Grain"}, {"name": "Timber"}]}, {"id": 2, "cargos": []}],
    ),
    Case(
        "many to many from the other side",
        "GET /cargos?select=name,ships(name)&order=id&ships.order=id",
        json=[
            {"name": "Grain", "ships": [{"name": "Aurora"}]},
            {"name": "Oil", "ships": [{"name": 'Étoile "7"'}]},
            {"name": "Timber", "ships": [{"name": "Aurora"}, {"name": "Comet"}]},
            {"name": "Nothing", "ships": []},
        ],
    ),
    Case(
        "the junction itself",
        "GET /ships?select=id,ship_cargos(tons,cargos(name))&id=eq.3",
        json=[{"id": 3, "ship_cargos": [{"tons": 5, "cargos": {"name": "Timber"}}]}],
    ),
    Case(
        "a hint by junction",
        "GET /ships?select=id,cargos!ship_cargos(name)&id=eq.3",
        json=[{"id": 3, "cargos": [{"name": "Timber"}]}],
    ),
    refused(
        "keys outside the primary key make no junction", "GET /ports?select=id,ships!inspections(id)", 400, "PGRST200"
    ),
    Case(
        "a junction that a view shows",
        "GET /flags?select=name,signals(meaning)&order=id&signals.order=id",
        json=[
            {"name": "Alfa", "signals": [{"meaning": "Diver below"}]},
            {"name": "Bravo", "signals": [{"meaning": "Diver below"}, {"meaning": "Explosives"}]},
        ],
    ),
    Case(
        "a composite key",
        "GET /logbook?select=id,voyages(title)&id=in.(1,3)&order=id",
        json=[{"id": 1, "voyages": {"title": "Maiden"}}, {"id": 3, "voyages": {"title": "Return"}}],
    ),
    Case(
        "a composite key from the other side",
        "GET /voyages?select=title,logbook(entry)&ship_id=eq.1&number=eq.1&logbook.order=id",
        json=[{"title": "Maiden", "logbook": [{"entry": "Set sail"}, {"entry": "Fog"}]}],
    ),
    Case(
        "embeds nest",
        "GET /sailors?select=name,ships(name,owners(name))&id=eq.2",
        json=[{"name": "Ben", "ships": {"name": "Aurora", "owners": {"name": "Nordline"}}}],
    ),
    Case(
        "an embed may go back",
        "GET /owners?select=name,ships(name,owners(code))&id=eq.1&ships.order=id",
        json=[
            {
                "name": "Nordline",
                "ships": [
                    {"name": "Aurora", "owners": {"code": "NOR"}},
                    {"name": "Borealis", "owners": {"code": "NOR"}},
                ],
            }
        ],
    ),
    Case(
        "an alias", "GET /ships?select=id,keeper:owners(name)&id=eq.1", json=[{"id": 1, "keeper": {"name": "Nordline"}}]
    ),
    Case(
        "a star inside an embed",
        "GET /ships?select=id,passports(*)&id=eq.1",
        json=[{"id": 1, "passports": {"ship_id": 1, "number": "P-100"}}],
    ),
    Case(
        "columns of an embed with cast, alias and json path",
        "GET /ships?select=id,home:ports!ships_home_port_fkey(no:id::text,details->>berths)&id=eq.1",
        json=[{"id": 1, "home": {"no": "1", "berths": "12"}}],
    ),
    Case(
        "a computed column inside an embed",
        "GET /owners?select=ships(label)&id=eq.1&ships.order=id&ships.limit=1",
        json=[{"ships": [{"label": "Aurora #1"}]}],
    ),
    refused(
        "two ways to the target",
        "GET /ships?select=id,ports(name)",
        300,
        "PGRST201",
        message="Could not embed because more than one relationship was found for 'ships' and 'ports'",
        details=AMBIGUOUS,
        hint="Try changing 'ports' to one of the following: 'ports!ships_home_port_fkey', "
        "'ports!ships_next_port_fkey'. Find the desired relationship in the 'details' key.",
    ),
    refused(
        "two ways back",
        "GET /ports?select=name,ships(id)",
        300,
        "PGRST201",
        hint="Try changing 'ships' to one of the following: 'ships!ships_home_port_fkey', "
        "'ships!ships_next_port_fkey'. Find the desired relationship in the 'details' key.",
    ),
    Case(
        "a hint by constraint",
        "GET /ships?select=id,ports!ships_next_port_fkey(name)&id=eq.1",
        json=[{"id": 1, "ports": {"name": "Brackwater"}}],
    ),
    Case(
        "a hint by column",
        "GET /ships?select=id,ports!home_port(name)&id=eq.1",
        json=[{"id": 1, "ports": {"name": "Almouth"}}],
    ),
    Case(
        "a hint by constraint from the other side",
        "GET /ports?select=name,ships!ships_next_port_fkey(id)&id=eq.1",
        json=[{"name": "Almouth", "ships": [{"id": 3}]}],
    ),
    Case(
        "a hint by column from the other side",
        "GET /ports?select=name,ships!home_port(id)&id=eq.1&ships.order=id",
        json=[{"name": "Almouth", "ships": [{"id": 1}, {"id": 2}]}],
    ),
    Case(
        "a constraint as the target",
        "GET /ships?select=id,ships_next_port_fkey(name)&id=eq.1",
        json=[{"id": 1, "ships_next_port_fkey": {"name": "Brackwater"}}],
    ),
    Case(
        "a column as the target",
        "GET /ships?select=id,next_port(name)&id=eq.1",
        json=[{"id": 1, "next_port": {"name": "Brackwater"}}],
    ),
    Case(
        "both ports under two aliases",
        "GET /ships?select=id,home:home_port(name),next:next_port(name)&id=eq.1",
        json=[{"id": 1, "home": {"name": "Almouth"}, "next": {"name": "Brackwater"}}],
    ),
    Case(
        "itself, to one by column",
        "GET /sailors?select=name,mentor_id(name)&id=eq.2",
        json=[{"name": "Ben", "mentor_id": {"name": "Ada"}}],
    ),
    Case(
        "itself, to one by column with an alias",
        "GET /sailors?select=name,mentor:mentor_id(name,mentor:mentor_id(name))&id=eq.3",
        json=[{"name": "Cy", "mentor": {"name": "Ben", "mentor": {"name": "Ada"}}}],
    ),
    Case(
        "itself, to many by table",
        "GET /sailors?select=name,pupils:sailors(name)&id=eq.1&pupils.order=id",
        json=[{"name": "Ada", "pupils": [{"name": "Ben"}, {"name": "Dee"}]}],
    ),
    refused(
        "no relationship",
        "GET /ports?select=id,owners(id)",
        400,
        "PGRST200",
        message="Could not find a relationship between 'ports' and 'owners' in the schema cache",
        details="Searched for a foreign key relationship between 'ports' and 'owners' in the schema 'harbor', but no matches were found.",  # noqa: E501 - one line of the reply or request
    ),
    refused(
        "a target that does not exist is guessed at",
        "GET /ships?select=id,owner(id)",
        400,
        "PGRST200",
        hint="Perhaps you meant 'owners' instead of 'owner'.",
    ),
    refused(
        "a hint that matches nothing",
        "GET /ships?select=id,owners!nope(id)",
        400,
        "PGRST200",
        details="Searched for a foreign key relationship between 'ships' and 'owners' using the hint 'nope' in the schema 'harbor', but no matches were found.",  # noqa: E501 - one line of the reply or request
    ),
    # computed relationships
    Case(
        "a computed relationship to many",
        "GET /ships?select=id,crew(name)&id=eq.1&crew.order=id",
        json=[{"id": 1, "crew": [{"name": "Ada"}, {"name": "Ben"}, {"name": "Cy"}]}],
    ),
    Case(
        "a computed relationship to one",
        "GET /ships?select=id,captain(name)&id=in.(1,3)&order=id",
        json=[{"id": 1, "captain": {"name": "Ada"}}, {"id": 3, "captain": None}],
    ),
    Case(
        "a computed relationship takes the place of a found one",
        "GET /ships?select=id,inspections(id)&id=eq.1",
        json=[{"id": 1, "inspections": [{"id": 1}]}],
    ),
    Case(
        "a computed relationship to itself",
        "GET /ships?select=id,fleet_mates(name)&id=eq.1",
        json=[{"id": 1, "fleet_mates": [{"name": "Borealis"}]}],
    ),
    Case(
        "an embed inside a computed relationship",
        "GET /ships?select=id,captain(name,ships(name))&id=eq.1",
        json=[{"id": 1, "captain": {"name": "Ada", "ships": {"name": "Aurora"}}}],
    ),
    Case(
        "a computed relationship with filter and alias",
        "GET /ships?select=id,hands:crew(name)&hands.rank=eq.mate&id=eq.1",
        json=[{"id": 1, "hands": [{"name": "Ben"}]}],
    ),
    # views
    Case(
        "a view to a table",
        "GET /ship_names?select=ship,owners(name)&ship=eq.1",
        json=[{"ship": 1, "owners": {"name": "Nordline"}}],
    ),
    Case(
        "a view of a view to a table",
        "GET /named_fleet?select=ship,owners(name)&ship=eq.1",
        json=[{"ship": 1, "owners": {"name": "Nordline"}}],
    ),
    Case(
        "a table to a view",
        "GET /ships?select=id,owner_cards(title)&id=eq.1",
        json=[{"id": 1, "owner_cards": {"title": "Nordline"}}],
    ),
    Case(
        "a view to a view",
        "GET /ship_names?select=ship,owner_cards(title)&ship=eq.3",
        json=[{"ship": 3, "owner_cards": {"title": "Tide & Sons"}}],
    ),
    Case(
        "a view to many of a view",
        "GET /owner_cards?select=title,ship_names(name)&card=eq.1&ship_names.order=ship",
        json=[{"title": "Nordline", "ship_names": [{"name": "Aurora"}, {"name": "Borealis"}]}],
    ),
    Case(
        "a materialized view",
        "GET /port_summary?select=name,ships!home_port(name)&id=eq.2",
        json=[{"name": "Brackwater", "ships": [{"name": "Comet"}]}],
    ),
    Case(
        "to a materialized view",
        "GET /inspections?select=id,port_summary(name)&id=eq.1",
        json=[{"id": 1, "port_summary": {"name": "Almouth"}}],
    ),
    Case(
        "a grouped view",
        "GET /fleet_sizes?select=ships,owners(name)&owner_id=eq.2",
        json=[{"ships": 2, "owners": {"name": "Tide & Sons"}}],
    ),
    Case(
        "a view of a hidden table",
        "GET /ledgers?select=amount,ports(name)&id=eq.3",
        json=[{"amount": 7, "ports": {"name": "Brackwater"}}],
    ),
    Case(
        "many to many from a view",
        "GET /ship_names?select=ship,cargos(name)&ship=eq.3",
        json=[{"ship": 3, "cargos": [{"name": "Timber"}]}],
    ),
    Case(
        "one to one from a view",
        "GET /ship_names?select=ship,passports(number)&ship=eq.3",
        json=[{"ship": 3, "passports": {"number": "P-300"}}],
    ),
    *[
        Case(
            f"through a view with {how}",
            f"GET /{view}?select={key},owners(name),sailors(id)&{key}=eq.2",
            json=[{key: 2, "owners": {"name": "Nordline"}, "sailors": [{"id": 4}]}],
        )
        for how, view, key in (
            ("a common table expression", "fleet_lines", "ship"),
            ("distinct rows", "fleet_heads", "id"),
            ("a sub-select", "fleet_rows", "id"),
        )
    ],
    Case(
        "through a view whose key is an expression, by its other column",
        "GET /fleet_guesses?select=id,owners(name)&id=eq.2",
        json=[{"id": 2, "owners": {"name": "Nordline"}}],
    ),
    refused(
        "a view whose key is an expression has no rows that point at it",
        "GET /fleet_guesses?select=id,sailors(id)",
        400,
        "PGRST200",
    ),
    refused("a union has no keys", "GET /all_names?select=id,sailors(name)", 400, "PGRST200"),
    refused(
        "a column that a view shows twice gives two ways", "GET /sailors?select=name,twins(home_port)", 300, "PGRST201"
    ),
    Case(
        "a column of the view as a hint",
        "GET /sailors?select=name,twins!second_id(home_port)&id=eq.1",
        json=[{"name": "Ada", "twins": {"home_port": 1}}],
    ),
    Case(
        "a partitioned table",
        "GET /readings?select=id,ports(name)&id=eq.3",
        json=[{"id": 3, "ports": {"name": "Brackwater"}}],
    ),
    Case(
        "to a partitioned table",
        "GET /ports?select=id,readings(level)&id=eq.1&readings.order=id",
        json=[{"id": 1, "readings": [{"level": 1.5}, {"level": 2.5}]}],
    ),
    # schemas
    refused("a target of another exposed schema", "GET /ports?select=id,sheds(id)", 400, "PGRST200"),
    Case(
        "a relationship inside the second schema",
        "GET /sheds?select=id,ports(label)",
        json=[{"id": 1, "ports": {"label": "Almouth annex"}}],
        send={"Accept-Profile": "annex"},
    ),
    # filters on embeds
    Case(
        "a filter on an embed leaves the parents",
        "GET /ships?select=id,owners(name)&owners.code=eq.TID&order=id",
        json=[
            {"id": 1, "owners": None},
            {"id": 2, "owners": None},
            {"id": 3, "owners": {"name": "Tide & Sons"}},
            {"id": 4, "owners": None},
            {"id": 5, "owners": {"name": "Tide & Sons"}},
        ],
    ),
    Case(
        "a filter on an embed of many",
        "GET /ships?select=id,sailors(name)&sailors.rank=eq.captain&id=in.(1,3)&order=id",
        json=[{"id": 1, "sailors": [{"name": "Ada"}]}, {"id": 3, "sailors": []}],
    ),
    Case(
        "inner drops parents without",
        "GET /ships?select=id,owners!inner(name)&order=id",
        json=[
            {"id": 1, "owners": {"name": "Nordline"}},
            {"id": 2, "owners": {"name": "Nordline"}},
            {"id": 3, "owners": {"name": "Tide & Sons"}},
            {"id": 5, "owners": {"name": "Tide & Sons"}},
        ],
    ),
    Case(
        "inner with a filter",
        "GET /ships?select=id,owners!inner(name)&owners.code=eq.TID&order=id",
        json=[{"id": 3, "owners": {"name": "Tide & Sons"}}, {"id": 5, "owners": {"name": "Tide & Sons"}}],
    ),
    Case(
        "inner with many",
        "GET /ships?select=id,sailors!inner(name)&sailors.rank=eq.captain&order=id",
        json=[{"id": 1, "sailors": [{"name": "Ada"}]}, {"id": 2, "sailors": [{"name": "Dee"}]}],
    ),
    Case(
        "inner through a junction",
        "GET /ships?select=id,cargos!inner(name)&cargos.hazard=is.true",
        json=[{"id": 5, "cargos": [{"name": "Oil"}]}],
    ),
    Case(
        "inner in the middle",
        "GET /owners?select=id,ships(id,passports!inner(number))&order=id&ships.order=id",
        json=[
            {"id": 1, "ships": [{"id": 1, "passports": {"number": "P-100"}}]},
            {"id": 2, "ships": [{"id": 3, "passports": {"number": "P-300"}}]},
            {"id": 3, "ships": []},
        ],
    ),
    Case(
        "inner all the way",
        "GET /owners?select=id,ships!inner(id,passports!inner(number))&ships.passports.number=eq.P-300",
        json=[{"id": 2, "ships": [{"id": 3, "passports": {"number": "P-300"}}]}],
    ),
    Case(
        "left is the default",
        "GET /ships?select=id,passports!left(number)&id=eq.2",
        json=[{"id": 2, "passports": None}],
    ),
    Case(
        "a hint and inner",
        "GET /ships?select=id,ports!ships_next_port_fkey!inner(name)&order=id&ports.id=eq.1",
        json=[{"id": 3, "ports": {"name": "Almouth"}}],
    ),
    Case(
        "inner and a hint",
        "GET /ships?select=id,ports!inner!ships_next_port_fkey(name)&order=id&ports.id=eq.1",
        json=[{"id": 3, "ports": {"name": "Almouth"}}],
    ),
    Case(
        "inner on a computed relationship",
        "GET /ships?select=id,captain!inner(name)&order=id",
        json=[{"id": 1, "captain": {"name": "Ada"}}, {"id": 2, "captain": {"name": "Dee"}}],
    ),
    Case(
        "filters by the alias",
        "GET /ships?select=id,keeper:owners!inner(name)&keeper.code=eq.TID&order=id",
        json=[{"id": 3, "keeper": {"name": "Tide & Sons"}}, {"id": 5, "keeper": {"name": "Tide & Sons"}}],
    ),
    Case(
        "filters by the table's name beside an alias",
        "GET /ships?select=id,keeper:owners!inner(name)&owners.code=eq.TID&order=id",
        json=[{"id": 3, "keeper": {"name": "Tide & Sons"}}, {"id": 5, "keeper": {"name": "Tide & Sons"}}],
    ),
    Case(
        "two embeds of one table have their own filters",
        "GET /ships?select=id,captains:sailors(name),mates:sailors(name)&captains.rank=eq.captain&mates.rank=eq.mate&id=eq.1",  # noqa: E501 - one line of the reply or request
        json=[{"id": 1, "captains": [{"name": "Ada"}], "mates": [{"name": "Ben"}]}],
    ),
    Case("an empty embed shows nothing", "GET /ships?select=id,sailors()&id=eq.1", json=[{"id": 1}]),
    Case(
        "an empty inner embed still filters",
        "GET /ships?select=id,sailors!inner()&order=id",
        json=[{"id": 1}, {"id": 2}],
    ),
    Case(
        "without related rows",
        "GET /ships?select=id,sailors()&sailors=is.null&order=id",
        json=[{"id": 3}, {"id": 4}, {"id": 5}],
    ),
    Case(
        "with related rows", "GET /ships?select=id,sailors()&sailors=not.is.null&order=id", json=[{"id": 1}, {"id": 2}]
    ),
    Case(
        "without related rows that match",
        "GET /ships?select=id,sailors()&sailors.rank=eq.mate&sailors=is.null&order=id",
        json=[{"id": 2}, {"id": 3}, {"id": 4}, {"id": 5}],
    ),
    Case("without a related row to one", "GET /ships?select=id,owners()&owners=is.null", json=[{"id": 4}]),
    Case("without related rows through a junction", "GET /cargos?select=id,ships()&ships=is.null", json=[{"id": 4}]),
    Case(
        "a null filter by alias",
        "GET /ships?select=id,hands:sailors()&hands=not.is.null&order=id",
        json=[{"id": 1}, {"id": 2}],
    ),
    refused("another operator on an embed's name", "GET /ships?select=id,sailors()&sailors=eq.1", 400, "42703"),
    refused(
        "a filter on an embed that is not selected",
        "GET /ships?select=id&owners.name=eq.x",
        400,
        "PGRST108",
        message="'owners' is not an embedded resource in this request",
        hint="Verify that 'owners' is included in the 'select' query parameter.",
    ),
    refused("an order of an embed that is not selected", "GET /ships?select=id&owners.order=name", 400, "PGRST108"),
    refused("a limit of an embed that is not selected", "GET /ships?select=id&owners.limit=1", 400, "PGRST108"),
    # order and paging of embeds
    Case(
        "an order of an embed",
        "GET /ships?select=id,sailors(name)&id=eq.1&sailors.order=name.desc",
        json=[{"id": 1, "sailors": [{"name": "Cy"}, {"name": "Ben"}, {"name": "Ada"}]}],
    ),
    Case(
        "limit and offset of an embed",
        "GET /ships?select=id,sailors(name)&id=in.(1,2)&order=id&sailors.order=id&sailors.limit=1&sailors.offset=1",
        json=[{"id": 1, "sailors": [{"name": "Ben"}]}, {"id": 2, "sailors": []}],
    ),
    Case(
        "a limit of an embed is by parent",
        "GET /owners?select=id,ships(id)&id=in.(1,2)&order=id&ships.order=id&ships.limit=1",
        json=[{"id": 1, "ships": [{"id": 1}]}, {"id": 2, "ships": [{"id": 3}]}],
    ),
    Case(
        "order and limit two levels down",
        "GET /owners?select=id,ships(id,sailors(name))&id=eq.1&ships.order=id&ships.sailors.order=id.desc&ships.sailors.limit=1",  # noqa: E501 - one line of the reply or request
        json=[{"id": 1, "ships": [{"id": 1, "sailors": [{"name": "Cy"}]}, {"id": 2, "sailors": [{"name": "Dee"}]}]}],
    ),
    Case(
        "order by a related column",
        "GET /ships?select=id,owners(name)&order=owners(name).desc,id",
        json=[
            {"id": 4, "owners": None},
            {"id": 3, "owners": {"name": "Tide & Sons"}},
            {"id": 5, "owners": {"name": "Tide & Sons"}},
            {"id": 1, "owners": {"name": "Nordline"}},
            {"id": 2, "owners": {"name": "Nordline"}},
        ],
    ),
    Case(
        "order by a related column, nulls last",
        "GET /ships?select=id,owners()&order=owners(name).desc.nullslast,id",
        json=[{"id": 3}, {"id": 5}, {"id": 1}, {"id": 2}, {"id": 4}],
    ),
    Case(
        "order by a related column by alias",
        "GET /ships?select=id,home:ports!home_port()&order=home(depth).asc.nullsfirst,id",
        json=[{"id": 5}, {"id": 3}, {"id": 1}, {"id": 2}, {"id": 4}],
    ),
    Case(
        "order by a related json path",
        "GET /ships?select=id,home:ports!home_port()&order=home(details->>berths).asc.nullslast,id&id=in.(1,3)",
        json=[{"id": 1}, {"id": 3}],
    ),
    refused(
        "order by a related column of many",
        "GET /ships?select=id,sailors(name)&order=sailors(name)",
        400,
        "PGRST118",
        message="A related order on 'sailors' is not possible",
        details="'ships' and 'sailors' do not form a many-to-one or one-to-one relationship",
    ),
    refused("order by an embed that is not selected", "GET /ships?select=id&order=owners(name)", 400, "PGRST108"),
    # spreads
    Case(
        "a spread to one",
        "GET /ships?select=id,...owners(owner:name)&id=in.(1,4)&order=id",
        json=[{"id": 1, "owner": "Nordline"}, {"id": 4, "owner": None}],
    ),
    Case(
        "a spread of all columns",
        "GET /passports?select=number,...ships(id,name)&ship_id=eq.1",
        json=[{"number": "P-100", "id": 1, "name": "Aurora"}],
    ),
    Case(
        "spreads nest",
        "GET /sailors?select=name,...ships(ship:name,...owners(owner:name))&id=eq.1",
        json=[{"name": "Ada", "ship": "Aurora", "owner": "Nordline"}],
    ),
    Case(
        "an embed inside a spread",
        "GET /sailors?select=name,...ships(ship:name,owners(name))&id=eq.1",
        json=[{"name": "Ada", "ship": "Aurora", "owners": {"name": "Nordline"}}],
    ),
    Case(
        "a spread inside an embed",
        "GET /owners?select=name,ships(name,...passports(number))&id=eq.1&ships.order=id",
        json=[
            {"name": "Nordline", "ships": [{"name": "Aurora", "number": "P-100"}, {"name": "Borealis", "number": None}]}
        ],
    ),
    Case(
        "a spread of many makes arrays",
        "GET /ships?select=id,...sailors(names:name,ranks:rank)&id=in.(1,5)&order=id&sailors.order=id",
        json=[
            {"id": 1, "names": ["Ada", "Ben", "Cy"], "ranks": ["captain", "mate", "deckhand"]},
            {"id": 5, "names": [], "ranks": []},
        ],
    ),
    Case(
        "the order of a spread orders all its arrays",
        "GET /ships?select=id,...sailors(names:name,ranks:rank)&id=eq.1&sailors.order=name.desc",
        json=[{"id": 1, "names": ["Cy", "Ben", "Ada"], "ranks": ["deckhand", "mate", "captain"]}],
    ),
    Case(
        "a spread through a junction",
        "GET /ships?select=id,...cargos(goods:name)&id=eq.1&cargos.order=id",
        json=[{"id": 1, "goods": ["Grain", "Timber"]}],
    ),
    Case(
        "junction columns beside the target's",
        "GET /ships?select=id,cargos:ship_cargos(tons,...cargos(name))&id=eq.1&cargos.order=tons",
        json=[{"id": 1, "cargos": [{"tons": 15, "name": "Timber"}, {"tons": 40, "name": "Grain"}]}],
    ),
    Case(
        "an inner spread",
        "GET /ships?select=id,...passports!inner(number)&order=id",
        json=[{"id": 1, "number": "P-100"}, {"id": 3, "number": "P-300"}],
    ),
    Case(
        "a spread of a computed relationship",
        "GET /ships?select=id,...captain(captain:name)&id=eq.2",
        json=[{"id": 2, "captain": "Dee"}],
    ),
    Case(
        "all columns of a spread of many",
        "GET /owners?select=owner:name,...ships(*)&id=eq.1&ships.order=id",
        json=[
            {
                "owner": "Nordline",
                "id": [1, 2],
                "name": ["Aurora", "Borealis"],
                "kind": ["ferry", "tug"],
                "owner_id": [1, 1],
                "home_port": [1, 1],
                "next_port": [2, None],
                "built": [1999, 2005],
                "length": [120.5, 30],
                "active": [True, True],
                "tags": [["fast", "blue"], ["strong"]],
                "specs": [
                    {"crew": 12, "engine": {"maker": "Volta", "kw": 900}},
                    {"crew": 4, "engine": {"maker": "Rumble", "kw": 2500}},
                ],
                "berth": ["[1,5)", "[5,7)"],
                "docked": ['["2024-01-01 00:00:00+00","2024-01-03 00:00:00+00")', None],
            }
        ],
    ),
    Case(
        "all columns of a spread to one in a spread of many",
        "GET /owners?select=owner:name,...ships(ship:name,...passports(*))&id=in.(1,2)&order=id&ships.order=id",
        json=[
            {"owner": "Nordline", "ship": ["Aurora", "Borealis"], "ship_id": [1, None], "number": ["P-100", None]},
            {"owner": "Tide & Sons", "ship": ["Comet", 'Étoile "7"'], "ship_id": [3, None], "number": ["P-300", None]},
        ],
    ),
    Case(
        "all columns of a spread of many in a spread of many",
        "GET /owners?select=owner:name,...ships(ship:name,...voyages(*))&id=in.(1,3)&order=id&ships.order=id&ships.voyages.order=number",  # noqa: E501 - one line of the reply or request
        json=[
            {
                "owner": "Nordline",
                "ship": ["Aurora", "Borealis"],
                "ship_id": [[1, 1], [2]],
                "number": [[1, 2], [1]],
                "title": [["Maiden", "Return"], ["Tow"]],
            },
            {"owner": "Idle Co", "ship": [], "ship_id": [], "number": [], "title": []},
        ],
    ),
    Case(
        "all columns of an embed in a spread of many",
        "GET /owners?select=owner:name,...ships(ship:name,passports(*))&id=eq.1&ships.order=id",
        json=[
            {
                "owner": "Nordline",
                "ship": ["Aurora", "Borealis"],
                "passports": [{"ship_id": 1, "number": "P-100"}, None],
            }
        ],
    ),
    Case(
        "all columns of a spread beside another in it",
        "GET /logbook?select=entry,...voyages(*,...ships(ship:name))&id=eq.4",
        text='[{"entry":"Rope broke","ship_id":2,"number":1,"title":"Tow","ship":"Borealis"}]',
    ),
    # counts with embeds
    Case(
        "an exact count minds inner",
        "GET /ships?select=id,owners!inner(name)&owners.code=eq.TID&limit=1&order=id",
        status=206,
        json=[{"id": 3, "owners": {"name": "Tide & Sons"}}],
        send={"Prefer": "count=exact"},
        headers={"Content-Range": "0-0/2"},
    ),
    Case(
        "an exact count minds null filters on embeds",
        "GET /ships?select=id,sailors()&sailors=is.null&limit=1&order=id",
        status=206,
        json=[{"id": 3}],
        send={"Prefer": "count=exact"},
        headers={"Content-Range": "0-0/3"},
    ),
]
