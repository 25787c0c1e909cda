"""`wlt train`, `wlt predict` and searches of scikit-learn by processes that die, and on a real Ray cluster, of which a
node dies."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import networkx as nx
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from wlt.cli import main
from wlt.estimator.base import WLTEstimator
from wlt.estimator.classifier import WLTClassifier
from wlt.io import as_graphs
from wlt.work.calls import Lost
from wlt.work.processes import Processes
from wlt.work.ray import RayCluster

TRAIN = ["--target", "kind", "--structure", "grg", "--hidden", "4", "--epochs", "30", "--folds", "4", "--ensemble", "2"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'wlt[ray]'")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_worker_niceness", "0")  # else tests wait for whatever else the machine does
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        yield cluster
        cluster.shutdown()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "graphs"
    place.mkdir()
    for i in range(16):
        nx.write_graphml(nx.cycle_graph(3 + i) if i % 2 else nx.path_graph(3 + i), place / f"g{i}.graphml")
    (place / "labels.csv").write_text("file,kind\n" + "".join(f"g{i},{i % 2}\n" for i in range(16)))
    return place


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    capsys.readouterr()
    with pytest.raises(SystemExit, match="0"):
        main([str(argument) for argument in arguments])
    return capsys.readouterr().out


def told(printed: str) -> dict[str, Any]:
    """The JSON object, alone: what Ray prints when a node dies is on stderr."""
    found: dict[str, Any] = json.loads(printed)
    return found


def test_searches_of_scikit_learn_run_on_ray_through_joblib(cluster: Any) -> None:
    """As docs/clusters.md shows it."""
    import ray
    from ray.util.joblib import register_ray

    graphs = as_graphs([nx.cycle_graph(4 + i // 2) if i % 2 else nx.path_graph(4 + i // 2) for i in range(16)])
    labels = np.arange(16) % 2
    model = WLTClassifier("g", epochs=3, calibrate=False, audit=False, random_state=0)
    search = GridSearchCV(model, {"hidden": [2, 4]}, cv=2)
    here = search.fit(graphs, labels).cv_results_["mean_test_score"]
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        register_ray()
        with joblib.parallel_config("ray", n_jobs=-1):
            there = search.fit(graphs, labels).cv_results_["mean_test_score"]
    finally:
        ray.shutdown()
    assert (here == there).all()


def same_models(*folders: Path) -> bool:
    models = [WLTClassifier.load(folder).models_ for folder in folders]
    return all(
        bool((one.state_dict()[name] == value).all())
        for one, other in zip(*models, strict=True)
        for name, value in other.state_dict().items()
    )


def test_processes_killed_while_folds_are_trained_and_graphs_predicted(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same figures, the same model file and the same predictions as in one process that lives."""
    here = told(run(capsys, "train", folder, *TRAIN, "--json", "--workers", "1", "--out", tmp_path / "here"))
    events = Processes.events
    lost: list[int] = []

    def disturbed(self: Any, *arguments: Any, **options: Any) -> Any:
        for number, event in enumerate(events(self, *arguments, **options)):
            if isinstance(event, Lost):
                lost.append(event.call)
            if number == 1:  # two calls have begun
                for worker in multiprocessing.active_children():
                    worker.kill()
            yield event

    monkeypatch.setattr(Processes, "events", disturbed)
    there = told(run(capsys, "train", folder, *TRAIN, "--json", "--workers", "2", "--out", tmp_path / "there"))
    assert lost
    assert {**there, "model": None} == {**here, "model": None}
    assert same_models(tmp_path / "here", tmp_path / "there")

    lost.clear()
    monkeypatch.setattr(WLTEstimator, "predicted_at_once", 3)
    files = [tmp_path / "here.csv", tmp_path / "there.csv"]
    for out, where in zip(files, ([], ["--workers", "2"]), strict=True):
        run(capsys, "predict", tmp_path / "here", folder, "--proba", "--out", out, *where)
    assert lost
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_node_killed_while_folds_are_trained_and_graphs_predicted(
    cluster: Any, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same figures, the same model file and the same predictions as in one process."""
    here = told(run(capsys, "train", folder, *TRAIN, "--json", "--workers", "1", "--out", tmp_path / "here"))
    doomed = [cluster.add_node(num_cpus=1)]
    cluster.wait_for_nodes()
    events = RayCluster.events

    def disturbed(self: Any, *arguments: Any, **options: Any) -> Any:
        for number, event in enumerate(events(self, *arguments, **options)):
            if number == 2 and doomed:
                cluster.remove_node(doomed.pop(), allow_graceful=False)
            yield event

    monkeypatch.setattr(RayCluster, "events", disturbed)
    there = told(run(capsys, "train", folder, *TRAIN, "--json", "--ray", cluster.address, "--out", tmp_path / "there"))
    assert not doomed
    assert {**there, "model": None} == {**here, "model": None}
    assert same_models(tmp_path / "here", tmp_path / "there")

    doomed.append(cluster.add_node(num_cpus=1))
    cluster.wait_for_nodes()
    monkeypatch.setattr(WLTEstimator, "predicted_at_once", 3)
    files = [tmp_path / "here.csv", tmp_path / "there.csv"]
    for out, where in zip(files, ([], ["--ray", cluster.address]), strict=True):
        run(capsys, "predict", tmp_path / "here", folder, "--proba", "--out", out, *where)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert not doomed
