"""Keys on a real Ray cluster of two nodes on this machine, one of which dies: the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from wlt.bulk.keys import keys_of_streams
from wlt.cli import main
from wlt.data import stream
from wlt.data.stream import Stream
from wlt.work.calls import GivenUp
from wlt.work.ray import RayCluster

pytest.importorskip("ray", reason="Ray is not installed: pip install 'wlt[ray]'")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    yield cluster
    cluster.shutdown()


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of some forty chunks."""
    monkeypatch.setattr(stream, "CHUNK_GRAPHS", 50)
    path = tmp_path / "graphs.g6"
    graphs = (nx.gnp_random_graph(9, 0.4, seed=i) for i in range(2000))
    path.write_text("".join(nx.to_graph6_bytes(graph, header=False).decode() for graph in graphs))
    return path


def test_nodes_with_other_code_are_refused(cluster: Any, lines: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wlt.work.ray.code_version", lambda: "0.1 (another)")
    with pytest.raises(GivenUp, match=r"the driver has 0\.1 \(another\)"):
        list(keys_of_streams([Stream("graph6 lines", str(lines))], place=RayCluster(cluster.address)))


def test_a_node_killed_during_the_run_and_the_same_file(
    cluster: Any, lines: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    doomed = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    from wlt.bulk.journal import Journal

    add = Journal.add
    added = 0

    def kill_and_add(self: Any, *arguments: Any) -> None:
        nonlocal added
        added += 1
        if added == 3:
            cluster.remove_node(doomed, allow_graceful=False)
        add(self, *arguments)

    with pytest.raises(SystemExit, match="0"):
        main(["keys", str(lines), "--out", str(tmp_path / "here.csv")])
    monkeypatch.setattr(Journal, "add", kill_and_add)
    with pytest.raises(SystemExit, match="0"):
        main(["keys", str(lines), "--out", str(tmp_path / "ray.csv"), "--ray", cluster.address])
    assert added == 40
    assert (tmp_path / "ray.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
