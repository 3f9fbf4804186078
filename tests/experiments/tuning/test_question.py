"""What a study asks: no look at the test part, and a name that follows from all that matters."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disco2.data import Corpus
from disco2.errors import SettingsError
from disco2.experiments.configuration import Configuration
from disco2.experiments.tuning.question import Question, pose
from disco2.experiments.tuning.space import choose_space
from tests.experiments.tuning.made_up_study import QUICK


def posed(corpus: Corpus, configuration: Configuration = QUICK, **options: Any) -> Question:
    return pose(corpus, configuration, choose_space(configuration), **options)


def parts_of(corpus: Corpus, question: Question, part: str) -> set[str]:
    return {corpus.parts[one.document.id] for one in question.parts.instances[part]}


def test_trials_are_judged_on_the_dev_part_and_have_no_test_part(corpus: Corpus) -> None:
    question = posed(corpus)
    assert (parts_of(corpus, question, "train"), parts_of(corpus, question, "dev")) == ({"train"}, {"dev"})
    assert question.parts.instances["test"] == question.parts.relations["test"] == []
    assert question.development == "dev"
    assert question.seeds == (1, 2)


def test_a_random_fifth_of_the_training_relations_leaves_the_dev_part_alone(corpus: Corpus) -> None:
    question = posed(corpus, development="random")
    assert parts_of(corpus, question, "train") == parts_of(corpus, question, "dev") == {"train"}
    training, held = question.parts.instances["train"], question.parts.instances["dev"]
    assert (len(training), len(held)) == (48, 12)
    assert not {one.relation.id for one in training} & {one.relation.id for one in held}
    assert posed(corpus, development="random").parts.instances == question.parts.instances
    other = posed(corpus, QUICK.changed({"training.seed": 2}), development="random")
    assert other.parts.instances["dev"] != held


def test_without_a_dev_part_development_is_random(corpus: Corpus) -> None:
    all_train = replace(corpus, parts=dict.fromkeys(corpus.documents, "train"))
    question = posed(all_train)
    assert question.development == "random"
    assert len(question.parts.instances["dev"]) == round(0.2 * len(corpus.relations))


def test_what_differs_in_the_question_differs_in_its_name(corpus: Corpus) -> None:
    fewer = replace(corpus, relations=corpus.relations[1:])
    asked = [
        posed(corpus),
        posed(corpus, development="random"),
        posed(corpus, seeds=3),
        posed(corpus, QUICK.changed({"training.batch_size": 8})),
        posed(corpus, QUICK.changed({"task.versus": "Contingency"})),
        posed(corpus, QUICK.changed({"training.rate_features": 0.1})),
        pose(corpus, QUICK, choose_space(QUICK, grid="paper")),
        posed(fewer),
    ]
    assert len({question.name for question in asked}) == len(asked)
    assert posed(corpus).name == asked[0].name


def test_what_is_varied_anyway_does_not_make_another_question(corpus: Corpus) -> None:
    space = choose_space(QUICK, grid="paper")
    other = QUICK.changed({"training.rate_features": 0.07})
    assert pose(corpus, QUICK, space).name == pose(corpus, other, space).name


def test_a_question_reaches_a_process_that_was_not_forked(corpus: Corpus) -> None:
    question = posed(corpus)
    again = pickle.loads(pickle.dumps(question))  # noqa: S301  as multiprocessing does it
    assert again.name == question.name
    assert again.parts.instances == question.parts.instances


@pytest.mark.parametrize("options", [{"development": "test"}, {"seeds": 0}])
def test_odd_questions_are_refused(corpus: Corpus, options: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        posed(corpus, **options)


def test_another_file_of_vectors_is_another_question(corpus: Corpus, tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    asked = QUICK.changed({"vectors.source": str(file)})
    file.write_text("one 1 2")
    name = posed(corpus, asked).name
    assert posed(corpus, asked).name == name
    file.write_text("one 1 2\ntwo 3 4")
    assert posed(corpus, asked).name != name
