"""How much work a piece of code does, counted and not timed: the same on every machine and in every run.

``array_work`` counts what NumPy is asked to do, ``python_steps`` what Python itself does. Neither sees into
the other: NumPy's loops are no Python steps, and lists, sets and slices of tuples are no arrays.
"""

from __future__ import annotations

import dataclasses
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, log2, prod
from types import FrameType
from typing import Any
from unittest import mock

import numpy as np

SORTS = {"sort", "argsort", "lexsort", "unique", "partition", "argpartition"}
METHODS = (
    *("argmax", "argsort", "astype", "copy", "cumsum", "dot", "flatten", "nonzero", "ravel", "repeat"),
    *("reshape", "searchsorted", "sort", "take"),
)
MAKERS = ("arange", "array", "asarray", "ascontiguousarray", "empty", "fromiter", "full", "ones", "zeros")


@dataclass
class ArrayWork:
    """``elements``: numbers read for, or written to, an array; ``products``: multiply-adds of matrices."""

    elements: int = 0
    products: int = 0


_work = ArrayWork()


class CountedArray(np.ndarray):  # type: ignore[type-arg]
    """An array that notes what is done with it and with all that is made of it. Views cost nothing."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        given = options.get("out")
        plain = [_plain(value) for value in inputs]
        found = getattr(ufunc, method)(*plain, **{name: _plain(value) for name, value in options.items()})
        sizes = [value.size for value in plain if isinstance(value, np.ndarray)]
        if ufunc is np.matmul:
            _work.products += np.size(found) * plain[0].shape[-1]
        elif method == "outer":
            _work.elements += prod(sizes)
        elif method == "at":  # what is added, not what it is added to
            _work.elements += max(np.size(value) for value in plain[1:])
        else:
            _work.elements += max([*sizes, *(part.size for part in _arrays(found))])
        return given[0] if given and len(given) == 1 else _counted(found)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        plain, options = _plain(args), _plain(kwargs)
        found = func(*plain, **options)
        _note(func.__name__, _arrays((plain, options)), _arrays(found), plain)
        return _counted(found)

    def __getitem__(self, key: Any) -> Any:
        plain = self.view(np.ndarray)
        found = plain[_plain(key)]
        if not isinstance(found, np.ndarray) or not np.may_share_memory(found, plain):
            _work.elements += np.size(found)
        return _counted(found)

    def __setitem__(self, key: Any, value: Any) -> None:
        plain, key = self.view(np.ndarray), _plain(key)
        _work.elements += np.size(plain[key])
        plain[key] = _plain(value)

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def tolist(self) -> Any:
        _work.elements += self.size
        return super().tolist()


def _method(name: str) -> Callable[..., Any]:
    def counting(self: CountedArray, *args: Any, **options: Any) -> Any:
        plain = self.view(np.ndarray)
        found = getattr(plain, name)(*_plain(args), **_plain(options))
        _note(name, [plain], _arrays(found), ())
        return _counted(found)

    return counting


for _name in METHODS:
    setattr(CountedArray, _name, _method(_name))


def _note(name: str, inputs: list[Any], outputs: list[Any], given: tuple[Any, ...]) -> None:
    """Count one call of a NumPy function by its name and the sizes of what went in and came out."""
    if name == "dot":
        _work.products += sum(one.size for one in outputs) * inputs[0].shape[-1]
    elif name == "einsum":
        _work.products += _einsum_products(*given)
    elif outputs and all(any(np.may_share_memory(out, one) for one in inputs) for out in outputs):
        return
    elif name == "take":  # of a large array a few rows
        _work.elements += sum(one.size for one in outputs)
    else:
        size = sum(one.size for one in inputs)
        _work.elements += (size * ceil(log2(max(size, 2))) if name in SORTS else size) + sum(
            one.size for one in outputs
        )


def _einsum_products(subscripts: str, *operands: Any) -> int:
    sizes: dict[str, int] = {}
    for letters, operand in zip(subscripts.split("->")[0].split(","), operands, strict=False):
        sizes.update(zip(letters.strip(), np.shape(operand), strict=True))
    return prod(sizes.values())


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same value with another array for each of its arrays, in lists, tuples, dicts and records too."""
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, list | tuple):
        return type(value)([_each(item, change) for item in value])
    if isinstance(value, dict):
        return {name: _each(item, change) for name, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
        return dataclasses.replace(value, **_each(fields, change))
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, CountedArray):
        return value.view(np.ndarray)
    if isinstance(value, list | tuple | dict):
        return _each(value, lambda array: array.view(np.ndarray))
    return value


def _counted(value: Any) -> Any:
    if isinstance(value, list | tuple | np.ndarray):
        return _each(value, lambda array: array.view(CountedArray))
    return value


def _arrays(value: Any) -> list[Any]:
    found: list[Any] = []
    _each(value, lambda array: found.append(array) or array)
    return found


def array_bytes(value: Any) -> int:
    """How much memory the arrays of a record take, views counted by what they show."""
    return sum(array.nbytes for array in _arrays(value))


@contextmanager
def _counting_makers() -> Iterator[None]:
    """New arrays, too, are ones that count."""

    def counting(make: Callable[..., Any]) -> Callable[..., Any]:
        def made(*args: Any, **options: Any) -> Any:
            found = make(*_plain(args), **_plain(options))
            _work.elements += found.size
            return found.view(CountedArray)

        return made

    with mock.patch.multiple(np, **{name: counting(getattr(np, name)) for name in MAKERS}):
        yield


def array_work(work: Callable[..., Any], *given: Any) -> ArrayWork:
    """What ``work(*given)`` asks of NumPy. Compiled code takes no such arrays and must be switched off."""
    global _work
    counted = [_each(value, lambda array: array.view(CountedArray)) for value in given]
    _work = ArrayWork()
    with _counting_makers():
        work(*counted)
    return _work


def python_steps(work: Callable[[], Any]) -> int:
    """How many lines of Python are executed, each turn of a loop on one line included.

    The work is done once before, so that what is kept from one call to the next does not count. Finalizers
    of other tests' garbage are Python too: the collector waits until the count is over.
    """
    steps = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return trace

    work()
    gc.collect()
    gc.disable()
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
        gc.enable()
    return steps
