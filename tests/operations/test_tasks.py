"""Tasks of files: cases F-1 to F-5, real data, and that what is written is read the same again."""

from dataclasses import replace

import pytest

from lmstudio.data.labelled.label_options import LabelOptions
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import task_scores, tasks, valid_parts


def imported(ws, kind="auto", options=None, **files):
    files = {part: [path] for part, path in files.items()}
    changes = tasks.import_task(ws, "task", kind, files, options or LabelOptions(), job=Job())
    return ws.task(changes.new_id), tasks.report(ws, changes.new_id)


def problem(report, start, part=None):
    (found,) = [p for p in report.problems
                if p.sentence.startswith(start) and part in (None, p.part)]  # fmt: skip
    return found


def test_case_f1_answers_are_repaired_or_listed(workspace, cases):
    row, report = imported(workspace, train=cases / "f_squad_misaligned.json")
    assert (row.kind, sum(report.used.values()), report.dropped) == ("qa", 6, 3)
    moved = problem(report, "Answers that stood elsewhere")
    assert [place.rpartition(":")[2] for place, _ in moved.places] == ["q2", "q3", "q5"]
    assert [detail for _, detail in moved.places] == ["北京: 1 → 0", "北京: 9 → 11", "我爱: 6 → 5"]
    absent = problem(report, "Questions left out, as their answer")
    assert absent.places[0][1] == "NLP (ＮＬＰ: 7)"
    assert absent.count == 2
    assert problem(report, "Questions left out, as they have no").count == 1


def test_case_f1_cmrc_as_published(cases):
    found = tasks.preview_task({"train": [cases / "f_cmrc_style.json"]}, job=Job())
    (example,) = found.examples["train"]
    assert example.text[example.spans[0].start : example.spans[0].end] == "北京"
    assert example.spans[0].start == 0


def test_case_f2_impossible_tags_and_blank_lines(cases):
    found = tasks.preview_task({"train": [cases / "f_bio_bad.txt"]}, job=Job())
    assert [len(example.text) for example in found.examples["train"]] == [5, 2, 3, 1]
    told = sorted(place for problem in found.problems for place in problem.places)
    assert told == [("f_bio_bad.txt:1", "→ I-PER"), ("f_bio_bad.txt:13", "。"),
                    ("f_bio_bad.txt:5", "B-LOC → I-ORG")]  # fmt: skip


def test_case_f3_a_label_of_the_validation_part_only(workspace, cases):
    row, report = imported(workspace, train=cases / "f_bio_train.txt",
                           valid=cases / "f_bio_dev_newlabel.txt")  # fmt: skip
    assert row.facts["labels"] == ["LOC", "ORG"]
    assert problem(report, "Labels that").places == [("ORG", "train 0, valid 1")]


def test_case_f3_numbers_as_labels(workspace, cases):
    row, _ = imported(workspace, train=cases / "f_labels_1to5.tsv")
    assert row.facts["labels"] == ["1", "2", "3", "4", "5"]
    assert row.facts["columns"] == {"text": "句子", "label": "标签"}


def test_case_f4_copies_and_conflicts(workspace, cases):
    _, report = imported(workspace, train=cases / "f_train_dup.csv",
                         valid=cases / "f_val_dup.csv")  # fmt: skip
    leaked = problem(report, "Examples of the {part} part whose text")
    assert (leaked.count, leaked.values["all"], leaked.part) == (2, 3, "valid")
    assert problem(report, "Texts with conflicting").count == 1


def test_case_f4_copies_go_to_one_side(workspace, cases):
    imported(workspace, train=cases / "f_train_dup.csv", options=LabelOptions(valid_share=0.5))
    train, valid = ({e.text for e in tasks.examples(workspace, 1, p)} for p in ("train", "valid"))
    assert valid
    assert not train & valid


def test_case_f5_dropped_rows_are_counted(workspace, tmp_path):
    rows = [f"文本{n}\t{'' if n % 5 == 0 else n % 2}" for n in range(200)]
    path = tmp_path / "rows.tsv"
    path.write_text("\n".join(["text\tlabel", *rows]), encoding="gb18030")
    _, report = imported(workspace, train=path)
    assert (sum(report.used.values()), report.dropped) == (160, 40)
    assert problem(report, "Rows without a label").places[0][0] == "rows.tsv:2"


def test_case_f5_something_is_always_held_out(workspace, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("text,label\n" + "".join(f"t{n},{n % 2}\n" for n in range(50)))
    row, _ = imported(workspace, train=path, options=LabelOptions(valid_share=0.01))
    assert row.facts["counts"] == {"train": 49, "valid": 1}


def test_a_training_part_that_would_keep_one_class_only_is_refused(workspace, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("text,label\n" + "好,a\n" * 20 + "差,b\n" * 10, encoding="utf-8")
    with pytest.raises(AppError, match="too few different examples"):
        imported(workspace, train=path)
    assert not workspace.tasks()


def test_a_file_of_another_kind_is_refused(workspace, cases):
    with pytest.raises(AppError, match="another kind"):
        imported(workspace, "classify", train=cases / "f_cmrc_style.json")
    assert not workspace.tasks()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "kind", "counts", "labels"),
    [
        ("ner/resume", "tag", (3821, 463, 477), 8),
        ("slots_en/atis", "tag", (4478, 500, 893), 83),
        ("pair/ocnli", "pair", (9985, 2950), 3),
        ("qa/cmrc2018_trial_squad.json", "qa", (900, 100), 0),
    ],
)
def test_real_files_and_back(workspace, shared, tmp_path, path, kind, counts, labels):
    files = tasks.parts_of([shared / "data" / path])
    first = workspace.task(tasks.import_task(workspace, "", files=files, job=Job()).new_id)
    assert first.kind == kind
    assert tuple(first.facts["counts"].values()) == counts
    assert len(first.facts["labels"]) == labels
    written = tasks.export_task(workspace, first.id, tmp_path, job=Job())
    parts = {file.stem: [file] for file in written}
    again = tasks.import_task(workspace, "again", kind, parts, job=Job()).new_id
    for part in first.facts["counts"]:
        assert bare(workspace, again, part) == bare(workspace, first.id, part)


def bare(ws, task, part):
    return sorted(map(repr, (replace(e, place="") for e in tasks.examples(ws, task, part))))


@pytest.mark.parametrize("share", [0.0, 0.2], ids=["without", "with"])
def test_what_has_no_test_part_is_scored_on_the_valid_part(workspace, tmp_path, share):
    path = tmp_path / "a.csv"
    path.write_text("".join(f"第{n}句,{'ab'[n % 2]}\n" for n in range(40)), encoding="utf-8")
    tasks.import_task(workspace, "a", files={"train": [path]},
                      options=LabelOptions(test_share=share), job=Job())  # fmt: skip
    assert task_scores.usual_part(workspace, "a") == ("test" if share else "valid")


@pytest.mark.parametrize(
    ("rows", "said"),
    [(["天气", "出行"], "has no labels"), (["天气\tx", "出行\ty"], "is one that is trained on")],
    ids=["none", "others"],
)
def test_a_valid_part_that_nothing_can_be_scored_by_is_refused(workspace, tmp_path, rows, said):
    train = [f"第{n}场比赛的消息\t{n % 2}" for n in range(20)]
    (tmp_path / "train.tsv").write_text("\n".join(["text\tlabel", *train]), encoding="utf-8")
    bare = rows if "\t" in rows[0] else [f"{row}\t" for row in rows]
    (tmp_path / "valid.tsv").write_text("\n".join(["text\tlabel", *bare]), encoding="utf-8")
    files = {"train": [tmp_path / "train.tsv"], "valid": [tmp_path / "valid.tsv"]}
    made = tasks.import_task(workspace, "t", "classify", files, job=Job()).new_id
    with pytest.raises(AppError, match=said):
        valid_parts.check_valid(workspace.task(made))
    only = tasks.import_task(workspace, "u", "classify", {"train": files["train"]}, job=Job())
    valid_parts.check_valid(workspace.task(only.new_id))
