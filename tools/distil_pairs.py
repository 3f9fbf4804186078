"""Pairs that a teacher labels, for a smaller model to learn from.

    python -m tools.distil_pairs draw --text DIR --count 80000 --pairs FILE:COUNT --output drawn.jsonl
    python -m tools.distil_pairs draw --text DIR --count 100000 --quotations --seed 2 --output more.jsonl
    python -m tools.distil_pairs label drawn.jsonl --model ./teacher --output distilled.jsonl

``draw`` takes neighbouring sentences of English text, ``*.txt.xz``, without a label, and pairs of files with
theirs; a pair that is drawn twice counts once. ``label`` adds the probabilities of a model without features
as votes, EntRel and NoRel among them. A label that is none of the teacher's, or improbable for it, is
dropped: many relations are others without their connective.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import disco2
from disco2.files import write_text
from disco2.model import EncoderModel
from tools.make_training_pairs import OPENS_WITH_CONNECTIVE, Pair

WORDS = range(3, 31)  # of a sentence
SHORT = 12  # words at most of either sentence, for half of the pairs where there are enough
# Shares of the texts, by file.
SHARES = {
    "books": 9,
    "amalgum": 5,
    "europarl": 3,
    "wikipedia": 4,
    "wikinews": 2,
    "openstax": 1,
}
SENTENCE_END = re.compile(r"(?<=[a-z][.!?])\s+(?=[A-Z])")
NO_TITLE = r"(?<!Mr)(?<!Mrs)(?<!Dr)(?<!St)"
PLAIN = re.compile(rf"[A-Z][A-Za-z0-9 ,;:'%$-]*{NO_TITLE}[.!?]")  # no quotation or heading
MARKS = r"\"()\u2013\u2014\u2018\u2019\u201c\u201d"  # brackets, dashes, quotation marks
QUOTING = re.compile(rf"""[A-Z"'(][A-Za-z0-9 ,;:'%${MARKS}-]*{NO_TITLE}[.!?]["')\u2019\u201d]?""")
LEAST_SHARE = 0.01  # of a label that is kept
LEAST_AGREEMENT = 0.05  # the teacher's probability of the label that a pair comes with, or it is dropped
BATCH = 1000


def neighbours(file: Path, usable: re.Pattern[str]) -> Iterator[Pair]:
    for paragraph in lzma.decompress(file.read_bytes()).decode("utf-8").split("\n"):
        sentences = SENTENCE_END.split(paragraph.strip())
        for first, second in pairwise(sentences):
            whole = all(usable.fullmatch(one) and len(one.split()) in WORDS for one in (first, second))
            if whole and not OPENS_WITH_CONNECTIVE.match(second):
                yield {"arg1": first, "arg2": second}


def draw_pairs(
    folder: Path, count: int, files: list[str], chance: random.Random, usable: re.Pattern[str]
) -> Iterator[Pair]:
    for name, share in SHARES.items():
        found = list(neighbours(folder / f"{name}.txt.xz", usable))
        wanted = count * share // sum(SHARES.values())
        short = [pair for pair in found if all(len(text.split()) <= SHORT for text in pair.values())]
        for some in (short, found):
            yield from chance.sample(some, min(len(some), wanted // 2))
    for entry in files:
        path, _, wanted = entry.rpartition(":")
        if not (wanted.isdecimal() and Path(path).is_file()):
            raise SystemExit(f"--pairs {entry}: it takes FILE:COUNT")
        lines = Path(path).read_text(encoding="utf-8").rstrip("\n").split("\n")
        yield from map(json.loads, chance.sample(lines, min(len(lines), int(wanted))))


def label_pairs(pairs: list[Pair], model_path: str) -> Iterator[dict[str, object]]:
    nlp = disco2.load(model_path)
    if not isinstance(nlp.model, EncoderModel) or nlp.model.extractor or nlp.model.entities:
        raise SystemExit(f"{model_path} is no encoder alone, without features and entities")
    for begin in range(0, len(pairs), BATCH):
        batch = pairs[begin : begin + BATCH]
        pooled = nlp.model.pool([(one["arg1"], one["arg2"]) for one in batch])
        scores = pooled @ nlp.model.weights.T + nlp.model.bias
        for pair, shares in zip(batch, nlp.calibration.probabilities(scores), strict=True):
            found = zip(nlp.model.labels, shares.tolist(), strict=True)
            votes = {label: round(share, 3) for label, share in found if share > LEAST_SHARE}
            doubtful = votes.get(str(pair.get("label")), 0) < LEAST_AGREEMENT
            own = {name: cell for name, cell in pair.items() if name != "label"} if doubtful else pair
            yield own | {"votes": votes}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = options.add_subparsers(dest="command", required=True)
    drawing, labelling = commands.add_parser("draw"), commands.add_parser("label")
    drawing.add_argument("--text", type=Path, required=True)
    drawing.add_argument("--count", type=int, required=True, help="neighbouring sentences")
    drawing.add_argument("--pairs", action="append", default=[], metavar="FILE:COUNT")
    drawing.add_argument(
        "--quotations",
        action="store_true",
        help="allow brackets, dashes and quotation marks inside of sentences",
    )
    drawing.add_argument("--seed", type=int, default=1)
    labelling.add_argument("pairs", type=Path)
    labelling.add_argument("--model", required=True)
    for command in (drawing, labelling):
        command.add_argument("--output", type=Path, required=True)
    given = options.parse_args()
    if given.command == "draw":
        chance = random.Random(given.seed)  # noqa: S311
        usable = QUOTING if given.quotations else PLAIN
        drawn = draw_pairs(given.text, given.count, given.pairs, chance, usable)
        pairs: list[Any] = list({(one["arg1"], one["arg2"]): one for one in drawn}.values())
        chance.shuffle(pairs)
    else:
        lines = given.pairs.read_text(encoding="utf-8").rstrip("\n").split("\n")
        pairs = list(label_pairs([json.loads(line) for line in lines], given.model))
    write_text(given.output, (json.dumps(one, ensure_ascii=False) + "\n" for one in pairs))
    print(f"{given.output}: {len(pairs)} pairs")


if __name__ == "__main__":
    main()
