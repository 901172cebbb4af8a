"""Cases C-4 and C-8: a file of words scored with an ARPA file."""

from pathlib import Path

import pytest

from lmstudio.analysis.arpa_figures import figures
from lmstudio.errors import AppError
from lmstudio.jobs import Job

FILE = Path(__file__).parents[1] / "data" / "cases" / "c_bigram_lf.arpa"


def scored(tmp_path, text):
    path = tmp_path / "text.txt"
    path.write_text(text, encoding="utf-8")
    return figures(FILE, path, job=Job())


@pytest.mark.parametrize(
    "text", ["我 爱 你\n", "<s> 我 爱 你 </s>\n", "\n<s>\n我 爱 你 </s>\n</s>\n <s> </s>\n"]
)
def test_written_sentence_marks_are_no_words_and_no_sentences(tmp_path, text):
    found = scored(tmp_path, text)
    assert (found.sentences, found.words, found.unknown) == (1, 3, 0)
    assert found.perplexity == pytest.approx(2.378414, abs=1e-5)


def test_marks_alone_are_no_text(tmp_path):
    with pytest.raises(AppError, match="no sentence"):
        scored(tmp_path, "</s>\n")
