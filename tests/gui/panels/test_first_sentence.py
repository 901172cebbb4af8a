"""What panels begin with: whole sentences of the part that no model has learned from."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from lmstudio.data.layout import LINE, PART_NAMES
from lmstudio.gui.panels.explore import first_sentence as proposing

PARTS = {
    "train": "山上有云。山下有水。\n",
    "valid": "天很高。地很大，没有尽头。\n",
    "test": "\n“风来了！”他说。雨停了。\n" + "长" * 70 + "。\n一句？两句。\n",
}


class _Text:
    """A CorpusText of (part, line) pairs."""

    def __init__(self, lines):
        self._lines = [line for _, line in lines]
        self.lines = np.zeros(len(lines), LINE)
        self.lines["part"] = [PART_NAMES.index(part) for part, _ in lines]

    def line(self, number):
        return self._lines[number]


@pytest.fixture
def begin(monkeypatch):
    """A function: parts -> the state of a window whose corpus has them."""

    def make(*parts):
        lines = [(part, line) for part in parts for line in PARTS[part].split("\n")]
        monkeypatch.setattr(proposing, "CorpusText", lambda folder: _Text(lines))
        return SimpleNamespace(
            workspace=SimpleNamespace(corpus_folder=lambda number: Path(str(number)))
        )

    return make


@pytest.mark.parametrize(("parts", "first"), [
    (("train", "valid", "test"), "“风来了！”"), (("train", "valid"), "天很高。"),
    (("train",), "山上有云。"),
])  # fmt: skip
def test_it_is_of_the_test_part_or_else_valid_or_train(begin, parts, first):
    assert proposing.first_sentence(begin(*parts), 1) == first


def test_examples_are_whole_sentences(begin):
    assert proposing.sentences(begin("test"), 1, 2, 60) == ["“风来了！”", "一句？"]
    assert proposing.whole("It is 3.5 m. So it is.") == "It is 3.5 m."
    assert proposing.whole("没有句号") == "没有句号"
