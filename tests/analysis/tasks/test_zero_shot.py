"""What words score after prompts: log p of the model's own tokens, however the text is cut."""

import numpy as np
import pytest

from lmstudio.analysis.asked import answering
from lmstudio.analysis.tasks.zero_shot import word_logs
from lmstudio.data.layout import BOS, EOS
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations, training
from lmstudio.operations.asked import asked
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import NETWORKS, network

CAUSAL = ["ngram", *(name for name in NETWORKS if name != "bert")]
CUTS = {
    "characters": SegmentOptions(by="characters"),
    "jieba": SegmentOptions(by="jieba"),
    "jieba, unknown apart": SegmentOptions(by="jieba", min_count=2, unknown="characters"),
    "bpe": SegmentOptions(by="bpe", pieces=60),
    "byte-bpe": SegmentOptions(by="byte-bpe", pieces=300),
}
WORDS = ("北京", "京剧", "天安门。", "very good")
PROMPTS = ("我爱北京。我说的是", "我爱北", "")
TEXT = "我爱北京天安门。\n他爱京剧，很好。\n我说的是天津 very good.\n" * 12


def spec(model):
    if model == "ngram":
        return RunSpec.from_json({"model": "ngram"})
    return network(model, {"window": 32} if model == "gpt" else {})


def opened(ws, model, cut="characters"):
    corpora.import_text(ws, TEXT, name="文", job=Job())
    made = segmentations.create(ws, "文", CUTS[cut], job=Job()).new_id
    run = training.train(ws, made, spec(model), job=Job()).new_id
    return answering(asked(ws, run, "next"), job=Job())


def scored(found, text):
    """`logprobs` of a text as one sentence, and its tokens."""
    pieces = found.pieces(text, job=Job())
    stream = np.array([BOS, *(piece.id for piece in pieces), EOS], np.int32)
    return found.model.logprobs(stream), pieces


@pytest.mark.parametrize("model", CAUSAL)
def test_scores_are_differences_of_log_p_of_texts(workspace, model):
    """Cut into characters, a word's score is log p of the whole less that of the prompt."""
    found = opened(workspace, model)
    logs = [one for one, _ in word_logs(found, PROMPTS, WORDS, job=Job())]
    for prompt, scores in zip(PROMPTS, logs, strict=True):
        before = scored(found, prompt)[0][:-1].sum()
        for word, score in zip(WORDS, scores, strict=True):
            assert score == pytest.approx(scored(found, prompt + word)[0][:-1].sum() - before,
                                          abs=1e-4)  # fmt: skip


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("model", ["ngram", "lstm"])
def test_labels_are_ranked_as_their_whole_texts_are(workspace, model, cut):
    """However the seam is cut, all labels are spared the same tokens."""
    found = opened(workspace, model, cut)
    logs = [one for one, _ in word_logs(found, PROMPTS, WORDS, job=Job())]
    for prompt, scores in zip(PROMPTS, logs, strict=True):
        wholes = np.array([scored(found, prompt + word)[0][:-1].sum() for word in WORDS])
        spared = wholes - scores
        np.testing.assert_allclose(spared, spared[0], atol=1e-4)
        pieces = scored(found, prompt)[1]
        sums = np.append(0, np.cumsum(scored(found, prompt)[0][: len(pieces)]))
        assert np.isclose(sums, spared[0], atol=1e-4).any()  # of a beginning of the prompt


def test_a_seam_that_is_joined_is_scored_as_it_is_cut(workspace):
    """北 and 京 are one word to jieba: 我爱 is what all labels share."""
    found = opened(workspace, "ngram", "jieba")
    ((scores, _),) = word_logs(found, ["我爱北"], ["京", "风"], job=Job())
    assert [piece.text for piece in scored(found, "我爱北京")[1]] == ["我", "爱", "北京"]
    for word, score in zip(("京", "风"), scores, strict=True):
        logs, pieces = scored(found, f"我爱北{word}")
        assert score == pytest.approx(logs[2 : len(pieces)].sum())
    assert scores[0] > scores[1]


def test_of_what_does_not_fit_into_a_window_all_words_are_told_the_same(workspace):
    found = opened(workspace, "gpt")
    long = "他爱京剧，" * 9
    ((one, size),) = word_logs(found, [long], WORDS, job=Job())
    ((other, _),) = word_logs(found, ["很好。" + long], WORDS, job=Job())
    assert size == len(long) + len("verygood")
    np.testing.assert_allclose(one, other, atol=1e-6)
