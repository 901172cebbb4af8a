"""What a user chose for the program itself, kept in the user's config folder."""

import json
import logging
import math
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import GenericAlias
from typing import Any

import appdirs

from lmstudio import limits
from lmstudio.errors import AppError
from lmstudio.files import read_json, write_json
from lmstudio.messages import Message

_log = logging.getLogger(__name__)

_NAME = "lmstudio-workbench"
_SEARCHES = 30
_LARGEST = 1_000_000  # bytes; ours take some thousands
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
    """Read at start, saved at each change. A broken entry counts as absent.

    What a newer version has put into the file stays in it.
    """

    language: str = ""  # "" is what the system says
    theme: str = "system"  # "system", "light" or "dark"
    scale: float = 1.0  # of the window's type and spacing
    device: str = "auto"  # "auto", "cpu", "cuda:0", "mps"
    notify: bool = True  # by the desktop, of jobs that end while the window is not in front
    keep_awake: bool = True  # the computer, while a job runs
    threads: int = 0  # that work may take; 0: as many as there are cores
    memory: float = 0.0  # GB that the process of a job may take; 0: all there is
    recent: list[str] = field(default_factory=list)  # workspace folders, newest first
    layout: dict[str, str] = field(default_factory=dict)  # window state by room
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    """What columns of a table are ({"text": "body"}), by the names in its header; newest last."""

    seen: dict[str, int] = field(default_factory=dict)
    """The segmentation that was looked at last, by workspace folder; 0: a corpus without one."""

    searches: list[str] = field(default_factory=list)  # of the concordance, newest first
    tours: dict[str, int] = field(default_factory=dict)  # the step that each was left at

    @classmethod
    def load(cls) -> "Settings":
        """The saved settings, or the defaults; `trouble` says what was wrong with the file.

        A file that is none of ours, or has entries that cannot be, is kept beside as .bad and
        mended, so that this is said once.
        """
        made, path = cls(), _file()
        try:
            saved = read_json(path, largest=_LARGEST)
        except FileNotFoundError:
            return made
        except (OSError, ValueError, AppError):
            saved = None
        broken = list(made._take(saved)) if isinstance(saved, dict) else ["all"]
        if broken:
            made.trouble = _set_aside(path, whole=not isinstance(saved, dict))
            made.save()
        return made

    def __post_init__(self) -> None:
        self.trouble: Message | None = None
        self._others: dict[str, Any] = {}  # entries of a newer version

    def _take(self, saved: dict[str, Any]) -> Iterator[str]:
        """Take what is sound; the names of the entries that are not."""
        kinds = {one.name: one.type for one in fields(self)}
        for name, value in saved.items():
            if name not in kinds:
                self._others[name] = value
            elif _fits(value, kinds[name]) and _LIMITS.get(name, _anything)(value):
                setattr(self, name, float(value) if kinds[name] is float else value)
            else:
                yield name

    def save(self) -> None:
        """Write them; called at each change. What cannot be written is lost, and logged."""
        try:
            write_json(_file(), self._others | asdict(self))
        except (OSError, ValueError) as error:
            _log.warning("the settings cannot be written: %s", type(error).__name__)

    def opened(self, workspace: Path) -> None:
        """Put a workspace first among the recent ones."""
        others = [path for path in self.recent if path != str(workspace)]
        self.recent = [str(workspace), *others][:10]
        self.save()

    def looked_at(self, workspace: Path, segmentation: int) -> None:
        """Keep which segmentation of a workspace is shown; of those that are recent."""
        kept = {path: cut for path, cut in self.seen.items() if path in self.recent}
        self.seen = kept | {str(workspace): segmentation}
        self.save()

    def searched(self, text: str) -> None:
        """Put what was searched for first among the searches."""
        others = [search for search in self.searches if search != text]
        self.searches = [text, *others][:_SEARCHES]
        self.save()

    def toured(self, tour: str, step: int) -> None:
        """Keep at which step a guided tour is."""
        self.tours[tour] = step
        self.save()

    def tour_step(self, tour: str) -> int:
        """The step that a guided tour was left at; 0 where it was not begun."""
        step = self.tours.get(tour)
        return max(step, 0) if isinstance(step, int) else 0

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


_LIMITS: dict[str, Callable[[Any], bool]] = {
    "theme": ("system", "light", "dark").__contains__,
    "scale": lambda scale: 0.5 <= scale <= 4,
    "threads": lambda threads: 0 <= threads <= 4096,
    "memory": lambda memory: memory == 0 or limits.LEAST <= memory <= 1e6,
}
"""What an entry of the right type may be, where that is not all."""


def _anything(value: object) -> bool:
    return True


def _fits(value: object, kind: Any) -> bool:  # noqa: ANN401 (a type)
    """Whether a value from JSON is of the type of its field."""
    if isinstance(kind, GenericAlias):
        inner = kind.__args__
        if kind.__origin__ is list:
            return isinstance(value, list) and all(_fits(one, inner[0]) for one in value)
        return isinstance(value, dict) and all(_fits(one, inner[1]) for one in value.values())
    if kind is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and math.isfinite(value)  # type: ignore[arg-type]
    return type(value) is kind and (kind is not str or _is_text(value))


def _is_text(value: Any) -> bool:  # noqa: ANN401 (a str)
    """It can be written: half of a character, which JSON can name, cannot."""
    try:
        return bool(value.encode("utf-8") is not None)
    except UnicodeEncodeError:
        return False


def _set_aside(path: Path, *, whole: bool) -> Message:
    """Keep a broken file as NAME.bad, and say what became of the settings."""
    bad = path.with_name(path.name + ".bad")
    with suppress(OSError):
        if bad.is_dir():
            shutil.rmtree(bad)
        if whole:
            os.replace(path, bad)  # also what cannot be read, or is a folder
        else:
            shutil.copyfile(path, bad)
    if whole:
        return Message(
            "The file of the settings was damaged, so all settings are as at first; workspaces are "
            "as they were. What was in it is kept in {path}.",
            {"path": bad},
        )
    return Message(
        "Some settings were damaged and are as at first; workspaces are as they were. What was in "
        "the file is kept in {path}.",
        {"path": bad},
    )


def _header_key(header: Sequence[str]) -> str:
    return json.dumps(list(header), ensure_ascii=False)


def _file() -> Path:
    if home := os.environ.get("LMSTUDIO_HOME"):
        return Path(home) / "settings.json"
    return Path(appdirs.user_config_dir(_NAME, False)) / "settings.json"
