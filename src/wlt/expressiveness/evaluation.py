"""`evaluate`: how much does a model see? Any model, wlt's own and k-WL among them, on any benchmark."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np

from wlt.compare.pair import not_looked_at
from wlt.expressiveness.benchmarks import BENCHMARKS, Benchmark, load
from wlt.expressiveness.colors import separate_colors
from wlt.expressiveness.inputs import left_out
from wlt.expressiveness.journal import Journal
from wlt.expressiveness.kwl import TESTS, examine_by_kwl
from wlt.expressiveness.procedure import Procedure
from wlt.expressiveness.result import Outcome, Part, Separation
from wlt.expressiveness.subject import ModelError, Subject, as_subject
from wlt.expressiveness.untrained import examine
from wlt.extras import need
from wlt.graphs import Graphs
from wlt.progress import Advance, progress_bar
from wlt.recolor import Recolor
from wlt.structure import Structure
from wlt.wording import duration

Mode = Literal["colors", "untrained", "trained"]
MODES = ("colors", "untrained", "trained")
CLASSIFIED = ("csl", "exp")
"""Benchmarks with labels: in mode trained, a classifier is trained on them."""

FALSE_ALARM = 0.05
"""Of any pair of a benchmark that statistics decide about."""

PAPER = Structure("gggrgg")
DEEP = Structure("g4(rg4)6")
"""Every canonical recoloring tells more graphs apart; after six of them, all pairs of BREC."""
SMALL = Structure("g3(rg3)2")
"""For graph8c: enough for graphs on 8 nodes, and in a batch of 11117 graphs rounding errors grow with every layer."""
SHALLOW = Structure("g4rg4")
"""For the classifiers of CSL and EXP: one canonical recoloring tells all of these graphs apart."""

OWN_PROCEDURE = Procedure(learning_rate=1e-3)
"""WLT-GNN is trained ten times as fast as BREC's default."""


def default_structure(benchmark: str, mode: str, recolor: Recolor | None) -> Structure | None:
    """The structure of one of our own models; None, in mode colors, is unlimited depth.

    Replicas and random draws multiply with every r, so only canonical recoloring has more than one."""
    if mode == "colors":
        return None
    if mode == "trained" and benchmark in CLASSIFIED:
        return SHALLOW
    if recolor != Recolor("canonical"):
        return PAPER
    return SMALL if benchmark == "graph8c" else DEEP


def evaluate(
    model: Any,
    benchmark: str | Benchmark | Iterable[Sequence[Any]] = "ladder",
    *,
    mode: Mode | None = None,
    structure: str | None = None,
    takes: str | None = None,
    name: str | None = None,
    seed: int = 0,
    device: str = "cpu",
    data: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    time_limit: float | None = None,
    procedure: Procedure | None = None,
    compare: Sequence[Separation] = (),
    progress: Literal["always", "on terminal", "never"] = "on terminal",
) -> Separation:
    """How many pairs of a benchmark does a model tell apart, and does it tell any graph from its own copy?

    model: a function from graphs to an array [graphs, dims], whose annotation says which graphs it takes (see
    `takes`); a torch module with `forward(data)` on a batch of PyG and `reset_parameters()`, as PyPI's `brec` takes it;
    `make(seed)`, which returns either; or a name: "1-WL", "2-FWL", "3-FWL", or a policy of recoloring such as
    "canonical", with "none" for GIN.
    benchmark: a name (ladder, csl, exp, sr25, graph8c, brec), pairs of graphs of any kind, or a `Benchmark`, which
    `Benchmark.of_pairs(pairs, node_labels=..., edge_labels=...)` makes of pairs that carry something.
    mode: "untrained" compares vectors of graphs with those of relabelled copies, with as many seeds as that needs;
    "trained" follows BREC's procedure, and for csl and exp cross-validates a classifier; "colors", the default for
    names, is exact, by integer colours.
    structure: the layers of a policy. takes: "networkx", "pyg", "batch", "wlt" or "graphs", instead of an annotation.
    seed: of weights, relabellings and training. device: of torch modules, such as "cuda".
    store: a file to which every outcome is added; an evaluation that was stopped goes on from it.
    time_limit: seconds after which no new pair is begun. procedure: settings of BREC's procedure.
    compare: results of other models, to stand in the same table, figure and page.

    A model that raises, or returns something else than vectors, ends in a `ModelError` whose message names the pair and
    whose `result` holds what was decided before.

    >>> evaluate("2-FWL", [("Ehu?", "EhEG")]).total.separated
    1
    """
    if mode is not None and mode not in MODES:
        raise ValueError(f"unknown mode {mode!r}; there are {', '.join(MODES)}")
    if mode == "trained" and benchmark in ("sr25", "graph8c"):
        raise ValueError(f"mode trained compares pairs or classifies; {benchmark} has neither pairs nor labels")
    bench = benchmark if isinstance(benchmark, Benchmark) else _benchmark(benchmark, data)
    if isinstance(model, str):
        run = _own(model, bench, mode or "colors", structure, seed, procedure, data)
    elif mode == "colors":
        raise ValueError("mode colors is for policies and k-WL; a model is examined untrained or trained")
    elif structure is not None:
        raise ValueError("a structure belongs to one of wlt's own models, which are named by their policy")
    else:
        run = _foreign(as_subject(model, takes, name, device), bench, mode or "untrained", seed, procedure, data)
    if name is not None:
        run.model = name
    if bench.graphs.union.ignored:
        run.notes.append(f"the graphs are seen{not_looked_at(bench.graphs.union.ignored)[1:]}")
    return run.go(bench, seed, store, time_limit, progress).beside(compare)


def _benchmark(benchmark: str | Iterable[Sequence[Any]], data: str | os.PathLike[str] | None) -> Benchmark:
    if not isinstance(benchmark, str):
        return Benchmark.of_pairs(benchmark)
    if benchmark not in BENCHMARKS:
        raise ValueError(f"unknown benchmark {benchmark!r}; there are {', '.join(BENCHMARKS)}")
    return load(benchmark, data)


class Run:
    """One evaluation: what decides about a group of graphs, or about all of them at once."""

    def __init__(self, model: str, mode: str, structure: str = "", identity: str = ""):
        self.model, self.mode, self.structure, self.identity = model, mode, structure, identity
        self.decide: Callable[[Graphs, int], Outcome] | None = None  # (graphs of a group, its number)
        self.decide_all: Callable[[Advance], tuple[list[Outcome], dict[str, Any]]] | None = None
        self.steps = 1  # that it advances by
        self.notes: list[str] = []

    def go(
        self,
        bench: Benchmark,
        seed: int,
        store: str | os.PathLike[str] | None,
        time_limit: float | None,
        progress: Literal["always", "on terminal", "never"],
    ) -> Separation:
        start, cpu = time.perf_counter(), time.process_time()
        what = {
            "model": self.model,
            "identity": self.identity,
            "benchmark": bench.name,
            "graphs": [len(bench.graphs), bench.graphs.union.num_nodes, bench.graphs.union.num_edges],
            "mode": self.mode,
            "structure": self.structure,
            "seed": seed,
        }
        journal = Journal(None if store is None else Path(store), what)
        details: dict[str, Any] = {"seed": seed}
        if self.decide_all is not None:
            if journal.details is None:
                with progress_bar(f"{self.model} on {bench.name}", self.steps, progress) as advance:
                    journal.add_all(*self.decide_all(advance), time.perf_counter() - start)
            details |= journal.details or {}
        else:
            with kept_generator():
                self._each(bench, journal, start, cpu, time_limit, progress, details)
        return self._result(bench, journal, cpu, details)

    def _each(
        self,
        bench: Benchmark,
        journal: Journal,
        start: float,
        cpu: float,
        time_limit: float | None,
        progress: Literal["always", "on terminal", "never"],
        details: dict[str, Any],
    ) -> None:
        assert self.decide is not None
        with progress_bar(f"{self.model} on {bench.name}", len(bench.groups), progress) as advance:
            advance(len(journal.outcomes), "")
            for number in range(len(journal.outcomes), len(bench.groups)):
                if time_limit is not None and time.perf_counter() - start > time_limit:
                    self.notes.append(
                        f"stopped by the time limit of {duration(time_limit)} before {bench.place(number)}"
                        + ("" if journal.path is None else f"; the same call goes on from {journal.path}")
                    )
                    return
                begun = time.perf_counter()
                try:
                    outcome = self.decide(bench.graphs.take(bench.groups[number]), number)
                except Exception as error:
                    failed = ModelError(f"{self.model} failed on {bench.place(number)}: {_why(error)}{journal.kept}")
                    failed.result = self._result(bench, journal, cpu, details)
                    raise failed from error
                journal.add(outcome._replace(part=bench.parts[number]), time.perf_counter() - begun)
                counted = sum(each.counted.separated for each in journal.outcomes)
                advance(1, f"{counted} separated")

    def _result(self, bench: Benchmark, journal: Journal, cpu: float, details: dict[str, Any]) -> Separation:
        return Separation(
            bench.name,
            self.mode,
            self.model,
            self.structure,
            tuple(journal.outcomes),
            len(bench.groups),
            journal.seconds,
            tuple(self.notes),
            {**details, "cpu_seconds": time.process_time() - cpu},
            source=bench,
        )


def _own(
    name: str,
    bench: Benchmark,
    mode: str,
    structure: str | None,
    seed: int,
    procedure: Procedure | None,
    data: str | os.PathLike[str] | None,
) -> Run:
    """A test, or a policy of recoloring."""
    if name in TESTS:
        if mode != "colors" or structure is not None:
            raise ValueError(f"{name} is a test: it has no weights and no structure; leave mode and structure out")
        run = Run(name, mode)
        run.decide = lambda graphs, number: examine_by_kwl(graphs, TESTS[name], seed)
        return run
    recolor = _recolor_of(name)
    layers = default_structure(bench.name, mode, recolor) if structure is None else Structure(structure)
    if mode == "colors" or layers is None:
        run = Run(name, mode, "unlimited depth" if layers is None else str(layers))
        run.decide_all = lambda advance: separate_colors(bench, recolor, layers, seed)
        return run
    need("torch", f"mode {mode}")
    from wlt.expressiveness.own import wlt_gnn

    if mode == "trained" and bench.name in CLASSIFIED:
        from wlt.expressiveness.cross_validated import FOLDS, cross_validate_policy

        run = Run(name, mode, str(layers))
        run.steps = FOLDS
        run.decide_all = lambda advance: cross_validate_policy(bench.name, recolor, layers, data, seed, advance=advance)
        return run
    subject = wlt_gnn(bench.graphs, layers, recolor, name)
    if mode == "trained" and procedure is None:
        procedure = OWN_PROCEDURE
    run = _of_subject(subject, bench, mode, seed, procedure)
    run.structure = str(layers)
    return run


def _foreign(
    subject: Subject,
    bench: Benchmark,
    mode: str,
    seed: int,
    procedure: Procedure | None,
    data: str | os.PathLike[str] | None,
) -> Run:
    """A user's model."""
    if mode == "trained":
        if not subject.is_module:
            raise ValueError(f"{subject.name} is a function, which cannot be trained; mode untrained examines it")
        if bench.name in CLASSIFIED:
            from wlt.expressiveness.cross_validated import FOLDS, cross_validate_module

            run = Run(subject.name, mode, identity=subject.identity)
            run.steps = FOLDS

            def classify(advance: Advance) -> tuple[list[Outcome], dict[str, Any]]:
                try:
                    return cross_validate_module(bench.name, subject, data, seed, advance=advance)
                except Exception as error:
                    raise ModelError(f"{subject.name} failed on {bench.name}: {_why(error)}") from error

            run.decide_all = classify
            return run
    run = _of_subject(subject, bench, mode, seed, procedure)
    missing = left_out(bench.graphs, subject.takes)
    if missing:
        run.notes.append(missing)
    return run


def _of_subject(subject: Subject, bench: Benchmark, mode: str, seed: int, procedure: Procedure | None) -> Run:
    run = Run(subject.name, mode, identity=subject.identity)
    run.notes = subject.notes
    level = FALSE_ALARM / (2 * len(bench.groups))
    if mode == "untrained":
        run.decide = lambda graphs, number: examine(subject, graphs, seed, level)
        if subject.is_module:
            from wlt.train.threads import torch_threads

            run.decide = torch_threads(1)(run.decide)
        return run
    from wlt.expressiveness.brec import compare_trained
    from wlt.train.threads import torch_threads

    how = procedure or Procedure()
    run.identity += repr(tuple(how))
    largest = max(map(len, bench.groups))
    if largest > 2:
        raise ValueError(f"mode trained compares pairs, but {bench.name} has a group of {largest} graphs")

    @torch_threads(1)
    def decide(graphs: Graphs, number: int) -> Outcome:
        module = subject.make(1000 * seed + number)
        verdict = compare_trained(subject, module, graphs, np.random.default_rng([seed, number]), level, how)
        published = (int(verdict.published_separated), int(verdict.published_control))
        return Outcome("", Part(1, int(verdict.separated), 1, int(verdict.control)), "Hotelling", 1, published)

    run.decide = decide
    return run


def _why(error: Exception) -> str:
    """On one line."""
    said = (str(error).strip() or "no reason given").splitlines()[0]
    return said if isinstance(error, ModelError) else f"{type(error).__name__}: {said}"


def _recolor_of(policy: str) -> Recolor | None:
    try:
        return None if policy == "none" else Recolor(policy)
    except ValueError:
        tests = ", ".join(TESTS)
        policies = "none, one, half, draws:K, all, nodes, canonical, numbers and shares of nodes such as 3 and 0.25"
        known = f"{policies}, and {tests}"
        raise ValueError(f"unknown policy {policy!r}; there are {known}") from None


@contextmanager
def kept_generator() -> Iterator[None]:
    """The state of torch's own generator, which models draw their weights from, is as before afterwards."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    with torch.random.fork_rng(devices=[]):
        yield
