"""From raw text to relations: what each stage does in a second, beside the whole."""

from __future__ import annotations

from benchmarks import text
from benchmarks.speed.memory import peak_bytes
from benchmarks.speed.rows import Beside, Row
from benchmarks.speed.run import Run
from disco2.inference.pipeline import load
from disco2.threads import single_threaded

WHOLE = "whole"
MADE_UP = (
    "Anna opened the small bakery two years ago. She had saved money for a long time. Her brother, who "
    "lives by the sea, did not believe in the plan. The first winter was hard, and few people came. Then "
    "a newspaper wrote about the bread. Within a week there was a queue in front of the door. Anna hired "
    "three young bakers from the village. They start at four in the morning. The oldest of them used to "
    "drive a truck. He says that the work is warmer. On Sundays the shop stays closed because everybody "
    "wants to sleep. The brother now visits every month. He carries flour, washes the windows and eats "
    "more cake than anyone else.\n\n"
    "The town council wants to close the old bridge. Its iron parts are rusty, and repairs would cost two "
    "million. Many commuters are angry. They would have to take the road through the valley, which is ten "
    "kilometres longer. The mayor promised a decision before summer. She has asked an engineer for a "
    "second opinion. It arrived yesterday. According to the report, the bridge could stand for another "
    "twenty years if heavy trucks were banned. The council will discuss it on Monday.\n\n"
)
COPIES = 12


def measure_text(run: Run) -> list[Row]:
    """Sentences a second for every stage and for the whole: the dev texts of GUM, or made-up ones."""
    texts = run.gum.dev_texts if run.gum else {f"made-up {number}": MADE_UP for number in range(COPIES)}
    with single_threaded():
        found = text.measure(texts)
        nlp = load()
        some = list(texts.values())[:COPIES]
        peak = peak_bytes(lambda: [nlp(one) for one in some])
    whole = found[WHOLE]["sentences_a_second"]
    source = "GUM dev" if run.gum else "made-up text"
    rows = []
    for stage, figures in found.items():
        if "sentences_a_second" not in figures:
            continue
        rate = figures["sentences_a_second"]
        beside = () if stage == WHOLE else (Beside(WHOLE, whole, rate / whole),)
        name = f"from text, {stage}, {source}"
        facts = {"sentences": int(found[WHOLE]["sentences"])}
        rows.append(Row(name, "sentences", rate, beside, peak if stage == WHOLE else None, facts))
    return rows
