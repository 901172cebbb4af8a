"""A folder of transformers is imported and fine-tuned as its authors published, unless told."""

import json

import pytest

from lmstudio import cli
from lmstudio.store.workspace import Workspace
from lmstudio.training import loop

transformers = pytest.importorskip("transformers")
hf_models = pytest.importorskip("tests.interop.hf_models")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of another library


def test_bert_is_tuned_as_devlin_et_al_did(tmp_path, capsys, monkeypatch):
    """Two layers, 64 wide, random weights; 3 epochs of batches of 32 by AdamW at 5e-5 (A.3)."""
    monkeypatch.setattr(loop, "LOG_SECONDS", 0.0)
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
             "intermediate_size": 128, "max_position_embeddings": 32}  # fmt: skip
    config = transformers.BertConfig(vocab_size=hf_models.ROWS, **sizes)
    hf_models.pieces(tmp_path / "theirs")
    transformers.BertForMaskedLM(config).save_pretrained(tmp_path / "theirs")
    rows = [f"我爱{place}{n}\t{place}" for n in "你他人" for place in ("北京", "上海")]
    (tmp_path / "places.tsv").write_text("\n".join(rows), encoding="utf-8")
    say = ["--workspace", str(tmp_path / "w")]
    assert cli.main([*say, "import-model", str(tmp_path / "theirs")]) == 0
    capsys.readouterr()
    assert cli.main([*say, "finetune", "theirs", "--data", str(tmp_path / "places.tsv"),
                     "--json"]) == 0  # fmt: skip
    told = capsys.readouterr()
    assert "theirs came from elsewhere: 3 epochs by AdamW at 5e-5, as published" in told.err
    (run,) = json.loads(told.out)
    how, head = run["spec"]["training"], run["spec"]["task"]
    assert (how["epochs"], how["batch"], how["optimizer"]) == (3, 32, "adamw")
    assert (how["learning_rate"], head["dropout"], head["tuned"]) == (5e-5, 0.1, -1)
    with Workspace(tmp_path / "w", read_only=True) as ws:
        assert ws.metrics(run["id"], "learning_rate")[0][2] <= 5e-5
