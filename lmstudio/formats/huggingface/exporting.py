"""A run -> a folder that transformers opens: settings, weights, tokenizer, model card.

The folder is whole or not there. Torch is imported only where it is used.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.vocab import Vocabulary
from lmstudio.files import (
    reading,
    refuse_full,
    unwritten,
    usual_rights,
    write_json,
    written_folder,
)
from lmstudio.formats.huggingface import own_settings, settings, task_heads, tokenizer_files
from lmstudio.formats.huggingface.naming import BERT, NAMINGS, PAIR, Naming
from lmstudio.formats.huggingface.pieces import NEVER
from lmstudio.formats.huggingface.table_rows import NOTHING, TableRows, table_rows
from lmstudio.formats.huggingface.task_heads import TaskHead
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.checkpoint_folder import TRAIN_AGAIN, WEIGHTS, asked
from lmstudio.models.config import BertConfig, GptConfig

if TYPE_CHECKING:
    from torch import Tensor

_SHIFT = "transformer.ln_f.bias"
_TABLES = ("embedding.weight", "output.weight")


@dataclass(frozen=True)
class Exported:
    """What was written, as the model card tells it."""

    kind: str  # of network: the model_type of transformers
    rows: int
    window: int


def export(
    path: Path, run_folder: Path, segmentation_folder: Path, config: BertConfig | GptConfig,
    plan: CutPlan, card: str, head: TaskHead | None = None, *, job: Job,
) -> Exported:  # fmt: skip
    """Write the folder `path`, which is not there yet or empty; `card` is its README.md.

    `head`: what the run was fine-tuned for, where it is no language model.

    AppError where the run has no checkpoint, or the folder cannot be written.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file, save_file

    refuse_full(path)
    source = asked(run_folder) / WEIGHTS
    job.tick(0, 1, Message("Reading the weights"))
    with reading(source, TRAIN_AGAIN, SafetensorError):
        state = load_file(source)
    state, on_top = task_heads.split(state) if head else (state, {})
    types = Vocabulary.load(segmentation_folder).types
    bert, kind = isinstance(config, BertConfig), settings.layout(config)
    last_read = kind == "gpt2" and head is not None and head.kind in task_heads.WHOLE
    rules, rows = _rows(types, plan, state, mask=bert)
    window = len(state["positions.weight"]) if "positions.weight" in state else config.window
    job.tick(0, 1, Message("Writing the model"))
    with unwritten(path), written_folder(path.absolute()) as folder:
        tensors = _named(state, config, rows, window)
        told = _settings(config, rows, window)
        pieces = plan.tokenizer.name if plan.tokenizer else ""
        told |= own_settings.told(config, plan.options, pieces)
        if head:
            tensors |= task_heads.named(on_top, head, kind)
            told |= task_heads.settings(kind, head)
        if last_read:
            tensors[_SHIFT] = tensors[_SHIFT] + task_heads.shift(on_top)
            told["pad_token_id"] = told["bos_token_id"]
        weights = folder / "model.safetensors"
        with usual_rights(weights):
            save_file(tensors, weights, {"format": "pt"})
        write_json(folder / "config.json", told)
        if not (bert or head) and NOTHING in rows.bias:
            never = [i for i, number in enumerate(rows.bias) if number == NOTHING]
            kept = [i for i in never if rows.names[i] != rows.marks["last"]]
            write_json(folder / "generation_config.json", {"suppress_tokens": kept})
        tokenizer_files.write(folder, plan, rules, rows, window=window,
                              pair=bert or head is not None, halves=bert,
                              pad=rows.marks["first" if last_read else "last"])  # fmt: skip
        (folder / "README.md").write_text(card, encoding="utf-8")
    return Exported(kind, len(rows.names), window)


def _rows(
    types: list[str], plan: CutPlan, state: "dict[str, Tensor]", *, mask: bool
) -> tuple[dict[str, Any] | None, TableRows]:  # fmt: skip
    """The tokenizer, if the run has one of pieces, and the rows of its table."""
    import torch

    from lmstudio.data.layout import BOS, EOS, UNK

    offsets = state.get("offsets")
    known = offsets is not None and float(offsets[UNK]) == NEVER
    rules = tokenizer_files.rules_of(plan, known=known)
    table = state["embedding.weight"]
    pieces = None if rules is None else tokenizer_files.numbers_of(rules)
    unknown = None if rules is None else tokenizer_files.unknown_of(rules)
    return rules, table_rows(types, pieces, unknown, mask=mask,
                             same_marks=torch.equal(table[BOS], table[EOS]))  # fmt: skip


def _settings(config: BertConfig | GptConfig, rows: TableRows, window: int) -> dict[str, Any]:
    number = {kind: rows.names.index(name) for kind, name in rows.marks.items()}
    pad = number.get("pad", number["last"])
    ids = {"pad_token_id": pad, "bos_token_id": number["first"], "eos_token_id": number["last"]}
    return settings.theirs(config, len(rows.names), window) | ids


def _named(
    state: "dict[str, Tensor]", config: BertConfig | GptConfig, rows: TableRows, window: int
) -> "dict[str, Tensor]":  # fmt: skip
    """The tensors by transformers' names, tables in the order of `rows`."""
    import torch

    from lmstudio.models.blocks import positions

    naming = NAMINGS[settings.layout(config)]
    table = torch.tensor(rows.table)
    found: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if name in _TABLES:
            tensor = tensor[table.clamp(min=0)].masked_fill((table == NOTHING)[:, None], 0.0)
        if name == "blank.bias":
            bias = torch.tensor(rows.bias)
            tensor = tensor[bias.clamp(min=0)].masked_fill(bias == NOTHING, NEVER)
        if name == "offsets" or name.startswith("pair.") and naming is not BERT:
            continue
        for same in _repeated(name, config, naming):
            found |= _theirs(same, tensor, naming)
    if "positions.weight" not in state:
        width = state["embedding.weight"].shape[1]
        places = positions(config.positions, window, width)(torch.arange(window))
        found |= _theirs("positions.weight", places.expand(window, width), naming)
    return {name: tensor.contiguous().clone() for name, tensor in found.items()}


def _repeated(name: str, config: BertConfig | GptConfig, naming: Naming) -> list[str]:
    """A name of ours, or those of all layers where ours share what theirs do not."""
    if naming is BERT and isinstance(config, BertConfig) and config.shared:
        first, layers = "blocks.0.", range(config.layers)
        if name.startswith(first):
            return [f"blocks.{layer}.{name.removeprefix(first)}" for layer in layers]
    return [name]


def _theirs(name: str, tensor: "Tensor", naming: Naming) -> "dict[str, Tensor]":
    """A tensor of ours by its name there, or by three, where attention has three layers."""
    part, _, kind = name.rpartition(".")
    if name == "blank.bias":
        return {naming.head_bias: tensor}
    if name == "output.weight":
        return {naming.decoder: tensor}
    if part in naming.head:
        return {f"{naming.head[part]}.{kind}": tensor}
    if part == "pair.output":
        return {f"{PAIR[part]}.{kind}": tensor}
    if part.startswith("blocks."):
        return _in_layer(part, kind, tensor, naming)
    theirs = (naming.body | PAIR)[part]
    return {f"{naming.prefix}{theirs}.{kind}": tensor}


def _in_layer(part: str, kind: str, tensor: "Tensor", naming: Naming) -> "dict[str, Tensor]":
    _, number, name = part.split(".", 2)
    if naming.turned and kind == "weight" and not name.startswith("norm"):
        tensor = tensor.t()
    names = naming.qkv if name == "attention.qkv" else (naming.block[name],)
    parts = tensor.chunk(len(names)) if len(names) > 1 else (tensor,)
    return {f"{naming.prefix}{naming.in_layer(int(number), one)}.{kind}": tensor
            for one, tensor in zip(names, parts, strict=True)}  # fmt: skip
