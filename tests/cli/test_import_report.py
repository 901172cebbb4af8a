"""The verb import-report: what an import took, left out and changed."""

import csv
import json

from lmstudio import cli


def test_the_report_is_told_as_a_table_as_json_and_as_csv(tmp_path, capsys):
    workspace = ["--workspace", str(tmp_path / "w")]
    table, broken = tmp_path / "a.csv", tmp_path / "b.pdf"
    rows = "".join(f"第{n}首,春天来了１２，花开了{n}朵。\n" for n in range(5))
    table.write_text("title,text\n" + rows, encoding="utf-8")
    broken.write_text("x")
    words = ["import", str(table), str(broken), "--name", "c", "--width", "half"]
    assert cli.main([*workspace, *words]) == 0
    capsys.readouterr()
    assert cli.main([*workspace, "documents", "c", "--search", "第3首", "--json"]) == 0
    assert [row["title"] for row in json.loads(capsys.readouterr().out)] == ["第3首"]
    assert cli.main([*workspace, "import-report", "c"]) == 0
    assert "b.pdf" in capsys.readouterr().out
    file = tmp_path / "report.csv"
    assert cli.main([*workspace, "import-report", "c", "--json", "--csv", str(file)]) == 0
    told = json.loads(capsys.readouterr().out)
    by_kind = {row["kind"]: row for row in told}
    assert by_kind["skipped"]["name"] == "b.pdf"
    assert by_kind["taken"]["count"] == 5
    assert (by_kind["changed"]["name"], by_kind["changed"]["count"]) == ("Full width", 10)
    with file.open(encoding="utf-8-sig", newline="") as opened:
        assert len(list(csv.reader(opened))) == 1 + len(told)
