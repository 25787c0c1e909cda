"""`load`: a dataset by its name."""

from __future__ import annotations

import os

from wlt.data import tu
from wlt.data.cache import data_root
from wlt.data.moleculenet import moleculenet, set_called
from wlt.data.zinc import zinc
from wlt.graphs import Graphs
from wlt.io.graphs import as_graphs
from wlt.io.molecules import Atoms

ZINC = "ZINC"


def load(
    name: str | os.PathLike[str],
    root: str | os.PathLike[str] | None = None,
    *,
    node_labels: tu.NodeLabels = "auto",
    edge_labels: tu.EdgeLabels = "auto",
    atoms: Atoms = "all",
) -> Graphs:
    """A dataset by name: ZINC, MoleculeNet's BBBP, ESOL, FreeSolv, Tox21 and HIV, or a set of the TU collection, which
    may also be a user's own zip file or folder in that format.

    A name is looked for under `root` (else the environment variable WLT_DATA, else the user's cache folder). Molecules
    are in molecules/NAME.csv, ZINC in molecules/zinc12k.csv or, as PyG has it, in ZINC. Other sets are tu/NAME.zip or,
    in PyG's layout, tu/NAME/raw/NAME_A.txt. What is not there is downloaded, but for ZINC.
    Parsed sets of the TU collection are cached as arrays in the user's cache folder.

    node_labels: what nodes carry. "auto": node labels where the set has them, else degrees; or "labels", "degrees", or
    "features": a node's attributes together with its labels, if there are any.
    edge_labels: what edges carry. "auto": edge labels where the set has them, else edge attributes, if there are any;
    or "labels", "features" (attributes together with labels), or None: nothing, as in the paper.
    atoms: of MoleculeNet's molecules, as in `wlt.data.molecules`.
    """
    known = molecule_set(name, root)
    if known is None:
        return tu.load(name, root, node_labels=node_labels, edge_labels=edge_labels)
    if node_labels == "features" or edge_labels == "features":
        raise ValueError(f"{known} has labels and no features; use 'auto', 'labels' or, for nodes, 'degrees'")
    graphs = zinc(root) if known == ZINC else moleculenet(known, root, atoms=atoms)
    graphs = as_graphs(graphs, node_labels="degrees" if node_labels == "degrees" else "auto")
    return graphs.without_edge_labels() if edge_labels is None else graphs


def molecule_set(name: str | os.PathLike[str], root: str | os.PathLike[str] | None = None) -> str | None:
    """The set of molecules that is called so, in capital or small letters; a user's TU dataset comes first."""
    if not isinstance(name, str) or (tu.is_name(name) and tu.locate(name, data_root(root) / "tu")):
        return None
    return ZINC if name.upper() == ZINC else set_called(name)
