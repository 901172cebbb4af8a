"""What the values of settings are called, for forms and details."""

from lmstudio.messages import msg, tr

CHOICES = {
    "maximum-likelihood": msg("Maximum likelihood"),
    "add-one": msg("Add one (Laplace)"),
    "add-k": msg("Add k (Lidstone)"),
    "good-turing": msg("Good-Turing"),
    "katz": msg("Katz"),
    "absolute-discounting": msg("Absolute discounting"),
    "witten-bell": msg("Witten-Bell"),
    "jelinek-mercer": msg("Jelinek-Mercer"),
    "kneser-ney": msg("Kneser-Ney"),
    "modified-kneser-ney": msg("Modified Kneser-Ney"),
    "stupid-backoff": msg("Stupid back-off"),
}
"""Choices as catalogue sentences."""


def value_name(value: object) -> str:
    """A setting's value as it reads."""
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, float):
        return f"{value:g}"
    text = str(value)
    return tr(CHOICES[text]) if text in CHOICES else text
