"""Compare ways to read the two texts and their entities, in five folds over GUM and DiscoGeM.

    python tools/compare_encoders.py --gum gum --discogem discogem --start STAGE.safetensors --output DIR

For each fold an encoder is fine-tuned on three fifths of the documents, beginning with the weights of a stage
that saw neither corpus's implicit relations (the stages of examples/english.toml saw both: train another one
for this), and kept as int8, as in a bundle. Over this encoder, which then
stays as it is:

- *pooled*: the encoder's own scores, W [m1; m2] + b
- *composed*: the paper's model (``RelationModel``'s network) whose leaves are the encoder's states of words,
  reduced to K dimensions by principal components of the training words

each with and without the entity term, with and without surface features. The next fold says when to stop and
what features weigh. Every relation is answered by models that saw neither it nor its document.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice
from disco2.corpora.catalogue import read_corpus, split_relations, with_automatic_layers
from disco2.corpora.tasks import TaskSettings
from disco2.data import Instance
from disco2.data.batch import Example, Floats, collate
from disco2.data.tree import shared_entities
from disco2.evaluation.scores import hits
from disco2.evaluation.significance import bootstrap_interval, paired_bootstrap
from disco2.experiments.configuration import read_configuration
from disco2.features import FeatureExtractor
from disco2.features.extractor import ExampleEncoder
from disco2.files import write_bytes, write_text
from disco2.model import EncoderModel, ModelSettings
from disco2.model.encoder_model import pair_texts
from disco2.model.entity_term import Roles, word_places
from disco2.model.network import batch_scores
from disco2.model.parameters import initial_parameters
from disco2.training.encoder import EncoderSettings, StagePlan, encoder_folder, text_pair
from disco2.training.entity_term import EntitySettings, fit_entity_term, linked_pairs
from disco2.training.fine_tuning import FineTuning, export_onnx
from disco2.training.fit import expand_two_senses, fit_temperature
from disco2.training.loop import Development, TrainingSettings, in_batches, train
from disco2.vectors.word_vectors import find_reduction

FOLDS = 5
PARTS = ("train", "dev", "test")
SHAPE = ModelSettings(kind="encoder", entity_size=64, rank=8)
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)  # of features beside the encoder
CONFIGURATION = Path(__file__).parents[1] / "examples" / "english.toml"

Parts = dict[str, list[Instance]]
Scorer = Callable[[str], Floats]  # part -> scores [n, Y]


def read_folds(gum: Path, discogem: Path) -> tuple[tuple[str, ...], list[Parts]]:
    """The labels, and the relations of each fold by part."""
    corpora = [
        with_automatic_layers(read_corpus(name, path), AnnotatorChoice().open(), ALL_LAYERS)
        for name, path in (("gum", gum), ("discogem", discogem))
    ]
    settings = TaskSettings(level=2, minimum=50)
    labels: set[str] = set()
    for corpus in corpora:
        labels |= set(settings.task(corpus.name).label_set(corpus.relations))
    ordered = tuple(sorted(labels))
    folds = []
    for fold in range(FOLDS):
        parts: Parts = {part: [] for part in PARTS}
        for corpus in corpora:
            task = settings.task(corpus.name)
            for part, relations in split_relations(corpus, f"cv{FOLDS}-{fold}", seed=1).items():
                parts[part] += task.instances(corpus, relations, ordered)[0]
        folds.append(parts)
    return ordered, folds


def fine_tune(parts: Parts, labels: Sequence[str], start: Path, folder: Path) -> EncoderModel:
    """Two passes over the training part; finished folds are read back."""
    kept, encoder = folder / "encoder.onnx", encoder_folder("")
    head = folder / "head.npz"
    if not head.is_file():
        plan = StagePlan(name="fold", data=("own",), epochs=2, rate=6e-5, seed=1, averaging=0.995)
        pools = {"own": [text_pair(one) for one in parts["train"]]}
        tuning = FineTuning(encoder, labels, [plan], pools, EncoderSettings(), folder)
        begin = {name: value for name, value in load_file(start).items() if name.startswith("encoder.")}
        tuning.model.load_state_dict(begin, strict=False)
        tuned = tuning.run(report=lambda text: print(text, flush=True))
        write_bytes(kept, export_onnx(tuned.encoder, takes_types=tuned.takes_types))
        np.savez(head, weights=tuned.head.weight.detach().numpy(), bias=tuned.head.bias.detach().numpy())
    arrays = np.load(head)
    return EncoderModel(
        settings=replace(SHAPE, features=False, entity_size=0),
        labels=tuple(labels),
        onnx=kept.read_bytes(),
        tokenizer=(encoder / "tokenizer.json").read_bytes(),
        weights=arrays["weights"],
        bias=arrays["bias"],
    )


def with_entity_term(model: EncoderModel, training: Sequence[Instance], seed: int) -> EncoderModel:
    pairs = list(linked_pairs(model, training))
    term = fit_entity_term(pairs, shape=SHAPE, settings=EntitySettings(), seed=seed)
    settings = replace(model.settings, entity_size=SHAPE.entity_size, rank=SHAPE.rank)
    return replace(model, settings=settings, entities=term)


@dataclass
class Contextual:
    """All relations of a fold as examples whose leaves are the encoder's states of their words."""

    examples: dict[str, list[Example]]
    leaves: Floats  # [all words + 1, K]
    width: int  # features


def read_contextual(model: EncoderModel, parts: Parts, extractor: FeatureExtractor, K: int) -> Contextual:
    encoder = ExampleEncoder(
        word_row=lambda form: 0, labels=model.labels, extractor=extractor, with_entities=True
    )
    states: list[Floats] = [np.zeros((1, model.weights.shape[1] // 2), dtype=np.float16)]
    examples: dict[str, list[Example]] = {}
    row, training_rows = 1, 0
    for part in PARTS:
        examples[part] = []
        instances = expand_two_senses(parts[part]) if part == "train" else parts[part]
        encoded = encoder.encode(instances)
        roles = [
            None if (places := word_places(one)) is None else Roles(example, places)
            for one, example in zip(instances, encoded, strict=True)
        ]
        for example, own, read in zip(encoded, roles, model.read(pair_texts(instances), roles), strict=True):
            first, second = len(example.first.words), len(example.second.words)
            rows = np.arange(row, row + first + second, dtype=np.int32)
            if own is None:  # the texts of tokens and arguments differ: zeros
                states.append(np.zeros((first + second, states[0].shape[1]), dtype=np.float16))
            else:
                states.append(read.means.astype(np.float16))
            row += first + second
            examples[part].append(
                replace(
                    example,
                    first=replace(example.first, words=rows[:first]),
                    second=replace(example.second, words=rows[first:]),
                )
            )
        training_rows = training_rows or row
    whole = np.concatenate(states)
    drawn = np.random.default_rng(1).choice(training_rows, size=min(training_rows, 50_000), replace=False)
    reduction = find_reduction(whole[drawn].astype(np.float32), dimensions=K)
    leaves = np.concatenate(
        [
            reduction(whole[begin : begin + 50_000].astype(np.float32))
            for begin in range(0, len(whole), 50_000)
        ]
    )
    leaves[0] = 0
    return Contextual(examples, leaves, extractor.width)


def train_composed(
    read: Contextual, parts: Parts, labels: Sequence[str], shape: ModelSettings, settings: TrainingSettings
) -> Scorer:
    numbers = {label: number for number, label in enumerate(labels)}
    held_out = Development(
        in_batches(read.examples["dev"], 256),
        [frozenset(numbers[label] for label in one.gold) for one in parts["dev"]],
    )
    width = read.width if shape.uses_features else 0
    start = initial_parameters(shape, labels=len(labels), features=width, seed=settings.seed)
    parameters, _ = train(shape, start, read.leaves, read.examples["train"], held_out, settings)

    def scores(part: str) -> Floats:
        examples = read.examples[part]
        batches = [collate(examples[begin : begin + 256]) for begin in range(0, len(examples), 256)]
        return np.concatenate([batch_scores(shape, parameters, read.leaves, batch) for batch in batches])

    return scores


def best_sum(first: Scorer, second: Scorer, gold: Sequence[int]) -> Floats:
    """Test scores s + w t with the weight w that makes the dev part most probable."""
    one, other = first("dev"), second("dev")
    weight = min(WEIGHTS, key=lambda weight: fit_temperature(one + weight * other, gold)[1])
    return first("test") + weight * second("test")


def answer_fold(parts: Parts, labels: tuple[str, ...], model: EncoderModel, seed: int) -> dict[str, Floats]:
    """The test scores of every variant."""
    configuration = read_configuration(CONFIGURATION)
    extractor = FeatureExtractor.fit(parts["train"], settings=configuration.features)
    gold = [labels.index(one.gold[0]) for one in parts["dev"]]
    read = read_contextual(model, parts, extractor, K=100)
    settings = TrainingSettings(seed=seed)
    surface = train_composed(
        read, parts, labels, ModelSettings(kind="surface"), replace(configuration.training, seed=seed)
    )
    linked = with_entity_term(model, parts["train"], seed)
    cached: dict[tuple[int, str], Floats] = {}

    def scorer(one: EncoderModel) -> Scorer:
        def scores(part: str) -> Floats:
            key = id(one), part
            if key not in cached:
                cached[key] = one.scores(parts[part])
            return cached[key]

        return scores

    found = {"surface features": surface("test")}
    for name, one in (("pooled", model), ("pooled + entities", linked)):
        found[name] = scorer(one)("test")
        found[f"{name} + features"] = best_sum(scorer(one), surface, gold)
    for name, kind in (("composed", "upward"), ("composed + entities", "entities")):
        for features in (False, True):
            shape = ModelSettings(kind=kind, features=features, K=100)
            found[name + " + features" * features] = train_composed(read, parts, labels, shape, settings)(
                "test"
            )
    return found


COMPARED = (
    ("pooled + entities", "pooled"),
    ("pooled + entities + features", "pooled + features"),
    ("pooled + features", "pooled"),
    ("composed + entities", "composed"),
    ("composed + entities + features", "composed + features"),
    ("composed + features", "composed"),
    ("pooled", "composed"),
    ("pooled + entities + features", "composed + entities + features"),
)


def report(right: dict[str, NDArray[np.float64]], subsets: dict[str, NDArray[np.bool_]]) -> str:
    lines = [
        "| model | " + " | ".join(f"{name} ({chosen.sum():,})" for name, chosen in subsets.items()) + " |"
    ]
    lines.append("| --- |" + " ---: |" * len(subsets))
    for name, values in right.items():
        cells = []
        for chosen in subsets.values():
            low, high = bootstrap_interval(values[chosen], seed=1)
            cells.append(f"{100 * values[chosen].mean():.1f} ({100 * low:.1f} to {100 * high:.1f})")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "| first - second | " + " | ".join(subsets) + " |", "| --- |" + " --- |" * len(subsets)]
    for first, second in COMPARED:
        cells = []
        for chosen in subsets.values():
            one = paired_bootstrap(right[first][chosen], right[second][chosen], seed=1)
            low, high = one.interval
            cells.append(f"{100 * one.difference:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}], p {one.p:.3f}")
        lines.append(f"| {first} - {second} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("--gum", "--discogem", "--start", "--output"):
        options.add_argument(name, type=Path, required=True)
    options.add_argument("--seeds", type=int, default=3, help="of everything over the encoder")
    given = options.parse_args()
    torch.set_num_threads(1)
    labels, folds = read_folds(given.gum, given.discogem)
    print(len(labels), "labels;", [[len(parts[part]) for part in PARTS] for parts in folds], flush=True)
    right: dict[str, list[NDArray[np.float64]]] = {}
    masks: dict[str, list[NDArray[np.bool_]]] = {"all": [], "shared entities": [], "GUM": [], "DiscoGeM": []}
    for number, parts in enumerate(folds):
        folder = given.output / f"fold-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        model = fine_tune(parts, labels, given.start, folder)
        test = parts["test"]
        gold = [one.gold for one in test]
        documents = {one.relation.document: one.document for one in test}
        shared = np.array(shared_entities(documents, [one.relation for one in test]))
        of_gum = np.array([one.relation.document.startswith("GUM") for one in test])
        for name, chosen in zip(masks, (np.ones_like(shared), shared, of_gum, ~of_gum), strict=True):
            masks[name].append(chosen)
        by_seed = [answer_fold(parts, labels, model, seed) for seed in range(1, given.seeds + 1)]
        for name in by_seed[0]:
            shares = [hits(gold, [labels[best] for best in one[name].argmax(axis=1)]) for one in by_seed]
            right.setdefault(name, []).append(np.mean(shares, axis=0))
        print(
            number,
            {name: round(100 * float(values[-1].mean()), 1) for name, values in right.items()},
            flush=True,
        )
    joined = {name: np.concatenate(values) for name, values in right.items()}
    subsets = {name: np.concatenate(values) for name, values in masks.items()}
    said = report(joined, subsets)
    print(said)
    write_text(given.output / "report.md", said + "\n")
    kept = {name: values.tolist() for name, values in joined.items()}
    write_text(given.output / "right.json", json.dumps(kept))


if __name__ == "__main__":
    main()
