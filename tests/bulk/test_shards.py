"""Shards keep their documents when others come and go."""

from __future__ import annotations

import random

import pytest

from disco2.bulk.documents import LARGEST, SHORT, Found, Shard, split_shards

MOST = 5_000_000


def cut(found: list[Found], documents: int = 50) -> list[Shard]:
    return list(split_shards(found, documents=documents, most_bytes=MOST))


def corpus(count: int, size: int) -> list[Found]:
    chance = random.Random(count)  # noqa: S311  no secret
    return [Found(b"%05d.txt" % number, chance.randint(size // 2, size * 2)) for number in range(count)]


@pytest.mark.parametrize("size", [500, 5_000])
def test_all_documents_in_order_in_shards_of_bounded_size(size: int) -> None:
    found = corpus(3_000, size)
    shards = cut(found)
    assert [name for shard in shards for name in shard] == [one.name for one in found]
    assert all(1 <= len(shard) <= LARGEST * 50 for shard in shards)
    sizes = {one.name: one.size for one in found}
    assert all(sum(map(sizes.__getitem__, shard)) < LARGEST * 50 * SHORT + 2 * size for shard in shards)
    average = 50 / (1 + 1.25 * size / SHORT)
    assert average / 1.5 < len(found) / len(shards) < average * 1.5


@pytest.mark.parametrize("size", [500, 5_000])
def test_a_document_more_or_less_changes_one_shard(size: int) -> None:
    found = corpus(3_000, size)
    before = cut(found)
    chance = random.Random(1)  # noqa: S311  no secret
    changed = []
    for _ in range(60):
        place = chance.randrange(len(found))
        fewer = cut([*found[:place], *found[place + 1 :]])
        more = cut([*found[:place], Found(b"%05d-new.txt" % place, size), *found[place:]])
        changed += [len(set(fewer) - set(before)), len(set(more) - set(before))]
    assert sorted(changed)[len(changed) // 2] == 1
    assert (
        sum(changed) / len(changed) < 1.6
    )  # two where a border was added; a few where a shard was too large
    assert max(changed) <= 8


def test_a_document_that_is_too_large_counts_as_nothing() -> None:
    names = (b"a", b"b", b"c")
    for size, expected in ((MOST + 1, [names]), (MOST, [names[:2], names[2:]])):
        found = [Found(name, size if name == b"b" else 10) for name in names]
        assert cut(found, 1_000) == expected
    assert cut([]) == []
