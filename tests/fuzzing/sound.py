"""What a document must be like that a reader gave out, however odd its bytes were."""

from __future__ import annotations

import json

from disco2.annotation.document_json import document_from_json, document_to_json
from disco2.data import Constituents, Document
from disco2.errors import Disco2Error


def check_document(document: Document) -> None:
    """It goes to JSON and comes back the same; on the way every number of every layer is checked."""
    written = json.dumps(document_to_json(document))
    try:
        again = document_from_json(json.loads(written), where="what was read")
    except Disco2Error as error:  # the reader should have refused it, not the checker
        raise AssertionError(f"what was read is no document: {error}") from error
    assert again == document, "another document comes back from JSON"


def check_constituents(tree: Constituents, words: int) -> None:
    """Phrases in pre-order that lie inside their parents, the first over all words; a tag for each word."""
    labels, starts, ends, parents = tree.labels, tree.starts, tree.ends, tree.parents
    assert len(labels) == len(starts) == len(ends) == len(parents) > 0
    assert len(tree.tags) == words > 0
    assert (starts[0], ends[0], parents[0]) == (0, words, -1)
    handed = list(starts)  # how far the children of each phrase have come
    for node in range(1, len(labels)):
        parent = parents[node]
        assert 0 <= parent < node
        assert handed[parent] <= starts[node] < ends[node] <= ends[parent]
        handed[parent] = ends[node]
