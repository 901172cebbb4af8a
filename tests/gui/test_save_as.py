"""Where a file is saved: what the user wrote, and what kind was chosen."""

import pytest
from PySide6.QtWidgets import QFileDialog

from lmstudio.gui.save_as import chosen_path

LATEX = "LaTeX (*.tex)"


@pytest.fixture
def answer(monkeypatch):
    def give(name, kind=""):
        asked = []
        monkeypatch.setattr(QFileDialog, "getSaveFileName",
                            lambda *given: asked.append(given) or (str(name), kind))  # fmt: skip
        return asked

    return give


@pytest.mark.parametrize(
    ("name", "kind", "saved"),
    [("t.csv", "", "t.csv"), ("t.tex", "", "t.tex"), ("t.csv", LATEX, "t.tex"),
     ("t.txt", LATEX, "t.txt"), ("t", LATEX, "t.tex"), ("t", "", "t.csv")],
    ids=["proposed", "written", "kind", "other", "bare-kind", "bare"],
)  # fmt: skip
def test_the_ending_written_counts_else_that_of_the_kind(answer, tmp_path, name, kind, saved):
    asked = answer(tmp_path / name, kind)
    assert chosen_path(None, "Save", "runs") == tmp_path / saved
    assert asked[0][2] == "runs.csv"


def test_nothing_is_replaced_that_the_dialog_did_not_ask_about(answer, tmp_path):
    (tmp_path / "t.tex").write_text("")
    answer(tmp_path / "t.csv", LATEX)
    assert chosen_path(None, "Save", "runs") == tmp_path / "t 2.tex"


def test_thinking_better_of_it_saves_nothing(answer):
    answer("")
    assert chosen_path(None, "Save", "runs") is None
