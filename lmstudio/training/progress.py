"""Where a training stands: what a checkpoint keeps besides tensors."""

from dataclasses import asdict, dataclass, field
from typing import Any

from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.training.early_stopping import EarlyStopping
from lmstudio.training.plan import Plan


@dataclass
class Progress:
    """Plain facts, kept in the checkpoint's meta.json."""

    early: EarlyStopping
    plan: Plan
    step: int = 0  # steps done; the place in the data follows from it
    validated: int = 0  # the step of the last validation
    parts: int = 1  # in how many a batch is computed; more since memory ran out
    seconds: float = 0.0  # of training, all sittings together, pauses not counted
    notes: list[Message] = field(default_factory=list)  # what the user should know

    def take_up(self, plan: Plan) -> None:
        """Go on by another plan, longer or shorter; patience begins anew."""
        self.plan = plan
        self.early.waited = 0

    def tell(self, note: Message, job: Job) -> None:
        """Say something now, and keep it."""
        self.notes.append(note)
        job.remark(note)

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Progress":
        """The progress that `to_json` gave."""
        early, plan = EarlyStopping(**data["early"]), Plan(**data["plan"])
        notes = [Message(**note) for note in data["notes"]]
        return cls(**(data | {"early": early, "plan": plan, "notes": notes}))
