"""User dictionaries: every edit can be undone, and each matches at once (cases B-1, B-2, B-5)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, dictionaries, segmentations
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.text.userdict import UserWord, check_word, line_of, parse_dictionary
from tests.text.test_word_finding import made_text

CASES = Path(__file__).resolve().parents[1] / "data" / "cases"
WORD = st.text("云计算弗·泰勒a1 .+<>#", min_size=1, max_size=8).map(str.strip).filter(bool)


def known(ws, name="mine"):
    return dictionaries.words(ws, name)


def test_words_are_added_changed_and_taken_out(workspace):
    assert dictionaries.names(workspace) == []
    assert dictionaries.add(workspace, "mine", " 云计算 ").dictionaries
    dictionaries.add(workspace, "mine", "打底裤", 7, "n")
    dictionaries.add(workspace, "mine", "云计算", 9)
    assert known(workspace) == [UserWord("云计算", 9), UserWord("打底裤", 7, "n")]
    assert dictionaries.names(workspace) == ["mine"]
    dictionaries.remove(workspace, "mine", "云计算")
    assert known(workspace) == [UserWord("打底裤", 7, "n")]
    with pytest.raises(AppError, match="not in the dictionary"):
        dictionaries.remove(workspace, "mine", "云计算")


def test_every_edit_can_be_undone(workspace):
    states = [[]]
    for edit in (
        lambda: dictionaries.add(workspace, "mine", "云计算"),
        lambda: dictionaries.add(workspace, "mine", "iPhone 15"),
        lambda: dictionaries.add(workspace, "mine", "云计算", 5),
        lambda: dictionaries.import_file(workspace, "mine", CASES / "b_userdict_hard.txt"),
        lambda: dictionaries.remove(workspace, "mine", "云计算"),
    ):
        edit()
        states.append(known(workspace))
    for before in reversed(states[:-1]):
        dictionaries.undo(workspace, "mine")
        assert {word.word: word for word in known(workspace)} == {w.word: w for w in before}
    with pytest.raises(AppError, match="nothing to undo"):
        dictionaries.undo(workspace, "mine")


@pytest.mark.parametrize("word", ["", " ", "a\tb", "a\nb", "<s>", "x<unk>", "长" * 81])
def test_case_b1_a_word_that_cannot_match_is_refused_at_once(word, workspace):
    assert dictionaries.check_word(word)
    with pytest.raises(AppError):
        dictionaries.add(workspace, "mine", word)
    assert known(workspace) == []


@pytest.mark.parametrize("word", ["弗里德里克·泰勒", "CH125 Spacy", "*ST长油", "C++17", "，", "Ω"])
def test_case_b1_b2_words_of_any_shape_match(word, workspace):
    assert check_word(word) is None
    dictionaries.add(workspace, "mine", word)
    assert dictionaries.effect(workspace, "mine", word, job=Job()) == ()


def test_a_word_that_loses_is_told(workspace):
    dictionaries.add(workspace, "mine", "他们的", 1)
    (note,) = dictionaries.effect(workspace, "mine", "他们的", job=Job())
    assert str(note) == (
        "他们的 is still cut as 他们 | 的. Leave its frequency out, or give a higher one."
    )
    dictionaries.add(workspace, "mine", "北京", 40_000)
    (note,) = dictionaries.effect(workspace, "mine", "北京", job=Job())
    assert "jieba has 北京 already, with frequency 34488" in str(note)


@given(
    word=WORD, frequency=st.none() | st.integers(0, 10**12), tag=st.sampled_from(["", "n", "nz"])
)
def test_a_line_gives_its_word_back(word, frequency, tag):
    wanted = UserWord(" ".join(word.split()), frequency, tag)
    (found,) = parse_dictionary(line_of(wanted)).words
    assert found.word == wanted.word
    assert found.frequency == wanted.frequency or (found.frequency == 1 and " " in found.word)


@pytest.mark.parametrize("name", ["", "a/b", "..", "a:b", " x", "x" * 81])
def test_names_that_no_file_can_have(name, workspace):
    with pytest.raises(AppError, match="cannot be called"):
        dictionaries.add(workspace, name, "云计算")


def test_bad_lines_of_a_file_are_told_and_the_others_load(workspace, tmp_path):
    (tmp_path / "w.txt").write_text("云计算\n坏 -3\n<s>\n", encoding="utf-8")
    changes = dictionaries.import_file(workspace, "mine", tmp_path / "w.txt")
    assert known(workspace) == [UserWord("云计算")]
    assert ["Line 2" in str(changes.notes[0]), "<s>" in str(changes.notes[1])] == [True, True]


def test_case_b5c_what_is_taken_out_is_forgotten_at_once(workspace):
    ws = workspace
    corpus = corpora.import_text(ws, "她有打底裤。\n", name="c", job=Job()).new_id
    options, path = SegmentOptions(by="jieba"), dictionaries.path(ws, "mine")

    def cut():
        looked = segmentations.try_out(ws, corpus, options, dictionary=path, job=Job())
        sentence = looked.sentences[0]
        return [sentence.text[a:b] for a, b in sentence.spans]

    dictionaries.add(ws, "mine", "打底裤")
    assert cut() == ["她", "有", "打底裤", "。"]
    dictionaries.undo(ws, "mine")
    assert cut() == ["她", "有", "打", "底裤", "。"]


def test_suggestions_leave_out_what_is_known(workspace, tmp_path):
    ws = workspace
    corpus = corpora.import_text(ws, made_text("焙茗", 100), name="c", job=Job()).new_id
    found = dictionaries.suggest(ws, corpus, job=Job())
    assert "焙茗" in [one.word for one in found]
    dictionaries.add(ws, "mine", "焙茗")
    again = dictionaries.suggest(ws, "c", dictionary="mine", job=Job())
    assert "焙茗" not in [one.word for one in again]
    dictionaries.save_suggestions(found, tmp_path / "s.csv", job=Job())
    assert "焙茗" in (tmp_path / "s.csv").read_text("utf-8-sig")


def test_a_deleted_dictionary_is_gone(workspace):
    dictionaries.add(workspace, "mine", "云计算")
    dictionaries.delete(workspace, "mine")
    assert dictionaries.names(workspace) == []
    assert list((workspace.folder / "dictionaries").iterdir()) == []


@pytest.mark.parametrize(
    "line", ["长" * 100_000, "a" + " " * 100_000 + "!", "a" + " 1" * 50_000, "好 " + "9" * 5000]
)
def test_a_line_that_is_no_word_is_told_at_once(line):
    """As of a novel that was taken for a dictionary."""
    found = parse_dictionary(f"{line}\n云计算 5 n")
    assert found.words == (UserWord("云计算", 5, "n"),)
    assert len(found.warnings) == 1


def test_half_a_character_is_no_word():
    assert "half a character" in str(check_word("云\ud83d"))
