"""Tables of other programs as curves: what is read of them, and what their names say."""

import numpy as np
import pytest

from lmstudio.errors import AppError
from lmstudio.formats.curve_file import read

WANDB = (
    '"Step","big - valid/loss","big - valid/loss__MIN","big - valid/loss__MAX","big - _step",'
    '"a - ppl","a - ppl__MIN","a - ppl__MAX","a - _step"\n'
    '"0","3.5","3.5","3.5","0","","","",""\n"10","3.0","3.0","3.0","10","20","20","20","10"\n'
    '"20","","","","","15","15","15","20"\n'
)


def write(tmp_path, text, name="loss.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return path


def test_steps_and_values(tmp_path):
    (curve,) = read(write(tmp_path, "step,valid_loss\n1,3.5\n10,2.5\n"))
    assert (curve.name, curve.measure, curve.part) == ("loss", "loss", "valid")
    assert (curve.steps.tolist(), curve.values.tolist()) == ([1, 10], [3.5, 2.5])
    assert curve.seconds is None


@pytest.mark.parametrize("text", ["1\t3.5\n2\t3\n", "1,3.5\n2,3\n", "1;3.5\n2;3\n"],
                         ids=["tabs", "commas", "semicolons"])  # fmt: skip
def test_a_header_is_not_needed(tmp_path, text):
    (curve,) = read(write(tmp_path, text, "毕业设计.csv", "utf-8-sig"))
    assert (curve.name, curve.column, curve.measure) == ("毕业设计", "value", "")
    assert curve.values.tolist() == [3.5, 3]


def test_what_tensorboard_downloads(tmp_path):
    text = "Wall time,Step,Value\n1700000000.5,10,3.5\n1700000060.5,20,3.0\n"
    (curve,) = read(write(tmp_path, text, "run-LSTM 2×256-tag-train_loss.csv"))
    assert (curve.name, curve.measure, curve.part) == ("LSTM 2×256", "loss", "train")
    assert (curve.steps.tolist(), curve.seconds.tolist()) == ([10, 20], [0, 60])


def test_a_table_as_wide_as_there_are_runs(tmp_path):
    big, small = read(write(tmp_path, WANDB))
    assert (big.name, big.measure, big.part, big.column) == (
        "big", "loss", "valid", "big - valid/loss"
    )  # fmt: skip
    assert (big.steps.tolist(), big.values.tolist()) == ([0, 10], [3.5, 3.0])
    assert (small.name, small.measure, small.steps.tolist()) == ("a", "perplexity", [10, 20])


def test_a_column_may_name_the_runs(tmp_path):
    text = "run,step,loss,valid_loss\na,1,5,4\na,2,4,\nb,2,,7\n"
    found = [(curve.name, curve.measure, curve.part, curve.values.tolist())
             for curve in read(write(tmp_path, text))]  # fmt: skip
    assert found == [
        ("a", "loss", "train", [5, 4]), ("a", "loss", "valid", [4]), ("b", "loss", "valid", [7]),
    ]  # fmt: skip


def test_a_step_said_again_counts_as_it_was_said_last(tmp_path):
    (curve,) = read(write(tmp_path, "step,loss\n20,2\n10,3\n20,1\n30,nan\n"))
    assert (curve.steps.tolist(), curve.values.tolist()) == ([10, 20], [3, 1])


def test_tokens_and_times_stand_beside_steps(tmp_path):
    text = "tokens,time,loss\n100,1.5,3\n200,3,2\n"
    (curve,) = read(write(tmp_path, text))
    assert curve.steps is None
    assert (curve.tokens.tolist(), curve.seconds.tolist()) == ([100, 200], [1.5, 3])


def test_without_a_known_name_the_others_stand_over_the_first(tmp_path):
    curves = read(write(tmp_path, "k,eval bpc,train_ppl,lr\n1,2,3,0.1\n2,1,2,0.2\n", "t.tsv"))
    assert [(c.measure, c.part) for c in curves] == [
        ("bits_per_character", "valid"), ("perplexity", "train"), ("learning_rate", "train"),
    ]  # fmt: skip
    assert all(np.array_equal(c.steps, [1, 2]) for c in curves)


@pytest.mark.parametrize(
    ("text", "why"),
    [("only\nwords\n", "no row has two cells"), ("step,word\n1,a\n", "holds no curve"),
     ("step,loss\nx,1\n", "holds no curve"), ("Wall time,Value\nnow,1\n", "holds no curve")],
    ids=["words", "no-numbers", "no-steps", "no-times"],
)  # fmt: skip
def test_what_is_no_curve_is_told(tmp_path, text, why):
    with pytest.raises(AppError, match=why):
        read(write(tmp_path, text))


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(AppError):
        read(tmp_path / "absent.csv")


def test_our_own_names_tell_the_measure_and_the_part(tmp_path):
    told = ("valid_loss gradient_norm learning_rate tokens_per_second memory masked_accuracy "
            "valid_masked_accuracy masked_loss valid_total_loss")  # fmt: skip
    names = told.split()
    text = ",".join(["step", *names]) + "\n" + ",".join("1" * 10) + "\n"
    assert [(c.column, c.measure, c.part) for c in read(write(tmp_path, text))] == [
        (name, name.removeprefix("valid_"), "valid" if name.startswith("valid_") else "train")
        for name in names
    ]  # fmt: skip
