"""Whatever is wrong inside a bundle becomes a BundleError that is safe to show."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from disco2.errors import BundleError, Disco2Error

REPAIR = "Copy the model again from where it came from, or train it anew with: disco2 train"
MOST_SAID = 400  # characters of a reason; a bundle may say as many as it likes


@contextmanager
def reported(what: str, place: Path) -> Iterator[None]:
    """Turn what goes wrong while ``what`` is read into a BundleError."""
    try:
        yield
    except BundleError as error:
        raise BundleError(tame(error.what), where=error.where or str(place), hint=error.hint) from error
    except OSError as error:
        raise BundleError(
            f"{what} can't be read: {error.strerror or error}.", where=str(place), hint="Check its rights."
        ) from error
    except (
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        ArithmeticError,
        MemoryError,
        RecursionError,
        SafetensorError,
        Disco2Error,
    ) as error:
        said = error.what if isinstance(error, Disco2Error) else str(error)
        said = f"it lacks {said}" if isinstance(error, KeyError) else said
        said = said or "there is not enough memory" if isinstance(error, MemoryError) else said
        raise BundleError(
            f"{what} can't be read: {tame(said).rstrip('.')}.", where=str(place), hint=REPAIR
        ) from error


def tame(text: str) -> str:
    """Text of a bundle as a message may show it: not too long, and nothing that steers a terminal."""
    text = text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]}..."
    return "".join(sign if sign.isprintable() else "?" for sign in text)
