"""Numbers and names of hundreds of characters are told in a sentence that can be read."""

import pytest

from lmstudio import cli, figures
from lmstudio.analysis.tasks.errors import scored
from lmstudio.analysis.tasks.one_sided import one_sided
from lmstudio.analysis.tasks.prediction import Prediction
from lmstudio.data.labelled.example import Example
from lmstudio.errors import SpecError
from lmstudio.formats.huggingface import own_settings
from lmstudio.messages import shortened
from lmstudio.models.config import BertConfig
from lmstudio.models.registry import TRAINABLE
from lmstudio.operations import sweeps
from lmstudio.options import from_dict, options_of
from lmstudio.training.fit_task import Way
from lmstudio.training.spec import RunSpec, TrainingConfig
from lmstudio.training.task_config import TaskConfig

BEYOND = 10**400  # no float is so large


@pytest.fixture
def lm(tmp_path, capsys):
    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    return command


def test_whole_numbers_beyond_all_floats_are_out_of_limits():
    low = {"epochs": "must be at most 10000", "learning_rate": "must be at most 1"}
    for name, said in low.items():
        assert said in str(from_dict(TrainingConfig, {name: BEYOND})[1][0])
    assert "must be at least" in str(from_dict(TrainingConfig, {"epochs": -BEYOND})[1][0])
    assert "must be a number" in str(from_dict(TrainingConfig, {"minutes": float("nan")})[1][0])
    theirs = {own_settings.KEY: {"network": {"mask_share": BEYOND}}}
    found = from_dict(BertConfig, own_settings.network(theirs, BertConfig))
    assert "must be at most 0.9" in str(found[1][0])


@pytest.mark.parametrize(
    ("written", "said"),
    [("9" * 400, "must be at most 1"), (f"-{'9' * 400}", "must be more than 0"),
     ("inf", "must be at most 1"), ("1e400", "must be at most 1"), ("nan", "must be a number")],
    ids=["digits", "negative", "inf", "exponent", "nan"],
)  # fmt: skip
def test_a_number_that_no_float_holds_is_told_its_limit(lm, written, said):
    (code, _, err) = lm("train", "any", "--model", "lstm", f"--learning-rate={written}")
    assert code == 1
    assert said in err


def test_every_number_has_both_limits():
    configs = [TrainingConfig, TaskConfig, *(info.config for info in TRAINABLE.values())]
    for name, (field, limits) in (entry for c in configs for entry in options_of(c).items()):
        if isinstance(field.default, float):
            assert limits.low is not None, name
            assert limits.high is not None, name


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_long_number_on_the_command_line_is_cut(lm, capsys, digits):
    words = ("train", "any", "--model", "ffnn", "--epochs", "9" * digits)
    try:
        code = lm(*words)[0]
    except SystemExit as ended:  # Python reads no number of 5000 digits
        code = ended.code
        err = capsys.readouterr().err
        assert f"{'9' * 39}…" in err
        assert "9" * 41 not in err
    assert code == (1 if digits == 400 else 2)


@pytest.mark.parametrize(
    ("words", "said"),
    [(("sample", "s.txt", "--size", f"{'9' * 400}k"), "must be a size such as 300kB or 3MB"),
     (("resume", "any", "--minutes", "9" * 400), "must be at most 100000")],
    ids=["size", "minutes"],
)  # fmt: skip
def test_a_number_that_no_option_of_a_verb_can_be_is_refused(lm, capsys, words, said):
    with pytest.raises(SystemExit) as ended:
        lm(*words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("text", ["9" * 5000, f"1..{'9' * 400}", "x" * 1000],
                         ids=["digits", "range", "letters"])  # fmt: skip
def test_a_long_value_of_a_sweep_is_cut(text):
    spec = RunSpec.read({"model": "ffnn"})[0]
    with pytest.raises(SpecError, match="… is no value of it") as refused:
        sweeps.values_of(spec, "width", text)
    assert len(str(refused.value)) < 80
    with pytest.raises(SpecError, match="between two commas is missing"):
        sweeps.values_of(spec, "width", "3,,4")


def test_a_long_label_is_cut():
    labels = ("a" * 5000, "b")
    examples = [Example("x", label=label) for label in labels]
    said = [Prediction("x", label=labels[0], probabilities=(1.0,))] * 2
    way = Way("classify", labels, TaskConfig(kind="classify"), may_be_none=True)
    told = str(one_sided(scored(way, "valid", examples, said)))
    assert told == f"It takes every example of valid for {'a' * 39}…."


def test_a_long_column_and_a_huge_value_of_a_curve_are_cut(lm, tmp_path):
    (tmp_path / "text.txt").write_text("我爱北京天安门。\n" * 20, encoding="utf-8")
    assert lm("import", tmp_path / "text.txt", "--name", "a")[0] == 0
    path = tmp_path / "c.csv"
    path.write_text(f"step,{'c' * 100_000}\n1,2\n2,-1e300\n", encoding="utf-8")
    assert len(lm("import-curve", path)[2]) < 300
    code, out, _ = lm("import-curve", path, "--measure", "loss")
    assert code == 0
    assert "-1e+300" in out
    assert max(map(len, out.splitlines())) < 250


def test_values_are_cut_only_where_they_are_long():
    assert shortened("a" * 40) == "a" * 40
    assert shortened("a" * 41) == f"{'a' * 39}…"
    assert figures.decimal(123_456_789.25) == "123,456,789.25"
    assert figures.decimal(1e300) == "1e+300"
