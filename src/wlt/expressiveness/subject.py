"""Subject: what is examined. Anything that gives every graph a vector, seen in one way.

A function of graphs; a torch module with `forward(data)` and `reset_parameters()`, as PyPI's `brec` takes it; or
`make(seed)`, which returns either."""

from __future__ import annotations

import copy
import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wlt.expressiveness.inputs import TAKES, Takes, as_input, taken_by
from wlt.graphs import Graphs
from wlt.io.objects import comes_from

if TYPE_CHECKING:
    import torch

Vectors = NDArray[np.float64]  # [graphs, dims]

HOW_TO_SAY = (
    "annotate its first parameter: list[networkx.Graph], list[torch_geometric.data.Data], torch_geometric.data.Batch, "
    "list[wlt.Graph] or wlt.Graphs; or pass takes='networkx', 'pyg', 'batch', 'wlt' or 'graphs'"
)


LARGEST = 1e150
"""Its square is still finite."""


class ModelError(ValueError):
    """The model did something that cannot be judged. `result`, where it is set, holds what was decided before."""

    result: Any = None


@dataclass(eq=False)
class Subject:
    """A model, or a way to make one from a seed. A user's own module is copied: its weights stay as they are."""

    name: str
    takes: Takes
    make: Callable[[int], Any]  # a function or a torch module with the weights of this seed
    seeded: bool  # does another seed give other weights?
    is_module: bool
    identity: str  # equal for equal models: what a store of results is checked by
    device: str = "cpu"
    single: bool = False  # the module computes in float32 only
    notes: list[str] = field(default_factory=list)
    watched: int = 3  # calls in which to look whether the model changes its input

    def at(self, seed: int) -> Callable[[Graphs], Vectors]:
        """What gives graphs their vectors, with the weights of this seed; in float64 where a module can."""
        model = self.make(seed)
        return self.module_vectors(model.eval()) if self.is_module else self.function_vectors(model)

    def in_single(self, seed: int) -> Callable[[Graphs], Vectors]:
        """The same of a module, in float32. Torch's random numbers are those that they would have been without it."""
        import torch

        with torch.random.fork_rng(devices=[]):
            module = self.make(seed).eval()

        def vectors(graphs: Graphs) -> Vectors:
            with torch.random.fork_rng(devices=[]):
                return self.answers(module, graphs, torch.float32)

        return vectors

    def function_vectors(self, model: Callable[..., Any]) -> Callable[[Graphs], Vectors]:
        def vectors(graphs: Graphs) -> Vectors:
            answered, single = checked(self.watch(model, as_input(graphs, self.takes)), len(graphs), self.name)
            return self.precise(answered, single)

        return vectors

    def module_vectors(self, module: torch.nn.Module) -> Callable[[Graphs], Vectors]:
        """The module's answers. Float64 shows differences that drown in the rounding of float32; a module that makes
        float32 of its own cannot do with it, which the first call shows."""
        import torch

        def vectors(graphs: Graphs) -> Vectors:
            if not self.single:
                try:
                    return self.answers(module, graphs, torch.float64)
                except (RuntimeError, TypeError) as error:
                    if not any(word in str(error) for word in ("dtype", "Double", "double", "Float", "float")):
                        raise
                    self._only_single()
            return self.answers(module, graphs, torch.float32)

        return vectors

    def answers(self, module: torch.nn.Module, graphs: Graphs, dtype: torch.dtype) -> Vectors:
        import torch

        with torch.no_grad():
            answer = self.watch(module.to(dtype), module_input(graphs, self.takes, dtype, self.device))
        vectors, single = checked(answer, len(graphs), self.name)
        return self.precise(vectors, single) if dtype == torch.float64 else vectors

    def precise(self, vectors: Vectors, single: bool) -> Vectors:
        """The vectors; a note if they are rounded to float32."""
        if single and (vectors != np.round(vectors)).any():
            self._only_single()
        return vectors

    def _only_single(self) -> None:
        if not self.single:
            self.single = True
            self.notes.append("the model computes in float32 only, so small differences may be lost in it")

    def watch(self, model: Callable[..., Any], given: Any) -> Any:
        """The model's answer, and a note if it has changed what it was given. wlt's own graphs cannot be changed."""
        if not self.watched or self.takes in ("graphs", "wlt"):
            return model(given)
        self.watched -= 1
        before = copy.deepcopy(given)
        answer = model(given)
        if not _same(before, given):
            self.watched = 0
            self.notes.append("the model changes the graphs that it is given; every call gets new ones")
        return answer


def module_input(graphs: Graphs, takes: Takes, dtype: torch.dtype, device: str) -> Any:
    given = as_input(graphs, takes)
    if takes == "batch":
        return given.apply(lambda part: part.to(dtype) if part.is_floating_point() else part).to(device)
    return [data.to(device) for data in given] if takes == "pyg" else given


def checked(answer: Any, graphs: int, name: str) -> tuple[Vectors, bool]:
    """The answer as [graphs, dims] in float64, and whether it is of float32; ModelError says what is wrong with it."""
    vectors, what, dtype = None, type(answer).__name__, ""
    try:
        given = _as_array(answer)
        dtype = str(given.dtype)
        what = {"c": "complex numbers", "U": "text", "S": "text"}.get(given.dtype.kind, what)
        if answer is not None and given.dtype.kind in "biufO":
            vectors = given.astype(np.float64)
    except (TypeError, ValueError):
        pass
    if dtype == "float16":
        raise ModelError(f"{name} returned 16-bit numbers, too coarse to compare; float32 or float64 is needed")
    if vectors is None:
        raise ModelError(f"{name} returned {what}; an array [graphs, dims] of real numbers is needed")
    if vectors.ndim != 2 or len(vectors) != graphs or not vectors.shape[1]:
        shape = list(vectors.shape)
        raise ModelError(f"{name} returned shape {shape} for {graphs} graphs; [{graphs}, dims] is needed")
    if not np.isfinite(vectors).all():
        which = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        what = "NaN" if np.isnan(vectors[which]).any() else "infinity"
        raise ModelError(f"{name} returned {what} for graph {which} of {graphs}")
    if np.abs(vectors).max() > LARGEST:
        raise ModelError(
            f"{name} returned {np.abs(vectors).max():.3g}; distances can be computed without overflow up to "
            f"{LARGEST:.0e}"
        )
    return vectors, dtype == "float32"


def _as_array(answer: Any) -> NDArray[Any]:
    """In the precision that it has. Tensors, and lists of them, may have a gradient and be on any device."""
    if isinstance(answer, (list, tuple)):
        answer = [_as_array(row) if comes_from(row, "torch", "Tensor") else row for row in answer]
    elif comes_from(answer, "torch", "Tensor"):
        answer = answer.detach().cpu()
        answer = (answer.half() if str(answer.dtype) == "torch.bfloat16" else answer).numpy()  # numpy has no bfloat16
    return np.asarray(answer)


def as_subject(model: Any, takes: str | None = None, name: str | None = None, device: str = "cpu") -> Subject:
    """What a user handed over: a function, a torch module, or `make(seed)`."""
    if takes is not None and takes not in TAKES:
        raise ValueError(f"takes={takes!r}: there are {', '.join(TAKES)}")
    called = name or getattr(model, "__name__", None) or type(model).__name__
    if inspect.isclass(model) and not _takes_seed(model):
        try:
            inspect.signature(model).bind()
        except TypeError as error:
            raise TypeError(f"{called} needs arguments ({error}): hand over an object, {called}(...)") from None
        model = model()
    if comes_from(model, "torch.nn", "Module"):
        return _module_subject(model, takes, called, device)
    if not callable(model):
        raise TypeError(
            f"{called} is no model: a function of graphs, a torch module with forward(data), or make(seed) is needed"
        )
    if not _takes_seed(model):
        kind = takes or taken_by(model)
        if kind is None:
            raise ValueError(f"which graphs does {called} take? {HOW_TO_SAY}")
        return Subject(called, kind, lambda seed: model, False, False, _identity(model))  # type: ignore[arg-type]
    made = _made(model, 0)
    if comes_from(made, "torch.nn", "Module"):
        subject = _module_subject(made, takes, called, device)
        subject.make = lambda seed: _made(model, seed).to(device)
    else:
        kind = takes or taken_by(made)
        if kind is None:
            raise ValueError(f"which graphs does the function that {called}(seed) returns take? {HOW_TO_SAY}")
        subject = Subject(called, kind, model, True, False, "")  # type: ignore[arg-type]
    subject.seeded = True
    subject.identity = _identity(model) + _identity(made)
    return subject


def _module_subject(module: torch.nn.Module, takes: str | None, name: str, device: str) -> Subject:
    import torch

    _there(device)
    _takes_one_argument(module, name)
    module = copy.deepcopy(module)
    kind = takes or taken_by(module.forward) or "batch"
    parts = [part for part in module.modules() if callable(getattr(part, "reset_parameters", None))]
    seeded = bool(parts)
    own = callable(getattr(module, "reset_parameters", None))
    first = copy.deepcopy(module.state_dict())

    def make(seed: int) -> torch.nn.Module:
        module.to(device, torch.float32)  # before: in float64 the same seed would draw other weights
        module.load_state_dict(first)  # what is not drawn anew was trained on another pair
        torch.manual_seed(seed)
        for part in [module] if own else parts:
            part.reset_parameters()  # type: ignore[operator]
        return module

    return Subject(name, kind, make, seeded, True, _identity(module), device)  # type: ignore[arg-type]


def _takes_one_argument(module: torch.nn.Module, name: str) -> None:
    """TypeError if forward(data) cannot be called, because it takes x, edge_index and batch: before any pair."""
    try:
        inspect.signature(module.forward).bind(None)
    except TypeError as error:
        raise TypeError(
            f"{name}.forward is called with the graphs alone ({error}); wrap it in a module whose forward(data) hands "
            "it data.x, data.edge_index and data.batch"
        ) from None
    except ValueError:  # compiled code has no signature
        pass


def _there(device: str) -> None:
    """ValueError if torch does not know the device or cannot put anything on it: before any pair is begun."""
    import torch

    try:
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:  # AssertionError: torch was built without CUDA
        why = str(error).partition("\n")[0].rstrip(".")
        raise ValueError(f"device={device!r} cannot be used here ({why}); device='cpu' always can") from None


def _made(make: Callable[[int], Any], seed: int) -> Any:
    """make(seed), with torch's own generator at that seed too."""
    import sys

    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)
    made = make(seed)
    if not callable(made):
        raise TypeError(
            f"make({seed}) returned {type(made).__name__}; a function of graphs or a torch module is needed"
        )
    return made


def _takes_seed(model: Any) -> bool:
    """Is the first parameter called `seed` or, of a function, a whole number without a default?"""
    if comes_from(model, "torch.nn", "Module"):
        return False
    try:
        parameters = list(inspect.signature(model).parameters.values())
    except (TypeError, ValueError):
        return False
    if not parameters:
        return False
    first = parameters[0]
    number = first.annotation in (int, "int") and first.default is first.empty
    return first.name == "seed" or (number and not inspect.isclass(model))  # of a class it may be a width


def _identity(model: Any) -> str:
    """Of the model's text, that of the classes it inherits from and, for a module, its layers."""
    of = model if inspect.isroutine(model) or inspect.isclass(model) else type(model)
    source = "".join(map(_source, of.__mro__ if inspect.isclass(of) else [of]))
    layers = repr(model) if comes_from(model, "torch.nn", "Module") else ""
    return hashlib.sha256((source + layers).encode()).hexdigest()[:16]


def _source(of: Any) -> str:
    if str(getattr(of, "__module__", "")).partition(".")[0] in ("builtins", "torch", "torch_geometric"):
        return ""
    try:
        return inspect.getsource(of)
    except (OSError, TypeError):
        return repr(of)


def _same(before: Any, after: Any) -> bool:
    """Are graphs, as networkx or PyG have them, what they were?"""
    if isinstance(before, list):
        return len(before) == len(after) and all(map(_same, before, after))
    if comes_from(before, "networkx", "Graph"):
        import networkx

        return bool(networkx.utils.graphs_equal(before, after))
    fields = before.to_dict()
    return fields.keys() == after.to_dict().keys() and all(_equal(value, after[key]) for key, value in fields.items())


def _equal(one: Any, other: Any) -> bool:
    import torch

    return torch.equal(one, other) if isinstance(one, torch.Tensor) else bool(one == other)
