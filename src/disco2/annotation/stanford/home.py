"""Where the Stanford parser lives, and the command that starts it."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

from disco2.annotation.stanford.wording import TAG_SEPARATOR
from disco2.errors import SettingsError

PROGRAM = "edu.stanford.nlp.parser.lexparser.LexicalizedParser"
MODEL = "edu/stanford/nlp/models/lexparser/englishPCFG.ser.gz"
PROGRAM_JARS = ("stanford-parser.jar", "stanford-parser-*.jar", "stanford-corenlp-*.jar")
MODEL_JARS = "*models*.jar"

_DOWNLOAD = "Give the folder of the Stanford Parser, as unpacked, with --stanford-home."


def parser_command(home: Path, *, java: str, memory: str, longest: int) -> list[str]:
    """The command for a parser that answers each line on its input with one line on its output.

    Raises SettingsError where Java, the program or its model is missing.
    """
    program = shutil.which(java)
    if program is None:
        raise SettingsError(
            f"The Stanford parser needs Java, and there is no program '{java}'.",
            hint="Install a Java runtime of version 8 or later, or use --parser built-in.",
        )
    if not home.is_dir():
        raise SettingsError("There is no such folder.", where=str(home), hint=_DOWNLOAD)
    _check_program(home)
    return [
        program,
        f"-Xmx{memory}",
        "-cp",
        str(home / "*"),
        PROGRAM,
        *("-encoding", "UTF-8"),
        *("-sentences", "newline"),
        "-tokenized",
        *("-tagSeparator", TAG_SEPARATOR),
        *("-tokenizerFactory", "edu.stanford.nlp.process.WhitespaceTokenizer"),
        *("-tokenizerMethod", "newCoreLabelTokenizerFactory"),
        *("-outputFormat", "oneline"),
        *("-maxLength", str(longest)),
        _model(home),
        "-",
    ]


def _check_program(home: Path) -> None:
    found = [jar for pattern in PROGRAM_JARS for jar in home.glob(pattern)]
    if not any("models" not in jar.name and "sources" not in jar.name for jar in found):
        raise SettingsError(
            f"The Stanford parser is not in this folder: no {' or '.join(PROGRAM_JARS)}.",
            where=str(home),
            hint=_DOWNLOAD,
        )


def _model(home: Path) -> str:
    """The model's path, in a file of its own or inside a jar, where Java finds it by its name."""
    name = MODEL.rpartition("/")[2]
    if (home / name).is_file():
        return str(home / name)
    for jar in sorted(home.glob(MODEL_JARS)):
        try:
            with zipfile.ZipFile(jar) as archive:
                if MODEL in archive.NameToInfo:
                    return MODEL
        except (OSError, zipfile.BadZipFile):
            continue
    raise SettingsError(
        f"The model {name} is not in this folder, neither as a file nor in a {MODEL_JARS}.",
        where=str(home),
        hint=_DOWNLOAD,
    )
