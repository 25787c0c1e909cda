"""Libraries that only some parts of wlt need, and the extra of wlt that installs each of them."""

from __future__ import annotations

from importlib.util import find_spec

EXTRAS = {
    "torch": "nn",
    "torch_geometric": "nn",
    "safetensors": "nn",
    "matplotlib": "nn",
    "rdkit": "mol",
    "pydot": "dot",
    "ray": "ray",
    "pyarrow": "parquet",
}


class MissingExtra(ImportError):
    """A library is not installed. The message is one line that says which, for what, and how to get it."""


def need(library: str, purpose: str) -> None:
    """MissingExtra if the library is not installed.

    >>> need("numpy", "this example")
    """
    if find_spec(library) is None:
        raise MissingExtra(missing(library, purpose), name=library)


def missing(library: str, purpose: str) -> str:
    """
    >>> missing("torch", "wlt.nn")
    "wlt.nn needs torch, which is not installed: pip install 'wlt[nn]'"
    """
    return f"{purpose} needs {library}, which is not installed: pip install 'wlt[{EXTRAS[library]}]'"
