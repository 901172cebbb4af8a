"""The verb finetune: what is told, once; what is refused, before anything is written."""

import json
import shutil

import pytest

from lmstudio import cli
from lmstudio.store.workspace import Workspace
from tests.gui.panels.tuned_workspace import CITIES, encoder
from tests.operations.layered_workspace import SAID

QUICK = ("--epochs", 1, "--batch", 8, "--length", 16)


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A workspace with a small BERT, and the same as if it had come from elsewhere."""
    folder = tmp_path_factory.mktemp("begun") / "w"
    with Workspace(folder) as ws:
        number = encoder(ws)
        row = ws.run(number)
        other = ws.add_run(row.segmentation_id, "theirs", "bert", row.spec)
        shutil.copytree(ws.run_folder(number), ws.run_folder(other.id))
        ws.update_run(other.id, state="done", facts=row.facts | {"imported": {}})
    return folder


@pytest.fixture
def lm(begun, tmp_path, capsys):
    """Runs a command line in a copy of that workspace; exit code, stdout and stderr."""
    folder = shutil.copytree(begun, tmp_path / "w")

    def command(*words):
        code = cli.main(["--workspace", str(folder), *map(str, words)])
        told = capsys.readouterr()
        return code, told.out, told.err

    command.folder = folder
    return command


@pytest.fixture
def files(tmp_path):
    """Sentences with their labels, and the same without."""
    rows = [f"{city}{said}\t{label}" for city in CITIES for label, said in SAID.items()]
    long = "北京很好看太难看很好看太难看\t好"
    parts = {"reviews": [*rows * 2, long], "bare": [row.partition("\t")[0] for row in rows]}
    for name, lines in parts.items():
        (tmp_path / f"{name}.tsv").write_text("\n".join(lines), encoding="utf-8")
    return {name: tmp_path / f"{name}.tsv" for name in parts}


def kept(folder):
    """All files of a workspace but those of its tables."""
    return {path.relative_to(folder) for path in folder.glob("*/**/*") if path.is_file()}


def names(folder):
    with Workspace(folder, read_only=True) as ws:
        return [row.name for row in (*ws.tasks(), *ws.runs(), *ws.runs(tuned=True))]


def test_notes_are_said_once_and_the_commonest_class_beside_the_scores(lm, files):
    """One text is too long: so it is for each seed."""
    parts = [
        words for part in ("data", "valid", "test") for words in (f"--{part}", files["reviews"])
    ]
    code, out, err = lm("finetune", "bert", *parts, "--seeds", 2, "--epochs", 1, "--length", 8)
    assert code == 0
    assert err.count("1 text is longer than the length of 8 tokens") == 1
    assert err.count("Examples used") == 1
    lines = out.splitlines()
    shares = [line for line in lines if line.startswith("The most frequent class alone: ")]
    assert shares[-1] == "The most frequent class alone: 52.9 %."  # 9 of the 17 of test
    assert len(shares) == 2
    assert lines.count("Of the 17 examples that also chose the checkpoint: optimistic.") == 1
    run = next(line for line in lines if "seed1" in line).split()[0]
    assert "Of the 17 examples" in lm("task-scores", run, "--part", "valid")[1]
    assert "Of the 17 examples" not in lm("task-scores", run)[1]
    assert "Valid: Of the 17 examples" in lm("task-results", "reviews")[1]
    assert "mean ± standard deviation" in lines[lines.index(shares[-1]) - 1]
    assert "Fine-tuned runs are listed by lmstudio task-results TASK." in lm("runs")[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bert", "--valid", "bare"), "has no labels"),
        (("bert", "--name", "bert"), "bert"),
        (("bert", "--crf"), "--crf means nothing"),
        (("bert", "--length", "0"), "length"),
        (("nobody",), "nobody"),
    ],
    ids=["no labels", "name is taken", "no tags", "no length", "no encoder"],
)  # fmt: skip
def test_what_is_refused_leaves_nothing_behind(lm, files, words, said):
    before, known = kept(lm.folder), names(lm.folder)
    run, *more = [files.get(word, word) for word in words]
    code, _, err = lm("finetune", run, "--data", files["reviews"], *more)
    assert code == 1
    assert said in err
    assert kept(lm.folder) == before
    assert names(lm.folder) == known


@pytest.mark.parametrize("part", ["valid", "test"])
def test_files_beside_a_task_are_refused(lm, files, part):
    before = names(lm.folder)
    code, _, err = lm("finetune", "bert", "--on", "any", f"--{part}", files["reviews"])
    assert code == 1
    assert "--valid and --test go with --data" in err
    assert names(lm.folder) == before


def test_what_came_from_elsewhere_is_tuned_as_published(lm, files):
    """Devlin et al. 2019, A.3; what is set is as it is set."""
    code, out, err = lm("finetune", "theirs", "--data", files["reviews"], "--json")
    assert code == 0
    assert "theirs came from elsewhere: 3 epochs by AdamW at 5e-5, as published" in err
    (run,) = json.loads(out)
    how = run["spec"]["training"]
    assert (how["epochs"], how["optimizer"], how["learning_rate"]) == (3, "adamw", 5e-5)
    assert (how["batch"], run["spec"]["task"]["dropout"]) == (32, 0.1)
    _, out, _ = lm("finetune", "theirs", "--on", "reviews", "--epochs", 1, "--json")
    how = json.loads(out)[0]["spec"]["training"]
    assert (how["epochs"], how["optimizer"], how["learning_rate"]) == (1, "adamw", 5e-5)
    _, out, err = lm(
        "finetune", "theirs", "--on", "reviews", "--start", "scratch", *QUICK, "--json"
    )
    assert json.loads(out)[0]["spec"]["training"]["learning_rate"] == 3e-3
    assert "elsewhere" not in err


def test_a_run_that_tells_no_classes_apart_is_named(lm, files):
    """At a rate of next to nothing it says what it said by chance."""
    words = ("finetune", "bert", "--data", files["reviews"], "--test", files["reviews"])
    _, out, err = lm(*words, *QUICK, "--learning-rate", 1e-9, "--json")
    (run,) = json.loads(out)
    label = next(label for label in SAID if f"takes every example of test for {label}." in err)
    assert f"{run['name']}: It takes every example of test for {label}." in err
    note = ["It takes every example of {part} for {label}.",
            {"part": {"message": ["test", {}]}, "label": label}]  # fmt: skip
    assert note in run["facts"]["notes"]
    assert f"It takes every example of test for {label}." in lm("task-scores", run["name"])[1]


def test_resume_tells_the_scores_of_the_task_and_no_bits(lm, files):
    lm("finetune", "bert", "--data", files["reviews"], *QUICK, "--name", "short")
    code, _, err = lm("resume", "short", "--epochs", 1)
    assert code == 0
    (told,) = [line for line in err.splitlines() if line.startswith("Run short: accuracy ")]
    assert " %, macro F1 " in told
    assert " on valid, " in told
    assert told.endswith("that also chose the checkpoint: optimistic.")
    assert "pseudo" not in err
