"""The tasks that come with the program: sizes, parts that share nothing, spans in their places."""

from collections import Counter

import pytest

from lmstudio.data.labelled.samples import NAMES, SIZES, sample


@pytest.fixture(scope="module", params=sorted(NAMES))
def task(request):
    return request.param, sample(request.param)


def test_sizes_and_no_text_twice(task):
    _, parts = task
    assert {part: len(rows) for part, rows in parts.items()} == SIZES
    texts = [(row.text, row.other) for rows in parts.values() for row in rows]
    assert len(set(texts)) == len(texts)


def test_is_the_same_again_and_another_by_another_seed(task):
    name, parts = task
    assert sample(name) == parts
    assert sample(name, seed=2) != parts


def test_every_slot_is_filled(task):
    _, parts = task
    assert not [row for rows in parts.values() for row in rows if "{" in row.text + row.other]


def test_no_label_is_much_more_frequent_than_the_others():
    for name in ("sentiment", "inference"):
        for rows in sample(name).values():
            counts = Counter(row.label for row in rows)
            assert max(counts.values()) < 2 * min(counts.values()), (name, counts)


def test_cities_are_tagged_by_what_stands_round_them():
    train = sample("travel")["train"]
    kinds = {(row.text[span.start : span.end], span.type) for row in train for span in row.spans}
    assert kinds >= {("北京", "出发地"), ("北京", "到达地")}
    assert all(a.end <= b.start for row in train
               for a, b in zip(row.spans, row.spans[1:], strict=False))  # fmt: skip


def test_answers_stand_in_their_passage_and_some_questions_have_none():
    rows = [row for part in sample("passages").values() for row in part]
    assert 0.03 < sum(not row.spans for row in rows) / len(rows) < 0.2
    for row in rows:
        for span in row.spans:
            assert 0 <= span.start < span.end <= len(row.text)
    asked = next(row for row in rows if row.other.endswith("最爱吃什么？") and row.spans)
    (answer,) = asked.spans
    assert asked.text[answer.start - 6 : answer.start] == "他最爱吃的是"


def test_valid_and_test_have_templates_of_their_own():
    parts = sample("travel")
    assert not [row for row in parts["train"] if row.text.startswith("人在")]
    assert [row for row in parts["test"] if row.text.startswith("人在")]
