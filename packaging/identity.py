"""What the program is called: one table, from which every installer takes its names."""

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

NAME = "LM Workbench"
CHINESE = "语言模型工作台"
PROGRAM = "lmstudio"
"""The executable file; on Linux the only one."""

WINDOWED = "LM Workbench"
"""The executable file without a console, on Windows."""

FOLDER = "lmstudio-workbench"
"""The folder of a bundle, the Debian package, the .desktop entry, the icon."""

APP = "LM Workbench.app"
BUNDLE_ID = "io.github.lmstudio-workbench"
VERSION = re.findall(
    r'__version__ = "(.+)"', (ROOT / "lmstudio" / "__init__.py").read_text("utf-8")
)[0]
SUMMARY = "Train and compare language models on your own text"
CHINESE_SUMMARY = "用自己的文本训练和比较语言模型"

WORKSPACE_TYPE = "application/x-lmstudio-workspace"
TEXT_TYPES = {
    ".txt": "text/plain",
    ".md": "text/markdown",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".html": "text/html",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".epub": "application/epub+zip",
    ".pdf": "application/pdf",
}
"""By suffix, the types of files that "Open with" offers the program for."""


def icon_file() -> str:
    """The icon that PyInstaller puts into an executable file; none on Linux."""
    return {"win32": "lmstudio.ico", "darwin": "lmstudio.icns"}.get(sys.platform, "")


def property_list() -> dict[str, Any]:
    """Info.plist: what the Mac's Finder may open with the program."""
    suffixes = [suffix[1:] for suffix in TEXT_TYPES]
    return {
        "CFBundleDisplayName": NAME,
        "CFBundleShortVersionString": VERSION,
        "CFBundleLocalizations": ["en", "zh_CN"],
        "LSMinimumSystemVersion": "12.0",
        "NSHighResolutionCapable": True,
        "CFBundleDocumentTypes": [
            _document("Text", {"CFBundleTypeExtensions": suffixes}),
            _document("Folder", {"LSItemContentTypes": ["public.folder"]}),
            _document("Workspace", {"CFBundleTypeExtensions": ["db"]}),
        ],
    }


def _document(name: str, kinds: dict[str, list[str]]) -> dict[str, Any]:
    """Offered, never taken for the default program of such files."""
    rank = {"CFBundleTypeRole": "Viewer", "LSHandlerRank": "Alternate"}
    return {"CFBundleTypeName": name, **rank, **kinds}
