"""Case H-3: that the end of a text, or its beginning, is not read is said with the answer."""

import numpy as np
import pytest

from lmstudio.analysis.asked import answering
from lmstudio.analysis.generation.generate import Start, generate
from lmstudio.analysis.generation.next_table import next_table
from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.analysis.input_terms import input_terms
from lmstudio.analysis.inside import inside
from lmstudio.analysis.layer_similarity import layer_similarity
from lmstudio.analysis.logit_lens import lens
from lmstudio.analysis.sentence_similarity import similarity
from lmstudio.analysis.two_directions import two_directions
from lmstudio.jobs import Job
from tests.analysis.networks import untrained

LONG = "a b " * 150  # 300 tokens
READ = {"bert": 14, "gpt": 15, "lstm": 200, "elmo": 200}  # of a window of 16, marks left out


def told(notes):
    return [str(note) for note in notes]


@pytest.mark.parametrize("family", READ)
def test_case_h3_what_is_cut_off_at_the_end_is_said(family, tmp_path, monkeypatch):
    asked = untrained(tmp_path, monkeypatch, family)
    questions = [inside, layer_similarity, lens]
    questions += [input_terms] if family in ("bert", "gpt") else []
    questions += [two_directions] if family == "elmo" else []
    for question in questions:
        found = question(asked, LONG, job=Job())
        assert told(found.notes) == [f"Only the first {READ[family]} of 300 tokens are read."]
        assert question(asked, "a b", job=Job()).notes == ()
        exact = "a " * READ[family]
        assert question(asked, exact, job=Job()).notes == ()


def test_case_h3_sentences_that_are_cut_are_named(tmp_path, monkeypatch):
    asked = untrained(tmp_path, monkeypatch, "bert")
    found = similarity(asked, tmp_path, ["a b", LONG, "c", LONG], job=Job())
    assert told(found.notes) == [
        "bert: only the first 14 tokens are read of the sentences 2, 4."
    ]  # fmt: skip
    assert similarity(asked, tmp_path, ["a b", "c"], job=Job()).notes == ()


def test_case_h3_next_and_generate_say_that_only_the_end_is_read(tmp_path, monkeypatch):
    asked = untrained(tmp_path, monkeypatch, "gpt")
    found = next_table(asked, LONG, job=Job())
    (note,) = told(found.notes)
    read = int(note.removeprefix("Only the last ").split()[0])
    assert note == f"Only the last {read} of 300 tokens are read."
    assert 8 <= read <= 16
    model = answering(asked, job=Job())
    ids = [model.vocabulary.id_of(word) for word in LONG.split()]
    other = [model.vocabulary.id_of("c")] * (300 - read) + ids[300 - read :]
    probs = [model.model.next_probs(np.array(each)) for each in (ids, other)]
    assert np.allclose(*probs)
    (wrote,) = generate([Start(asked)], LONG, GenerationOptions(length=1), job=Job())
    assert told(wrote.notes) == [note]
    assert next_table(asked, "a b", job=Job()).notes == ()
