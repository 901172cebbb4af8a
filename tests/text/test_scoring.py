"""Scores equal those that the official scorer of the SIGHAN bakeoff prints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.text.scoring import SegmentationScore, aligned, differences, read_words, score

LINES = st.lists(st.sampled_from("abc"), max_size=12)
GOLD = [["共同", "创造", "美好", "的", "新", "世纪"], ["二○○一年", "新年", "贺词"]]
TEST = [["共同", "创造", "美好的", "新世纪"], ["二○○一年", "新年", "贺", "词"]]


def rounded(found: SegmentationScore) -> tuple[float, ...]:
    shares = (found.recall, found.precision, found.f1, found.oov_rate, found.oov_recall,
              found.iv_recall)  # fmt: skip
    return tuple(round(share, 3) for share in shares)


def longest_matches(data: bytes, words: set[bytes], longest: int) -> list[bytes]:
    """The bakeoff's own segmenter, mwseg.pl: the longest word from the left, else a character.

    It takes a character beyond ASCII for two bytes, which tears those of UTF-8 apart.
    """
    found, start = [], 0
    while start < len(data):
        end = next((e for e in range(min(len(data), start + longest), start, -1)
                    if data[start:e] in words), 0)  # fmt: skip
        end = end or start + (1 if 0x21 <= data[start] <= 0x7E else 2)
        found.append(data[start:end])
        start = end
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("gold", "encoding", "published"), [
    # the worked example of the bakeoff's README, which it prints for the CP936 files
    ("pku_test_gold_cp936.txt", "gb18030", (0.907, 0.843, 0.874, 0.058, 0.069, 0.958)),
    # the baseline of the bakeoff's table, which is that of the UTF-8 files
    ("pku_test_gold.utf8", "utf-8", (0.904, 0.836, 0.869, 0.058, 0.059, 0.956)),
])  # fmt: skip
def test_the_published_baseline(shared, gold, encoding, published):
    folder = shared / "data" / "seg"
    training = (folder / "pku_training_words.utf8").read_text("utf-8").split("\n")
    words = {word.strip().encode(encoding) for word in training} - {b""}
    longest = max(map(len, words))
    lines = [line.split() for line in (folder / gold).read_bytes().split(b"\n")]
    cut = [longest_matches(b"".join(line), words, longest) for line in lines]
    assert rounded(score(lines, cut, words)) == published
    assert rounded(score(lines, lines, words)) == (1, 1, 1, 0.058, 1, 1)


def test_both_encodings_of_the_gold_text_are_one(shared):
    folder = shared / "data" / "seg"
    lines = read_words(folder / "pku_test_gold.utf8")
    assert lines == read_words(folder / "pku_test_gold_cp936.txt")
    assert sum(map(len, lines)) == 104_372
    assert sum(map(bool, lines)) == 1_944


def test_a_small_example_by_hand():
    found = score(GOLD, TEST, {"共同", "美好", "的", "新年"})
    assert (found.gold, found.test, found.correct) == (9, 8, 4)
    assert (found.recall, found.precision) == (4 / 9, 1 / 2)
    assert found.f1 == pytest.approx(8 / 17)
    assert (found.oov, found.oov_correct) == (5, 2)  # 创造 and 二○○一年 of five
    assert (found.oov_recall, found.iv_recall) == (2 / 5, 2 / 4)


def test_nothing_scores_nothing():
    found = score([], [])
    assert (found.recall, found.precision, found.f1) == (0, 0, 0)
    assert (found.oov_rate, found.oov_recall, found.iv_recall) == (None, None, None)
    with pytest.raises(ValueError, match="shorter"):
        score([["a"]], [])


@given(one=LINES, other=LINES)
def test_alignment_is_a_longest_common_subsequence(one, other):
    pairs = aligned(one, other)
    assert all(one[i] == other[j] for i, j in pairs)
    assert pairs == sorted(pairs)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            best = max(table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else best
    assert len(pairs) == table[-1][-1]


@given(one=LINES, other=LINES)
def test_chunks_put_together_are_both_lines(one, other):
    for found in differences([one], [other]):
        assert [w for gold, _ in found.chunks for w in gold] == one
        assert [w for _, test in found.chunks for w in test] == other
        same = [gold == test for gold, test in found.chunks]
        assert all(a != b for a, b in zip(same, same[1:], strict=False))


def test_differences_show_what_was_cut_otherwise():
    first, second = differences(GOLD, TEST)
    assert (first.line, second.line) == (1, 2)
    assert first.chunks == (
        (("共同", "创造"), ("共同", "创造")), (("美好", "的", "新", "世纪"), ("美好的", "新世纪")),
    )  # fmt: skip
    assert second.chunks[-1] == (("贺词",), ("贺", "词"))
    assert len(differences(GOLD, TEST, 1)) == 1
    assert not differences(GOLD, GOLD)
