"""The arrays of a published ELMo's weights file <-> the weights of our module, by name.

The files are those of allenai/bilm-tf, which AllenNLP reads too: HDF5, made by TensorFlow 1. There
gates stand in the order input, candidate, forget, output; a forget gate has 1 added to its bias;
a highway's gate opens the new value, not the old one; matrices are transposed; and there is no row
for "no byte" in the table of bytes.
"""

from collections.abc import Mapping

import numpy as np

from lmstudio.models.config import ElmoConfig
from lmstudio.models.config.elmo import BYTES

Arrays = Mapping[str, np.ndarray]
_CELL = "RNN_{}/RNN/MultiRNNCell/Cell{}/LSTMCell"
_SIDES = ("left", "right")


def shapes(config: ElmoConfig) -> dict[str, tuple[int, ...]]:
    """By its path in the file, the shape of each array of a network of these settings."""
    width, cell = config.width, config.cell
    total = sum(count for _, count in config.convolutions)
    found: dict[str, tuple[int, ...]] = {"char_embed": (BYTES - 1, config.byte_width)}
    for i, (size, count) in enumerate(config.convolutions):
        found[f"CNN/W_cnn_{i}"] = (1, size, config.byte_width, count)
        found[f"CNN/b_cnn_{i}"] = (count,)
    for i in range(config.highways):
        for gate in ("carry", "transform"):
            found[f"CNN_high_{i}/W_{gate}"] = (total, total)
            found[f"CNN_high_{i}/b_{gate}"] = (total,)
    found |= {"CNN_proj/W_proj": (total, width), "CNN_proj/b_proj": (width,)}
    for side in range(len(_SIDES)):
        for layer in range(config.layers):
            name = _CELL.format(side, layer)
            found[f"{name}/W_0"] = (2 * width, 4 * cell)
            found[f"{name}/B"] = (4 * cell,)
            found[f"{name}/W_P_0"] = (cell, width)
    return found


def elmo_weights(arrays: Arrays) -> dict[str, np.ndarray]:
    """What stands in `arrays`, by its path in the file, as weights of models.elmo.Elmo.

    Those of its words, which are spelled, and of its layers; the output layer was not published.
    KeyError where the file lacks something.
    """
    weights = _words(arrays)
    for number, side in enumerate(_SIDES):
        for layer in range(_count(arrays, _CELL.format(0, "{}") + "/B")):
            weights |= _lstm(arrays, _CELL.format(number, layer), f"layers.{layer}.{side}")
    return {name: np.ascontiguousarray(array, np.float32) for name, array in weights.items()}


def elmo_arrays(weights: Arrays, config: ElmoConfig) -> dict[str, np.ndarray]:
    """The other way round: the weights of an Elmo of these settings, without its output layer."""
    cnn = "words.cnn"
    arrays = {"char_embed": weights[f"{cnn}.bytes.weight"][1:]}
    for i in range(len(config.convolutions)):
        arrays[f"CNN/W_cnn_{i}"] = weights[f"{cnn}.convolutions.{i}.weight"].transpose(2, 1, 0)[
            None
        ]
        arrays[f"CNN/b_cnn_{i}"] = weights[f"{cnn}.convolutions.{i}.bias"]
    for i in range(config.highways):
        matrices = np.split(weights[f"{cnn}.highways.{i}.weight"], 2)
        biases = np.split(weights[f"{cnn}.highways.{i}.bias"], 2)
        for gate, sign, matrix, bias in zip(("transform", "carry"), (1, -1), matrices, biases,
                                            strict=True):  # fmt: skip
            arrays[f"CNN_high_{i}/W_{gate}"] = sign * matrix.T
            arrays[f"CNN_high_{i}/b_{gate}"] = sign * bias
    arrays["CNN_proj/W_proj"] = weights[f"{cnn}.projection.weight"].T
    arrays["CNN_proj/b_proj"] = weights[f"{cnn}.projection.bias"]
    for number, side in enumerate(_SIDES):
        for layer in range(config.layers):
            arrays |= _cell(weights, f"layers.{layer}.{side}", _CELL.format(number, layer))
    return {name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()}


def _words(arrays: Arrays) -> dict[str, np.ndarray]:
    table = arrays["char_embed"]
    weights = {"bytes.weight": np.concatenate([np.zeros_like(table[:1]), table])}
    for i in range(_count(arrays, "CNN/W_cnn_{}")):
        weights[f"convolutions.{i}.weight"] = arrays[f"CNN/W_cnn_{i}"][0].transpose(2, 1, 0)
        weights[f"convolutions.{i}.bias"] = arrays[f"CNN/b_cnn_{i}"]
    for i in range(_count(arrays, "CNN_high_{}/W_carry")):
        matrices = arrays[f"CNN_high_{i}/W_transform"], -arrays[f"CNN_high_{i}/W_carry"]
        biases = arrays[f"CNN_high_{i}/b_transform"], -arrays[f"CNN_high_{i}/b_carry"]
        weights[f"highways.{i}.weight"] = np.concatenate([matrix.T for matrix in matrices])
        weights[f"highways.{i}.bias"] = np.concatenate(biases)
    weights["projection.weight"] = arrays["CNN_proj/W_proj"].T
    weights["projection.bias"] = arrays["CNN_proj/b_proj"]
    return {f"words.cnn.{name}": array for name, array in weights.items()}


def _lstm(arrays: Arrays, cell: str, ours: str) -> dict[str, np.ndarray]:
    matrix, bias = _gates(arrays[f"{cell}/W_0"]), _gates(arrays[f"{cell}/B"])
    bias.reshape(4, -1)[2] += 1.0
    width = len(matrix) - arrays[f"{cell}/W_P_0"].shape[1]
    return {
        f"{ours}.input": matrix[:width].T,
        f"{ours}.state": matrix[width:].T,
        f"{ours}.bias": bias,
        f"{ours}.projection": arrays[f"{cell}/W_P_0"].T,
    }


def _cell(weights: Arrays, ours: str, cell: str) -> dict[str, np.ndarray]:
    bias = weights[f"{ours}.bias"].copy()
    bias.reshape(4, -1)[2] -= 1.0
    both = np.concatenate([weights[f"{ours}.input"].T, weights[f"{ours}.state"].T])
    return {
        f"{cell}/W_0": _theirs(both),
        f"{cell}/B": _theirs(bias),
        f"{cell}/W_P_0": weights[f"{ours}.projection"].T,
    }


def _gates(array: np.ndarray) -> np.ndarray:
    """The last axis from input, candidate, forget, output to our order; a copy."""
    into, candidate, forget, out = np.split(array, 4, -1)
    return np.concatenate([candidate, into, forget, out], -1)


def _theirs(array: np.ndarray) -> np.ndarray:
    """The other way round."""
    candidate, into, forget, out = np.split(array, 4, -1)
    return np.concatenate([into, candidate, forget, out], -1)


def _count(arrays: Arrays, path: str) -> int:
    """How many there are, counted from 0."""
    count = 0
    while path.format(count) in arrays:
        count += 1
    return count
