"""Curves from files: kept with a corpus, told apart, drawn in what they can be, removed."""

import math

import pytest

from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, foreign_curves, segmentations
from lmstudio.operations.changes import Changes
from lmstudio.text.segment import SegmentOptions
from tests.formats.test_curve_file import WANDB, write


@pytest.fixture
def corpus(workspace):
    return corpora.import_text(workspace, "我爱北京。\n" * 30, name="短文", job=Job()).new_id


def add(workspace, corpus, path, **how):
    return foreign_curves.add(workspace, corpus, path, job=Job(), **how)


def test_every_column_whose_name_tells_is_kept(workspace, corpus, tmp_path):
    changes = add(workspace, "短文", write(tmp_path, WANDB, "wandb.csv"))
    assert changes == Changes(runs=True)
    big, small = foreign_curves.curves(workspace, corpus)
    assert (big.name, big.measure, big.part) == ("big", "loss", "valid")
    assert big.source == "wandb.csv: big - valid/loss"
    assert small.measure == "perplexity"


def test_a_loss_is_a_perplexity_and_no_bits(workspace, corpus, tmp_path):
    add(workspace, corpus, write(tmp_path, "step,valid_loss\n1,2\n5,1000\n"))
    (curve,) = foreign_curves.curves(workspace, corpus)
    x, y = curve.points("perplexity", "step")
    assert (x.tolist(), y.tolist()) == ([1, 5], [math.exp(2), math.inf])
    assert curve.points("loss", "step")[1].tolist() == [2, 1000]
    assert not len(curve.points("bits_per_character", "step")[0])
    assert not len(curve.points("loss", "seconds")[0])


def test_a_column_without_a_name_is_told_by_its_place(workspace, corpus, tmp_path):
    with pytest.raises(AppError, match="What column 2 is a curve of"):
        add(workspace, corpus, write(tmp_path, "step,\n1,2\n"))


def test_what_the_name_does_not_tell_is_asked(workspace, corpus, tmp_path):
    path = write(tmp_path, "1,2\n5,1\n", "mine.csv")
    with pytest.raises(AppError, match="What value is a curve of"):
        add(workspace, corpus, path)
    add(workspace, corpus, path, measure="bits_per_character", part="train", name="别人的")
    (curve,) = foreign_curves.curves(workspace, corpus)
    assert (curve.name, curve.measure, curve.part) == ("别人的", "bits_per_character", "train")


def test_of_many_columns_some_are_named_and_not_all_are_taken(workspace, corpus, tmp_path):
    wide = ["step", *(f"c{number}" for number in range(20_000))]
    path = write(tmp_path, ",".join(wide) + "\n" + ",".join("1" * len(wide)) + "\n", "wide.csv")
    for how in ({}, {"columns": ["x"]}):
        with pytest.raises(AppError, match=r"c0, .*, c7 and 19,?992 more") as told:
            add(workspace, corpus, path, **how)
        assert len(str(told.value)) < 300
    with pytest.raises(AppError, match="20000 curves are too many at a time"):
        add(workspace, corpus, path, measure="loss")
    assert not foreign_curves.curves(workspace, corpus)


def test_columns_are_chosen_by_name(workspace, corpus, tmp_path):
    path = write(tmp_path, WANDB, "wandb.csv")
    with pytest.raises(AppError, match="no column c"):
        add(workspace, corpus, path, columns=["c"])
    with pytest.raises(AppError, match="One name is given for 2 curves"):
        add(workspace, corpus, path, name="both")
    add(workspace, corpus, path, columns=["a - ppl"], name="small")
    assert [curve.name for curve in foreign_curves.curves(workspace, corpus)] == ["small"]


def test_names_stay_apart_and_can_be_changed(workspace, corpus, tmp_path):
    path = write(tmp_path, "step,loss\n1,2\n")
    add(workspace, corpus, path)
    add(workspace, corpus, path)
    assert [c.name for c in foreign_curves.curves(workspace, corpus)] == ["loss", "loss 2"]
    foreign_curves.rename(workspace, corpus, 2, "other")
    foreign_curves.remove(workspace, corpus, "loss")
    with pytest.raises(AppError, match="“other”"):
        foreign_curves.remove(workspace, corpus, 1)
    foreign_curves.remove(workspace, corpus, 2)
    assert foreign_curves.curves(workspace, corpus) == []


def test_a_damaged_file_is_as_if_it_were_not_there(workspace, corpus, tmp_path):
    add(workspace, corpus, write(tmp_path, "step,loss\n1,2\n"))
    folder = workspace.corpus_folder(corpus) / "curves"
    (folder / "1.json").write_text("{", encoding="utf-8")
    assert foreign_curves.curves(workspace, corpus) == []


OURS = ("step,seconds,valid_loss,valid_perplexity,gradient_norm,masked_accuracy,fancy\n"
        "1,1,3,20,0.5,0.1,7\n2,2,2,7,0.4,0.2,8\n")  # fmt: skip


def test_the_measures_of_one_run_share_a_name_and_what_is_left_out_is_told(
    workspace, corpus, tmp_path
):
    cut = segmentations.create(workspace, corpus, SegmentOptions(by="characters"), job=Job())
    run = workspace.add_run(cut.new_id, "gpt", "ngram", {})
    changes = add(workspace, corpus, write(tmp_path, OURS, "gpt.csv"))
    assert "fancy" in str(*changes.notes)
    kept = foreign_curves.curves(workspace, corpus)
    assert [(one.name, one.measure, one.part) for one in kept] == [
        ("gpt (file)", "loss", "valid"), ("gpt (file)", "perplexity", "valid"),
        ("gpt (file)", "gradient_norm", "train"), ("gpt (file)", "masked_accuracy", "train"),
    ]  # fmt: skip
    assert workspace.run(run.id).name == "gpt"
    again = add(workspace, corpus, tmp_path / "gpt.csv", columns=["fancy"], measure="memory")
    assert not again.notes
    assert foreign_curves.curves(workspace, corpus)[-1].name == "gpt (file)"
    foreign_curves.remove(workspace, corpus, "gpt (file)")
    assert not foreign_curves.curves(workspace, corpus)


def test_curves_of_one_kind_are_told_apart(workspace, corpus, tmp_path):
    path = write(tmp_path, "step,a ppl,b ppl,lr\n1,2,3,1\n", "two.csv")
    add(workspace, corpus, path)
    kept = [one.name for one in foreign_curves.curves(workspace, corpus)]
    assert kept == ["two", "two 2", "two"]
    with pytest.raises(AppError, match="One name is given for 3 curves"):
        add(workspace, corpus, path, name="both")
