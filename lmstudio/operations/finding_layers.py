"""Answers about the inside of networks as findings keep them -> tables: heads, layers, gates."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from lmstudio.figures import decimal
from lmstudio.messages import listed, msg, tr
from lmstudio.operations.answer_tables import AnswerTable, Scalar
from lmstudio.operations.finding_answers import guesses
from lmstudio.operations.term_names import GATES, POSITIONS, SIDES, STAGES, TERMS

Answer = Mapping[str, Any]


def _attention(answer: Answer) -> AnswerTable:
    facts: dict[str, Scalar] = {}
    if answer["cut"]:
        facts[tr("Tokens that do not fit into the window")] = answer["cut"]
    if answer["unknown"]:
        facts[tr("Unknown tokens")] = answer["unknown"]
    if answer["to_marks"]:
        facts[tr("Mean weight on <s> and </s>")] = answer["to_marks"]
    return AnswerTable(facts, [tr("Token"), tr("Looks at")],
                       [[row["token"], guesses(_seen(row))] for row in answer["rows"]])  # fmt: skip


def _seen(row: Answer) -> Iterable[tuple[str, float]]:
    """What a token looks at, with weights; later tokens, which it cannot see, have none."""
    rank = 1
    while f"{rank} seen" in row:
        if row[f"{rank} weight"] > 0:
            yield row[f"{rank} seen"], row[f"{rank} weight"]
        rank += 1


def _inside(answer: Answer) -> AnswerTable:
    names = GATES if answer["kind"] == "gates" else STAGES
    values = {name: np.asarray(of, float) for name, of in answer["values"].items()}
    means = {name: of.mean(2) if of.ndim == 3 else of for name, of in values.items()}  # (L, T)
    layers = len(next(iter(means.values())))
    columns = [tr("Token"), tr("Layer"), *(tr(names[name]) for name in means)]
    rows = [[token, layer + 1, *(float(of[layer, place]) for of in means.values())]
            for place, token in enumerate(answer["tokens"]) for layer in range(layers)]  # fmt: skip
    what = tr("means over the units") if answer["kind"] == "gates" else tr("lengths of vectors")
    return AnswerTable({tr("Meaning of the figures"): what}, columns, rows)


def _lens(answer: Answer) -> AnswerTable:
    columns = [tr("Token"), tr("Layer"), tr("Best guesses"), tr("p of the token"),
               tr("Rank of the token"), tr("Entropy, bits")]  # fmt: skip
    return AnswerTable({}, columns, [
        _lens_row(answer, layer, place)
        for place in range(len(answer["columns"])) for layer in range(len(answer["ids"]))
    ])  # fmt: skip


def _lens_row(answer: Answer, layer: int, place: int) -> list[Scalar]:
    ids, probabilities = answer["ids"][layer][place], answer["probs"][layer][place]
    words = [answer["types"][str(number)] for number in ids]
    known = answer["truth"][place] >= 0
    return [
        answer["columns"][place], layer, guesses(zip(words, probabilities, strict=True)),
        answer["truth_probs"][layer][place] if known else None,
        answer["truth_ranks"][layer][place] if known else None, answer["entropies"][layer][place],
    ]  # fmt: skip


def _directions(answer: Answer) -> AnswerTable:
    """What the last layer predicts, from each side."""
    columns = [tr("Side"), tr("Token"), tr("Best guesses"), tr("p of the token"),
               tr("Rank of the token"), tr("Entropy, bits")]  # fmt: skip
    rows = []
    for side, title in SIDES.items():
        if found := answer[side]:
            last = len(found["ids"]) - 1
            for place in range(len(found["columns"])):
                token, _, *figures = _lens_row(found, last, place)
                rows.append([tr(title), token, *figures])
    return AnswerTable({tr("Layer"): tr("the last")}, columns, rows)


def _layer_similarity(answer: Answer) -> AnswerTable:
    cosines = np.asarray(answer["cosines"], float)  # (L, T)
    apart = listed(tr("layer {number}", number=layer) + f" {decimal(value, 3)}"
                      for layer, value in enumerate(answer["apart"]))  # fmt: skip
    columns = [tr("Token"), *(tr("Layer {layer}", layer=i + 1) for i in range(len(cosines)))]
    rows = [[token, *map(float, cosines[:, place])] for place, token in enumerate(answer["tokens"])]
    facts: dict[str, Scalar] = {
        tr("Mean cosine of different tokens"): apart,
        tr("Meaning of the figures"): tr("cosine of what a layer reads and hands on"),
    }
    return AnswerTable(facts, columns, rows)


def _input_sum(answer: Answer) -> AnswerTable:
    lengths = {name: np.linalg.norm(np.asarray(of, float), axis=1)
               for name, of in answer["values"].items()}  # fmt: skip
    titles = {**TERMS, "token": msg("Vector of the token")}
    columns = [tr("Token"), *(tr(titles[name]) for name in lengths)]
    rows = [[token, *(float(of[place]) for of in lengths.values())]
            for place, token in enumerate(answer["tokens"])]  # fmt: skip
    return AnswerTable({tr("Meaning of the figures"): tr("lengths of vectors")}, columns, rows)


def _positions(answer: Answer) -> AnswerTable:
    facts: dict[str, Scalar] = {
        tr("Kind"): tr(POSITIONS[answer["kind"]]),
        tr("Window"): answer["window"],
    }
    waves = _by_distance(answer["waves"])
    own = _by_distance(answer["own"]) if answer["own"] else [None] * len(waves)
    columns = [tr("Distance"), tr("Mean cosine"), tr("of sinusoids")]
    rows: list[list[Scalar]] = [[i, own[i], wave] for i, wave in enumerate(waves)]
    return AnswerTable(facts, columns, rows)


def _by_distance(cosines: list[list[float]]) -> list[float]:
    """Means of the diagonals, as PositionVectors.by_distance."""
    square = np.asarray(cosines, float)
    return [float(np.diagonal(square, offset).mean()) for offset in range(len(square))]


def _polysemy(answer: Answer) -> AnswerTable:
    facts: dict[str, Scalar] = {tr("Occurrences"): sum(map(bool, answer["pieces"]))}
    columns = [tr("Layer"), tr("Groups"), tr("Silhouette"), tr("Mean cosine"), tr("Agreement")]
    rows = [[number, one["groups"], one["silhouette"], one["likeness"], one["agreement"]]
            for number, one in enumerate(answer["layers"])]  # fmt: skip
    return AnswerTable(facts, columns, rows)


ANSWERS: dict[str, Callable[[Any], AnswerTable]] = {
    "attention": _attention, "inside": _inside, "lens": _lens, "directions": _directions,
    "layer-similarity": _layer_similarity, "input-sum": _input_sum, "positions": _positions,
    "polysemy": _polysemy,
}  # fmt: skip
"""By kind of question."""
