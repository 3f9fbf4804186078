"""Configuration files and --set options."""

from __future__ import annotations

from disco2.experiments.configuration import Configuration, commented_toml, names, read_configuration
from tests.fuzzing.target import Target, scratch_folder


def read_settings_file(content: bytes) -> None:
    """What is taken can be written, and read back the same."""
    with scratch_folder() as folder:
        file = folder / "configuration.toml"
        file.write_bytes(content)
        found = read_configuration(file)
        file.write_text(commented_toml(found), encoding="utf-8")
        assert read_configuration(file) == found


def read_assignments(content: bytes) -> None:
    """Options as a shell hands them over, one a line."""
    given = content.decode("utf-8", errors="surrogateescape").split("\n")
    read_configuration(None, given)


_TOKENS = (
    *(name.partition(".")[2].encode() + b" = " for name in names()),
    *b"[model] [training] [[model]] true 1e999 nan -1 1979-05-27T07:32:00Z { [ . 1_000".split(),
    *(b"0x" + b"f" * 50, b'"""', b"'''", b"\\uD800", b"\n"),
)

_SHORT = "".join(
    line for line in commented_toml(Configuration()).splitlines(keepends=True) if not line.startswith("#")
).encode()

_DATA = b'[[data]]\ncorpus = "gum"\npath = "a"\n[[data]]\ncorpus = "pairs"\npath = "../b"\nweight = 0.5\n'

TARGETS = (
    Target(
        "settings-file",
        read_settings_file,
        (_SHORT, b"[model]\nK = 20\n", b'model.kind = "surface"\n', _DATA),
        _TOKENS,
    ),
    Target(
        "settings-options",
        read_assignments,
        (
            b"model.K=20\ntraining.epochs = 3",
            b"model.kind=surface",
            b'features.context=false\nmodel.kind="additive"',
        ),
        (*(name.encode() for name in names()), *_TOKENS, b"=", b"\n"),
    ),
)
