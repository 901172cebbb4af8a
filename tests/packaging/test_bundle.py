"""What goes into the frozen program, and what is said of it; nothing is frozen here."""

import plistlib
import struct

import pytest

from lmstudio.operations import self_test
from lmstudio.text.read import SUFFIXES
from tests.packaging.conftest import PACKAGING

ROOT = PACKAGING.parent


@pytest.mark.parametrize(("name", "needed"), [
    ("torch/bin/torch_shm_manager", True),
    ("torch\\bin\\torch_shm_manager.exe", True),
    ("torch/bin/protoc", False),
    ("torch/lib/libtorch_cpu.so", True),
    ("torch/test/test_api", False),
    ("jieba/dict.txt", True),
    ("jieba/finalseg/prob_emit.p", True),
    ("jieba/lac_small/word.dic", False),
    ("opencc/clib/share/opencc/t2s.json", True),
    ("PySide6/Qt/translations/qtbase_zh_CN.qm", True),
    ("PySide6/Qt/translations/qtbase_de.qm", False),
    ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
    ("PySide6/Qt/plugins/platforms/libqoffscreen.so", True),
    ("PySide6/Qt/plugins/platforms/libqvnc.so", False),
    ("PySide6/Qt/plugins/platformthemes/libqgtk3.so", False),
    ("numpy-2.4.6.dist-info/METADATA", True),
    ("numpy-2.4.6.dist-info/RECORD", False),
])  # fmt: skip
def test_what_is_needed_stays(name, needed):
    import trim

    assert trim.wanted(name) is needed


@pytest.mark.parametrize(("entry", "left"), [
    (("libgtk-3.so.0", "/lib/x86_64-linux-gnu/libgtk-3.so.0", "BINARY"), True),
    (("libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "BINARY"), True),
    (("libxcb-cursor.so.0", "/usr/lib/x86_64-linux-gnu/libxcb-cursor.so.0", "BINARY"), False),
    (("libpython3.11.so.1.0", "/usr/lib/libpython3.11.so.1.0", "BINARY"), False),
    (("libQt6Core.so.6", "PySide6/Qt/lib/libQt6Core.so.6", "SYMLINK"), False),
    (("python3.11/lib-dynload/_ssl.so", "/usr/lib/python3.11/_ssl.so", "EXTENSION"), False),
], ids=lambda value: value[0] if isinstance(value, tuple) else "")  # fmt: skip
def test_the_users_system_keeps_its_own_libraries(entry, left):
    import trim

    assert trim.is_of_the_system(entry) is left
    assert bool(trim.kept([entry])) is not left


def test_data_files_that_the_self_test_looks_for_are_not_trimmed():
    import trim

    for package, patterns in self_test.DATA.items():
        for pattern in patterns:
            assert trim.wanted(f"{package}/{pattern.replace('*', 'x')}")


def test_resources_go_along_but_for_sources_and_pictures():
    import trim

    placed = {f"{folder}/{source.rpartition('/')[2]}" for source, folder in
              trim.resources(ROOT / "resources")}  # fmt: skip
    assert "resources/icons/app.svg" in placed
    assert "resources/locale/zh_CN/LC_MESSAGES/lmstudio.mo" in placed
    assert "resources/samples/tasks/travel.json" in placed
    assert not [name for name in placed if name.endswith(".po") or "screenshots" in name]


def test_icons_hold_their_pictures(qapp, tmp_path):
    import icons

    icons.main(tmp_path)
    png = {size: (tmp_path / f"{size}.png").read_bytes() for size in icons.SIZES}
    assert all(data.startswith(b"\x89PNG") for data in png.values())

    ico = (tmp_path / "lmstudio.ico").read_bytes()
    _, kind, count = struct.unpack_from("<HHH", ico)
    assert (kind, count) == (1, 7)
    for number in range(count):
        width, _, _, _, _, bits, length, place = struct.unpack_from(
            "<BBBBHHII", ico, 6 + 16 * number
        )
        assert bits == 32
        assert ico[place : place + length] == png[width or 256]

    icns = (tmp_path / "lmstudio.icns").read_bytes()
    assert icns[:4] == b"icns"
    assert struct.unpack_from(">I", icns, 4)[0] == len(icns)
    place, kinds = 8, {}
    while place < len(icns):
        name, length = struct.unpack_from(">4sI", icns, place)
        kinds[name], place = icns[place + 8 : place + length], place + length
    assert {name: png[size] for name, size in icons.ICNS_KINDS.items()} == kinds


def test_licences_are_read_from_what_is_installed(tmp_path):
    import licences

    parts = licences.write(tmp_path / "LICENCES.txt")
    text = (tmp_path / "LICENCES.txt").read_text(encoding="utf-8")
    by_name = {part.name: part for part in parts}
    for name in self_test.PACKAGES:
        assert name.lower().replace("_", "-") in {
            part.lower().replace("_", "-") for part in by_name
        }
    assert by_name["numpy"].texts
    assert "LGPL-3.0" in by_name["PySide6_Essentials"].licence
    for wanted in ("GNU LESSER GENERAL PUBLIC LICENSE", "GNU GENERAL PUBLIC LICENSE", "PSF-2.0"):
        assert wanted in text
    assert "PyInstaller" not in by_name


def test_equal_texts_stand_there_once():
    from licences import Part, report

    both = [Part(name, "1", "MIT", texts=["THE TEXT"]) for name in "ab"]
    told = report([*both, Part("c", "3", "MIT")])
    assert told.count("THE TEXT") == 1
    assert "The text is that of a, above." in told
    assert "the licence it names is MIT" in told


def test_what_dominates_is_told(tmp_path):
    import contents

    for name, size in (("a/b/big", 900), ("a/small", 10), ("c", 50)):
        file = tmp_path / "x" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(size * 1000))
    (tmp_path / "x" / "link").symlink_to("c")
    assert contents.size(tmp_path / "x") == 960_000
    assert contents.megabytes(tmp_path / "x") == 1
    assert contents.largest(tmp_path / "x")[0] == ("a/b/big", 900_000)
    assert contents.table(tmp_path / "x").startswith("     1.0 MB  x\n")


def test_a_mac_offers_the_program_for_texts_and_workspaces():
    import identity

    told = plistlib.loads(plistlib.dumps(identity.property_list()))
    kinds = told["CFBundleDocumentTypes"]
    assert "txt" in kinds[0]["CFBundleTypeExtensions"]
    assert {kind["LSHandlerRank"] for kind in kinds} == {"Alternate"}


def test_only_kinds_that_can_be_read_are_offered():
    import identity

    assert set(identity.TEXT_TYPES) <= set(SUFFIXES)


def test_the_version_is_that_of_the_program():
    import identity
    import lmstudio

    assert lmstudio.__version__ == identity.VERSION
