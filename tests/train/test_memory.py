"""Memory that one batch frees is there for the next."""

from __future__ import annotations

import platform

import networkx as nx
import numpy as np
import pytest
import torch

from wlt import as_graphs
from wlt.nn import WLTGNN, Collection
from wlt.train.fit import predict


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library decides by itself")
def test_a_forward_pass_takes_no_new_pages() -> None:
    import resource

    data = as_graphs([nx.gnm_random_graph(1000, 3000, seed=seed) for seed in range(4)], node_labels="degrees")
    model = WLTGNN(len(data.values), 64, 2, structure="ggg", generator=torch.Generator().manual_seed(0))
    source, generator = Collection(data.union, data.codes, 3), torch.Generator()

    def pages(times: int) -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(times):
            predict(model, source, np.arange(4), 4, generator)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    pages(3)
    one_pass = 4 * 4000 * 64 * 4 // resource.getpagesize()  # of the arrays that a pass makes at least
    assert pages(5) < one_pass, "five passes, fewer pages than one of them fills"
