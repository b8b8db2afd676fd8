"""What libpq says of a connection and of a result, as plain numbers."""

from __future__ import annotations

from typing import Final

from psycopg import pq

# Plain numbers: a member of an enumeration costs a look-up each time it is named.
TUPLES_OK: Final = int(pq.ExecStatus.TUPLES_OK)
COMMAND_OK: Final = int(pq.ExecStatus.COMMAND_OK)
PIPELINE_SYNC: Final = int(pq.ExecStatus.PIPELINE_SYNC)
FATAL_ERROR: Final = int(pq.ExecStatus.FATAL_ERROR)
PIPELINE_ABORTED: Final = int(pq.ExecStatus.PIPELINE_ABORTED)
CONNECTION_OK: Final = int(pq.ConnStatus.OK)
