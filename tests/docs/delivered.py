"""Made-up corpora in the folders in which the real ones are delivered, as docs/how-to shows them."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.corpora.discogem_files import write_discogem
from tests.corpora.miniature import (
    write_coreference,
    write_ontonotes,
    write_pdtb2,
    write_pdtb3,
    write_trees,
)
from tests.corpora.miniature_conll16 import write_conll16_parts
from tests.corpora.miniature_documents import half_annotated

HEADER_2025 = [
    *("doc", "unit1_toks", "unit2_toks", "unit1_txt", "unit2_txt", "u1_raw", "u2_raw", "s1_toks", "s2_toks"),
    *("unit1_sent", "unit2_sent", "dir", "rel_type", "orig_label", "label"),
]
WEATHER = ("Rain fell .", "Snow fell .", "Wind rose .", "Fog came .")
OUTCOMES = ("Roads closed .", "Trains stopped .", "Boats stayed .", "Shops opened .")


def deliver(root: Path) -> None:
    """Writes every corpus of the pages below a folder."""
    docs, annotated = half_annotated()

    _deliver_pdtb2(root, write_pdtb2(root / "made", docs))
    write_pdtb3(root / "PDTB-3.0" / "data", docs)
    trees = write_trees(root / "made-trees", docs)
    (root / "treebank_3" / "parsed" / "mrg").mkdir(parents=True)
    shutil.move(trees / "combined" / "wsj", root / "treebank_3" / "parsed" / "mrg" / "wsj")
    release = root / "ontonotes-release-5.0" / "data" / "files" / "data" / "english" / "annotations"
    write_ontonotes(release, annotated)
    columns = root / "conll-2012" / "v4" / "data" / "train" / "data" / "english" / "annotations"
    write_coreference(columns, annotated)

    parts = write_conll16_parts(root / "conll16st", docs)
    for folder in list(parts.iterdir()):
        folder.rename(parts / folder.name.replace("conll16-en-", "conll16st-en-03-29-16-"))
    _deliver_disrpt(root / "disrpt" / "eng.pdtb.tale")
    write_discogem(root / "discogem", 20)
    _deliver_pairs(root / "my.csv")


def _deliver_pdtb2(root: Path, made: Path) -> None:
    """LDC's relations in one package, the raw texts in the treebank's."""
    (root / "pdtb_v2").mkdir()
    shutil.move(made / "data", root / "pdtb_v2" / "data")
    (root / "treebank_3" / "raw").mkdir(parents=True)
    shutil.move(made / "raw", root / "treebank_3" / "raw" / "wsj")


def _deliver_disrpt(folder: Path) -> None:
    folder.mkdir(parents=True)
    for part, count in (("train", 24), ("dev", 8), ("test", 8)):
        rows, sentences = ["\t".join(HEADER_2025)], []
        for number in range(count):
            name = f"tale_{part}_{number}"
            first, second = WEATHER[number % 4], OUTCOMES[number // 4 % 4]
            label = ("contingency.cause.result", "expansion.conjunction")[number % 2]
            cells = [name, "1-3", "4-6", first, second, first, second, "1-3", "4-6", first, second, "1>2"]
            rows.append("\t".join([*cells, "implicit", label, label.rpartition(".result")[0] or label]))
            sentences.append(f"# newdoc id = {name}\n{_conllu(first)}\n{_conllu(second)}")
        stem = folder / f"{folder.name}_{part}"
        stem.with_name(f"{stem.name}.rels").write_text("\n".join(rows) + "\n", encoding="utf-8")
        stem.with_name(f"{stem.name}.conllu").write_text("\n".join(sentences) + "\n", encoding="utf-8")


def _conllu(sentence: str) -> str:
    noun, verb, stop = sentence.split()
    return (
        f"1\t{noun}\t{noun}\tNOUN\tNN\t_\t2\tnsubj\t_\t_\n"
        f"2\t{verb}\t{verb}\tVERB\tVBD\t_\t0\troot\t_\t_\n"
        f"3\t{stop}\t{stop}\tPUNCT\t.\t_\t2\tpunct\t_\t_\n"
    )


def _deliver_pairs(file: Path) -> None:
    lines = ["arg1,arg2,label,split"]
    for number in range(48):
        split = "test" if number % 6 == 5 else "dev" if number % 6 == 4 else "train"
        if number // 6 % 2:
            lines.append(
                f"The parcel {number} was late.,The clerk apologised to customer {number}.,complaint,{split}"
            )
        else:
            lines.append(f"We loved the soup {number}.,We will come back on day {number}.,praise,{split}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
