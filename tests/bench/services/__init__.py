"""What the services cost, each beside its limit in the same run: `python -m tests.bench services`.

| | The limit |
| --- | --- |
| PATCH, DELETE, upsert, calls of a function by POST and GET | the original's SQL in pgbench |
| refresh | the original's SQL in pgbench |
| sign-in | the check of the hash in a process alone, and the original's SQL in pgbench |
| a function behind its relay | the same function asked directly |
| a rendered page of Insights | the same bytes as a file of the site |
| a page and a script of the site | a bare hello with the same bytes |

Visitors differ. Every sample stands beside one of its limit, taken in turn.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Final

from tests.bench.compare import CONNECTIONS, ROUNDS, SECONDS
from tests.bench.functions import SAMPLES
from tests.bench.servers import Measured, measured_postgres
from tests.bench.services import pages, people, relay, rows
from tests.bench.site import FEW
from tests.bench.tables import Served, serving
from tests.fixtures.server import ROOT

PARTS: Final[dict[str, Callable[[Measured, Served], None]]] = {
    "rows": rows.main,
    "people": people.main,
    "relay": relay.main,
    "pages": pages.main,
}


def main(*parts: str) -> None:
    """Print the figures of these parts, or of all."""
    with measured_postgres() as at:
        site, functions = at.folder / "site", at.folder / "functions"
        shutil.copytree(ROOT / "web" / "dist", site)
        shutil.copytree(ROOT / "functions", functions)
        shutil.copytree(SAMPLES / relay.NAME, functions / relay.NAME)
        extra = {"SITE_DIR": str(site), "FUNCTIONS_DIR": str(functions), **people.UNLIMITED}
        with serving(at.server, at.folder, "services", FEW, script=rows.KEPT, extra=extra) as served:
            print(f"services, {at.title}, fsync on; {CONNECTIONS} connections, visitors that differ")
            print(
                f"medians of {ROUNDS} rounds of {SECONDS:g} s; processor µs a request: gateway, functions + Postgres\n"
            )
            for name in parts or PARTS:
                PARTS[name](at, served)
        print()
