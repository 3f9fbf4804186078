"""One family of errors, each saying what happened, where, and what to do next.

The command line prints any of them as one paragraph and exits with code 2.
"""

from __future__ import annotations

from typing import Any


class Disco2Error(Exception):
    """What happened, where (file and line, or relation id), and the next thing to try."""

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(" ".join(part for part in (f"{where}:" if where else "", what, hint) if part))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it by its three texts, so that it can be sent to another process."""
        return _restore, (type(self), self.what, self.where, self.hint)


class InputError(Disco2Error):
    """Something the user gave can't be used."""


class CorpusError(InputError):
    """A corpus folder, file or line can't be read."""


class LayerError(InputError):
    """A layer of annotation can't be read, or does not fit its text."""


class VectorsError(InputError):
    """A file of word vectors can't be read."""


class SettingsError(InputError):
    """A setting is unknown, or its value is invalid."""


class BundleError(InputError):
    """A trained model on disk is missing, damaged, or newer than this program."""


class MissingExtraError(Disco2Error):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package '{package}', which is not installed.",
            hint=f'Install it with: pip install "disco2[{extra}]"',
        )


def _restore(kind: type[Disco2Error], what: str, where: str, hint: str) -> Disco2Error:
    error = kind.__new__(kind)
    Disco2Error.__init__(error, what, where=where, hint=hint)
    return error
