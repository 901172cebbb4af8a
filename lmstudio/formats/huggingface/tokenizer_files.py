"""How a run cuts text -> tokenizer.json, tokenizer_config.json and vocab.txt of transformers.

Characters and what stands between white space are cut there as here. jieba is not to be had there:
its words come with spaces between them.
"""

import json
from pathlib import Path
from typing import Any

from lmstudio.data.cut_plan import CutPlan
from lmstudio.files import write_json
from lmstudio.formats.huggingface.table_rows import TableRows
from lmstudio.text.segment_options import SUBWORD
from lmstudio.text.subword import load

_KEYS = {
    "unk": ("unk_token",),
    "first": ("cls_token", "bos_token"),
    "last": ("sep_token", "eos_token"),
    "mask": ("mask_token",),
    "pad": ("pad_token",),
}


def rules_of(plan: CutPlan, *, known: bool) -> dict[str, Any] | None:
    """The JSON of the library's tokenizer that a run's text is cut by, None where it has none.

    `known`: nothing is unknown to it, so that it has no piece for that.
    """
    if plan.options.by not in SUBWORD or plan.tokenizer is None:
        return None
    rules: dict[str, Any] = json.loads(load(plan.tokenizer, plan.options).to_str())
    model = rules["model"]
    if known and model["type"] != "Unigram":
        model["vocab"].pop(model["unk_token"], None)
        model["unk_token"] = None
    return rules


def numbers_of(rules: dict[str, Any]) -> dict[str, int]:
    """The numbers of all pieces of a tokenizer."""
    pieces = rules["model"]["vocab"]
    if isinstance(pieces, list):
        pieces = {name: number for number, (name, _) in enumerate(pieces)}
    return pieces | {token["content"]: token["id"] for token in rules["added_tokens"]}


def unknown_of(rules: dict[str, Any]) -> str | None:
    """The piece for what is unknown to a tokenizer."""
    model = rules["model"]
    if model["type"] == "Unigram":
        return model["vocab"][model["unk_id"]][0] if model["unk_id"] is not None else None
    return model["unk_token"]


def write(
    folder: Path, plan: CutPlan, rules: dict[str, Any] | None, rows: TableRows, *,
    window: int, pair: bool, halves: bool, pad: str,
) -> None:  # fmt: skip
    """Write the files into `folder`. `pair`: texts are read as `<s> a </s> b </s>`, as by BERT.

    `halves`: the network is told in which of the two texts a token stands. GPT-2 is not: there
    it would add the vectors of tokens 0 and 1. `pad` fills rows up where there is no mark for that;
    what tells a text's last token from it must not be that token.
    """
    made = _with_marks(rules or _plain(plan, rows), rows, pair=pair)
    text = json.dumps(made, ensure_ascii=False)
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    if made["model"]["type"] == "WordPiece":
        lines = "".join(f"{name}\n" for name in rows.names)
        (folder / "vocab.txt").write_bytes(lines.encode("utf-8"))
    settings: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": window,
        "do_lower_case": plan.options.lower, "strip_accents": plan.options.strip_accents,
        "tokenize_chinese_chars": plan.options.han_apart, "clean_up_tokenization_spaces": False,
    }  # fmt: skip
    for kind, name in rows.marks.items():
        settings |= dict.fromkeys(_KEYS[kind], name)
    told = ["input_ids", *(["token_type_ids"] if halves else []), "attention_mask"]
    settings["model_input_names"] = told
    if not halves:
        settings["pad_token"] = pad
    write_json(folder / "tokenizer_config.json", settings)


def _plain(plan: CutPlan, rows: TableRows) -> dict[str, Any]:
    """A tokenizer of whole words or characters."""
    from tokenizers import Regex, Tokenizer, pre_tokenizers
    from tokenizers.models import WordLevel

    numbers = {name: number for number, name in enumerate(rows.names)}
    made = Tokenizer(WordLevel(numbers, unk_token=rows.marks["unk"]))
    steps: list[Any] = [pre_tokenizers.WhitespaceSplit()]
    if plan.options.by == "characters":
        steps.append(pre_tokenizers.Split(Regex("."), "isolated"))
    made.pre_tokenizer = pre_tokenizers.Sequence(steps)
    rules: dict[str, Any] = json.loads(made.to_str())
    return rules


def _with_marks(rules: dict[str, Any], rows: TableRows, *, pair: bool) -> dict[str, Any]:
    """With the marks as pieces that are put around a text and never cut, and with added words."""
    number = {name: i for i, name in enumerate(rows.names)}
    marks = set(rows.marks.values())
    whole = [name for name in rows.names if name in marks or name in rows.added]
    pieces = rules["model"]["vocab"]
    if isinstance(pieces, dict):
        pieces |= {name: number[name] for name in whole}
    else:
        pieces += [[name, 0.0] for name in whole if number[name] >= len(pieces)]
    rules["added_tokens"] = [
        {"id": number[name], "content": name, "single_word": False, "lstrip": False,
         "rstrip": False, "normalized": False, "special": name in marks}
        for name in sorted(whole, key=number.__getitem__)
    ]  # fmt: skip
    rules["post_processor"] = _around(rows, number, pair=pair)
    return rules


def _around(rows: TableRows, number: dict[str, int], *, pair: bool) -> dict[str, Any]:
    """The template of `<s> a </s> b </s>`, or of `<s> a` for what goes on writing."""

    def mark(kind: str, half: int = 0) -> dict[str, Any]:
        return {"SpecialToken": {"id": rows.marks[kind], "type_id": half}}

    def text(name: str, half: int = 0) -> dict[str, Any]:
        return {"Sequence": {"id": name, "type_id": half}}

    one = [mark("first"), text("A"), *([mark("last")] if pair else [])]
    two = [*one, text("B", 1), *([mark("last", 1)] if pair else [])]
    used = {rows.marks[kind] for kind in ("first", "last")}
    special = {name: {"id": name, "ids": [number[name]], "tokens": [name]} for name in sorted(used)}
    return {"type": "TemplateProcessing", "single": one, "pair": two, "special_tokens": special}
