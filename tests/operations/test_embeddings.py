"""Embeddings over a workspace: tags of a corpus, classes beside a run, what cannot be asked."""

import pytest

from lmstudio.data.import_options import ImportOptions
from lmstudio.data.split import SplitRule
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, embeddings, findings, segmentations, training
from lmstudio.text.document import ReadOptions
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import network

TAGGED = "我/r 爱/v 北京/ns\n他/r 去/v 上海/ns\n我/r 去/v 北京/ns\n爱/n 他/r\n" * 8


@pytest.fixture
def net(workspace, tmp_path):
    """An FFNN over words that came with tags."""
    file = tmp_path / "tagged.txt"
    file.write_text(TAGGED, encoding="utf-8")
    options = ImportOptions(reading=ReadOptions(format="tagged"), split=SplitRule(valid=0, test=0))
    corpus = corpora.import_files(workspace, [file], options=options, job=Job()).new_id
    cut = segmentations.create(workspace, corpus, SegmentOptions(by="given"), job=Job()).new_id
    return training.train(workspace, cut, network("ffnn"), job=Job()).new_id


def test_words_have_the_tag_that_is_theirs_most_often(workspace, net):
    words = ["我", "爱", "北京", "他", "去", "上海", "没有"]
    found = embeddings.groups(workspace, net, words, "tags", job=Job())
    assert found.named() == ["r", "v", "ns", "r", "v", "ns", ""]


def test_classes_are_those_of_the_newest_run_beside(workspace, net):
    with pytest.raises(AppError, match="No n-gram model of classes"):
        embeddings.groups(workspace, net, ["我"], "classes", job=Job())
    with pytest.raises(AppError, match="No n-gram model of classes"):
        embeddings.class_similarities(workspace, net, ["我"], job=Job())
    cut = workspace.run(net).segmentation_id
    spec = RunSpec.from_json({"model": "class-ngram", "config": {"classes": 3}})
    training.train(workspace, cut, spec, job=Job())
    words = ["我", "爱", "北京", "他", "去", "上海"]
    found = embeddings.groups(workspace, net, words, "classes", job=Job())
    alike = embeddings.class_similarities(workspace, net, [*words, "没有"], job=Job())
    assert alike.unknown == ["没有"]
    same = [[one == other for other in found.labels] for one in found.labels]
    assert (alike.values == 1).tolist() == same
    near = embeddings.neighbors(workspace, net, "我", job=Job())
    marks = {one.word: one.same_class for one in near.nearest}
    assert [marks[word] for word in words[1:]] == same[0][1:]


def test_a_run_without_a_valid_part_has_no_film(workspace, net):
    assert embeddings.film(workspace, net, job=Job()).steps == []


def test_a_finding_is_asked_again(workspace, net):
    question = {"text": "我", "layer": 0, "most": 3}
    made = findings.new(workspace, "neighbors", "我", question, net, job=Job()).new_id
    row = findings.finding(workspace, made)
    (answer,) = row.answers.values()
    known = embeddings.neighbors(workspace, net, "我", 0, 3, job=Job())
    assert [one["word"] for one in answer["nearest"]] == [one.word for one in known.nearest]
