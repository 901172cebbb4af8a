"""What steps would change in a sample: counts, and where lines differ."""

from lmstudio.jobs import Job
from lmstudio.text.normalize import NormaliseOptions
from lmstudio.text.normalize_sample import compared, normalised_sample, steps

LINES = ["漢字ＡＢ１ x", "好。", "😀\u200b１"]


def test_each_step_alone_is_counted_and_the_chosen_ones_are_applied():
    found = normalised_sample(LINES, NormaliseOptions(width="half", invisible=True), job=Job())
    assert [line.after for line in found.lines] == ["漢字AB1 x", "好。", "😀1"]
    assert found.counts["width"] == {"half": 4}
    assert found.counts["invisible"] == {"True": 1}
    assert found.counts["script"] == {"simplified": 1, "traditional": 0}
    assert found.counts["lower"] == {"True": 2}
    assert found.counts["spaces"] == {"collapse": 0, "remove": 1}
    assert found.counts.keys() == steps().keys()


def test_differences_are_code_points_of_each_form():
    line = compared("😀ＡＢ北", "😀AB北京")
    assert line.left == ((1, 3),)
    assert line.right == ((1, 3), (4, 5))
    assert compared("同", "同").left == ()
