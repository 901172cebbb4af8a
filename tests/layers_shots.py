"""Pictures of the panel of layers and gates: each view, of a network that can answer it."""

from pathlib import Path

from lmstudio.gui.window import Window
from tests.segment_shots import wait

VIEWS = {
    "lstm": ("gates", "similarity"),
    "elmo": ("directions",),
    "bert": ("lens", "terms"),
    "gpt": ("norms", "lens", "positions"),
}
"""By family, so that each view is seen once or twice."""


def show(window: Window, out: Path, suffix: str, wanted: list[str]) -> None:
    """Those of the views that are wanted."""
    if wanted and "layers" not in wanted:
        return
    panel = window.panel("layers")
    window.show_panel("layers")
    runs = {run.model: run.id for run in panel.asked.known()}
    for family, views in VIEWS.items():
        if family not in runs:
            continue
        panel.asked._click(runs[family], True)
        for view in views:
            panel.view.segment(view).click()
            wait(window, lambda: not panel.busy)
            panel.shown.choose(4, 1)
            wait(window, lambda: not panel.busy)
            window.grab().save(str(out / f"15-layers-{family}-{view}-{suffix}.png"))
