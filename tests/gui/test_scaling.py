"""Other densities of the screen: nothing is clipped, pictures have the size asked for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CHECK = """
import sys
from pathlib import Path
import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from lmstudio import messages
from lmstudio.gui import rooms, theme
from lmstudio.gui.plot_export import export
from lmstudio.gui.plots import Plot, Series
from lmstudio.gui.state import AppState
from lmstudio.gui.window import Window
from lmstudio.store.settings import Settings
from tests.gui.conftest import clipped
app, folder = QApplication([]), Path(sys.argv[1])
messages.use("zh_CN")
theme.apply(app, "light")
state = AppState(Settings())
state.open_workspace(folder / "ws")
window = Window(state)
window.resize(1366, 768)
window.show()
for room in rooms.ROOMS:
    for entry in room.panels:
        window.show_panel(entry.key)
        assert not clipped(window), (entry.key, clipped(window))
        assert window.width() == 1366, (entry.key, window.width())
plot = Plot("curve")
plot.resize(600, 300)
plot.show()
plot.set_series([Series(1, "五元", np.arange(50.0), np.arange(50.0), "ngram")])
app.processEvents()
end = plot._drawn[0]
mark, (x, y) = end.mark.mapToScene(end.mark.points()[0].pos()), end.end
assert abs(plot._box.mapSceneToView(mark).x() - x) < 1e-6
export(plot, folder / "chart.png", QSize(900, 500))
image = QImage(str(folder / "chart.png"))
assert (image.width(), image.height()) == (900, 500)
state.close()
"""


@pytest.mark.parametrize("factor", ["1.25", "1.5", "2"])
def test_case_i6_a_screen_of_another_density(tmp_path, factor):
    environment = os.environ | {"QT_SCALE_FACTOR": factor, "LMSTUDIO_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", CHECK, str(tmp_path)], cwd=Path(__file__).parents[2],
        env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
