"""A job: the protocol's splits, and curves that depend on spec, fold and data alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold
from small import FULLERENES, jobs, specs, trees

from wlt.nn import Batch, Collection
from wlt.reproduce.job import Job, normalized_degrees, run_job, split_of
from wlt.reproduce.spec import DEGREES, Spec
from wlt.structure import Structure
from wlt.train import fit
from wlt.train.folds import cross_validation, whole_set
from wlt.train.target import Task


@given(
    st.integers(3, 12),
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(12, 30), min_size=2, max_size=4),
    st.integers(0, 10**6),
)
def test_folds_are_those_of_scikit_learn(folds: int, seed: int, classes: list[int], shuffle: int) -> None:
    labels = np.random.default_rng(shuffle).permutation(np.repeat(np.arange(len(classes)), classes))
    theirs = StratifiedKFold(folds, shuffle=True, random_state=seed).split(labels, labels)
    splits = cross_validation(labels, folds, seed)
    for split, (_, test) in zip(splits, theirs, strict=True):
        assert np.array_equal(split.test, test)
    tests = np.concatenate([split.test for split in splits])
    assert np.array_equal(np.sort(tests), np.arange(len(labels))), "each graph is in exactly one test fold"
    fold_of = np.empty(len(labels), np.int64)
    for number, split in enumerate(splits):
        fold_of[split.test] = number
    for number, split in enumerate(splits):
        together = np.concatenate(split)
        assert np.array_equal(np.sort(together), np.arange(len(labels))), "no graph in two parts, none left out"
        (validation,) = set(fold_of[split.validation])
        assert validation != number
        assert set(fold_of[split.train]) == set(range(folds)) - {number, validation}


def test_validation_folds_are_drawn_not_fixed() -> None:
    labels = np.arange(100) % 2
    drawn = [
        next(i for i, other in enumerate(splits) if np.array_equal(other.test, split.validation)) - test
        for seed in range(5)
        for splits in [cross_validation(labels, 10, seed)]
        for test, split in enumerate(splits)
    ]
    assert len({offset % 10 for offset in drawn}) > 5


def test_table2_trains_and_evaluates_on_everything() -> None:
    split = whole_set(FULLERENES.class_numbers)
    assert np.array_equal(split.train, np.arange(len(FULLERENES)))
    assert np.array_equal(split.test, split.train)
    assert len(split.validation) == 0


@pytest.mark.parametrize("job", jobs(folds=1, epochs=3), ids=lambda job: job.spec.method)
def test_same_curve_every_time_whatever_the_number_of_threads(job: Job) -> None:
    first = run_job(*job, FULLERENES)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    torch.manual_seed(99)  # no global state is used
    np.random.seed(99)  # noqa: NPY002
    assert run_job(*job, FULLERENES) == first
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)
    assert run_job(job.spec, 1, FULLERENES) != first
    assert run_job(replace(job.spec, seed=1), 0, FULLERENES) != first


@pytest.mark.parametrize("degrees", DEGREES)
def test_curve_is_what_the_loop_gives(degrees: str) -> None:
    """Replayed with the public pieces: weights and training from one generator, evaluation from another."""
    dataset = trees(labels=False)
    spec = replace(specs(epochs=3)[0], degrees=degrees)
    split = split_of(spec, 2, dataset)
    seeds = np.random.SeedSequence([spec.seed, 2]).generate_state(2, np.uint64)
    training, evaluation = (torch.Generator().manual_seed(int(seed)) for seed in seeds)
    model = spec.build(dataset, training)
    features = normalized_degrees(dataset) if degrees == "normalized" else None
    source = Collection(dataset.union, dataset.codes, 0, features)
    task = Task.classify(dataset.class_numbers)
    curve = run_job(spec, 2, dataset)
    assert curve.sizes == tuple(map(len, split))
    assert curve.test_loss == ()
    for epoch, score in enumerate(fit.train(model, source, task, split.train, spec.schedule, training)):
        validation = fit.evaluate(model, source, task, split.validation, 128, evaluation)
        test = fit.evaluate(model, source, task, split.test, 128, evaluation)
        assert curve.loss("train")[epoch] == pytest.approx(score.loss, abs=6e-6)
        assert curve.accuracy("train")[epoch] == pytest.approx(score.value)
        assert curve.loss("validation")[epoch] == pytest.approx(validation.loss, abs=6e-6)
        assert curve.accuracy("validation")[epoch] == pytest.approx(validation.value)
        assert curve.accuracy("test")[epoch] == pytest.approx(test.value)


def test_curve_of_the_whole_set() -> None:
    spec = replace(specs(epochs=2)[0], folds=0)
    curve = run_job(spec, 0, FULLERENES)
    size = len(FULLERENES)
    assert curve.sizes == (size, 0, size)
    assert curve.validation_loss == curve.validation_right == ()
    assert len(curve.test_loss) == len(curve.test_right) == 2
    assert run_job(spec, 1, FULLERENES) != curve, "runs differ"


@pytest.mark.parametrize("kind", ["GCN", "SAGE", "GIN-0", "GIN-eps", "WLT"])
@pytest.mark.parametrize("dataset", [trees(), FULLERENES], ids=["labels", "degrees"])
def test_rounds_computed_beforehand_change_nothing(kind: str, dataset: object) -> None:
    """Against node-level computation. GCN needs more than WL rounds of the labels: its weights know degrees."""
    from wlt.graphs import Graphs

    assert isinstance(dataset, Graphs)
    spec = Spec(dataset.name, "any", kind, "ggg", hidden=5)
    model = spec.build(dataset, torch.Generator().manual_seed(0)).double().eval()
    which = np.arange(len(dataset))[::2]
    batch = Collection(dataset.union, dataset.codes, Structure(spec.structure).known_rounds).batch(which)
    nodes = Batch.from_graphs(dataset.union.take(which), dataset.codes[dataset.union.nodes_of(which)], compress=False)
    assert torch.allclose(model(batch), model(nodes), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ["GCN", "SAGE", "GIN-0", "GIN-eps", "WLT"])
def test_normalized_degrees_are_one_number_per_node(kind: str) -> None:
    """Against PyG's formula on the nodes themselves."""
    dataset = trees(labels=False)
    spec = Spec(dataset.name, "any", kind, "ggg", hidden=5, degrees="normalized")
    model = spec.build(dataset, torch.Generator().manual_seed(0)).double().eval()
    degrees = torch.tensor(dataset.union.degrees).float()
    x = ((degrees - degrees.mean()) / degrees.std()).view(-1, 1)
    source = Collection(dataset.union, dataset.codes, 3, normalized_degrees(dataset))
    nodes = Batch.from_graphs(dataset.union, features=x, compress=False)
    assert torch.allclose(model(source.batch(np.arange(len(dataset)))), model(nodes), rtol=1e-5)


def test_normalized_degrees_of_regular_graphs_and_of_labelled_ones() -> None:
    assert normalized_degrees(FULLERENES).tolist() == [[0.0]], "all have degree 3: no spread to divide by"
    with pytest.raises(ValueError, match="the nodes are coloured by labels, not by degrees"):
        normalized_degrees(trees())


def test_too_rare_class() -> None:
    rare = FULLERENES.take(
        np.concatenate([np.flatnonzero(FULLERENES.class_numbers == 0), np.flatnonzero(FULLERENES.class_numbers)[:4]])
    )
    with pytest.raises(ValueError, match="class 1 has 4 graphs, too few for 10 folds"):
        run_job(specs()[0], 0, rare)
