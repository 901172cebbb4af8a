"""The laboratory through its operations, on a small corpus."""

import math

import pytest

from lmstudio.errors import AppError, SpecError
from lmstudio.jobs import Job
from lmstudio.models.config import SMOOTHINGS, NgramConfig
from lmstudio.operations import arpa_files, corpora, exporting, laboratory, segmentations, training
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.training.spec import RunSpec

TEXT = "\n".join(["我爱北京。", "我爱上海。", "他爱我。", "她也爱北京。"] * 30)


@pytest.fixture
def cut(workspace):
    corpora.import_text(workspace, TEXT, name="c", job=Job())
    segmentations.create(workspace, "c", SegmentOptions(), name="s", job=Job())
    return workspace


def test_bars_curves_and_files(cut, tmp_path):
    table = laboratory.bars(cut, "s", "我爱", laboratory.configs(3), words=["他"], job=Job())
    assert table.context == ["我", "爱"]
    assert table.words[-2:] == ["他", "<unk>"]
    assert [column.config.smoothing for column in table.bars.columns] == list(SMOOTHINGS)
    laboratory.save_bars(table, tmp_path / "bars.csv", job=Job())
    rows = (tmp_path / "bars.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(rows) == 1 + len(table.words) + 4
    assert rows[-2].startswith("sum,,")

    config = NgramConfig(2, "add-k")
    curve = laboratory.against_knob(cut, "s", config, "k", job=Job())
    assert min(bits for _, bits, _ in curve) < curve[-1][1]
    assert curve[-1][0] == pytest.approx(10)
    values = [value for value, _, _ in curve]
    assert config.k in values  # so that no best is worse than what stands there
    assert values == sorted(set(values))
    best = min(curve, key=lambda row: row[1])
    around = [abs(math.log10(value / best[0])) for value in values if value != best[0]]
    assert min(around) < 0.05  # closer than a step of the first look: 0.2
    with pytest.raises(AppError, match="add-k only, not of katz"):
        laboratory.against_knob(cut, "s", NgramConfig(2, "katz"), "k", job=Job())
    points = laboratory.against_order(cut, "s", config, job=Job())
    assert [point.order for point in points] == list(range(1, 8))
    assert points[0].possible == cut.segmentation("s").vocabulary
    sizes = laboratory.against_size(cut, "s", config, job=Job())
    assert sizes[-1].tokens > sizes[0].tokens
    laboratory.save_points(points, tmp_path / "orders.csv", job=Job())
    laboratory.save_curve(curve, "k", tmp_path / "k.csv", job=Job())
    found = laboratory.counts_of_counts(cut, "s", 2, job=Job())
    assert found.r[0] == 1


def test_a_text_stands_anywhere_unless_it_begins_with_s(cut):
    asked = laboratory.configs(3)
    anywhere = laboratory.bars(cut, "s", "爱", asked, job=Job())
    assert (anywhere.context, anywhere.bars.occurrences) == (["爱"], 108)
    first = laboratory.bars(cut, "s", "<s> 我", asked, job=Job())
    assert (first.context, first.words[0]) == (["<s>", "我"], "爱")
    begins = laboratory.bars(cut, "s", "<s>", asked, job=Job())
    assert begins.context == ["<s>"]
    assert {"我", "他", "她"} == set(begins.words[:3])
    turned = laboratory.columns(cut, "s", first, asked[:1], job=Job())
    assert turned[0].probs[0] == first.bars.columns[0].probs[0]


def test_other_columns_and_frequent_contexts(cut):
    frequent = laboratory.frequent_contexts(cut, "s", 3, job=Job())
    love = next(context for context in frequent if context.words == ["我", "爱"])
    assert (love.occurrences, love.followers) == (54, 2)
    assert frequent[0].occurrences == max(context.occurrences for context in frequent)
    table = laboratory.bars(cut, "s", "我爱", laboratory.configs(3), unseen=1, job=Job())
    again = laboratory.bars(cut, "s", table.prefix, laboratory.configs(3), unseen=1, job=Job())
    assert again.words == table.words
    assert table.bars.counts[-2] == 0
    turned = laboratory.columns(cut, "s", table, laboratory.configs(3, k=0.5)[2:3], job=Job())
    kept = table.bars.columns[2]
    assert turned[0].config.k == 0.5
    assert len(turned[0].probs) == len(kept.probs)
    assert turned[0].probs[0] < kept.probs[0]
    assert laboratory.frequent_contexts(cut, "s", 1, job=Job()) == []


def test_a_frequent_beginning_is_asked_as_one(cut, tmp_path):
    frequent = laboratory.frequent_contexts(cut, "s", 2, job=Job())
    begins = next(context for context in frequent if context.words == ["<s>"])
    table = laboratory.bars(cut, "s", begins.ids, laboratory.configs(2), job=Job())
    assert (table.context, table.bars.occurrences) == (["<s>"], begins.occurrences)
    laboratory.save_frequent(frequent, tmp_path / "f.csv", job=Job())
    rows = (tmp_path / "f.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(rows) == 1 + len(frequent)


def test_the_guard_tells_before_training(cut):
    told = laboratory.guard(cut, "s", NgramConfig(3), job=Job())
    assert "the usual 0.5, 1 and 1.5 are used" in str(told[0])
    assert laboratory.guard(cut, "s", NgramConfig(3, "witten-bell"), job=Job()) == []
    with pytest.raises(SpecError, match="at most 7"):
        laboratory.guard(cut, "s", NgramConfig(8), job=Job())


def test_walk_and_arpa_of_a_run(cut, tmp_path):
    spec = RunSpec("ngram", NgramConfig(3, "kneser-ney"))
    training.train(cut, "s", spec, name="kn", job=Job())
    walk = laboratory.walk(cut, "kn", "我爱京", job=Job())
    assert [walk.types[step.token] for step in walk.steps] == ["我", "爱", "京", "</s>"]
    assert walk.texts == ["我", "爱", "京"]
    assert all(0 < step.probability < 1 for step in walk.steps)
    laboratory.save_walk(walk, tmp_path / "walk.csv", job=Job())
    assert len((tmp_path / "walk.csv").read_text(encoding="utf-8-sig").splitlines()) == 5
    path, text = tmp_path / "kn.arpa", tmp_path / "text"
    exporting.export(cut, "kn", "arpa", path, job=Job())
    text.write_text("我 爱 京\n我 爱 猫\n", encoding="utf-8")
    found = arpa_files.score(path, text, job=Job())
    assert (found.sentences, found.words, found.unknown) == (2, 6, 1)
    assert found.srilm_ppl == found.perplexity_without_unknown < found.srilm_ppl1
    assert math.log10(found.perplexity) == pytest.approx(-found.log10_probability / 8)


def test_a_run_that_does_not_back_off_is_no_arpa_file(cut, tmp_path):
    training.train(cut, "s", RunSpec("ngram", NgramConfig(2, "add-k")), name="k", job=Job())
    with pytest.raises(AppError, match="back-off weights"):
        exporting.export(cut, "k", "arpa", tmp_path / "k.arpa", job=Job())
