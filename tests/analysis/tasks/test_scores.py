"""Scores of tasks are those of scikit-learn, seqeval and the cases, and of rules by hand."""

import random
import warnings

import pytest

from lmstudio.analysis.tasks.scores import answers, classes, entities
from lmstudio.data.labelled.example import Span

pytest.importorskip("sklearn")
pytest.importorskip("seqeval")


def test_case_f5_says_that_a_majority_is_no_model():
    found = classes.score(["a"] * 95 + ["b"] * 5, ["a"] * 100)
    assert found.accuracy == found.majority == 0.95
    assert found.macro_f1 == pytest.approx(0.487179, abs=5e-7)
    assert found.classes["b"].recall == 0


def test_case_f3_scores_labels_that_training_lacks():
    found = classes.score(["1", "5", "9"], ["1", "5", "1"], ["1", "2", "3", "4", "5"])
    assert found.labels == ("1", "2", "3", "4", "5", "9")
    assert found.confusion[5, 0] == 1
    assert found.classes["9"].gold == 1


@pytest.mark.parametrize("seed", range(5))
def test_classes_are_those_of_scikit_learn(seed):
    from sklearn.metrics import (
        accuracy_score,
        confusion_matrix,
        f1_score,
        precision_recall_fscore_support,
    )

    draw = random.Random(seed)
    labels = ["体育", "财经", "科技", "游戏"][: 2 + seed % 3]
    gold = [draw.choice(labels) for _ in range(60)]
    guess = [right if draw.random() < 0.6 else draw.choice(labels) for right in gold]
    found = classes.score(gold, guess, labels)
    assert found.accuracy == pytest.approx(accuracy_score(gold, guess))
    assert found.macro_f1 == pytest.approx(f1_score(gold, guess, average="macro"))
    assert (found.confusion == confusion_matrix(gold, guess, labels=labels)).all()
    rows = precision_recall_fscore_support(gold, guess, labels=labels, zero_division=0)
    ours = [(one.precision, one.recall, one.f1, one.gold) for one in found.classes.values()]
    assert ours == [pytest.approx(row) for row in zip(*rows, strict=True)]


def test_case_f2_tells_strict_from_lenient():
    gold = ["B-PER", "I-PER", "O", "B-LOC", "I-LOC"]
    found = entities.score_tags([gold], [["I-PER", *gold[1:]]])
    strict = found.strict.all
    assert (strict.precision, strict.recall) == (1, 0.5)
    assert strict.f1 == pytest.approx(0.666667, abs=5e-7)
    assert found.lenient.all.f1 == 1
    gold, guess = ["O", "B-LOC", "I-LOC", "I-LOC", "O"], ["O", "B-LOC", "I-ORG", "I-LOC", "O"]
    found = entities.score_tags([gold], [guess])
    assert found.strict.all.f1 == found.lenient.all.f1 == 0


def test_case_f3_counts_a_type_that_was_never_found():
    found = entities.score([[Span(0, 2, "LOC"), Span(3, 5, "ORG")]], [[Span(0, 2, "LOC")]])
    assert (found.all.precision, found.all.recall) == (1, 0.5)
    assert found.all.f1 == pytest.approx(0.666667, abs=5e-7)
    assert found.types["ORG"].f1 == 0


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
def test_entities_are_those_of_seqeval(scheme):
    from seqeval.metrics import f1_score, precision_score, recall_score
    from seqeval.scheme import IOB2, IOBES

    warnings.simplefilter("ignore")
    draw = random.Random(scheme)
    letters = "BI" if scheme == "BIO" else "BIES"
    tags = ["O", *(f"{letter}-{kind}" for letter in letters for kind in ("PER", "LOC"))]
    for _ in range(40):
        gold = [[draw.choice(tags) for _ in range(12)] for _ in range(4)]
        guess = [[tag if draw.random() < 0.7 else draw.choice(tags) for tag in row] for row in gold]
        found = entities.score_tags(gold, guess, scheme)
        how = {"mode": "strict", "scheme": IOB2 if scheme == "BIO" else IOBES}
        for ours, settings in ((found.strict.all, how), (found.lenient.all, {})):
            theirs = [f(gold, guess, zero_division=0, **settings)
                      for f in (precision_score, recall_score, f1_score)]  # fmt: skip
            assert [ours.precision, ours.recall, ours.f1] == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("right", "answer", "exact", "f1"),
    [
        ("北京大学", "北京大学", 1, 1),
        ("北京大学", "《北京大学》", 1, 1),  # without punctuation
        ("北京大学", "在北京大学", 0, 2 * 4 / 9),
        ("北京大学", "北京的大学", 0, 2 * 2 / 9),  # the longest run is what counts
        ("NBA总决赛", "nba", 0, 2 * 1 / 5),  # a word is one unit
        ("北京", "", 0, 0),
        ("", "北京", 0, 0),
        ("", "", 1, 1),
    ],
)
def test_the_rule_of_cmrc(right, answer, exact, f1):
    assert answers.cmrc_rule(right, answer) == (exact, pytest.approx(f1))


@pytest.mark.parametrize(
    ("right", "answer", "exact", "run", "units"),
    [
        ("《红楼梦》(1791年)", "红楼梦，1791年", 0, 3, (7, 5)),  # round brackets of ASCII stay
        ("iPhone 6s Plus手机", "iphone 6S", 0, 2, (5, 2)),  # words and characters
        ("2008年8月8日", "8月8日", 0, 4, (6, 4)),  # a number is a word
        ("3.5亿元", "3.5 亿", 0, 2, (3, 2)),
        ("王 明", "王明", 0, 2, (2, 2)),  # white space parts units, and is no punctuation
        ("A-B：C", "abc", 1, 1, (1, 1)),  # what stands between marks comes together
        ("A-B：C", "a b c", 0, 0, (1, 3)),
        ("·「天安门」·", "天安门。", 1, 3, (3, 3)),
        ("甲乙丙丁", "甲丙丁戊乙", 0, 2, (4, 5)),  # 丙丁, though three units are in order
    ],
    ids=["brackets", "words", "numbers", "decimals", "spaces", "marks", "apart", "quotes", "run"],
)
def test_the_rule_of_cmrc_by_hand(right, answer, exact, run, units):
    """Precision is the longest run over the units given, recall over those that are right."""
    precision, recall = run / units[1], run / units[0]
    f1 = 2 * precision * recall / (precision + recall) if run else 0
    assert answers.cmrc_rule(right, answer) == (exact, pytest.approx(f1))


def test_the_best_of_several_right_answers_counts_by_each_measure():
    assert answers.best(["北京市", "首都北京"], "北京", answers.cmrc_rule) == (
        0,
        pytest.approx(0.8),
    )
    found = answers.score([["北京市", "北京"], ["一", "二"]], ["北京。", "二三"])
    assert found.cmrc == (0.5, pytest.approx((1 + 2 / 3) / 2))


@pytest.mark.parametrize(
    ("right", "answer", "exact", "f1"),
    [
        ("The Denver Broncos", "denver broncos!", 1, 1),
        ("Denver Broncos", "the broncos", 0, 2 / 3),
        ("", "", 1, 1),
        ("x", "", 0, 0),
    ],
)
def test_the_rule_of_squad(right, answer, exact, f1):
    assert answers.squad_rule(right, answer) == (exact, pytest.approx(f1))


def test_answers_are_scored_beside_the_closest():
    found = answers.score([["北京", "北京市"], [], ["上海"]], ["北京市", "", "天津"])
    assert found.cmrc == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert (found.questions, found.unanswerable) == (3, 1)
    assert answers.score([], []).figures["em"] == 0
