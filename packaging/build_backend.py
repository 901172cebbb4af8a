"""The checkout in, a wheel out: setuptools, with catalogues compiled and resources/ taken along."""

import shutil
from pathlib import Path

from setuptools import build_meta
from setuptools.build_meta import (
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
from setuptools.command.build_py import build_py

from catalogues import compile_catalogues

__all__ = [
    "BuildPy",
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parents[1]
NOT_SHIPPED = shutil.ignore_patterns("*.po", "screenshots", "__pycache__")

Settings = dict[str, str | list[str] | None] | None


class BuildPy(build_py):
    """Puts resources/ where `lmstudio.resources` looks in an installed program."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib) / "lmstudio" / "_resources"
            shutil.copytree(ROOT / "resources", target, ignore=NOT_SHIPPED, dirs_exist_ok=True)

    def get_source_files(self) -> list[str]:
        """For the sdist: what a wheel is built from besides the package."""
        folders = (ROOT / "resources", ROOT / "packaging")
        extra = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
        names = [
            str(file.relative_to(ROOT)) for file in extra if file.suffix not in (".pyc", ".mo")
        ]
        return [*super().get_source_files(), *names]


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """The PEP 517 hook. Starts clean, so that no deleted module lives on in a wheel."""
    compile_catalogues()
    shutil.rmtree(ROOT / "build" / "lib", ignore_errors=True)
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """The PEP 660 hook."""
    compile_catalogues()
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """The PEP 517 hook."""
    return build_meta.build_sdist(sdist_directory, config_settings)
