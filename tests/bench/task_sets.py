"""The labelled sets of ../shared as files by part, what each is scored by, and how it is learned.

A set without a test part of its own: its dev part is the test, and part of train is valid (seeded,
by the program). The sets' licences do not allow to ship them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Files = dict[str, list[Path]]


@dataclass(frozen=True)
class TaskSet:
    """A set, its kind, the language of its encoders, and the figure that is told."""

    kind: str
    files: Callable[[Path], Files]
    figure: str  # a key of the figures of `ws.evaluation`
    language: str = "zh"
    length: int = 128
    epochs: int = 3
    stride: int = 64  # of longer texts, where they are read in windows


def _of(folder: str, **parts: str) -> Callable[[Path], Files]:
    return lambda data: {part: [data / folder / name] for part, name in parts.items()}


def _atis(data: Path) -> Files:
    folder = data / "slots_en" / "atis"
    return {part: [folder / part / "seq.in", folder / part / "seq.out", folder / part / "label"]
            for part in ("train", "valid", "test")}  # fmt: skip


SETS = {
    "thucnews": TaskSet("classify", _of("cls/thucnews", train="dev.txt"), "accuracy", length=48),
    "chnsenticorp": TaskSet(
        "classify", _of("cls/chnsenticorp", train="train.tsv.gz", test="dev.tsv"), "accuracy"
    ),
    "resume": TaskSet(
        "tag",
        _of("ner/resume", train="train.char.bmes", valid="dev.char.bmes", test="test.char.bmes"),
        "f1", epochs=10,
    ),
    "atis-slots": TaskSet("tag", _atis, "f1", "en", 64, 10),
    "atis-intents": TaskSet("classify", _atis, "accuracy", "en", 64, 5),
    "ocnli": TaskSet(
        "pair", _of("pair/ocnli", train="train.10k.json.gz", test="dev.json"), "accuracy", length=64
    ),
    "cmrc": TaskSet(
        "qa", _of("qa", train="cmrc2018_trial_squad.json"), "f1", length=256, stride=128
    ),
}  # fmt: skip
