"""Corpora as people have them, where they are at hand: counts as their makers give them."""

import pytest

from tests.text.files.reading import read


@pytest.mark.parametrize(
    ("name", "kind", "count", "characters"),
    [
        ("lm/poet.tang.0.json", "json", 1000, 53_785),
        ("lm/tang_poems_trad.tsv.gz", "csv", 57_603, 3_668_082),
        ("cls/chnsenticorp/train.tsv.gz", "csv", 9600, 1_042_820),
        ("cls/tnews/train.tsv.gz", "csv", 53_360, 1_180_923),
        ("ner/cluener/dev.json", "json", 1343, 50_260),
        ("qa/cmrc2018_dev_squad.json.gz", "json", 848, 432_093),
    ],
)
@pytest.mark.slow
def test_every_row_is_a_document(shared, name, kind, count, characters):
    taken, refused = read(shared / "data" / name)
    assert not refused
    assert {item.format for item in taken} == {kind}
    assert (len(taken), sum(len(item.chunks) for item in taken)) == (count, characters)


@pytest.mark.parametrize(
    ("name", "kind", "lines", "words"),
    [
        ("seg/pku_test_gold.utf8", "words", 1944, 104_372),
        ("seg/pku_test_gold_cp936.txt", "words", 1944, 104_372),
        ("seg/rmrb199801_pku_tagged.txt.gz", "tagged", 19_484, 1_121_447),
        ("seg/rmrb199801_seg.txt.gz", "words", 19_484, 1_121_447),
        ("seg/zh_gsdsimp-ud-dev.conllu", "conllu", 500, 12_663),
    ],
)
@pytest.mark.slow
def test_given_words_are_counted(shared, name, kind, lines, words):
    (document,), refused = read(shared / "data" / name)
    assert not refused
    assert document.format == kind
    assert len(document.marked) == lines
    assert sum(len(line.words) for line in document.marked) == words
    if kind in ("tagged", "conllu"):
        assert all(len(line.tags) == len(line.words) for line in document.marked)
