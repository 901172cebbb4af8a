"""Sentences of made-up words -> the files of a segmentation, without a segmenter."""

from collections import Counter
from pathlib import Path

import numpy as np

from lmstudio.data.layout import (
    OFFSET,
    PART_NAMES,
    SENTENCE,
    SPECIALS,
    PartCounts,
    SegmentationMeta,
)
from lmstudio.files import write_json


def write_segmentation(folder: Path, **parts: list[str]) -> Path:
    """`train=["a b", ...]`, `valid=`, `test=`: sentences of words between spaces."""
    folder.mkdir(parents=True, exist_ok=True)
    counts = Counter(word for sentence in parts.get("train", []) for word in sentence.split())
    types = [*SPECIALS, *sorted(counts, key=lambda word: (-counts[word], word))]
    number = {word: i for i, word in enumerate(types)}
    ids, sentences, facts = [], [], {}
    for part, name in enumerate(PART_NAMES):
        lines = [sentence.split() for sentence in parts.get(name, [])]
        for words in lines:
            sentences.append((len(ids), len(sentences), part))
            ids += [number.get(word, 0) for word in words]
        facts[name] = PartCounts(
            tokens=sum(map(len, lines)),
            sentences=len(lines),
            characters=sum(len(word) for words in lines for word in words),
            unknown=sum(word not in number for words in lines for word in words),
        )
    sentences.append((len(ids), len(sentences), 255))
    np.array(ids, "<i4").tofile(folder / "tokens.bin")
    np.array(sentences, SENTENCE).tofile(folder / "sentences.idx")
    np.zeros(len(ids), OFFSET).tofile(folder / "offsets.bin")
    write_json(
        folder / "vocab.json",
        {"types": types, "counts": [counts[word] for word in types]},
    )
    SegmentationMeta(segmenter="whitespace", parts=facts).save(folder)
    return folder
