"""Every segmenter and what it needs: only that is asked, and what is counted follows it."""

import pytest

from lmstudio.gui.panels.segment.segment import SegmentPanel
from tests.gui.panels import run_workspace, segment_workspace
from tests.gui.panels.segment_workspace import add_text, add_words, choose, counted, words


@pytest.fixture
def panel(qapp, tmp_path, jieba_home, shown, qtbot):
    """The panel over a small corpus, with all that is asked answered."""
    with segment_workspace.opened(tmp_path / "workspace") as state:
        add_text(state, run_workspace.text(60))
        panel = shown(SegmentPanel(state))
        counted(panel, qtbot)
        yield panel


def test_pieces_are_learnt_and_loaded(panel, qtbot, tmp_path):
    """Of each side as many as it says; a vocab.txt decides by its own lines."""
    choose(panel, 0, "bpe")
    choose(panel, 1, "bpe")
    panel.choices[0].pieces.count.setValue(40)
    panel.choices[1].pieces.count.setValue(60)
    counted(panel, qtbot)
    few, many = (panel.surveys.survey(side) for side in "ab")
    assert few.tokens > many.tokens
    assert few.vocabulary < many.vocabulary <= 62
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("[UNK]\n山\n水\n边\n有\n", encoding="utf-8")
    panel.choices[1].pieces.use_file(vocabulary)
    counted(panel, qtbot)
    assert panel.cuts()[1].tokenizer == vocabulary
    assert panel.cuts()[1].options.by == "wordpiece"
    assert panel.surveys.survey("b").oov_rate_valid > 0.1
    panel.save_b.click()
    counted(panel, qtbot)
    assert panel.state.segmentation.segmenter == "wordpiece"
    panel.swap()
    counted(panel, qtbot)
    assert panel.cuts()[0].tokenizer == vocabulary
    choose(panel, 0, "unigram")
    assert panel.cuts()[0].tokenizer is None
    counted(panel, qtbot)


def test_only_what_makes_a_difference_is_shown(panel, qtbot):
    panel.compared.more.setChecked(True)
    hidden = {name for name, field in panel.shared._fields.items() if field.isHidden()}
    assert hidden == {"lower", "strip_accents", "han_apart", "clean"}
    assert panel.choices[0].pieces.isHidden()
    choose(panel, 0, "wordpiece")
    choose(panel, 1, "byte-bpe")
    panel.shared.control("lower").setChecked(True)
    hidden = {name for name, field in panel.shared._fields.items() if field.isHidden()}
    assert hidden == {"max_size", "unknown"}
    one, two = panel.cuts()
    assert one.options.lower
    assert not two.options.lower
    assert "axis of their own" in panel.compared.axis.text()
    counted(panel, qtbot)


def test_stop_words_become_unknown(panel, qtbot, tmp_path):
    before = panel.surveys.survey("a")
    stop = tmp_path / "stop.txt"
    stop.write_text("有\n边有\n", encoding="utf-8")
    panel.shared.stop_words.use(stop)
    assert panel.compared.more.text() == "More settings · 1 changed"
    counted(panel, qtbot)
    after = panel.surveys.survey("a")
    assert after.tokens == before.tokens
    assert after.vocabulary < before.vocabulary
    assert after.oov_rate_valid > before.oov_rate_valid


def test_given_words_are_offered_where_there_are_some(panel, qtbot, tmp_path):
    state = panel.state
    model = panel.choices[0].segmenter.model()
    given = panel.choices[0].segmenter.findData("given")
    assert not model.item(given).isEnabled()
    add_words(state, tmp_path, ["我爱 北京", "他 爱 山"] * 20)
    assert model.item(given).isEnabled()
    choose(panel, 0, "given")
    counted(panel, qtbot)
    assert words(panel) == ["我爱", "北京"]
