"""Words in; a group for each, by their vectors, their tags or the classes of an n-gram model, out.

That a group of a given kind stands together on a map says what the vectors have learned of it.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.class_words import class_of_ids
from lmstudio.analysis.clusters import kmeans
from lmstudio.analysis.word_vectors import word_vectors
from lmstudio.data.browse.tagged_words import TaggedWords
from lmstudio.data.layout import SPECIALS
from lmstudio.jobs import Job

MOST_GROUPS = 8
"""Groups that are told apart; what is in none of the largest is in none."""
READ = 300_000  # tagged words that are looked at
AT_ONCE = 20_000


@dataclass(frozen=True)
class Groups:
    """G groups of N words."""

    names: list[str]  # the largest group first
    labels: np.ndarray  # (N,) int64: the group of each word, -1 for none

    def named(self) -> list[str]:
        """(N,) the name of the group of each word, "" for none."""
        return [self.names[label] if label >= 0 else "" for label in self.labels.tolist()]


def clusters(asked: Asked, words: Sequence[str], layer: int = 0, count: int = MOST_GROUPS, *,
             job: Job) -> Groups:  # fmt: skip
    """k-means over the directions of the vectors; a group is called by the word at its middle."""
    vectors = word_vectors(asked, layer, words, job=job)
    places = np.array([vectors.places.get(word, -1) for word in words], np.int64)
    known = np.flatnonzero((places >= 0) & (vectors.lengths[places] > 0))
    labels = np.full(len(words), -1, np.int64)
    if not len(known):
        return Groups([], labels)
    units = vectors.units[places[known]]
    found = kmeans(units, count, job=job)
    labels[known] = found.labels
    middles = [int(known[found.labels == group][(units[found.labels == group] @ centre).argmax()])
               for group, centre in enumerate(found.centres)]  # fmt: skip
    return Groups([words[place] for place in middles], labels)


def tags(corpus_folder: Path, words: Sequence[str], *, job: Job) -> Groups:
    """The tag that each word has most often in a corpus. AppError of one without tags."""
    tagged = TaggedWords(corpus_folder)
    seen: dict[str, Counter[int]] = defaultdict(Counter)
    total = min(len(tagged), READ)
    for start in range(0, total, AT_ONCE):
        job.tick(start, total)
        some = np.arange(start, min(start + AT_ONCE, total))
        for word, tag in zip(tagged.texts(some), tagged.records["tag"][some].tolist(), strict=True):
            if tag:
                seen[word][tag] += 1
    return _largest([tagged.tags[seen[word].most_common(1)[0][0]] if word in seen else ""
                     for word in words])  # fmt: skip


def classes(class_run_folder: Path, words: Sequence[str], ids: np.ndarray, *, job: Job) -> Groups:
    """The class that an n-gram model of classes, over the same vocabulary, put each word into.

    Called by its number and the first of `words` in it.
    """
    job.check()
    numbers = class_of_ids(class_run_folder)[ids].tolist()
    first = dict(zip(reversed(numbers), reversed(words), strict=True))
    return _largest([f"{number - len(SPECIALS) + 1} {first[number]}" for number in numbers])


def _largest(names: Sequence[str]) -> Groups:
    """Groups by the name of each word's, "" for none."""
    sizes = Counter(name for name in names if name)
    kept = [name for name, _ in sizes.most_common(MOST_GROUPS)]
    number = {name: place for place, name in enumerate(kept)}
    return Groups(kept, np.array([number.get(name, -1) for name in names], np.int64))
