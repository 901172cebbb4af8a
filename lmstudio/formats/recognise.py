"""A path that a user chose -> which program's model it is, by its name and its first bytes."""

from pathlib import Path

from lmstudio.errors import AppError
from lmstudio.formats.foreign import opened

_ARPA = (".arpa", ".lm", ".arpa.gz", ".lm.gz", ".klm", ".binary")
_ELMO = (".hdf5", ".h5")
_VECTORS = (".vec", ".w2v", ".bin", ".txt", ".vec.gz", ".txt.gz", ".bin.gz", ".kv", ".model")
_MARKS = (b"\\data\\", b"mmap lm http://kheafield.com/code", b"SRILM_BINARY")
_LOOKED_AT = 1 << 16  # bytes


def model_kind(path: Path) -> str:
    """ "arpa", "elmo", "vectors" or "huggingface", which also is what nothing else is known of.

    AppError where there is nothing there, or a file cannot be read.
    """
    if not path.exists():
        raise AppError("{path} does not exist.", path=path)
    if path.is_dir():
        foreign = not (path / "config.json").exists()
        return "elmo" if foreign and elmo_weights(path) else "huggingface"
    name = path.name.lower()
    if name.endswith(_ELMO) or (name.endswith("options.json") and elmo_weights(path.parent)):
        return "elmo"
    if name.endswith(_ARPA):
        return "arpa"
    if (path.parent / "config.json").exists():
        return "huggingface"
    with opened(path) as file:
        head = file.read(_LOOKED_AT)
    if any(mark in head for mark in _MARKS):
        return "arpa"
    return "vectors" if name.endswith(_VECTORS) else "huggingface"


def elmo_weights(folder: Path) -> list[Path]:
    """The files of a folder that may hold the weights of an ELMo."""
    return [path for path in sorted(folder.iterdir()) if path.name.lower().endswith(_ELMO)]
