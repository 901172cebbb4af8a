"""What stands both in train and in a held-out part is counted, and nothing else."""

import pytest

from lmstudio.data.copies.leaks import EXAMPLES, leaking_lines, leaks
from lmstudio.jobs import Job
from tests.data.corpus_files import write_corpus

VERSE = "床前明月光疑是地上霜"
OTHER = "白日依山尽黄河入海流"


def test_lines_word_for_word(tmp_path):
    train = ["红豆生南国春来发几枝", VERSE, f"  {VERSE[:5]} {VERSE[5:]}", "第一条"]
    valid = ["第一条", OTHER]
    test = [VERSE, "第一条", OTHER, f"{VERSE}。"]
    report = leaks(write_corpus(tmp_path, train=train, valid=valid, test=test), job=Job())
    assert list(report.parts) == ["valid", "test"]
    part = report.parts["test"]
    assert (part.lines, part.leaked_lines, part.characters) == (4, 1, 34)
    assert (part.leaked_characters, part.share) == (10, 10 / 34)
    assert part.examples == [(6, 1)]  # the first line of train that is the same
    assert report.parts["valid"].leaked_lines == 0
    assert leaking_lines(tmp_path, job=Job()).tolist() == [6]


def test_short_lines_stand_everywhere_and_are_no_leak(tmp_path):
    write_corpus(tmp_path, train=["明月几时有呢"], test=["明月几时有呢"])
    assert leaks(tmp_path, job=Job()).parts["test"].leaked_lines == 0


def test_stretches_that_are_nearly_the_same(tmp_path):
    lines = ["独在异乡为异客", "每逢佳节倍思亲", "遥知兄弟登高处", "遍插茱萸少一人"]
    write_corpus(tmp_path, train=lines, test=[*lines[:3], "遍插茱萸缺一人"], valid=[OTHER])
    report = leaks(tmp_path, job=Job())
    part = report.parts["test"]
    assert (part.leaked_lines, part.stretches, part.near_stretches) == (0, 1, 1)
    assert part.share == 1.0  # nearly, which is enough to remember it by
    assert report.parts["valid"].near_stretches == 0
    assert leaking_lines(tmp_path, job=Job()).tolist() == [5, 6, 7, 8]


def test_only_some_examples_are_kept(tmp_path):
    lines = [f"{VERSE}{OTHER}{number}" for number in range(50)]
    part = leaks(write_corpus(tmp_path, train=lines, test=lines), job=Job()).parts["test"]
    assert part.leaked_lines == 50
    assert part.examples == [(50 + number, number) for number in range(EXAMPLES)]


@pytest.mark.parametrize("parts", [{}, {"train": [VERSE]}, {"test": [VERSE]}])
def test_nothing_to_compare(tmp_path, parts):
    report = leaks(write_corpus(tmp_path, **parts), job=Job())
    assert all(part.share == 0 for part in report.parts.values())
    assert leaking_lines(tmp_path, job=Job()).tolist() == []


def test_as_plain_data(tmp_path):
    write_corpus(tmp_path, train=[VERSE], valid=[VERSE, OTHER])
    assert leaks(tmp_path, job=Job()).to_json() == {
        "valid": {
            "lines": 2, "leaked_lines": 1, "characters": 20, "leaked_characters": 10,
            "stretches": 1, "near_stretches": 0, "examples": [[1, 0]], "share": 0.5,
        }
    }  # fmt: skip
