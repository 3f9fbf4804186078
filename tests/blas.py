"""What the libraries of matrix products say of themselves."""

from __future__ import annotations

from threadpoolctl import threadpool_info


def blas_threads() -> set[int]:
    """The number of threads of every BLAS that is loaded, each number once."""
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}
