from __future__ import annotations

from dataclasses import replace

import pytest

from disco2.corpora.tasks import (
    CONLL16_SENSES,
    LIN_EXCLUDED,
    LIN_TYPES,
    PDTB3_TYPES,
    Task,
    TaskSettings,
    binary_task,
    task_for,
)
from disco2.data import RelationKind
from disco2.data.senses import inventory
from disco2.errors import SettingsError
from disco2.training.encoder import text_pair
from tests.corpora.made_up import corpus, relation

CAUSE = "Contingency.Cause.Reason"
RESULT = "Contingency.Cause.Result"
CONTRAST = "Comparison.Contrast"
LIST = "Expansion.List"


def test_usual_protocols() -> None:
    usual = {
        name: TaskSettings().protocol_for(name) for name in ("gum", "pdtb2", "pdtb3", "discogem", "pairs")
    }
    assert usual == {"gum": "gum", "pdtb2": "lin", "pdtb3": "ji", "discogem": "documents", "pairs": "own"}
    assert TaskSettings(protocol="cv5-0").protocol_for("gum") == "cv5-0"


def test_the_papers_types_are_all_of_pdtb2_without_lins_five() -> None:
    assert (len(LIN_TYPES), len(LIN_EXCLUDED), len(PDTB3_TYPES), len(CONLL16_SENSES)) == (11, 5, 14, 15)
    assert set(PDTB3_TYPES) <= set(inventory("pdtb3").all_senses)
    assert {*LIN_EXCLUDED, *CONLL16_SENSES} - {"EntRel"} <= set(inventory("pdtb2").all_senses)


def test_labels_are_read_off_the_training_part() -> None:
    train = [relation("a", 1, [CAUSE]), relation("a", 2, [RESULT]), relation("a", 3, [CONTRAST])]
    train += [relation("a", 4, [LIST]), relation("a", 5, [LIST]), relation("a", 6, ["Expansion"])]
    assert Task("t", minimum=2).label_set(train) == ("Contingency.Cause", LIST)
    assert Task("t", minimum=2, keep=("contrast",)).label_set(train) == (CONTRAST, "Contingency.Cause", LIST)
    assert Task("t", minimum=1, excluded=("List",)).label_set(train) == (CONTRAST, "Contingency.Cause")
    assert Task("t", minimum=3, level=1).label_set(train + train) == ("Contingency", "Expansion")


def test_labels_that_are_no_pdtb_senses_have_no_levels() -> None:
    train = [relation("a", 1, ["elaboration"]), relation("a", 2, ["v1.2.3"])]
    assert task_for("pairs").label_set(train) == ("elaboration", "v1.2.3")


def test_instances_have_all_their_labels_and_their_neighbours() -> None:
    relations = [
        relation("a", 1, kind=RelationKind.ENTREL),
        relation("a", 2, [CONTRAST, CAUSE, RESULT]),
        relation("a", 3, ["Temporal.Synchronous"], kind=RelationKind.EXPLICIT),
        relation("b", 1, [CAUSE]),
    ]
    instances, dropped = Task("t").instances(corpus(relations), relations, (CONTRAST, "Contingency.Cause"))
    assert [instance.relation.id for instance in instances] == ["a:2", "b:1"]
    assert instances[0].gold == (CONTRAST, "Contingency.Cause")
    assert (instances[0].previous, instances[0].following) == (relations[0], relations[2])
    assert (instances[1].previous, instances[1].following) == (None, None)
    assert instances[1].document.id == "b"
    assert dropped == {}  # relations of other kinds are none of the task's business


def test_what_is_dropped_is_counted_once_with_its_reason() -> None:
    relations = [
        relation("a", 1, ["Expansion.Exception", CONTRAST]),
        relation("a", 2, ["Contingency"]),
        relation("a", 3),
        relation("a", 4, ["Temporal.Synchrony"]),
        relation("a", 5, [CAUSE], arg1=()),
        relation("a", 6, [CAUSE]),
    ]
    instances, dropped = Task("t", excluded=("Exception",)).instances(
        corpus(relations), relations, ("Contingency.Cause",)
    )
    assert len(instances) == 1
    assert dropped == {
        "sense Expansion.Exception is excluded": 1,
        "sense Contingency is not annotated at level 2": 1,
        "no sense": 1,
        "sense Temporal.Synchrony is rare": 1,
        "an argument has no tokens": 1,
    }


def test_one_class_against_the_others_counts_entrel_as_expansion() -> None:
    relations = [
        relation("a", 1, kind=RelationKind.ENTREL),
        relation("a", 2, [CAUSE, LIST]),
        relation("a", 3, [CAUSE]),
        relation("a", 4, kind=RelationKind.NOREL),
    ]
    expansion, cause = binary_task("expansion"), binary_task("Contingency")
    assert expansion.label_set(relations) == ("Expansion", "Other")
    read = corpus(relations)
    instances, dropped = expansion.instances(read, relations, expansion.label_set(relations))
    assert [instance.gold for instance in instances] == [("Expansion",), ("Expansion",), ("Other",)]
    assert dropped == {}
    instances, _ = cause.instances(read, relations, cause.label_set(relations))
    assert [instance.gold for instance in instances] == [("Other",), ("Contingency",), ("Contingency",)]
    with pytest.raises(SettingsError, match="Comparison, Contingency"):
        binary_task("Elaboration")


def test_the_usual_labels_can_be_added_to_and_taken_from() -> None:
    made = [relation("a", 1, ["Contingency.Condition"]), relation("a", 2, [CAUSE])]
    usual = TaskSettings().task("pdtb2")
    assert usual.label_set(made) == tuple(sorted(LIN_TYPES))
    more = TaskSettings(keep=("condition",), excluded=("contrast", "list")).task("pdtb2").label_set(made)
    assert set(more) == {*LIN_TYPES, "Contingency.Condition"} - {"Comparison.Contrast", "Expansion.List"}
    assert TaskSettings(minimum=1).task("pdtb2").label_set([*made, relation("a", 3, [LIST])]) == (
        "Contingency.Cause",
        "Expansion.List",
    )  # Condition is one of Lin's five


def test_one_class_against_all_others_leaves_nothing_else_to_choose() -> None:
    assert TaskSettings(versus="Expansion").task("pdtb2").versus == "Expansion"
    for other in (
        {"level": 1},
        {"minimum": 5},
        {"labels": ("A", "B")},
        {"keep": ("A",)},
        {"excluded": ("A",)},
    ):
        with pytest.raises(SettingsError, match="its own labels"):
            TaskSettings(versus="Expansion", **other)


def test_running_text_has_outcomes_without_a_sense() -> None:
    train = [relation("a", 1, [CAUSE]), relation("a", 2, kind=RelationKind.ENTREL)]
    train += [relation("a", 3, kind=RelationKind.NOREL), relation("a", 4, [LIST], kind=RelationKind.EXPLICIT)]
    task = TaskSettings(outcomes="running-text", minimum=1).task("gum", "gdtb")
    labels = task.label_set(train)
    assert labels == ("Contingency.Cause", "EntRel", "NoRel")
    instances, dropped = task.instances(corpus(train), train, labels)
    assert [one.gold for one in instances] == [("Contingency.Cause",), ("EntRel",), ("NoRel",)]
    assert not dropped
    assert Task.from_json(task.to_json()) == task

    usual = TaskSettings(outcomes="running-text").task("pdtb2")
    assert set(usual.label_set(train)) == {*LIN_TYPES, "EntRel", "NoRel"}
    senses = TaskSettings(minimum=1).task("gum", "gdtb")
    assert senses.label_set(train) == ("Contingency.Cause",)
    with pytest.raises(SettingsError, match="own labels"):
        TaskSettings(outcomes="running-text", versus="Expansion")


def test_a_relation_with_votes_alone_has_the_label_with_most() -> None:
    votes = ((CAUSE, 0.2), (CONTRAST, 0.6), (RESULT, 0.2))
    one = replace(relation("a", 1, []), votes=votes)
    read = corpus([one, relation("a", 2, [])])
    (contrast,), dropped = Task("t").instances(read, read.relations, (CONTRAST, "Contingency.Cause"))
    assert contrast.gold == (CONTRAST,)
    assert dropped == {"no sense": 1}
    assert Task("t", minimum=1).label_set([one]) == (CONTRAST, "Contingency.Cause")
    entrel = replace(one, kind=RelationKind.ENTREL)
    ((kept,), _) = Task("t", entrel="EntRel").instances(read, [entrel], (CONTRAST, "EntRel"))
    assert kept.gold == ("EntRel",)
    assert text_pair(contrast).target == pytest.approx({"Contingency.Cause": 0.4, CONTRAST: 0.6})
    both = replace(contrast, relation=replace(one, senses=(CONTRAST,)))
    assert text_pair(both).target == pytest.approx({"Contingency.Cause": 0.2, CONTRAST: 0.8})


def test_votes_become_shares_of_the_labels_that_count() -> None:
    votes = ((CAUSE, 0.3), (RESULT, 0.2), (CONTRAST, 0.25), ("Expansion", 0.15), ("NoRel", 0.1))
    one, plain = replace(relation("a", 1, [CAUSE]), votes=votes), relation("a", 2, [CAUSE])
    read = corpus([one, plain])

    def targets(task: Task, *labels: str) -> list[dict[str, float]]:
        return [dict(found.target) for found in task.instances(read, read.relations, labels)[0]]

    both = targets(Task("t"), "Contingency.Cause", CONTRAST)
    assert both == [pytest.approx({"Contingency.Cause": 2 / 3, CONTRAST: 1 / 3}), {}]
    assert targets(Task("t"), "Contingency.Cause")[0] == {"Contingency.Cause": 1.0}
    whole = targets(Task("t", level=1), "Contingency", "Comparison", "Expansion", "NoRel")[0]
    assert whole == pytest.approx({"Contingency": 0.5, "Comparison": 0.25, "Expansion": 0.15, "NoRel": 0.1})
    binary = targets(binary_task("Contingency"), "Contingency", "Other")[0]
    assert binary == pytest.approx({"Contingency": 0.5, "Other": 0.5})
