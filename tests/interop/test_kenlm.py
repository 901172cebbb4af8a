"""KenLM's module reads our ARPA files and gives every word the log10 p that we give it."""

import numpy as np
import pytest

from lmstudio.formats import arpa
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
