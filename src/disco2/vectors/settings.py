"""Where word vectors come from."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.settings import Settings, setting


@dataclass(frozen=True)
class VectorSettings(Settings):
    """Source and size of the table of word vectors."""

    source: str = setting(
        "shipped", "shipped: GloVe, comes with the package; word2vec: trained on the corpus; or a file"
    )
    frequent: int = setting(
        50000, "frequent words to keep in the model, beside those that the training relations use", minimum=0
    )
