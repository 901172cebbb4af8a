"""Imports of many documents: tables, given words, normalised text, copies, leaks, and all again."""

from dataclasses import replace

import pytest

from lmstudio.data.given import GivenWords, has_given
from lmstudio.data.import_options import ImportOptions
from lmstudio.data.layout import CorpusText
from lmstudio.data.origin import original_position
from lmstudio.data.split import SplitRule
from lmstudio.errors import AppError, SpecError
from lmstudio.jobs import Job
from lmstudio.operations import corpora
from lmstudio.text.document import ReadOptions
from lmstudio.text.normalize import NormaliseOptions
from tests.operations.test_corpora import CASES, left_behind, lines_of

LONG = "这一句话足够长，可以算作泄漏。"


def take(ws, *paths, name="", **options):
    """The Changes and the row of an import."""
    chosen = ImportOptions(**options)
    changes = corpora.import_files(ws, paths, name=name, options=chosen, job=Job())
    return changes, ws.corpus(changes.new_id)


def table(path, rows, header="text,label,part"):
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def told(changes):
    return "\n".join(map(str, changes.notes))


def texts(ws, row):
    lines = lines_of(ws, row)
    return [(d.title, d.label, d.part, lines[d.first_line : d.first_line + d.lines])
            for d in ws.documents(row.id)]  # fmt: skip


def test_case_a7_a_table_is_exported_and_imported_again(workspace, tmp_path):
    _, row = take(workspace, CASES / "a07_quoted.csv")
    found = texts(workspace, row)
    assert [(label, lines) for _, label, _, lines in found] == [
        ("正", ["第一行，有逗号"]),
        ("负", ["第二条", "跨两行的文本"]),
        ("正", ['他说："很好"，我同意']),
    ]
    corpora.documents_csv(workspace, row.id, tmp_path / "all.csv", job=Job())
    assert (tmp_path / "all.csv").read_bytes().startswith("\ufeffname,title,label".encode())
    _, again = take(workspace, tmp_path / "all.csv")
    assert [text[1:2] + text[3:] for text in texts(workspace, again)] == [
        text[1:2] + text[3:] for text in found
    ]


def test_titles_labels_and_parts_survive_an_export(workspace, tmp_path):
    rows = [f'"第{n}篇，有""引号""",类{n % 3},题{n},{part}'
            for n, part in enumerate(["train"] * 4 + ["valid"] + ["test"])]  # fmt: skip
    _, row = take(workspace, table(tmp_path / "a.csv", rows, "text,label,title,part"))
    assert row.split_rule == "column"
    corpora.documents_csv(workspace, row.id, tmp_path / "b.csv", job=Job())
    _, again = take(workspace, tmp_path / "b.csv")
    assert texts(workspace, again) == texts(workspace, row)
    assert again.split_rule == "column"
    assert texts(workspace, row)[4] == ("题4", "类1", "valid", ['第4篇，有"引号"'])


def test_a_column_names_the_parts(workspace, tmp_path):
    path = table(tmp_path / "a.csv", [f"文本{n},正,{part}" for n, part in enumerate(
        ["train", "dev", "测试", "test", "训练"])])  # fmt: skip
    _, row = take(workspace, path)
    assert row.split_rule == "column"
    assert [d.part for d in workspace.documents(row.id)] == [
        "train", "valid", "test", "test", "train",
    ]  # fmt: skip
    chosen = ReadOptions(part_column="part")
    _, gaps = take(
        workspace, table(tmp_path / "c.csv", ["文一,正,", "文二,正,test"]), reading=chosen
    )
    assert [d.part for d in workspace.documents(gaps.id)] == ["train", "test"]
    _, blocks = take(workspace, path, split=SplitRule(by="line-blocks"))
    assert blocks.split_rule.startswith("blocks")
    _, alike = take(workspace, table(tmp_path / "b.csv", ["文一,正,train", "文二,正,train"]))
    assert alike.split_rule.startswith("blocks")  # there is nothing held out to be kept


def test_a_column_that_is_asked_for_must_be_of_use(workspace, tmp_path):
    by_column = SplitRule(by="column")
    with pytest.raises(AppError, match="No column says train"):
        take(
            workspace, table(tmp_path / "a.csv", ["好,正", "坏,负"], "text,label"), split=by_column
        )
    with pytest.raises(AppError, match="no training part: every row is for test"):
        take(workspace, table(tmp_path / "b.csv", ["好,正,test", "坏,负,test"]), split=by_column)
    assert left_behind(workspace) == []


def test_given_words_and_tags_are_kept(workspace, tmp_path):
    (tmp_path / "a.txt").write_text("我/r 爱/v 北京/ns 。/w\n他/r 来/v 了/u 。/w\n", "utf-8")
    (tmp_path / "b.txt").write_text("没有给出词。\n", "utf-8")
    changes, row = take(workspace, tmp_path / "a.txt", tmp_path / "b.txt")
    folder = workspace.corpus_folder(row.id)
    assert lines_of(workspace, row) == ["我爱北京。", "他来了。", "没有给出词。"]
    given = GivenWords(folder)
    for line, words, tags in (
        (1, [(0, 1), (1, 2), (2, 3), (3, 4)], "r v u w"),
        (0, [(0, 1), (1, 2), (2, 4), (4, 5)], "r v ns w"),
        (2, [], ""),
    ):
        spans, numbers = given.of(line)
        assert spans == words
        assert [given.tags[number] for number in numbers] == tags.split()
    assert original_position(folder, 0, 2) == "我/r 爱/v 北京/ns".index("北")
    assert (row.facts["given_words"], row.facts["tags"]) == (8, 5)
    assert "8 words" in told(changes)
    _, plain = take(workspace, tmp_path / "b.txt", name="plain")
    assert not has_given(workspace.corpus_folder(plain.id))
    assert plain.facts["given_words"] == 0


def test_given_words_are_normalised_with_their_line(workspace, tmp_path):
    (tmp_path / "a.txt").write_text("漢語/n ㎞/q \u200b/w 好/a 。/w\n" * 3, "utf-8")
    how = NormaliseOptions(form="NFKC", script="simplified", invisible=True)
    _, row = take(workspace, tmp_path / "a.txt", normalise=how)
    given = GivenWords(workspace.corpus_folder(row.id))
    spans, tags = given.of(2)
    assert [lines_of(workspace, row)[2][start:end] for start, end in spans] == [
        "汉语", "km", "好", "。",
    ]  # fmt: skip
    assert [given.tags[tag] for tag in tags] == ["n", "q", "a", "w"]


@pytest.mark.parametrize("rule", ["paragraph", "wrapped"])
def test_case_b3_every_position_leads_back_through_all_steps(workspace, tmp_path, rule):
    text = (
        "如何才能在下载和安装google app\r\n\u3000今天 天气  很好\u3000吧\u200b\n\n"
        "我用ＧＰＴ-4和C++写了v2.0.1版，花費¥3,000.50！e\u0301㎞\ufeff\r\n\u200b\n  😀我爱💩💩北京"
    )
    (tmp_path / "a.txt").write_bytes(text.encode("utf-8-sig"))
    how = NormaliseOptions(True, "NFKC", "half", "simplified", "class", True, "collapse")
    _, row = take(workspace, tmp_path / "a.txt", reading=ReadOptions(lines=rule), normalise=how)
    folder = workspace.corpus_folder(row.id)
    lines = lines_of(workspace, row)
    places = [[original_position(folder, n, c) for c in range(len(line))]
              for n, line in enumerate(lines)]  # fmt: skip
    assert [place for line in places for place in line] == sorted(sum(places, []))
    whole = "".join(lines)
    for word, original in (("北京", "北京"), ("gpt", "ＧＰＴ"), ("google", "google"), ("费", "費"),
                           ("km", "㎞"), ("é", "e"), ("0,000.00", "3,000.50")):  # fmt: skip
        at = sum(places, [])[whole.index(word)]
        assert text[at : at + len(original)] == original
    facts = row.facts["normalise"]
    assert set(facts) == {"invisible", "form", "width", "script", "digits", "lower", "spaces"}
    assert (facts["script"]["value"], facts["script"]["changed"]) == ("simplified", 1)
    assert corpora.options_of(workspace, row.id).normalise == how


def test_without_steps_joined_lines_are_the_original(workspace, tmp_path):
    lines = ["如何才能在下载和安装google app", "今天 天气  很好\u3000吧",
             "我用GPT-4和C++写了v2.0.1版，花费¥3,000.50！"]  # fmt: skip
    (tmp_path / "a.txt").write_text("\n".join(lines), "utf-8")
    _, row = take(workspace, tmp_path / "a.txt")
    assert lines_of(workspace, row) == lines
    assert row.facts["normalise"] == {}


def test_copies_and_near_copies_are_counted_and_dropped(workspace, tmp_path):
    story = "很久很久以前，山里住着一位老人，他每天早上都要到河边去打水，然后回家做饭给孙子吃。"
    rows = [story, "别的事情，与前面的一篇没有关系，说的是天上的云。", story.replace("，", "， "),
            story.replace("老人", "老翁"), "短"]  # fmt: skip
    path = table(tmp_path / "a.csv", [f'"{row}"' for row in rows], "text")
    changes, row = take(workspace, path)
    copies = row.facts["duplicates"]
    assert (copies["exact"], copies["near"], copies["dropped"]) == ([[0, 2]], [[0, 3]], 0)
    assert "1 document has the same text" in told(changes)
    _, exact = take(workspace, path, duplicates="drop-exact")
    assert lines_of(workspace, exact) == [rows[0], rows[1], rows[3], rows[4]]
    assert exact.facts["duplicates"]["dropped"] == 1
    _, near = take(workspace, path, duplicates="drop-near")
    assert lines_of(workspace, near) == [rows[0], rows[1], rows[4]]
    assert [d.first_line for d in workspace.documents(near.id)] == [0, 1, 2]
    assert near.facts["parts"]["train"]["documents"] == near.documents - 2
    assert near.characters == sum(d.characters for d in workspace.documents(near.id))


def test_a_split_of_our_own_keeps_copies_together(workspace, tmp_path):
    rows = [f"第{n % 30}篇文章里说的事情" for n in range(90)]
    for by in ("document", "line-blocks"):
        _, row = take(workspace, table(tmp_path / f"{by}.csv", rows, "text"),
                      split=SplitRule(20, 20, by=by))  # fmt: skip
        documents = workspace.documents(row.id)
        assert {d.part for d in documents} == {"train", "valid", "test"}
        for number in range(30):
            assert len({d.part for d in documents[number::30]}) == 1
        assert all(not part["leaked_lines"] for part in row.facts["leaks"].values())


def test_leaks_are_told_and_dropped(workspace, tmp_path):
    files = {"train": [LONG, "训练时才有的一句话，别处没有。"], "test": [LONG, "测试时才有的话。"]}
    for part, lines in files.items():
        (tmp_path / f"{part}.txt").write_text("\n".join(lines), "utf-8")
    paths = [[tmp_path / "train.txt"], [], [tmp_path / "test.txt"]]
    changes = corpora.import_splits(workspace, *paths, name="kept", job=Job())
    assert "1 of 2 lines of the test part stands in the training part" in told(changes)
    assert workspace.corpus("kept").facts["leaks"]["test"]["leaked_lines"] == 1
    drop = ImportOptions(leaks="drop")
    changes = corpora.import_splits(workspace, *paths, name="dropped", options=drop, job=Job())
    row = workspace.corpus("dropped")
    assert lines_of(workspace, row) == [*files["train"], files["test"][1]]
    assert "1 line was taken out" in told(changes)
    assert row.facts["leaks"]["test"]["leaked_lines"] == 0
    assert row.facts["parts"]["test"]["lines"] == 1
    folder = workspace.corpus_folder(row.id)
    assert original_position(folder, 2, 0) == len(LONG) + 1
    assert not (folder / "characters.tmp").exists()


def test_dropping_keeps_given_words_with_their_lines(workspace, tmp_path):
    sentences = [
        "春天/t 来/v 了/u ，/w 河边/s 的/u 柳树/n 长出/v 新叶/n 。/w",
        "老师/n 在/p 黑板/n 上/f 写/v 下/v 一/m 行/q 大/a 字/n 。/w",
        "火车/n 穿过/v 隧道/n ，/w 驶/v 向/p 远方/s 的/u 城市/n ，/w 窗外/s 已是/v 黄昏/t 。/w",
    ]
    (tmp_path / "train.txt").write_text("\n".join(sentences[:2]), "utf-8")
    (tmp_path / "test.txt").write_text("\n".join(sentences[1:]), "utf-8")
    paths = [[tmp_path / "train.txt"], [], [tmp_path / "test.txt"]]
    corpora.import_splits(workspace, *paths, name="a", options=ImportOptions(leaks="drop"),
                          job=Job())  # fmt: skip
    folder = workspace.corpus_folder(workspace.corpus("a").id)
    text, given = CorpusText(folder), GivenWords(folder)
    assert [text.line(n)[slice(*given.of(n)[0][0])] for n in range(3)] == ["春天", "老师", "火车"]


def test_the_same_file_twice_is_noticed(workspace, tmp_path):
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(LONG if name != "c.txt" else "另一篇。", "utf-8")
    changes, row = take(workspace, tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "c.txt")
    assert row.documents == 2
    assert "b.txt was left out. It is the same as a.txt." in told(changes)
    changes, _ = take(workspace, tmp_path / "b.txt")
    assert f"b.txt was imported before, into {row.name}." in told(changes)


def test_the_files_of_a_corpus_are_kept_and_read_again(workspace, tmp_path):
    (tmp_path / "a.csv").write_text("text,label\n好。,正\n坏。,负\n坏。,负\n", "gb18030")
    options = ImportOptions(ReadOptions(encoding="gbk"), split=SplitRule(10, 10, 7))
    made = corpora.import_files(workspace, [tmp_path / "a.csv"], options=options, job=Job())
    (tmp_path / "a.csv").unlink()
    kept = corpora.options_of(workspace, made.new_id)
    assert kept.split == options.split
    [source] = corpora.sources(workspace, "a")
    assert (source.name, source.encoding, source.format) == ("a.csv", "gb18030", "csv")
    changed = replace(kept, reading=replace(kept.reading, text_column="label"))
    again = corpora.import_again(workspace, "a", changed, job=Job())
    row = workspace.corpus(again.new_id)
    assert (row.name, lines_of(workspace, row)) == ("a 2", ["正", "负", "负"])
    assert "before" not in told(again)
    [copy] = corpora.sources(workspace, row.id)
    assert copy.sha256 == source.sha256
    (workspace.corpus_folder(row.id) / "source" / "a.csv").unlink()
    with pytest.raises(AppError, match=r"a\.csv is missing"):
        corpora.import_again(workspace, row.id, kept, job=Job())


def test_given_parts_stay_when_a_corpus_is_read_again(workspace, tmp_path):
    for part in ("train", "valid"):
        (tmp_path / f"{part}.txt").write_text(f"{part} 很好\n", "utf-8")
    paths = [[tmp_path / "train.txt"], [tmp_path / "valid.txt"], []]
    corpora.import_splits(workspace, *paths, name="a", job=Job())
    lower = ImportOptions(normalise=NormaliseOptions(spaces="remove"))
    corpora.import_again(workspace, "a", lower, name="b", job=Job())
    assert texts(workspace, workspace.corpus("b")) == [
        ("", "", "train", ["train很好"]), ("", "", "valid", ["valid很好"]),
    ]  # fmt: skip
    assert workspace.corpus("b").split_rule == "files"


def test_what_is_left_out_of_a_file_is_said_of_the_file(workspace, tmp_path):
    changes, row = take(
        workspace, table(tmp_path / "a.csv", ["好,正", ",负", "坏,负"], "text,label")
    )
    assert (row.documents, row.facts["skipped"]) == (2, [])
    assert "a.csv: Rows without text: 1." in told(changes)
    assert row.facts["partly"][0][0] == "a.csv"


def test_a_held_out_part_of_leaks_alone_is_not_dropped_in_silence(workspace, tmp_path):
    for part in ("train", "test"):
        (tmp_path / f"{part}.txt").write_text(LONG, "utf-8")
    paths = [[tmp_path / "train.txt"], [], [tmp_path / "test.txt"]]
    drop = ImportOptions(leaks="drop")
    with pytest.raises(AppError, match="Nothing of the test part is left"):
        corpora.import_splits(workspace, *paths, options=drop, job=Job())
    assert left_behind(workspace) == []


def test_wrong_options_are_all_said(workspace, tmp_path):
    options = ImportOptions(NormaliseOptions(), duplicates="some")
    options = replace(options, reading=ReadOptions(header="?"), split=SplitRule(by="luck"))
    with pytest.raises(SpecError, match=r"header: .*by\): .*duplicates\): "):
        corpora.import_files(workspace, [tmp_path], options=options, job=Job())


def test_options_of_other_versions_are_read_as_far_as_they_are_known():
    options = ImportOptions(ReadOptions("gb18030"), NormaliseOptions(lower=True), leaks="drop")
    assert ImportOptions.from_json(options.to_json()) == options
    data = options.to_json() | {"new": 1}
    data["reading"]["colour"] = "red"
    assert ImportOptions.from_json(data) == options
    assert ImportOptions.from_json({"split": {"valid": 99}}) == ImportOptions()
