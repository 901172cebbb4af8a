"""A file or folder of another program -> a run, whatever layout it is of."""

from collections.abc import Sequence
from pathlib import Path

from lmstudio.errors import AppError
from lmstudio.formats.recognise import model_kind
from lmstudio.jobs import Job
from lmstudio.operations import arpa_files, elmo_files, exchange, vector_files
from lmstudio.operations.changes import Changes
from lmstudio.store.workspace import Workspace


def kind(path: Path) -> str:
    """What a file or folder is, see `formats.recognise.model_kind`. Quick."""
    return model_kind(path)


def import_model(
    ws: Workspace, path: Path, *, name: str = "", corpus: int | str | None = None,
    segmentation: int | str | None = None, new_words: Sequence[str] = (), job: Job,
) -> Changes:  # fmt: skip
    """Add a run of a model: of Hugging Face's, an ELMo, an ARPA file, or word vectors.

    The first is put on a `corpus`, which its pieces cut, the others on a `segmentation`, whose
    words they know; without, on a corpus made of the model's own words. AppError where the model
    cannot be read, the name is taken, or what is asked for means nothing to it.
    """
    path = Path(path)
    found = model_kind(path)
    if found == "huggingface":
        _refuse(segmentation, "--segmentation", path)
        return exchange.import_model(ws, path, name=name, corpus=corpus, new_words=new_words,
                                     job=job)  # fmt: skip
    _refuse(corpus, "--corpus", path)
    _refuse(new_words, "--new-words", path)
    if found == "elmo":
        return elmo_files.import_folder(ws, path, name=name, segmentation=segmentation, job=job)
    if found == "vectors":
        return vector_files.import_vectors(ws, path, name=name, segmentation=segmentation, job=job)
    return arpa_files.import_file(ws, path, name=name, segmentation=segmentation, job=job)


def _refuse(given: object, option: str, path: Path) -> None:
    if given:
        raise AppError("{option} means nothing to a model like {name}.",
                       option=option, name=path.name)  # fmt: skip
