"""The verbs export --format run, import-run, export-workspace and open-workspace."""

import json
import shlex

from lmstudio import cli
from tests.cli.test_trash import lm as lm
from tests.cli.test_trash import trained as trained


def test_a_run_goes_to_another_workspace(trained, tmp_path, capsys):
    path = tmp_path / "网.lmrun"
    code, _, said = trained("export", "网", "--format", "run", path)
    assert (code, "Written to" in said) == (0, True)
    assert cli.main(["--workspace", str(tmp_path / "v"), "import-run", str(path), "--json"]) == 0
    out, said = capsys.readouterr()
    assert json.loads(out)["name"] == "网"
    assert "网 is imported." in said
    assert "Its text did not come with it" in said
    assert cli.main(["--workspace", str(tmp_path / "v"), "next", "网", "我", "--json"]) == 0
    there = json.loads(capsys.readouterr().out)
    here = json.loads(trained("next", "网", "我", "--json")[1])
    assert there == here
    assert cli.main(["--workspace", str(tmp_path / "v"), "evaluate", "网", "--split", "train"]) == 1
    assert "needs the text of the corpus" in capsys.readouterr().err


def test_a_file_that_is_none_is_refused(lm, tmp_path):
    (tmp_path / "x.lmrun").write_text("我爱北京", encoding="utf-8")
    code, _, said = lm("import-run", tmp_path / "x.lmrun")
    assert (code, "damaged or cut off" in said) == (1, True)


def test_a_workspace_goes_elsewhere(trained, tmp_path, capsys):
    assert trained("export-workspace", tmp_path / "w.zip")[0] == 0
    code, out, _ = trained("open-workspace", tmp_path / "w.zip", tmp_path / "那里", "--json")
    assert (code, json.loads(out)["path"]) == (0, str(tmp_path / "那里"))
    assert cli.main(["--workspace", str(tmp_path / "那里"), "runs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(trained("runs", "--json")[1])


def test_the_command_that_is_told_can_be_typed_as_it_stands(trained, tmp_path, capsys):
    assert trained("export-workspace", tmp_path / "w.zip")[0] == 0
    out = trained("open-workspace", tmp_path / "w.zip", tmp_path / "新 区")[2]
    words = shlex.split(out.rpartition("lmstudio ")[2])
    assert cli.main([*words[:-1], "runs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
