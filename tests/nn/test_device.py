"""The way of devices without numba's kernels, taken on the CPU; what touches a device; torch.compile."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracle import NUM_COLORS, colored_unions, seeded
from torch import Tensor
from torch.nn.functional import cross_entropy

import wlt.nn
from wlt import Graph, as_graph
from wlt.nn import GIN, WLTGNN, Baseline, Batch, PyGRecoloring
from wlt.nn.device import torch_alone

LABELLED = Graph.from_edges(
    7, [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6)], [0, 4, 7], edge_labels=["a", "b", "a", "a", "b", "b"]
)
FEATURES = np.random.default_rng(0).integers(0, 2, (7, 3)).astype(np.float64)


def answers(model: torch.nn.Module, batch: Batch) -> list[Tensor]:
    """Logits, gradients and running statistics of a training step."""
    model.zero_grad()
    logits = model(batch, seeded(2))
    (logits * torch.arange(1, logits.numel() + 1).reshape(logits.shape)).sum().backward()
    return [logits.detach(), *(each.grad.clone() for each in model.parameters()), *model.buffers()]


def check_same_by_torch_alone(make: object, batch: object) -> None:
    mine = answers(make().double(), batch())  # type: ignore[operator]
    with torch_alone():
        theirs = answers(make().double(), batch())  # type: ignore[operator]
    for fused, composed in zip(mine, theirs, strict=True):
        torch.testing.assert_close(fused, composed, rtol=1e-7, atol=1e-7)


@settings(max_examples=25)
@given(
    colored_unions(max_graphs=3, max_nodes=6),
    st.sampled_from(["ggg", "gggrgg", "rg", "grgrg"]),
    st.sampled_from([1, 0.5, "draws:2", "all", "nodes", "canonical"]),
    st.integers(0, 100),
)
def test_wlt_gnn_by_torch_alone(
    union: tuple[Graph, NDArray[np.int64]], structure: str, recolor: float | str, seed: int
) -> None:
    check_same_by_torch_alone(
        lambda: WLTGNN(NUM_COLORS, 4, 2, structure=structure, recolor=recolor, generator=seeded(seed)),
        lambda: Batch.from_graphs(*union),
    )


@pytest.mark.parametrize("kind", ["GCN", "SAGE", "GIN-0", "GIN-eps"])
@pytest.mark.parametrize("features", [False, True])
def test_baselines_by_torch_alone(kind: str, features: bool) -> None:
    graph = LABELLED.without_labels()
    check_same_by_torch_alone(
        lambda: Baseline(kind, 3, 5, 2, dropout=0.5, generator=seeded(0)),
        lambda: Batch.from_graphs(graph, features=FEATURES) if features else Batch.from_graphs(graph, [0, 1] * 3 + [2]),
    )


@pytest.mark.parametrize("features", [False, True])
def test_gine_by_torch_alone(features: bool) -> None:
    check_same_by_torch_alone(
        lambda: WLTGNN(3, 5, 2, num_edge_labels=len(LABELLED.tokens), generator=seeded(0)),
        lambda: Batch.from_graphs(LABELLED, features=FEATURES) if features else Batch.from_graphs(LABELLED, [0] * 7),
    )


def test_torch_alone_runs_no_kernel_of_the_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("a kernel of the fused layers")

    for name in ("gin_aggregate", "gin_normalize", "add_rows", "scatter_rows", "gin_output_gradient"):
        monkeypatch.setattr(wlt.nn.kernels, name, fail)
    batch = Batch.from_graphs([as_graph(nx.cycle_graph(5))])
    model = WLTGNN(3, 4, 2, generator=seeded(0))
    with pytest.raises(AssertionError, match="a kernel of the fused layers"):
        model(batch)
    with torch_alone():
        answers(model, batch)


def test_nodes_on_another_device() -> None:
    """ "nodes" looks at no message, so a device without numbers can do it."""
    model = WLTGNN(3, 4, 2, recolor="nodes", generator=seeded(0)).to("meta")
    logits = model(Batch.from_graphs([as_graph(nx.cycle_graph(5)), as_graph(nx.path_graph(4))]))
    cross_entropy(logits, torch.tensor([0, 1], device="meta")).backward()
    assert all(parameter.grad.device.type == "meta" for parameter in model.parameters())


def test_only_one_module_touches_devices() -> None:
    for path in Path(wlt.nn.__file__).parent.glob("*.py"):
        found = re.findall(r"\.device\b(?! import)|\.cpu\(|\.cuda\(|[\"']cpu[\"']", path.read_text("utf-8"))
        assert bool(found) == (path.name == "device.py"), f"{path.name}: {found}"


# ---- torch.compile


@pytest.mark.parametrize("training", [False, True])
def test_torch_compile_leaves_the_layers_and_says_so(training: bool) -> None:
    """With the backend that generates no code: what is asked here is what torch.compile can follow."""
    batch = Batch.from_graphs([as_graph(nx.cycle_graph(5)), as_graph(nx.path_graph(4))])
    results = []
    for compiled in (False, True):
        model = WLTGNN(3, 4, 2, generator=seeded(0)).train(training)
        call = torch.compile(model, backend="eager") if compiled else model
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            logits = call(batch, seeded(1))
        told = [str(each.message) for each in caught if "torch.compile cannot follow" in str(each.message)]
        assert len(told) == compiled
        cross_entropy(logits, torch.tensor([0, 1])).backward()
        results.append([logits.detach(), *(parameter.grad for parameter in model.parameters())])
    for plain, after in zip(*results, strict=True):
        torch.testing.assert_close(plain, after)


def test_torch_compile_around_single_layers() -> None:
    gin, recolor = GIN(3, 4, generator=seeded(0)), PyGRecoloring()
    batch = Batch.from_graphs([as_graph(nx.cycle_graph(5))])
    x = torch.ones(5, 2)
    edge_index = torch.from_numpy(as_graph(nx.cycle_graph(5)).edge_index()).long()

    @torch.compile(backend="eager")
    def forward() -> tuple[Tensor, Tensor]:
        return gin(batch)[1] * 2, recolor(x, edge_index, None, seeded(0)) + 1

    with pytest.warns(UserWarning, match=r"torch\.compile cannot follow; they run as they are, the rest is compiled"):
        readout, marked = forward()
    torch.testing.assert_close(readout, gin(batch)[1] * 2)
    assert sorted(marked[:, 0].tolist()) == [1, 2, 2, 2, 2]
