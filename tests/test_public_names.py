"""The names that users see: all are there, none hides a module, and every class of result is among them."""

from __future__ import annotations

import pkgutil
from dataclasses import fields

import networkx as nx
import pytest

import wlt


def test_every_public_name_is_there_and_listed() -> None:
    assert set(wlt.__all__) <= set(dir(wlt))
    assert "WLTClassifier" in dir(wlt)
    for name in wlt.__all__:
        assert getattr(wlt, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wlt.nothing  # type: ignore[attr-defined]


def test_no_function_hides_a_module() -> None:
    modules = {module.name for module in pkgutil.iter_modules(wlt.__path__)}
    assert {name for name in wlt.__all__ if name in modules} == {"data"}
    assert wlt.data.__name__ == "wlt.data"


def test_the_class_of_every_result_is_exported() -> None:
    triangle = nx.cycle_graph(3)
    results = [
        wlt.wl_test(triangle, triangle),
        wlt.tinhofer_test(triangle, triangle, seed=0),
        wlt.isomorphism(triangle, triangle),
        wlt.graph_class(triangle),
        wlt.refine_once(triangle)[1],
        wlt.as_graphs([triangle]),
        wlt.audit([triangle, triangle]),
        wlt.audit([triangle, triangle]).bounds["wl"],
    ]
    for result in results:
        assert type(result).__name__ in wlt.__all__


def test_arguments_beyond_the_first_are_named() -> None:
    with pytest.raises(TypeError, match="positional argument"):
        wlt.wl_test("A_", "A_", None)  # type: ignore[misc]
    with pytest.raises(TypeError, match="positional argument"):
        wlt.audit(["A_"], None, "auto")  # type: ignore[misc]
    assert [field.name for field in fields(wlt.Graphs)][:4] == ["union", "codes", "values", "kind"]
