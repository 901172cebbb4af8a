"""Settings: what the columns of tables were; a file that is damaged harms nothing else."""

import json
import math

import pytest

from lmstudio.store.settings import Settings, default_workspace


def test_columns_are_remembered_by_header_and_the_oldest_forgotten():
    settings = Settings()
    for number in range(60):
        settings.remember_columns(["id", f"text {number}"], {"text": f"text {number}"})
    settings.remember_columns(["id", "text 20"], {"text": "id"})
    loaded = Settings.load()
    assert len(loaded.columns) == 50
    assert loaded.columns_of(["id", "text 59"]) == {"text": "text 59"}
    assert loaded.columns_of(["id", "text 20"]) == {"text": "id"}
    assert loaded.columns_of(["id", "text 0"]) is None
    assert loaded.columns_of(["text 59", "id"]) is None


def test_roles_that_name_no_column_count_as_absent():
    settings = Settings(columns={'["a", "b"]': {"text": "gone"}, '["c"]': "broken"})
    assert settings.columns_of(["a", "b"]) is None
    assert settings.columns_of(["c"]) is None


GARBAGE = {
    "empty": b"",
    "truncated": b'{"language": "en", "recent": ["/a"',
    "binary": bytes(range(256)),
    "nested": b"[" * 100_000,
    "list": b"[1, 2]",
    "text": b'"settings"',
    "nul": b"\0" * 100,
    "endless": b'{"later": "' + b"x" * 1_000_001 + b'"}',
}


@pytest.fixture
def file():
    Settings().save()
    return default_workspace().parent / "settings.json"


@pytest.mark.parametrize("kind", GARBAGE)
def test_a_file_of_garbage_resets_the_settings_is_kept_beside_and_told_once(file, kind):
    file.write_bytes(GARBAGE[kind])
    found = Settings.load()
    assert found == Settings()
    assert f"{file.name}.bad" in str(found.trouble)
    assert file.with_name("settings.json.bad").read_bytes() == GARBAGE[kind]
    assert Settings.load().trouble is None


@pytest.mark.parametrize("entries", [
    {"scale": "big"}, {"scale": math.nan}, {"scale": 0}, {"theme": "pink"}, {"theme": None},
    {"recent": [1, 2]}, {"recent": "/a"}, {"layout": {"window": 7}}, {"columns": {"a": "b"}},
    {"threads": -1}, {"threads": True}, {"memory": math.inf}, {"language": "\ud800"},
    {"notify": 1},
], ids=json.dumps)  # fmt: skip
def test_a_broken_entry_resets_itself_only(file, entries):
    file.write_text(json.dumps({"device": "cpu", "threads": 3} | entries), encoding="utf-8")
    found = Settings.load()
    assert found.trouble is not None
    assert found == Settings(device="cpu", threads=0 if "threads" in entries else 3)
    assert json.loads(file.with_name("settings.json.bad").read_text())["device"] == "cpu"
    again = Settings.load()
    assert (again, again.trouble) == (found, None)


def test_what_a_newer_version_has_put_there_stays(file):
    file.write_text('{"theme": "dark", "scale": 1, "colours": {"of": ["a", 2]}}')
    found = Settings.load()
    assert (found.trouble, found.theme, found.scale) == (None, "dark", 1.0)
    found.searched("x")
    assert json.loads(file.read_text())["colours"] == {"of": ["a", 2]}


def test_a_folder_in_the_place_of_the_file(file):
    file.unlink()
    (file / "inside").mkdir(parents=True)
    assert Settings.load().trouble is not None
    assert Settings.load().trouble is None
    assert (file.with_name("settings.json.bad") / "inside").is_dir()


def test_settings_that_cannot_be_written_stop_nothing(file, caplog):
    file.unlink()
    file.mkdir()
    Settings(theme="dark").save()
    assert Settings.load().theme == "system"
