"""What Schemathesis must know of the description's own format: such a text has a letter or a digit."""

from __future__ import annotations

import schemathesis
from hypothesis import strategies as st

from disco2.inference.plain_text import has_word

schemathesis.openapi.format("words", st.text(st.characters(codec="utf-8"), min_size=1).filter(has_word))
