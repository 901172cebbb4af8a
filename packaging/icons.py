"""The drawing of the program in, the files each system wants for its icon out.

    python packaging/icons.py FOLDER

Needs PySide6. FOLDER gets NUMBER.png, lmstudio.ico (Windows) and lmstudio.icns (the Mac).
"""

import os
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DRAWING = ROOT / "resources" / "icons" / "app.svg"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
ICNS_KINDS = {b"icp4": 16, b"icp5": 32, b"ic07": 128, b"ic08": 256, b"ic09": 512}
"""By type of an .icns file's member, the size of its PNG."""


def draw(folder: Path) -> dict[int, bytes]:
    """Write NUMBER.png for all sizes; their bytes."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    app = QGuiApplication.instance() or QGuiApplication([])
    renderer, drawn = QSvgRenderer(str(DRAWING)), {}
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        file = folder / f"{size}.png"
        image.save(str(file))
        drawn[size] = file.read_bytes()
    del app
    return drawn


def ico(drawn: dict[int, bytes]) -> bytes:
    """A Windows icon of PNGs; 256 is written as 0 there."""
    sizes = [size for size in sorted(drawn) if size <= 256]
    parts, place = [struct.pack("<HHH", 0, 1, len(sizes))], 6 + 16 * len(sizes)
    for size in sizes:
        length = len(drawn[size])
        parts.append(struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, length, place))
        place += length
    return b"".join([*parts, *(drawn[size] for size in sizes)])


def icns(drawn: dict[int, bytes]) -> bytes:
    """A Mac icon of PNGs."""
    members = [kind + struct.pack(">I", 8 + len(drawn[size])) + drawn[size]
               for kind, size in ICNS_KINDS.items()]  # fmt: skip
    body = b"".join(members)
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


def main(folder: Path) -> None:
    """All of them."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = draw(folder)
    (folder / "lmstudio.ico").write_bytes(ico(drawn))
    (folder / "lmstudio.icns").write_bytes(icns(drawn))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
