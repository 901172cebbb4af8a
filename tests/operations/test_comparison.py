"""Runs are set against each other over the same characters, and only where that means something."""

import csv
import math

import numpy as np
import pytest

from lmstudio import messages
from lmstudio.analysis import event_bits
from lmstudio.analysis.breakdown import FREQUENCIES
from lmstudio.data.layout import Tokens
from lmstudio.data.part_text import PartText
from lmstudio.data.vocab import read_counts
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import comparison, corpora, evaluation, segmentations, training
from lmstudio.operations.asked import asked
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import network

WORDS = ("北京", "上海", "春天", "天安门", "很", "长", "短", "爱", "我", "他", "的", "在")


def text(seed=1, lines=150):
    """Lines of two sentences, with words between spaces and some that are rare."""
    generator = np.random.default_rng(seed)

    def sentence():
        words = [WORDS[i] for i in generator.zipf(1.6, 6) % len(WORDS)]
        return " ".join([*words, chr(0x4E00 + int(generator.zipf(1.3)) % 400)]) + "。"

    return "\n".join(sentence() + sentence() for _ in range(lines)) + "\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A workspace with runs on words and on characters, in which tests only read."""
    with Workspace(tmp_path_factory.mktemp("compared") / "workspace") as ws:
        corpora.import_text(ws, text(), name="文", job=Job())
        for by, name in (("whitespace", "词"), ("characters", "字")):
            options = SegmentOptions(by=by, min_count=2 if by == "whitespace" else 1)
            segmentations.create(ws, "文", options, name=name, job=Job())
        for cut, order, name in (("字", 2, "字2"), ("字", 1, "字1"), ("词", 2, "词2")):
            spec = RunSpec.from_json({"model": "ngram", "config": {"order": order}})
            training.train(ws, cut, spec, name=name, job=Job())
        stupid = {"model": "ngram", "config": {"order": 2, "smoothing": "stupid-backoff"}}
        training.train(ws, "字", RunSpec.from_json(stupid), name="蠢", job=Job())
        for name, seed in (("伯特", 1), ("伯特二", 2)):
            training.train(ws, "字", network("bert", seed=seed), name=name, job=Job())
        yield ws


def compare(ws, *names, part="test", **options):
    return comparison.compare(ws, names, part, job=Job(), **({"samples": 50} | options))


@pytest.mark.parametrize("part", ["valid", "test"])
def test_totals_are_those_of_the_evaluations_whatever_the_segmentation(made, part):
    found = compare(made, "字2", "字1", "词2", part=part)
    for number, name in enumerate(found.runs):
        figures = evaluation.evaluate(made, name, part, job=Job())
        assert found.characters == figures["characters"]
        assert found.bits_per_character()[number] == pytest.approx(
            figures["bits_per_character"], rel=1e-6
        )


@pytest.mark.parametrize("kind", comparison.BREAKDOWNS)
def test_groups_are_all_of_the_part(made, kind):
    found = compare(made, "字2", "词2")
    groups = getattr(found, kind)
    assert groups.bits.sum(axis=1) == pytest.approx(found.bits)
    assert groups.characters.sum() == found.characters
    names = comparison.group_names(made, found, kind, comparison.corpus_of(made, found))
    assert len(names) == len(groups.groups) == len(set(names))


def test_positions_and_bands_are_what_a_loop_over_the_tokens_finds(made):
    """Of a run that is added up over its own tokens."""
    found = compare(made, "字2", "字1")
    run = asked(made, "字2")
    tokens, paid = Tokens(run.segmentation_folder), event_bits.event_bits(run, "test", job=Job())
    counts = made.segmentation_folder(made.run("字2").segmentation_id)
    counts = read_counts(counts)
    by_place, by_band, token = {}, {}, 0
    for first, end in tokens.bounds("test").tolist():
        for place in range(end - first):
            bits, number = float(paid.tokens[token]), int(tokens.ids[first + place])
            frequency = 0 if number == 0 else int(counts[number])
            for groups, bands, value in ((by_place, comparison.POSITIONS, place + 1),
                                         (by_band, comparison.FREQUENCIES, frequency)):  # fmt: skip
                band = max((b for b in bands if b <= value), default=0)
                groups[band] = groups.get(band, 0.0) + bits
            token += 1
    for groups, given in ((by_place, found.positions), (by_band, found.frequencies)):
        assert dict(zip(given.groups.tolist()[:-1], given.bits[0].tolist(), strict=False)) == (
            pytest.approx(groups)
        )
        assert given.groups[-1] == comparison.ENDS
        assert given.bits[0, -1] == pytest.approx(float(paid.ends.sum()))
        assert given.words[-1] == found.sentences


def test_sentences_are_those_that_differ_most_and_their_tokens_add_up(made):
    found = compare(made, "字2", "词2", sentences=6)
    apart = [abs(s.bits[1] - s.bits[0]) for s in found.examples]
    assert apart == sorted(apart, reverse=True)
    assert len(apart) <= 6
    everything = compare(made, "字2", "词2", sentences=10_000)
    assert len(everything.examples) == everything.sentences
    assert np.sum([s.bits for s in everything.examples], axis=0) == pytest.approx(found.bits)
    example = found.examples[0]
    tokens = comparison.sentence_tokens(
        made, ["字2", "词2"], "test", example.first, example.end, job=Job()
    )
    for row, bits in zip(tokens, example.bits, strict=True):
        assert sum(token.bits for token in row) == pytest.approx(bits)
        assert "".join(t.text for t in row[:-1]) == example.text.replace(" ", "")
        assert row[-1].text == "</s>"


def test_the_difference_is_bootstrapped_by_sentence(made):
    found = compare(made, "字1", "字2", samples=300)
    none, apart = found.differences
    assert none.difference == 0
    assert apart.low < apart.difference < apart.high < 0  # two characters see more than one
    assert apart.better == 1
    again = compare(made, "字2", "字1", samples=300, base="字1")
    assert again.base == 1
    assert again.differences[0] == apart


def test_one_document_cannot_be_drawn_from(made):
    with pytest.raises(AppError, match="one document"):
        compare(made, "字1", "字2", by="document")


def test_pseudo_figures_and_scores_are_never_on_the_axis(made):
    chosen = comparison.choose(made, ["字2", "伯特", "字1", "蠢"])
    assert [run.name for run in chosen.runs] == ["字2", "字1"]
    assert set(chosen.left_out) == {"伯特", "蠢"}
    with pytest.raises(AppError, match="伯特: It sees both sides"):
        compare(made, "字2", "伯特")
    with pytest.raises(AppError, match="two runs"):
        compare(made, "字2", "字2")


def test_models_that_see_both_sides_are_compared_among_themselves(made):
    found = compare(made, "伯特", "伯特二", "字2")
    assert found.runs == ["伯特", "伯特二"]
    assert found.pseudo
    assert found.positions.groups[-1] != comparison.ENDS
    figures = evaluation.evaluate(made, "伯特", "test", job=Job())
    assert found.bits_per_character()[0] == pytest.approx(figures["bits_per_character"], rel=1e-5)


def test_of_a_long_part_only_what_was_scored_is_compared(made, monkeypatch):
    monkeypatch.setattr(event_bits, "PSEUDO_TOKENS", 60)
    monkeypatch.setitem(event_bits.PIECES, "pseudo", 20)
    monkeypatch.setattr(event_bits, "_VERSION", -1)
    found = compare(made, "伯特", "伯特二", part="valid")
    assert 0 < found.share < 1
    assert np.isfinite(found.bits).all()
    assert found.positions.bits.sum(axis=1) == pytest.approx(found.bits)
    assert found.frequencies.characters.sum() == found.characters == sum(
        len(s.text.replace(" ", "")) for s in compare(
            made, "伯特", "伯特二", part="valid", sentences=1000).examples
    )  # fmt: skip


def test_a_part_is_scored_once(made, monkeypatch):
    compare(made, "字2", "词2")
    assert comparison.unscored(made, ["字2", "词2"], "test") == []
    monkeypatch.setattr(event_bits, "_scored", _never)
    compare(made, "字2", "词2")
    run = asked(made, "字2")
    model = run.run_folder / "model.ngram"
    model.touch()  # trained further
    assert comparison.unscored(made, ["字2", "词2"], "test") == ["字2"]
    with pytest.raises(AssertionError):
        compare(made, "字2", "词2")


def _never(*_):
    raise AssertionError


def test_a_damaged_file_of_bits_is_made_anew(made):
    compare(made, "字1", "字2")
    path = made.run_folder(made.run("字1").id) / "bits-test.npz"
    path.write_bytes(b"PK\x03\x04 no archive")
    assert comparison.unscored(made, ["字1"], "test") == ["字1"]
    compare(made, "字1", "字2")
    assert comparison.unscored(made, ["字1"], "test") == []


def test_impossible_tokens_are_infinite_and_nothing_breaks(made):
    spec = RunSpec.from_json(
        {"model": "ngram", "config": {"order": 3, "smoothing": "maximum-likelihood"}}
    )
    run = training.train(made, "字", spec, name="无平滑", job=Job()).new_id
    found = compare(made, "字2", "无平滑")
    assert found.bits[1] == math.inf
    assert found.differences[1].difference == math.inf
    assert math.isnan(found.differences[1].low)
    assert found.examples[0].bits[1] == math.inf
    made.delete("run", run)


def test_tables_are_written(made, tmp_path):
    found = compare(made, "字2", "词2")
    for kind in comparison.BREAKDOWNS:
        comparison.save_breakdown(made, found, kind, tmp_path / f"{kind}.csv", job=Job())
    comparison.save_sentences(found, tmp_path / "s.csv", job=Job())
    comparison.save_differences(found, tmp_path / "d.csv", job=Job())
    with (tmp_path / "d.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert float(rows[2][2]) == pytest.approx(found.differences[1].difference)
    with (tmp_path / "frequencies.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert sum(int(row[2]) for row in rows[1:]) == found.characters
    with (tmp_path / "s.csv").open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.reader(file))) == len(found.examples) + 1


def test_the_row_of_characters_is_that_of_the_text(made):
    run = asked(made, "词2")
    corpus = made.corpus_folder(made.corpus("文").id)
    row = PartText(corpus, "test")
    tokens = Tokens(run.segmentation_folder)
    spans = row.spans(tokens)
    texts = row.token_texts(tokens, np.arange(len(spans)))
    assert [row.between(a, b) for a, b in spans.tolist()] == texts
    assert (spans[1:, 0] == spans[:-1, 1]).all()
    assert row.sentence_starts(tokens)[0] == 0


def test_runs_of_two_corpora_are_refused(workspace):
    for name in "ab":
        corpora.import_text(workspace, text(lines=20), name=name, job=Job())
        options = SegmentOptions(by="characters")
        segmentations.create(workspace, name, options, name=name, job=Job())
        training.train(workspace, name, RunSpec.from_json({"model": "ngram"}), name=name, job=Job())
    with pytest.raises(AppError, match="different corpora"):
        compare(workspace, "a", "b")


@pytest.mark.parametrize(("language", "comma"), [("en", ","), ("zh_CN", "\u2009")])
def test_bands_write_thousands_as_the_language_does(language, comma):
    messages.use(language)
    assert comparison._band(1000, FREQUENCIES) == f"1{comma}000–9{comma}999"


def test_documents_are_drawn_where_there_are_several(workspace, tmp_path):
    files = [tmp_path / f"{i}.txt" for i in range(12)]
    for i, file in enumerate(files):
        file.write_text(text(i, 12), encoding="utf-8")
    corpora.import_splits(workspace, files[:8], files[8:9], files[9:], name="c", job=Job())
    segmentations.create(workspace, "c", SegmentOptions(by="characters"), name="字", job=Job())
    for order in (1, 2):
        spec = RunSpec.from_json({"model": "ngram", "config": {"order": order}})
        training.train(workspace, "字", spec, name=f"{order}", job=Job())
    found = compare(workspace, "1", "2", by="document")
    assert found.units == len(found.documents.groups) == 3
    names = comparison.group_names(workspace, found, "documents", 1)
    assert names == ["9.txt", "10.txt", "11.txt"]
    assert found.documents.words.sum() == found.words  # words, not sentences
    assert found.documents.words.tolist() == found.documents.characters.tolist()
    assert found.differences[1].low < found.differences[1].high


@pytest.mark.parametrize("options", [
    SegmentOptions(by="byte-bpe", pieces=300), SegmentOptions(by="characters"),
    SegmentOptions(by="wordpiece", pieces=60, lower=True), SegmentOptions(by="jieba", mode="full"),
], ids=lambda options: options.by)  # fmt: skip
def test_text_with_spaces_capitals_and_marks(workspace, options):
    """Each on its axis: what is added up over characters is what the evaluation has."""
    lines = "The  cat sat. 北京大学生 <s> A Café!\n我爱北京天安门 <unk> on the Mat.\n😀 ok\n"
    corpora.import_text(workspace, lines * 60, name="t", job=Job())
    cut = segmentations.create(workspace, "t", options, name="c", job=Job()).new_id
    for order in (1, 2):
        spec = RunSpec.from_json({"model": "ngram", "config": {"order": order}})
        training.train(workspace, cut, spec, name=f"{order}", job=Job())
    found = compare(workspace, "1", "2")
    for number, name in enumerate(found.runs):
        figures = evaluation.evaluate(workspace, name, "test", job=Job())
        assert found.characters == figures["characters"]
        assert found.bits_per_character()[number] == pytest.approx(
            figures["bits_per_character"], rel=1e-6
        )
    for kind in comparison.BREAKDOWNS:
        groups = getattr(found, kind)
        assert groups.bits.sum(axis=1) == pytest.approx(found.bits)
        assert groups.characters.sum() == found.characters
    for example in found.examples:
        tokens = comparison.sentence_tokens(
            workspace, ["1", "2"], "test", example.first, example.end, job=Job()
        )
        assert [sum(t.bits for t in row) for row in tokens] == pytest.approx(example.bits)
