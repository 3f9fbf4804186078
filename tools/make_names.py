"""Make the list of first names by gender that the coreference annotator reads.

    pip download --no-deps nomquamgender && unzip nomquamgender-*.whl
    python tools/make_names.py --counts nomquamgender/name_data.json --text DIR

``--counts`` has, for each name, how many people bear it and the share of women among them (nomquamgender, MIT
licence; Van Buskirk et al., 2022). ``--text`` is a folder of English text, ``*.txt.xz``. Kept are names that
are clearly of one gender, and that the text does not mostly use otherwise: for a place ("in Georgia"), with
an article ("the General"), as a last name (behind another capitalised word) or in small letters.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import textwrap
from collections import Counter
from pathlib import Path

from disco2.annotation.english.traits import NAMES_FILE, WORDS_FILE, word_lists
from disco2.files import write_text

FOLDER = Path(__file__).resolve().parent.parent / "src/disco2/annotation/english"
LEAST_COUNT = 200  # people who bear the name
LEAST_SHARE = 0.95  # of them who have the gender
SEEN = 40  # times in the text from which its use counts
MOST_PLACE, MOST_LAST = 0.08, 0.5
PLACE_WORDS = frozenset("in near at across outside around from".split())  # noqa: SIM905
WORD = re.compile(r"[A-Za-z]+|[.!?\n]")


def count_uses(folder: Path, names: frozenset[str]) -> dict[str, Counter[str]]:
    """How often each name is used in all, and in each way that speaks against it."""
    uses = {use: Counter[str]() for use in ("all", "place", "article", "last", "small")}
    for file in sorted(folder.glob("*.txt.xz")):
        previous = "."
        for word in WORD.findall(lzma.decompress(file.read_bytes()).decode("utf-8")):
            name = word.lower()
            if name in names and previous not in ".!?\n":
                uses["all"][name] += 1
                uses["small"][name] += word == name
                uses["place"][name] += previous in PLACE_WORDS
                uses["article"][name] += previous == "the"
                uses["last"][name] += previous[0].isupper()
            previous = word
    return uses


def choose_names(counts: dict[str, tuple[int, float]], folder: Path) -> dict[str, list[str]]:
    """The names that are kept, by gender; those of ``words.toml`` are left out."""
    listed = word_lists()["male_names"] | word_lists()["female_names"]
    clear = {
        name: share
        for name, (count, share) in counts.items()
        if count >= LEAST_COUNT
        and max(share, 1 - share) >= LEAST_SHARE
        and re.fullmatch("[a-z]{3,}", name)
        and name not in listed
    }
    uses = count_uses(folder, frozenset(clear))
    kept: dict[str, list[str]] = {"male": [], "female": []}
    for name in sorted(clear):
        total = uses["all"][name]
        limits = {"place": MOST_PLACE, "article": MOST_PLACE, "last": MOST_LAST, "small": MOST_PLACE}
        if total < SEEN or all(uses[use][name] <= most * total for use, most in limits.items()):
            kept["female" if clear[name] > LEAST_SHARE / 2 else "male"].append(name)
    return kept


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--counts", type=Path, required=True)
    options.add_argument("--text", type=Path, required=True)
    given = options.parse_args()
    rows = json.loads(given.counts.read_text(encoding="utf-8"))
    kept = choose_names({name: (count, share) for name, (_, count, share, _) in rows.items()}, given.text)
    lines = [
        f"# First names beside those of {WORDS_FILE}, made by tools/make_names.py from nomquamgender.",
        "# MIT licence, Copyright (c) 2022 Ian Van Buskirk: see LICENSE.",
    ]
    for gender, names in kept.items():
        lines += [f"{gender} {line}" for line in textwrap.wrap(" ".join(names), 112)]
        print(f"{gender}: {len(names)} names")
    write_text(FOLDER / NAMES_FILE, (f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
