"""Importing, by the reports of real users (cases A-1 to A-8, I-5) and by what must not happen."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lmstudio.data.import_options import ImportOptions
from lmstudio.data.layout import CorpusText
from lmstudio.data.split import SplitRule
from lmstudio.errors import AppError, Cancelled, SpecError
from lmstudio.jobs import Job, JobQueue
from lmstudio.operations import corpora
from lmstudio.options import options_of
from lmstudio.text.document import ReadOptions

CASES = Path(__file__).resolve().parents[1] / "data" / "cases"
LATIN = "one two three\n"


def imported(ws, *paths, name="", **options):
    """The corpus of these files; `options` are fields of ImportOptions or ReadOptions."""
    own = {key: options.pop(key) for key in list(options) if key in options_of(ImportOptions)
           or key in ("split", "normalise")}  # fmt: skip
    chosen = ImportOptions(ReadOptions(**options), **own)
    return ws.corpus(corpora.import_files(ws, paths, name=name, options=chosen, job=Job()).new_id)


def lines_of(ws, row):
    text = CorpusText(ws.corpus_folder(row.id))
    return [text.line(number) for number in range(len(text))]


def left_behind(ws):
    folder = ws.folder / "corpora"
    return (list(folder.iterdir()) if folder.exists() else []) + ws.corpora()


def test_case_a1_a_byte_order_mark_is_no_character(workspace):
    row = imported(workspace, CASES / "a01_corpus_bom.txt")
    assert lines_of(workspace, row) == ["我爱北京", "我爱上海"]
    assert (row.lines, row.characters, row.encoding) == (2, 8, "utf-8")


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("a02_gbk.txt", ["统计语言模型需要语料。", "今天天气很好。"]),
        (
            "a02_gb18030.txt",
            ["朱镕基总理在𠮷林。", "㐀㐁两字少见，价格€12。", "囧囧有神。"],
        ),
    ],
)
def test_case_a2_gb18030(workspace, name, lines):
    row = imported(workspace, CASES / name)
    found = lines_of(workspace, row)
    assert row.encoding == "gb18030"
    assert found[:2] == lines[:2]
    assert "\ufffd" not in "".join(found)
    document = workspace.documents(row.id)[0]
    assert (document.name, document.encoding) == (name, "gb18030")


def test_case_a2_the_locale_does_not_matter(tmp_path):
    program = (
        "import sys; from pathlib import Path; from lmstudio.jobs import Job\n"
        "from lmstudio.store.workspace import Workspace; from lmstudio.operations import corpora\n"
        "ws = Workspace(Path(sys.argv[1]))\n"
        "changes = corpora.import_files(ws, [Path(sys.argv[2])], job=Job())\n"
        "folder = ws.corpus_folder(changes.new_id)\n"
        "print(ascii((folder / 'text.utf8').read_bytes().decode('utf-8')))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "w", CASES / "a02_gb18030.txt"],
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "\\u6731\\u9555\\u57fa" in answer.stdout


@pytest.mark.parametrize("order", ["le", "be"])
def test_case_a3_utf16(workspace, order):
    row = imported(workspace, CASES / f"a03_utf16{order}_bom.txt")
    assert row.encoding == f"utf-16-{order}"
    assert lines_of(workspace, row) == ["记事本另存为“Unicode”。", "第二行，含😀。"]


def test_case_a4_what_counts_as_a_line(workspace):
    seen = corpora.preview([CASES / "a04_linebreaks.txt"])
    row = imported(workspace, CASES / "a04_linebreaks.txt")
    lines = ["甲", "乙", "丙\u2028丙二", "丁\u0085丁二", "戊\f戊二", "己"]
    assert lines_of(workspace, row) == lines
    assert [line for line in seen.lines if line] == lines
    assert len(seen.lines) == 7
    assert (row.lines, row.facts["empty_lines"]) == (6, 1)


@pytest.mark.parametrize("name", ["a05_empty.txt", "a05_bom_only.txt", "a05_blank.txt"])
def test_case_a5_blank_input_is_refused(workspace, name):
    with pytest.raises(AppError, match="no usable text"):
        imported(workspace, CASES / name)
    assert left_behind(workspace) == []


def test_case_a5_two_sentences_and_an_empty_line(workspace, tmp_path):
    (tmp_path / "a.txt").write_text("甲\n\n乙", encoding="utf-8")
    changes = corpora.import_files(workspace, [tmp_path / "a.txt"], job=Job())
    row = workspace.corpus(changes.new_id)
    assert lines_of(workspace, row) == ["甲", "乙"]
    assert row.facts["parts"]["train"] == {"documents": 1, "lines": 2, "characters": 2}
    notes = [str(note) for note in changes.notes]
    assert "1 empty line was skipped." in notes
    assert any("nothing can be measured" in note for note in notes)


def test_case_a6_five_megabytes_in_one_line(workspace, tmp_path):
    text = "中文语料没有换行" * 208334
    (tmp_path / "big.txt").write_bytes(text.encode())
    row = imported(workspace, tmp_path / "big.txt")
    assert (row.bytes, row.characters, row.lines) == (5_000_016, 1_666_672, 1)
    assert lines_of(workspace, row) == [text]


def test_case_a8_names_with_marks(workspace, tmp_path):
    name = "语料 测试#1 100%25.txt"
    (tmp_path / name).write_text("名字里有空格、井号和百分号。\n", encoding="utf-8")
    row = imported(workspace, tmp_path / name)
    assert row.name == "语料 测试#1 100%25"
    assert workspace.documents(row.id)[0].name == name
    assert (workspace.corpus_folder(row.id) / "source" / name).is_file()


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names are text there")
def test_case_a8_a_name_that_is_no_text(workspace, tmp_path):
    path = tmp_path / os.fsdecode(b"\xf0name.txt")
    with pytest.raises(AppError, match=r"\\xf0name.txt: It cannot be opened"):
        imported(workspace, path)
    path.write_text(LATIN)
    row = imported(workspace, path)
    assert workspace.documents(row.id)[0].name == "_xf0name.txt"  # as the copy is called


def test_case_i5_a_folder_with_only_a_test_part(workspace, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("test.csv", "test.txt"):
        (folder / name).write_text(LATIN)
        with pytest.raises(AppError, match="no training part.*Add a file to train on"):
            imported(workspace, folder)
    assert imported(workspace, folder / "test.txt").lines == 1  # a file of that name may be meant


def test_case_i5_given_parts_without_a_training_part(workspace, tmp_path):
    (tmp_path / "test.txt").write_text(LATIN)
    with pytest.raises(AppError, match="no training part"):
        corpora.import_splits(workspace, [], [], [tmp_path / "test.txt"], job=Job())
    assert left_behind(workspace) == []


def test_a_folder_of_given_parts_is_split_anew_and_that_is_said(workspace, tmp_path):
    folder = tmp_path / "ptb"
    folder.mkdir()
    for name in ("ptb.train.txt", "ptb.valid.txt", "ptb.test.txt"):
        (folder / name).write_text(f"{name} holds this. " + LATIN * 5)
    changes = corpora.import_files(workspace, [folder], job=Job())
    assert "ptb.test.txt, ptb.valid.txt may be parts" in str(changes.notes[0])


def test_given_parts_are_kept(workspace, tmp_path):
    for part, count in (("train", 5), ("valid", 2), ("test", 3)):
        (tmp_path / f"{part}.txt").write_text("我 <unk> 你。好。\n" * count, encoding="utf-8")
    files = [[tmp_path / f"{part}.txt"] for part in ("train", "valid", "test")]
    changes = corpora.import_splits(workspace, *files, name="given", job=Job())
    row = workspace.corpus("given")
    assert (row.split_rule, row.lines_rule, row.lines) == ("files", "sentence", 10)
    assert [document.part for document in workspace.documents(row.id)] == ["train", "valid", "test"]
    assert {part: counts["lines"] for part, counts in row.facts["parts"].items()} == {
        "train": 5, "valid": 2, "test": 3,
    }  # fmt: skip
    assert row.facts["marks"] == 10
    assert any("<unk>" in str(note) for note in changes.notes)


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe\xff"])
def test_a_given_part_that_cannot_be_used_stops_the_import(workspace, tmp_path, content):
    (tmp_path / "train.txt").write_text(LATIN)
    if content is not None:
        (tmp_path / "valid.txt").write_bytes(content)
    with pytest.raises(AppError, match="valid.txt"):
        corpora.import_splits(
            workspace, [tmp_path / "train.txt"], [tmp_path / "valid.txt"], [], job=Job()
        )
    assert left_behind(workspace) == []


def test_many_files_are_taken_or_skipped_with_a_reason(workspace, tmp_path):
    folder = tmp_path / "corpus"
    for number in range(25):
        (folder / str(number)).mkdir(parents=True)
        (folder / str(number) / "same.txt").write_text(f"第{number}篇文章。\n" * 3, "utf-8")
    (folder / "bad.gz").write_bytes(b"no gzip")
    (folder / "blank.txt").write_bytes(b"\n \n")
    (folder / "broken.txt").write_bytes("好\n".encode() * 100_000 + b"\xff\n")
    (folder / "picture.png").write_bytes(b"png")
    changes = corpora.import_files(workspace, [folder], job=Job())
    row = workspace.corpus(changes.new_id)
    assert (row.name, row.documents, row.lines) == ("corpus", 25, 75)
    assert row.split_rule == "documents 90/5/5 seed 1"
    assert [name for name, *_ in row.facts["skipped"]] == [
        "picture.png", "bad.gz", "blank.txt", "broken.txt",
    ]  # fmt: skip
    assert len(changes.notes) == 4
    json.dumps(row.facts)
    kept = workspace.corpus_folder(row.id) / "source"
    assert {file.name for file in kept.iterdir()} == {
        "same.txt", *(f"same {number}.txt" for number in range(2, 26)),
    }  # fmt: skip
    documents = workspace.documents(row.id)
    assert [d.first_line for d in documents] == list(range(0, 75, 3))
    assert {d.part for d in documents} == {"train", "valid", "test"}


def test_a_wrapped_file_is_joined_and_said_to_be(workspace, tmp_path):
    paragraph = "春天来了河边的柳树长出了新叶孩子们在草地上跑来跑去" * 5 + "。"
    wrapped = "\r\n".join(paragraph[i : i + 20] for i in range(0, len(paragraph), 20))
    (tmp_path / "a.txt").write_bytes("\r\n\r\n".join([wrapped] * 4).encode("gb18030"))
    row = imported(workspace, tmp_path / "a.txt")
    assert row.lines_rule == "wrapped"
    assert lines_of(workspace, row) == [paragraph] * 4
    assert row.facts["joined_lines"] == 4 * wrapped.count("\r\n")
    as_it_is = imported(workspace, tmp_path / "a.txt", lines="paragraph")
    assert (as_it_is.name, as_it_is.lines) == ("a 2", 4 * (wrapped.count("\r\n") + 1))


def test_a_file_that_turns_chinese_late_is_read_again(workspace, tmp_path):
    chinese = "统计语言模型需要很多语料。\n" * 20
    (tmp_path / "a.txt").write_bytes(LATIN.encode() * 20_000 + chinese.encode("gb18030"))
    row = imported(workspace, tmp_path / "a.txt")
    assert (row.encoding, row.lines) == ("gb18030", 20_020)
    assert lines_of(workspace, row)[-1] == "统计语言模型需要很多语料。"


def test_a_broken_tail_is_refused_and_leaves_nothing(workspace, tmp_path):
    (tmp_path / "a.txt").write_bytes("好天气\n".encode() * 100_000 + b"\xe5\xa5\n")
    with pytest.raises(AppError, match=r"a\.txt: Byte 1000000 is not utf-8\. Choose another"):
        imported(workspace, tmp_path / "a.txt")
    assert left_behind(workspace) == []


@pytest.mark.parametrize("cut", [1, 2])
def test_a_text_cut_inside_its_last_character_is_refused(workspace, shared, tmp_path, cut):
    text = (shared / "data" / "lm" / "sanguo_gb18030.txt").read_text(encoding="gb18030")
    end = text[:20_000].rindex("，") + 1
    data = text[:end].encode()[:-cut]
    (tmp_path / "a.txt").write_bytes(data)
    reason = f"Byte {len(data) - (3 - cut)} is not utf-8. Choose another encoding"
    with pytest.raises(AppError, match=reason):
        imported(workspace, tmp_path / "a.txt")
    assert reason in str(corpora.preview([tmp_path / "a.txt"]).refused[0].reason)
    assert left_behind(workspace) == []


def test_names_of_files_become_names_that_are_allowed(workspace):
    assert corpora.name_for(workspace, [Path("红楼梦\ta.txt")]) == "红楼梦_a"
    long = corpora.name_for(workspace, [Path("长" * 120 + ".txt")])
    assert long == "长" * 100
    workspace.check_name("corpus", long)


def test_a_chosen_encoding_holds(workspace, tmp_path):
    (tmp_path / "a.txt").write_bytes("我愛北京\n".encode("big5"))
    assert imported(workspace, tmp_path / "a.txt", encoding="big5").characters == 4
    with pytest.raises(AppError, match="is not utf-8"):
        imported(workspace, tmp_path / "a.txt", encoding="utf8")
    (tmp_path / "b.txt").write_bytes(b"+2D0-")
    with pytest.raises(AppError, match="half a character"):
        imported(workspace, tmp_path / "b.txt", encoding="utf-7")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"encoding": "klingon"}, "no encoding called klingon"),
        ({"lines": "verse"}, "lines: must be one of auto, sentence"),
        ({"name": "taken"}, "taken"),
    ],
)
def test_wrong_choices_are_said_before_anything_is_read(workspace, tmp_path, options, sentence):
    (tmp_path / "a.txt").write_text(LATIN)
    imported(workspace, tmp_path / "a.txt", name="taken")
    with pytest.raises(AppError, match=sentence):
        imported(workspace, tmp_path / "a.txt", **options)
    with pytest.raises(SpecError):
        imported(workspace, tmp_path / "a.txt", split=SplitRule(valid=90))


def test_nothing_to_import(workspace, tmp_path):
    (tmp_path / "empty").mkdir()
    for paths in ([], [tmp_path / "empty"]):
        with pytest.raises(AppError, match="no file was found"):
            imported(workspace, *paths)


def test_pasted_text(workspace):
    changes = corpora.import_text(workspace, "今天很好。\n明天呢？", name="粘贴", job=Job())
    row = workspace.corpus("粘贴")
    assert changes.new_id == row.id
    assert lines_of(workspace, row) == ["今天很好。", "明天呢？"]
    with pytest.raises(AppError, match="Character 2"):
        corpora.import_text(workspace, "好\ud83d", name="half", job=Job())


class Impatient(Job):
    """Stops itself at the tenth tick."""

    ticks = 0

    def tick(self, *args, **kwargs):
        self.ticks += 1
        if self.ticks == 10:
            self.cancel()
        super().tick(*args, **kwargs)


class Told(Job):
    """Keeps how far a task has come."""

    def __init__(self):
        super().__init__()
        self.said = []

    def tick(self, done, total=0, note="", **point):
        self.said.append((done, total))
        super().tick(done, total, note, **point)


def test_a_cancelled_import_leaves_nothing(workspace, tmp_path):
    (tmp_path / "a.txt").write_bytes(LATIN.encode() * 200_000)
    with pytest.raises(Cancelled):
        corpora.import_files(workspace, [tmp_path / "a.txt"], job=Impatient())
    assert left_behind(workspace) == []


def test_progress_reaches_its_total(workspace, tmp_path):
    (tmp_path / "a.txt").write_bytes(LATIN.encode() * 20_000)
    (tmp_path / "b.txt").write_bytes(LATIN.encode() * 20_000)
    job = Told()
    corpora.import_files(workspace, [tmp_path], job=job)
    total = 4 * len(LATIN) * 20_000
    read = [done for done, of in job.said if of == total]
    assert read == sorted(read)
    assert read[-1] == total  # though the second file is the same, and not read


def test_an_import_runs_in_the_worker_of_its_lane(workspace, tmp_path):
    (tmp_path / "a.txt").write_bytes("我愛北京\n".encode("big5") * 10)
    queue = JobQueue()
    try:
        job = queue.submit("bulk", Job("import"), lambda job: corpora.import_files(
            workspace, [tmp_path / "a.txt"], job=job))  # fmt: skip
        while job.state in ("queued", "running"):
            time.sleep(0.01)
        assert job.error is None
        assert workspace.corpus(job.result.new_id).encoding == "big5"
    finally:
        queue.close()
