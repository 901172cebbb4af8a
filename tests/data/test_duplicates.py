"""Documents that stand in a corpus twice are found, and no others are named."""

import random
from pathlib import Path

import pytest

from lmstudio.data.copies import shingles
from lmstudio.data.copies.duplicates import DuplicateReport, duplicates
from lmstudio.data.copies.neighbours import NEAR
from lmstudio.data.copies.shingles import Resemblance
from lmstudio.data.layout import CorpusText
from lmstudio.data.writer import CorpusWriter
from lmstudio.errors import Cancelled
from lmstudio.jobs import Job

HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 2000)]


def write(folder: Path, documents: list[list[str]]) -> list[tuple[int, int]]:
    """Lines by document -> the first line and number of lines of each."""
    folder.mkdir(exist_ok=True)
    bounds = []
    with CorpusWriter(folder) as writer:
        for lines in documents:
            bounds.append((writer.lines, len(lines)))
            writer.begin_document()
            for line in lines:
                writer.add(line, [(0, 0)])
    return bounds


def found(folder: Path, documents: list[list[str]]) -> DuplicateReport:
    return duplicates(folder, write(folder, documents), job=Job())


def han(seed: int, length: int = 60) -> str:
    return "".join(random.Random(seed).choices(HAN, k=length))


def changed(text: str, places: list[int]) -> str:
    return "".join("改" if place in places else one for place, one in enumerate(text))


def test_exact_whatever_the_white_space_and_the_lines(tmp_path):
    text = han(1)
    documents = [
        [text],
        [han(2)],
        [text[:20], text[20:]],
        [f" {text[:5]}\u3000{text[5:]}"],
        [han(2)],
    ]
    report = found(tmp_path, documents)
    assert report.exact == [[0, 2, 3], [1, 4]]
    assert (report.exact_documents, report.near, report.near_documents) == (3, [], 0)


def test_near_is_close_to_the_first_of_its_group_and_copies_are_not_counted_again(tmp_path):
    text = han(1)
    once, thrice = changed(text, [30]), changed(text, [10, 30, 50])
    report = found(tmp_path, [[han(3)], [text], [once], [once], [thrice], [han(4)]])
    assert report.exact == [[2, 3]]
    assert report.near == [[1, 2, 4]]
    assert report.near_documents == 2


def test_a_chain_of_small_changes_is_not_one_group(tmp_path):
    texts = [han(5, 100)]
    for step in range(10):
        texts.append(changed(texts[-1], list(range(step * 10, step * 10 + 10))))
    bounds = write(tmp_path, [[text] for text in texts])
    report = duplicates(tmp_path, bounds, job=Job())
    alike = Resemblance(CorpusText(tmp_path), bounds, job=Job())
    assert len(report.near) > 1
    for first, *others in report.near:
        assert all(alike.jaccard(first, other) >= NEAR for other in others)


def test_the_index_is_that_of_the_sets(tmp_path):
    one, other = han(6), changed(han(6), [7, 40])
    bounds = write(tmp_path, [[one], [other, "尾"]])
    sets = [{text[i : i + 3] for i in range(len(text) - 2)} for text in (one, other + "尾")]
    expected = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
    assert Resemblance(CorpusText(tmp_path), bounds, job=Job()).jaccard(0, 1) == expected


def test_letters_count_by_word_so_that_two_english_texts_are_not_alike(tmp_path):
    words = ["".join(random.Random(n).choices("etaoinshrdlu", k=4)) for n in range(400)]
    texts = [" ".join(random.Random(seed).choices(words, k=5000)) for seed in (1, 2)]
    revised = texts[0].replace(words[7], "corrected")
    report = found(tmp_path, [[texts[0]], [texts[1]], [revised]])
    assert report.near == [[0, 2]]


def test_short_texts_are_only_compared_whole(tmp_path):
    assert found(tmp_path, [["春眠不觉晓"], ["春眠不觉晓。"], ["好"], ["好"], ["春"]]) == (
        DuplicateReport(exact=[[2, 3]])
    )


@pytest.mark.parametrize("documents", [[], [["只有一篇"]], [["一"], ["二"]]])
def test_nothing_to_compare(tmp_path, documents):
    assert found(tmp_path, documents) == DuplicateReport()


def test_a_text_read_in_pieces_is_known_as_when_read_at_once(tmp_path, monkeypatch):
    lines = [han(seed, 30) for seed in range(200)]
    documents = [lines, [han(9)], lines, [*lines[:-20], *(han(s, 30) for s in range(300, 320))]]
    whole = found(tmp_path, documents)
    monkeypatch.setattr(shingles, "_AT_ONCE", 2000)
    assert found(tmp_path, documents) == whole
    assert (whole.exact, whole.near) == ([[0, 2]], [[0, 3]])
    monkeypatch.setattr(shingles, "_LARGE", 10_000)  # a sample decides
    assert found(tmp_path, documents) == whole


def test_thousands_of_like_forms_do_not_take_forever(tmp_path):
    form = han(1, 40)
    documents = [[f"{form}{han(n + 10, 60)}"] for n in range(1000)]
    assert found(tmp_path, documents).near_documents == 0


def test_can_be_stopped(tmp_path):
    bounds = write(tmp_path, [[han(1)], [han(2)]])
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        duplicates(tmp_path, bounds, job=job)


def test_counts_go_into_plain_data():
    report = DuplicateReport([[0, 1, 2]], [[3, 4]])
    assert report.to_json() == {
        "exact": [[0, 1, 2]], "near": [[3, 4]], "exact_documents": 2, "near_documents": 1,
    }  # fmt: skip


def test_successive_revisions_of_a_law_are_near(shared, tmp_path):
    import gzip

    with gzip.open(shared / "data/lm/laws_national.txt.gz", "rt", encoding="utf-8") as file:
        documents = [part.split("\n") for part in file.read(9_000_000).split("\n\n")]
    documents = [[line for line in lines if line.strip()] for lines in documents]
    documents = [lines for lines in documents if lines]
    report = found(tmp_path, documents)
    titles = [[documents[number][0] for number in group] for group in report.near]
    same = sum(len(set(group)) == 1 for group in titles)
    assert report.near_documents >= 40
    assert same > len(titles) / 2  # the rest: laws made after one pattern, or "decision to amend"
