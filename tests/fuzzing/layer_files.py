"""Small files of every layer format, made up, and words and signs to mix into them."""

from __future__ import annotations

TEXT = "Ann slept. Bob sang to her, and she woke up."
TREES = """\
(ROOT (S (NP-SBJ (NNP Ann)) (VP (VBD slept)) (. .)))
( (S (NP (NNP Bob)) (VP (VBD sang) (-NONE- *T*-1) (PP (TO to) (NP (PRP her)))) (, ,) (CC and)
     (S (NP (PRP she)) (VP (VBD woke) (ADVP|PRT (RB up)))) (. .)) )
"""
CONLLU = """\
# newdoc id = wsj_0001
# newpar
# text = Ann slept.
1\tAnn\tAnn\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tslept\tsleep\tVERB\tVBD\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tdo\tdo\tAUX\tVBP\t_\t0\troot\t_\t_
2\tn't\tnot\tPART\tRB\t_\t1\tadvmod\t_\t_
2.1\tsing\t_\t_\t_\t_\t_\t_\t1:dep\t_
"""
COLUMNS = """\
#begin document (wsj_0001); part 000
wsj_0001 0 0 Ann NNP * - - - - (7)
wsj_0001 0 1 slept VBD * - - - - -

wsj_0001 0 0 Bob NNP * - - - - (8|(7
wsj_0001 0 1 woke VBD * - - - - 7)|8)
#end document
"""
GUM_COLUMNS = """\
# begin document GUM_made_up
0\tAnn\t(person-1-Ann_Lee)
1\tslept\t_
2\tin\t_
3\tthe\t(place-2
4\ttown\tplace-2)
# end document
"""
ONTONOTES = """\
<DOC DOCNO="nw/wsj/00/wsj_0099@0099@wsj@nw@en@on">
<TEXT PARTNO="000">
<COREF ID="3" TYPE="IDENT">The ferry -AMP- <COREF ID="4" TYPE="APPOS">a boat</COREF></COREF> was late *T*-1 .
</TEXT>
</DOC>
"""

MARKS = (
    *b"( ) () (( )) (NN -LRB- `` '' ' \" . \\/ Ann".split(),
    b" ",
    b"\n",
    b"\t",
    b"(NN dog)",
    b"\xef\xbb\xbf",
)
# Spaces and digits of other kinds, quotes and dashes that are folded, and what can't be seen.
ODD_SIGNS = tuple(map(str.encode, "\u00a0\x1c\u2028\x85\u0662\u00b2\u201c\u2014\u2026\u00ad\x00"))
JSON_WORDS = (
    *b'null true NaN Infinity 1e999 -1 -0 1.0 1.5 99999999999999999999 {} [] [[[[ "" 0'.split(),
    *(b"\\ud800", b"\\u0000", b": ", b", "),
)


def conllu_row(number: int | str, head: int | str, *, word: str = "a", misc: str = "_") -> str:
    """A line of CoNLL-U."""
    label = "root" if head == 0 else "dep"
    return "\t".join(map(str, (number, word, "_", "X", "NN", "_", head, label, "_", misc)))


def conllu_of(text_words: str) -> str:
    """One sentence of the words, all of them below the first."""
    rows = [
        conllu_row(number, 0 if number == 1 else 1, word=word)
        for number, word in enumerate(text_words.split(), start=1)
    ]
    return "\n".join([*rows, ""])


CONLLU_OF_TEXT = "\n".join(map(conllu_of, ("Ann slept .", "Bob sang to her , and she woke up .")))
