"""Findings keep a question with its answers, can be tagged, and are asked again of another run."""

from dataclasses import dataclass

import numpy as np
import pytest

from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, findings, segmentations, tags, training
from lmstudio.operations.changes import Changes
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec


@pytest.fixture
def trained(workspace):
    corpora.import_text(workspace, "我爱北京。\n他爱上海。\n" * 20, name="短文", job=Job())
    by = SegmentOptions(by="characters")
    cut = segmentations.create(workspace, "短文", by, name="字", job=Job()).new_id
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 2}})
    return workspace.run(training.train(workspace, cut, spec, name="二元", job=Job()).new_id)


@dataclass
class Answer:
    words: list
    probabilities: np.ndarray


def kept(ws, title="哪个字?"):
    answer = Answer(["京", "海"], np.array([0.75, 0.25]))
    changes = findings.save(ws, "fill", title, {"text": "北[MASK]"}, {"bert": answer})
    assert changes == Changes(findings=True, new_id=changes.new_id)
    return changes.new_id


def test_what_is_kept_comes_back_as_plain_data(workspace):
    number = kept(workspace)
    row = findings.finding(workspace, number)
    assert (row.kind, row.title, row.question) == ("fill", "哪个字?", {"text": "北[MASK]"})
    assert row.answers == {"bert": {"words": ["京", "海"], "probabilities": [0.75, 0.25]}}
    assert [entry.id for entry in findings.findings(workspace)] == [number]


def test_a_title_is_one_line_and_never_empty(workspace):
    number = kept(workspace, "a\nb\t" + "长" * 300)
    assert findings.finding(workspace, number).title.startswith("a b 长")
    assert len(findings.finding(workspace, number).title) == findings.TITLE_LENGTH
    findings.rename(workspace, number, " ")
    assert findings.finding(workspace, number).title == "Untitled"


def test_tags_are_set_found_and_go_with_what_they_are_on(workspace):
    first, second = kept(workspace), kept(workspace)
    tags.set_tags(workspace, "finding", first, tags.words_of("课堂，#重要、课堂  b"))  # noqa: RUF001
    assert tags.tags(workspace, "finding") == {first: ("b", "课堂", "重要")}
    findings.delete(workspace, first)
    assert tags.tags(workspace, "finding") == {}
    assert [row.id for row in findings.findings(workspace)] == [second]
    with pytest.raises(AppError, match="no finding"):
        tags.set_tags(workspace, "finding", 99, ["a"])


@pytest.mark.parametrize("words", [["x" * 41], ["a\tb"], [str(i) for i in range(21)]])
def test_tags_that_cannot_be_shown_are_refused(workspace, words):
    with pytest.raises(AppError):
        tags.set_tags(workspace, "finding", kept(workspace), words)


def test_a_search_asks_for_every_word():
    assert tags.matches("GPT 课堂", "填空 gpt", "课堂 b")
    assert tags.matches("#课堂", "", "课堂")
    assert not tags.matches("GPT 无", "填空 gpt")


def test_answers_that_are_too_large_are_refused(workspace):
    with pytest.raises(AppError, match="too large"):
        findings.save(workspace, "map", "t", {}, {"a": "x" * findings.LARGEST})


def test_a_question_that_nothing_answers_says_so(workspace, trained):
    number = findings.save(workspace, "horoscope", "t", {}, {}).new_id
    assert not findings.can_ask_again(findings.finding(workspace, number))
    with pytest.raises(AppError, match="horoscope"):
        findings.ask_again(workspace, number, trained.id, job=Job())


def test_a_question_is_put_to_another_run(workspace, trained, monkeypatch):
    monkeypatch.setitem(findings.KINDS, "fill", "runs:log_of_text")
    monkeypatch.setattr("lmstudio.operations.runs.log_of_text", _answer, raising=False)
    number = kept(workspace)
    findings.ask_again(workspace, number, trained.name, job=Job())
    answers = findings.finding(workspace, number).answers
    assert list(answers) == ["bert", trained.name]
    assert answers[trained.name] == {"words": ["北[MASK]"], "probabilities": [1.0]}


def _answer(ws, run, text, *, job):
    return Answer([text], np.ones(1))


def test_half_characters_are_neither_tags_nor_names(workspace, trained):
    with pytest.raises(AppError, match="The tag a\\? holds half a character"):
        tags.set_tags(workspace, "run", trained.id, ["a\ud800"])
    with pytest.raises(AppError, match="There is no run named"):
        tags.set_tags(workspace, "run", "\ud800", ["a"])
