"""The smoke test of the built program, on a stand-in for it: it must be able to fail."""

import json
import sqlite3
import sys
from contextlib import closing

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")

GOOD = [
    {"name": "jieba", "result": "我|爱|北京|天安门"},
    {"name": "jieba/dict.txt", "result": "5,071,852 B"},
    {"name": "gpt", "result": "4.126 bits/char"},
]
BAD = [{"name": "jieba", "result": "我爱|北京"}, *GOOD[1:]]


@pytest.fixture
def stand_in(tmp_path):
    """Makes a bundle whose program prints what it is given, and then goes by `rest`."""

    def make(told=GOOD, rest="exit 0"):
        bundle = tmp_path / "bundle" / "lmstudio-workbench"
        bundle.mkdir(parents=True)
        (tmp_path / "bundle").chmod(0o755)
        tmp_path.chmod(0o755)
        for above in list(tmp_path.parents)[:-2]:  # not /tmp itself
            above.chmod(0o755)  # another user is to start it
        program = bundle / "lmstudio"
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(told)}\nEND\n{rest}\n", "utf-8")
        program.chmod(0o755)
        return bundle

    return make


def test_the_place_is_as_hard_as_it_says(stand_in):
    import smoke

    rest = 'case "$0$HOME$PWD" in *程序*工具\\ 1*家*目录*) ;; *) exit 3;; esac\n'
    rest += (
        'touch "$HOME/mine" || exit 4; touch "$(dirname "$0")/theirs" 2>/dev/null && exit 5; exit 0'
    )
    bundle = stand_in(rest=rest)
    assert "1 data files" in smoke._self_test(bundle)
    assert [path.name for path in bundle.parent.iterdir()] == [bundle.name], (
        "nothing is left behind"
    )


@pytest.mark.parametrize(("told", "rest"), [
    (BAD, "exit 0"), (GOOD, "exit 1"), (GOOD[:1], "exit 0"),
], ids=["cut otherwise", "exit code", "no data file"])  # fmt: skip
def test_a_bad_self_test_fails(stand_in, capsys, told, rest):
    import smoke

    bundle = stand_in(told, rest)
    assert not smoke._carried_out("self-test", lambda: smoke._self_test(bundle))
    assert "FAILED self-test" in capsys.readouterr().out


def test_streams_are_closed(stand_in):
    import smoke

    bundle = stand_in(rest="")
    (bundle / "lmstudio").write_text("#!/bin/sh\n[ -e /dev/fd/1 ] && exit 6\nexit 0\n", "utf-8")
    assert "import" in smoke._no_stdout(bundle)


def test_the_states_of_runs_are_read_beside_the_program(tmp_path):
    import smoke_window

    with closing(sqlite3.connect(tmp_path / "workspace.db")) as db:
        db.execute("create table run (id, state)")
        db.execute("insert into run values (1, 'queued')")
        assert smoke_window._states(tmp_path / "workspace.db") == []
        db.commit()
        assert smoke_window._states(tmp_path / "workspace.db") == ["queued"]


def test_descendants_are_found_at_any_depth(monkeypatch):
    import smoke_window

    family = {1: 0, 10: 1, 11: 10, 12: 11, 20: 1}
    monkeypatch.setattr(smoke_window, "_processes", lambda: family)
    assert smoke_window.descendants(10) == {11, 12}


def test_waiting_ends(monkeypatch):
    import screen
    from say import Failed

    monkeypatch.setattr(screen.time, "sleep", lambda seconds: None)
    with pytest.raises(Failed, match="the window: not within 0 s"):
        screen.until(bool, 0, "the window")
    assert screen.until(iter([0, "found"]).__next__, 60, "") == "found"


def test_a_missing_tool_is_named(monkeypatch):
    import screen
    from say import Failed

    monkeypatch.setattr(screen.shutil, "which", lambda tool: None if tool == "Xvfb" else tool)
    with pytest.raises(Failed, match="Install these first: xvfb"), screen.opened():
        pass
