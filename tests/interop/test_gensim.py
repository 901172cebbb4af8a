"""gensim opens our files of word vectors, and we open gensim's, with the same neighbours."""

import numpy as np
import pytest

from lmstudio.formats.vectors.vector_file import read_vectors, write_vectors
from lmstudio.jobs import Job

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
keyed = pytest.importorskip("gensim.models.keyedvectors")

WORDS = ["北京", "上海", "my name", "3.14", "的"]
VECTORS = np.random.default_rng(1).normal(size=(5, 7)).astype(np.float32)


@pytest.mark.parametrize("layout", ["text", "binary", "glove"])
def test_gensim_reads_ours(tmp_path, layout):
    path = tmp_path / "ours"
    write_vectors(path, WORDS, VECTORS, binary=layout == "binary", header=layout != "glove",
                  job=Job())  # fmt: skip
    found = keyed.KeyedVectors.load_word2vec_format(
        str(path), binary=layout == "binary", no_header=layout == "glove"
    )
    assert found.index_to_key == ["北京", "上海", "my\u2581name", "3.14", "的"]
    assert found.vectors == pytest.approx(VECTORS, abs=1e-6)


@pytest.mark.parametrize("layout", ["text", "binary", "glove"])
def test_we_read_gensims(tmp_path, layout):
    theirs = keyed.KeyedVectors(7)
    theirs.add_vectors([word.replace(" ", "_") for word in WORDS], VECTORS)
    path = tmp_path / "theirs"
    theirs.save_word2vec_format(
        str(path), binary=layout == "binary", write_header=layout != "glove"
    )
    found = read_vectors(path, job=Job())
    assert found.words == theirs.index_to_key
    assert found.notes == []
    assert found.vectors == pytest.approx(VECTORS, abs=1e-6)
    units = found.vectors / np.linalg.norm(found.vectors, axis=1, keepdims=True)
    cosines = units @ units[0]
    nearest = theirs.most_similar("北京", topn=4)
    assert [word for word, _ in nearest] == [found.words[i] for i in np.argsort(-cosines)[1:]]
    assert [cosine for _, cosine in nearest] == pytest.approx(np.sort(cosines)[::-1][1:], abs=1e-5)
