"""Analogies by both formulas, against a loop over every word; the files of CA8."""

import numpy as np
import pytest

from lmstudio.analysis import analogies
from lmstudio.analysis.analogies import analogy, read_questions, score_sections
from lmstudio.analysis.word_vectors import WordVectors, word_vectors
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from tests.analysis.embedding_models import trained

RNG = np.random.default_rng(3)
WORDS = [f"w{number}" for number in range(30)]
TABLE = RNG.normal(size=(30, 6)).astype(np.float32)


def brute(question, formula):
    """The best word, by a loop."""
    unit = {w: x / np.linalg.norm(x) for w, x in zip(WORDS, TABLE, strict=True)}
    a, b, c = (unit[word] for word in question)
    best = {}
    for word, d in unit.items():
        if word not in question:
            cos = [(d @ x).item() for x in (a, b, c)]
            up = [(value + 1) / 2 for value in cos]
            best[word] = {"add": cos[1] - cos[0] + cos[2],
                          "mul": up[1] * up[2] / (up[0] + 0.001)}[formula]  # fmt: skip
    return max(best, key=best.get)


def test_answers_are_those_of_a_loop(monkeypatch):
    monkeypatch.setattr(analogies, "AT_ONCE", 7)
    vectors = WordVectors.of(WORDS, TABLE)
    questions = [tuple(RNG.choice(WORDS, 3, replace=False)) for _ in range(40)]
    right = {formula: [(*q, brute(q, formula)) for q in questions] for formula in ("add", "mul")}
    found = score_sections(vectors, right, job=Job())
    assert [(one.name, one.questions, one.covered) for one in found] == [
        ("add", 40, 40), ("mul", 40, 40), ("", 80, 80),
    ]  # fmt: skip
    assert found[0].add == found[1].mul == 40
    assert found[2].add == found[0].add + found[1].add
    assert found[0].accuracy("add") == found[0].coverage == 1


def test_a_question_with_an_unknown_or_zero_word_is_not_covered():
    table = TABLE.copy()
    table[5] = 0
    vectors = WordVectors.of(WORDS, table)
    questions = [("w0", "w1", "w2", "none"), ("w0", "w1", "w5", "w3"), ("w0", "w1", "w2", "w3")]
    (found,) = score_sections(vectors, {"s": questions}, job=Job())
    assert (found.questions, found.covered) == (3, 1)
    (none,) = score_sections(vectors, {"s": questions[:1]}, job=Job())
    assert np.isnan(none.accuracy("add"))


def test_one_question_is_answered_by_both_formulas(tmp_path):
    asked = trained(tmp_path, "gpt")
    found = analogy(asked, ("a", "b", "c"), most=3, job=Job())
    assert len(found.add) == len(found.mul) == 3
    assert not {"a", "b", "c"} & {one.word for one in found.add}
    vectors = word_vectors(asked, job=Job())
    a, b, c, d = (vectors.units[vectors.places[w]] for w in ("a", "b", "c", found.add[0].word))
    assert found.add[0].score == pytest.approx(float(d @ b - d @ a + d @ c), abs=1e-5)
    with pytest.raises(AppError, match="vocabulary: x y"):
        analogy(asked, ("a", "x", "y"), job=Job())


def test_words_whose_vectors_are_zero_are_told_so(monkeypatch):
    table = TABLE.copy()
    table[5] = 0
    monkeypatch.setattr(analogies, "word_vectors", lambda *_, **__: WordVectors.of(WORDS, table))
    with pytest.raises(AppError, match="are zero, so they point nowhere: w5"):
        analogy(None, ("w0", "w1", "w5"), job=Job())


def test_case_ca8_is_read_in_its_format(tmp_path):
    file = tmp_path / "ca8.txt"
    file.write_text(": A\r\na b c d\r\na b c e\r\n: geography\r\nb c d e\r\n\r\n", encoding="utf-8")
    assert read_questions(file) == {
        "A": [("a", "b", "c", "d"), ("a", "b", "c", "e")], "geography": [("b", "c", "d", "e")],
    }  # fmt: skip
    asked = trained(tmp_path, "rnn")
    found = analogies.analogy_set(asked, file, job=Job())
    assert [one.questions for one in found] == [2, 1, 3]
    file.write_text("a b c d\na b c", encoding="utf-8")
    with pytest.raises(AppError, match="Line 2 of"):
        read_questions(file)
    file.write_text(": A", encoding="utf-8")
    with pytest.raises(AppError, match="no question"):
        read_questions(file)


def test_the_files_of_ca8_are_read(shared):
    counts = {
        name: sum(map(len, read_questions(shared / f"data/sim/CA8_{name}.txt").values()))
        for name in ("morphological", "semantic")
    }
    assert counts == {"morphological": 10_177, "semantic": 7_636}
