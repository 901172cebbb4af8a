"""Pictures of a word in sentences, in its own number of groups and in two, and of sentences."""

from pathlib import Path

from lmstudio.gui.window import Window
from tests.segment_shots import wait


def show(window: Window, out: Path, suffix: str, wanted: list[str]) -> None:
    """Those of the panels that are wanted."""
    for key, draw in (("polysemy", show_polysemy), ("sentence_similarity", show_sentences)):
        if not wanted or key in wanted:
            draw(window, out, suffix)


def show_polysemy(window: Window, out: Path, suffix: str) -> None:
    """The first of the words with two meanings, as all networks have it."""
    panel = window.panel("polysemy")
    window.show_panel("polysemy")
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"07b-polysemy-{suffix}.png"))
    panel.groups.setCurrentIndex(panel.groups.findData(2))
    panel.answer.measure.setCurrentIndex(panel.answer.measure.findData("sense_silhouette"))
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"07b-polysemy-two-{suffix}.png"))


def show_sentences(window: Window, out: Path, suffix: str) -> None:
    """Some sentences of the corpus as they are, and whitened."""
    panel = window.panel("sentence_similarity")
    window.show_panel("sentence_similarity")
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"07c-sentences-{suffix}.png"))
    panel.whiten.setChecked(True)
    wait(window, lambda: not panel.busy)
    window.grab().save(str(out / f"07c-sentences-whitened-{suffix}.png"))
