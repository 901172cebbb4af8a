"""Two segmenters side by side: what is seen, what is counted, and what is kept."""

import csv
import time

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication

from lmstudio.errors import AppError
from lmstudio.gui.panels.segment.segment import SegmentPanel
from lmstudio.gui.panels.segment.segmenter_choice import CHOICES, proposed
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job, JobQueue
from lmstudio.operations import corpora, segmentations
from lmstudio.operations.changes import Changes
from lmstudio.store.settings import Settings
from lmstudio.training.machine import Machine
from tests.conftest import ROOT
from tests.gui.conftest import assert_fits
from tests.gui.panels import run_workspace

LINES = 14
CASES = ROOT / "tests" / "data" / "cases"


class LastingQueue(JobQueue):
    """Its worker processes serve all tests of this file: each takes seconds to load jieba."""

    def close(self, seconds=4.0):
        """A state is closed: not yet."""


@pytest.fixture(scope="module")
def queue():
    """One for all."""
    queue = LastingQueue()
    yield queue
    JobQueue.close(queue)


@pytest.fixture
def app_state(qapp, tmp_path, queue):
    """As for other panels, over the lasting queue."""
    state = AppState(Settings(theme="light"), queue)
    state.machine = Machine(cores=2, memory_bytes=16_000_000_000)
    assert state.open_workspace(tmp_path / "workspace")
    yield state
    state.close()
    state.deleteLater()


def add_corpus(state, text, name="小样"):
    """Import a text and select it."""
    made = corpora.import_text(state.workspace, text, name=name, job=Job())
    state.apply(Changes(corpora=True, new_id=made.new_id))
    return state.corpus


@pytest.fixture
def panel(app_state, shown, qtbot):
    """The panel over a small corpus, with all that is asked answered."""
    add_corpus(app_state, run_workspace.text(60))
    made = shown(SegmentPanel(app_state))
    finished(made, qtbot)
    return made


def finished(panel, qtbot):
    """Wait until the sentences are cut and the text is counted."""
    qtbot.waitUntil(lambda: not panel.comparison.busy)
    qtbot.waitUntil(lambda: not panel.surveys.waiting())


def cut(flow, sentence=0):
    """The tokens of a sentence as they are shown."""
    shown = flow.sentences()[sentence]
    return [shown.text[a:b] for a, b in shown.spans]


def choose(panel, side, key):
    """Choose a segmenter as a user does."""
    box = panel.choices[side].segmenter
    box.setCurrentIndex(box.findData(key))


def test_figures_are_those_of_the_segmentation_that_is_kept(panel, qtbot):
    state, wanted = panel.state, []
    state.panel_wanted.connect(wanted.append)
    survey = panel.surveys.survey("a")
    with qtbot.waitSignal(state.segmentations_changed):
        qtbot.keyClick(panel.save_a, Qt.Key.Key_Space)
        assert not panel.save_a.isEnabled()
        assert panel.save_a.toolTip()
    qtbot.waitUntil(lambda: wanted == ["new_run"])
    row = state.segmentation
    assert row.name == "小样 · jieba · accurate"
    assert (survey.tokens, survey.types, survey.vocabulary, survey.oov_rate_valid) == (
        row.facts["tokens"], row.facts["types"], row.vocabulary, row.facts["oov_rate_valid"],
    )  # fmt: skip
    tokens = panel.figures.table.rows()[0].cells
    assert tokens["a"].value == survey.tokens
    assert tokens["characters"].value == panel.surveys.survey("characters").tokens


def test_sentences_are_cut_before_it_is_said(app_state, shown, qtbot):
    add_corpus(app_state, run_workspace.text(60))
    panel, said = shown(SegmentPanel(app_state)), {}

    def look() -> bool:
        said.setdefault(panel.note.full_text(), panel.comparison.seen)
        return not panel.surveys.waiting()

    qtbot.waitUntil(look)
    assert said["The sentences are being cut."] is False
    assert said.get("The sentences are cut; the whole text is being counted.") in (True, None)


def test_the_other_side_is_kept_and_the_panel_stays(panel, qtbot):
    wanted = []
    panel.state.panel_wanted.connect(wanted.append)
    choose(panel, 1, "whitespace")
    with qtbot.waitSignal(panel.state.segmentations_changed):
        panel.save_b.click()
    assert panel.state.segmentation.segmenter == "whitespace"
    assert wanted == []
    finished(panel, qtbot)


def test_choosing_cuts_the_sentences_anew(panel, qtbot):
    assert cut(panel.comparison.flows[0], 2)[0] == "小河边"
    choose(panel, 0, "characters")
    finished(panel, qtbot)
    one, two = panel.comparison.flows
    assert cut(one, 2)[:2] == ["小", "河"]
    assert one.sentences()[2].differing
    assert not two.sentences()[0].differing & one.sentences()[0].differing
    assert panel.figures.table.rows()[3].cells["a"].value == 1.0


def test_highlight_after_an_emoji(app_state, shown, qtbot):
    """Case B-4, from the corpus to both sides."""
    add_corpus(app_state, "😀我爱北京\n我爱💩💩💩👨\u200d👩\u200d👧\n好\n")
    panel = shown(SegmentPanel(app_state))
    choose(panel, 1, "characters")
    finished(panel, qtbot)
    one, two = panel.comparison.flows
    assert cut(one)[-1] == "北京"
    one.lit.emit(0, *one.sentences()[0].spans[-1])
    assert (one.lit_text(), two.lit_text()) == ("北京", "北京")
    assert len(cut(two, 1)) == 10


def test_sides_are_swapped_with_everything(panel, qtbot):
    dictionary = CASES / "a01_userdict_bom_crlf.txt"
    panel.choices[0].dictionary.use_file(dictionary)
    choose(panel, 1, "characters")
    finished(panel, qtbot)
    qtbot.waitUntil(lambda: not panel.state.jobs.busy)
    finished(panel, qtbot)
    before = [cut(flow) for flow in panel.comparison.flows]
    tokens = [panel.surveys.survey(side).tokens for side in "ab"]
    panel.comparison.flows[0].setFocus()
    qtbot.keyClick(panel.comparison.flows[0], Qt.Key.Key_S)
    assert [cut(flow) for flow in panel.comparison.flows] == before[::-1]
    assert [panel.surveys.survey(side).tokens for side in "ab"] == tokens[::-1]
    assert panel.cuts()[1].dictionary.name == dictionary.name
    assert panel.cuts()[0].dictionary is None
    assert panel.choices[0].key() == "characters"
    finished(panel, qtbot)


def test_the_next_difference_is_found_and_lit(app_state, shown, qtbot):
    add_corpus(app_state, "山\n水\n" * 100 + "他来到了网易杭研大厦\n好\n")
    panel = shown(SegmentPanel(app_state))
    choose(panel, 1, "characters")
    finished(panel, qtbot)
    assert panel.comparison.place()[0] == 1
    panel.comparison.next_difference()
    qtbot.waitUntil(lambda: panel.comparison.place()[0] == 201)
    assert panel.comparison.flows[0].lit_text() == "来到"
    with qtbot.waitSignal(panel.state.told):
        panel.comparison.next_difference()


def test_every_sentence_is_reached_forward_and_back(app_state, shown, qtbot, monkeypatch):
    monkeypatch.setattr("lmstudio.gui.panels.segment.comparison.PAGE", 9)
    text = "\n".join(f"第{n}行第一句。第二句。" for n in range(LINES)) + "\n"
    add_corpus(app_state, text)
    panel = shown(SegmentPanel(app_state))
    panel.shared.control("sentences").setCurrentIndex(2)  # at punctuation too
    finished(panel, qtbot)
    comparison, seen = panel.comparison, []

    def here():
        sentence = comparison._pages[0].sentences[comparison._top]
        return sentence.line, sentence.start

    for step in (1, -1):
        for _ in range(2 * LINES - 1):
            seen.append(here())
            comparison.step(step)
            qtbot.waitUntil(lambda: not comparison.busy)
        seen.append(here())
    one_way, back = seen[: 2 * LINES], seen[2 * LINES :]
    assert one_way == sorted(set(one_way))
    assert len(one_way) == 2 * LINES
    assert back == one_way[::-1]


def test_a_user_dictionary_is_used_and_its_faults_are_told(panel, qtbot, tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("边有 9999\n大树 -3\n", encoding="utf-8")
    choice = panel.choices[0]
    with qtbot.waitSignal(choice.changed):
        choice.dictionary.use_file(file)
    assert "Line 2" in choice.strip.text()
    assert "1 word" in choice.dictionary.note.full_text()
    finished(panel, qtbot)
    assert "边有" in cut(panel.comparison.flows[0], 0)
    choice.dictionary.forget()
    assert choice.strip.text() == ""
    finished(panel, qtbot)
    assert "边有" not in cut(panel.comparison.flows[0], 0)
    choice.dictionary.use_file(tmp_path / "none.txt")
    qtbot.waitUntil(lambda: "cannot be read" in choice.strip.text())
    choose(panel, 0, "characters")
    assert choice.dictionary.isHidden()
    finished(panel, qtbot)


def test_overlapping_words_are_said_not_to_be_comparable(panel, qtbot):
    choose(panel, 1, "full")
    assert "not comparable" in panel.compared.axis.text()
    finished(panel, qtbot)
    choose(panel, 1, "accurate")
    assert panel.compared.axis.isHidden()
    finished(panel, qtbot)


def test_more_settings_are_counted(panel, qtbot):
    before = panel.surveys.survey("a").vocabulary
    panel.shared.control("min_count").setValue(30)
    assert panel.compared.more.text() == "More settings · 1 changed"
    assert panel.cuts()[0].options.min_count == 30
    finished(panel, qtbot)
    assert panel.surveys.survey("a").vocabulary < before


def test_figures_are_saved(panel, tmp_path):
    panel.figures.export.save(tmp_path / "figures.csv")
    with (tmp_path / "figures.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    assert rows[0] == [" ", "A  jieba · accurate", "B  jieba · no HMM", "Chars"]
    assert rows[1][1] == str(panel.surveys.survey("a").tokens)


def test_numbers_are_grey_until_they_are_final(panel, qtbot):
    choose(panel, 0, "search")
    assert panel.figures.table.rows()[0].cells["a"].tone == "off"
    assert panel.figures.table.rows()[0].cells["b"].tone == ""
    finished(panel, qtbot)
    assert panel.figures.table.rows()[0].cells["a"].tone == ""
    assert len(panel.figures.plot.series()) == 3


def test_a_giant_line_keeps_the_window_alive(app_state, shown, qtbot):
    """Case A-6: 1.6 million characters in one line."""
    add_corpus(app_state, "中文语料没有换行" * 208_334)
    panel = shown(SegmentPanel(app_state))
    longest, last = 0.0, time.perf_counter()
    end = time.monotonic() + 60
    while panel.comparison.busy and time.monotonic() < end:
        QApplication.processEvents()
        longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
        time.sleep(0.002)
    assert cut(panel.comparison.flows[0])
    assert all(len(s.text) <= 500 for s in panel.comparison.flows[0].sentences())
    assert longest < 1.0, "generous: other processes share the cores"
    panel.hide()
    qtbot.waitUntil(lambda: not panel.surveys._asker.busy)


def test_the_script_of_a_text_chooses_the_segmenters():
    assert proposed("今天天气很好") == ("accurate", "no_hmm")
    assert proposed("no it was n't black monday") == ("whitespace", "characters")
    assert all(key in CHOICES for key in proposed(""))


def test_without_a_corpus_it_leads_to_one(app_state, shown):
    panel = shown(SegmentPanel(app_state))
    wanted = []
    app_state.panel_wanted.connect(wanted.append)
    panel.primary.click()
    assert wanted == ["corpora"]


def test_it_fits_with_everything_unfolded(panel, qtbot):
    panel.compared.more.setChecked(True)
    choose(panel, 1, "full")
    panel.choices[0].strip.say("Line 2 of the user dictionary is left out: 大树 -3\n" * 3)
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    assert_fits(panel)
    finished(panel, qtbot)


def test_typing_s_elsewhere_swaps_nothing(panel, qtbot):
    before = [choice.key() for choice in panel.choices]
    for field in (panel.choices[0].segmenter, panel.shared.control("min_count")):
        field.setFocus()
        qtbot.keyClick(field, Qt.Key.Key_S)
    assert [choice.key() for choice in panel.choices] == before


def test_a_side_that_cannot_be_counted_holds_up_no_other(panel, qtbot, monkeypatch):
    count, spaces = segmentations.statistics, AppError("A line is too long.")

    def refused(ws, corpus_id, options, **how):
        if options.by == "whitespace":
            raise spaces
        return count(ws, corpus_id, options, **how)

    monkeypatch.setattr(segmentations, "statistics", refused)
    choose(panel, 0, "whitespace")
    choose(panel, 1, "full")
    finished(panel, qtbot)
    assert panel.surveys.survey("a") is None
    assert panel.surveys.survey("b").tokens > 0
    assert panel.note.full_text() == str(spaces)
