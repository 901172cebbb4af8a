"""Runs of ours, written for transformers, give the same logits there, and are cut the same."""

import pytest
import torch

from lmstudio.data.layout import BOS, EOS
from lmstudio.errors import AppError
from lmstudio.files import write_json
from lmstudio.jobs import Job
from lmstudio.models.config import BertConfig, GptConfig
from lmstudio.models.tasks.task_model import TaskModel
from lmstudio.operations import corpora, exporting, segmentations
from lmstudio.store.rows import TaskRow
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.training.checkpoint import Checkpoints
from lmstudio.training.early_stopping import EarlyStopping
from lmstudio.training.plan import Plan
from lmstudio.training.progress import Progress
from lmstudio.training.spec import RunSpec, TrainingConfig
from lmstudio.training.task_config import TaskConfig

transformers = pytest.importorskip("transformers")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of another library
TOLERANCE = 2e-5
TEXT = "我爱北京。\n他是上海人ab。\n你是北京人，他爱上海。\n" * 10
ASKED = "他爱北京上海"
CUTS = {
    "characters": SegmentOptions(),
    "whitespace": SegmentOptions(by="whitespace"),
    "wordpiece": SegmentOptions(by="wordpiece", pieces=30),
    "byte-bpe": SegmentOptions(by="byte-bpe", pieces=300),
    "unigram": SegmentOptions(by="unigram", pieces=30),
}


@pytest.fixture(params=list(CUTS))
def cut(workspace, request):
    corpora.import_text(workspace, TEXT, name="text", job=Job())
    changes = segmentations.create(workspace, "text", CUTS[request.param], job=Job())
    return workspace.segmentation(changes.new_id)


@pytest.fixture
def characters(workspace):
    corpora.import_text(workspace, TEXT, name="text", job=Job())
    changes = segmentations.create(workspace, "text", CUTS["characters"], job=Job())
    return workspace.segmentation(changes.new_id)


def made(config, rows):
    """A module whose weights differ by about 0.3."""
    from lmstudio.formats.huggingface.translation import module_for

    torch.manual_seed(1)
    module = module_for(config, rows)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += 0.3 * torch.randn(parameter.shape)
    return module.eval()


def kept(ws, cut, spec, module, task=None):
    """A run with these weights."""
    run = ws.add_run(cut.id, f"run {len(ws.runs(tuned=True))}", spec.model, spec.to_json(),
                     task=task)  # fmt: skip
    progress = Progress(EarlyStopping(0), Plan(0, 1))
    Checkpoints(ws.run_folder(run.id), spec.model).save("best", module, progress)
    ws.update_run(run.id, state="done")
    return run


def ids_of(ws, cut, text):
    pieces = segmentations.tokens(ws, cut.id, text, job=Job()).pieces
    return [BOS, *(piece.id for piece in pieces)]


def opened(ws, run, path, kind):
    exporting.export(ws, run.id, "huggingface", path, job=Job())
    model = kind.from_pretrained(path).eval()
    assert model.config.vocab_size == model.get_input_embeddings().weight.shape[0]
    return model, transformers.AutoTokenizer.from_pretrained(path)


@torch.no_grad()
@pytest.mark.parametrize(
    "shape",
    [
        {}, {"positions": "sinusoidal"}, {"positions": "none"}, {"shared": True},
        {"table_width": 8}, {"table_width": 8, "next_sentence": True}, {"norm_epsilon": 0.05},
        {"table_width": 8, "shared": True, "gelu": "tanh"},
        {"table_width": 8, "shared": True, "positions": "sinusoidal"},
    ],
    ids=lambda shape: "-".join(shape) or "plain",
)  # fmt: skip
def test_bert(workspace, cut, tmp_path, shape):
    config = BertConfig(layers=2, width=24, heads=3, window=20, **shape)
    module = made(config, cut.vocabulary + 1)
    run = kept(workspace, cut, RunSpec("bert", config, TrainingConfig()), module)
    model, tokenizer = opened(workspace, run, tmp_path / "m", transformers.AutoModelForMaskedLM)
    ids = [*ids_of(workspace, cut, ASKED), EOS]
    found = torch.log_softmax(model(**tokenizer(ASKED, return_tensors="pt")).logits[0], 1)
    expected = module(torch.tensor([ids]))[0]
    assert found.shape[0] == len(ids)
    same = expected[expected > -1e3].sort().values, found[found > -1e3].sort().values
    assert (same[0] - same[1]).abs().max() < TOLERANCE


@torch.no_grad()
@pytest.mark.parametrize(
    "shape", [{"tied": True}, {"tied": False}, {"norm_epsilon": 0.05}], ids=["tied", "own", "norm"]
)
def test_gpt(workspace, cut, tmp_path, shape):
    config = GptConfig(layers=2, width=24, heads=3, window=20, **shape)
    module = made(config, cut.vocabulary + 1)
    run = kept(workspace, cut, RunSpec("gpt", config, TrainingConfig()), module)
    model, tokenizer = opened(workspace, run, tmp_path / "m", transformers.AutoModelForCausalLM)
    ids = torch.tensor([ids_of(workspace, cut, ASKED)])
    names = tokenizer.convert_ids_to_tokens(tokenizer(ASKED)["input_ids"])
    assert names[0] == "<s>"
    logits = model(**tokenizer(ASKED, return_tensors="pt")).logits[0, -1]
    expected = module(ids)[0][0, -1]
    assert abs(logits[tokenizer.eos_token_id] - expected[EOS]) < TOLERANCE
    kept_out = [i for i in range(len(logits)) if i != tokenizer.bos_token_id]
    real = expected[expected.isfinite()].sort().values
    assert (logits[kept_out].sort().values - real).abs().max() < TOLERANCE


def test_what_transformers_has_not_is_refused(workspace, characters, tmp_path):
    config = BertConfig(layers=2, width=24, heads=3, window=20, table_width=8, gelu="tanh")
    module = made(config, characters.vocabulary + 1)
    run = kept(workspace, characters, RunSpec("bert", config, TrainingConfig()), module)
    with pytest.raises(AppError, match="narrow"):
        opened(workspace, run, tmp_path / "m", transformers.AutoModelForMaskedLM)
    assert not (tmp_path / "m").exists()


BERT = BertConfig(layers=2, width=24, heads=3, window=20)
ALBERT = BertConfig(layers=2, width=24, heads=3, window=20, table_width=8, shared=True)
GPT = GptConfig(layers=2, width=24, heads=3, window=20)


@torch.no_grad()
@pytest.mark.parametrize("config", [BERT, ALBERT, GPT], ids=["bert", "albert", "gpt"])
@pytest.mark.parametrize(
    ("kind", "labels", "loader"),
    [
        ("classify", ("好", "坏", "中"), transformers.AutoModelForSequenceClassification),
        ("tag", ("O", "B-LOC", "I-LOC"), transformers.AutoModelForTokenClassification),
        ("pair", ("是", "否"), transformers.AutoModelForSequenceClassification),
        ("qa", (), transformers.AutoModelForQuestionAnswering),
    ],
)
def test_heads(workspace, characters, tmp_path, config, kind, labels, loader):
    family = "gpt" if config is GPT else "bert"
    task = TaskConfig(kind=kind)
    model = TaskModel(made(config, characters.vocabulary + 1), task, labels).eval()
    with torch.no_grad():
        model.head.output.weight.normal_()
        model.head.output.bias.normal_()
    row = workspace.add_task(TaskRow(1, "t", "", kind))
    spec = RunSpec(family, config, TrainingConfig(), task)
    run = kept(workspace, characters, spec, model, row.id)
    write_json(workspace.run_folder(run.id) / "labels.json", list(labels))
    theirs, tokenizer = opened(workspace, run, tmp_path / "m", loader)
    two = kind in ("pair", "qa")
    ids = [*ids_of(workspace, characters, ASKED), EOS]
    types = [0] * len(ids)
    if two:
        other = [*ids_of(workspace, characters, "你爱我")[1:], EOS]
        ids, types = ids + other, types + [1] * len(other)
    batch = {"ids": torch.tensor([ids]), "sizes": torch.tensor([len(ids)]),
             "types": torch.tensor([types])}  # fmt: skip
    shown = tokenizer(*((ASKED, "你爱我") if two else (ASKED,)), return_tensors="pt")
    told = [row.tolist() for row in shown.get("token_type_ids", [])]
    assert told == ([] if family == "gpt" else [types])
    assert shown["input_ids"].shape == (1, len(ids))
    found, x = theirs(**shown), model.vectors(batch)
    if kind in ("classify", "pair"):  # read beside a longer text
        more = tokenizer([(ASKED, "你爱我"), (ASKED, ASKED)] if two else [ASKED, ASKED * 2],
                         padding=True, return_tensors="pt")  # fmt: skip
        assert (theirs(**more).logits[0] - found.logits[0]).abs().max() < TOLERANCE
    if kind == "qa":
        starts, ends = model.head(x, batch)
        for ours, other in ((starts, found.start_logits), (ends, found.end_logits)):
            real = ours.isfinite()
            assert (ours[real] - other[real]).abs().max() < TOLERANCE
    else:
        logits = model.head(x)
        assert logits.std() > 0.5
        assert (logits - found.logits).abs().max() < TOLERANCE
        assert tuple(theirs.config.id2label.values()) == labels
