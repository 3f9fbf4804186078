"""A few made-up texts through the whole pipeline: what goes in must come out as it should."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from disco2.interfaces.doctor.findings import FAILED, OK, REINSTALL, SKIPPED, Finding, examined
from disco2.shipped import is_shipped

if TYPE_CHECKING:
    from disco2.annotation.annotator import Annotator
    from disco2.inference.pipeline import Pipeline

TEXT = "Bob gave Tina the burger. She was hungry.\n\nIt rained all day. The roads were wet."
SENTENCES = ["Bob gave Tina the burger.", "She was hungry.", "It rained all day.", "The roads were wet."]
CHAINS = {"She": "Tina", "He": "Bob"}
CHECKS = ("coreference", "probabilities", "explanation", "pairs")  # of the whole pipeline
CLOSE = 1e-6


class SelfTest:
    """Loads annotators and model once, apart; whatever needs one that can't be loaded is skipped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._annotators: Annotator | None = None
        self.pipeline: Pipeline | None = None

    def findings(self) -> list[Finding]:
        annotating = examined("annotating", self._annotating)
        loading = examined("model", self._loading)
        if loading.status == FAILED and is_shipped(self._folder):  # the usual advice is for models of users
            loading = replace(loading, advice=REINSTALL)
        return [annotating, loading, *map(self._checked, CHECKS)]

    def _annotating(self) -> Finding:
        from disco2.annotation.annotator import AnnotatorChoice
        from disco2.inference.annotating import annotate_texts

        self._annotators = AnnotatorChoice().open()
        document = annotate_texts(self._annotators, [("text", TEXT)], paragraphs="blank")[0]
        tokens = document.tokens
        found = [
            document.text[tokens[sentence.start].start : tokens[sentence.end - 1].end]
            for sentence in document.sentences
        ]
        if found != SENTENCES:
            return Finding("annotating", FAILED, f"The made-up text was cut into {found}.", WRONG)
        return Finding("annotating", OK, f"{len(found)} sentences, {len(tokens)} tokens")

    def _loading(self) -> Finding:
        from disco2.annotation.annotator import Annotators
        from disco2.inference.loading import load

        nlp = load(self._folder, annotators=self._annotators or Annotators([]))
        if self._annotators is not None:
            self.pipeline = nlp
        return Finding("model", OK, f"loaded: {nlp.info.name}")

    def _checked(self, name: str) -> Finding:
        if self.pipeline is None:
            return Finding(name, SKIPPED, "Annotators or model can't be loaded.")
        pipeline, check = self.pipeline, _OF_NAME[name]

        def run() -> Finding:
            fault, found = check(pipeline)
            return Finding(name, FAILED, fault, WRONG) if fault else Finding(name, OK, found)

        return examined(name, run)


WRONG = (
    "The parts of the installation do not fit together. Install it again in a fresh environment; if that "
    "does not help, please report it with the output of: disco2 doctor --json"
)


def _coreference(pipeline: Pipeline) -> tuple[str, str]:
    seen = []
    for pronoun, name in CHAINS.items():
        (relation,) = pipeline(f"Bob gave Tina the burger. {pronoun} was hungry.")
        found = [(span.text for span in (*entity.arg1, *entity.arg2)) for entity in relation.entities]
        chains = [" ~ ".join(chain) for chain in found]
        if f"{name} ~ {pronoun}" not in chains:
            return f"'{pronoun}' was not taken for '{name}', but: {', '.join(chains) or 'nobody'}.", ""
        seen.append(f"{name} ~ {pronoun}")
    return "", ", ".join(seen)


def _probabilities(pipeline: Pipeline) -> tuple[str, str]:
    relations = pipeline(TEXT)
    if len(relations) != 2:
        return f"{len(relations)} relations were found where there are two.", ""
    sums = [sum(relation.probabilities.values()) for relation in relations]
    if any(abs(total - 1) > CLOSE for total in sums):
        return f"The probabilities add up to {sums}.", ""
    if any(relation.probability != max(relation.probabilities.values()) for relation in relations):
        return "The answer is not the most probable outcome.", ""
    return "", f"of {len(relations)} relations, each adding up to 1"


def _explanation(pipeline: Pipeline) -> tuple[str, str]:
    (relation,) = pipeline("Bob gave Tina the burger. She was hungry.")
    one = pipeline.explain(relation)
    terms = [term.value for term in (one.bias, one.arguments, one.rounding, *one.features)]
    terms += [pair.value for pair in one.pairs] + [others.value for others in one.other_pairs]
    total = sum(terms)
    if abs(total - one.score) > CLOSE:
        return f"The terms add up to {total}, the score is {one.score}.", ""
    return "", f"{len(terms)} terms that add up to the score"


def _pairs(pipeline: Pipeline) -> tuple[str, str]:
    alone = pipeline.classify("It rained all day.", "The roads were wet.")
    together = list(
        pipeline.classify_many([("Bob left.", "Tina stayed."), ("It rained all day.", "The roads were wet.")])
    )[1]
    if abs(alone.probability - together.probability) > 1e-4 or alone.sense != together.sense:
        return "A pair gets another answer alone than among others.", ""
    return "", "the same answer alone and among others"


_OF_NAME = {
    "coreference": _coreference,
    "probabilities": _probabilities,
    "explanation": _explanation,
    "pairs": _pairs,
}
