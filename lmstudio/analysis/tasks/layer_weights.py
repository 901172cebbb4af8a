"""Fine-tuned runs that read a learned mix of layers -> what share each layer has in it.

gamma (s_0 x_0 + ... + s_L x_L),   s = softmax(weights)      (Peters et al. 2018, equation 1)
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from lmstudio.analysis.tasks.layer_names import layer_name
from lmstudio.files import reading
from lmstudio.models.checkpoint_folder import TRAIN_AGAIN, WEIGHTS, asked


@dataclass(frozen=True)
class LayerWeights:
    """What a fine-tuned run takes of each layer of its encoder."""

    run: str
    run_id: int
    model: str  # the family of the encoder
    encoder: str  # its name; "" where it was deleted
    task: str
    kind: str
    shares: tuple[float, ...]  # s, of the look-up table first; they sum to 1
    gamma: float

    @property
    def names(self) -> tuple[str, ...]:
        """What the layers are called, in the language in use."""
        return tuple(map(layer_name, range(len(self.shares))))


def read_mix(run_folder: Path) -> tuple[tuple[float, ...], float]:
    """s and gamma of the checkpoint that is asked. AppError where there is none, or no mix."""
    path = asked(run_folder) / WEIGHTS
    with reading(path, TRAIN_AGAIN, SafetensorError), safe_open(path, "np") as file:
        weights, gamma = (file.get_tensor(f"mix.{name}") for name in ("weights", "gamma"))
    raised = np.exp(weights.astype(float) - weights.max())
    return tuple((raised / raised.sum()).tolist()), float(gamma)
