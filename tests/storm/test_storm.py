"""The short form of `make storm`: each part is killed once."""

from __future__ import annotations

from tests.storm.plant import running
from tests.storm.storm import Storm, people


def test_nothing_acknowledged_is_lost_or_doubled_in_a_storm() -> None:
    with running(workers=2) as plant:
        people(plant)
        ledger = Storm(plant, chance=1).run(kills=6, pause=1.0)
    assert ledger.faults == []
    assert sum(ledger.kills.values()) == 6
    assert ledger.leads and ledger.posts
