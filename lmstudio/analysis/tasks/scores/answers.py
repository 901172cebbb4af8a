"""Gold and given answers -> exact match and F1, by the rule of CMRC and by that of SQuAD.

CMRC 2018 (Cui et al. 2019, its evaluation script, version 5): lower case, without a list of
punctuation; units are Chinese characters and the words between them; F1 by the longest run of
units that both have. The script cuts what is not Chinese by the tokenizer of NLTK; so do the units
here, but for English words with an apostrophe, which stay whole.
SQuAD 2.0 (Rajpurkar et al. 2018): lower case, without ASCII punctuation and English articles; F1
by the words, between spaces, that both have. Of a question without an answer "" is right.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from lmstudio.analysis.tasks.scores.counts import share

CMRC_PUNCTUATION = frozenset("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』")
"""What the script leaves out. Its "……" is two characters, so that none is ever equal to it."""

_HAN = r"\u4e00-\u9fa5"
_ALONE = r";@#$%&?!()\[\]{}<>\"\u2012-\u2015«»“”‘’„"  # a unit each, wherever they stand
_END = rf"\.(?=[\])}}>\"'»”’\s]*(?:[{_HAN}]|$))"  # a full stop is no part of the word before it
_UNIT = re.compile(
    rf"[{_HAN}]|\.\.+|[{_ALONE}]|,(?!\d)|{_END}|"
    rf"(?:[^\s{_HAN}{_ALONE},.]|,(?=\d)|(?!{_END})\.(?!\.))+"
)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_ASCII = str.maketrans("", "", string.punctuation)
Rule = Callable[[str, str], tuple[float, float]]


@dataclass(frozen=True)
class AnswerScores:
    """Exact match and F1, the mean over questions, by both rules."""

    questions: int
    unanswerable: int  # of them
    cmrc: tuple[float, float]  # exact match, F1
    squad: tuple[float, float]
    each: tuple[tuple[float, float], ...]  # of each question, by the rule of CMRC

    @property
    def figures(self) -> dict[str, float]:
        """The figures by the names that are kept with a run; those of CMRC by themselves."""
        return {"em": self.cmrc[0], "f1": self.cmrc[1], "squad_em": self.squad[0],
                "squad_f1": self.squad[1], "questions": self.questions,
                "unanswerable": self.unanswerable}  # fmt: skip


def score(gold: Sequence[Sequence[str]], given: Sequence[str]) -> AnswerScores:
    """The scores of an answer to each question, "" for none, beside all that are right.

    A question with no right answer has none. ValueError: not as many of each.
    """
    cmrc = [best(right, answer, cmrc_rule) for right, answer in zip(gold, given, strict=True)]
    squad = [best(right, answer, squad_rule) for right, answer in zip(gold, given, strict=True)]
    empty = sum(not right for right in gold)
    return AnswerScores(len(gold), empty, _means(cmrc), _means(squad), tuple(cmrc))


def best(right: Sequence[str], answer: str, rule: Rule) -> tuple[float, float]:
    """Exact match and F1 of an answer, beside the right answer that it comes closest to."""
    found = [rule(one, answer) for one in right or ("",)]
    return max(exact for exact, _ in found), max(f1 for _, f1 in found)


def cmrc_rule(right: str, answer: str) -> tuple[float, float]:
    """Exact match and F1 by the rule of CMRC."""
    one, other = _without_marks(right), _without_marks(answer)
    exact = float(one == other)
    if not right or not answer:
        return exact, exact
    units, found = _UNIT.findall(one), _UNIT.findall(other)
    return exact, share(2 * longest_run(units, found), len(units) + len(found))


def squad_rule(right: str, answer: str) -> tuple[float, float]:
    """Exact match and F1 by the rule of SQuAD."""
    one, other = _squad_words(right), _squad_words(answer)
    exact = float(one == other)
    if not one or not other:
        return exact, exact
    common = (Counter(one) & Counter(other)).total()
    return exact, share(2 * common, len(one) + len(other))


def longest_run(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest run of units that stands in both."""
    longest, above = 0, [0] * (len(other) + 1)
    for unit in one:
        row = [0] * (len(other) + 1)
        for place, beside in enumerate(other):
            if unit == beside:
                row[place + 1] = above[place] + 1
        longest, above = max(longest, *row), row
    return longest


def _without_marks(text: str) -> str:
    return "".join(char for char in text.lower().strip() if char not in CMRC_PUNCTUATION)


def _squad_words(text: str) -> list[str]:
    return _ARTICLE.sub(" ", text.lower().translate(_ASCII)).split()


def _means(found: list[tuple[float, float]]) -> tuple[float, float]:
    exact, f1 = zip(*found, strict=True) if found else ((0.0,), (0.0,))
    return fmean(exact), fmean(f1)
