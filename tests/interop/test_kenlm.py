"""KenLM's module reads our ARPA files and gives every word the log10 p that we give it."""

import numpy as np
import pytest

from lmstudio.formats import arpa, arpa_reading
from lmstudio.jobs import Job
from lmstudio.models.ngram.model import NgramModel
from tests.models.ngram.texts import Text

kenlm = pytest.importorskip("kenlm")

WORDS = [f"词{number}" for number in range(120)]


def sentences(count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [
        " ".join(WORDS[i] for i in rng.zipf(1.3, rng.integers(1, 20)) % 120) for _ in range(count)
    ]


def assert_equal_scores(model: NgramModel, text: Text, theirs, lines: list[str]) -> None:
    ours = model.logprobs(text.encode(lines)) / np.log(10)
    scored = [score for line in lines for score, _, _ in theirs.full_scores(line)]
    np.testing.assert_allclose(ours, scored, atol=1e-5)


@pytest.mark.parametrize("order", [2, 3, 5])
@pytest.mark.parametrize(
    "smoothing",
    ["modified-kneser-ney", "kneser-ney", "katz", "witten-bell", "absolute-discounting"],
)
@pytest.mark.parametrize("interpolate", [True, False])
def test_kenlm_scores_our_file_as_we_do(tmp_path, order, smoothing, interpolate):
    text = Text(sentences(300, 1))
    model = text.fit(order, smoothing, interpolate=interpolate)
    path = tmp_path / "m.arpa"
    arpa.save(path, model, text.types, job=Job())
    lines = [*sentences(60, 2), "没有 词1 见过 词2 词3", "词0", "没有"]
    assert_equal_scores(model, text, kenlm.Model(str(path)), lines)


def test_kenlm_reads_a_pruned_file(tmp_path):
    text = Text(sentences(300, 3))
    model = text.fit(4, min_counts="1,1,2")
    path = tmp_path / "m.arpa"
    arpa.save(path, model, text.types, job=Job())
    assert_equal_scores(model, text, kenlm.Model(str(path)), sentences(60, 4))


def test_we_read_what_kenlm_reads_as_it_does(tmp_path):
    """A file by hand, with habits of SRILM's: no <unk>, -99, weights left out, CRLF."""
    path = tmp_path / "srilm.arpa"
    lines = ["", "\\data\\", "ngram 1=5", "ngram 2=3", "ngram 3=1", "", "\\1-grams:", "-1\t</s>",
             "-99\t<s>\t-0.5", "-0.4\t我\t-0.2", "-0.6\t爱\t-0.3", "-0.9\t你", "", "\\2-grams:",
             "-0.2\t<s> 我\t-0.1", "-0.3\t我 爱", "-0.7\t爱 你", "", "\\3-grams:",
             "-0.05\t<s> 我 爱", "", "\\end\\", ""]  # fmt: skip
    path.write_bytes("\r\n".join(lines).encode())
    read = arpa_reading.load(path, job=Job())
    theirs = kenlm.Model(str(path))
    for line in ("我 爱 你", "你 爱 我 我", "爱 爱"):
        ours = read.model.logprobs(read.stream([line])) / np.log(10)
        np.testing.assert_allclose(ours, [one for one, _, _ in theirs.full_scores(line)], atol=1e-5)
