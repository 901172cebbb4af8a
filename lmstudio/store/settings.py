"""What a user chose for the program itself, kept in the user's config folder."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import appdirs

from lmstudio.files import read_json, write_json

_NAME = "lmstudio-workbench"
_SEARCHES = 30
_HEADERS = 50  # tables whose columns are remembered


def data_folder() -> Path:
    """Where the default workspace, caches and logs are. LMSTUDIO_HOME puts them elsewhere."""
    return Path(os.environ.get("LMSTUDIO_HOME") or appdirs.user_data_dir(_NAME, False))


def default_workspace() -> Path:
    """The workspace that is opened when none is named."""
    return data_folder() / "workspace"


def sample_workspace() -> Path:
    """The workspace of the sample corpus and the demo, apart from the user's own."""
    return data_folder() / "sample-workspace"


def cache_folder() -> Path:
    """Files that can be made again: the segmenter's dictionaries."""
    return data_folder() / "cache"


def log_file() -> Path:
    """The program's log."""
    return data_folder() / "log.txt"


@dataclass
class Settings:
    """Read at start, saved at each change. Unknown or broken entries count as absent."""

    language: str = ""  # "" is what the system says
    theme: str = "system"  # "system", "light" or "dark"
    scale: float = 1.0  # of the window's type and spacing
    device: str = "auto"  # "auto", "cpu", "cuda:0", "mps"
    recent: list[str] = field(default_factory=list)  # workspace folders, newest first
    layout: dict[str, str] = field(default_factory=dict)  # window state by room
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    """What columns of a table are ({"text": "body"}), by the names in its header; newest last."""

    searches: list[str] = field(default_factory=list)  # of the concordance, newest first

    @classmethod
    def load(cls) -> "Settings":
        """The saved settings, or the defaults."""
        try:
            saved = read_json(_file())
        except (OSError, ValueError):
            return cls()
        default = cls()
        for name, value in saved.items() if isinstance(saved, dict) else ():
            if type(value) is type(getattr(default, name, None)):
                setattr(default, name, value)
        return default

    def save(self) -> None:
        """Write them; called at each change."""
        write_json(_file(), asdict(self))

    def opened(self, workspace: Path) -> None:
        """Put a workspace first among the recent ones."""
        others = [path for path in self.recent if path != str(workspace)]
        self.recent = [str(workspace), *others][:10]
        self.save()

    def searched(self, text: str) -> None:
        """Put what was searched for first among the searches."""
        others = [search for search in self.searches if search != text]
        self.searches = [text, *others][:_SEARCHES]
        self.save()

    def remember_columns(self, header: Sequence[str], roles: dict[str, str]) -> None:
        """Keep what the columns of tables with this header are; the oldest is forgotten."""
        key = _header_key(header)
        self.columns.pop(key, None)
        self.columns[key] = roles
        while len(self.columns) > _HEADERS:
            del self.columns[next(iter(self.columns))]
        self.save()

    def columns_of(self, header: Sequence[str]) -> dict[str, str] | None:
        """What the columns of a table with this header were last time; None if never seen."""
        roles = self.columns.get(_header_key(header))
        if not isinstance(roles, dict) or not set(roles.values()) <= set(header):
            return None
        return {str(role): column for role, column in roles.items()}


def _header_key(header: Sequence[str]) -> str:
    return json.dumps(list(header), ensure_ascii=False)


def _file() -> Path:
    if home := os.environ.get("LMSTUDIO_HOME"):
        return Path(home) / "settings.json"
    return Path(appdirs.user_config_dir(_NAME, False)) / "settings.json"
