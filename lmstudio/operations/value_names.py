"""Values that are kept as plain words into what people read, in the language in use.

JSON, CSV and the workspace keep the plain words; tables and sentences show these.
"""

import re

from lmstudio.messages import msg, tr

_NAMES = {
    "train": msg("train"), "valid": msg("valid"), "test": msg("test"), "mixed": msg("blocks"),
    "files": msg("as the files"), "column": msg("as the column says"),
    "accurate": msg("accurate"), "full": msg("full"), "search": msg("search"),
    "keep": msg("as it is"), "half": msg("half width"), "simplified": msg("simplified"),
    "traditional": msg("traditional"), "collapse": msg("one for many"), "remove": msg("removed"),
    "class": msg("all as 0"), "characters": msg("characters"), "whitespace": msg("whitespace"),
    "given": msg("given words"), "jieba": "jieba", "wordpiece": "WordPiece", "bpe": "BPE",
    "byte-bpe": msg("byte BPE"), "unigram": "Unigram",
    "sentence": msg("sentence"), "document": msg("document"),
}  # fmt: skip
_SPLIT = re.compile(r"(documents|blocks) (\S+) seed (\d+)")


def value_name(value: str) -> str:
    """A part, segmenter, mode or choice as it reads; what has no other name stays as it is."""
    return tr(_NAMES[value]) if value in _NAMES else value


def split_name(rule: str) -> str:
    """A `CorpusRow.split_rule` as it reads."""
    found = _SPLIT.fullmatch(rule)
    if not found:
        return value_name(rule)
    kind, shares, seed = found.groups()
    if kind == "documents":
        return tr("by document {shares}, seed {seed}", shares=shares, seed=seed)
    return tr("by blocks of lines {shares}, seed {seed}", shares=shares, seed=seed)
