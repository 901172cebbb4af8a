"""The grammar of the samples: its oracle against brute force, its text against what is promised."""

import itertools
import math
import random
from collections import Counter

import pytest

from lmstudio.text.grammar import Oracle, documents, load
from lmstudio.text.grammar.documents import draw_document
from lmstudio.text.grammar.ranks import ENTRIES, HABITS
from lmstudio.text.grammar.reading import Grammar, GrammarError, read
from lmstudio.text.grammar.templates import (
    Choice,
    Literal,
    Mention,
    Slot,
    Table,
    Template,
)
from lmstudio.text.grammar.templates import sample as sample_sentence

SHARED = """
document 人=人物 友=人物
table 姓
  甲 乙
table 名: 名 他
  大 他
  小 她
table 人物 = 姓 名
synonyms
  看 看 瞧
phrase 时 = (早|晚|)
body
  {人} <时> 看 {友} 。
"""
BIRDS = """
topic 鸟
document 鸟
table 鸟: 名 量
  鹤 只
  大雁 只/群
  雁 群
opening
  {人} 看 {鸟} 。
body
  一 {鸟.量} {鸟2} (大|) {鸟} 。
  {鸟2} 比 {鸟} 大 。
  {人} 说 {人.他} 看 {友} 。
closing
  {鸟} 走 。
"""
COINS = """
topic 钱
table 币
  元 角 元_角
opening
  {人} 有 {币} 。
body
  {币} {币2} 。
  {人} 看 {友} 。
closing
  完 。
"""


def toy(low=2, high=4):
    grammar = read([SHARED, BIRDS, COINS])
    return Grammar(grammar.topics, grammar.general, 0.25, (low, high))


def fall(place, count, law=HABITS):
    """The share of what stands at a place of a list, by the formula of the docstring."""
    weights = [(rank + law.offset) ** -law.exponent for rank in range(1, count + 1)]
    return weights[place] / sum(weights)


def strings(template, mentioned, bindings):
    """Every derivation of a template: (text, p), given the document's variables."""
    partial = [("", 1.0, mentioned)]
    for node in template.nodes:
        grown = []
        for text, p, known in partial:
            if isinstance(node, Literal):
                grown.append((text + "".join(node.words), p, known))
            elif isinstance(node, Choice):
                for number, alternative in enumerate(node.alternatives):
                    share = p * fall(number, len(node.alternatives))
                    for more, q, after in strings(alternative, known, bindings):
                        grown.append((text + more, share * q, after))
            elif isinstance(node, Mention):
                after = {**known, node.variable: (node.table, bindings[node.variable])}
                grown.append((text, p, after))
            else:
                if node.variable in known:
                    rows = [known[node.variable][1]]
                elif node.of_document:
                    rows = [bindings[node.variable]]
                else:
                    taken = {row for table, row in known.values() if table is node.table}
                    rows = [r for r in range(len(node.table.rows)) if r not in taken]
                left = sum(node.table.shares[row] for row in rows)
                for row in rows:
                    cell = node.table.rows[row][node.column]
                    after = {**known, node.variable: (node.table, row)}
                    for number, words in enumerate(cell):
                        q = p * node.table.shares[row] / left * fall(number, len(cell))
                        grown.append((text + "".join(words), q, after))
        partial = grown
    return partial


def worlds(grammar):
    """Every hidden state of a document with its probability."""
    for number, topic in enumerate(grammar.topics):
        p_topic = fall(number, len(grammar.topics))
        names, tables = list(topic.variables), list(topic.variables.values())
        drawn = [
            rows
            for rows in itertools.product(*(range(len(table.rows)) for table in tables))
            if all(
                a != b or tables[i] is not tables[j]
                for (i, a), (j, b) in itertools.combinations(enumerate(rows), 2)
            )
        ]
        weights = [
            math.prod(table.shares[row] for table, row in zip(tables, rows, strict=True))
            for rows in drawn
        ]
        for rows, weight in zip(drawn, weights, strict=True):
            yield topic, dict(zip(names, rows, strict=True)), p_topic * weight / sum(weights)


def emissions(grammar, topic, phase, bindings):
    """p(text | hidden state, phase)."""
    found = Counter()
    share = grammar.general_share if phase == "body" else 0.0
    own = topic.templates[phase]
    weighted = [(t, (1 - share) * fall(n, len(own))) for n, t in enumerate(own)]
    for number, template in enumerate(grammar.general if share else ()):
        weighted.append((template, share * fall(number, len(grammar.general))))
    for template, weight in weighted:
        for text, p, _ in strings(template, {}, bindings):
            found[text] += weight * p
    return found


def marginal(grammar):
    """p(text) of a random sentence, by brute force."""
    mean = sum(grammar.lengths) / 2
    phases = {"opening": 1 / mean, "body": 1 - 2 / mean, "closing": 1 / mean}
    found = Counter()
    for topic, bindings, p_world in worlds(grammar):
        for phase, p_phase in phases.items():
            for text, p in emissions(grammar, topic, phase, bindings).items():
                found[text] += p_world * p_phase * p
    return found


def test_a_sentence_has_the_probability_of_all_its_derivations():
    grammar = toy()
    oracle, expected = Oracle(grammar), marginal(grammar)
    assert sum(expected.values()) == pytest.approx(1)
    for text, p in expected.items():
        assert 2 ** -oracle.bits(text) == pytest.approx(p, rel=1e-9), text


def test_entries_fall_slowly_and_people_fast():
    tables = next(topic for topic in toy().topics if topic.name == "鸟").variables
    assert tables["鸟"].shares == pytest.approx([fall(row, 3, ENTRIES) for row in range(3)])
    halves = [fall(0, 2), fall(1, 2)]
    assert tables["人"].shares == pytest.approx([p * q for p in halves for q in halves])


def test_two_people_that_differ_are_scored_in_whatever_order_they_come():
    """p(a, b) is p(a) p(b | a) as well as p(b) p(a | b), and sums to one."""
    table = toy().topics[0].variables["人"]
    assert sum(table.paired) == pytest.approx(1)
    for a, b in itertools.permutations(range(len(table.rows)), 2):
        forth = table.paired[a] * table.shares[b] / (1 - table.shares[a])
        assert forth == pytest.approx(table.paired[b] * table.shares[a] / (1 - table.shares[b]))


def test_a_string_with_two_derivations_counts_both():
    """A 大雁 is one bird of the table, or a 雁 that is 大."""
    assert len({reading.bindings for reading in Oracle(toy()).readings("一群鹤大雁。")}) == 2


def test_the_sum_over_all_sentences_is_one_at_every_place_of_a_document():
    grammar = toy()
    oracle = Oracle(grammar)
    texts = list(marginal(grammar))
    for seed in range(5):
        document = draw_document(grammar, random.Random(seed)).lines
        for place in range(len(document)):
            past = document[:place]
            total = sum(2 ** -oracle.document_bits([*past, text])[-1] for text in texts)
            assert total == pytest.approx(1, rel=1e-9)


def test_a_sentence_given_its_past_is_the_ratio_of_two_sums_over_hidden_states():
    grammar = toy(3, 3)
    oracle = Oracle(grammar)
    for seed in range(8):
        lines = draw_document(grammar, random.Random(seed)).lines
        joint = [0.0] * 4
        for topic, bindings, p_world in worlds(grammar):
            p = p_world
            joint[0] += p
            for number, (line, phase) in enumerate(
                zip(lines, ("opening", "body", "closing"), strict=True), 1
            ):
                p *= emissions(grammar, topic, phase, bindings)[line]
                joint[number] += p
        expected = [-math.log2(after / before) for before, after in itertools.pairwise(joint)]
        assert oracle.document_bits(lines) == pytest.approx(expected)


def test_two_variables_of_a_table_never_have_the_same_value():
    assert Oracle(toy()).bits("一只鹤大鹤。") == math.inf
    assert Oracle(toy()).bits("一只鹤大雁。") < math.inf


def test_samples_come_as_often_as_they_are_scored():
    grammar = toy()
    expected = marginal(grammar)
    drawn, source = Counter(), random.Random(3)
    for _ in range(8000):
        drawn.update(draw_document(grammar, source).lines)
    count = drawn.total()
    assert set(drawn) <= set(expected)
    for text, p in expected.items():
        assert drawn[text] / count == pytest.approx(p, abs=5 * math.sqrt(p / count))


def test_what_the_grammar_cannot_make_costs_infinitely_many_bits():
    assert Oracle(toy()).bits("甲大看。") == math.inf
    assert Oracle(load()).bits("今天") == math.inf


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (COINS.replace("  完 。", "  {无} 。"), "no table 无"),
        (COINS.replace("{币2}", "{币2.量}"), "no column 量"),
        (COINS.replace("{币2}", "{币2} {币3} {币4}"), "too short"),
        (COINS.replace("{币2}", "({币2}"), "no closing bracket"),
        (COINS.replace("{币2}", "{币2})"), "bracket too many"),
        (COINS.replace("{币2}", "<无>"), "no phrase 无"),
        (COINS.replace("closing", "ending"), "not a keyword"),
        (COINS.replace("opening\n  {人} 有 {币} 。\n", ""), "no opening"),
        (COINS.replace("table 币", "table 币2"), "digits"),
        (COINS.replace("topic 钱", "topic 钱\ndocument 客=人物"), "three variables"),
        (BIRDS.replace("鹤 只", "鹤"), "columns"),
    ],
    ids=["table", "column", "short", "open", "close", "phrase", "keyword", "phase", "digits",
         "three", "columns"],
)  # fmt: skip
def test_a_fault_in_a_grammar_file_is_named(text, fault):
    with pytest.raises(GrammarError, match=fault):
        read([SHARED, text])


@pytest.fixture(scope="module")
def sample():
    return list(documents(load(), 150_000, 1))


def test_the_same_seed_gives_the_same_text_and_a_longer_one_begins_with_it(sample):
    again = list(documents(load(), 50_000, 1))
    assert again == sample[: len(again)]
    assert again != list(documents(load(), 50_000, 2))[: len(again)]


def test_documents_have_6_to_20_whole_sentences(sample):
    assert {len(document.sentences) for document in sample} == set(range(6, 21))
    for document in sample:
        for line in document.lines:
            assert line.endswith(("。", "？", "！", "”")), line
            assert not any(character.isspace() or character.isascii() for character in line), line
            assert not any(pair in line for pair in ("，，", "。。", "，。", "、，", "“”")), line


def test_every_sentence_has_a_finite_price_and_the_past_makes_it_cheaper(sample):
    oracle = Oracle(load())
    alone = given = 0.0
    for document in sample[:60]:
        readings = [oracle.readings(line) for line in document.lines]
        alone += sum(oracle.bits_of(each) for each in readings)
        given += sum(oracle.filter_bits(readings))
    assert given < alone < math.inf


def test_ambiguous_words_come_in_both_senses():
    """杜鹃 calls or blooms; 苹果 is eaten or makes telephones; 东西 are things or directions."""
    text = "".join(document.text for document in documents(load(), 300_000, 1))
    for senses in [("听见杜鹃在", "杜鹃开得"), ("东西走向", "买完东西"),
                   ("苹果公司", "咬了一口苹果"), ("坐下来算账", "再跟你算账"),
                   ("门口有黄牛", "黄牛爱吃")]:  # fmt: skip
        assert all(sense in text for sense in senses), senses


def test_who_grew_up_in_a_country_speaks_its_language():
    """The word that decides stands many words before the one it decides."""
    grammar = load()
    topic = next(topic for topic in grammar.topics if topic.name == "语言")
    countries = topic.variables["国"]
    pairs = {row[0][0][0]: row[1][0][0] for row in countries.rows}
    assert pairs["法国"] == "法语"
    oracle = Oracle(grammar)
    good = "王小明在法国长大，一住就是十年，所以他能说一口流利的法语。"
    assert oracle.bits(good) < math.inf
    assert oracle.bits(good.replace("法语", "德语")) == math.inf


def words(size):
    return {
        word
        for document in documents(load(), size, 1)
        for sentence in document.sentences
        for word in sentence
    }


def test_the_sample_uses_thousands_of_words():
    assert len(words(300_000)) >= 2000


@pytest.mark.slow
def test_three_megabytes_use_more():
    assert len(words(3_000_000)) >= 3000


def test_words_that_agree_say_how_far_back_they_look() -> None:
    rows = (((("狗",),), (("汪汪",),)), ((("猫",),), (("喵喵",),)))
    table = Table("动物", ("名", "声"), rows, (0.5, 0.5))
    animal, sound = (Slot("动物", table, column, True) for column in (0, 1))
    template = Template((animal, Literal(("在", "树", "下")), sound, Literal(("。",)), sound))
    found = sample_sentence(template, {"动物": (table, 1)}, random.Random(1))
    assert found.words == ["猫", "在", "树", "下", "喵喵", "。", "喵喵"]
    assert found.back == [0, 0, 0, 0, 4, 0, 2]
