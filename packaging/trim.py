"""Files that PyInstaller collected in, those that the program needs out.

What is left out was tried: the bundle without it passes its smoke test (packaging/smoke.py).
"""

from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

Entry = tuple[str, str, str]
"""As PyInstaller has it: path in the bundle, source, kind."""

EXCLUDED = [
    "tkinter", "setuptools", "pkg_resources", "pip", "wheel", "pytest", "IPython", "matplotlib",
    "scipy", "pandas", "tensorboard", "umap", "numba", "sklearn", "transformers", "PyQt5", "PyQt6",
    "PySide2", "PySide6.QtQml", "PySide6.QtQuick", "pyqtgraph.examples",
]  # fmt: skip
"""Modules that somebody imports if they are there; nothing here needs them."""

DROPPED = (
    "torch/test/*", "torch/include/*", "torch/share/*", "torch/bin/*",
    "torch/lib/*.lib", "torch/lib/*.a", "torch/lib/libtorchbind_test*",
    "torch/lib/libjitbackend_test*", "torch/lib/libbackend_with_compiler*",
    "torch/lib/libaoti_custom_ops*",
    "*.dist-info/RECORD", "jieba/lac_small/*", "jieba/posseg/*", "jieba/analyse/*",
    "PySide6/*translations/*",
    "*/plugins/platforminputcontexts/*qtvirtualkeyboard*", "*/plugins/platformthemes/*gtk3*",
    "*/plugins/platforms/*eglfs*", "*/plugins/platforms/*linuxfb*", "*/plugins/platforms/*vnc*",
    "*/plugins/platforms/*vkkhr*", "*/plugins/platforms/*minimal*",
    "*/plugins/egldeviceintegrations/*", "*/plugins/generic/*", "*/plugins/networkinformation/*",
    "*/plugins/tls/*", "*/plugins/qmltooling/*", "*/plugins/sqldrivers/*",
    "*/plugins/virtualkeyboard/*",
    "*Qt6EglF*", "*Qt6Quick*", "*Qt6Qml*", "*Qt6VirtualKeyboard*", "*Qt6Pdf*",
)  # fmt: skip
"""Test code, headers and Qt's parts that no window of ours shows; patterns of paths in a bundle."""

KEPT = ("torch/bin/torch_shm_manager*", "*/translations/qtbase_zh_CN.qm")
"""Among those that would go: shared memory of worker processes, Qt's own words in Chinese."""

SYSTEM_LIBRARIES = (
    "libpython*", "libssl*", "libcrypto*", "libsqlite3*", "libffi*", "libbz2*", "liblzma*",
    "libz.*", "libuuid*", "libexpat*", "libxcb-cursor*", "libxcb-icccm*", "libxcb-image*",
    "libxcb-keysyms*", "libxcb-render-util*", "libxcb-util*", "libxkbcommon*",
)  # fmt: skip
"""What is taken along of a Linux system: Python's needs, and small parts of X that desktops lack.

All else (X11, fontconfig, glib, the C++ library, ..) must be the user's own, for it talks to that
system's files and drivers.
"""

RESOURCES_LEFT = ("*.po", "screenshots/*", "__pycache__/*")


def wanted(name: str) -> bool:
    """A path in the bundle names something the program needs."""
    path = name.replace("\\", "/")
    if any(fnmatch(path, pattern) for pattern in KEPT):
        return True
    return not any(fnmatch(path, pattern) for pattern in DROPPED)


def kept(entries: Iterable[Entry]) -> list[Entry]:
    """Those that are wanted."""
    return [entry for entry in entries if wanted(entry[0]) and not is_of_the_system(entry)]


def is_of_the_system(entry: Entry) -> bool:
    """A library of this Linux that is better left to the user's."""
    name, source, kind = entry
    if kind != "BINARY" or "/" in name or not source.startswith(("/lib", "/usr/lib")):
        return False
    return not any(fnmatch(name, pattern) for pattern in SYSTEM_LIBRARIES)


def resources(folder: Path) -> list[tuple[str, str]]:
    """(source, folder in the bundle) of everything the program reads from resources/."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    named = ((path, path.relative_to(folder)) for path in files)
    return [
        (str(path), str(Path("resources") / name.parent))
        for path, name in named
        if not any(fnmatch(name.as_posix(), pattern) for pattern in RESOURCES_LEFT)
        and "__pycache__" not in name.parts
    ]
