"""The folder of a published ELMo <-> its settings, arrays and words, as AllenNLP reads them.

    options.json        sizes of the network
    *.hdf5              its arrays, see formats.elmo_weights
    vocab*.txt          perhaps the words it was trained on, a line each: it spells any word

Output layers were never published. Ours stands in the groups "softmax" of the same file, where
other programs do not look, with a row for each line of vocab.txt.
"""

import importlib.util
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.data.layout import SPECIALS
from lmstudio.errors import AppError, SpecError
from lmstudio.files import (
    read_json,
    reading,
    refuse_full,
    unwritten,
    write_json,
    written_folder,
)
from lmstudio.formats.elmo_weights import shapes
from lmstudio.formats.foreign import refuse_pointer
from lmstudio.formats.huggingface.model_folder import DAMAGED
from lmstudio.formats.recognise import elmo_weights
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.models.config import ElmoConfig
from lmstudio.models.config.elmo import BYTES, BYTES_READ
from lmstudio.options import from_dict

NO_H5PY = msg("Weights of an ELMo are HDF5 files, which need the package h5py: install it with "
              "pip install h5py")  # fmt: skip
OPTIONS, WEIGHTS, WORDS = "options.json", "weights.hdf5", "vocab.txt"
HEAD = ("softmax/W", "softmax/b", "softmax/unigrams")
_MARKS = ("<UNK>", "<S>", "</S>")  # lines for our <unk>, <s>, </s>, in this order
_LARGEST_JSON, _LARGEST_TEXT = 1 << 20, 500 << 20  # bytes
_PACKED = 4  # weights are hardly ever packed; arrays that claim to be so much smaller are not read


@dataclass(frozen=True)
class ElmoFolder:
    """What was found, not yet read."""

    config: ElmoConfig
    weights: Path
    words: tuple[str, ...]  # without marks; empty: not known
    has_head: bool = False  # the lines of vocab.txt are our marks and these words


def refuse_without_h5py() -> None:
    """AppError where HDF5 files cannot be read or written."""
    if importlib.util.find_spec("h5py") is None:
        raise AppError(NO_H5PY)


def find(chosen: Path) -> ElmoFolder:
    """The ELMo in a folder, or in the folder of a file. AppError: what is missing or wrong."""
    refuse_without_h5py()
    folder = chosen if chosen.is_dir() else chosen.parent
    found = [chosen] if chosen in elmo_weights(folder) else elmo_weights(folder)
    named = [path for path in found if "weights" in path.name] or found
    if len(named) != 1:
        raise AppError(
            "{path} holds {count} files of weights (.hdf5): choose the one that is meant.",
            path=folder, count=len(named),
        )  # fmt: skip
    config = config_of(_options_beside(named[0]))
    lines = _lines(folder)
    marks = {*_MARKS, *SPECIALS}
    words = tuple(dict.fromkeys(line for line in lines if line not in marks))
    ours = tuple(lines) == (*_MARKS, *words)
    return ElmoFolder(config, named[0], words, ours and set(HEAD) <= _sizes(named[0]).keys())


def _options_beside(weights: Path) -> Path:
    """The options of a file of weights: published ones are called alike, NAME_options.json."""
    named = weights.with_name(weights.name.replace("weights", "options")).with_suffix(".json")
    for path in (named, weights.with_name(OPTIONS)):
        if path.exists():
            return path
    raise AppError("{path} holds no options.json, which tells the sizes of an ELMo.",
                   path=weights.parent)  # fmt: skip


def config_of(path: Path) -> ElmoConfig:
    """Our settings of the network that an options.json tells of.

    AppError where it is damaged, or of a network that we do not have.
    """
    with reading(path, DAMAGED):
        refuse_pointer(path)
        options = read_json(path, largest=_LARGEST_JSON)
        lstm, cnn = options["lstm"], options["char_cnn"]
        clips = [float(lstm.get(name) or 0) for name in ("cell_clip", "proj_clip")]
        told = {
            "use_skip_connections": (bool(lstm.get("use_skip_connections")), (True,)),
            "proj_clip": (clips[1], (clips[0],)),
            "n_characters": (cnn.get("n_characters", BYTES), (BYTES, BYTES - 1)),
            "max_characters_per_token": (cnn.get("max_characters_per_token", BYTES_READ),
                                         (BYTES_READ,)),
            "activation": (cnn.get("activation", "relu"), ("relu",)),
        }  # fmt: skip
        data = {
            "layers": lstm["n_layers"], "width": lstm["projection_dim"], "cell": lstm["dim"],
            "characters": True, "softmax": "full", "highways": cnn["n_highway"],
            "cell_clip": clips[0], "byte_width": cnn["embedding"]["dim"],
            "sizes": [[int(width), int(count)] for width, count in cnn["filters"]],
        }  # fmt: skip
    for name, (value, known) in told.items():
        if value not in known:
            raise AppError("This ELMo has {name} = {value}; such networks cannot be imported.",
                           name=name, value=value)  # fmt: skip
    with reading(path, DAMAGED):
        config, faults = from_dict(ElmoConfig, data)
    if faults:
        raise SpecError(faults)
    return config


def read(found: ElmoFolder, *, job: Job) -> dict[str, np.ndarray]:
    """The arrays by their path in the file, those of the output layer if it is there.

    AppError where one is missing, or of another size than options.json tells.
    """
    import h5py

    expected = shapes(found.config)
    if found.has_head:
        rows = len(found.words) + len(_MARKS)
        sizes = ((rows, found.config.width), (rows,), (rows,))
        expected |= dict(zip(HEAD, sizes, strict=True))
    told, arrays = _sizes(found.weights), {}
    for name, shape in expected.items():
        if told.get(name) != shape:
            raise AppError(
                "{path} does not fit options.json: {name} has the size {found} and not {expected}.",
                path=found.weights, name=name, found=_size(told.get(name)), expected=_size(shape),
            )  # fmt: skip
    with reading(found.weights, DAMAGED, RuntimeError), h5py.File(found.weights, "r") as file:
        for number, name in enumerate(expected):
            job.tick(number, len(expected), Message("Reading the weights"))
            arrays[name] = np.array(file[name], np.float32)
    return arrays


def write(
    path: Path, config: ElmoConfig, arrays: Mapping[str, np.ndarray], types: Sequence[str], *,
    job: Job,
) -> None:  # fmt: skip
    """Write the folder `path`, new or empty: options, `arrays`, and the words `types` (rows,).

    AppError if it is there already or cannot be written.
    """
    import h5py

    refuse_full(path)
    with unwritten(path), written_folder(path) as folder:
        write_json(folder / OPTIONS, _options(config))
        lines = [*_MARKS, *types[len(SPECIALS) :]]
        (folder / WORDS).write_text("\n".join(lines) + "\n", encoding="utf-8")
        with h5py.File(folder / WEIGHTS, "w") as file:
            for number, (name, array) in enumerate(arrays.items()):
                job.tick(number, len(arrays), Message("Writing the model"))
                file.create_dataset(name, data=np.asarray(array, np.float32))


def _options(config: ElmoConfig) -> dict[str, Any]:
    clip = config.cell_clip or None
    return {
        "bidirectional": True,
        "lstm": {"use_skip_connections": True, "projection_dim": config.width, "dim": config.cell,
                 "cell_clip": clip, "proj_clip": clip, "n_layers": config.layers},
        "char_cnn": {"activation": "relu", "filters": [list(one) for one in config.convolutions],
                     "n_highway": config.highways, "embedding": {"dim": config.byte_width},
                     "n_characters": BYTES, "max_characters_per_token": BYTES_READ},
    }  # fmt: skip


def _sizes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shapes of the arrays that stand in a file itself, whole; nothing of them is read.

    AppError where it is no HDF5 file, or cut off.
    """
    import h5py

    found: dict[str, tuple[int, ...]] = {}

    def look(name: str, item: object) -> None:  # links out of the file are not followed
        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" and not item.external:
            if item.id.get_storage_size() * _PACKED < item.size * item.dtype.itemsize:
                raise ValueError("what is told to be there is not")
            found[name] = tuple(item.shape)

    with reading(path, DAMAGED, RuntimeError):
        refuse_pointer(path)
        with h5py.File(path, "r") as file:
            file.visititems(look)
    return found


def _size(shape: tuple[int, ...] | None) -> str:
    return "0" if shape is None else " × ".join(map(str, shape))


def _lines(folder: Path) -> list[str]:
    """The lines of the one file of words in a folder; none where there is no or another one."""
    paths = [path for path in sorted(folder.iterdir()) if re.fullmatch(r"vocab.*\.txt", path.name)]
    if len(paths) != 1 or paths[0].stat().st_size > _LARGEST_TEXT:
        return []
    with reading(paths[0], DAMAGED):
        refuse_pointer(paths[0])
        return [line.strip() for line in paths[0].read_text("utf-8").split("\n") if line.strip()]
