"""Keys of 100,000 molecules with their bonds, in one call, beside pynauty, networkx and rdkit; and of large graphs.

    pip install pynauty                      # for this benchmark only; without it that line is left out
    python benchmarks/keys.py [--data FOLDER] [--molecules N] [--large NODES]

Molecules come from all tables of SMILES in FOLDER/molecules (else WLT_DATA), one after the other, again from the first
where there are not enough; without a folder they are made (`molecule_like.py`). What each peer takes as its input is
made before, and not timed, except pynauty's graph where the table says so.

wlt        wlt.keys of all of them: elements, bonds; a text that isomorphic molecules have in common, and no others
pynauty    certificate of a graph with a node for every bond, coloured by elements and types of bonds: pynauty knows no
           labels of edges. The colours are not part of a certificate, so that it is not yet a key.
networkx   weisfeiler_lehman_graph_hash with both labels and three rounds, which is no key
rdkit      canonical SMILES, with charges and stereochemistry besides

Seconds are those of the processor; all of these use one core. Each is measured on as many molecules as it does in some
ten of them, the first ones, and wlt on all."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import wlt
from molecule_like import molecule_like
from wlt import Graph, Graphs
from wlt.data.cache import data_root

SECONDS = 10.0


def smiles_of(folder: Path, count: int) -> list[str]:
    """SMILES of all tables there that rdkit reads."""
    import csv

    from rdkit import Chem, rdBase

    texts: list[str] = []
    with rdBase.BlockLogs():
        for table in sorted(folder.glob("*.csv")):
            with table.open() as file:
                texts += [row["smiles"] for row in csv.DictReader(file)]
        readable = [text for text in texts if (molecule := Chem.MolFromSmiles(text)) and molecule.GetNumAtoms()]
    return list(islice(cycle(readable), count))


def measured(name: str, action: Callable[[int], Any], count: int) -> list[Any]:
    """Prints the time of action(i) for the first molecules, and answers with what it gave."""
    action(0)
    results = []
    begin = time.process_time()
    while len(results) < count and time.process_time() - begin < SECONDS:
        results.append(action(len(results)))
    seconds = time.process_time() - begin
    print(f"| {name} | {len(results):,} | {seconds / len(results) * 1e6:.1f} µs |", flush=True)
    return results


def measure_molecules(graphs: Graphs, smiles: list[str]) -> None:
    union, count = graphs.union, len(graphs)
    sizes = f"{union.num_nodes / count:.1f} atoms and {union.num_edges / count:.1f} bonds on average"
    print(f"\n{count:,} molecules, {sizes}\n\n| | molecules | each |\n|---|---:|---:|")
    wlt.keys(graphs[:100])
    begin = time.process_time()
    keys = wlt.keys(graphs)
    seconds = time.process_time() - begin
    print(f"| wlt, one call ({seconds:.2f} s) | {count:,} | {seconds / count * 1e6:.1f} µs |", flush=True)
    first = graphs[:20_000]
    atoms = [
        first.codes[low:high].tolist() for low, high in zip(first.union.starts, first.union.starts[1:], strict=False)
    ]
    listed = [first.union[i] for i in range(len(first))]
    try:
        measure_pynauty(listed, atoms, keys)
    except ModuleNotFoundError:
        print("| pynauty is not installed | | |")
    labelled = [in_networkx(graph, labels) for graph, labels in zip(listed[:4000], atoms, strict=False)]

    def hashed(i: int) -> str:
        return nx.weisfeiler_lehman_graph_hash(labelled[i], node_attr="atom", edge_attr="bond", iterations=3)

    measured("networkx, WL hash of three rounds", hashed, len(labelled))
    if smiles:
        from rdkit import Chem, rdBase

        with rdBase.BlockLogs():
            molecules = [Chem.MolFromSmiles(text) for text in smiles[:20_000]]
        measured("rdkit, canonical SMILES", lambda i: Chem.MolToSmiles(molecules[i]), len(molecules))
    print(f"\n{len(set(keys)):,} different keys")


def in_networkx(graph: Graph, atoms: list[int]) -> Any:
    made = nx.Graph()
    made.add_nodes_from((v, {"atom": str(atom)}) for v, atom in enumerate(atoms))
    bonds = dict(zip(map(tuple, graph.edge_index().T.tolist()), graph.arcs.tolist(), strict=True))
    made.add_edges_from((u, v, {"bond": str(bond)}) for (u, v), bond in bonds.items() if u < v)
    return made


def measure_pynauty(graphs: list[Graph], atoms: list[list[int]], keys: list[str]) -> None:
    import pynauty

    inputs = []
    for graph, labels in zip(graphs, atoms, strict=True):
        n = graph.num_nodes
        rows, columns = graph.edge_index()
        one_way = rows < columns
        bonds = list(zip(rows[one_way].tolist(), columns[one_way].tolist(), graph.arcs[one_way].tolist(), strict=True))
        neighbors = {n + i: [u, v] for i, (u, v, _) in enumerate(bonds)}
        colors: dict[tuple[int, int], set[int]] = {}
        for v, label in enumerate(labels):
            colors.setdefault((0, label), set()).add(v)
        for i, (_, _, bond) in enumerate(bonds):
            colors.setdefault((1, bond), set()).add(n + i)
        order = sorted(colors)
        description = tuple((kind, len(colors[kind])) for kind in order)
        inputs.append((n + len(bonds), neighbors, [colors[kind] for kind in order], description))

    def build(i: int) -> Any:
        nodes, neighbors, coloring, _ = inputs[i]
        return pynauty.Graph(nodes, adjacency_dict=neighbors, vertex_coloring=coloring)

    found = measured("pynauty, graph and certificate", lambda i: pynauty.certificate(build(i)), len(inputs))
    made = [build(i) for i in range(len(inputs))]
    measured("pynauty, certificate alone", lambda i: pynauty.certificate(made[i]), len(inputs))
    pairs = {(each, *inputs[i][3]) for i, each in enumerate(found)}
    together = {(each, *inputs[i][3], keys[i]) for i, each in enumerate(found)}
    assert len(pairs) == len(together) == len(set(keys[: len(found)])), "wlt and pynauty disagree"


def measure_large(nodes: int) -> None:
    """Sparse graphs on which refinement decides."""
    random = np.random.default_rng(0)
    side = round(nodes**0.5)
    parents = (random.random(nodes - 1) * np.arange(1, nodes)).astype(np.int64)
    grid = np.arange(side * side).reshape(side, side)
    across = np.stack([grid[:, :-1].ravel(), grid[:, 1:].ravel()], axis=1)
    made = {
        "random tree": (nodes, np.stack([parents, np.arange(1, nodes)], axis=1)),
        "path": (nodes, np.stack([np.arange(nodes - 1), np.arange(1, nodes)], axis=1)),
        "grid": (side * side, np.concatenate([across, np.stack([grid[:-1].ravel(), grid[1:].ravel()], axis=1)])),
        "random, 3 edges a node": (nodes, random.integers(0, nodes, (3 * nodes, 2))),
    }
    wlt.key((3, [(0, 1), (1, 2)]))
    print("\n| graph | nodes | edges | wlt.key |\n|---|---:|---:|---:|")
    for name, (n, edges) in made.items():
        graph = Graph.from_edges(n, edges)
        begin = time.process_time()
        found = wlt.key(graph)
        seconds = time.process_time() - begin
        assert found == wlt.key(graph.relabel(random.permutation(n)))
        print(f"| {name} | {n:,} | {graph.num_edges:,} | {seconds:.2f} s |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="the folder that contains molecules/*.csv; else WLT_DATA")
    parser.add_argument("--molecules", type=int, default=100_000)
    parser.add_argument("--large", type=int, default=10**6, help="nodes of the large graphs; 0: none")
    arguments = parser.parse_args()
    folder = data_root(arguments.data) / "molecules"
    if arguments.molecules:
        smiles = smiles_of(folder, arguments.molecules) if folder.is_dir() else []
        graphs = wlt.data.molecules(smiles) if smiles else molecule_like(arguments.molecules)
        measure_molecules(graphs, smiles)
    if arguments.large:
        measure_large(arguments.large)


if __name__ == "__main__":
    main()
