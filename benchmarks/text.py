"""From raw text to relations on one core: sentences a second for each stage, and for the whole.

    python -m benchmarks.text --gum DIR [--part dev] [--models en,en-fast,en-paper] [--json FILE]

Models are measured one after the other in one run. Each stage is timed alone on what the stages before it
made, in one process and one run; the whole is ``pipeline(text)`` over the same documents, so it also pays
for what the stages share. "neighbours only" is the same without connectives and relations inside sentences,
"without entities" the whole without an encoder's entity term.
Rates are by the processor's time, which other programs on the machine do not change much; the wall clock
stands beside it. Best of three rounds.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import disco2
from disco2.annotation.annotator import Annotators, Layer, raw_document
from disco2.corpora.gum import read_gum
from disco2.model import EncoderModel
from disco2.shipped import shipped_names
from disco2.threads import single_threaded

ROUNDS = 3


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What the work gives, its processor time and its time on the wall."""
    wall, processor = time.perf_counter(), time.process_time()
    result = work()
    return result, time.process_time() - processor, time.perf_counter() - wall


def measure(model: str, texts: dict[str, str]) -> dict[str, dict[str, float]]:
    """Seconds by stage: the best round of each."""
    nlp, processor, wall = timed(lambda: disco2.load(model))
    assert isinstance(nlp.annotators, Annotators)
    best: dict[str, dict[str, float]] = {"loading": {"processor": processor, "wall": wall}}
    plain = disco2.load(model)
    if isinstance(plain.model, EncoderModel):
        bare = replace(plain.model.settings, entity_size=0)
        plain.model = replace(plain.model, entities=None, settings=bare)
    for one in (nlp, plain):
        one("Anna slept. She was tired.")  # loads what is made at first use
    sentences = 0
    for _ in range(ROUNDS):
        documents = [raw_document(text, document_id=name) for name, text in texts.items()]
        rounds: dict[str, tuple[float, float]] = {}
        for layer in Layer:
            maker = nlp.annotators.maker(layer)
            documents, *spent = timed(
                lambda maker=maker, layer=layer, given=documents: maker.annotate(
                    given, layers=frozenset({layer})
                )
            )
            rounds[layer.value] = (spent[0], spent[1])
        _, *spent = timed(lambda given=documents: [nlp.relations(document) for document in given])
        rounds["relations"] = (spent[0], spent[1])
        _, *spent = timed(lambda: [nlp(text) for text in texts.values()])
        rounds["whole"] = (spent[0], spent[1])
        _, *spent = timed(lambda: [nlp(text, between_only=True) for text in texts.values()])
        rounds["neighbours only"] = (spent[0], spent[1])
        _, *spent = timed(lambda: [plain(text) for text in texts.values()])
        rounds["without entities"] = (spent[0], spent[1])
        sentences = sum(len(document.sentences) for document in documents)
        for stage, (processor, wall) in rounds.items():
            if stage not in best or processor < best[stage]["processor"]:
                best[stage] = {"processor": processor, "wall": wall}
    for stage in best:
        if stage != "loading":
            best[stage]["sentences_a_second"] = sentences / best[stage]["processor"]
    best["whole"]["sentences"] = sentences
    best["whole"]["peak_megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return best


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--gum", type=Path, required=True, help="folder of a checkout of GUM")
    options.add_argument("--part", default="dev")
    options.add_argument("--models", default=",".join(shipped_names()))
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    corpus = read_gum(given.gum)
    texts = {
        name: document.text for name, document in corpus.documents.items() if corpus.parts[name] == given.part
    }
    results = {}
    for model in given.models.split(","):
        with single_threaded():
            found = results[model] = measure(model, texts)
        whole = found["whole"]
        print(
            f"{model}: GUM {given.part}, {whole['sentences']:.0f} sentences, one thread, "
            f"{whole['peak_megabytes']:.0f} MB at most so far"
        )
        print(f"{'stage':16} {'sentences/s':>12} {'processor s':>12} {'wall s':>8}")
        for stage, row in found.items():
            rate = f"{row['sentences_a_second']:.0f}" if "sentences_a_second" in row else ""
            print(f"{stage:16} {rate:>12} {row['processor']:>12.2f} {row['wall']:>8.2f}")
    if given.json:
        given.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
