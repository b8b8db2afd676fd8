"""The Prefer header (section 10)."""

from typing import Any

from tests.contract.case import Case, refused

NOTE = {"id": 50, "body": "new"}


def applied(title: str, request: str, prefer: str, expected: str | None, status: int = 200, **more: Any) -> Case:
    return Case(
        title, request, status=status, send={"Prefer": prefer}, headers={"Preference-Applied": expected}, **more
    )


CASES = [
    applied("none given", "GET /ships?limit=1", "", None),
    applied(
        "several, in a fixed order",
        "POST /notes",
        "return=representation, count=exact, missing=default",
        "missing=default, return=representation, count=exact",
        201,
        body=NOTE,
    ),
    applied(
        "the first of a kind counts",
        "POST /notes",
        "return=minimal, return=representation",
        "return=minimal",
        201,
        body=NOTE,
        text="",
    ),
    applied("unknown ones are left alone", "GET /ships?limit=1", "respond-async, count=exact", "count=exact", 206),
    applied("capitals are not the same", "GET /ships?limit=1", "Count=exact", None),
    applied("handling lenient", "GET /ships?limit=1", "handling=lenient", "handling=lenient"),
    applied("handling strict", "GET /ships?limit=1", "handling=strict", "handling=strict"),
    refused(
        "handling strict with unknown ones",
        "GET /ships",
        400,
        "PGRST122",
        send={"Prefer": "handling=strict, foo, bar=baz"},
        message="Invalid preferences given with handling=strict",
        details="Invalid preferences: foo, bar=baz",
    ),
    refused(
        "handling strict with a bad value",
        "GET /ships",
        400,
        "PGRST122",
        send={"Prefer": "handling=strict, count=many"},
        details="Invalid preferences: count=many",
    ),
    applied(
        "a time zone",
        "GET /specimens?select=moment",
        "timezone=Asia/Tokyo",
        "timezone=Asia/Tokyo",
        json=[{"moment": "2024-02-29T19:30:00+09:00"}],
    ),
    *[
        applied(
            f"a time zone of {zone}",
            "GET /specimens?select=moment",
            f"timezone={zone}",
            f"timezone={zone}",
            json=[{"moment": moment}],
        )
        for zone, moment in (
            ("05:30", "2024-02-29T16:00:00+05:30"),
            ("+5:30", "2024-02-29T16:00:00+05:30"),
            ("-03:00", "2024-02-29T07:30:00-03:00"),
            ("-4", "2024-02-29T06:30:00-04:00"),
            ("5.5", "2024-02-29T16:00:00+05:30"),
        )
    ],
    applied(
        "a time zone under strict handling",
        "POST /rpc/setting",
        "handling=strict, timezone=Asia/Tokyo",
        "handling=strict, timezone=Asia/Tokyo",
        body={"name": "timezone"},
        json="Asia/Tokyo",
    ),
    applied("the first time zone counts", "GET /ships?limit=1", "timezone=UTC, timezone=Mars/Base", "timezone=UTC"),
    *[
        refused(
            f"a time zone that does not exist, {what}",
            request,
            400,
            "22023",
            send={"Prefer": f"{handling}timezone=Mars/Base"},
            body=body,
            message='invalid value for parameter "TimeZone": "Mars/Base"',
            details=None,
            hint=None,
            headers={"Vary": None, "Preference-Applied": None},
        )
        for what, request, handling, body in (
            ("by itself", "GET /specimens", "", None),
            ("strictly", "GET /specimens", "handling=strict, ", None),
            ("leniently", "GET /specimens", "handling=lenient, ", None),
            ("on a call", "POST /rpc/greet", "", {}),
            ("on a write", "POST /scraps", "tx=commit, ", {"value": "lost"}),
        )
    ],
    Case("nothing is written in a bad time zone", "GET /scraps?value=eq.lost", json=[]),
    applied("tx=rollback", "DELETE /scraps", "tx=rollback", "tx=rollback", 204),
    applied("tx is not honoured where it may not be", "GET /owners?limit=1", "tx=rollback", None, profile="hosted"),
    applied(
        "resolution on a table with a key",
        "POST /notes",
        "resolution=merge-duplicates",
        "resolution=merge-duplicates",
        201,
        body=NOTE,
    ),
    applied(
        "resolution on a table without a key",
        "POST /scraps",
        "resolution=merge-duplicates",
        None,
        201,
        body={"value": "z"},
    ),
    applied("resolution on reads", "GET /notes?limit=1", "resolution=merge-duplicates", None),
    applied("missing on PATCH", "PATCH /notes?id=eq.1", "missing=default", "missing=default", 204, body={"stars": 1}),
    applied("missing on DELETE", "DELETE /notes?id=eq.1", "missing=default", None, 204),
    applied("return on reads", "GET /notes?limit=1", "return=representation", None),
    applied(
        "max-affected with strict handling",
        "DELETE /scraps",
        "handling=strict, max-affected=10",
        "handling=strict, max-affected=10",
        204,
    ),
    applied("max-affected without strict handling", "DELETE /scraps", "max-affected=1", None, 204),
    refused(
        "too many affected by DELETE",
        "DELETE /scraps",
        400,
        "PGRST124",
        send={"Prefer": "handling=strict, max-affected=1"},
        message="Query result exceeds max-affected preference constraint",
        details="The query affects 2 rows",
    ),
    refused(
        "too many affected by PATCH",
        "PATCH /notes",
        400,
        "PGRST124",
        body={"stars": 9},
        send={"Prefer": "handling=strict, max-affected=2"},
        details="The query affects 3 rows",
    ),
    Case(
        "few enough affected",
        "PATCH /notes?id=eq.1",
        status=204,
        body={"stars": 9},
        send={"Prefer": "handling=strict, max-affected=1"},
    ),
    refused(
        "too many affected by a function",
        "POST /rpc/write_notes",
        400,
        "PGRST124",
        body={"bodies": ["a", "b"]},
        send={"Prefer": "handling=strict, max-affected=1"},
        details="The query affects 2 rows",
    ),
    refused(
        "max-affected on a function of one value",
        "POST /rpc/greet",
        400,
        "PGRST128",
        body={},
        send={"Prefer": "handling=strict, max-affected=1"},
    ),
    applied(
        "two headers' worth in one",
        "GET /ships?limit=1",
        "count=exact,handling=strict",
        "count=exact, handling=strict",
        206,
    ),
]
