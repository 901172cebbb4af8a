"""A model's folder -> what is needed to give it a place, then the checkpoint of a run.

Torch is imported only where it is used: what calls this from the window has none.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmstudio.data.layout import EOS
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.formats.huggingface import model_folder, own_settings, pieces, settings
from lmstudio.formats.huggingface.naming import NAMINGS
from lmstudio.formats.huggingface.pieces import Pieces
from lmstudio.formats.weight_shapes import shapes
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.text.subword import load

if TYPE_CHECKING:
    from torch import Tensor, nn

    from lmstudio.models.config import BertConfig, GptConfig

_NAMED = 5  # tensors that a note names
_HEADS = {"classifier", "qa_outputs", "score"}  # what the tensors of a head begin with


@dataclass(frozen=True)
class Looked:
    """What can be told of a model before anything is made of it."""

    name: str  # of its folder
    model: str  # our kind of network
    tokenizer: Path
    options: SegmentOptions
    words: tuple[str, ...]  # its pieces as text, one after the other, each once


def look(chosen: Path, scratch: Path, *, job: Job) -> Looked:
    """Check the files of a model; what is made for it on the way is left in the folder `scratch`.

    AppError where one is missing, damaged or of no network that we have.
    """
    job.check()
    folder = model_folder.find(chosen)
    model = settings.KINDS[settings.kind_of(folder.config)]
    settings.ours(folder.config, pair=False)
    for path in folder.weights:
        if path.suffix == ".safetensors":
            shapes(path)
    tokenizer = pieces.one_file(folder, scratch)
    options = pieces.options_of(folder, tokenizer)
    return Looked(folder.path.resolve().name, model, tokenizer, options,
                  _words(tokenizer, options))  # fmt: skip


def take(
    chosen: Path, segmentation_folder: Path, save: "Callable[[str, nn.Module], None]",
    new_words: Sequence[str] = (), *, job: Job,
) -> dict[str, Any]:  # fmt: skip
    """Hand our kind of network and its module to `save`, for a segmentation by its pieces.

    Returns "config" (as JSON) and "facts" of the run, see `operations.exchange`. AppError as in
    `look`, and where the weights are others than config.json tells.
    """
    from lmstudio.formats.huggingface import translation, weight_files

    folder = model_folder.find(chosen)
    kind = settings.kind_of(folder.config)
    job.tick(0, 1, Message("Reading the weights"))
    tensors = weight_files.read_weights(folder.weights, job=job)
    config = _config(folder.config, tensors)
    own = _tokenizer_of(segmentation_folder)
    found = pieces.pieces_of(folder, own, _rows(tensors, kind))
    types = Vocabulary.load(segmentation_folder).types
    rows, offsets = pieces.rows_for(types, found)
    if settings.KINDS[kind] == "bert":
        rows.append(_mask_row(found))
    job.tick(0, 1, Message("Putting the weights in their places"))
    translated = translation.translate(tensors, kind, config, rows)
    module = translation.module_for(config, len(types))
    _add_words(translated.state, types, new_words, found, load(own, pieces.options_of(folder, own)))
    if settings.KINDS[kind] == "gpt" and any(offsets):
        import torch

        translated.state["offsets"] = module.get_buffer("offsets") + torch.tensor(offsets)
    module.load_state_dict(translated.state)
    save(settings.KINDS[kind], module)
    notes = [*_told_notes(folder.config, config),
             *_notes(translated, _rows(tensors, kind) - len(found.ids), new_words)]  # fmt: skip
    return _result(folder, config, module, translated.missing_head, notes)


def _config(config: dict[str, Any], tensors: "dict[str, Tensor]") -> "BertConfig | GptConfig":
    """Our settings of the network, as config.json and the names in the file tell them."""
    from lmstudio.formats.huggingface import translation

    kind = settings.kind_of(config)
    naming = NAMINGS[kind]
    known = {naming.known(name): tensor for name, tensor in tensors.items()}
    apart = translation.untied(known, naming)
    if apart and settings.KINDS[kind] == "bert":
        raise AppError("The output matrix of this model is not its look-up table; such a BERT "
                       "cannot be imported.")  # fmt: skip
    pair = translation.has_pair_head(list(tensors), naming)
    return settings.ours(config | ({"tie_word_embeddings": False} if apart else {}), pair=pair)


def _rows(tensors: "dict[str, Tensor]", kind: str) -> int:
    naming = NAMINGS[kind]
    name = naming.body["embedding"] + ".weight"
    found = [tensor for key, tensor in tensors.items() if naming.known(key) == name]
    if not found or found[0].dim() != 2:
        raise AppError("The weights have no {name}: they belong to another network than "
                       "config.json tells.", name=name)  # fmt: skip
    return len(found[0])


def _tokenizer_of(segmentation_folder: Path) -> Path:
    """The copy of the pieces that the segmentation keeps."""
    names = ("vocab.txt", "tokenizer.json")
    return next(path for name in names if (path := segmentation_folder / name).exists())


def _mask_row(found: Pieces) -> int:
    if found.mask is None:
        raise AppError("Its pieces have no [MASK], which a BERT needs to fill blanks.")
    return found.mask


def _add_words(
    state: "dict[str, Tensor]", types: list[str], new_words: Sequence[str], found: Pieces,
    cutter: Any,
) -> None:  # fmt: skip
    """Begin the row of each new word with the mean of those of the pieces it was cut into."""
    from lmstudio.formats.huggingface.translation import TABLES

    number = {name: i for i, name in enumerate(types)}
    for word in new_words:
        if word in found.ids or word not in number:
            continue
        names = cutter.encode(word, add_special_tokens=False).tokens
        rows = [number.get(name, 0) for name in names] or [0]
        for name in TABLES & state.keys():
            state[name][number[word]] = state[name][rows].mean(0)


def _told_notes(told: dict[str, Any], config: "BertConfig | GptConfig") -> "Iterator[Message]":
    """What config.json leaves open, and what it tells that texts here must heed."""
    from lmstudio.models.config import GptConfig

    if isinstance(config, GptConfig) and not own_settings.network(told, GptConfig):
        yield Message("It does not tell what it may look at: each sentence is scored by itself, as "
                      "a text of its own.")  # fmt: skip
    by = own_settings.cutting(told).get("by")
    if by in ("jieba", "given"):
        yield Message("The words of a text must stand between spaces: they were cut by "
                      "{segmenter}.", {"segmenter": by})  # fmt: skip


def _notes(translated: Any, spare: int, new_words: Sequence[str]) -> "list[Message]":
    notes = []
    if missing := translated.missing_head:
        notes.append(
            Message(
                "The head that fills blanks is not in the files ({count} tensors are missing): it "
                "is untrained, and blanks are not filled. Vectors, attention and fine-tuning work.",
                {"count": len(missing)},
            )
        )
    if left := translated.left:
        names = listed(left[:_NAMED]) + (" ..." if len(left) > _NAMED else "")
        notes.append(Message("{count} tensors have no place here and are left out: {names}.",
                             {"count": len(left), "names": names}))  # fmt: skip
        if any(name.split(".")[0] in _HEADS for name in left):
            notes.append(
                Message(
                    "These are the head of a fine-tuned model, which is not taken from "
                    "such a folder. A run of this program goes from one computer to "
                    "another whole, with its head: export RUN FILE --format run."
                )
            )
    if spare > 0:
        notes.append(Message("{count} rows of the look-up table belong to no piece and are left "
                             "out.", {"count": spare}))  # fmt: skip
    if new_words:
        notes.append(Message("{count} new words begin with the mean of their pieces.",
                             {"count": len(new_words)}))  # fmt: skip
    return notes


def _result(
    folder: model_folder.ModelFolder, config: Any, module: Any, missing: list[str],
    notes: list[Message],
) -> dict[str, Any]:  # fmt: skip
    digest = hashlib.sha256()
    for path in folder.weights:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return {
        "config": asdict(config),
        "facts": {
            "parameters": sum(p.numel() for p in module.parameters()),
            "seconds": 0.0, "step": 0,
            "imported": {"folder": folder.path.resolve().name, "type": folder.config["model_type"],
                         "sha256": digest.hexdigest(), "untrained": missing},
            "notes": [note.to_json() for note in notes],
        },
    }  # fmt: skip


def _words(tokenizer: Path, options: SegmentOptions) -> tuple[str, ...]:
    """The pieces as text that they are cut from, marks left out."""
    loaded = load(tokenizer, replace(options, special=""))
    by_bytes = options.by == "byte-bpe"
    ordered = sorted(loaded.get_vocab().items(), key=lambda entry: entry[1])
    found = []
    for name, number in ordered:
        text = loaded.decode([number]) if by_bytes else name.removeprefix("##").replace("▁", "")
        marked = name.startswith(("[", "<")) and name.endswith(("]", ">")) and len(name) > EOS
        if text.strip() and text.isprintable() and "\ufffd" not in text and not marked:
            found.append(text.strip())
    return tuple(dict.fromkeys(found))
