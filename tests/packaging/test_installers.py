"""What the installers hold, of a program of two files; makensis and dpkg-deb where they are."""

import os
import shutil
import subprocess
import sys

import pytest


@pytest.fixture
def bundle(tmp_path):
    """Something to install that tells what it was given."""
    folder = tmp_path / "bundle" / "lmstudio-workbench"
    (folder / "_internal").mkdir(parents=True)
    for name in ("LICENSE", "LICENCES.txt"):
        (folder / "_internal" / name).write_text("free", encoding="utf-8")
    program = folder / "lmstudio"
    program.write_text('#!/bin/sh\necho "$0" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    shutil.copy(program, folder / "LM Workbench.exe")
    return folder


@pytest.fixture
def made(tmp_path):
    """The icons, which no installer looks into."""
    folder = tmp_path / "made"
    folder.mkdir()
    for size in (16, 256):
        (folder / f"{size}.png").write_bytes(b"png")
    return folder


needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="for Linux only")


def entry(share):
    """The lines of the .desktop entry, by key."""
    text = (share / "applications" / "lmstudio-workbench.desktop").read_text(encoding="utf-8")
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def test_the_menu_entry_opens_files_and_workspaces(made, tmp_path):
    import linux

    linux.desktop_files(tmp_path / "share", made, "/usr/local/x y/lmstudio")
    found = entry(tmp_path / "share")
    assert found["Exec"] == '"/usr/local/x y/lmstudio" gui %F'
    assert found["Name[zh_CN]"] == "语言模型工作台"
    kinds = found["MimeType"].strip(";").split(";")
    assert kinds[0] == "application/x-lmstudio-workspace"
    assert "text/plain" in kinds
    icons = tmp_path / "share/icons/hicolor/256x256"
    assert (icons / "apps" / f"{found['Icon']}.png").exists()
    assert (icons / "mimetypes/application-x-lmstudio-workspace.png").exists()
    assert "@" not in (tmp_path / "share/mime/packages/lmstudio-workbench.xml").read_text("utf-8")


@needs_linux
@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="needs dpkg-deb")
def test_a_package_for_debian(bundle, made, tmp_path):
    import linux

    package = linux.deb(bundle, made, tmp_path)
    told = subprocess.run(["dpkg-deb", "--field", package], capture_output=True, check=True)
    told = told.stdout.decode("utf-8")
    facts = dict(line.split(": ", 1) for line in told.splitlines() if ": " in line)
    assert facts["Package"] == "lmstudio-workbench"
    depends = facts["Depends"].split(", ")
    assert {"libxcb-cursor0", "libegl1", "libfontconfig1"} <= set(depends)
    assert "fonts-noto-cjk" in depends[-1].split(" | ")
    listed = subprocess.run(["dpkg-deb", "--contents", package], capture_output=True, text=True,
                            check=True).stdout  # fmt: skip
    assert all("root/root" in line for line in listed.splitlines())
    for path in ("./opt/lmstudio-workbench/lmstudio", "./usr/share/applications/",
                 "./usr/share/doc/lmstudio-workbench/LICENCES.txt.gz"):  # fmt: skip
        assert path in listed
    assert f"./usr/bin/lmstudio-workbench -> /{linux.OPT}/lmstudio" in listed
    with open(package, "rb") as file:
        assert b"data.tar.zst" in file.read()


@needs_linux
@pytest.mark.skipif(not shutil.which("zstd"), reason="needs zstd")
def test_an_archive_that_adds_itself_to_the_menu(bundle, made, tmp_path, monkeypatch):
    import linux

    archive = linux.tar(bundle, made, tmp_path)
    place, home = tmp_path / "目录 a$b", tmp_path / "家"
    place.mkdir()
    subprocess.run(["tar", "--extract", "--file", archive, "--directory", place], check=True)
    (folder,) = place.iterdir()
    environment = os.environ | {"XDG_DATA_HOME": str(home)}
    script = ["sh", str(folder / "add-to-menu.sh")]
    subprocess.run(script, check=True, env=environment)
    assert entry(home)["Exec"] == '"' + str(folder / "lmstudio").replace("$", r"\\$") + '" gui %F'
    assert (home / "icons/hicolor/16x16/apps/lmstudio-workbench.png").exists()
    subprocess.run([*script, "--remove"], check=True, env=environment)
    assert not list(home.rglob("*lmstudio*"))


@needs_linux
def test_what_an_appimage_starts(bundle, made, tmp_path):
    import linux

    tree = tmp_path / "App Dir"
    linux.app_folder(tree, bundle, made)
    assert (tree / "lmstudio-workbench.desktop").exists()
    assert (tree / "lmstudio-workbench.png").exists()
    told = subprocess.run(
        [str(tree / "AppRun"), "a b.txt"], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == f"{tree}/opt/lmstudio-workbench/lmstudio a b.txt"


def test_an_appimage_needs_its_tool(bundle, made, tmp_path, monkeypatch):
    import linux
    from say import Failed

    monkeypatch.setattr(linux.shutil, "which", lambda name: None)
    with pytest.raises(Failed, match="appimagetool"):
        linux.appimage(bundle, made, tmp_path)


@pytest.mark.skipif(not shutil.which("makensis"), reason="needs makensis")
def test_an_installer_for_windows(bundle, made, tmp_path, qapp):
    import icons
    import windows

    icons.main(made)
    setup = windows.installer(bundle, made, tmp_path)
    assert setup.read_bytes()[:2] == b"MZ"


def test_windows_offers_the_program_for_the_same_kinds(made):
    import identity
    import windows

    lines = windows._types(made).read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(identity.TEXT_TYPES) + 1
    assert all(r"Applications\LM Workbench.exe\SupportedTypes" in line for line in lines)


def test_the_properties_of_the_exe_are_well_formed():
    import windows

    def noted(*args, **named):
        return args, named

    names = ("VSVersionInfo", "FixedFileInfo", "StringFileInfo", "StringTable", "StringStruct",
             "VarFileInfo", "VarStruct")  # fmt: skip
    _, told = eval(windows.version_facts(), dict.fromkeys(names, noted))
    assert len(told["ffi"][1]["filevers"]) == 4


def test_nothing_is_built_for_another_system(capsys, monkeypatch):
    import build

    monkeypatch.setattr(build, "bundle", lambda *_: pytest.fail("froze"))
    other = "dmg" if not sys.platform.startswith("darwin") else "deb"
    assert build.main([other]) == 1
    assert other in capsys.readouterr().err
