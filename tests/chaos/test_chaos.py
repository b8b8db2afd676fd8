"""The short form of `make chaos`: each part is killed once."""

from __future__ import annotations

from tests.chaos.chaos import Chaos, people
from tests.chaos.cluster import running


def test_nothing_acknowledged_is_lost_or_doubled_under_kills() -> None:
    with running(workers=2) as cluster:
        people(cluster)
        ledger = Chaos(cluster, chance=1).run(kills=6, pause=1.0)
    assert ledger.faults == []
    assert sum(ledger.kills.values()) == 6
    assert ledger.leads and ledger.posts
