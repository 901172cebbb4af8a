"""Pictures of the concordance and of the statistics, of the corpora that the screenshots make."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QElapsedTimer

from lmstudio.data.browse.search import Query
from lmstudio.gui.panels.browse.concordance import ConcordancePanel
from lmstudio.gui.panels.browse.statistics import StatisticsPanel
from lmstudio.gui.window import Window


def show_concordance(window: Window, out: Path, suffix: str) -> None:
    """Hits of a word sorted by what follows, a faulty pattern, and nothing found."""
    panel = _shown(window, "concordance")
    for name, query in (
        ("hits", Query("春天", "text")), ("fault", Query("第(.+章", "regex")),
        ("none", Query("没有的话", "text")), ("regex", Query("第.{1,2}年", "regex")),
    ):  # fmt: skip
        panel.query.set_query(query)
        panel.search_now()
        answered(panel)
        if name == "hits":
            panel.hits.order.setCurrentIndex(5)
            answered(panel)
            panel.hits.table.choose_row(2)
            answered(panel)
        window.grab().save(str(out / f"06a-concordance-{name}-{suffix}.png"))


def show_statistics(window: Window, out: Path, suffix: str) -> None:
    """Every view, with a row chosen."""
    panel = _shown(window, "statistics")
    for view in ("words", "ngrams", "collocations", "keyness"):
        panel.view.segment(view).click()
        answered(panel)
        if view == "collocations":
            window.grab().save(str(out / f"06b-collocations-empty-{suffix}.png"))
            panel.controls.set_node("春天")
            answered(panel)
        panel.answer.table.choose_row(3)
        answered(panel)
        window.grab().save(str(out / f"06b-statistics-{view}-{suffix}.png"))
    panel.view.segment("words").click()


def answered(panel: ConcordancePanel | StatisticsPanel) -> None:
    """Until nothing is awaited, or for half a minute."""
    clock = QElapsedTimer()
    clock.start()
    while clock.elapsed() < 300 or (panel.busy and clock.elapsed() < 30_000):
        QCoreApplication.processEvents()


def _shown(window: Window, key: str):
    corpus = next(row for row in window.state.corpora() if row.name == "诗文")
    cuts = {cut.segmenter: cut.id for cut in window.state.segmentations(corpus.id)}
    window.state.select_segmentation(cuts["jieba"])
    window.show_panel(key)
    return window.panel(key)
