"""Looking into a corpus as the window and the command line do."""

import csv
import json

import pytest

from lmstudio import cli
from lmstudio.data.browse.collocations import Window
from lmstudio.data.browse.concordance import View
from lmstudio.data.browse.frequencies import Frequencies
from lmstudio.data.browse.search import Query
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import browse
from lmstudio.store.rows import CorpusRow, DocumentRow, SegmentationRow
from tests.data.word_files import write_words

LINES = {
    "train": [["我", "爱", "北京"], ["我", "爱", "上海"], ["他", "爱", "我"]],
    "valid": [["他", "爱", "广州"]],
    "test": [["我", "爱", "我"]],
}


def add(workspace, number, name, segmenter="whitespace", **lines):
    """A corpus and its segmentation, a document a part."""
    files = write_words(workspace.folder / name, **lines)
    for made, folder in ((files.corpus, workspace.corpus_folder(number)),
                         (files.segmentation, workspace.segmentation_folder(number))):  # fmt: skip
        folder.parent.mkdir(exist_ok=True)
        made.rename(folder)
    documents = [DocumentRow(number, i, f"{part}.txt", "utf-8", 1, 1, 1, 0, part)
                 for i, part in enumerate(LINES)]  # fmt: skip
    row = CorpusRow(number, name, "", "utf-8", "sentence", "files", 3, 5, 20, 60)
    workspace.add_corpus(row, documents)
    workspace.add_segmentation(SegmentationRow(number, number, f"{name} 词", "", segmenter, 7))


@pytest.fixture
def ws(workspace):
    add(workspace, 1, "京", **LINES)
    return workspace


def test_a_concordance_names_its_documents(ws):
    found = browse.concordance(ws, "京", Query("爱"), job=Job())
    assert found.name == ["train.txt"] * 3 + ["valid.txt", "test.txt"]
    assert found.line_number.tolist() == [1, 2, 3, 4, 5]
    only = browse.concordance(ws, 1, Query("爱 我", "word"), part="test", job=Job())
    assert list(only.rows()) == [("test.txt", "test", 5, "我", "爱我", "")]
    assert not len(browse.concordance(ws, 1, Query("无"), job=Job()))


@pytest.mark.parametrize(("ask", "sentence"), [
    (lambda ws, job: browse.concordance(ws, 1, Query("n", "tag"), job=job), "without tags"),
    (lambda ws, job: browse.concordance(ws, 1, Query("我"), part="dev", job=job), "no part"),
    (lambda ws, job: browse.concordance(ws, 1, Query("我"), view=View(width=501), job=job),
     "0 to 500"),
    (lambda ws, job: browse.concordance(ws, 2, Query("我", "word"), segmentation=1, job=job),
     "no segmentation of 沪"),
    (lambda ws, job: browse.keyness(ws, 1, 1, job=job), "differs in nothing"),
    (lambda ws, job: browse.keyness(ws, 1, 2, job=job), "cut by whitespace, 沪 词 by characters"),
    (lambda ws, job: browse.collocations(ws, 1, " ", job=job), "Say what"),
    (lambda ws, job: browse.frequencies(ws, "无", job=job), "There are: “京 词”, “沪 词”"),
])  # fmt: skip
def test_what_cannot_be_is_refused(ws, ask, sentence):
    add(ws, 2, "沪", "characters", **LINES)
    with pytest.raises(AppError, match=sentence):
        ask(ws, Job())


def test_a_corpus_without_words_is_told_so(ws):
    ws.delete("segmentation", 1)
    with pytest.raises(AppError, match="not segmented yet"):
        browse.concordance(ws, 1, Query("我", "word"), job=Job())


def test_words_that_are_cut_differently_are_compared_with_a_warning(ws):
    add(ws, 2, "沪", **LINES)
    add(ws, 3, "津", "jieba", **LINES)
    assert browse.keyness(ws, 1, 2, job=Job()).note is None
    assert "same rules" in str(browse.keyness(ws, 1, 3, job=Job()).note)


def test_every_list_is_saved(ws, tmp_path):
    add(ws, 2, "沪", **LINES | {"train": [["上海"] * 3]})
    job = Job()
    words = browse.frequencies(ws, 1, job=job)
    lists = [
        browse.concordance(ws, 1, Query("我"), job=job), words, browse.zipf(words),
        browse.growth(ws, 1, job=job), browse.ngrams(ws, 1, job=job),
        browse.collocations(ws, 1, "爱", window=Window(1, 1), job=job),
        browse.keyness(ws, 1, 2, job=job),
    ]  # fmt: skip
    for listing in lists:
        browse.save(listing, tmp_path / "list.csv", job=job)
        with (tmp_path / "list.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == listing.header()
        assert rows[1:] == [[str(cell) for cell in row] for row in listing.rows()]
        assert len(rows) > 1


def test_stop_words_come_from_a_file(ws, tmp_path):
    (tmp_path / "gb.txt").write_bytes("我\r\n\r\n 他 \r\n".encode("gb18030"))
    shown = browse.word_filter(tmp_path / "gb.txt")
    words: Frequencies = browse.frequencies(ws, 1, shown=shown, job=Job())
    assert words.word == ["爱", "上海", "北京", "广州"]
    with pytest.raises(AppError, match="cannot be read"):
        browse.word_filter(tmp_path / "none.txt")
    (tmp_path / "bad.txt").write_bytes(b"\xff\xff\xff")
    with pytest.raises(AppError, match="neither"):
        browse.word_filter(tmp_path / "bad.txt")


@pytest.fixture
def lm(ws, capsys):
    """Runs a command line in the workspace; its exit code, stdout and stderr."""
    ws.close()

    def command(*words):
        code = cli.main(["--workspace", str(ws.folder), *map(str, words)])
        return code, *capsys.readouterr()

    return command


def test_the_command_line_prints_tables(lm, tmp_path):
    code, out, said = lm("concordance", "京", "爱", "--sort", "right", "--top", 2)
    assert (code, "5 hits" in said) == (0, True)
    lines = out.splitlines()
    assert [line.split()[-2:] for line in lines] == [["Hit", "Right"], ["爱", "上海"],
                                                     ["爱", "北京"]]  # fmt: skip
    assert lm("frequencies", "京 词", "--csv", tmp_path / "words.csv", "--top", 1)[0] == 0
    assert len((tmp_path / "words.csv").read_text("utf-8-sig").splitlines()) == 7
    assert "Heaps" in lm("growth", "京 词")[2]


def test_every_verb_gives_json(lm):
    for words in (["concordance", "京", "爱"], ["frequencies", "京 词"], ["ngrams", "京 词"],
                  ["collocations", "京 词", "爱", "--left", 1]):  # fmt: skip
        code, out, _ = lm(*words, "--json", "--top", 2)
        found = json.loads(out)
        assert (code, len(found["rows"])) == (0, 2)
    code, out, _ = lm("growth", "京 词", "--json")
    assert set(json.loads(out)) == {"heaps", "zipf"}


def test_the_command_line_refuses_with_a_sentence(lm):
    assert lm("concordance", "京", "(", "--kind", "regex")[::2] == (
        1, "Error: The regular expression is wrong at character 1: missing ), unterminated "
        "subpattern.\n")  # fmt: skip
    code, _, said = lm("concordance", "京", "我", "--kind", "word", "--segmentation", "无")
    assert (code, "no segmentation named 无" in said) == (1, True)
    with pytest.raises(SystemExit):
        lm("ngrams", "京 词", "--min-count", 0)


def test_controls_do_not_reach_the_terminal(workspace, capsys):
    add(workspace, 1, "京", train=[["a\x1b[2J", "b\tc"]])
    workspace.close()
    assert cli.main(["--workspace", str(workspace.folder), "concordance", "京", "b"]) == 0
    assert "\x1b" not in capsys.readouterr().out
