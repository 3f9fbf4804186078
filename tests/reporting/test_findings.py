"""Tables in four forms, to the letter."""

from __future__ import annotations

import csv as comma_separated
import io

import pytest

from disco2.experiments.bench import published
from disco2.reporting.findings import (
    ABSENT,
    Difference,
    Measure,
    PValue,
    Table,
    cell_text,
    csv,
    latex,
    latex_text,
    markdown,
)
from tests.reporting.made_up import LADDER, TESTS

MARKDOWN = """\
**Accuracy, dev & test**

| model | features | K | test | paper |
| --- | --- | ---: | ---: | ---: |
| most common | no | – | 25.0 (21.9 to 28.1) | 26.03 (published) |
| someone else's | yes | – | – | 40.2 (published) |
| full\\_model | yes | 1,000 | 47.2 ± 0.9 (43.5 to 50.9) | 43.5 (published) |

Figures are percentages. ± is the standard deviation over seeds. Intervals are 95%.

Better than the most common class.
"""  # noqa: RUF001

CSV = """\
model,features,K,test mean,test deviation,test low,test high,test n,paper mean,paper published
most common,no,,0.25,,0.219,0.281,565,0.2603,true
someone else's,yes,,,,,,,0.402,true
full_model,yes,1000,0.472,0.009,0.435,0.509,565,0.435,true
"""

LATEX = r"""% Needs \usepackage{booktabs}.
\begin{table}
  \centering
  \caption{Accuracy, dev \& test}
  \label{tab:ladder}
  \small
  \begin{tabular}{llrrr}
    \toprule
    model & features & K & test & paper \\
    \midrule
    most common & no & -- & 25.0 (21.9 to 28.1) & 26.03 (published) \\
    someone else's & yes & -- & -- & 40.2 (published) \\
    full\_model & yes & 1,000 & 47.2 $\pm$ 0.9 (43.5 to 50.9) & 43.5 (published) \\
    \bottomrule
  \end{tabular}
  \par\smallskip{\footnotesize Figures are percentages. $\pm$ is the standard deviation over seeds. Intervals are 95\%.\par}
  \par\smallskip{\footnotesize Better than the most common class.\par}
\end{table}
"""  # noqa: E501


def test_tables_to_the_letter() -> None:
    assert markdown(LADDER) == MARKDOWN
    assert csv(LADDER) == CSV
    assert latex(LADDER) == LATEX


def test_differences_and_probabilities() -> None:
    rows = [line.split(" | ")[1:] for line in markdown(TESTS).splitlines() if line.startswith(("| a", "| b"))]
    assert rows == [["+0.4 [−1.2, +2.0]", "0.65 |"], ["−5.3 [−8.0, −2.7]", "< 0.001 |"]]  # noqa: RUF001
    assert r"b $-$ c & $-$5.3 [$-$8.0, $-$2.7] & \textless{} 0.001 \\" in latex(TESTS)
    assert "Intervals are 95%." in markdown(TESTS)
    header, first, _ = comma_separated.reader(io.StringIO(csv(TESTS)))
    assert header[1:] == ["difference difference", "difference low", "difference high", "p"]
    assert [float(value) for value in first[1:]] == [0.004, -0.012, 0.02, 0.65]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ABSENT),
        ("two\n lines", "two lines"),
        (-1234, "−1,234"),  # noqa: RUF001
        (Measure(0.5), "50.0"),
        (Measure(0.4719, 0.0), "47.2 ± 0.0"),
        (published(67.3, decimals=2), "67.30 (published)"),
        (published(43.56), "43.56 (published)"),
        (published(27.4), "27.4 (published)"),
        (published(40), "40.0 (published)"),
        (Difference(-0.0004, (-0.0004, 0.0004)), "+0.0 [+0.0, +0.0]"),
        (Difference(0.01), "+1.0"),
        (PValue(0.03), "0.03"),
        (PValue(0.0496), "0.050"),
        (PValue(0.004), "0.004"),
        (PValue(0.0009), "< 0.001"),
        (PValue(1.0), "1.00"),
    ],
)
def test_the_text_of_a_cell(cell: object, text: str) -> None:
    assert cell_text(cell) == text  # type: ignore[arg-type]


def test_markdown_has_no_character_that_formats() -> None:
    table = Table("t", "a *b*", ("c|d", "[e](f)"), (("`g`\n<b>h</b>", "i_j &amp; k & l"),))
    assert markdown(table) == (
        "**a \\*b\\***\n\n| c\\|d | \\[e\\](f) |\n| --- | --- |\n"
        "| \\`g\\` \\<b\\>h\\</b\\> | i\\_j \\&amp; k & l |\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"a & b % c $ d # e _ f { g }", r"a \& b \% c \$ d \# e \_ f \{ g \}"),
        ("~^\\", r"\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("PDTB ∩ OntoNotes", r"PDTB $\cap$ OntoNotes"),
        ("two\nlines", "two lines"),
    ],
)
def test_latex_escapes(text: str, expected: str) -> None:
    assert latex_text(text) == expected
