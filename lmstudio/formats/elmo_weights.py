"""The arrays of a published ELMo's weights file -> the weights of our module, by name.

The files are those of allenai/bilm-tf, which AllenNLP reads too: HDF5, made by TensorFlow 1. There
gates stand in the order input, candidate, forget, output; a forget gate has 1 added to its bias;
a highway's gate opens the new value, not the old one; matrices are transposed; and there is no row
for "no byte" in the table of bytes.
"""

from collections.abc import Mapping

import numpy as np

Arrays = Mapping[str, np.ndarray]


def elmo_weights(arrays: Arrays) -> dict[str, np.ndarray]:
    """What stands in `arrays`, by its path in the file, as weights of models.elmo.Elmo.

    Those of its words, which are spelled, and of its layers; the output layer was not published.
    KeyError where the file lacks something.
    """
    weights = _words(arrays)
    for number, side in enumerate(("left", "right")):
        for layer in range(_count(arrays, "RNN_0/RNN/MultiRNNCell/Cell{}/LSTMCell/B")):
            cell = f"RNN_{number}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            weights |= _lstm(arrays, cell, f"layers.{layer}.{side}")
    return {name: np.ascontiguousarray(array, np.float32) for name, array in weights.items()}


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


def _gates(array: np.ndarray) -> np.ndarray:
    """The last axis from input, candidate, forget, output to our order; a copy."""
    into, candidate, forget, out = np.split(array, 4, -1)
    return np.concatenate([candidate, into, forget, out], -1)


def _count(arrays: Arrays, path: str) -> int:
    """How many there are, counted from 0."""
    count = 0
    while path.format(count) in arrays:
        count += 1
    return count
