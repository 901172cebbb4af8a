"""The verbs import-model, import-vectors and export: files of other programs in and out."""

import argparse
from pathlib import Path
from typing import Any

from lmstudio.cli.shared import (
    add_name,
    add_options,
    add_verb,
    config,
    do,
    open_workspace,
    tell,
    written_to,
)
from lmstudio.cli.terminal import say, say_json
from lmstudio.messages import tr
from lmstudio.operations import exporting, model_files, vector_files
from lmstudio.operations.export_format import ExportOptions


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    taken = add_verb(verbs, "import-model", tr("Add a run of a model of another program"), _import)
    taken.add_argument(
        "path", type=Path, metavar="PATH",
        help=tr("Folder of a Hugging Face model (config.json, vocab.txt or tokenizer.json, "
                "model.safetensors or pytorch_model.bin) or of an ELMo (options.json, weights as "
                ".hdf5), or one of these files; or an ARPA file, also as .gz"),
    )  # fmt: skip
    taken.add_argument("--name", default="", metavar="TEXT", help=tr("Name of the run"))
    taken.add_argument(
        "--corpus", metavar="CORPUS",
        help=tr("Corpus that the run stands on, cut by the model's pieces; without it, one is made "
                "of these pieces"),
    )  # fmt: skip
    taken.add_argument(
        "--segmentation", metavar="SEGMENTATION",
        help=tr("Segmentation that an n-gram model or ELMo stands on; its corpus is cut once more "
                "if it has other words. Without it, a corpus is made of the model's words"),
    )  # fmt: skip
    taken.add_argument(
        "--new-words", default="", metavar="WORDS",
        help=tr("Words between spaces that become tokens of their own"),
    )  # fmt: skip
    vectors = add_verb(verbs, "import-vectors", tr("Add a run of a file of word vectors"), _vectors)
    vectors.add_argument(
        "path", type=Path, metavar="FILE",
        help=tr("word2vec text or binary, or GloVe, also as .gz"),
    )  # fmt: skip
    vectors.add_argument("--name", default="", metavar="TEXT", help=tr("Name of the run"))
    vectors.add_argument(
        "--segmentation", metavar="SEGMENTATION",
        help=tr("Segmentation whose words are looked for in the file; without it, a corpus is made "
                "of all words of the file"),
    )  # fmt: skip
    written = add_verb(verbs, "export", tr("Write a run in the layout of another program"), _export)
    add_name(written, "run")
    written.add_argument(
        "path",
        type=Path,
        metavar="PATH",
        help=tr(
            "The file to write, in place of one that is there, or the "
            "folder, which must be new or empty; folders above are made"
        ),
    )
    written.add_argument("--format", default="huggingface", choices=tuple(exporting.FORMATS),
                         help=tr("Layout of the files"))  # fmt: skip
    add_options(written, ExportOptions)


def _import(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        changes = do(
            model_files.import_model, ws, options.path, name=options.name, corpus=options.corpus,
            segmentation=options.segmentation, new_words=options.new_words.split(),
        )  # fmt: skip
        row = ws.run(changes.new_id)
    tell(options, changes, row, tr("{name} is imported.", name=row.name))


def _vectors(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        changes = do(vector_files.import_vectors, ws, options.path, name=options.name,
                     segmentation=options.segmentation)  # fmt: skip
        row = ws.run(changes.new_id)
    tell(options, changes, row, tr("{name} is imported.", name=row.name))


def _export(options: argparse.Namespace) -> None:
    sentence = written_to(options.path)
    with open_workspace(options, may_read=True) as ws:
        changes = do(exporting.export, ws, options.run, options.format, options.path,
                     config(options, ExportOptions))  # fmt: skip
    for note in changes.notes:
        say(str(note))
    if options.json:
        say_json({"path": str(options.path)})
    else:
        say(sentence)
