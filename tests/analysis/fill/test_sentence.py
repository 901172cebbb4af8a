"""Questions as each segmentation reads them: holes stand where the blanks of the text do."""

from dataclasses import dataclass

import pytest

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.fill.fill import written
from lmstudio.analysis.fill.question import Question
from lmstudio.analysis.fill.sentence import holed
from lmstudio.data.token_preview import pieces_of
from lmstudio.data.vocab import Vocabulary
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions

CHINESE = ["我爱北京天安门。", "她用帕子替他拭了。", "宝玉听了，不觉滴下泪来。"] * 10
ENGLISH = ["the old dog sees a cat", "a cat sees the old dogs", "the dog ran", "dogs ran"] * 20


@dataclass
class Opened:
    """What `holed` needs of an opened run."""

    asked: Asked
    vocabulary: Vocabulary

    @property
    def types(self):
        return self.vocabulary.types

    def pieces(self, text, *, job):
        return pieces_of([text], self.asked.plan, self.vocabulary, job=job)[0]


@pytest.fixture(scope="module")
def cut(tmp_path_factory):
    """An opened run over a segmentation by any means."""
    folder = tmp_path_factory.mktemp("ws")
    with Workspace(folder / "ws") as ws:
        for name, lines in (("zh", CHINESE), ("en", ENGLISH)):
            corpora.import_text(ws, "\n".join(lines), name=name, job=Job())

        def cut(corpus, **options):
            row = ws.corpus(corpus)
            made = segmentations.create(ws, row.id, SegmentOptions(**options), job=Job())
            segmentation = ws.segmentation(made.new_id)
            place = ws.segmentation_folder(segmentation.id)
            plan = segmentations.cut_plan(ws, segmentation)
            return Opened(Asked("run", place, place, None, plan), Vocabulary.load(place))

        yield cut


def read(opened, question):
    """The types of a sentence, those in holes in brackets; `?` behind a mark."""
    sentence = holed(opened, question, job=Job())
    told = []
    for place, number in enumerate(sentence.ids.tolist()):
        own = [hole for hole in sentence.holes if hole.first <= place < hole.end]
        word = "?" if own and own[0].truth is None else opened.types[number]
        told.append(f"[{word}]" if own else word)
    return " ".join(told)


def test_a_blank_is_as_many_tokens_as_its_model_cuts_it_into(cut):
    question = Question.of("我爱北京天安门。", [(2, 4)])
    assert read(cut("zh", by="characters"), question) == "我 爱 [北] [京] 天 安 门 。"
    assert read(cut("zh", by="jieba"), question) == "我 爱 [北京] 天安门 。"


def test_borders_within_a_word_cut_the_text_there(cut):
    question = Question.of("我爱北京天安门。", [(3, 4)])
    assert read(cut("zh", by="jieba"), question).endswith("[<unk>] 天安门 。")


def test_marks_stand_for_one_token_and_leave_no_trace(cut):
    question = Question.of("我爱[MASK]天安门【mask】")
    assert read(cut("zh", by="characters"), question) == "我 爱 [?] 天 安 门 [?]"
    assert read(cut("zh", by="jieba"), question) == "我 爱 [?] 天安门 [?]"


@pytest.mark.parametrize("by", ["byte-bpe", "unigram", "bpe", "wordpiece", "whitespace"])
def test_white_space_around_a_blank_stays_where_the_pieces_have_it(cut, by):
    opened = cut("en", by=by, pieces=60)
    text = "the old dog sees"
    whole = [piece.piece for piece in opened.pieces(text, job=Job())]
    told = read(opened, Question.of(text, [(4, 7)]))
    assert [word.strip("[]") for word in told.split()] == " ".join(whole).split()
    assert "[" in told
    marked = holed(opened, Question.of("the [MASK] dog sees"), job=Job())
    right = [opened.types[i] for i in marked.ids[marked.holes[0].end :]]
    assert whole[-len(right) :] == right  # as they stand in the text, spaces included


def test_words_are_written_without_the_space_that_is_there_already(cut):
    for by in ("byte-bpe", "wordpiece", "whitespace"):
        opened = cut("en", by=by, pieces=120)
        question = Question.of("the old dog sees", [(4, 7)])
        hole = holed(opened, question, job=Job()).holes[0]
        assert written(opened, question, 0, hole.truth[None]) == ["old"]
        assert question.filled(["old"]) == question.text
