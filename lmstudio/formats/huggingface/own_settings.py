"""What config.json has no word for: in a key of ours, which transformers keeps and does not heed.

{KEY: {"network": {name: value of our config}, "cutting": {name: value of SegmentOptions},
"pieces": the file that texts are cut by, of those that the folder has}}. A folder comes from
anywhere: of the key only names are heeded that are known here, and their values are checked as
those of any config.
"""

from typing import Any

from lmstudio.errors import AppError, SpecError
from lmstudio.models.config import BertConfig, GptConfig
from lmstudio.options import from_dict
from lmstudio.text.segment_options import SegmentOptions

KEY = "lm_workbench"
_NETWORK: dict[type, tuple[str, ...]] = {
    BertConfig: ("whole_words", "mask_share", "dynamic", "random_from"),
    GptConfig: ("context",),
}
_CUTTING = ("by", "sentences", "clean")


def told(config: BertConfig | GptConfig, cutting: SegmentOptions, pieces: str) -> dict[str, Any]:
    """The key of ours for a network whose texts were cut so, by the file `pieces` if it is one."""
    return {KEY: {
        "network": {name: getattr(config, name) for name in _NETWORK[type(config)]},
        "cutting": {name: getattr(cutting, name) for name in _CUTTING},
        "pieces": pieces,
    }}  # fmt: skip


def network(config: dict[str, Any], kind: type[BertConfig] | type[GptConfig]) -> dict[str, Any]:
    """What the key of ours in a config.json tells of a network, where there is one."""
    return _part(config, "network", _NETWORK[kind])


def cutting(config: dict[str, Any]) -> dict[str, Any]:
    """The same of how texts were cut, "by" among it. SpecError for what cannot be."""
    found = _part(config, "cutting", _CUTTING)
    _, faults = from_dict(SegmentOptions, found)
    if faults:
        raise SpecError(faults)
    return found


def pieces(config: dict[str, Any]) -> str:
    """The file that texts are cut by, as the key of ours tells; empty where it does not."""
    found = _key(config).get("pieces", "")
    return found if isinstance(found, str) else ""


def _part(config: dict[str, Any], name: str, known: tuple[str, ...]) -> dict[str, Any]:
    part = _key(config).get(name, {})
    if not isinstance(part, dict):
        raise _strange()
    return {name: part[name] for name in known if name in part}


def _key(config: dict[str, Any]) -> dict[str, Any]:
    found = config.get(KEY, {})
    if not isinstance(found, dict):
        raise _strange()
    return found


def _strange() -> AppError:
    return AppError("What config.json tells under {key} is not what this program writes there. "
                    "Delete it, or get the file again.", key=KEY)  # fmt: skip
