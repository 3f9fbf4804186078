"""Seconds and peak memory of the features on generated relations.

python -m tests.features.measure_feature_speed [RELATIONS [LONGEST SENTENCE]]

Word frequencies fall off as Zipf's law has them, over 40,000 forms. Arguments are one or two sentences.
"""

from __future__ import annotations

import resource
import sys
import time

from disco2.features import FeatureExtractor
from disco2.features.word_pairs import pair_candidates
from disco2.records import Instance
from tests.features.feature_documents import random_instances, seeded


def generate(count: int, longest: int) -> list[Instance]:
    rng = seeded(0)
    syllables = [a + b for a in "bcdfghklmnprstvz" for b in "aeiou"]
    words = [
        "".join(rng.choices(syllables, k=rng.randint(1, 4))) + rng.choice(["", "s", "ing", "ed"])
        for _ in range(40_000)
    ]
    weights = [1 / (rank + 2.7) for rank in range(len(words))]
    return random_instances(
        rng,
        count,
        words=words,
        weights=weights,
        classes=[f"class{number}" for number in range(12)],
        longest=longest,
        missing=0.0,
    )


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    given = [int(value) for value in sys.argv[1:]]
    count, longest = given + [17_000, 26][len(given) :]
    instances = generate(count, longest)
    words = sum(len(i.relation.arg1.tokens) + len(i.relation.arg2.tokens) for i in instances)
    print(f"{len(instances)} relations, {words / 2 / len(instances):.1f} words an argument")
    print(f"peak before fit {peak_megabytes():.0f} MB")
    start = time.perf_counter()
    extractor = FeatureExtractor.fit(instances)
    print(f"fit {time.perf_counter() - start:.2f} s, peak {peak_megabytes():.0f} MB, width {extractor.width}")
    start = time.perf_counter()
    matrix = extractor.transform(instances)
    print(f"transform {time.perf_counter() - start:.2f} s, {len(matrix.indices)} ones")
    candidates, _ = pair_candidates(instances, minimum_count=5)
    print(f"{len(candidates)} word pairs in 5 relations or more")


if __name__ == "__main__":
    main()
