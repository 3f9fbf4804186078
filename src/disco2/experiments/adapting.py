"""A shipped model, adapted to labelled pairs: disco2 train --from-model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from disco2.bundle import Manifest, load_bundle, save_bundle
from disco2.data import WITHOUT_SENSE, Corpus, Instance
from disco2.errors import CorpusError, SettingsError
from disco2.evaluation.scores import hits
from disco2.evaluation.significance import Interval, PairedBootstrap, paired_bootstrap, wilson_interval
from disco2.model import EncoderModel
from disco2.model.encoder_model import pair_texts
from disco2.training.adaptation import FOLDS, LabelledPairs, adapt, deal_folds

LEAST_PAIRS = 20
TEST = "test"  # pairs of this part are left out


@dataclass(frozen=True)
class AdaptedModel:
    """The new model, and its accuracy on the pairs in cross-validation beside that of the model before."""

    model: EncoderModel
    base: Manifest
    base_name: str
    label_counts: dict[str, int]  # of the pairs
    strength: float
    accuracy: dict[str, tuple[float, Interval]]  # before and after, each with its 95% interval
    difference: PairedBootstrap

    @property
    def pairs(self) -> int:
        return sum(self.label_counts.values())

    @property
    def verdict(self) -> str:
        """Whether the difference is a gain, in one sentence."""
        low, high = (100 * one for one in self.difference.interval)
        change = f"{100 * self.difference.difference:+.1f} points (95% interval {low:+.1f} to {high:+.1f})"
        if self.difference.difference <= 0:
            return f"No gain: {change}. Keep using the model '{self.base_name}', or label more pairs."
        return f"Gain: {change}." if low > 0 else f"No clear gain: {change} may be chance."

    def to_json(self) -> dict[str, Any]:
        content: dict[str, Any] = {"from_model": self.base_name, "pairs": self.pairs}
        content |= {"label_counts": self.label_counts, "strength": self.strength}
        for when, (accuracy, interval) in self.accuracy.items():
            content |= {f"accuracy_{when}": accuracy, f"interval_{when}": list(interval)}
        content["difference"] = self.difference.difference
        return content | {"interval_of_difference": list(self.difference.interval)}


def read_base(folder: Path) -> tuple[EncoderModel, Manifest]:
    """A model that can be adapted; SettingsError for one of the paper's kinds."""
    model, manifest = load_bundle(folder)
    if not isinstance(model, EncoderModel):
        raise SettingsError(
            f"Only an encoder can be adapted, and this model is of the kind '{model.settings.kind}'.",
            where=str(folder),
            hint="Use --from-model en, or train a model without --from-model.",
        )
    return model, manifest


def adaptable_instances(corpus: Corpus, labels: Sequence[str]) -> list[Instance]:
    """The labelled pairs, without those of the test part; CorpusError for an unknown label or too few."""
    found = []
    for relation in corpus.relations:
        if not relation.senses or corpus.parts.get(relation.document) == TEST:
            continue
        for label in relation.senses:
            if label not in labels:
                nearest = get_close_matches(label, labels, n=1)
                meant = f"Did you mean '{nearest[0]}'? " if nearest else ""
                raise CorpusError(
                    f"The model does not know the label '{label}'.",
                    where=relation.where,
                    hint=f"{meant}It knows: {', '.join(labels)}. Or train without --from-model.",
                )
        found.append(Instance(relation, corpus.documents[relation.document], gold=relation.senses))
    if len(found) < LEAST_PAIRS:
        raise CorpusError(
            f"There are {len(found)} labelled pairs, and at least {LEAST_PAIRS} are needed.",
            where=corpus.name,
            hint="Label more: disco2 label FILE --output labels.csv",
        )
    return found


def adapt_model(corpus: Corpus, model: EncoderModel, base: Manifest, *, name: str, seed: int) -> AdaptedModel:
    """Adapt the last layer to the pairs of a corpus that has its layers.

    Where no pair is labelled EntRel or NoRel, the model chooses among senses, as for given arguments; else
    among all labels, as in running text.
    """
    instances = adaptable_instances(corpus, model.labels)
    running_text = any(WITHOUT_SENSE.intersection(one.gold) for one in instances)
    columns = np.arange(len(model.labels)) if running_text else np.flatnonzero(model.is_sense)
    labels = [model.labels[column] for column in columns]
    targets = np.array([[label in one.gold for label in labels] for one in instances], dtype=np.float64)
    pairs = LabelledPairs(
        pooled=model.pool(pair_texts(instances)).astype(np.float64),
        scores=model.scores(instances)[:, columns].astype(np.float64),
        targets=targets / targets.sum(axis=1, keepdims=True),
        temperature=base.running_text_temperature if running_text else base.temperature,
    )
    folds = deal_folds(_groups(corpus, instances), [one.gold[0] for one in instances], seed=seed)
    found = adapt(pairs, folds)
    weights, bias = model.weights.copy(), model.bias.copy()
    weights[columns] += found.weights.astype(weights.dtype)
    bias[columns] += found.bias.astype(bias.dtype)
    before, after = (
        hits([one.gold for one in instances], [labels[column] for column in answers])
        for answers in (found.before, found.after)
    )
    accuracy = {
        when: (float(right.mean()), wilson_interval(int(right.sum()), len(right)))
        for when, right in (("before", before), ("after", after))
    }
    counts = dict(Counter(one.gold[0] for one in instances).most_common())
    adapted = replace(model, weights=weights, bias=bias)
    difference = paired_bootstrap(after, before, seed=seed)
    return AdaptedModel(adapted, base, name, counts, found.strength, accuracy, difference)


def save_adapted(adapted: AdaptedModel, path: Path, *, source: str, force: bool = False) -> None:
    """Write an ordinary bundle, whose card says what was adapted and on which file."""
    base, after = adapted.base, adapted.accuracy["after"]
    digest = base.to_json()["digest"]
    note = (
        f"Adapted from the model '{adapted.base_name}' (digest {digest}) on {adapted.pairs} labelled pairs "
        f"of {source}: its last layer alone, strength {adapted.strength:g}. Everything else in this section "
        "is about the model before."
    )
    changed = {
        "label_counts": dict(Counter(base.label_counts) + Counter(adapted.label_counts)),
        "notes": [note, *base.data.get("notes", ())],
        "adapted": {"from_model": adapted.base_name, "digest": digest, "source": source},
    }
    save_bundle(
        adapted.model,
        path,
        configuration=base.configuration,
        task=base.task,
        data={key: value for key, value in base.data.items() if key != "name"} | changed,
        figures={
            f"accuracy on these pairs before ({adapted.pairs})": adapted.accuracy["before"][0],
            f"accuracy on these pairs after, by {FOLDS}-fold cross-validation": after[0],
            "95% interval of the accuracy after": _interval(after[1]),
            "95% interval of the difference": _interval(adapted.difference.interval),
        },
        calibration=base.calibration,
        force=force,
    )


def _groups(corpus: Corpus, instances: Sequence[Instance]) -> list[tuple[str, ...]]:
    """What must not be divided between folds: pairs of one source, or where there are few, of equal texts."""
    sources = [corpus.groups.get(one.relation.document, one.relation.document) for one in instances]
    if corpus.groups and len(set(sources)) >= 2 * FOLDS:
        return [(source,) for source in sources]
    return [(one.relation.arg1.text, one.relation.arg2.text) for one in instances]


def _interval(interval: Interval) -> str:
    return f"{interval[0]:.4f} to {interval[1]:.4f}"
