"""Leaks of a corpus: counted once, told beside figures, written as a table."""

import csv
import json

import pytest

from lmstudio import cli
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, leaks, reports, segmentations, training
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec

TRAIN = ["床前明月光疑是地上霜", "白日依山尽黄河入海流", "红豆生南国春来发几枝"]
TEST = ["白日依山尽黄河入海流", "空山不见人但闻人语响"]


def write(folder, name, lines):
    path = folder / f"{name}.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def leaking(workspace, tmp_path):
    """A corpus half of whose test part stands in train."""
    paths = [write(tmp_path, name, lines) for name, lines in (("train", TRAIN), ("test", TEST))]
    made = corpora.import_splits(workspace, paths[:1], [], paths[1:], name="诗", job=Job())
    return workspace.corpus(made.new_id)


def trained(workspace, corpus):
    cut = segmentations.create(workspace, corpus.id, SegmentOptions(by="characters"), job=Job())
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 2}})
    return training.train(workspace, cut.new_id, spec, name="run", job=Job())


def test_those_of_an_older_corpus_are_counted_when_first_asked_for(workspace, leaking):
    counted = leaks.leaks(workspace, leaking.id, job=Job())
    facts = {key: value for key, value in leaking.facts.items() if key != "leaks"}
    workspace.set_facts("corpus", leaking.id, facts)
    assert leaks.leaks(workspace, "诗", job=Job()) == counted
    kept = workspace.corpus("诗").facts
    assert json.loads(json.dumps(counted)) == kept["leaks"]
    assert kept.keys() == facts.keys() | {"leaks"}
    assert counted["test"]["share"] == 0.5


def test_the_import_tells_lines_and_characters(workspace, tmp_path):
    paths = [write(tmp_path, name, lines) for name, lines in (("train", TRAIN), ("test", TEST))]
    made = corpora.import_splits(workspace, paths[:1], [], paths[1:], name="诗", job=Job())
    (told,) = (str(note) for note in made.notes if "stand" in str(note))
    assert told.startswith("1 of 2 lines of the test part stands in the training part as well")
    assert told.endswith("50.0 % of its characters.")


def test_examples_with_their_text(workspace, leaking, tmp_path):
    (one,) = leaks.examples(workspace, leaking.id, job=Job())
    assert (one.part, one.line, one.text) == ("test", 3, TEST[0])
    assert (one.train_line, one.train_text) == (1, TRAIN[1])
    leaks.save_examples(workspace, leaking.id, tmp_path / "leaks.csv", job=Job())
    with (tmp_path / "leaks.csv").open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file))[1] == ["test", "4", TEST[0], "2", TRAIN[1]]


def test_figures_are_told_with_their_leak(workspace, leaking, tmp_path):
    changes = trained(workspace, leaking)
    told = [str(note) for note in changes.notes]
    sentence = "50 % of the characters of the test part stand in the training part as well"
    assert any(note.startswith(sentence) for note in told)
    assert leaks.notes_on_run(workspace, "run", job=Job()).keys() == {"test"}
    page = reports.write(workspace, tmp_path / "report.html", job=Job())
    assert sentence in page.read_text(encoding="utf-8")


def test_a_little_is_chance_and_is_not_told():
    assert leaks.notes({"test": {"share": leaks.TOLD}}) == {}
    assert leaks.notes({"valid": {"share": 0.012}}).keys() == {"valid"}


def test_a_run_is_measured_where_the_text_of_its_corpus_is_gone(workspace, leaking):
    trained(workspace, leaking)
    workspace.set_facts("corpus", leaking.id, {})
    (workspace.corpus_folder(leaking.id) / "text.utf8").unlink()
    assert leaks.notes_on_run(workspace, "run", job=Job()) == {}
    with pytest.raises(AppError, match="Import the texts"):
        leaks.leaks(workspace, leaking.id, job=Job())


def test_the_verbs(workspace, leaking, tmp_path, capsys):
    trained(workspace, leaking)
    workspace.close()

    def lm(*words):
        assert cli.main(["--workspace", str(workspace.folder), *words]) == 0
        return capsys.readouterr()

    found = json.loads(lm("leaks", "诗", "--json").out)
    assert found["test"]["examples"][0]["text"] == TEST[0]
    told = lm("leaks", "诗", "--csv", str(tmp_path / "leaks.csv"))
    assert "50 % of the characters" in told.err
    assert "line 4 = corpus line 2" in told.out
    assert (tmp_path / "leaks.csv").exists()
    assert "50 % of the characters" in lm("evaluate", "run").err
