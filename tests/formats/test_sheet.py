"""Pages of run sheets: for a browser, and for paper."""

from lmstudio.formats.chart import Curve
from lmstudio.formats.sheet import Figure, Sheet, SheetRun, Table, html, paper


def run(name="A & B"):
    curve = Curve(name, "lstm", ((1.0, 4.0), (10.0, 3.0)), 3.0)
    return SheetRun(
        name, "LSTM", Figure("Bits <per>", "lower", (curve,)), Table(("Measure", "Test"),
        (("Bits", "3.00"),)), (("Data", (("Corpus", "<tales>"),)),),
        (("The run", "lmstudio train 'a & b'"),), ("A remark.",),
    )  # fmt: skip


def test_a_page_stands_alone_and_is_escaped():
    page = html(Sheet((run(),), "Made today"))
    for told in ("<h1>A &amp; B</h1>", "&lt;tales&gt;", "<polyline", "Made today",
                 "lmstudio train &#x27;a &amp; b&#x27;", "A remark."):  # fmt: skip
        assert told in page, told
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_several_runs_share_a_chart_and_a_table():
    both = Sheet((run("one"), run("two")), "", run().figure, Table(("Run",), (("one",),)))
    page = html(both)
    assert page.count("<svg") == 3
    assert (page.count("<h1>"), page.count("<h2>")) == (1, 2)


def test_on_paper_drawings_stand_beside_the_page_and_colours_are_plain():
    made = paper(Sheet((run(),), ""))
    assert list(made.drawings) == ["chart-0.svg"]
    assert '<img src="chart-0.svg"' in made.html
    for text in (made.html, *made.drawings.values()):
        assert "var(--" not in text
    assert "<svg" not in made.html
    assert made.drawings["chart-0.svg"].startswith('<svg xmlns="http://www.w3.org/2000/svg"')


def test_a_run_without_curve_and_figures_has_a_page_too():
    plain = SheetRun("n", "n-gram", None, None, (), (), ())
    assert "<h1>n</h1>" in html(Sheet((plain,), ""))
