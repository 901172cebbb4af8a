"""The HTML report: whole, safe, in two languages, with a chart that keeps labels apart."""

import math
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from lmstudio import messages
from lmstudio.formats.chart import Curve, chart, spread
from lmstudio.formats.chart_axis import number_axis
from lmstudio.formats.chart_style import alone
from lmstudio.formats.report import Report, ReportCorpus, ReportRun, html


def run(name, family="ngram", **figures):
    defaults = {
        "segmentation": "words", "parameters": 12345, "seconds": 3.0, "valid": 3.5, "test": 3.6,
        "perplexity": 80.0, "events": 1000, "unknown": 7, "zero_probability": 0,
        "context": "sentence",
    }  # fmt: skip
    return ReportRun(name, family, **(defaults | figures))


def report(*runs, oracle=None):
    corpus = ReportCorpus("Tales", (("Documents", "12"),), tuple(runs), oracle)
    return Report((corpus,), "today", "0.1.0")


RUNS = (
    run("bigram", valid=4.25, seconds=1.0),
    run("LSTM", "lstm", valid=3.25, seconds=300, curve=((30, 9.0), (150, 3.9), (300, 3.25))),
    run("ML bigram", valid=math.inf, test=math.inf, perplexity=math.inf, zero_probability=31),
)


class Shape(HTMLParser):
    """Checks that what is opened is closed, and gathers what a page asks for from outside."""

    VOID = ("meta", "!doctype")

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.links, self.text = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def drawing(page):
    (svg,) = re.findall(r'<svg viewBox="0 0.*?</svg>', page, re.DOTALL)
    return ElementTree.fromstring(svg)


def test_a_page_is_whole_and_alone():
    shape = Shape(html(report(*RUNS, oracle=2.71)))
    assert shape.open == []
    assert shape.links == []
    assert "script" not in shape.tags


def test_the_table_has_every_run_best_first():
    page = html(report(*RUNS))
    rows = re.findall(r"<tr>(.*?)</tr>", page)[1:]
    cells = [re.sub(r"<svg.*?</svg>", "", row) for row in rows]
    texts = [re.findall(r"<td>(.*?)</td>", row) for row in cells]
    assert [row[0] for row in texts] == ["LSTM", "bigram", "ML bigram"]
    assert texts[0][2:] == [
        "12,345", "5 min 00 s", "3.25", "3.60", "80.00", "1,000", "7", "0", "sentence"
    ]  # fmt: skip
    assert texts[2][4] == "∞"
    assert "probability zero" in page


def test_the_chart_leaves_out_what_is_not_finite_or_not_comparable():
    page = html(report(*RUNS, run("full mode", valid=1.5, comparable=False), oracle=2.71))
    names = [text.text for text in drawing(page).iter("text")]
    assert "3.25 LSTM" in names
    assert "4.25 bigram" in names
    assert not [name for name in names if "ML bigram" in name or "full mode" in name]
    assert [name for name in names if "2.71" in name]
    assert "full mode *" in page


def test_names_cannot_break_the_page():
    shape = Shape(html(report(run("<script>&\"'", segmentation="<b>"), run("a"))))
    assert "script" not in shape.tags
    assert shape.open == []


def test_the_page_is_in_the_language_in_use():
    messages.use("zh_CN")
    page = html(report(*RUNS, oracle=2.71))
    assert '<html lang="zh-CN">' in page
    assert "比特/字" in page
    assert "语言本身的下限 2.71" in page
    words = set("".join(Shape(page).text[2:]).replace("Tales", "").split())
    assert not words & {"Run", "Time", "Perplexity", "Unknown", "sentence", "limit"}


@pytest.mark.parametrize("runs", [(), (run("a", valid=None, test=None, perplexity=None),)])
def test_nothing_to_draw_is_said(runs):
    assert "There is nothing to draw yet." in html(report(*runs))
    assert "There is no run yet." in html(Report((), "today", "0.1.0"))


def test_labels_stand_apart_in_the_order_of_their_curves():
    places = spread([10, 11, 12, 100, 101], 16, 0, 200)
    assert places == [0, 16, 32, pytest.approx(92.5), pytest.approx(108.5)]
    assert spread([195, 198], 16, 0, 200) == [184, 200]
    assert spread([50], 16, 0, 200) == [50]


def test_many_curves_find_room():
    curves = [Curve(f"run {n}", "ngram", ((1.0 + n, 3.0),), 3.0) for n in range(60)]
    svg = ElementTree.fromstring(chart(curves))
    heights = sorted(float(t.get("y")) for t in svg.iter("text") if t.get("class") == "name")
    assert min(b - a for a, b in zip(heights, heights[1:], strict=False)) > 15
    assert heights[-1] < float(svg.get("viewBox").split()[3])


def test_faster_stands_further_left_and_better_lower():
    slow, fast = ((60.0, 3.0),), ((0.0, 5.0),)
    curves = [Curve("slow", "ngram", slow, 3.0), Curve("fast", "ngram", fast, 5.0)]
    marks = list(ElementTree.fromstring(chart(curves)).iter("polygon"))
    middles = [
        [sum(float(p.split(",")[axis]) for p in mark.get("points").split()) / 4 for axis in (0, 1)]
        for mark in marks
    ]
    (fast_x, fast_y), (slow_x, slow_y) = middles
    assert fast_x < slow_x
    assert fast_y < slow_y


def test_a_note_is_shown_and_why_a_run_is_not_on_the_axis():
    bert = run("BERT", "bert", comparable=False, why="It sees both sides.", note="<b>good</b>")
    page = html(report(RUNS[0], bert))
    assert "* It sees both sides." in page
    assert "scores other events" not in page
    assert "&lt;b&gt;good&lt;/b&gt;" in page
    assert "scores other events" in html(report(run("others", comparable=False)))


def test_a_chart_by_itself_is_an_svg_with_plain_colours():
    curves = [Curve("GPT", "gpt", ((1e4, 4.2), (1e6, 3.6), (3e7, 3.1)), 3.1)]
    drawn = alone(chart(curves, 2.9, axis=number_axis, name="By size", whole=True), "By & size")
    root = ElementTree.fromstring(drawn)
    assert root.get("viewBox").startswith("0 -30 ")
    assert "var(" not in drawn
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"By & size", "10 k", "1 M", "3.10 GPT"} <= set(texts)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}polygon"))) == 3  # a mark a point


@pytest.mark.parametrize(
    ("values", "labels", "log"),
    [
        ([1, 5], ["1", "2", "3", "4", "5"], False),
        ([0.1, 0.2, 1], ["0.2", "0.4", "0.6", "0.8", "1"], False),
        ([16, 512], ["20", "50", "100", "200", "500"], True),
        ([1000, 4_000_000], ["1 k", "10 k", "100 k", "1 M"], True),
        ([3], ["3"], False),
    ],
)
def test_an_axis_of_numbers_is_labelled_with_round_ones(values, labels, log):
    axis = number_axis(values)
    assert axis.log == log
    assert [text for _, text in axis.labels] == labels
    shares = [axis.share(value) for value in sorted(values)]
    assert all(0 <= share <= 1 for share in shares)
    assert shares == sorted(shares)
