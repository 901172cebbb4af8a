"""Tables for LaTeX: what has a meaning there is escaped, numbers stand under each other."""

import re

import pytest

from lmstudio.formats.latex_table import LONGEST, escaped, latex_table
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job


def body(text: str) -> list[list[str]]:
    """The cells of the rows between the rules."""
    inside = text.split("\\midrule\n")[1].split("\\bottomrule")[0]
    return [line.removesuffix(r" \\").split(" & ") for line in inside.splitlines()]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a_b & 50% #1 $x$", r"a\_b \& 50\% \#1 \$x\$"), (r"\{}", r"\textbackslash{}\{\}"),
        ("~^<>|`", r"\textasciitilde{}\textasciicircum{}\textless{}\textgreater{}\textbar{}"
         r"\textasciigrave{}"),
        ("[MASK]*", "{[}MASK{]}{*}"), ("--csv ''", "-{}-csv '{}'"), ("两\n行\t\x00", "两 行 "),
        ("1 ± 0.2 · ∞", r"1 $\pm$ 0.2 $\cdot$ $\infty$"), ("北京", "北京"),
    ],
    ids=["signs", "backslash", "marks", "brackets", "ligatures", "controls", "maths", "chinese"],
)  # fmt: skip
def test_text_is_escaped(text, written):
    assert escaped(text) == written


def test_numbers_of_a_column_have_its_decimals():
    rows = [("A", 5.12345, 1000, -0.5), ("B", 12.0, 7, 0.25), ("C", None, None, float("inf"))]
    text = latex_table(["名", "bits", "n", "d"], rows)
    assert r"\begin{tabular}{@{}lrrr@{}}" in text
    assert body(text) == [["A", "5.12", "1000", "$-0.5000$"], ["B", "12.00", "7", "0.2500"],
                          ["C", "", "", r"$\infty$"]]  # fmt: skip


def test_a_number_too_small_for_the_decimals_is_not_written_as_zero():
    text = latex_table(["p"], [(0.9,), (3e-9,), (0.0,), (float("nan"),)])
    assert body(text) == [["0.900000"], [r"$3.0\times10^{-9}$"], ["0.000000"], ["--"]]


@pytest.mark.parametrize(
    ("cells", "side"),
    [(["3.58 ± 0.02", "—"], "r"), (["12 %", ""], "r"), (["1,234", "5"], "r"), (["3 of 4"], "l"),
     ([""], "l"), ([True], "l")],
    ids=["spread", "percent", "thousands", "words", "empty", "truth"],
)  # fmt: skip
def test_text_that_shows_numbers_stands_at_the_right(cells, side):
    assert f"{{@{{}}{side}@{{}}}}" in latex_table(["x"], [(cell,) for cell in cells])


def test_a_table_longer_than_a_page_may_break():
    rows = [(number,) for number in range(LONGEST + 1)]
    assert r"\begin{longtable}" in latex_table(["n"], rows)
    assert r"\begin{tabular}" in latex_table(["n"], rows[:-1])


def test_a_table_without_rows_has_its_head():
    assert re.search(r"toprule\na & b \\\\\n\\midrule\n\\bottomrule", latex_table(["a", "b"], []))


def test_the_ending_of_the_name_says_what_is_written(tmp_path):
    for name in ("t.csv", "t.tsv", "t.tex", "t.txt"):
        save_table(tmp_path / name, ["词", "n"], [("北京", 1)], job=Job())
    assert (tmp_path / "t.tsv").read_bytes() == "\ufeff词\tn\r\n北京\t1\r\n".encode()
    assert (tmp_path / "t.txt").read_bytes() == (tmp_path / "t.csv").read_bytes()
    assert body((tmp_path / "t.tex").read_text("utf-8")) == [["北京", "1"]]
