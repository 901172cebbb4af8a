"""A run that goes out for transformers and comes back scores as before, whatever it was set to."""

import dataclasses
import json

import pytest

from lmstudio.errors import AppError
from lmstudio.formats.huggingface import own_settings, settings
from lmstudio.jobs import Job
from lmstudio.models.config import BertConfig, GptConfig
from lmstudio.operations import corpora, evaluation, exchange, exporting, segmentations, training
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.training.spec import RunSpec, TrainingConfig

TEXT = "我爱北京。他是Shanghai人。\n你是北京人，他爱上\u200b海。我爱你。\n" * 20
SMALL = {"layers": 1, "width": 12, "heads": 2, "window": 16}
CUTS = {
    "characters": SegmentOptions(),
    "line": SegmentOptions(sentences="line"),
    "clean": SegmentOptions(by="wordpiece", pieces=30, clean=True),
    "lower": SegmentOptions(by="wordpiece", pieces=30, lower=True, han_apart=False),
    "byte-bpe": SegmentOptions(by="byte-bpe", pieces=280),
}
NETWORKS = {
    "gpt-document": GptConfig(**SMALL, context="document"),
    "gpt-sentence": GptConfig(**SMALL, context="sentence"),
    "bert": BertConfig(**SMALL, mask_share=0.3, whole_words=True),
}


def trained(ws, cut, config, name="net"):
    spec = RunSpec("gpt" if isinstance(config, GptConfig) else "bert", config,
                   TrainingConfig(max_steps=3, batch=2, learning_rate=0.1))  # fmt: skip
    return training.train(ws, cut, spec, name=name, job=Job()).new_id


def out_and_in(ws, run, path, corpus="text"):
    exporting.export(ws, run, "huggingface", path, job=Job())
    return exchange.import_model(ws, path, corpus=corpus, job=Job())


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("cut", CUTS)
def test_the_scores_are_the_same(workspace, tmp_path, cut, network):
    corpora.import_text(workspace, TEXT, name="text", job=Job())
    made = segmentations.create(workspace, "text", CUTS[cut], job=Job()).new_id
    run = trained(workspace, made, NETWORKS[network])
    changes = out_and_in(workspace, run, tmp_path / "out")
    assert not [note for note in changes.notes if "does not tell" in str(note)]
    before, after = (evaluation.evaluate(workspace, one, "test", job=Job())
                     for one in (run, changes.new_id))  # fmt: skip
    for name in ("events", "sentences", "unknown", "context"):
        assert after[name] == before[name]
    for name in ("perplexity", "bits_per_character"):
        assert after[name] == pytest.approx(before[name], rel=1e-5)


WRITTEN_OUT = {
    "positions": "any table of positions is one that was learned",
    "shared": "layers that are the same are written one by one",
}
"""What the weights tell, so that nothing must be told of it."""
CHANGED = {
    "positions": "none", "gelu": "tanh", "context": "sentence", "random_from": "others",
    "table_width": 6, "heads": 3,
}  # fmt: skip


def other(field):
    """A value that is not the default."""
    if isinstance(field.default, bool):
        return not field.default
    if isinstance(field.default, str) or field.name in CHANGED:
        return CHANGED[field.name]
    return field.default * 2 or (6 if isinstance(field.default, int) else 0.25)


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, field.name) for kind in (BertConfig, GptConfig) for field in dataclasses.fields(kind)],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_every_setting_of_a_network_comes_back(kind, name):
    field = next(field for field in dataclasses.fields(kind) if field.name == name)
    config = kind(**{"width": 12, "heads": 2} | {name: other(field)})
    told = settings.theirs(config, 10, config.window)
    told |= own_settings.told(config, SegmentOptions(), "")
    pair = getattr(config, "next_sentence", False)
    found = settings.ours(json.loads(json.dumps(told)), pair=pair)
    assert (found == config) != (name in WRITTEN_OUT)


STRANGE = {
    "no-object": ("document", "lm_workbench"),
    "no-object-inside": ({"network": [1]}, "lm_workbench"),
    "no-choice": ({"network": {"context": "all"}}, "sentence, document"),
    "no-text": ({"network": {"context": {"a": 1}}}, "sentence, document"),
    "no-cut": ({"cutting": {"sentences": 3}}, "auto, line, punctuation"),
    "no-switch": ({"cutting": {"clean": "yes"}}, "yes or no"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_what_is_told_is_not_trusted(workspace, tmp_path, name):
    value, sentence = STRANGE[name]
    corpora.import_text(workspace, TEXT, name="text", job=Job())
    made = segmentations.create(workspace, "text", SegmentOptions(), job=Job()).new_id
    run = trained(workspace, made, NETWORKS["gpt-document"])
    exporting.export(workspace, run, "huggingface", tmp_path / "out", job=Job())
    path = tmp_path / "out" / "config.json"
    told = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(told | {"lm_workbench": value}), "utf-8")
    with pytest.raises(AppError, match=sentence):
        exchange.import_model(workspace, tmp_path / "out", corpus="text", job=Job())
    assert len(workspace.runs()) == len(workspace.segmentations()) == 1


def test_names_that_are_not_known_are_not_heeded(workspace, tmp_path):
    """A file of pieces elsewhere is not opened, nor is a width taken from there."""
    corpora.import_text(workspace, TEXT, name="text", job=Job())
    made = segmentations.create(workspace, "text", SegmentOptions(), job=Job()).new_id
    run = trained(workspace, made, NETWORKS["gpt-document"])
    exporting.export(workspace, run, "huggingface", tmp_path / "out", job=Job())
    path = tmp_path / "out" / "config.json"
    told = json.loads(path.read_text("utf-8"))
    told["lm_workbench"] |= {"pieces": "../../secret.json"}
    told["lm_workbench"]["network"] |= {"width": 9999}
    path.write_text(json.dumps(told), "utf-8")
    changes = exchange.import_model(workspace, tmp_path / "out", corpus="text", job=Job())
    assert workspace.run(changes.new_id).spec["config"]["width"] == 12


def test_a_gpt_that_does_not_tell_its_context_is_told_how_it_is_asked(workspace, tmp_path):
    corpora.import_text(workspace, TEXT, name="text", job=Job())
    made = segmentations.create(workspace, "text", SegmentOptions(), job=Job()).new_id
    run = trained(workspace, made, NETWORKS["gpt-document"])
    exporting.export(workspace, run, "huggingface", tmp_path / "out", job=Job())
    path = tmp_path / "out" / "config.json"
    told = json.loads(path.read_text("utf-8"))
    del told["lm_workbench"]
    path.write_text(json.dumps(told), "utf-8")
    changes = exchange.import_model(workspace, tmp_path / "out", corpus="text", job=Job())
    assert any("each sentence is scored by itself" in str(note) for note in changes.notes)
    assert workspace.run(changes.new_id).spec["config"]["context"] == "sentence"


def test_words_of_jieba_are_said_to_need_spaces(workspace, tmp_path):
    corpora.import_text(workspace, TEXT, name="text", job=Job())
    made = segmentations.create(workspace, "text", SegmentOptions(by="jieba"), job=Job()).new_id
    changes = out_and_in(workspace, trained(workspace, made, NETWORKS["bert"]), tmp_path / "out")
    assert any("between spaces" in str(note) for note in changes.notes)
