"""The same jobs on a real Ray cluster of two nodes on this machine, one of which dies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from small import DATASETS, jobs

from wlt.cluster import RayError
from wlt.reproduce.job import Failed, Finished, Running, run_job
from wlt.reproduce.run import events as events_of
from wlt.work.ray import RayCluster

pytest.importorskip("ray", reason="Ray is not installed: pip install 'wlt[ray]'")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    yield cluster
    cluster.shutdown()


def test_no_cluster() -> None:
    with pytest.raises(RayError, match=r"no Ray cluster at '127\.0\.0\.1:1'"):
        RayCluster("127.0.0.1:1").at_once()


def test_nodes_with_other_code_are_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wlt.work.ray.code_version", lambda: "0.1 (another)")
    (event,) = [
        event
        for event in events_of(jobs(folds=1)[:1], DATASETS, RayCluster(cluster.address))
        if isinstance(event, Failed)
    ]
    assert event.reason.endswith(", the driver has 0.1 (another)")


def test_node_killed_during_the_run(cluster: Any) -> None:
    doomed = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    some = jobs(folds=2, epochs=20)
    finished = {}
    assert RayCluster(cluster.address).at_once() == 2
    for event in events_of(some, DATASETS, RayCluster(cluster.address)):
        if isinstance(event, Running):
            continue
        assert isinstance(event, Finished), event
        finished[event.job] = event.outcome.curve
        if doomed is not None:
            cluster.remove_node(doomed, allow_graceful=False)
            doomed = None
    assert finished == {job: run_job(*job, DATASETS[job.spec.dataset]) for job in some}
