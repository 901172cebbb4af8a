"""What the smoothings are called where room is short, and what their knobs are."""

from lmstudio.messages import msg
from lmstudio.models.config import SETTINGS

SHORT = {
    "maximum-likelihood": msg("Maximum likelihood"),
    "add-one": msg("Add one"),
    "add-k": msg("Add k"),
    "good-turing": "Good–Turing",
    "katz": "Katz",
    "absolute-discounting": msg("Absolute disc."),
    "witten-bell": "Witten–Bell",
    "jelinek-mercer": "Jelinek–Mercer",
    "kneser-ney": "Kneser–Ney",
    "modified-kneser-ney": msg("Mod. KN"),
    "stupid-backoff": msg("Stupid back-off"),
}
"""By the names of `models.config.SMOOTHINGS`; some as catalogue sentences."""

TURNED_BY = {knob: SETTINGS[knob] for knob in ("k", "discount")}
"""By knob, the smoothings it belongs to."""
