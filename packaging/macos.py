"""The .app in, a disk image out from which it is drawn into Applications."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import identity
from say import Failed

IDENTITY = "LMSTUDIO_SIGN_IDENTITY"
"""Names a "Developer ID Application" of the keychain; without it the .app is signed for no one."""


def dmg(bundle: Path, made: Path, out: Path) -> Path:
    """Sign the .app, and put it beside a link to Applications."""
    sign(bundle)
    target = out / f"{identity.FOLDER}-{identity.VERSION}-macos-{os.uname().machine}.dmg"
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(bundle, Path(name) / bundle.name, symlinks=True)
        (Path(name) / "Applications").symlink_to("/Applications")
        _run("hdiutil", "create", "-ov", "-volname", identity.NAME, "-srcfolder", name,
             "-format", "ULFO", str(target))  # fmt: skip
    return target


def sign(bundle: Path) -> None:
    """Apple's processors run signed programs only; "-" is a signature without a name."""
    name = os.environ.get(IDENTITY, "-")
    hardened = [] if name == "-" else ["--options", "runtime", "--timestamp"]
    _run("codesign", "--force", "--deep", *hardened, "--sign", name, str(bundle))


def _run(*command: str) -> None:
    if subprocess.call(command) != 0:
        raise Failed(command[0])
