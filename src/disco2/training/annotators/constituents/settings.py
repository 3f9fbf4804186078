"""The sizes of the constituency parser and how it is trained."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.settings import Settings, setting


@dataclass(frozen=True)
class ParserSettings(Settings):
    """The defaults are those of the shipped parser."""

    word_size: int = setting(50, "dimensions of the embedding of frequent words", minimum=1)
    piece_size: int = setting(50, "dimensions of the embedding of prefixes, suffixes and shapes", minimum=1)
    tag_size: int = setting(32, "dimensions of the embedding of tags", minimum=1)
    hidden: int = setting(144, "hidden size of the encoder, in each direction", minimum=1)
    span_hidden: int = setting(192, "hidden size of the scorer of spans", minimum=1)
    word_count: int = setting(3, "a word needs so many occurrences to have an embedding", minimum=1)
    piece_count: int = setting(10, "a prefix, suffix or shape needs so many", minimum=1)
    label_count: int = setting(3, "a chain of labels needs so many to be learnt as one", minimum=1)
    epochs: int = setting(24, "passes over the training sentences", minimum=1)
    batch_tokens: int = setting(800, "tokens in a step", minimum=1)
    rate: float = setting(0.002, "highest learning rate of Adam", above=0)
    warm_up: int = setting(200, "steps until the highest rate", minimum=1)
    decay: float = setting(0.0, "decay of the weights (AdamW)", minimum=0)
    clip: float = setting(5.0, "largest norm of a gradient", above=0)
    averaging: float = setting(
        0.998, "decay of the running mean of the weights that is kept", minimum=0, below=1
    )
    input_dropout: float = setting(0.25, "dropout of the encoder's inputs", minimum=0, below=1)
    dropout: float = setting(0.33, "dropout after each layer of the encoder", minimum=0, below=1)
    unknown_word: float = setting(0.15, "share of words whose own embedding is hidden", minimum=0, below=1)
    unknown_vector: float = setting(0.03, "share of words whose vector is hidden", minimum=0, below=1)
    unknown_tag: float = setting(0.2, "share of tags that are hidden", minimum=0, below=1)
    unknown_tags: float = setting(0.15, "share of sentences all of whose tags are hidden", minimum=0, below=1)
    redrawn_tag: float = setting(0.3, "share of tags drawn anew, as a weak tagger would", minimum=0, below=1)
    tag_loss: float = setting(0.2, "weight of predicting the tags as a second task", minimum=0)
