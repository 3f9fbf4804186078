"""Which texts look like English."""

from __future__ import annotations

import pytest

from disco2.inference.pipeline import Pipeline
from disco2.inference.plain_text import NOT_ENGLISH, LanguageWarning, looks_english

OTHER_LANGUAGES = """
Das Wetter war schlecht. Wir sind zu Hause geblieben.
Il pleuvait toute la nuit. Nous sommes restés à la maison.
Llovió toda la noche. Nos quedamos en la casa.
Ha piovuto tutta la notte. Siamo rimasti a casa.
Het regende de hele nacht. We zijn niet naar buiten gegaan.
Det regnade hela natten. Vi stannade hemma och läste.
Koko yön satoi vettä. Me jäimme kotiin, ja hän luki.
Padało całą noc. Zostaliśmy w domu, bo nie było autobusu.
Egész éjjel esett az eső. Otthon maradtunk és olvastunk.
Bütün gece yağmur yağdı. Evde kaldık ve kitap okuduk.
Trời mưa cả đêm. Chúng tôi ở nhà và đọc sách.
Всю ночь шёл дождь. Мы остались дома.
下了一整夜的雨。我们待在家里。
一晩中雨が降った。私たちは家にいた。
هطل المطر طوال الليل. بقينا في المنزل.
"""  # noqa: RUF001
ENGLISH = """
Stocks fall sharply
Rain delays final. Fans angry.
Café owner wins El Clásico tickets
La La Land wins six Oscars
Beyoncé and José Mourinho meet in São Paulo
He took a résumé to the café. She ate crème brûlée.
Der Spiegel reports losses. Le Monde denies claims.
El Niño hits Peru
OK. No.
123 456. 789!
"""


@pytest.mark.parametrize("text", OTHER_LANGUAGES.strip().splitlines())
def test_other_languages_are_told_apart(text: str) -> None:
    assert not looks_english(text)


@pytest.mark.parametrize("text", ["", *ENGLISH.strip().splitlines()])
def test_short_english_texts_are_english(text: str) -> None:
    assert looks_english(text)


def test_the_pipeline_warns(small: Pipeline) -> None:
    text = "Das Wetter war schlecht. Wir sind zu Hause geblieben."
    with pytest.warns(LanguageWarning, match="English"):
        found = small(text)
    assert found.to_dict()["warnings"] == [NOT_ENGLISH]
    with pytest.warns(LanguageWarning):
        list(small.pipe([text]))
