"""Tables: every figure can be traced to stored runs, and what was not run says so."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up import facts, record, results

from wlt.reproduce import paper
from wlt.reproduce.plan import Plan
from wlt.reproduce.record import Facts, Results
from wlt.reproduce.report.markdown import markdown
from wlt.reproduce.report.summary import remarks
from wlt.reproduce.report.tables import changes, tables
from wlt.reproduce.report.text import (
    as_text,
    control_text,
    cost_text,
    datasets_text,
    edge_labels_text,
    empty_cell,
    number,
)
from wlt.reproduce.spec import METHODS, Spec, table1, table2


def complete(dataset: str, method: str, folds: int = 10, level: float = 0.75) -> list[object]:
    return [record(spec, fold, 1000, level) for spec in table1(dataset, method) for fold in range(folds)]


def test_papers_figures_are_those_of_its_source() -> None:
    """Where the paper's LaTeX source lies beside the project, its tables are read again."""
    source = next(iter(sorted(Path(__file__).parents[2].glob("../shared/paper/*"))), None)
    if source is None:
        pytest.skip("the paper's source is not here")
    text = source.read_text("utf-8", "replace")
    names = {"GCN": "gcn", "SAGE": "sage", "GIN-$0$": "gin0", r"GIN-$\epsilon$": "gineps"}
    names |= {"WLT-GNN": "wlt", "WLT-GNN($0.5$)": "wlt0.5"}
    rows = [line.rstrip("\\\n ").split("&") for line in text.splitlines() if line.count("&") in (3, 7)]
    found1, found2 = {}, {}
    for name, *cells in rows:
        method = names.get(name.strip())
        values = [tuple(map(float, re.findall(r"\d+\.\d+", cell))) for cell in cells]
        if method is None or not all(values):
            continue
        if len(values) == 7:
            found1[method] = values
        else:
            found2["gin-sum" if method == "gin0" else method] = [value[0] for value in values]
    datasets = ("PROTEINS", "COLLAB", "IMDB-BINARY", "IMDB-MULTI", "REDDIT-BINARY", "REDDIT-MULTI-5K", "NCI1")
    assert {(m, d): v for m, row in found1.items() for d, v in zip(datasets, row, strict=True)} == paper.TABLE1
    datasets2 = ("PROTEINS", "NCI1", "REDDIT-BINARY")
    assert {(m, d): v for m, row in found2.items() for d, v in zip(datasets2, row, strict=True)} == paper.TABLE2


def test_table_of_the_paper() -> None:
    found = results([*complete("PROTEINS", "wlt"), *complete("PROTEINS", "gcn"), *complete("COLLAB", "wlt", 7)])  # type: ignore[list-item]
    found.datasets["REDDIT-MULTI-5K"] = Facts()
    (table,) = tables(found)
    assert (table.number, table.changes) == (1, ())
    assert table.methods == tuple(name for name in METHODS if name != "wlt-all")
    assert len(table.datasets) == 7
    text = as_text(table, found.datasets)
    cells = {(row[0], row[1]): dict(zip(table.datasets, row[2:], strict=True)) for row in text.rows}
    assert cells["WLT-GNN", "paper"]["COLLAB"] == "80.2 ± 1.3"
    ours = np.array([100 * r.curve.test_right[-1] / 100 for r in complete("PROTEINS", "wlt")])  # type: ignore[attr-defined]
    assert cells["WLT-GNN", "last"]["PROTEINS"] == f"{ours.mean():.1f} ± {ours.std(ddof=1):.1f}"
    assert cells["WLT-GNN", "validation"]["COLLAB"].endswith("(7 of 10 folds)")
    assert cells["WLT-GNN", "validation"]["NCI1"] == "not run"
    assert cells["SAGE", "validation"]["PROTEINS"] == "not run"
    assert cells["WLT-GNN", "validation"]["REDDIT-MULTI-5K"] == "data not at hand"
    assert ("GIN-0, sum (control)", "paper") not in cells
    assert any("looks at the test folds" in note for note in text.notes)
    assert table.distance("wlt", "PROTEINS", "last") == pytest.approx((ours.mean() - 75.4) / 3.7)


def test_grid_is_chosen_by_validation_loss_never_by_test() -> None:
    specs = table1("PROTEINS", "gcn")
    records = []
    for i, spec in enumerate(specs):
        for fold in range(10):
            made = record(spec, fold)
            loss = tuple(90000 - (500 if i == 6 else 0) for _ in made.curve.validation_loss)
            right = tuple((90 if i == 3 else 60) for _ in made.curve.test_right)
            records.append(made._replace(curve=made.curve._replace(validation_loss=loss, test_right=right)))
    (table,) = tables(results(records))
    cell = table.cells["gcn", "PROTEINS"]
    assert cell.spec == specs[6]
    assert cell.incomplete == ""
    assert table.ours("gcn", "PROTEINS", "best-mean-epoch") == (pytest.approx(60), pytest.approx(0))
    assert cell.seconds == pytest.approx(160 * 12.5)


def test_grid_points_with_fewer_folds_are_not_chosen() -> None:
    first, second, *_ = table1("NCI1", "sage")
    good = record(second, 0)
    good = good._replace(curve=good.curve._replace(validation_loss=(0,) * 100))
    (table,) = tables(results([record(first, 0), record(first, 1), good]))
    cell = table.cells["sage", "NCI1"]
    assert cell.spec == first
    assert cell.incomplete == "2 of 10 folds, 1 of 16 grid points"


@pytest.mark.parametrize("whole", [1, 15], ids=["one-whole-point", "all-but-one"])
def test_a_grid_point_counts_when_its_folds_are_there(whole: int) -> None:
    specs = table1("NCI1", "gcn")
    records = [record(spec, fold) for i, spec in enumerate(specs) for fold in range(10 if i < whole else 1)]
    (table,) = tables(results(records))
    assert table.cells["gcn", "NCI1"].incomplete == f"{whole} of 16 grid points"
    (table,) = tables(results([record(spec, fold) for spec in specs for fold in range(2)]))
    assert table.cells["gcn", "NCI1"].incomplete == "2 of 10 folds"


def test_a_grid_point_may_be_chosen_on_the_first_folds_alone() -> None:
    """The other folds are run for the chosen grid point only, and the cell says so."""
    plan = Plan("table1", ["gcn"], grid_on=1)
    first = plan.jobs(["COLLAB"])
    assert {job.fold for job in first} == {0}
    assert len(first) == 16
    records = [record(*job) for job in first]
    loss = [min(r.curve.validation_loss) for r in records]
    best = first[loss.index(min(loss))].spec
    assert plan.jobs_behind_choice(["COLLAB"], records[:-1]) == []  # a grid point is still to be run
    rest = plan.jobs_behind_choice(["COLLAB"], records)
    assert rest == [(best, fold) for fold in range(10)]
    bad = [record(*job) for job in rest[1:]]
    bad = [r._replace(curve=r.curve._replace(validation_loss=(10**6,) * 100)) for r in bad]  # these do not choose
    (table,) = tables(results(records + bad))
    cell = table.cells["gcn", "COLLAB"]
    assert (cell.spec, len(cell.records), cell.incomplete, cell.remark) == (best, 10, "", "grid on 1 fold")
    assert (table.label, table.changes) == ("Table 1", ())
    text = as_text(table, {})
    assert any(word.endswith("(grid on 1 fold)") for row in text.rows for word in row)
    assert any(
        note.startswith("grid on 1 fold: the grid point was chosen by the validation loss") for note in text.notes
    )
    whole = [record(spec, fold) for spec in table1("COLLAB", "gcn") for fold in range(10)]
    (table,) = tables(results(records + bad + whole))
    assert table.cells["gcn", "COLLAB"].remark == ""  # the whole grid is preferred


def test_grid_on_needs_a_grid() -> None:
    with pytest.raises(ValueError, match="grids of the baselines"):
        Plan("table1", ["wlt"], grid_on=1)


def test_edge_labels_are_compared_fold_by_fold() -> None:
    specs = [
        *table1("AIDS", "wlt"),
        *table1("AIDS with edge labels", "wlt"),
        *table1("AIDS with edge labels", "wlt-all"),
    ]
    found = results([record(spec, fold, 1000, 0.7 + 0.02 * i) for i, spec in enumerate(specs) for fold in range(10)])
    (table,) = tables(found)
    assert not table.of_paper
    text = edge_labels_text(table)
    assert text is not None
    assert [row[:3] for row in text.rows] == [("AIDS with edge labels", "WLT-GNN", "10")]
    with_labels, without = (table.cells["wlt", name].scores["last"].accuracies for name in reversed(table.datasets))
    assert text.rows[0][4].startswith(f"{(with_labels - without).mean():+.1f} [")
    assert edge_labels_text(tables(results(found.records[:10]))[0]) is None
    assert any(name == "any invariant model" for name, *_ in as_text(table, found.datasets).rows)


@pytest.mark.parametrize("hidden", [4, 16], ids=["width-of-no-grid", "width-of-the-grid"])
def test_a_complete_run_with_another_width_is_one_complete_table(hidden: int) -> None:
    plan = Plan("table1", ["wlt", "gin-sum", "gcn"], epochs=3, hidden=hidden)
    found = results([record(*job) for job in plan.jobs(["MUTAG"])])
    (table,) = tables(found)
    assert table.label == f"Protocol of Table 1 on other datasets with {hidden} hidden units, 3 epochs"
    assert {method for method, _ in table.cells} == {"wlt", "gin-sum", "gcn"}
    assert [cell.incomplete for cell in table.cells.values()] == ["", "", ""]
    assert any(note.startswith(f"Runs with {hidden} hidden") for note in as_text(table, {}).notes)


def test_an_unfinished_grid_is_no_run_with_another_width() -> None:
    jobs = Plan("table1", ["gcn"]).jobs(["NCI1"])
    for there in (10, 40, 155):  # in the order in which they are run
        (table,) = tables(results([record(*job) for job in jobs[:there]]))
        assert table.changes == ()
        assert table.cells["gcn", "NCI1"].incomplete == f"{there // 10} of 16 grid points"


def test_degrees_are_named_where_they_are_not_one_hot() -> None:
    (normalized,) = table1("REDDIT-BINARY", "wlt")
    specs = [normalized, *table1("COLLAB", "wlt"), replace(normalized, degrees="one-hot")]
    found = results([record(spec, fold) for spec in specs for fold in range(10)])
    paper, one_hot = tables(found)
    assert (paper.label, one_hot.label) == ("Table 1", "Table 1 with one-hot degrees")
    assert set(paper.whole) == {("wlt", "REDDIT-BINARY"), ("wlt", "COLLAB")}
    said = [[note for note in as_text(table, {}).notes if "one number" in note] for table in (paper, one_hot)]
    assert [note.partition(":")[0] for note in said[0]] == ["REDDIT-B"]
    assert said[1] == []


def test_changed_protocols_are_tables_of_their_own() -> None:
    (wlt,) = table1("NCI1", "wlt")
    specs = [
        wlt,
        replace(wlt, epochs=3),
        replace(wlt, epochs=3, hidden=64),
        replace(wlt, seed=5),
        *table2("NCI1", "wlt"),
    ]
    found = tables(results([record(spec, fold) for spec in specs for fold in range(2)]))
    assert [table.label for table in found] == [
        "Table 1",
        "Table 2",
        "Table 1 with 3 epochs",
        "Table 1 with 64 hidden units, 3 epochs",
        "Table 1 with seed 5",
    ]
    assert [len(table.datasets) for table in found] == [7, 3, 1, 1, 7]
    assert changes(replace(table1("NCI1", "gcn")[5], epochs=9)) == (("epochs", 9),)


def test_table2_is_the_best_of_the_runs() -> None:
    (spec,) = table2("NCI1", "wlt")
    records = [record(spec, run, 1000, 0.9 + run / 100) for run in range(5)]
    (table,) = tables(results(records))
    best = max(100 * max(r.curve.test_right) / 1000 for r in records)
    assert table.ours("wlt", "NCI1", "best-epoch") == (pytest.approx(best), None)
    text = as_text(table, results(records).datasets)
    assert text.rows[-1] == ("any invariant model", "audit", "", "99.90", "")
    assert ("WLT-GNN", "paper", "98.3", "99.5", "97.2") in text.rows


def test_recoloring_against_its_control() -> None:
    records = [*complete("NCI1", "wlt", level=0.8), *complete("NCI1", "gin-sum", 9, level=0.7)]
    (table,) = tables(results(records))  # type: ignore[arg-type]
    found = table.against_control("NCI1", "wlt", "last")
    assert found is not None
    assert found.folds == 9, "the folds that both have"
    assert found.low > 0
    assert found.mean == pytest.approx(10, abs=3)
    text = control_text(table)
    assert text is not None
    assert [row[:3] for row in text.rows] == [("NCI1", "WLT-GNN", "9")]
    assert "no difference is shown" in text.notes[0]
    assert text.notes[1].startswith("best-mean-epoch chooses each side's epoch on the test folds")
    assert control_text(tables(results(complete("NCI1", "wlt")))[0]) is None  # type: ignore[arg-type]


def test_datasets_and_cost() -> None:
    found = results(complete("PROTEINS", "wlt"))  # type: ignore[arg-type]
    text = datasets_text(found)
    assert text.rows[0][:7] == ("PROTEINS", "1000", "2", "20.00 (39.06)", "40.00 (72.82)", "50.0", "99.70")
    (row,) = cost_text(tables(found)[0]).rows
    assert row == ("WLT-GNN", "PROTEINS", "gggrgg, 32 hidden", "10 of 10", "12 s", "2 min")


def test_numbers_are_aligned_to_the_right() -> None:
    found = results(complete("PROTEINS", "wlt"))  # type: ignore[arg-type]
    (table,) = tables(found)
    for text, names in ((as_text(table, {}), 2), (cost_text(table), 3), (datasets_text(found), 1)):
        (rule,) = [line for line in markdown(text).splitlines() if line.startswith("| ---")]
        assert rule == "| " + " | ".join(["---"] * names + ["---:"] * (len(text.head) - names)) + " |"


def test_words_for_empty_cells() -> None:
    assert empty_cell("X", {}) == "not run"
    assert empty_cell("X", {"X": facts()}) == "not run"
    assert empty_cell("X", {"X": Facts()}) == "data not at hand"
    assert number((50.0, float("nan"))) == "50.0"


def test_markdown_of_a_hostile_name() -> None:
    spec = Spec("<img src=x onerror=alert(1)>|`a`\\|\n# [x](javascript:1)", "wlt", "WLT", "gggrgg")
    found: Results = results([record(spec, fold) for fold in range(3)])
    text = "\n".join(markdown(as_text(table, found.datasets)) for table in tables(found))
    assert "<img" not in text
    assert "\n# " not in text
    assert not re.search(r"(?<!\\)\]\(", text), "no link"
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows} == {4}, "no name adds a column"


def test_a_cell_is_complete_with_what_was_asked_for() -> None:
    """Two folds that were asked for are all of them, and said to be two; the paper's figures are no match for them."""
    (spec,) = table1("PROTEINS", "wlt")
    found = results([record(spec, fold) for fold in range(2)])
    (unasked,) = tables(found)
    assert [cell.remark for cell in unasked.cells.values()] == ["2 of 10 folds"]
    asked = {name: facts.asked_too({"table1 wlt": 2}) for name, facts in found.datasets.items()}
    (table,) = tables(found._replace(datasets=asked))
    assert table.whole == [("wlt", "PROTEINS")]
    assert [cell.remark for cell in table.cells.values()] == ["2 folds"]
    assert not any("incomplete" in line or "paper reports" in line for line in remarks(table))
    more = {name: facts.asked_too({"table1 wlt": 3, "table1 gin-sum": 1}) for name, facts in asked.items()}
    assert [cell.remark for cell in tables(found._replace(datasets=more))[0].cells.values()] == ["2 of 3 folds"]
    fewer = {name: facts.asked_too({"table1 wlt": 1}) for name, facts in more.items()}
    assert fewer == more, "who asks for fewer takes nothing back"
