"""Schemathesis on everything that has an address: the tables by the OpenAPI document that the gateway serves of them,
the rest by `product.yaml` and `admin.yaml`.

`test_fuzz.py` is both forms of it: a short one that asks the same in every run, and with `FUZZ_SECONDS` (`make fuzz`)
a long one that asks something else each time.
"""

import re
from typing import Final

# Of this program and its SQL: what no answer shows.
INSIDE: Final = re.compile(
    rb'Traceback|File "|psycopg|\.py\b|site-packages|/tmp/|127\.0\.0\.1:\d+->|asyncio|json_agg\(|set_config\(|CONTEXT:'
)
