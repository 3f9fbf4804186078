"""Every setting in one place: read from TOML and --set options, printed with comments."""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from disco2.corpora.tasks import DataSettings, TaskSettings
from disco2.errors import InputError, SettingsError
from disco2.features import FeatureSettings
from disco2.model import ModelSettings
from disco2.settings import Settings
from disco2.training.encoder import EncoderSettings, StagePlan
from disco2.training.entity_term import EntitySettings
from disco2.training.loop import TrainingSettings
from disco2.vectors import VectorSettings

DATA, STAGE = "data", "stage"
_Table = TypeVar("_Table", bound=Settings)
_WEIGHT = re.compile(r"(.+):(\d+(?:\.\d+)?)", re.DOTALL)


@dataclass(frozen=True)
class Configuration:
    """One section for each room that has settings, and the corpora of a training with several."""

    task: TaskSettings = field(default_factory=TaskSettings)
    vectors: VectorSettings = field(default_factory=VectorSettings)
    features: FeatureSettings = field(default_factory=FeatureSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    training: TrainingSettings = field(default_factory=TrainingSettings)
    encoder: EncoderSettings = field(default_factory=EncoderSettings)
    entities: EntitySettings = field(default_factory=EntitySettings)
    data: tuple[DataSettings, ...] = ()
    stages: tuple[StagePlan, ...] = ()  # of an encoder's training; none: all data in one stage

    def to_json(self) -> dict[str, Any]:
        """The sections. What ``data`` added to a model, the model records apart, without paths."""
        return {section: asdict(getattr(self, section)) for section in SECTIONS}

    @classmethod
    def from_json(cls, content: Mapping[str, Mapping[str, Any]]) -> Configuration:
        """Settings as ``to_json`` gave them; those that this version does not know are passed over."""
        known = set(names())
        given = (
            (f"{section}.{name}", value) for section in content for name, value in content[section].items()
        )
        return cls().changed({name: value for name, value in given if name in known})

    def changed(self, values: Mapping[str, Any], *, where: str = "") -> Configuration:
        """A copy with some settings changed, each named ``section.name``."""
        by_section: dict[str, dict[str, Any]] = {}
        known = names()
        for name, value in values.items():
            if name not in known:
                raise SettingsError(f"There is no setting '{name}'.", where=where, hint=_nearest(name, known))
            section, _, key = name.partition(".")
            by_section.setdefault(section, {})[key] = value
        try:
            changes: Any = {name: replace(getattr(self, name), **some) for name, some in by_section.items()}
        except SettingsError as error:
            raise SettingsError(error.what, where=where, hint=error.hint) from None
        return replace(self, **changes)


SECTIONS = tuple(part.name for part in fields(Configuration) if part.name not in ("data", "stages"))


def names() -> list[str]:
    """All settings, as ``section.name``."""
    defaults = Configuration()
    return [f"{section}.{one.name}" for section in SECTIONS for one in fields(getattr(defaults, section))]


def read_configuration(path: Path | None, assignments: Iterable[str] = ()) -> Configuration:
    """Defaults, then a TOML file, then ``section.name=value`` options."""
    configuration = Configuration()
    if path is not None:
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except OSError as error:
            what = f"The configuration can't be read: {error.strerror}."
            raise SettingsError(what, where=str(path)) from error
        except (ValueError, RecursionError) as error:  # of TOML, of UTF-8, of a number of thousands of digits
            what = f"The configuration is not valid TOML: {error}."
            raise SettingsError(what, where=str(path)) from error
        data = [
            replace(entry, path=_absolute(entry.path, path.parent))
            for entry in _tables(DataSettings, DATA, content.pop(DATA, []), path)
        ]
        stages = _tables(StagePlan, STAGE, content.pop(STAGE, []), path)
        for section, values in content.items():
            if not isinstance(values, dict):
                what, hint = f"The setting '{section}' stands outside a section.", _nearest(section, names())
                raise SettingsError(what, where=str(path), hint=hint)
            found = {f"{section}.{name}": value for name, value in values.items()}
            configuration = configuration.changed(found, where=str(path))
        configuration = replace(configuration, data=tuple(data), stages=tuple(stages))
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise SettingsError(f"--set {assignment} lacks a value.", hint="Write it as: --set model.K=50")
        found = {name.strip(): _value(text.strip())}
        configuration = configuration.changed(found, where=f"--set {assignment}")
    return configuration


def of_one_corpus(configuration: Configuration) -> Configuration:
    """The configuration itself; SettingsError where it names corpora, which only ``disco2 train`` takes."""
    if configuration.data:
        raise SettingsError(
            "This command works on one corpus, and the configuration has tables [[data]].",
            hint="Remove them, or use: disco2 train",
        )
    return configuration


def read_data(text: str) -> DataSettings:
    """A corpus as ``--data`` names it: NAME=PATH, or NAME=PATH:WEIGHT."""
    name, _, place = text.partition("=")
    path, weight = place.strip(), 1.0
    if (found := _WEIGHT.fullmatch(path)) and not Path(path).exists():
        path, weight = found[1], float(found[2])
    try:
        return DataSettings(corpus=name.strip(), path=_absolute(path, Path()), weight=weight)
    except InputError as error:
        hint = "Write it as: --data discogem=PATH:0.5"
        raise SettingsError(error.what, where=f"--data {text}", hint=hint) from None


def commented_toml(configuration: Configuration) -> str:
    """All settings as a TOML file, each with a comment; reading it back gives the same configuration."""
    tables = [("", f"[{name}]", getattr(configuration, name)) for name in SECTIONS]
    for header, given, kind, said in (
        (f"[[{DATA}]]", configuration.data, DataSettings, "Several corpora in one training"),
        (f"[[{STAGE}]]", configuration.stages, StagePlan, "Several stages of an encoder's training"),
    ):
        example = ("# ", f"{said}: a table like this one for each.\n# {header}", kind)
        tables += [("", header, entry) for entry in given] or [example]
    lines: list[str] = []
    for prefix, header, settings in tables:
        lines += ["", prefix + header] if lines else [header]
        for setting in fields(settings):
            value = getattr(settings, setting.name)  # of a class: the default
            lines += [
                f"{prefix}# {setting.metadata['doc']}",
                f"{prefix}{setting.name} = {_toml_value(value)}",
            ]
    return "\n".join(lines) + "\n"


def assignments(configuration: Configuration) -> dict[str, str]:
    """All settings, each ``section.name`` with its value as TOML has it, as --set takes them."""
    return {name: _toml_value(attrgetter(name)(configuration)) for name in names()}


def _nearest(name: str, known: list[str]) -> str:
    tail = name.rpartition(".")[2]
    same_tail = [other for other in known if other.rpartition(".")[2].lower() == tail.lower()]
    best = (same_tail or difflib.get_close_matches(name, known, n=1, cutoff=0.0))[0]
    return f"The nearest known one is '{best}'. See all settings with: disco2 train --print-config"


def _tables(kind: type[_Table], header: str, tables: Any, path: Path) -> list[_Table]:
    """The tables ``[[header]]`` of a configuration as settings."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SettingsError(
            f"{header} is not a list of tables.",
            where=str(path),
            hint=f"Write [[{header}]], with two brackets.",
        )
    known = [setting.name for setting in fields(kind)]  # type: ignore[arg-type]  # a dataclass
    found = []
    for number, table in enumerate(tables, start=1):
        where = f"{path}, [[{header}]] {number}"
        for name in table:
            if name not in known:
                raise SettingsError(f"There is no setting '{name}'.", where=where, hint=_nearest(name, known))
        try:
            found.append(kind(**table))
        except InputError as error:
            raise SettingsError(error.what, where=where, hint=error.hint) from None
    return found


def _absolute(path: str, folder: Path) -> str:
    return str(folder.absolute() / os.path.expanduser(path)) if path else ""  # noqa: PTH111  it never fails


def _value(text: str) -> Any:
    """A value as TOML has it; anything that TOML does not know is a text."""
    try:
        content = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return content["value"] if len(content) == 1 else text  # a second line is not a setting


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml_value(item) for item in value) + "]"
    if isinstance(value, str):
        # TOML's strings are JSON's, but for this one character, which TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
