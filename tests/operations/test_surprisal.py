"""Sentences scored through the operations: the values of the cases, words, orders and files."""

import csv
import math
import os

import numpy as np
import pytest

from lmstudio.analysis.surprisal_figures import events, figures, word_bits
from lmstudio.data.cut_from import corpus_of
from lmstudio.data.import_options import ImportOptions
from lmstudio.data.layout import PART_NAMES, CorpusText
from lmstudio.data.split import SplitRule
from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.operations import corpora, evaluation, findings, segmentations, surprisal, training
from lmstudio.text.document import ReadOptions
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.gui.panels.explore_workspace import TINY
from tests.operations.families import network

TEXT = "小猫爱吃鱼。\n小狗爱吃肉。\n小鸟爱唱歌。\n" * 12


def count(workspace, cut, **config) -> int:
    spec = RunSpec.from_json({"model": "ngram", "config": config})
    return training.train(workspace, cut, spec, job=Job()).new_id


def score(workspace, run, text, **how):
    return surprisal.score(workspace, run, text, **how, job=Job())


@pytest.fixture
def tiny(workspace, tmp_path):
    """The id of the segmentation of the three sentences of the cases; V = 7."""
    (tmp_path / "c_tiny.txt").write_text("\n".join(TINY) + "\n", encoding="utf-8")
    options = ImportOptions(reading=ReadOptions(format="words"), split=SplitRule(valid=0, test=0))
    corpus = corpora.import_files(workspace, [tmp_path / "c_tiny.txt"], options=options, job=Job())
    made = segmentations.create(workspace, corpus.new_id, SegmentOptions(by="given"), job=Job())
    return made.new_id


@pytest.fixture
def characters(workspace):
    corpus = corpora.import_text(workspace, TEXT, name="t", job=Job())
    options = SegmentOptions(by="characters", sentences="line")
    return segmentations.create(workspace, corpus.new_id, options, job=Job()).new_id


def test_case_c1_the_exact_number_for_a_tiny_corpus(workspace, tiny):
    run = count(workspace, tiny, order=2, smoothing="add-one")
    found = score(workspace, run, "我 爱 我")
    told = figures(found.sentences, "chain")
    assert told.perplexity == pytest.approx(4.082483, abs=1e-6)
    assert math.exp(-told.nats) == pytest.approx(9 / 2500)
    assert (told.events, told.tokens) == (4, 3)
    probs = [event.probability for event in events(found.sentences[0], "chain")]
    assert probs == pytest.approx([0.3, 0.3, 0.2, 0.2])


def test_case_c2_zero_probability_is_infinite(workspace, tiny):
    run = count(workspace, tiny, order=2, smoothing="maximum-likelihood")
    found = score(workspace, run, "我 爱 他")
    told = figures(found.sentences, "chain")
    assert told.perplexity == math.inf
    assert told.zero == 2
    assert [e.bits == math.inf for e in events(found.sentences[0], "chain")] == [0, 0, 1, 1]


def test_case_c3_unknown_words_with_and_without(workspace, tiny):
    run = count(workspace, tiny, order=2, smoothing="add-one")
    told = figures(score(workspace, run, "他 爱 广州").sentences, "chain")
    assert told.perplexity == pytest.approx(6.116909, abs=1e-6)
    assert told.without_unknown == pytest.approx(5.192494, abs=1e-6)
    assert (told.unknown, told.tokens) == (1, 3)


def test_case_c6_sentences_are_pooled(workspace, tiny):
    """(d): the sentences of C-1 and C-3 together."""
    run = count(workspace, tiny, order=2, smoothing="add-one")
    found = score(workspace, run, "我 爱 我\n\n他 爱 广州\n")
    assert figures(found.sentences, "chain").perplexity == pytest.approx(4.997217, abs=1e-6)


def test_a_part_line_by_line_is_what_evaluate_says(workspace, characters):
    run = count(workspace, characters, order=3)
    told = evaluation.evaluate(workspace, run, "test", job=Job())
    folder = workspace.segmentation_folder(characters)
    text = CorpusText(corpus_of(folder))
    lines = np.flatnonzero(text.lines["part"] == PART_NAMES.index("test"))
    found = score(workspace, run, "\n".join(text.line(int(number)) for number in lines))
    own = figures(found.sentences, "chain")
    assert own.perplexity == pytest.approx(told["perplexity"])
    assert own.bits_per_character == pytest.approx(told["bits_per_character"])


def test_words_that_surprisal_is_summed_over(workspace, characters, monkeypatch):
    run = count(workspace, characters, order=2)
    text = "小猫 爱吃鱼"
    spaces = score(workspace, run, text, words="spaces").sentences[0]
    assert [text[a:b] for a, b in spaces.words] == ["小猫", "爱吃鱼"]
    jieba = score(workspace, run, "我们爱北京").sentences[0]
    assert [jieba.text[a:b] for a, b in jieba.words] == ["我们", "爱", "北京"]
    tokens = score(workspace, run, text, words="tokens").sentences[0]
    assert len(tokens.words) == len(tokens.pieces) == 5
    for sentence in (spaces, tokens):
        total = figures([sentence], "chain")
        end = -sentence.logprobs["chain"][-1] / math.log(2)
        assert word_bits(sentence, "chain").sum() + end == pytest.approx(total.text_bits)
    corpus = workspace.segmentation(characters).corpus_id
    by_words = segmentations.create(workspace, corpus, SegmentOptions(by="whitespace"), job=Job())
    named = workspace.segmentation(by_words.new_id).name
    own = score(workspace, run, text, words=named).sentences[0]
    assert [text[a:b] for a, b in own.words] == ["小猫", "爱吃鱼"]
    with pytest.raises(AppError):
        score(workspace, run, text, words="no such thing")


def test_orders_and_their_ranking(workspace, characters):
    run = count(workspace, characters, order=3)
    made = surprisal.orders(workspace, "小猫 爱吃 鱼。", words="spaces", job=Job())
    assert [variant.order for variant in made] == ["swapped", "shuffled", "nonsense"]
    lines = ["小猫 爱吃 鱼。", *(variant.text for variant in made)]
    found = score(workspace, run, "\n".join(lines), words="spaces")
    bits = [figures([one], "chain").text_bits for one in found.sentences]
    assert bits[0] == min(bits)


def test_what_cannot_be_scored_is_refused(workspace, characters):
    run = count(workspace, characters, order=2)
    for text in ("", " \n \n"):
        with pytest.raises(AppError, match="There is no token"):
            score(workspace, run, text)
    with pytest.raises(AppError, match="Put them into a file"):
        score(workspace, run, "小\n" * (surprisal.MOST_SENTENCES + 1))
    with pytest.raises(AppError, match="half a character"):
        score(workspace, run, "小\ud800")


def test_a_kept_sentence_is_asked_again_of_another_run(workspace, tiny):
    run, other = (count(workspace, tiny, order=2, smoothing=name)
                  for name in ("add-one", "kneser-ney"))  # fmt: skip
    question = {"text": "我 爱 我", "words": "spaces"}
    answer = {workspace.run(run).name: surprisal.summary(workspace, run, **question, job=Job())}
    number = findings.save(workspace, "sentence", "我爱我", question, answer).new_id
    findings.ask_again(workspace, number, other, job=Job())
    kept = findings.finding(workspace, number).answers
    told = figures(score(workspace, other, "我 爱 我").sentences, "chain")
    again = kept[workspace.run(other).name]["chain"][0]
    assert again["perplexity"] == pytest.approx(told.perplexity)
    assert again["text"] == "我 爱 我"


# --- files --------------------------------------------------------------------------------------


def rows_of(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_a_file_becomes_a_table(workspace, characters, tmp_path):
    runs = [count(workspace, characters, order=2)]
    runs.append(training.train(workspace, characters, network("bert"), job=Job()).new_id)
    (tmp_path / "in.txt").write_text("😀小猫 爱吃鱼\n\n 鱼 𠮷\r\n", encoding="utf-8")
    out = tmp_path / "out.csv"
    told = surprisal.score_file(workspace, runs, tmp_path / "in.txt", out, words="spaces",
                                ends=True, job=Job())  # fmt: skip
    assert (told.lines, told.sentences, told.words, told.cut) == (3, 2, 4, 0)
    header, *rows = rows_of(out)
    names = [workspace.run(run).name for run in runs]
    assert header == ["Line", "Word", "Start", "End", names[0],
                      f"{names[1]} (pseudo, within words)"]  # fmt: skip
    assert [row[:4] for row in rows] == [
        ["1", "😀小猫", "0", "3"], ["1", "爱吃鱼", "4", "7"], ["1", "</s>", "7", "7"],
        ["3", "鱼", "1", "2"], ["3", "𠮷", "3", "4"], ["3", "</s>", "4", "4"],
    ]  # fmt: skip
    for column, (run, kind) in enumerate(zip(runs, ("chain", "within-word"), strict=True), 4):
        for line, text in ((1, "😀小猫 爱吃鱼"), (3, " 鱼 𠮷")):
            sentence = score(workspace, run, text, words="spaces").sentences[0]
            bits = word_bits(sentence, kind if kind in sentence.logprobs else "original")
            own = [float(row[column]) for row in rows if row[0] == str(line) and row[1] != "</s>"]
            assert own == pytest.approx(bits.tolist(), abs=2e-5)
    assert [row[5] for row in rows if row[1] == "</s>"] == ["", ""]


def test_it_streams_in_any_encoding_and_stops(workspace, characters, tmp_path):
    run, out = count(workspace, characters, order=2), tmp_path / "out.csv"
    (tmp_path / "in.txt").write_bytes("小猫爱吃鱼，小狗爱吃肉。\n".encode("gb18030") * 3000)
    told = surprisal.score_file(workspace, [run], tmp_path / "in.txt", out, words="tokens",
                                job=Job())  # fmt: skip
    assert told.sentences == 3000
    assert len(rows_of(out)) == 1 + 3000 * 12
    out.unlink()

    class Stopped(Job):
        def tick(self, done, total=0, note="", **point):
            super().tick(done, total, note, **point)
            if done:
                self.cancel()

    with pytest.raises(Cancelled):
        surprisal.score_file(workspace, [run], tmp_path / "in.txt", out, words="tokens",
                             job=Stopped())  # fmt: skip
    assert not list(tmp_path.glob("out*"))


def test_tokens_of_runs_that_are_cut_differently_make_no_table(workspace, characters, tmp_path):
    corpus = workspace.segmentation(characters).corpus_id
    words = segmentations.create(workspace, corpus, SegmentOptions(by="whitespace"), job=Job())
    runs = [count(workspace, characters, order=2), count(workspace, words.new_id, order=2)]
    file = tmp_path / "in.txt"
    file.write_text("小猫\n", encoding="utf-8")
    with pytest.raises(AppError, match="Choose words to sum over"):
        surprisal.score_file(workspace, runs, file, tmp_path / "o.csv", words="tokens", job=Job())
    with pytest.raises(AppError, match="replace the text itself"):
        surprisal.score_file(workspace, runs, file, file, job=Job())
    with pytest.raises(AppError, match="Choose a run"):
        surprisal.score_file(workspace, [], file, tmp_path / "o.csv", job=Job())
    assert file.read_text(encoding="utf-8") == "小猫\n"


def test_tables_of_what_was_typed(workspace, characters, tmp_path):
    run = count(workspace, characters, order=2)
    found = score(workspace, run, "小猫爱吃 鱼", words="spaces")
    surprisal.save_tokens([found], tmp_path / "t.csv", job=Job())
    header, *rows = rows_of(tmp_path / "t.csv")
    assert len(rows) == 6
    total = sum(float(row[header.index("ln p")]) for row in rows)
    assert total == pytest.approx(-figures(found.sentences, "chain").nats)
    assert [row[header.index("Token")] for row in rows] == [*"小猫爱吃鱼", "</s>"]
    surprisal.save_words([found, found], tmp_path / "w.csv", job=Job())
    header, *rows = rows_of(tmp_path / "w.csv")
    assert [row[:4] for row in rows] == [["1", "小猫爱吃", "0", "4"], ["1", "鱼", "5", "6"]]
    assert [float(row[4]) for row in rows] == pytest.approx(
        word_bits(found.sentences[0], "chain").tolist()
    )
    surprisal.save_totals([score(workspace, run, "小猫\n鱼小鸟")], tmp_path / "s.csv", job=Job())
    header, *rows = rows_of(tmp_path / "s.csv")
    ranks = [row[header.index("Rank")] for row in rows]
    bits = [float(row[header.index("Bits, spelled")]) for row in rows]
    assert sorted(ranks) == ["1", "2"]
    assert ranks[bits.index(min(bits))] == "1"


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_table_for_a_link_to_itself_is_told(workspace, characters, tmp_path):
    run, file, loop = count(workspace, characters, order=2), tmp_path / "in", tmp_path / "loop"
    file.write_text("小猫\n", encoding="utf-8")
    loop.symlink_to("loop")
    with pytest.raises(AppError, match="loop cannot be written"):
        surprisal.score_file(workspace, [run], file, loop, job=Job())
