"""A divided corpus and a configuration -> a trained model, saved as a bundle."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np

from disco2.bundle import save_bundle
from disco2.corpora.catalogue import licence_of, licences_of_texts
from disco2.data import WITHOUT_SENSE, Corpus, Instance, RelationKind
from disco2.data.batch import Floats
from disco2.errors import CorpusError
from disco2.evaluation.scores import expected_calibration_error, hits
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts, as_running_text, weak_instances
from disco2.model import AnyModel, EncoderModel
from disco2.model.probabilities import Calibration
from disco2.training.encoder import OWN, fit_encoder
from disco2.training.entity_term import fit_entity_term, linked_pairs
from disco2.training.fit import Fitted, Prepared, fit_temperature, hold_out, learn, most_common, prepare
from disco2.training.loop import Progress, Report
from disco2.vectors.word_vectors import WORD2VEC

WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)  # of an encoder's surface features
OFFSETS = np.arange(-1, 3.5, 0.5)  # of an encoder's EntRel and NoRel


def train_model(
    corpus: Corpus,
    parts: Parts,
    configuration: Configuration,
    *,
    preparations: Preparations | None = None,
    progress: Progress = lambda epoch: None,
    report: Report = lambda text: None,
    state: Path | None = None,
) -> Fitted:
    """Train on the training part, stop by the dev part; no label of the test part is looked at.

    ``preparations`` are what earlier trainings on this corpus prepared, and may be used again. ``state`` is a
    folder for the finished stages of an encoder, from which an interrupted training resumes; it is the
    caller's to remove.
    """
    check_learnable(corpus, parts)
    model, settings = configuration.model, configuration.training
    if model.kind == "majority":
        return most_common(parts.instances["train"], parts.labels, model)
    if model.kind == "encoder":
        tuned = _fine_tuned(parts, configuration, progress, report, state)
        if model.entity_size:
            tuned = _with_entities(tuned, parts, configuration, report)
        if model.features:
            tuned = _with_features(tuned, corpus, parts, configuration)
        return _with_offsets(tuned, _training_and_development(parts, configuration)[2])
    make = partial(prepare_training, corpus, parts, configuration)
    prepared = preparations.of(parts, configuration, make) if preparations else make()
    return learn(prepared, model, settings, progress=progress)


def prepare_training(corpus: Corpus, parts: Parts, configuration: Configuration) -> Prepared:
    """Everything that a training needs.

    Explicit and AltLex relations, if configured, and those of other corpora are used for training alone.
    Word2vec, if configured, learns from the texts of all parts, as in the paper, and of all corpora.
    """
    task, seed = configuration.task, configuration.training.seed
    training, widened, development = _training_and_development(parts, configuration)
    kinds = [RelationKind(kind) for kind in task.weak_kinds]
    weak = weak_instances(corpus, parts, kinds=kinds, weight=task.weak_weight) if task.weak_weight else []
    if task.weak_weight and not weak:
        what = f"No {' or '.join(kinds)} relation of the training part can serve as a further instance."
        raise CorpusError(what, where=corpus.name, hint="Leave out task.weak_weight.")
    prepared = prepare(
        [*training, *widened],
        development,
        labels=parts.labels,
        model=configuration.model,
        features=configuration.features,
        vectors=configuration.vectors,
        seed=seed,
        development_share=configuration.training.development_share,
        positive=parts.task.versus,
        balanced=bool(parts.task.versus) and task.balance,
        further=(*weak, *parts.further_instances()),
        sentences=chain(corpus.sentences(), *(one.corpus.sentences() for one in parts.further)),
    )
    return replace(prepared, training_relations=prepared.training_relations - len(widened))


def _training_and_development(
    parts: Parts, configuration: Configuration
) -> tuple[list[Instance], list[Instance], list[Instance]]:
    """Training relations, those of them again that running text would present, and the development part."""
    training, development = parts.instances["train"], parts.instances["dev"]
    if not development:  # before a relation is repeated with whole sentences, or it would be on both sides
        share, seed = configuration.training.development_share, configuration.training.seed
        training, development = hold_out(training, share=share, seed=seed)
    # Running text has no arguments but whole sentences: a model for it should have seen some.
    widened = as_running_text(training) if configuration.task.whole_sentences else []
    return training, widened, development


def _fine_tuned(
    parts: Parts, configuration: Configuration, progress: Progress, report: Report, state: Path | None
) -> Fitted:
    """An encoder: the main corpus is the pool ``own``, each further one a pool of its name."""
    training, widened, development = _training_and_development(parts, configuration)
    with_sense = [one for one in training if one.has_sense]  # of EntRel and NoRel, whole sentences are enough
    pools: dict[str, list[Instance]] = {OWN: [*(with_sense if widened else training), *widened]}
    for further in parts.further:
        pools.setdefault(further.entry.name, []).extend(further.instances(parts.task, parts.labels))
    with tempfile.TemporaryDirectory() as scratch:
        fitted = fit_encoder(
            pools,
            development,
            labels=parts.labels,
            model=configuration.model,
            settings=configuration.encoder,
            stages=configuration.stages,
            seed=configuration.training.seed,
            folder=state or Path(scratch),
            progress=progress,
            report=report,
        )
    return replace(fitted, training_relations=len(training))


def _with_entities(tuned: Fitted, parts: Parts, configuration: Configuration, report: Report) -> Fitted:
    """The encoder with the term of shared entities, fitted to all training pairs that have layers."""
    training, widened, _ = _training_and_development(parts, configuration)
    further = (one for one in parts.further if one.entry.features)
    instances = [*training, *widened, *chain(*(one.instances(parts.task, parts.labels) for one in further))]
    if not isinstance(tuned.model, EncoderModel):
        return tuned
    report("entity term: reading the pairs that share an entity")
    pairs = list(linked_pairs(tuned.model, instances))
    if not pairs:
        raise CorpusError(
            "No training pair shares an entity.",
            hint="Leave out model.entity_size, or train with layers: --automatic all",
        )
    shape, seed = configuration.model, configuration.training.seed
    term = fit_entity_term(pairs, shape=shape, settings=configuration.entities, seed=seed, report=report)
    settings = replace(
        tuned.model.settings, entity_size=shape.entity_size, rank=shape.rank, pairs=shape.pairs
    )
    return replace(tuned, model=replace(tuned.model, settings=settings, entities=term))


def _with_features(tuned: Fitted, corpus: Corpus, parts: Parts, configuration: Configuration) -> Fitted:
    """The encoder with surface features, whose weights a model of kind ``surface`` has learned.

    With s the scores of the encoder and t those of the features, the new ones are s + w t. The weight w makes
    the dev parts most probable, at the temperature that is best for it; where it is 0 they are left out.
    """
    surface = configuration.changed({"model.kind": "surface"})
    layered = replace(parts, further=tuple(one for one in parts.further if one.entry.features))
    prepared = prepare_training(corpus, layered, surface)
    learned = learn(prepared, surface.model, surface.training).model
    development = [*prepared.development, *chain(*layered.further_development())]
    gold = [parts.labels.index(one.gold[0]) for one in development]
    scores, added = tuned.model.scores(development), learned.scores(development)
    weight = min(WEIGHTS, key=lambda weight: fit_temperature(scores + weight * added, gold)[1])
    if not weight or not isinstance(tuned.model, EncoderModel):
        return tuned
    parameters = learned.parameters
    if surface.model.members > 1:
        parameters = {name: value.mean(axis=0) for name, value in parameters.items()}
    together = replace(
        tuned.model,
        settings=replace(tuned.model.settings, features=True),
        bias=tuned.model.bias + np.float32(weight) * parameters["b"],
        extractor=prepared.untrained.extractor,
        feature_weights=np.float32(weight) * parameters["beta"],
    )
    return replace(tuned, model=together)


def _with_offsets(tuned: Fitted, development: Sequence[Instance]) -> Fitted:
    """The encoder with constants added to b[y] for y in EntRel and NoRel.

    Most corpora lack these outcomes or have them in other shares, so that a mixture has not those of running
    text. The constants make the running text of the dev part most probable, at the temperature that is best
    for them. Given arguments are not affected: there a model chooses among senses.
    """
    model, pairs = tuned.model, as_running_text(development)
    outcomes = np.flatnonzero(~model.is_sense)
    if not isinstance(model, EncoderModel) or not len(outcomes) or not pairs:
        return tuned
    scores, gold = model.scores(pairs), [model.labels.index(one.gold[0]) for one in pairs]

    def shift(values: Floats, constants: Sequence[float]) -> Floats:
        shifted = values.copy()
        shifted[..., outcomes] += np.array(constants, dtype=np.float32)
        return shifted

    candidates = product(OFFSETS.tolist(), repeat=len(outcomes))
    best = min(candidates, key=lambda constants: fit_temperature(shift(scores, constants), gold)[1])
    moved = {model.labels[label]: value for label, value in zip(outcomes, best, strict=True)}
    return replace(tuned, model=replace(model, bias=shift(model.bias, best)), offsets=moved)


def check_learnable(corpus: Corpus, parts: Parts) -> None:
    """CorpusError where there is nothing to learn."""
    training = parts.instances["train"]
    labels = {label for instance in training for label in instance.gold}
    if len(labels) < 2:
        raise CorpusError(
            f"The {len(training)} training relations have {len(labels)} labels that count; two are needed.",
            where=corpus.name,
            hint="Lower task.minimum, or choose another level or split; in a file of pairs, labels are in "
            "the column 'label'. See: disco2 corpus stats",
        )
    if WITHOUT_SENSE.issuperset(labels):
        raise CorpusError(
            "EntRel and NoRel are the only labels, and a model needs one that says more.",
            where=corpus.name,
            hint="Give them other names if they are labels like any other; these have their own meaning.",
        )


class Preparations:
    """What the last training on a corpus prepared: the next one, with another seed or rate, starts so."""

    def __init__(self) -> None:
        self._key: Hashable = None
        self._kept: Prepared | None = None

    def of(self, parts: Parts, configuration: Configuration, make: Callable[[], Prepared]) -> Prepared:
        """What a training under a configuration starts from, prepared if it is not kept."""
        key = preparation_key(configuration, seed_matters=not parts.instances["dev"])
        if self._kept is None or self._key != key:
            self._kept = None  # before the next one is made: it takes memory
            self._key, self._kept = key, make()
        return self._kept


def preparation_key(configuration: Configuration, *, seed_matters: bool = False) -> Hashable:
    """Every setting that ``prepare_training`` depends on."""
    task, model, training = configuration.task, configuration.model, configuration.training
    by_seed = seed_matters or bool(task.versus and task.balance) or configuration.vectors.source == WORD2VEC
    return (
        task,
        configuration.features,
        configuration.vectors,
        (model.kind, model.features, model.K),
        (training.seed, training.development_share) if by_seed else None,
    )


def save_model(
    fitted: Fitted,
    parts: Parts,
    configuration: Configuration,
    corpus: Corpus,
    path: Path,
    *,
    force: bool = False,
) -> None:
    """Write a bundle that says what it was trained on and how, with the temperatures of its probabilities."""
    save_bundle(fitted.model, path, **vars(record_of(fitted, parts, configuration, corpus)), force=force)


@dataclass(frozen=True)
class BundleRecord:
    """What ``save_bundle`` takes beside a model; ``bundle.manifest.Manifest`` explains it."""

    configuration: dict[str, Any]
    task: dict[str, Any]
    data: dict[str, Any]
    figures: dict[str, Any]
    calibration: dict[str, Any]


def record_of(fitted: Fitted, parts: Parts, configuration: Configuration, corpus: Corpus) -> BundleRecord:
    """What the model was trained on and how, with the temperatures of its probabilities."""
    calibration, errors = calibrated(fitted.model, fitted.development, further=parts.further_development())
    figures: dict[str, Any] = {}
    if best := fitted.history.best:
        figures[f"development_{parts.score_name}"] = best.score
        if configuration.model.kind != "encoder":  # the last weights of an encoder are kept
            figures["best_pass"] = best.number
    figures |= {f"development_calibration_error_of_{name}": value for name, value in errors.items()}
    return BundleRecord(
        configuration=configuration.changed({"encoder.folder": "", "encoder.state": ""}).to_json(),
        task=parts.task.to_json(),
        data={
            "corpus": corpus.name,
            "protocol": parts.protocol,
            "training_relations": fitted.training_relations,
            "label_counts": _label_counts(parts, configuration),
            **({"offsets": dict(fitted.offsets)} if fitted.offsets else {}),
            "development_relations": len(fitted.development),
            "vectors": configuration.vectors.source if configuration.model.uses_vectors else "none",
            "licence": licence_of(corpus.name),
            "licences_of_texts": list(licences_of_texts(corpus.name)),
            "notes": list(corpus.notes),
            "automatic_layers": list(corpus.automatic),
            "annotators": corpus.annotators,
            **({"further": [one.to_json() for one in parts.further]} if parts.further else {}),
        },
        figures=figures,
        calibration={"temperature": calibration.temperature, "running_text": calibration.of_running_text},
    )


def _label_counts(parts: Parts, configuration: Configuration) -> dict[str, float]:
    """The training relations of each label; one with two labels counts for both.

    Those of other corpora count by their weight; in a training of several stages, as the last one draws them.
    """
    counts: Counter[str] = Counter(label for one in parts.instances["train"] for label in one.gold)
    if parts.task.versus and configuration.task.balance:  # the smaller class was repeated
        return dict.fromkeys(parts.labels, max(counts.values()))
    total: dict[str, float] = {label: counts[label] for label in parts.labels}
    last = configuration.stages[-1].drawn if configuration.stages else None
    for further in parts.further:
        found = further.instances(parts.task, parts.labels)
        drawn = last.get(further.entry.name) if last is not None else len(found)
        if drawn is None:
            continue
        share = drawn / len(found) if drawn else 1.0
        for one in found:
            for label in one.gold:
                total[label] += share * one.weight
    return {label: round(count, 1) for label, count in total.items()}


GIVEN, RUNNING_TEXT = "given_arguments", "running_text"


def calibrated(
    model: AnyModel, development: Sequence[Instance], *, further: Sequence[Sequence[Instance]] = ()
) -> tuple[Calibration, dict[str, float]]:
    """Temperatures fitted on relations that the model did not learn from, and calibration errors by use.

    Errors are expected calibration errors at temperature 1 (``before``) and at the fitted one (``after``).
    ``further`` has the dev parts of other corpora, which count for given arguments alone. Each corpus has a
    best temperature of its own; the highest is taken, so that the model is overconfident on none of them.
    """
    labels, uses = model.labels, _uses(model, development)
    fitted = {name: _temperature(labels, *use) for name, use in uses.items()}
    others = (_uses(model, corpus).get(GIVEN) for corpus in further)
    hottest = max([fitted.get(GIVEN, 1.0), *(_temperature(labels, *use) for use in others if use)])
    calibration = Calibration(hottest, fitted.get(RUNNING_TEXT))
    errors = {}
    for name, (instances, columns, scores) in uses.items():
        for when, chosen in (("before", Calibration()), ("after", calibration)):
            probabilities = chosen.probabilities(scores, columns if name == GIVEN else None)
            answers = [labels[label] for label in probabilities.argmax(axis=1)]
            right = hits([one.gold for one in instances], answers)
            errors[f"{name}_{when}"] = expected_calibration_error(probabilities.max(axis=1), right)
    return calibration, errors


Use = tuple[Sequence[Instance], list[int], Floats]  # relations, the allowed outcomes, scores of all outcomes


def _uses(model: AnyModel, instances: Sequence[Instance]) -> dict[str, Use]:
    """Given arguments, where a model chooses among senses; and running text if it knows other outcomes."""
    uses = {GIVEN: ([one for one in instances if one.has_sense], model.is_sense.nonzero()[0].tolist())}
    if not model.is_sense.all():
        uses[RUNNING_TEXT] = as_running_text(instances), list(range(len(model.labels)))
    return {name: (some, columns, model.scores(some)) for name, (some, columns) in uses.items() if some}


def _temperature(
    labels: Sequence[str], instances: Sequence[Instance], columns: list[int], scores: Floats
) -> float:
    """The best one for the first gold labels that are allowed outcomes."""
    allowed = [labels[column] for column in columns]
    gold = [next(allowed.index(label) for label in one.gold if label in allowed) for one in instances]
    return fit_temperature(scores[:, columns], gold)[0]
