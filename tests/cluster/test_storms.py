"""Real processes, killed and ended while users write and follow."""

import asyncio
from pathlib import Path

import pytest

from checks.cluster.chaos import Cluster, run
from checks.cluster.postgres import serving

pytestmark = pytest.mark.postgres

FEW_SECONDS = 8.0


@pytest.mark.requirement("A-DEAD-REPLICA-IS-TAKEN-OVER")
@pytest.mark.parametrize("storm", ["kill", "rolling"])
def test_storm_loses_doubles_and_reorders_nothing(tmp_path: Path, storm: str) -> None:
    with serving() as server:
        cluster = Cluster(server, tmp_path, 2)
        cluster.start()
        try:
            faults = asyncio.run(run(cluster, [storm], seconds=FEW_SECONDS, users=12, per_second=8))
        finally:
            cluster.end()
    assert faults == []
