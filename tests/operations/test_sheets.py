"""Run sheets: what they hold, and that a run is repeated from one to the same figures."""

import json
import shlex

import pytest

from lmstudio import cli
from lmstudio.errors import AppError
from lmstudio.files import read_json, write_json
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations, sheets, training
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import network

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20


def filled(ws, folder, *, text=TEXT, seed=1):
    """A corpus of a file and its characters, as the commands of a sheet would make them."""
    folder.mkdir(exist_ok=True)
    (folder / "短文 一.txt").write_text(text, encoding="utf-8")
    options = corpora.ImportOptions()
    if seed != 1:
        split = options.split.__class__(seed=seed)
        options = options.__class__(split=split)
    corpora.import_files(ws, [folder / "短文 一.txt"], name="短文", options=options, job=Job())
    options = SegmentOptions(by="characters")
    return segmentations.create(ws, "短文", options, name="字", job=Job()).new_id


@pytest.fixture
def cut(workspace, tmp_path):
    return filled(workspace, tmp_path / "texts")


@pytest.fixture
def other(tmp_path):
    """Another workspace, as on another computer."""
    with Workspace(tmp_path / "other") as opened:
        yield opened


def trained(ws, cut, spec, name="net"):
    training.train(ws, cut, spec, name=name, job=Job())
    return ws.run(name)


def sheet(ws, run, path):
    sheets.save(ws, [run], path, job=Job())
    return sheets.read(path.with_suffix(".json"))


def repeated(ws, entry, **how):
    found = sheets.matching(ws, entry, job=Job())
    row = sheets.queue(entry, ws, found.id, **how)
    training.start(ws, row.id, job=Job())
    return ws.run(row.id)


@pytest.mark.parametrize("model", ["lstm", "gpt"])
def test_a_run_is_repeated_elsewhere_bit_for_bit(workspace, cut, other, tmp_path, model):
    spec = network(model, max_steps=12, validate_every=4, precision="auto", device="cpu")
    run = trained(workspace, cut, spec)
    entry = sheet(workspace, "net", tmp_path / "sheet.html")
    filled(other, tmp_path / "texts")
    again = repeated(other, entry)
    for part in ("valid", "test"):
        assert other.evaluation(again.id, part) == workspace.evaluation(run.id, part)
    points = [[(step, value) for step, _, value in ws.metrics(row.id, "valid_loss")]
              for ws, row in ((workspace, run), (other, again))]  # fmt: skip
    assert points[0] == points[1]
    assert again.spec["training"]["precision"] == run.facts["precision"] != "auto"
    told = str(sheets.compared(other, again, entry))
    assert told.startswith("The figures are those of the sheet")


def test_a_plan_of_minutes_is_repeated_by_its_steps(workspace, cut, tmp_path):
    spec = network("rnn", max_steps=0, epochs=40, minutes=0.01, validate_every=0, device="cpu")
    run = trained(workspace, cut, spec)
    entry = sheet(workspace, "net", tmp_path / "sheet.json")
    again = repeated(workspace, entry)
    assert (again.name, again.step) == ("net 2", run.step)
    assert workspace.evaluation(again.id, "test") == workspace.evaluation(run.id, "test")
    assert f"--max-steps {entry['plan']['total']}" in entry["commands"]["train"]


def test_counting_is_repeated(workspace, cut, other, tmp_path):
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 4}})
    run = trained(workspace, cut, spec)
    entry = sheet(workspace, "net", tmp_path / "sheet.json")
    filled(other, tmp_path / "texts")
    again = repeated(other, entry)
    assert other.evaluation(again.id, "test") == workspace.evaluation(run.id, "test")


def test_its_commands_repeat_it_from_the_files(workspace, cut, tmp_path, monkeypatch, capsys):
    spec = network("lstm", max_steps=8, validate_every=4, weight_decay=0.05, device="cpu")
    run = trained(workspace, cut, spec, "LSTM 'a b'")
    entry = sheet(workspace, run.id, tmp_path / "my sheet.html")
    monkeypatch.chdir(tmp_path / "texts")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    where = ["--workspace", str(tmp_path / "elsewhere")]
    for command in entry["commands"].values():
        program, *words = shlex.split(command)
        assert program == "lmstudio"
        assert cli.main([*where, *words]) == 0, capsys.readouterr().err
    with Workspace(tmp_path / "elsewhere") as elsewhere:
        again = elsewhere.run(run.name)
        assert elsewhere.evaluation(again.id, "test") == workspace.evaluation(run.id, "test")
        assert sheets.matching(elsewhere, entry, job=Job()).name == "字"
    words = ["train", "--spec", str(tmp_path / "my sheet.json"), "--name", "by sheet"]
    capsys.readouterr()
    assert cli.main([*where, *words]) == 0
    assert "The figures are those of the sheet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "seed", "why"),
    [(TEXT + "完。\n", 1, "No corpus here holds the data"),
     (TEXT.replace("春", "秋"), 1, "may be the one of the sheet"),
     (TEXT, 7, "may be the one of the sheet")],
    ids=["longer", "changed", "split"],
)  # fmt: skip
def test_other_data_are_refused(workspace, cut, other, tmp_path, text, seed, why):
    trained(workspace, cut, network("rnn"))
    entry = sheet(workspace, "net", tmp_path / "sheet.json")
    filled(other, tmp_path / "others", text=text, seed=seed)
    with pytest.raises(AppError, match=why):
        sheets.matching(other, entry, job=Job())
    named = "split otherwise" if seed == 7 else "its text differs"
    with pytest.raises(AppError, match=named):
        sheets.matching(other, entry, "字", job=Job())
    assert not other.runs()


def test_another_segmentation_is_refused(workspace, cut, other, tmp_path):
    trained(workspace, cut, network("rnn"))
    entry = sheet(workspace, "net", tmp_path / "sheet.json")
    filled(other, tmp_path / "texts")
    options = SegmentOptions(by="characters", min_count=30)
    segmentations.create(other, "短文", options, name="少", job=Job())
    with pytest.raises(AppError, match="cut otherwise.*lmstudio segment"):
        sheets.matching(other, entry, "少", job=Job())
    other.delete("segmentation", other.segmentation("字").id)
    with pytest.raises(AppError, match="may be the one of the sheet.*lmstudio segment"):
        sheets.matching(other, entry, job=Job())


def test_the_page_tells_what_it_stands_on(workspace, cut, tmp_path):
    run = trained(workspace, cut, network("lstm", max_steps=8, validate_every=4, seed=77))
    entry = sheet(workspace, "net", tmp_path / "sheet.html")
    page = (tmp_path / "sheet.html").read_text("utf-8")
    bits = workspace.evaluation(run.id, "test")["bits_per_character"]
    for told in (*entry["sha256"].values(), "短文 一.txt", ">77<", f"{bits:.4f}", "PyTorch",
                 "lmstudio train --spec sheet.json", "<polyline", "OMP_NUM_THREADS=1"):  # fmt: skip
        assert told in page, told
    assert entry["made_with"]["threads"] == 1
    assert entry["spec"]["training"]["seed"] == 77


def test_runs_are_compared_on_one_page(workspace, cut, tmp_path):
    trained(workspace, cut, RunSpec.from_json({"model": "ngram"}), "counted")
    for model in ("rnn", "bert"):
        trained(workspace, cut, network(model), model)
    sheets.save(workspace, ["counted", "rnn", "bert"], tmp_path / "c.html", job=Job())
    page = (tmp_path / "c.html").read_text("utf-8")
    assert page.count("<h2>") == 3
    assert "Runs compared" in page
    assert "pseudo log-likelihoods" in page
    assert "lmstudio train --spec c.json --run rnn" in page
    with pytest.raises(AppError, match="several runs: counted, rnn, bert. Say with --run"):
        sheets.read(tmp_path / "c.json")
    with pytest.raises(AppError, match="no run gpt. It holds: counted, rnn, bert"):
        sheets.read(tmp_path / "c.json", "gpt")
    assert sheets.read(tmp_path / "c.json", "rnn")["name"] == "rnn"


def test_one_run_of_several_is_repeated(workspace, cut, tmp_path, capsys):
    for order in (2, 3):
        trained(workspace, cut, RunSpec.from_json({"model": "ngram", "config": {"order": order}}),
                f"n{order}")  # fmt: skip
    sheets.save(workspace, ["n2", "n3"], tmp_path / "c.html", job=Job())
    words = ["--workspace", str(workspace.folder), "train", "--spec", str(tmp_path / "c.json")]
    workspace.close()
    assert cli.main([*words, "--name", "again"]) == 1
    assert cli.main([*words, "--name", "again", "--run", "n3"]) == 0
    assert "The figures are those of the sheet" in capsys.readouterr().err
    assert cli.main([*words[:3], "字", "--run", "n3"]) == 1
    assert "chooses from a run sheet" in capsys.readouterr().err
    with Workspace(workspace.folder) as found:
        assert found.run("again").spec["config"]["order"] == 3


def test_what_cannot_be_told_is_refused(workspace, cut, tmp_path):
    row = training.queue_run(workspace, cut, network("rnn"))
    with pytest.raises(AppError, match="no finished model"):
        sheets.save(workspace, [row.id], tmp_path / "s.html", job=Job())
    trained(workspace, cut, network("rnn"))
    with pytest.raises(AppError, match="must end in .html or .json"):
        sheets.save(workspace, ["net"], tmp_path / "s.pdf", job=Job())
    assert not list(tmp_path.glob("s.*"))


def test_a_file_that_is_no_sheet_is_not_read_as_one(tmp_path):
    write_json(tmp_path / "spec.json", {"model": "lstm"})
    (tmp_path / "text.json").write_text("{", encoding="utf-8")
    assert sheets.read(tmp_path / "spec.json") is None
    assert sheets.read(tmp_path / "text.json") is None
    write_json(tmp_path / "new.json", {"format": sheets.FORMAT, "version": 99, "runs": []})
    with pytest.raises(AppError, match="newer version"):
        sheets.read(tmp_path / "new.json")


@pytest.mark.parametrize(
    "where",
    ["version", "runs", "runs 0", "runs 0 spec", "runs 0 spec config", "runs 0 segmentation",
     "runs 0 resolved training", "runs 0 corpus files 0", "runs 0 scores valid", "runs 0 name"],
)  # fmt: skip
def test_one_that_was_edited_badly_is_refused(workspace, cut, tmp_path, where):
    path = tmp_path / "sheet.json"
    trained(workspace, cut, network("lstm", max_steps=1, validate_every=1, device="cpu"))
    sheet(workspace, "net", path)
    data = read_json(path)
    *way, last = [int(key) if key.isdigit() else key for key in where.split()]
    inner = data
    for key in way:
        inner = inner[key]
    inner[last] = ["x"] if last == "name" else "x"
    write_json(path, data)
    with pytest.raises(AppError, match="damaged"):
        sheets.read(path)


def test_it_is_strict_json(workspace, cut, tmp_path):
    spec = {"model": "ngram", "config": {"order": 3, "smoothing": "maximum-likelihood"}}
    run = trained(workspace, cut, RunSpec.from_json(spec))
    workspace.set_evaluation(run.id, "test", {"bits_per_character": float("inf")})
    workspace.add_metrics(run.id, [(10**9, 1.0, "valid_loss", float("inf"))])
    entry = sheet(workspace, "net", tmp_path / "s.html")
    assert "∞" in (tmp_path / "s.html").read_text("utf-8")
    assert str(sheets.compared(workspace, run, entry)).startswith("The figures are those")

    def refuse(word):
        raise AssertionError(word)

    json.loads((tmp_path / "s.json").read_text("utf-8"), parse_constant=refuse)
    assert read_json(tmp_path / "s.json")["runs"][0]["curves"]["valid_loss"]["value"][-1] is None
