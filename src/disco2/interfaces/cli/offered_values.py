"""What a shell offers as the value of an option. Values are checked elsewhere, by who uses them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Offer = Callable[[str], list[str]]

_FOLDS = ("cv5-0", "cv10-0", *(f"cv12-{fold}" for fold in range(12)))
PROTOCOLS = ("own", "gum", "lin", "ji", "documents", *_FOLDS)
PARTS = ("train", "dev", "test")
ENCODINGS = ("utf-8", "latin-1", "utf-16", "cp1252")


def among(values: Iterable[str]) -> Offer:
    """One of these."""
    known = tuple(values)

    def offered(incomplete: str) -> list[str]:
        return [value for value in known if value.startswith(incomplete)]

    return offered


def several_of(values: Iterable[str], *, alone: Iterable[str] = ()) -> Offer:
    """A list of these with commas, none of them twice; or one that stands alone."""
    known, single = tuple(values), tuple(alone)

    def offered(incomplete: str) -> list[str]:
        before, comma, begun = incomplete.rpartition(",")
        taken = before.split(",")
        more = [value for value in known if value not in taken and value.startswith(begun)]
        if not comma:
            return [value for value in (*single, *more) if value.startswith(incomplete)]
        return [f"{before},{value}" for value in more]

    return offered


def settings(incomplete: str) -> list[str]:
    """Every setting with its default, such as model.K=50."""
    from disco2.experiments.configuration import Configuration

    return [
        f"{section}.{name}={_written(value)}"
        for section, values in Configuration().to_json().items()
        for name, value in values.items()
        if f"{section}.{name}".startswith(incomplete)
    ]


def shipped_models(incomplete: str) -> list[str]:
    """The names of the models that ship."""
    from disco2.shipped import shipped_names

    return [name for name in shipped_names() if name.startswith(incomplete)]


def spacy_pipelines(incomplete: str) -> list[str]:
    """The spaCy pipelines that are installed as packages."""
    from importlib.metadata import entry_points

    names = {found.name for found in entry_points(group="spacy_models")}
    return sorted(name for name in names if name.startswith(incomplete))


def _written(value: object) -> str:
    """A value as --set reads it; lists, whose quotes a shell would take for its own, are left to the user."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if isinstance(value, list | tuple) else str(value)
