"""Patterns find what the shell would, once, in order, whatever the names."""

from __future__ import annotations

import glob
import os
import random
import tracemalloc
from pathlib import Path

import pytest

from disco2.bulk.documents import FilePatterns
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
        ("*.txt", ["a.txt", "b.txt"]),
        ("**/*.txt", ["a.txt", "b.txt", "d/a.txt", "d/e/f.txt", "g.d/a.txt"]),
        ("*/*.txt", ["d/a.txt", "g.d/a.txt"]),
        ("d/**/*.txt", ["a.txt", "e/f.txt"]),  # below the folder d, which is fixed
        ("**/e/*", ["d/e/f.txt"]),
        ("d/**", ["a.txt", "e/f.txt"]),
        ("?.txt", ["a.txt", "b.txt"]),
        ("[!a].txt", ["b.txt"]),
        ("[^a].txt", ["b.txt"]),
        ("[a-b].txt", ["a.txt", "b.txt"]),
        ("*", ["a.txt", "b.txt", "c.md"]),
        ("a.txt", ["a.txt"]),
        (".h*/*", [".hidden/x.txt"]),
        ("**/**/f.txt", ["d/e/f.txt"]),
        ("none/*.txt", []),
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


def test_odd_names(tmp_path: Path) -> None:
    odd = ["a\nb.txt", "ü.txt", "日本.txt", " .txt", "a;b'\".txt", "x\udce9.txt", "\\.txt", "[.txt"]
    for name in odd:
        (tmp_path / name).write_text("x")
    found = names(tmp_path / "*.txt")
    assert sorted(found) == sorted(odd)
    assert found == sorted(odd, key=os.fsencode)
    assert names(tmp_path / "a\n*.txt") == ["a\nb.txt"]


def test_a_folder_whose_own_name_looks_like_a_pattern(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "co[rp]us*", "x.txt")
    monkeypatch.chdir(tmp_path / "co[rp]us*")
    assert names("*.txt") == ["x.txt"]


def test_folders_with_the_name_of_a_file_are_reported_and_a_star_means_files(tmp_path: Path) -> None:
    make(tmp_path, "a.txt/x.txt", "b/y.txt", "c.txt")
    assert names(tmp_path / "*.txt") == ["a.txt", "c.txt"]
    assert names(tmp_path / "**/*.txt") == ["a.txt", "a.txt/x.txt", "b/y.txt", "c.txt"]
    assert names(tmp_path / "*") == ["c.txt"]


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


@pytest.mark.parametrize("pattern", ["", "/", "a/*/../b", "a\0b", "~nobody-of-that-name/x"])
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(InputError):
        FilePatterns([pattern])


def test_a_plain_folder_is_told_what_to_ask_for(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"folder.*\*\*/\*\.txt"):
        FilePatterns([str(tmp_path)]).check_folders()


def test_the_walk_holds_one_folder_at_a_time(tmp_path: Path) -> None:
    def peak(folders: int) -> int:
        root = tmp_path / str(folders)
        make(root, *(f"{one:03d}/{name:03d}.txt" for one in range(folders) for name in range(40)))
        patterns = FilePatterns([f"{root}/**/*.txt"])
        tracemalloc.start()
        count = sum(1 for _ in patterns.walk())
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == 40 * folders
        return most

    assert peak(48) < 2 * peak(6)
