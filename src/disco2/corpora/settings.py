"""What is to be told apart, as settings."""

from __future__ import annotations

from dataclasses import dataclass, replace

from disco2.corpora.task import Task, binary_task, task_for
from disco2.errors import SettingsError
from disco2.records import RelationKind
from disco2.settings import Settings, setting

USUAL_PROTOCOLS = {"gum": "gum", "pdtb2": "lin", "pdtb3": "ji"}
# Relations of these kinds have words that state their sense; without the words they resemble implicit ones.
WEAK_KINDS = (RelationKind.EXPLICIT.value, RelationKind.ALTLEX.value, RelationKind.ALTLEXC.value)


@dataclass(frozen=True)
class TaskSettings(Settings):
    """Which relations count and which labels they have; what is left empty follows the corpus's custom."""

    protocol: str = setting(
        "", "split of the documents: own, gum, lin, ji, cv12-0 to cv12-11, cvK-i; empty: the usual one"
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

    folds: int = setting(1, "seed of the folds over documents (cvK-i); the same in all runs", minimum=0)

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
        return self.protocol or USUAL_PROTOCOLS.get(corpus_name, "own")
