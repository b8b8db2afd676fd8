"""`make chaos`: a few minutes of it; the report prints counts, the exit status is 1 when a promise was broken."""

from __future__ import annotations

import argparse
import time

from tests.chaos.chaos import Chaos, people
from tests.chaos.cluster import running

HEALTHY = 10.0  # seconds after the last kill


def main() -> None:
    parser = argparse.ArgumentParser(description="Everything is asked at once while everything is killed.")
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--pause", type=float, default=4.0, help="seconds between two kills")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    print(f"seed {given.seed}, {given.workers} workers, {given.kills} kills {given.pause:g} s apart", flush=True)
    with running(given.workers) as cluster:
        people(cluster)
        ledger = Chaos(cluster, given.seed).run(given.kills, given.pause)
    for title, counter in (("killed", ledger.kills), ("answers", ledger.answers)):
        print(title)
        for name, count in sorted(counter.items()):
            print(f"  {count:>7}  {name}")
    print(f"acknowledged: {len(ledger.leads)} leads, {len(ledger.posts)} articles")
    print(f"healthy {ledger.healthy_after:.1f} s after the last kill")
    if ledger.healthy_after > HEALTHY:
        ledger.fault(f"not healthy within {HEALTHY:.0f} s")
    for fault in ledger.faults:
        print(f"FAULT  {fault}")
    print(
        "no acknowledged write lost or doubled, no wrong read" if not ledger.faults else f"{len(ledger.faults)} faults"
    )
    raise SystemExit(1 if ledger.faults else 0)


if __name__ == "__main__":
    main()
