"""The text of a train part into a tokenizer: WordPiece, BPE, byte BPE or Unigram.

Sennrich, Haddow & Birch 2016, "Neural machine translation of rare words with subword units" (BPE);
Wu et al. 2016, "Google's neural machine translation system" (WordPiece; like the library we merge
by count); Kudo 2018, "Subword regularization" (Unigram); Radford et al. 2019, "Language models are
unsupervised multitask learners" (bytes). The same text gives the same pieces, which takes some
care: the library numbers what it sees first in an order that changes from run to run.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from lmstudio.errors import AppError
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.text.subword import apply_rules

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Texts = Callable[[], Iterator[list[str]]]
"""Begins to read the train part anew, in lists of sentences; raising in it stops the training."""

UNKNOWN_PIECE = {"wordpiece": "[UNK]", "bpe": "<unk>", "unigram": "<unk>"}
_LONGEST_WORD = 100  # code points: longer runs without white space and marks are cut there
_LONGEST_PIECE = 16
_PREFIX = "##"  # of WordPiece, before what goes on within a word
_ROUNDS = 4  # in which Unigram scores are settled


def train(texts: Texts, options: SegmentOptions) -> str:
    """The JSON of a tokenizer (tokenizer.json) with about `options.pieces` pieces.

    A character with fewer than `options.min_count` is in no piece, nor are the rarest ones where
    the vocabulary has no room for all. AppError where there is nothing to learn from.
    """
    tokenizer = _empty(options)
    if options.by == "byte-bpe":
        tokenizer.train_from_iterator(texts(), _trainer(options, _bytes(), []))
        return tokenizer.to_str()
    known, dropped = _alphabet(texts, options, tokenizer)
    blank = str.maketrans(dict.fromkeys(dropped, " "))

    def kept() -> Iterator[list[str]]:
        return ([text.translate(blank) for text in batch] for batch in texts())

    inner: list[str] = []
    if options.by == "wordpiece":  # first only to see which characters go on within a word
        tokenizer.train_from_iterator(kept(), _trainer(options, known, [], merges=False))
        inner = sorted(piece for piece in tokenizer.get_vocab() if len(piece) == len(_PREFIX) + 1
                       and piece.startswith(_PREFIX))  # fmt: skip
        tokenizer = _empty(options)
    tokenizer.train_from_iterator(kept(), _trainer(options, known, inner))
    rules = json.loads(tokenizer.to_str())
    whole = {UNKNOWN_PIECE[options.by], *options.special_tokens}
    rules["added_tokens"] = [token for token in rules["added_tokens"] if token["content"] in whole]
    if options.by == "unigram":
        _settle_scores(rules, kept)
    return json.dumps(rules, ensure_ascii=False)


def _empty(options: SegmentOptions) -> "Tokenizer":
    """A tokenizer with its rules and no pieces yet."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    if options.by == "byte-bpe":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        return tokenizer
    unknown = UNKNOWN_PIECE[options.by]
    if options.by == "wordpiece":
        tokenizer = Tokenizer(models.WordPiece({}, unk_token=unknown))
    elif options.by == "bpe":
        tokenizer = Tokenizer(models.BPE(unk_token=unknown))
    else:
        tokenizer = Tokenizer(models.Unigram())
    apply_rules(tokenizer, options)
    bounded = pre_tokenizers.Split(Regex(rf"[\s\S]{{1,{_LONGEST_WORD}}}"), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([tokenizer.pre_tokenizer, bounded])
    return tokenizer


def _alphabet(
    texts: Texts, options: SegmentOptions, tokenizer: "Tokenizer"
) -> tuple[list[str], list[str]]:
    """The characters that get a piece, as the rules fold them; those of the text that do not."""
    seen: Counter[str] = Counter()
    for batch in texts():
        seen.update("".join(batch))
    folded = {character: _folded(character, tokenizer) for character in seen}
    counts: Counter[str] = Counter()
    for character, count in seen.items():
        for part in folded[character]:
            counts[part] += count
    room = options.pieces - len(options.special_tokens) - 1
    frequent = sorted((c for c in counts if counts[c] >= options.min_count),
                      key=lambda c: (-counts[c], c))[:room]  # fmt: skip
    if not frequent:
        raise AppError("The train part holds no token. Give it some text, or split anew.")
    known = set(frequent)
    dropped = [character for character, parts in folded.items() if not known.issuperset(parts)]
    return sorted(known), sorted(dropped)


def _folded(character: str, tokenizer: "Tokenizer") -> str:
    """What the rules make of a character, without white space."""
    rules = tokenizer.normalizer
    text = character if rules is None else rules.normalize_str(character)
    return "".join(text.split())


def _bytes() -> list[str]:
    from tokenizers.pre_tokenizers import ByteLevel

    return sorted(ByteLevel.alphabet())


def _trainer(
    options: SegmentOptions, alphabet: list[str], first: list[str], *, merges: bool = True
) -> Any:
    """`first` are pieces whose numbers are settled before the text is read."""
    from tokenizers import trainers

    unknown = [UNKNOWN_PIECE[options.by]] if options.by in UNKNOWN_PIECE else []
    common: dict[str, Any] = {
        "vocab_size": options.pieces if merges else 1,
        "special_tokens": [*unknown, *options.special_tokens, *first],
        "initial_alphabet": alphabet,
        "show_progress": False,
    }
    if options.by == "unigram":
        return trainers.UnigramTrainer(
            unk_token=unknown[0], max_piece_length=_LONGEST_PIECE, **common
        )
    common |= {"min_frequency": max(2, options.min_count), "limit_alphabet": len(alphabet)}
    if options.by == "wordpiece":
        return trainers.WordPieceTrainer(continuing_subword_prefix=_PREFIX, **common)
    return trainers.BpeTrainer(max_token_length=_LONGEST_PIECE, **common)


def _settle_scores(rules: dict[str, Any], texts: Texts) -> None:
    """Give Unigram pieces scores that do not depend on the order of a sum.

    Those of the library change from run to run, by some hundredths. Here the text is cut into as
    few pieces as can be; then each score is the logarithm of the piece's share in the last cut,
    half a time for one that did not occur, and the text is cut anew.
    """
    from tokenizers import Tokenizer

    first = len(rules["added_tokens"])
    kept, rest = rules["model"]["vocab"][:first], rules["model"]["vocab"][first:]
    names = sorted(piece for piece, _ in rest)
    scores = np.full(len(names), -1.0)
    for _ in range(_ROUNDS):
        rules["model"]["vocab"] = kept + list(map(list, zip(names, scores.tolist(), strict=True)))
        tokenizer = Tokenizer.from_str(json.dumps(rules))
        counts = np.zeros(first + len(names))
        for batch in texts():
            found = tokenizer.encode_batch_fast(batch, add_special_tokens=False)
            ids = np.fromiter(chain.from_iterable(cut.ids for cut in found), np.int64)
            counts += np.bincount(ids, minlength=len(counts))
        shares = np.maximum(counts[first:], 0.5)
        scores = np.log(shares / shares.sum())
    order = sorted(range(len(names)), key=lambda i: (-scores[i], names[i]))
    rules["model"]["vocab"] = kept + [[names[i], float(scores[i])] for i in order]
