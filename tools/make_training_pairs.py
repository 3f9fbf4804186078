"""Make the files of pairs that examples/teacher.toml trains on, and that its teacher labels for `en`.

    python tools/make_training_pairs.py --gum DIR --connectives DIR --silver DIR --ecare FILE --output DIR

connectives.jsonl   sentence pairs whose connective was removed, from *.tsv.xz (connective, sense, two texts):
                    short ones, up to a number by sense, within a sense by the root of a connective's count
kept.jsonl          some of them with the connective in its place, so that a model knows what "However" says
silver.jsonl        neighbouring sentences with a sense that another model gave them, from *_pseudo.csv
causes.jsonl        causes and effects of e-CARE's train.jsonl, in either order
explicit.jsonl      explicit relations of GUM's training part, with their connective
removed.jsonl       the same and those in other orders, without it

Which pairs share a sentence with a dev or test part is seen to by `disco2 train`.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from disco2.corpora.gum import read_gum
from disco2.data import RelationKind
from disco2.files import write_text

MOST = {
    "Comparison.Concession": 9000,
    "Comparison.Contrast": 5000,
    "Comparison.Similarity": 1500,
    "Contingency.Cause": 10000,
    "Expansion.Conjunction": 8000,
    "Expansion.Disjunction": 1000,
    "Expansion.Equivalence": 1200,
    "Expansion.Instantiation": 5000,
    "Expansion.Level-of-detail": 5000,
    "Expansion.Substitution": 3000,
    "Temporal.Asynchronous": 6000,
    "Temporal.Synchronous": 3000,
}
WORDS = range(3, 23)  # of an argument
SCIENCE = ("acl_abstracts", "elife")  # of whose many pairs three in ten are enough
MOST_SILVER_WORDS = 70
WITHOUT_COMMA = ("and", "but", "nor", "or", "so", "then", "yet")
OPENS_WITH_CONNECTIVE = re.compile(
    r"(but|and|so|however|then|yet|or|nor|thus|therefore|moreover|because|although|if|when|while|for|still|instead"
    r"|indeed|also|nevertheless|finally)\b",
    re.IGNORECASE,
)
STAYS_CAPITAL = re.compile(r"I\b|[A-Z][a-z]*[A-Z]|[A-Z]\w+ [A-Z]")

Pair = dict[str, str]


def connective_pairs(folder: Path, chance: random.Random) -> tuple[list[Pair], list[Pair]]:
    """Pairs without their connective, and others with it."""
    found: dict[str, dict[str, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
    seen = set()
    for file in sorted(folder.glob("*.tsv.xz")):
        for line in lzma.decompress(file.read_bytes()).decode("utf-8").splitlines():
            connective, sense, first, second = line.split("\t")
            short = len(first.split()) in WORDS and len(second.split()) in WORDS
            if sense not in MOST or not short or (first, second) in seen:
                continue
            if file.name.startswith(SCIENCE) and chance.random() < 0.7:
                continue
            seen.add((first, second))
            found[sense][connective].append((first, second))
    removed, kept = [], []
    for sense, by_connective in found.items():
        roots = sum(len(pairs) ** 0.5 for pairs in by_connective.values())
        rest = []
        taken = 0
        for connective, pairs in by_connective.items():
            chance.shuffle(pairs)
            count = int(MOST[sense] * len(pairs) ** 0.5 / roots) + 1
            further = count + max(4, count // 10)
            removed += [pair(one, sense, connective) for one in pairs[:count]]
            kept += [with_connective(one, sense, connective) for one in pairs[count:further]]
            rest += [pair(one, sense, connective) for one in pairs[further:]]
            taken += min(count, len(pairs))
        chance.shuffle(rest)
        removed += rest[: max(0, MOST[sense] - taken)]
    return removed, kept


def pair(texts: tuple[str, str], sense: str, connective: str) -> Pair:
    first, second = texts
    return {"arg1": first, "arg2": second[0].upper() + second[1:], "label": sense, "connective": connective}


def with_connective(texts: tuple[str, str], sense: str, connective: str) -> Pair:
    first, second = texts
    second = second if STAYS_CAPITAL.match(second) else second[0].lower() + second[1:]
    comma = "" if connective in WITHOUT_COMMA else ","
    return {"arg1": first, "arg2": f"{connective.capitalize()}{comma} {second}", "label": sense}


def silver_pairs(folder: Path) -> Iterator[Pair]:
    seen = set()
    for file in sorted(folder.glob("*_pseudo.csv")):
        for line in file.read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.split("\t")]
            if len(cells) != 3 or tuple(cells[1:]) in seen or OPENS_WITH_CONNECTIVE.match(cells[2]):
                continue
            if len(cells[1].split()) + len(cells[2].split()) <= MOST_SILVER_WORDS:
                seen.add(tuple(cells[1:]))
                yield {"arg1": cells[1], "arg2": cells[2], "label": cells[0]}


def cause_pairs(file: Path, chance: random.Random) -> Iterator[Pair]:
    """Premise and right hypothesis; half of them in each order."""
    for line in file.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        premise, other = item["premise"], item[f"hypothesis{item['label'] + 1}"]
        turned = chance.random() < 0.5
        follows = (item["ask-for"] == "effect") != turned
        first, second = (other, premise) if turned else (premise, other)
        label = "Contingency.Cause.Result" if follows else "Contingency.Cause.Reason"
        yield {"arg1": first, "arg2": second, "label": label}


def explicit_pairs(folder: Path) -> tuple[list[Pair], list[Pair]]:
    """Explicit relations with their connective, where it stands between the arguments, and all without it."""
    corpus = read_gum(folder)
    kept, removed = [], []
    for one in corpus.relations:
        wanted = one.kind is RelationKind.EXPLICIT and corpus.parts.get(one.document) == "train"
        if not (wanted and one.senses and one.connective_tokens):
            continue
        label = {"label": one.senses[0]}
        removed.append({"arg1": one.arg1.text, "arg2": one.arg2.text, "connective": one.connective, **label})
        connective = one.connective_tokens
        if max(one.arg1.tokens) < min(connective) <= max(connective) < min(one.arg2.tokens):
            capital = one.connective[0].isupper() and one.connective.lower() not in WITHOUT_COMMA
            second = f"{one.connective}{',' if capital else ''} {one.arg2.text}"
            kept.append({"arg1": one.arg1.text, "arg2": second, **label})
    return kept, removed


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("gum", "connectives", "silver", "ecare", "output"):
        options.add_argument(f"--{name}", type=Path, required=True)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    chance = random.Random(given.seed)  # noqa: S311
    mined, mined_kept = connective_pairs(given.connectives, chance)
    explicit, removed = explicit_pairs(given.gum)
    files = {
        "connectives": mined,
        "kept": mined_kept,
        "silver": list(silver_pairs(given.silver)),
        "causes": list(cause_pairs(given.ecare, chance)),
        "explicit": explicit,
        "removed": removed,
    }
    for name, pairs in files.items():
        path = given.output / f"{name}.jsonl"
        write_text(path, (json.dumps(one, ensure_ascii=False) + "\n" for one in pairs))
        print(f"{path}: {len(pairs)} pairs")


if __name__ == "__main__":
    main()
