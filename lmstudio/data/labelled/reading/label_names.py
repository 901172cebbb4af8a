"""A file that names labels -> what is to be read for each label that the examples hold.

finance                         a name a line: the first is label 0 (THUCNews, GLUE)
0 finance  |  finance 0         number and name, with a tab, comma or space between
["finance", ...]                JSON; also {"0": "finance"}, {"finance": 0}, {"id2label": ...}
{"label": "102", "label_desc": "news_finance"}      one a line (CLUE)
{"features": {"ner_tags": {"feature": {"names": ["O", "B-PER", ...]}}}}   datasets' own card
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lmstudio.data.labelled.reading.json_values import LOST, values
from lmstudio.data.labelled.reading.sources import opened
from lmstudio.jobs import Job
from lmstudio.text.document import ReadOptions
from lmstudio.text.lines import is_blank
from lmstudio.text.read import ReadError

FILE_NAMES = frozenset((
    "class.txt", "classes.txt", "label.txt", "labels.txt", "label_list.txt", "labels.json",
    "classes.json", "id2label.json", "label2id.json", "dataset_info.json", "dataset_infos.json",
))  # fmt: skip
"""What such files are called."""

Names = Mapping[str, str]
_NUMBER = r"-?\d+"
_FIRST = re.compile(rf"({_NUMBER})[\t, :：]+(.*\S)")
_LAST = re.compile(rf"(.*\S)[\t, :：]+({_NUMBER})")
_ENDED = ("id2label", "label2id")


def read(path: Path, encoding: str, job: Job) -> Names:
    """The names in a file, by label. AppError, with its name in it, if it names none."""
    with opened(path, job) as file:
        text = "".join(file.text(ReadOptions(encoding=encoding))[1])
        found = _of_json(text, job) if text.lstrip()[:1] in ("{", "[") else _of_lines(text)
        if not found:
            raise ReadError("It names no labels: write one name a line, the first for label 0.")
        return found


def _of_lines(text: str) -> Names:
    lines = [line.strip() for line in text.strip().split("\n")]
    if any(map(is_blank, lines)):
        raise ReadError("It names no labels: write one name a line, the first for label 0.")
    for pattern, number, name in ((_FIRST, 1, 2), (_LAST, 2, 1)):
        pairs = [pattern.fullmatch(line) for line in lines]
        found = {pair[number]: pair[name] for pair in pairs if pair}
        if len(found) == len(lines):
            return found
    return {str(n): name for n, name in enumerate(lines)}


def _of_json(text: str, job: Job) -> Names:
    found = [value for _, value in values(text, job)]
    if found and all(isinstance(value, str) for value in found):
        return {str(n): name for n, name in enumerate(found)}
    objects = [value for value in found if isinstance(value, dict) and value is not LOST]
    described = {
        str(value["label"]): str(value[name])
        for value in objects for name in ("label_desc", "label_des")
        if {"label", name} <= value.keys()
    }  # fmt: skip
    if described or len(objects) != 1:
        return described
    return _of_object(objects[0])


def _of_object(data: dict[str, Any]) -> Names:
    for names in _features(data):
        return {str(n): str(name) for n, name in enumerate(names)}
    for name in _ENDED:
        if isinstance(data.get(name), dict):
            data = data[name]
            break
    pairs = {key: str(value) for key, value in data.items() if not isinstance(value, dict | list)}
    if pairs and not all(re.fullmatch(_NUMBER, key) for key in pairs):
        pairs = {number: name for name, number in pairs.items() if re.fullmatch(_NUMBER, number)}
    return pairs


def _features(data: object) -> Iterator[list[str]]:
    """Lists of "names" wherever they stand, as in the features of a data set's card."""
    if isinstance(data, dict):
        names = data.get("names")
        if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
            yield names
        for inner in data.values():
            yield from _features(inner)
