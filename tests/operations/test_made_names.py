"""Names of what was made beside what was asked for: typed without quotes, free, in any language."""

from shlex import split

import pytest

from lmstudio import messages
from lmstudio.jobs import Job
from lmstudio.operations import finetuning, task_pretraining
from lmstudio.operations.made_names import made_name
from lmstudio.training.task_config import TaskConfig
from tests.operations.test_finetuning import HOW, add_task
from tests.operations.test_task_pretraining import encoder

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("thu", "bert", "mix"), "thu-bert-mix"),
        (("影评 · 全文", "LSTM 2×256, document"), "影评-全文-LSTM-2x256-document"),
        (("a|b; $(c)", "d'e"), "a-b-c-d-e"),
        (("--name", "x"), "name-x"),
        (("···", "x"), "···-x"),
    ],
    ids=["plain", "blanks", "shell", "option", "nothing left"],
)
def test_a_name_is_one_word_of_a_shell(parts, name):
    assert made_name(*parts) == name
    assert split(f"run {name}") == ["run", name]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_what_a_fine_tuning_adds_can_be_typed(workspace, encoder, language):
    add_task(workspace, "tag")
    head = TaskConfig(kind="tag", crf=True, layers="mix", tuned=0)
    before = messages.language()
    messages.use(language)
    try:
        one = task_pretraining.queue_chain(workspace, 1, encoder, head, HOW, job=Job())
        again = finetuning.queue_tuning(workspace, 1, encoder, head, HOW, seeds=2)
        more = finetuning.queue_tuning(workspace, 1, encoder, head, HOW, seeds=2)
    finally:
        messages.use(before)
    assert one.pretrained.name == "encoder+task-tag"
    assert workspace.corpora()[-1].name == "task-tag-texts"
    assert workspace.segmentation(one.pretrained.segmentation_id).name == "task-tag-texts-encoder"
    assert [run.name for run in one.runs[1:]] == ["task-tag-encoder+task-tag-mix-crf-frozen"]
    assert [run.name for run in again] == [
        f"task-tag-encoder-mix-crf-frozen-seed{n}" for n in (1, 2)
    ]
    assert [run.name for run in more] == [f"{run.name}-2" for run in again]
