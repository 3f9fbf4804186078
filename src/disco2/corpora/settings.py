"""What is to be told apart, as settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath

from disco2.corpora.catalogue import CORPUS_NAMES, known_corpus
from disco2.corpora.task import Task, binary_task, task_for
from disco2.errors import SettingsError
from disco2.records import RelationKind
from disco2.settings import Settings, setting

USUAL_PROTOCOLS = {"gum": "gum", "pdtb2": "lin", "pdtb3": "ji", "discogem": "documents"}
# Relations of these kinds have words that state their sense; without the words they resemble implicit ones.
WEAK_KINDS = (RelationKind.EXPLICIT.value, RelationKind.ALTLEX.value, RelationKind.ALTLEXC.value)


@dataclass(frozen=True)
class TaskSettings(Settings):
    """Which relations count and which labels they have; what is left empty follows the corpus's custom."""

    protocol: str = setting(
        "",
        "split: own, gum, lin, ji, documents, cv12-0 to cv12-11, cvK-i; empty: the usual one",
    )
    level: int = setting(
        -1, "1: classes; 2: types; 3: subtypes; 0: as annotated; -1: the usual one", minimum=-1
    )
    minimum: int = setting(0, "training relations that a label needs; 0: the usual number", minimum=0)
    labels: tuple[str, ...] = setting((), "just these labels; empty: all that are frequent enough")
    keep: tuple[str, ...] = setting((), "labels to keep although they are rare, where labels is empty")
    excluded: tuple[str, ...] = setting((), "labels to leave out")
    outcomes: str = setting(
        "senses",
        "senses: relations that have one; running-text: EntRel and NoRel are outcomes too",
        choices=("senses", "running-text"),
    )
    whole_sentences: bool = setting(
        False, "train on relations between neighbouring sentences twice: also with the whole sentences"
    )
    weak_weight: float = setting(
        0.0,
        "what explicit and AltLex relations of the training part count as further instances, "
        "connective removed; 0: leave them out",
        minimum=0,
    )
    weak_kinds: tuple[str, ...] = setting(
        WEAK_KINDS[:2], f"which kinds of relations weak_weight speaks of, among {', '.join(WEAK_KINDS)}"
    )
    versus: str = setting("", "a class, such as Expansion, to tell from all others; EntRel is Expansion then")
    balance: bool = setting(True, "one class against others: repeat the smaller side until both are equal")

    folds: int = setting(
        1, "seed of the splits by documents (documents, cvK-i); the same in all runs", minimum=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        others = (self.level >= 0, self.minimum > 0, self.labels, self.keep, self.excluded)
        if self.versus and (any(others) or self.outcomes != "senses"):
            raise SettingsError(
                "One class against all others has its own labels and level.",
                hint="Leave out task.versus, or task.level, minimum, labels, keep, excluded and outcomes.",
            )
        unknown = [kind for kind in self.weak_kinds if kind not in WEAK_KINDS]
        if unknown or not self.weak_kinds:
            raise SettingsError(
                f"weak_kinds names {unknown[0]!r}." if unknown else "weak_kinds names no kind.",
                hint=f"Choose from {', '.join(WEAK_KINDS)}; weak_weight=0 leaves them all out.",
            )

    def task(self, corpus_name: str, inventory: str = "pdtb2") -> Task:
        """The task on a corpus. The usual labels hold as long as level and minimum are the usual ones."""
        if self.versus:
            return binary_task(self.versus)
        task = task_for(corpus_name, inventory)
        if self.outcomes == "running-text":
            task = replace(task, entrel=RelationKind.ENTREL.value, norel=RelationKind.NOREL.value)
        usual = self.level in (-1, task.level) and not self.minimum
        return replace(
            task,
            level=self.level if self.level >= 0 else task.level,
            minimum=self.minimum or task.minimum,
            labels=self.labels or (task.labels if usual else ()),
            # "Just these labels" leaves none to be kept besides.
            keep=() if self.labels else self.keep or task.keep,
            excluded=self.excluded or task.excluded,
        )

    def protocol_for(self, corpus_name: str) -> str:
        """The name of the split protocol on a corpus."""
        return self.protocol or usual_protocol(corpus_name)


@dataclass(frozen=True)
class DataSettings(Settings):
    """One corpus of a training with several: a ``[[data]]`` table of a configuration, or ``--data``."""

    corpus: str = setting("", f"kind of corpus: {', '.join(CORPUS_NAMES)}")
    path: str = setting("", "its folder or file; a relative path starts at the folder of the configuration")
    protocol: str = setting("", "split of its documents, as task.protocol; empty: the usual one")
    part: str = setting("train", "the part to train on; all: the whole corpus")
    weight: float = setting(1.0, "what one of its relations counts in training", above=0)
    limit: int = setting(0, "most relations to train on, chosen at random by the seed; 0: all", minimum=0)
    level: int = setting(-1, "level of its senses, as task.level; -1: that of the task", minimum=-1)
    features: bool = setting(
        True, "let an encoder's surface features learn from it, which needs layers; false: its text alone"
    )
    name: str = setting("", "what stages call it; empty: the name of its folder or file, without an ending")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.corpus or not self.path or not self.part:
            empty = "corpus" if not self.corpus else "path" if not self.path else "part"
            raise SettingsError(
                f"The {empty} is missing.", hint='Write, for example: corpus = "discogem", path = "discogem"'
            )
        if "\0" in self.path:
            raise SettingsError("No path has a null character.")
        object.__setattr__(self, "corpus", known_corpus(self.corpus))
        object.__setattr__(self, "name", self.name or PurePath(self.path).stem)
        if self.level > 3:
            raise SettingsError(f"There is no level {self.level} of senses.", hint="Use -1, 0, 1, 2 or 3.")


def usual_protocol(corpus_name: str) -> str:
    """The name of the split protocol that is usual with a corpus."""
    return USUAL_PROTOCOLS.get(corpus_name, "own")
