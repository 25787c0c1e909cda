"""Everything that depends on the device on which a model's weights are.

Colours, classes and the choice of nodes are integers: numpy and numba compute them on the CPU, wherever the weights
are. Rows of messages are on the weights' device. So arrays of integers go there (`indices`, `numbers`), what must be
compared comes here (`to_cpu`, `plain`), and random numbers are drawn where the generator is (`seeds`). The training
loop knows no device, but for the truth, which `train.target` compares with outputs where these are.

On the CPU the layers are numba kernels (`fused`); on every other device they are operations of torch alone, with the
same results. `by_kernels` is the only question about that. `torch_alone` takes the way of the other devices on the CPU,
so that it can be tested and measured without a GPU. torch.compile can follow neither; see `uncompiled`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor

from wlt.wording import level_of_caller

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_torch_alone = ContextVar("torch_alone", default=False)


def by_kernels(tensor: Tensor) -> bool:
    """Do numba's kernels compute what is made of this tensor? They read the memory of the CPU only."""
    return tensor.device.type == "cpu" and not _torch_alone.get()


@contextmanager
def torch_alone() -> Iterator[None]:
    """Layers that run in this block run as on a GPU, wherever they are: no fused kernels."""
    token = _torch_alone.set(True)
    try:
        yield
    finally:
        _torch_alone.reset(token)


def indices(array: NDArray[Any], like: Tensor) -> Tensor:
    """Whole numbers on the device of another tensor."""
    return torch.from_numpy(array).long().to(like.device)


def numbers(array: NDArray[Any], like: Tensor) -> Tensor:
    """Numbers on the device, and in the precision, of another tensor."""
    return torch.from_numpy(array).to(like)


def exact_numbers(array: NDArray[Any], like: Tensor) -> Tensor:
    """Numbers on the device of another tensor, in their own precision."""
    return torch.from_numpy(array).to(like.device)


def to_cpu(tensor: Tensor) -> NDArray[np.floating[Any]]:
    """The numbers as kernels read them: float32 or float64, without a gradient."""
    ready = tensor.dtype in (torch.float32, torch.float64)
    array: NDArray[np.floating[Any]] = tensor.detach().to("cpu", tensor.dtype if ready else torch.float64).numpy()
    return array


def plain(tensor: Tensor) -> NDArray[Any]:
    """A tensor of any device as an array of its own type."""
    array: NDArray[Any] = tensor.detach().cpu().numpy()
    return array


def seeds(count: int, generator: Generator | None) -> NDArray[np.int64]:
    """So many random numbers for kernels, drawn on the device of the generator."""
    drawn = torch.randint(2**62, (count,), generator=generator, device=_device(generator))
    array: NDArray[np.int64] = drawn.cpu().numpy()
    return array


def permutation(count: int, generator: Generator | None) -> NDArray[np.int64]:
    """The numbers below `count` in random order, drawn on the device of the generator."""
    array: NDArray[np.int64] = torch.randperm(count, generator=generator, device=_device(generator)).cpu().numpy()
    return array


def uniform_like(tensor: Tensor, generator: Generator | None) -> Tensor:
    """Random numbers in [0, 1), as many as another tensor has and on its device, drawn on that of the generator."""
    device = tensor.device if generator is None else generator.device
    return torch.rand(tensor.shape, generator=generator, dtype=tensor.dtype, device=device).to(tensor.device)


def _device(generator: Generator | None) -> torch.device:
    return torch.device("cpu") if generator is None else generator.device


def uncompiled(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """torch.compile leaves the function as it is, with a warning, and goes on behind it."""
    reason = "wlt's layers are kernels compiled by numba, which torch.compile cannot follow"
    as_it_is = torch.compiler.disable(function, reason=reason)  # type: ignore[no-untyped-call]

    @torch.compiler.disable  # type: ignore[untyped-decorator]
    def tell() -> None:
        warnings.warn(f"{reason}; they run as they are, the rest is compiled", stacklevel=level_of_caller())

    @wraps(function)
    def call(*arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
        if torch.compiler.is_compiling():
            tell()
        return as_it_is(*arguments, **options)  # type: ignore[no-any-return]

    return call
