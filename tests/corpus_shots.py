"""Made-up files for the screenshots of the corpora panel and its dialogs, and these pictures."""

import csv
import os
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from lmstudio.data.import_options import ImportOptions
from lmstudio.gui.dialogs.import_report import ImportReportDialog
from lmstudio.gui.window import Window
from lmstudio.jobs import Job
from lmstudio.operations import corpora, import_report, segmentations
from lmstudio.store.workspace import Workspace
from lmstudio.text.normalize import NormaliseOptions
from lmstudio.text.segment import SegmentOptions

_PLACES = ("山", "水", "桥", "村", "江", "城")
_LABELS = ("写景", "送别", "记事")
_WRAPPED = "从前有座山山上有座庙庙里有个老和尚在讲故事讲的是什么呢讲的是从前有座山"


def written() -> dict[str, list[Path]]:
    """Files by the name of their picture: a wrapped text with one that is refused, a table."""
    folder = Path(os.environ["LMSTUDIO_HOME"], "files")
    folder.mkdir(exist_ok=True)
    text = folder / "山村.txt"
    text.write_text(f"{_WRAPPED}\n" * 40, encoding="gb18030")
    damaged = folder / "山村.pdf"
    damaged.write_bytes(b"no pdf")
    return {"text": [text, damaged], "table": [table(folder)]}


def table(folder: Path) -> Path:
    """A CSV file of 60 short texts with titles, labels, two copies and full-width digits."""
    file = folder / "诗文.csv"
    with file.open("w", encoding="utf-8-sig", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["编号", "题目", "正文", "类别"])
        for number in range(60):
            one, two = _PLACES[number % 6], _PLACES[number // 6 % 6]
            second = f"第{number % 58}年的春天，{one}边住着１２户人家。"
            text = f"{one}前有{two}，{two}上有人家。\n{second}"
            writer.writerow([number + 1, f"{one}与{two}之{number}", text, _LABELS[number % 3]])
    return file


def import_tables(ws: Workspace) -> None:
    """A corpus of the table, normalised, with something left out, and two segmentations."""
    files = written()
    options = ImportOptions(normalise=NormaliseOptions(width="half"))
    paths = [*files["table"], files["text"][1]]
    made = corpora.import_files(ws, paths, name="诗文", options=options, job=Job())
    for by in ("characters", "jieba"):
        segmentations.create(ws, made.new_id, SegmentOptions(by=by), job=Job())


def show_lists(window: Window, out: Path, suffix: str) -> None:
    """The table's corpus: documents, files, segmentations, and the report of its import."""
    state, panel = window.state, window.panel("corpora")
    window.show_panel("corpora")
    before = state.segmentation
    state.select_corpus(next(row.id for row in state.corpora() if row.name == "诗文"))
    for which in ("documents", "sources", "cuts"):
        panel.lists.show_list(which)
        QCoreApplication.processEvents()
        window.grab().save(str(out / f"00-corpus-{which}-{suffix}.png"))
    panel.lists.show_list("documents")
    rows = import_report.import_report(state.workspace, state.corpus.id)
    dialog = ImportReportDialog(state.corpus, rows, window)
    dialog.open()
    QCoreApplication.processEvents()
    dialog.grab().save(str(out / f"00-import-report-{suffix}.png"))
    dialog.accept()
    if before is not None:
        state.select_segmentation(before.id)
