"""The figures of a part in a line."""

from types import SimpleNamespace

import pytest

from lmstudio.gui.panels.tasks import class_names


@pytest.mark.parametrize(("lenient", "told"), [(0.05, True), (0.1, False), (0.2, False)])
def test_the_lower_reading_of_tags_says_why(monkeypatch, lenient, told):
    monkeypatch.setattr(class_names, "one_sided", lambda _: None)
    figures = {"f1": 0.1, "precision": 0.2, "recall": 0.07, "lenient_f1": lenient, "spans": 147}
    said = class_names.told(SimpleNamespace(task="tag", figures=figures))
    assert (f"{lenient * 100:.1f} % (broken tags count too)" in said) == told
    assert "recall 7.0 % ·" in said
