"""Files that a killed process was writing are gone when its workspace is opened again."""

from lmstudio.store.workspace import Workspace


def test_half_written_files_are_removed_at_any_depth(tmp_path):
    with Workspace(tmp_path / "w") as workspace:
        run = workspace.run_folder(3)
    left = run / "counting.abc.tmp"
    left.mkdir(parents=True)
    for path in (left / "1", run / "model.ngram.tmp", run / "model.ngram"):
        path.write_bytes(b"x")
    with Workspace(tmp_path / "w"):
        assert [path.name for path in run.iterdir()] == ["model.ngram"]
