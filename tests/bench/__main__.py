"""`make bench`: prints the figures of one run; `python -m tests.bench PART …` of some parts alone."""

import sys

from tests.bench import (
    admin_list,
    changes,
    fast_path,
    functions,
    memory,
    realtime,
    scale,
    services,
    signins,
    sizes,
    steps,
    storage,
    tables,
    visitors,
    writes,
)

PARTS = {
    "tables": tables.main,
    "writes": writes.main,
    "growth": tables.growth,
    "scale": scale.main,
    "delays": tables.delays,
    "memory": memory.main,
    "visitors": visitors.main,
    "fast_path": fast_path.main,
    "steps": steps.main,
    "admin_list": admin_list.main,
    "services": services.main,
    "functions": functions.main,
    "signins": signins.main,
    "realtime": realtime.main,
    "changes": changes.main,
    "sizes": sizes.main,
    "storage": storage.main,
}

chosen = sys.argv[1:] or list(PARTS)
unknown = [name for name in chosen if name not in PARTS]
if unknown:
    sys.exit(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
for name in chosen:
    PARTS[name]()
