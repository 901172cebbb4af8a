"""Throwing vocabulary away does not pay: unknown words are spelled, at what spelling costs.

Measured on a real book (Lu Xun's works), jieba words, 3-gram, test part, bits per character:

    minimum count                        1      2      5     20
    unknown words cost nothing more   6.27   5.19   4.60   3.68    a false win
    spelled                           7.88   7.31   7.51   7.82

From 1 to 2 there is a true gain, not a trick: with every word in the vocabulary the training text
has no `<unk>`, so its probability is far too low for the 7 % of new words in the test part. With
the share of words seen once for `<unk>` (Good & Turing) minimum count 1 has 7.19, the best of all.
"""

import math

import numpy as np
import pytest

from lmstudio.analysis.perplexity import Tally, bits_per_character, score
from lmstudio.data.cut_lines import CutPlan
from lmstudio.data.encode import encode
from lmstudio.data.layout import PartCounts, Tokens
from lmstudio.files import read_json
from lmstudio.formats.ngram_file import load_speller
from lmstudio.jobs import Job
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.model import NgramModel
from lmstudio.text.segment import SegmentOptions, segmenter
from lmstudio.training.fit_ngram import fit_speller
from tests.models.ngram.texts import ignore, write_corpus

pytestmark = pytest.mark.slow

MINIMUM_COUNTS = (1, 2, 5, 20)


class Scored:
    """A model with one minimum count, scored on the test part."""

    def __init__(self, folder) -> None:
        tokens, vocabulary = Tokens(folder), read_json(folder / "vocab.json")
        stream = tokens.stream("train")
        model, _ = NgramModel.fit(stream, len(vocabulary["types"]), NgramConfig(3), ignore)
        self.tally: Tally = score(model, tokens.stream("test"), job=Job())
        self.counts: PartCounts = tokens.meta.parts["test"]
        self.once = vocabulary["counts"].count(1) / int((stream != 1).sum())

    def bits(self, nats: float, spelling: bool = True) -> float:
        bits = self.counts.spelling_bits if spelling else 0.0
        return bits_per_character(nats, self.counts.characters, bits)

    @property
    def spelled(self) -> float:
        return self.bits(self.tally.nats + self.tally.nats_unknown)

    @property
    def unspelled(self) -> float:
        return self.bits(self.tally.nats + self.tally.nats_unknown, spelling=False)

    @property
    def spelled_with_a_fair_unknown(self) -> float:
        """p(<unk>) is the share of words seen once, everything else scaled to make room."""
        known = self.tally.events - self.tally.unknown
        room = known * math.log(1 - self.once) + self.tally.unknown * math.log(self.once)
        return self.bits(self.tally.nats - room)


def scored(shared, folder, by: str) -> list[Scored]:
    text = (shared / "data" / "lm" / "luxun_dev.txt").read_text(encoding="utf-8")
    blocks = np.array_split(np.array([line for line in text.split("\n") if line.strip()]), 100)
    cutter = segmenter(SegmentOptions(by=by), cache=folder)
    plain: dict[str, list[str]] = {"train": [], "test": []}
    cut: dict[str, list[str]] = {"train": [], "test": []}
    for number, block in enumerate(blocks):
        part = "train" if number % 10 else "test"
        plain[part] += block.tolist()
        cut[part] += [" ".join(line[a:b] for a, b in cutter.cut(line)) for line in block.tolist()]
    speller = load_speller(fit_speller(write_corpus(folder / "plain", **plain), job=Job()))
    corpus = write_corpus(folder / "cut", **cut)
    results = []
    for count in MINIMUM_COUNTS:
        options = SegmentOptions(by="whitespace", sentences="line", min_count=count)
        target = folder / f"{by}-{count}"
        plan = CutPlan(options, None, folder)
        encode(corpus, target, plan, spelling=speller.bits_of, job=Job())
        results.append(Scored(target))
    return results


def test_words(shared, tmp_path):
    results = scored(shared, tmp_path, "jieba")
    spelled = [result.spelled for result in results]
    unspelled = [result.unspelled for result in results]
    assert unspelled == sorted(unspelled, reverse=True)
    assert unspelled[-1] < 0.65 * unspelled[0]  # what a false win would look like
    assert spelled[1:] == sorted(spelled[1:])
    assert min(spelled[1:]) > results[0].spelled_with_a_fair_unknown


def test_characters(shared, tmp_path):
    results = scored(shared, tmp_path, "characters")
    spelled = [result.spelled for result in results]
    unspelled = [result.unspelled for result in results]
    assert unspelled == sorted(unspelled, reverse=True)
    assert spelled == sorted(spelled)
