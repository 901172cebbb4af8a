"""Answers of any shape become a table and facts, and one CSV file for all runs."""

import csv

import pytest

from lmstudio.jobs import Job
from lmstudio.operations import finding_tables
from lmstudio.operations.finding_tables import save_finding
from lmstudio.store.rows import FindingRow


@pytest.mark.parametrize(
    ("answer", "facts", "columns", "rows"),
    [
        ({"words": ["a", "b"], "p": [0.5, 0.25], "rest": 0.25},
         {"rest": 0.25}, ["words", "p"], [["a", 0.5], ["b", 0.25]]),
        ([{"w": "a", "p": 1}, {"w": "b", "n": [1, 2]}],
         {}, ["w", "p", "n"], [["a", 1, None], ["b", None, "1 2"]]),
        ({"inner": {"x": 1, "words": ["a"]}}, {"inner.x": 1}, ["inner.words"], [["a"]]),
        ({"map": [[1, 2, 3], [4, 5, 6]], "words": ["a", "b"]},
         {"map": "2 × 3"}, ["words"], [["a"], ["b"]]),
        ({"a": [1, 2], "b": [3, 4], "c": [1] * 20, "d": [7]},
         {"c": "20", "d": "7"}, ["a", "b"], [[1, 3], [2, 4]]),
        ("only words", {"Answer": "only words"}, [], []),
        ({}, {}, [], []),
    ],
)  # fmt: skip
def test_any_answer_is_a_table_and_facts(answer, facts, columns, rows):
    table = finding_tables.table_of("no such kind", answer)
    assert (table.facts, table.columns, table.rows) == (facts, columns, rows)


def test_all_answers_are_one_file(tmp_path):
    answers = {"一": {"w": ["甲", "乙"], "p": [0.5, 0.5], "n": 3}, "二": {"n": 4}}
    row = FindingRow(1, "fill", "t", "", {}, answers)
    save_finding(row, tmp_path / "f.csv", job=Job())
    with (tmp_path / "f.csv").open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file)) == [
            ["Run", "n", "w", "p"], ["一", "3", "甲", "0.5"], ["一", "3", "乙", "0.5"],
            ["二", "4", "", ""],
        ]  # fmt: skip


def test_one_sentence_is_told_and_several_are_a_table():
    one = {"text": "甲", "bits_per_character": 2.5, "perplexity": 4.0, "bits": 2.0,
           "spelling_bits": 0.5, "unknown": 1}  # fmt: skip
    told = finding_tables.table_of("sentence", {"chain": [one]})
    assert told.facts["Bits per character"] == 2.5
    assert told.rows == []
    listed = finding_tables.table_of("sentence", {"original": [one, one | {"text": "乙"}]})
    assert [row[0] for row in listed.rows] == ["甲", "乙"]
    assert listed.columns[-1] == "Figures"


def test_what_was_kept_by_another_version_is_told_as_it_is():
    told = finding_tables.table_of("fill", {"words": ["山"], "p": [0.5]})
    assert told.columns == ["words", "p"]


def test_later_tokens_are_not_looked_at():
    row = {"token": "手", "1 seen": "手", "1 weight": 0.118, "2 seen": "袖子", "2 weight": 0.093,
           "3 seen": "后", "3 weight": 0.0}  # fmt: skip
    answer = {"read": 3, "cut": 0, "unknown": 0, "to_marks": 0.0, "rows": [row]}
    told = finding_tables.table_of("attention", answer)
    assert told.facts == {}
    assert told.rows == [["手", "手 0.118, 袖子 0.093"]]
