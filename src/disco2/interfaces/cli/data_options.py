"""Which corpora a training reads: the main one and those of ``[[data]]``, and how they become its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from disco2.corpora.catalogue import NONE, read_layers, usual_layers
from disco2.corpora.tasks import DataSettings
from disco2.data import Corpus
from disco2.errors import SettingsError
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import ALL, Parts, Source, divide, with_entry
from disco2.experiments.train_run import check_learnable
from disco2.interfaces.cli.corpus_options import CorpusChoice


@dataclass(frozen=True)
class Mixture:
    """The corpora of a training; ``entry`` is the main one's, where it is the first of ``[[data]]``."""

    main: CorpusChoice
    entry: DataSettings | None
    others: tuple[DataSettings, ...]
    configuration: Configuration

    @classmethod
    def of(cls, corpus: CorpusChoice, configuration: Configuration) -> Mixture:
        """The corpus that options name is the main one, else the first of ``[[data]]``."""
        if corpus.corpus or corpus.path or not configuration.data:
            _check_not_repeated(corpus, configuration.data)
            return cls(corpus, None, configuration.data, configuration)
        entry, *others = configuration.data
        if entry.part != "train":
            raise SettingsError(
                f"The main corpus, the first of [[data]], trains on its part 'train', not '{entry.part}'.",
                where=entry.path,
                hint="Leave out the part, or put another corpus first.",
            )
        changed = {
            "task.protocol": configuration.task.protocol or entry.protocol,
            "task.level": configuration.task.level if entry.level < 0 else entry.level,
        }
        # Options of layers belong to the main corpus, whichever way it was named.
        main = replace(corpus, corpus=entry.corpus, path=corpus.other(entry).path)
        return cls(main, entry, tuple(others), configuration.changed(changed))

    def read(self) -> tuple[Corpus, Parts]:
        """The main corpus and its parts, with what the others add. Annotators only see what is used."""
        choices = [self.main, *map(self.main.other, self.others)]
        if self.configuration.model.kind == "encoder":  # layers are for its features alone
            wanted = [self.entry is None or self.entry.features, *(one.features for one in self.others)]
            choices = [
                one if asked and self.configuration.model.features else replace(one, automatic=NONE)
                for one, asked in zip(choices, wanted, strict=True)
            ]
        main = choices[0]
        layers = [read_layers(one.automatic or usual_layers(one.corpus)) for one in choices[1:]]
        # A chosen annotator that has nothing to do is a mistake, unless another corpus needs it.
        layers.insert(0, frozenset() if any(layers) and not main.makes_layers else main.layers())
        own, *rest = [choice.read_own() for choice in choices]
        seed = self.configuration.task.folds
        sources = [Source(entry, one, seed) for entry, one in zip(self.others, rest, strict=True)]
        parts = divide(own, self.configuration, sources=sources) if sources or layers[0] else None
        if parts is not None:
            check_learnable(own, parts)
        found = main.annotated(own, layers[0])
        if parts is not None and sources:
            further = [
                replace(one, corpus=choice.annotated(one.corpus, some))
                for one, choice, some in zip(parts.further, choices[1:], layers[1:], strict=True)
            ]
            parts = divide(found, self.configuration, task=parts.task, labels=parts.labels)
            parts = replace(parts, further=tuple(further))
        else:
            parts = divide(found, self.configuration)
        if self.entry is not None:
            parts = with_entry(parts, self.entry, seed=self.configuration.training.seed)
        return found, parts


def _check_not_repeated(corpus: CorpusChoice, data: Sequence[DataSettings]) -> None:
    for entry in data:
        same = corpus.path is not None and corpus.path.resolve() == Path(entry.path).resolve()
        if same and entry.part in ("train", ALL):
            raise SettingsError(
                f"The main corpus, {entry.corpus} at {entry.path}, is in [[data]] as well.",
                hint="Leave out --corpus and --path, and the first corpus of [[data]] is the main one.",
            )
