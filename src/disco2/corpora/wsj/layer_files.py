"""One kind of layer for many documents, from a folder with a file for each or from files with several."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from disco2.corpora.decoding import read_text
from disco2.corpora.folders import existing_folder
from disco2.corpora.wsj.document_files import files_by_document
from disco2.errors import CorpusError, LayerError
from disco2.records import Dirt

Layer = TypeVar("Layer")
Parse = Callable[[str, str], Mapping[str, Layer]]  # a file's text and name -> layers by document


class LayerFiles(Generic[Layer]):
    """Finds a document's layer by its file's name or, in files with many documents, by the name inside."""

    def __init__(
        self,
        path: Path,
        documents: Collection[str],
        *,
        endings: Sequence[str],
        name: str,
        parse: Parse[Layer],
        dirt: Dirt,
        several: bool = True,
    ) -> None:
        """``several`` says whether a file of this kind may hold several documents and names them."""
        self._path = path
        self._name = name
        self._parse = parse
        self._dirt = dirt
        self._files: Mapping[str, Path] = {}
        self._inside: dict[str, tuple[str, Layer]] = {}
        if several and path.is_file():
            self._look_inside(path)
            return
        existing_folder(path, holds=f"{name} ({', '.join(endings)} files)")
        self._files = files_by_document(path, endings=endings)
        if not self._files:
            raise CorpusError(
                f"There is no file with {name} below this folder.",
                where=str(path),
                hint=f"The names of such files end in {', '.join(endings)}.",
            )
        if several and not any(document in self._files for document in documents):
            for file in self._files.values():
                self._look_inside(file)
            self._files = {}

    def get(self, document: str) -> tuple[str, Layer] | None:
        """Where a document's layer is from, and the layer; None, with a finding, where there is none."""
        if document in self._inside:
            return self._inside[document]
        file = self._files.get(document)
        if file is None:
            self._report(str(self._path), f"{document} is not there.")
            return None
        layers = self._read(file)
        if document in layers:
            return str(file), layers[document]
        if len(layers) == 1:  # the file's name says whose it is, whatever stands inside
            return str(file), next(iter(layers.values()))
        if layers:
            self._report(str(file), f"It holds {len(layers)} documents, and {document} is none of them.")
        else:
            self._report(str(file), "The file is empty or broken.")
        return None

    def _look_inside(self, file: Path) -> None:
        for document, layer in self._read(file).items():
            self._inside.setdefault(document, (str(file), layer))

    def _read(self, file: Path) -> Mapping[str, Layer]:
        try:
            return self._parse(read_text(file, dirt=self._dirt), str(file))
        except LayerError as error:
            self._report(error.where or str(file), error.what)
            return {}

    def _report(self, where: str, detail: str) -> None:
        self._dirt.add(f"document without {self._name}", where=where, detail=detail)
