"""The words of a sentence in other orders."""

from lmstudio.text.word_orders import word_orders


def test_the_sentence_of_the_issue():
    made = word_orders("我爱你。", [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert [variant.order for variant in made] == ["swapped", "shuffled", "nonsense"]
    assert made[0].text == "你爱我。"
    assert len({variant.text for variant in made} | {"我爱你。"}) == 4
    assert all(sorted(variant.text) == sorted("我爱你。") for variant in made)
    assert all(variant.text.endswith("。") for variant in made)


def test_words_stay_whole_until_nonsense():
    text = "北京大学 在 中国"
    swapped, shuffled, nonsense = word_orders(text, [(0, 4), (5, 6), (7, 9)])
    assert swapped.text == "中国 在 北京大学"
    assert sorted(shuffled.text.split(" ")) == sorted(text.split(" "))
    assert sorted(nonsense.text) == sorted(text)
    assert [len(word) for word in nonsense.text.split(" ")] == [4, 1, 2]
    assert word_orders(text, [(0, 4), (5, 6), (7, 9)], seed=1)[1] == shuffled


def test_what_gives_nothing_new_is_left_out():
    assert word_orders("好", [(0, 1)]) == []
    assert word_orders("", []) == []
    assert word_orders("好好好", [(0, 1), (1, 2), (2, 3)]) == []
    assert [variant.text for variant in word_orders("你我", [(0, 1), (1, 2)])] == ["我你"]
