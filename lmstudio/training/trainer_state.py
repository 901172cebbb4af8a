"""What a training needs besides weights and progress to go on exactly -> plain tensors, and back.

optimizer   its state
scaler      of fp16, where there is one
random      torch's random numbers, of each process of the team
carried     what the rows of the next batch go on from, of each process
"""

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from lmstudio.training.loop import Training


def of(training: "Training") -> dict[str, Any]:
    """The state of a training; everyone of a team asks for it together."""
    team, device = training.team, training.device
    carried = {name: rows.cpu() for name, rows in training.module.carried.items()}
    scaler = training.precision.scaler
    return {
        "optimizer": training.optimizer.state_dict(),
        "scaler": scaler.state_dict() if scaler else {},
        "random": team.gather(random_state(device)),
        "carried": team.gather(carried),
    }


def restore(training: "Training", kept: dict[str, Any]) -> None:
    """Put a training where it was. Random numbers of a larger team than before begin anew."""
    team, device = training.team, training.device
    training.optimizer.load_state_dict(kept["optimizer"])
    if training.precision.scaler and kept["scaler"]:
        training.precision.scaler.load_state_dict(kept["scaler"])
    if team.rank < len(kept["random"]):
        set_random_state(kept["random"][team.rank], device)
    mine = kept["carried"][team.rank] if len(kept["carried"]) == team.size else {}
    training.module.carried = {name: rows.to(device) for name, rows in mine.items()}


def random_state(device: torch.device) -> dict[str, torch.Tensor]:
    """Torch's random numbers as they stand, for the CPU and for `device`."""
    state = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(device)
    if device.type == "mps":
        state["mps"] = torch.mps.get_rng_state()
    if device.type == "xpu":
        state["xpu"] = torch.xpu.get_rng_state(device)
    return state


def set_random_state(state: dict[str, torch.Tensor], device: torch.device) -> None:
    """Go on with the random numbers of `state`, as far as it knows `device`."""
    torch.set_rng_state(state["cpu"])
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"], device)
    if device.type == "mps" and "mps" in state:
        torch.mps.set_rng_state(state["mps"])
    if device.type == "xpu" and "xpu" in state:
        torch.xpu.set_rng_state(state["xpu"], device)
