"""The paper's protocol as data, checked against the paper's sentences."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from wlt.data import PAPER_DATASETS
from wlt.reproduce.paper import TABLE2_DATASETS
from wlt.reproduce.plan import Plan
from wlt.reproduce.spec import BASELINES, DEGREES, METHODS, Spec, table1, table2


@pytest.mark.parametrize("dataset", PAPER_DATASETS)
@pytest.mark.parametrize("method", METHODS)
def test_table1(dataset: str, method: str) -> None:
    specs = table1(dataset, method)
    for spec in specs:
        assert (spec.epochs, spec.learning_rate, spec.decay, spec.decay_every) == (100, 0.01, 0.5, 50)
        assert (spec.folds, spec.batch_size) == (10, 128)
        assert spec.dropout == (0.5 if method in BASELINES else 0)
        assert spec.degrees == ("normalized" if dataset.startswith("REDDIT") else "one-hot"), "as in PyG's benchmark"
    if method in BASELINES:
        assert {(len(spec.structure), spec.hidden) for spec in specs} == {
            (layers, hidden) for layers in (2, 3, 4, 5) for hidden in (16, 32, 64, 128)
        }
    else:
        (spec,) = specs
        assert spec.structure == ("ggggg" if method == "gin-sum" else "gggrgg")
        assert spec.hidden == (32 if dataset == "PROTEINS" else 128)
        assert spec.recolor == {"wlt0.5": 0.5, "wlt-all": "all"}.get(method, 1)


@pytest.mark.parametrize("dataset", TABLE2_DATASETS)
@pytest.mark.parametrize("method", ["wlt", "wlt0.5", "gin-sum"])
def test_table2(dataset: str, method: str) -> None:
    (spec,) = table2(dataset, method)
    assert spec.dropout == 0
    assert (spec.epochs, spec.learning_rate, spec.decay_every, spec.hidden) == (300, 0.01, 50, 128)
    assert spec.decay == math.sqrt(0.1)
    assert spec.folds == 0


def test_keys_are_the_specs() -> None:
    specs = [spec for method in METHODS for name in PAPER_DATASETS for spec in table1(name, method)]
    specs += [
        replace(specs[0], seed=1),
        replace(specs[0], epochs=99),
        replace(specs[0], grid_on=1),
        replace(specs[0], calibration=128),
        *table2("NCI1", "wlt0.5"),
    ]
    assert len({spec.key() for spec in specs}) == len(specs)
    assert [Spec.from_json(json.loads(spec.key())) for spec in specs] == specs
    one_hot = replace(table1("REDDIT-BINARY", "wlt")[0], degrees="one-hot")
    assert "degrees" not in one_hot.key(), "runs stored before there was a choice are these"
    assert Spec.from_json(json.loads(one_hot.key())) == one_hot
    assert "calibration" not in one_hot.key(), "and so are those with the calibration of the first version"


def test_plan_of_the_paper() -> None:
    jobs = Plan("table1").jobs(["PROTEINS", "NCI1"])
    assert len(jobs) == len(set(jobs)) == 2 * (3 + 4 * 16) * 10
    assert [job.spec.method for job in jobs[:60:20]] == ["wlt", "wlt0.5", "gin-sum"], "the paper's own methods first"
    cells = [(job.spec.method, job.spec.dataset) for job in jobs]
    changes = sum(cell != before for cell, before in zip(cells[1:], cells[:-1], strict=True))
    assert changes == len(set(cells)) - 1, "a cell is finished before the next begins"
    runs = Plan("table2").jobs(["PROTEINS"])
    assert [(job.spec.method, job.fold) for job in runs] == [
        (method, run) for method in ("wlt", "wlt0.5", "gin-sum") for run in range(5)
    ]


def test_plan_with_changes() -> None:
    plan = Plan("table1", ["gcn", "wlt"], folds=2, epochs=3, hidden=8, seed=4)
    jobs = plan.jobs(["MUTAG"])
    assert len(jobs) == 2 + 4 * 2, "with one width the grid is the four depths"
    assert {(job.spec.epochs, job.spec.hidden, job.spec.seed, job.spec.folds) for job in jobs} == {(3, 8, 4, 10)}
    dropped = Plan("table1", ["gcn", "wlt"], hidden=8, dropout=0.25).jobs(["MUTAG"])
    assert {(job.spec.dropout, job.spec.epochs) for job in dropped} == {(0.25, 100)}
    undropped = {job.spec.key() for job in Plan("table1", ["gcn", "wlt"], hidden=8, dropout=0).jobs(["MUTAG"])}
    assert replace(table1("MUTAG", "wlt")[0], hidden=8).key() in undropped
    assert replace(table1("MUTAG", "gcn")[0], hidden=8).key() not in undropped, "0 is a value, not the lack of one"
    degrees = [
        Plan("table1", ["wlt"], degrees=given).jobs(["REDDIT-BINARY"])[0].spec.degrees for given in (None, *DEGREES)
    ]
    assert degrees == ["normalized", "one-hot", "normalized"]
    part = Plan("table1", ["wlt"], folds=2).jobs(["MUTAG"])
    assert set(part) < set(Plan("table1", ["wlt"]).jobs(["MUTAG"])), "some folds are a part of the ten"


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"table": "table2", "folds": 2}, "no folds: use --runs"),
        ({"table": "table1", "runs": 2}, "use --folds"),
        ({"table": "table2", "methods": ["gcn"]}, "Table 2 has no GCN"),
    ],
    ids=["folds-of-table2", "runs-of-table1", "baseline-in-table2"],
)
def test_plan_refuses(plan: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Plan(**plan)  # type: ignore[arg-type]
