"""Everything about an import that a user may choose, as one value that is kept with the corpus."""

from dataclasses import asdict, dataclass, field
from typing import Any

from lmstudio.data.split import SplitRule
from lmstudio.errors import Fault
from lmstudio.messages import msg
from lmstudio.options import faults, from_dict, option, options_of
from lmstudio.text.document import ReadOptions
from lmstudio.text.normalize import NormaliseOptions

_PARTS: dict[str, Any] = {"reading": ReadOptions, "normalise": NormaliseOptions, "split": SplitRule}


@dataclass(frozen=True)
class ImportOptions:
    """How files are read, changed and split, and what becomes of texts that come twice."""

    reading: ReadOptions = field(default_factory=ReadOptions)
    normalise: NormaliseOptions = field(default_factory=NormaliseOptions)
    split: SplitRule = field(default_factory=SplitRule)
    duplicates: str = option(
        "keep", msg("Duplicate documents"),
        msg("They are always counted. drop-exact leaves out all but the first of documents with "
            "the same text, drop-near also those that are nearly the same."),
        choices=("keep", "drop-exact", "drop-near"),
    )  # fmt: skip
    leaks: str = option(
        "keep", msg("Leaks"),
        msg("They are always counted. drop takes out of the validation and test part what stands "
            "in the training part as well: lines, and documents that are nearly the same."),
        choices=("keep", "drop"),
    )  # fmt: skip

    def all_faults(self) -> list[Fault]:
        """Every setting, of the parts too, that is outside its limits."""
        return [fault for part in (*map(self.__getattribute__, _PARTS), self)
                for fault in faults(part)]  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """As kept in the facts of a corpus."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "ImportOptions":
        """What `to_json` gave; what a newer or older program said of other settings is left out."""
        parts: dict[str, Any] = {}
        for name, kind in _PARTS.items():
            known = options_of(kind).keys() & data.get(name, {}).keys()
            parts[name] = from_dict(kind, {key: data[name][key] for key in known})[0]
        own = {name: data[name] for name in ("duplicates", "leaks") if name in data}
        made = cls(**parts, **own)
        return cls() if made.all_faults() else made
