"""Pictures of the smoothing laboratory, of a sentence walked, and of the derivation in the help."""

import os
from pathlib import Path

from lmstudio.data.import_options import ImportOptions
from lmstudio.gui.dialogs.prompt_template import PromptDialog
from lmstudio.gui.window import Window
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations, training
from lmstudio.store.workspace import Workspace
from lmstudio.text.document import ReadOptions
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.segment_shots import wait

_NAME = "三句话"
TINY = ("我 爱 北京", "我 爱 上海", "他 爱 我")


def fill(ws: Workspace) -> None:
    """The three sentences of the cases, cut as they are given, and counted two ways."""
    file = Path(os.environ["LMSTUDIO_HOME"], f"{_NAME}.txt")
    file.write_text("\n".join(TINY) + "\n", encoding="utf-8")
    options = ImportOptions(reading=ReadOptions(format="words"))
    corpus = corpora.import_files(ws, [file], name=_NAME, options=options, job=Job()).new_id
    cut = segmentations.create(ws, corpus, SegmentOptions(by="given"), job=Job()).new_id
    for smoothing in ("kneser-ney", "maximum-likelihood"):
        data = {"model": "ngram", "config": {"order": 2, "smoothing": smoothing}}
        training.train(ws, cut, RunSpec.from_json(data), job=Job())


def show(window: Window, out: Path, suffix: str, wanted: list[str]) -> None:
    """Those of the panels that are wanted; what was selected is selected again."""
    before = window.state.segmentation
    for key, draw in (("smoothing", show_smoothing), ("sentence", show_sentence),
                      ("masks", show_masks), ("attention", show_attention),
                      ("generation", show_generation)):  # fmt: skip
        if not wanted or key in wanted:
            window.state.select_segmentation(before.id)
            draw(window, out, suffix)
    window.state.select_segmentation(before.id)


def show_smoothing(window: Window, out: Path, suffix: str) -> None:
    """The sample corpus with every curve, then three sentences and an unseen context."""
    panel = window.panel("smoothing")
    window.show_panel("smoothing")
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"07-smoothing-{suffix}.png"))
    panel.order.segment("4").click()
    panel.side.knobs.k_knob.slider.setValue(46)
    panel.side.knobs.d_knob.slider.setValue(60)
    panel.matrix.chosen.emit("absolute-discounting")
    for view in ("discount", "order", "size"):
        panel.side.growth.view.segment(view).click()
        wait(window, lambda: not panel.busy)
        window.grab().save(str(out / f"07-smoothing-{view}-{suffix}.png"))
    panel.side.growth.view.segment("order").click()
    panel.side.growth.measure.setCurrentIndex(3)
    panel.context.set_text("没有这样的上文")
    panel.context.changed.emit()
    panel.matrix.chosen.emit("stupid-backoff")
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"07-smoothing-unseen-{suffix}.png"))
    _select(window)
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"07-smoothing-tiny-{suffix}.png"))
    panel.help.click()
    wait(window, lambda: True)
    window.grab().save(str(out / f"07-likelihood-{suffix}.png"))


def show_sentence(window: Window, out: Path, suffix: str) -> None:
    """A sentence of the corpus, its words in other orders, and an event of probability 0."""
    panel = window.panel("sentence")
    window.show_panel("sentence")
    wait(window, lambda: not panel.busy)
    panel.view._take(0, 4)
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"08-sentence-{suffix}.png"))
    panel.question.orders.click()
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"08-sentence-orders-{suffix}.png"))
    _select(window)
    panel.field.setPlainText("我 爱 他 广州")
    wait(window, lambda: not panel.busy)
    panel.view._take(0, 2)
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"08-sentence-zero-{suffix}.png"))


def show_masks(window: Window, out: Path, suffix: str) -> None:
    """Two blanks of a sentence, two words compared in one, and the lot of the sentence."""
    panel = window.panel("masks")
    window.show_panel("masks")
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"06-masks-{suffix}.png"))
    panel.sentence.more.click()
    panel.rank.page.segment("alike").click()
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"06-masks-alike-{suffix}.png"))
    panel.mode.segment("training").click()
    wait(window, lambda: panel.training.pair is not None)
    window.grab().save(str(out / f"06-masks-training-{suffix}.png"))


def show_attention(window: Window, out: Path, suffix: str) -> None:
    """A head, one that is off, and the mean of a layer without the marks."""
    panel = window.panel("attention")
    window.show_panel("attention")
    if panel.models.run() is None:
        return  # nothing that attends was trained
    wait(window, lambda: not panel.busy)
    panel.choose_row(3)
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"10-attention-{suffix}.png"))
    panel.switch(0, 1)
    panel.hidden.setChecked(True)
    panel.choose_head(0, -1)
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"10-attention-mean-{suffix}.png"))


def show_generation(window: Window, out: Path, suffix: str) -> None:
    """Texts that every model wrote, and the dialog of templates."""
    panel = window.panel("generation")
    window.show_panel("generation")
    wait(window, lambda: not panel.busy)
    panel.write()
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"10-generation-{suffix}.png"))
    dialog = PromptDialog(window.state, panel.text(), window)
    dialog.grab().save(str(out / f"10-prompt-{suffix}.png"))
    dialog.deleteLater()


def _select(window: Window) -> None:
    corpus = next(row for row in window.state.corpora() if row.name == _NAME)
    window.state.select_corpus(corpus.id)
