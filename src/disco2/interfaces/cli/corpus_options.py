"""Options that name a corpus, the annotators of its layers and settings; and the corpora of a training."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.annotator import Layer, Layers, check_mixture
from disco2.annotation.cache import LayerStore, layer_folder
from disco2.corpora import catalogue
from disco2.corpora.catalogue import documents_with_coreference
from disco2.corpora.reading import gc_disabled
from disco2.corpora.tasks import DataSettings
from disco2.data import Corpus
from disco2.errors import CorpusError, InputError, SettingsError
from disco2.experiments.configuration import Configuration, names, read_configuration
from disco2.experiments.division import Parts, Source, divide, with_entry
from disco2.experiments.train_run import check_learnable
from disco2.interfaces.cli.listing import messages, print_note, progress_bar
from disco2.interfaces.cli.options import AnnotatorOptions, Protocol, path_option, suggest
from disco2.model.parameters import KINDS


@dataclass(frozen=True)
class CorpusOptions(AnnotatorOptions):
    """A corpus and the annotators of its layers. Every field is an option."""

    corpus: Annotated[str, suggest(catalogue.CORPUS_NAMES, help="Kind of corpus: {}.")] = ""
    path: Annotated[Path | None, path_option(help="Folder or file of the corpus.")] = None
    trees: Annotated[Path | None, path_option(help="Folder of PTB bracket files.")] = None
    coref: Annotated[Path | None, path_option(help="Folder of coreference files.")] = None
    with_coref_only: Annotated[
        bool, typer.Option("--with-coref-only", help="Use only documents with their own coreference.")
    ] = False
    dependencies: Annotated[Path | None, path_option(help="Folder of CoNLL-U files.")] = None
    raw: Annotated[Path | None, path_option(help="Folder of PDTB 2's raw text, if it is elsewhere.")] = None
    offsets: Annotated[str, suggest(("auto", "inclusive", "exclusive"), help="How PDTB 3 spans end: {}.")] = (
        "auto"
    )
    automatic: Annotated[
        str,
        suggest(
            (catalogue.ALL, catalogue.NONE, *Layer),
            help=f"Layers to annotate instead of those of the corpus: all, none, or {', '.join(Layer)}. "
            "Default: all for pairs and discogem, which have none; none for any other corpus.",
        ),
    ] = ""
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Do without the cache of layers.")] = False

    def layers(self, *, usual: str = "") -> Layers:
        """The layers to annotate: those of ``automatic``, else ``usual``, else the default of the corpus."""
        layers = catalogue.read_layers(self.automatic or usual or catalogue.usual_layers(self._named[0]))
        check_mixture(layers)
        return layers

    def read(self, *, check: Callable[[Corpus], object] = lambda own: None, usual: str = "") -> Corpus:
        """Read the corpus and annotate its layers; ``check`` runs before the annotation, which is slow."""
        layers = self.layers(usual=usual)
        own = self.read_own()
        if layers:
            check(own)
        return self.annotated(own, layers)

    def other(self, entry: DataSettings) -> CorpusOptions:
        """The corpus of a ``[[data]]`` entry. Of --automatic, only all or none applies to it."""
        return CorpusOptions(
            corpus=entry.corpus,
            path=Path(entry.path),
            automatic=self.automatic if self.automatic in (catalogue.ALL, catalogue.NONE) else "",
            no_cache=self.no_cache,
            spacy=self.spacy,
        )

    def annotated(self, corpus: Corpus, layers: Layers) -> Corpus:
        """Annotate these layers with the chosen annotators, and print a note with their names."""
        if not layers:
            return corpus
        with ExitStack() as stack:
            annotators = stack.enter_context(self.open(layers=layers, on_demand=True))
            store = None
            if not self.no_cache:
                with suppress(InputError):  # there is no folder for it
                    store = stack.enter_context(LayerStore(layer_folder()))
            bar = stack.enter_context(progress_bar())
            annotators.store = store
            task = bar.add_task("annotating", total=len(corpus.documents))
            made = catalogue.with_automatic_layers(
                corpus, annotators, layers, progress=lambda done: bar.update(task, completed=done)
            )
        if store is not None and store.trouble:
            print_note(f"the cache {store.path} can't be used ({store.trouble}); see: disco2 cache info")
        recalled = f"; {annotators.recalled} of {len(corpus.documents)} documents from the cache"
        print_note(f"{', '.join(made.automatic)} by {made.annotators}{recalled * bool(annotators.recalled)}")
        if lost := len(corpus.relations) - len(made.relations):
            print_note(f"{lost} relations cover no automatic token")
        return made

    @property
    def _named(self) -> tuple[str, Path]:
        if not self.corpus or self.path is None:
            kinds = ", ".join(catalogue.CORPUS_NAMES)
            raise CorpusError("No corpus was named.", hint=f"Give --corpus (one of {kinds}) and --path.")
        return catalogue.known_corpus(self.corpus), self.path

    def read_own(self) -> Corpus:
        """Read the corpus with its own layers, and print notes about faults in its files."""
        kind, path = self._named
        with messages.status(f"reading {kind}"), gc_disabled():  # silent without a terminal
            folders = {"coreference": self.coref, "dependencies": self.dependencies, "raw": self.raw}
            corpus = catalogue.read_corpus(kind, path, trees=self.trees, offsets=self.offsets, **folders)
            gc.freeze()  # a command keeps its corpus to the end: no need to search it for cycles
        if self.with_coref_only:
            corpus = documents_with_coreference(corpus)
        for note in corpus.notes:
            print_note(note)
        if counts := corpus.issues.counts():
            summary = ", ".join(f"{kind} ({count})" for kind, count in counts.most_common())
            print_note(f"repaired or skipped: {summary}")
        return corpus


# Options that stand for one setting each
OPTION_SETTINGS = {
    "kind": "model.kind",
    "features": "model.features",
    "vectors": "vectors.source",
    "seed": "training.seed",
    "protocol": "task.protocol",
}


@dataclass(frozen=True)
class SettingOptions:
    """Settings: a file, then --set, then options that stand for one setting. Every field is an option."""

    config: Annotated[Path | None, path_option(help="TOML file with settings.")] = None
    assignments: Annotated[
        list[str] | None,
        suggest([f"{name}=" for name in names()], "--set", help="Any setting, such as model.K=50."),
    ] = None
    protocol: Protocol = ""

    def configuration(self, *, before: Sequence[str] = ()) -> Configuration:
        """The settings; assignments ``before`` come before those of --set."""
        found = read_configuration(self.config, [*before, *(self.assignments or ())])
        values = {setting: getattr(self, option, None) for option, setting in OPTION_SETTINGS.items()}
        return found.changed({name: value for name, value in values.items() if value not in (None, "")})


@dataclass(frozen=True)
class ModelOptions(SettingOptions):
    """Settings, and the kind of model."""

    kind: Annotated[str, suggest(KINDS, help="Kind of model: {}.")] = ""


def read_corpora(corpus: CorpusOptions, configuration: Configuration) -> tuple[Corpus, Parts, Configuration]:
    """The main corpus, its parts with what the others of ``[[data]]`` add, and the settings for it.

    The main corpus is that of the options, else the first of ``[[data]]``. Only documents that are used are
    annotated.
    """
    main, others, entry = corpus, list(configuration.data), None
    used = {Path(one.path).resolve() for one in others if one.part in ("train", catalogue.ALL)}
    if corpus.path is not None and corpus.path.resolve() in used:
        raise SettingsError("The main corpus is in [[data]] as well.", hint="Leave out --corpus and --path.")
    if others and not (corpus.corpus or corpus.path):
        entry = others.pop(0)
        if entry.part != "train":
            what = f"The main corpus, the first of [[data]], trains on its part 'train', not '{entry.part}'."
            hint = "Leave out the part, or put another corpus first."
            raise SettingsError(what, where=entry.path, hint=hint)
        # Options of layers belong to the main corpus, also if it is named in [[data]].
        main = replace(corpus, corpus=entry.corpus, path=Path(entry.path))
        settings = configuration.task
        level = settings.level if entry.level < 0 else entry.level
        named = {"task.protocol": settings.protocol or entry.protocol, "task.level": level}
        configuration = configuration.changed(named)
    choices = [main, *map(main.other, others)]
    if configuration.model.kind == "encoder":  # it needs layers only for features
        wanted = [entry is None or entry.features, *(one.features for one in others)]
        choices = [
            one if asked and configuration.model.features else replace(one, automatic=catalogue.NONE)
            for one, asked in zip(choices, wanted, strict=True)
        ]
    main, *rest = choices
    layers = [one.layers() for one in choices]
    own, *further_own = [choice.read_own() for choice in choices]
    seed = configuration.task.folds
    sources = [Source(other, one, seed) for other, one in zip(others, further_own, strict=True)]
    parts = divide(own, configuration, sources=sources)
    if any(layers):
        check_learnable(own, parts)
    found = main.annotated(own, layers[0])
    further = tuple(
        replace(one, corpus=choice.annotated(one.corpus, some))
        for one, choice, some in zip(parts.further, rest, layers[1:], strict=True)
    )
    if layers[0]:
        task, labels = (parts.task, parts.labels) if sources else (None, ())
        parts = divide(found, configuration, task=task, labels=labels)
    parts = replace(parts, further=further)
    if entry is not None:
        parts = with_entry(parts, entry, seed=configuration.training.seed)
    return found, parts, configuration
