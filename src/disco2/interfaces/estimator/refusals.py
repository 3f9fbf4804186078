"""Errors of this package that are also the ValueError which scikit-learn and its users expect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from disco2.errors import InputError, SettingsError


class UnusableInputError(InputError, ValueError):
    """Relations, labels or weights that can't be used."""


class UnusableSettingsError(SettingsError, ValueError):
    """A parameter of the estimator whose value makes no sense."""


@contextmanager
def as_value_errors() -> Iterator[None]:
    """Let every error about what was handed over be a ValueError as well."""
    try:
        yield
    except SettingsError as error:
        if isinstance(error, ValueError):
            raise
        raise UnusableSettingsError(error.what, where=error.where, hint=error.hint) from error
    except InputError as error:
        if type(error) is not InputError:  # an error about a file is none about a value
            raise
        raise UnusableInputError(error.what, where=error.where, hint=error.hint) from error
