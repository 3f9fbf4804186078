"""Documents of a corpus: patterns find what the shell would, shards are stable, files are read or refused."""

from __future__ import annotations

import glob
import os
import random
from hashlib import sha256
from pathlib import Path

import pytest

from disco2.bulk.documents import (
    LARGEST,
    SHORT,
    FilePatterns,
    Found,
    Shard,
    Source,
    read_source,
    show_name,
    split_shards,
)
from disco2.errors import InputError


def names(*patterns: str | Path, without: Path | None = None) -> list[str]:
    return [os.fsdecode(one.name) for one in FilePatterns(list(map(str, patterns))).walk(without=without)]


def make(root: Path, *files: str) -> Path:
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return root


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("**/*.txt", ["a.txt", "b.txt", "d/a.txt", "d/e/f.txt", "g.d/a.txt"]),
        ("d/**/*.txt", ["a.txt", "e/f.txt"]),  # below the folder d, which is fixed
        ("d/**", ["a.txt", "e/f.txt"]),
        ("[^a].txt", ["b.txt"]),
        ("*", ["a.txt", "b.txt", "c.md"]),
        (".h*/*", [".hidden/x.txt"]),
        ("a.txt/*", []),
    ],
)
def test_the_shells_meaning(tmp_path: Path, pattern: str, found: list[str]) -> None:
    make(tmp_path, "a.txt", "b.txt", "c.md", "d/a.txt", "d/e/f.txt", "g.d/a.txt", ".hidden/x.txt", ".y.txt")
    assert names(tmp_path / pattern) == found


def test_the_same_as_pythons_glob_on_many_trees(tmp_path: Path) -> None:
    chance = random.Random(5)  # noqa: S311  no secret
    parts = ["a", "b", "ab", "a.b", ".a", "[x]"]
    components = ["*", "**", "a", "a*", "?", "[ab]", "*.b", ".*", "[[]x]"]
    found = 0
    for number in range(30):
        root = tmp_path / str(number)
        for _ in range(15):
            *folders, name = chance.choices(parts, k=chance.randint(1, 4))
            place = root.joinpath(*(f"{one}-" for one in folders), name)  # folders never have a file's name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("x")
        for _ in range(15):
            *folders, last = chance.choices(components, k=chance.randint(1, 4))
            pattern = "/".join([*(one if one == "**" else f"{one}-" for one in folders), last])
            there = glob.glob(str(root / pattern), recursive=True)  # noqa: PTH207  not what is hidden
            expected = {one for one in there if Path(one).is_file()}
            patterns = FilePatterns([str(root / pattern)])
            walked = [Path(patterns.root, os.fsdecode(one.name)) for one in patterns.walk()]
            listed = [str(one) for one in walked if one.is_file()]
            assert set(listed) == expected, pattern
            assert len(listed) == len(expected), pattern
            found += len(listed)
    assert found > 300


def test_several_patterns_are_one_walk_and_each_file_comes_once(tmp_path: Path) -> None:
    make(tmp_path, "a/x.txt", "b/x.txt", "b/y.md", "c/z.txt")
    assert names(tmp_path / "b" / "*.md", tmp_path / "a" / "*", tmp_path / "**/x.txt") == [
        *("a/x.txt", "b/x.txt", "b/y.md")
    ]
    assert names(tmp_path / "a/*", tmp_path / "b/*.txt") == ["a/x.txt", "b/x.txt"]  # names tell them apart
    patterns = FilePatterns([f"{tmp_path}/*/x.txt", f"{tmp_path}/q/*"])
    list(patterns.walk())
    assert patterns.unmatched == [f"{tmp_path}/q/*"]
    assert patterns.described == [f"{tmp_path.name}/*/x.txt", f"{tmp_path.name}/q/*"]


def test_links(tmp_path: Path) -> None:
    make(tmp_path, "a/x.txt", "b/y.txt")
    (tmp_path / "a" / "circle").symlink_to(tmp_path)
    (tmp_path / "a" / "self").symlink_to("self")
    (tmp_path / "a" / "link.txt").symlink_to(tmp_path / "b" / "y.txt")
    (tmp_path / "a" / "nowhere.txt").symlink_to("gone")
    assert names(tmp_path / "**/*.txt") == ["a/link.txt", "a/nowhere.txt", "a/x.txt", "b/y.txt"]
    assert names(tmp_path / "a/circle/b/*.txt") == ["y.txt"]  # a link that is named is followed
    assert names(tmp_path / "a/*/b/*.txt") == []  # a wildcard follows no link to a folder
    assert names(tmp_path / "a/*.txt") == ["nowhere.txt", "x.txt"]  # nor one out of the corpus
    assert names(tmp_path / "a/link.txt") == ["link.txt"]
    assert names(tmp_path / "a/**/*.txt", tmp_path / "a/circle/b/*.txt")[0] == "circle/b/y.txt"


def test_odd_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = ["a\nb.txt", "ü.txt", "日本.txt", " .txt", "a;b'\".txt", "x\udce9.txt", "\\.txt", "[.txt"]
    for name in odd:
        (tmp_path / name).write_text("x")
    found = names(tmp_path / "*.txt")
    assert sorted(found) == sorted(odd)
    assert found == sorted(odd, key=os.fsencode)
    assert names(tmp_path / "a\n*.txt") == ["a\nb.txt"]
    assert show_name(b"caf\xe9.txt") == "caf\\xe9.txt"
    make(tmp_path / "co[rp]us*", "x.txt")
    monkeypatch.chdir(tmp_path / "co[rp]us*")
    assert names("*.txt") == ["x.txt"]


def test_the_output_is_no_input(tmp_path: Path) -> None:
    make(tmp_path, "a/x.txt", "a/out/y.txt", "a/out/deep/z.txt", "a/outside/x.txt")
    assert names(tmp_path / "**/*", without=tmp_path / "a" / "out") == ["a/outside/x.txt", "a/x.txt"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_is_locked_comes_as_itself(tmp_path: Path) -> None:
    make(tmp_path, "a/x.txt", "b/y.txt")
    (tmp_path / "a").chmod(0)
    try:
        assert names(tmp_path / "**/*.txt") == ["a", "b/y.txt"]
    finally:
        (tmp_path / "a").chmod(0o755)


@pytest.mark.parametrize("pattern", ["", "/", "a/*/../b", "~nobody-of-that-name/x"])
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(InputError):
        FilePatterns([pattern])


def source(folder: Path, name: str | bytes, *, most: int = 100) -> Source:
    return read_source(str(folder), os.fsencode(name), most)


def test_a_document(tmp_path: Path) -> None:
    content = "\ufeffBob left.\r\nTina stayed.".encode()
    (tmp_path / "a.txt").write_bytes(content)
    found = source(tmp_path, "a.txt")
    assert found.refused is None
    assert found.identity == sha256(content).hexdigest()
    assert found.text("utf-8") == "Bob left.\r\nTina stayed."
    assert found.content == b""  # let go


@pytest.mark.parametrize(
    ("content", "encoding", "what"),
    [
        (b"caf\xe9", "utf-8", "byte 0xe9 in position 3: unexpected end of data, line 1"),
        (b"", "utf-8", "no word"),
        (b" \n...\x00", "utf-8", "no word"),
        (b"\xff\xfeB", "utf-8", "utf-16"),
    ],
)
def test_what_is_no_text(tmp_path: Path, content: bytes, encoding: str, what: str) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    found = source(tmp_path, "a.txt")
    assert found.text(encoding) is None
    assert what in str(found.refused)


def test_what_can_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "large").write_bytes(b"x" * 101)
    (tmp_path / "circle").symlink_to("circle")
    os.mkfifo(tmp_path / "pipe")  # would be waited for, for ever
    reasons = {name: source(tmp_path, name) for name in ("folder", "large", "circle", "pipe", "gone")}
    said = {name: str(one.refused) for name, one in reasons.items()}
    assert "not a regular file" in said["folder"]
    assert "too large: it may have 100 bytes" in said["large"]
    assert "--most-bytes" in said["large"]
    assert "can't be read" in said["circle"]
    assert "not a regular file" in said["pipe"]
    assert "No such file" in said["gone"]
    assert len({one.identity for one in reasons.values()}) == 5


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
    for _ in range(30):
        place = chance.randrange(len(found))
        fewer = cut([*found[:place], *found[place + 1 :]])
        more = cut([*found[:place], Found(b"%05d-new.txt" % place, size), *found[place:]])
        changed += [len(set(fewer) - set(before)), len(set(more) - set(before))]
    assert sorted(changed)[len(changed) // 2] == 1
    assert sum(changed) / len(changed) < 1.6  # two where a border was added, a few after a large shard
    assert max(changed) <= 8


def test_a_document_that_is_too_large_counts_as_nothing() -> None:
    names = (b"a", b"b", b"c")
    for size, expected in ((MOST + 1, [names]), (MOST, [names[:2], names[2:]])):
        found = [Found(name, size if name == b"b" else 10) for name in names]
        assert cut(found, 1_000) == expected
    assert cut([]) == []
