"""Does a corpus of PDTB's size fit? Seconds and peak memory of every stage, on generated relations.

    python -m benchmarks.pdtb_sized [RELATIONS [PASSES]]

Word frequencies fall off as Zipf's law has them, over the words of the shipped vectors; arguments are one or
two sentences with trees and dependencies; half of the pairs share an entity.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from dataclasses import replace

from disco2.data import Instance, Mention
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.features.pairs_and_rules import pair_candidates
from disco2.model import ModelSettings
from disco2.training.settings import TrainingSettings
from disco2.vectors import VectorSettings
from disco2.vectors.source import read_shipped
from tests.features.feature_documents import random_instances, seeded
from tests.training.fitting import fit

LABELS = tuple(f"class{number}" for number in range(11))
LONGEST_SENTENCE = 26


def generate(count: int) -> list[Instance]:
    rng = seeded(0)
    words = list(read_shipped().words[:40_000])
    instances = random_instances(
        rng,
        count,
        words=words,
        weights=[1 / (rank + 2.7) for rank in range(len(words))],
        classes=list(LABELS),
        longest=LONGEST_SENTENCE,
        missing=0.0,
    )
    return [_with_shared_entity(rng, instance) if rng.random() < 0.5 else instance for instance in instances]


def _with_shared_entity(rng: random.Random, instance: Instance) -> Instance:
    """One chain with a mention or two in each argument."""
    heads = [
        rng.choice(argument.tokens)
        for argument in (instance.relation.arg1, instance.relation.arg2)
        for _ in range(rng.choice((1, 1, 2)))
    ]
    mentions = tuple(Mention(head, head + 1, head, "x") for head in sorted({*heads}))
    return replace(instance, document=replace(instance.document, mentions=mentions))


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    given = [int(value) for value in sys.argv[1:]]
    count, passes = given + [17_000, 2][len(given) :]
    instances = generate(count)
    words = sum(len(i.relation.arg1.tokens) + len(i.relation.arg2.tokens) for i in instances)
    print(f"{len(instances)} relations, {words / 2 / len(instances):.1f} words an argument")
    print(f"the relations in memory: peak {peak_megabytes():.0f} MB")

    start = time.perf_counter()
    extractor = FeatureExtractor.fit(instances)
    print(f"feature selection: {time.perf_counter() - start:.1f} s, peak {peak_megabytes():.0f} MB")
    candidates, _ = pair_candidates(instances, minimum_count=5)
    print(
        f"  from {len(candidates)} word pairs that are in 5 relations or more, to {extractor.width} features"
    )

    start = time.perf_counter()
    held_out = len(instances) // 15
    fitted = fit(
        instances[held_out:],
        instances[:held_out],
        labels=LABELS,
        model=ModelSettings(K=50),
        features=FeatureSettings(),
        vectors=VectorSettings(),
        settings=TrainingSettings(epochs=passes, patience=passes),
    )
    seconds = time.perf_counter() - start
    ran = len(fitted.history.epochs)
    print(f"training, {ran} passes, all included: {seconds:.1f} s, peak {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
