"""A task's examples to files that others, and this program, read: TSV, BIO lines, SQuAD."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.tags import tags_of
from lmstudio.files import unwritten, write_json, written

FORMATS = {"classify": ("tsv", "jsonl"), "pair": ("tsv", "jsonl"), "tag": ("jsonl", "bio"),
           "qa": ("json",)}  # fmt: skip
"""By kind; the first is the one without loss."""


def save(path: Path, kind: str, rows: Sequence[Example], layout: str) -> None:
    """Write a part. AppError if the file cannot be written."""
    with unwritten(path):
        if layout == "json":
            write_json(path, _squad(rows))
            return
        with written(path) as file, file.open("w", encoding="utf-8", newline="") as out:
            if layout == "tsv":
                names = ["text", "other", "label"] if kind == "pair" else ["text", "label"]
                writer = csv.writer(out, delimiter="\t", lineterminator="\n")
                writer.writerow(["sentence1", "sentence2", "label"] if kind == "pair" else names)
                writer.writerows([getattr(row, name) for name in names] for row in rows)
            elif layout == "bio":
                out.writelines(map(_bio, rows))
            else:
                out.writelines(f"{_line(kind, row)}\n" for row in rows)


def _line(kind: str, row: Example) -> str:
    """A line of JSON."""
    if kind == "tag":
        spans = [{"start": s.start, "end": s.end, "type": s.type} for s in row.spans]
        data = {"text": row.text, "spans": spans} | ({"words": row.words} if row.words else {})
    elif kind == "pair":
        data = {"sentence1": row.text, "sentence2": row.other, "label": row.label}
    else:
        data = {"text": row.text, "label": row.label}
    return json.dumps(data, ensure_ascii=False)


def _bio(row: Example) -> str:
    """A sentence in lines of token and tag: words where they are given, else characters."""
    words = row.words or tuple((n, n + 1) for n, c in enumerate(row.text) if not c.isspace())
    spans = []
    for span in row.spans:
        inside = [n for n, (start, end) in enumerate(words)
                  if start < span.end and span.start < end]  # fmt: skip
        if inside:
            spans.append(Span(inside[0], inside[-1] + 1, span.type))
    tags = tags_of(spans, len(words), "BIO")
    pairs = zip(words, tags, strict=True)
    return "".join(f"{row.text[s:e]}\t{tag}\n" for (s, e), tag in pairs) + "\n"


def _squad(rows: Sequence[Example]) -> dict[str, object]:
    """SQuAD 2.0, a paragraph for each passage."""
    passages: dict[str, list[dict[str, object]]] = {}
    for number, row in enumerate(rows, 1):
        answers = [{"text": row.text[s.start : s.end], "answer_start": s.start} for s in row.spans]
        asked: dict[str, object] = {"id": str(number), "question": row.other}
        if row.labelled:
            asked |= {"answers": answers, "is_impossible": not answers}
        passages.setdefault(row.text, []).append(asked)
    paragraphs = [{"context": text, "qas": asked} for text, asked in passages.items()]
    return {"version": "2.0", "data": [{"title": "", "paragraphs": paragraphs}]}
