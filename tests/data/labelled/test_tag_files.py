"""Files of tags without a blank line, tables that have none, and many lines."""

import pytest

from lmstudio.data.labelled.importing import import_examples, read_files
from lmstudio.data.labelled.label_options import LabelOptions
from lmstudio.data.labelled.reading import token_lines
from lmstudio.data.watched import EVERY, watched
from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job


@pytest.fixture
def file(tmp_path):
    """A file of a name, with a text."""

    def make(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return make


def test_tags_that_no_blank_line_parts_are_told(file):
    text = "北 B-LOC\n京 I-LOC\n" * (token_lines.LONG // 2)
    found = read_files({"train": [file("a.txt", text)]}, "auto", LabelOptions(), job=Job())
    (problem,) = [one for one in found.problems if one.sentence == token_lines.UNPARTED]
    assert problem.count == token_lines.LONG
    with pytest.raises(AppError, match="a blank line parts sentences"):
        import_examples(file("out", "").parent / "task", {"train": [file("a.txt", text)]}, "auto",
                        LabelOptions(), job=Job())  # fmt: skip


def test_a_short_file_of_one_sentence_is_as_it_should_be(file):
    found = read_files({"train": [file("a.txt", "北 B-LOC\n京 I-LOC\n")]}, "auto", LabelOptions(),
                       job=Job())  # fmt: skip
    assert [problem.sentence for problem in found.problems] == []


@pytest.mark.parametrize("name", ["words.csv", "words.tsv"])
def test_a_table_is_not_read_as_words_with_tags(file, name):
    text = "text,label\n我爱北京,好\n".replace(",", "\t" if name.endswith("tsv") else ",")
    with pytest.raises(AppError, match="A table has no tags"):
        read_files({"train": [file(name, text)]}, "tag", LabelOptions(), job=Job())


@pytest.mark.parametrize(
    ("name", "header", "tags"),
    [("a.tsv", "token\ttag", ("B-L", "I-L")), ("a.txt", "Word Label\n", ("B-L", "I-L")),
     ("a.csv", "字\t标签", ("B-L", "I-L")), ("a.txt", "词 词性", ("v", "n"))],
    ids=["tabs", "spaces", "characters", "parts_of_speech"],
)  # fmt: skip
def test_a_line_that_names_the_columns_is_no_example(file, name, header, tags):
    text = f"{header}\n" + "北\t{}\n京\t{}\n\n".format(*tags) * 2
    found = read_files({"train": [file(name, text)]}, "tag", LabelOptions(), job=Job())
    types = [[span.type for span in one.spans] for one in found.parts["train"]]
    assert types == [["L"] if "I-L" in tags else ["v", "n"]] * 2
    assert [(one.sentence, one.places) for one in found.problems] == [
        (token_lines.HEADERS, [(f"{name}:1", " ".join(header.split()))])
    ]


def test_a_word_that_could_name_a_column_is_a_token_where_its_tag_comes_again(file):
    text = "word label\nof O\n\nhonour label\nof O\n"
    found = read_files({"train": [file("a.txt", text)]}, "tag", LabelOptions(), job=Job())
    assert [one.text for one in found.parts["train"]] == ["word of", "honour of"]


def test_tokens_and_tags_with_tabs_are_read_whatever_the_file_is_called(file):
    text = "北\tB-LOC\n京\tI-LOC\n\n我\tO\n"
    found = read_files({"train": [file("a.csv", text)]}, "tag", LabelOptions(), job=Job())
    assert [(one.text, len(one.spans)) for one in found.parts["train"]] == [("北京", 1), ("我", 0)]


@pytest.mark.parametrize(
    ("name", "line"),
    [("a.txt", "北 B-LOC\n\n"), ("a.csv", "好看,好\n"), ("a.jsonl", '{"text": "好", "label": 1}\n'),
     ("a.json", '{"tokens": ["北"], "tags": ["B-LOC"]}\n')],
    ids=["tags", "csv", "jsonl", "tokens"],
)  # fmt: skip
def test_many_lines_are_left_off_when_it_is_stopped(file, name, line, monkeypatch):
    job, seen = Job(), []
    monkeypatch.setattr(job, "check", lambda: seen.append(1))
    read_files({"train": [file(name, line * (3 * EVERY))]}, "auto", LabelOptions(), job=job)
    assert len(seen) > 3


def test_items_are_watched():
    job = Job()
    given = watched(range(3 * EVERY), job)
    assert [next(given), next(given)] == [0, 1]
    job.cancel()
    with pytest.raises(Cancelled):
        list(given)
