"""A path that a user chose -> the files of the model there: settings, weights, pieces of words.

The layout is that of Hugging Face's transformers. Only plain files of the folder itself are used:
nothing that a name in a file, or a link, leads to elsewhere is read.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lmstudio.errors import AppError
from lmstudio.files import read_json, reading
from lmstudio.formats.foreign import refuse_pointer
from lmstudio.formats.huggingface import own_settings
from lmstudio.messages import msg

INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
SINGLE = ("model.safetensors", "pytorch_model.bin")
TOKENIZERS = ("vocab.txt", "tokenizer.json", "vocab.json")
DAMAGED = msg("{path} is missing or damaged. Get the files of the model again.")
_OTHERS = ("tf_model.h5", "flax_model.msgpack", "*.ckpt*", "model.onnx", "*.gguf")
_MOST_SHARDS = 1000
_LARGEST_JSON = 100 << 20


@dataclass(frozen=True)
class ModelFolder:
    """The files of one model."""

    path: Path
    config: dict[str, Any]
    weights: tuple[Path, ...]  # of one kind, each to be read whole
    tokenizer: Path  # vocab.txt, tokenizer.json, or vocab.json with merges.txt beside it

    @property
    def merges(self) -> Path:
        """The merges of byte pairs that belong to a vocab.json."""
        return self.path / "merges.txt"

    def settings(self, name: str) -> dict[str, Any]:
        """What another JSON file of the folder holds, nothing if it is not there."""
        if not (self.path / name).exists():
            return {}
        return _object(inside(self.path, name))


def find(chosen: Path) -> ModelFolder:
    """The model in a folder, or in the folder of a file. AppError: what is missing or wrong."""
    if not chosen.exists():
        raise AppError("{path} does not exist.", path=chosen)
    folder = chosen if chosen.is_dir() else chosen.parent
    if not (folder / "config.json").exists():
        raise AppError(
            "{path} holds no config.json. Choose the folder of a model as it is downloaded from "
            "Hugging Face: with config.json, vocab.txt or tokenizer.json, and model.safetensors "
            "or pytorch_model.bin.",
            path=folder,
        )
    config = _object(inside(folder, "config.json"))
    weights = _weights(folder)
    return ModelFolder(folder, config, weights, _tokenizer(folder, own_settings.pieces(config)))


def inside(folder: Path, name: str) -> Path:
    """The plain file `name` of a folder.

    AppError where the name or a link leads out of it, or it holds no more than a Git LFS pointer.
    Links into the `blobs` of Hugging Face's own cache are as good as files.
    """
    path = folder / name
    if Path(name).name != name or "\\" in name or name in ("", ".", ".."):
        raise AppError("{path} leads out of its folder; it is not read.", path=name)
    real, home = path.resolve(), folder.resolve()
    cache = home.parent.parent / "blobs" if home.parent.name == "snapshots" else home
    if real.parent not in (home, cache):
        raise AppError("{path} leads out of its folder; it is not read.", path=path)
    if not real.is_file():
        raise AppError(DAMAGED, path=path)
    with reading(path, DAMAGED):
        refuse_pointer(path)
    return path


def _object(path: Path) -> dict[str, Any]:
    with reading(path, DAMAGED):
        found = read_json(path, largest=_LARGEST_JSON)
        if not isinstance(found, dict):
            raise TypeError("no object")
    return found


def _weights(folder: Path) -> tuple[Path, ...]:
    """The files of weights: one, or those that an index lists."""
    for single, index in zip(SINGLE, INDEXES, strict=True):
        if (folder / single).exists() or (folder / single).is_symlink():
            return (inside(folder, single),)
        if (folder / index).exists():
            return _shards(folder, index)
    strangers = [path.name for name in _OTHERS for path in sorted(folder.glob(name))]
    if strangers:
        raise AppError(
            "{path} holds weights for another program ({name}). This one reads model.safetensors "
            "and pytorch_model.bin: get these, or convert with transformers.",
            path=folder, name=strangers[0],
        )  # fmt: skip
    raise AppError("{path} holds no weights: model.safetensors or pytorch_model.bin is missing.",
                   path=folder)  # fmt: skip


def _shards(folder: Path, index: str) -> tuple[Path, ...]:
    path = inside(folder, index)
    with reading(path, DAMAGED):
        names = sorted(set(_object(path)["weight_map"].values()))
        if not names or len(names) > _MOST_SHARDS or not all(isinstance(n, str) for n in names):
            raise ValueError("no index")
    return tuple(inside(folder, name) for name in names)


def _tokenizer(folder: Path, own: str) -> Path:
    """The file of pieces: the one that the folder calls its `own`, else the first there is."""
    for name in (*({own} & {*TOKENIZERS}), *TOKENIZERS):
        if (folder / name).exists() and (name != "vocab.json" or (folder / "merges.txt").exists()):
            return inside(folder, name)
    raise AppError(
        "{path} holds no pieces of words: vocab.txt, tokenizer.json, or vocab.json with merges.txt "
        "is missing.", path=folder,
    )  # fmt: skip
