"""What a study asks: which settings are best for this corpus, judged on which relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from disco2.data import Corpus
from disco2.errors import CorpusError, SettingsError
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts, divide
from disco2.experiments.runs import corpus_digest, readable_name, vectors_digest
from disco2.experiments.tuning.space import Space
from disco2.training.resampling import hold_out
from disco2.version import VERSION

DEVELOPMENTS = ("dev", "random")


@dataclass(frozen=True)
class Question:
    """All that a trial needs. ``parts`` has training and development relations, and no test part."""

    corpus: Corpus
    parts: Parts
    configuration: Configuration
    space: Space
    seeds: tuple[int, ...]
    development: str  # dev: the corpus's own part; random: a share of the training relations

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Everything that the value of a trial depends on, beside its point in the space."""
        settings = self.configuration.to_json()
        return {
            "corpus": corpus_digest(self.corpus),
            "settings": {
                section: {
                    name: list(value) if isinstance(value, tuple) else value
                    for name, value in values.items()
                    if f"{section}.{name}" not in self.space.settings
                }
                for section, values in settings.items()
            },
            "vectors": vectors_digest(self.configuration.vectors.source),
            "space": self.space.to_json(),
            "seeds": list(self.seeds),
            "development": self.development,
            "disco2": VERSION,
        }

    @property
    def name(self) -> str:
        """A readable name with a hash of the facts: same name, same question."""
        words = (self.corpus.name, self.configuration.model.kind, self.parts.task.versus, self.space.name)
        return readable_name(words, self.facts)

    def with_values(self, values: Mapping[str, float]) -> Configuration:
        """The configuration with the value of each dimension, by its name."""
        return self.configuration.changed(
            {
                setting: values[dimension.name]
                for dimension in self.space.dimensions
                for setting in dimension.settings
            }
        )


def pose(
    corpus: Corpus, configuration: Configuration, space: Space, *, seeds: int = 2, development: str = "dev"
) -> Question:
    """The question on a corpus. Models are trained with as many seeds, from ``training.seed`` on.

    ``development`` is "dev", the corpus's own part; or "random", as in the paper: a share of the training
    relations, the same in all trials, while the dev part is not looked at. Without a dev part, it is random.
    """
    if development not in DEVELOPMENTS:
        raise SettingsError(
            f"There are no development relations called '{development}'.",
            hint=f"Known: {', '.join(DEVELOPMENTS)}.",
        )
    if seeds < 1:
        raise SettingsError(f"Models can't be trained with {seeds} seeds.", hint="Use 1 or more.")
    parts = divide(corpus, configuration)
    training, judged = parts.instances["train"], parts.instances["dev"]
    if not training:
        raise CorpusError(
            f"There is no labelled relation to train on under the protocol '{parts.protocol}'.",
            where=corpus.name,
            hint="See what was read with: disco2 corpus stats",
        )
    first = configuration.training.seed
    if development == "random" or not judged:
        development = "random"
        share = configuration.training.development_share
        training, judged = hold_out(training, share=share, seed=first)
    seen = {"train": training, "dev": judged, "test": []}
    relations = {part: parts.relations["train"] if part == "train" else [] for part in parts.relations}
    return Question(
        corpus=corpus,
        parts=replace(parts, instances=seen, relations=relations),
        configuration=configuration,
        space=space,
        seeds=tuple(range(first, first + seeds)),
        development=development,
    )
