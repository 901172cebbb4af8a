"""A corpus with given words and a small network, and pictures of what is made of them."""

import os
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QElapsedTimer

from lmstudio.data.import_options import ImportOptions
from lmstudio.gui.window import Window
from lmstudio.jobs import Job
from lmstudio.operations import corpora, dictionaries, segmentations, training
from lmstudio.store.workspace import Workspace
from lmstudio.text.document import ReadOptions
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec

_FIRST = ("小明", "老王", "李医生", "张大妈", "程心", "云天明")
_THEN = ("来到", "离开 了", "喜欢", "想念", "走 过", "路过")
_LAST = ("石头村", "网易 杭研 大厦", "清华大学", "白水河 边", "北京", "乙醇 实验室")
_NAME = "自带词"


def sentences(count: int = 600) -> list[str]:
    """Made-up sentences of words between spaces."""
    new = [f"{a} 沙瑞金 {b} 。" for a in "他我你她它见和对给说" for b in "家里园中处旁边上下"]
    return new * 2 + [
        f"{_FIRST[n % 6]} {_THEN[n * n % 6]} {_LAST[n // 6 % 6]} ， {_FIRST[n // 5 % 6]} 也 是 。"
        for n in range(count)
    ]


def fill(ws: Workspace) -> None:
    """The corpus, three ways to cut it, a small network trained on one, and a dictionary."""
    file = Path(os.environ["LMSTUDIO_HOME"], f"{_NAME}.txt")
    file.write_text("\n".join(sentences()) + "\n", encoding="utf-8")
    options = ImportOptions(reading=ReadOptions(format="words"))
    corpus = corpora.import_files(ws, [file], name=_NAME, options=options, job=Job()).new_id
    for by in ("given", "characters"):
        segmentations.create(ws, corpus, SegmentOptions(by=by), job=Job())
    small = SegmentOptions(by="byte-bpe", pieces=300)
    cut = segmentations.create(ws, corpus, small, job=Job()).new_id
    for word, frequency in (("石头村", None), ("北京", 50), ("云天明", 200)):
        dictionaries.add(ws, "人名地名", word, frequency)
    spec = RunSpec.from_json({
        "model": "lstm", "config": {"width": 48}, "training": {"epochs": 2, "batch": 16},
    })  # fmt: skip
    training.train(ws, cut, spec, name="LSTM 1×48", job=Job())


def wait(window: Window, done) -> None:
    """Until it is true, or for a minute."""
    clock = QElapsedTimer()
    clock.start()
    while clock.elapsed() < 300 or (not done() and clock.elapsed() < 60_000):
        QCoreApplication.processEvents()


def show(window: Window, out: Path, suffix: str, wanted: list[str]) -> None:
    """Those of the panels that are wanted; what was selected is selected again."""
    before = window.state.segmentation
    for key, draw in (("segment", show_segment), ("scores", show_scores), ("tokens", show_tokens)):
        if not wanted or key in wanted:
            draw(window, out, suffix)
    window.state.select_segmentation(before.id)


def show_segment(window: Window, out: Path, suffix: str) -> None:
    """The dictionary beside the text, new words, and more settings of two subword segmenters."""
    state = window.state
    corpus = next(row for row in state.corpora() if row.name == _NAME)
    state.select_corpus(corpus.id)
    window.show_panel("segment")
    panel = window.panel("segment")
    panel.choices[0].choose("accurate")
    panel.choices[1].choose("given")
    panel._show()
    panel.show_dictionary()
    wait(window, lambda: not state.jobs.busy)
    panel.comparison.flows[0].select(1, 1, 4)
    panel.dictionary.words.table.select(["石头村"])
    wait(window, lambda: not state.jobs.busy)
    window.grab().save(str(out / f"03a-dictionary-{suffix}.png"))
    panel.comparison.select_nothing()
    panel.dictionary.word.clear()
    panel.dictionary.view.segment("new").click()
    wait(window, lambda: not state.jobs.busy)
    window.grab().save(str(out / f"03b-new-words-{suffix}.png"))
    panel.hide_dictionary()
    panel.choices[0].choose("wordpiece")
    panel.choices[0].pieces.count.setValue(120)
    panel.choices[1].choose("byte-bpe")
    panel.choices[1].pieces.count.setValue(300)
    panel.compared.more.setChecked(True)
    panel.shared.control("lower").setChecked(True)
    panel._show()
    wait(window, lambda: not state.jobs.busy)
    window.grab().save(str(out / f"03c-pieces-{suffix}.png"))
    panel.shared.control("lower").setChecked(False)


def show_scores(window: Window, out: Path, suffix: str) -> None:
    """Jieba's modes beside the given words."""
    corpus = next(row for row in window.state.corpora() if row.name == _NAME)
    window.state.select_corpus(corpus.id)
    window.show_panel("scores")
    panel = window.panel("scores")
    panel.sources.part.setCurrentIndex(2)
    panel.score()
    wait(window, lambda: not window.state.jobs.busy)
    window.grab().save(str(out / f"04a-scores-{suffix}.png"))


def show_tokens(window: Window, out: Path, suffix: str) -> None:
    """Bytes as pieces, and an unknown character among characters."""
    state = window.state
    corpus = next(row for row in state.corpora() if row.name == _NAME)
    cuts = {cut.segmenter: cut.id for cut in state.segmentations(corpus.id)}
    for by, text in (
        ("byte-bpe", "程心想念石头村，䶮也是。"),
        ("characters", "云天明爱吃𠮷野家🍜。"),
    ):
        state.select_segmentation(cuts[by])
        window.show_panel("tokens")
        panel = window.panel("tokens")
        panel.text.setText(text)
        wait(window, lambda panel=panel: not panel.busy)
        panel._choose_row([1])
        wait(window, lambda panel=panel: not panel.busy)
        window.grab().save(str(out / f"05-tokens-{by}-{suffix}.png"))
