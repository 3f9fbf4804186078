"""Examples as level-ordered flat arrays: the one path from a relation to numbers."""

from disco2.batches.batch import Batch, MentionGroups, collate
from disco2.batches.encoder import UNKNOWN_WORD, Encoder
from disco2.batches.example import EncodedArgument, EncodedLink, Example

__all__ = [
    "UNKNOWN_WORD",
    "Batch",
    "EncodedArgument",
    "EncodedLink",
    "Encoder",
    "Example",
    "MentionGroups",
    "collate",
]
