"""The tokenizer of a model's folder -> what each type of ours is called in its look-up table.

Our tables begin with <unk>, <s> and </s>, and BERT's ends with [MASK]; those rows are copies of
what the model has for these. Its own pieces keep their order, so that [CLS] or [MASK], which are
pieces too, have a row of their own: the sum of all probabilities is that of the original.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lmstudio.data.layout import BOS, EOS, UNK
from lmstudio.errors import AppError
from lmstudio.files import reading
from lmstudio.formats.huggingface import own_settings
from lmstudio.formats.huggingface.model_folder import DAMAGED, ModelFolder
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.text.subword import kind_of, load

_FIRST = ("[CLS]", "<s>", "<|endoftext|>")
_LAST = ("[SEP]", "</s>", "<|endoftext|>")
_MASKS = ("[MASK]", "<mask>")
NEVER = -1e4
"""What is added to the logits of an id that must not be predicted; as good as minus infinity."""


@dataclass(frozen=True)
class Pieces:
    """Numbers of the rows of a model's table."""

    ids: dict[str, int]  # of all pieces
    unknown: int | None
    first: int | None  # <s>
    last: int | None  # </s>
    mask: int | None


def options_of(folder: ModelFolder, tokenizer: Path) -> SegmentOptions:
    """How a model's pieces are cut: of a vocab.txt by BERT's rules, as tokenizer_config.json asks.

    Control characters are dropped where letters are folded anyway; else the text stays whole. What
    a folder of ours tells beyond that is heeded.
    """
    given, own = folder.settings("tokenizer_config.json"), own_settings.cutting(folder.config)
    by, sentences = kind_of(tokenizer), own.get("sentences", "auto")
    if tokenizer.suffix == ".json":
        return SegmentOptions(by=by, sentences=sentences)
    lower = bool(given.get("do_lower_case", True))
    accents = given.get("strip_accents")
    return SegmentOptions(
        by=by, lower=lower, clean=own.get("clean", lower), sentences=sentences,
        strip_accents=lower if accents is None else bool(accents),
        han_apart=bool(given.get("tokenize_chinese_chars", True)),
    )  # fmt: skip


def one_file(folder: ModelFolder, scratch: Path) -> Path:
    """The file of pieces; a vocab.json with its merges is made into a tokenizer.json in `scratch`.

    Its own name stays that of the folder's file where it is used as it is.
    """
    if folder.tokenizer.name != "vocab.json":
        return folder.tokenizer
    from tokenizers import Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE

    with reading(folder.merges, DAMAGED, Exception):  # the library raises a bare Exception
        made = Tokenizer(BPE.from_file(str(folder.tokenizer), str(folder.merges)))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    path = scratch / "tokenizer.json"
    made.save(str(path))
    return path


def keep(path: Path, folder: Path) -> Path:
    """A copy of a file of pieces that outlives the model's folder."""
    kept = folder / path.name
    if path != kept:
        shutil.copyfile(path, kept)
    return kept


def pieces_of(folder: ModelFolder, tokenizer: Path, rows: int) -> Pieces:
    """The pieces of a tokenizer for a table of `rows` rows. AppError where it has more."""
    options = replace(options_of(folder, tokenizer), special="")
    loaded = load(tokenizer, options)
    ids = dict(loaded.get_vocab())
    model = json.loads(loaded.to_str())["model"]
    name = str(model.get("unk_token") or "<unk>")
    if name in ids and ids[name] >= rows:  # made by us, for what has none
        del ids[name]
    most = max(ids.values(), default=-1) + 1
    if most > rows:
        raise AppError(
            "The pieces of words and the weights do not belong together: {pieces} pieces, but a "
            "look-up table of {rows} rows. Get both from the same place.", pieces=most, rows=rows,
        )  # fmt: skip
    marks = folder.settings("special_tokens_map.json") | folder.settings("tokenizer_config.json")
    return Pieces(
        ids, ids.get(name),
        _mark(ids, marks, ("cls_token", "bos_token"), _FIRST, folder.config.get("bos_token_id")),
        _mark(ids, marks, ("sep_token", "eos_token"), _LAST, folder.config.get("eos_token_id")),
        _mark(ids, marks, ("mask_token",), _MASKS, None),
    )  # fmt: skip


def _mark(
    ids: dict[str, int], marks: dict[str, Any], keys: Sequence[str], usual: Sequence[str],
    number: object,
) -> int | None:  # fmt: skip
    """The row of a mark: as the tokenizer's settings name it, as usual, as config.json says."""
    named = [marks.get(key) for key in keys]
    names = [name.get("content") if isinstance(name, dict) else name for name in named]
    for name in (*names, *usual):
        if isinstance(name, str) and name in ids:
            return ids[name]
    return number if isinstance(number, int) and number in ids.values() else None


def rows_for(types: Sequence[str], pieces: Pieces) -> tuple[list[int], list[float]]:
    """For each of our types the row of the model's table (-1: none), and what its logit gets.

    What has no row, or a second one that is predicted too, is never predicted.
    """
    marks = {UNK: pieces.unknown, BOS: pieces.first, EOS: pieces.last}
    found, offsets = [], [0.0] * len(types)
    for number, name in enumerate(types):
        row = marks[number] if number in marks else pieces.ids.get(name)
        found.append(-1 if row is None else row)
        if row is None or (number > EOS and row == pieces.last):
            offsets[number] = NEVER
    return found, offsets
